// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/accuracy/criterion.h"
#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/base/tensor.h"
#include "core/design/design.h"

namespace cubist {

/// One element with its error, for the list of worst elements.
struct WorstElement {
    std::vector<std::int64_t> index;
    double actual = 0, golden = 0, error = 0;
    double sumOfProducts = 0;  ///< sum of |a| |b| of the matmul that made it, 0 where that is not known
};

/// Is the error one that the order of a sum explains? Judged beside the chosen criterion. Source: F-39.
struct OrderBoundResult {
    Verdict verdict = Verdict::None;
    std::int64_t outside = 0;
    double largestShare = 0;  ///< largest error / bound
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
    std::int64_t allowed = 0;  ///< elements that may be outside
    std::int64_t failing = 0;  ///< two_threshold: elements beyond the failure threshold
    Tolerance limits;          ///< as used: rtol and atol are set
    LimitsByType byType;       ///< which of them the output's type gave
    std::string reason;        ///< why the verdict is fail; empty otherwise
    std::string goldenFile;    ///< where the golden came from; empty: computed, of the kind in `limits`
    std::optional<ThreeWayResult> threeWay;
    std::optional<OrderBoundResult> orderBound;
    std::int64_t elements = 0;
    std::int64_t nanCount = 0, infCount = 0;
    std::vector<WorstElement> worst;      ///< at most 20, largest first
    std::vector<std::int64_t> histogram;  ///< of log2 |error|: bin i counts 2^(i-64) <= |e| < 2^(i-63); zeros apart
    std::int64_t exact = 0;               ///< elements with error 0
    ErrorMap map;
};

/// How a sum of products is made: sums of `terms` products in FP32, `partials` of them, which are then stored and added
/// up in the type `partial`.
struct SumOrder {
    std::int64_t terms = 0;     ///< of one sum; 0: there is no sum
    std::int64_t partials = 1;  ///< slices of split-K; 1: K is not split
    DType partial = DType::FP32;
    bool operator==(const SumOrder&) const = default;
};

/// What a comparison may know besides the golden; row-major, empty where it is not known.
struct Companions {
    std::span<const double> benchmark;      ///< three_way: values of a benchmark of the same precision
    std::span<const double> sumOfProducts;  ///< sum of |a| |b| for each element
    /// Of an INT64 output: the golden as integers. Without them a golden that is a whole number is taken as one.
    std::span<const std::int64_t> integers;
    SumOrder order;  ///< how those sums were made
    /// Ascending positions: only these elements count, and only there golden and companions mean anything.
    std::span<const std::int64_t> sample;
};

/// Largest error that an element may have whatever the order of the additions in each of its sums, rounded to the
/// output's type at the end. Infinite where the type of the partial sums is too coarse for their number.
/// Source: F-39.
[[nodiscard]] double orderBound(DType type, double golden, double sumOfProducts, const SumOrder& order);

/// The bound with the infinities and the NaN that an order may give. No sum on the way is larger than that of the
/// positive products alone, (S + g) / 2, nor smaller than that of the negative ones, (S - g) / 2, but for the
/// roundings. Where one of them reaches infinity in FP32, or in the type of partial sums, some order does, and what is
/// added later does not bring it back; where both do, parts of the sum may be infinite on both sides and their sum NaN.
/// The result is infinite too (NaN in FP8E4M3) where golden and order together reach the type's end. Of an infinite
/// product (S infinite) every order keeps the infinity, and of a golden that is NaN the NaN. An infinite golden with a
/// finite S counts as the smallest number that is infinite in the type. Source: F-39
[[nodiscard]] OrderLimits orderLimits(DType type, double golden, double sumOfProducts, const SumOrder& order);

/// Compares `actual` with `golden` (row-major, same element count). Sums in fixed blocks, so the bits do not depend on
/// threads. NaN counts as outside unless both are NaN. INT64 is compared integer by integer. Source: F-30 .. F-34, F-36
/// .. F-39. Errors: WrongType (count), Unsupported (a criterion whose companion is missing), Cancelled.
[[nodiscard]] Result<OutputMetrics> compareOutput(const std::string& name, const HostTensor& actual,
                                                  std::span<const double> golden, const Tolerance& tolerance,
                                                  std::int64_t tileRows, std::int64_t tileCols,
                                                  const RunContext& context, const Companions& companions = {});

/// Golden values of some rows of an output, and the sums of their products where they are wanted.
struct GoldenRows {
    std::vector<double> golden, sumOfProducts;
};
/// Makes rows [first, first + count) of an output seen as a matrix.
using GoldenRowsOf = std::function<Result<GoldenRows>(std::int64_t first, std::int64_t count)>;

/// `compareOutput` to the bit, with the golden made block by block so that it never exists as a whole: about
/// `blockElements` elements at a time. `order`: of the sums of products; without terms when none are made. Errors: as
/// compareOutput, and those of `goldenOf`.
[[nodiscard]] Result<OutputMetrics> compareByRows(const std::string& name, const HostTensor& actual,
                                                  const GoldenRowsOf& goldenOf, std::int64_t blockElements,
                                                  const SumOrder& order, const Tolerance& tolerance,
                                                  std::int64_t tileRows, std::int64_t tileCols,
                                                  const RunContext& context);

}  // namespace cubist
