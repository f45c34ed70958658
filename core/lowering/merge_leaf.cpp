// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/merge_leaf.h"

#include <algorithm>
#include <optional>

#include "core/lowering/buffer_capacity.h"
#include "core/lowering/l1_residence.h"
#include "core/lowering/merge_graph.h"

namespace cubist {
namespace {

bool contains(const SlotRing& ring, const Allocation& a) {
    return ring.core == a.core && ring.buffer == a.buffer && a.slot >= ring.firstSlot &&
           a.slot < ring.firstSlot + ring.count;
}

/// A ring that the tiles of all leaves share.
struct SharedRing {
    SlotRing places;
    std::uint32_t next = 0;

    void place(Allocation& a) {
        const std::uint32_t turn = next++ % places.count;
        a.slot = static_cast<std::uint16_t>(places.firstSlot + turn);
        a.offset = places.base + turn * places.stride;
    }
};

class LeafMerger {
public:
    LeafMerger(const std::vector<Leaf>& leaves, std::span<const LeafIndex> sources,
               std::span<const std::uint32_t> repeats, const ChipSpec& chip, const MixPlan& mix)
        : m_leaves(leaves), m_sources(sources), m_chip(chip), m_mix(mix), m_residence(leaves, sources, repeats, chip) {
        const Leaf& first = leaves[sources.front().value];
        m_out.kind = first.kind;
        m_out.stage = first.stage;
        if (!mix.possible) return;
        const auto vectors = std::ranges::count_if(
            sources, [&](LeafIndex source) { return leaves[source.value].kind == TaskKind::Aiv; });
        m_out.vectorCores = vectors > 1 && secondVectorCore(chip) ? 2 : 1;
    }

    Leaf build() {
        planRings();
        planUb();
        for (std::size_t p = 0; p < m_sources.size(); ++p) append(p, m_leaves[m_sources[p].value]);
        for (const SharedRing& ring : m_rings)
            if (ring.next > 0) m_out.rings.push_back(ring.places);
        findLifetimes();
        m_out.leafKey = mixKey(m_out.groupKey, m_out.instructions.size());
        return std::move(m_out);
    }

private:
    /// Buffers other than L1 with one ring in every leaf: the fewest places of any leaf, the largest stride.
    void planRings() {
        const Leaf& first = m_leaves[m_sources.front().value];
        for (const SlotRing& ring : first.rings) {
            if (ring.buffer == Buffer::L1) continue;
            SlotRing shared = ring;
            bool possible = true;
            for (const LeafIndex source : m_sources) {
                if (leaves(source).kind != first.kind) continue;
                const auto same = [&](const SlotRing& r) { return r.core == ring.core && r.buffer == ring.buffer; };
                const std::vector<SlotRing>& rings = m_leaves[source.value].rings;
                if (std::ranges::count_if(rings, same) != 1) {
                    possible = false;
                    break;
                }
                const SlotRing& other = *std::ranges::find_if(rings, same);
                shared.count = std::min(shared.count, other.count);
                shared.stride = std::max(shared.stride, other.stride);
                possible = possible && other.base == shared.base && other.firstSlot == shared.firstSlot;
            }
            const std::int64_t end = std::int64_t{shared.base} + std::int64_t{shared.count} * shared.stride;
            if (end > bufferCapacity(m_chip, shared.buffer)) shared.count = 1;
            if (possible) m_rings.push_back({shared, 0});
        }
        for (const SlotRing& ring : m_residence.rings()) m_rings.push_back({ring, 0});
    }

    /// Vector leaves take the two halves of UB in turn where each of them fits one.
    void planUb() {
        std::uint32_t end = 0;
        std::uint16_t slots = 0;
        for (const LeafIndex source : m_sources)
            for (const Allocation& a : m_leaves[source.value].allocations)
                if (a.buffer == Buffer::UB) {
                    end = std::max(end, a.offset + a.bytes);
                    slots = std::max(slots, static_cast<std::uint16_t>(a.slot + 1));
                }
        if (2 * std::int64_t{end} > m_chip.ubBytes.integer()) return;
        m_ubShift = end;
        m_ubSlots = slots;
    }

