// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rules/check_context.h"

namespace cubist::rules {

/// CAP-12: neighbouring cube stages that nothing orders and that both say how many slots they keep.
void checkSharedBuffers(CheckContext& context);

}  // namespace cubist::rules
