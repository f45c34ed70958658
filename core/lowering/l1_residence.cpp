// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/l1_residence.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/lowering/merge_leaf.h"

namespace cubist {

L1Residence::L1Residence(const std::vector<Leaf>& leaves, std::span<const LeafIndex> sources,
                         std::span<const std::uint32_t> repeats, const ChipSpec& chip) {
    if (!collect(leaves, sources, repeats)) return;
    findShared();
    const std::int64_t capacity = chip.l1Bytes.integer();
    const std::size_t kept = mostThatFit(capacity);
    const std::vector<std::uint16_t> single(m_places.size(), 1);
    if (!fit(kept, m_places, capacity) && !fit(0, single, capacity)) m_rings.clear();
    m_tiles.resize(kept);
    for (std::size_t t = 0; t < kept; ++t) m_loads[m_tiles[t].load].tile = t;
    for (Load& load : m_loads) load.tile = m_loads[load.original].tile;
}

/// The most shared tiles, from the first, that fit beside the rings of all others; 0 also when those rings do not fit.
/// A ring of which every tile stays takes no room, so that more tiles can fit where fewer do not: numbers are looked at
/// from the largest. Tiles are placed in their order, so one pass for each size of the rings says for all numbers.
std::size_t L1Residence::mostThatFit(std::int64_t capacity) {
    constexpr std::size_t kAlone = static_cast<std::size_t>(-1);
    std::vector<std::size_t> tileOf(m_loads.size(), kAlone);
    for (std::size_t t = 0; t < m_tiles.size(); ++t) tileOf[m_tiles[t].load] = t;
    std::vector<std::uint32_t> widest;
    std::vector<std::vector<const Load*>> loadsOf(m_tiles.size());
    const auto widen = [&](const Load& load) { widest[load.ring] = std::max(widest[load.ring], load.bytes); };
    for (const Load& load : m_loads) {
        if (load.ring >= widest.size()) widest.resize(load.ring + 1, 0);
        if (const std::size_t tile = tileOf[load.original]; tile != kAlone)
            loadsOf[tile].push_back(&load);
        else
            widen(load);
    }
    std::map<std::int64_t, std::size_t> placed;  // by the room of the rings: tiles that fit behind them
    for (std::size_t kept = m_tiles.size(); kept > 0; --kept) {
        const std::int64_t rings = std::inner_product(widest.begin(), widest.end(), m_places.begin(), std::int64_t{0});
        if (rings <= capacity) {
            const auto [at, isNew] = placed.try_emplace(rings);
            if (isNew)
                at->second =
                    place(m_tiles.size(), static_cast<std::uint64_t>(rings), static_cast<std::uint64_t>(capacity));
            if (at->second >= kept) return kept;
        }
        for (const Load* load : loadsOf[kept - 1]) widen(*load);
    }
    return 0;
}

/// False where a leaf's L1 tiles do not take turns: then every tile keeps its place and is loaded as before.
bool L1Residence::collect(const std::vector<Leaf>& leaves, std::span<const LeafIndex> sources,
                          std::span<const std::uint32_t> repeats) {
    std::uint64_t start = 0;
    m_places.clear();
    for (std::size_t part = 0; part < sources.size(); ++part) {
        const Leaf& leaf = leaves[sources[part].value];
        m_firstLoad.push_back(m_loads.size());
        std::vector<SlotRing> rings;
        for (const SlotRing& ring : leaf.rings)
            if (ring.buffer == Buffer::L1) rings.push_back(ring);
        for (std::size_t r = 0; r < rings.size(); ++r) {
            if (r == m_places.size()) m_places.push_back(rings[r].count);
            m_places[r] = std::min(m_places[r], rings[r].count);
        }
        for (std::uint32_t i = 0; i < leaf.instructions.size(); ++i) {
            const Instruction& instruction = leaf.instructions[i];
            if (instruction.op == Opcode::LoadScales) {  // the places of scales are tied to those of their tiles
                m_loads.clear();
                m_firstLoad.clear();
                return false;
            }
            if (instruction.op != Opcode::LoadL1) continue;
            const Allocation& a = leaf.allocations[instruction.dst];
            const auto ring = std::ranges::find_if(
                rings, [&](const SlotRing& r) { return a.slot >= r.firstSlot && a.slot < r.firstSlot + r.count; });
            if (ring == rings.end()) {
                m_loads.clear();
                m_firstLoad.clear();
                return false;
            }
            const std::size_t number = m_loads.size();
            m_loads.push_back({.part = part,
                               .instruction = i,
                               .allocation = instruction.dst,
                               .ring = static_cast<std::size_t>(ring - rings.begin()),
                               .bytes = a.bytes,
                               .position = start + i,
                               .lastUse = start + a.last,
                               .original = repeats[number] == kOwnLoad ? number : repeats[number],
                               .tile = std::nullopt});
        }
        start += leaf.instructions.size();
    }
    return !m_loads.empty();
}

void L1Residence::findShared() {
    std::vector<std::size_t> uses(m_loads.size(), 0);
    std::vector<std::uint64_t> last(m_loads.size(), 0);
    for (const Load& load : m_loads) {
        ++uses[load.original];
        last[load.original] = std::max(last[load.original], load.lastUse);
    }
    for (std::size_t i = 0; i < m_loads.size(); ++i)
        if (uses[i] > 1) m_tiles.push_back({i, m_loads[i].position, last[i], m_loads[i].bytes, 0});
}

/// Lays out the rings of the tiles that go, and behind them the first `kept` shared tiles.
bool L1Residence::fit(std::size_t kept, const std::vector<std::uint16_t>& places, std::int64_t capacity) {
    std::vector<bool> stays(m_loads.size(), false);
    for (std::size_t t = 0; t < kept; ++t) stays[m_tiles[t].load] = true;
    std::vector<std::uint32_t> widest;
    for (const Load& load : m_loads) {
        if (load.ring >= widest.size()) widest.resize(load.ring + 1, 0);
        if (!stays[load.original]) widest[load.ring] = std::max(widest[load.ring], load.bytes);
    }
    const std::int64_t room = std::inner_product(widest.begin(), widest.end(), places.begin(), std::int64_t{0});
    if (room > capacity) return false;
    m_rings.clear();
    m_slots = 0;
    std::uint32_t base = 0;
    for (std::size_t r = 0; r < widest.size(); ++r) {
        m_rings.push_back(
            {.buffer = Buffer::L1, .firstSlot = m_slots, .count = places[r], .base = base, .stride = widest[r]});
        m_slots = static_cast<std::uint16_t>(m_slots + places[r]);
        base += places[r] * widest[r];
    }
    return place(kept, static_cast<std::uint64_t>(room), static_cast<std::uint64_t>(capacity)) == kept;
}

/// First fit by lifetime. Tiles come in the order of their first load: one that is no longer used never is again.
std::size_t L1Residence::place(std::size_t kept, std::uint64_t begin, std::uint64_t capacity) {
    std::vector<const Tile*> live;  // by offset
    for (std::size_t t = 0; t < kept; ++t) {
        Tile& tile = m_tiles[t];
        std::erase_if(live, [&](const Tile* other) { return other->last < tile.first; });
        std::uint64_t offset = begin;
        auto before = live.begin();
        for (; before != live.end(); ++before) {
            if (offset + tile.bytes <= (*before)->offset) break;
            offset = std::uint64_t{(*before)->offset} + (*before)->bytes;
        }
        if (offset + tile.bytes > capacity) return t;
        tile.offset = static_cast<std::uint32_t>(offset);
        live.insert(before, &tile);
    }
    return kept;
}

const L1Residence::Load* L1Residence::find(std::size_t part, std::uint32_t instruction) const {
    if (part >= m_firstLoad.size()) return nullptr;
    const auto begin = m_loads.begin() + static_cast<std::ptrdiff_t>(m_firstLoad[part]);
    const std::size_t endIndex = part + 1 < m_firstLoad.size() ? m_firstLoad[part + 1] : m_loads.size();
    const auto end = m_loads.begin() + static_cast<std::ptrdiff_t>(endIndex);
    const auto found = std::lower_bound(begin, end, instruction,
                                        [](const Load& load, std::uint32_t i) { return load.instruction < i; });
    return found != end && found->instruction == instruction ? &*found : nullptr;
}

std::optional<std::size_t> L1Residence::tile(std::size_t part, std::uint16_t allocation) const {
    if (m_tiles.empty() || part >= m_firstLoad.size()) return std::nullopt;
    const std::size_t end = part + 1 < m_firstLoad.size() ? m_firstLoad[part + 1] : m_loads.size();
    for (std::size_t i = m_firstLoad[part]; i < end; ++i)
        if (m_loads[i].allocation == allocation) return m_loads[i].tile;
    return std::nullopt;
}

bool L1Residence::dropped(std::size_t part, std::uint32_t instruction) const {
    const Load* load = find(part, instruction);
    return load != nullptr && load->tile &&
           m_tiles[*load->tile].load != static_cast<std::size_t>(load - m_loads.data());
}

}  // namespace cubist
