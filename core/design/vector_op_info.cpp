// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/vector_op_info.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/base/integer_math.h"
#include "core/design/vector_infer.h"

namespace cubist {
namespace {

std::string text(const std::vector<std::int64_t>& shape) {
    std::string out = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) out += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return out + "]";
}

std::string nameOf(VectorOpCode op) {
    return std::string(toText(op));
}

void blame(OpResultType& result, OpProblem::Kind kind, std::string key, std::string message) {
    if (!result.problem) result.problem = OpProblem{kind, std::move(key), std::move(message)};
}

std::int64_t product(const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape)
        count = checkedMul(count, extent).value_or(std::numeric_limits<std::int64_t>::max());
    return count;
}

std::optional<std::size_t> normalised(std::int64_t dim, std::size_t rank) {
    const auto signedRank = static_cast<std::int64_t>(rank);
    if (dim < -signedRank || dim >= signedRank) return std::nullopt;
    return static_cast<std::size_t>(dim < 0 ? dim + signedRank : dim);
}

void inferBroadcast(std::span<const OperandType> operands, OpResultType& result) {
    bool first = true;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i].number) continue;
        const std::vector<std::int64_t>& shape = operands[i].shape;
        if (std::exchange(first, false)) {
            result.shape = shape;
            continue;
        }
        bool fits = shape.size() == result.shape.size();
        for (std::size_t axis = 0; fits && axis < shape.size(); ++axis) {
            fits = shape[axis] == result.shape[axis] || shape[axis] == 1 || result.shape[axis] == 1;
            if (result.shape[axis] == 1) result.shape[axis] = shape[axis];
        }
        if (!fits)
            blame(result, OpProblem::Kind::Broadcast, "in/" + std::to_string(i),
                  text(result.shape) + " and " + text(shape) + " do not broadcast: axes must be equal or 1");
    }
}

void inferReduction(const VectorOp& op, const OperandType& in, OpResultType& result) {
    const auto axis = axisOf(op, in.shape.size());
    if (!axis) return blame(result, OpProblem::Kind::Attribute, "dim", "'dim' is not an axis of " + text(in.shape));
    result.shape = in.shape;
    if (op.keepDim || in.shape.size() == 1)
        result.shape[*axis] = 1;
    else
        result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(*axis));
}

void inferSlice(const VectorOp& op, const OperandType& in, OpResultType& result) {
    result.shape = op.shape;
    if (op.shape.size() != in.shape.size() || (!op.offset.empty() && op.offset.size() != in.shape.size())) {
        result.shape = in.shape;
        return blame(result, OpProblem::Kind::Rank, "shape",
                     "a slice of " + text(in.shape) + " needs a shape and an offset of that rank");
    }
    for (std::size_t axis = 0; axis < in.shape.size(); ++axis) {
        const std::int64_t offset = op.offset.empty() ? 0 : op.offset[axis];
        if (offset < 0 || op.shape[axis] < 1 || offset > in.shape[axis] || op.shape[axis] > in.shape[axis] - offset)
            blame(result, OpProblem::Kind::Attribute, "offset",
                  "the slice " + text(op.shape) +
                      (op.offset.empty() ? std::string(" at the start") : " at " + text(op.offset)) + " leaves " +
                      text(in.shape));
    }
}

void inferConcat(const VectorOp& op, std::span<const OperandType> operands, OpResultType& result) {
    result.shape = operands[0].shape;
    const auto axis = axisOf(op, result.shape.size());
    if (!axis) return blame(result, OpProblem::Kind::Attribute, "dim", "'dim' is not an axis of " + text(result.shape));
    for (std::size_t i = 1; i < operands.size(); ++i) {
        std::vector<std::int64_t> other = operands[i].shape;
        if (other.size() != result.shape.size())
            return blame(result, OpProblem::Kind::Rank, "in/" + std::to_string(i), "concat joins tensors of one rank");
        const std::int64_t extent = std::exchange(other[*axis], result.shape[*axis]);
        if (other != result.shape)
            blame(result, OpProblem::Kind::Broadcast, "in/" + std::to_string(i),
                  "concat joins tensors that differ along 'dim' only");
        result.shape[*axis] += extent;
    }
}

void inferTranspose(const VectorOp& op, const OperandType& in, OpResultType& result) {
    result.shape = in.shape;
    if (const auto axes = transposedAxes(op, in.shape.size()))
        std::swap(result.shape[axes->first], result.shape[axes->second]);
    else
        blame(result, OpProblem::Kind::Attribute, "dims", "'dims' names two axes of " + text(in.shape));
}

