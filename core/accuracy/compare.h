// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/base/tensor.h"
#include "core/design/design.h"

namespace cubist {

enum class Verdict : std::uint8_t { Pass, Fail, None };

template <>
struct EnumTable<Verdict> {
    static constexpr std::string_view name = "verdict";
    static constexpr std::array entries{std::pair{Verdict::Pass, std::string_view{"pass"}},
                                        std::pair{Verdict::Fail, std::string_view{"fail"}},
                                        std::pair{Verdict::None, std::string_view{"none"}}};
};

/// One element with its error, for the list of worst elements.
struct WorstElement {
    std::vector<std::int64_t> index;
    double actual = 0, golden = 0, error = 0;
};

/// Largest |error| per cell of a grid over the output seen as a matrix (leading axes folded into rows).
/// Cells are whole fractions of the tile so that tile borders are cell borders. Shapes: maxAbs[gridRows * gridCols].
struct ErrorMap {
    std::int64_t rows = 0, cols = 0;          ///< of the matrix, elements
    std::int64_t tileRows = 1, tileCols = 1;  ///< tile grid, elements
    std::int64_t cellRows = 1, cellCols = 1;  ///< elements per cell
    std::int64_t gridRows = 0, gridCols = 0;
    std::vector<double> maxAbs;
    std::vector<std::int64_t> outside;  ///< elements beyond tolerance per cell
};

/// How one output compares with its golden. Ratios are plain, not percent.
struct OutputMetrics {
    std::string name;
    DType dtype = DType::FP32;
    std::vector<std::int64_t> shape;
    Verdict verdict = Verdict::None;
    double maxAbs = 0, maxRel = 0, meanAbs = 0, rmse = 0, cosine = 1;
    double maxUlp = 0;         ///< in the output's type
    std::int64_t outside = 0;  ///< elements beyond tolerance
    std::int64_t elements = 0;
    std::int64_t nanCount = 0, infCount = 0;
    std::vector<WorstElement> worst;      ///< at most 20, largest first
    std::vector<std::int64_t> histogram;  ///< of log2 |error|: bin i counts 2^(i-64) <= |e| < 2^(i-63); zeros apart
    std::int64_t exact = 0;               ///< elements with error 0
    ErrorMap map;
};

/// Compares `actual` with `golden` (row-major, same element count). Sums in fixed blocks, so the bits do not depend on
/// threads. NaN counts as outside unless both are NaN. With a `sample` (ascending row-major positions) only these
/// elements count, and only there the golden means anything. Source: F-30 .. F-34. Errors: WrongType (count),
/// Cancelled.
[[nodiscard]] Result<OutputMetrics> compareOutput(const std::string& name, const HostTensor& actual,
                                                  const std::vector<double>& golden, const Tolerance& tolerance,
                                                  std::int64_t tileRows, std::int64_t tileCols,
                                                  const RunContext& context, std::span<const std::int64_t> sample = {});

}  // namespace cubist