    void append(std::size_t part, const Leaf& leaf) {
        LeafMember member;
        member.source = m_sources[part];
        member.firstInstruction = static_cast<std::uint32_t>(m_out.instructions.size());
        member.firstBox = m_out.parameters;
        member.boxCount = leaf.parameters;
        m_newIndex.assign(leaf.allocations.size(), Instruction::kNone);
        placeTiles(part, leaf);
        const auto firstDetail = static_cast<std::uint16_t>(m_out.details.size());
        const auto firstCubeDetail = static_cast<std::uint16_t>(m_out.cubeDetails.size());
        m_firstCubeDetail.push_back(firstCubeDetail);
        for (std::uint32_t i = 0; i < leaf.instructions.size(); ++i) {
            if (m_residence.dropped(part, i) || storeDropped(part, i)) continue;
            if (const UbMove* move = moveFor(part, i)) {
                m_out.instructions.push_back(moved(*move, leaf.instructions[i]));
                continue;
            }
            Instruction copy = leaf.instructions[i];
            if (leaf.kind == TaskKind::Aiv) copy.core = vectorCore();
            for (std::uint16_t* operand : {&copy.dst, &copy.src0, &copy.src1}) rename(*operand);
            if (copy.op == Opcode::Vector)
                rename(copy.box);
            else if (copy.box != Instruction::kNone)
                copy.box = static_cast<std::uint16_t>(copy.box + member.firstBox);
            if (copy.detail != Instruction::kNone) {
                const bool cube = copy.op == Opcode::Mmad || copy.op == Opcode::StoreL0C;
                copy.detail = static_cast<std::uint16_t>(copy.detail + (cube ? firstCubeDetail : firstDetail));
            }
            m_out.instructions.push_back(copy);
        }
        member.instructionCount = static_cast<std::uint32_t>(m_out.instructions.size()) - member.firstInstruction;
        m_out.details.insert(m_out.details.end(), leaf.details.begin(), leaf.details.end());
        for (CubeDetail detail : leaf.cubeDetails) {
            for (std::uint16_t* tile : {&detail.scalesA, &detail.scalesB, &detail.bias, &detail.channelScales})
                rename(*tile);
            m_out.cubeDetails.push_back(detail);
        }
        m_out.parameters = static_cast<std::uint16_t>(m_out.parameters + leaf.parameters);
        m_out.groupKey += leaf.groupKey;
        m_out.members.push_back(member);
        m_indexOf.push_back(m_newIndex);
        if (leaf.kind == TaskKind::Aiv) ++m_vectors;
    }

    void placeTiles(std::size_t part, const Leaf& leaf) {
        for (std::uint16_t a = 0; a < leaf.allocations.size(); ++a) {
            const auto number = static_cast<std::uint16_t>(m_out.allocations.size());
            Allocation copy = leaf.allocations[a];
            const auto kept = copy.buffer == Buffer::L1 ? m_residence.tile(part, a) : std::nullopt;
            if (kept) {
                std::uint16_t& index = keptIndex(*kept);
                if (index != Instruction::kNone) {
                    m_newIndex[a] = index;
                    continue;
                }
                index = number;
                copy.slot = m_residence.slotOf(*kept);
                copy.offset = m_residence.offsetOf(*kept);
            } else if (copy.buffer == Buffer::UB) {
                const bool second = m_vectors / std::max<std::size_t>(1, m_out.vectorCores) % 2 == 1;
                copy.core = vectorCore();
                copy.offset += second ? m_ubShift : 0;
                copy.slot = static_cast<std::uint16_t>(copy.slot + (second ? m_ubSlots : 0));
            } else if (SharedRing* ring = ringOf(leaf, leaf.allocations[a])) {
                ring->place(copy);
            }
            m_newIndex[a] = number;
            m_out.allocations.push_back(copy);
        }
    }

    /// Of the current vector member: members of a mixed task take the cores of the cluster in turn.
    [[nodiscard]] SubCore vectorCore() const {
        return m_out.vectorCores > 1 && m_vectors % 2 == 1 ? SubCore::Aiv1 : SubCore::Aiv0;
    }

    [[nodiscard]] const Leaf& leaves(LeafIndex source) const { return m_leaves[source.value]; }

    [[nodiscard]] bool storeDropped(std::size_t part, std::uint32_t instruction) const {
        return std::ranges::find(m_mix.dropped, std::pair(part, instruction)) != m_mix.dropped.end();
    }

