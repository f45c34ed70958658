// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/lowering/program.h"
#include "core/timing/trace.h"

namespace cubist {

/// The machine as the scheduler of tasks sees it.
struct TaskMachine {
    std::int64_t aicCount = 0, aivCount = 0;
    Ticks dispatch;  ///< to hand out one task. Source: F-17
    Ticks resolve;   ///< from the end of the last predecessor until a task is ready. Source: F-18
};

/// When a dispatch began and what it had waited for.
struct Dispatch {
    enum class After : std::uint8_t {
        Start,          ///< time 0
        Resolve,        ///< the task became ready; `other` is its predecessor that ended last
        OtherDispatch,  ///< the scheduler handed out `other` before
        CoreOccupied,   ///< all cores of the kind were taken; `other` ended on the chosen one
    } after = After::Start;
    Ticks begin;
    TaskIndex other;
};

struct TaskSchedule {
    std::vector<TaskInterval> tasks;   ///< by task id
    std::vector<Dispatch> dispatches;  ///< by task id
    Ticks kernel;                      ///< last end
};

/// Places every task on a core. `durations` holds one entry per leaf of the program. The same arguments give the same
/// schedule. Source: F-21. Errors: Cancelled, BadValue (a kind of task without a core), Internal (tasks wait in a
/// circle).
[[nodiscard]] Result<TaskSchedule> scheduleTasks(const Program& program, std::span<const Ticks> durations,
                                                 const TaskMachine& machine, const RunContext& context);

}  // namespace cubist
