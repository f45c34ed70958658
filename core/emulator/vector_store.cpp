// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/vector_store.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "core/base/number_formats.h"
#include "core/emulator/vector_reduce.h"

namespace cubist {
namespace {

constexpr std::size_t kBlock = 256;

void addFloats(DType type, const std::byte* source, float alpha, std::byte* target, std::size_t count) {
    std::array<float, kBlock> terms, sums;
    const auto size = static_cast<std::size_t>(hostBytesPerElement(type));
    for (std::size_t done = 0; done < count; done += kBlock) {
        const std::size_t part = std::min(kBlock, count - done);
        const std::span<float> term(terms.data(), part), sum(sums.data(), part);
        decodeRow(type, source + done * size, term);
        decodeRow(type, target + done * size, sum);
        if (alpha != 1.0F) {
            for (float& value : term) value *= alpha;
            std::array<float, kBlock> rounded;  // alpha * source exists in the type before it is added
            encodeRow(type, std::span<const float>(term), rounded.data());
            decodeRow(type, rounded.data(), term);
        }
        for (std::size_t i = 0; i < part; ++i) sum[i] = canonicalNan(sum[i] + term[i]);
        encodeRow(type, std::span<const float>(sum), target + done * size);
    }
}

std::optional<std::size_t> addIntegers(DType type, const std::byte* source, std::int64_t alpha, std::byte* target,
                                       std::size_t count) {
    std::optional<std::size_t> wrapped;
    if (type == DType::INT32 && alpha == 1) {
        const auto* from = reinterpret_cast<const std::int32_t*>(source);
        auto* to = reinterpret_cast<std::int32_t*>(target);
        for (std::size_t i = 0; i < count; ++i)
            if (__builtin_add_overflow(to[i], from[i], &to[i]) && !wrapped) wrapped = i;
        return wrapped;
    }
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::int64_t>(i);
        ExactInteger sum(integerAt(type, source, at));
        sum.multiply(alpha);
        sum.add(integerAt(type, target, at));
        storeInteger(type, target, at, narrowInteger(type, sum.low()));
        if (!sum.fits(type) && !wrapped) wrapped = i;
    }
    return wrapped;
}

std::int64_t offsetOf(const Extent4& at, const GmPlace& place) {
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis) offset += at[axis] * place.stride[axis];
    return offset;
}

}  // namespace

std::optional<std::size_t> storeRow(DType from, const void* source, DType to, void* target, std::size_t count,
                                    bool add) {
    if (!add) {
        convertRow(from, source, to, target, count);
        return std::nullopt;
    }
    if (from == to) return addScaledRow(to, source, 1.0, target, count);
    std::optional<std::size_t> wrapped;
    std::array<std::byte, kBlock * 8> converted;
    const auto fromSize = static_cast<std::size_t>(hostBytesPerElement(from));
    const auto toSize = static_cast<std::size_t>(hostBytesPerElement(to));
    for (std::size_t done = 0; done < count; done += kBlock) {
        const std::size_t part = std::min(kBlock, count - done);
        convertRow(from, static_cast<const std::byte*>(source) + done * fromSize, to, converted.data(), part);
        const auto found =
            addScaledRow(to, converted.data(), 1.0, static_cast<std::byte*>(target) + done * toSize, part);
        if (found && !wrapped) wrapped = done + *found;
    }
    return wrapped;
}

std::optional<std::size_t> addScaledRow(DType type, const void* source, double alpha, void* target, std::size_t count) {
    const auto* from = static_cast<const std::byte*>(source);
    auto* to = static_cast<std::byte*>(target);
    if (isFloat(type)) {
        addFloats(type, from, static_cast<float>(alpha), to, count);
        return std::nullopt;
    }
    return addIntegers(type, from, toInteger(DType::INT64, alpha), to, count);
}

