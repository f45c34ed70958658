// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/vector_plan.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/base/integer_math.h"
#include "core/base/number_formats.h"
#include "core/design/op_numbers.h"
#include "core/design/vector_infer.h"

namespace cubist::detail {
namespace {

constexpr std::uint16_t kNone = PlanOp::kNumber;

bool isOfFloatsOnly(VectorOpCode op) {
    using enum VectorOpCode;
    constexpr std::array kOps{Exp, Log, Sqrt, Rsqrt, Reciprocal, Pow, Sigmoid, Silu, Gelu, Softmax, RmsNorm};
    return std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

class Planner {
public:
    Planner(const ResolvedDesign& design, const IndexValues& indices, ValidShapes& valids)
        : m_design(design), m_indices(indices), m_valids(valids) {}

    Result<VectorPlan> plan(const VectorStage& stage) {
        if (stage.ops.empty()) return std::move(m_plan);
        m_where = m_design.blocks[m_design.value(stage.ops.front().out)->block].where + "/ops";
        for (; m_index < stage.ops.size(); ++m_index) CUBIST_CHECK_OK(add(stage.ops[m_index]));
        const auto axes = tileAxes(stage, [&](const ValueId& id) { return m_design.value(id)->shape.size(); });
        for (std::size_t i = 0; i < axes.size(); ++i)
            for (const ValueId& result : {stage.ops[i].out, stage.ops[i].out2})
                if (const auto found = m_byName.find(result.text); found != m_byName.end())
                    if (PlanValue& value = m_plan.values[found->second]; value.shape.size() == axes[i].out.size())
                        value.tiled = axes[i].out;
        return std::move(m_plan);
    }

private:
    Result<std::uint16_t> valueOf(const ValueId& id) {
        if (const auto found = m_byName.find(id.text); found != m_byName.end()) return found->second;
        const ResolvedValue& value = *m_design.value(id);
        CUBIST_TRY(auto valid, m_valids.of(id));
        m_plan.values.push_back({id, value.shape, std::move(valid), value.dtype});
        return m_byName[id.text] = static_cast<std::uint16_t>(m_plan.values.size() - 1);
    }

    /// A value in between with the shape of `like`.
    std::uint16_t temporary(std::uint16_t like) {
        PlanValue value = m_plan.values[like];
        value.name.reset();
        m_plan.values.push_back(std::move(value));
        return static_cast<std::uint16_t>(m_plan.values.size() - 1);
    }

    std::uint16_t reducedTemporary(std::uint16_t like, std::size_t axis) {
        const std::uint16_t value = temporary(like);
        m_plan.values[value].shape[axis] = 1;
        m_plan.values[value].valid[axis] = 1;
        return value;
    }

    void emit(VectorOpCode op, std::vector<std::uint16_t> in, std::uint16_t out,
              std::array<std::optional<double>, kMaxPlanOperands> number = {}) {
        PlanOp planned;
        planned.op = op;
        planned.in = std::move(in);
        planned.number = number;
        planned.out = out;
        m_plan.ops.push_back(std::move(planned));
    }

    void emitReduction(VectorOpCode op, std::uint16_t in, std::uint16_t out, std::size_t axis) {
        emit(op, {in}, out);
        m_plan.ops.back().axis = axis;
    }

    /// An operand that is a number, as an element of the type beside it.
    [[nodiscard]] double numberOf(const VectorOp& op, std::size_t operand) const {
        const double number = *op.in[operand].number();
        const std::optional<DType> type = typeOfNumber(m_design, op, operand);
        return type ? numberIn(*type, number) : number;
    }

    Result<void> add(const VectorOp& op) {
        std::vector<std::uint16_t> in;
        std::array<std::optional<double>, kMaxPlanOperands> number;
        for (std::size_t i = 0; i < op.in.size(); ++i) {
            const ValueId* id = op.in[i].value();
            if (id == nullptr) {
                number[i] = numberOf(op, i);
                in.push_back(kNone);
                continue;
            }
            const std::size_t known = m_plan.values.size();
            CUBIST_TRY(const std::uint16_t value, valueOf(*id));
            if (m_plan.values.size() > known) m_plan.inputs.push_back(value);
            in.push_back(value);
        }
        CUBIST_TRY(const std::uint16_t out, valueOf(op.out));
        for (const std::uint16_t value : in)
            if (value != kNone && isOfFloatsOnly(op.op) && !isFloat(m_plan.values[value].dtype))
                return unexpected(ErrorCode::Unsupported,
                                  std::string(toText(op.op)) + " of " +
                                      std::string(toText(m_plan.values[value].dtype)) + " does not exist",
                                  m_where + "/" + std::to_string(m_index), "cast to FP32 first");
        if (op.op == VectorOpCode::Sigmoid) return addSigmoid(in[0], out);
        if (op.op == VectorOpCode::Clip) return addClip(in, number, out);
        if (op.op == VectorOpCode::Softmax) return addSoftmax(op, in[0], out);
        if (op.op == VectorOpCode::RmsNorm) return addRmsNorm(op, in, out);
        if (op.op == VectorOpCode::Silu) return addSilu(in[0], out);
        if (op.op == VectorOpCode::Gelu) return addGelu(in[0], out);
        if (opInfo(op.op).family == OpFamily::Whole) return addWhole(op, in, number, out);
        if (opInfo(op.op).family == OpFamily::Reduction) return addReduction(op, in[0], out);
        if (op.op == VectorOpCode::Reshape && m_plan.values[in[0]].valid != m_plan.values[in[0]].shape)
            return unexpected(
                ErrorCode::Unsupported,
                "the reshape '" + op.out.text + "' meets a tail: elements beyond the valid part would move",
                m_where + "/" + std::to_string(m_index), "reshape before the view that cuts the axis");
        if (op.op == VectorOpCode::Div)  // quotients of integers are FP32
            for (std::uint16_t& operand : in)
                if (operand != kNone && !isFloat(m_plan.values[operand].dtype)) operand = inSingle(operand);
        emit(op.op, in, out, number);
        PlanOp& planned = m_plan.ops.back();
        if (op.op == VectorOpCode::Cast)
            planned.round = castRounding(m_plan.values[in[0]].dtype, m_plan.values[out].dtype, op.round);
        planned.saturate = op.saturate;
        if (op.op == VectorOpCode::Concat) planned.axis = *axisOf(op, m_plan.values[out].shape.size());
        if (op.op == VectorOpCode::Unsqueeze) planned.axis = *axisOf(op, m_plan.values[out].shape.size());
        if (op.op == VectorOpCode::Transpose) planned.swapped = *transposedAxes(op, m_plan.values[out].shape.size());
        if (op.op == VectorOpCode::Slice) {
            planned.offset = op.offset;
            planned.offset.resize(op.shape.size(), 0);
        }
        return {};
    }

    /// The operand in FP32: sigmoid, softmax and rms_norm cast to it first and back at the end.
    std::uint16_t inSingle(std::uint16_t value) {
        if (m_plan.values[value].dtype == DType::FP32) return value;
        const std::uint16_t single = typedTemporary(value, DType::FP32);
        emitCast(value, single, castRounding(m_plan.values[value].dtype, DType::FP32, RoundMode::None), false);
        return single;
    }

    /// Where the last step of such an operation goes.
    std::uint16_t singleFor(std::uint16_t out) {
        return m_plan.values[out].dtype == DType::FP32 ? out : typedTemporary(out, DType::FP32);
    }

    void castBack(std::uint16_t single, std::uint16_t out) {
        if (single != out) emitCast(single, out, RoundMode::Rint, false);
    }

    Result<void> addSigmoid(std::uint16_t operand, std::uint16_t out) {
        const std::uint16_t x = inSingle(operand);
        const std::uint16_t result = singleFor(out);
        const std::uint16_t negated = temporary(x);
        const std::uint16_t power = temporary(x);
        const std::uint16_t sum = temporary(x);
        emit(VectorOpCode::Mul, {x, kNone}, negated, {std::nullopt, -1.0});
        emit(VectorOpCode::Exp, {negated}, power);
        emit(VectorOpCode::Add, {power, kNone}, sum, {std::nullopt, 1.0});
        emit(VectorOpCode::Div, {kNone, sum}, result, {1.0});
        castBack(result, out);
        return {};
    }

    /// sum = 1 + exp(-1 * x); out = numerator / sum.
    Result<void> addDivided(std::uint16_t numerator, std::uint16_t negated, std::uint16_t out) {
        const std::uint16_t power = temporary(numerator);
        const std::uint16_t sum = temporary(numerator);
        emit(VectorOpCode::Exp, {negated}, power);
        emit(VectorOpCode::Add, {power, kNone}, sum, {std::nullopt, 1.0});
        emit(VectorOpCode::Div, {numerator, sum}, out);
        return {};
    }

    Result<void> addSilu(std::uint16_t x, std::uint16_t out) {
        const std::uint16_t negated = temporary(x);
        emit(VectorOpCode::Mul, {x, kNone}, negated, {std::nullopt, -1.0});
        return addDivided(x, negated, out);
    }

    /// x / (1 + exp(-2 sqrt(2 / pi) (x + 0.044715 x^3))): the tanh form with the exponential spelled out.
    Result<void> addGelu(std::uint16_t x, std::uint16_t out) {
        const DType type = m_plan.values[x].dtype;
        const double cubic = numberIn(type, 0.044715);
        const double minusTwoRootTwoByPi = numberIn(type, -1.5957691216057308);
        const std::uint16_t square = temporary(x);
        const std::uint16_t cube = temporary(x);
        const std::uint16_t share = temporary(x);
        const std::uint16_t sum = temporary(x);
        const std::uint16_t negated = temporary(x);
        emit(VectorOpCode::Mul, {x, x}, square);
        emit(VectorOpCode::Mul, {square, x}, cube);
        emit(VectorOpCode::Mul, {cube, kNone}, share, {std::nullopt, cubic});
        emit(VectorOpCode::Add, {x, share}, sum);
        emit(VectorOpCode::Mul, {sum, kNone}, negated, {std::nullopt, minusTwoRootTwoByPi});
        return addDivided(x, negated, out);
    }

    Result<void> addClip(const std::vector<std::uint16_t>& in,
                         const std::array<std::optional<double>, kMaxPlanOperands>& number, std::uint16_t out) {
        const std::uint16_t raised = temporary(out);
        emit(VectorOpCode::Maximum, {in[0], in[1]}, raised, {number[0], number[1]});
        emit(VectorOpCode::Minimum, {raised, in[2]}, out, {std::nullopt, number[2]});
        return {};
    }

    Result<void> addSoftmax(const VectorOp& op, std::uint16_t operand, std::uint16_t out) {
        const std::size_t axis = *axisOf(op, m_plan.values[operand].shape.size());
        const std::uint16_t x = inSingle(operand);
        const std::uint16_t result = singleFor(out);
        const std::uint16_t largest = reducedTemporary(x, axis);
        const std::uint16_t shifted = temporary(x);
        const std::uint16_t power = temporary(x);
        const std::uint16_t sum = reducedTemporary(x, axis);
        emitReduction(VectorOpCode::Amax, x, largest, axis);
        emit(VectorOpCode::Sub, {x, largest}, shifted);
        emit(VectorOpCode::Exp, {shifted}, power);
        emitReduction(VectorOpCode::Sum, power, sum, axis);
        emit(VectorOpCode::Div, {power, sum}, result);
        castBack(result, out);
        return {};
    }

    Result<void> addRmsNorm(const VectorOp& op, const std::vector<std::uint16_t>& in, std::uint16_t out) {
        const std::size_t axis = m_plan.values[in[0]].shape.size() - 1;
        const std::int64_t count = m_plan.values[in[0]].valid[axis];
        const std::uint16_t x = inSingle(in[0]);
        const std::uint16_t result = singleFor(out);
        const std::uint16_t square = temporary(x);
        const std::uint16_t share = temporary(x);
        const std::uint16_t mean = reducedTemporary(x, axis);
        const std::uint16_t padded = temporary(mean);
        const std::uint16_t root = temporary(mean);
        emit(VectorOpCode::Mul, {x, x}, square);
        emit(VectorOpCode::Mul, {square, kNone}, share,
             {std::nullopt, 1.0 / static_cast<double>(std::max<std::int64_t>(1, count))});
        emitReduction(VectorOpCode::Sum, share, mean, axis);
        emit(VectorOpCode::Add, {mean, kNone}, padded, {std::nullopt, op.epsilon});
        emit(VectorOpCode::Sqrt, {padded}, root);
        const std::uint16_t scaled = in.size() == 2 ? temporary(x) : result;
        emit(VectorOpCode::Div, {x, root}, scaled);
        if (in.size() == 2) emit(VectorOpCode::Mul, {scaled, inSingle(in[1])}, result);
        castBack(result, out);
        return {};
    }

    /// A dropped axis is reduced to extent 1 first; the result's elements then keep their order.
    Result<void> addReduction(const VectorOp& op, std::uint16_t x, std::uint16_t out) {
        const std::size_t axis = *axisOf(op, m_plan.values[x].shape.size());
        if (m_plan.values[out].shape.size() == m_plan.values[x].shape.size()) {
            emitReduction(op.op, x, out, axis);
            return {};
        }
        const std::uint16_t kept = reducedTemporary(x, axis);
        m_plan.values[kept].dtype = m_plan.values[out].dtype;
        emitReduction(op.op, x, kept, axis);
        emit(VectorOpCode::Reshape, {kept}, out);
        m_plan.ops.back().axis = axis;
        m_plan.ops.back().dropsAxis = true;
        return {};
    }

    using Numbers = std::array<std::optional<double>, kMaxPlanOperands>;

    Result<void> refuseTail(const VectorOp& op, std::uint16_t value, std::size_t axis) {
        if (m_plan.values[value].valid[axis] == m_plan.values[value].shape[axis]) return {};
        return unexpected(ErrorCode::Unsupported,
                          std::string(toText(op.op)) + " needs its last axis valid as a whole: " +
                              std::to_string(m_plan.values[value].valid[axis]) + " of " +
                              std::to_string(m_plan.values[value].shape[axis]) + " elements are",
                          m_where + "/" + std::to_string(m_index), "cut another axis, or pad with fillpad");
    }

    Result<void> addWhole(const VectorOp& op, const std::vector<std::uint16_t>& in, const Numbers& number,
                          std::uint16_t out) {
        using enum VectorOpCode;
        if (op.op == Arange) return addArange(op, out);
        if (op.op == Rope) return addRope(op, in, out);
        if (op.op == TopK || op.op == Argsort) return addSort(op, in[0], out);
        if (op.op == Quantize) return addQuantize(op, in, number, out);
        if (op.op == Dequantize) return addDequantize(op, in, number, out);
        if (op.op == QuantMx) return addQuantMx(op, in[0], out);
        if (op.op == IndexPut && in.size() > 3) return addIndexTuple(op, in, out);
        emit(op.op, in, out, number);
        PlanOp& planned = m_plan.ops.back();
        planned.traits.accumulate = op.accumulate;
        planned.traits.reduce = op.reduce;
        planned.traits.alpha = op.alpha;
        if (op.op == Full || op.op == FillPad) return {};
        planned.axis = *axisOf(op, m_plan.values[in[0]].shape.size());
        if (op.op == IndexSelect) {
            planned.traits.indexRank = static_cast<std::uint8_t>(m_plan.values[in[1]].shape.size());
            // Rows that lie in global memory are loaded one by one, only those that the index picks.
            const bool outside = std::find(m_plan.inputs.begin(), m_plan.inputs.end(), in[0]) != m_plan.inputs.end();
            planned.traits.fromGm = outside && planned.axis + 1 < m_plan.values[in[0]].shape.size();
        }
        return {};
    }

    /// The indices become the rows of one, so that entry i of every row names a slice.
    Result<void> addIndexTuple(const VectorOp& op, const std::vector<std::uint16_t>& in, std::uint16_t out) {
        std::vector<std::uint16_t> rows;
        for (std::size_t i = 1; i + 1 < in.size(); ++i) {
            if (m_plan.values[in[i]].valid != m_plan.values[in[1]].valid)
                return unexpected(ErrorCode::Unsupported, "the indices of index_put are not valid up to the same entry",
                                  m_where + "/" + std::to_string(m_index));
            const std::uint16_t row = temporary(in[i]);
            m_plan.values[row].shape.insert(m_plan.values[row].shape.begin(), 1);
            m_plan.values[row].valid.insert(m_plan.values[row].valid.begin(), 1);
            emit(VectorOpCode::Unsqueeze, {in[i]}, row);
            rows.push_back(row);
        }
        const std::uint16_t index = temporary(rows.front());
        m_plan.values[index].shape[0] = m_plan.values[index].valid[0] = static_cast<std::int64_t>(rows.size());
        emit(VectorOpCode::Concat, rows, index);
        emit(VectorOpCode::IndexPut, {in.front(), index, in.back()}, out);
        m_plan.ops.back().traits.accumulate = op.accumulate;
        m_plan.ops.back().traits.indexRank = static_cast<std::uint8_t>(rows.size());
        return {};
    }

    Result<void> addArange(const VectorOp& op, std::uint16_t out) {
        CUBIST_TRY(const auto values, evaluateAll(op.range, op.range.size(), lookupWith(m_design, m_indices),
                                                  m_where + "/" + std::to_string(m_index) + "/range"));
        const Range range = rangeOf(values);
        emit(VectorOpCode::Arange, {}, out, {static_cast<double>(range.start), static_cast<double>(range.step)});
        return {};
    }

    /// out = x * cos + turned(x) * sin, where turned puts -b beside a for every pair (a, b).
    Result<void> addRope(const VectorOp& op, const std::vector<std::uint16_t>& in, std::uint16_t out) {
        const std::size_t last = m_plan.values[in[0]].shape.size() - 1;
        CUBIST_CHECK_OK(refuseTail(op, in[0], last));
        const std::uint16_t turned = temporary(in[0]);
        const std::uint16_t straight = temporary(out);
        const std::uint16_t across = temporary(out);
        emit(VectorOpCode::Rope, {in[0]}, turned);
        m_plan.ops.back().axis = last;
        m_plan.ops.back().traits.interleaved = op.interleaved;
        emit(VectorOpCode::Mul, {in[0], in[1]}, straight);
        emit(VectorOpCode::Mul, {turned, in[2]}, across);
        emit(VectorOpCode::Add, {straight, across}, out);
        return {};
    }

    void emitStep(const VectorOp& op, VectorStep step, std::vector<std::uint16_t> in, std::uint16_t out,
                  std::size_t axis) {
        emit(op.op, std::move(in), out);
        PlanOp& planned = m_plan.ops.back();
        planned.axis = axis;
        planned.traits.step = step;
        planned.traits.largest = op.largest;
        planned.traits.scaleRounding = op.scaleRounding;
        if (op.op == VectorOpCode::QuantMx) planned.traits.mxType = op.dtype.value_or(DType::FP8E4M3);
    }

    Result<void> addSort(const VectorOp& op, std::uint16_t x, std::uint16_t out) {
        if (m_plan.values[x].dtype == DType::INT64)
            return unexpected(ErrorCode::Unsupported, std::string(toText(op.op)) + " of INT64 does not exist",
                              m_where + "/" + std::to_string(m_index), "cast first");
        const std::size_t last = m_plan.values[x].shape.size() - 1;
        const std::uint16_t pairs = temporary(x);
        m_plan.values[pairs].dtype = DType::INT64;
        emitStep(op, VectorStep::Pairs, {x}, pairs, last);
        emitStep(op, op.op == VectorOpCode::TopK ? VectorStep::Values : VectorStep::Indices, {pairs}, out, last);
        if (op.out2.empty()) return {};
        CUBIST_TRY(const std::uint16_t places, valueOf(op.out2));
        emitStep(op, VectorStep::Indices, {pairs}, places, last);
        return {};
    }

    /// A scale or zero point of one rank less, stretched over the axis that it lacks; numbers stay.
    std::uint16_t stretched(const VectorOp& op, std::uint16_t value, std::size_t rank) {
        if (value == kNone || rank == 1) return value;
        const std::size_t axis = *axisOf(op, rank);
        const std::uint16_t wide = temporary(value);
        const auto place = static_cast<std::ptrdiff_t>(axis);
        m_plan.values[wide].shape.insert(m_plan.values[wide].shape.begin() + place, 1);
        m_plan.values[wide].valid.insert(m_plan.values[wide].valid.begin() + place, 1);
        emit(VectorOpCode::Unsqueeze, {value}, wide);
        m_plan.ops.back().axis = axis;
        return wide;
    }

    void emitCast(std::uint16_t in, std::uint16_t out, RoundMode round, bool saturate) {
        emit(VectorOpCode::Cast, {in}, out);
        m_plan.ops.back().round = round;
        m_plan.ops.back().saturate = saturate;
    }

    std::uint16_t typedTemporary(std::uint16_t like, DType type) {
        const std::uint16_t value = temporary(like);
        m_plan.values[value].dtype = type;
        return value;
    }

    /// x * scale [+ zero points], then FP32 -> INT32 (RINT) -> FP16 (RINT) -> the result's type, saturating.
    Result<void> addQuantize(const VectorOp& op, const std::vector<std::uint16_t>& in, const Numbers& number,
                             std::uint16_t out) {
        const std::size_t rank = m_plan.values[in[0]].shape.size();
        std::uint16_t scaled = temporary(in[0]);
        emit(VectorOpCode::Mul, {in[0], stretched(op, in[1], rank)}, scaled, {std::nullopt, number[1]});
        if (in.size() > 2) {
            const std::uint16_t moved = temporary(in[0]);
            emit(VectorOpCode::Add, {scaled, stretched(op, in[2], rank)}, moved, {std::nullopt, number[2]});
            scaled = moved;
        }
        const std::uint16_t whole = typedTemporary(in[0], DType::INT32);
        const std::uint16_t half = typedTemporary(in[0], DType::FP16);
        emitCast(scaled, whole, RoundMode::Rint, true);
        emitCast(whole, half, RoundMode::Rint, true);
        emitCast(half, out, RoundMode::Trunc, true);
        return {};
    }

    /// (x [+ zero points]) * scale in FP32; 8-bit integers become FP32 through FP16.
    Result<void> addDequantize(const VectorOp& op, const std::vector<std::uint16_t>& in, const Numbers& number,
                               std::uint16_t out) {
        const std::size_t rank = m_plan.values[in[0]].shape.size();
        std::uint16_t value = in[0];
        if (bitsPerElement(m_plan.values[value].dtype) <= 8) {
            const std::uint16_t half = typedTemporary(in[0], DType::FP16);
            emitCast(value, half, RoundMode::None, false);
            value = half;
        }
        const std::uint16_t single = typedTemporary(in[0], DType::FP32);
        emitCast(value, single, castRounding(m_plan.values[value].dtype, DType::FP32, RoundMode::None), false);
        value = single;
        if (in.size() > 2) {
            const std::uint16_t moved = typedTemporary(in[0], DType::FP32);
            emit(VectorOpCode::Add, {value, stretched(op, in[2], rank)}, moved, {std::nullopt, number[2]});
            value = moved;
        }
        emit(VectorOpCode::Mul, {value, stretched(op, in[1], rank)}, out, {std::nullopt, number[1]});
        return {};
    }

    Result<void> addQuantMx(const VectorOp& op, std::uint16_t x, std::uint16_t out) {
        const std::size_t axis = *axisOf(op, m_plan.values[x].shape.size());
        std::uint16_t scales = kNone;
        if (op.out2.empty()) {
            scales = typedTemporary(x, DType::FP8E8M0);
            PlanValue& value = m_plan.values[scales];
            value.shape[axis] = ceilDiv(value.shape[axis], kMxPairElements);
            value.shape.push_back(2);
            value.valid = validOfSecond(op, m_plan.values[x].valid);
        } else {
            CUBIST_TRY(scales, valueOf(op.out2));
        }
        emitStep(op, VectorStep::Scales, {x}, scales, axis);
        emitStep(op, VectorStep::Values, {x, scales}, out, axis);
        return {};
    }

    const ResolvedDesign& m_design;
    const IndexValues& m_indices;
    ValidShapes& m_valids;
    VectorPlan m_plan;
    std::string m_where;
    std::size_t m_index = 0;
    std::map<std::string, std::uint16_t> m_byName;
};

}  // namespace

std::optional<std::uint16_t> VectorPlan::find(const ValueId& name) const {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i].name == name) return static_cast<std::uint16_t>(i);
    return std::nullopt;
}

Result<VectorPlan> planVector(const VectorStage& stage, const ResolvedDesign& design, const IndexValues& indices) {
    ValidShapes valids(design, indices);
    return planVector(stage, design, indices, valids);
}

Result<VectorPlan> planVector(const VectorStage& stage, const ResolvedDesign& design, const IndexValues& indices,
                              ValidShapes& valids) {
    return Planner(design, indices, valids).plan(stage);
}

}  // namespace cubist::detail
