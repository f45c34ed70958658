// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/golden_whole.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

#include "core/design/vector_op_info.h"
#include "core/golden/golden_types.h"

namespace cubist::golden {
namespace {

constexpr std::size_t kLast = 3;

/// Visits every place, row-major, as long as `visit` returns true.
bool forEachPlace(const Axes& shape, const std::function<bool(const Axes&)>& visit) {
    Axes at{0, 0, 0, 0};
    for (at[0] = 0; at[0] < shape[0]; ++at[0])
        for (at[1] = 0; at[1] < shape[1]; ++at[1])
            for (at[2] = 0; at[2] < shape[2]; ++at[2])
                for (at[3] = 0; at[3] < shape[3]; ++at[3])
                    if (!visit(at)) return false;
    return true;
}

class Whole {
public:
    Whole(const VectorOp& op, GoldenKind kind, std::span<const WholeTensor> operands, WholeTensor& result,
          WholeTensor* second)
        : m_op(op), m_kind(kind), m_in(operands), m_out(result), m_second(second) {
        if (!operands.empty() && !operands[0].number)
            m_axis = axisOf(op, operands[0].rank).value_or(0) + 4 - operands[0].rank;
        if (op.op == VectorOpCode::IndexPut && operands.size() > 3) m_axis = 4 - operands[0].rank;
    }

    Result<void> run(std::span<const std::int64_t> range) {
        using enum VectorOpCode;
        if (m_op.op == Arange) create(range);
        if (m_op.op == Full) create({});
        if (m_op.op == FillPad) pad();
        if (m_op.op == Rope) turn();
        if (m_op.op == CumSum) accumulate();
        if (m_op.op == TopK || m_op.op == Argsort) sort();
        if (m_op.op == Quantize) quantize();
        if (m_op.op == Dequantize) dequantize();
        if (m_op.op == QuantMx) quantMx();
        if (m_op.op == Gather) gather();
        if (m_op.op == IndexSelect) select();
        if (m_op.op == Scatter) scatter();
        if (m_op.op == IndexAdd || m_op.op == IndexPut) update();
        if (m_bad) return unexpected(*m_bad);
        return {};
    }

private:
    [[nodiscard]] double rounded(double value) const {
        roundResult(m_kind, m_out.dtype, std::span(&value, 1));
        return value;
    }

    [[nodiscard]] bool integers() const { return !isFloat(m_out.dtype); }

    /// Integers keep the low bits of the exact result.
    [[nodiscard]] double sum(double a, double b) const {
        if (!integers()) return rounded(a + b);
        return carried(m_out.dtype, wrappingSum(integerOf(m_out.dtype, a), integerOf(m_out.dtype, b)));
    }
    [[nodiscard]] double product(double a, double b) const {
        if (!integers()) return rounded(a * b);
        return carried(m_out.dtype, wrappingProduct(integerOf(m_out.dtype, a), integerOf(m_out.dtype, b)));
    }

    /// A number is one of the result's type: what is beyond it is infinite there already.
    [[nodiscard]] double literal(double number) const {
        if (!isPlainFloat(m_out.dtype)) return number;
        double value = number;
        roundResult(GoldenKind::Framework, m_out.dtype, std::span(&value, 1));
        return std::isinf(value) ? value : number;
    }

    void create(std::span<const std::int64_t> range) {
        for (std::size_t i = 0; i < m_out.values.size(); ++i) {
            double value = range.empty() ? *m_in[0].number : 0.0;
            if (!range.empty()) {
                const double start = range.size() > 1 ? static_cast<double>(range[0]) : 0.0;
                const double step = range.size() > 2 ? static_cast<double>(range[2]) : 1.0;
                value = start + static_cast<double>(i) * step;
            }
            m_out.values[i] = rounded(range.empty() ? literal(value) : value);
        }
    }

    void pad() {
        const double filler = rounded(literal(*m_in[1].number));
        forEachPlace(m_out.shape, [&](const Axes& at) {
            bool inside = true;
            for (std::size_t axis = 0; axis < at.size(); ++axis) inside = inside && at[axis] < m_in[0].valid[axis];
            m_out.at(at) = inside ? m_in[0].at(at) : filler;
            return true;
        });
    }

