// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/cube_scalar.h"

#include <algorithm>
#include <cmath>

#include "core/base/number_formats.h"

namespace cubist {
namespace {

/// fma(a * 2^x, b * 2^y, sum) with x + y = the two scales together. The powers are shared out evenly and kept at most
/// 100: scaled operands of at most 4 significant bits down to 2^-16 are then exact in FP32, and where the cap bites the
/// product is beyond 2^160, which no FP32 sum survives.
float addScaledProduct(float a, float b, int scaleA, int scaleB, float sum) {
    if (scaleA == 255 || scaleB == 255) return canonicalNan(NAN);
    const int total = scaleA + scaleB - 254;
    const int x = total / 2;
    const int y = total - x;
    return std::fma(std::ldexp(a, std::min(x, 100)), std::ldexp(b, std::min(y, 100)), sum);
}

}  // namespace

void multiplyScaledExactly(const CubeOperand& a, const CubeOperand& b, std::int64_t m, std::int64_t n, std::int64_t k,
                           float* c, std::int64_t cStride) {
    const auto value = [](const CubeOperand& operand, std::int64_t i, std::int64_t step) {
        float result = 0;
        decodeRow(operand.dtype, operand.element(i, step), std::span(&result, 1));
        return result;
    };
    const auto scale = [](const CubeOperand& operand, std::int64_t i, std::int64_t step) {
        return operand.scales == nullptr ? 127 : int{operand.scale(i, step)};
    };
    for (std::int64_t row = 0; row < m; ++row)
        for (std::int64_t column = 0; column < n; ++column) {
            float sum = c[row * cStride + column];
            for (std::int64_t step = 0; step < k; ++step)
                sum = addScaledProduct(value(a, row, step), value(b, column, step), scale(a, row, step),
                                       scale(b, column, step), sum);
            c[row * cStride + column] = canonicalNan(sum);
        }
}

bool multiplyIntegersWatched(const float* a, std::int64_t rows, const float* b, std::int64_t width,
                             std::int64_t columns, std::int64_t k, std::int32_t* c, std::int64_t cStride) {
    bool inRange = true;
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column) {
            std::int32_t sum = c[row * cStride + column];
            for (std::int64_t step = 0; step < k; ++step) {
                const auto product = static_cast<std::int32_t>(a[step * rows + row] * b[step * width + column]);
                inRange &= !__builtin_add_overflow(sum, product, &sum);
            }
            c[row * cStride + column] = sum;
        }
    return inRange;
}

}  // namespace cubist
