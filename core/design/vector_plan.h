// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/design/resolve.h"
#include "core/design/vector_tiles.h"
#include "core/design/vector_traits.h"

/// What a vector stage does in elementary operations, and which part of every value one tile of the result needs.
namespace cubist::detail {

constexpr std::size_t kMaxPlanOperands = 3;  ///< of all operations but concat

/// A value of a vector stage: an operand from outside, an operation's result, or something in between.
struct PlanValue {
    std::optional<ValueId> name;  ///< nothing for values in between
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> valid;
    DType dtype = DType::FP32;
    TileAxes tiled = {};  ///< of the stage's results: which entries of its tile cut them
};

/// An elementary operation on plan values. Axes and offsets count in the rank of the operand they belong to.
struct PlanOp {
    static constexpr std::uint16_t kNumber = 0xFFFF;

    VectorOpCode op = VectorOpCode::Cast;
    std::vector<std::uint16_t> in;  ///< kNumber where the operand is a number
    std::array<std::optional<double>, kMaxPlanOperands> number;
    std::uint16_t out = 0;
    RoundMode round = RoundMode::None;
    bool saturate = false;
    /// Reduction, concat, unsqueeze, reshape with dropsAxis; of the operations of the family Whole in operand 0.
    std::size_t axis = 0;
    bool dropsAxis = false;                         ///< reshape: removes `axis`, which has extent 1
    std::pair<std::size_t, std::size_t> swapped{};  ///< transpose
    std::vector<std::int64_t> offset;               ///< slice
    VectorTraits traits;
};

struct VectorPlan {
    std::vector<PlanValue> values;
    std::vector<std::uint16_t> inputs;  ///< values from outside, in order of first use
    std::vector<PlanOp> ops;

    [[nodiscard]] std::optional<std::uint16_t> find(const ValueId& name) const;
};

/// Takes a stage apart. sigmoid(x) = 1 / (1 + exp(-x)); clip = minimum(maximum(x, low), high); softmax subtracts the
/// maximum, divides by the sum; rms_norm(x) = x / sqrt(sum(x * x * (1 / n)) + epsilon) * gamma; silu(x) = x / (1 +
/// exp(-x)); gelu, rope, quantize, dequantize, topk, argsort and quant_mx: see F-72 to F-77. Steps round to the
/// operand's type, those of sigmoid, softmax and rms_norm to FP32: they cast there first and back at the end. Source:
/// F-25, F-72, F-73, F-74, F-76, F-77. Errors: as validShape; Unsupported (a reshape, rope or quant_mx of a value that
/// is not valid as a whole).
[[nodiscard]] Result<VectorPlan> planVector(const VectorStage& stage, const ResolvedDesign& design,
                                            const IndexValues& indices);
/// The same for many stages of one iteration: `valids` are of this design and these indices.
[[nodiscard]] Result<VectorPlan> planVector(const VectorStage& stage, const ResolvedDesign& design,
                                            const IndexValues& indices, ValidShapes& valids);

/// A rectangle of a value, in its own rank.
struct Region {
    std::vector<std::int64_t> offset, extent;
};

/// Enlarges a region so that it holds `more` as well.
void extend(std::optional<Region>& region, const Region& more);

/// The results' common space, which tiles cut: the shape of the largest of `outputs`.
[[nodiscard]] std::vector<std::int64_t> outputSpace(const VectorPlan& plan, const std::vector<std::uint16_t>& outputs);

/// What becomes of a tile that cuts a reduced axis, which is never cut: all else stays as it is, or the other axes are
/// cut into as many more pieces, so that the tasks are as many and as large as the pieces that PyPTO reduces.
enum class ReducedTile : std::uint8_t { Longer, SameSize };

/// The stage's tile in the axes of its space. An axis that no tile may cut is taken whole. Source: F-79.
[[nodiscard]] std::vector<std::int64_t> outputTile(const VectorStage& stage, const VectorPlan& plan,
                                                   const std::vector<std::uint16_t>& outputs,
                                                   ReducedTile reduced = ReducedTile::Longer);

/// What every output contributes to the tile at `at`, one entry per entry of `outputs`; nothing where another tile
/// writes it. An output whose axes were exchanged goes with the tile it is made from, and so does one of another rank
/// than the space. Nothing at all when one of them goes with none.
[[nodiscard]] std::optional<std::vector<std::optional<Region>>> outputRegions(const VectorPlan& plan,
                                                                              const std::vector<std::uint16_t>& outputs,
                                                                              const std::vector<std::int64_t>& space,
                                                                              const std::vector<std::int64_t>& at,
                                                                              const std::vector<std::int64_t>& tile);

/// What an output of this shape contributes to the tile at `at`; nothing where another tile writes it.
[[nodiscard]] std::optional<Region> outputRegion(const std::vector<std::int64_t>& shape,
                                                 const std::vector<std::int64_t>& space,
                                                 const std::vector<std::int64_t>& at,
                                                 const std::vector<std::int64_t>& tile);

/// The part of every value that UB has to hold to make the given parts of some results (`wanted`: one entry per value,
/// most empty). Values that are not needed stay empty, and so do those of which rows are picked in global memory.
[[nodiscard]] std::vector<std::optional<Region>> demand(const VectorPlan& plan,
                                                        std::vector<std::optional<Region>> wanted);

/// The part of operand 0 of an index_select that `out` of its result picks rows from: whole along the axis.
[[nodiscard]] Region gatheredRegion(const VectorPlan& plan, const PlanOp& op, const Region& out);

}  // namespace cubist::detail
