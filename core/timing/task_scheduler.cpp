// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/task_scheduler.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace cubist {
namespace {

constexpr std::size_t kKindCount = 2;
constexpr std::size_t kPollEvery = 1024;

/// What happens at one instant, first to last.
enum class EventPriority : std::uint8_t { TaskEnds, DispatchEnds, TaskReady };

struct Event {
    Ticks time;
    EventPriority priority = EventPriority::TaskEnds;
    std::uint64_t sequence = 0;
    TaskIndex task;

    bool operator>(const Event& other) const {
        return std::tie(time, priority, sequence) > std::tie(other.time, other.priority, other.sequence);
    }
};

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

class Simulation {
public:
    Simulation(const Program& program, std::span<const Ticks> durations, const TaskMachine& machine)
        : m_program(program), m_durations(durations), m_machine(machine) {
        const std::array<std::int64_t, kKindCount> cores{machine.aicCount, machine.aivCount};
        for (std::size_t k = 0; k < kKindCount; ++k) {
            m_kinds[k].lastOnCore.resize(static_cast<std::size_t>(cores[k]));
            for (std::int64_t c = 0; c < cores[k]; ++c) m_kinds[k].freeCores.push(static_cast<std::uint16_t>(c));
        }
        m_result.tasks.resize(program.tasks.size());
        m_result.dispatches.resize(program.tasks.size());
        m_waiting.resize(program.tasks.size());
        for (std::size_t t = 0; t < program.tasks.size(); ++t) {
            m_waiting[t].predecessors = program.tasks[t].predecessors;
            if (program.tasks[t].predecessors == 0) kindOf(TaskIndex(t)).ready.push({Ticks(), TaskIndex(t)});
        }
    }

    Result<TaskSchedule> run(const RunContext& context) {
        dispatchNext();
        std::size_t events = 0;
        while (!m_events.empty()) {
            m_now = m_events.top().time;
            for (; !m_events.empty() && m_events.top().time == m_now; ++events) {
                if (events % kPollEvery == 0) {
                    if (context.cancelled()) return cancelledError();
                    context.report(static_cast<double>(m_ended) / static_cast<double>(m_program.tasks.size()), "time");
                }
                const Event event = m_events.top();
                m_events.pop();
                handle(event);
            }
            dispatchNext();
        }
        if (m_ended != m_program.tasks.size())
            return unexpected(ErrorCode::Internal, std::to_string(m_program.tasks.size() - m_ended) +
                                                       " tasks never become ready: they wait for each other");
        return std::move(m_result);
    }

private:
    KindState& kindOf(TaskIndex task) {
        return m_kinds[static_cast<std::size_t>(m_program.leafOf(m_program.tasks[task.value]).kind)];
    }

    void push(Ticks time, EventPriority priority, TaskIndex task) {
        m_events.push({time, priority, m_sequence++, task});
    }

    void handle(const Event& event) {
        switch (event.priority) {
            case EventPriority::TaskEnds: endTask(event.task); break;
            case EventPriority::DispatchEnds: m_schedulerBusy = false; break;
            case EventPriority::TaskReady:
                m_result.tasks[event.task.value].ready = m_now;
                kindOf(event.task).ready.push({m_now, event.task});
                break;
        }
    }

    void endTask(TaskIndex task) {
        ++m_ended;
        m_result.kernel = m_now;
        kindOf(task).freeCores.push(m_result.tasks[task.value].core.index);
        for (const Edge& edge : m_program.edgesOf(m_program.tasks[task.value])) {
            if (edge.kind == EdgeKind::Order) continue;
            Waiting& waiting = m_waiting[edge.to.value];
            waiting.lastToEnd = task;
            if (--waiting.predecessors == 0) push(m_now + m_machine.resolve, EventPriority::TaskReady, edge.to);
        }
    }

    /// Begins at most one dispatch: the scheduler is serial.
    void dispatchNext() {
        if (m_schedulerBusy) return;
        KindState* chosen = nullptr;
        for (KindState& kind : m_kinds)
            if (kind.canDispatch() && (chosen == nullptr || kind.ready.top() < chosen->ready.top())) chosen = &kind;
        if (chosen == nullptr) return;
        const TaskIndex task = chosen->ready.top().task;
        chosen->ready.pop();
        const std::uint16_t core = chosen->freeCores.top();
        chosen->freeCores.pop();

        TaskInterval& interval = m_result.tasks[task.value];
        const Leaf& leaf = m_program.leafOf(m_program.tasks[task.value]);
        interval.task = task;
        interval.core = {leaf.kind, core};
        m_result.dispatches[task.value] = explain(task, interval.ready, chosen->lastOnCore[core]);
        interval.start = m_now + m_machine.dispatch;
        interval.end = interval.start + m_durations[m_program.tasks[task.value].leaf.value];
        chosen->lastOnCore[core] = task;
        m_schedulerBusy = true;
        m_dispatchEnd = interval.start;
        m_lastDispatched = task;
        push(interval.start, EventPriority::DispatchEnds, task);
        push(interval.end, EventPriority::TaskEnds, task);
    }

    /// Why the dispatch of `task` begins now and not earlier.
    [[nodiscard]] Dispatch explain(TaskIndex task, Ticks ready, TaskIndex lastOnCore) const {
        if (m_now == Ticks()) return {Dispatch::After::Start, m_now, task};
        if (ready == m_now) return {Dispatch::After::Resolve, m_now, m_waiting[task.value].lastToEnd};
        if (m_dispatchEnd == m_now) return {Dispatch::After::OtherDispatch, m_now, m_lastDispatched};
        return {Dispatch::After::CoreOccupied, m_now, lastOnCore};
    }

    const Program& m_program;
    std::span<const Ticks> m_durations;
    const TaskMachine& m_machine;
    SmallestFirst<Event> m_events;
    std::array<KindState, kKindCount> m_kinds;
    std::vector<Waiting> m_waiting;
    TaskSchedule m_result;
    Ticks m_now;
    Ticks m_dispatchEnd;
    TaskIndex m_lastDispatched;
    std::uint64_t m_sequence = 0;
    std::size_t m_ended = 0;
    bool m_schedulerBusy = false;
};

}  // namespace

Result<TaskSchedule> scheduleTasks(const Program& program, std::span<const Ticks> durations, const TaskMachine& machine,
                                   const RunContext& context) {
    if (context.cancelled()) return cancelledError();
    for (const Task& task : program.tasks) {
        const bool aic = program.leafOf(task).kind == TaskKind::Aic;
        if ((aic ? machine.aicCount : machine.aivCount) <= 0)
            return unexpected(ErrorCode::BadValue, aic ? "the chip has no cube core" : "the chip has no vector core");
    }
    return Simulation(program, durations, machine).run(context);
}

}  // namespace cubist
