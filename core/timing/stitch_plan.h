// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/design/design.h"
#include "core/lowering/program.h"

namespace cubist {

/// Root functions that the control AICPU builds into one device task and submits together. Its tasks begin when it has
/// been built and submitted and every group that it follows has ended.
struct StitchGroup {
    std::vector<RootIndex> roots;      ///< ascending
    std::vector<std::uint32_t> after;  ///< groups
    std::uint32_t tasks = 0;
};

struct StitchPlan {
    std::vector<StitchGroup> groups;     ///< in the order they are built
    std::vector<std::uint32_t> groupOf;  ///< by root
};

/// Hard limits of one device task.
inline constexpr std::size_t kMostRootsPerGroup = 1024;
inline constexpr std::uint32_t kMostTasksPerGroup = 60'000;

/// Groups follow each other in the order of the roots, `stitch_function_max_num` roots each, or as many as keep their
/// workspaces within `max_workspace_kb`. A loop with submit_before_loop begins a group. Iterations of a parallel loop
/// are dealt to `device_sched_parallelism` rows of groups, which run beside each other. Source: F-71.
[[nodiscard]] StitchPlan planStitching(const Program& program, const Options& options);

}  // namespace cubist