    [[nodiscard]] const UbMove* moveFor(std::size_t part, std::uint32_t instruction) const {
        for (const UbMove& move : m_mix.moves)
            if (move.member == part && move.load == instruction) return &move;
        return nullptr;
    }

    /// A load of a vector leaf as a move out of the accumulator that holds the same elements.
    [[nodiscard]] Instruction moved(const UbMove& move, const Instruction& load) const {
        const Instruction& store = leaves(m_sources[move.from]).instructions[move.store];
        Instruction out;
        out.op = Opcode::MoveUb;
        out.pipe = Pipe::FIX;
        out.dtype = store.dtype;
        out.src0 = m_indexOf[move.from][store.src0];
        out.dst = m_newIndex[load.dst];
        out.box = static_cast<std::uint16_t>(m_out.members[move.from].firstBox + store.box);
        out.extent = load.extent;
        out.at = move.at;
        if (store.detail != Instruction::kNone)
            out.detail = static_cast<std::uint16_t>(store.detail + m_firstCubeDetail[move.from]);
        return out;
    }

    SharedRing* ringOf(const Leaf& leaf, const Allocation& a) {
        std::size_t ordinal = 0;  // among the rings of the same buffer
        for (const SlotRing& ring : leaf.rings) {
            if (ring.core != a.core || ring.buffer != a.buffer) continue;
            if (contains(ring, a)) {
                for (SharedRing& shared : m_rings)
                    if (shared.places.core == a.core && shared.places.buffer == a.buffer && ordinal-- == 0)
                        return &shared;
                return nullptr;
            }
            ++ordinal;
        }
        return nullptr;
    }

    std::uint16_t& keptIndex(std::size_t kept) {
        if (m_keptIndex.size() <= kept) m_keptIndex.resize(kept + 1, Instruction::kNone);
        return m_keptIndex[kept];
    }

    void rename(std::uint16_t& operand) const {
        if (operand != Instruction::kNone) operand = m_newIndex[operand];
    }

    void findLifetimes() {
        std::vector<bool> seen(m_out.allocations.size(), false);
        for (std::uint32_t i = 0; i < m_out.instructions.size(); ++i) {
            const Instruction& instruction = m_out.instructions[i];
            const std::uint16_t third = instruction.op == Opcode::Vector ? instruction.box : Instruction::kNone;
            const bool cube = instruction.op == Opcode::Mmad || instruction.op == Opcode::StoreL0C ||
                              instruction.op == Opcode::MoveUb;
            const CubeDetail detail =
                cube && instruction.detail != Instruction::kNone ? m_out.cubeDetails[instruction.detail] : CubeDetail{};
            for (const std::uint16_t used : {instruction.dst, instruction.src0, instruction.src1, third, detail.scalesA,
                                             detail.scalesB, detail.bias, detail.channelScales}) {
                if (used == Instruction::kNone) continue;
                if (!seen[used]) m_out.allocations[used].first = i;
                seen[used] = true;
                m_out.allocations[used].last = i;
            }
        }
    }

    const std::vector<Leaf>& m_leaves;
    std::span<const LeafIndex> m_sources;
    const ChipSpec& m_chip;
    const MixPlan& m_mix;
    L1Residence m_residence;
    Leaf m_out;
    std::vector<SharedRing> m_rings;
    std::vector<std::uint16_t> m_newIndex;              ///< of the current leaf's allocations
    std::vector<std::uint16_t> m_keptIndex;             ///< of the tiles that stay in L1
    std::vector<std::vector<std::uint16_t>> m_indexOf;  ///< by member
    std::vector<std::uint16_t> m_firstCubeDetail;       ///< by member
    std::size_t m_vectors = 0;                          ///< vector members so far
    std::uint32_t m_ubShift = 0;
    std::uint16_t m_ubSlots = 0;
};

}  // namespace

Leaf mergeLeaves(const std::vector<Leaf>& leaves, std::span<const LeafIndex> sources,
                 std::span<const std::uint32_t> repeats, const ChipSpec& chip, const MixPlan& mix) {
    return LeafMerger(leaves, sources, repeats, chip, mix).build();
}

}  // namespace cubist
