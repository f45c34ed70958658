// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/op_types.h"

namespace cubist::rules {

using enum DType;

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
        case VectorOpCode::Sum: return {FP32, BF16, INT32, INT16};
        case VectorOpCode::Amax:
        case VectorOpCode::Amin:
        case VectorOpCode::Prod:
        case VectorOpCode::CumSum: return {FP32, FP16, BF16, INT32, INT16};
        case VectorOpCode::TopK:
            return is950 ? std::vector{FP32, FP16, BF16, INT32, INT16, INT8, UINT8} : std::vector{FP32};
        case VectorOpCode::Argsort: return {FP32, FP16};
        case VectorOpCode::Quantize: return {FP32};
        case VectorOpCode::Dequantize: return {INT8, INT16};
        case VectorOpCode::Gather: return {INT16, INT32, FP16, FP32, BF16};
        case VectorOpCode::IndexSelect: {
            std::vector<DType> types{INT8, INT16, INT32, UINT8, FP16, FP32, BF16};
            if (is950) types.insert(types.end(), {BOOL, FP8E4M3, FP8E5M2, FP8E8M0});
            return types;
        }
        case VectorOpCode::Scatter: return {FP32, FP16, BF16, INT8, UINT8, INT16, INT32};
        case VectorOpCode::IndexAdd: return indexStoreTypes(true);
        case VectorOpCode::IndexPut: return indexStoreTypes(op.accumulate);
        case VectorOpCode::Cast:
        case VectorOpCode::Add:
        case VectorOpCode::Sub:
        case VectorOpCode::Mul:
        case VectorOpCode::Div:
        case VectorOpCode::Maximum:
        case VectorOpCode::Minimum:
        case VectorOpCode::Neg:
        case VectorOpCode::Abs:
        case VectorOpCode::Relu:
        case VectorOpCode::Clip:
        case VectorOpCode::Where:
        case VectorOpCode::Eq:
        case VectorOpCode::Ne:
        case VectorOpCode::Lt:
        case VectorOpCode::Le:
        case VectorOpCode::Gt:
        case VectorOpCode::Ge:
        case VectorOpCode::Slice:
        case VectorOpCode::Concat:
        case VectorOpCode::Transpose:
        case VectorOpCode::ExpandClone:
        case VectorOpCode::Unsqueeze:
        case VectorOpCode::Full:
        case VectorOpCode::Arange:
        case VectorOpCode::FillPad:
        case VectorOpCode::Reshape: return {};
    }
    return {};
}

bool isIndexOperand(const VectorOp& op, std::size_t operand) {
    using enum VectorOpCode;
    if (op.op == IndexPut) return operand > 0 && operand + 1 < op.in.size();
    return operand == 1 && (op.op == Gather || op.op == IndexSelect || op.op == Scatter || op.op == IndexAdd);
}

std::vector<DType> quantisedTypes(VectorOpCode op) {
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
