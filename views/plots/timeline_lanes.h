// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/lowering/program.h"
#include "core/timing/listeners/timeline.h"
#include "core/timing/trace.h"

namespace cubist {

/// The lanes (core x pipe) of a trace, read stretch by stretch at any zoom. The stretches of a task are worked out when
/// they are asked for first; those of the tasks seen last are kept.
class TimelineLanes {
public:
    TimelineLanes() = default;
    /// `trace` is the time of `program`.
    TimelineLanes(std::shared_ptr<const Program> program, const Trace& trace);

    [[nodiscard]] const std::shared_ptr<const Program>& program() const { return m_program; }
    [[nodiscard]] Ticks kernel() const { return m_kernel; }
    /// All cores of the chip: AIC 0.., then AIV 0.. .
    [[nodiscard]] const std::vector<CoreRef>& cores() const { return m_cores; }
    /// Cores that got a task.
    [[nodiscard]] const std::vector<CoreRef>& usedCores() const { return m_usedCores; }
    /// Pipes worth a lane. The scalar pipe is left out: it executes nothing of a program.
    [[nodiscard]] static std::span<const Pipe> pipes(TaskKind kind);

    /// `merged`: the stretch stands for several, too short to tell apart. It is busy if one of them is, and keeps its
    /// task only if they share it.
    using Visitor = std::function<void(const LaneInterval& interval, bool merged)>;
    /// Stretches of a lane that overlap [from, to), in order and without gaps. Those that end within `least` ticks of
    /// the start of the one before are merged into it, so that there are at most (to - from) / least + 2 of them.
    void visit(CoreRef core, Pipe pipe, Ticks from, Ticks to, Ticks least, const Visitor& visitor) const;
    /// The stretch at one instant; empty outside the kernel.
    [[nodiscard]] std::optional<LaneInterval> at(CoreRef core, Pipe pipe, Ticks time) const;

private:
    using LeafLanes = std::array<std::vector<LaneInterval>, kPipeCount>;  ///< relative to the task's start

    static LeafLanes makeLanes(const Leaf& leaf, const LeafSchedule& schedule, std::optional<SubCore> only);
    [[nodiscard]] const std::vector<TaskIndex>* tasksOf(CoreRef core) const;
    [[nodiscard]] const std::vector<LaneInterval>& laneOf(TaskIndex task, CoreRef core, Pipe pipe) const;

    std::shared_ptr<const Program> m_program;
    Ticks m_kernel;
    Trace m_trace;
    mutable std::unordered_map<std::uint64_t, LeafLanes> m_lanes;  ///< by task and, of a mixed task, kind of core
    mutable std::size_t m_keptStretches = 0;
    std::vector<CoreRef> m_cores;
    std::vector<CoreRef> m_usedCores;
    std::vector<std::vector<TaskIndex>> m_coreTasks;  ///< as m_cores
    std::size_t m_aicCount = 0;
};

}  // namespace cubist
