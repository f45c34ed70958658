// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/vector_infer.h"

#include <algorithm>
#include <utility>

#include "core/base/integer_math.h"

namespace cubist::detail {
namespace {

using Shape = std::vector<std::int64_t>;

constexpr std::size_t kMaxRank = 4;

std::string text(const Shape& shape) {
    std::string out = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) out += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return out + "]";
}

class WholeInference {
public:
    WholeInference(const VectorOp& op, std::span<const OperandType> operands, OpResultType& result)
        : m_op(op), m_operands(operands), m_result(result), m_name(toText(op.op)) {}

    void run(std::int64_t rangeCount) {
        if (!takesNumbers()) return;
        if (!m_operands.empty()) {
            m_result.shape = m_operands[0].shape;
            m_result.dtype = m_operands[0].dtype;
        }
        using enum VectorOpCode;
        if (m_op.op == Rope) rope();
        if (m_op.op == Full) full();
        if (m_op.op == Arange) arange(rangeCount);
        if (m_op.op == Gather) gather();
        if (m_op.op == IndexSelect) indexSelect();
        if (m_op.op == Scatter) scatter();
        if (m_op.op == IndexAdd || m_op.op == IndexPut) indexUpdate();
        if (m_op.op == TopK || m_op.op == Argsort) sort();
        if (m_op.op == CumSum) cumSum();
        if (m_op.op == Quantize) quantisation(DType::INT8);
        if (m_op.op == Dequantize) quantisation(DType::FP32);
        if (m_op.op == QuantMx) quantMx();
        const bool typed =
            m_op.op == Full || m_op.op == Arange || m_op.op == Quantize || m_op.op == Dequantize || m_op.op == QuantMx;
        if (m_op.dtype && typed)
            m_result.dtype = *m_op.dtype;
        else if (m_op.dtype && *m_op.dtype != m_result.dtype)
            blame(OpProblem::Kind::Attribute, "dtype", m_name + " cannot change the type; add a cast");
    }

private:
    void blame(OpProblem::Kind kind, std::string key, std::string message) {
        if (!m_result.problem) m_result.problem = OpProblem{kind, std::move(key), std::move(message)};
    }

    /// Which operands may be numbers, and which have to be.
    bool takesNumbers() {
        for (std::size_t i = 0; i < m_operands.size(); ++i) {
            const bool must = m_op.op == VectorOpCode::Full || (m_op.op == VectorOpCode::FillPad && i == 1);
            const bool may = must || (m_op.op == VectorOpCode::Scatter && i == 2) ||
                             ((m_op.op == VectorOpCode::Quantize || m_op.op == VectorOpCode::Dequantize) && i > 0);
            if (m_operands[i].number ? may : !must) continue;
            blame(OpProblem::Kind::Count, "in/" + std::to_string(i),
                  must ? "here " + m_name + " takes a number" : m_name + " takes values here, not numbers");
            return false;
        }
        return true;
    }

    std::size_t axis() {
        const auto found = axisOf(m_op, m_operands[0].shape.size());
        if (!found) blame(OpProblem::Kind::Attribute, "dim", "'dim' is not an axis of " + text(m_operands[0].shape));
        return found.value_or(0);
    }

    std::size_t lastAxis() {
        const std::size_t found = axis();
        if (found + 1 != m_operands[0].shape.size())
            blame(OpProblem::Kind::Attribute, "dim", m_name + " works along the last axis");
        return m_operands[0].shape.size() - 1;
    }

    bool sameRank(std::size_t operand) {
        if (m_operands[operand].shape.size() == m_operands[0].shape.size()) return true;
        blame(OpProblem::Kind::Rank, "in/" + std::to_string(operand),
              m_name + " takes operands of one rank, not " + text(m_operands[0].shape) + " and " +
                  text(m_operands[operand].shape));
        return false;
    }

    void rope() {
        const Shape& x = m_operands[0].shape;
        if (x.back() % 2 != 0)
            blame(OpProblem::Kind::Broadcast, "in/0", "rope turns pairs: the last axis of " + text(x) + " is odd");
        for (std::size_t i = 1; i < 3; ++i) {
            const Shape& angle = m_operands[i].shape;
            bool fits = angle.size() == x.size();
            for (std::size_t a = 0; fits && a < x.size(); ++a)
                fits = angle[a] == x[a] || (angle[a] == 1 && a + 1 < x.size());
            if (!fits)
                blame(OpProblem::Kind::Broadcast, "in/" + std::to_string(i),
                      text(angle) + " does not stretch to " + text(x) + "; the last axes are equal");
        }
    }

