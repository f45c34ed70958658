// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/chip/l1_loads.h"

#include <algorithm>
#include <array>

#include "core/base/integer_math.h"
#include "core/base/nz_format.h"
#include "core/chip/slots.h"

namespace cubist {
namespace {

constexpr std::int64_t kMostStretches = 4096;
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

/// Tiles along K of one operand.
struct Panels {
    std::int64_t depth = 1, bytes = 0;  ///< of a whole tile; the last one may be shorter
    std::int64_t lastStart = 0, lastBytes = 0;
    std::int64_t resident = -1;  ///< number of the tile in L1

    /// Loads of the tiles that meet [from, to), when they stay.
    std::int64_t load(std::int64_t from, std::int64_t to) {
        const std::int64_t first = from / depth, last = (to - 1) / depth;
        const std::int64_t loads = last - first + (resident == first ? 0 : 1);
        resident = last;
        return loads;
    }
};

Panels panelsOf(DType type, std::int64_t outer, std::int64_t depth, std::int64_t k) {
    Panels out;
    out.depth = depth;
    out.lastStart = (k - 1) / depth * depth;
    out.bytes = panelBytes(type, outer, std::min(depth, k));
    out.lastBytes = panelBytes(type, outer, k - out.lastStart);
    return out;
}

/// Steps of kL0 in [from, to), `from` where a tile of A or of B begins: each ends where one of these does.
std::optional<std::int64_t> stepsIn(const L1Block& block, std::int64_t from, std::int64_t to) {
    if (block.kAL1 % block.kL0 == 0 && block.kBL1 % block.kL0 == 0) return ceilDiv(to - from, block.kL0);
    std::int64_t steps = 0, stretches = 0;
    for (std::int64_t k = from; k < to;) {
        if (++stretches > kMostStretches) return std::nullopt;
        const std::int64_t stretch = std::min({to - k, block.kAL1 - k % block.kAL1, block.kBL1 - k % block.kBL1});
        steps += ceilDiv(stretch, block.kL0);
        k += stretch;
    }
    return steps;
}

}  // namespace

L1Bytes l1Bytes(const L1Block& block) {
    const std::int64_t depthA = std::min(block.kAL1, block.k), depthB = std::min(block.kBL1, block.k);
    const std::int64_t scales =
        block.scaled ? saturatingAdd(scaleBytes(block.m, depthA), scaleBytes(block.n, depthB)) : 0;
    return {panelBytes(block.a, block.m, depthA), panelBytes(block.b, block.n, depthB),
            saturatingAdd(block.rowBytes, scales)};
}

std::optional<L1Loads> l1Loads(const L1Block& block, std::int64_t capacity) {
    if (block.k < 1 || block.kL0 < 1 || block.kAL1 < 1 || block.kBL1 < 1) return std::nullopt;
    const L1Bytes bytes = l1Bytes(block);
    const std::int64_t room = capacity - bytes.beside;
    if (bytes.a > room || bytes.b > room) return std::nullopt;
    Panels a = panelsOf(block.a, block.m, block.kAL1, block.k), b = panelsOf(block.b, block.n, block.kBL1, block.k);
    L1Loads out{block.rows, block.rows + ceilDiv(block.k, block.kAL1) + ceilDiv(block.k, block.kBL1)};
    // Sizes change twice at most along K, for the last tiles may be short enough to stay.
    const std::array ends{std::min(a.lastStart, b.lastStart), std::max(a.lastStart, b.lastStart), block.k};
    std::int64_t from = 0;
    for (const std::int64_t to : ends) {
        if (from == to) continue;
        const std::int64_t bytesA = from < a.lastStart ? a.bytes : a.lastBytes;
        const std::int64_t bytesB = from < b.lastStart ? b.bytes : b.lastBytes;
        if (saturatingAdd(bytesA, bytesB) > room) {
            a.resident = b.resident = -1;
            const auto steps = stepsIn(block, from, to);
            if (!steps) return std::nullopt;
            out.loads = saturatingAdd(out.loads, saturatingMul(2, *steps));
        } else {
            out.loads = saturatingAdd(out.loads, saturatingAdd(a.load(from, to), b.load(from, to)));
        }
        from = to;
    }
    return out;
}

}  // namespace cubist
