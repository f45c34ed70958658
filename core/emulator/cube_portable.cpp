// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "core/emulator/cube_target.h"

namespace cubist {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kRows = 4;

template <std::size_t Rows, std::size_t Vectors>
void panelProduct(const float* a, const float* b, std::int64_t k, float* c, std::int64_t cStride) {
    constexpr std::size_t kWidth = Vectors * kLanes;
    std::array<std::array<float, kWidth>, Rows> sums;
    for (std::size_t r = 0; r < Rows; ++r)
        for (std::size_t n = 0; n < kWidth; ++n)
            sums[r][n] = c[static_cast<std::int64_t>(r) * cStride + static_cast<std::int64_t>(n)];
    for (; k > 0; --k, a += Rows, b += kWidth)
        for (std::size_t r = 0; r < Rows; ++r)
            for (std::size_t n = 0; n < kWidth; ++n) sums[r][n] = std::fma(a[r], b[n], sums[r][n]);
    for (std::size_t r = 0; r < Rows; ++r)
        for (std::size_t n = 0; n < kWidth; ++n)
            c[static_cast<std::int64_t>(r) * cStride + static_cast<std::int64_t>(n)] =
                std::isnan(sums[r][n]) ? std::bit_cast<float>(0x7FC00000u) : sums[r][n];
}

bool addSums(const float* sums, std::int64_t rows, std::int64_t width, std::int32_t largest, std::int32_t* c,
             std::int64_t cStride) {
    const std::int32_t end = std::numeric_limits<std::int32_t>::max() - largest;
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t n = 0; n < width; ++n)
            if (c[r * cStride + n] > end || c[r * cStride + n] < -end) return false;
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t n = 0; n < width; ++n) c[r * cStride + n] += static_cast<std::int32_t>(sums[r * width + n]);
    return true;
}

template <std::size_t... I>
constexpr std::array<PanelProduct, sizeof...(I)> makeProducts(std::index_sequence<I...>) {
    return {&panelProduct<I / 2 + 1, I % 2 + 1>...};
}

constexpr auto kProducts = makeProducts(std::make_index_sequence<2 * kRows>());
constexpr CubeTarget kTarget{static_cast<int>(kLanes), static_cast<int>(kRows), kProducts, &addSums};

}  // namespace

const CubeTarget& portableCubeTarget() {
    return kTarget;
}

}  // namespace cubist
