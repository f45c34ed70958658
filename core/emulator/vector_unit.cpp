// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/vector_unit.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "core/base/elementary.h"
#include "core/base/number_formats.h"
#include "core/design/vector_op_info.h"
#include "core/emulator/cast_losses.h"
#include "core/emulator/vector_reduce.h"
#include "core/emulator/vector_whole.h"

namespace cubist {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Visits the rows of the result.
template <class Visit>
void forEachRow(const Extent4& shape, Visit&& visit) {
    Extent4 at{0, 0, 0, 0};
    for (at[0] = 0; at[0] < shape[0]; ++at[0])
        for (at[1] = 0; at[1] < shape[1]; ++at[1])
            for (at[2] = 0; at[2] < shape[2]; ++at[2]) visit(at);
}

/// Rows of `count` elements, one for each operand.
void loadFloats(const VectorDetail& detail, const VectorSources& sources, const Extent4& row, std::size_t count,
                VectorScratch& scratch) {
    for (std::size_t i = 0; i < kMaxOperands; ++i) {
        std::vector<float>& out = scratch.floats[i];
        out.resize(count);
        if (sources[i].data == nullptr) {
            if (detail.number[i]) std::fill(out.begin(), out.end(), static_cast<float>(*detail.number[i]));
            continue;
        }
        const std::size_t own = sources[i].part.extent[3] == 1 ? 1 : count;
        decodeRow(sources[i].dtype, elementOf(sources[i], row), std::span(out).first(own));
        if (own == 1) std::fill(out.begin(), out.end(), out[0]);
    }
}

void loadIntegers(const VectorDetail& detail, const VectorSources& sources, const Extent4& row, std::size_t count,
                  VectorScratch& scratch) {
    for (std::size_t i = 0; i < kMaxOperands; ++i) {
        std::vector<std::int64_t>& out = scratch.integers[i];
        out.resize(count);
        if (sources[i].data == nullptr) {
            if (detail.number[i]) std::fill(out.begin(), out.end(), toInteger(DType::INT64, *detail.number[i]));
            continue;
        }
        const bool one = sources[i].part.extent[3] == 1;
        const std::byte* codes = elementOf(sources[i], row);
        for (std::size_t c = 0; c < count; ++c)
            out[c] = integerAt(sources[i].dtype, codes, one ? 0 : static_cast<std::int64_t>(c));
    }
}

template <class T>
bool compare(VectorOpCode op, T a, T b) {
    if (op == VectorOpCode::Eq) return a == b;
    if (op == VectorOpCode::Ne) return a != b;
    if (op == VectorOpCode::Lt) return a < b;
    if (op == VectorOpCode::Le) return a <= b;
    if (op == VectorOpCode::Gt) return a > b;
    return a >= b;
}

float floatOp(VectorOpCode op, float a, float b) {
    if (op == VectorOpCode::Add) return a + b;
    if (op == VectorOpCode::Sub) return a - b;
    if (op == VectorOpCode::Mul) return a * b;
    if (op == VectorOpCode::Div) return a / b;
    if (op == VectorOpCode::Maximum) return std::isnan(a) || std::isnan(b) ? kNan : std::max(a, b);
    if (op == VectorOpCode::Minimum) return std::isnan(a) || std::isnan(b) ? kNan : std::min(a, b);
    if (op == VectorOpCode::Pow)
        return static_cast<float>(elementary::pow(static_cast<double>(a), static_cast<double>(b)));
    if (op == VectorOpCode::Neg) return -a;
    if (op == VectorOpCode::Abs) return std::fabs(a);
    if (op == VectorOpCode::Relu) return std::isnan(a) ? kNan : std::max(a, 0.0F);
    if (op == VectorOpCode::Sqrt) return std::sqrt(a);
    if (op == VectorOpCode::Rsqrt) return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a)));
    assert(op == VectorOpCode::Reciprocal && "lowering leaves elementary operations only");
    return 1.0F / a;
}