void inferExpand(const VectorOp& op, const OperandType& in, OpResultType& result) {
    result.shape = op.shape;
    if (op.shape.size() != in.shape.size()) {
        result.shape = in.shape;
        return blame(result, OpProblem::Kind::Rank, "shape", "expand_clone keeps the rank of " + text(in.shape));
    }
    for (std::size_t axis = 0; axis < op.shape.size(); ++axis)
        if (op.shape[axis] != in.shape[axis] && (in.shape[axis] != 1 || op.shape[axis] < 1))
            blame(result, OpProblem::Kind::Broadcast, "shape",
                  text(in.shape) + " does not stretch to " + text(op.shape));
}

constexpr std::size_t kMostAxes = 4;

std::string tooManyAxes(const std::string& what, std::size_t axes) {
    return what + " has " + std::to_string(axes) +
           " axes; a tensor has 1 to 4 (PyPTO: FC0002, dims out of range [1, 4])";
}

void inferUnsqueeze(const VectorOp& op, const OperandType& in, OpResultType& result) {
    result.shape = in.shape;
    if (in.shape.size() >= kMostAxes)
        return blame(result, OpProblem::Kind::Attribute, "dim",
                     tooManyAxes("an unsqueeze of " + text(in.shape), in.shape.size() + 1));
    const auto axis = normalised(op.dim.value_or(-1), in.shape.size() + 1);
    if (!axis)
        return blame(result, OpProblem::Kind::Attribute, "dim", "no new axis can be put there in " + text(in.shape));
    result.shape.insert(result.shape.begin() + static_cast<std::ptrdiff_t>(*axis), 1);
}

void inferReshape(const VectorOp& op, const OperandType& in, OpResultType& result) {
    result.shape = op.shape;
    // One extent of -1 is what the others leave.
    const auto open = std::find(result.shape.begin(), result.shape.end(), -1);
    if (open != result.shape.end()) {
        *open = 1;
        const std::int64_t others = product(result.shape);
        if (others >= 1 && product(in.shape) % others == 0) *open = product(in.shape) / others;
    }
    const bool positive =
        std::all_of(result.shape.begin(), result.shape.end(), [](std::int64_t extent) { return extent >= 1; });
    const bool fits = !result.shape.empty() && result.shape.size() <= 4 && positive;
    if (fits && product(result.shape) == product(in.shape)) return;
    result.shape = in.shape;
    if (op.shape.size() > kMostAxes)
        return blame(result, OpProblem::Kind::Attribute, "shape",
                     tooManyAxes("a reshape to " + text(op.shape), op.shape.size()));
    blame(result, OpProblem::Kind::Attribute, "shape",
          "a reshape of " + text(in.shape) + " to " + text(op.shape) + " does not keep the number of elements");
}

void inferMovement(const VectorOp& op, std::span<const OperandType> operands, OpResultType& result) {
    const OperandType& in = operands[0];
    if (op.op == VectorOpCode::Slice) return inferSlice(op, in, result);
    if (op.op == VectorOpCode::Concat) return inferConcat(op, operands, result);
    if (op.op == VectorOpCode::Transpose) return inferTranspose(op, in, result);
    if (op.op == VectorOpCode::ExpandClone) return inferExpand(op, in, result);
    if (op.op == VectorOpCode::Unsqueeze) return inferUnsqueeze(op, in, result);
    inferReshape(op, in, result);
}

}  // namespace

