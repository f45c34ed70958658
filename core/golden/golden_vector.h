// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/design/resolve.h"
#include "core/golden/meter.h"
#include "core/golden/window.h"

namespace cubist::golden {

/// What an operand of a stage shows in the current iteration.
using WindowOf = std::function<const Window&(const ValueId&)>;

/// Which result of a vector stage is wanted: that of operation number `valids.size() - 1`; `valids` says how much of
/// each result is valid.
struct Wanted {
    std::span<const Axes> valids;
    bool second = false;  ///< the operation's second result
    /// Only these rows; the windows of operands are cut already. Stages whose rows are apart (`rowsAreApart`) only.
    std::optional<RowCut> rows = {};
};

/// Makes it. Rows are made one by one; only results that are read in another order exist as whole tensors. Softmax,
/// rms_norm, sums, sigmoid, silu and gelu are computed in FP64 and rounded once. `result` takes the declared shape,
/// row-major; only the valid part is written. Errors: Cancelled; BadValue (an index out of range).
[[nodiscard]] Result<void> computeVector(const ResolvedDesign& design, const VectorStage& stage, const Wanted& wanted,
                                         GoldenKind kind, const WindowOf& windowOf, const IndexValues& indices,
                                         GoldenValues& result, Meter& meter);

}  // namespace cubist::golden
