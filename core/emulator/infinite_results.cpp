// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/infinite_results.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/base/dtype.h"
#include "core/base/number_formats.h"
#include "core/emulator/vector_reduce.h"

namespace cubist {
namespace {

float valueAt(DType type, const std::byte* code) {
    float value = 0;
    decodeRow(type, code, std::span(&value, 1));
    return value;
}

/// By row of A or column of B.
std::vector<bool> finiteLines(const CubeOperand& operand, std::int64_t lines, std::int64_t depth) {
    std::vector<bool> finite(static_cast<std::size_t>(lines), true);
    for (std::int64_t i = 0; i < lines; ++i)
        for (std::int64_t k = 0; k < depth && finite[static_cast<std::size_t>(i)]; ++k)
            finite[static_cast<std::size_t>(i)] = std::isfinite(valueAt(operand.dtype, operand.element(i, k)));
    return finite;
}

template <class Visit>
void forEachElement(const Extent4& extent, Visit&& visit) {
    Extent4 at{0, 0, 0, 0};
    for (at[0] = 0; at[0] < extent[0]; ++at[0])
        for (at[1] = 0; at[1] < extent[1]; ++at[1])
            for (at[2] = 0; at[2] < extent[2]; ++at[2])
                for (at[3] = 0; at[3] < extent[3]; ++at[3]) visit(at);
}

bool isFiniteAt(const UbTile& source, const Extent4& at) {
    return !isFloat(source.dtype) || std::isfinite(valueAt(source.dtype, elementOf(source, at)));
}

/// Every axis of the source is the result's or stands still.
bool stretchesTo(const UbTile& source, const UbTile& dst) {
    for (std::size_t axis = 0; axis < dst.part.extent.size(); ++axis)
        if (source.part.extent[axis] != 1 && source.part.extent[axis] != dst.part.extent[axis]) return false;
    return true;
}

bool allFinite(const UbTile& source) {
    bool finite = true;
    forEachElement(source.part.extent, [&](const Extent4& at) { finite = finite && isFiniteAt(source, at); });
    return finite;
}

/// Operations whose result in a place is made from the operands in that place alone.
bool isElementByElement(VectorOpCode op) {
    using enum VectorOpCode;
    constexpr std::array kOps{Add, Sub, Mul, Div, Maximum, Minimum, Neg, Abs, Relu, Exp, Log, Sqrt, Rsqrt, Reciprocal};
    return std::ranges::find(kOps, op) != kOps.end();
}

}  // namespace

void noteInfiniteSums(const SumsOfTile& sums, const CubeOperand& a, const CubeOperand& b, ValueLosses& losses) {
    std::vector<bool> rows, cols;
    for (std::int64_t r = 0; r < sums.rows; ++r)
        for (std::int64_t c = 0; c < sums.cols; ++c) {
            const std::int64_t at = r * sums.stride + c;
            if (std::isfinite(sums.after[at]) || !std::isfinite(sums.before[at])) continue;
            if (rows.empty()) {
                rows = finiteLines(a, sums.rows, sums.depth);
                cols = finiteLines(b, sums.cols, sums.depth);
            }
            if (!rows[static_cast<std::size_t>(r)] || !cols[static_cast<std::size_t>(c)]) continue;
            if (std::isnan(sums.after[at]) && (a.scales != nullptr || b.scales != nullptr)) continue;  // a NaN scale
            losses.lose(ElementLoss::Infinite, {{0, 0, r, c}, sums.after[at], DType::FP32, {}});
        }
}

VectorOperands::VectorOperands(const UbTile& dst, const VectorSources& sources) : m_sources(sources) {
    for (UbTile& source : m_sources) {
        if (source.data == nullptr || source.data != dst.data) continue;
        const Extent4& layout = source.part.layout;
        const auto bytes = static_cast<std::size_t>(layout[0] * layout[1] * layout[2] * source.rowStride *
                                                    hostBytesPerElement(source.dtype));
        m_copies.emplace_back(source.data, source.data + bytes);
        source.data = m_copies.back().data();
    }
}

void noteInfiniteResults(const VectorDetail& detail, const UbTile& dst, const VectorSources& sources,
                         ValueLosses& losses) {
    const bool arithmetic = dst.dtype == DType::FP32 || dst.dtype == DType::FP16 || dst.dtype == DType::BF16;
    if (!arithmetic || detail.op == VectorOpCode::Cast) return;
    const auto endless = [](const std::optional<double>& number) { return number && !std::isfinite(*number); };
    if (std::ranges::any_of(detail.number, endless)) return;
    bool byPlace = isElementByElement(detail.op);
    for (const UbTile& source : sources)
        if (source.data != nullptr) {
            if (elementCount(source.part.extent) == 0) return;  // amax of nothing
            byPlace = byPlace && stretchesTo(source, dst);
        }
    std::optional<bool> finite;  // all operands, where places do not go together
    forEachElement(dst.part.extent, [&](const Extent4& at) {
        const float value = valueAt(dst.dtype, elementOf(dst, at));
        if (!std::isinf(value)) return;
        const auto holds = [&](const auto& isFine) {
            return std::ranges::all_of(sources,
                                       [&](const UbTile& source) { return source.data == nullptr || isFine(source); });
        };
        if (byPlace) {
            if (!holds([&](const UbTile& source) { return isFiniteAt(source, at); })) return;
        } else {
            if (!finite) finite = holds(allFinite);
            if (!*finite) return;
        }
        losses.lose(ElementLoss::Infinite, {placeOf(dst, at), value, dst.dtype, detail.op});
    });
}

}  // namespace cubist
