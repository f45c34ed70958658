// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/chip/slots.h"
#include "core/design/field_walk.h"
#include "core/rules/families.h"

namespace cubist::rules {

namespace {

constexpr std::array kRules{
    Rule{.id = "GRP-01",
         .family = RuleFamily::Group,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A group list has a negative value",
         .titleZh = "分组列表中有负数",
         .explanation = "Counts, ends of groups and numbers of groups are 0 or more.",
         .explanationZh = "行数、分组终点和组号都不小于 0。",
         .formula = "value >= 0",
         .source = "vllm-project/vllm-ascend, handling of group_list"},
    Rule{.id = "GRP-02",
         .family = RuleFamily::Group,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A group list is out of order",
         .titleZh = "分组列表顺序错误",
         .explanation = "Ends of groups never decrease, and rows of one group lie together: otherwise rows would be "
                        "computed with the matrix of another group.",
         .explanationZh = "分组终点不能递减，同一组的行必须相邻，否则会用错误分组的矩阵计算。",
         .formula = "value[i] >= value[i - 1]",
         .source = "flashinfer-ai/flashinfer, intel/torch-xpu-ops: unsorted group offsets"},
    Rule{.id = "GRP-03",
         .family = RuleFamily::Group,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "Rows belong to no group",
         .titleZh = "有行不属于任何分组",
         .explanation = "Counts that end before the axis does are legal. The rows that are left over are not computed; "
                        "what they would have written stays as it was, zeros in an output. A list without a total says "
                        "nothing about its axis.",
         .explanationZh = "计数之和小于轴长是合法的。剩余的行不会被计算，其输出保持原值（输出张量为零）。没有 total "
                          "的列表对轴长不作说明。",
         .formula = "rows of all groups = total",
         .source = "hicann/pypto-gym, grouped operators",
         .compilerSilent = true},
    Rule{.id = "GRP-04",
         .family = RuleFamily::Group,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The groups are longer than their axis",
         .titleZh = "分组总行数超出轴长",
         .explanation = "The last groups would read and write beyond their tensors.",
         .explanationZh = "最后的分组会越界读写。",
         .formula = "rows of all groups <= total",
         .source = "hicann/pypto-gym, grouped operators"},
    Rule{.id = "GRP-05",
         .family = RuleFamily::Group,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A group list looks like one of another form",
         .titleZh = "分组列表看起来是另一种形式",
         .explanation = "The values do not fit the declared form, but fit another one exactly. Counts say how many "
                        "rows each group has, prefix sums where each group ends, rows which group each row is in.",
         .explanationZh = "数值与声明的形式不符，却与另一种形式完全吻合。counts 为每组行数，prefix_sums "
                          "为每组终点，rows 为每行的组号。",
         .formula = "sum(counts) = total; prefix sums ascend to total; len(rows) = total",
         .source = "vllm-project/vllm-ascend: cumulative sums read as counts"},
    Rule{.id = "GRP-06",
         .family = RuleFamily::Group,
         .enforced = Severity::Hint,
         .documented = Severity::Hint,
         .title = "Some groups are empty",
         .titleZh = "存在空分组",
         .explanation = "An empty group of rows makes no task. An empty group along K still writes its zeros.",
         .explanationZh = "空的行分组不产生任务；沿 K 的空分组仍会写出零。",
         .formula = "rows of each group >= 1",
         .source = "hicann/pypto-gym, grouped operators"},
    Rule{.id = "GRP-07",
         .family = RuleFamily::Group,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "All groups are empty",
         .titleZh = "所有分组均为空",
         .explanation = "Nothing is computed.",
         .explanationZh = "不会进行任何计算。",
         .formula = "rows of all groups >= 1",
         .source = "hicann/pypto-gym, grouped operators"},
    Rule{.id = "GRP-08",
         .family = RuleFamily::Group,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "A list does not fit the tensor that holds it",
         .titleZh = "列表与承载它的张量不符",
         .explanation = "The tensor has one axis, as long as the list, and holds integers.",
         .explanationZh = "张量应为一维整数张量，长度与列表相同。",
         .formula = "extent = len(list)",
         .source = "hicann/pypto-gym, grouped operators"},
    Rule{.id = "GRP-09",
         .family = RuleFamily::Group,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "Values that the host reads are written by the kernel",
         .titleZh = "主机读取的数据由 kernel 写出",
         .explanation = "Loops and windows are made from a list before the kernel starts, so the tensor that holds it "
                        "is an input.",
         .explanationZh = "循环和窗口在 kernel 启动之前由列表确定，因此承载列表的张量必须是输入。",
         .formula = "role of the tensor = input",
         .source = "hicann/pypto, ready_on_host_tensors"},
    Rule{.id = "GRP-10",
         .family = RuleFamily::Group,
         .enforced = Severity::Error,
         .documented = Severity::Error,
         .title = "The last prefix sum is not the end of the axis",
         .titleZh = "最后一个前缀和不等于轴长",
         .explanation =
             "Prefix sums end with the number of rows. A smaller last value is a list of another problem or a "
             "lost entry; counts may leave rows to no group (GRP-03).",
         .explanationZh = "前缀和以总行数结束。最后的值偏小说明列表属于另一问题或缺少一项；计数形式允许剩余的行不属于任"
                          "何分组（GRP-03）。",
         .formula = "last value = total",
         .source = "flashinfer-ai/flashinfer, intel/torch-xpu-ops: wrong group offsets"},
    Rule{.id = "GRP-11",
         .family = RuleFamily::Group,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "A group list that no block reads",
         .titleZh = "没有任何块读取的分组列表",
         .explanation =
             "No loop, window, store or tile table depends on the list, and no block reads a tensor that holds it: the "
             "kernel is handed it and computes the same whatever it says, as GMMFinalizeRouting does, which gives "
             "every expert the same number of rows. Where a reference honours the list, uneven groups fail, and so "
             "does another number of groups than the loop has; even groups that fit the loop are a hint only. Read it "
             "with start(list, g) and count(list, g), or leave it out.",
         .explanationZh =
             "循环、窗口、存储和切分表都不依赖该列表，也没有块读取承载它的张量：无论其取值如何，kernel 的计算都相同。"
             "GMMFinalizeRouting 就是这样，它给每个专家相同的行数。若参考实现使用该列表，则不均匀的分组，或与循环次数"
             "不同的组数会失败；与循环相符的均匀分组仅为提示。请用 start(list, g) 和 count(list, g) "
             "读取，或删除该列表。",
         .formula = "blocks that read the list >= 1",
         .source = "hicann/pypto-gym, grouped_matmul_finalize_routing: the kernel ignores group_list",
         .compilerSilent = true},
};

/// The second argument of every `start(list, ..)` and `count(list, ..)`.
std::vector<std::string> groupsAsked(const std::string& text, const std::string& list) {
    std::vector<std::string> groups;
    std::string packed;
    std::copy_if(text.begin(), text.end(), std::back_inserter(packed), [](char c) { return c != ' '; });
    for (const std::string& call : {"start(" + list + ",", "count(" + list + ","})
        for (std::size_t at = packed.find(call); at != std::string::npos; at = packed.find(call, at + 1)) {
            std::size_t end = at + call.size();
            for (int open = 1; end < packed.size() && open > 0; ++end)
                open += packed[end] == '(' ? 1 : packed[end] == ')' ? -1 : 0;
            groups.push_back(packed.substr(at + call.size(), end - 1 - at - call.size()));
        }
    return groups;
}

/// Is the group the second one or a later one, whatever the loops do? (`e+1`)
bool isBehindTheFirst(const std::string& group) {
    const std::size_t plus = group.find('+');
    const std::string name = plus == std::string::npos ? std::string() : group.substr(0, plus);
    const Expression number(plus == std::string::npos ? group : group.substr(plus + 1));
    const bool isName =
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    return isName && number.literal().value_or(0) >= 1;
}

/// The lists and values that some blocks name.
class ListsRead {
public:
    explicit ListsRead(const std::vector<Block>& blocks) {
        const auto add = [this](const auto& field) {
            if constexpr (std::is_same_v<decltype(field), const ValueId&>)
                m_values.insert(field.text);
            else
                addExpression(field);
        };
        walkFields<Expression, ValueId>(blocks, add);
    }

