// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/listeners/timeline.h"

#include <cassert>

#include "core/timing/timing_engine.h"

namespace cubist {
namespace {

/// A lane that grows from left to right.
class Lane {
public:
    Lane(Pipe pipe, Ticks begin, std::vector<LaneInterval>& out) : m_pipe(pipe), m_end(begin), m_out(out) {}

    [[nodiscard]] Ticks end() const { return m_end; }

    void extend(Ticks end, Cause cause, std::optional<TaskIndex> task, std::uint32_t instruction = 0,
                std::uint32_t subject = 0) {
        assert(end >= m_end && "a lane is filled in time order");
        if (end == m_end) return;
        m_out.push_back({m_pipe, cause, m_end, end, task, instruction, subject});
        m_end = end;
    }

    /// The part of the lane inside one task.
    void runTask(const Program& program, const Trace& trace, const LeafSchedule& schedule, TaskIndex task,
                 CoreRef core) {
        const TaskInterval& interval = trace.tasks[task.value];
        const SubCore own = subCoreOn(trace, interval, core);
        if (m_pipe == Pipe::S) {
            const LeafPlan& plan = *trace.plans[program.tasks[task.value].leaf.value];
            extend(interval.start + plan.scalar[static_cast<std::size_t>(own)], Cause::Busy, task);
        }
        const std::vector<Instruction>& instructions = program.leafOf(program.tasks[task.value]).instructions;
        for (const InstructionInterval& step : schedule.instructions) {
            if (instructions[step.instruction].pipe != m_pipe) continue;
            if (interval.vectorCores > 0 && instructions[step.instruction].core != own) continue;
            extend(interval.start + step.start, step.waitCause, task, step.instruction, step.waitSubject);
            extend(interval.start + step.end, Cause::Busy, task, step.instruction, step.instruction);
        }
        extend(interval.end, Cause::TaskDrained, task);
    }

private:
    Pipe m_pipe;
    Ticks m_end;
    std::vector<LaneInterval>& m_out;
};

}  // namespace

std::vector<LaneInterval> expandTask(const Program& program, const Trace& trace, TaskIndex task) {
    return expandTask(program, trace, task, trace.tasks[task.value].core);
}

std::vector<LaneInterval> expandTask(const Program& program, const Trace& trace, TaskIndex task, CoreRef core) {
    std::vector<LaneInterval> out;
    const TaskInterval& interval = trace.tasks[task.value];
    const LeafSchedule schedule = scheduleOfTask(program, trace, task);
    for (const Pipe pipe : pipesOf(core.kind))
        Lane(pipe, interval.start, out).runTask(program, trace, schedule, task, core);
    return out;
}

std::vector<LaneInterval> laneCauses(const Program& program, const Trace& trace, CoreRef core, Pipe pipe,
                                     std::span<const TaskIndex> tasks) {
    std::vector<LaneInterval> out;
    Lane lane(pipe, Ticks(), out);
    for (const TaskIndex task : tasks) {
        const TaskInterval& next = trace.tasks[task.value];
        for (const auto& [cause, end] : gapBefore(trace, lane.end(), next)) lane.extend(end, cause, task);
        lane.runTask(program, trace, scheduleOfTask(program, trace, task), task, core);
    }
    lane.extend(trace.kernel, tasks.empty() ? Cause::NoTask : Cause::Tail, std::nullopt);
    return out;
}

std::vector<LaneInterval> laneCauses(const Program& program, const Trace& trace, CoreRef core, Pipe pipe) {
    const std::vector<std::vector<TaskIndex>> cores = tasksByCore(trace);
    return laneCauses(program, trace, core, pipe, cores[corePlace(trace, core)]);
}

}  // namespace cubist
