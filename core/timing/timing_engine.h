// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/chip/chip_spec.h"
#include "core/design/design.h"
#include "core/lowering/program.h"
#include "core/timing/trace.h"

namespace cubist {

/// Duration of one instruction alone. Source: F-10 .. F-16.
[[nodiscard]] Ticks instructionTicks(const ChipSpec& chip, const Leaf& leaf, const Instruction& instruction);

/// Runs a leaf on an idle chip: one in-order queue per pipe, all instructions queued at the start; an instruction
/// begins when its pipe is free, its producers have ended and the slots it writes are released; every transfer runs at
/// the rate of the core's own port. Source: F-20.
[[nodiscard]] LeafSchedule scheduleLeaf(const ChipSpec& chip, const Leaf& leaf);

/// The instructions of one task as they ran in `trace`. Cost: the instructions of the task. Source: F-20.
[[nodiscard]] LeafSchedule scheduleOfTask(const Program& program, const Trace& trace, TaskIndex task);

class PlanCache;

/// What a trace keeps.
enum class TraceDetail : std::uint8_t {
    Tasks,    ///< every task and its transfers: the instructions of each can be shown and explained
    Summary,  ///< sums by stage, pipe and cause and the critical path; `tasks` and what goes with them are empty
};

/// How a kernel reaches the cores.
struct TimingOptions {
    /// Of a hand-written kernel (launch `bare`): the core of every task, by task id. Empty: the task runtime hands them
    /// out (launch `pypto`).
    std::vector<std::uint16_t> coreOf;
    /// Of the design: the task runtime follows them (F-70, F-71). Null: their defaults.
    const Options* runtime = nullptr;
    /// The list schedule of F-21 in place of the task runtime: small enough to be worked out by hand.
    bool listSchedule = false;
    /// Plans from earlier predictions; null: every leaf is planned anew.
    PlanCache* plans = nullptr;
    TraceDetail detail = TraceDetail::Tasks;
    /// Streams the trace: called for every task as it ends, in time order, whatever is kept.
    std::function<void(const TaskInterval&)> onTask = {};
};

/// Predicts the kernel's time. Integer ticks; the same program gives the same trace. Source: F-03 .. F-06, F-17, F-18,
/// F-20, F-21, F-27. Errors: Cancelled, Unsupported (an operand type the cube lacks), BadValue,
/// Internal (also: as checkProgram).
[[nodiscard]] Result<Trace> predict(const Program& program, const ChipSpec& chip, const RunContext& context = {},
                                    const TimingOptions& options = {});

}  // namespace cubist
