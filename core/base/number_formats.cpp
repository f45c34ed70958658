// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/number_formats.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace cubist {
namespace {

constexpr std::uint32_t kQuietNan32 = 0x7FC00000u;

/// What encoding needs to know of a binary format with a sign, an exponent field and a mantissa field.
struct BinaryFormat {
    int mantissaBits;
    int minExponent;  ///< of the smallest normal value
    std::uint32_t signBit;
    std::uint32_t largestCode;  ///< magnitude code of the largest finite value
    std::uint32_t infinity;     ///< magnitude code of infinity, or of what stands for it
    std::uint32_t nan;
    bool alwaysSaturates;
};

constexpr BinaryFormat binaryFormat(DType type) {
    switch (type) {
        case DType::FP16: return {10, -14, 0x8000u, 0x7BFFu, 0x7C00u, 0x7E00u, false};
        case DType::BF16: return {7, -126, 0x8000u, 0x7F7Fu, 0x7F80u, 0x7FC0u, false};
        case DType::FP8E4M3: return {3, -6, 0x80u, 0x7Eu, 0x7Fu, 0x7Fu, false};
        case DType::FP8E5M2: return {2, -14, 0x80u, 0x7Bu, 0x7Cu, 0x7Fu, false};
        case DType::FP4E2M1: return {1, 0, 0x8u, 0x7u, 0x7u, 0x0u, true};
        case DType::FP4E1M2: return {2, 0, 0x8u, 0x7u, 0x7u, 0x0u, true};
        case DType::FP32:
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
    return {23, -126, 0x80000000u, 0x7F7FFFFFu, 0x7F800000u, kQuietNan32, false};
}

/// A finite non-zero number, exactly: (-1)^negative * mantissa * 2^exponent.
struct Parts {
    bool negative;
    std::uint64_t mantissa;
    int exponent;

    [[nodiscard]] int leadExponent() const { return 63 - std::countl_zero(mantissa) + exponent; }
};

Parts partsOf(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const auto field = static_cast<int>((bits >> 52) & 0x7FF);
    const std::uint64_t fraction = bits & ((1ull << 52) - 1);
    const bool negative = (bits >> 63) != 0;
    return field == 0 ? Parts{negative, fraction, -1074} : Parts{negative, fraction | (1ull << 52), field - 1075};
}

/// |value| / 2^quantum rounded to an integer. The quantum must leave at most 63 bits.
std::uint64_t roundToQuantum(const Parts& value, int quantum, RoundMode mode) {
    const int shift = quantum - value.exponent;
    if (shift <= 0) return value.mantissa << -shift;
    const std::uint64_t kept = shift >= 64 ? 0 : value.mantissa >> shift;
    const std::uint64_t rest = shift >= 64 ? value.mantissa : value.mantissa & ((1ull << shift) - 1);
    if (rest == 0) return kept;
    // Compared as rest against half without forming 2^(shift - 1) when that has no room.
    const bool aboveHalf = shift <= 64 && rest > (1ull << (shift - 1));
    const bool half = shift <= 64 && rest == (1ull << (shift - 1));
    const bool odd = (kept & 1) != 0;
    switch (mode) {
        case RoundMode::None:
        case RoundMode::Rint: return kept + (aboveHalf || (half && odd) ? 1 : 0);
        case RoundMode::Round: return kept + (aboveHalf || half ? 1 : 0);
        case RoundMode::Floor: return kept + (value.negative ? 1 : 0);
        case RoundMode::Ceil: return kept + (value.negative ? 0 : 1);
        case RoundMode::Trunc: return kept;
        case RoundMode::Odd: return kept | 1;
    }
    return kept;
}

/// True where a mode takes an overflowing value to infinity rather than to the largest finite value.
bool overflowsToInfinity(RoundMode mode, bool negative) {
    switch (mode) {
        case RoundMode::None:
        case RoundMode::Rint:
        case RoundMode::Round: return true;
        case RoundMode::Floor: return negative;
        case RoundMode::Ceil: return !negative;
        case RoundMode::Trunc:
        case RoundMode::Odd: return false;
    }
    return true;
}

std::uint32_t encodeBinary(const BinaryFormat& format, const Parts& value, RoundMode mode, Saturation saturation) {
    const std::uint32_t sign = value.negative ? format.signBit : 0u;
    const int exponent = std::max(value.leadExponent(), format.minExponent);
    const std::uint64_t kept = roundToQuantum(value, exponent - format.mantissaBits, mode);
    const std::uint64_t code =
        (static_cast<std::uint64_t>(exponent - format.minExponent) << format.mantissaBits) + kept;
    if (code <= format.largestCode) return sign | static_cast<std::uint32_t>(code);
    const bool clamp =
        format.alwaysSaturates || saturation != Saturation::Off || !overflowsToInfinity(mode, value.negative);
    return sign | (clamp ? format.largestCode : format.infinity);
}

std::uint32_t encodeExponent(const Parts& value, RoundMode mode) {
    const Parts magnitude{false, value.mantissa, value.exponent};
    const int lead = value.leadExponent();
    const std::uint64_t kept = roundToQuantum(magnitude, lead, mode == RoundMode::None ? RoundMode::Trunc : mode);
    return static_cast<std::uint32_t>(std::clamp(lead + static_cast<int>(kept) - 1 + 127, 0, 254));
}

/// HF8: a prefix code after the sign tells how many exponent bits follow; the mantissa takes what is left.
constexpr int kHf8Infinity = 0x6F;
constexpr int kHf8Nan = 0x80;

constexpr int hf8MantissaBits(int exponent) {
    const int magnitude = exponent < 0 ? -exponent : exponent;
    return magnitude <= 3 ? 3 : magnitude <= 7 ? 2 : 1;
}

constexpr std::uint32_t hf8Code(int exponent, std::uint32_t mantissa) {
    const std::uint32_t sign = exponent < 0 ? 1u : 0u;
    const auto magnitude = static_cast<std::uint32_t>(exponent < 0 ? -exponent : exponent);
    // The leading one of the exponent's magnitude is implied by the prefix.
    if (magnitude == 0) return 0x08u | mantissa;
    if (magnitude == 1) return 0x10u | (sign << 3) | mantissa;
    if (magnitude <= 3) return 0x20u | (sign << 4) | ((magnitude & 1u) << 3) | mantissa;
    if (magnitude <= 7) return 0x40u | (sign << 4) | ((magnitude & 3u) << 2) | mantissa;
    return 0x60u | (sign << 4) | ((magnitude & 7u) << 1) | mantissa;
}

std::uint32_t encodeHf8(const Parts& value, Saturation saturation) {
    constexpr int kSmallest = -22, kSmallestNormal = -15, kLargest = 15;
    const std::uint32_t sign = value.negative ? 0x80u : 0u;
    int exponent = value.leadExponent();
    std::uint64_t kept = 0;
    int mantissaBits = 0;
    if (exponent < kSmallest) {
        if (roundToQuantum(value, kSmallest, RoundMode::Round) == 0) return 0;
        return sign | 1u;
    }
    mantissaBits = exponent < kSmallestNormal ? 0 : hf8MantissaBits(exponent);
    if (exponent <= kLargest) kept = roundToQuantum(value, exponent - mantissaBits, RoundMode::Round);
    if (kept == (2ull << mantissaBits)) {
        ++exponent;
        kept = exponent < kSmallestNormal ? 1 : 1ull << hf8MantissaBits(exponent);
        mantissaBits = exponent < kSmallestNormal ? 0 : hf8MantissaBits(exponent);
    }
    const auto mantissa = static_cast<std::uint32_t>(kept - (kept == 0 ? 0 : 1ull << mantissaBits));
    if (exponent > kLargest || (exponent == kLargest && mantissa != 0))
        return sign | (saturation == Saturation::Off ? static_cast<std::uint32_t>(kHf8Infinity) : hf8Code(kLargest, 0));
    if (exponent < kSmallestNormal) return sign | static_cast<std::uint32_t>(exponent + 23);
    return sign | hf8Code(exponent, mantissa);
}

std::uint32_t encodeNan(DType type, Saturation saturation) {
    if (type == DType::FP8E8M0) return 0xFFu;
    if (type != DType::FP32 && saturation == Saturation::On) return 0;
    return type == DType::HF8 ? static_cast<std::uint32_t>(kHf8Nan) : binaryFormat(type).nan;
}

std::uint32_t encodeInfinity(DType type, bool negative, Saturation saturation) {
    if (type == DType::FP8E8M0) return 0xFEu;
    const bool clamp = saturation != Saturation::Off && type != DType::FP32;
    if (type == DType::HF8)
        return (negative ? 0x80u : 0u) | (clamp ? hf8Code(15, 0) : static_cast<std::uint32_t>(kHf8Infinity));
    const BinaryFormat format = binaryFormat(type);
    return (negative ? format.signBit : 0u) | (clamp ? format.largestCode : format.infinity);
}

std::uint32_t encodeZero(DType type, bool negative) {
    if (!negative || type == DType::FP8E8M0 || type == DType::HF8) return 0;
    return binaryFormat(type).signBit;
}

std::uint32_t encodeFinite(DType type, const Parts& value, RoundMode mode, Saturation saturation) {
    if (type == DType::FP8E8M0) return encodeExponent(value, mode);
    if (type == DType::HF8) return encodeHf8(value, saturation);
    return encodeBinary(binaryFormat(type), value, mode, type == DType::FP32 ? Saturation::Off : saturation);
}

constexpr double powerOfTwo(int exponent) {
    double result = 1;
    for (int i = 0; i < exponent; ++i) result *= 2;
    for (int i = 0; i > exponent; --i) result /= 2;
    return result;
}

constexpr float quietNan() {
    return std::bit_cast<float>(kQuietNan32);
}

constexpr float decodeBinary(const BinaryFormat& format, std::uint32_t code, bool hasInfinity, bool hasNan) {
    const std::uint32_t magnitude = code & (format.signBit - 1);
    const bool negative = (code & format.signBit) != 0;
    if (magnitude > format.largestCode) {
        if (hasInfinity && magnitude == format.infinity)
            return std::bit_cast<float>(negative ? 0xFF800000u : 0x7F800000u);
        if (hasNan) return quietNan();
    }
    const std::uint32_t field = magnitude >> format.mantissaBits;
    const std::uint32_t fraction = magnitude & ((1u << format.mantissaBits) - 1);
    const auto significand = static_cast<double>(field == 0 ? fraction : fraction | (1u << format.mantissaBits));
    const int exponent = format.minExponent + (field == 0 ? 0 : static_cast<int>(field) - 1) - format.mantissaBits;
    const double value = significand * powerOfTwo(exponent);
    return static_cast<float>(negative ? -value : value);
}

constexpr float decodeHf8(std::uint32_t code) {
    if (code == kHf8Nan) return quietNan();
    const bool negative = (code & 0x80u) != 0;
    const std::uint32_t magnitude = code & 0x7Fu;
    if (magnitude == kHf8Infinity) return std::bit_cast<float>(negative ? 0xFF800000u : 0x7F800000u);
    double value = 0;
    if (magnitude >= 8) {
        // Widths of exponent and mantissa behind each prefix; the exponent is a sign and a magnitude with an implied
        // one.
        const int exponentBits = magnitude >= 0x60   ? 4
                                 : magnitude >= 0x40 ? 3
                                 : magnitude >= 0x20 ? 2
                                 : magnitude >= 0x10 ? 1
                                                     : 0;
        const int mantissaBits = exponentBits == 4 ? 1 : exponentBits == 3 ? 2 : 3;
        const auto mantissa = static_cast<double>(magnitude & ((1u << mantissaBits) - 1));
        int exponent = 0;
        if (exponentBits > 0) {
            const std::uint32_t field = (magnitude >> mantissaBits) & ((1u << exponentBits) - 1);
            const std::uint32_t implied = 1u << (exponentBits - 1);
            exponent = static_cast<int>((field & (implied - 1)) | implied);
            if ((field & implied) != 0) exponent = -exponent;
        }
        value = (1 + mantissa * powerOfTwo(-mantissaBits)) * powerOfTwo(exponent);
    } else if (magnitude > 0) {
        value = powerOfTwo(static_cast<int>(magnitude) - 23);
    }
    return static_cast<float>(negative ? -value : value);
}

constexpr float decodeByte(DType type, std::uint32_t code) {
    switch (type) {
        case DType::FP8E4M3: return decodeBinary(binaryFormat(type), code, false, true);
        case DType::FP8E5M2: return decodeBinary(binaryFormat(type), code, true, true);
        case DType::FP4E2M1:
        case DType::FP4E1M2: return decodeBinary(binaryFormat(type), code & 0xFu, false, false);
        case DType::HF8: return decodeHf8(code);
        case DType::FP8E8M0:
            return code == 0xFF ? quietNan() : static_cast<float>(powerOfTwo(static_cast<int>(code) - 127));
        case DType::FP32:
        case DType::FP16:
        case DType::BF16:
        case DType::INT4:
        case DType::INT8:
        case DType::INT16:
        case DType::INT32:
        case DType::INT64:
        case DType::UINT8:
        case DType::BOOL: break;
    }
    return quietNan();
}

using ByteTable = std::array<float, 256>;

constexpr ByteTable makeByteTable(DType type) {
    ByteTable table{};
    for (std::uint32_t code = 0; code < 256; ++code) table[code] = decodeByte(type, code);
    return table;
}

constexpr ByteTable kFp8E4M3 = makeByteTable(DType::FP8E4M3);
constexpr ByteTable kFp8E5M2 = makeByteTable(DType::FP8E5M2);
constexpr ByteTable kFp8E8M0 = makeByteTable(DType::FP8E8M0);
constexpr ByteTable kHf8 = makeByteTable(DType::HF8);
constexpr ByteTable kFp4E2M1 = makeByteTable(DType::FP4E2M1);
constexpr ByteTable kFp4E1M2 = makeByteTable(DType::FP4E1M2);

float decodeHalf(std::uint32_t code) {
    const std::uint32_t sign = (code & 0x8000u) << 16;
    const std::uint32_t magnitude = code & 0x7FFFu;
    if (magnitude > 0x7C00u) return quietNan();
    if (magnitude == 0x7C00u) return std::bit_cast<float>(sign | 0x7F800000u);
    // Shifted into place the exponent is 112 too low; the product is exact and mends subnormals as well.
    return std::bit_cast<float>(sign | (magnitude << 13)) * 0x1p112f;
}

double integerLimit(DType type) {
    switch (type) {
        case DType::INT4: return 7;
        case DType::INT8: return 127;
        case DType::INT16: return 32767;
        case DType::INT32: return 2147483647.0;
        case DType::INT64: return 0x1p63;
        case DType::UINT8: return 255;
        case DType::BOOL: return 1;
        case DType::FP32:
        case DType::FP16:
        case DType::BF16:
        case DType::FP8E4M3:
        case DType::FP8E5M2:
        case DType::HF8:
        case DType::FP8E8M0:
        case DType::FP4E2M1:
        case DType::FP4E1M2: break;
    }
    return 0;
}

struct IntegerRange {
    std::int64_t low;
    std::int64_t high;
};

IntegerRange integerRange(DType type) {
    if (type == DType::UINT8) return {0, 255};
    if (type == DType::BOOL) return {0, 1};
    const int bits = bitsPerElement(type);
    const std::int64_t high = static_cast<std::int64_t>((~0ull) >> (65 - bits));
    return {-high - 1, high};
}

std::int64_t lowBits(DType type, std::uint64_t value) {
    switch (type) {
        case DType::INT4: return static_cast<std::int64_t>(value << 60) >> 60;
        case DType::INT8: return static_cast<std::int8_t>(value);
        case DType::INT16: return static_cast<std::int16_t>(value);
        case DType::INT32: return static_cast<std::int32_t>(value);
        case DType::UINT8: return static_cast<std::uint8_t>(value);
        case DType::BOOL: return value != 0 ? 1 : 0;
        case DType::INT64:
        case DType::FP32:
        case DType::FP16:
        case DType::BF16:
        case DType::FP8E4M3:
        case DType::FP8E5M2:
        case DType::HF8:
        case DType::FP8E8M0:
        case DType::FP4E2M1:
        case DType::FP4E1M2: break;
    }
    return static_cast<std::int64_t>(value);
}

/// |value| rounded to an integer, modulo 2^64, and whether it is 2^63 or more.
struct RoundedMagnitude {
    std::uint64_t low;
    bool beyond63Bits;
};

RoundedMagnitude roundToInteger(const Parts& value, RoundMode mode) {
    if (value.exponent <= 0) {
        const std::uint64_t kept = roundToQuantum(value, 0, mode);
        return {kept, (kept >> 63) != 0};
    }
    const bool beyond = value.leadExponent() >= 63;
    return {value.exponent >= 64 ? 0 : value.mantissa << value.exponent, beyond};
}

}  // namespace

std::span<const float, 256> decodeTable(DType type) {
    switch (type) {
        case DType::FP8E4M3: return kFp8E4M3;
        case DType::FP8E5M2: return kFp8E5M2;
        case DType::FP8E8M0: return kFp8E8M0;
        case DType::HF8: return kHf8;
        case DType::FP4E2M1: return kFp4E2M1;
        case DType::FP4E1M2: return kFp4E1M2;
        case DType::FP32:
        case DType::FP16:
        case DType::BF16:
        case DType::INT4:
        case DType::INT8:
        case DType::INT16:
        case DType::INT32:
        case DType::INT64:
        case DType::UINT8:
        case DType::BOOL: break;
    }
    assert(false && "only float types of 8 and 4 bits have a table");
    return kFp8E4M3;
}

float decode(DType type, std::uint32_t code) {
    assert(isFloat(type));
    if (type == DType::FP32) return std::bit_cast<float>(code);
    if (type == DType::FP16) return decodeHalf(code);
    if (type == DType::BF16) return canonicalNan(std::bit_cast<float>(code << 16));
    return decodeTable(type)[code & 0xFFu];
}

std::uint32_t encode(DType type, double value, RoundMode mode, Saturation saturation) {
    assert(isFloat(type));
    if (std::isnan(value)) return encodeNan(type, saturation);
    const bool negative = std::signbit(value);
    if (std::isinf(value)) return encodeInfinity(type, negative, saturation);
    if (value == 0) return encodeZero(type, negative);
    return encodeFinite(type, partsOf(value), mode, saturation);
}

std::uint32_t encodeInteger(DType type, std::int64_t value, RoundMode mode, Saturation saturation) {
    assert(isFloat(type));
    if (value == 0) return 0;
    const auto bits = static_cast<std::uint64_t>(value);
    return encodeFinite(type, Parts{value < 0, value < 0 ? 0 - bits : bits, 0}, mode, saturation);
}

std::int64_t toInteger(DType type, double value, RoundMode mode, Saturation saturation) {
    assert(!isFloat(type));
    if (std::isnan(value)) return 0;
    if (type == DType::BOOL) return value != 0 ? 1 : 0;
    const IntegerRange range = integerRange(type);
    const bool negative = std::signbit(value);
    if (std::isinf(value)) return negative ? range.low : range.high;
    if (value == 0) return 0;
    const bool truncates = mode == RoundMode::None || mode == RoundMode::Odd;
    if (truncates && std::fabs(value) < 0x1p62)
        return narrowInteger(type, static_cast<std::int64_t>(value), saturation);
    const RoundedMagnitude magnitude = roundToInteger(partsOf(value), truncates ? RoundMode::Trunc : mode);
    const std::uint64_t wrapped = negative ? 0 - magnitude.low : magnitude.low;
    if (saturation == Saturation::Off) return lowBits(type, wrapped);
    if (magnitude.beyond63Bits) return negative ? range.low : range.high;
    return std::clamp(static_cast<std::int64_t>(wrapped), range.low, range.high);
}

std::int64_t narrowInteger(DType type, std::int64_t value, Saturation saturation) {
    assert(!isFloat(type));
    if (type == DType::BOOL) return value != 0 ? 1 : 0;
    if (saturation == Saturation::Off) return lowBits(type, static_cast<std::uint64_t>(value));
    const IntegerRange range = integerRange(type);
    return std::clamp(value, range.low, range.high);
}

double largestValue(DType type) {
    if (!isFloat(type)) return integerLimit(type);
    if (type == DType::FP8E8M0) return decode(type, 0xFEu);
    if (type == DType::HF8) return decode(type, hf8Code(15, 0));
    return decode(type, binaryFormat(type).largestCode);
}

float roundHf32(float value, int mantissaBits, bool tiesAway) {
    assert(mantissaBits >= 1 && mantissaBits <= 22);
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7F800000u) == 0x7F800000u) return value;
    const int drop = 23 - mantissaBits;
    const std::uint32_t half = 1u << (drop - 1);
    const std::uint32_t bias = tiesAway ? half : half - 1 + ((bits >> drop) & 1u);
    return std::bit_cast<float>((bits + bias) & ~((1u << drop) - 1));
}

RoundMode castRounding(DType from, DType to, RoundMode mode) {
    if (mode == RoundMode::Odd && !(from == DType::FP32 && to == DType::FP16)) return RoundMode::None;
    if (to == DType::HF8 && mode != RoundMode::Round) return RoundMode::None;
    return mode;
}

float canonicalNan(float value) {
    return value != value ? quietNan() : value;
}

}  // namespace cubist
