// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/dtype.h"

namespace cubist {

/// One operand of a product, where it lies in memory. `i` is the row of A (along m) or the column of B (along n), so
/// one description serves both sides and either storage order:
///   A[M,K] row-major: iStride = K, kStride = 1     A stored [K,M]: iStride = 1, kStride = M
///   B[K,N] row-major: iStride = 1, kStride = N     B stored [N,K]: iStride = K, kStride = 1
/// Codes are in host storage (tensor.h). Float types may be mixed in one product; INT8 and INT4 go together.
struct CubeOperand {
    DType dtype = DType::FP32;
    const void* codes = nullptr;
    std::int64_t iStride = 0;  ///< elements between neighbours along i
    std::int64_t kStride = 0;  ///< elements between neighbours along k

    /// E8M0 codes of an MX operand, or null: the scale of element (i, k) is that of group g = k / 32, at
    /// i * scaleIStride + (g / 2) * scalePairStride + g % 2. k = 0 is the start of a group.
    ///   [M, ceil(K/64), 2]: scaleIStride = 2 * ceil(K/64), scalePairStride = 2
    ///   [ceil(K/64), N, 2]: scaleIStride = 2, scalePairStride = 2 * N
    const std::uint8_t* scales = nullptr;
    std::int64_t scaleIStride = 0;
    std::int64_t scalePairStride = 0;

    [[nodiscard]] const std::byte* element(std::int64_t i, std::int64_t k) const {
        return static_cast<const std::byte*>(codes) + (i * iStride + k * kStride) * hostBytesPerElement(dtype);
    }
    [[nodiscard]] std::uint8_t scale(std::int64_t i, std::int64_t k) const {
        const std::int64_t group = k / 32;
        return scales[i * scaleIStride + (group / 2) * scalePairStride + group % 2];
    }
    /// The operand that starts at (i, k). Range: k is a multiple of 64 where there are scales.
    [[nodiscard]] CubeOperand from(std::int64_t i, std::int64_t k) const {
        CubeOperand part = *this;
        part.codes = element(i, k);
        if (scales != nullptr) part.scales = scales + i * scaleIStride + (k / 64) * scalePairStride;
        return part;
    }
};

/// How a product treats its FP32 operands.
struct CubeMath {
    int hf32MantissaBits = 0;   ///< 0: FP32 as it is; 11 (2201) or 10 (3510): HF32, rounded before the multiplication
    bool hf32TiesAway = false;  ///< TransMode 1
    bool operator==(const CubeMath&) const = default;
};

}  // namespace cubist
