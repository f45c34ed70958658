// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plots/timeline_lanes.h"

#include <algorithm>
#include <utility>

#include "core/timing/listeners/stalls.h"
#include "core/timing/timing_engine.h"

namespace cubist {
namespace {

constexpr std::array kCubePipes{Pipe::MTE2, Pipe::MTE1, Pipe::M, Pipe::FIX};
constexpr std::array kVectorPipes{Pipe::MTE2, Pipe::V, Pipe::MTE3};
constexpr std::size_t kMaxKeptStretches = 2'000'000;

/// Hands stretches on, merging those too short to be seen.
class Merger {
public:
    Merger(Ticks from, Ticks to, Ticks least, const TimelineLanes::Visitor& visitor)
        : m_from(from), m_to(to), m_least(std::max(least, Ticks{1})), m_visitor(visitor) {}

    /// Stretches that end at or before this instant add nothing that could be seen.
    [[nodiscard]] Ticks hiddenUntil() const { return m_pending ? m_pending->start + m_least : m_from; }

    void add(const LaneInterval& stretch) {
        if (stretch.end <= stretch.start || stretch.end <= m_from || stretch.start >= m_to) return;
        if (m_pending && stretch.end <= hiddenUntil()) {
            absorb(stretch.end, stretch.cause, stretch.task);
            return;
        }
        LaneInterval next = stretch;
        if (m_pending) {
            // A short stretch grows to the width that can be seen; the next one gives way.
            if (m_pending->end < hiddenUntil()) m_pending->end = std::min(hiddenUntil(), stretch.end);
            next.start = m_pending->end;
            flush();
        }
        m_pending = next;
    }

    /// The stretches up to `end` were skipped unseen.
    void skippedTo(Ticks end, bool busy, std::optional<TaskIndex> task) {
        if (m_pending && end > m_pending->end) absorb(end, busy ? Cause::Busy : m_pending->cause, task);
    }

    void flush() {
        if (m_pending) m_visitor(*m_pending, m_merged);
        m_pending.reset();
        m_merged = false;
    }

private:
    void absorb(Ticks end, Cause cause, std::optional<TaskIndex> task) {
        m_pending->end = std::max(m_pending->end, end);
        if (m_pending->task != task) m_pending->task.reset();
        if (cause == Cause::Busy) m_pending->cause = Cause::Busy;
        m_merged = true;
    }

