// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/task_scheduler.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace cubist {
namespace {

constexpr std::uint8_t kDispatchEnds = 0;
constexpr std::uint8_t kTaskReady = 1;
/// Tokens: the task that becomes ready, or this when a dispatch ends.
constexpr std::uint64_t kEndOfDispatch = ~std::uint64_t{0};
constexpr std::size_t kPollEvery = 1024;

std::size_t place(TaskKind kind) {
    return static_cast<std::size_t>(kind);
}

}  // namespace

FifoDispatcher::FifoDispatcher(const Program& program, const TaskMachine& machine)
    : m_program(program), m_machine(machine) {
    const std::array<std::int64_t, 2> cores{machine.aicCount, machine.aivCount};
    for (std::size_t k = 0; k < cores.size(); ++k) {
        m_kinds[k].lastOnCore.resize(static_cast<std::size_t>(cores[k]));
        for (std::int64_t c = 0; c < cores[k]; ++c) m_kinds[k].freeCores.push(static_cast<std::uint16_t>(c));
    }
    m_record.ready = ZeroedArray<Ticks>(program.tasks.size());
    m_record.dispatches.resize(program.tasks.size());
    m_waiting.resize(program.tasks.size());
}

FifoDispatcher::KindState& FifoDispatcher::kindOf(TaskIndex task) {
    return m_kinds[place(m_program.leafOf(m_program.tasks[task.value]).kind)];
}

void FifoDispatcher::begin(DispatchHost& host) {
    m_host = &host;
    for (std::size_t t = 0; t < m_program.tasks.size(); ++t) {
        m_waiting[t].predecessors = m_program.tasks[t].predecessors;
        if (m_waiting[t].predecessors == 0) kindOf(TaskIndex(t)).ready.push({Ticks(), TaskIndex(t)});
    }
    settle(Ticks());
}

void FifoDispatcher::taskEnded(TaskIndex task, CoreRef core, Ticks now) {
    m_kinds[place(core.kind)].freeCores.push(core.index);
    for (const Edge& edge : m_program.edgesOf(m_program.tasks[task.value])) {
        if (edge.kind == EdgeKind::Order) continue;
        Waiting& waiting = m_waiting[edge.to.value];
        waiting.lastToEnd = task;
        if (--waiting.predecessors == 0) m_host->wakeAt(now + m_machine.resolve, kTaskReady, edge.to.value);
    }
}

void FifoDispatcher::woken(std::uint64_t token, Ticks now) {
    if (token == kEndOfDispatch) {
        m_schedulerBusy = false;
        return;
    }
    const TaskIndex task(static_cast<std::size_t>(token));
    m_record.ready[task.value] = now;
    kindOf(task).ready.push({now, task});
}

/// Begins at most one dispatch: the scheduler is serial.
void FifoDispatcher::settle(Ticks now) {
    if (m_schedulerBusy) return;
    KindState* chosen = nullptr;
    for (KindState& kind : m_kinds)
        if (kind.canDispatch() && (chosen == nullptr || kind.ready.top() < chosen->ready.top())) chosen = &kind;
    if (chosen == nullptr) return;
    const TaskIndex task = chosen->ready.top().task;
    chosen->ready.pop();
    const std::uint16_t core = chosen->freeCores.top();
    chosen->freeCores.pop();
    m_record.dispatches[task.value] = explain(task, chosen->lastOnCore[core], now);
    chosen->lastOnCore[core] = task;
    m_schedulerBusy = true;
    m_dispatchEnd = now + m_machine.dispatch;
    m_lastDispatched = task;
    m_host->wakeAt(m_dispatchEnd, kDispatchEnds, kEndOfDispatch);
    m_host->startTask(task, {m_program.leafOf(m_program.tasks[task.value]).kind, core}, m_dispatchEnd);
}

/// Why the dispatch of `task` begins now and not earlier.
Dispatch FifoDispatcher::explain(TaskIndex task, TaskIndex lastOnCore, Ticks now) const {
    if (now == Ticks()) return {Dispatch::After::Start, now, task};
    if (m_record.ready[task.value] == now) return {Dispatch::After::Resolve, now, m_waiting[task.value].lastToEnd};
    if (m_dispatchEnd == now) return {Dispatch::After::OtherDispatch, now, m_lastDispatched};
    return {Dispatch::After::CoreOccupied, now, lastOnCore};
}

BareDispatcher::BareDispatcher(const Program& program, std::span<const std::uint16_t> coreOf)
    : m_program(program), m_coreOf(coreOf.begin(), coreOf.end()) {
    const std::size_t count = program.tasks.size();
    m_predecessors.resize(count);
    m_lastToEnd.resize(count);
    m_record.ready = ZeroedArray<Ticks>(count);
    m_record.dispatches.resize(count);
    for (std::size_t t = 0; t < count; ++t) {
        m_predecessors[t] = program.tasks[t].predecessors;
        std::vector<Core>& cores = m_cores[place(program.leafOf(program.tasks[t]).kind)];
        if (cores.size() <= m_coreOf[t]) cores.resize(m_coreOf[t] + std::size_t{1});
        cores[m_coreOf[t]].tasks.push_back(TaskIndex(t));
    }
}

void BareDispatcher::begin(DispatchHost& host) {
    m_host = &host;
    settle(Ticks());
}

