// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "core/base/number_formats.h"

namespace cubist {
namespace {

template <class Code>
const Code* as(const void* codes) {
    return static_cast<const Code*>(codes);
}

template <class Code>
Code* as(void* codes) {
    return static_cast<Code*>(codes);
}

template <class Code, class Value>
void copyNumbers(const void* codes, std::span<Value> values) {
    const Code* source = as<Code>(codes);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Value>(source[i]);
}

/// FP16 to FP32 by masks, so that the compiler can do several at once.
inline float halfToFloat(std::uint32_t code) {
    const std::uint32_t magnitude = code & 0x7FFFu;
    const std::uint32_t sign = (code & 0x8000u) << 16;
    // Shifted into place the exponent is 112 too low; the product is exact and mends subnormals as well.
    const auto scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f);
    // Infinity has become 2^16, which is 112 steps of the exponent short of infinity.
    const std::uint32_t infinite = 0u - static_cast<std::uint32_t>(magnitude >= 0x7C00u);
    const std::uint32_t nan = 0u - static_cast<std::uint32_t>(magnitude > 0x7C00u);
    const std::uint32_t value = (scaled + (infinite & 0x38000000u)) | sign;
    return std::bit_cast<float>((value & ~nan) | (0x7FC00000u & nan));
}

inline float bfloatToFloat(std::uint32_t code) {
    return std::bit_cast<float>((code & 0x7FFFu) > 0x7F80u ? 0x7FC00000u : code << 16);
}

/// FP32 to a narrower format, to nearest even, by masks. `overflow` and `nan` are the codes that stand for those.
template <int MantissaBits, int MinExponent, std::uint32_t SignBit, std::uint32_t LargestCode>
struct NearestEven {
    std::uint32_t overflow;
    std::uint32_t nan;

