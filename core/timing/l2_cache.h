// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/lowering/program.h"
#include "core/timing/leaf_plan.h"

namespace cubist {

/// The chip's L2 by regions of tensors: a fixed grid per tensor, as coarse as the places and sizes of accesses allow
/// and at most 65 536 regions, least recently used out first. A region fills as it is read; a written one is written
/// back when it leaves. Rows that an index picks count as spread evenly over their box, and as found in L2 with the
/// share of a region that is there. Rows that cross lines cost whole lines, what lies in one piece those of the piece.
/// Tensors that are not cacheable always miss.
/// Source: F-04.
class L2Cache {
public:
    /// `plans`: one per leaf of the program.
    L2Cache(const Program& program, std::span<const LeafPlan* const> plans, const ChipSpec& chip);

    struct Bytes {
        std::int64_t hit = 0;   ///< found in L2, or written into it; whole lines
        std::int64_t miss = 0;  ///< fetched from HBM, or written there; whole lines
        std::int64_t back = 0;  ///< written back to HBM to make room
        std::int64_t hbm = 0;   ///< of the misses what HBM moves: neighbours share their lines, which it sends once
    };
    /// An access of `task`; what it brings in becomes the most recent.
    Bytes access(const Task& task, const LeafPlan::Transfer& transfer);

private:
    struct Grid {
        std::int64_t rows = 1, rowBytes = 0;           ///< of the tensor; outer axes are folded into the rows
        std::int64_t regionRows = 1, regionBytes = 1;  ///< of one region: rows x bytes of a row
        std::int64_t across = 1;                       ///< regions side by side
        std::uint32_t first = 0;                       ///< of this tensor's regions
        bool cached = true;
        bool pairs = false;  ///< pairs of scales [rows, pairs, 2]: the last two axes are one row
    };
    struct Region {
        std::uint32_t previous = 0, next = 0;
        std::int64_t bytes = 0;
        std::int64_t held = 0;   ///< of them in L2
        std::int64_t dirty = 0;  ///< of them newer than HBM
    };
    struct Place {
        std::int64_t row = 0, rows = 0, byte = 0, bytes = 0;
    };

    void planGrids(std::span<const LeafPlan* const> plans);
    template <class Visit>
    void forEachPlace(const Task& task, const LeafPlan::Transfer& transfer, Visit visit) const;
    [[nodiscard]] double lineFactor(const Grid& grid, const Place& place, bool picked) const;
    [[nodiscard]] double pieceFactor(std::int64_t start, std::int64_t length) const;
    [[nodiscard]] double averageFactor(const Grid& grid, const Place& place) const;
    void touch(const Grid& grid, const Place& place, bool write, Bytes& sum);
    void touchPicked(const Grid& grid, const Place& place, std::int64_t bytes, Bytes& sum);
    void unlink(std::uint32_t region);
    void pushFront(std::uint32_t region);
    std::int64_t evict();

    const Program& m_program;
    std::int64_t m_capacity = 0, m_used = 0;
    std::int64_t m_sector = 1;  ///< a line, or the part of one that is fetched
    std::vector<Grid> m_grids;
    std::vector<Region> m_regions;  ///< the last one is the list's head
    std::uint32_t m_head = 0;
};

}  // namespace cubist
