// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/listeners/critical_path.h"

#include <algorithm>
#include <set>

#include "core/timing/instruction_work.h"
#include "core/timing/timing_engine.h"

namespace cubist {
namespace {

/// The resource that a pipe stands for. What GM traffic takes is divided between L2 and HBM afterwards.
Bound boundOf(Pipe pipe) {
    switch (pipe) {
        case Pipe::S: return Bound::Dispatch;
        case Pipe::MTE2: return Bound::L2;
        case Pipe::MTE1: return Bound::Mte1;
        case Pipe::M: return Bound::Cube;
        case Pipe::FIX: return Bound::Fixpipe;
        case Pipe::V: return Bound::Vector;
        case Pipe::MTE3: return Bound::Mte3;
    }
    return Bound::Cube;
}

/// The path from its end to its begin.
class BackwardPath {
public:
    void add(CriticalStep::Kind kind, TaskIndex task, Ticks start, Ticks end) {
        if (start < end) m_steps.push_back({kind, task, start, end});
    }
    std::vector<CriticalStep> inTimeOrder() {
        std::reverse(m_steps.begin(), m_steps.end());
        return std::move(m_steps);
    }

private:
    std::vector<CriticalStep> m_steps;
};

/// Names of estimate constants in a step of the AICPUs.
std::vector<std::string> estimatesInStep(const ChipSpec& chip, CriticalStep::Kind kind) {
    switch (kind) {
        case CriticalStep::Kind::Resolve: return estimatesInResolve(chip);
        case CriticalStep::Kind::Stitch: return estimatesInStitch(chip);
        case CriticalStep::Kind::Dispatch:
        case CriticalStep::Kind::Submit:
        case CriticalStep::Kind::Task: return estimatesInDispatch(chip);
    }
    return {};
}

CriticalStep::Kind stepOf(SchedulerOperation::Kind kind) {
    switch (kind) {
        case SchedulerOperation::Kind::Dispatch: return CriticalStep::Kind::Dispatch;
        case SchedulerOperation::Kind::Resolve: return CriticalStep::Kind::Resolve;
        case SchedulerOperation::Kind::Stitch: return CriticalStep::Kind::Stitch;
        case SchedulerOperation::Kind::Submit: return CriticalStep::Kind::Submit;
    }
    return CriticalStep::Kind::Dispatch;
}

/// With the task runtime: what let each step begin is on record.
std::vector<CriticalStep> recordedPath(const TaskSchedule& schedule, TaskIndex last) {
    BackwardPath path;
    DispatchLink link{DispatchLink::Kind::TaskEnd, last.value};
    while (link.kind != DispatchLink::Kind::Start) {
        if (link.kind == DispatchLink::Kind::TaskEnd) {
            const TaskInterval& task = schedule.tasks[link.index];
            path.add(CriticalStep::Kind::Task, task.task, task.start, task.end);
            link = schedule.dispatch.starts[link.index];
        } else {
            const SchedulerOperation operation = schedule.dispatch.operations.at(link.index);
            path.add(stepOf(operation.kind), operation.task, operation.begin, operation.end);
            link = operation.because;
        }
    }
    return path.inTimeOrder();
}

/// L2 and HBM share the time of loads as the bytes of the whole kernel would take them: hits at the rate of L2, misses
/// at that of HBM.
void divideTraffic(const Trace& trace, const ChipSpec& chip, PathShares& shares) {
    const double hbmRate = chip.hbmEffectiveBytesPerSecond.value.toDouble();
    const double l2Rate = chip.l2EffectiveBytesPerSecond.value.toDouble();
    if (!(hbmRate > 0) || !(l2Rate > 0) || trace.hbmBytes <= 0) return;
    const std::int64_t hits = std::max<std::int64_t>(0, trace.gmReadBytes + trace.gmWriteBytes - trace.hbmBytes);
    const double fromHbm = static_cast<double>(trace.hbmBytes) / hbmRate;
    const double fromL2 = static_cast<double>(hits) / l2Rate;
    Ticks& l2 = shares.ticks[static_cast<std::size_t>(Bound::L2)];
    const auto part = static_cast<std::int64_t>(static_cast<double>(l2.value) * (fromHbm / (fromHbm + fromL2)));
    shares.ticks[static_cast<std::size_t>(Bound::Hbm)] += Ticks(part);
    l2 -= Ticks(part);
}

}  // namespace

std::vector<CriticalStep> executedCriticalPath(const TaskSchedule& schedule) {
    if (schedule.tasks.empty()) return {};
    BackwardPath path;
    const auto ends = [](const TaskInterval& a, const TaskInterval& b) { return a.end < b.end; };
    TaskIndex task(static_cast<std::size_t>(std::max_element(schedule.tasks.begin(), schedule.tasks.end(), ends) -
                                            schedule.tasks.begin()));
    if (!schedule.dispatch.starts.empty()) return recordedPath(schedule, task);
    bool onlyDispatch = false;  // the step before it waited for the scheduler, not for the task
    for (;;) {
        const TaskInterval& interval = schedule.tasks[task.value];
        const Dispatch& dispatch = schedule.dispatch.dispatches[task.value];
        if (!onlyDispatch) path.add(CriticalStep::Kind::Task, task, interval.start, interval.end);
        path.add(CriticalStep::Kind::Dispatch, task, dispatch.begin, interval.start);
        if (dispatch.after == Dispatch::After::Start) return path.inTimeOrder();
        if (dispatch.after == Dispatch::After::Resolve)
            path.add(CriticalStep::Kind::Resolve, task, schedule.tasks[dispatch.other.value].end, dispatch.begin);
        onlyDispatch = dispatch.after == Dispatch::After::OtherDispatch;
        task = dispatch.other;
    }
}

Bound PathShares::bound() const {
    return static_cast<Bound>(std::max_element(ticks.begin(), ticks.end()) - ticks.begin());
}

PathShares sharesOf(const std::vector<CriticalStep>& path, const Program& program, const Trace& trace,
                    const ChipSpec& chip) {
    PathShares shares;
    std::set<std::string> estimates;
    const auto addEstimates = [&](std::vector<std::string> names) {
        for (std::string& name : names) estimates.insert(std::move(name));
    };
    std::set<InstructionWork> seen;
    for (const CriticalStep& step : path) {
        if (step.kind != CriticalStep::Kind::Task) {
            shares.ticks[static_cast<std::size_t>(Bound::Dispatch)] += step.end - step.start;
            addEstimates(estimatesInStep(chip, step.kind));
            continue;
        }
        const Leaf& leaf = program.leafOf(program.tasks[step.task.value]);
        const LeafSchedule schedule = scheduleOfTask(program, trace, step.task);
        Ticks end;
        if (const auto& chain = schedule.criticalPath; !chain.empty()) {
            const InstructionInterval& first = schedule.instructions[chain.front()];
            if (first.start > Ticks() && chip.scalarIssue.confidence == Confidence::Estimate)
                estimates.insert("scalar_issue");
        }
        for (const std::uint32_t i : schedule.criticalPath) {
            const Instruction& instruction = leaf.instructions[i];
            const InstructionInterval& interval = schedule.instructions[i];
            // The delay before an instruction, and what overlaps the one before, belong to it.
            shares.ticks[static_cast<std::size_t>(boundOf(instruction.pipe))] += interval.end - end;
            end = interval.end;
            const InstructionWork work = workOf(leaf, instruction);
            if (seen.insert(work).second) addEstimates(estimatesIn(chip, work));
        }
    }
    divideTraffic(trace, chip, shares);
    shares.estimates.assign(estimates.begin(), estimates.end());
    return shares;
}

}  // namespace cubist