    void full() {
        m_result.shape = m_op.shape;
        const bool positive =
            std::all_of(m_op.shape.begin(), m_op.shape.end(), [](auto extent) { return extent >= 1; });
        if (m_op.shape.empty() || m_op.shape.size() > kMaxRank || !positive) {
            m_result.shape = {1};
            blame(OpProblem::Kind::Attribute, "shape", "full needs a shape of 1 to 4 axes");
        }
        if (!m_op.dtype) blame(OpProblem::Kind::Attribute, "dtype", "full needs its type");
    }

    void arange(std::int64_t count) {
        m_result.shape = {std::max<std::int64_t>(1, count)};
        m_result.dtype = DType::INT32;
        if (m_op.range.empty() || m_op.range.size() > 3)
            blame(OpProblem::Kind::Attribute, "range", "arange needs an end, a start and an end, or these and a step");
        else if (count < 1)
            blame(OpProblem::Kind::Attribute, "range", "the range has no element, or its step is 0");
    }

    void gather() {
        const std::size_t dim = axis();
        const Shape& x = m_operands[0].shape;
        const Shape& index = m_operands[1].shape;
        if (!sameRank(1)) return;
        m_result.shape = index;
        for (std::size_t a = 0; a < x.size(); ++a)
            if (a != dim && index[a] > x[a])
                blame(OpProblem::Kind::Broadcast, "in/1",
                      "the index " + text(index) + " is larger than " + text(x) + " beside 'dim'");
    }

    void indexSelect() {
        const std::size_t dim = axis();
        const Shape& index = m_operands[1].shape;
        if (index.size() > 2 || m_operands[0].shape.size() + index.size() - 1 > kMaxRank)
            return blame(OpProblem::Kind::Rank, "in/1", "the index has 1 or 2 axes, the result at most 4");
        const auto place = m_result.shape.begin() + static_cast<std::ptrdiff_t>(dim);
        m_result.shape.insert(m_result.shape.erase(place), index.begin(), index.end());
    }

    void scatter() {
        const std::size_t dim = axis();
        const Shape& x = m_operands[0].shape;
        const Shape& index = m_operands[1].shape;
        if (!sameRank(1) || (!m_operands[2].number && !sameRank(2))) return;
        for (std::size_t a = 0; a < x.size(); ++a) {
            if (a != dim && index[a] > x[a])
                blame(OpProblem::Kind::Broadcast, "in/1",
                      "the index " + text(index) + " is larger than " + text(x) + " beside 'dim'");
            if (!m_operands[2].number && index[a] > m_operands[2].shape[a])
                blame(OpProblem::Kind::Broadcast, "in/2",
                      "the index " + text(index) + " is larger than the source " + text(m_operands[2].shape));
        }
    }

    /// index_put with several indices: entry i of all of them names one slice behind the first axes.
    void indexTuple(std::size_t count) {
        const Shape& target = m_operands[0].shape;
        if (m_op.dim.value_or(0) != 0)
            return blame(OpProblem::Kind::Attribute, "dim", "several indices pick along the first axes: 'dim' is 0");
        if (count > target.size())
            return blame(OpProblem::Kind::Count, "in/" + std::to_string(target.size() + 1),
                         std::to_string(count) + " indices for " + std::to_string(target.size()) + " axes");
        const OperandType& first = m_operands[1];
        for (std::size_t i = 1; i <= count; ++i) {
            const OperandType& index = m_operands[i];
            const std::string key = "in/" + std::to_string(i);
            if (index.shape.size() != 1)
                return blame(OpProblem::Kind::Rank, key, "the index of " + m_name + " has one axis");
            if (index.shape != first.shape || index.dtype != first.dtype)
                return blame(OpProblem::Kind::Broadcast, key, "the indices of " + m_name + " have one type and length");
        }
        Shape source(target.begin() + static_cast<std::ptrdiff_t>(count), target.end());
        source.insert(source.begin(), first.shape[0]);
        if (m_operands.back().shape != source)
            blame(OpProblem::Kind::Broadcast, "in/" + std::to_string(count + 1),
                  "the source is " + text(source) + ", not " + text(m_operands.back().shape));
    }

    void indexUpdate() {
        if (m_operands.size() > 3) return indexTuple(m_operands.size() - 2);
        const std::size_t dim = axis();
        const Shape& index = m_operands[1].shape;
        if (index.size() != 1) return blame(OpProblem::Kind::Rank, "in/1", "the index of " + m_name + " has one axis");
        Shape source = m_operands[0].shape;
        source[dim] = index[0];
        if (m_operands[2].shape != source)
            blame(OpProblem::Kind::Broadcast, "in/2",
                  "the source is " + text(source) + ", not " + text(m_operands[2].shape));
    }

