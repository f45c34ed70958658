// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>

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
             "The documentation forbids parallel loops inside each other. The old frontend refuses them; the default "
             "one stays silent.",
         .explanationZh = "文档禁止并行循环嵌套。旧前端会拒绝，默认前端不会报错。",
         .source = "hicann/pypto, loop page; run on the PyPTO frontend",
         .pyptoCode = "F21001"},
};

bool isInside(const std::string& inner, const std::string& outer) {
    return inner.starts_with(outer + "/");
}

}  // namespace

std::span<const Rule> loopRules() {
    return kRules;
}

void checkLoops(CheckContext& context) {
    const std::vector<ResolvedLoop>& loops = context.design.loops;
    for (const ResolvedLoop& loop : loops) {
        if (!loop.loop->parallel) continue;
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
            return other.loop->parallel && isInside(loop.where, other.where);
        });
        if (outer == loops.end()) continue;
        const std::string name = "'" + outer->loop->id.text + "'";
        if (Reported* entry = context.report(
                "LOOP-02", where, loop.loop->id,
                {"the parallel loop lies inside the parallel loop " + name + "; the compiler stays silent",
                 "该并行循环位于并行循环 " + name + " 之内；编译器不会报错"}))
            entry->candidates.push_back({{"Make the inner loop serial", "将内层循环改为串行"}, {{where, false}}});
    }
}

}  // namespace cubist::rules
