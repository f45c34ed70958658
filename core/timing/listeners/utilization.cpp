// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/listeners/utilization.h"

#include <algorithm>
#include <map>

#include "core/timing/event_engine.h"
#include "core/timing/instruction_work.h"
#include "core/timing/listeners/stalls.h"

namespace cubist {
namespace {

__extension__ using Wide = __int128;

std::vector<std::int64_t> tasksOfLeaves(const Program& program) {
    std::vector<std::int64_t> counts(program.leaves.size(), 0);
    for (const Task& task : program.tasks) ++counts[task.leaf.value];
    return counts;
}

MovedBytes movedByLeaf(const Leaf& leaf) {
    MovedBytes moved;
    for (const Instruction& instruction : leaf.instructions) {
        const std::int64_t bytes = workOf(leaf, instruction).bytes;
        switch (instruction.op) {
            case Opcode::LoadL1:
            case Opcode::LoadScales:
            case Opcode::LoadUb: moved.gmRead += bytes; break;
            case Opcode::MoveL0A:
            case Opcode::MoveL0B:
            case Opcode::MoveScalesA:
            case Opcode::MoveScalesB:
            case Opcode::MoveBt:
            case Opcode::MoveFb: moved.l1 += bytes; break;
            case Opcode::StoreL0C:
            case Opcode::StoreUb: moved.gmWrite += bytes; break;
            case Opcode::Mmad:
            case Opcode::MoveUb:
            case Opcode::Vector: break;
        }
    }
    return moved;
}

/// Shares the time of a merged task out to its members, by the time of their instructions alone.
class MemberShares {
public:
    MemberShares(const Program& program, const Trace& trace) : m_program(program), m_trace(trace) {}

    /// When member `m` ends in a task that takes `duration`; the last one ends with the task.
    Ticks endOf(const Task& task, std::size_t m, Ticks duration) {
        if (m + 1 == task.memberCount) return duration;
        const std::vector<std::int64_t>& ends = endsOf(task.leaf);
        const std::int64_t total = std::max<std::int64_t>(1, ends.back());
        return Ticks(static_cast<std::int64_t>(Wide{duration.value} * ends[m] / total));
    }

private:
    const std::vector<std::int64_t>& endsOf(LeafIndex leaf) {
        const auto [at, isNew] = m_ends.try_emplace(leaf);
        if (!isNew) return at->second;
        const LeafPlan& plan = *m_trace.plans[leaf.value];
        std::int64_t sum = 0;
        for (const LeafMember& member : m_program.leaves[leaf.value].members) {
            for (std::uint32_t i = 0; i < member.instructionCount; ++i) {
                const std::uint32_t instruction = member.firstInstruction + i;
                sum += plan.ticks[instruction].value;
                const std::uint32_t transfer = plan.transferOf[instruction];
                if (transfer != LeafPlan::kNone) sum += plan.transfers[transfer].least.value;
            }
            at->second.push_back(sum);
        }
        return at->second;
    }

    const Program& m_program;
    const Trace& m_trace;
    std::map<LeafIndex, std::vector<std::int64_t>> m_ends;
};

}  // namespace

std::vector<StageTiming> stageTimings(const Program& program, const Trace& trace) {
    std::vector<StageTiming> stages(program.stages.size());
    std::vector<Ticks> firstStart(stages.size());
    std::vector<Ticks> lastEnd(stages.size());
    std::vector<bool> seen(stages.size(), false);
    for (std::size_t s = 0; s < stages.size(); ++s) stages[s].stage = StageIndex(s);
    MemberShares shares(program, trace);
    for (const TaskInterval& interval : trace.tasks) {
        const Task& task = program.tasks[interval.task.value];
        const std::span<const TaskMember> members = program.membersOf(task);
        Ticks at = interval.start;
        for (std::size_t m = 0; m < members.size(); ++m) {
            const std::size_t s = members[m].stage.value;
            const Ticks end = interval.start + shares.endOf(task, m, interval.end - interval.start);
            firstStart[s] = seen[s] ? std::min(firstStart[s], at) : at;
            lastEnd[s] = std::max(lastEnd[s], end);
            stages[s].busy += end - at;
            const auto before = members.first(m);
            const bool counted =
                std::ranges::any_of(before, [&](const TaskMember& other) { return other.stage == members[m].stage; });
            if (!counted) ++stages[s].tasks;
            seen[s] = true;
            at = end;
        }
    }
    for (std::size_t s = 0; s < stages.size(); ++s) stages[s].span = lastEnd[s] - firstStart[s];
    for (const CriticalStep& step : trace.criticalPath) {
        if (step.kind != CriticalStep::Kind::Task) continue;
        const Task& task = program.tasks[step.task.value];
        Ticks at;
        for (std::size_t m = 0; m < task.memberCount; ++m) {
            const Ticks end = shares.endOf(task, m, step.end - step.start);
            stages[program.membersOf(task)[m].stage.value].critical += end - at;
            at = end;
        }
    }
    return stages;
}

std::vector<PipeTiming> pipeTimings(const EngineResult& run) {
    std::vector<PipeTiming> pipes(kPipeCount);
    for (std::size_t p = 0; p < kPipeCount; ++p)
        pipes[p] = {static_cast<Pipe>(p), run.busy[p], run.waitData[p] + run.waitSlot[p]};
    return pipes;
}

MovedBytes movedBytes(const Program& program) {
    MovedBytes sum;
    const std::vector<std::int64_t> tasks = tasksOfLeaves(program);
    for (std::size_t l = 0; l < tasks.size(); ++l) {
        const MovedBytes one = movedByLeaf(program.leaves[l]);
        sum.gmRead += one.gmRead * tasks[l];
        sum.gmWrite += one.gmWrite * tasks[l];
        sum.l1 += one.l1 * tasks[l];
    }
    return sum;
}

std::int64_t usedCores(const Trace& trace, TaskKind kind) {
    std::vector<bool> used(static_cast<std::size_t>(kind == TaskKind::Aic ? trace.aicCount : trace.aivCount), false);
    for (const TaskInterval& interval : trace.tasks) {
        if (interval.core.kind == kind) used[interval.core.index] = true;
        if (interval.vectorCores == 0) continue;
        for (const CoreRef core : coresOf(trace, interval))
            if (core.kind == kind) used[core.index] = true;
    }
    return std::count(used.begin(), used.end(), true);
}

}  // namespace cubist
