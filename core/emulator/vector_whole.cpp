// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/vector_whole.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>

#include "core/base/number_formats.h"
#include "core/emulator/vector_reduce.h"
#include "core/emulator/vector_store.h"

namespace cubist {
namespace {

std::size_t elementBytes(const UbTile& tile) {
    return static_cast<std::size_t>(hostBytesPerElement(tile.dtype));
}

template <class Visit>
void forEachRow(const Extent4& extent, Visit&& visit) {
    Extent4 at{0, 0, 0, 0};
    for (at[0] = 0; at[0] < extent[0]; ++at[0])
        for (at[1] = 0; at[1] < extent[1]; ++at[1])
            for (at[2] = 0; at[2] < extent[2]; ++at[2]) visit(at);
}

/// Visits every element, row-major, until `visit` finds a bad index.
template <class Visit>
std::optional<BadIndex> forEachElement(const Extent4& extent, Visit&& visit) {
    Extent4 at{0, 0, 0, 0};
    for (at[0] = 0; at[0] < extent[0]; ++at[0])
        for (at[1] = 0; at[1] < extent[1]; ++at[1])
            for (at[2] = 0; at[2] < extent[2]; ++at[2])
                for (at[3] = 0; at[3] < extent[3]; ++at[3])
                    if (const std::optional<BadIndex> bad = visit(at)) return bad;
    return std::nullopt;
}

void storeNumber(DType type, double number, std::byte* out) {
    if (isFloat(type)) {
        const auto value = static_cast<float>(number);
        encodeRow(type, std::span<const float>(&value, 1), out);
    } else {
        storeInteger(type, out, 0, toInteger(type, number));
    }
}

void copyTile(const UbTile& dst, const UbTile& from) {
    const auto count = static_cast<std::size_t>(std::min(dst.part.extent[3], from.part.extent[3]));
    forEachRow(dst.part.extent, [&](const Extent4& row) {
        std::memcpy(elementOf(dst, row), elementOf(from, row), count * elementBytes(dst));
    });
}

void fillNumbers(const VectorDetail& detail, const UbTile& dst) {
    const double start = detail.number[0].value_or(0.0);
    const double step = detail.op == VectorOpCode::Arange ? detail.number[1].value_or(1.0) : 0.0;
    forEachElement(dst.part.extent, [&](const Extent4& at) -> std::optional<BadIndex> {
        storeNumber(dst.dtype, start + step * static_cast<double>(at[3]), elementOf(dst, at));
        return std::nullopt;
    });
}

void fillPad(const VectorDetail& detail, const UbTile& dst, const UbTile& from) {
    const Extent4& valid = from.part.extent;
    forEachElement(dst.part.extent, [&](const Extent4& at) -> std::optional<BadIndex> {
        bool inside = from.data != nullptr;
        for (std::size_t axis = 0; axis < 4; ++axis) inside = inside && at[axis] < valid[axis];
        if (inside)
            std::memcpy(elementOf(dst, at), elementOf(from, at), elementBytes(dst));
        else
            storeNumber(dst.dtype, detail.number[1].value_or(0.0), elementOf(dst, at));
        return std::nullopt;
    });
}

/// For every pair (a, b) of the last axis: -b beside a.
void turnPairs(const VectorDetail& detail, const UbTile& dst, const UbTile& from, VectorScratch& scratch) {
    const auto length = static_cast<std::size_t>(dst.part.extent[3]);
    std::vector<float>& x = scratch.floats[0];
    std::vector<float>& turned = scratch.floats[1];
    x.resize(length);
    turned.resize(length);
    const std::size_t distance = detail.traits.interleaved ? 1 : length / 2;
    forEachRow(dst.part.extent, [&](const Extent4& row) {
        decodeRow(from.dtype, elementOf(from, row), std::span(x));
        for (std::size_t c = 0; c < length; ++c) {
            const bool first = detail.traits.interleaved ? c % 2 == 0 : c < distance;
            turned[c] = canonicalNan(first ? -x[c + distance] : x[c - distance]);
        }
        encodeRow(dst.dtype, std::span<const float>(turned), elementOf(dst, row));
    });
}

std::optional<BadIndex> checked(const UbTile& index, const Extent4& at, std::int64_t value, std::int64_t limit) {
    if (value >= 0 && value < limit) return std::nullopt;
    BadIndex bad{at, value, limit};
    for (std::size_t axis = 0; axis < 4; ++axis) bad.at[axis] += index.part.offset[axis];
    return bad;
}

std::optional<BadIndex> gather(const VectorDetail& detail, const UbTile& dst, const UbTile& from, const UbTile& index) {
    return forEachElement(dst.part.extent, [&](const Extent4& at) -> std::optional<BadIndex> {
        Extent4 place = at;
        place[detail.axis] = integerAt(index.dtype, elementOf(index, at), 0);
        if (const auto bad = checked(index, at, place[detail.axis], from.part.extent[detail.axis])) return bad;
        std::memcpy(elementOf(dst, at), elementOf(from, place), elementBytes(dst));
        return std::nullopt;
    });
}

std::optional<BadIndex> indexSelect(const VectorDetail& detail, const UbTile& dst, const UbTile& from,
                                    const UbTile& index) {
    const std::size_t axis = detail.axis;
    const std::size_t wider = detail.traits.indexRank - 1U;
    return forEachElement(dst.part.extent, [&](const Extent4& at) -> std::optional<BadIndex> {
        Extent4 entry{0, 0, 0, at[axis]};
        if (wider == 1) entry[2] = at[axis - 1];
        Extent4 place = at;
        for (std::size_t a = 0; a < axis; ++a) place[a] = a < wider ? 0 : at[a - wider];
        place[axis] = integerAt(index.dtype, elementOf(index, entry), 0);
        if (const auto bad = checked(index, entry, place[axis], from.part.extent[axis])) return bad;
        std::memcpy(elementOf(dst, at), elementOf(from, place), elementBytes(dst));
        return std::nullopt;
    });
}

/// target = target (+ or *) source for one element; floats in FP32. False when an integer wrapped around.
bool combineElement(ScatterReduce reduce, DType type, const std::byte* source, std::byte* target) {
    if (reduce == ScatterReduce::None) {
        std::memcpy(target, source, static_cast<std::size_t>(hostBytesPerElement(type)));
    } else if (reduce == ScatterReduce::Add) {
        return !addScaledRow(type, source, 1.0, target, 1);
    } else if (isFloat(type)) {
        float a = 0.0F, b = 0.0F;
        decodeRow(type, target, std::span(&a, 1));
        decodeRow(type, source, std::span(&b, 1));
        const float product = canonicalNan(a * b);
        encodeRow(type, std::span<const float>(&product, 1), target);
    } else {
        ExactInteger product(integerAt(type, target, 0));
        product.multiply(integerAt(type, source, 0));
        storeInteger(type, target, 0, narrowInteger(type, product.low()));
        return product.fits(type);
    }
    return true;
}

std::optional<BadIndex> scatter(const VectorDetail& detail, const UbTile& dst, const VectorSources& sources,
                                VectorScratch& scratch) {
    copyTile(dst, sources[0]);
    const UbTile& index = sources[1];
    if (index.data == nullptr) return std::nullopt;  // the index ends before this tile
    std::array<std::byte, 8> number{};
    if (sources[2].data == nullptr) storeNumber(dst.dtype, detail.number[2].value_or(0.0), number.data());
    return forEachElement(index.part.extent, [&](const Extent4& at) -> std::optional<BadIndex> {
        Extent4 place = at;
        place[detail.axis] = integerAt(index.dtype, elementOf(index, at), 0);
        if (const auto bad = checked(index, at, place[detail.axis], dst.part.extent[detail.axis])) return bad;
        const std::byte* const source = sources[2].data == nullptr ? number.data() : elementOf(sources[2], at);
        if (!combineElement(detail.traits.reduce, dst.dtype, source, elementOf(dst, place)))
            noteWrapped(detail, dst, place, scratch);
        return std::nullopt;
    });
}

/// index_add and index_put, slices in the order of the index; several indices are the rows of one.
std::optional<BadIndex> updateSlices(const VectorDetail& detail, const UbTile& dst, const VectorSources& sources,
                                     VectorScratch& scratch) {
    copyTile(dst, sources[0]);
    const UbTile& index = sources[1];
    const UbTile& source = sources[2];
    const std::size_t picked = detail.traits.indexRank;
    const std::size_t axis = detail.axis;
    const std::size_t entries = axis + picked - 1;  // the source's axis in the place of all picked ones
    const bool adds = detail.op == VectorOpCode::IndexAdd || detail.traits.accumulate;
    Extent4 slice = dst.part.extent;
    std::fill_n(slice.begin() + static_cast<std::ptrdiff_t>(axis), picked, 1);
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < std::min(index.part.extent[3], source.part.extent[entries]); ++i) {
        Extent4 to{};
        std::int64_t number = 0;
        for (std::size_t row = 0; row < picked; ++row) {
            const Extent4 entry{0, 0, static_cast<std::int64_t>(row), i};
            to[axis + row] = integerAt(index.dtype, elementOf(index, entry), 0);
            if (const auto bad = checked(index, entry, to[axis + row], dst.part.extent[axis + row])) return bad;
            number = number * dst.part.extent[axis + row] + to[axis + row];
        }
        if (!adds) places.push_back(number);
        forEachElement(slice, [&](Extent4 at) -> std::optional<BadIndex> {
            Extent4 from = at;
            from[entries] = i;
            for (std::size_t a = axis; a <= entries; ++a) at[a] = to[a];
            if (adds) {
                if (addScaledRow(dst.dtype, elementOf(source, from), detail.traits.alpha, elementOf(dst, at), 1))
                    noteWrapped(detail, dst, at, scratch);
            } else {
                std::memcpy(elementOf(dst, at), elementOf(source, from), elementBytes(dst));
            }
            return std::nullopt;
        });
    }
    std::sort(places.begin(), places.end());
    if (const auto twice = std::adjacent_find(places.begin(), places.end()); twice != places.end())
        scratch.repeated = *twice;
    return std::nullopt;
}

/// A pair: the value's 32 bits below its place.
std::int64_t pairOf(std::uint32_t value, std::uint32_t place) {
    return static_cast<std::int64_t>((static_cast<std::uint64_t>(place) << 32) | value);
}

/// Sorted pairs of every row. Equal values keep their order; NaN counts as larger than everything. Source: F-73
void sortPairs(const VectorDetail& detail, const UbTile& dst, const UbTile& from, VectorScratch& scratch) {
    const auto length = static_cast<std::size_t>(from.part.extent[3]);
    std::vector<float>& floats = scratch.floats[0];
    std::vector<std::int64_t>& integers = scratch.integers[0];
    std::vector<std::uint32_t>& order = scratch.order;
    floats.resize(length);
    integers.resize(length);
    order.resize(length);
    const bool largest = detail.traits.largest;
    const auto less = [](float a, float b) { return std::isnan(b) ? !std::isnan(a) : a < b; };
    forEachRow(from.part.extent, [&](const Extent4& row) {
        std::iota(order.begin(), order.end(), 0U);
        if (isFloat(from.dtype)) {
            decodeRow(from.dtype, elementOf(from, row), std::span(floats));
            std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
                return largest ? less(floats[b], floats[a]) : less(floats[a], floats[b]);
            });
        } else {
            for (std::size_t i = 0; i < length; ++i)
                integers[i] = integerAt(from.dtype, elementOf(from, row), static_cast<std::int64_t>(i));
            std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
                return largest ? integers[b] < integers[a] : integers[a] < integers[b];
            });
        }
        auto* out = reinterpret_cast<std::int64_t*>(elementOf(dst, row));
        for (std::size_t i = 0; i < length; ++i) {
            const std::uint32_t place = order[i];
            out[i] = pairOf(isFloat(from.dtype) ? std::bit_cast<std::uint32_t>(floats[place])
                                                : static_cast<std::uint32_t>(integers[place]),
                            place);
        }
    });
}

