// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/golden_sums.h"

#include <bit>
#include <cmath>

// Compiled once more for AVX2, the only instruction set used here: its multiply-add is fused and fast enough.
#include <hwy/detect_targets.h>
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/golden/golden_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#if HWY_TARGET == HWY_AVX2
HWY_BEFORE_NAMESPACE();
namespace cubist::golden {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void addFused(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, std::int64_t k, float* HWY_RESTRICT sums) {
    constexpr std::size_t kRows = FrameworkSums::kRows, kVectors = 2;
    const hn::FixedTag<float, 8> d;
    using V = hn::Vec<decltype(d)>;
    V rows[kRows][kVectors];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kRows; ++i)
#pragma GCC unroll 2
        for (std::size_t v = 0; v < kVectors; ++v) rows[i][v] = hn::LoadU(d, sums + (i * kVectors + v) * 8);
    for (; k > 0; --k, a += kRows, b += kVectors * 8) {
        const V left = hn::LoadU(d, b), right = hn::LoadU(d, b + 8);
#pragma GCC unroll 4
        for (std::size_t i = 0; i < kRows; ++i) {
            const V factor = hn::Set(d, a[i]);
            rows[i][0] = hn::MulAdd(factor, left, rows[i][0]);
            rows[i][1] = hn::MulAdd(factor, right, rows[i][1]);
        }
    }
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kRows; ++i)
#pragma GCC unroll 2
        for (std::size_t v = 0; v < kVectors; ++v) hn::StoreU(rows[i][v], d, sums + (i * kVectors + v) * 8);
}

}  // namespace HWY_NAMESPACE
}  // namespace cubist::golden
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace cubist::golden {

void IdealSums::add(const double* a, const double* b, std::int64_t k, Block& block) {
    Block sums = block;
    for (; k > 0; --k, a += kRows, b += kColumns)
        for (std::size_t i = 0; i < kRows; ++i)
            for (std::size_t j = 0; j < kColumns; ++j) sums[i * kColumns + j] += a[i] * b[j];
    block = sums;
}

void FrameworkSums::add(const float* a, const float* b, std::int64_t k, Block& block) {
#if HWY_TARGETS & HWY_AVX2
    static const bool fused = (hwy::SupportedTargets() & HWY_AVX2) != 0;
    if (fused) {
        N_AVX2::addFused(a, b, k, block.data());
        return;
    }
#endif
    for (; k > 0; --k, a += kRows, b += kColumns)
        for (std::size_t i = 0; i < kRows; ++i)
            for (std::size_t j = 0; j < kColumns; ++j)
                block[i * kColumns + j] = std::fma(a[i], b[j], block[i * kColumns + j]);
}

void WideFrameworkSums::add(const double* a, const double* b, std::int64_t k, Block& block) {
    for (; k > 0; --k, a += kRows, b += kColumns)
        for (std::size_t i = 0; i < kRows; ++i)
            for (std::size_t j = 0; j < kColumns; ++j) {
                float& sum = block[i * kColumns + j];
                sum = addRoundedOnce(sum, a[i] * b[j]);
            }
}

float addRoundedOnce(float sum, double product) {
    const double first = static_cast<double>(sum), total = first + product;
    if (!std::isfinite(total)) return static_cast<float>(total);
    // What FP64 dropped must not turn a value beside a tie of FP32 into that tie: the last bit stands for all of it.
    const double second = total - first;
    const double dropped = (first - (total - second)) + (product - second);
    auto bits = std::bit_cast<std::uint64_t>(total);
    if (dropped != 0 && (bits & 1U) == 0) bits = (dropped > 0) == (total > 0) ? bits + 1 : bits - 1;
    return static_cast<float>(std::bit_cast<double>(bits));
}

}  // namespace cubist::golden
#endif
