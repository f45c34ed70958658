// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/design/design.h"
#include "core/lowering/program.h"
#include "core/timing/dispatcher.h"
#include "core/timing/ready_queue.h"
#include "core/timing/stitch_plan.h"

namespace cubist {

/// The AICPUs and cores as the task runtime sees them.
struct SchedulerSetup {
    std::int64_t aicCount = 0, aivCount = 0;
    std::int64_t threads = 1;       ///< scheduler threads; thread s owns the cores s, s + threads, ... of each kind
    std::int64_t tasksPerCore = 2;  ///< tasks a core holds: one that runs, the others pending
    bool newestFirst = false;       ///< device_sched_mode, first bit
    bool fair = false;              ///< device_sched_mode, second bit
    Ticks dispatch;                 ///< to hand one task to a core. Source: F-17
    Ticks poll;                     ///< to see that a task has ended. Source: F-18
    Ticks resolve;                  ///< then, per successor. Source: F-18
    Ticks submit;                   ///< to hand a device task to the schedulers. Source: F-71
    Ticks stitch;                   ///< to build one root into a device task. Source: F-71
};

/// The setup that a chip and the options of a design ask for.
[[nodiscard]] SchedulerSetup schedulerSetup(const ChipSpec& chip, const Options& options);

/// PyPTO's runtime: the control AICPU builds device tasks one after the other; scheduler threads hand ready tasks to
/// their own cores, and look after the tasks that ended there. A mixed task takes a cube core and one or two vector
/// cores of its cluster. Source: F-70, F-71.
class SchedulerDispatcher final : public Dispatcher {
public:
    SchedulerDispatcher(const Program& program, const SchedulerSetup& setup, StitchPlan plan);

    void begin(DispatchHost& host) override;
    void taskEnded(TaskIndex task, CoreRef core, Ticks now) override;
    void woken(std::uint64_t token, Ticks now) override;
    void settle(Ticks now) override;
    [[nodiscard]] Ticks readyAt(TaskIndex task) const override { return m_record.ready[task.value]; }
    [[nodiscard]] DispatchRecord takeRecord() override { return std::move(m_record); }

    [[nodiscard]] Ticks buildBefore() const override { return m_buildBefore; }

private:
    struct Core {
        std::optional<TaskIndex> running, pending;
        std::int64_t promised = 0;      ///< slots taken, dispatches on their way included
        std::optional<TaskIndex> last;  ///< ended last
        std::size_t thread = 0;         ///< that owns it
    };
    struct Thread {
        bool busy = false;
        std::uint32_t operation = 0;  ///< the current or last one, which ends at `end`
        Ticks end;
        bool used = false;
        bool resolves = false;                            ///< the operation does; else it hands `task` out
        TaskIndex task;                                   ///< of the operation
        CoreRef target;                                   ///< of the operation
        std::deque<std::pair<TaskIndex, CoreRef>> ended;  ///< on own cores, not looked after yet
        std::array<std::int64_t, 2> idle{}, room{};       ///< own cores without a task, with a free slot
        /// No own core before these is without a task, or has a free slot; without mixed tasks.
        std::array<std::size_t, 2> firstIdle{}, firstRoom{};
        std::optional<std::pair<TaskIndex, CoreRef>> wanted;  ///< a successor for the core that has finished
    };
    struct Group {
        std::uint32_t tasksLeft = 0, predecessorsLeft = 0;
        std::array<std::int64_t, 2> tasksOf{};
        bool active = false, waitsForBuild = false;
        Ticks built, begin;
        DispatchLink because;            ///< why it begins then
        std::vector<TaskIndex> waiting;  ///< ready but for the group
        std::vector<std::uint32_t> next;
    };

