// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/slot_shortage.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace cubist {
namespace {

/// Places of one buffer's tiles in a leaf; 0: they have no turns.
std::int64_t placesIn(const Leaf& leaf, Buffer buffer) {
    std::int64_t least = 0;
    for (const SlotRing& ring : leaf.rings)
        if (ring.buffer == buffer) least = least == 0 ? ring.count : std::min<std::int64_t>(least, ring.count);
    return least;
}

}  // namespace

std::vector<SlotShortage> slotShortages(const Program& program, const HandWritten& asked) {
    const std::array buffers{std::pair(Buffer::L1, asked.l1Slots), std::pair(Buffer::L0A, asked.l0aSlots),
                             std::pair(Buffer::L0B, asked.l0bSlots), std::pair(Buffer::L0C, asked.l0cSlots)};
    std::map<std::pair<std::uint64_t, std::size_t>, SlotShortage> found;
    for (const Leaf& leaf : program.leaves) {
        // A merged leaf has the leaves that it is made of beside it.
        if (!leaf.members.empty() || std::ranges::none_of(leaf.instructions, [](const Instruction& instruction) {
                return instruction.op == Opcode::Mmad;
            }))
            continue;
        for (std::size_t b = 0; b < buffers.size(); ++b) {
            const auto [buffer, count] = buffers[b];
            const std::int64_t places = placesIn(leaf, buffer);
            const std::int64_t got = std::max<std::int64_t>(places, 1);
            if (count <= got) continue;
            const auto [at, isNew] = found.try_emplace({leaf.stage.value, b});
            if (isNew || got < at->second.got) at->second = {leaf.stage, buffer, count, got, places == 0};
        }
    }
    std::vector<SlotShortage> out;
    for (const auto& [place, shortage] : found) out.push_back(shortage);
    return out;
}

std::string shortageText(const SlotShortage& shortage) {
    const std::string head =
        std::string(bufferName(shortage.buffer)) + ": " + std::to_string(shortage.asked) + " slots asked for, ";
    if (shortage.reloaded) return head + "but A and B do not fit together: each move loads its operand again";
    return head + std::to_string(shortage.got) + (shortage.got == 1 ? " fits" : " fit");
}

}  // namespace cubist
