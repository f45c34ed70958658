// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/cast_losses.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/held_values.h"
#include "core/base/number_formats.h"
#include "core/emulator/vector_reduce.h"

namespace cubist {
namespace {

enum class Fate : std::uint8_t { Kept, Clamped, NanToZero, Overflowed, Wrapped };

/// Types that a conversion saturates to whether it is asked to or not.
bool alwaysSaturates(DType type) {
    return isFp4(type) || type == DType::FP8E8M0;
}

Fate fateOf(DType to, double value, RoundMode mode, Saturation saturation) {
    if (to == DType::FP8E8M0) return std::isnan(value) || isInE8M0(value) ? Fate::Kept : Fate::Clamped;
    const bool saturates = saturation != Saturation::Off || !isFloat(to) || isFp4(to);
    if (std::isnan(value)) return saturates ? Fate::NanToZero : Fate::Kept;
    if (isFp4(to)) return std::fabs(value) < endOfFp4(to) ? Fate::Kept : Fate::Clamped;
    if (isFloat(to)) {
        if (encode(to, value, mode) == encode(to, value, mode, Saturation::On)) return Fate::Kept;
        if (saturates) return Fate::Clamped;
        const bool stays = std::isinf(value) && std::isinf(decode(to, encode(to, value, mode)));
        return stays ? Fate::Kept : Fate::Overflowed;
    }
    if (std::isinf(value)) return Fate::Clamped;
    const bool lost = std::fabs(value) < 0x1p62
                          ? toInteger(DType::INT64, value, mode) != toInteger(to, value, mode, Saturation::On)
                          : to != DType::INT64 || value >= 0x1p63 || value < -0x1p63;
    return !lost ? Fate::Kept : saturation == Saturation::Off ? Fate::Wrapped : Fate::Clamped;
}

Fate fateOf(DType to, std::int64_t value, RoundMode mode, Saturation saturation) {
    if (isFloat(to)) {
        if (alwaysSaturates(to)) return fateOf(to, static_cast<double>(value), mode, saturation);
        const bool changed = encodeInteger(to, value, mode) != encodeInteger(to, value, mode, Saturation::On);
        return !changed ? Fate::Kept : saturation == Saturation::Off ? Fate::Overflowed : Fate::Clamped;
    }
    if (narrowInteger(to, value, Saturation::On) == value) return Fate::Kept;
    return saturation == Saturation::Off ? Fate::Wrapped : Fate::Clamped;
}

/// Can a cast change more than by rounding?
bool mayLose(DType from, DType to) {
    return from != to && to != DType::FP32 && to != DType::BOOL;
}

/// Values from `least` on and below `end` are kept whatever the rounding.
struct SafeRange {
    float least = 0, end = 0;
};

SafeRange safeRange(DType to) {
    if (to == DType::INT64) return {-0x1p62F, 0x1p62F};
    if (to == DType::FP8E8M0) return {0x1p-127F, 0x1p127F};
    const double largest = largestValue(to);
    auto end = static_cast<float>(isFloat(to) ? largest : largest - 1);
    if (static_cast<double>(end) > largest - 1 && !isFloat(to)) end = std::nextafter(end, 0.0F);
    return {to == DType::UINT8 ? 0.0F : -end, end};
}

/// The row's elements as FP32: FP32 where they lie.
std::span<const float> floatsOf(const UbTile& source, const Extent4& row, std::size_t count, VectorScratch& scratch) {
    if (source.dtype == DType::FP32) return {reinterpret_cast<const float*>(elementOf(source, row)), count};
    scratch.floats[0].resize(count);
    decodeRow(source.dtype, elementOf(source, row), std::span(scratch.floats[0]));
    return scratch.floats[0];
}

ElementLoss lossOf(Fate fate) {
    return fate == Fate::NanToZero    ? ElementLoss::NanToZero
           : fate == Fate::Overflowed ? ElementLoss::Overflowed
                                      : ElementLoss::Clamped;
}

}  // namespace

void noteCastLosses(const VectorDetail& detail, const UbTile& dst, const UbTile& source, const Extent4& row,
                    std::size_t count, VectorScratch& scratch) {
    const DType from = source.dtype, to = dst.dtype;
    if (!mayLose(from, to)) return;
    const Saturation saturation = detail.saturate ? Saturation::On : Saturation::Off;
    const bool saturates = detail.saturate || alwaysSaturates(to);
    ValueLosses& losses = scratch.losses;
    if (saturates) losses.saturating += static_cast<std::int64_t>(count);
    const auto [least, end] = safeRange(to);
    const auto look = [&](std::size_t c, Fate fate, double value) {
        if (fate == Fate::Kept) return;
        Extent4 at = row;
        at[3] = static_cast<std::int64_t>(c);
        const Extent4 place = placeOf(dst, at);
        if (fate == Fate::Wrapped) return losses.wrap({detail.op, std::nullopt, place, to});
        // An infinity that becomes an integer: such a cast clamps nothing else.
        if (fate == Fate::Clamped && !saturates) ++losses.saturating;
        losses.lose(lossOf(fate), {place, value, to});
    };
    if (!isFloat(from)) {
        const std::byte* const codes = elementOf(source, row);
        for (std::size_t c = 0; c < count; ++c) {
            const std::int64_t value = integerAt(from, codes, static_cast<std::int64_t>(c));
            const auto size = static_cast<double>(value);
            if (size < static_cast<double>(least) || size >= static_cast<double>(end))
                look(c, fateOf(to, value, detail.round, saturation), size);
        }
        return;
    }
    const std::span<const float> values = floatsOf(source, row, count, scratch);
    bool safe = true;
    for (const float value : values) safe &= value >= least && value < end;
    if (safe) return;
    for (std::size_t c = 0; c < count; ++c)
        if (!(values[c] >= least && values[c] < end)) {
            const auto value = static_cast<double>(values[c]);
            look(c, fateOf(to, value, detail.round, saturation), value);
        }
}

}  // namespace cubist