    [[nodiscard]] TaskKind kindOf(TaskIndex task) const { return m_program.leafOf(m_program.tasks[task.value]).kind; }
    [[nodiscard]] Group& groupOf(TaskIndex task) {
        return m_groups[m_plan.groupOf[m_program.tasks[task.value].root.value]];
    }
    [[nodiscard]] const Core& core(CoreRef ref) const { return m_cores[static_cast<std::size_t>(ref.kind)][ref.index]; }
    [[nodiscard]] Core& core(CoreRef ref) { return m_cores[static_cast<std::size_t>(ref.kind)][ref.index]; }
    /// With mixed tasks a thread owns whole clusters.
    [[nodiscard]] std::size_t threadOf(CoreRef ref) const {
        const std::size_t cluster = m_mixed && ref.kind == TaskKind::Aiv ? ref.index / m_perCluster : ref.index;
        return cluster % m_threads.size();
    }
    [[nodiscard]] bool isMixed(TaskIndex task) const {
        return m_mixed && m_program.leafOf(m_program.tasks[task.value]).vectorCores > 0;
    }
    /// Calls `visit` with the vector cores that a task on a cube core takes along: none unless it is mixed.
    template <class Visit>
    void forVectors(TaskIndex task, CoreRef cube, Visit visit) const {
        if (!isMixed(task)) return;
        const std::size_t count = m_program.leafOf(m_program.tasks[task.value]).vectorCores;
        for (std::size_t v = 0; v < count; ++v)
            visit(CoreRef{TaskKind::Aiv, static_cast<std::uint16_t>(cube.index * m_perCluster + v)});
    }
    /// Whether another task still runs on a core that the task needs.
    [[nodiscard]] bool occupied(TaskIndex task, CoreRef ref) const {
        bool any = core(ref).running.has_value();
        forVectors(task, ref, [&](CoreRef vector) { any = any || core(vector).running; });
        return any;
    }

    [[nodiscard]] Ticks dispatchLength() const { return m_setup.dispatch + (m_setup.fair ? m_setup.poll : Ticks()); }
    /// `by` slots more, or fewer, of a core are taken.
    void promise(CoreRef ref, std::int64_t by);
    void planBegin(std::uint32_t group, Ticks now, TaskIndex last, DispatchLink because);
    void beginGroup(std::uint32_t group, Ticks now);
    void endGroup(std::uint32_t group, Ticks now, TaskIndex last, DispatchLink because);
    void makeReady(TaskIndex task, Ticks now, DispatchLink because);
    void resolve(TaskIndex task, Thread& thread, Ticks now);
    void start(TaskIndex task, CoreRef ref, Ticks now, DispatchLink because);
    void startPending(CoreRef ref, Ticks now, DispatchLink because);
    void startOperation(std::size_t thread, SchedulerOperation operation, Ticks length);
    void dispatchFrom(std::size_t thread, bool pending, Ticks now);
    [[nodiscard]] DispatchLink reasonOf(const Thread& thread, Ticks now) const;
    [[nodiscard]] bool othersHaveIdle(std::size_t thread, TaskKind kind) const;
    [[nodiscard]] bool hasPendingSlot(std::size_t thread, TaskKind kind, const Core& of) const;
    [[nodiscard]] bool hasRoom(std::size_t thread, TaskIndex task, CoreRef ref, bool pending) const;
    [[nodiscard]] std::optional<CoreRef> coreFor(std::size_t thread, TaskIndex task, bool pending);
    [[nodiscard]] std::optional<std::pair<TaskIndex, CoreRef>> choose(std::size_t thread, bool pending);

    const Program& m_program;
    SchedulerSetup m_setup;
    StitchPlan m_plan;
    DispatchHost* m_host = nullptr;
    std::array<std::vector<Core>, 2> m_cores;
    std::array<ReadyQueue, 2> m_ready;
    std::array<std::int64_t, 2> m_undispatched{};  ///< of the groups that are active
    std::vector<Thread> m_threads;
    std::vector<Group> m_groups;
    std::vector<std::uint32_t> m_predecessors;
    ZeroedArray<Ticks> m_endedAt;         ///< by task
    ZeroedArray<PackedLink> m_madeReady;  ///< by task
    DispatchLink m_lastEvent;             ///< of this instant
    DispatchRecord m_record;
    Ticks m_buildBefore;
    bool m_mixed = false;          ///< the program has mixed tasks
    std::size_t m_perCluster = 1;  ///< vector cores beside a cube core
};

}  // namespace cubist
