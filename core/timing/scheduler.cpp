// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/scheduler.h"

#include <algorithm>

#include "core/base/large_memory.h"
#include "core/chip/formulas.h"

namespace cubist {
namespace {

// Wake-ups of one instant, first to last.
constexpr std::uint8_t kOperationEnds = 0;
constexpr std::uint8_t kGroupBegins = 1;
/// Tokens below this are threads, the others groups.
constexpr std::uint64_t kFirstGroup = std::uint64_t{1} << 32;

std::size_t place(TaskKind kind) {
    return static_cast<std::size_t>(kind);
}

DispatchLink afterTask(TaskIndex task) {
    return {DispatchLink::Kind::TaskEnd, task.value};
}

DispatchLink afterOperation(std::size_t operation) {
    return {DispatchLink::Kind::Operation, static_cast<std::uint32_t>(operation)};
}

}  // namespace

SchedulerSetup schedulerSetup(const ChipSpec& chip, const Options& options) {
    const auto ticks = [&](const Constant& cycles) { return formula::toTicks(formula::fromScheduler(chip, cycles)); };
    SchedulerSetup setup;
    setup.aicCount = chip.aicCount.integer();
    setup.aivCount = chip.aivCount.integer();
    const std::int64_t most = std::max<std::int64_t>(1, chip.schedulerThreads.integer());
    setup.threads = std::clamp<std::int64_t>(options.launchSchedAicpuNum, 1, most);
    setup.newestFirst = (options.deviceSchedMode & 1) != 0;
    setup.fair = (options.deviceSchedMode & 2) != 0;
    setup.dispatch = ticks(chip.dispatchCycles);
    setup.poll = ticks(chip.pollCycles);
    setup.resolve = ticks(chip.resolveCycles);
    setup.submit = ticks(chip.submitCycles);
    setup.stitch = ticks(chip.stitchCycles);
    return setup;
}

SchedulerDispatcher::SchedulerDispatcher(const Program& program, const SchedulerSetup& setup, StitchPlan plan)
    : m_program(program), m_setup(setup), m_plan(std::move(plan)) {
    m_cores[place(TaskKind::Aic)].resize(static_cast<std::size_t>(setup.aicCount));
    m_cores[place(TaskKind::Aiv)].resize(static_cast<std::size_t>(setup.aivCount));
    m_threads.resize(static_cast<std::size_t>(std::max<std::int64_t>(1, setup.threads)));
    for (std::size_t t = 0; t < m_threads.size(); ++t) m_threads[t].firstIdle = m_threads[t].firstRoom = {t, t};
    m_mixed = std::ranges::any_of(program.leaves, [](const Leaf& leaf) { return leaf.vectorCores > 0; });
    m_perCluster =
        static_cast<std::size_t>(std::max<std::int64_t>(1, setup.aivCount / std::max<std::int64_t>(1, setup.aicCount)));
    for (const TaskKind kind : {TaskKind::Aic, TaskKind::Aiv})
        for (std::size_t c = 0; c < m_cores[place(kind)].size(); ++c) {
            Core& own = m_cores[place(kind)][c];
            own.thread = threadOf({kind, static_cast<std::uint16_t>(c)});
            Thread& owner = m_threads[own.thread];
            ++owner.idle[place(kind)];
            if (m_setup.tasksPerCore > 0) ++owner.room[place(kind)];
        }
    const std::size_t tasks = program.tasks.size();
    m_record.operations.prepare(tasks, dispatchLength());
    m_record.ready = ZeroedArray<Ticks>(tasks);
    m_record.waits = ZeroedArray<TaskWait>(tasks);
    m_record.starts = ZeroedArray<PackedLink>(tasks);
    m_endedAt = ZeroedArray<Ticks>(tasks);
    m_madeReady = ZeroedArray<PackedLink>(tasks);
    reserveAll(m_predecessors, tasks);
    m_groups.resize(m_plan.groups.size());
    Ticks built;
    for (std::size_t g = 0; g < m_groups.size(); ++g) {
        const StitchGroup& planned = m_plan.groups[g];
        built += m_setup.stitch * static_cast<std::int64_t>(planned.roots.size());
        if (g == 0) m_buildBefore = built + m_setup.submit;
        m_groups[g].built = g == 0 ? Ticks() : built + m_setup.submit - m_buildBefore;
        m_groups[g].tasksLeft = planned.tasks;
        m_groups[g].predecessorsLeft = static_cast<std::uint32_t>(planned.after.size());
        for (const std::uint32_t before : planned.after) m_groups[before].next.push_back(static_cast<std::uint32_t>(g));
    }
    for (std::size_t t = 0; t < tasks; ++t) {
        const TaskIndex task(t);
        m_predecessors.push_back(program.tasks[t].predecessors);
        Group& group = groupOf(task);
        if (m_predecessors[t] == 0) {
            m_record.waits[t].last = task;
            group.waiting.push_back(task);
        }
        ++group.tasksOf[place(kindOf(task))];
    }
}

void SchedulerDispatcher::begin(DispatchHost& host) {
    m_host = &host;
    for (std::uint32_t g = 0; g < m_groups.size(); ++g)
        if (m_groups[g].predecessorsLeft == 0) planBegin(g, Ticks(), TaskIndex(), {});
}

/// All groups before it have ended: it begins when it is submitted, or later when it is built.
void SchedulerDispatcher::planBegin(std::uint32_t group, Ticks now, TaskIndex last, DispatchLink because) {
    Group& begun = m_groups[group];
    const Ticks submitted = because.kind == DispatchLink::Kind::Start ? Ticks() : now + m_setup.submit;
    SchedulerOperation operation;
    operation.task = last;
    if (begun.built > submitted) {
        operation.kind = SchedulerOperation::Kind::Stitch;
        operation.end = begun.built;
        begun.waitsForBuild = true;
    } else {
        operation.kind = SchedulerOperation::Kind::Submit;
        operation.begin = now;
        operation.end = submitted;
        operation.because = because;
    }
    begun.because = operation.end == Ticks() ? DispatchLink{} : afterOperation(m_record.operations.add(operation));
    m_host->wakeAt(operation.end, kGroupBegins, kFirstGroup + group);
}

void SchedulerDispatcher::beginGroup(std::uint32_t group, Ticks now) {
    Group& begun = m_groups[group];
    begun.active = true;
    begun.begin = now;
    for (std::size_t k = 0; k < m_undispatched.size(); ++k) m_undispatched[k] += begun.tasksOf[k];
    std::ranges::sort(begun.waiting);  // the order in which the queue takes them quickly
    for (const TaskIndex task : begun.waiting) makeReady(task, now, begun.because);
    begun.waiting.clear();
    if (begun.tasksLeft == 0) endGroup(group, now, TaskIndex(), begun.because);
}

void SchedulerDispatcher::makeReady(TaskIndex task, Ticks now, DispatchLink because) {
    const Group& group = groupOf(task);
    m_record.ready[task.value] = now;
    m_record.waits[task.value].active = group.begin;
    m_record.waits[task.value].built = group.waitsForBuild;
    m_madeReady[task.value] = because;
    m_ready[place(kindOf(task))].add(now, task);
}

void SchedulerDispatcher::taskEnded(TaskIndex task, CoreRef ref, Ticks now) {
    m_endedAt[task.value] = now;
    m_lastEvent = afterTask(task);
    const auto release = [&](CoreRef of) {
        Core& own = core(of);
        own.running.reset();
        own.last = task;
        promise(of, -1);
    };
    release(ref);
    forVectors(task, ref, release);
    m_threads[core(ref).thread].ended.emplace_back(task, ref);
    startPending(ref, now, afterTask(task));
    forVectors(task, ref, [&](CoreRef vector) { startPending(vector, now, afterTask(task)); });
    // A mixed task may wait for a vector core alone.
    if (m_mixed && ref.kind == TaskKind::Aiv && ref.index / m_perCluster < m_cores[place(TaskKind::Aic)].size())
        startPending({TaskKind::Aic, static_cast<std::uint16_t>(ref.index / m_perCluster)}, now, afterTask(task));
}

void SchedulerDispatcher::startPending(CoreRef ref, Ticks now, DispatchLink because) {
    const Core& own = core(ref);
    if (!own.pending || own.running) return;
    const TaskIndex next = *own.pending;
    const bool onVector = isMixed(next) && ref.kind == TaskKind::Aiv;
    const CoreRef cube = onVector ? CoreRef{TaskKind::Aic, static_cast<std::uint16_t>(ref.index / m_perCluster)} : ref;
    if (occupied(next, cube)) return;
    core(cube).pending.reset();
    forVectors(next, cube, [&](CoreRef vector) { core(vector).pending.reset(); });
    start(next, cube, now, because);
}

void SchedulerDispatcher::start(TaskIndex task, CoreRef ref, Ticks now, DispatchLink because) {
    core(ref).running = task;
    forVectors(task, ref, [&](CoreRef vector) { core(vector).running = task; });
    m_record.starts[task.value] = because;
    m_host->startTask(task, ref, now);
}

void SchedulerDispatcher::woken(std::uint64_t token, Ticks now) {
    if (token >= kFirstGroup) {
        const auto group = static_cast<std::uint32_t>(token - kFirstGroup);
        m_lastEvent = m_groups[group].because;
        beginGroup(group, now);
        return;
    }
    Thread& thread = m_threads[static_cast<std::size_t>(token)];
    thread.busy = false;
    m_lastEvent = afterOperation(thread.operation);
    const TaskIndex task = thread.task;
    if (thread.resolves) {
        resolve(task, thread, now);
        return;
    }
    const CoreRef ref = thread.target;
    if (!occupied(task, ref)) return start(task, ref, now, afterOperation(thread.operation));
    core(ref).pending = task;
    forVectors(task, ref, [&](CoreRef vector) { core(vector).pending = task; });
}

/// A scheduler thread knows now that `task` has ended.
void SchedulerDispatcher::resolve(TaskIndex task, Thread& thread, Ticks now) {
    const DispatchLink because = afterOperation(thread.operation);
    thread.wanted.reset();
    for (const Edge& edge : m_program.edgesOf(m_program.tasks[task.value])) {
        if (edge.kind == EdgeKind::Order) continue;
        TaskWait& wait = m_record.waits[edge.to.value];
        if (m_endedAt[task.value] >= wait.data) {
            wait.data = m_endedAt[task.value];
            wait.last = task;
        }
        if (--m_predecessors[edge.to.value] > 0) continue;
        wait.resolved = now;
        Group& group = groupOf(edge.to);
        if (!group.active) {
            group.waiting.push_back(edge.to);
            continue;
        }
        makeReady(edge.to, now, because);
        if (m_setup.newestFirst && !thread.wanted && kindOf(edge.to) == thread.target.kind)
            thread.wanted.emplace(edge.to, thread.target);
    }
    const std::uint32_t group = m_plan.groupOf[m_program.tasks[task.value].root.value];
    if (--m_groups[group].tasksLeft == 0) endGroup(group, now, task, because);
}

void SchedulerDispatcher::endGroup(std::uint32_t group, Ticks now, TaskIndex last, DispatchLink because) {
    for (const std::uint32_t next : m_groups[group].next)
        if (--m_groups[next].predecessorsLeft == 0) planBegin(next, now, last, because);
}

/// Tasks that ended come first; then idle cores are filled, then pending slots.
void SchedulerDispatcher::settle(Ticks now) {
    for (std::size_t t = 0; t < m_threads.size(); ++t) {
        Thread& thread = m_threads[t];
        if (thread.busy || thread.ended.empty()) continue;
        const auto [task, ref] = thread.ended.front();
        thread.ended.pop_front();
        thread.target = ref;
        std::int64_t successors = 0;
        for (const Edge& edge : m_program.edgesOf(m_program.tasks[task.value]))
            if (edge.kind == EdgeKind::Wait) ++successors;
        const DispatchLink because = m_endedAt[task.value] == now ? afterTask(task) : reasonOf(thread, now);
        startOperation(t, {SchedulerOperation::Kind::Resolve, task, now, Ticks(), because},
                       m_setup.poll + m_setup.resolve * successors);
    }
    for (const bool pending : {false, true})
        for (std::size_t t = 0; t < m_threads.size(); ++t)
            if (!m_threads[t].busy) dispatchFrom(t, pending, now);
}

DispatchLink SchedulerDispatcher::reasonOf(const Thread& thread, Ticks now) const {
    if (now == Ticks()) return {};
    if (thread.used && thread.end == now) return afterOperation(thread.operation);
    return m_lastEvent;
}

void SchedulerDispatcher::dispatchFrom(std::size_t thread, bool pending, Ticks now) {
    const auto chosen = choose(thread, pending);
    if (!chosen) return;
    const auto& [task, ref] = *chosen;
    const std::size_t kind = place(ref.kind);
    m_ready[kind].remove(m_record.ready[task.value], task);
    --m_undispatched[kind];
    const Core& target = core(ref);
    promise(ref, 1);
    forVectors(task, ref, [&](CoreRef vector) { promise(vector, 1); });
    Thread& own = m_threads[thread];
    DispatchLink because = reasonOf(own, now);
    if (now > Ticks()) {
        const bool operation = own.used && own.end == now;
        if (m_record.ready[task.value] == now)
            because = m_madeReady[task.value];
        else if (!operation && target.last && m_endedAt[target.last->value] == now)
            because = afterTask(*target.last);
    }
    m_record.waits[task.value].handed = now;
    own.target = ref;
    startOperation(thread, {SchedulerOperation::Kind::Dispatch, task, now, Ticks(), because}, dispatchLength());
}

void SchedulerDispatcher::startOperation(std::size_t thread, SchedulerOperation operation, Ticks length) {
    operation.end = operation.begin + length;
    Thread& own = m_threads[thread];
    own.busy = own.used = true;
    own.resolves = operation.kind == SchedulerOperation::Kind::Resolve;
    own.task = operation.task;
    own.operation = m_record.operations.add(operation);
    own.end = operation.end;
    m_host->wakeAt(operation.end, kOperationEnds, thread);
}

void SchedulerDispatcher::promise(CoreRef ref, std::int64_t by) {
    Core& own = core(ref);
    Thread& thread = m_threads[own.thread];
    const std::size_t kind = place(ref.kind);
    const auto count = [&](std::int64_t sign) {
        if (own.promised == 0) thread.idle[kind] += sign;
        if (own.promised < m_setup.tasksPerCore) thread.room[kind] += sign;
    };
    count(-1);
    own.promised += by;
    count(1);
    if (own.promised < m_setup.tasksPerCore)
        thread.firstRoom[kind] = std::min<std::size_t>(thread.firstRoom[kind], ref.index);
    if (own.promised == 0) thread.firstIdle[kind] = std::min<std::size_t>(thread.firstIdle[kind], ref.index);
}

bool SchedulerDispatcher::othersHaveIdle(std::size_t thread, TaskKind kind) const {
    for (std::size_t t = 0; t < m_threads.size(); ++t)
        if (t != thread && m_threads[t].idle[place(kind)] > 0) return true;
    return false;
}

/// At the end no task waits behind another one while the rest could have cores of their own.
bool SchedulerDispatcher::hasPendingSlot(std::size_t thread, TaskKind kind, const Core& of) const {
    if (of.promised >= m_setup.tasksPerCore) return false;
    if (m_undispatched[place(kind)] <= static_cast<std::int64_t>(m_cores[place(kind)].size())) return false;
    return !m_setup.fair || !othersHaveIdle(thread, kind);
}

bool SchedulerDispatcher::hasRoom(std::size_t thread, TaskIndex task, CoreRef ref, bool pending) const {
    if (pending ? !hasPendingSlot(thread, ref.kind, core(ref)) : core(ref).promised > 0) return false;
    bool room = true;
    forVectors(task, ref, [&](CoreRef vector) {
        room = room && (pending ? core(vector).promised < m_setup.tasksPerCore : core(vector).promised == 0);
    });
    return room;
}

std::optional<CoreRef> SchedulerDispatcher::coreFor(std::size_t thread, TaskIndex task, bool pending) {
    const TaskKind kind = kindOf(task);
    Thread& own = m_threads[thread];
    if ((pending ? own.room : own.idle)[place(kind)] == 0) return std::nullopt;
    const std::size_t count = m_cores[place(kind)].size();
    if (!m_mixed) {
        std::size_t& first = (pending ? own.firstRoom : own.firstIdle)[place(kind)];
        const std::int64_t most = pending ? m_setup.tasksPerCore : 1;
        while (first < count && m_cores[place(kind)][first].promised >= most) first += m_threads.size();
        const CoreRef ref{kind, static_cast<std::uint16_t>(first)};
        // What else a pending slot depends on is alike for all cores.
        return first < count && hasRoom(thread, task, ref, pending) ? std::optional(ref) : std::nullopt;
    }
    const bool clusters = kind == TaskKind::Aiv;
    for (std::size_t c = clusters ? 0 : thread; c < count; c += clusters ? 1 : m_threads.size()) {
        const CoreRef ref{kind, static_cast<std::uint16_t>(c)};
        if (core(ref).thread == thread && hasRoom(thread, task, ref, pending)) return ref;
    }
    return std::nullopt;
}

std::optional<std::pair<TaskIndex, CoreRef>> SchedulerDispatcher::choose(std::size_t thread, bool pending) {
    Thread& own = m_threads[thread];
    if (own.wanted) {
        const auto [task, ref] = *own.wanted;
        const bool ready = m_ready[place(ref.kind)].contains(m_record.ready[task.value], task);
        const bool room = hasRoom(thread, task, ref, false) || (pending && hasRoom(thread, task, ref, true));
        if (!ready || room || pending) own.wanted.reset();
        if (ready && room) return std::pair(task, ref);
    }
    std::optional<std::pair<TaskIndex, CoreRef>> chosen;
    std::pair<Ticks, TaskIndex> best;
    for (const TaskKind kind : {TaskKind::Aic, TaskKind::Aiv}) {
        const ReadyQueue& queue = m_ready[place(kind)];
        if (queue.empty()) continue;
        const auto head = m_setup.newestFirst ? queue.newest() : queue.oldest();
        const bool better = m_setup.newestFirst ? head.first > best.first : head < best;
        if (chosen && !better) continue;
        const auto ref = coreFor(thread, head.second, pending);
        if (!ref) continue;
        chosen.emplace(head.second, *ref);
        best = head;
    }
    return chosen;
}

}  // namespace cubist
