// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/accuracy/ulp.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/number_formats.h"

namespace cubist {

namespace {

constexpr double kLargestFloat = std::numeric_limits<float>::max();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Place of a sign-magnitude code on the number line; both zeros are 0.
double orderedCode(std::uint32_t code, int bits) {
    const std::uint32_t sign = std::uint32_t{1} << (bits - 1);
    const auto magnitude = static_cast<double>(code & (sign - 1));
    return (code & sign) != 0 ? -magnitude : magnitude;
}

/// Nearest integer, ties to even, whatever the rounding mode of the machine.
double nearestInteger(double value) {
    const double below = std::floor(value);
    const double rest = value - below;
    const bool belowIsOdd = below != 2 * std::floor(below / 2);
    return rest > 0.5 || (rest == 0.5 && belowIsOdd) ? below + 1 : below;
}

}  // namespace

UlpScale::UlpScale(DType type) : m_type(type) {
    if (!isFloat(type) || bitsPerElement(type) > 8) return;
    // Codes of tapered formats are not in the order of their values, so the values are ranked.
    const std::span<const float, 256> values = decodeTable(type);
    const std::size_t codes = std::size_t{1} << bitsPerElement(type);
    std::vector<float> sorted;
    for (std::size_t code = 0; code < codes; ++code)
        if (!std::isnan(values[code])) sorted.push_back(values[code]);
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    for (std::size_t code = 0; code < codes; ++code)
        m_rank[code] =
            static_cast<std::int32_t>(std::lower_bound(sorted.begin(), sorted.end(), values[code]) - sorted.begin());
}

double UlpScale::rankOf(double value) const {
    const int bits = bitsPerElement(m_type);
    if (m_type == DType::FP32 && std::abs(value) <= kLargestFloat)
        return orderedCode(std::bit_cast<std::uint32_t>(static_cast<float>(value)), bits);
    if (bits > 8) return orderedCode(encode(m_type, value), bits);
    return m_rank[encode(m_type, value, RoundMode::None, Saturation::OnKeepNan) & 0xFF];
}

void UlpScale::distances(std::span<const double> actual, std::span<const double> golden,
                         std::span<double> steps) const {
    assert(actual.size() == golden.size() && actual.size() == steps.size());
    const bool integers = !isFloat(m_type);
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const double a = actual[i], g = golden[i];
        if (a == g)
            steps[i] = 0;
        else if (std::isnan(a) || std::isnan(g))
            steps[i] = std::isnan(a) && std::isnan(g) ? 0 : kNan;
        else if (integers)
            steps[i] = std::abs(a - nearestInteger(g));
        else
            steps[i] = std::abs(rankOf(a) - rankOf(g));
    }
}

}  // namespace cubist
