// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/cube_kernel.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <type_traits>

#include "core/base/integer_math.h"
#include "core/emulator/cube_scalar.h"
#include "core/emulator/cube_target.h"

namespace cubist {
namespace {

constexpr std::int64_t kStepK =
    1024;  ///< K steps of one visit to a tile of C: long, because visits cost more than cache misses
constexpr std::int64_t kBlockN = 512;     ///< columns of one sweep: their panels stay in the L2 cache
constexpr std::int64_t kStretchK = 1024;  ///< K steps packed at a time when packing as we go; a multiple of 64
// Most floats of a panel product: 14 rows by 32 columns are the largest.
constexpr std::size_t kMostTile = 512;

/// Where one panel product reads and writes.
struct Tile {
    const float* a;
    const float* b;
    std::int64_t k;
    std::int64_t rows;
    std::int64_t width;    ///< of the panel of B
    std::int64_t columns;  ///< of it that exist
};

bool multiplyTile(const CubeTarget& target, const Tile& tile, float* c, std::int64_t cStride) {
    const PanelProduct product = target.product(tile.rows, tile.width);
    if (tile.columns == tile.width) {
        product(tile.a, tile.b, tile.k, c, cStride);
        return true;
    }
    std::array<float, kMostTile> part;
    std::fill_n(part.begin(), tile.rows * tile.width, 0.0f);
    for (std::int64_t r = 0; r < tile.rows; ++r)
        std::copy_n(c + r * cStride, tile.columns, part.data() + r * tile.width);
    product(tile.a, tile.b, tile.k, part.data(), tile.width);
    for (std::int64_t r = 0; r < tile.rows; ++r)
        std::copy_n(part.data() + r * tile.width, tile.columns, c + r * cStride);
    return true;
}

/// Integers through FP32: over kStepK steps every sum stays within 2^24, so that it is exact.
bool multiplyTile(const CubeTarget& target, const Tile& tile, std::int32_t* c, std::int64_t cStride) {
    constexpr std::int32_t kLargestSum = kStepK * 128 * 128;
    static_assert(kLargestSum <= (1 << 24));
    // C is fetched while the product runs.
    for (std::int64_t r = 0; r < tile.rows; ++r)
        for (std::int64_t n = 0; n < tile.columns; n += 16) __builtin_prefetch(c + r * cStride + n, 1);
    std::array<float, kMostTile> part;
    std::fill_n(part.begin(), tile.rows * tile.width, 0.0f);
    target.product(tile.rows, tile.width)(tile.a, tile.b, tile.k, part.data(), tile.width);
    const auto watched = [&] {
        return multiplyIntegersWatched(tile.a, tile.rows, tile.b, tile.width, tile.columns, tile.k, c, cStride);
    };
    if (tile.columns == tile.width)
        return target.addSums(part.data(), tile.rows, tile.width, kLargestSum, c, cStride) || watched();
    std::array<std::int32_t, kMostTile> whole;
    std::fill_n(whole.begin(), tile.rows * tile.width, 0);
    for (std::int64_t r = 0; r < tile.rows; ++r)
        std::copy_n(c + r * cStride, tile.columns, whole.data() + r * tile.width);
    if (!target.addSums(part.data(), tile.rows, tile.width, kLargestSum, whole.data(), tile.width)) return watched();
    for (std::int64_t r = 0; r < tile.rows; ++r)
        std::copy_n(whole.data() + r * tile.width, tile.columns, c + r * cStride);
    return true;
}

bool isCubeInteger(DType type) {
    return type == DType::INT8 || type == DType::INT4;
}

bool isScalable(DType type) {
    return type == DType::FP8E4M3 || type == DType::FP8E5M2 || type == DType::FP4E2M1 || type == DType::FP4E1M2;
}

}  // namespace

Result<CubeKernel> CubeKernel::create(Isa isa, CubeMath math) {
    CUBIST_TRY(const Isa resolved, resolveIsa(isa));
    return CubeKernel(resolved, cubeTarget(resolved), math);
}

void PackedOperand::lend(std::span<float> memory) {
    m_own.reset();
    m_panels = memory.data();
    m_capacity = memory.size();
}

/// Memory for `size` floats. False when it cannot be had.
bool PackedOperand::hold(std::size_t size) {
    if (size <= m_capacity) return true;
    constexpr std::size_t kAlignment = 64;
    m_own.reset();
    const std::size_t bytes = (size * sizeof(float) + kAlignment - 1) / kAlignment * kAlignment;
    m_own.reset(static_cast<float*>(std::aligned_alloc(kAlignment, bytes)));
    m_panels = m_own.get();
    m_capacity = m_own ? size : 0;
    return m_own != nullptr;
}

PanelCut CubeKernel::cutOf(CubeSide side, std::int64_t count) const {
    return side == CubeSide::A ? cutPanels(count, 1, m_target->rows)
                               : cutPanels(count, m_target->lanes, 2 * m_target->lanes);
}

std::int64_t CubeKernel::packedSize(CubeSide side, std::int64_t count, std::int64_t k) const {
    return cutOf(side, count).paddedCount() * k;
}

Result<void> CubeKernel::pack(CubeSide side, const CubeOperand& operand, std::int64_t count, std::int64_t k,
                              PackedOperand& packed) const {
    assert(isFloat(operand.dtype) || isCubeInteger(operand.dtype));
    assert((operand.scales == nullptr || isScalable(operand.dtype)) && "MX operands are FP8 or FP4");
    packed.m_cut = cutOf(side, count);
    packed.m_k = k;
    packed.m_source = operand;
    packed.m_side = side;
    if (!packed.hold(static_cast<std::size_t>(packed.m_cut.paddedCount()) * static_cast<std::size_t>(k)))
        return unexpected(ErrorCode::DoesNotFit, "no memory for packed matrix panels");
    packed.m_scalesOverflow = scalesOverflow(operand, count, k);
    packPanels(operand, packed.m_cut, k, m_math, packed.m_panels);
    return {};
}

template <class C>
bool CubeKernel::multiplyPacked(const PackedOperand& a, const PackedOperand& b, C* c, std::int64_t cStride) const {
    assert(a.m_side == CubeSide::A && b.m_side == CubeSide::B && a.m_k == b.m_k);
    assert(isCubeInteger(a.m_source.dtype) == (std::is_same_v<C, std::int32_t>)&&isCubeInteger(b.m_source.dtype) ==
           (std::is_same_v<C, std::int32_t>));
    if constexpr (std::is_same_v<C, float>) {
        if (a.m_scalesOverflow || b.m_scalesOverflow) {
            multiplyScaledExactly(a.m_source, b.m_source, a.count(), b.count(), a.m_k, c, cStride);
            return true;
        }
    }
    bool inRange = true;
    const std::int64_t panelsPerBlock = kBlockN / (2 * m_target->lanes);
    for (std::int64_t block = 0; block < b.m_cut.panels; block += panelsPerBlock) {
        const std::int64_t blockEnd = std::min(b.m_cut.panels, block + panelsPerBlock);
        for (std::int64_t step = 0; step < a.m_k; step += kStepK) {
            const std::int64_t steps = std::min(kStepK, a.m_k - step);
            for (std::int64_t j = block; j < blockEnd; ++j) {
                const std::int64_t column = b.m_cut.begin(j);
                const std::int64_t width = b.m_cut.size(j);
                for (std::int64_t i = 0; i < a.m_cut.panels; ++i) {
                    const std::int64_t row = a.m_cut.begin(i);
                    const std::int64_t rows = a.m_cut.size(i);
                    const Tile tile{a.m_panels + row * a.m_k + step * rows,
                                    b.m_panels + column * b.m_k + step * width,
                                    steps,
                                    rows,
                                    width,
                                    std::min(width, b.m_cut.count - column)};
                    inRange &= multiplyTile(*m_target, tile, c + row * cStride + column, cStride);
                }
            }
        }
    }
    return inRange;
}

void CubeKernel::multiply(const PackedOperand& a, const PackedOperand& b, float* c, std::int64_t cStride) const {
    multiplyPacked(a, b, c, cStride);
}

bool CubeKernel::multiply(const PackedOperand& a, const PackedOperand& b, std::int32_t* c, std::int64_t cStride) const {
    return multiplyPacked(a, b, c, cStride);
}

template <class C>
Result<bool> CubeKernel::multiplyInStretches(std::int64_t m, std::int64_t n, std::int64_t k, const CubeOperand& a,
                                             const CubeOperand& b, C* c, std::int64_t cStride,
                                             CubeScratch& scratch) const {
    bool inRange = true;
    for (std::int64_t step = 0; step < k; step += kStretchK) {
        const std::int64_t steps = std::min(kStretchK, k - step);
        CUBIST_CHECK_OK(pack(CubeSide::A, a.from(0, step), m, steps, scratch.a));
        CUBIST_CHECK_OK(pack(CubeSide::B, b.from(0, step), n, steps, scratch.b));
        inRange &= multiplyPacked(scratch.a, scratch.b, c, cStride);
    }
    return inRange;
}

Result<void> CubeKernel::multiply(std::int64_t m, std::int64_t n, std::int64_t k, const CubeOperand& a,
                                  const CubeOperand& b, float* c, std::int64_t cStride, CubeScratch& scratch) const {
    CUBIST_CHECK_OK(multiplyInStretches(m, n, k, a, b, c, cStride, scratch));
    return {};
}

Result<bool> CubeKernel::multiply(std::int64_t m, std::int64_t n, std::int64_t k, const CubeOperand& a,
                                  const CubeOperand& b, std::int32_t* c, std::int64_t cStride,
                                  CubeScratch& scratch) const {
    return multiplyInStretches(m, n, k, a, b, c, cStride, scratch);
}

}  // namespace cubist
