// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/listeners/stalls.h"

#include <tuple>

#include "core/timing/event_engine.h"

namespace cubist {
namespace {

constexpr std::array kAicPipes{Pipe::S, Pipe::MTE2, Pipe::MTE1, Pipe::M, Pipe::FIX};
constexpr std::array kAivPipes{Pipe::S, Pipe::MTE2, Pipe::V, Pipe::MTE3};

class CauseSums {
public:
    void add(Cause cause, Ticks ticks, std::int64_t lanes) { m_sums[static_cast<std::size_t>(cause)] += ticks * lanes; }

    [[nodiscard]] const std::array<Ticks, kCauseCount>& sums() const { return m_sums; }

private:
    std::array<Ticks, kCauseCount> m_sums{};
};

}  // namespace

std::span<const Pipe> pipesOf(TaskKind kind) {
    return kind == TaskKind::Aic ? std::span<const Pipe>(kAicPipes) : std::span<const Pipe>(kAivPipes);
}

namespace {

std::size_t firstVectorCore(const Trace& trace, const TaskInterval& task) {
    return task.core.index * static_cast<std::size_t>(trace.aivCount / std::max<std::int64_t>(1, trace.aicCount));
}

}  // namespace

std::vector<CoreRef> coresOf(const Trace& trace, const TaskInterval& task) {
    std::vector<CoreRef> cores{task.core};
    for (std::size_t v = 0; v < task.vectorCores; ++v)
        cores.push_back({TaskKind::Aiv, static_cast<std::uint16_t>(firstVectorCore(trace, task) + v)});
    return cores;
}

SubCore subCoreOn(const Trace& trace, const TaskInterval& task, CoreRef core) {
    if (task.core.kind == core.kind) return core.kind == TaskKind::Aic ? SubCore::Aic : SubCore::Aiv0;
    return core.index == firstVectorCore(trace, task) ? SubCore::Aiv0 : SubCore::Aiv1;
}

std::vector<std::vector<TaskIndex>> tasksByCore(const Trace& trace) {
    std::vector<std::vector<TaskIndex>> cores(static_cast<std::size_t>(trace.aicCount + trace.aivCount));
    for (const TaskInterval& interval : trace.tasks) {
        cores[corePlace(trace, interval.core)].push_back(interval.task);
        const std::size_t first = interval.vectorCores > 0 ? firstVectorCore(trace, interval) : 0;
        for (std::size_t v = 0; v < interval.vectorCores; ++v)
            cores[corePlace(trace, {TaskKind::Aiv, static_cast<std::uint16_t>(first + v)})].push_back(interval.task);
    }
    const auto startsEarlier = [&](TaskIndex a, TaskIndex b) {
        const TaskInterval& x = trace.tasks[a.value];
        const TaskInterval& y = trace.tasks[b.value];
        return std::tie(x.start, x.end, a) < std::tie(y.start, y.end, b);
    };
    for (std::vector<TaskIndex>& core : cores)
        if (!std::is_sorted(core.begin(), core.end(), startsEarlier))
            std::sort(core.begin(), core.end(), startsEarlier);
    return cores;
}

std::array<GapPiece, 4> gapBefore(const Trace& trace, Ticks free, const TaskInterval& next) {
    const auto at = [&](Ticks time) { return std::clamp(time, free, next.start); };
    const Ticks ready = at(next.ready);
    std::array<GapPiece, 4> pieces{GapPiece{Cause::WaitTask, ready}, GapPiece{Cause::WaitResolve, ready},
                                   GapPiece{Cause::WaitBarrier, ready}, GapPiece{Cause::WaitDispatch, next.start}};
    if (trace.waits.empty()) return pieces;
    const TaskWait& wait = trace.waits[next.task.value];
    pieces[0].end = at(std::min(wait.data, next.ready));
    pieces[1].end = at(std::min(wait.resolved, next.ready));
    if (wait.built) pieces[2].cause = Cause::WaitStitch;
    return pieces;
}

std::array<Ticks, kCauseCount> causesOfLanes(const Trace& trace, const EngineResult& run) {
    CauseSums sums;
    for (std::size_t p = 0; p < kPipeCount; ++p) {
        sums.add(Cause::Busy, run.busy[p], 1);
        sums.add(Cause::WaitData, run.waitData[p], 1);
        sums.add(Cause::WaitSlot, run.waitSlot[p], 1);
    }
    sums.add(Cause::TaskDrained, run.drained, 1);

    const std::vector<std::vector<TaskIndex>> cores = tasksByCore(trace);
    for (std::size_t c = 0; c < cores.size(); ++c) {
        const TaskKind kind = c < static_cast<std::size_t>(trace.aicCount) ? TaskKind::Aic : TaskKind::Aiv;
        const auto lanes = static_cast<std::int64_t>(pipesOf(kind).size());
        Ticks free;
        for (const TaskIndex task : cores[c]) {
            const TaskInterval& next = trace.tasks[task.value];
            for (const auto& [cause, end] : gapBefore(trace, free, next)) {
                sums.add(cause, end - free, lanes);
                free = end;
            }
            free = next.end;
        }
        sums.add(cores[c].empty() ? Cause::NoTask : Cause::Tail, trace.kernel - free, lanes);
    }
    return sums.sums();
}

}  // namespace cubist
