// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/chip/chip_spec.h"
#include "core/design/design.h"
#include "core/lowering/program.h"

namespace cubist {

/// What the author of a hand-written kernel decides and PyPTO's compiler does not offer. Source: F-27.
struct HandWritten {
    std::int64_t l1Slots = 0, l0aSlots = 0, l0bSlots = 0, l0cSlots = 0;  ///< of one buffer; 0: as slotCount says
    bool unitFlag = false;  ///< FIX follows the last mmad block by block, and the next tile's first mmad follows FIX
    bool operator==(const HandWritten&) const = default;

    HandWritten() = default;
    explicit HandWritten(const Options& options);
};

/// How one block of a matmul is cut. Units: elements. Everything but the valid sizes is at least 1.
struct CubeBlockSpec {
    StageIndex stage;
    std::int64_t m = 0, n = 0, k = 0;       ///< sizes of the block: valid rows and columns, steps along K up to k
    std::int64_t kValidA = 0, kValidB = 0;  ///< elements of K that A and B really have; the rest reads as zero
    std::int64_t mTile = 0, nTile = 0;      ///< mL0 and nL0 as declared
    std::int64_t mSize = 0, nSize = 0;      ///< M and N of the whole matmul: a block is never larger
    std::int64_t kL0 = 0, kAL1 = 0, kBL1 = 0;
    /// M, N and K where the compiler knows them: slots are chosen for tiles that are no larger.
    std::int64_t mKnown = std::numeric_limits<std::int64_t>::max(), nKnown = mKnown, kKnown = mKnown;
    bool aTrans = false, bTrans = false;
    bool nzA = false, nzB = false;  ///< the operand lies in fractals
    bool scaled = false;            ///< MX operands; kL0 and the depths are multiples of 64
    DType aType = DType::FP32, bType = DType::FP32, accType = DType::FP32;
    std::int64_t slotCount = 0;   ///< 0: automatic
    HandWritten byHand;           ///< what a hand-written kernel decides beside it
    std::vector<DType> outTypes;  ///< one per destination box
    bool operator==(const CubeBlockSpec&) const = default;
};

/// A block as PyPTO compiles it. MX: two more boxes hold the E8M0 scales.
struct CubeLeafSpec : CubeBlockSpec {
    std::vector<bool> outAtomic;  ///< one per destination box: adds to what is there; empty: none does

    bool scaleATrans = false, scaleBTrans = false;  ///< scales of A stored [pairs, m, 2], of B [n, pairs, 2]
    std::optional<DType> biasType;                  ///< a box with the bias [n]
    std::optional<DType> channelScaleType;          ///< a box with the FIXPIPE's scales [n]
    std::optional<float> scale;                     ///< the FIXPIPE's scale, as it keeps it
    bool relu = false;
    Accumulation accumulation = Accumulation::Element;
    std::uint8_t fractalK = 0, hf32MantissaBits = 0;  ///< as in CubeDetail
    bool hf32TiesAway = false;
    bool operator==(const CubeLeafSpec&) const = default;

    /// Boxes in front of the destinations.
    [[nodiscard]] std::size_t inputs() const {
        return std::size_t{2} + (scaled ? 2 : 0) + (biasType ? 1 : 0) + (channelScaleType ? 1 : 0);
    }
};

/// First the bias and the channel scales; per kL1 step: load A, load B (and their MX scales),
/// behind the first step B before A where B alone has two slots; per kL0 step: move A,
/// move B (and scales), mmad; at the end one store per destination.
/// Parameters: box 0 is A [m x K as stored], box 1 is B, then scales of A, of B, bias, channel scales where there are
/// any, then the destinations [m x n].
/// Slots: 2 where all of a buffer's tiles (in L1: A and B together) fit twice, else 1. When A and B do not fit L1
/// together, each move loads its operand again. Scales lie in L0A_MX and L0B_MX at 1/16 of their tile's address.
/// Source: F-24.
/// Errors: DoesNotFit (a tile exceeds its buffer), Unsupported (more instructions than a leaf can hold).
[[nodiscard]] Result<Leaf> buildCubeLeaf(const CubeLeafSpec& spec, const ChipSpec& chip);

/// One operand or result of a vector leaf.
struct VectorLeafValue {
    DType dtype = DType::FP32;
    Extent4 extent{1, 1, 1, 1};  ///< physical tile
    Extent4 valid{1, 1, 1, 1};
    bool operator==(const VectorLeafValue&) const = default;
};

/// One operation of a vector leaf; operands are indices into VectorLeafSpec::values, or numbers. One whose first
/// operand stays in global memory (VectorTraits::fromGm) becomes a load of the rows that the index picks.
struct VectorLeafOp {
    std::array<std::uint16_t, kMaxOperands> in{Instruction::kNone, Instruction::kNone, Instruction::kNone};
    std::uint16_t out = Instruction::kNone;
    VectorDetail detail;
    bool operator==(const VectorLeafOp&) const = default;
};

/// A value that a vector leaf stores to one box.
struct VectorLeafOutput {
    std::uint16_t value = 0;
    std::uint16_t index = Instruction::kNone;  ///< indexed stores: the value that says where, and `detail` how
    bool atomic = false;
    VectorDetail detail;
    bool operator==(const VectorLeafOutput&) const = default;
};

struct VectorLeafSpec {
    StageIndex stage;
    std::vector<VectorLeafValue> values;
    std::vector<std::uint16_t> inputs;  ///< values loaded from boxes 0.., in order of first use
    std::vector<VectorLeafOp> ops;
    /// Stored to one box each. Boxes: the inputs, what rows are picked from in the order of the operations, the
    /// outputs.
    std::vector<VectorLeafOutput> outputs;
    bool operator==(const VectorLeafSpec&) const = default;
};

/// Loads every input tile, runs the operations, stores the results. UB places are shared by values whose lifetimes do
/// not meet; the workspace of an operation lives during its one instruction. Where that does not fit UB, inputs are
/// loaded as late and results stored as early as possible, and element-wise operations write over an operand that is
/// not read again. Source: F-23, F-75. Errors: DoesNotFit (UB).
[[nodiscard]] Result<Leaf> buildVectorLeaf(const VectorLeafSpec& spec, const ChipSpec& chip);

/// One piece of the sum of split-K partials: [rows, cols] of each, added in order in the partials' type.
struct CombineLeafSpec {
    StageIndex stage;
    std::int64_t rows = 0, cols = 0;
    std::int64_t partials = 1;
    DType partialType = DType::FP32;
    DType sumType = DType::FP32;  ///< what the result is converted to in the end
    std::size_t destinations = 1;
    std::vector<bool> outAtomic = {};  ///< as in CubeLeafSpec
    bool operator==(const CombineLeafSpec&) const = default;
};

/// Loads the first partial, then per further one: load, add. Parameters: the partials in order, then the destinations.
/// Loads have two places where they fit. Source: F-62. Errors: DoesNotFit (UB).
[[nodiscard]] Result<Leaf> buildCombineLeaf(const CombineLeafSpec& spec, const ChipSpec& chip);

/// Bytes of a UB tile: the last axis is padded to 32 bytes.
[[nodiscard]] std::int64_t ubTileBytes(DType dtype, const Extent4& extent);

}  // namespace cubist
