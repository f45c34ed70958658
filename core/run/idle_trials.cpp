// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/idle_trials.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/design/block_values.h"

namespace cubist {
namespace {

/// A setting that is taken back.
struct IdleTrial {
    const char* rule;
    std::string where;
    std::string setting;  ///< as it is shown: "device_sched_mode = 1"
    std::function<void(Design&)> takeBack;
    bool keepsOne = false;  ///< a count of all groups becomes 1, which merges nothing
};

bool sameStages(const Trace& a, const Trace& b) {
    return std::ranges::equal(a.stages, b.stages, [](const StageTiming& x, const StageTiming& y) {
        return x.stage == y.stage && x.span == y.span && x.busy == y.busy && x.critical == y.critical &&
               x.tasks == y.tasks;
    });
}

bool sameTrace(const Trace& a, const Trace& b) {
    const bool sums = a.kernel == b.kernel && a.endToEnd == b.endToEnd && a.causes == b.causes &&
                      a.waitData == b.waitData && a.waitSlot == b.waitSlot && a.gmReadBytes == b.gmReadBytes &&
                      a.gmWriteBytes == b.gmWriteBytes && a.hbmBytes == b.hbmBytes && a.l1Bytes == b.l1Bytes &&
                      a.instructions == b.instructions;
    return sums && sameStages(a, b) &&
           std::ranges::equal(a.tasks, b.tasks, [](const TaskInterval& x, const TaskInterval& y) {
               return x.task == y.task && x.core.kind == y.core.kind && x.core.index == y.core.index &&
                      x.ready == y.ready && x.start == y.start && x.end == y.end;
           });
}

std::string step(const std::string& key) {
    std::string out;
    for (const char c : key) out += c == '~' ? "~0" : (c == '/' ? "~1" : std::string(1, c));
    return out;
}

template <class T>
void eraseKey(Dictionary<T>& dictionary, const std::string& key) {
    std::erase_if(dictionary.entries, [&](const auto& entry) { return entry.key == key; });
}

class TrialList {
public:
    TrialList(const Design& design, const ResolvedDesign& resolved, bool bare)
        : m_design(design), m_resolved(resolved), m_bare(bare) {}

    std::vector<IdleTrial> take() {
        if (m_bare) {
            byHand();
        } else {
            merges();
            runtime();
            loops();
        }
        cubes();
        tensors();
        return std::move(m_trials);
    }

private:
    void option(const char* name, const std::string& value, std::function<void(Options&)> takeBack) {
        m_trials.push_back({"OPT-03", std::string("/options/") + name, std::string(name) + " = " + value,
                            [back = std::move(takeBack)](Design& design) { back(design.options); }});
    }

    template <class T>
    void plain(const char* name, T Options::*member) {
        const T usual = Options().*member;
        if (m_design.options.*member == usual) return;
        option(name, std::to_string(m_design.options.*member),
               [member, usual](Options& options) { options.*member = usual; });
    }

    void runtime() {
        plain("device_sched_mode", &Options::deviceSchedMode);
        plain("device_sched_parallelism", &Options::deviceSchedParallelism);
        plain("stitch_function_max_num", &Options::stitchFunctionMaxNum);
        plain("max_workspace_kb", &Options::maxWorkspaceKb);
        plain("launch_sched_aicpu_num", &Options::launchSchedAicpuNum);
        plain("valid_shape_optimize", &Options::validShapeOptimize);
        plain("auto_mix_partition", &Options::autoMixPartition);
        if (const auto& early = m_design.options.launchEarlyMode)
            option("launch_early_mode", std::to_string(*early), [](Options& options) { options.launchEarlyMode = {}; });
    }

    void merges() {
        merge("cube_l1_reuse_setting", &Options::cubeL1Reuse);
        merge("cube_nbuffer_setting", &Options::cubeNBuffer);
        merge("vec_nbuffer_setting", &Options::vecNBuffer);
        for (const auto& [key, side] : m_design.options.cubeL1ReuseSide.entries)
            if (side != "auto")
                m_trials.push_back({"OPT-03", "/options/cube_l1_reuse_side/" + step(key),
                                    "cube_l1_reuse_side " + key + " = " + side,
                                    [key = key](Design& edited) { eraseKey(edited.options.cubeL1ReuseSide, key); }});
    }

    /// Without the key of all groups everything would be merged automatically; what it is compared with is no merging.
    void merge(const std::string& name, Dictionary<std::int64_t> Options::*setting) {
        for (const auto& [key, count] : (m_design.options.*setting).entries) {
            if (count <= 1 || key == "-2") continue;
            const bool general = key == "-1" || key == "DEFAULT";
            m_trials.push_back({"OPT-03", "/options/" + name + "/" + step(key),
                                name + " {" + key + ": " + std::to_string(count) + "}",
                                [setting, key = key, general](Design& edited) {
                                    if (general)
                                        (edited.options.*setting).set(key, 1);
                                    else
                                        eraseKey(edited.options.*setting, key);
                                },
                                general});
        }
    }