OpInfo opInfo(VectorOpCode op) {
    switch (op) {
        case VectorOpCode::Cast:
        case VectorOpCode::Neg:
        case VectorOpCode::Abs:
        case VectorOpCode::Relu:
        case VectorOpCode::Exp:
        case VectorOpCode::Log:
        case VectorOpCode::Sqrt:
        case VectorOpCode::Rsqrt:
        case VectorOpCode::Reciprocal:
        case VectorOpCode::Sigmoid:
        case VectorOpCode::Gelu:
        case VectorOpCode::Silu: return {OpFamily::Elementwise, 1, 1};
        case VectorOpCode::Add:
        case VectorOpCode::Sub:
        case VectorOpCode::Mul:
        case VectorOpCode::Div:
        case VectorOpCode::Maximum:
        case VectorOpCode::Minimum:
        case VectorOpCode::Pow: return {OpFamily::Elementwise, 2, 2};
        case VectorOpCode::Clip:
        case VectorOpCode::Where: return {OpFamily::Elementwise, 3, 3};
        case VectorOpCode::Eq:
        case VectorOpCode::Ne:
        case VectorOpCode::Lt:
        case VectorOpCode::Le:
        case VectorOpCode::Gt:
        case VectorOpCode::Ge: return {OpFamily::Compare, 2, 2};
        case VectorOpCode::Amax:
        case VectorOpCode::Amin:
        case VectorOpCode::Sum:
        case VectorOpCode::Prod: return {OpFamily::Reduction, 1, 1};
        case VectorOpCode::Softmax: return {OpFamily::Normalise, 1, 1};
        case VectorOpCode::RmsNorm: return {OpFamily::Normalise, 1, 2};
        case VectorOpCode::Slice:
        case VectorOpCode::Transpose:
        case VectorOpCode::ExpandClone:
        case VectorOpCode::Unsqueeze:
        case VectorOpCode::Reshape: return {OpFamily::Movement, 1, 1};
        case VectorOpCode::Concat: return {OpFamily::Movement, 2, 128};
        case VectorOpCode::Arange: return {OpFamily::Whole, 0, 0};
        case VectorOpCode::Full:
        case VectorOpCode::TopK:
        case VectorOpCode::Argsort:
        case VectorOpCode::CumSum:
        case VectorOpCode::QuantMx: return {OpFamily::Whole, 1, 1};
        case VectorOpCode::FillPad:
        case VectorOpCode::Gather:
        case VectorOpCode::IndexSelect: return {OpFamily::Whole, 2, 2};
        case VectorOpCode::Rope:
        case VectorOpCode::Scatter:
        case VectorOpCode::IndexAdd: return {OpFamily::Whole, 3, 3};
        case VectorOpCode::IndexPut: return {OpFamily::Whole, 3, 6};  // one to four indices
        case VectorOpCode::Quantize:
        case VectorOpCode::Dequantize: return {OpFamily::Whole, 2, 3};
    }
    return {};
}

OpFields opFields(VectorOpCode op) {
    using enum VectorOpCode;
    const OpFamily family = opInfo(op).family;
    OpFields fields;
    const bool indexed = op == Gather || op == IndexSelect || op == Scatter || op == IndexAdd || op == IndexPut;
    const bool sorts = op == TopK || op == Argsort;
    fields.dim = family == OpFamily::Reduction || op == Softmax || op == Concat || op == Unsqueeze || indexed ||
                 sorts || op == CumSum || op == Quantize || op == Dequantize || op == QuantMx;
    fields.keepDim = family == OpFamily::Reduction;
    fields.dims = op == Transpose;
    fields.shape = op == Slice || op == ExpandClone || op == Reshape || op == Full;
    fields.offset = op == Slice;
    fields.epsilon = op == RmsNorm;
    fields.rounding = op == Cast;
    fields.second = op == TopK || op == QuantMx;
    fields.count = op == TopK;
    fields.largest = sorts;
    fields.accumulate = op == IndexPut;
    fields.alpha = op == IndexAdd;
    fields.reduce = op == Scatter;
    fields.range = op == Arange;
    fields.scaleRounding = op == QuantMx;
    fields.interleaved = op == Rope;
    return fields;
}