    void turn() {
        const std::int64_t half = m_out.shape[kLast] / 2;
        const auto angle = [](const WholeTensor& tensor, Axes at) {
            for (std::size_t axis = 0; axis < kLast; ++axis)
                if (tensor.shape[axis] == 1) at[axis] = 0;
            return tensor.at(at);
        };
        forEachPlace(m_out.valid, [&](const Axes& at) {
            Axes partner = at;
            bool first = at[kLast] < half;
            partner[kLast] += first ? half : -half;
            if (m_op.interleaved) {
                first = at[kLast] % 2 == 0;
                partner[kLast] = at[kLast] + (first ? 1 : -1);
            }
            const double across = first ? -m_in[0].at(partner) : m_in[0].at(partner);
            m_out.at(at) = rounded(rounded(m_in[0].at(at) * angle(m_in[1], at)) + rounded(across * angle(m_in[2], at)));
            return true;
        });
    }

    void accumulate() {
        if (integers()) {
            forEachPlace(m_out.valid, [&](const Axes& at) {
                Axes before = at;
                --before[m_axis];
                const std::int64_t sum = at[m_axis] > 0 ? integerOf(m_out.dtype, m_out.at(before)) : 0;
                m_out.at(at) = carried(m_out.dtype, wrappingSum(integerOf(m_in[0].dtype, m_in[0].at(at)), sum));
                return true;
            });
            return;
        }
        forEachPlace(m_out.valid, [&](const Axes& at) {
            Axes before = at;
            --before[m_axis];
            // Rounded at the end: the sum itself is kept in FP64.
            m_out.at(at) = m_in[0].at(at) + (at[m_axis] > 0 ? m_out.at(before) : 0.0);
            return true;
        });
        roundResult(m_kind, m_out.dtype, m_out.values);
    }

    void sort() {
        const auto before = [&](double a, double b) {
            if (std::isnan(a) || std::isnan(b))
                return m_op.largest ? std::isnan(a) && !std::isnan(b) : !std::isnan(a) && std::isnan(b);
            return m_op.largest ? a > b : a < b;
        };
        Axes rows = m_in[0].valid;
        const std::int64_t length = rows[kLast];
        rows[kLast] = 1;
        forEachPlace(rows, [&](Axes at) {
            std::vector<std::int64_t> places(static_cast<std::size_t>(length));
            std::iota(places.begin(), places.end(), std::int64_t{0});
            const double* row = m_in[0].values.data() + m_in[0].placeOf(at);
            std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return before(row[a], row[b]); });
            const std::int64_t count = m_op.op == VectorOpCode::TopK ? std::min(m_op.count, length) : length;
            for (; at[kLast] < count; ++at[kLast]) {
                const std::int64_t place = places[static_cast<std::size_t>(at[kLast])];
                m_out.at(at) = m_op.op == VectorOpCode::TopK ? row[place] : static_cast<double>(place);
                if (m_second != nullptr) m_second->at(at) = static_cast<double>(place);
            }
            return true;
        });
    }

    /// The factor or zero point of an element: its tensor lacks one axis.
    [[nodiscard]] double parameter(const WholeTensor& tensor, const Axes& at) const {
        if (tensor.number) {
            double value = *tensor.number;
            roundResult(m_kind, DType::FP32, std::span(&value, 1));
            return value;
        }
        if (m_in[0].rank == 1) return tensor.values[0];
        Axes place{0, 0, 0, 0};
        for (std::size_t axis = 0, to = 1; axis < at.size(); ++axis)
            if (axis != m_axis) place[to++] = at[axis];
        // The axes before the operand's own are 0 in both.
        return tensor.at(place);
    }

    [[nodiscard]] double single(double value) const {
        roundResult(m_kind, DType::FP32, std::span(&value, 1));
        return value;
    }

