// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/chip/l1_loads.h"

#include <algorithm>

#include "core/base/integer_math.h"
#include "core/base/nz_format.h"
#include "core/chip/slots.h"

namespace cubist {
namespace {

constexpr std::int64_t kMostSteps = 65'536;
constexpr std::int64_t kFractal = 16;    ///< rows of A and columns of B are whole fractals in L1
constexpr std::int64_t kScalePair = 64;  ///< elements of K that two MX scales cover

/// `extent` up to a multiple; extents that near the largest value stay as they are.
std::int64_t whole(std::int64_t extent, std::int64_t multiple) {
    return saturatingMul(ceilDiv(std::max<std::int64_t>(extent, 1), multiple), multiple);
}

/// Bytes of a tile of `outer` rows or columns by `k`.
std::int64_t panelBytes(DType type, std::int64_t outer, std::int64_t k) {
    return tileBytes(type, whole(outer, kFractal), whole(k, blockElements(type)));
}

std::int64_t scaleBytes(std::int64_t outer, std::int64_t k) {
    return saturatingMul(whole(outer, kFractal), 2 * ceilDiv(std::max<std::int64_t>(k, 1), kScalePair));
}

}  // namespace

std::optional<L1Loads> l1Loads(const L1Block& block, std::int64_t capacity) {
    if (block.k < 1 || block.kL0 < 1 || block.kAL1 < 1 || block.kBL1 < 1 || block.k / block.kL0 >= kMostSteps)
        return std::nullopt;
    if (block.k / block.kAL1 >= kMostSteps || block.k / block.kBL1 >= kMostSteps) return std::nullopt;
    const std::int64_t depthA = std::min(block.kAL1, block.k), depthB = std::min(block.kBL1, block.k);
    const std::int64_t scales =
        block.scaled ? saturatingAdd(scaleBytes(block.m, depthA), scaleBytes(block.n, depthB)) : 0;
    const std::int64_t room = capacity - saturatingAdd(block.rowBytes, scales);
    const std::int64_t a = panelBytes(block.a, block.m, depthA), b = panelBytes(block.b, block.n, depthB);
    if (a > room || b > room) return std::nullopt;
    L1Loads out{block.rows, block.rows + ceilDiv(block.k, depthA) + ceilDiv(block.k, depthB)};
    std::int64_t residentA = -1, residentB = -1;  // where along K the tiles in L1 start
    for (std::int64_t k = 0; k < block.k;) {
        const std::int64_t startA = k - k % block.kAL1, startB = k - k % block.kBL1;
        // The last tiles along K may be short enough to stay.
        const bool apart = saturatingAdd(panelBytes(block.a, block.m, std::min(block.kAL1, block.k - startA)),
                                         panelBytes(block.b, block.n, std::min(block.kBL1, block.k - startB))) > room;
        if (apart) residentA = residentB = -1;
        out.loads += (residentA != startA ? 1 : 0) + (residentB != startB ? 1 : 0);
        residentA = apart ? -1 : startA;
        residentB = apart ? -1 : startB;
        const std::int64_t step = std::min({block.kL0, block.kAL1 - k % block.kAL1, block.kBL1 - k % block.kBL1});
        k += std::min(step, block.k - k);
    }
    return out;
}

}  // namespace cubist