    std::uint32_t operator()(float value) const {
        constexpr int kDrop = 23 - MantissaBits;
        // Added to a value below the smallest normal one, this puts the unit of the last place at the format's smallest
        // step: the addition rounds.
        constexpr auto kStepBits = static_cast<std::uint32_t>(MinExponent - MantissaBits + 23 + 127) << 23;
        constexpr auto kNormalBits = static_cast<std::uint32_t>(MinExponent + 127) << 23;
        constexpr auto kRebias = static_cast<std::uint32_t>(MinExponent - 1 + 127) << MantissaBits;
        const auto bits = std::bit_cast<std::uint32_t>(value);
        const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
        const std::uint32_t sign = (bits >> 31) * SignBit;
        const std::uint32_t rounded = magnitude + ((1u << (kDrop - 1)) - 1) + ((magnitude >> kDrop) & 1u);
        const std::uint32_t normal = (rounded >> kDrop) - kRebias;
        const float sum = std::bit_cast<float>(magnitude) + std::bit_cast<float>(kStepBits);
        const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(sum) - kStepBits;
        const std::uint32_t isSubnormal = 0u - static_cast<std::uint32_t>(magnitude < kNormalBits);
        const std::uint32_t code = (subnormal & isSubnormal) | (normal & ~isSubnormal);
        const std::uint32_t isOver = 0u - static_cast<std::uint32_t>(code > LargestCode);
        const std::uint32_t isNan = 0u - static_cast<std::uint32_t>(magnitude > 0x7F800000u);
        const std::uint32_t finite = (overflow & isOver) | (code & ~isOver) | sign;
        return (nan & isNan) | (finite & ~isNan);
    }
};

/// A double as FP32 rounded to odd: rounding that again to a narrower format is the same as rounding the double once.
inline float roundToOdd(double value) {
    const auto nearest = static_cast<float>(value);
    const auto bits = std::bit_cast<std::uint32_t>(nearest);
    const auto inexact = static_cast<std::uint32_t>(static_cast<double>(nearest) != value);
    const auto larger = static_cast<std::uint32_t>(std::fabs(value) > std::fabs(static_cast<double>(nearest)));
    // An even inexact result moves one place towards the value.
    return std::bit_cast<float>(bits + (inexact & ~bits & 1u) * (2 * larger - 1));
}

inline float roundToOdd(float value) {
    return value;
}

template <class Code, class Value, class Narrow>
void narrowRow(std::span<const Value> values, void* codes, Narrow narrow) {
    Code* const target = as<Code>(codes);
    for (std::size_t i = 0; i < values.size(); ++i) target[i] = static_cast<Code>(narrow(roundToOdd(values[i])));
}

/// Rounding to nearest even for the types that have it by masks; false for the others.
template <class Value>
bool encodeNearestEven(DType to, std::span<const Value> values, void* codes, Saturation saturation) {
    const auto overflow = encode(to, HUGE_VAL, RoundMode::Rint, saturation);
    const auto nan = encode(to, static_cast<double>(NAN), RoundMode::Rint, saturation);
    switch (to) {
        case DType::BF16:
            narrowRow<std::uint16_t>(values, codes, NearestEven<7, -126, 0x8000u, 0x7F7Fu>{overflow, nan});
            return true;
        case DType::FP16:
            narrowRow<std::uint16_t>(values, codes, NearestEven<10, -14, 0x8000u, 0x7BFFu>{overflow, nan});
            return true;
        case DType::FP8E4M3:
            narrowRow<std::uint8_t>(values, codes, NearestEven<3, -6, 0x80u, 0x7Eu>{overflow, nan});
            return true;
        case DType::FP8E5M2:
            narrowRow<std::uint8_t>(values, codes, NearestEven<2, -14, 0x80u, 0x7Bu>{overflow, nan});
            return true;
        case DType::FP4E2M1:
            narrowRow<std::uint8_t>(values, codes, NearestEven<1, 0, 0x8u, 0x7u>{overflow, nan});
            return true;
        case DType::FP4E1M2:
            narrowRow<std::uint8_t>(values, codes, NearestEven<2, 0, 0x8u, 0x7u>{overflow, nan});
            return true;
        case DType::FP32:
        case DType::HF8:
        case DType::FP8E8M0:
        case DType::INT4:
        case DType::INT8:
        case DType::INT16:
        case DType::INT32:
        case DType::INT64:
        case DType::UINT8:
        case DType::BOOL: break;
    }
    return false;
}

bool roundsToNearestEven(RoundMode mode) {
    return mode == RoundMode::None || mode == RoundMode::Rint;
}

template <class Value>
void decodeAny(DType from, const void* codes, std::span<Value> values) {
    switch (from) {
        case DType::FP32: return copyNumbers<float>(codes, values);
        case DType::FP16:
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = static_cast<Value>(halfToFloat(as<std::uint16_t>(codes)[i]));
            return;
        case DType::BF16:
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = static_cast<Value>(bfloatToFloat(as<std::uint16_t>(codes)[i]));
            return;
        case DType::FP8E4M3:
        case DType::FP8E5M2:
        case DType::HF8:
        case DType::FP8E8M0:
        case DType::FP4E2M1:
        case DType::FP4E1M2: {
            const auto table = decodeTable(from);
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = static_cast<Value>(table[as<std::uint8_t>(codes)[i]]);
            return;
        }
        case DType::INT4:
        case DType::INT8: return copyNumbers<std::int8_t>(codes, values);
        case DType::INT16: return copyNumbers<std::int16_t>(codes, values);
        case DType::INT32: return copyNumbers<std::int32_t>(codes, values);
        case DType::INT64: return copyNumbers<std::int64_t>(codes, values);
        case DType::UINT8:
        case DType::BOOL: return copyNumbers<std::uint8_t>(codes, values);
    }
}

void storeInteger(DType type, void* codes, std::size_t index, std::int64_t value) {
    switch (hostBytesPerElement(type)) {
        case 1: as<std::uint8_t>(codes)[index] = static_cast<std::uint8_t>(value); break;
        case 2: as<std::int16_t>(codes)[index] = static_cast<std::int16_t>(value); break;
        case 4: as<std::int32_t>(codes)[index] = static_cast<std::int32_t>(value); break;
        case 8: as<std::int64_t>(codes)[index] = value; break;
        default: assert(false && "an integer type has 1, 2, 4 or 8 bytes");
    }
}

std::int64_t loadInteger(DType type, const void* codes, std::size_t index) {
    switch (hostBytesPerElement(type)) {
        case 2: return as<std::int16_t>(codes)[index];
        case 4: return as<std::int32_t>(codes)[index];
        case 8: return as<std::int64_t>(codes)[index];
        default: break;
    }
    const bool isSigned = type == DType::INT8 || type == DType::INT4;
    return isSigned ? as<std::int8_t>(codes)[index] : std::int64_t{as<std::uint8_t>(codes)[index]};
}

void storeCode(DType type, void* codes, std::size_t index, std::uint32_t code) {
    switch (hostBytesPerElement(type)) {
        case 1: as<std::uint8_t>(codes)[index] = static_cast<std::uint8_t>(code); break;
        case 2: as<std::uint16_t>(codes)[index] = static_cast<std::uint16_t>(code); break;
        case 4: as<float>(codes)[index] = std::bit_cast<float>(code); break;
        default: assert(false && "a float type has 1, 2 or 4 bytes");
    }
}

template <class Value>
void encodeAny(DType to, std::span<const Value> values, void* codes, RoundMode mode, Saturation saturation) {
    if (to == DType::FP32 && (std::is_same_v<Value, float> || roundsToNearestEven(mode))) {
        for (std::size_t i = 0; i < values.size(); ++i)
            as<float>(codes)[i] = canonicalNan(static_cast<float>(values[i]));
        return;
    }
    if (isFloat(to) && roundsToNearestEven(mode) && encodeNearestEven(to, values, codes, saturation)) return;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = static_cast<double>(values[i]);
        if (isFloat(to))
            storeCode(to, codes, i, encode(to, value, mode, saturation));
        else
            storeInteger(to, codes, i, toInteger(to, value, mode, saturation));
    }
}

}  // namespace

