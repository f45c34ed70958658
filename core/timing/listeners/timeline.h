// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/lowering/program.h"
#include "core/timing/listeners/stalls.h"
#include "core/timing/trace.h"

namespace cubist {

/// A stretch of one lane (pipe of a core) with one cause. Ticks from the start of the kernel.
struct LaneInterval {
    Pipe pipe = Pipe::S;
    Cause cause = Cause::Busy;
    Ticks start;
    Ticks end;
    /// The task that runs; for WaitTask and WaitDispatch the one that comes next; none for Tail and NoTask.
    std::optional<TaskIndex> task;
    /// Leaf-relative. Busy: what is executed (pipe S: 0, it issues them all). WaitData and WaitSlot: what waits.
    /// Otherwise 0.
    std::uint32_t instruction = 0;
    /// WaitData and WaitSlot: the instruction whose end is waited for; what waits for the S pipe itself. Otherwise
    /// equals `instruction`.
    std::uint32_t subject = 0;
    bool operator==(const LaneInterval&) const = default;
};

/// All lanes of the core that ran `task`, from its start to its end: pipes in enum order, each tiled without gaps and
/// without stretches of length 0. The second form: of one of the cores that a mixed task occupies.
[[nodiscard]] std::vector<LaneInterval> expandTask(const Program& program, const Trace& trace, TaskIndex task);
[[nodiscard]] std::vector<LaneInterval> expandTask(const Program& program, const Trace& trace, TaskIndex task,
                                                   CoreRef core);

/// One lane over the whole kernel: tiles [0, kernel]. `tasks` are those of its core in time order (`tasksByCore`).
/// Cost: the instructions of these tasks.
[[nodiscard]] std::vector<LaneInterval> laneCauses(const Program& program, const Trace& trace, CoreRef core, Pipe pipe,
                                                   std::span<const TaskIndex> tasks);

/// The same for a single lane, looking the tasks up.
[[nodiscard]] std::vector<LaneInterval> laneCauses(const Program& program, const Trace& trace, CoreRef core, Pipe pipe);

}  // namespace cubist
