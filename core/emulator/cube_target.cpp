// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/cube_target.h"

#include <array>
#include <cassert>
#include <cstddef>
#include <limits>
#include <utility>

// This file is compiled once per instruction set by foreach_target.h; the others of Highway are left out because their
// multiply-add is not fused.
#include <hwy/detect_targets.h>
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/emulator/cube_target.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace cubist {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
constexpr std::size_t kLanes = HWY_TARGET == HWY_AVX2 ? 8 : 16;
// Accumulators, two vectors of B and a broadcast of A fill the 16 or 32 registers.
constexpr std::size_t kRows = HWY_TARGET == HWY_AVX2 ? 6 : 14;
/// K steps that a panel of B is fetched ahead of its use: it lies in L2, for which every step would wait.
constexpr std::size_t kAhead = 8;

template <std::size_t Rows, std::size_t Vectors>
void panelProduct(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, std::int64_t k, float* HWY_RESTRICT c,
                  std::int64_t cStride) {
    const Floats d;
    using V = hn::Vec<Floats>;
    static_assert(hn::MaxLanes(Floats()) == kLanes);
    const auto stride = static_cast<std::size_t>(cStride);
    V sums[Rows][Vectors];
#pragma GCC unroll 16
    for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 2
        for (std::size_t v = 0; v < Vectors; ++v) sums[r][v] = hn::LoadU(d, c + r * stride + v * kLanes);
    for (; k > 0; --k) {
        V columns[Vectors];
#pragma GCC unroll 2
        for (std::size_t v = 0; v < Vectors; ++v) {
            __builtin_prefetch(b + kAhead * Vectors * kLanes + v * kLanes);
            columns[v] = hn::LoadU(d, b + v * kLanes);
        }
#pragma GCC unroll 16
        for (std::size_t r = 0; r < Rows; ++r) {
            const V row = hn::Set(d, a[r]);
#pragma GCC unroll 2
            for (std::size_t v = 0; v < Vectors; ++v) sums[r][v] = hn::MulAdd(row, columns[v], sums[r][v]);
        }
        a += Rows;
        b += Vectors * kLanes;
    }
    const V nan = hn::BitCast(d, hn::Set(hn::RebindToUnsigned<Floats>(), 0x7FC00000u));
#pragma GCC unroll 16
    for (std::size_t r = 0; r < Rows; ++r)
#pragma GCC unroll 2
        for (std::size_t v = 0; v < Vectors; ++v) {
            const V sum = hn::IfThenElse(hn::IsNaN(sums[r][v]), nan, sums[r][v]);
            hn::StoreU(sum, d, c + r * stride + v * kLanes);
        }
}

bool addWholeSums(const float* HWY_RESTRICT sums, std::int64_t rows, std::int64_t width, std::int32_t largest,
                  std::int32_t* HWY_RESTRICT c, std::int64_t cStride) {
    const Floats d;
    const hn::RebindToSigned<Floats> di;
    const auto end = hn::Set(di, std::numeric_limits<std::int32_t>::max() - largest);
    const auto start = hn::Neg(end);
    auto outside = hn::Zero(di);
    const auto lanes = static_cast<std::int64_t>(kLanes);
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t n = 0; n < width; n += lanes) {
            const auto sum = hn::LoadU(di, c + r * cStride + n);
            const auto within = hn::Min(hn::Max(sum, start), end);
            outside = hn::Or(outside, hn::Xor(sum, within));
        }
    if (!hn::AllTrue(di, hn::Eq(outside, hn::Zero(di)))) return false;
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t n = 0; n < width; n += lanes) {
            std::int32_t* const place = c + r * cStride + n;
            const auto added = hn::ConvertTo(di, hn::LoadU(d, sums + r * width + n));
            hn::StoreU(hn::Add(hn::LoadU(di, place), added), di, place);
        }
    return true;
}

template <std::size_t... I>
constexpr std::array<PanelProduct, sizeof...(I)> makeProducts(std::index_sequence<I...>) {
    return {&panelProduct<I / 2 + 1, I % 2 + 1>...};
}

constexpr auto kProducts = makeProducts(std::make_index_sequence<2 * kRows>());
constexpr CubeTarget kTarget{static_cast<int>(kLanes), static_cast<int>(kRows), kProducts, &addWholeSums};

}  // namespace HWY_NAMESPACE
}  // namespace cubist
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace cubist {

const CubeTarget& cubeTarget(Isa isa) {
    switch (isa) {
        case Isa::Avx512:
#if HWY_TARGETS & HWY_AVX3
            return N_AVX3::kTarget;
#else
            break;
#endif
        case Isa::Avx2:
#if HWY_TARGETS & HWY_AVX2
            return N_AVX2::kTarget;
#else
            break;
#endif
        case Isa::Auto:
        case Isa::Portable: break;
    }
    assert(isa == Isa::Portable && "resolveIsa first");
    return portableCubeTarget();
}

}  // namespace cubist
#endif
