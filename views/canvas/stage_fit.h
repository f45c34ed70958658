// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/design/design.h"
#include "views/canvas/known_design.h"

namespace cubist {

/// Gives a stage that was just connected tiles, result type and shapes that go with what it reads, as far as they are
/// still those of a new one.
[[nodiscard]] Design fittedTo(Design design, const BlockId& stage, const KnownDesign& known);

}  // namespace cubist
