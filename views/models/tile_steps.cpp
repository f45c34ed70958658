// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/tile_steps.h"

#include <algorithm>

#include "core/base/integer_math.h"

namespace cubist {
namespace {

constexpr std::size_t kMaxSteps = 256;
constexpr std::int64_t kLargestStep = 65536;

/// Alignment of tile extents in elements: 32 bytes, and never less than a fractal's 16 rows.
std::int64_t alignment(DType type) {
    return std::max<std::int64_t>(16, 256 / std::max(1, bitsPerElement(type)));
}

std::vector<std::int64_t>& axisOf(CubeTile& tile, TileField field) {
    switch (field) {
        case TileField::ML0:
        case TileField::ML1: return tile.m;
        case TileField::KL0:
        case TileField::KAL1:
        case TileField::KBL1: return tile.k;
        case TileField::NL0:
        case TileField::NL1: return tile.n;
    }
    return tile.m;
}

std::size_t placeOf(TileField field) {
    switch (field) {
        case TileField::ML0:
        case TileField::KL0:
        case TileField::NL0: return 0;
        case TileField::ML1:
        case TileField::KAL1:
        case TileField::NL1: return 1;
        case TileField::KBL1: return 2;
    }
    return 0;
}

void appendMultiples(std::vector<std::int64_t>& steps, std::int64_t unit, std::int64_t last) {
    for (std::int64_t value = unit; value <= last && steps.size() < kMaxSteps; value += unit) steps.push_back(value);
}

}  // namespace

std::int64_t tileValue(const CubeTile& tile, TileField field) {
    CubeTile copy = tile;
    const std::vector<std::int64_t>& axis = axisOf(copy, field);
    return placeOf(field) < axis.size() ? axis[placeOf(field)] : 0;
}

CubeTile withTileValue(CubeTile tile, TileField field, std::int64_t value) {
    std::vector<std::int64_t>& axis = axisOf(tile, field);
    const std::size_t place = placeOf(field);
    if (field == TileField::KBL1 && value == 0) {
        if (axis.size() > 2) axis.resize(2);
        return tile;
    }
    if (axis.size() <= place) axis.resize(place + 1, axis.empty() ? 0 : axis.back());
    axis[place] = value;
    return tile;
}

CubeTile stepTile(const CubeTile& tile, TileField field, std::int64_t value) {
    CubeTile stepped = withTileValue(tile, field, value);
    if (placeOf(field) != 0 || value <= 0) return stepped;
    std::vector<std::int64_t>& axis = axisOf(stepped, field);
    for (std::size_t i = 1; i < axis.size(); ++i)
        if (axis[i] < value || axis[i] % value != 0) axis[i] = axis[i] <= value ? value : roundUp(axis[i], value);
    return stepped;
}

std::vector<std::int64_t> tileSteps(const CubeTile& tile, TileField field, DType operand, std::int64_t extent) {
    const std::int64_t unit = alignment(operand);
    const std::int64_t limit = std::clamp(roundUp(std::max<std::int64_t>(extent, unit), unit), unit, kLargestStep);
    std::vector<std::int64_t> steps;
    if (placeOf(field) > 0) {
        const TileField inner = field == TileField::ML1   ? TileField::ML0
                                : field == TileField::NL1 ? TileField::NL0
                                                          : TileField::KL0;
        const std::int64_t l0 = tileValue(tile, inner);
        const std::int64_t base = l0 > 0 ? l0 : unit;
        appendMultiples(steps, base, std::max(base, roundUp(limit, base)));
        return steps;
    }
    const TileField outer = field == TileField::ML0   ? TileField::ML1
                            : field == TileField::NL0 ? TileField::NL1
                                                      : TileField::KAL1;
    const std::int64_t l1 = tileValue(tile, outer);
    const std::int64_t l1B = field == TileField::KL0 ? tile.kBL1() : l1;
    for (std::int64_t value = unit; value <= l1 && steps.size() < kMaxSteps; value += unit)
        if (l1 % value == 0 && l1B % value == 0) steps.push_back(value);
    for (std::int64_t value = roundUp(std::max<std::int64_t>(l1, 0) + 1, unit);
         value <= limit && steps.size() < kMaxSteps; value += unit)
        steps.push_back(value);
    return steps;
}

bool fitsBuffers(const CubeTile& tile, DType operand, const ChipSpec& chip) {
    const auto fits = [](std::int64_t rows, std::int64_t columns, std::int64_t bits, const Constant& room) {
        // Compared in doubles: extents may be anything, and what is near the limit is exact.
        return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(bits) / 8.0 <=
               room.value.toDouble();
    };
    const std::int64_t bits = bitsPerElement(operand);
    const std::int64_t m = tileValue(tile, TileField::ML0);
    const std::int64_t k = tileValue(tile, TileField::KL0);
    const std::int64_t n = tileValue(tile, TileField::NL0);
    const double l1 =
        (static_cast<double>(tileValue(tile, TileField::ML1)) * static_cast<double>(tileValue(tile, TileField::KAL1)) +
         static_cast<double>(tile.kBL1()) * static_cast<double>(tileValue(tile, TileField::NL1))) *
        static_cast<double>(bits) / 8.0;
    return fits(m, k, bits, chip.l0aBytes) && fits(k, n, bits, chip.l0bBytes) && fits(m, n, 32, chip.l0cBytes) &&
           l1 <= chip.l1Bytes.value.toDouble();
}

std::vector<std::int64_t> vectorTileSteps(bool lastAxis, int elementBits, std::int64_t extent) {
    std::vector<std::int64_t> steps;
    if (lastAxis) {
        const std::int64_t unit = std::max<std::int64_t>(1, 256 / std::max(1, elementBits));
        appendMultiples(steps, unit, std::min(roundUp(std::max(extent, unit), unit), kLargestStep));
        return steps;
    }
    for (std::int64_t value = 1; value < extent && value <= kLargestStep; value *= 2) steps.push_back(value);
    if (extent > 0) steps.push_back(extent);
    return steps;
}

}  // namespace cubist
