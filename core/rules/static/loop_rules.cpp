// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/rules/families.h"

namespace cubist::rules {

namespace {

constexpr std::array kRules{
    Rule{.id = "LOOP-01",
         .family = RuleFamily::Loop,
         .enforced = Severity::Hint,
         .documented = Severity::Hint,
         .title = "parallel=True has no effect",
         .titleZh = "parallel=True 不起作用",
         .explanation =
             "A parallel loop runs iterations side by side only when device_sched_parallelism is above 1. (The queue "
             "policy device_sched_mode is something else.) Workspace grows by the same factor.",
         .explanationZh = "只有 device_sched_parallelism 大于 1，并行循环的迭代才会同时执行。（device_sched_mode "
                          "是队列策略，与并行度无关。）workspace 会按同样倍数增长。",
         .formula = "parallel: device_sched_parallelism > 1",
         .source = "hicann/pypto, loop page",
         .compilerSilent = true},
    Rule{.id = "LOOP-02",
         .family = RuleFamily::Loop,
         .enforced = Severity::Warning,
         .documented = Severity::Error,
         .title = "Parallel loops are nested",
         .titleZh = "并行循环嵌套",
         .explanation =
             "The documentation forbids parallel loops inside each other. The old frontend refuses them (F21001); the "
             "default one stays silent.",
         .explanationZh = "文档禁止并行循环嵌套。旧前端会拒绝（F21001），默认前端不会报错。",
         .formula = "parallel loops around a parallel loop = 0",
         .source = "hicann/pypto, loop page; run on the PyPTO frontend",
         .compilerSilent = true},
    Rule{.id = "LOOP-03",
         .family = RuleFamily::Loop,
         .enforced = Severity::Warning,
         .documented = Severity::Error,
         .title = "A static loop runs over a dynamic axis",
         .titleZh = "静态循环遍历动态轴",
         .explanation =
             "A Python for loop is written out when the kernel is compiled, so its length is a plain integer: a "
             "number, or the length of a list that is a compile-time constant. Over a symbol, or over values of a list "
             "that a tensor brings with every call, use pypto.loop, or accept one kernel for each value.",
         .explanationZh =
             "Python for "
             "循环在编译期展开，其次数必须是整数：常数，或编译期列表的长度。遍历符号轴，或遍历由张量在每次调用"
             "时传入的列表的数值，请用 pypto.loop，否则每个取值都要重新编译。",
         .formula = "symbols in the axis = 0, but for static ones; values of lists that a tensor holds = 0",
         .source = "hicann/pypto, tutorials on static and dynamic axes; pypto-gym, grouped MXFP8 matmul"},
    Rule{.id = "LOOP-04",
         .family = RuleFamily::Loop,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "Only the innermost unrolled loop is unrolled",
         .titleZh = "只有最内层的 loop_unroll 生效",
         .explanation = "An unrolled loop around another one runs with factor 1 on the device, and nested lists of "
                        "factors multiply the graphs that are compiled.",
         .explanationZh = "包含另一个 loop_unroll 的外层循环在设备上按因子 1 执行，嵌套的因子列表还会成倍增加编译图。",
         .formula = "unrolled loops within an unrolled loop = 0",
         .source = "hicann/pypto, loop_unroll page",
         .compilerSilent = true},
    Rule{.id = "LOOP-05",
         .family = RuleFamily::Loop,
         .enforced = Severity::Warning,
         .documented = Severity::Warning,
         .title = "A setting has no effect on this form of loop",
         .titleZh = "该设置对此种循环不起作用",
         .explanation = "A Python for loop has neither parallel nor submit_before_loop, loop_unroll has no parallel "
                        "and takes no tile, and factors belong to loop_unroll alone.",
         .explanationZh = "Python for 循环没有 parallel 和 submit_before_loop；loop_unroll 没有 parallel，也不使用 "
                          "tile；展开因子只用于 loop_unroll。",
         .formula = "setting in table(form of the loop)",
         .source = "hicann/pypto, loop and loop_unroll pages"},
};

bool isInside(const std::string& inner, const std::string& outer) {
    return inner.starts_with(outer + "/");
}

/// A list whose values, not only its length, an expression reads, and which a tensor brings with every call.
std::optional<std::string> listOfCall(const Design& design, const Expression& axis) {
    const auto lists = axis.lists();
    if (!lists) return std::nullopt;
    for (const std::string& name : *lists) {
        const bool held = std::any_of(design.tensors.begin(), design.tensors.end(),
                                      [&](const Tensor& tensor) { return tensor.data.list.text == name; });
        const auto list =
            std::find_if(design.lists.begin(), design.lists.end(), [&](const List& l) { return l.id.text == name; });
        if (!held || list == design.lists.end()) continue;
        std::string text = axis.text();
        std::erase(text, ' ');
        std::vector<std::string> reads{"sum(" + name + ")", "start(" + name + ",", "count(" + name + ",", name + "["};
        if (list->form == ListForm::Rows) reads.push_back("groups(" + name + ")");
        if (std::any_of(reads.begin(), reads.end(),
                        [&](const std::string& read) { return text.find(read) != std::string::npos; }))
            return name;
    }
    return std::nullopt;
}

/// LOOP-03.
void checkStatic(CheckContext& context, const ResolvedLoop& loop) {
    if (loop.loop->form != LoopKind::Static) return;
    const auto names = loop.loop->axis.names();
    if (!names) return;
    const auto symbol = std::find_if(names->begin(), names->end(), [&](const std::string& name) {
        return context.design.binding.symbols.find(name) != nullptr && !isStaticSymbol(*context.design.design, name);
    });
    const std::string where = loop.where + "/axis";
    if (symbol == names->end()) {
        const auto list = listOfCall(*context.design.design, loop.loop->axis);
        if (!list) return;
        Reported* entry = context.report(
            "LOOP-03", where, loop.loop->id,
            {"the axis '" + loop.loop->axis.text() + "' of the static loop uses values of the list " + *list +
                 ", which a tensor brings with every call; a loop that is written out needs a size that is known when "
                 "the kernel is compiled",
             "静态循环的轴 '" + loop.loop->axis.text() + "' 使用列表 " + *list +
                 " 的数值，而该列表由张量在每次调用时传入；编译期展开需要编译时已知的长度"});
        if (entry != nullptr)
            entry->candidates.push_back(
                {{"Make it a runtime loop", "改为运行时循环"}, {{loop.where + "/form", std::string("runtime")}}});
        return;
    }
    Reported* entry =
        context.report("LOOP-03", where, loop.loop->id,
                       {"the axis '" + loop.loop->axis.text() + "' of the static loop uses the symbol " + *symbol +
                            "; a loop that is written out needs a size that is known when the kernel is compiled",
                        "静态循环的轴 '" + loop.loop->axis.text() + "' 使用了动态符号 " + *symbol +
                            "；编译期展开需要编译时已知的长度"});
    if (entry == nullptr) return;
    if (!loop.varies())
        entry->candidates.push_back(
            {{"Fix the axis at " + text(loop.axis), "将该轴固定为 " + text(loop.axis)}, {{where, loop.axis}}});
    const std::vector<Symbol>& symbols = context.design.design->symbols;
    const auto declared =
        std::find_if(symbols.begin(), symbols.end(), [&](const Symbol& entry_) { return entry_.id.text == *symbol; });
    if (declared != symbols.end())
        entry->candidates.push_back({{"Declare " + *symbol + " static", "将 " + *symbol + " 声明为静态"},
                                     {{"/symbols/" + text(declared - symbols.begin()) + "/static", true}}});
    entry->candidates.push_back(
        {{"Make it a runtime loop", "改为运行时循环"}, {{loop.where + "/form", std::string("runtime")}}});
}

/// LOOP-04.
void checkUnroll(CheckContext& context, const ResolvedLoop& loop) {
    if (loop.loop->form != LoopKind::Unroll || loop.factors.size() < 2) return;
    const std::vector<ResolvedLoop>& loops = context.design.loops;
    const auto inner = std::find_if(loops.begin(), loops.end(), [&](const ResolvedLoop& other) {
        return other.loop->form == LoopKind::Unroll && isInside(other.where, loop.where);
    });
    if (inner == loops.end()) return;
    const std::string name = "'" + inner->loop->id.text + "'";
    if (Reported* entry = context.report("LOOP-04", loop.where + "/unroll", loop.loop->id,
                                         {"the unrolled loop " + name + " lies inside: this one is not unrolled",
                                          "内部还有 loop_unroll " + name + "：本循环不会展开"}))
        entry->candidates.push_back(
            {{"Unroll by 1 only", "仅按 1 展开"}, {{loop.where + "/unroll", std::vector<std::int64_t>{}}}});
}

/// LOOP-05.
void checkSettings(CheckContext& context, const ResolvedLoop& loop) {
    const auto report = [&](const std::string& key, const EditValue& none) {
        const std::string where = loop.where + "/" + key;
        const std::string form(toText(loop.loop->form));
        if (Reported* entry = context.report(
                "LOOP-05", where, loop.loop->id,
                {key + " has no effect on a loop of form " + form, key + " 对 " + form + " 形式的循环不起作用"}))
            entry->candidates.push_back({{"Remove it", "删除该设置"}, {{where, none}}});
    };
    const bool unroll = loop.loop->form == LoopKind::Unroll;
    const bool written = loop.loop->form == LoopKind::Static;
    if ((unroll || written) && loop.loop->parallel) report("parallel", false);
    if (written && loop.loop->submitBeforeLoop) report("submit_before_loop", false);
    if (!unroll && !loop.loop->unroll.empty()) report("unroll", std::vector<std::int64_t>{});
    if (unroll && loop.loop->tile != Expression(1)) report("tile", std::int64_t{1});
}

}  // namespace

std::span<const Rule> loopRules() {
    return kRules;
}

void checkLoops(CheckContext& context) {
    const std::vector<ResolvedLoop>& loops = context.design.loops;
    for (const ResolvedLoop& loop : loops) {
        checkStatic(context, loop);
        checkUnroll(context, loop);
        checkSettings(context, loop);
        if (!loop.loop->parallel || loop.loop->form != LoopKind::Runtime) continue;
        const std::string where = loop.where + "/parallel";
        if (context.design.design->options.deviceSchedParallelism == 1) {
            if (Reported* entry =
                    context.report("LOOP-01", where, loop.loop->id,
                                   {"parallel=True has no effect: device_sched_parallelism is 1, so iterations run one "
                                    "after the other",
                                    "parallel=True 不起作用：device_sched_parallelism 为 1，迭代依次执行"})) {
                entry->candidates.push_back(
                    {{"Set device_sched_parallelism to 2", "将 device_sched_parallelism 设为 2"},
                     {{"/options/device_sched_parallelism", std::int64_t{2}}}});
                entry->candidates.push_back({{"Make the loop serial", "改为串行循环"}, {{where, false}}});
            }
        }
        const auto outer = std::find_if(loops.begin(), loops.end(), [&](const ResolvedLoop& other) {
            return other.loop->parallel && other.loop->form == LoopKind::Runtime && isInside(loop.where, other.where);
        });
        if (outer == loops.end()) continue;
        const std::string name = "'" + outer->loop->id.text + "'";
        if (Reported* entry = context.report(
                "LOOP-02", where, loop.loop->id,
                {"the parallel loop lies inside the parallel loop " + name +
                     "; the compiler stays silent, the old frontend (new_ir=False) refuses it",
                 "该并行循环位于并行循环 " + name + " 之内；编译器不会报错，旧前端（new_ir=False）会拒绝"},
                "F21001"))
            entry->candidates.push_back({{"Make the inner loop serial", "将内层循环改为串行"}, {{where, false}}});
    }
}

}  // namespace cubist::rules
