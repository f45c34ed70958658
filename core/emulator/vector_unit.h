// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/lowering/program.h"

namespace cubist {

/// A tile in UB: rows of the valid shape one after the other, `rowStride` elements apart.
struct UbTile {
    std::byte* data = nullptr;
    DType dtype = DType::FP32;
    Extent4 shape{1, 1, 1, 1};  ///< valid shape; an axis of extent 1 is broadcast when it is a source
    std::int64_t rowStride = 1;
};

/// Scratch memory of one thread.
struct VectorScratch {
    std::vector<float> left, right;
    std::vector<std::int64_t> leftInt, rightInt;
};

/// dst = op(src0, src1) as PyPTO computes it: floats in FP32, rounded once to the result's type; integers wrap at the
/// width of the result's type. A missing source is the number of `detail`. NaN goes through every operation, maximum
/// and minimum included.
void applyVector(const VectorDetail& detail, const UbTile& dst, const UbTile* src0, const UbTile* src1,
                 VectorScratch& scratch);

}  // namespace cubist
