// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <queue>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/lowering/program.h"
#include "core/timing/dispatcher.h"
#include "core/timing/trace.h"

namespace cubist {

/// The machine as the scheduler of tasks sees it.
struct TaskMachine {
    std::int64_t aicCount = 0, aivCount = 0;
    Ticks dispatch;  ///< to hand out one task. Source: F-17
    Ticks resolve;   ///< from the end of the last predecessor until a task is ready. Source: F-18
};

/// The list schedule of F-21: one serial scheduler, a first-in-first-out queue per kind of core, the lowest free core.
class FifoDispatcher final : public Dispatcher {
public:
    FifoDispatcher(const Program& program, const TaskMachine& machine);

    void begin(DispatchHost& host) override;
    void taskEnded(TaskIndex task, CoreRef core, Ticks now) override;
    void woken(std::uint64_t token, Ticks now) override;
    void settle(Ticks now) override;
    [[nodiscard]] Ticks readyAt(TaskIndex task) const override { return m_record.ready[task.value]; }
    [[nodiscard]] DispatchRecord takeRecord() override { return std::move(m_record); }

private:
    struct ReadyTask {
        Ticks ready;
        TaskIndex task;
        auto operator<=>(const ReadyTask&) const = default;
    };
    template <class T>
    using SmallestFirst = std::priority_queue<T, std::vector<T>, std::greater<>>;
    /// The ready queue and the free cores of one kind.
    struct KindState {
        SmallestFirst<ReadyTask> ready;
        SmallestFirst<std::uint16_t> freeCores;
        std::vector<TaskIndex> lastOnCore;

        [[nodiscard]] bool canDispatch() const { return !ready.empty() && !freeCores.empty(); }
    };
    struct Waiting {
        std::uint32_t predecessors = 0;
        TaskIndex lastToEnd;
    };

    [[nodiscard]] KindState& kindOf(TaskIndex task);
    [[nodiscard]] Dispatch explain(TaskIndex task, TaskIndex lastOnCore, Ticks now) const;

    const Program& m_program;
    TaskMachine m_machine;
    DispatchHost* m_host = nullptr;
    std::array<KindState, 2> m_kinds;
    std::vector<Waiting> m_waiting;
    DispatchRecord m_record;
    Ticks m_dispatchEnd;
    TaskIndex m_lastDispatched;
    bool m_schedulerBusy = false;
};

/// A hand-written kernel: every core begins at time 0 and works through its own tasks in the order of their ids,
/// without a scheduler; what waits for another task waits on its core. Task `t` belongs to core `coreOf[t]` of its
/// kind. Source: F-27.
class BareDispatcher final : public Dispatcher {
public:
    BareDispatcher(const Program& program, std::span<const std::uint16_t> coreOf);

    void begin(DispatchHost& host) override;
    void taskEnded(TaskIndex task, CoreRef core, Ticks now) override;
    void woken(std::uint64_t token, Ticks now) override;
    void settle(Ticks now) override;
    [[nodiscard]] Ticks readyAt(TaskIndex task) const override { return m_record.ready[task.value]; }
    [[nodiscard]] DispatchRecord takeRecord() override { return std::move(m_record); }

private:
    struct Core {
        std::vector<TaskIndex> tasks;
        std::size_t next = 0;
        bool busy = false;
    };
    void tryCore(TaskKind kind, std::size_t core, Ticks now);

    const Program& m_program;
    DispatchHost* m_host = nullptr;
    std::array<std::vector<Core>, 2> m_cores;
    std::vector<std::uint16_t> m_coreOf;
    std::vector<std::uint32_t> m_predecessors;
    std::vector<TaskIndex> m_lastToEnd;
    DispatchRecord m_record;
};

struct TaskSchedule {
    std::vector<TaskInterval> tasks;  ///< by task id
    DispatchRecord dispatch;
    Ticks kernel;  ///< last end
};

/// Places every task on a core when the duration of each leaf is known. The same arguments give the same schedule.
/// Source: F-21. Errors: Cancelled, BadValue (a kind of task without a core), Internal (tasks wait in a circle).
[[nodiscard]] Result<TaskSchedule> scheduleTasks(const Program& program, std::span<const Ticks> durations,
                                                 const TaskMachine& machine, const RunContext& context);

/// The same with any dispatcher.
[[nodiscard]] Result<TaskSchedule> scheduleTasks(const Program& program, std::span<const Ticks> durations,
                                                 Dispatcher& dispatcher, const RunContext& context);

/// Errors: BadValue (a kind of task without a core).
[[nodiscard]] Result<void> checkCores(const Program& program, const TaskMachine& machine);

}  // namespace cubist
