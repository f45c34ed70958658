// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <utility>

#include "core/design/resolve.h"
#include "core/run/run.h"
#include "core/run/stage_errors.h"

/// Judges a large output by blocks of rows, so that its golden never exists as a whole: 8 bytes an element would be
/// several times the output.
namespace cubist {

/// Are the rows of the only output apart (`rowsAreApart`), more than a block has, and nothing to be said about what
/// each of several stages adds?
[[nodiscard]] bool canJudgeByRows(const ResolvedDesign& design, const ComputedTensors& computed);

struct RowsRequest {
    const ResolvedDesign& design;
    const ComputedTensors& computed;
    GoldenKind kind = GoldenKind::Ideal;
    std::pair<std::int64_t, std::int64_t> tile{1, 1};
    const Tolerance& tolerance;
};

/// Fills the report's accuracy and stage errors as `judgeOutputs` does, to the bit. Precondition: canJudgeByRows.
/// Errors: as computeGolden and compareOutput.
[[nodiscard]] Result<void> judgeByRows(const RowsRequest& request, RunReport& report, const RunContext& context);

}  // namespace cubist
