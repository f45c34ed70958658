// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/base/tensor.h"
#include "core/design/resolve.h"
#include "core/golden/golden_values.h"
#include "core/golden/sample.h"

namespace cubist {

/// A whole tensor of reference values, row-major.
struct GoldenTensor {
    std::vector<std::int64_t> shape;
    GoldenValues values;
    std::vector<std::int64_t> integers;  ///< of INT64: the values, which FP64 may have to round
};

struct GoldenSet {
    std::map<std::string, GoldenTensor> outputs;  ///< outputs and inouts by id; elements that no store writes stay
    std::map<std::string, GoldenTensor> stages;   ///< by value name, see GoldenRequest::stageResults
    /// Products that were computed whole although only samples are wanted, because what reads them needs all elements.
    std::set<std::string> wholeProducts;
};

/// Some rows of an output, counted over all axes but the last.
struct RowRange {
    std::int64_t first = 0, count = 0;
};

struct GoldenRequest {
    GoldenKind kind = GoldenKind::Ideal;
    /// Also returns what every cube and vector stage hands on: its declared shape once per execution, stacked along the
    /// first axis in the order of the loops, 0 beyond the valid part. Costs 8 bytes for each element.
    bool stageResults = false;
    /// Stage results, laid out in the same way, that are used instead of computing the stage: with the emulator's
    /// results here, what follows shows the error that a stage inherits apart from the error that it adds.
    std::map<std::string, const HostTensor*> given;
    /// Outputs of which only these elements are wanted; products are then computed for what those elements need, other
    /// elements of the outputs mean nothing. Not together with stageResults.
    std::map<std::string, OutputSample> samples;
    /// Only these rows of the output of a design whose rows are apart (`rowsAreApart`), which then is [rows, columns],
    /// or some of its matrices (`rowUnit`).
    std::optional<RowRange> rows = {};
};

/// The matmul of a design that is nothing but one product of matrices, perhaps in loops, stored into the only output
/// where it is made; null for other designs.
[[nodiscard]] const CubeStage* oneProduct(const ResolvedDesign& design);

/// Can the golden of the only output be had block by block of its rows? Of one product it can, and of chains of
/// products, elementwise operations, and reductions and normalisations of rows, in which every row of a result comes
/// from the same row of what other stages made; of several matrices every one from the same matrix.
[[nodiscard]] bool rowsAreApart(const ResolvedDesign& design);

/// Rows that are made together there: those of one entry of the first axis where there are several matrices, else 1.
/// `GoldenRequest::rows` counts in multiples of it.
[[nodiscard]] std::int64_t rowUnit(const ResolvedDesign& design);

/// Golden values of every output and inout tensor by plain whole-tensor mathematics, written independently of lowering
/// and emulator. `inputs` by tensor id. Ideal: FP64; conversions to FP32, FP16 and BF16 are ignored but for declared
/// saturation, those to integers and narrower floats are not; a matmul sums K ascending in FP64, where products of
/// decoded values are exact, one rounding per step. Integers keep the low bits of exact results. Framework: every
/// result is rounded to FP32 and to its declared type, and a matmul of floats sums in FP32 by the order of F-69, which
/// knows nothing of tiles or split-K. Identical on every host and for any number of threads. Cost: outputs take 8 bytes
/// an element; operands are converted by blocks; a stage result lives until its last use. Errors: Cancelled;
/// UnknownName (an input is missing); WrongType (an input has another type or shape); Unsupported (operands that are
/// not matrices); BadValue (a window outside its tensor).
[[nodiscard]] Result<GoldenSet> computeGolden(const ResolvedDesign& design,
                                              const std::map<std::string, const HostTensor*>& inputs,
                                              const GoldenRequest& request, const RunContext& context);

/// The same for the outputs alone.
[[nodiscard]] Result<GoldenSet> computeGolden(const ResolvedDesign& design,
                                              const std::map<std::string, const HostTensor*>& inputs, GoldenKind kind,
                                              const RunContext& context);

}  // namespace cubist