    void quantize() {
        const double low = m_out.dtype == DType::UINT8 ? 0.0 : -128.0;
        const double high = m_out.dtype == DType::UINT8 ? 255.0 : 127.0;
        forEachPlace(m_out.valid, [&](const Axes& at) {
            double value = single(m_in[0].at(at) * parameter(m_in[1], at));
            if (m_in.size() > 2) value = single(value + parameter(m_in[2], at));
            const double below = std::floor(value);
            const double rest = value - below;
            const bool up = rest > 0.5 || (rest == 0.5 && std::floor(below / 2) * 2 != below);
            m_out.at(at) = std::isnan(value) ? 0.0 : std::clamp(below + (up ? 1.0 : 0.0), low, high);
            return true;
        });
    }

    void dequantize() {
        forEachPlace(m_out.valid, [&](const Axes& at) {
            double value = m_in[0].at(at);
            if (m_in.size() > 2) value = single(value + parameter(m_in[2], at));
            m_out.at(at) = rounded(value * parameter(m_in[1], at));
            return true;
        });
    }

    void quantMx() {
        constexpr std::int64_t kGroup = 32;
        const double maximum = m_out.dtype == DType::FP8E4M3   ? 448.0
                               : m_out.dtype == DType::FP8E5M2 ? 57344.0
                               : m_out.dtype == DType::FP4E2M1 ? 6.0
                                                               : 1.75;
        Axes rows = m_in[0].valid;
        const std::int64_t length = rows[m_axis];
        rows[m_axis] = 1;
        const std::int64_t groups = (m_in[0].shape[m_axis] + 63) / 64 * 2;
        forEachPlace(rows, [&](const Axes& row) {
            for (std::int64_t g = 0; g < groups; ++g) {
                double largest = 0.0;
                Axes at = row;
                for (at[m_axis] = g * kGroup; at[m_axis] < std::min(length, (g + 1) * kGroup); ++at[m_axis]) {
                    const double x = std::abs(m_in[0].at(at));
                    largest = std::isnan(x) || std::isnan(largest) ? std::numeric_limits<double>::quiet_NaN()
                                                                   : std::max(largest, x);
                }
                const double scale = std::ldexp(1.0, exponentFor(largest, maximum) - 127);
                if (m_second != nullptr)
                    m_second->at(m_axis == kLast ? Axes{row[1], row[2], g / 2, g % 2}
                                                 : Axes{row[1], g / 2, row[kLast], g % 2}) =
                        std::isnan(largest) ? largest : scale;
                for (at[m_axis] = g * kGroup; at[m_axis] < std::min(length, (g + 1) * kGroup); ++at[m_axis]) {
                    double value = m_in[0].at(at) / scale;
                    if (!std::isnan(value) || m_out.dtype == DType::FP4E2M1 || m_out.dtype == DType::FP4E1M2)
                        castValues(GoldenKind::Framework, DType::FP32, m_out.dtype, RoundMode::Rint, true,
                                   std::span(&value, 1));
                    m_out.at(at) = value;
                }
            }
            return true;
        });
    }

    /// E8M0 code of a group by its largest magnitude.
    [[nodiscard]] int exponentFor(double largest, double maximum) const {
        if (std::isnan(largest)) return 255;
        if (largest == 0.0) return 0;
        const auto floorLog2 = [](double x) {
            int e = 0;
            std::frexp(x, &e);
            return e - 1;
        };
        if (std::isinf(largest)) {
            if (m_op.scaleRounding == ScaleRounding::Up) return 254;
            largest = 0x1p128;
        }
        if (m_op.scaleRounding == ScaleRounding::Down)
            return std::clamp(floorLog2(largest) - floorLog2(maximum) + 127, 0, 254);
        int code = 0;
        while (code < 254 && largest > std::ldexp(maximum, code - 127)) ++code;
        return code;
    }

    /// The entry of an index as a place along an axis of `limit` elements; remembers the first one out of range.
    std::optional<std::int64_t> entry(const WholeTensor& index, const Axes& at, std::int64_t limit) {
        const std::int64_t value = integerOf(index.dtype, index.at(at));
        if (value >= 0 && value < limit) return value;
        if (!m_bad)
            m_bad = Error{ErrorCode::BadValue,
                          "the golden of " + std::string(toText(m_op.op)) + " meets the index " +
                              std::to_string(value) + " on an axis of " + std::to_string(limit),
                          {},
                          {}};
        return std::nullopt;
    }

