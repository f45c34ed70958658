// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/rules/check_context.h"

namespace cubist::rules {

/// DOC-02: attributes of vector operations that the operation does not have.
void checkAttributes(CheckContext& context);

/// DOC-03: effective rates of the chip that lie above its nominal ones.
void checkChipRates(CheckContext& context);

}  // namespace cubist::rules