/// Two's complement arithmetic in 64 bits; the caller keeps the low bits. `fits` becomes false where 64 bits do not
/// hold the result.
std::int64_t integerOp(VectorOpCode op, std::int64_t a, std::int64_t b, bool& fits) {
    std::int64_t result = 0;
    const auto negated = [&] {
        fits = !__builtin_sub_overflow(std::int64_t{0}, a, &result);
        return result;
    };
    if (op == VectorOpCode::Add) fits = !__builtin_add_overflow(a, b, &result);
    if (op == VectorOpCode::Sub) fits = !__builtin_sub_overflow(a, b, &result);
    if (op == VectorOpCode::Mul) fits = !__builtin_mul_overflow(a, b, &result);
    if (op == VectorOpCode::Add || op == VectorOpCode::Sub || op == VectorOpCode::Mul) return result;
    if (op == VectorOpCode::Div) return b == 0 ? 0 : b == -1 ? negated() : a / b;
    if (op == VectorOpCode::Maximum) return std::max(a, b);
    if (op == VectorOpCode::Minimum) return std::min(a, b);
    if (op == VectorOpCode::Neg) return negated();
    if (op == VectorOpCode::Abs) return a < 0 ? negated() : a;
    assert(op == VectorOpCode::Relu && "an operation that integers have");
    return std::max<std::int64_t>(a, 0);
}

void floatRow(const VectorDetail& detail, std::vector<float>& a, const std::vector<float>& b) {
    if (detail.op == VectorOpCode::Exp) return elementary::expRow(a, a);
    if (detail.op == VectorOpCode::Log) return elementary::logRow(a, a);
    for (std::size_t c = 0; c < a.size(); ++c) a[c] = floatOp(detail.op, a[c], b[c]);
}

/// where(condition, a, b): copies codes, so that no value changes; numbers are rounded to the result's type.
void whereRow(const VectorDetail& detail, const UbTile& dst, const VectorSources& sources, const Extent4& row,
              std::size_t count, VectorScratch& scratch) {
    loadIntegers(detail, {sources[0], {}, {}}, row, count, scratch);
    std::byte* out = elementOf(dst, row);
    const auto size = static_cast<std::size_t>(hostBytesPerElement(dst.dtype));
    for (std::size_t c = 0; c < count; ++c) {
        const std::size_t chosen = scratch.integers[0][c] != 0 ? 1 : 2;
        const UbTile& source = sources[chosen];
        if (source.data != nullptr) {
            const std::size_t at = source.part.extent[3] == 1 ? 0 : c;
            std::memcpy(out + c * size, elementOf(source, row) + at * size, size);
        } else if (isFloat(dst.dtype)) {
            const auto number = static_cast<float>(detail.number[chosen].value_or(0.0));
            encodeRow(dst.dtype, std::span<const float>(&number, 1), out + c * size);
        } else {
            storeInteger(dst.dtype, out, static_cast<std::int64_t>(c),
                         toInteger(dst.dtype, detail.number[chosen].value_or(0.0)));
        }
    }
}

/// 1 or 0 in the result's type.
void storeTruth(const UbTile& dst, std::byte* out, std::size_t place, bool truth) {
    if (!isFloat(dst.dtype)) return storeInteger(dst.dtype, out, static_cast<std::int64_t>(place), truth ? 1 : 0);
    const float value = truth ? 1.0F : 0.0F;
    encodeRow(dst.dtype, std::span<const float>(&value, 1),
              out + place * static_cast<std::size_t>(hostBytesPerElement(dst.dtype)));
}

