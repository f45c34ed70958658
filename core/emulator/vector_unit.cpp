// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/vector_unit.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/base/number_formats.h"

namespace cubist {
namespace {

/// Row-major walk over the leading three axes of the result.
template <class Visit>
void forEachRow(const Extent4& shape, Visit&& visit) {
    for (std::int64_t i = 0; i < shape[0]; ++i)
        for (std::int64_t j = 0; j < shape[1]; ++j)
            for (std::int64_t k = 0; k < shape[2]; ++k) visit(i, j, k);
}

/// Start of the row of a tile that belongs to row (i, j, k) of the result.
std::byte* rowOf(const UbTile& tile, std::int64_t i, std::int64_t j, std::int64_t k) {
    const auto pick = [&](std::size_t axis, std::int64_t at) { return tile.shape[axis] == 1 ? 0 : at; };
    const std::int64_t row = (pick(0, i) * tile.shape[1] + pick(1, j)) * tile.shape[2] + pick(2, k);
    return tile.data + row * tile.rowStride * hostBytesPerElement(tile.dtype);
}

float floatOp(VectorOpCode op, float a, float b) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    switch (op) {
        case VectorOpCode::Add: return a + b;
        case VectorOpCode::Sub: return a - b;
        case VectorOpCode::Mul: return a * b;
        case VectorOpCode::Div: return a / b;
        case VectorOpCode::Maximum: return std::isnan(a) || std::isnan(b) ? kNan : std::max(a, b);
        case VectorOpCode::Minimum: return std::isnan(a) || std::isnan(b) ? kNan : std::min(a, b);
        case VectorOpCode::Neg: return -a;
        case VectorOpCode::Abs: return std::fabs(a);
        case VectorOpCode::Relu: return std::isnan(a) ? kNan : std::max(a, 0.0F);
        case VectorOpCode::Cast: break;
    }
    assert(false && "a cast is not an arithmetic operation");
    return a;
}

/// Two's complement arithmetic in 64 bits; the caller keeps the low bits.
std::int64_t integerOp(VectorOpCode op, std::int64_t a, std::int64_t b) {
    const auto wrap = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
    const auto ua = static_cast<std::uint64_t>(a);
    const auto ub = static_cast<std::uint64_t>(b);
    switch (op) {
        case VectorOpCode::Add: return wrap(ua + ub);
        case VectorOpCode::Sub: return wrap(ua - ub);
        case VectorOpCode::Mul: return wrap(ua * ub);
        case VectorOpCode::Div: return b == 0 ? 0 : (b == -1 ? wrap(0 - ua) : a / b);
        case VectorOpCode::Maximum: return std::max(a, b);
        case VectorOpCode::Minimum: return std::min(a, b);
        case VectorOpCode::Neg: return wrap(0 - ua);
        case VectorOpCode::Abs: return a < 0 ? wrap(0 - ua) : a;
        case VectorOpCode::Relu: return std::max<std::int64_t>(a, 0);
        case VectorOpCode::Cast: break;
    }
    assert(false && "a cast is not an arithmetic operation");
    return a;
}

template <class T>
std::int64_t loadInteger(const std::byte* row, std::int64_t i) {
    return static_cast<std::int64_t>(reinterpret_cast<const T*>(row)[i]);
}

std::int64_t integerAt(DType type, const std::byte* row, std::int64_t i) {
    if (type == DType::INT64) return loadInteger<std::int64_t>(row, i);
    if (type == DType::INT32) return loadInteger<std::int32_t>(row, i);
    if (type == DType::INT16) return loadInteger<std::int16_t>(row, i);
    if (type == DType::INT8 || type == DType::INT4) return loadInteger<std::int8_t>(row, i);
    return loadInteger<std::uint8_t>(row, i);
}

void storeInteger(DType type, std::byte* row, std::int64_t i, std::int64_t value) {
    if (type == DType::INT64)
        reinterpret_cast<std::int64_t*>(row)[i] = value;
    else if (type == DType::INT32)
        reinterpret_cast<std::int32_t*>(row)[i] = static_cast<std::int32_t>(value);
    else if (type == DType::INT16)
        reinterpret_cast<std::int16_t*>(row)[i] = static_cast<std::int16_t>(value);
    else if (type == DType::INT8 || type == DType::INT4)
        reinterpret_cast<std::int8_t*>(row)[i] = static_cast<std::int8_t>(value);
    else
        reinterpret_cast<std::uint8_t*>(row)[i] = static_cast<std::uint8_t>(value);
}

/// Spreads one operand over a row of `width` floats.
void loadFloats(const UbTile* tile, const VectorDetail& detail, std::int64_t i, std::int64_t j, std::int64_t k,
                std::vector<float>& out, std::int64_t width) {
    const auto count = static_cast<std::size_t>(width);
    out.resize(count);
    if (tile == nullptr) {
        std::fill(out.begin(), out.end(), detail.scalar ? static_cast<float>(*detail.scalar) : 0.0F);
        return;
    }
    const std::size_t own = tile->shape[3] == 1 ? 1 : count;
    decodeRow(tile->dtype, rowOf(*tile, i, j, k), std::span(out).first(own));
    if (own == 1) std::fill(out.begin(), out.end(), out[0]);
}

void loadIntegers(const UbTile* tile, const VectorDetail& detail, std::int64_t i, std::int64_t j, std::int64_t k,
                  std::vector<std::int64_t>& out, std::int64_t width) {
    out.resize(static_cast<std::size_t>(width));
    if (tile == nullptr) {
        std::fill(out.begin(), out.end(), detail.scalar ? toInteger(DType::INT64, *detail.scalar) : 0);
        return;
    }
    const std::byte* row = rowOf(*tile, i, j, k);
    for (std::int64_t c = 0; c < width; ++c)
        out[static_cast<std::size_t>(c)] = integerAt(tile->dtype, row, tile->shape[3] == 1 ? 0 : c);
}

}  // namespace

