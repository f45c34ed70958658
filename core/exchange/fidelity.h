// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/chip/chip_spec.h"
#include "core/lowering/bare_kernel.h"

/// Measured times of real NPUs against emulated ones.
namespace cubist {

/// What a measured time covers.
enum class MeasuredQuantity : std::uint8_t { Task, Aicore, Kernel };

/// One measured case. A case that cannot be expressed keeps its identity and says why.
struct FidelityCase {
    std::string id, op, chip, source;
    MeasuredQuantity quantity = MeasuredQuantity::Task;
    std::string quantityText;
    double measuredMicroseconds = 0;
    std::optional<BareMatmul> matmul;
    std::optional<BareCopy> copy;
    std::vector<std::string> assumed;  ///< what the case leaves open and the emulation fills in
    std::string reason;                ///< why it cannot be expressed; empty: it can
};

struct FidelityResult {
    FidelityCase measured;
    std::optional<double> predictedMicroseconds;
    std::optional<double> floorMicroseconds;  ///< closed form: the longest pipe, published constants. Source: F-28
    std::string reason;
    std::vector<std::string> lowered;  ///< slots that the case asks for and that do not fit, one sentence per buffer
};

struct FidelitySummary {
    std::int64_t n = 0;  ///< cases, those without a prediction included
    std::int64_t missing = 0;
    /// Of |ln(predicted / measured)|; a missing one counts as infinite. Quantile q of n sorted values: the one at
    /// q * (n - 1), linear between neighbours; p90Rank: the ceil(0.9 n)-th (nearest rank).
    double median = 0, p90 = 0, p90Rank = 0;
    std::int64_t pairs = 0, pairsRight = 0;        ///< same chip, measured more than 5 % apart
    std::int64_t allPairs = 0, allPairsRight = 0;  ///< same chip, measured times that differ at all
};

struct FidelityReport {
    std::vector<FidelityResult> cases;
    std::map<std::string, FidelitySummary> summary;  ///< by op
    std::map<std::string, FidelitySummary> floor;    ///< the same for the closed form
};

/// Reads a file of cases (version 1). A field that is not known makes its row inexpressible. Errors: as parseJson;
/// BadValue, WrongType for a document that is no list of cases.
[[nodiscard]] Result<std::vector<FidelityCase>> readFidelityCases(std::string_view text);

using ChipFinder = std::function<Result<ChipSpec>(const std::string&)>;

/// Emulates every case. Errors: Cancelled.
[[nodiscard]] Result<FidelityReport> measureFidelity(const std::vector<FidelityCase>& cases, const ChipFinder& chips,
                                                     const RunContext& context);

/// Longest pipe of the whole kernel with nominal rates and published rules of thumb, nothing fitted. Source: F-28.
[[nodiscard]] double closedFormMicroseconds(const FidelityCase& measured, const ChipSpec& chip);

[[nodiscard]] std::string fidelityJson(const FidelityReport& report);
/// The same as tables of a Markdown page (docs/fidelity.md).
[[nodiscard]] std::string fidelityMarkdown(const FidelityReport& report);
/// A table for people.
[[nodiscard]] std::string fidelityText(const FidelityReport& report);

}  // namespace cubist
