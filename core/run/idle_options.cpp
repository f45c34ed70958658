// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/idle_options.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/lowering/merge_settings.h"
#include "core/lowering/slot_shortage.h"
#include "core/rules/checker.h"
#include "core/timing/leaf_plan.h"

namespace cubist {
namespace {

struct Why {
    const char* en;
    const char* zh;
};

constexpr Why kBareMerge{"launch bare merges nothing", "bare 启动方式不合图"};
constexpr Why kBareRuntime{"launch bare has no task runtime", "bare 启动方式没有任务运行时"};
constexpr Why kBareCompiler{"launch bare is a kernel written by hand, which PyPTO does not compile",
                            "bare 启动方式是手写 kernel，不经 PyPTO 编译"};
constexpr Why kNoCube{"there is no cube stage to merge", "没有可合并的 cube 阶段"};
constexpr Why kNoVector{"there is no vector stage to merge", "没有可合并的 vector 阶段"};
constexpr Why kTailsOnly{
    "every task of the run-time loops is a tail, which is compiled for dynamic shapes with the option too",
    "运行时循环中的任务全是尾块，开启该选项后仍按动态 shape 编译"};
constexpr Why kAllStitched{"all root functions go into one device task, with the default 128 too",
                           "全部 root function 拼接进一个 device 任务，默认值 128 也是如此"};
constexpr Why kOneRoot{"there is one root function, so there is nothing to stitch", "只有一个 root function，无需拼接"};
constexpr Why kNoWorkspace{
    "no stage hands a result on through memory, so there is no workspace to cap; it only switches "
    "stitch_function_max_num off",
    "没有阶段经由内存传递结果，因此没有可限制的 workspace；它只会使 stitch_function_max_num 失效"};
constexpr Why kByHand{"PyPTO's compiler has no such option; only launch bare, a kernel written by hand, follows it",
                      "PyPTO 编译器没有该选项；只有 bare 启动方式（手写 kernel）使用它"};
constexpr Why kNoMerge{"the count of this key is 1, so nothing is merged", "该键的合图数为 1，不合图"};

std::string pointerStep(const std::string& key) {
    std::string out;
    for (const char c : key) out += c == '~' ? "~0" : (c == '/' ? "~1" : std::string(1, c));
    return out;
}

class IdleOptions {
public:
    IdleOptions(const ResolvedDesign& design, const Program& program, const Options& options, bool bare)
        : m_program(program), m_options(options), m_bare(bare) {
        m_loops = std::ranges::any_of(design.loops,
                                      [](const ResolvedLoop& loop) { return loop.loop->form != LoopKind::Static; });
        for (const ProgramStage& stage : program.stages) (stage.kind == TaskKind::Aic ? m_cube : m_vector) = true;
        m_roots = program.roots.size();
    }

    std::vector<Finding> run() {
        merge("cube_l1_reuse_setting", m_options.cubeL1Reuse, m_cube, kNoCube);
        merge("cube_nbuffer_setting", m_options.cubeNBuffer, m_cube, kNoCube);
        merge("vec_nbuffer_setting", m_options.vecNBuffer, m_vector, kNoVector);
        sides();
        runtime();
        return std::move(m_findings);
    }

private:
    void add(const std::string& name, const std::string& value, const Why& why) {
        const std::string head = name.substr(0, name.find('/')) + (value.empty() ? "" : " = " + value);
        addText(name, head + ": " + why.en, head + "：" + why.zh);
    }

    void addText(const std::string& name, std::string en, std::string zh) {
        Finding finding;
        finding.ruleId = "OPT-03";
        finding.severity = Severity::Hint;
        finding.where = "/options/" + name;
        finding.message = std::move(en);
        finding.messageZh = std::move(zh);
        m_findings.push_back(std::move(finding));
    }

    void merge(const char* name, const Dictionary<std::int64_t>& setting, bool stages, const Why& none) {
        if (setting.empty() || MergeSetting(setting).off()) return;
        if (m_bare)
            add(name, {}, kBareMerge);
        else if (!stages)
            add(name, {}, none);
    }