    /// Sums of integers grow, so they take the widest type.
    void cumSum() {
        (void)axis();
        if (m_result.dtype == DType::INT16 || m_result.dtype == DType::INT32) m_result.dtype = DType::INT64;
    }

    void sort() {
        const std::size_t last = lastAxis();
        m_result.shape2 = m_result.shape;
        m_result.dtype2 = DType::INT32;
        if (m_op.op == VectorOpCode::Argsort) {
            m_result.dtype = DType::INT32;
            return;
        }
        if (m_op.count < 1 || m_op.count > m_result.shape[last]) {
            blame(OpProblem::Kind::Attribute, "count",
                  "topk needs a count of 1 to " + std::to_string(m_result.shape[last]) + ", the extent of its axis");
            return;
        }
        m_result.shape[last] = m_result.shape2[last] = m_op.count;
    }

    void quantisation(DType type) {
        m_result.dtype = type;
        const std::size_t dim = axis();
        const std::size_t rank = m_operands[0].shape.size();
        if (dim + 2 < rank) blame(OpProblem::Kind::Attribute, "dim", m_name + " works along one of the last two axes");
        Shape scale = m_operands[0].shape;
        scale.erase(scale.begin() + static_cast<std::ptrdiff_t>(dim));
        if (scale.empty()) scale = {1};
        for (std::size_t i = 1; i < m_operands.size(); ++i)
            if (!m_operands[i].number && m_operands[i].shape != scale)
                blame(OpProblem::Kind::Broadcast, "in/" + std::to_string(i),
                      std::string(i == 1 ? "the scale" : "the zero points") + " of " + m_name + " along axis " +
                          std::to_string(dim) + " have shape " + text(scale) + ", not " + text(m_operands[i].shape));
    }

    void quantMx() {
        const std::size_t dim = axis();
        const Shape& x = m_operands[0].shape;
        m_result.dtype = DType::FP8E4M3;
        m_result.shape2 = m_result.shape;
        m_result.shape2[dim] = ceilDiv(m_result.shape[dim], kMxPairElements);
        m_result.shape2.push_back(2);
        m_result.dtype2 = DType::FP8E8M0;
        if (m_result.shape2.size() > kMaxRank)
            blame(OpProblem::Kind::Rank, "in/0", "quant_mx of 4 axes gives scales of 5, which do not exist here");
        if (dim + 2 < x.size())
            blame(OpProblem::Kind::Attribute, "dim", "quant_mx works along one of the last two axes");
        if (dim + 2 == x.size() && x[dim] % kMxPairElements != 0)
            blame(OpProblem::Kind::Attribute, "dim",
                  "along the last axis but one quant_mx takes multiples of 64 elements, not " + std::to_string(x[dim]));
    }

    const VectorOp& m_op;
    std::span<const OperandType> m_operands;
    OpResultType& m_result;
    std::string m_name;
};

}  // namespace

void inferWhole(const VectorOp& op, std::span<const OperandType> operands, std::int64_t rangeCount,
                OpResultType& result) {
    WholeInference(op, operands, result).run(rangeCount);
}

std::vector<std::int64_t> validOfWhole(const VectorOp& op, std::span<const OperandType> operands,
                                       std::span<const std::vector<std::int64_t>> valids, const Shape& resultShape) {
    using enum VectorOpCode;
    if (op.op == Full || op.op == Arange || op.op == FillPad) return resultShape;
    const std::size_t rank = operands[0].shape.size();
    const std::size_t axis = axisOf(op, rank).value_or(rank - 1);
    Shape valid = valids[0];
    if (op.op == Gather) {
        valid = valids[1];
        for (std::size_t a = 0; a < rank && a < valid.size(); ++a)
            if (a != axis) valid[a] = std::min(valid[a], valids[0][a]);
    } else if (op.op == IndexSelect) {
        const auto place = valid.begin() + static_cast<std::ptrdiff_t>(axis);
        valid.insert(valid.erase(place), valids[1].begin(), valids[1].end());
    } else if (op.op == TopK) {
        valid.back() = std::min(valid.back(), op.count);
    } else if (op.op == Rope) {
        for (std::size_t i = 1; i < 3; ++i)
            for (std::size_t a = 0; a < rank && a < valids[i].size(); ++a)
                if (operands[i].shape[a] == operands[0].shape[a]) valid[a] = std::min(valid[a], valids[i][a]);
    } else if (op.op == Quantize || op.op == Dequantize) {
        for (std::size_t i = 1; i < operands.size(); ++i)
            for (std::size_t a = 0; !operands[i].number && a < rank; ++a)
                if (a != axis) valid[a] = std::min(valid[a], valids[i][a < axis ? a : a - 1]);
    }
    return valid;
}

}  // namespace cubist::detail
