// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/base/number_formats.h"
#include "core/base/random.h"
#include "core/design/binding.h"
#include "core/design/formula_attributes.h"
#include "core/rules/families.h"

namespace cubist::rules {

namespace {

constexpr std::array kRules{
    Rule{.id = "VAL-10",
         .family = RuleFamily::Value,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "Random numbers that nearly all become one integer",
         .titleZh = "随机数截断后几乎全为同一整数",
         .explanation =
             "Reals lose their fraction in an integer tensor, so uniform numbers of (-1, 1) all become 0, and "
             "every kernel agrees with its golden on them: a verdict of pass says nothing. Let the "
             "generator draw integers.",
         .explanationZh =
             "实数存入整数张量时会舍去小数部分，(-1, 1) 上的均匀随机数全部变为 0，此时任何 kernel 都与 golden "
             "一致，判定通过没有意义。请改用整数生成器。",
         .formula = "P(trunc(number) = most frequent value) < 0.999",
         .source = "design format, section Data"},
    Rule{.id = "VAL-18",
         .family = RuleFamily::Value,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "A generator cannot make its numbers",
         .titleZh = "生成器无法生成数据",
         .explanation =
             "A run without a file for this tensor is refused: uniform numbers want low < high, integers whole bounds "
             "with low <= high, a normal distribution a deviation of 0 or more; a modulo belongs to arange.",
         .explanationZh = "若不为该张量提供文件，运行会被拒绝：均匀分布要求 low < high，整数要求整数边界且 low <= "
                          "high，正态分布的标准差"
                          "不小于 0；modulo 只用于 arange。",
         .formula = "uniform: low < high; integers: low <= high; normal: high >= 0",
         .source = "design format, section Data"},
    Rule{
        .id = "DOC-04",
        .family = RuleFamily::Document,
        .enforced = Severity::Warning,
        .documented = Severity::Warning,
        .title = "A case that cannot be chosen",
        .titleZh = "无法选择的 case",
        .explanation =
            "A case gives values to symbols and lists that the design declares, and is chosen by its id or by an alias "
            "that no other case has. Checks and runs of other cases do not meet the fault.",
        .explanationZh = "case 只能为设计中已声明的符号和列表赋值，并由其 id 或唯一的别名选择。检查或运行其他 case "
                         "时不会遇到该错误。",
        .formula = "names in declared symbols and lists; each alias in one case",
        .source = "design format, section Cases"},
};

/// Less than one element in a thousand differs: what a comparison sees are elements of one value.
constexpr double kMostOfOne = 0.999;

/// How much of the generator's distribution lies within (from, to).
double shareBetween(const DataSource& data, double from, double to) {
    if (data.generator == Generator::Uniform)
        return std::max(0.0, std::min(to, data.high) - std::max(from, data.low)) / (data.high - data.low);
    const auto below = [&](double x) { return 0.5 * std::erfc((data.low - x) / (data.high * std::sqrt(2.0))); };
    return below(to) - below(from);
}

struct Frequent {
    double value = 0, share = 0;
};

/// The value that the generator leaves in nearly every element, if there is one.
std::optional<Frequent> frequentValue(DType type, const DataSource& data) {
    const bool uniform = data.generator == Generator::Uniform && data.low < data.high;
    const bool normal = data.generator == Generator::Normal && data.high > 0;
    if (isFloat(type) || (!uniform && !normal)) return std::nullopt;
    // A BOOL is whether the real is 0, which it nearly never is. Others lose the fraction towards 0.
    if (type == DType::BOOL) return Frequent{1.0, 1.0};
    const double middle = uniform ? data.low + (data.high - data.low) / 2 : data.low;
    for (const double value : {0.0, std::trunc(middle)}) {
        const double from = value > 0 ? value : value - 1, to = value < 0 ? value : value + 1;
        const double share = shareBetween(data, from, to);
        if (share >= kMostOfOne) return Frequent{value, share};
    }
    return std::nullopt;
}

/// VAL-18.
void checkGeneratorOf(CheckContext& context, const Tensor& tensor, const std::string& where) {
    static constexpr std::array kDistributions{
        std::pair{Generator::Uniform, Distribution::Uniform}, std::pair{Generator::Normal, Distribution::Normal},
        std::pair{Generator::Integers, Distribution::Integers}, std::pair{Generator::Constant, Distribution::Constant},
        std::pair{Generator::Arange, Distribution::Arange}};
    GeneratorSpec spec{Distribution::Uniform, tensor.data.low, tensor.data.high};
    for (const auto& [generator, distribution] : kDistributions)
        if (tensor.data.generator == generator) spec.distribution = distribution;
    const auto modulo = tensor.data.modulo.evaluate(context.design.binding.lookup());
    if (!modulo) return;  // resolving says so
    spec.modulo = *modulo;
    const auto usable = checkGenerator(spec);
    if (usable) return;
    context.report("VAL-18", where, {},
                   {"the data of '" + tensor.id.text + "' cannot be made: " + usable.error().message,
                    "无法生成 '" + tensor.id.text + "' 的数据：low = " + formula::numberText(tensor.data.low) +
                        "，high = " + formula::numberText(tensor.data.high)});
}

/// DOC-04.
void checkCases(CheckContext& context) {
    const Design& design = *context.design.design;
    std::map<std::string, std::string> aliases;
    for (std::size_t i = 0; i < design.cases.size(); ++i) {
        const Case& each = design.cases[i];
        const std::string where = "/cases/" + text(static_cast<std::int64_t>(i)), name = "'" + each.id.text + "'";
        for (const std::string& alias : each.aliases) {
            const auto [known, added] = aliases.emplace(alias, each.id.text);
            if (!added && known->second != each.id.text)
                context.report("DOC-04", where + "/aliases", {},
                               {"the alias '" + alias + "' of " + name + " chooses '" + known->second + "'",
                                name + " 的别名 '" + alias + "' 选择的是 '" + known->second + "'"});
        }
        if (!each.set.empty() || each.id == context.design.binding.caseId) continue;
        const auto binding = bindWith(design, each.id.text, {});
        if (!binding)
            context.report("DOC-04", binding.error().where.starts_with(where) ? binding.error().where : where, {},
                           {name + " cannot be chosen: " + binding.error().message, "无法选择 " + name});
    }
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
    checkCases(context);
    const std::vector<Tensor>& tensors = context.design.design->tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const Tensor& tensor = tensors[i];
        if (tensor.role != TensorRole::Input || tensor.data.file || !tensor.data.list.empty()) continue;
        checkGeneratorOf(context, tensor, "/tensors/" + text(static_cast<std::int64_t>(i)) + "/data");
        const std::optional<Frequent> found = frequentValue(tensor.dtype, tensor.data);
        if (!found) continue;
        const std::string where = "/tensors/" + text(static_cast<std::int64_t>(i)) + "/data";
        const std::string number = formula::numberText(found->value), type(toText(tensor.dtype));
        const std::string from = formula::numberText(tensor.data.low), to = formula::numberText(tensor.data.high);
        const Text reals = tensor.data.generator == Generator::Uniform
                               ? Text{"reals of [" + from + ", " + to + ")", "[" + from + ", " + to + ") 上的实数"}
                               : Text{"reals around " + from + " (deviation " + to + ")",
                                      "均值 " + from + "、标准差 " + to + " 的实数"};
        const std::string name = "'" + tensor.id.text + "'";
        const bool all = found->share >= 1.0;
        Reported* entry = context.report("VAL-10", where, {},
                                         {(all ? "every element of " : "nearly every element of ") + name + " (" +
                                              type + ") is " + number + ": " + reals.en + " lose their fraction",
                                          name + "（" + type + "）的元素" + (all ? "全为 " : "几乎全为 ") + number +
                                              "：" + reals.zh + "舍去了小数部分"});
        if (entry == nullptr) continue;
        const auto [low, high] = usualRange(tensor.dtype);
        const std::string bounds = text(low) + " .. " + text(high);
        entry->candidates.push_back(
            {{"Draw integers of " + bounds, "生成 " + bounds + " 的整数"},
             {{where + "/generator", "integers"}, {where + "/low", low}, {where + "/high", high}}});
    }
}

}  // namespace cubist::rules
