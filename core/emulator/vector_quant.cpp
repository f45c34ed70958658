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

/// Counts the elements of a group that lie beyond the largest value times the scale, infinities among them.
void countClipped(std::span<const float> group, DType data, ClippedElements& clipped) {
    const double largest = largestValue(data);
    const auto beyond = [&](ScaleRounding rounding) {
        const std::uint8_t code = scaleCode(group, data, rounding);
        if (code == kNanScale) return std::int64_t{0};
        const double limit = std::ldexp(largest, code - kBias);
        return static_cast<std::int64_t>(std::count_if(
            group.begin(), group.end(), [&](float x) { return static_cast<double>(std::fabs(x)) > limit; }));
    };
    clipped.down += beyond(ScaleRounding::Down);
    clipped.up += beyond(ScaleRounding::Up);
    clipped.all += static_cast<std::int64_t>(group.size());
}

/// Visits the lines along the axis that the groups cut, each by its first element.
template <class Visit>
void forEachLine(Extent4 extent, std::size_t axis, Visit&& visit) {
    extent[axis] = std::min<std::int64_t>(extent[axis], 1);
    Extent4 at{0, 0, 0, 0};
    for (at[0] = 0; at[0] < extent[0]; ++at[0])
        for (at[1] = 0; at[1] < extent[1]; ++at[1])
            for (at[2] = 0; at[2] < extent[2]; ++at[2])
                for (at[3] = 0; at[3] < extent[3]; ++at[3]) visit(at);
}

/// Place of the scale of a group: scales have one axis more than their data, and the groups come in pairs.
Extent4 scalePlace(const Extent4& line, std::size_t axis, std::int64_t group) {
    if (axis == 2) return {line[1], group / 2, line[3], group % 2};
    return {line[1], line[2], group / 2, group % 2};
}

/// The elements of a line.
void readLine(const UbTile& source, Extent4 at, std::size_t axis, std::span<float> values) {
    if (axis == 3) return decodeRow(source.dtype, elementOf(source, at), values);
    for (float& value : values) {
        decodeRow(source.dtype, elementOf(source, at), std::span(&value, 1));
        ++at[axis];
    }
}

}  // namespace

void ClippedElements::add(const ClippedElements& more) {
    down += more.down;
    up += more.up;
    all += more.all;
    roundsDown = more.roundsDown;
    type = more.type;
}

void mxScales(const VectorDetail& detail, const UbTile& dst, const UbTile& source, VectorScratch& scratch) {
    constexpr auto kGroup = static_cast<std::size_t>(detail::kMxGroupElements);
    const std::size_t axis = detail.axis;
    std::vector<float>& values = scratch.floats[0];
    const auto length = static_cast<std::size_t>(source.part.extent[axis]);
    values.resize(length);
    const std::int64_t groups = dst.part.extent[axis - 1] * dst.part.extent[3];
    const DType data = detail.traits.mxType;
    forEachLine(source.part.extent, axis, [&](const Extent4& line) {
        readLine(source, line, axis, std::span(values));
        for (std::int64_t g = 0; g < groups; ++g) {
            const std::size_t first = std::min(length, static_cast<std::size_t>(g) * kGroup);
            const auto group = std::span<const float>(values).subspan(first, std::min(kGroup, length - first));
            *elementOf(dst, scalePlace(line, axis, g)) = std::byte{scaleCode(group, data, detail.traits.scaleRounding)};
        }
    });
}

void mxData(const VectorDetail& detail, const UbTile& dst, const UbTile& source, const UbTile& scales,
            VectorScratch& scratch) {
    constexpr auto kGroup = static_cast<std::size_t>(detail::kMxGroupElements);
    const std::size_t axis = detail.axis;
    scratch.clipped.roundsDown = detail.traits.scaleRounding == ScaleRounding::Down;
    scratch.clipped.type = dst.dtype;
    std::vector<float>& values = scratch.floats[0];
    const auto length = static_cast<std::size_t>(dst.part.extent[axis]);
    values.resize(length);
    std::vector<double> scaled(length);
    forEachLine(dst.part.extent, axis, [&](const Extent4& line) {
        readLine(source, line, axis, std::span(values));
        for (std::size_t first = 0; first < length; first += kGroup)
            countClipped(std::span<const float>(values).subspan(first, std::min(kGroup, length - first)), dst.dtype,
                         scratch.clipped);
        for (std::size_t i = 0; i < length; ++i) {
            const std::int64_t group = static_cast<std::int64_t>(i) / detail::kMxGroupElements;
            const auto code = static_cast<int>(*elementOf(scales, scalePlace(line, axis, group)));
            scaled[i] = std::ldexp(static_cast<double>(values[i]), kBias - code);
        }
        const auto store = [&](std::span<const double> part, const Extent4& at) {
            encodeRow(dst.dtype, part, elementOf(dst, at), RoundMode::Rint, Saturation::OnKeepNan);
        };
        if (axis == 3) return store(scaled, line);
        Extent4 at = line;
        for (const double& value : scaled) {
            store(std::span(&value, 1), at);
            ++at[axis];
        }
    });
}

}  // namespace cubist
