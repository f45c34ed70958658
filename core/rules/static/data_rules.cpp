// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cmath>

#include "core/base/number_formats.h"
#include "core/design/formula_attributes.h"
#include "core/rules/families.h"

namespace cubist::rules {

namespace {

constexpr std::array kRules{
    Rule{.id = "VAL-10",
         .family = RuleFamily::Value,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "Random numbers that all become one integer",
         .titleZh = "随机数截断后全为同一整数",
         .explanation =
             "Reals lose their fraction in an integer tensor, so uniform numbers of [0, 1) all become 0, and "
             "every kernel agrees with its golden on them: a verdict of pass says nothing. Let the "
             "generator draw integers.",
         .explanationZh =
             "实数存入整数张量时会舍去小数部分，[0, 1) 上的均匀随机数全部变为 0，此时任何 kernel 都与 golden "
             "一致，判定通过没有意义。请改用整数生成器。",
         .formula = "trunc(low) = trunc(largest number below high)",
         .source = "design format, section Data"},
};

/// What the generator leaves in every element, where that is one value.
std::optional<double> onlyValue(DType type, const DataSource& data) {
    if (isFloat(type) || data.generator != Generator::Uniform || !(data.low < data.high)) return std::nullopt;
    const double first = std::trunc(data.low), last = std::trunc(std::nextafter(data.high, data.low));
    if (type == DType::BOOL) return first != last || data.low < 1 ? std::optional(1.0) : std::nullopt;
    return first == last ? std::optional(first) : std::nullopt;
}

/// A range of integers that products and sums of the type make sense on.
std::array<std::int64_t, 2> usualRange(DType type) {
    if (type == DType::BOOL) return {0, 1};
    if (type == DType::UINT8) return {0, 15};
    return bitsPerElement(type) <= 8 ? std::array<std::int64_t, 2>{-8, 7} : std::array<std::int64_t, 2>{0, 7};
}

}  // namespace

std::span<const Rule> dataRules() {
    return kRules;
}

void checkData(CheckContext& context) {
    const std::vector<Tensor>& tensors = context.design.design->tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const Tensor& tensor = tensors[i];
        if (tensor.role != TensorRole::Input || tensor.data.file || !tensor.data.list.empty()) continue;
        const std::optional<double> value = onlyValue(tensor.dtype, tensor.data);
        if (!value) continue;
        const std::string where = "/tensors/" + text(static_cast<std::int64_t>(i)) + "/data";
        const std::string number = formula::numberText(*value), type(toText(tensor.dtype));
        const std::string range =
            "[" + formula::numberText(tensor.data.low) + ", " + formula::numberText(tensor.data.high) + ")";
        Reported* entry = context.report("VAL-10", where, {},
                                         {"every element of '" + tensor.id.text + "' (" + type + ") is " + number +
                                              ": reals of " + range + " lose their fraction",
                                          "'" + tensor.id.text + "'（" + type + "）的元素全为 " + number + "：" +
                                              range + " 上的实数舍去了小数部分"});
        if (entry == nullptr) continue;
        const auto [low, high] = usualRange(tensor.dtype);
        const std::string bounds = text(low) + " .. " + text(high);
        entry->candidates.push_back(
            {{"Draw integers of " + bounds, "生成 " + bounds + " 的整数"},
             {{where + "/generator", "integers"}, {where + "/low", low}, {where + "/high", high}}});
    }
}

}  // namespace cubist::rules