void elementwiseRow(const VectorDetail& detail, const UbTile& dst, const VectorSources& sources, const Extent4& row,
                    std::size_t count, VectorScratch& scratch) {
    const UbTile& typed = sources[0].data != nullptr ? sources[0] : sources[1];
    const bool comparison = opInfo(detail.op).family == OpFamily::Compare;
    std::byte* out = elementOf(dst, row);
    if (isFloat(typed.dtype) || (!comparison && isFloat(dst.dtype))) {
        loadFloats(detail, sources, row, count, scratch);
        std::vector<float>& a = scratch.floats[0];
        const std::vector<float>& b = scratch.floats[1];
        if (comparison) {
            for (std::size_t c = 0; c < count; ++c) storeTruth(dst, out, c, compare(detail.op, a[c], b[c]));
            return;
        }
        floatRow(detail, a, b);
        for (float& value : a) value = canonicalNan(value);
        encodeRow(dst.dtype, std::span<const float>(a), out);
        return;
    }
    loadIntegers(detail, sources, row, count, scratch);
    // A number that is no integer is compared as it is.
    const auto hasFraction = [](const std::optional<double>& number) {
        return number && *number != std::trunc(*number);
    };
    const bool fraction = comparison && (hasFraction(detail.number[0]) || hasFraction(detail.number[1]));
    const auto exact = [&](std::size_t operand, std::int64_t value) {
        return hasFraction(detail.number[operand]) ? *detail.number[operand] : static_cast<double>(value);
    };
    for (std::size_t c = 0; c < count; ++c) {
        const std::int64_t a = scratch.integers[0][c];
        const std::int64_t b = scratch.integers[1][c];
        if (fraction)
            storeTruth(dst, out, c, compare(detail.op, exact(0, a), exact(1, b)));
        else if (comparison)
            storeTruth(dst, out, c, compare(detail.op, a, b));
        if (comparison) continue;
        bool fits = true;
        const std::int64_t value = integerOp(detail.op, a, b, fits), kept = narrowInteger(dst.dtype, value);
        storeInteger(dst.dtype, out, static_cast<std::int64_t>(c), kept);
        if (!fits || kept != value)
            noteWrapped(detail, dst, {row[0], row[1], row[2], static_cast<std::int64_t>(c)}, scratch);
    }
}

/// Copies elements of `from` to places of `dst`; `placeIn` turns a place of the result into one of the source.
template <class Place>
void copyElements(const UbTile& dst, const UbTile& from, Place&& placeIn) {
    const auto size = static_cast<std::size_t>(hostBytesPerElement(dst.dtype));
    forEachRow(dst.part.extent, [&](Extent4 at) {
        std::byte* out = elementOf(dst, at);
        for (at[3] = 0; at[3] < dst.part.extent[3]; ++at[3])
            std::memcpy(out + static_cast<std::size_t>(at[3]) * size, elementOf(from, placeIn(at)), size);
    });
}

void moveElements(const VectorDetail& detail, const UbTile& dst, const UbTile& from) {
    if (detail.op == VectorOpCode::Transpose) {
        copyElements(dst, from, [&](Extent4 at) {
            std::swap(at[detail.swapped[0]], at[detail.swapped[1]]);
            return at;
        });
    } else if (detail.op == VectorOpCode::Reshape || detail.op == VectorOpCode::Unsqueeze) {
        const Extent4& shape = from.part.extent;
        std::int64_t next = 0;
        copyElements(dst, from, [&](const Extent4&) {
            const std::int64_t i = next++;
            return Extent4{i / (shape[1] * shape[2] * shape[3]), i / (shape[2] * shape[3]) % shape[1],
                           i / shape[3] % shape[2], i % shape[3]};
        });
    } else {
        copyElements(dst, from, [&](Extent4 at) {
            for (std::size_t axis = 0; axis < 4; ++axis)
                if (from.part.extent[axis] == 1) at[axis] = 0;
            return at;
        });
    }
}

}  // namespace

std::optional<BadIndex> applyVector(const VectorDetail& detail, const UbTile& dst, const VectorSources& sources,
                                    VectorScratch& scratch) {
    const OpFamily family = opInfo(detail.op).family;
    if (family == OpFamily::Whole) return applyWhole(detail, dst, sources, scratch);
    if (family == OpFamily::Movement) {
        moveElements(detail, dst, sources[0]);
        return std::nullopt;
    }
    if (family == OpFamily::Reduction) {
        reduceTile(detail, dst, sources[0], scratch);
        return std::nullopt;
    }
    const auto count = static_cast<std::size_t>(dst.part.extent[3]);
    const Saturation saturation = detail.saturate ? Saturation::On : Saturation::Off;
    forEachRow(dst.part.extent, [&](const Extent4& row) {
        if (detail.op == VectorOpCode::Cast) {
            noteCastLosses(detail, dst, sources[0], row, count, scratch);
            convertRow(sources[0].dtype, elementOf(sources[0], row), dst.dtype, elementOf(dst, row), count,
                       detail.round, saturation);
        } else if (detail.op == VectorOpCode::Where)
            whereRow(detail, dst, sources, row, count, scratch);
        else
            elementwiseRow(detail, dst, sources, row, count, scratch);
    });
    return std::nullopt;
}

}  // namespace cubist
