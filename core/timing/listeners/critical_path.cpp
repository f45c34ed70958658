// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/listeners/critical_path.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/chip/faster_chip.h"
#include "core/chip/formulas.h"
#include "core/timing/instruction_work.h"
#include "core/timing/timing_engine.h"

namespace cubist {
namespace {

/// The resource that a pipe stands for. What its transfers wait for each other is taken off afterwards.
Bound boundOf(Pipe pipe) {
    switch (pipe) {
        case Pipe::S: return Bound::Dispatch;
        case Pipe::MTE2: return Bound::Mte2;
        case Pipe::MTE1: return Bound::Mte1;
        case Pipe::M: return Bound::Cube;
        case Pipe::FIX: return Bound::Fixpipe;
        case Pipe::V: return Bound::Vector;
        case Pipe::MTE3: return Bound::Mte3;
    }
    return Bound::Cube;
}

/// What a resource has to do with an instruction: the part of its duration that a faster one shortens. The rest, its
/// overhead, is latency. Source: F-80.
class Rates {
public:
    explicit Rates(const ChipSpec& chip) : m_chip(chip) {
        m_faster = chip;
        for (const Resource of :
             {Resource::Cube, Resource::Mte1, Resource::Mte2, Resource::Fixpipe, Resource::Vector, Resource::Mte3})
            makeFaster(m_faster, of);
    }

    /// Whether `work` is seen for the first time.
    bool add(const InstructionWork& work) {
        const auto [at, isNew] = m_latency.try_emplace(work);
        if (!isNew) return false;
        // A rate that takes part r of the duration saves r / 11.
        const Rational whole = cyclesOf(m_chip, work);
        const Rational rate = (whole - cyclesOf(m_faster, work)) * Rational(11);
        at->second = formula::toTicks(std::max(Rational(0), whole - rate));
        return true;
    }
    [[nodiscard]] Ticks latencyOf(const InstructionWork& work) const { return m_latency.at(work); }

private:
    const ChipSpec& m_chip;
    ChipSpec m_faster;
    std::map<InstructionWork, Ticks> m_latency;
};

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

/// The time of transfers on the path is divided as that of all transfers of the kernel of the same kind is.
void divideTransfers(const TransferTimes& times, Bound port, PathShares& shares) {
    const double all = times.port + times.l2 + times.hbm;
    if (!(all > 0)) return;
    Ticks& own = shares.ticks[static_cast<std::size_t>(port)];
    const auto part = [&, whole = static_cast<double>(own.value)](double of) {
        return Ticks(static_cast<std::int64_t>(whole * (of / all)));
    };
    const Ticks l2 = part(times.l2), hbm = part(times.hbm);
    shares.ticks[static_cast<std::size_t>(Bound::L2)] += l2;
    shares.ticks[static_cast<std::size_t>(Bound::Hbm)] += hbm;
    own -= l2 + hbm;
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
    Rates rates(chip);
    const auto add = [&](Bound bound, Ticks ticks) { shares.ticks[static_cast<std::size_t>(bound)] += ticks; };
    for (const CriticalStep& step : path) {
        if (step.kind != CriticalStep::Kind::Task) {
            add(Bound::Dispatch, step.end - step.start);
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
            const InstructionWork work = workOf(leaf, instruction);
            if (rates.add(work)) addEstimates(estimatesIn(chip, work));
            // What passes before it begins is latency, and so is its overhead as far as the one before does not cover
            // it.
            const Ticks before = std::max(Ticks(), interval.start - end),
                        covered = std::max(Ticks(), end - interval.start);
            const Ticks own = std::max(Ticks(), interval.end - std::max(interval.start, end));
            const Ticks overhead = std::clamp(rates.latencyOf(work) - covered, Ticks(), own);
            add(Bound::Latency, before + overhead);
            add(boundOf(instruction.pipe), own - overhead);
            end = std::max(end, interval.end);
        }
    }
    divideTransfers(trace.loads, Bound::Mte2, shares);
    // FIXPIPE writes from cube cores, MTE3 from vector cores.
    divideTransfers(trace.stores, Bound::Fixpipe, shares);
    divideTransfers(trace.stores, Bound::Mte3, shares);
    shares.estimates.assign(estimates.begin(), estimates.end());
    return shares;
}

}  // namespace cubist
