// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

namespace cubist {

/// Smallest q with q * b >= a. Range: a >= 0, b > 0.
[[nodiscard]] constexpr std::int64_t ceilDiv(std::int64_t a, std::int64_t b) {
    return a / b + (a % b != 0 ? 1 : 0);
}

/// a rounded up to a multiple of b. Range: a >= 0, b > 0.
[[nodiscard]] constexpr std::int64_t roundUp(std::int64_t a, std::int64_t b) {
    return ceilDiv(a, b) * b;
}

/// a * b, or nothing when it does not fit 64 bits.
[[nodiscard]] inline std::optional<std::int64_t> checkedMul(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
    return product;
}

/// a + b, or nothing when it does not fit 64 bits.
[[nodiscard]] inline std::optional<std::int64_t> checkedAdd(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
    return sum;
}

}  // namespace cubist
