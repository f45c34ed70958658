// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/program_findings.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "core/chip/slots.h"

namespace cubist {
namespace {

constexpr std::size_t kMostGroups = 8;

/// "0 (gate, 32 subgraphs), 1 (down, 8 subgraphs)"; groups of further roots with the same number are not repeated.
std::string groupList(const Program& program, TaskKind kind, bool chinese) {
    std::string out;
    std::set<std::uint32_t> orders;
    for (const MergeGroup& group : program.groups) {
        if (group.kind != kind || !orders.insert(group.order).second) continue;
        if (orders.size() > kMostGroups) return out + ", ...";
        if (!out.empty()) out += ", ";
        out += std::to_string(group.order) + " (" + program.stages[group.stage.value].id.text + ", " +
               std::to_string(group.subgraphs) + (chinese ? " 个子图)" : " subgraphs)");
    }
    return out.empty() ? (chinese ? "无" : "none") : out;
}

std::string escaped(const std::string& key) {
    std::string out;
    for (const char c : key) out += c == '~' ? "~0" : (c == '/' ? "~1" : std::string(1, c));
    return out;
}

/// Does the setting leave the groups that it does not name to the compiler?
bool automatic(const Options& options, const std::string& option) {
    const Dictionary<std::int64_t>& setting = option == "vec_nbuffer_setting"    ? options.vecNBuffer
                                              : option == "cube_nbuffer_setting" ? options.cubeNBuffer
                                                                                 : options.cubeL1Reuse;
    return setting.find("-1") == nullptr && setting.find("DEFAULT") == nullptr;
}

/// Looks at the copies into L1 of one task.
void noteLoads(const Program& program, const Task& task, PredictedStage& stage) {
    // Members of a merged task bring boxes of their own: what they both read is a matter of cube_l1_reuse_setting.
    using Piece = std::tuple<std::uint16_t, std::array<std::uint32_t, 2>, std::array<std::uint32_t, 2>>;
    std::set<Piece> pieces;
    const std::span<const Box> boxes = program.boxesOf(task);
    std::int64_t loads = 0, shortest = 0;
    for (const Instruction& instruction : program.leafOf(task).instructions) {
        if (instruction.op != Opcode::LoadL1) continue;
        const Box& box = boxes[instruction.box];
        const GmTensor& tensor = program.tensors[box.tensor.value];
        ++loads;
        pieces.emplace(instruction.box, instruction.at, instruction.extent);
        if (tensor.format == Format::NZ || instruction.extent[0] < 2) continue;
        const std::int64_t row = std::int64_t{instruction.extent[1]} * bitsPerElement(tensor.dtype) / 8;
        // A row that is the whole row of its tensor goes on in the next one.
        if (instruction.extent[1] == tensor.shape[3]) continue;
        shortest = shortest == 0 ? row : std::min(shortest, row);
    }
    const auto distinct = static_cast<std::int64_t>(pieces.size());
    if (loads - distinct < stage.loads - stage.distinct || (loads - distinct == 0 && loads < stage.loads)) return;
    stage.loads = loads;
    stage.distinct = distinct;
    stage.shortestRow = shortest;
}

/// CAP-14.
void noteMemory(const Program& program, const ChipSpec& chip, std::vector<Finding>& out) {
    std::int64_t bytes = 0;
    for (const GmTensor& tensor : program.tensors)
        if (tensor.role != GmRole::Workspace) bytes = saturatingAdd(bytes, tensor.bytes());
    const std::int64_t room = chip.hbmBytes.integer();
    if (bytes <= room) return;
    Finding finding;
    finding.ruleId = "CAP-14";
    finding.severity = Severity::Warning;
    finding.where = "/tensors";
    finding.measured = static_cast<double>(bytes);
    finding.limit = static_cast<double>(room);
    finding.message = "inputs and outputs take " + std::to_string(bytes) + " B, the HBM of the chip has " +
                      std::to_string(room) + " B";
    finding.messageZh = "输入与输出占 " + std::to_string(bytes) + " B，芯片的 HBM 只有 " + std::to_string(room) + " B";
    out.push_back(std::move(finding));
}

}  // namespace

Prediction predictionOf(const Program& program, const Trace& trace, std::string order) {
    Prediction prediction;
    prediction.order = std::move(order);
    prediction.aicCount = trace.aicCount;
    prediction.aivCount = trace.aivCount;
    prediction.kernelUs = trace.microseconds(trace.kernel);
    for (const ProgramStage& stage : program.stages)
        prediction.stages.push_back({stage.id, stage.where, stage.kind == TaskKind::Aic, 0, 1, 0, 0, 0, 0, 0, 0, 0});
    for (const StageTiming& timing : trace.stages) {
        prediction.stages[timing.stage.value].busyUs = trace.microseconds(timing.busy);
        prediction.stages[timing.stage.value].criticalUs = trace.microseconds(timing.critical);
    }
    std::vector<bool> seen(program.leaves.size(), false);
    std::set<std::pair<std::size_t, std::uint32_t>> used;
    for (const TaskInterval& interval : trace.tasks) {
        const std::size_t stage = program.stageOf(program.tasks[interval.task.value]).value;
        if (used.emplace(stage, interval.core.index).second) ++prediction.stages[stage].cores;
    }
    for (const Task& task : program.tasks) {
        PredictedStage& stage = prediction.stages[program.stageOf(task).value];
        ++stage.tasks;
        stage.blocks += task.memberCount;
        stage.merged = std::max<std::int64_t>(stage.merged, task.memberCount);
        if (trace.tasks.empty() && stage.cube) stage.cores = std::min(stage.tasks, trace.usedAic);  // at most
        if (!stage.cube || seen[task.leaf.value]) continue;
        seen[task.leaf.value] = true;
        noteLoads(program, task, stage);
    }
    return prediction;
}

std::vector<Finding> programFindings(const Program& program, const Options& options, const ChipSpec& chip) {
    std::vector<Finding> out;
    noteMemory(program, chip, out);
    const bool canMix = chip.l0cToUbBytesPerCycle.value > Rational(0);  // of other chips OPT-03 says so
    const bool mixed = std::ranges::any_of(program.leaves, [](const Leaf& leaf) { return leaf.vectorCores > 0; });
    if (options.autoMixPartition && canMix && !mixed) {
        Finding finding;
        finding.ruleId = "OPT-03";
        finding.severity = Severity::Hint;
        finding.where = "/options/auto_mix_partition";
        finding.message =
            "auto_mix_partition = 1: no vector task takes whole tiles of one matmul block alone, or the "
            "cube would wait longer than the way through global memory takes; nothing is mixed";
        finding.messageZh =
            "auto_mix_partition = 1：没有 vector 任务只取单个 matmul 块的完整 tile，或者 cube 的等待会长于经过 GM "
            "的时间；没有任务被混合";
        out.push_back(std::move(finding));
    }
    if (options.combineAxis) {
        Finding finding;
        finding.ruleId = "OPT-03";
        finding.severity = Severity::Hint;
        finding.where = "/options/combine_axis";
        finding.message =
            "combine_axis = 1: kept and exported; the emulated core never lays a broadcast out in UB, with it or "
            "without, so the time is the same";
        finding.messageZh = "combine_axis = 1：会保存并导出；仿真核无论是否开启都不会在 UB 中展开广播，时间相同";
        out.push_back(std::move(finding));
    }
    for (const UnmatchedKey& key : program.unmatchedKeys) {
        const TaskKind kind = key.option == "vec_nbuffer_setting" ? TaskKind::Aiv : TaskKind::Aic;
        Finding finding;
        finding.ruleId = "OPT-07";
        finding.severity = Severity::Warning;
        finding.where = "/options/" + key.option + "/" + escaped(key.key);
        finding.message = key.option + ": the key " + key.key + " meets nothing and is ignored" +
                          (automatic(options, key.option) ? "; what has no key is merged automatically" : "") +
                          "; groups of " + (kind == TaskKind::Aic ? "cube" : "vector") +
                          " tasks: " + groupList(program, kind, false);
        finding.messageZh = key.option + "：键 " + key.key + " 没有匹配，会被忽略" +
                            (automatic(options, key.option) ? "；没有键的组自动合图；" : "；") +
                            (kind == TaskKind::Aic ? "cube" : "vector") + " 任务组：" + groupList(program, kind, true);
        out.push_back(std::move(finding));
    }
    return out;
}

void keepEqualEntries(const ResolvedDesign& design, const Program& program, const std::vector<EqualEntries>& found,
                      RuleProfile profile, std::vector<Finding>& findings) {
    // Harm that the compiler is silent about: a warning where its own checks count, else an error.
    const Severity known = profile == RuleProfile::Documented ? Severity::Error : Severity::Warning;
    const auto entriesOf = [&](const Finding& finding) {
        const ResolvedBlock* block = design.block(finding.block);
        const auto* store = block != nullptr ? std::get_if<Store>(&block->block->content) : nullptr;
        const ResolvedValue* value = store != nullptr ? design.value(store->from) : nullptr;
        return std::ranges::find_if(found, [&](const EqualEntries& entries) {
            const BlockId& stage = program.stages[entries.stage.value].id;
            return value != nullptr && entries.tensor &&
                   program.tensors[entries.tensor->value].name == store->to.text &&
                   (stage == finding.block || stage == value->producer);
        });
    };
    std::erase_if(findings, [&](Finding& finding) {
        if (finding.ruleId != "STORE-07") return false;
        const auto entries = entriesOf(finding);
        if (entries == found.end()) return true;
        finding.severity = known;
        finding.message = entries->message;
        finding.messageZh = entries->messageZh;
        return false;
    });
    for (const EqualEntries& entries : found) {
        if (entries.tensor) continue;
        const ProgramStage& stage = program.stages[entries.stage.value];
        Finding finding;
        finding.ruleId = "STORE-07";
        finding.severity = known;
        finding.where = stage.where;
        finding.block = stage.id;
        finding.message = entries.message;
        finding.messageZh = entries.messageZh;
        findings.push_back(std::move(finding));
    }
}

}  // namespace cubist
