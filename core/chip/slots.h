// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/base/dtype.h"
#include "core/base/integer_math.h"
#include "core/chip/chip_spec.h"

/// How many bytes tiles take in a core's buffers, and how many sets of tiles fit. Rules, buffer bars and lowering all
/// use these functions, so what is shown is what is emulated. Extents in elements; anything below 1 counts as 0, and
/// what does not fit 64 bits becomes the largest value.
namespace cubist {

/// Product of extents that may be any integers.
[[nodiscard]] inline std::int64_t saturatingMul(std::int64_t a, std::int64_t b) {
    if (a <= 0 || b <= 0) return 0;
    return checkedMul(a, b).value_or(std::numeric_limits<std::int64_t>::max());
}

[[nodiscard]] inline std::int64_t saturatingAdd(std::int64_t a, std::int64_t b) {
    return checkedAdd(a, b).value_or(std::numeric_limits<std::int64_t>::max());
}

/// The multiple to which an axis of a cube tile is padded: 16 elements for 2- and 4-byte operands, 32 for 1-byte and 64
/// for 4-bit ones.
[[nodiscard]] constexpr std::int64_t cubePadding(DType operand) {
    const int bits = bitsPerElement(operand);
    return bits >= 16 ? 16 : (bits == 8 ? 32 : 64);
}

/// An axis of a cube tile as the buffers hold it.
[[nodiscard]] inline std::int64_t paddedExtent(std::int64_t extent, DType operand) {
    const std::int64_t padding = cubePadding(operand);
    if (extent <= 0) return 0;
    if (extent > std::numeric_limits<std::int64_t>::max() - padding) return extent;
    return roundUp(extent, padding);
}

/// Bytes of rows x columns elements that are already padded.
[[nodiscard]] inline std::int64_t tileBytes(DType type, std::int64_t rows, std::int64_t columns) {
    const std::int64_t bits = saturatingMul(saturatingMul(rows, columns), bitsPerElement(type));
    return bits == std::numeric_limits<std::int64_t>::max() ? bits : ceilDiv(bits, 8);
}

/// One set of the tiles of a matmul. Source: F-40, F-41, F-42, F-43.
struct CubeTileBytes {
    std::int64_t l1A = 0;  ///< mL0 x kAL1
    std::int64_t l1B = 0;  ///< kBL1 x nL0
    std::int64_t l0A = 0;  ///< mL0 x kL0
    std::int64_t l0B = 0;  ///< kL0 x nL0
    std::int64_t l0C = 0;  ///< mL0 x nL0, FP32 or INT32

    [[nodiscard]] std::int64_t l1() const { return saturatingAdd(l1A, l1B); }
};

/// Tiles as declared, not cut to the matmul's size. L1 copies are mL0 x kAL1 and kBL1 x nL0: mL1 and nL1 do not count.
[[nodiscard]] inline CubeTileBytes cubeTileBytes(std::int64_t mL0, std::int64_t kL0, std::int64_t kAL1,
                                                 std::int64_t kBL1, std::int64_t nL0, DType a, DType b) {
    CubeTileBytes bytes;
    bytes.l1A = tileBytes(a, paddedExtent(mL0, a), paddedExtent(kAL1, a));
    bytes.l1B = tileBytes(b, paddedExtent(kBL1, b), paddedExtent(nL0, b));
    bytes.l0A = tileBytes(a, paddedExtent(mL0, a), paddedExtent(kL0, a));
    bytes.l0B = tileBytes(b, paddedExtent(kL0, b), paddedExtent(nL0, b));
    bytes.l0C = tileBytes(DType::FP32, paddedExtent(mL0, a), paddedExtent(nL0, b));
    return bytes;
}

/// A tile of a vector stage in UB: its rows (all axes but the last) each padded to whole 32-byte blocks. Source: F-44.
[[nodiscard]] inline std::int64_t vectorTileBytes(DType type, std::int64_t rows, std::int64_t columns) {
    const std::int64_t rowBytes = tileBytes(type, 1, columns);
    if (rowBytes > std::numeric_limits<std::int64_t>::max() - 32) return rowBytes;
    return saturatingMul(rows, roundUp(rowBytes, 32));
}

/// Bytes of MX scales that PyPTO allots for a tile in L0A_MX and L0B_MX. Source: F-47.
inline constexpr std::int64_t kMxScaleBytes = 2048;

/// Bytes of the FIXPIPE's buffer that hold the scales of channels. Source: F-46.
[[nodiscard]] inline std::int64_t channelScaleBytes(const ChipSpec& chip) {
    return std::min<std::int64_t>(chip.fbBytes.integer(), chip.arch == "2201" ? 2048 : 4096);
}

/// Slots of a buffer whose tiles together take `bytes`: as many as the design asks for, else 2 where they fit twice, 1
/// where they do not.
[[nodiscard]] constexpr std::int64_t slotCount(std::int64_t bytes, std::int64_t capacity,
                                               std::optional<std::int64_t> wanted = std::nullopt) {
    if (wanted) return *wanted;
    return bytes <= capacity / 2 ? 2 : 1;
}

}  // namespace cubist
