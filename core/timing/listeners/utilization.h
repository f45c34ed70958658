// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/lowering/program.h"
#include "core/timing/trace.h"

namespace cubist {

struct EngineResult;

/// One entry per stage of the program. Reads the trace's tasks and critical path.
[[nodiscard]] std::vector<StageTiming> stageTimings(const Program& program, const Trace& trace);

/// Every pipe once, in enum order, summed over cores.
[[nodiscard]] std::vector<PipeTiming> pipeTimings(const EngineResult& run);

/// Bytes that all tasks move: valid elements for GM, whole fractals for L1 -> L0.
struct MovedBytes {
    std::int64_t gmRead = 0, gmWrite = 0, l1 = 0;
};
[[nodiscard]] MovedBytes movedBytes(const Program& program);

/// Cores of one kind that ran at least one task; `cores` is `tasksByCore`.
[[nodiscard]] std::int64_t usedCores(const Trace& trace, TaskKind kind,
                                     const std::vector<std::vector<TaskIndex>>& cores);

}  // namespace cubist
