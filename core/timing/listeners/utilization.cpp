// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/listeners/utilization.h"

#include <algorithm>
#include <set>

#include "core/timing/instruction_work.h"

namespace cubist {
namespace {

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
            case Opcode::Vector: break;
        }
    }
    return moved;
}

}  // namespace

std::vector<StageTiming> stageTimings(const Program& program, const Trace& trace) {
    std::vector<StageTiming> stages(program.stages.size());
    std::vector<Ticks> firstStart(stages.size());
    std::vector<Ticks> lastEnd(stages.size());
    for (std::size_t s = 0; s < stages.size(); ++s) stages[s].stage = StageIndex(s);
    for (const TaskInterval& interval : trace.tasks) {
        const std::size_t s = program.stageOf(program.tasks[interval.task.value]).value;
        firstStart[s] = stages[s].tasks == 0 ? interval.start : std::min(firstStart[s], interval.start);
        lastEnd[s] = std::max(lastEnd[s], interval.end);
        stages[s].busy += interval.end - interval.start;
        ++stages[s].tasks;
    }
    for (std::size_t s = 0; s < stages.size(); ++s) stages[s].span = lastEnd[s] - firstStart[s];
    for (const CriticalStep& step : trace.criticalPath)
        if (step.kind == CriticalStep::Kind::Task)
            stages[program.stageOf(program.tasks[step.task.value]).value].critical += step.end - step.start;
    return stages;
}

std::vector<PipeTiming> pipeTimings(const Program& program, const Trace& trace) {
    std::vector<PipeTiming> pipes(kPipeCount);
    const std::vector<std::int64_t> tasks = tasksOfLeaves(program);
    for (std::size_t p = 0; p < kPipeCount; ++p) {
        pipes[p].pipe = static_cast<Pipe>(p);
        for (std::size_t l = 0; l < tasks.size(); ++l) {
            pipes[p].busy += trace.leaves[l].busy[p] * tasks[l];
            pipes[p].wait += (trace.leaves[l].waitData[p] + trace.leaves[l].waitSlot[p]) * tasks[l];
        }
    }
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
    std::set<std::uint16_t> used;
    for (const TaskInterval& interval : trace.tasks)
        if (interval.core.kind == kind) used.insert(interval.core.index);
    return static_cast<std::int64_t>(used.size());
}

}  // namespace cubist
