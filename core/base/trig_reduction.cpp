// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/trig_reduction.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace cubist::elementary {
namespace {

/// The first 1280 bits of 2 / pi behind the binary point.
constexpr std::array<std::uint64_t, 20> kTwoOverPi = {
    0xA2F9836E4E441529ull, 0xFC2757D1F534DDC0ull, 0xDB6295993C439041ull, 0xFE5163ABDEBBC561ull, 0xB7246E3A424DD2E0ull,
    0x06492EEA09D1921Cull, 0xFE1DEB1CB129A73Eull, 0xE88235F52EBB4484ull, 0xE99C7026B45F7E41ull, 0x3991D639835339F4ull,
    0x9C845F8BBDF9283Bull, 0x1FF897FFDE05980Full, 0xEF2F118B5A0A6D1Full, 0x6D367ECF27CB09B7ull, 0x4F463F669E5FEA2Dull,
    0x7527BAC7EBE5F17Bull, 0x3D0739F78A5292EAull, 0x6BFB5FB11F8D5D08ull, 0x56033046FC7B6BABull, 0xF0CFBC209AF4361Dull,
};

constexpr double kTwoOverPiDouble = 0x1.45f306dc9c883p-1;
// pi / 2 in pieces of 33 bits and a rest, so that integers below 2^20 times the first two are exact.
constexpr double kHalfPi1 = 0x1.921fb544p+0;
constexpr double kHalfPi2 = 0x1.0b4611a6p-34;
constexpr double kHalfPi3 = 0x1.3198a2e037073p-69;
constexpr double kHalfPiHigh = 0x1.921fb54442d18p+0;
constexpr double kHalfPiLow = 0x1.1a62633145c07p-54;

/// 64 bits of 2 / pi from the bit of weight 2^-first on; bits before the binary point are zero.
std::uint64_t bitsFrom(int first) {
    const auto word = [](int index) {
        return index < 0 || index >= static_cast<int>(kTwoOverPi.size()) ? 0
                                                                         : kTwoOverPi[static_cast<std::size_t>(index)];
    };
    const int position = first - 1 + 64 * 64;  // made positive for the division
    const int index = position / 64 - 64;
    const int shift = position % 64;
    return shift == 0 ? word(index) : (word(index) << shift) | (word(index + 1) >> (64 - shift));
}

struct Product {
    std::uint64_t high;
    std::uint64_t low;
};

Product multiply(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t a0 = a & 0xFFFFFFFFu, a1 = a >> 32, b0 = b & 0xFFFFFFFFu, b1 = b >> 32;
    const std::uint64_t low = a0 * b0;
    const std::uint64_t middle = a1 * b0 + (low >> 32);
    const std::uint64_t cross = a0 * b1 + (middle & 0xFFFFFFFFu);
    return {a1 * b1 + (middle >> 32) + (cross >> 32), (cross << 32) | (low & 0xFFFFFFFFu)};
}

/// Keeps 190 bits of the fraction of |x| * 2 / pi (Payne and Hanek): bits of 2 / pi that only add multiples of 4 are
/// left out, the rest is multiplied by the 53-bit mantissa in integers.
ReducedAngle reduceByManyBits(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t mantissa = (bits & 0x000FFFFFFFFFFFFFull) | 0x0010000000000000ull;
    const int exponent = static_cast<int>((bits >> 52) & 0x7FF) - 1075;
    const Product p0 = multiply(mantissa, bitsFrom(exponent - 1 + 128));
    const Product p1 = multiply(mantissa, bitsFrom(exponent - 1 + 64));
    const Product p2 = multiply(mantissa, bitsFrom(exponent - 1));
    // The product modulo 2^192, as three words; its first two bits are the quadrant.
    std::uint64_t w0 = p0.low;
    std::uint64_t w1 = p0.high + p1.low;
    std::uint64_t w2 = p1.high + p2.low + (w1 < p0.high ? 1 : 0);
    auto quadrant = static_cast<unsigned>(w2 >> 62);
    w2 = (w2 << 2) | (w1 >> 62);
    w1 = (w1 << 2) | (w0 >> 62);
    w0 <<= 2;
    bool negative = (bits >> 63) != 0;
    if (negative) quadrant = 4 - quadrant;
    if ((w2 >> 63) != 0) {
        // Beyond half a quadrant: measured back from the next one.
        quadrant += negative ? 3 : 1;
        negative = !negative;
        w0 = ~w0 + 1;
        w1 = ~w1 + (w0 == 0 ? 1 : 0);
        w2 = ~w2 + (w0 == 0 && w1 == 0 ? 1 : 0);
    }
    int lead = 0;
    while (w2 == 0 && lead < 128) {
        w2 = w1;
        w1 = w0;
        w0 = 0;
        lead += 64;
    }
    const int shift = std::countl_zero(w2);
    if (shift > 0 && shift < 64) {
        w2 = (w2 << shift) | (w1 >> (64 - shift));
        w1 = (w1 << shift) | (w0 >> (64 - shift));
    }
    lead += shift;
    // 53 leading bits exactly, then the next 53.
    const double high = std::ldexp(static_cast<double>(w2 >> 11), -53 - lead);
    const double low = std::ldexp(static_cast<double>(((w2 & 0x7FFu) << 42) | (w1 >> 22)), -106 - lead);
    const double product = high * kHalfPiHigh;
    const double rest = std::fma(high, kHalfPiHigh, -product) + (high * kHalfPiLow + low * kHalfPiHigh);
    const double sum = product + rest;
    const double error = (product - sum) + rest;
    return {quadrant & 3u, negative ? -sum : sum, negative ? -error : error};
}

}  // namespace

ReducedAngle reduceByHalfPi(double x) {
    const double magnitude = std::fabs(x);
    if (magnitude <= 0x1.921fb54442d18p-1) return {0, x, 0.0};
    if (magnitude < 0x1p20) {
        constexpr double kShift = 0x1.8p52;
        const double k = (x * kTwoOverPiDouble + kShift) - kShift;
        const double first = x - k * kHalfPi1;
        const double second = k * kHalfPi2;
        const double third = k * kHalfPi3;
        const double r = first - second;
        // The error of that difference, whichever operand is the larger (Knuth's two-sum).
        const double virtualSecond = first - r;
        const double error = (first - (r + virtualSecond)) + (virtualSecond - second);
        const double high = r + (error - third);
        const double low = (r - high) + (error - third);
        // Close to a multiple of pi / 2 the three pieces leave too few bits.
        if (std::fabs(high) > 0x1p-26) return {static_cast<unsigned>(static_cast<int>(k)) & 3u, high, low};
    }
    return reduceByManyBits(x);
}

}  // namespace cubist::elementary
