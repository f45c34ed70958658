// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/run/run.h"

namespace cubist {

/// One setting of the design's arithmetic, as --set takes it.
struct OtherNumerics {
    std::string path;   ///< "/blocks/0/ops/1/round"
    std::string value;  ///< JSON: "\"RINT\""
};

/// Settings that change how values are rounded, summed or clamped and nothing else, each to everything that it is not:
/// rounding and saturation of casts, rounding of quant_mx's scales, rounding of FP32 operands, order of accumulation,
/// type of split-K's partial sums.
[[nodiscard]] std::vector<OtherNumerics> otherNumerics(const Design& design);

/// The first of them under which a failed output with a given golden passes, which is then how the golden was made.
/// Computes the values once more for each; designs of more than 2^36
/// operations are left alone. Errors: Cancelled.
[[nodiscard]] Result<std::optional<OtherNumerics>> findOtherNumerics(const RunRequest& request, const RunReport& report,
                                                                     const std::string& output,
                                                                     const RunContext& context);

}  // namespace cubist
