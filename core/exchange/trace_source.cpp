// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/trace_source.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/timing/listeners/describe.h"
#include "core/timing/listeners/stalls.h"

namespace cubist {
namespace {

/// Whether the instructions of a pipe move data from global memory, or to it; V and M name no box.
bool movesGlobalMemory(Pipe pipe, bool written) {
    return written ? pipe == Pipe::FIX || pipe == Pipe::MTE3 : pipe == Pipe::MTE2;
}

std::string boxText(const Program& program, const Box& box) {
    const GmTensor& tensor = program.tensors[box.tensor.value];
    std::string text;
    for (std::size_t axis = 4 - static_cast<std::size_t>(tensor.rank); axis < 4; ++axis)
        text += (text.empty() ? "" : ", ") + std::to_string(box.offset[axis]) + ":" +
                std::to_string(box.offset[axis] + box.valid[axis]);
    return tensor.name + " [" + text + "]";
}

}  // namespace

std::string_view kindName(TaskKind kind) {
    return kind == TaskKind::Aic ? "AIC" : "AIV";
}

TraceSource::TraceSource(const Program& program, const Trace& trace)
    : m_program(program), m_trace(trace), m_cores(tasksByCore(trace)), m_leafTimes(program.leaves.size()) {
    std::vector<std::int64_t> inRoot(program.roots.size(), 0);
    m_tasks.reserve(program.tasks.size());
    for (std::size_t i = 0; i < program.tasks.size(); ++i) {
        const Task& task = program.tasks[i];
        const TaskInterval& interval = trace.tasks[i];
        TraceTask made;
        made.index = TaskIndex(i);
        made.core = interval.core;
        made.ready = interval.ready;
        made.start = interval.start;
        made.end = interval.end;
        const TaskMember& first = program.membersOf(task).front();
        made.stage = program.stageOf(task);
        made.blockM = first.blockM;
        made.blockN = first.blockN;
        made.root = task.root.value;
        made.placeInRoot = inRoot[made.root]++;
        made.leaf = task.leaf.value;
        m_tasks.push_back(made);
        if (!m_lastToEnd || m_tasks[m_lastToEnd->value].end < made.end) m_lastToEnd = made.index;

        LeafTimes& times = m_leafTimes[made.leaf];
        const Ticks took = made.end - made.start;
        times.shortest = times.tasks == 0 ? took : std::min(times.shortest, took);
        times.longest = std::max(times.longest, took);
        times.sum += took;
        ++times.tasks;
    }
    for (const TraceTask& task : m_tasks)
        for (const Edge& edge : program.edgesOf(program.tasks[task.index.value])) {
            if (edge.kind != EdgeKind::Wait) continue;
            std::optional<TaskIndex>& last = m_tasks[edge.to.value].lastDependency;
            if (!last || m_tasks[last->value].end < task.end) last = task.index;
        }
    numberGroups();
}

void TraceSource::numberGroups() {
    using Function = std::pair<std::string, std::int64_t>;
    std::map<Function, std::int64_t> functions;
    // Group keys of each root and kind of core in the order of their first task.
    std::map<std::pair<std::size_t, TaskKind>, std::vector<std::uint64_t>> keys;
    for (const TraceTask& task : m_tasks) {
        const Root& root = m_program.roots[task.root];
        functions.try_emplace({root.loop.text, root.factor}, static_cast<std::int64_t>(functions.size()));
        std::vector<std::uint64_t>& seen = keys[{task.root, stage(task).kind}];
        const std::uint64_t key = leaf(task).groupKey;
        if (std::find(seen.begin(), seen.end(), key) == seen.end()) seen.push_back(key);
    }
    std::map<std::pair<std::size_t, TaskKind>, std::vector<const MergeGroup*>> groups;
    for (const MergeGroup& group : m_program.groups) groups[{group.root.value, group.kind}].push_back(&group);
    for (const auto& [place, list] : groups) {
        const std::vector<std::uint64_t>& seen = keys[place];
        if (seen.size() != list.size()) continue;  // merged across groups
        const Root& root = m_program.roots[place.first];
        for (std::size_t i = 0; i < list.size(); ++i)
            m_groups[{place.first, seen[i]}] = {functions.at({root.loop.text, root.factor}), list[i]->order,
                                                list[i]->subgraphs};
    }
}

std::optional<TraceGroup> TraceSource::groupOf(const TraceTask& task) const {
    const auto found = m_groups.find({task.root, leaf(task).groupKey});
    return found == m_groups.end() ? std::nullopt : std::optional(found->second);
}

CoreRef TraceSource::coreAt(std::size_t place) const {
    const auto aic = static_cast<std::size_t>(m_trace.aicCount);
    return place < aic ? CoreRef{TaskKind::Aic, static_cast<std::uint16_t>(place)}
                       : CoreRef{TaskKind::Aiv, static_cast<std::uint16_t>(place - aic)};
}

const ProgramStage& TraceSource::stage(const TraceTask& task) const {
    return m_program.stages[task.stage.value];
}

const std::string& TraceSource::label(const TraceTask& task) const {
    const ProgramStage& named = stage(task);
    return named.label.empty() ? named.id.text : named.label;
}

std::span<const TaskMember> TraceSource::members(const TraceTask& task) const {
    return m_program.membersOf(m_program.tasks[task.index.value]);
}

const std::string& TraceSource::stageId(StageIndex stage) const {
    return m_program.stages[stage.value].id.text;
}

const std::vector<std::int64_t>& TraceSource::iteration(const TraceTask& task) const {
    return m_program.roots[task.root].index;
}

const Leaf& TraceSource::leaf(const TraceTask& task) const {
    return m_program.leaves[task.leaf];
}

std::vector<CoreRef> TraceSource::coresOf(const TraceTask& task) const {
    return cubist::coresOf(m_trace, m_trace.tasks[task.index.value]);
}

std::vector<LaneInterval> TraceSource::lanes(const TraceTask& task, CoreRef core) const {
    return expandTask(m_program, m_trace, task.index, core);
}

std::array<GapPiece, 4> TraceSource::gapBefore(Ticks free, const TraceTask& next) const {
    return cubist::gapBefore(m_trace, free, m_trace.tasks[next.index.value]);
}

std::optional<TaskIndex> TraceSource::subjectOfGap(Cause cause, const TraceTask* next) const {
    if (next == nullptr) return m_lastToEnd;
    const bool forPredecessor = cause == Cause::WaitTask || cause == Cause::WaitResolve;
    return forPredecessor && next->lastDependency ? next->lastDependency : std::optional(next->index);
}

std::string TraceSource::describeGap(Cause cause, const TraceTask* next) const {
    const std::optional<TaskIndex> subject = subjectOfGap(cause, next);
    const std::string of = subject ? "task " + std::to_string(subject->value) : std::string();
    if (next == nullptr) return "no task is left for this core; the kernel ends with " + of;
    const std::string then = "; next is task " + std::to_string(next->index.value);
    switch (cause) {
        case Cause::WaitTask:
            return next->lastDependency ? "waits for data of " + of + then : "no task is ready" + then;
        case Cause::WaitResolve: return "waits for a scheduler to see that " + of + " has ended" + then;
        case Cause::WaitBarrier: return "waits for the device task before that of " + of;
        case Cause::WaitStitch: return "waits for the control AICPU to build the device task of " + of;
        case Cause::WaitDispatch: return "waits for the scheduler to hand out " + of;
        case Cause::Busy:
        case Cause::WaitData:
        case Cause::WaitSlot:
        case Cause::TaskDrained:
        case Cause::NoTask:
        case Cause::Tail: return {};
    }
    return {};
}

std::string TraceSource::describe(const LaneInterval& interval) const {
    return cubist::describe(m_program, interval);
}

std::string TraceSource::operation(const LaneInterval& interval) const {
    const std::string text = describe(interval);  // "MTE2 load x [0:32]"
    const std::size_t first = text.find(' ') + 1;
    return text.substr(first, text.find(' ', first) - first);
}

Pipe TraceSource::pipeOf(const TraceTask& task, std::uint32_t instruction) const {
    return leaf(task).instructions[instruction].pipe;
}

std::vector<std::string> TraceSource::operands(const TraceTask& task, bool written) const {
    std::vector<bool> wanted(leaf(task).parameters, false);
    for (const Instruction& instruction : leaf(task).instructions)
        if (instruction.box < wanted.size() && movesGlobalMemory(instruction.pipe, written))
            wanted[instruction.box] = true;
    std::vector<std::string> texts;
    const std::span<const Box> boxes = m_program.boxesOf(m_program.tasks[task.index.value]);
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (wanted[i]) texts.push_back(boxText(m_program, boxes[i]));
    return texts;
}

std::vector<ReadyChange> TraceSource::readyChanges() const {
    std::map<Ticks, std::pair<std::int64_t, std::int64_t>> steps;
    for (const TraceTask& task : m_tasks) {
        const bool aic = task.core.kind == TaskKind::Aic;
        auto& ready = steps[task.ready];
        ++(aic ? ready.first : ready.second);
        auto& started = steps[task.start];
        --(aic ? started.first : started.second);
    }
    std::vector<ReadyChange> changes;
    ReadyChange now;
    for (const auto& [at, step] : steps) {
        if (step.first == 0 && step.second == 0) continue;
        now = {at, now.aic + step.first, now.aiv + step.second};
        changes.push_back(now);
    }
    return changes;
}

}  // namespace cubist