    void sides() {
        for (const auto& [key, side] : m_options.cubeL1ReuseSide.entries) {
            const std::int64_t* const count = m_options.cubeL1Reuse.find(key);
            if (count == nullptr || side == "auto") continue;  // OPT-11 is about keys that are not there
            if (m_bare)
                add("cube_l1_reuse_side/" + pointerStep(key), side, kBareMerge);
            else if (*count == 1)
                add("cube_l1_reuse_side/" + pointerStep(key), side, kNoMerge);
        }
    }

    void byHand() {
        if (m_options.unitFlag && (!m_bare || !m_cube)) add("unit_flag", "true", m_bare ? kNoCube : kByHand);
        if (m_options.bufferSlots.empty()) return;
        if (!m_bare || !m_cube) return add("buffer_slots", {}, m_bare ? kNoCube : kByHand);
        for (const SlotShortage& shortage : slotShortages(m_program, HandWritten(m_options))) {
            const std::string stage = "'" + m_program.stages[shortage.stage.value].id.text + "': ";
            const std::string asked = std::to_string(shortage.asked), got = std::to_string(shortage.got);
            const std::string name(bufferName(shortage.buffer));
            const std::string en = stage + shortageText(shortage);
            const std::string zh =
                stage + name + " 要求 " + asked + " 个缓冲槽，" +
                (shortage.reloaded ? "但 A 与 B 放不下：每次搬运都重新加载" : "只放得下 " + got + " 个");
            addText("buffer_slots/" + name, en, zh);
        }
    }

    void runtime() {
        const Options plain;
        const auto number = [&](const char* name, std::int64_t value, std::int64_t usual) {
            if (value != usual) add(name, std::to_string(value), kBareRuntime);
        };
        byHand();
        if (m_bare) {
            number("device_sched_mode", m_options.deviceSchedMode, plain.deviceSchedMode);
            number("device_sched_parallelism", m_options.deviceSchedParallelism, plain.deviceSchedParallelism);
            number("stitch_function_max_num", m_options.stitchFunctionMaxNum, plain.stitchFunctionMaxNum);
            number("launch_sched_aicpu_num", m_options.launchSchedAicpuNum, plain.launchSchedAicpuNum);
            number("max_workspace_kb", m_options.maxWorkspaceKb, plain.maxWorkspaceKb);
            if (m_options.autoMixPartition) add("auto_mix_partition", "1", kBareMerge);
            if (m_options.validShapeOptimize && m_loops) add("valid_shape_optimize", "1", kBareCompiler);
            return;
        }
        if (m_options.validShapeOptimize && m_loops && !hasMainBlocks()) add("valid_shape_optimize", "1", kTailsOnly);
        if (m_roots > 1 && m_options.maxWorkspaceKb > 0 && !hasWorkspaces())
            add("max_workspace_kb", std::to_string(m_options.maxWorkspaceKb), kNoWorkspace);
        const bool stitches =
            m_options.maxWorkspaceKb == 0 && m_options.stitchFunctionMaxNum != plain.stitchFunctionMaxNum;
        const auto most = static_cast<std::int64_t>(m_roots);
        if (most > 1 && stitches && most <= std::min(m_options.stitchFunctionMaxNum, plain.stitchFunctionMaxNum))
            add("stitch_function_max_num", std::to_string(m_options.stitchFunctionMaxNum), kAllStitched);
        if (m_roots > 1) return;
        if (m_options.maxWorkspaceKb > 0)  // of the other one OPT-09 says that it is ignored then
            add("max_workspace_kb", std::to_string(m_options.maxWorkspaceKb), kOneRoot);
        else if (m_options.stitchFunctionMaxNum != plain.stitchFunctionMaxNum)
            add("stitch_function_max_num", std::to_string(m_options.stitchFunctionMaxNum), kOneRoot);
    }

