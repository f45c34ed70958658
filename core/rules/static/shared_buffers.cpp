// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/static/shared_buffers.h"

#include <array>
#include <variant>

#include "core/chip/slots.h"
#include "core/rules/buffer_use.h"
#include "core/rules/static/data_flow.h"
#include "core/rules/tile_fixes.h"

namespace cubist::rules {
namespace {

struct Planned {
    const ResolvedBlock* block = nullptr;
    const CubeStage* cube = nullptr;
    std::size_t index = 0;  ///< in ResolvedDesign::blocks
};

/// "'up' B 128 x 256 FP16 in 1 slot, 65536 B until its last step along K".
Text share(const Planned& stage, const BufferUse& use, bool first) {
    const std::int64_t slots = *stage.cube->slotCount;
    const std::string bytes = text(saturatingMul(slots, use.bytesPerSlot)) + " B";
    const std::string what = "'" + stage.cube->id.text + "' " + use.contributors.front().what;
    return {
        what + " in " + text(slots) + (slots == 1 ? " slot, " : " slots, ") + bytes +
            (first ? " until its last step along K" : " from its first step along K"),
        what + "，" + text(slots) + " 个缓冲槽，" + bytes + (first ? "，直到 K 方向最后一步" : "，从 K 方向第一步起")};
}

/// The first stage with half of kL0, and half again, until both fit `capacity`.
void offerSmallerK(Reported& entry, const CheckContext& context, BufferFacts& facts, const Planned& stage,
                   std::size_t buffer, std::int64_t other, std::int64_t capacity) {
    CubeTile tile = stage.cube->tile;
    const DType a = context.design.value(stage.cube->a)->dtype, b = context.design.value(stage.cube->b)->dtype;
    while (tile.kL0() % 2 == 0 && tile.kL0() > 2) {
        tile = withL0(tile, 'k', tile.kL0() / 2);
        const CubeTile cut = facts.measured(tile, *stage.block);
        const CubeTileBytes bytes = cubeTileBytes(cut.mL0(), cut.kL0(), cut.kAL1(), cut.kBL1(), cut.nL0(), a, b);
        const std::int64_t own = saturatingMul(*stage.cube->slotCount, buffer == 0 ? bytes.l0A : bytes.l0B);
        if (saturatingAdd(own, other) > capacity) continue;
        FixCandidate candidate = tileCandidate(stage.block->where, stage.cube->tile, tile);
        if (!candidate.edits.empty()) entry.candidates.push_back(std::move(candidate));
        return;
    }
}

void checkPair(CheckContext& context, BufferFacts& facts, const Planned& first, const Planned& second) {
    const auto mine = bufferUse(facts, *first.block, context.chip);
    const auto next = bufferUse(facts, *second.block, context.chip);
    if (mine.empty() || next.empty()) return;
    for (const std::size_t buffer : {std::size_t{0}, std::size_t{1}}) {
        const std::int64_t own = saturatingMul(*first.cube->slotCount, mine[buffer].bytesPerSlot);
        const std::int64_t other = saturatingMul(*second.cube->slotCount, next[buffer].bytesPerSlot);
        const std::int64_t sum = saturatingAdd(own, other), capacity = mine[buffer].capacity;
        // One that does not fit alone is CAP-01, CAP-02 or CAP-08.
        if (own > capacity || other > capacity || sum <= capacity) continue;
        const Text tail = ofCapacity(sum, capacity);
        const Text one = share(first, mine[buffer], true), two = share(second, next[buffer], false);
        const std::string name = mine[buffer].buffer, head = text(own) + " B + " + text(other) + " B = ";
        Reported* entry =
            context.report("CAP-12", second.block->where + "/slots", second.cube->id,
                           {name + " needs " + head + tail.en + " while both live: " + one.en + "; " + two.en,
                            "两者同时存活时 " + name + " 需要 " + head + tail.zh + "：" + one.zh + "；" + two.zh});
        if (entry == nullptr) return;
        entry->finding.measured = static_cast<double>(sum);
        entry->finding.limit = static_cast<double>(capacity);
        entry->candidates.push_back(
            {{"Let '" + second.cube->id.text + "' wait for '" + first.cube->id.text +
                  "': choose its slots automatically",
              "让 '" + second.cube->id.text + "' 等待 '" + first.cube->id.text + "'：自动选择其缓冲槽数"},
             {{second.block->where + "/slots", std::monostate()}}});
        offerSmallerK(*entry, context, facts, first, buffer, other, capacity);
        return;
    }
}

}  // namespace

void checkSharedBuffers(CheckContext& context) {
    std::vector<Planned> planned;
    for (std::size_t i = 0; i < context.design.blocks.size(); ++i) {
        const ResolvedBlock& block = context.design.blocks[i];
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content);
            cube != nullptr && cube->slotCount && *cube->slotCount > 0)
            planned.push_back({&block, cube, i});
    }
    if (planned.size() < 2) return;
    const DataFlow flow(context.design);
    BufferFacts facts(context.design, context.profile);
    for (std::size_t i = 1; i < planned.size(); ++i)
        if (planned[i - 1].block->loops == planned[i].block->loops &&
            !flow.reaches(planned[i - 1].index, planned[i].index))
            checkPair(context, facts, planned[i - 1], planned[i]);
}

}  // namespace cubist::rules
