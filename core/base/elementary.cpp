// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/elementary.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/base/trig_reduction.h"

namespace cubist::elementary {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLog2E = 0x1.71547652b82fep+0;
// ln 2 in two pieces; the first has 20 zero bits at its end, so that an integer of up to 11 bits times it is exact.
constexpr double kLn2High = 0x1.62e42fefp-1;
constexpr double kLn2Low = 0x1.473de6af278edp-34;

double canonicalNan() {
    return std::bit_cast<double>(0x7FF8000000000000ull);
}

/// 2^exponent. Range: -1022 <= exponent <= 1023
double powerOfTwo(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// Nearest integer, ties to even: the sum pushes the fraction out of the mantissa. Range: |x| < 2^51
double nearestInteger(double x) {
    constexpr double kShift = 0x1.8p52;
    return (x + kShift) - kShift;
}

/// exp(r) - 1 = r + r^2 * tail(r) for |r| <= 0.35; the series to r^13 leaves less than 2^-57 of the result.
double expTail(double r) {
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    return p * r + 0.5;
}

/// x = k ln 2 + high + low with |high| <= 0.35.
struct ExpReduction {
    int k;
    double high;
    double low;
};

ExpReduction reduceByLn2(double x) {
    const double k = nearestInteger(x * kLog2E);
    const double first = x - k * kLn2High;
    const double second = k * kLn2Low;
    const double high = first - second;
    return {static_cast<int>(k), high, (first - high) - second};
}

double logOfFraction(double f, double correction, int k) {
    // log(1 + f) = f - f^2/2 + s (f^2/2 + R), s = f / (2 + f), R = 2 s^2 (1/3 + s^2/5 + ...): the parts that carry
    // rounding errors are small beside f.
    const double s = f / (2.0 + f);
    const double z = s * s;
    double p = 2.0 / 23.0;
    p = p * z + 2.0 / 21.0;
    p = p * z + 2.0 / 19.0;
    p = p * z + 2.0 / 17.0;
    p = p * z + 2.0 / 15.0;
    p = p * z + 2.0 / 13.0;
    p = p * z + 2.0 / 11.0;
    p = p * z + 2.0 / 9.0;
    p = p * z + 2.0 / 7.0;
    p = p * z + 2.0 / 5.0;
    p = p * z + 2.0 / 3.0;
    const double r = z * p;
    const double half = 0.5 * f * f;
    const double scale = static_cast<double>(k);
    return scale * kLn2High - ((half - (s * (half + r) + (scale * kLn2Low + correction))) - f);
}

/// sin(x + y) for |x| <= pi/4 and y the part of x below its last place.
double sinKernel(double x, double y) {
    const double z = x * x;
    double p = 1.0 / 355687428096000.0;
    p = p * z - 1.0 / 1307674368000.0;
    p = p * z + 1.0 / 6227020800.0;
    p = p * z - 1.0 / 39916800.0;
    p = p * z + 1.0 / 362880.0;
    p = p * z - 1.0 / 5040.0;
    p = p * z + 1.0 / 120.0;
    const double cube = z * x;
    return x - ((z * (0.5 * y - cube * p) - y) + cube * (1.0 / 6.0));
}

double cosKernel(double x, double y) {
    const double z = x * x;
    double p = 1.0 / 20922789888000.0;
    p = p * z - 1.0 / 87178291200.0;
    p = p * z + 1.0 / 479001600.0;
    p = p * z - 1.0 / 3628800.0;
    p = p * z + 1.0 / 40320.0;
    p = p * z - 1.0 / 720.0;
    p = p * z + 1.0 / 24.0;
    const double half = 0.5 * z;
    const double w = 1.0 - half;
    return w + (((1.0 - w) - half) + (z * z * p - x * y));
}

double sinOfQuadrant(const ReducedAngle& angle, unsigned quadrant) {
    const double value = (quadrant & 1u) != 0 ? cosKernel(angle.high, angle.low) : sinKernel(angle.high, angle.low);
    return (quadrant & 2u) != 0 ? -value : value;
}

template <class Function>
void mapRow(std::span<const float> x, std::span<float> y, Function function) {
    assert(x.size() == y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto value = static_cast<float>(function(static_cast<double>(x[i])));
        y[i] = value != value ? std::bit_cast<float>(0x7FC00000u) : value;
    }
}

}  // namespace

double exp(double x) {
    if (std::isnan(x)) return canonicalNan();
    if (x > 709.8) return kInfinity;
    if (x < -745.2) return 0.0;
    const ExpReduction part = reduceByLn2(x);
    const double r = part.high;
    const double value = 1.0 + (r + (r * r * expTail(r) + part.low));
    // Two exact factors and one that may round: a subnormal result is rounded once.
    const int half = part.k / 2;
    return value * powerOfTwo(half) * powerOfTwo(part.k - half);
}

double expm1(double x) {
    if (std::isnan(x)) return canonicalNan();
    if (x > 709.8) return kInfinity;
    if (x < -40.0) return -1.0;
    if (std::fabs(x) < 0x1p-54) return x;
    const ExpReduction part = reduceByLn2(x);
    const double r = part.high;
    const double tail = r * r * expTail(r) + part.low;
    if (part.k == 0) return r + tail;
    const int half = part.k / 2;
    const double scale = powerOfTwo(part.k - half);
    if (part.k > 60) return (1.0 + (r + tail)) * powerOfTwo(half) * scale;
    const double inverse = powerOfTwo(-part.k);
    return (((1.0 - inverse) + r) + tail) * powerOfTwo(part.k);
}

double log(double x) {
    if (std::isnan(x) || x < 0) return canonicalNan();
    if (x == 0) return -kInfinity;
    if (x == kInfinity) return x;
    int k = 0;
    if (x < std::numeric_limits<double>::min()) {
        x *= 0x1p54;
        k = -54;
    }
    // Mantissa in [sqrt(1/2), sqrt(2)): the offset carries into the exponent exactly for the upper half.
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) + (0x3FF0000000000000ull - 0x3FE6A09E667F3BCDull);
    k += static_cast<int>(bits >> 52) - 1023;
    const double mantissa = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFull) + 0x3FE6A09E667F3BCDull);
    return logOfFraction(mantissa - 1.0, 0.0, k);
}

