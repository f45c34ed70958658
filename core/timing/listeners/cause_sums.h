// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <vector>

#include "core/lowering/program.h"
#include "core/timing/trace.h"

namespace cubist {

/// Ticks of lanes by cause.
using CauseTicks = std::array<Ticks, kCauseCount>;

/// The causes of a trace by core and by stage. Source: F-21.
struct CauseSums {
    /// AIC 0..n-1, then AIV 0..m-1; each sums to the lanes of its core * kernel, all together to Trace::causes.
    std::vector<CauseTicks> cores;
    /// By stage: what happens inside its tasks (of merged ones: inside its instructions; what a drained lane waits for
    /// belongs to the stage the task is named after), and what cores wait for before them. NoTask and Tail belong to
    /// no stage; together with them the stages sum to Trace::causes.
    std::vector<CauseTicks> stages;
};

/// Range: a trace that kept its tasks; of others both lists are empty. Cost: the instructions of all tasks.
[[nodiscard]] CauseSums causeSums(const Program& program, const Trace& trace);

}  // namespace cubist