void takeFromPairs(const VectorDetail& detail, const UbTile& dst, const UbTile& pairs) {
    forEachRow(dst.part.extent, [&](const Extent4& row) {
        const auto* in = reinterpret_cast<const std::int64_t*>(elementOf(pairs, row));
        std::byte* out = elementOf(dst, row);
        for (std::int64_t i = 0; i < dst.part.extent[3]; ++i) {
            const auto pair = static_cast<std::uint64_t>(in[i]);
            if (detail.traits.step == VectorStep::Indices) {
                storeInteger(dst.dtype, out, i, static_cast<std::int64_t>(pair >> 32));
            } else if (isFloat(dst.dtype)) {
                const auto value = canonicalNan(std::bit_cast<float>(static_cast<std::uint32_t>(pair)));
                encodeRow(dst.dtype, std::span<const float>(&value, 1),
                          out + static_cast<std::size_t>(i) * elementBytes(dst));
            } else {
                storeInteger(dst.dtype, out, i, static_cast<std::int32_t>(pair));
            }
        }
    });
}

/// Sums from the first element to each one, ascending; floats in FP32, rounded once per element.
void runningSum(const VectorDetail& detail, const UbTile& dst, const UbTile& from, VectorScratch& scratch) {
    Extent4 lines = from.part.extent;
    lines[detail.axis] = 1;
    forEachElement(lines, [&](Extent4 at) -> std::optional<BadIndex> {
        float sum = 0.0F;
        ExactInteger total(0);
        for (; at[detail.axis] < from.part.extent[detail.axis]; ++at[detail.axis]) {
            if (!isFloat(from.dtype)) {
                total.add(integerAt(from.dtype, elementOf(from, at), 0));
                storeResult(detail, dst, at, total, scratch);
                continue;
            }
            float value = 0.0F;
            decodeRow(from.dtype, elementOf(from, at), std::span(&value, 1));
            sum = canonicalNan(at[detail.axis] == 0 ? value : sum + value);
            encodeRow(dst.dtype, std::span<const float>(&sum, 1), elementOf(dst, at));
        }
        return std::nullopt;
    });
}

}  // namespace

