// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <vector>

#include "core/emulator/leaf_interpreter.h"

namespace cubist {
namespace {

enum class Content : std::uint8_t { Nothing, Filled, Sums };

/// Everything an instruction reads but the accumulator that it adds to.
std::array<std::uint16_t, 7> readsOf(const Leaf& leaf, const Instruction& i) {
    std::array<std::uint16_t, 7> reads;
    reads.fill(Instruction::kNone);
    reads[0] = i.src0;
    reads[1] = i.src1;
    if (i.op == Opcode::Vector) reads[2] = i.box;
    if ((i.op == Opcode::Mmad || i.op == Opcode::StoreL0C) && i.detail != Instruction::kNone) {
        const CubeDetail& detail = leaf.cubeDetails[i.detail];
        reads[3] = detail.scalesA;
        reads[4] = detail.scalesB;
        reads[5] = detail.bias;
        reads[6] = detail.channelScales;
    }
    return reads;
}

}  // namespace

std::optional<LeafFault> findFault(const Leaf& leaf) {
    std::vector<Content> content(leaf.allocations.size(), Content::Nothing);
    for (std::uint32_t index = 0; index < leaf.instructions.size(); ++index) {
        const Instruction& i = leaf.instructions[index];
        for (const std::uint16_t read : readsOf(leaf, i))
            if (read != Instruction::kNone && content[read] == Content::Nothing)
                return LeafFault{LeafFault::Kind::ReadBeforeWrite, index};
        if (i.op == Opcode::StoreL0C) content[i.src0] = Content::Filled;
        if (i.dst == Instruction::kNone) continue;
        Content& target = content[i.dst];
        if (i.op == Opcode::Mmad) {
            const bool init = (i.flags & kFlagInit) != 0;
            if (!init && target == Content::Nothing) return LeafFault{LeafFault::Kind::ReadBeforeWrite, index};
            if (init && target == Content::Sums) return LeafFault{LeafFault::Kind::LostSums, index};
            target = Content::Sums;
        } else {
            target = Content::Filled;
        }
    }
    return std::nullopt;
}

}  // namespace cubist
