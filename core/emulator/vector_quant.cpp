// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/number_formats.h"
#include "core/design/vector_infer.h"
#include "core/emulator/vector_reduce.h"
#include "core/emulator/vector_whole.h"

namespace cubist {
namespace {

constexpr int kBias = 127;
constexpr std::uint8_t kNanScale = 255;

/// Exponent of the largest power of two that is not above a positive number.
int exponentOf(double value) {
    int exponent = 0;
    (void)std::frexp(value, &exponent);
    return exponent - 1;
}

/// The shared exponent of a group, as an E8M0 code.
std::uint8_t scaleCode(std::span<const float> group, DType data, ScaleRounding rounding) {
    float largest = 0.0F;
    for (const float x : group) {
        if (std::isnan(x)) return kNanScale;
        largest = std::max(largest, std::fabs(x));
    }
    if (largest == 0.0F) return 0;
    const double maximum = largestValue(data);
    int exponent = std::isinf(largest) ? 128 : exponentOf(static_cast<double>(largest));
    if (rounding == ScaleRounding::Down) {
        exponent -= exponentOf(maximum);
    } else if (std::isinf(largest)) {
        exponent = 254 - kBias;
    } else {
        // The smallest e with largest <= maximum * 2^e; both sides are exact in double.
        exponent -= exponentOf(maximum) + 1;
        while (std::ldexp(maximum, exponent) < static_cast<double>(largest)) ++exponent;
    }
    return static_cast<std::uint8_t>(std::clamp(exponent + kBias, 0, 254));
}

template <class Visit>
void forEachRow(const Extent4& extent, Visit&& visit) {
    Extent4 at{0, 0, 0, 0};
    for (at[0] = 0; at[0] < extent[0]; ++at[0])
        for (at[1] = 0; at[1] < extent[1]; ++at[1])
            for (at[2] = 0; at[2] < extent[2]; ++at[2]) visit(at);
}

/// Place of a group's scale: rows have one axis more, the groups come in pairs.
Extent4 scalePlace(const Extent4& row, std::int64_t group) {
    return {row[1], row[2], group / 2, group % 2};
}

}  // namespace

void mxScales(const VectorDetail& detail, const UbTile& dst, const UbTile& source, VectorScratch& scratch) {
    constexpr auto kGroup = static_cast<std::size_t>(detail::kMxGroupElements);
    std::vector<float>& values = scratch.floats[0];
    const auto length = static_cast<std::size_t>(source.part.extent[3]);
    values.resize(length);
    const std::int64_t groups = dst.part.extent[2] * dst.part.extent[3];
    const DType data = detail.traits.mxType;
    forEachRow(source.part.extent, [&](const Extent4& row) {
        decodeRow(source.dtype, elementOf(source, row), std::span(values));
        for (std::int64_t g = 0; g < groups; ++g) {
            const std::size_t first = std::min(length, static_cast<std::size_t>(g) * kGroup);
            const auto group = std::span<const float>(values).subspan(first, std::min(kGroup, length - first));
            *elementOf(dst, scalePlace(row, g)) = std::byte{scaleCode(group, data, detail.traits.scaleRounding)};
        }
    });
}

void mxData(const UbTile& dst, const UbTile& source, const UbTile& scales, VectorScratch& scratch) {
    std::vector<float>& values = scratch.floats[0];
    const auto length = static_cast<std::size_t>(dst.part.extent[3]);
    values.resize(length);
    std::vector<double> scaled(length);
    forEachRow(dst.part.extent, [&](const Extent4& row) {
        decodeRow(source.dtype, elementOf(source, row), std::span(values));
        for (std::size_t c = 0; c < length; ++c) {
            const std::int64_t group = static_cast<std::int64_t>(c) / detail::kMxGroupElements;
            const auto code = static_cast<int>(*elementOf(scales, scalePlace(row, group)));
            scaled[c] = std::ldexp(static_cast<double>(values[c]), kBias - code);
        }
        encodeRow(dst.dtype, std::span<const double>(scaled), elementOf(dst, row), RoundMode::Rint,
                  Saturation::OnKeepNan);
    });
}

}  // namespace cubist
