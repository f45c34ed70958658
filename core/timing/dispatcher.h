// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/base/zeroed_array.h"
#include "core/lowering/program.h"
#include "core/timing/operation_log.h"
#include "core/timing/trace.h"

/// The seam between the machine and the policy that hands out tasks. The event engine (core/timing/event_engine.h) runs
/// tasks on cores: it knows pipes, buffers, bandwidth and L2, and nothing about readiness or the cost of a dispatch. A
/// Dispatcher knows edges, queues, cores and AICPU costs, and nothing about what happens inside a task. There is one
/// dispatcher per launch profile: `SchedulerDispatcher` (pypto, F-70) and `BareDispatcher` (bare, F-27);
/// `FifoDispatcher` is the list schedule that can be worked out by hand (F-21).
namespace cubist {

/// What a dispatcher can ask for. All times are at or after the instant of the call.
class DispatchHost {
public:
    virtual ~DispatchHost() = default;
    /// `core` begins `task` at `start`; it runs nothing else then. `Dispatcher::taskEnded` says when it is free.
    virtual void startTask(TaskIndex task, CoreRef core, Ticks start) = 0;
    /// `Dispatcher::woken` is called at `time`. Of the wake-ups of one instant lower priorities come first, then those
    /// asked for earlier. Range of priority: 0..15.
    virtual void wakeAt(Ticks time, std::uint8_t priority, std::uint64_t token) = 0;
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

/// What a dispatcher tells about a finished run; by task id unless said otherwise.
struct DispatchRecord {
    ZeroedArray<Ticks> ready;          ///< could have been handed out
    std::vector<Dispatch> dispatches;  ///< of dispatchers without AICPUs
    ZeroedArray<TaskWait> waits;       ///< of the task runtime, as the following
    ZeroedArray<PackedLink> starts;    ///< what let a task start
    OperationLog operations;           ///< of all AICPUs
};

/// Calls come in time order. At one instant: ends of tasks, then wake-ups by priority, then `settle` once; when that
/// starts something at the same instant, the round begins again.
class Dispatcher {
public:
    virtual ~Dispatcher() = default;
    /// Before time 0 begins.
    virtual void begin(DispatchHost& host) = 0;
    virtual void taskEnded(TaskIndex task, CoreRef core, Ticks now) = 0;
    virtual void woken(std::uint64_t token, Ticks now) = 0;
    virtual void settle(Ticks now) = 0;
    /// When a task that has ended could have been handed out.
    [[nodiscard]] virtual Ticks readyAt(TaskIndex task) const = 0;
    /// Time that AICPUs take before time 0.
    [[nodiscard]] virtual Ticks buildBefore() const { return {}; }
    /// After the last event. The engine checks that every task has run.
    [[nodiscard]] virtual DispatchRecord takeRecord() = 0;
};

}  // namespace cubist
