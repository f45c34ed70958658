// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/dtype.h"

namespace cubist {

/// One block of a matmul as L1 sees it. Units: elements; extents beyond the matmul's own have been cut off.
struct L1Block {
    std::int64_t m = 1, n = 1, k = 1;  ///< of the block; k: of one slice where split-K cuts it
    std::int64_t kL0 = 1, kAL1 = 1, kBL1 = 1;
    DType a = DType::FP16, b = DType::FP16;
    bool scaled = false;        ///< MX scales lie beside the tiles
    std::int64_t rows = 0;      ///< copied once, before the others: bias, scales of channels
    std::int64_t rowBytes = 0;  ///< what those take of L1
};

/// Copies of tiles and rows into L1 that the block makes, and how many of them are different.
struct L1Loads {
    std::int64_t loads = 0, distinct = 0;
    bool operator==(const L1Loads&) const = default;
};

/// Bytes of L1 that the block takes in one step along K.
struct L1Bytes {
    std::int64_t a = 0, b = 0;  ///< the tile of A and of B, no deeper than K
    std::int64_t beside = 0;    ///< rows and MX scales, which lie beside either
};

/// Pure; extents and depths of at least 1. Saturates. Source: F-43.
[[nodiscard]] L1Bytes l1Bytes(const L1Block& block);

/// Where the tiles of A and B fit `capacity` bytes together each is copied once, as mL0 x kAL1 and kBL1 x nL0; where
/// they do not, every step along K evicts one for the other and copies it again. Nothing: one of them does not fit
/// beside the rows and scales, or depths in L1 that are no multiples of kL0 cut K more than 4096 times. Pure; takes no
/// time to speak of otherwise, however long K is. Source: F-43, run on the PyPTO frontend (L1 evictions of the
/// scheduler).
[[nodiscard]] std::optional<L1Loads> l1Loads(const L1Block& block, std::int64_t capacity);

}  // namespace cubist
