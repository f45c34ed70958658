// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/vector_reduce.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "core/base/number_formats.h"

namespace cubist {
namespace {

constexpr std::size_t kLanes = 64;

float combine(VectorOpCode op, float a, float b) {
    if (op == VectorOpCode::Sum) return a + b;
    if (op == VectorOpCode::Prod) return a * b;
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<float>::quiet_NaN();
    return op == VectorOpCode::Amax ? std::max(a, b) : std::min(a, b);
}

void combine(VectorOpCode op, ExactInteger& result, std::int64_t value) {
    if (op == VectorOpCode::Sum) return result.add(value);
    if (op == VectorOpCode::Prod) return result.multiply(value);
    result = ExactInteger(op == VectorOpCode::Amax ? std::max(result.low(), value) : std::min(result.low(), value));
}

float start(VectorOpCode op) {
    if (op == VectorOpCode::Sum) return 0.0F;
    if (op == VectorOpCode::Prod) return 1.0F;
    const float infinity = std::numeric_limits<float>::infinity();
    return op == VectorOpCode::Amax ? -infinity : infinity;
}

/// One row along the last axis.
float reduceRow(VectorOpCode op, std::span<const float> row) {
    std::array<float, kLanes> lanes;
    lanes.fill(start(op));
    for (std::size_t i = 0; i < row.size(); ++i) {
        float& lane = lanes[i % kLanes];
        lane = i < kLanes ? row[i] : combine(op, lane, row[i]);
    }
    for (std::size_t width = kLanes / 2; width >= 1; width /= 2)
        for (std::size_t lane = 0; lane < width; ++lane) lanes[lane] = combine(op, lanes[lane], lanes[lane + width]);
    return lanes[0];
}

std::int64_t startInteger(VectorOpCode op) {
    if (op == VectorOpCode::Sum) return 0;
    if (op == VectorOpCode::Prod) return 1;
    return op == VectorOpCode::Amax ? std::numeric_limits<std::int64_t>::min()
                                    : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

std::int64_t integerAt(DType type, const std::byte* codes, std::int64_t i) {
    if (type == DType::INT64) return reinterpret_cast<const std::int64_t*>(codes)[i];
    if (type == DType::INT32) return reinterpret_cast<const std::int32_t*>(codes)[i];
    if (type == DType::INT16) return reinterpret_cast<const std::int16_t*>(codes)[i];
    if (type == DType::INT8 || type == DType::INT4) return reinterpret_cast<const std::int8_t*>(codes)[i];
    return reinterpret_cast<const std::uint8_t*>(codes)[i];
}

void storeInteger(DType type, std::byte* codes, std::int64_t i, std::int64_t value) {
    if (type == DType::INT64)
        reinterpret_cast<std::int64_t*>(codes)[i] = value;
    else if (type == DType::INT32)
        reinterpret_cast<std::int32_t*>(codes)[i] = static_cast<std::int32_t>(value);
    else if (type == DType::INT16)
        reinterpret_cast<std::int16_t*>(codes)[i] = static_cast<std::int16_t>(value);
    else if (type == DType::INT8 || type == DType::INT4)
        reinterpret_cast<std::int8_t*>(codes)[i] = static_cast<std::int8_t>(value);
    else
        reinterpret_cast<std::uint8_t*>(codes)[i] = static_cast<std::uint8_t>(value);
}

void noteWrapped(const VectorDetail& detail, const UbTile& dst, const Extent4& at, VectorScratch& scratch) {
    if (dst.dtype != DType::BOOL) scratch.losses.wrap({detail.op, std::nullopt, placeOf(dst, at), dst.dtype});
}

void storeResult(const VectorDetail& detail, const UbTile& dst, const Extent4& at, const ExactInteger& value,
                 VectorScratch& scratch) {
    if (isFloat(dst.dtype)) {
        const auto number = static_cast<float>(value.low());
        encodeRow(dst.dtype, std::span(&number, 1), elementOf(dst, at));
        return;
    }
    storeInteger(dst.dtype, elementOf(dst, at), 0, narrowInteger(dst.dtype, value.low()));
    if (!value.fits(dst.dtype)) noteWrapped(detail, dst, at, scratch);
}

void reduceTile(const VectorDetail& detail, const UbTile& dst, const UbTile& source, VectorScratch& scratch) {
    const std::int64_t length = source.part.extent[detail.axis];
    const bool lastAxis = detail.axis == 3;
    std::vector<float>& row = scratch.floats[0];
    row.resize(static_cast<std::size_t>(length));
    // The result may have lost the reduced axis: its places are walked in the source's shape without that axis.
    Extent4 outer = source.part.extent;
    outer[detail.axis] = 1;
    Extent4 at{0, 0, 0, 0};
    for (at[0] = 0; at[0] < outer[0]; ++at[0])
        for (at[1] = 0; at[1] < outer[1]; ++at[1])
            for (at[2] = 0; at[2] < outer[2]; ++at[2])
                for (at[3] = 0; at[3] < outer[3]; ++at[3]) {
                    std::byte* out = elementOf(dst, at);
                    Extent4 from = at;
                    if (!isFloat(source.dtype)) {
                        ExactInteger value(startInteger(detail.op));
                        for (from[detail.axis] = 0; from[detail.axis] < length; ++from[detail.axis])
                            combine(detail.op, value, integerAt(source.dtype, elementOf(source, from), 0));
                        storeResult(detail, dst, at, value, scratch);
                        continue;
                    }
                    float value = start(detail.op);
                    if (lastAxis) {
                        decodeRow(source.dtype, elementOf(source, from), std::span(row));
                        value = reduceRow(detail.op, row);
                    } else {
                        for (from[detail.axis] = 0; from[detail.axis] < length; ++from[detail.axis]) {
                            std::array<float, 1> element{};
                            decodeRow(source.dtype, elementOf(source, from), std::span<float>(element));
                            value = from[detail.axis] == 0 ? element[0] : combine(detail.op, value, element[0]);
                        }
                    }
                    value = canonicalNan(value);
                    encodeRow(dst.dtype, std::span<const float>(&value, 1), out);
                }
}

}  // namespace cubist