    [[nodiscard]] bool hasWorkspaces() const {
        return std::ranges::any_of(m_program.tensors,
                                   [](const GmTensor& tensor) { return tensor.role == GmRole::Workspace; });
    }

    /// Whether the option makes a leaf static.
    [[nodiscard]] bool hasMainBlocks() const {
        Options without = m_options;
        without.validShapeOptimize = false;
        return leafSettings(m_program, &m_options) != leafSettings(m_program, &without);
    }

    const Program& m_program;
    const Options& m_options;
    bool m_bare;
    bool m_cube = false, m_vector = false;
    bool m_loops = false;  ///< at run time; without, the rules say that everything is compiled for static shapes
    std::size_t m_roots = 0;
    std::vector<Finding> m_findings;
};

Finding loopFinding(const char* rule, const ResolvedLoop& loop, const char* key, std::string text, std::string textZh) {
    Finding finding;
    finding.ruleId = rule;
    finding.severity = Severity::Hint;
    finding.where = loop.where + "/" + key;
    finding.block = loop.loop->id;
    finding.message = std::move(text);
    finding.messageZh = std::move(textZh);
    return finding;
}

/// Does a stage or a store stand in front of it, or run in an earlier iteration of an outer loop?
bool follows(const ResolvedDesign& design, const ResolvedLoop& loop) {
    if (!loop.outer.empty()) return true;
    return std::ranges::any_of(design.blocks, [&](const ResolvedBlock& block) {
        const auto& content = block.block->content;
        const bool works = std::holds_alternative<CubeStage>(content) || std::holds_alternative<VectorStage>(content) ||
                           std::holds_alternative<Store>(content);
        return works && pointerLess(block.where, loop.where);
    });
}

void addIdleLoop(const ResolvedDesign& design, const ResolvedLoop& loop, const Options& options, bool bare,
                 std::vector<Finding>& findings) {
    const std::string name = "'" + loop.loop->id.text + "'";
    const bool runtime = loop.loop->form == LoopKind::Runtime;
    const bool once = runtime && loop.iterations <= 1 && !loop.varies();
    if (runtime && loop.loop->parallel && options.deviceSchedParallelism > 1 && (once || bare))
        findings.push_back(loopFinding(
            "LOOP-01", loop, "parallel",
            "parallel=True has no effect: " +
                (bare ? std::string(kBareRuntime.en) : "the loop " + name + " has one iteration"),
            "parallel=True 不起作用：" + (bare ? std::string(kBareRuntime.zh) : "循环 " + name + " 只有一次迭代")));
    if (loop.loop->submitBeforeLoop && loop.loop->form != LoopKind::Static && (bare || !follows(design, loop)))
        findings.push_back(loopFinding(
            "LOOP-05", loop, "submit_before_loop",
            "submit_before_loop has no effect: " +
                (bare ? std::string(kBareRuntime.en) : "nothing stands in front of " + name),
            "submit_before_loop 不起作用：" + (bare ? std::string(kBareRuntime.zh) : name + " 之前没有任何计算")));
    if (loop.loop->form != LoopKind::Unroll || loop.varies() || loop.factors.size() < 2) return;
    const std::int64_t least = loop.factors[loop.factors.size() - 2];  // the last one is 1
    if (least <= loop.axis) return;
    const std::string factor = std::to_string(least), count = std::to_string(loop.axis);
    findings.push_back(
        loopFinding("LOOP-05", loop, "unroll",
                    "the smallest factor of " + name + " is " + factor + " and the loop has " + count +
                        " iterations: all of them run with factor 1",
                    name + " 的最小展开因子为 " + factor + "，而循环只有 " + count + " 次迭代：全部按因子 1 执行"));
}

}  // namespace

std::vector<Finding> idleOptions(const ResolvedDesign& design, const Program& program, const Options& options,
                                 bool bare) {
    std::vector<Finding> findings = IdleOptions(design, program, options, bare).run();
    for (const ResolvedLoop& loop : design.loops) addIdleLoop(design, loop, options, bare, findings);
    return findings;
}

}  // namespace cubist