std::optional<BadIndex> storeIndexed(const VectorDetail& detail, const UbTile& source, const UbTile& index,
                                     const Box& box, const GmPlace& place, const MayTouch& mayTouch,
                                     std::vector<std::int64_t>* places, ValueLosses& losses) {
    const std::size_t first = detail.axis, picked = detail.traits.indexRank;
    const std::size_t slices = first + picked - 1;  // of the tile
    const Extent4& extent = source.part.extent;
    const auto size = static_cast<std::size_t>(hostBytesPerElement(source.dtype));
    const std::int64_t entries = std::min(extent[slices], index.part.extent[3]);
    Extent4 rows = extent;
    rows[slices] = 1;
    if (slices != 3) rows[3] = 1;  // a row at a time
    const std::int64_t count = slices == 3 ? 1 : extent[3];
    // Slice by slice, so that two slices with one target meet in the order of the index.
    for (std::int64_t i = 0; i < entries; ++i) {
        Extent4 to{};
        std::int64_t number = 0;
        for (std::size_t row = 0; row < picked; ++row) {
            const Extent4 entry{0, 0, static_cast<std::int64_t>(row), i};
            to[first + row] = integerAt(index.dtype, elementOf(index, entry), 0);
            const std::int64_t limit = box.valid[first + row];
            if (to[first + row] < 0 || to[first + row] >= limit)
                return BadIndex{
                    {0, 0, entry[2] + index.part.offset[2], index.part.offset[3] + i}, to[first + row], limit};
            number = number * limit + to[first + row];
        }
        if (places != nullptr) places->push_back(number);
        Extent4 at{};
        for (at[0] = 0; at[0] < rows[0]; ++at[0])
            for (at[1] = 0; at[1] < rows[1]; ++at[1])
                for (at[2] = 0; at[2] < rows[2]; ++at[2]) {
                    Extent4 from = at;
                    from[slices] = i;
                    Extent4 target = at;
                    for (std::size_t a = first; a <= slices; ++a) target[a] = to[a];
                    for (std::size_t a = 0; a < 4; ++a) target[a] += box.offset[a];
                    if (!mayTouch(target, count)) continue;
                    std::byte* out = place.write + place.bytes(offsetOf(target, place));
                    if (!detail.traits.accumulate) {
                        std::memcpy(out, elementOf(source, from), static_cast<std::size_t>(count) * size);
                        continue;
                    }
                    if (const auto wrapped = addScaledRow(source.dtype, elementOf(source, from), detail.traits.alpha,
                                                          out, static_cast<std::size_t>(count))) {
                        target[3] += static_cast<std::int64_t>(*wrapped);
                        losses.wrap({detail.op, box.tensor, target, source.dtype});
                    }
                }
    }
    return std::nullopt;
}

std::optional<BadIndex> loadIndexed(const VectorDetail& detail, const UbTile& dst, const UbTile& index, const Box& box,
                                    const GmPlace& place, const MayTouch& mayTouch) {
    const std::size_t axis = detail.axis;
    const std::size_t wider = detail.traits.indexRank - 1U;
    const std::int64_t limit = box.valid[axis];
    const std::int64_t count = dst.part.extent[3];
    Extent4 at{0, 0, 0, 0};
    for (at[0] = 0; at[0] < dst.part.extent[0]; ++at[0])
        for (at[1] = 0; at[1] < dst.part.extent[1]; ++at[1])
            for (at[2] = 0; at[2] < dst.part.extent[2]; ++at[2]) {
                const Extent4 entry{0, 0, wider == 1 ? at[axis - 1] : 0, at[axis]};
                const std::int64_t picked = integerAt(index.dtype, elementOf(index, entry), 0);
                if (picked < 0 || picked >= limit) {
                    BadIndex bad{entry, picked, limit};
                    for (std::size_t a = 0; a < 4; ++a) bad.at[a] += index.part.offset[a];
                    return bad;
                }
                Extent4 from = at;
                for (std::size_t a = 0; a < axis; ++a) from[a] = a < wider ? 0 : at[a - wider];
                from[axis] = picked;
                for (std::size_t a = 0; a < 4; ++a) from[a] += box.offset[a];
                if (count == 0 || !mayTouch(from, count)) continue;
                std::memcpy(elementOf(dst, at), place.read + place.bytes(offsetOf(from, place)),
                            static_cast<std::size_t>(place.bytes(count)));
            }
    return std::nullopt;
}

}  // namespace cubist
