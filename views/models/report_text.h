// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <optional>
#include <string>

#include "core/run/run.h"
#include "views/theme.h"

namespace cubist {

/// "the cores' loads (MTE2)", "the cube", "HBM" ...
[[nodiscard]] QString boundText(Bound bound);
[[nodiscard]] Token boundToken(Bound bound);
/// "documented", "cost model", "estimate".
[[nodiscard]] QString confidenceText(Confidence confidence);

/// "Bound by HBM. 20 of 24 cores, 1 wave". The report must have a trace.
[[nodiscard]] QString boundSentence(const RunReport& report);
/// "8.28 us"
[[nodiscard]] QString kernelText(const RunReport& report);
/// Time of a stage from its first start to its last end; empty when the report has none.
[[nodiscard]] std::optional<double> stageMicroseconds(const RunReport& report, const std::string& stage);

/// "-1.4 us" or "+0.3 us" of a change that can be seen; empty otherwise.
[[nodiscard]] QString deltaText(double before, double after);

/// "allclose 0.001 / 0.001", and what it asks for in one sentence.
[[nodiscard]] QString criterionText(const Tolerance& tolerance);
[[nodiscard]] QString criterionMeaning(Criterion criterion);

/// "Pass", "Fail", "Not compared".
[[nodiscard]] QString verdictText(Verdict verdict);
[[nodiscard]] Token verdictToken(Verdict verdict);
/// "all 10 240 elements within rtol 5e-3, atol 5e-3" or "12 of 10 240 elements outside ...".
[[nodiscard]] QString verdictSentence(const OutputMetrics& output, const Tolerance& tolerance);

}  // namespace cubist