void applyVector(const VectorDetail& detail, const UbTile& dst, const UbTile* src0, const UbTile* src1,
                 VectorScratch& scratch) {
    const std::int64_t width = dst.shape[3];
    const auto count = static_cast<std::size_t>(width);
    if (detail.op == VectorOpCode::Cast) {
        const Saturation saturation = detail.saturate ? Saturation::On : Saturation::Off;
        forEachRow(dst.shape, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
            convertRow(src0->dtype, rowOf(*src0, i, j, k), dst.dtype, rowOf(dst, i, j, k), count, detail.round,
                       saturation);
        });
        return;
    }
    const UbTile* first = src0 != nullptr ? src0 : src1;
    if (!isFloat(first->dtype) && !isFloat(dst.dtype)) {
        forEachRow(dst.shape, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
            loadIntegers(src0, detail, i, j, k, scratch.leftInt, width);
            loadIntegers(src1, detail, i, j, k, scratch.rightInt, width);
            std::byte* out = rowOf(dst, i, j, k);
            for (std::size_t c = 0; c < count; ++c)
                storeInteger(dst.dtype, out, static_cast<std::int64_t>(c),
                             narrowInteger(dst.dtype, integerOp(detail.op, scratch.leftInt[c], scratch.rightInt[c])));
        });
        return;
    }
    forEachRow(dst.shape, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        loadFloats(src0, detail, i, j, k, scratch.left, width);
        loadFloats(src1, detail, i, j, k, scratch.right, width);
        for (std::size_t c = 0; c < count; ++c)
            scratch.left[c] = canonicalNan(floatOp(detail.op, scratch.left[c], scratch.right[c]));
        encodeRow(dst.dtype, std::span<const float>(scratch.left), rowOf(dst, i, j, k));
    });
}

}  // namespace cubist
