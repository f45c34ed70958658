// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/design/binding.h"
#include "core/design/design.h"

namespace cubist {

/// Moves stages from the loop that they are in, up and down as far as is needed, into another (empty: none).
/// Errors: as moveIntoLoop and moveOutOfLoop.
[[nodiscard]] Result<Design> moveToLoop(const Design& design, const std::vector<BlockId>& stages, const BlockId& loop,
                                        const Binding& binding);

}  // namespace cubist
