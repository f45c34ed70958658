// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/golden_types.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/number_formats.h"

namespace cubist::golden {

namespace {

double roundTo(DType type, double value, RoundMode mode, Saturation saturation) {
    if (isFloat(type)) return static_cast<double>(decode(type, encode(type, value, mode, saturation)));
    return carried(type, toInteger(type, value, mode, saturation));
}

/// What declared saturation makes of a number that is not rounded: FP32 has none.
double clamped(DType type, double value) {
    if (type == DType::FP32) return value;
    if (std::isnan(value)) return 0.0;
    const double largest = largestValue(type);
    return std::clamp(value, -largest, largest);
}

/// An integer in a float type, rounded once.
double floatOf(GoldenKind kind, DType type, std::int64_t value, RoundMode mode, Saturation saturation) {
    if (kind == GoldenKind::Ideal && isPlainFloat(type)) {
        const auto exact = static_cast<double>(value);
        return saturation == Saturation::Off ? exact : clamped(type, exact);
    }
    return static_cast<double>(decode(type, encodeInteger(type, value, mode, saturation)));
}

}  // namespace

std::int64_t integerOf(DType type, double value) {
    return type == DType::INT64 ? std::bit_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
}

double carried(DType type, std::int64_t value) {
    return type == DType::INT64 ? std::bit_cast<double>(value) : static_cast<double>(narrowInteger(type, value));
}

std::vector<std::int64_t> toNumbers(DType type, std::span<double> values) {
    std::vector<std::int64_t> integers;
    if (type != DType::INT64) return integers;
    integers.reserve(values.size());
    for (double& value : values) {
        integers.push_back(integerOf(type, value));
        value = static_cast<double>(integers.back());
    }
    return integers;
}

std::int64_t wrappingSum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t wrappingProduct(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

void roundResult(GoldenKind kind, DType type, std::span<double> values) {
    if (kind == GoldenKind::Ideal && isPlainFloat(type)) return;
    for (double& value : values) {
        if (kind == GoldenKind::Framework && isFloat(type))
            value = roundTo(DType::FP32, value, RoundMode::None, Saturation::Off);
        if (type != DType::FP32) value = roundTo(type, value, RoundMode::None, Saturation::Off);
    }
}

double scaled(GoldenKind kind, DType type, double alpha, double value) {
    if (alpha == 1.0) return value;
    if (!isFloat(type)) return carried(type, wrappingProduct(toInteger(DType::INT64, alpha), integerOf(type, value)));
    double result = alpha * value;
    roundResult(kind, type, std::span(&result, 1));
    return result;
}

void castValues(GoldenKind kind, DType from, DType to, RoundMode mode, bool saturate, std::span<double> values) {
    if (from == to) return;
    if (from != DType::INT64 && kind == GoldenKind::Ideal && isPlainFloat(to)) {
        if (saturate)
            for (double& value : values) value = clamped(to, value);
        return;
    }
    const Saturation saturation = saturate ? Saturation::On : Saturation::Off;
    if (!isFloat(from)) {
        for (double& value : values) {
            const std::int64_t exact = integerOf(from, value);
            value = isFloat(to) ? floatOf(kind, to, exact, mode, saturation)
                                : carried(to, narrowInteger(to, exact, saturation));
        }
        return;
    }
    for (double& value : values) value = roundTo(to, value, mode, saturation);
}

}  // namespace cubist::golden
