// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/cube_operands.h"

#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "core/base/number_formats.h"
#include "core/base/random.h"

namespace cubist::test {

std::uint32_t randomWord(std::uint64_t seed, std::uint64_t index) {
    return philox4x32({static_cast<std::uint32_t>(index), 0, 0, 0}, {static_cast<std::uint32_t>(seed), 0})[0];
}

void setElement(Operand& operand, std::int64_t i, std::int64_t step, double value) {
    auto* at = const_cast<std::byte*>(operand.view.element(i, step));
    encodeRow(operand.view.dtype, std::span<const double>(&value, 1), at);
    decodeRow(operand.view.dtype, at, std::span(&operand.values[static_cast<std::size_t>(i * operand.k + step)], 1));
}

Operand makeOperand(DType type, std::int64_t count, std::int64_t k, bool storedByK, std::uint64_t seed) {
    Operand operand;
    operand.k = k;
    const std::int64_t inner = (storedByK ? k : count) + 3;
    const std::int64_t outer = storedByK ? count : k;
    operand.memory.resize(static_cast<std::size_t>(inner * outer * hostBytesPerElement(type)));
    operand.view = CubeOperand{type, operand.memory.data(), storedByK ? inner : 1, storedByK ? 1 : inner};
    operand.values.resize(static_cast<std::size_t>(count * k));
    for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t step = 0; step < k; ++step) {
            const std::uint32_t word = randomWord(seed, static_cast<std::uint64_t>(i * k + step));
            const double unit = static_cast<double>(word >> 8) * 0x1p-24 - 0.5;
            const double value = isFloat(type) ? std::ldexp(unit, static_cast<int>(word % 7) - 3)
                                               : std::floor(unit * (type == DType::INT4 ? 16 : 256));
            setElement(operand, i, step, value);
        }
    return operand;
}

void addScales(Operand& operand, std::int64_t count, bool byRows, std::uint64_t seed, int low, int high) {
    const std::int64_t pairs = (operand.k + 63) / 64;
    operand.scales.resize(static_cast<std::size_t>(count * pairs * 2));
    for (std::size_t i = 0; i < operand.scales.size(); ++i)
        operand.scales[i] = static_cast<std::uint8_t>(
            low + static_cast<int>(randomWord(seed, i) % static_cast<std::uint32_t>(high - low + 1)));
    operand.view.scales = operand.scales.data();
    operand.view.scaleIStride = byRows ? 2 * pairs : 2;
    operand.view.scalePairStride = byRows ? 2 : 2 * count;
}

std::vector<float> startValues(std::int64_t m, std::int64_t n) {
    std::vector<float> c(static_cast<std::size_t>(m * n));
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = static_cast<float>(randomWord(99, i) % 17) * 0.125f - 1.0f;
    return c;
}

float canonical(float value) {
    return std::isnan(value) ? std::bit_cast<float>(0x7FC00000u) : value;
}

std::vector<float> orderedProduct(const Operand& a, const Operand& b, std::int64_t m, std::int64_t n,
                                  std::vector<float> c) {
    for (std::int64_t row = 0; row < m; ++row)
        for (std::int64_t column = 0; column < n; ++column) {
            float& sum = c[static_cast<std::size_t>(row * n + column)];
            for (std::int64_t step = 0; step < a.k; ++step)
                sum = std::fmaf(a.value(row, step), b.value(column, step), sum);
            sum = canonical(sum);
        }
    return c;
}

float addExactly(float sum, double product, int exponent) {
    if (std::isnan(sum) || std::isnan(product)) return canonical(NAN);
    // Two extended additions show which way the exact sum lies.
    const long double term = std::ldexp(static_cast<long double>(product), exponent);
    const long double total = static_cast<long double>(sum) + term;
    // What the 64-bit mantissa dropped (two-sum), folded into the last bit so that the cast to float rounds once.
    const long double back = total - static_cast<long double>(sum);
    const long double lost = (static_cast<long double>(sum) - (total - back)) + (term - back);
    if (lost == 0 || !std::isfinite(total)) return canonical(static_cast<float>(total));
    int e = 0;
    const long double fraction = std::frexp(total, &e);
    const bool odd = (static_cast<std::uint64_t>(std::ldexp(std::fabs(fraction), 64)) & 1u) != 0;
    if (odd) return static_cast<float>(total);
    const long double towards =
        lost > 0 ? std::numeric_limits<long double>::infinity() : -std::numeric_limits<long double>::infinity();
    return static_cast<float>(std::nextafter(total, towards));
}

std::string firstDifference(const std::vector<float>& got, const std::vector<float>& want) {
    if (got.size() != want.size()) return "different sizes";
    for (std::size_t i = 0; i < want.size(); ++i)
        if (std::bit_cast<std::uint32_t>(got[i]) != std::bit_cast<std::uint32_t>(want[i]))
            return "element " + std::to_string(i) + ": " + std::to_string(got[i]) + " instead of " +
                   std::to_string(want[i]);
    return {};
}

CubeKernel kernelOf(Isa isa, CubeMath math) {
    return *CubeKernel::create(isa, math);
}

}  // namespace cubist::test
