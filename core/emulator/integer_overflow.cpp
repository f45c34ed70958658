// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/integer_overflow.h"

#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "core/emulator/cube_product.h"

namespace cubist {
namespace {

struct Place {
    std::int64_t row = 0, col = 0, k = 0;
};

/// The 8-bit integer at (outer, k) of an operand; 4-bit integers are stored the same way.
std::int32_t valueAt(const GmPlace& place, const Box& box, const ProductOperand& operand, std::int64_t outer,
                     std::int64_t k) {
    const std::byte* code = operand.outerIsRow ? place.source(box, outer, k) : place.source(box, k, outer);
    return static_cast<std::int8_t>(*code);
}

std::optional<Place> firstOverflow(const LeafProduct& product, const GmMemory& gm, std::span<const Box> boxes) {
    const Box& boxA = boxes[product.a.box];
    const Box& boxB = boxes[product.b.box];
    for (std::int64_t row = 0; row < product.m; ++row)
        for (std::int64_t col = 0; col < product.n; ++col) {
            std::int32_t sum = 0;
            if (product.bias) {
                const Box& bias = boxes[*product.bias];
                std::memcpy(&sum, gm[bias.tensor.value].source(bias, 0, col), sizeof sum);
            }
            for (std::int64_t k = 0; k < product.k; ++k) {
                const std::int32_t a = valueAt(gm[boxA.tensor.value], boxA, product.a, row, k);
                const std::int32_t b = valueAt(gm[boxB.tensor.value], boxB, product.b, col, k);
                if (__builtin_add_overflow(sum, a * b, &sum)) return Place{row, col, k};
            }
        }
    return std::nullopt;
}

/// What an operation or a store of a block has wrapped.
ValueNote wrappedNote(const Program& program, TaskPart part, const WrappedInteger& wrapped) {
    const std::string type(toText(wrapped.type));
    std::string what, whatZh;
    if (wrapped.tensor) {
        const GmTensor& tensor = program.tensors[wrapped.tensor->value];
        const std::string place = "[" + coordinates(wrapped.at, tensor.rank) + "]";
        what = "store adds to element " + place + " of '" + tensor.name + "' beyond " + type;
        whatZh = "累加到 '" + tensor.name + "' 的元素 " + place + " 时超出 " + type;
    } else {
        const std::string op(toText(wrapped.op)), place = "(" + coordinates(wrapped.at, 2) + ")";
        what = op + " gives element " + place + " beyond " + type;
        whatZh = op + " 的元素 " + place + " 超出 " + type;
    }
    return {ValueNote::Kind::IntegerOverflow, part.task, memberOf(program, part).stage,
            blockText(program, part, false) + ": " + what + ": the values wrapped around",
            blockText(program, part, true) + "：" + whatZh + "，结果已回绕"};
}

}  // namespace

ValueNote overflowNote(const Program& program, const GmMemory& gm, TaskPart part, const ValueLosses& losses) {
    if (!losses.accumulatorWrapped && losses.wrapped) return wrappedNote(program, part, *losses.wrapped);
    const Leaf& leaf = program.leaves[leafIndexOf(program, part).value];
    std::string where, whereZh;
    if (const auto product = productOf(leaf); product && product->accumulator == DType::INT32) {
        if (const auto at = firstOverflow(*product, gm, boxesOf(program, part))) {
            const std::string element = "(" + std::to_string(at->row) + "," + std::to_string(at->col) + ")";
            where = " at element " + element + ", k = " + std::to_string(at->k);
            whereZh = "（元素 " + element + "，k = " + std::to_string(at->k) + "）";
        }
    }
    return {ValueNote::Kind::IntegerOverflow, part.task, memberOf(program, part).stage,
            blockText(program, part, false) + ": the integer accumulator overflowed" + where +
                ": the values wrapped around",
            blockText(program, part, true) + "：整数累加器溢出" + whereZh + "，结果已回绕"};
}

}  // namespace cubist
