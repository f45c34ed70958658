// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/number_formats.h"
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

/// A sum or product of integers as it truly is, beside the low bits that a register keeps of it.
class ExactInteger {
public:
    explicit ExactInteger(std::int64_t value) : m_exact(value), m_low(static_cast<std::uint64_t>(value)) {}

    /// Range: fewer than 2^63 additions in all, after at most one multiplication beyond 64 bits.
    void add(std::int64_t value) {
        m_exact += value;
        m_low += static_cast<std::uint64_t>(value);
    }
    /// Beyond 64 bits a further factor leads back by being 0 alone: the exact value stays where it is.
    void multiply(std::int64_t value) {
        constexpr Wide kEnd = Wide{1} << 63;
        const bool beyond = m_exact > kEnd || m_exact < -kEnd;
        if (!beyond || value == 0) m_exact *= value;
        m_low *= static_cast<std::uint64_t>(value);
    }

    /// The low 64 bits.
    [[nodiscard]] std::int64_t low() const { return static_cast<std::int64_t>(m_low); }
    /// Does the type hold the value? A BOOL, which is only whether it is 0, holds all.
    [[nodiscard]] bool fits(DType type) const {
        return type == DType::BOOL || (m_exact == low() && narrowInteger(type, low()) == low());
    }

private:
    __extension__ using Wide = __int128;
    Wide m_exact;
    std::uint64_t m_low;
};

/// The element of `dst` at `at` takes the low bits of `value`; of a float type, which only a forced run has (DTYPE-08),
/// the nearest number. Where an integer type does not hold it, it is noted as wrapped.
void storeResult(const VectorDetail& detail, const UbTile& dst, const Extent4& at, const ExactInteger& value,
                 VectorScratch& scratch);

[[nodiscard]] std::int64_t integerAt(DType type, const std::byte* codes, std::int64_t i);
void storeInteger(DType type, std::byte* codes, std::int64_t i, std::int64_t value);

/// amax, amin, sum or prod along detail.axis of the source's part. Sums of floats: along the last axis element i goes
/// to lane i mod 64 ascending, then lanes are halved 32..1; along other axes ascending. Everything in FP32, rounded
/// once. Integers: sums wrap at the width of the result's type. Source: F-54.
void reduceTile(const VectorDetail& detail, const UbTile& dst, const UbTile& source, VectorScratch& scratch);

}  // namespace cubist
