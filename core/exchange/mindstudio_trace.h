// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/event_stream.h"
#include "core/lowering/program.h"
#include "core/timing/trace.h"

namespace cubist {

/// A run as an operator timeline of MindStudio Insight, in the form of msopprof's simulator trace, schema 2: one
/// process "core0.cubecore0" or "core0.veccore1" for each core that got a task (two vector cores for each core number),
/// one lane for each pipe in msopprof's order and colours, flows from the instruction that another pipe waited for.
/// Waits are gaps, as in the tool's own files. Errors: those of the sink; DoesNotFit above `kMaxTracedInstructions`.
[[nodiscard]] Result<void> writeMindStudioTrace(const Program& program, const Trace& trace, const TextSink& sink);

}  // namespace cubist
