// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/event_stream.h"
#include "core/lowering/program.h"
#include "core/timing/trace.h"

namespace cubist {

/// A run in the form of PyPTO's `merged_swimlane.json`, for PyPTO Toolkit, Perfetto and MindStudio Insight: process 1
/// "Machine View", a thread for each core (id 2 * core + 1000, cores counted from 1, AIC first), a complete event for
/// each task with the name "{seq}-{func}-{op}-{root}-{psg}({label})", flows `machine-view-last-dep` and the counters
/// ReadyCount_AIC, ReadyCount_AIV and ReadyCount_Total. There is one device task (seq 0); func is the loop iteration,
/// op the task's place in it, psg the leaf. Errors: those of the sink.
[[nodiscard]] Result<void> writePyptoSwimlane(const Program& program, const Trace& trace, const TextSink& sink);

}  // namespace cubist
