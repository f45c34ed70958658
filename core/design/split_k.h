// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/base/integer_math.h"
#include "core/design/resolve.h"

/// The hidden memory of a matmul whose K is split among tasks.
namespace cubist {

/// Elements of K in one slice; 0: K is not split.
[[nodiscard]] inline std::int64_t splitDepth(const CubeStage& stage) {
    return stage.tile.splitK ? std::max<std::int64_t>(std::min(stage.tile.kAL1(), stage.tile.kBL1()), 0) : 0;
}

/// What its partial sums are kept in.
[[nodiscard]] inline DType partialType(const CubeStage& stage) {
    return stage.outDType == DType::INT32 ? DType::INT32 : stage.partialDType;
}

/// Elements of partial sums that one execution keeps in global memory: a matrix for each slice, or one that all add to
/// where integers are exact. 0 where K is not split; the largest int64 where there are more.
[[nodiscard]] inline std::int64_t partialElements(const CubeStage& stage, const MatmulSize& size) {
    const std::int64_t depth = splitDepth(stage);
    if (depth == 0) return 0;
    std::int64_t elements = stage.outDType == DType::INT32 ? 1 : ceilDiv(size.k, depth);
    for (const std::int64_t extent : {size.batches(), size.m, size.n})
        elements = checkedMul(elements, extent).value_or(std::numeric_limits<std::int64_t>::max());
    return elements;
}

}  // namespace cubist
