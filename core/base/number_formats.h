// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/dtype.h"

namespace cubist {

/// What a conversion does with values that its target cannot hold.
enum class Saturation : std::uint8_t {
    Off,        ///< floats: infinity, or NaN where the format has none; integers: the low bits are kept
    On,         ///< clamps to the largest finite value; a float NaN becomes 0 (the chip's CTRL[50] = 0)
    OnKeepNan,  ///< clamps, NaN stays NaN (the chip's CTRL[50] = 1)
};

/// The value of a code of a float type (FP32 codes are its bits). Exact for every type: subnormals are kept, NaN codes
/// give the quiet NaN 0x7FC00000, except that FP32 passes through unchanged.
/// Range: `type` is a float type; bits above the type's width are ignored.
[[nodiscard]] float decode(DType type, std::uint32_t code);

/// All 256 values of an 8-bit float type; for 4-bit types the high half of the code is ignored.
[[nodiscard]] std::span<const float, 256> decodeTable(DType type);

/// The code of `value` in a float type, rounded once. `RoundMode::None` means RINT (TRUNC for FP8E8M0).
/// Overflow is decided on the rounded value with an unbounded exponent: FP8E4M3 takes 464 to 448 and anything beyond to
/// NaN (or to 448 when saturating); modes that round towards zero stop at the largest finite value as IEEE 754 says.
/// NaN becomes one canonical positive quiet code. FP4 has no NaN (it becomes 0) and always saturates, FP8E8M0 holds the
/// exponent of |value| only, HF8 always rounds half away, FP32 never saturates.
/// Source: F-58
[[nodiscard]] std::uint32_t encode(DType type, double value, RoundMode mode = RoundMode::None,
                                   Saturation saturation = Saturation::Off);

/// The code of an integer in a float type, rounded once (a 64-bit integer is never rounded to double first).
[[nodiscard]] std::uint32_t encodeInteger(DType type, std::int64_t value, RoundMode mode = RoundMode::None,
                                          Saturation saturation = Saturation::Off);

/// A float turned into an integer type. `RoundMode::None` means TRUNC; ODD is TRUNC too. NaN is 0, an infinity the
/// nearest end of the range; without saturation a finite value beyond the range keeps its low bits (300.0 is 44 in
/// INT8). BOOL is `value != 0`.
[[nodiscard]] std::int64_t toInteger(DType type, double value, RoundMode mode = RoundMode::None,
                                     Saturation saturation = Saturation::Off);

/// An integer turned into a narrower integer type: low bits, or clamped when saturating. BOOL is `value != 0`.
[[nodiscard]] std::int64_t narrowInteger(DType type, std::int64_t value, Saturation saturation = Saturation::Off);

/// Largest finite value of a float type, largest integer of an integer type (INT64's rounded to double: 2^63).
[[nodiscard]] double largestValue(DType type);

/// FP32 with the mantissa cut to `mantissaBits` (11 on the 2201 architecture, 10 on the 3510), ties to even or away
/// from zero; may round to infinity. NaN and infinity pass.
/// Range: 1 <= mantissaBits <= 22
[[nodiscard]] float roundHf32(float value, int mantissaBits, bool tiesAway = false);

/// NaNs of any payload become the quiet NaN 0x7FC00000; everything else passes.
[[nodiscard]] float canonicalNan(float value);

/// The mode that a cast between two types really uses: ODD exists from FP32 to FP16 only, and whatever does not exist
/// becomes None, the default, without a word. HF8 has ROUND (and None, which is the same there).
[[nodiscard]] RoundMode castRounding(DType from, DType to, RoundMode mode);

/// Rows in host storage (see tensor.h: FP32 float, 16-bit codes uint16, 8- and 4-bit codes uint8, integers as
/// themselves). `codes` is aligned to its element and holds as many elements as the span.
/// decodeRow takes every type; integers beyond 2^24 are rounded to nearest even.
void decodeRow(DType from, const void* codes, std::span<float> values);
void decodeRow(DType from, const void* codes, std::span<double> values);
/// encodeRow also takes integer types (then as `toInteger`).
void encodeRow(DType to, std::span<const float> values, void* codes, RoundMode mode = RoundMode::None,
               Saturation saturation = Saturation::Off);
void encodeRow(DType to, std::span<const double> values, void* codes, RoundMode mode = RoundMode::None,
               Saturation saturation = Saturation::Off);

/// Any type to any type with PyPTO's rules: integers go to integers through `narrowInteger` and to floats through
/// `encodeInteger`, floats through `encode` or `toInteger`. Equal types are copied bit for bit.
void convertRow(DType from, const void* source, DType to, void* target, std::size_t count,
                RoundMode mode = RoundMode::None, Saturation saturation = Saturation::Off);

}  // namespace cubist
