// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <variant>

#include "core/base/number_formats.h"
#include "core/chip/slots.h"
#include "core/design/formula_attributes.h"
#include "core/design/op_numbers.h"
#include "core/design/vector_op_info.h"
#include "core/rules/families.h"

namespace cubist::rules {

namespace {

constexpr std::array kRules{
    Rule{.id = "DTYPE-10",
         .family = RuleFamily::DType,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A number that its type does not hold",
         .titleZh = "数据类型无法表示该数值",
         .explanation =
             "A number in an operation takes the type of the values beside it (of full and arange: of the result). "
             "Integers hold whole numbers of their range, BOOL holds 0 and 1, and a number beyond the largest one of a "
             "float type would become infinite. Integers of a design are exact up to 2^53.",
         .explanationZh =
             "运算中的数值采用相邻操作数的类型（full 与 arange 采用结果的类型）。整数类型只能表示其范围内的整数，BOOL "
             "只能表示 0 和 1，超过浮点类型最大值的数会变为无穷大。设计文件中的整数只精确到 2^53。",
         .formula = "lowest(type) <= number <= largest(type)",
         .source = "hicann/pypto, full page: the value has the type that is asked for"},
};

/// 2^63, which INT64 does not reach.
constexpr double kInt64End = 0x1p63;

double lowestValue(DType type) {
    if (type == DType::UINT8 || type == DType::BOOL) return 0.0;
    if (type == DType::FP8E8M0) return 0x1p-127;  // neither sign nor zero
    return isFloat(type) ? -largestValue(type) : -largestValue(type) - (type == DType::INT64 ? 0.0 : 1.0);
}

double highestValue(DType type) {
    return type == DType::BOOL ? 1.0 : largestValue(type);
}

bool inRange(DType type, double number) {
    if (type == DType::FP8E8M0) return number >= lowestValue(type) && number < 2 * largestValue(type);
    if (isFloat(type)) return std::isfinite(decode(type, encode(type, number)));
    return number >= lowestValue(type) && number <= highestValue(type) && number < kInt64End;
}

/// Numbers of a design are FP64: of an integer beyond this one nobody can tell whether it is the one that was written.
bool isExact(DType type, double number) {
    return isFloat(type) || std::abs(number) <= 0x1p53;
}

bool fits(DType type, double number) {
    return inRange(type, number) && isExact(type, number) && (isFloat(type) || number == std::trunc(number));
}

/// The nearest number that the type holds, where it is an integer that a fix can write.
std::optional<std::int64_t> nearest(DType type, double number) {
    const double held = std::clamp(std::round(number), lowestValue(type), highestValue(type));
    if (!(std::abs(held) < 0x1p53) || !fits(type, held)) return std::nullopt;
    return static_cast<std::int64_t>(held);
}

/// Reports the number when the type does not hold it. `what`: "full", "constant data".
void checkNumber(CheckContext& context, const BlockId& block, const std::string& where, const Text& what, DType type,
                 double number, bool fixable = true) {
    if (fits(type, number)) return;
    const std::string name(toText(type)), value = formula::numberText(number);
    Text why{"holds whole numbers only", "只能表示整数"};
    if (!inRange(type, number)) {
        const std::string low = formula::numberText(lowestValue(type)), high = formula::numberText(highestValue(type));
        why = {"holds " + low + " to " + high, "的范围为 " + low + " 到 " + high};
    } else if (!isExact(type, number)) {
        why = {"numbers of a design are exact up to 2^53; read larger ones from a file",
               "在设计文件中的数值只精确到 2^53；更大的数请从文件读取"};
    }
    Reported* entry = context.report("DTYPE-10", where, block,
                                     {what.en + " of " + name + " with " + value + ": " + name + " " + why.en,
                                      what.zh + "（" + name + "）的数值为 " + value + "：" + name + " " + why.zh});
    if (entry == nullptr) return;
    entry->finding.measured = number;
    const auto held = fixable ? nearest(type, number) : std::nullopt;
    if (held) entry->candidates.push_back({{"Set it to " + text(*held), "设为 " + text(*held)}, {{where, *held}}});
}

/// DTYPE-04 says that a float beside the integers of these has a fraction.
bool fractionIsSaidElsewhere(VectorOpCode op) {
    using enum VectorOpCode;
    constexpr std::array kOps{Add, Sub, Mul, Div, Maximum, Minimum};
    return std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

void checkOperation(CheckContext& context, const VectorStage& stage, const VectorOp& op, const std::string& where) {
    const std::string name(toText(op.op));
    for (std::size_t i = 0; i < op.in.size(); ++i) {
        const double* number = op.in[i].number();
        const std::optional<DType> type = number != nullptr ? typeOfNumber(context.design, op, i) : std::nullopt;
        if (!type || (fractionIsSaidElsewhere(op.op) && inRange(*type, *number) && isExact(*type, *number))) continue;
        checkNumber(context, stage.id, where + "/in/" + text(static_cast<std::int64_t>(i)), {name, name}, *type,
                    *number);
    }
    if (op.op == VectorOpCode::IndexAdd && op.in.front().value() != nullptr)
        checkNumber(context, stage.id, where + "/alpha", {"the factor of index_add", "index_add 的系数"},
                    context.design.value(*op.in.front().value())->dtype, op.alpha);
    if (op.op != VectorOpCode::Arange) return;
    const auto range = evaluateAll(op.range, op.range.size(), lookupWith(context.design, {}), where + "/range");
    if (!range || range->empty() || range->size() > 3) return;  // the attribute itself is wrong
    const Range ends = rangeOf(*range);
    const auto count = rangeLength(ends.start, ends.end, ends.step);
    if (!count || *count < 1) return;
    const std::int64_t last = saturatingAdd(ends.start, saturatingMul(*count - 1, ends.step));
    const DType type = context.design.value(op.out)->dtype;
    for (const std::int64_t element : {ends.start, last}) {
        if (fits(type, static_cast<double>(element))) continue;
        checkNumber(context, stage.id, where + "/range", {name, name}, type, static_cast<double>(element), false);
        return;
    }
}

/// First and last number of a range that counts through the tensor. Fractions are cut on purpose (steps of 0.5 repeat
/// each integer), so only the ends count.
void checkArange(CheckContext& context, const Tensor& tensor, const std::string& where, const Text& what) {
    const auto shape = evaluateAll(tensor.shape, tensor.shape.size(), lookupWith(context.design, {}), where);
    const auto modulo = evaluateAll({tensor.data.modulo}, 1, lookupWith(context.design, {}), where);
    if (!shape || !modulo) return;  // the shape itself is wrong
    std::int64_t count = 1;
    for (const std::int64_t extent : *shape) count = saturatingMul(count, extent);
    if (modulo->front() > 0) count = std::min(count, modulo->front());
    const double last = tensor.data.low + static_cast<double>(count - 1) * tensor.data.high;
    for (const double end : {tensor.data.low, last}) {
        if (count < 1 || (inRange(tensor.dtype, std::trunc(end)) && isExact(tensor.dtype, end))) continue;
        checkNumber(context, {}, where, what, tensor.dtype, end, false);
        return;
    }
}

/// Bounds of random reals in an integer tensor: what is left of the numbers between them. Both are open, for a number
/// as near to a bound as no other one hardly ever comes.
void checkUniform(CheckContext& context, const Tensor& tensor, const std::string& where, const Text& what) {
    const DataSource& data = tensor.data;
    if (isFloat(tensor.dtype) || tensor.dtype == DType::BOOL || !(data.low < data.high)) return;
    const double low = std::trunc(std::nextafter(data.low, data.high));
    const double high = std::trunc(std::nextafter(data.high, data.low));
    if (!inRange(tensor.dtype, low))
        checkNumber(context, {}, where + "/low", what, tensor.dtype, low);
    else if (!inRange(tensor.dtype, high))
        checkNumber(context, {}, where + "/high", what, tensor.dtype, high);
}

/// Constants, bounds of random numbers, ends of ranges.
void checkGenerators(CheckContext& context) {
    const std::vector<Tensor>& tensors = context.design.design->tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const Tensor& tensor = tensors[i];
        const DataSource& data = tensor.data;
        const bool held = tensor.role == TensorRole::Input || tensor.role == TensorRole::InOut;
        if (!held || data.file || !data.list.empty()) continue;
        const std::string where = "/tensors/" + text(static_cast<std::int64_t>(i)) + "/data";
        const Text what{"the data of '" + tensor.id.text + "'", "'" + tensor.id.text + "' 的数据"};
        if (data.generator == Generator::Constant)
            checkNumber(context, {}, where + "/low", what, tensor.dtype, data.low);
        if (data.generator == Generator::Arange) checkArange(context, tensor, where, what);
        if (data.generator == Generator::Uniform) checkUniform(context, tensor, where, what);
        if (data.generator != Generator::Integers) continue;
        checkNumber(context, {}, where + "/low", what, tensor.dtype, data.low);
        checkNumber(context, {}, where + "/high", what, tensor.dtype, data.high);
    }
}

}  // namespace

std::span<const Rule> numberRules() {
    return kRules;
}

void checkNumbers(CheckContext& context) {
    checkGenerators(context);
    for (const ResolvedBlock& block : context.design.blocks) {
        if (const auto* store = std::get_if<Store>(&block.block->content);
            store != nullptr && store->op == StoreOp::IndexAdd)
            checkNumber(context, store->id, block.where + "/alpha", {"the factor of index_add", "index_add 的系数"},
                        context.design.value(ValueId(store->to.text))->dtype, store->alpha);
        const auto* stage = std::get_if<VectorStage>(&block.block->content);
        for (std::size_t i = 0; stage != nullptr && i < stage->ops.size(); ++i)
            checkOperation(context, *stage, stage->ops[i], block.where + "/ops/" + text(static_cast<std::int64_t>(i)));
    }
}

}  // namespace cubist::rules