std::optional<BadIndex> applyWhole(const VectorDetail& detail, const UbTile& dst, const VectorSources& sources,
                                   VectorScratch& scratch) {
    using enum VectorOpCode;
    const VectorStep step = detail.traits.step;
    if (detail.op == Gather) return gather(detail, dst, sources[0], sources[1]);
    if (detail.op == IndexSelect) return indexSelect(detail, dst, sources[0], sources[1]);
    if (detail.op == Scatter) return scatter(detail, dst, sources, scratch);
    if (detail.op == IndexAdd || detail.op == IndexPut) return updateSlices(detail, dst, sources, scratch);
    if (detail.op == Full || detail.op == Arange) fillNumbers(detail, dst);
    if (detail.op == FillPad) fillPad(detail, dst, sources[0]);
    if (detail.op == Rope) turnPairs(detail, dst, sources[0], scratch);
    if (detail.op == CumSum) runningSum(detail, dst, sources[0], scratch);
    if (step == VectorStep::Pairs) sortPairs(detail, dst, sources[0], scratch);
    if (step == VectorStep::Indices || (step == VectorStep::Values && detail.op == TopK))
        takeFromPairs(detail, dst, sources[0]);
    if (step == VectorStep::Scales) mxScales(detail, dst, sources[0], scratch);
    if (step == VectorStep::Values && detail.op == QuantMx) mxData(detail, dst, sources[0], sources[1], scratch);
    return std::nullopt;
}

}  // namespace cubist
