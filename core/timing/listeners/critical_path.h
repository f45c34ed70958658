// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/lowering/program.h"
#include "core/timing/task_scheduler.h"
#include "core/timing/trace.h"

namespace cubist {

/// The executed critical path: goes back from the task that ends last (of equals the lowest id) and returns the steps
/// in time order. They tile [0, kernel]; steps of length 0 are left out. Source: F-21.
[[nodiscard]] std::vector<CriticalStep> executedCriticalPath(const TaskSchedule& schedule);

/// What a critical path is spent on.
struct PathShares {
    std::array<Ticks, kBoundCount> ticks{};  ///< by Bound; sums to the path's length
    std::vector<std::string> estimates;      ///< names of estimate constants with a part in it, sorted, each once

    /// The largest share; of equals the first in the order of the enum.
    [[nodiscard]] Bound bound() const;
};

/// Inside a task the path runs along the critical path of its instructions. Reads the trace's tasks and transfers.
/// Cost: the instructions of the tasks on the path.
[[nodiscard]] PathShares sharesOf(const std::vector<CriticalStep>& path, const Program& program, const Trace& trace,
                                  const ChipSpec& chip);

}  // namespace cubist
