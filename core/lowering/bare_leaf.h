// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/chip/chip_spec.h"
#include "core/lowering/leaf_builder.h"
#include "core/lowering/program.h"

namespace cubist {

/// One block of a hand-written matmul. Units: elements.
struct BareBlockSpec {
    StageIndex stage;
    std::int64_t m = 0, n = 0, k = 0;       ///< sizes of the block: valid rows and columns, steps along K up to k
    std::int64_t kValidA = 0, kValidB = 0;  ///< elements of K that A and B really have
    std::int64_t mTile = 0, nTile = 0;      ///< mL0 and nL0 as declared
    std::int64_t mSize = 0, nSize = 0;      ///< M and N of the whole matmul: a block is never larger
    std::int64_t kL0 = 0, kAL1 = 0, kBL1 = 0;
    bool aTrans = false, bTrans = false;
    DType aType = DType::FP32, bType = DType::FP32, accType = DType::FP32;
    std::int64_t slotCount = 0;     ///< 0: automatic
    std::vector<DType> outTypes;    ///< one per destination box
    HandWritten byHand;             ///< slots of one buffer, unit flag
    bool scaled = false;            ///< MX operands: loads and moves bring scales along
    bool aNz = false, bNz = false;  ///< stored in fractals
    bool throughUb = false;         ///< results go L0C->UB->GM, one half of the rows through each vector core
    bool operator==(const BareBlockSpec&) const = default;
};

/// The blocks that one core works through: the tiles of all take turns in the same slots, so that the loads of a block
/// overlap the block before. Every block has its own boxes, one after the other: A, B, then the destinations. Blocks
/// differ in their sizes and places only; order and slots as F-24 says. Precondition: there is a block.
/// Errors: DoesNotFit (a tile exceeds its buffer), Unsupported (more instructions than a leaf can hold).
[[nodiscard]] Result<Leaf> buildBareLeaf(std::span<const BareBlockSpec> blocks, const ChipSpec& chip);

}  // namespace cubist
