// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/time_shares.h"

#include <QCoreApplication>

#include <array>

#include "core/timing/listeners/critical_path.h"
#include "core/timing/listeners/stalls.h"
#include "views/models/report_text.h"
#include "views/plots/lane_painter.h"
#include "views/plots/timeline_lanes.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(cubist::TimeShares)
};

QString shortBound(Bound bound) {
    switch (bound) {
        case Bound::Cube: return Texts::tr("cube");
        case Bound::Mte1: return QStringLiteral("MTE1");
        case Bound::Mte2: return QStringLiteral("MTE2");
        case Bound::L2: return QStringLiteral("L2");
        case Bound::Hbm: return QStringLiteral("HBM");
        case Bound::Fixpipe: return QStringLiteral("FIX");
        case Bound::Vector: return Texts::tr("vector");
        case Bound::Mte3: return QStringLiteral("MTE3");
        case Bound::Dispatch: return Texts::tr("dispatch");
        case Bound::Launch: return Texts::tr("launch");
        case Bound::Latency: return Texts::tr("latency");
    }
    return {};
}

}  // namespace

std::vector<ShareBar::Part> criticalShares(const RunReport& report, const ChipSpec& chip) {
    const Trace& trace = *report.trace;
    const PathShares shares = sharesOf(trace.criticalPath, *report.program, trace, chip);
    std::vector<ShareBar::Part> parts;
    for (std::size_t i = 0; i < shares.ticks.size(); ++i) {
        const auto bound = static_cast<Bound>(i);
        const double microseconds = trace.microseconds(shares.ticks[i]);
        const bool waiting = bound == Bound::Dispatch || bound == Bound::Launch || bound == Bound::Latency;
        parts.push_back(
            {shortBound(bound), microseconds, boundToken(bound), waiting,
             Texts::tr("%1 on the critical path: %2").arg(boundText(bound), microsecondsText(microseconds))});
    }
    return parts;
}

std::vector<ShareBar::Part> laneShares(const RunReport& report) {
    const Trace& trace = *report.trace;
    std::array<double, kPipeCount> busy{};
    std::array<double, kCauseCount> idle{};
    const auto at = [](auto& list, auto key) -> double& { return list[static_cast<std::size_t>(key)]; };
    // The scalar pipe has no lane on screen; inside a task it is drained once it has issued all instructions.
    Ticks drained = trace.causes[static_cast<std::size_t>(Cause::TaskDrained)] +
                    trace.pipes[static_cast<std::size_t>(Pipe::S)].busy;
    for (const TaskInterval& interval : trace.tasks)
        drained -= (interval.end - interval.start) * (1 + interval.vectorCores);
    at(idle, Cause::TaskDrained) = trace.microseconds(drained);
    for (std::size_t row = 0; row < kPipeCount; ++row) {
        busy[row] = trace.microseconds(trace.pipes[row].busy);
        at(idle, Cause::WaitData) += trace.microseconds(trace.waitData[row]);
        at(idle, Cause::WaitSlot) += trace.microseconds(trace.waitSlot[row]);
    }
    const std::vector<std::vector<TaskIndex>> cores = tasksByCore(trace);
    for (std::size_t core = 0; core < cores.size(); ++core) {
        if (cores[core].empty()) continue;
        const TaskKind kind = core < static_cast<std::size_t>(trace.aicCount) ? TaskKind::Aic : TaskKind::Aiv;
        const auto lanes = static_cast<double>(TimelineLanes::pipes(kind).size());
        Ticks freeAt;
        for (const TaskIndex task : cores[core]) {
            const TaskInterval& interval = trace.tasks[task.value];
            for (const auto& [cause, end] : gapBefore(trace, freeAt, interval)) {
                at(idle, cause) += lanes * trace.microseconds(end - freeAt);
                freeAt = end;
            }
            freeAt = interval.end;
        }
        at(idle, Cause::Tail) += lanes * trace.microseconds(trace.kernel - freeAt);
    }

    std::vector<ShareBar::Part> parts;
    const auto add = [&](const QString& name, double value, Token color, bool hatched, const QString& tip) {
        parts.push_back({name, value, color, hatched, tip});
    };
    add(Texts::tr("cube"), at(busy, Pipe::M), Token::Cube, false, Texts::tr("The cube computes"));
    add(Texts::tr("vector"), at(busy, Pipe::V), Token::Vector, false, Texts::tr("The vector unit computes"));
    add(QStringLiteral("MTE2"), at(busy, Pipe::MTE2), Token::Move, false, Texts::tr("MTE2 loads from global memory"));
    add(QStringLiteral("MTE1"), at(busy, Pipe::MTE1), Token::Mte1, false, Texts::tr("MTE1 moves tiles from L1 to L0"));
    add(QStringLiteral("MTE3"), at(busy, Pipe::MTE3), Token::Mte3, false,
        Texts::tr("MTE3 stores from UB to global memory"));
    add(QStringLiteral("FIX"), at(busy, Pipe::FIX), Token::Fix, false, Texts::tr("FIXPIPE writes results"));
    add(Texts::tr("data"), at(idle, Cause::WaitData), Token::Wait, true, causeText(Cause::WaitData));
    add(Texts::tr("slot"), at(idle, Cause::WaitSlot), Token::Wait, true, causeText(Cause::WaitSlot));
    add(Texts::tr("dispatch"),
        at(idle, Cause::WaitTask) + at(idle, Cause::WaitResolve) + at(idle, Cause::WaitBarrier) +
            at(idle, Cause::WaitStitch) + at(idle, Cause::WaitDispatch),
        Token::Wait, true, Texts::tr("The core waits for its next task"));
    add(Texts::tr("drained and tail"), at(idle, Cause::TaskDrained) + at(idle, Cause::Tail), Token::Grid, false,
        Texts::tr("The pipe has nothing left to do in its task, or the core in the kernel"));
    return parts;
}

std::optional<LaneInterval> longestWait(const RunReport& report) {
    const Trace& trace = *report.trace;
    std::optional<LaneInterval> longest;
    std::vector<bool> seen(report.program->leaves.size(), false);
    for (const TaskInterval& task : trace.tasks) {
        const std::size_t leaf = report.program->tasks[task.task.value].leaf.value;
        if (seen[leaf]) continue;
        seen[leaf] = true;
        for (const LaneInterval& stretch : expandTask(*report.program, trace, task.task)) {
            if (stretch.cause != Cause::WaitData && stretch.cause != Cause::WaitSlot) continue;
            if (stretch.start == task.start) continue;  // every pipe behind the first waits for the pipeline to fill
            if (!longest || stretch.end - stretch.start > longest->end - longest->start) longest = stretch;
        }
    }
    return longest;
}

}  // namespace cubist
