// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/lowering/program.h"
#include "core/timing/trace.h"

namespace cubist {

/// The intervals of all tasks in Chrome's trace event format, which Perfetto and chrome://tracing open: one process for
/// each kind of core, one thread for each core that got a task, one complete event for each task. Times in
/// microseconds; the exact ticks are among the arguments.
[[nodiscard]] std::string chromeTrace(const Program& program, const Trace& trace);

}  // namespace cubist
