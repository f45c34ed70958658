// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

#include "core/design/resolve.h"

/// What vector operations compute together, found in the flow of their values: it makes no difference whether a norm is
/// one operation or is written out, in one stage or in several.
namespace cubist {

/// What is complete with the operations of a stage.
struct StagePatterns {
    bool norm = false;        ///< a value divided by the root of the mean of its squares
    bool partOfNorm = false;  ///< squares, their sum or its root for a norm that is complete here or later
    bool softmax = false;     ///< the sum of exponentials along an axis
    bool activation = false;  ///< sigmoid, silu, gelu or relu
};

/// A product of an activation with another value, of two different matmuls that share their left operand. Indices into
/// ResolvedDesign::blocks.
struct GatedProduct {
    std::size_t block = 0;      ///< the vector stage of the product
    std::size_t activated = 0;  ///< the cube stage behind the activation
    std::size_t other = 0;      ///< the cube stage behind the other side
};

struct OpPatterns {
    std::vector<StagePatterns> stages;  ///< by block; nothing holds for blocks that are no vector stages
    std::vector<GatedProduct> gates;    ///< at most one per vector stage, in execution order
};

[[nodiscard]] OpPatterns findPatterns(const ResolvedDesign& design);

/// Is it one value, or two views of one value with the same window in the same loops?
[[nodiscard]] bool isSameWindow(const ResolvedDesign& design, const ValueId& a, const ValueId& b);

}  // namespace cubist
