// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/exchange/run_summary.h"

namespace cubist {

/// A setting that two runs do not share.
struct RunDifference {
    std::string what;  ///< "chip", "case", "seed" ...
    std::string before, after;
    bool operator==(const RunDifference&) const = default;
};

/// A time in both runs; absent where a run has no such stage or pipe.
struct TimeChange {
    std::string name;
    std::optional<double> before, after;  ///< us
    /// after / before - 1 in percent; nothing when one is missing or the first is 0.
    [[nodiscard]] std::optional<double> percent() const;
};

struct OutputChange {
    std::string name;
    std::optional<OutputSummary> before, after;
};

/// What changed from one run to another one.
struct RunComparison {
    RunSummary before, after;
    std::vector<RunDifference> differences;
    bool settingsKnown = false;  ///< both files hold shapes, tiles and options
    TimeChange kernel, endToEnd;
    std::vector<TimeChange> stages;  ///< busy time; those of `before` in order, then new ones
    std::vector<TimeChange> pipes;   ///< busy time
    std::vector<OutputChange> outputs;
    std::optional<double> maxSlowerPercent;
    bool tooSlow = false;      ///< the kernel takes more than `maxSlowerPercent` longer
    bool verdictLost = false;  ///< it was pass, or not judged, and is fail
    [[nodiscard]] bool failed() const { return tooSlow || verdictLost; }
};

/// Errors: BadValue when a threshold is given and a run has no time.
[[nodiscard]] Result<RunComparison> compareRuns(RunSummary before, RunSummary after,
                                                std::optional<double> maxSlowerPercent);

/// "the kernel takes 12 us, before 10 us: +20.0 %, allowed are +5 %". Precondition: a threshold is given.
[[nodiscard]] std::string slowdownText(const RunComparison& comparison);

/// For people: aligned plain text.
[[nodiscard]] std::string comparisonText(const RunComparison& comparison);
[[nodiscard]] std::string comparisonJson(const RunComparison& comparison);
/// One test case for the kernel's time and one for the verdict of each output.
[[nodiscard]] std::string comparisonJunit(const RunComparison& comparison);

}  // namespace cubist
