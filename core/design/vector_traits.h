// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/base/dtype.h"
#include "core/design/design_enums.h"

namespace cubist {

/// Which part of an operation with several steps an elementary operation is.
enum class VectorStep : std::uint8_t {
    Only,     ///< the operation itself
    Pairs,    ///< topk, argsort: values with their places, sorted; 8 bytes an element
    Values,   ///< topk: the first values of the pairs; quant_mx: the data, from the operand and its scales
    Indices,  ///< topk, argsort: the places in the first pairs
    Scales,   ///< quant_mx: one exponent for 32 elements
};

/// Attributes of elementary vector operations that only some of them have.
struct VectorTraits {
    VectorStep step = VectorStep::Only;
    bool largest = true;                                ///< topk, argsort
    bool accumulate = false;                            ///< index_put
    bool interleaved = false;                           ///< rope
    ScatterReduce reduce = ScatterReduce::None;         ///< scatter
    ScaleRounding scaleRounding = ScaleRounding::Down;  ///< quant_mx
    DType mxType = DType::FP8E4M3;                      ///< quant_mx: type of the data
    std::uint8_t indexRank = 1;                         ///< index_select; index_put: axes that it picks along
    bool fromGm = false;                                ///< index_select: operand 0 stays in global memory
    double alpha = 1.0;                                 ///< index_add
    bool operator==(const VectorTraits&) const = default;
};

}  // namespace cubist