OpResultType inferOp(const VectorOp& op, std::span<const OperandType> operands, std::int64_t rangeCount) {
    OpResultType result;
    const OpInfo info = opInfo(op.op);
    const auto count = static_cast<int>(operands.size());
    if (count < info.minOperands || count > info.maxOperands) {
        blame(result, OpProblem::Kind::Count, "in",
              nameOf(op.op) + " takes " + std::to_string(info.minOperands) +
                  (info.maxOperands == info.minOperands ? "" : " to " + std::to_string(info.maxOperands)) +
                  (info.maxOperands == 1 ? " operand" : " operands") + ", not " + std::to_string(count));
        return result;
    }
    if (!op.out2.empty() && !opFields(op.op).second)
        blame(result, OpProblem::Kind::Attribute, "out2", nameOf(op.op) + " has one result");
    if (info.family == OpFamily::Whole) {
        detail::inferWhole(op, operands, rangeCount, result);
        return result;
    }
    const auto typed = std::find_if(operands.begin() + (op.op == VectorOpCode::Where && count == 3 ? 1 : 0),
                                    operands.end(), [](const OperandType& operand) { return !operand.number; });
    if (typed != operands.end()) result.dtype = typed->dtype;
    if (std::all_of(operands.begin(), operands.end(), [](const OperandType& operand) { return operand.number; })) {
        blame(result, OpProblem::Kind::Count, "in", "an operation needs at least one operand that is not a number");
        return result;
    }
    if (info.family != OpFamily::Elementwise && info.family != OpFamily::Compare)
        for (std::size_t i = 0; i < operands.size(); ++i)
            if (operands[i].number) {
                blame(result, OpProblem::Kind::Count, "in/" + std::to_string(i),
                      nameOf(op.op) + " takes values, not numbers");
                return result;
            }
    switch (info.family) {
        case OpFamily::Elementwise:
        case OpFamily::Compare: inferBroadcast(operands, result); break;
        case OpFamily::Reduction: inferReduction(op, operands[0], result); break;
        case OpFamily::Normalise:
            result.shape = operands[0].shape;
            if (!axisOf(op, result.shape.size()))
                blame(result, OpProblem::Kind::Attribute, "dim", "'dim' is not an axis of " + text(result.shape));
            if (op.op == VectorOpCode::RmsNorm && axisOf(op, result.shape.size()) != result.shape.size() - 1)
                blame(result, OpProblem::Kind::Attribute, "dim", "rms_norm works along the last axis");
            if (operands.size() == 2) {
                std::vector<std::int64_t> gamma(result.shape.size(), 1);
                gamma.back() = result.shape.back();
                if (operands[1].shape != gamma)
                    blame(result, OpProblem::Kind::Broadcast, "in/1",
                          "gamma is " + text(gamma) + ", not " + text(operands[1].shape));
            }
            break;
        case OpFamily::Movement: inferMovement(op, operands, result); break;
        case OpFamily::Whole: break;
    }
    if (info.family == OpFamily::Movement && op.dtype && *op.dtype != result.dtype)
        blame(result, OpProblem::Kind::Attribute, "dtype",
              nameOf(op.op) + " keeps the type of its operand; add a cast");
    if (info.family == OpFamily::Compare) result.dtype = DType::BOOL;
    if (op.op == VectorOpCode::Cast && !op.dtype)
        blame(result, OpProblem::Kind::Attribute, "dtype", "a cast needs its target type");
    if (op.op == VectorOpCode::Div && !isFloat(result.dtype)) result.dtype = DType::FP32;
    if (op.dtype) result.dtype = *op.dtype;
    return result;
}

std::vector<std::int64_t> validOfOp(const VectorOp& op, std::span<const OperandType> operands,
                                    std::span<const std::vector<std::int64_t>> valids,
                                    const std::vector<std::int64_t>& resultShape) {
    std::vector<std::int64_t> valid = resultShape;
    const OpInfo info = opInfo(op.op);
    if (info.family == OpFamily::Elementwise || info.family == OpFamily::Compare) {
        for (std::size_t i = 0; i < operands.size(); ++i)
            for (std::size_t axis = 0; axis < valids[i].size() && axis < valid.size(); ++axis)
                if (operands[i].shape[axis] == resultShape[axis]) valid[axis] = std::min(valid[axis], valids[i][axis]);
        return valid;
    }
    if (info.family == OpFamily::Whole) return detail::validOfWhole(op, operands, valids, resultShape);
    const std::vector<std::int64_t>& in = valids[0];
    const std::size_t rank = operands[0].shape.size();
    if (info.family == OpFamily::Reduction) {
        valid = in;
        const std::size_t axis = axisOf(op, rank).value_or(rank - 1);
        if (resultShape.size() == rank)
            valid[axis] = 1;
        else
            valid.erase(valid.begin() + static_cast<std::ptrdiff_t>(axis));
    } else if (info.family == OpFamily::Normalise) {
        valid = in;
        for (std::size_t i = 1; i < operands.size(); ++i)  // what rms_norm multiplies by
            for (std::size_t axis = 0; axis < valids[i].size() && axis < valid.size(); ++axis)
                if (operands[i].shape[axis] == resultShape[axis]) valid[axis] = std::min(valid[axis], valids[i][axis]);
    } else if (op.op == VectorOpCode::Slice) {
        for (std::size_t axis = 0; axis < valid.size(); ++axis)
            valid[axis] =
                std::clamp(in[axis] - (op.offset.empty() ? 0 : op.offset[axis]), std::int64_t{0}, resultShape[axis]);
    } else if (op.op == VectorOpCode::Transpose) {
        valid = in;
        if (const auto axes = transposedAxes(op, rank)) std::swap(valid[axes->first], valid[axes->second]);
    } else if (op.op == VectorOpCode::ExpandClone) {
        for (std::size_t axis = 0; axis < valid.size(); ++axis)
            if (operands[0].shape[axis] == resultShape[axis]) valid[axis] = in[axis];
    } else if (op.op == VectorOpCode::Unsqueeze) {
        valid = in;
        valid.insert(
            valid.begin() + static_cast<std::ptrdiff_t>(normalised(op.dim.value_or(-1), rank + 1).value_or(rank)), 1);
    } else if (op.op == VectorOpCode::Concat) {
        const std::size_t axis = axisOf(op, rank).value_or(0);
        for (std::size_t other = 0; other < valid.size(); ++other)
            if (other != axis)
                for (const auto& piece : valids) valid[other] = std::min(valid[other], piece[other]);
    }
    return valid;
}

