// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/op_types.h"

#include <algorithm>

namespace cubist::rules {

using enum DType;

namespace {

using Types = std::vector<DType>;

/// What nearly every element-wise operation takes on every chip.
Types arithmetic() {
    return {FP32, FP16, BF16, INT32, INT16};
}

/// Types of every chip, and those that the 950 has besides.
Types onChip(bool is950, Types types, const Types& more) {
    if (is950) types.insert(types.end(), more.begin(), more.end());
    return types;
}

bool takesNumber(const VectorOp& op) {
    return std::any_of(op.in.begin(), op.in.end(), [](const Operand& operand) { return operand.value() == nullptr; });
}

}  // namespace

std::vector<DType> operandTypes(std::string_view arch, const VectorOp& op) {
    const bool is950 = arch == "3510";
    switch (op.op) {
        case VectorOpCode::Exp:
        case VectorOpCode::Log:
        case VectorOpCode::Sqrt:
        case VectorOpCode::Rsqrt:
        case VectorOpCode::Reciprocal:
        case VectorOpCode::Sigmoid:
        case VectorOpCode::Gelu:
        case VectorOpCode::Silu:
        case VectorOpCode::Pow:
        case VectorOpCode::Rope:
        case VectorOpCode::QuantMx:
        case VectorOpCode::Softmax:
        case VectorOpCode::RmsNorm: return {FP32, FP16, BF16};
        case VectorOpCode::Add:
        case VectorOpCode::Sub:
        case VectorOpCode::Where: return onChip(is950, arithmetic(), {INT8, UINT8});
        case VectorOpCode::Maximum:
        case VectorOpCode::Minimum: return onChip(is950 && !takesNumber(op), arithmetic(), {INT8, UINT8});
        case VectorOpCode::Mul:
        case VectorOpCode::Div:
        case VectorOpCode::Neg:
        case VectorOpCode::Relu:
        case VectorOpCode::Clip:
        case VectorOpCode::CumSum: return arithmetic();
        case VectorOpCode::Abs: return onChip(is950, {FP32, FP16, BF16}, {INT32, INT16, INT8});
        case VectorOpCode::Eq:
        case VectorOpCode::Ne:
        case VectorOpCode::Lt:
        case VectorOpCode::Le:
        case VectorOpCode::Gt:
        case VectorOpCode::Ge: return onChip(is950, {FP32, FP16}, {INT16});
        case VectorOpCode::Sum: return {FP32, BF16, INT32, INT16};
        case VectorOpCode::Prod: return {FP32, INT32, INT16};
        case VectorOpCode::Amax:
        case VectorOpCode::Amin: return onChip(is950, arithmetic(), {INT8, UINT8});
        case VectorOpCode::TopK:
            return is950 ? std::vector{FP32, FP16, BF16, INT32, INT16, INT8, UINT8} : std::vector{FP32};
        case VectorOpCode::Argsort: return {FP32, FP16};
        case VectorOpCode::Quantize: return {FP32};
        case VectorOpCode::Dequantize: return {INT8, INT16};
        case VectorOpCode::Gather: return {INT16, INT32, FP16, FP32, BF16};
        case VectorOpCode::IndexSelect:
            return onChip(is950, {INT8, INT16, INT32, UINT8, FP16, FP32, BF16}, {BOOL, FP8E4M3, FP8E5M2, FP8E8M0});
        case VectorOpCode::Scatter: return {FP32, FP16, BF16, INT8, UINT8, INT16, INT32};
        case VectorOpCode::IndexAdd: return indexStoreTypes(true);
        case VectorOpCode::IndexPut: return indexStoreTypes(op.accumulate);
        case VectorOpCode::Concat: return {FP32, FP16, BF16, INT8, UINT8, INT16, INT32, INT64};
        case VectorOpCode::Transpose:
            return onChip(is950, {FP32, FP16, BF16, INT8, UINT8, INT16, INT32}, {FP8E4M3, FP8E5M2, FP8E8M0, HF8});
        case VectorOpCode::ExpandClone: return {FP32, FP16, BF16, INT8, UINT8, INT16, INT32, BOOL};
        case VectorOpCode::FillPad: return {FP32, FP16, BF16, INT8, UINT8, INT16, INT32};
        case VectorOpCode::Cast:  // DTYPE-03
        case VectorOpCode::Full:
        case VectorOpCode::Arange:  // no operand; see resultTypes
        case VectorOpCode::Slice:
        case VectorOpCode::Unsqueeze:
        case VectorOpCode::Reshape: return {};
    }
    return {};
}

bool isIndexOperand(const VectorOp& op, std::size_t operand) {
    using enum VectorOpCode;
    if (op.op == IndexPut) return operand > 0 && operand + 1 < op.in.size();
    return operand == 1 && (op.op == Gather || op.op == IndexSelect || op.op == Scatter || op.op == IndexAdd);
}

std::vector<DType> resultTypes(VectorOpCode op) {
    if (op == VectorOpCode::Full) return {FP32, FP16, BF16, INT8, UINT8, INT16, INT32, BOOL};
    if (op == VectorOpCode::Arange) return {INT32, FP32};
    if (op == VectorOpCode::Quantize) return {INT8, UINT8};
    if (op == VectorOpCode::Dequantize) return {FP32};
    if (op == VectorOpCode::QuantMx) return {FP8E4M3, FP4E2M1};
    return {};
}

std::vector<DType> indexStoreTypes(bool accumulates) {
    // The compiler mistakes inserting at the end of a list of six for an overflow.
    if (accumulates) return {FP32, FP16, BF16, INT8, INT16, INT32};
    return {FP32, FP16, BF16, INT8, INT16, INT32, UINT8, INT64};
}

}  // namespace cubist::rules
