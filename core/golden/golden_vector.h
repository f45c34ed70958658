// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <vector>

#include "core/design/resolve.h"
#include "core/golden/meter.h"
#include "core/golden/window.h"

namespace cubist::golden {

/// What an operand of a stage shows in the current iteration.
using WindowOf = std::function<const Window&(const ValueId&)>;

/// Operations of one vector stage up to the one that makes `target`, row by row, so that results in between never exist
/// as whole tensors. `result` takes the declared shape of the target, row-major; only the rows and columns of `valid`
/// are written. Returns false when cancelled.
[[nodiscard]] bool computeVector(const ResolvedDesign& design, const VectorStage& stage, const ResolvedValue& target,
                                 const Axes& valid, GoldenKind kind, const WindowOf& windowOf,
                                 std::vector<double>& result, Meter& meter);

}  // namespace cubist::golden