std::vector<std::int64_t> validOfSecond(const VectorOp& op, const std::vector<std::int64_t>& operandValid) {
    std::vector<std::int64_t> valid = operandValid;
    if (op.op == VectorOpCode::TopK) {
        valid.back() = std::min(valid.back(), op.count);
    } else {
        const std::size_t axis = axisOf(op, valid.size()).value_or(valid.size() - 1);
        valid[axis] = ceilDiv(valid[axis], detail::kMxPairElements);
        valid.push_back(2);
    }
    return valid;
}

bool keepsAxisWhole(VectorOpCode op) {
    using enum VectorOpCode;
    return op == Rope || op == Scatter || op == IndexAdd || op == IndexPut || op == TopK || op == Argsort ||
           op == CumSum || op == QuantMx;
}

std::int64_t workspaceBytes(VectorOpCode op, VectorStep step, DType operand, bool alongLastAxis,
                            std::span<const std::int64_t> tile) {
    constexpr std::int64_t kLaneBytes = 64 * 4, kPairBytes = 8, kBurstBits = 256, kTurnedRows = 16;
    const bool turns = op == VectorOpCode::Transpose && alongLastAxis && tile.size() > 1;
    const bool lanes = opInfo(op).family == OpFamily::Reduction && alongLastAxis && isFloat(operand);
    if (!turns && !lanes && step != VectorStep::Pairs) return 0;
    // A design that is being checked may have extents of any size.
    const auto times = [](std::int64_t a, std::int64_t b) {
        return checkedMul(a, b).value_or(std::numeric_limits<std::int64_t>::max());
    };
    std::int64_t rows = 1;
    for (std::size_t axis = 0; axis + 1 < tile.size(); ++axis)
        rows = times(rows, turns && axis + 2 == tile.size() ? roundUp(tile[axis], kTurnedRows) : tile[axis]);
    if (lanes) return times(rows, kLaneBytes);
    const std::int64_t bits = turns ? bitsPerElement(operand) : kPairBytes * 8;
    return times(rows, times(ceilDiv(times(tile.back(), bits), kBurstBits), kBurstBits / 8));
}

std::optional<std::int64_t> rangeLength(std::int64_t start, std::int64_t end, std::int64_t step) {
    constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
    if (step == 0 || start == kLowest || step == kLowest) return std::nullopt;
    const auto distance = checkedAdd(end, -start);
    if (!distance || *distance == kLowest) return std::nullopt;
    if ((step > 0) != (*distance > 0)) return 0;
    return step > 0 ? ceilDiv(*distance, step) : ceilDiv(-*distance, -step);
}

Range rangeOf(std::span<const std::int64_t> values) {
    if (values.size() == 1) return {0, values[0], 1};
    return {values[0], values[1], values.size() > 2 ? values[2] : 1};
}

std::optional<std::size_t> axisOf(const VectorOp& op, std::size_t rank) {
    return normalised(op.dim.value_or(op.op == VectorOpCode::IndexPut ? 0 : -1), rank);
}

std::optional<std::pair<std::size_t, std::size_t>> transposedAxes(const VectorOp& op, std::size_t rank) {
    if (op.dims.size() != 2) return std::nullopt;
    const auto first = normalised(op.dims[0], rank);
    const auto second = normalised(op.dims[1], rank);
    if (!first || !second) return std::nullopt;
    return std::pair(*first, *second);
}

bool worksInPlace(VectorOpCode op) {
    using enum VectorOpCode;
    constexpr std::array kOps{Add, Sub, Mul, Div, Maximum, Minimum, Neg, Abs, Relu, Exp, Log, Sqrt, Rsqrt, Reciprocal};
    return std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

}  // namespace cubist
