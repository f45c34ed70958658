// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/op_numbers.h"

#include "core/base/number_formats.h"

namespace cubist {

std::optional<DType> typeOfNumber(const ResolvedDesign& design, const VectorOp& op, std::size_t operand) {
    using enum VectorOpCode;
    if (op.op == Full) return design.value(op.out)->dtype;
    if (op.op == Quantize || op.op == Dequantize) return std::nullopt;
    if (op.op == Where && operand == 0) return DType::BOOL;
    for (std::size_t i = op.op == Where ? 1 : 0; i < op.in.size(); ++i)
        if (const ValueId* id = op.in[i].value()) return design.value(*id)->dtype;
    return op.op == Where ? std::optional(design.value(op.out)->dtype) : std::nullopt;
}

double numberIn(DType type, double number) {
    if (!isFloat(type) || type == DType::FP8E8M0) return number;
    const auto single = static_cast<float>(number);
    return static_cast<double>(decode(type, encode(type, static_cast<double>(single))));
}

}  // namespace cubist
