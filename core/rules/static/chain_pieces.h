// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/design/resolve.h"

namespace cubist::rules {

/// The pieces that lowering makes of a vector stage whose tiles do not fit UB together, each as the results of its
/// first and last operation: "x_f to x_max". Empty when one operation alone does not fit.
[[nodiscard]] std::vector<std::string> chainPieces(const ResolvedDesign& design, const VectorStage& stage,
                                                   const ChipSpec& chip);

}  // namespace cubist::rules
