// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/design/resolve.h"
#include "core/golden/meter.h"
#include "core/golden/window.h"

namespace cubist::golden {

/// What an operand of a stage shows in the current iteration.
using WindowOf = std::function<const Window&(const ValueId&)>;

/// The operations of one vector stage up to number `valids.size() - 1`, whose result is wanted; `valids` says how much
/// of each result is valid. Rows are made one by one; only results that are read in another order exist as whole
/// tensors. Softmax, rms_norm, sums and sigmoid are computed in FP64 and rounded once. `result` takes the declared
/// shape of the last operation's result, row-major; only the valid part is written. Returns false when cancelled.
[[nodiscard]] bool computeVector(const ResolvedDesign& design, const VectorStage& stage, std::span<const Axes> valids,
                                 GoldenKind kind, const WindowOf& windowOf, std::vector<double>& result, Meter& meter);

}  // namespace cubist::golden
