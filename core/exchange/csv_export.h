// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/run/run.h"

namespace cubist {

/// A run's time as tables in CSV (RFC 4180, a head line, line feeds), by file name:
/// - `stages.csv`: id, label, kind, tasks, span_us, busy_us, critical_us
/// - `pipes.csv`: pipe, busy_us, wait_us, summed over cores
/// - `causes.csv`: cause, ticks, us, share of all lanes' time
/// - `tasks.csv`: task, stage, label, core, iteration, ready_us, start_us, end_us, last_dependency
/// - `PipeUtilization.csv`: for each core with a task its time and the pipes' times and shares of it, under the names
///   that msprof uses
/// Precondition: the report has a program and a trace.
[[nodiscard]] std::map<std::string, std::string> csvTables(const RunReport& report);

/// A cell of a CSV line: quoted where it has to be.
[[nodiscard]] std::string csvCell(const std::string& text);

}  // namespace cubist
