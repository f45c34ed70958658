// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/held_values.h"

#include <array>
#include <charconv>
#include <cmath>

#include "core/base/number_formats.h"

namespace cubist {
namespace {

bool hasInfinity(DType type) {
    return !isFp4(type) && type != DType::FP8E4M3 && type != DType::FP8E8M0;
}

template <class T>
std::string shortest(T value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

template <class T>
std::optional<std::size_t> firstOf(DType type, std::span<const T> values) {
    // Most values are well inside.
    const double largest = largestValue(type);
    const double least = type == DType::FP8E8M0 ? 0x1p-127 : -largest;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = static_cast<double>(values[i]);
        if (!(value >= least && value <= largest) && !holds(type, value)) return i;
    }
    return std::nullopt;
}

}  // namespace

bool isFp4(DType type) {
    return type == DType::FP4E2M1 || type == DType::FP4E1M2;
}

double endOfFp4(DType type) {
    const std::span<const float, 256> values = decodeTable(type);
    return static_cast<double>(values[7]) + static_cast<double>(values[7] - values[6]) / 2;
}

bool isInE8M0(double value) {
    return value >= 0x1p-127 && value < 0x1p128;
}

bool holds(DType type, double value) {
    if (std::isnan(value)) return !isFp4(type);
    if (std::isinf(value)) return hasInfinity(type);
    if (type == DType::FP8E8M0) return isInE8M0(value);
    if (isFp4(type)) return std::fabs(value) < endOfFp4(type);
    return std::isfinite(decode(type, encode(type, value)));
}

std::optional<std::size_t> firstNotHeld(DType type, std::span<const double> values) {
    return firstOf(type, values);
}

std::optional<std::size_t> firstNotHeld(DType type, std::span<const float> values) {
    if (type == DType::FP32) return std::nullopt;
    return firstOf(type, values);
}

std::string heldText(DType type) {
    const std::string name(toText(type));
    if (type == DType::FP8E8M0) return name + " holds 2^-127 to 2^127, without sign and zero";
    const std::string largest = shortestText(largestValue(type));
    return name + " holds -" + largest + " to " + largest;
}

std::string shortestText(double value) {
    return shortest(value);
}

std::string shortestFloatText(float value) {
    return shortest(value);
}

}  // namespace cubist
