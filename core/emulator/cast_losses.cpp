// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/cast_losses.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/number_formats.h"
#include "core/emulator/vector_reduce.h"

namespace cubist {
namespace {

enum class Fate : std::uint8_t { Kept, Clamped, Wrapped };

bool isFp4(DType type) {
    return type == DType::FP4E2M1 || type == DType::FP4E1M2;
}

/// The smallest magnitude that FP4 takes down to its largest value: half a step beyond it.
double endOfFp4(DType type) {
    const std::span<const float, 256> values = decodeTable(type);
    return static_cast<double>(values[7]) + static_cast<double>(values[7] - values[6]) / 2;
}

Fate fateOf(DType to, double value, RoundMode mode, Saturation saturation) {
    if (isFp4(to)) return std::fabs(value) < endOfFp4(to) ? Fate::Kept : Fate::Clamped;
    if (isFloat(to)) {
        const bool changed = std::isnan(value) || encode(to, value, mode) != encode(to, value, mode, Saturation::On);
        return changed ? Fate::Clamped : Fate::Kept;
    }
    if (!std::isfinite(value)) return Fate::Clamped;
    const bool lost = std::fabs(value) < 0x1p62
                          ? toInteger(DType::INT64, value, mode) != toInteger(to, value, mode, Saturation::On)
                          : to != DType::INT64 || value >= 0x1p63 || value < -0x1p63;
    return !lost ? Fate::Kept : saturation == Saturation::Off ? Fate::Wrapped : Fate::Clamped;
}

Fate fateOf(DType to, std::int64_t value, RoundMode mode, Saturation saturation) {
    if (isFloat(to)) {
        if (isFp4(to)) return fateOf(to, static_cast<double>(value), mode, saturation);
        const bool changed = encodeInteger(to, value, mode) != encodeInteger(to, value, mode, Saturation::On);
        return changed ? Fate::Clamped : Fate::Kept;
    }
    if (narrowInteger(to, value, Saturation::On) == value) return Fate::Kept;
    return saturation == Saturation::Off ? Fate::Wrapped : Fate::Clamped;
}

/// Can a cast clamp or wrap at all?
bool mayLose(DType from, DType to, bool saturates) {
    if (from == to || to == DType::FP32 || to == DType::FP8E8M0 || to == DType::BOOL) return false;
    return !isFloat(to) || saturates || isFp4(to);
}

/// Magnitudes below this are kept whatever the rounding.
double safeBelow(DType to) {
    const double largest = largestValue(to);
    if (to == DType::INT64) return 0x1p62;
    return isFloat(to) ? largest : largest - 1;
}

}  // namespace

void noteCastLosses(const VectorDetail& detail, const UbTile& dst, const UbTile& source, const Extent4& row,
                    std::size_t count, VectorScratch& scratch) {
    const DType from = source.dtype, to = dst.dtype;
    if (!mayLose(from, to, detail.saturate)) return;
    const Saturation saturation = detail.saturate ? Saturation::On : Saturation::Off;
    ValueLosses& losses = scratch.losses;
    if (detail.saturate || isFp4(to)) losses.clamped.all += static_cast<std::int64_t>(count);
    const double safe = safeBelow(to);
    const double least = to == DType::UINT8 ? 0.0 : -safe;
    const auto look = [&](std::size_t c, Fate fate, double value) {
        if (fate == Fate::Kept) return;
        Extent4 at = row;
        at[3] = static_cast<std::int64_t>(c);
        const Extent4 place = placeOf(dst, at);
        if (fate == Fate::Wrapped) return losses.wrap({detail.op, std::nullopt, place, to});
        if (!detail.saturate && !isFp4(to)) ++losses.clamped.all;  // infinite or NaN: such a cast clamps nothing else
        losses.clamp({place, value, to});
    };
    if (!isFloat(from)) {
        const std::byte* const codes = elementOf(source, row);
        for (std::size_t c = 0; c < count; ++c) {
            const std::int64_t value = integerAt(from, codes, static_cast<std::int64_t>(c));
            const auto size = static_cast<double>(value);
            if (size < least || size >= safe) look(c, fateOf(to, value, detail.round, saturation), size);
        }
        return;
    }
    std::vector<float>& values = scratch.floats[0];
    values.resize(count);
    decodeRow(from, elementOf(source, row), std::span(values));
    for (std::size_t c = 0; c < count; ++c) {
        const auto value = static_cast<double>(values[c]);
        if (!(value >= least && value < safe)) look(c, fateOf(to, value, detail.round, saturation), value);
    }
}

}  // namespace cubist
