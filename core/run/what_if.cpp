// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/what_if.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/chip/faster_chip.h"
#include "core/design/resolve.h"
#include "core/lowering/bare_launch.h"
#include "core/lowering/leaf_builder.h"
#include "core/lowering/lower.h"
#include "core/lowering/slot_shortage.h"
#include "core/rules/checker.h"
#include "core/timing/timing_engine.h"

namespace cubist {
namespace {

void scale(Constant& constant, std::int64_t numerator, std::int64_t denominator) {
    constant.value = constant.value * Rational(numerator, denominator);
}

/// One more slot than the stage asks for or, where it asks for none, than the two that are tried.
void oneMoreSlot(std::vector<Block>& blocks, const std::set<std::string>& refused) {
    for (Block& block : blocks) {
        if (auto* loop = std::get_if<Loop>(&block.content)) oneMoreSlot(loop->body, refused);
        auto* cube = std::get_if<CubeStage>(&block.content);
        if (cube != nullptr && !refused.contains(cube->id.text)) cube->slotCount = cube->slotCount.value_or(2) + 1;
    }
}

/// Rule and place of what the rules refuse, or nothing when the design does not resolve.
std::optional<std::set<std::pair<std::string, std::string>>> errorsOf(const Design& design, const Binding& binding,
                                                                      const ChipSpec& chip) {
    const Result<ResolvedDesign> resolved = resolve(design, binding);
    if (!resolved) return std::nullopt;
    return errorsIn(*resolved, chip, design.profile);
}

/// The stages in which `place` lies.
void addStageAt(const ResolvedDesign& design, const std::string& place, std::set<std::string>& stages) {
    for (const ResolvedBlock& block : design.blocks)
        if (std::holds_alternative<CubeStage>(block.block->content) && place.starts_with(block.where + "/"))
            stages.insert(block.block->id().text);
}

/// Only what a setting of the design could give: stages in which the rules refuse another slot keep theirs. Nothing:
/// no stage can have one.
std::optional<Design> withOneMoreSlot(const Design& design, const Binding& binding, const ChipSpec& chip) {
    const auto before = errorsOf(design, binding, chip);
    const Result<ResolvedDesign> resolved = resolve(design, binding);
    if (!before || !resolved) return std::nullopt;
    std::set<std::string> refused;
    for (;;) {
        Design edited = design;
        oneMoreSlot(edited.blocks, refused);
        if (edited == design) return std::nullopt;
        const auto after = errorsOf(edited, binding, chip);
        if (!after) return std::nullopt;
        const std::size_t known = refused.size();
        bool clean = true;
        for (const auto& error : *after) {
            if (before->contains(error)) continue;
            clean = false;
            addStageAt(*resolved, error.second, refused);
        }
        if (clean) return edited;
        if (refused.size() == known) return std::nullopt;
    }
}

/// More slots of L1 than any cube stage has. Nothing: a stage would have fewer then, or none more, for want of room.
std::optional<Design> withOneMoreL1Slot(const Design& design, const Binding& binding, const ChipSpec& chip) {
    std::int64_t most = 0;
    const auto visit = [&](const auto& self, const std::vector<Block>& blocks) -> void {
        for (const Block& block : blocks) {
            if (const auto* loop = std::get_if<Loop>(&block.content)) self(self, loop->body);
            if (const auto* cube = std::get_if<CubeStage>(&block.content))
                most = std::max(most, cube->slotCount.value_or(2));
        }
    };
    visit(visit, design.blocks);
    if (most < 1) return std::nullopt;
    if (const std::int64_t* own = design.options.bufferSlots.find("L1")) most = *own;
    Design edited = design;
    edited.options.bufferSlots.set("L1", most + 1);
    const Result<Program> program = lower(edited, binding, chip, {});
    if (!program) return std::nullopt;
    HandWritten asked;
    asked.l1Slots = most + 1;
    bool more = false;
    std::set<std::size_t> tight;
    for (const SlotShortage& shortage : slotShortages(*program, asked)) {
        if (shortage.got < most) return std::nullopt;
        tight.insert(shortage.stage.value);
    }
    for (std::size_t s = 0; s < program->stages.size(); ++s)
        more = more || (program->stages[s].kind == TaskKind::Aic && !tight.contains(s));
    return more ? std::optional(std::move(edited)) : std::nullopt;
}

struct Change {
    const char* id;
    const char* text;
    const char* textZh;
    std::function<void(Design&, ChipSpec&)> apply;  ///< empty: see `edit`
    /// Nothing: cannot be had.
    std::optional<Design> (*edit)(const Design&, const Binding&, const ChipSpec&) = nullptr;
};

std::vector<Change> changes() {
    const auto more = [](Resource resource) {
        return [resource](Design&, ChipSpec& chip) { makeFaster(chip, resource); };
    };
    return {
        {"cube", "cube 10 % faster", "cube 快 10 %", more(Resource::Cube)},
        {"mte1", "L1 to L0 10 % faster", "L1 到 L0 快 10 %", more(Resource::Mte1)},
        {"mte2", "each core's loads 10 % faster", "单核加载快 10 %", more(Resource::Mte2)},
        {"hbm", "HBM 10 % faster", "HBM 快 10 %", more(Resource::Hbm)},
        {"l2", "L2 10 % faster", "L2 快 10 %", more(Resource::L2)},
        {"l2_capacity", "L2 10 % larger", "L2 大 10 %",
         [](Design&, ChipSpec& chip) { scale(chip.l2EffectiveBytes, 11, 10); }},
        {"fixpipe", "FIXPIPE 10 % faster", "FIXPIPE 快 10 %", more(Resource::Fixpipe)},
        {"vector", "vector unit 10 % faster", "向量单元快 10 %", more(Resource::Vector)},
        {"mte3", "UB to global memory 10 % faster", "UB 到 GM 快 10 %", more(Resource::Mte3)},
        {"dispatch", "AICPUs hand out tasks twice as fast", "AICPU 任务下发快一倍",
         [](Design&, ChipSpec& chip) {
             for (Constant* cycles : {&chip.dispatchCycles, &chip.resolveCycles, &chip.pollCycles, &chip.submitCycles})
                 scale(*cycles, 1, 2);
         }},
        {"stitch", "device tasks are built twice as fast", "device 任务构建快一倍",
         [](Design&, ChipSpec& chip) { scale(chip.stitchCycles, 1, 2); }},
        {"core", "one more cube core and its vector cores", "多一个 cube 核及其向量核",
         [](Design&, ChipSpec& chip) {
             const Rational perCube = chip.aivCount.value / chip.aicCount.value;
             chip.aicCount.value = chip.aicCount.value + Rational(1);
             chip.aivCount.value = chip.aivCount.value + perCube;
         }},
        {"unit_flag", "FIXPIPE follows the last mmad block by block", "FIXPIPE 逐块跟随最后的 mmad",
         [](Design& design, ChipSpec&) { design.options.unitFlag = true; }},
        {"slot",
         "one more slot for every cube tile that leaves room",
         "为放得下的 cube tile 多一个槽位",
         {},
         withOneMoreSlot},
        {"l1_slot", "one more slot in L1 alone", "仅 L1 多一个槽位", {}, withOneMoreL1Slot},
        {"l1_capacity", "L1 twice as large", "L1 大一倍", [](Design&, ChipSpec& chip) { scale(chip.l1Bytes, 2, 1); }},
    };
}

Result<Trace> predictEdited(const Design& design, const Binding& binding, const ChipSpec& chip, const BlockOrder* bare,
                            const RunContext& context) {
    CUBIST_TRY(Program program, lower(design, binding, chip, context));
    if (bare == nullptr) return predict(program, chip, context, {.coreOf = {}, .runtime = &design.options});
    CUBIST_TRY(const BareLaunch launch, launchBare(std::move(program), *bare, chip, context));
    return predict(launch.program, chip, context, {.coreOf = launch.coreOf, .runtime = &design.options});
}

}  // namespace

Result<std::vector<WhatIf>> whatIf(const Design& design, const Binding& binding, const ChipSpec& chip,
                                   const Trace& base, const RunContext& context, const BlockOrder* bare) {
    std::vector<WhatIf> out;
    for (const Change& change : changes()) {
        if (std::string_view(change.id) == "unit_flag" && (bare == nullptr || design.options.unitFlag)) continue;
        std::optional<Design> edited = change.apply ? std::optional(design) : change.edit(design, binding, chip);
        if (!edited) continue;
        ChipSpec better = chip;
        if (change.apply) change.apply(*edited, better);
        const Result<Trace> trace = predictEdited(*edited, binding, better, bare, context);
        if (context.cancelled()) return cancelledError();
        if (!trace) continue;
        out.push_back(
            {change.id, change.text, change.textZh, trace->kernel, trace->endToEnd, base.kernel - trace->kernel});
    }
    std::ranges::stable_sort(out, std::ranges::greater(), &WhatIf::gain);
    return out;
}

}  // namespace cubist