    void byHand() {
        if (m_design.options.unitFlag) option("unit_flag", "true", [](Options& options) { options.unitFlag = false; });
        for (const auto& [key, count] : m_design.options.bufferSlots.entries)
            m_trials.push_back({"OPT-03", "/options/buffer_slots/" + step(key),
                                "buffer_slots " + key + " = " + std::to_string(count),
                                [key = key](Design& edited) { eraseKey(edited.options.bufferSlots, key); }});
    }

    template <class T>
    void block(const char* rule, std::string where, std::string setting, const BlockId& id,
               std::function<void(T&)> takeBack) {
        m_trials.push_back(
            {rule, std::move(where), std::move(setting), [id, back = std::move(takeBack)](Design& edited) {
                 visitTree(edited.blocks, [&](Block& each) {
                     if (auto* content = std::get_if<T>(&each.content); content != nullptr && content->id == id)
                         back(*content);
                 });
             }});
    }

    void loops() {
        for (const ResolvedLoop& resolved : m_resolved.loops) {
            const Loop& loop = *resolved.loop;
            const std::string of = " of '" + loop.id.text + "'";
            if (loop.parallel && m_design.options.deviceSchedParallelism > 1)
                block<Loop>("LOOP-01", resolved.where + "/parallel", "parallel=True" + of, loop.id,
                            [](Loop& edited) { edited.parallel = false; });
            if (loop.submitBeforeLoop)
                block<Loop>("LOOP-05", resolved.where + "/submit_before_loop", "submit_before_loop" + of, loop.id,
                            [](Loop& edited) { edited.submitBeforeLoop = false; });
            if (loop.form != LoopKind::Unroll || std::ranges::count_if(loop.unroll, [](auto f) { return f > 1; }) < 2)
                continue;
            for (std::size_t i = 0; i < loop.unroll.size(); ++i) {
                const std::int64_t factor = loop.unroll[i];
                if (factor > 1)
                    block<Loop>("LOOP-05", resolved.where + "/unroll/" + std::to_string(i),
                                "the factor " + std::to_string(factor) + of, loop.id,
                                [factor](Loop& edited) { std::erase(edited.unroll, factor); });
            }
        }
    }

    void cubes() {
        for (const ResolvedBlock& resolved : m_resolved.blocks) {
            const auto* cube = std::get_if<CubeStage>(&resolved.block->content);
            if (cube == nullptr || !cube->slotCount) continue;
            block<CubeStage>("OPT-03", resolved.where + "/slots",
                             "slots of '" + cube->id.text + "' = " + std::to_string(*cube->slotCount), cube->id,
                             [](CubeStage& edited) { edited.slotCount.reset(); });
        }
    }

    void tensors() {
        for (std::size_t i = 0; i < m_design.tensors.size(); ++i) {
            const Tensor& tensor = m_design.tensors[i];
            if (tensor.cache == CachePolicy::Default) continue;
            m_trials.push_back({"OPT-03", "/tensors/" + std::to_string(i) + "/cache",
                                "cache of '" + tensor.id.text + "' = " + std::string(toText(tensor.cache)),
                                [i](Design& edited) { edited.tensors[i].cache = CachePolicy::Default; }});
        }
    }

    const Design& m_design;
    const ResolvedDesign& m_resolved;
    bool m_bare;
    std::vector<IdleTrial> m_trials;
};

/// About the setting itself, or about all of an option that it is a part of.
bool isKnown(const std::vector<Finding>& findings, const std::string& where) {
    return std::ranges::any_of(findings, [&](const Finding& finding) {
        if (finding.where == where) return true;
        const bool part = finding.ruleId == "OPT-03" || finding.ruleId == "LOOP-05";
        return part && where.starts_with(finding.where + "/");
    });
}

}  // namespace

std::vector<Finding> idleTrials(const Design& design, const ResolvedDesign& resolved, bool bare,
                                const std::vector<Finding>& known, const Trace& base,
                                const PredictEdited& predictEdited) {
    std::vector<Finding> findings;
    for (const IdleTrial& trial : TrialList(design, resolved, bare).take()) {
        if (isKnown(known, trial.where)) continue;
        Design edited = design;
        trial.takeBack(edited);
        const std::optional<Trace> trace = predictEdited(edited);
        if (!trace || !sameTrace(base, *trace)) continue;
        Finding finding;
        finding.ruleId = trial.rule;
        finding.severity = Severity::Hint;
        finding.where = trial.where;
        finding.message =
            trial.setting + " has no effect on this prediction: without it every task runs at the same time";
        finding.messageZh = trial.setting + " 对本次预测没有影响：去掉后所有任务的时间完全相同";
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace cubist
