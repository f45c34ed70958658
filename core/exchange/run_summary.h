// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/run_settings.h"

namespace cubist {

/// What a run's JSON says about one output. Numbers may be infinite or NaN.
struct OutputSummary {
    std::string name, dtype, verdict;
    double maxAbs = 0, maxRel = 0, rmse = 0;
    std::int64_t outside = 0;
};

struct StageSummary {
    std::string id, kind;
    double spanUs = 0, busyUs = 0, criticalUs = 0;
    std::int64_t tasks = 0;
};

struct PipeSummary {
    std::string name;
    double busyUs = 0, waitUs = 0;
};

struct TimingSummary {
    double kernelUs = 0, endToEndUs = 0, utilisation = 0;
    std::string bound;
    std::vector<StageSummary> stages;
    std::vector<PipeSummary> pipes;
};

/// The parts of a `run --json` file that runs are compared by.
struct RunSummary {
    std::string design, chip, caseName, launch, profile;
    std::int64_t seed = 0;
    std::optional<std::vector<RunSetting>> settings;  ///< absent in files of earlier versions
    std::int64_t errors = 0, warnings = 0;            ///< findings
    std::string verdict, criterion;
    std::vector<OutputSummary> outputs;
    std::optional<TimingSummary> timing;
};

/// Errors: as `parseJson`; MissingKey and WrongType with the JSON pointer.
[[nodiscard]] Result<RunSummary> readRunSummary(std::string_view text);

/// Errors: as above, and BadFile; `where` is the path, with the JSON pointer behind it.
[[nodiscard]] Result<RunSummary> loadRunSummary(const std::string& path);

}  // namespace cubist
