// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/run.h"

namespace cubist {

/// `predictOnly`, and for stages that leave cores idle (PERF-01) the tiles that are predicted to be faster, as `run`
/// offers them. For one who asks, or when nothing else is to be done: every tile that is tried is a prediction of its
/// own, six at most for such a stage; none for programs above a million instructions. Errors: as `predictOnly`;
/// Cancelled within 10 ms of work.
[[nodiscard]] Result<RunReport> predictWithFasterTiles(const RunRequest& request, const RunContext& context);

}  // namespace cubist