    /// Whoever reads a tensor that holds a list reads the list.
    void addHolders(const std::vector<Tensor>& tensors) {
        for (const Tensor& tensor : tensors)
            if (m_values.contains(tensor.id.text)) m_lists.insert(tensor.data.list.text);
    }

    [[nodiscard]] bool contains(const std::string& list) const { return m_lists.contains(list); }
    /// Is every group that is asked for behind the first one?
    [[nodiscard]] bool skipsFirst(const std::string& list) const {
        return m_laterAsked.contains(list) && !m_firstAsked.contains(list);
    }

private:
    void addExpression(const Expression& expression) {
        const auto lists = expression.lists();
        if (!lists || lists->empty()) return;
        m_lists.insert(lists->begin(), lists->end());
        for (const std::string& list : *lists)
            for (const std::string& group : groupsAsked(expression.text(), list))
                (isBehindTheFirst(group) ? m_laterAsked : m_firstAsked).insert(list);
    }

    std::set<std::string> m_lists, m_values, m_firstAsked, m_laterAsked;
};

bool isSorted(const std::vector<std::int64_t>& values) {
    return std::is_sorted(values.begin(), values.end());
}

bool isNonNegative(const std::vector<std::int64_t>& values) {
    return std::all_of(values.begin(), values.end(), [](std::int64_t value) { return value >= 0; });
}

/// Do the values, read in this form, make groups of exactly `total` rows?
bool fits(const std::vector<std::int64_t>& values, ListForm form, std::int64_t total) {
    if (values.empty() || !isNonNegative(values)) return false;
    switch (form) {
        case ListForm::Plain: return false;
        case ListForm::Counts: return makeList(form, values).sum() == total;
        case ListForm::PrefixSums: return isSorted(values) && values.back() == total;
        case ListForm::Rows: return isSorted(values) && static_cast<std::int64_t>(values.size()) == total;
    }
    return false;
}

/// The form that the values seem to have been meant in.
std::optional<ListForm> otherForm(const IntegerList& list, std::optional<std::int64_t> total) {
    if (!total || fits(list.values, list.form, *total)) return std::nullopt;
    for (const ListForm form : {ListForm::PrefixSums, ListForm::Counts, ListForm::Rows})
        if (form != list.form && fits(list.values, form, *total)) return form;
    return std::nullopt;
}

struct Problem {
    std::string_view rule;
    std::optional<std::size_t> index;
};

/// The first thing that is wrong with a group list.
std::optional<Problem> problemOf(const IntegerList& list, std::optional<std::int64_t> total) {
    if (otherForm(list, total)) return Problem{"GRP-05", std::nullopt};
    for (std::size_t i = 0; i < list.values.size(); ++i) {
        if (list.values[i] < 0) return Problem{"GRP-01", i};
        if (list.form != ListForm::Counts && i > 0 && list.values[i] < list.values[i - 1]) return Problem{"GRP-02", i};
    }
    if (total && list.sum() > *total) return Problem{"GRP-04", std::nullopt};
    if (total && list.sum() > 0 && list.sum() < *total)
        return Problem{list.form == ListForm::PrefixSums ? "GRP-10" : "GRP-03", std::nullopt};
    if (list.sum() == 0) return Problem{"GRP-07", std::nullopt};
    return std::nullopt;
}

std::optional<std::int64_t> totalOf(const ResolvedDesign& design, const List& list) {
    const auto found = design.listTotals.find(list.id.text);
    return found == design.listTotals.end() ? std::nullopt : std::optional(found->second);
}

std::string at(const std::string& list, std::size_t index) {
    return list + "/" + text(static_cast<std::int64_t>(index));
}

/// Where the values stand: in the case, in the list, or (given for this run) nowhere in the design.
std::string valuesAt(const ResolvedDesign& design, std::size_t index, bool& inDesign) {
    const std::string& name = design.design->lists[index].id.text;
    const auto& given = design.binding.givenLists;
    inDesign = std::find(given.begin(), given.end(), name) == given.end();
    if (!inDesign) return at("/lists", index);
    const std::vector<Case>& cases = design.design->cases;
    for (std::size_t i = 0; i < cases.size(); ++i)
        if (cases[i].id == design.binding.caseId && cases[i].lists.find(name) != nullptr)
            return at("/cases", i) + "/lists/" + name;
    return at("/lists", index) + "/value";
}

/// The sum of values of which none is negative, without an end at 2^63 - 1.
std::string exactSum(const std::vector<std::int64_t>& values) {
    constexpr std::uint64_t kPart = 1'000'000'000;
    std::uint64_t low = 0, high = 0;  // nine digits, and the rest
    for (const std::int64_t value : values) {
        low += static_cast<std::uint64_t>(value) % kPart;
        high += static_cast<std::uint64_t>(value) / kPart + low / kPart;
        low %= kPart;
    }
    if (high == 0) return std::to_string(low);
    const std::string digits = std::to_string(low);
    return std::to_string(high) + std::string(9 - digits.size(), '0') + digits;
}

Text sumText(const IntegerList& list) {
    const std::string rows =
        list.form == ListForm::Counts && isNonNegative(list.values) ? exactSum(list.values) : text(list.sum());
    switch (list.form) {
        case ListForm::Plain: break;
        case ListForm::Counts: return {"the counts add up to " + rows, "各组行数之和为 " + rows};
        case ListForm::PrefixSums: return {"the last end is " + rows, "最后一个终点为 " + rows};
        case ListForm::Rows: return {"the list has " + rows + " rows", "列表共有 " + rows + " 行"};
    }
    return {};
}

void reportForm(CheckContext& context, std::size_t index, const IntegerList& list, std::int64_t total) {
    const List& declared = context.design.design->lists[index];
    const ListForm other = *otherForm(list, total);
    const std::string axis = declared.total->text();
    const std::string size = axis == text(total) ? axis : axis + " = " + text(total);
    const std::string name = "'" + declared.id.text + "'", to(toText(other));
    const std::string likeEn = other == ListForm::PrefixSums ? "prefix sums" : to;
    const Text sum = sumText(list);
    Reported* entry =
        context.report("GRP-05", at("/lists", index) + "/form", BlockId(),
                       {name + ": " + sum.en + ", not " + size + "; these values look like " + likeEn + " - switch?",
                        name + "：" + sum.zh + "，不是 " + size + "；这些数值看起来是 " + to + "，是否切换？"});
    if (entry == nullptr) return;
    entry->candidates.push_back(
        {{"Read the values as " + likeEn, "按 " + to + " 读取"}, {{at("/lists", index) + "/form", to}}});
    bool inDesign = false;
    const std::string where = valuesAt(context.design, index, inDesign);
    const auto converted = convertGroups(list.values, other, list.form);
    if (inDesign && converted)
        entry->candidates.push_back({{"Convert the values to " + std::string(toText(list.form)),
                                      "将数值转换为 " + std::string(toText(list.form))},
                                     {{where, *converted}}});
}

void reportValue(CheckContext& context, std::size_t index, const IntegerList& list, const Problem& problem) {
    const std::string name = "'" + context.design.design->lists[index].id.text + "'";
    bool inDesign = false;
    std::string where = valuesAt(context.design, index, inDesign);
    if (inDesign) where = at(where, *problem.index);
    const std::string place = text(static_cast<std::int64_t>(*problem.index));
    const std::string value = text(list.values[*problem.index]);
    if (problem.rule == "GRP-01") {
        context.report(
            "GRP-01", where, BlockId(),
            {name + " is negative at " + place + ": " + value, name + " 在 " + place + " 处为负数：" + value});
        return;
    }
    const std::string before = text(list.values[*problem.index - 1]);
    context.report("GRP-02", where, BlockId(),
                   {name + " is decreasing at " + place + ": " + value + " after " + before,
                    name + " 在 " + place + " 处递减：" + before + " 之后为 " + value});
}

void reportTotal(CheckContext& context, std::size_t index, const IntegerList& list, std::int64_t total,
                 std::string_view rule) {
    const List& declared = context.design.design->lists[index];
    bool inDesign = false;
    const std::string where = valuesAt(context.design, index, inDesign);
    const std::string axis = declared.total->text();
    const std::string size = axis == text(total) ? axis : axis + " = " + text(total);
    const std::string name = "'" + declared.id.text + "'";
    const Text sum = sumText(list);
    const std::string left = text(total - list.sum());
    Reported* entry =
        rule == "GRP-04"
            ? context.report(rule, where, BlockId(),
                             {name + ": " + sum.en + ", more than " + size, name + "：" + sum.zh + "，超过 " + size})
            : context.report(rule, where, BlockId(),
                             {name + ": " + sum.en + ", not " + size + "; the last " + left + " rows are in no group",
                              name + "：" + sum.zh + "，不等于 " + size + "；最后 " + left + " 行不属于任何分组"});
    if (entry == nullptr) return;
    entry->finding.measured = static_cast<double>(list.sum());
    entry->finding.limit = static_cast<double>(total);
    if (rule != "GRP-10" || !inDesign) return;
    std::vector<std::int64_t> ends = list.values;
    ends.back() = total;
    entry->candidates.push_back({{"End with " + text(total) + ": the last group takes the rows",
                                  "以 " + text(total) + " 结束：剩余的行归最后一个分组"},
                                 {{where, std::move(ends)}}});
}

/// Prefix sums may begin with the 0 in front of the first group: then all groups that blocks ask for lie behind it.
void reportEmpty(CheckContext& context, std::size_t index, const IntegerList& list, const ListsRead& read) {
    constexpr std::size_t kNamed = 8;
    const std::string& id = context.design.design->lists[index].id.text;
    const bool leading =
        list.form == ListForm::PrefixSums && list.groups() > 1 && list.values[0] == 0 && read.skipsFirst(id);
    const std::int64_t first = leading ? 1 : 0;
    std::string groups;
    std::size_t count = 0;
    for (std::int64_t g = first; g < list.groups(); ++g) {
        if (list.count(g) > 0) continue;
        if (++count <= kNamed) groups += (groups.empty() ? "" : ", ") + text(g - first);
    }
    if (count == 0) return;
    if (count > kNamed) groups += ", ...";
    const std::string name = "'" + id + "'";
    bool inDesign = false;
    const std::string where = valuesAt(context.design, index, inDesign);
    const std::string number = text(static_cast<std::int64_t>(count)), all = text(list.groups() - first);
    context.report("GRP-06", where, BlockId(),
                   {number + " of " + all + " groups of " + name + " are empty: " + groups,
                    name + " 的 " + all + " 个分组中有 " + number + " 个为空：" + groups});
}

void checkList(CheckContext& context, std::size_t index, const ListsRead& read) {
    const List& declared = context.design.design->lists[index];
    const IntegerList& list = *context.design.binding.lists.find(declared.id.text);
    if (list.form == ListForm::Plain) return;
    const auto total = totalOf(context.design, declared);
    const auto problem = problemOf(list, total);
    if (!problem) return reportEmpty(context, index, list, read);
    if (problem->rule == "GRP-05") return reportForm(context, index, list, *total);
    if (problem->index) return reportValue(context, index, list, *problem);
    if (problem->rule != "GRP-07") return reportTotal(context, index, list, *total, problem->rule);
    bool inDesign = false;
    context.report("GRP-07", valuesAt(context.design, index, inDesign), BlockId(),
                   {"all groups of '" + declared.id.text + "' are empty: nothing is computed",
                    "'" + declared.id.text + "' 的所有分组均为空：不会进行任何计算"});
}

/// GRP-08, GRP-09.
void checkHolder(CheckContext& context, std::size_t index) {
    const Tensor& tensor = context.design.design->tensors[index];
    const std::string& name = tensor.data.list.text;
    const std::string where = at("/tensors", index);
    const IntegerList* list = context.design.binding.lists.find(name);
    const std::string quoted = "'" + tensor.id.text + "'";
    if (list == nullptr) {
        context.report("GRP-08", where + "/data/list", BlockId(),
                       {"the design has no list '" + name + "' for " + quoted + " to hold",
                        quoted + " 引用的列表 '" + name + "' 不存在"});
        return;
    }
    if (tensor.role != TensorRole::Input)
        context.report("GRP-09", where + "/role", BlockId(),
                       {quoted + " holds the list '" + name +
                            "', which is read before the kernel runs, but the kernel "
                            "writes it",
                        quoted + " 承载列表 '" + name + "'，列表在 kernel 运行前读取，而该张量由 kernel 写出"});
    const std::vector<std::int64_t>& shape = context.design.value(ValueId(tensor.id.text))->shape;
    const auto length = static_cast<std::int64_t>(list->values.size());
    const bool integers = tensor.dtype == DType::INT64 || tensor.dtype == DType::INT32 ||
                          tensor.dtype == DType::INT16 || tensor.dtype == DType::INT8 || tensor.dtype == DType::UINT8;
    if (shape == std::vector<std::int64_t>{length} && integers) return;
    const std::string type(toText(tensor.dtype));
    Reported* entry = context.report(
        "GRP-08", where + (integers ? "/shape" : "/dtype"), BlockId(),
        {quoted + " is " + type + " " + text(shape) + ", the list '" + name + "' has " + text(length) + " integers",
         quoted + " 为 " + type + " " + text(shape) + "，列表 '" + name + "' 有 " + text(length) + " 个整数"});
    if (entry == nullptr) return;
    if (integers)
        entry->candidates.push_back({{"Make it as long as the list", "改为与列表等长"},
                                     {{where + "/shape", std::vector<Expression>{Expression("len(" + name + ")")}}}});
    else
        entry->candidates.push_back({{"Make it INT64", "改为 INT64"}, {{where + "/dtype", std::string("INT64")}}});
}

/// What a kernel that ignores the list computes otherwise than one that honours it: nothing where all groups have the
/// same number of rows and a loop around matmuls runs once for each.
std::optional<Text> harmOfIgnoring(const ResolvedDesign& design, const IntegerList& list) {
    const std::int64_t groups = list.groups();
    for (std::int64_t g = 1; g < groups; ++g) {
        if (list.count(g) == list.count(0)) continue;
        const std::string number = text(g), rows = text(list.count(g)), first = text(list.count(0));
        return Text{"; group 0 has " + first + " rows and group " + number + " has " + rows +
                        ", so a reference that honours the list computes other rows with each group's matrix",
                    "；分组 0 有 " + first + " 行，分组 " + number + " 有 " + rows +
                        " 行，因此遵循该列表的参考实现会以不同的行与各组矩阵相乘"};
    }
    std::optional<std::int64_t> iterations;
    for (const ResolvedBlock& block : design.blocks) {
        if (!std::holds_alternative<CubeStage>(block.block->content)) continue;
        for (const std::size_t loop : block.loops) {
            iterations = iterations.value_or(design.loops[loop].iterations);
            if (design.loops[loop].iterations == groups) return std::nullopt;
        }
    }
    if (!iterations) return std::nullopt;
    return Text{
        "; it has " + text(groups) + " groups, but the loop around the matmuls runs " + text(*iterations) + " times",
        "；列表有 " + text(groups) + " 个分组，而矩阵乘的循环执行 " + text(*iterations) + " 次"};
}

/// What the blocks read as they are written: those with chosen tiles have no tables, which may be what follows a list.
ListsRead listsRead(const ResolvedDesign& design) {
    ListsRead read(design.tileChoices.empty() ? design.design->blocks
                                              : withOwnTiles(*design.design, design.tileChoices).blocks);
    read.addHolders(design.design->tensors);
    return read;
}

/// GRP-11.
void checkUnread(CheckContext& context, const ListsRead& read) {
    const std::vector<List>& lists = context.design.design->lists;
    for (std::size_t i = 0; i < lists.size(); ++i) {
        const std::string& name = lists[i].id.text;
        if (lists[i].form == ListForm::Plain || read.contains(name)) continue;
        Text message{"no block reads '" + name + "': its groups change nothing",
                     "没有任何块读取 '" + name + "'：其分组不起任何作用"};
        const std::optional<Text> harm = harmOfIgnoring(context.design, *context.design.binding.lists.find(name));
        if (harm) message += *harm;
        Reported* entry = context.report("GRP-11", at("/lists", i), BlockId(), std::move(message));
        if (entry != nullptr && !harm) entry->finding.severity = Severity::Hint;
    }
}

}  // namespace

std::span<const Rule> groupRules() {
    return kRules;
}

GroupState groupState(const ResolvedDesign& design) {
    GroupState state;
    for (const List& declared : design.design->lists) {
        const IntegerList& list = *design.binding.lists.find(declared.id.text);
        if (list.form == ListForm::Plain) continue;
        const auto problem = problemOf(list, totalOf(design, declared));
        if (!problem) continue;
        if (problem->rule == "GRP-03" || problem->rule == "GRP-07" || problem->rule == "GRP-10")
            state.leavesOut = true;
        else
            state.broken = true;
    }
    return state;
}

void checkGroups(CheckContext& context) {
    const std::vector<List>& lists = context.design.design->lists;
    if (std::any_of(lists.begin(), lists.end(), [](const List& list) { return list.form != ListForm::Plain; })) {
        const ListsRead read = listsRead(context.design);
        for (std::size_t i = 0; i < lists.size(); ++i) checkList(context, i, read);
        checkUnread(context, read);
    }
    for (std::size_t i = 0; i < context.design.design->tensors.size(); ++i)
        if (!context.design.design->tensors[i].data.list.empty()) checkHolder(context, i);
}

}  // namespace cubist::rules
