// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// How a matrix product of a golden takes its products into sums. Every kind gives the same bits on every host.
namespace cubist::golden {

/// Sums of `kRows` x `kColumns` elements from packed operands: a is [k][kRows], b is [k][kColumns]. Products are added
/// one by one, K ascending.
template <class OperandType, class SumType, std::size_t Columns>
struct Sums {
    using Operand = OperandType;
    using Sum = SumType;
    static constexpr std::size_t kRows = 4, kColumns = Columns;
    using Block = std::array<Sum, kRows * kColumns>;
};

/// FP64: two roundings for each product.
struct IdealSums : Sums<double, double, 4> {
    static void add(const double* a, const double* b, std::int64_t k, Block& block);
};

/// FP32 with fused multiply-adds: the precision of a kernel that sums in FP32, however long K is. Source: F-69
struct FrameworkSums : Sums<float, float, 16> {
    static void add(const float* a, const float* b, std::int64_t k, Block& block);
};

/// The same sums of operands that FP32 cannot hold; their products are exact in FP64. Source: F-69
struct WideFrameworkSums : Sums<double, float, 4> {
    static void add(const double* a, const double* b, std::int64_t k, Block& block);
};

/// sum + product with one rounding to FP32. Source: F-69
[[nodiscard]] float addRoundedOnce(float sum, double product);

}  // namespace cubist::golden