double log1p(double x) {
    if (std::isnan(x) || x < -1.0) return canonicalNan();
    if (x == -1.0) return -kInfinity;
    if (x == kInfinity || std::fabs(x) < 0x1p-54) return x;
    const double sum = 1.0 + x;
    // What the sum lost, relative to it.
    const double lost = (x >= 1.0 ? 1.0 - (sum - x) : x - (sum - 1.0)) / sum;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(sum) + (0x3FF0000000000000ull - 0x3FE6A09E667F3BCDull);
    const int k = static_cast<int>(bits >> 52) - 1023;
    if (k == 0) return logOfFraction(x, 0.0, 0);
    const double mantissa = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFull) + 0x3FE6A09E667F3BCDull);
    return logOfFraction(mantissa - 1.0, lost, k);
}

double sin(double x) {
    if (!std::isfinite(x)) return canonicalNan();
    if (std::fabs(x) < 0x1p-27) return x;
    const ReducedAngle angle = reduceByHalfPi(x);
    return sinOfQuadrant(angle, angle.quadrant);
}

double cos(double x) {
    if (!std::isfinite(x)) return canonicalNan();
    const ReducedAngle angle = reduceByHalfPi(x);
    return sinOfQuadrant(angle, angle.quadrant + 1);
}

SinCos sinCosOfTurns(double t) {
    constexpr double kTwoPi = 0x1.921fb54442d18p+2;
    constexpr double kTwoPiLow = 0x1.1a62633145c07p-52;
    const double quarters = nearestInteger(4.0 * t);
    const double rest = t - 0.25 * quarters;
    const double high = rest * kTwoPi;
    const double low = rest * kTwoPiLow;
    const double sine = sinKernel(high, low);
    const double cosine = cosKernel(high, low);
    const auto quadrant = static_cast<unsigned>(static_cast<std::int64_t>(quarters)) & 3u;
    const double swappedSine = (quadrant & 1u) != 0 ? cosine : sine;
    const double swappedCosine = (quadrant & 1u) != 0 ? sine : cosine;
    return {(quadrant & 2u) != 0 ? -swappedSine : swappedSine,
            ((quadrant + 1) & 2u) != 0 ? -swappedCosine : swappedCosine};
}

double tanh(double x) {
    if (std::isnan(x)) return canonicalNan();
    const double magnitude = std::fabs(x);
    if (magnitude < 0x1p-28) return x;
    double value = 1.0;
    if (magnitude < 22.0) {
        const double e = expm1(2.0 * magnitude);
        value = magnitude < 0.5 ? e / (e + 2.0) : 1.0 - 2.0 / (e + 2.0);
    }
    return std::copysign(value, x);
}

double sigmoid(double x) {
    if (x < 0) {
        const double e = exp(x);
        return e / (1.0 + e);
    }
    return 1.0 / (1.0 + exp(-x));
}

double pow(double x, double y) {
    if (y == 0.0 || x == 1.0) return 1.0;
    if (std::isnan(x) || std::isnan(y)) return canonicalNan();
    const bool integer = std::floor(y) == y;  // infinities too, which count as even
    const bool odd = integer && std::fabs(y) < 0x1p53 && std::floor(y / 2) * 2 != y;
    const double magnitude = std::fabs(x);
    if (std::isinf(y)) {
        if (magnitude == 1.0) return 1.0;
        return (magnitude > 1.0) == (y > 0.0) ? kInfinity : 0.0;
    }
    if (x == 0.0 || std::isinf(x)) {
        const double value = (x == 0.0) == (y > 0.0) ? 0.0 : kInfinity;
        return odd ? std::copysign(value, x) : value;
    }
    if (x < 0.0 && !integer) return canonicalNan();
    const double value = exp(y * log(magnitude));
    return x < 0.0 && odd ? -value : value;
}

void expRow(std::span<const float> x, std::span<float> y) {
    mapRow(x, y, [](double v) { return exp(v); });
}

void logRow(std::span<const float> x, std::span<float> y) {
    mapRow(x, y, [](double v) { return log(v); });
}

void sinRow(std::span<const float> x, std::span<float> y) {
    mapRow(x, y, [](double v) { return sin(v); });
}

void cosRow(std::span<const float> x, std::span<float> y) {
    mapRow(x, y, [](double v) { return cos(v); });
}

void tanhRow(std::span<const float> x, std::span<float> y) {
    mapRow(x, y, [](double v) { return tanh(v); });
}

void sigmoidRow(std::span<const float> x, std::span<float> y) {
    mapRow(x, y, [](double v) { return sigmoid(v); });
}

}  // namespace cubist::elementary
