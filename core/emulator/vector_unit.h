// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/emulator/value_losses.h"
#include "core/lowering/program.h"

namespace cubist {

/// The part of a tile in UB that an operation touches: rows of the tile's valid shape lie `rowStride` elements apart.
struct UbTile {
    std::byte* data = nullptr;  ///< null: the operand is a number, or absent
    DType dtype = DType::FP32;
    TilePart part;
    std::int64_t rowStride = 1;
};

/// Elements that quant_mx clips to the largest value of their type, with the shared exponent rounded down and up; the
/// operation itself does one of both.
struct ClippedElements {
    std::int64_t down = 0, up = 0, all = 0;
    bool roundsDown = true;
    DType type = DType::FP8E4M3;

    void add(const ClippedElements& more);
};

/// Scratch memory of one thread.
struct VectorScratch {
    std::array<std::vector<float>, kMaxOperands> floats;
    std::array<std::vector<std::int64_t>, kMaxOperands> integers;
    std::vector<float> lanes;
    std::vector<std::uint32_t> order;
    std::optional<std::int64_t> repeated;  ///< index_put: a place, numbered within the picked axes, that was put twice
    ClippedElements clipped;               ///< of all operations since the last reset
    ValueLosses losses;                    ///< of all operations and stores since the last reset
};

/// An entry of an index that no element answers to.
struct BadIndex {
    Extent4 at{0, 0, 0, 0};  ///< place in the index's tile, right-aligned
    std::int64_t value = 0;
    std::int64_t limit = 0;  ///< elements of the axis
};

using VectorSources = std::array<UbTile, kMaxOperands>;

/// dst = op(sources) as PyPTO computes it: floats in FP32, rounded once to the result's type; integers wrap at the
/// width of the result's type. A missing source is the number of `detail`. NaN goes through every operation, maximum
/// and minimum included; comparisons with NaN are false (`ne` is true). exp and log are our own (at most 1 ulp), the
/// rest is IEEE 754. A row sum adds element i to lane i mod 64, then halves the lanes from 32 to 1. Returns the first
/// entry of an index operand that is out of range. What wraps or is clamped is noted in `scratch`. Source: F-54, F-55,
/// F-72 to F-77.
[[nodiscard]] std::optional<BadIndex> applyVector(const VectorDetail& detail, const UbTile& dst,
                                                  const VectorSources& sources, VectorScratch& scratch);

}  // namespace cubist
