// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/lowering/program.h"
#include "core/timing/listeners/path_links.h"
#include "core/timing/listeners/stalls.h"
#include "core/timing/listeners/timeline.h"
#include "core/timing/trace.h"

namespace cubist {

/// A task as trace files show it.
struct TraceTask {
    TaskIndex index;
    CoreRef core;
    Ticks ready, start, end;
    StageIndex stage;              ///< of its first member
    std::size_t root = 0;          ///< place in Program::roots
    std::int64_t placeInRoot = 0;  ///< 0, 1, .. among the tasks of its root
    std::size_t leaf = 0;
    std::int64_t blockM = 0, blockN = 0;      ///< of its first member
    std::optional<TaskIndex> lastDependency;  ///< the predecessor that ended last: the one it waited for
};

/// How long the tasks of one leaf took.
struct LeafTimes {
    std::int64_t tasks = 0;
    Ticks sum, shortest, longest;
};

/// The group of isomorphic subgraphs that a task belongs to, as the keys of the merge settings count them.
struct TraceGroup {
    std::int64_t function = 0;  ///< root functions in the order of the program; the compiler has ids of its own
    std::int64_t order = 0;     ///< within the function
    std::int64_t subgraphs = 0;
};

/// A change of the number of tasks that are ready and not started.
struct ReadyChange {
    Ticks at;
    std::int64_t aic = 0, aiv = 0;  ///< from now on
};

/// What all trace formats have to know about a run: the one place that reads the program and the engine's trace for
/// them. The program and the trace must outlive it.
class TraceSource {
public:
    TraceSource(const Program& program, const Trace& trace);

    [[nodiscard]] const std::vector<TraceTask>& tasks() const { return m_tasks; }  ///< by task id
    /// Places in `tasks` in time order, for each core: AIC first. Cores without a task are there, empty.
    [[nodiscard]] const std::vector<std::vector<TaskIndex>>& cores() const { return m_cores; }
    [[nodiscard]] CoreRef coreAt(std::size_t place) const;
    [[nodiscard]] std::size_t placeOf(CoreRef core) const { return corePlace(m_trace, core); }

    /// The label of the task's stage, or the stage's id where it has no label.
    [[nodiscard]] const std::string& label(const TraceTask& task) const;
    [[nodiscard]] const ProgramStage& stage(const TraceTask& task) const;
    /// The pieces of work that were merged into the task; one when nothing was merged.
    [[nodiscard]] std::span<const TaskMember> members(const TraceTask& task) const;
    [[nodiscard]] const std::string& stageId(StageIndex stage) const;
    [[nodiscard]] const std::vector<std::int64_t>& iteration(const TraceTask& task) const;
    [[nodiscard]] const Leaf& leaf(const TraceTask& task) const;
    /// Nothing where the program does not tell to which group the task belongs.
    [[nodiscard]] std::optional<TraceGroup> groupOf(const TraceTask& task) const;
    [[nodiscard]] const std::vector<LeafTimes>& leafTimes() const { return m_leafTimes; }  ///< by leaf

    /// What a core waits for between `free`, the end of its task before, and the start of `next`.
    [[nodiscard]] std::array<GapPiece, 4> gapBefore(Ticks free, const TraceTask& next) const;
    /// What such a piece waits for; `next` is nothing after the last task of a core. "waits for the end of task 3".
    [[nodiscard]] std::string describeGap(Cause cause, const TraceTask* next) const;
    /// The task that it waits for: a predecessor, the one to be handed out, the last one of the kernel.
    [[nodiscard]] std::optional<TaskIndex> subjectOfGap(Cause cause, const TraceTask* next) const;
    /// The cores that a task occupies; more than one for a mixed task.
    [[nodiscard]] std::vector<CoreRef> coresOf(const TraceTask& task) const;
    /// Instructions and waits of all pipes of one of its cores during a task (see expandTask).
    [[nodiscard]] std::vector<LaneInterval> lanes(const TraceTask& task, CoreRef core) const;
    /// What a lane does: "MTE2 load x [0:32, 0:64]", "waits for slot L1 1 ...".
    [[nodiscard]] std::string describe(const LaneInterval& interval) const;
    /// "load", "mmad": the operation of a busy interval.
    [[nodiscard]] std::string operation(const LaneInterval& interval) const;
    /// The pipe of an instruction of a task.
    [[nodiscard]] Pipe pipeOf(const TraceTask& task, std::uint32_t instruction) const;
    /// "x [0:32, 0:64]" for every box of global memory that the task reads, or writes.
    [[nodiscard]] std::vector<std::string> operands(const TraceTask& task, bool written) const;

    /// In time order; several changes at one time are one entry.
    [[nodiscard]] std::vector<ReadyChange> readyChanges() const;

    [[nodiscard]] double microseconds(Ticks ticks) const { return m_trace.microseconds(ticks); }
    [[nodiscard]] Ticks kernel() const { return m_trace.kernel; }
    [[nodiscard]] std::vector<PathLink> criticalLinks() const { return pathLinks(m_program, m_trace); }
    [[nodiscard]] std::int64_t instructionCount() const { return m_program.instructionCount(); }

private:
    void numberGroups();

    const Program& m_program;
    const Trace& m_trace;
    std::vector<TraceTask> m_tasks;
    std::vector<std::vector<TaskIndex>> m_cores;
    std::vector<LeafTimes> m_leafTimes;
    std::optional<TaskIndex> m_lastToEnd;
    std::map<std::pair<std::size_t, std::uint64_t>, TraceGroup> m_groups;  ///< by root and group key
};

/// "AIC", "AIV".
[[nodiscard]] std::string_view kindName(TaskKind kind);

}  // namespace cubist
