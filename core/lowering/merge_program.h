// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/chip/chip_spec.h"
#include "core/lowering/program.h"

namespace cubist {

/// The program whose tasks are these lists of the given one's tasks, each task once, members in the order they run in.
/// `sharesWith` by task of the given program: members of one task that name the same one load a tile once, where it can
/// stay in L1; others load it again. Empty: all load for themselves.
/// Range: no task is merged yet; the lists are in a legal order. Source: F-61. Errors: Cancelled.
[[nodiscard]] Result<Program> joinTasks(Program program, std::span<const std::vector<TaskIndex>> tasks,
                                        std::span<const TaskIndex> sharesWith, const ChipSpec& chip,
                                        const RunContext& context = {});

}  // namespace cubist
