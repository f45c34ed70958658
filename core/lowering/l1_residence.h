// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/lowering/program.h"

namespace cubist {

/// Decides which tiles of a merged leaf stay in L1 so that later members need not load them again, and where all its
/// L1 tiles lie. Source: F-61.
class L1Residence {
public:
    /// As `mergeLeaves`.
    L1Residence(const std::vector<Leaf>& leaves, std::span<const LeafIndex> sources,
                std::span<const std::uint32_t> repeats, const ChipSpec& chip);

    /// Rings of the tiles that do not stay; empty: these keep the places they have in their own leaf.
    [[nodiscard]] const std::vector<SlotRing>& rings() const { return m_rings; }
    /// The number of the staying tile that an allocation of member `part` stands for.
    [[nodiscard]] std::optional<std::size_t> tile(std::size_t part, std::uint16_t allocation) const;
    [[nodiscard]] std::uint32_t offsetOf(std::size_t tile) const { return m_tiles[tile].offset; }
    [[nodiscard]] std::uint16_t slotOf(std::size_t tile) const { return static_cast<std::uint16_t>(m_slots + tile); }
    /// Whether an instruction loads a staying tile once more.
    [[nodiscard]] bool dropped(std::size_t part, std::uint32_t instruction) const;

private:
    struct Load {
        std::size_t part = 0;
        std::uint32_t instruction = 0;
        std::uint16_t allocation = 0;
        std::size_t ring = 0;  ///< place among the L1 rings of its leaf
        std::uint32_t bytes = 0;
        std::uint64_t position = 0, lastUse = 0;  ///< in the order of all instructions
        std::size_t original = 0;                 ///< the load it repeats, or itself
        std::optional<std::size_t> tile;          ///< when it stays
    };
    struct Tile {
        std::size_t load = 0;
        std::uint64_t first = 0, last = 0;
        std::uint32_t bytes = 0, offset = 0;
    };

    bool collect(const std::vector<Leaf>& leaves, std::span<const LeafIndex> sources,
                 std::span<const std::uint32_t> repeats);
    void findShared();
    bool fit(std::size_t kept, const std::vector<std::uint16_t>& places, std::int64_t capacity);
    [[nodiscard]] std::size_t mostThatFit(std::int64_t capacity);
    /// Places the first `kept` shared tiles behind `begin`; returns how many of them, from the first, have a place.
    std::size_t place(std::size_t kept, std::uint64_t begin, std::uint64_t capacity);
    [[nodiscard]] const Load* find(std::size_t part, std::uint32_t instruction) const;

    std::vector<Load> m_loads;             ///< by position
    std::vector<std::size_t> m_firstLoad;  ///< by part
    std::vector<Tile> m_tiles;             ///< shared by several loads, in the order of their first load
    std::vector<SlotRing> m_rings;
    std::vector<std::uint16_t> m_places;  ///< of each ring
    std::uint16_t m_slots = 0;
};

}  // namespace cubist
