// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/emulator/vector_unit.h"

/// Inside of the vector unit: places and single elements of UB tiles, and reductions.
namespace cubist {

/// Address of the element at `at` of a tile's part; axes on which the part has extent 1 stand still.
[[nodiscard]] inline std::byte* elementOf(const UbTile& tile, const Extent4& at) {
    const TilePart& part = tile.part;
    const auto place = [&](std::size_t axis) { return part.offset[axis] + (part.extent[axis] == 1 ? 0 : at[axis]); };
    const std::int64_t row = (place(0) * part.layout[1] + place(1)) * part.layout[2] + place(2);
    return tile.data + (row * tile.rowStride + place(3)) * hostBytesPerElement(tile.dtype);
}

/// Place of the element at `at` of the part in the whole tile.
[[nodiscard]] inline Extent4 placeOf(const UbTile& tile, const Extent4& at) {
    Extent4 place = tile.part.offset;
    for (std::size_t axis = 0; axis < 4; ++axis)
        if (tile.part.extent[axis] != 1) place[axis] += at[axis];
    return place;
}

/// The element of `dst` at `at` has wrapped around; a BOOL, which is only whether it is 0, has not.
void noteWrapped(const VectorDetail& detail, const UbTile& dst, const Extent4& at, VectorScratch& scratch);

/// The element of `dst` at `at` takes the low bits of `value`. Where the type does not hold it, or with `fits` false it
/// has lost bits already, it is noted as wrapped.
void storeResult(const VectorDetail& detail, const UbTile& dst, const Extent4& at, std::int64_t value, bool fits,
                 VectorScratch& scratch);

[[nodiscard]] std::int64_t integerAt(DType type, const std::byte* codes, std::int64_t i);
void storeInteger(DType type, std::byte* codes, std::int64_t i, std::int64_t value);

/// amax, amin, sum or prod along detail.axis of the source's part. Sums of floats: along the last axis element i goes
/// to lane i mod 64 ascending, then lanes are halved 32..1; along other axes ascending. Everything in FP32, rounded
/// once. Integers: sums wrap at the width of the result's type. Source: F-54.
void reduceTile(const VectorDetail& detail, const UbTile& dst, const UbTile& source, VectorScratch& scratch);

}  // namespace cubist
