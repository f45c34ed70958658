// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/cube_pack.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "core/base/integer_math.h"
#include "core/base/number_formats.h"

namespace cubist {
namespace {

constexpr std::int64_t kGroup = 32;   ///< elements along k under one MX scale
constexpr std::int64_t kBlockK = 64;  ///< k steps decoded at a time; a multiple of kGroup
constexpr std::int64_t kBlockI = 64;  ///< rows or columns decoded at a time
/// K steps of a panel that are transposed at a time: small enough that they stay in the L1 cache until all rows are in.
constexpr std::int64_t kTransposedK = 256;

/// Decoded elements of a block, [i][k] or [k][i] as the source has it.
using Block = std::array<float, static_cast<std::size_t>(kBlockK* kBlockI)>;

void roundRow(const CubeMath& math, std::span<float> values) {
    if (math.hf32MantissaBits == 0) return;
    for (float& value : values) value = roundHf32(value, math.hf32MantissaBits, math.hf32TiesAway);
}

/// Transposes 4 x 4 floats; the compiler turns this into shuffles.
inline void transpose4(const float* source, std::int64_t sourceStride, float* target, std::int64_t targetStride) {
    using Four = float __attribute__((vector_size(16)));
    using Lanes = int __attribute__((vector_size(16)));
    Four a, b, c, d;
    std::memcpy(&a, source, sizeof a);
    std::memcpy(&b, source + sourceStride, sizeof b);
    std::memcpy(&c, source + 2 * sourceStride, sizeof c);
    std::memcpy(&d, source + 3 * sourceStride, sizeof d);
    const Four ab0 = __builtin_shuffle(a, b, Lanes{0, 4, 1, 5}), ab1 = __builtin_shuffle(a, b, Lanes{2, 6, 3, 7});
    const Four cd0 = __builtin_shuffle(c, d, Lanes{0, 4, 1, 5}), cd1 = __builtin_shuffle(c, d, Lanes{2, 6, 3, 7});
    const Four k0 = __builtin_shuffle(ab0, cd0, Lanes{0, 1, 4, 5}), k1 = __builtin_shuffle(ab0, cd0, Lanes{2, 3, 6, 7});
    const Four k2 = __builtin_shuffle(ab1, cd1, Lanes{0, 1, 4, 5}), k3 = __builtin_shuffle(ab1, cd1, Lanes{2, 3, 6, 7});
    std::memcpy(target, &k0, sizeof k0);
    std::memcpy(target + targetStride, &k1, sizeof k1);
    std::memcpy(target + 2 * targetStride, &k2, sizeof k2);
    std::memcpy(target + 3 * targetStride, &k3, sizeof k3);
}

/// target[k][i] = source[i][k] for `rows` x `steps` elements.
void transposeInto(const float* source, std::int64_t sourceStride, std::int64_t rows, std::int64_t steps, float* target,
                   std::int64_t targetStride) {
    const std::int64_t wholeSteps = rows >= 4 ? steps / 4 * 4 : 0;
    for (std::int64_t i = 0; wholeSteps > 0 && i < rows; i += 4) {
        // The last four rows overlap those before them rather than be done one by one.
        const std::int64_t row = std::min(i, rows - 4);
        for (std::int64_t k = 0; k < wholeSteps; k += 4)
            transpose4(source + row * sourceStride + k, sourceStride, target + k * targetStride + row, targetStride);
    }
    for (std::int64_t k = wholeSteps; k < steps; ++k)
        for (std::int64_t i = 0; i < rows; ++i) target[k * targetStride + i] = source[i * sourceStride + k];
}

float scaleValue(const CubeOperand& operand, std::int64_t i, std::int64_t k) {
    return decodeTable(DType::FP8E8M0)[operand.scale(i, k)];
}

/// Elements (i, k..k+steps) into a row, ready to multiply.
void decodeAlongK(const CubeOperand& operand, std::int64_t i, std::int64_t k, const CubeMath& math,
                  std::span<float> row) {
    const auto steps = static_cast<std::int64_t>(row.size());
    if (operand.kStride == 1) {
        decodeRow(operand.dtype, operand.element(i, k), row);
    } else {
        for (std::int64_t step = 0; step < steps; ++step)
            decodeRow(operand.dtype, operand.element(i, k + step), row.subspan(static_cast<std::size_t>(step), 1));
    }
    roundRow(math, row);
    if (operand.scales == nullptr) return;
    for (std::int64_t first = 0; first < steps; first += kGroup) {
        const float scale = scaleValue(operand, i, k + first);
        const std::int64_t end = std::min(first + kGroup, steps);
        for (std::int64_t step = first; step < end; ++step) row[static_cast<std::size_t>(step)] *= scale;
    }
}

/// Source contiguous along k (or along nothing): rows are decoded and transposed.
void packByRows(const CubeOperand& operand, const PanelCut& cut, std::int64_t k, const CubeMath& math, float* packed) {
    const bool plain = operand.dtype == DType::FP32 && operand.kStride == 1 && math.hf32MantissaBits == 0;
    Block block;
    for (std::int64_t panel = 0; panel < cut.panels; ++panel) {
        const std::int64_t first = cut.begin(panel);
        const std::int64_t width = cut.size(panel);
        const std::int64_t rows = std::min(width, cut.count - first);
        if (rows < width) std::fill_n(packed + first * k, width * k, 0.0f);
        if (plain) {
            const auto* source = reinterpret_cast<const float*>(operand.element(first, 0));
            for (std::int64_t step = 0; step < k; step += kTransposedK)
                transposeInto(source + step, operand.iStride, rows, std::min(kTransposedK, k - step),
                              packed + first * k + step * width, width);
            continue;
        }
        for (std::int64_t step = 0; step < k; step += kBlockK) {
            const std::int64_t steps = std::min(kBlockK, k - step);
            for (std::int64_t i = 0; i < rows; ++i)
                decodeAlongK(operand, first + i, step, math,
                             std::span<float>(block).subspan(static_cast<std::size_t>(i * kBlockK),
                                                             static_cast<std::size_t>(steps)));
            transposeInto(block.data(), kBlockK, rows, steps, packed + first * k + step * width, width);
        }
    }
}

/// Elements of one step to the panels that they belong to.
void copyRun(const PanelCut& cut, std::int64_t firstPanel, std::int64_t lastPanel, std::int64_t k, std::int64_t step,
             const float* source, float* packed) {
    for (std::int64_t p = firstPanel; p < lastPanel; ++p) {
        const std::int64_t width = cut.size(p);
        std::copy_n(source, width, packed + cut.begin(p) * k + step * width);
        source += width;
    }
}

/// Source contiguous along i: runs of several panels are decoded at once, so that memory is read in long pieces.
void packByColumns(const CubeOperand& operand, const PanelCut& cut, std::int64_t k, const CubeMath& math,
                   float* packed) {
    constexpr std::int64_t kRun = 512;
    std::array<float, kRun> run;
    std::array<float, kRun> scales;
    const bool plain = operand.dtype == DType::FP32 && math.hf32MantissaBits == 0;
    const std::int64_t panelsPerRun = std::max<std::int64_t>(1, kRun / cut.largest);
    for (std::int64_t panel = 0; panel < cut.panels; panel += panelsPerRun) {
        const std::int64_t lastPanel = std::min(cut.panels, panel + panelsPerRun);
        const std::int64_t first = cut.begin(panel);
        const std::int64_t count = std::min(cut.count, cut.begin(lastPanel)) - first;
        const auto values = std::span<float>(run).first(static_cast<std::size_t>(count));
        std::fill(run.begin() + count, run.end(), 0.0f);
        // Whole panels of FP32 are copied as they are.
        const bool whole = plain && first + count == cut.begin(lastPanel);
        for (std::int64_t step = 0; step < k; ++step) {
            if (whole) {
                copyRun(cut, panel, lastPanel, k, step, reinterpret_cast<const float*>(operand.element(first, step)),
                        packed);
                continue;
            }
            decodeRow(operand.dtype, operand.element(first, step), values);
            roundRow(math, values);
            if (operand.scales != nullptr) {
                if (step % kGroup == 0)
                    for (std::int64_t i = 0; i < count; ++i)
                        scales[static_cast<std::size_t>(i)] = scaleValue(operand, first + i, step);
                for (std::size_t i = 0; i < values.size(); ++i) values[i] *= scales[i];
            }
            copyRun(cut, panel, lastPanel, k, step, run.data(), packed);
        }
    }
}

/// Largest scale code that keeps every element of a type times 2^(code - 127) below 2^128.
int largestSafeScale(DType type) {
    switch (type) {
        case DType::FP8E4M3: return 127 + 119;
        case DType::FP8E5M2: return 127 + 112;
        case DType::FP4E2M1: return 127 + 125;
        case DType::FP4E1M2: return 254;
        case DType::FP32:
        case DType::FP16:
        case DType::BF16:
        case DType::FP8E8M0:
        case DType::HF8:
        case DType::INT4:
        case DType::INT8:
        case DType::INT16:
        case DType::INT32:
        case DType::INT64:
        case DType::UINT8:
        case DType::BOOL: break;
    }
    return -1;
}

}  // namespace

std::int64_t PanelCut::begin(std::int64_t panel) const {
    // The first `extra` panels have one step more than the rest.
    const std::int64_t steps = ceilDiv(count, step);
    const std::int64_t base = panels == 0 ? 0 : steps / panels;
    const std::int64_t extra = panels == 0 ? 0 : steps % panels;
    return (panel * base + std::min(panel, extra)) * step;
}

PanelCut cutPanels(std::int64_t count, std::int64_t step, std::int64_t largest) {
    return {count, step, largest, ceilDiv(count, largest)};
}

void packPanels(const CubeOperand& operand, const PanelCut& cut, std::int64_t k, const CubeMath& math, float* packed) {
    if (operand.iStride == 1 && operand.kStride != 1)
        packByColumns(operand, cut, k, math, packed);
    else
        packByRows(operand, cut, k, math, packed);
}

bool scalesOverflow(const CubeOperand& operand, std::int64_t count, std::int64_t k) {
    if (operand.scales == nullptr) return false;
    const int safe = largestSafeScale(operand.dtype);
    for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t step = 0; step < k; step += kGroup) {
            const int scale = operand.scale(i, step);
            if (scale > safe && scale != 255) return true;
        }
    return false;
}

}  // namespace cubist