void decodeRow(DType from, const void* codes, std::span<float> values) {
    decodeAny(from, codes, values);
}

void decodeRow(DType from, const void* codes, std::span<double> values) {
    decodeAny(from, codes, values);
}

void encodeRow(DType to, std::span<const float> values, void* codes, RoundMode mode, Saturation saturation) {
    encodeAny(to, values, codes, mode, saturation);
}

void encodeRow(DType to, std::span<const double> values, void* codes, RoundMode mode, Saturation saturation) {
    encodeAny(to, values, codes, mode, saturation);
}

void convertRow(DType from, const void* source, DType to, void* target, std::size_t count, RoundMode mode,
                Saturation saturation) {
    if (from == to) {
        if (count > 0) std::memcpy(target, source, count * static_cast<std::size_t>(hostBytesPerElement(to)));
        return;
    }
    if (isFloat(from)) {
        // Every float type fits FP32 exactly, so decoding and encoding blocks of it rounds once.
        constexpr std::size_t kBlock = 256;
        float block[kBlock];
        const auto sourceBytes = static_cast<std::size_t>(hostBytesPerElement(from));
        const auto targetBytes = static_cast<std::size_t>(hostBytesPerElement(to));
        for (std::size_t done = 0; done < count; done += kBlock) {
            const std::size_t size = std::min(kBlock, count - done);
            decodeRow(from, as<std::byte>(source) + done * sourceBytes, std::span<float>(block, size));
            encodeRow(to, std::span<const float>(block, size), as<std::byte>(target) + done * targetBytes, mode,
                      saturation);
        }
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t value = loadInteger(from, source, i);
        if (isFloat(to))
            storeCode(to, target, i, encodeInteger(to, value, mode, saturation));
        else
            storeInteger(to, target, i, narrowInteger(to, value, saturation));
    }
}

}  // namespace cubist
