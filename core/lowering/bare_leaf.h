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

/// One block of a hand-written matmul. MX: loads and moves bring the scales along.
struct BareBlockSpec : CubeBlockSpec {
    bool throughUb = false;  ///< results go L0C->UB->GM, one half of the rows through each vector core
    bool operator==(const BareBlockSpec&) const = default;
};

/// The blocks that one core works through: the tiles of all take turns in the same slots, so that the loads of a block
/// overlap the block before. Every block has its own boxes, one after the other: A, B, then the destinations. Blocks
/// differ in their sizes and places only; order and slots as F-24 says. Precondition: there is a block.
/// Errors: DoesNotFit (a tile exceeds its buffer), Unsupported (more instructions than a leaf can hold).
[[nodiscard]] Result<Leaf> buildBareLeaf(std::span<const BareBlockSpec> blocks, const ChipSpec& chip);

}  // namespace cubist
