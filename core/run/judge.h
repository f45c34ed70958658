// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/design/resolve.h"
#include "core/run/run.h"
#include "core/run/stage_errors.h"

namespace cubist {

/// Compares the outputs with their goldens (the request's files, else computed) and finds out which stage added the
/// error; fills the report's accuracy and stage errors. Errors: as the readers and engines; Cancelled.
[[nodiscard]] Result<void> judgeOutputs(const RunRequest& request, const ResolvedDesign& design,
                                        const ComputedTensors& computed, RunReport& report, const RunContext& context);

}  // namespace cubist
