// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/output_files.h"
#include "core/exchange/bundle.h"
#include "core/run/run.h"

namespace cubist::cli {

/// A request with what the command line says about the design besides it.
struct DesignRequest {
    RunRequest run;
    std::string designFile;
    /// The design as its file has it, when no option edits it: `run.design` is then what its case makes of it.
    std::shared_ptr<const Design> asLoaded;
    int threads = 1;
    /// The bundle that DESIGN is, when no option changes what it runs.
    std::optional<Bundle> bundle;
};

/// Opens DESIGN and applies the options that all commands on designs share. Warnings about the file are printed.
/// Errors: as `openDesign` and `setAt`; BadValue, UnknownName, WrongType for an option's value; Unsupported.
[[nodiscard]] Result<DesignRequest> makeRequest(const Arguments& arguments, const Session& session);

/// Names the files that a command on designs reads, so that none of its outputs overwrites them.
void protectInputs(const DesignRequest& request, OutputFiles& outputs);

/// Stops on a signal; without `progress` nothing is shown.
[[nodiscard]] RunContext makeContext(const DesignRequest& request, const Session& session);

/// Writes the announced files unless a stop was requested. Errors: Cancelled; as OutputFiles::commit.
[[nodiscard]] Result<void> finish(OutputFiles& outputs, Session& session);

/// The line that explains exit status 1: how many errors and the first, or which output is wrong.
void explainFailure(const RunReport& report);

/// Says so when the kernel has more instructions than a Perfetto trace shows.
void noteTraceLimit(const RunReport& report);

}  // namespace cubist::cli