    void gather() {
        forEachPlace(m_out.valid, [&](const Axes& at) {
            const auto place = entry(m_in[1], at, m_in[0].valid[m_axis]);
            if (!place) return false;
            Axes from = at;
            from[m_axis] = *place;
            m_out.at(at) = m_in[0].at(from);
            return true;
        });
    }

    void select() {
        const bool matrix = m_in[1].rank == 2;
        const auto length = m_axis == kLast ? 1 : static_cast<std::size_t>(m_out.valid[kLast]);
        Axes parts = m_out.valid;
        if (m_axis != kLast && parts[kLast] > 0) parts[kLast] = 1;
        forEachPlace(parts, [&](const Axes& at) {
            const auto place = entry(m_in[1], {0, 0, matrix ? at[m_axis - 1] : 0, at[m_axis]}, m_in[0].valid[m_axis]);
            if (!place) return false;
            Axes from = at;
            from[m_axis] = *place;
            if (matrix) {
                from[0] = 0;
                for (std::size_t axis = 1; axis < m_axis; ++axis) from[axis] = at[axis - 1];
            }
            const std::span<double> out(&m_out.at(at), length);
            m_in[0].rows->readRow(from[0], from[1], from[2], from[kLast], out);
            return true;
        });
    }

    void scatter() {
        m_out.values = m_in[0].values;
        forEachPlace(m_in[1].valid, [&](const Axes& at) {
            // Entries beyond the valid part of the other axes have no target.
            for (std::size_t axis = 0; axis < at.size(); ++axis)
                if (axis != m_axis && at[axis] >= m_out.valid[axis]) return true;
            const auto place = entry(m_in[1], at, m_in[0].valid[m_axis]);
            if (!place) return false;
            Axes to = at;
            to[m_axis] = *place;
            const double source = m_in[2].number ? rounded(*m_in[2].number) : m_in[2].at(at);
            double& target = m_out.at(to);
            target = m_op.reduce == ScatterReduce::None  ? source
                     : m_op.reduce == ScatterReduce::Add ? sum(target, source)
                                                         : product(target, source);
            return true;
        });
    }

    void update() {
        m_out.values = m_in[0].values;
        // One index for each axis from m_axis on; the source has one axis in the place of all of them.
        const std::size_t indices = m_in.size() - 2, sourceAxis = m_axis + indices - 1;
        const WholeTensor& values = m_in.back();
        Axes slice = m_out.valid;
        for (std::size_t a = m_axis; a <= sourceAxis; ++a) slice[a] = 1;
        const std::int64_t entries = std::min(m_in[1].valid[kLast], values.valid[sourceAxis]);
        for (std::int64_t i = 0; i < entries; ++i) {
            Axes places{};
            for (std::size_t index = 0; index < indices; ++index) {
                const auto place = entry(m_in[1 + index], {0, 0, 0, i}, m_in[0].valid[m_axis + index]);
                if (!place) return;
                places[m_axis + index] = *place;
            }
            forEachPlace(slice, [&](const Axes& at) {
                Axes from = at, to = at;
                from[sourceAxis] = i;
                for (std::size_t a = m_axis; a <= sourceAxis; ++a) to[a] = places[a];
                const double source = values.at(from);
                double& target = m_out.at(to);
                if (m_op.op == VectorOpCode::IndexAdd)
                    target = sum(target, scaled(m_kind, m_out.dtype, m_op.alpha, source));
                else
                    target = m_op.accumulate ? sum(target, source) : source;
                return true;
            });
        }
    }

    const VectorOp& m_op;
    GoldenKind m_kind;
    std::span<const WholeTensor> m_in;
    WholeTensor& m_out;
    WholeTensor* m_second;
    std::size_t m_axis = kLast;
    std::optional<Error> m_bad;
};

}  // namespace

Result<void> computeWhole(const VectorOp& op, GoldenKind kind, std::span<const std::int64_t> range,
                          std::span<const WholeTensor> operands, WholeTensor& result, WholeTensor* second) {
    return Whole(op, kind, operands, result, second).run(range);
}

}  // namespace cubist::golden
