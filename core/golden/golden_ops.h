// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "core/design/design.h"

/// Vector operations on numbers and rows, in FP64. NaN goes through every operation, maxima and minima included.
/// Source: F-25, F-55, F-76.
namespace cubist::golden {

/// Elementwise operations and comparisons (1 or 0); operands that the operation does not have are ignored. A cast gives
/// its operand: rounding is the caller's business.
[[nodiscard]] double elementOf(VectorOpCode op, double a, double b, double c);

/// Is there an integer form of the operation? Quotients of integers are floats.
[[nodiscard]] bool hasIntegerForm(VectorOpCode op);
/// The same in 64 bits, exact modulo 2^64; the caller keeps the low bits. Range: an operation with an integer form.
[[nodiscard]] std::int64_t integerElementOf(VectorOpCode op, std::int64_t a, std::int64_t b, std::int64_t c);

/// amax, amin, sum and prod of `x` into `total`, element by element.
void accumulate(VectorOpCode op, std::span<const double> x, std::span<double> total);
/// One integer more in such a total, modulo 2^64.
[[nodiscard]] std::int64_t accumulated(VectorOpCode op, std::int64_t total, std::int64_t x);
/// What a reduction starts from.
[[nodiscard]] double neutral(VectorOpCode op);
[[nodiscard]] std::int64_t neutralInteger(VectorOpCode op);

/// exp(x - max) / sum of exp(x - max).
void softmax(std::span<double> row);

/// x / sqrt(mean(x * x) + epsilon).
void rmsNorm(std::span<double> row, double epsilon);

}  // namespace cubist::golden
