// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/option_table.h"
#include "app/cli/stop_on_signal.h"
#include "app/data_paths.h"

namespace cubist::cli {

/// What all commands of one process share.
struct Session {
    DataPaths paths;
    StopOnSignal* signals = nullptr;  ///< never null in a running program
};

/// The commands of the table: each returns the exit status.
[[nodiscard]] Result<int> listCommand(const Arguments& arguments, Session& session);
[[nodiscard]] Result<int> newCommand(const Arguments& arguments, Session& session);
[[nodiscard]] Result<int> checkCommand(const Arguments& arguments, Session& session);
[[nodiscard]] Result<int> runCommand(const Arguments& arguments, Session& session);
[[nodiscard]] Result<int> compareCommand(const Arguments& arguments, Session& session);
[[nodiscard]] Result<int> fidelityCommand(const Arguments& arguments, Session& session);
[[nodiscard]] Result<int> startCommand(const Arguments& arguments, Session& session);
[[nodiscard]] Result<int> variantsCommand(const Arguments& arguments, Session& session);
[[nodiscard]] Result<int> importCommand(const Arguments& arguments, Session& session);
[[nodiscard]] Result<int> exportCommand(const Arguments& arguments, Session& session);

/// The whole program: finds the command, runs it, turns errors into messages. Returns the exit status.
[[nodiscard]] int runProgram(const std::vector<std::string>& words, Session& session);

}  // namespace cubist::cli
