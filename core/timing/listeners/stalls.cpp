// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/listeners/stalls.h"

#include <tuple>

#include "core/timing/event_engine.h"

namespace cubist {
namespace {

constexpr std::size_t kAhead = 12;  ///< tasks that are fetched from memory before they are looked at
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
    const auto count = static_cast<std::size_t>(trace.aicCount + trace.aivCount);
    std::vector<std::vector<TaskIndex>> cores(count);
    const auto startsEarlier = [](const TaskInterval& x, const TaskInterval& y) {
        return std::tie(x.start, x.end, x.task) < std::tie(y.start, y.end, y.task);
    };
    std::vector<const TaskInterval*> latest(count, nullptr);
    std::vector<bool> sorted(count, true);
    const auto add = [&](std::size_t core, const TaskInterval& interval) {
        if (latest[core] != nullptr && startsEarlier(interval, *latest[core])) sorted[core] = false;
        latest[core] = &interval;
        cores[core].push_back(interval.task);
    };
    for (const TaskInterval& interval : trace.tasks) {
        add(corePlace(trace, interval.core), interval);
        const std::size_t first = interval.vectorCores > 0 ? firstVectorCore(trace, interval) : 0;
        for (std::size_t v = 0; v < interval.vectorCores; ++v)
            add(corePlace(trace, {TaskKind::Aiv, static_cast<std::uint16_t>(first + v)}), interval);
    }
    for (std::size_t c = 0; c < count; ++c)
        if (!sorted[c])
            std::ranges::sort(cores[c], [&](TaskIndex a, TaskIndex b) {
                return startsEarlier(trace.tasks[a.value], trace.tasks[b.value]);
            });
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

std::array<Ticks, kCauseCount> causesOfLanes(const Trace& trace, const EngineResult& run,
                                             const std::vector<std::vector<TaskIndex>>& cores) {
    CauseSums sums;
    for (std::size_t p = 0; p < kPipeCount; ++p) {
        sums.add(Cause::Busy, run.busy[p], 1);
        sums.add(Cause::WaitData, run.waitData[p], 1);
        sums.add(Cause::WaitSlot, run.waitSlot[p], 1);
    }
    sums.add(Cause::TaskDrained, run.drained, 1);

    for (std::size_t c = 0; c < cores.size(); ++c) {
        const TaskKind kind = c < static_cast<std::size_t>(trace.aicCount) ? TaskKind::Aic : TaskKind::Aiv;
        const auto lanes = static_cast<std::int64_t>(pipesOf(kind).size());
        Ticks free;
        for (std::size_t i = 0; i < cores[c].size(); ++i) {
            // The tasks of one core lie far apart.
            if (i + kAhead < cores[c].size()) {
                const std::uint32_t later = cores[c][i + kAhead].value;
                __builtin_prefetch(&trace.tasks[later]);
                if (!trace.waits.empty()) __builtin_prefetch(&trace.waits[later]);
            }
            const TaskInterval& next = trace.tasks[cores[c][i].value];
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
