// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <utility>

#include "core/design/resolve.h"
#include "core/run/run.h"
#include "core/run/stage_errors.h"

/// Judges a large product by blocks of rows, so that its golden never exists as a whole: 8 bytes an element would be
/// several times the output.
namespace cubist {

/// Is the design one product (`oneProduct`) with more elements than a block has?
[[nodiscard]] bool isBigProduct(const ResolvedDesign& design, const ComputedTensors& computed);

struct RowsRequest {
    const ResolvedDesign& design;
    const ComputedTensors& computed;
    GoldenKind kind = GoldenKind::Ideal;
    std::pair<std::int64_t, std::int64_t> tile{1, 1};
    const Tolerance& tolerance;
};

/// Fills the report's accuracy and stage errors as `judgeOutputs` does, to the bit. Precondition: isBigProduct. Errors:
/// as computeGolden and compareOutput.
[[nodiscard]] Result<void> judgeByRows(const RowsRequest& request, RunReport& report, const RunContext& context);

}  // namespace cubist
