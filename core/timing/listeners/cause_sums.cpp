// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/listeners/cause_sums.h"

#include <algorithm>

#include "core/timing/listeners/stalls.h"
#include "core/timing/listeners/timeline.h"

namespace cubist {
namespace {

/// The stage whose instruction it is.
StageIndex stageOf(const Program& program, const Task& task, std::uint32_t instruction) {
    const std::vector<LeafMember>& members = program.leafOf(task).members;
    const auto of = program.membersOf(task);
    for (std::size_t m = 0; m < std::min(members.size(), of.size()); ++m)
        if (instruction < members[m].firstInstruction + members[m].instructionCount) return of[m].stage;
    return program.stageOf(task);
}

class Summer {
public:
    Summer(const Program& program, const Trace& trace) : m_program(program), m_trace(trace) {
        m_sums.stages.resize(program.stages.size());
    }

    CauseSums run() {
        const std::vector<std::vector<TaskIndex>> cores = tasksByCore(m_trace);
        m_sums.cores.resize(cores.size());
        for (std::size_t place = 0; place < cores.size(); ++place) core(place, cores[place]);
        return std::move(m_sums);
    }

private:
    void core(std::size_t place, const std::vector<TaskIndex>& tasks) {
        const auto aic = static_cast<std::size_t>(m_trace.aicCount);
        const bool cube = place < aic;
        const CoreRef core{cube ? TaskKind::Aic : TaskKind::Aiv,
                           static_cast<std::uint16_t>(cube ? place : place - aic)};
        const auto lanes = static_cast<std::int64_t>(pipesOf(core.kind).size());
        CauseTicks& own = m_sums.cores[place];
        Ticks free;
        for (const TaskIndex task : tasks) {
            const TaskInterval& interval = m_trace.tasks[task.value];
            const Task& of = m_program.tasks[task.value];
            Ticks at = free;
            for (const auto& [cause, end] : gapBefore(m_trace, free, interval)) {
                if (end <= at) continue;
                add(own, m_program.stageOf(of), cause, Ticks(lanes * (end - at).value));
                at = end;
            }
            for (const LaneInterval& part : expandTask(m_program, m_trace, task, core)) {
                const bool drained = part.cause == Cause::TaskDrained;
                add(own, drained ? m_program.stageOf(of) : stageOf(m_program, of, part.instruction), part.cause,
                    part.end - part.start);
            }
            free = interval.end;
        }
        const Cause rest = tasks.empty() ? Cause::NoTask : Cause::Tail;
        own[static_cast<std::size_t>(rest)] += Ticks(lanes * (m_trace.kernel - free).value);
    }

    void add(CauseTicks& core, StageIndex stage, Cause cause, Ticks ticks) {
        core[static_cast<std::size_t>(cause)] += ticks;
        m_sums.stages[stage.value][static_cast<std::size_t>(cause)] += ticks;
    }

    const Program& m_program;
    const Trace& m_trace;
    CauseSums m_sums;
};

}  // namespace

CauseSums causeSums(const Program& program, const Trace& trace) {
    if (trace.tasks.empty()) return {};
    return Summer(program, trace).run();
}

}  // namespace cubist