void BareDispatcher::taskEnded(TaskIndex task, CoreRef core, Ticks now) {
    m_cores[place(core.kind)][core.index].busy = false;
    for (const Edge& edge : m_program.edgesOf(m_program.tasks[task.value])) {
        if (edge.kind == EdgeKind::Order) continue;
        m_lastToEnd[edge.to.value] = task;
        m_record.ready[edge.to.value] = now;
        --m_predecessors[edge.to.value];
    }
}

void BareDispatcher::woken(std::uint64_t /*token*/, Ticks /*now*/) {}

void BareDispatcher::settle(Ticks now) {
    for (const TaskKind kind : {TaskKind::Aic, TaskKind::Aiv})
        for (std::size_t c = 0; c < m_cores[place(kind)].size(); ++c) tryCore(kind, c, now);
}

void BareDispatcher::tryCore(TaskKind kind, std::size_t core, Ticks now) {
    Core& state = m_cores[place(kind)][core];
    if (state.busy || state.next == state.tasks.size()) return;
    const TaskIndex task = state.tasks[state.next];
    if (m_predecessors[task.value] > 0) return;
    const bool waited = m_record.ready[task.value] == now && now > Ticks();
    if (waited)
        m_record.dispatches[task.value] = {Dispatch::After::Resolve, now, m_lastToEnd[task.value]};
    else if (state.next > 0)
        m_record.dispatches[task.value] = {Dispatch::After::CoreOccupied, now, state.tasks[state.next - 1]};
    else
        m_record.dispatches[task.value] = {Dispatch::After::Start, now, task};
    state.busy = true;
    ++state.next;
    m_host->startTask(task, {kind, static_cast<std::uint16_t>(core)}, now);
}

namespace {

/// What happens at one instant, first to last.
struct Event {
    Ticks time;
    std::uint8_t priority = 0;  ///< 0: a task ends; else a wake-up's priority plus 1
    std::uint64_t sequence = 0;
    std::uint64_t token = 0;  ///< the task, or the token of the wake-up

    bool operator>(const Event& other) const {
        return std::tie(time, priority, sequence) > std::tie(other.time, other.priority, other.sequence);
    }
};

/// Cores on which every leaf takes a known time.
class FixedDurations final : public DispatchHost {
public:
    FixedDurations(const Program& program, std::span<const Ticks> durations)
        : m_program(program), m_durations(durations) {
        m_result.tasks.resize(program.tasks.size());
    }

    void startTask(TaskIndex task, CoreRef core, Ticks start) override {
        const Ticks end = start + m_durations[m_program.tasks[task.value].leaf.value];
        m_result.tasks[task.value] = {task, core, Ticks(), start, end};
        m_events.push({end, 0, m_sequence++, task.value});
    }
    void wakeAt(Ticks time, std::uint8_t priority, std::uint64_t token) override {
        m_events.push({time, static_cast<std::uint8_t>(priority + 1), m_sequence++, token});
    }

    Result<TaskSchedule> run(Dispatcher& dispatcher, const RunContext& context) {
        dispatcher.begin(*this);
        std::size_t ended = 0;
        for (std::size_t events = 0; !m_events.empty();) {
            const Ticks now = m_events.top().time;
            for (; !m_events.empty() && m_events.top().time == now; ++events) {
                if (events % kPollEvery == 0 && context.cancelled()) return cancelledError();
                const Event event = m_events.top();
                m_events.pop();
                if (event.priority > 0) {
                    dispatcher.woken(event.token, now);
                    continue;
                }
                ++ended;
                m_result.kernel = now;
                dispatcher.taskEnded(TaskIndex(event.token), m_result.tasks[event.token].core, now);
            }
            dispatcher.settle(now);
        }
        if (ended != m_program.tasks.size())
            return unexpected(ErrorCode::Internal, std::to_string(m_program.tasks.size() - ended) +
                                                       " tasks never become ready: they wait for each other");
        DispatchRecord record = dispatcher.takeRecord();
        for (std::size_t t = 0; t < record.ready.size(); ++t) m_result.tasks[t].ready = record.ready[t];
        m_result.dispatch = std::move(record);
        return std::move(m_result);
    }

private:
    const Program& m_program;
    std::span<const Ticks> m_durations;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> m_events;
    std::uint64_t m_sequence = 0;
    TaskSchedule m_result;
};

}  // namespace

Result<void> checkCores(const Program& program, const TaskMachine& machine) {
    for (const Task& task : program.tasks) {
        const bool aic = program.leafOf(task).kind == TaskKind::Aic;
        if ((aic ? machine.aicCount : machine.aivCount) <= 0)
            return unexpected(ErrorCode::BadValue, aic ? "the chip has no cube core" : "the chip has no vector core");
        if (program.leafOf(task).vectorCores * machine.aicCount > machine.aivCount)
            return unexpected(ErrorCode::BadValue, "a mixed task needs more vector cores beside a cube core");
    }
    return {};
}

Result<TaskSchedule> scheduleTasks(const Program& program, std::span<const Ticks> durations, const TaskMachine& machine,
                                   const RunContext& context) {
    if (context.cancelled()) return cancelledError();
    CUBIST_CHECK_OK(checkCores(program, machine));
    FifoDispatcher dispatcher(program, machine);
    return FixedDurations(program, durations).run(dispatcher, context);
}

Result<TaskSchedule> scheduleTasks(const Program& program, std::span<const Ticks> durations, Dispatcher& dispatcher,
                                   const RunContext& context) {
    return FixedDurations(program, durations).run(dispatcher, context);
}

}  // namespace cubist
