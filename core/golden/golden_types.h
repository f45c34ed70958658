// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/design/design.h"

/// What a declared type does to reference values.
namespace cubist::golden {

/// FP32, FP16 and BF16: the types whose rounding the ideal golden ignores.
[[nodiscard]] constexpr bool isPlainFloat(DType type) {
    return type == DType::FP32 || type == DType::FP16 || type == DType::BF16;
}

/// Reference values are doubles. An INT64 lies in one as its 64 bits, since not every INT64 is a number of FP64: copies
/// of values stay exact, everything else goes through these two. Range: `type` is an integer type.
[[nodiscard]] std::int64_t integerOf(DType type, double value);
/// The low bits of `value` that the type keeps. Source: F-58
[[nodiscard]] double carried(DType type, std::int64_t value);
/// Turns carried INT64 into numbers and returns them unrounded; values of other types stay, and nothing is returned.
[[nodiscard]] std::vector<std::int64_t> toNumbers(DType type, std::span<double> values);

/// a + b and a * b of integers modulo 2^64.
[[nodiscard]] std::int64_t wrappingSum(std::int64_t a, std::int64_t b);
[[nodiscard]] std::int64_t wrappingProduct(std::int64_t a, std::int64_t b);

/// alpha * value in the type; an alpha of integers counts without its fraction.
[[nodiscard]] double scaled(GoldenKind kind, DType type, double alpha, double value);

/// Rounds numbers, the results of an operation (not of a cast), to the `type` that it is declared to give.
void roundResult(GoldenKind kind, DType type, std::span<double> values);

/// Casts values of type `from`; INT64 is carried on both sides. The ideal golden does not round to plain floats, but
/// clamps to their range where the cast saturates.
void castValues(GoldenKind kind, DType from, DType to, RoundMode mode, bool saturate, std::span<double> values);

}  // namespace cubist::golden
