// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/exchange/event_stream.h"
#include "core/lowering/program.h"
#include "core/timing/trace.h"

namespace cubist {

/// Most pipe instructions that a trace shows one by one: more make a file that no viewer opens.
inline constexpr std::int64_t kMaxTracedInstructions = 1'000'000;

/// A run in Chrome's trace event format, which Perfetto and chrome://tracing open. All ids are integers; times are in
/// microseconds from the first dispatch, and the exact ticks are among the arguments.
/// - processes 0 (AIC) and 1 (AIV): a thread for each core that got a task; a complete event (category C or V) for each
///   task, and one for each wait of the core between tasks (category `wait`, its cause as name; `task` and `detail`
///   say what it waits for);
/// - processes 2 and 3: a thread for each pipe of these cores, with its instructions and the waits between them. Of
///   kernels with more than `kMaxTracedInstructions` the first tasks have them, and `otherData` says how many;
/// - process 4: the executed critical path as one lane of steps (category `critical`);
/// - flows `dependency` from the predecessor that a task waited for;
/// - counters `ready AIC` and `ready AIV`: tasks that are ready and not started.
/// Errors: those of the sink.
[[nodiscard]] Result<void> writeChromeTrace(const Program& program, const Trace& trace, const TextSink& sink);

/// The same with another limit of instructions, 0 for none of them.
[[nodiscard]] Result<void> writeChromeTraceWithin(const Program& program, const Trace& trace,
                                                  std::int64_t mostInstructions, const TextSink& sink);

/// The same as text.
[[nodiscard]] std::string chromeTrace(const Program& program, const Trace& trace);

}  // namespace cubist
