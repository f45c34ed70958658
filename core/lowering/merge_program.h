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

/// Tiles that an earlier member of the same task has loaded already.
enum class Reload : std::uint8_t {
    WhereNeeded,  ///< stay in L1 where they can
    Always,       ///< are loaded again
};

/// The program whose tasks are these lists of the given one's tasks, each task once, members in the order they run in.
/// Range: no task is merged yet; the lists are in a legal order. Source: F-61. Errors: Cancelled.
[[nodiscard]] Result<Program> joinTasks(Program program, std::span<const std::vector<TaskIndex>> tasks, Reload reload,
                                        const ChipSpec& chip, const RunContext& context = {});

}  // namespace cubist