    Ticks m_from, m_to, m_least;
    const TimelineLanes::Visitor& m_visitor;
    std::optional<LaneInterval> m_pending;
    bool m_merged = false;
};

}  // namespace

std::span<const Pipe> TimelineLanes::pipes(TaskKind kind) {
    return kind == TaskKind::Aic ? std::span<const Pipe>(kCubePipes) : std::span<const Pipe>(kVectorPipes);
}

TimelineLanes::TimelineLanes(std::shared_ptr<const Program> program, const Trace& trace)
    : m_program(std::move(program)),
      m_kernel(trace.kernel),
      m_trace(trace),
      m_coreTasks(tasksByCore(trace)),
      m_aicCount(static_cast<std::size_t>(trace.aicCount)) {
    for (std::size_t i = 0; i < m_coreTasks.size(); ++i) {
        const bool cube = i < m_aicCount;
        m_cores.push_back(
            {cube ? TaskKind::Aic : TaskKind::Aiv, static_cast<std::uint16_t>(cube ? i : i - m_aicCount)});
        if (!m_coreTasks[i].empty()) m_usedCores.push_back(m_cores.back());
    }
}

TimelineLanes::LeafLanes TimelineLanes::makeLanes(const Leaf& leaf, const LeafSchedule& schedule,
                                                  std::optional<SubCore> only) {
    LeafLanes lanes;
    std::array<Ticks, kPipeCount> freeAt{};
    for (const InstructionInterval& step : schedule.instructions) {
        if (only && leaf.instructions[step.instruction].core != *only) continue;
        const Pipe pipe = leaf.instructions[step.instruction].pipe;
        const auto row = static_cast<std::size_t>(pipe);
        if (step.start > freeAt[row])
            lanes[row].push_back(
                {pipe, step.waitCause, freeAt[row], step.start, {}, step.instruction, step.waitSubject});
        lanes[row].push_back({pipe, Cause::Busy, step.start, step.end, {}, step.instruction, step.instruction});
        freeAt[row] = step.end;
    }
    for (std::size_t row = 0; row < kPipeCount; ++row)
        if (schedule.duration > freeAt[row])
            lanes[row].push_back(
                {static_cast<Pipe>(row), Cause::TaskDrained, freeAt[row], schedule.duration, {}, 0, 0});
    return lanes;
}

const std::vector<TaskIndex>* TimelineLanes::tasksOf(CoreRef core) const {
    const std::size_t row = core.index + (core.kind == TaskKind::Aiv ? m_aicCount : 0);
    return row < m_coreTasks.size() ? &m_coreTasks[row] : nullptr;
}

const std::vector<LaneInterval>& TimelineLanes::laneOf(TaskIndex task, CoreRef core, Pipe pipe) const {
    const TaskInterval& interval = m_trace.tasks[task.value];
    std::optional<SubCore> only;
    if (interval.vectorCores > 0) only = subCoreOn(m_trace, interval, core);
    const std::uint64_t key = std::uint64_t{task.value} * 4 + (only ? 1 + static_cast<std::uint64_t>(*only) : 0);
    auto found = m_lanes.find(key);
    if (found == m_lanes.end()) {
        if (m_keptStretches > kMaxKeptStretches) {
            m_lanes.clear();
            m_keptStretches = 0;
        }
        LeafLanes lanes =
            makeLanes(m_program->leafOf(m_program->tasks[task.value]), scheduleOfTask(*m_program, m_trace, task), only);
        for (const auto& lane : lanes) m_keptStretches += lane.size();
        found = m_lanes.emplace(key, std::move(lanes)).first;
    }
    return found->second[static_cast<std::size_t>(pipe)];
}

void TimelineLanes::visit(CoreRef core, Pipe pipe, Ticks from, Ticks to, Ticks least, const Visitor& visitor) const {
    const std::vector<TaskIndex>* tasks = tasksOf(core);
    if (!tasks) return;
    from = std::max(from, Ticks{0});
    to = std::min(to, m_kernel);
    Merger merger(from, to, least, visitor);
    const auto interval = [&](TaskIndex task) -> const TaskInterval& { return m_trace.tasks[task.value]; };
    const auto firstEndingAfter = [&](auto begin, Ticks time) {
        return std::partition_point(begin, tasks->end(), [&](TaskIndex task) { return interval(task).end <= time; });
    };

    auto next = firstEndingAfter(tasks->begin(), from);
    while (next != tasks->end() && (next == tasks->begin() || interval(*std::prev(next)).end < to)) {
        const TaskInterval& task = interval(*next);
        Ticks freeAt = next == tasks->begin() ? Ticks{0} : interval(*std::prev(next)).end;
        for (const auto& [cause, end] : gapBefore(m_trace, freeAt, task)) {
            merger.add({pipe, cause, freeAt, end, task.task, 0, 0});
            freeAt = end;
        }

        const std::vector<LaneInterval>& lane = laneOf(task.task, core, pipe);
        // Idle stretches never follow each other inside a task: what is skipped contains work unless the lane has none.
        const bool works = !lane.empty() && lane.front().cause != Cause::TaskDrained;
        auto stretch = lane.begin();
        while (stretch != lane.end()) {
            const Ticks hidden = merger.hiddenUntil();
            const auto visible = std::partition_point(
                stretch, lane.end(), [&](const LaneInterval& s) { return task.start + s.end <= hidden; });
            if (visible != stretch) merger.skippedTo(task.start + std::prev(visible)->end, works, task.task);
            stretch = visible;
            if (stretch == lane.end() || task.start + stretch->start >= to) break;
            LaneInterval absolute = *stretch;
            absolute.start += task.start;
            absolute.end += task.start;
            absolute.task = task.task;
            merger.add(absolute);
            ++stretch;
        }
        ++next;
        // Whole tasks that end within the visible width of the last stretch.
        const auto visibleTask = firstEndingAfter(next, merger.hiddenUntil());
        if (visibleTask != next) merger.skippedTo(interval(*std::prev(visibleTask)).end, works, {});
        next = visibleTask;
    }
    if (next == tasks->end()) {
        const Ticks freeAt = tasks->empty() ? Ticks{0} : interval(tasks->back()).end;
        merger.add({pipe, tasks->empty() ? Cause::NoTask : Cause::Tail, freeAt, m_kernel, {}, 0, 0});
    }
    merger.flush();
}

std::optional<LaneInterval> TimelineLanes::at(CoreRef core, Pipe pipe, Ticks time) const {
    std::optional<LaneInterval> found;
    if (time < Ticks{0} || time >= m_kernel) return found;
    visit(core, pipe, time, time + Ticks{1}, Ticks{1}, [&](const LaneInterval& stretch, bool) { found = stretch; });
    return found;
}

}  // namespace cubist
