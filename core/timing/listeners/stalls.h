// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "core/lowering/program.h"
#include "core/timing/trace.h"

namespace cubist {

struct EngineResult;

/// Pipes of a core in enum order. Source: F-02.
[[nodiscard]] std::span<const Pipe> pipesOf(TaskKind kind);

/// Tasks of every core in time order: AIC 0..n-1, then AIV 0..m-1. A mixed task is a task of its vector cores too.
[[nodiscard]] std::vector<std::vector<TaskIndex>> tasksByCore(const Trace& trace);

/// Place of a core in `tasksByCore`.
[[nodiscard]] inline std::size_t corePlace(const Trace& trace, CoreRef core) {
    return core.index + (core.kind == TaskKind::Aiv ? static_cast<std::size_t>(trace.aicCount) : 0);
}

/// The cores that a task occupies: its own, then vector cores of the cluster.
[[nodiscard]] std::vector<CoreRef> coresOf(const Trace& trace, const TaskInterval& task);

/// Whose pipes a task uses on one of its cores.
[[nodiscard]] SubCore subCoreOn(const Trace& trace, const TaskInterval& task, CoreRef core);

/// A part of the time that a core waits for its next task, up to `end`.
struct GapPiece {
    Cause cause = Cause::WaitTask;
    Ticks end;
};

/// The time from `free` to the start of `next` on one core, in pieces that follow each other; some have length 0. The
/// first waits for predecessors, the last for the scheduler; between them stands what the task runtime adds.
[[nodiscard]] std::array<GapPiece, 4> gapBefore(const Trace& trace, Ticks free, const TaskInterval& next);

/// Ticks of all lanes by cause; the sum is lanes * kernel. Reads the trace's tasks, kernel and core counts, and what
/// the engine summed up inside tasks; `cores` is `tasksByCore`. Source: F-21.
[[nodiscard]] std::array<Ticks, kCauseCount> causesOfLanes(const Trace& trace, const EngineResult& run,
                                                           const std::vector<std::vector<TaskIndex>>& cores);

}  // namespace cubist
