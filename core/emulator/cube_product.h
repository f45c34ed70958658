// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/emulator/cube_operand.h"
#include "core/lowering/program.h"

namespace cubist {

/// One operand of a product: a box of the task, all of whose K steps are loaded.
struct ProductOperand {
    std::uint16_t box = 0;
    bool outerIsRow = true;               ///< rows of the stored matrix run along m or n, columns along K
    std::optional<std::uint16_t> scales;  ///< MX: the box of its E8M0 scales
    bool scalePairsFirst = false;         ///< they are [pairs, outer, 2] instead of [outer, pairs, 2]
    bool operator==(const ProductOperand&) const = default;
};

/// One way of the accumulator back to global memory.
struct ProductStore {
    std::uint16_t box = 0;
    DType dtype = DType::FP32;
    std::int64_t rows = 0, cols = 0;  ///< elements of the accumulator that are stored
    std::int64_t row = 0, col = 0;    ///< where they go in the box
    bool relu = false;
    std::optional<float> scale;
    std::optional<std::uint16_t> channelScales;  ///< the box with a row of scales
    bool atomic = false;
};

/// What a cube leaf computes, apart from the steps in which it does: accumulator[m, n] = sum over k ascending of
/// a[m, k] * b[k, n], from zero or from a row of biases, then its stores.
struct LeafProduct {
    std::int64_t m = 0, n = 0, k = 0;
    DType accumulator = DType::FP32;
    ProductOperand a, b;
    CubeMath math;
    std::optional<std::uint16_t> bias;  ///< the box with the row that every sum starts from
    std::vector<ProductStore> stores;
};

/// Follows the operands from the loads through the moves to the products. Empty for a leaf that is not one clean chain:
/// steps that leave K out or take it twice, an accumulator that is started again or never, an operand whose K ends
/// before the other's (its rest reads as zero), sums per fractal or MX group, or any instruction that has no place in a
/// product. Such leaves take the
/// interpreter, which does what they say.
[[nodiscard]] std::optional<LeafProduct> productOf(const Leaf& leaf);

}  // namespace cubist
