// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/chip/chip_spec.h"
#include "core/design/design.h"
#include "core/lowering/program.h"

namespace cubist {

/// Merges tasks as PyPTO's passes do: vector n-buffer, L1 reuse, cube n-buffer, within each root. Pure. Values stay bit
/// for bit what they were; a program in which nothing merges keeps its tasks. Fills in groups and unmatched keys.
/// Source: F-60, F-61. Errors: Cancelled.
[[nodiscard]] Result<Program> mergeTasks(Program program, const Options& options, const ChipSpec& chip,
                                         const RunContext& context = {});

}  // namespace cubist
