// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/dependency_tracker.h"

#include <algorithm>

#include "core/base/integer_math.h"

namespace cubist {
namespace {

constexpr std::int64_t kMaxCells = 65536;

bool empty(const Box& box) {
    return elementCount(box.valid) == 0;
}

bool contains(const Box& outer, const Box& inner) {
    for (std::size_t i = 0; i < 4; ++i)
        if (inner.offset[i] < outer.offset[i] || inner.offset[i] + inner.valid[i] > outer.offset[i] + outer.valid[i])
            return false;
    return true;
}

bool overlap(const Box& a, const Box& b) {
    for (std::size_t i = 0; i < 4; ++i)
        if (a.offset[i] >= b.offset[i] + b.valid[i] || b.offset[i] >= a.offset[i] + a.valid[i]) return false;
    return true;
}

}  // namespace

DependencyTracker::DependencyTracker(const std::vector<GmTensor>& tensors) {
    for (const GmTensor& tensor : tensors) addTensor(tensor);
}

void DependencyTracker::addTensor(const GmTensor& tensor) {
    Grid grid;
    grid.shape = tensor.shape;
    m_grids.push_back(std::move(grid));
}

DependencyTracker::Grid& DependencyTracker::gridFor(const Box& box) {
    Grid& grid = m_grids[box.tensor.value];
    if (!grid.cells.empty()) return grid;
    for (std::size_t i = 0; i < 4; ++i)
        grid.cell[i] = std::max<std::int64_t>(1, std::min(box.extent[i], grid.shape[i]));
    const auto recount = [&] {
        for (std::size_t i = 0; i < 4; ++i) grid.counts[i] = ceilDiv(grid.shape[i], grid.cell[i]);
    };
    recount();
    for (;;) {
        const auto axis =
            static_cast<std::size_t>(std::max_element(grid.counts.begin(), grid.counts.end()) - grid.counts.begin());
        std::int64_t total = 1;
        for (const std::int64_t count : grid.counts) total = checkedMul(total, count).value_or(kMaxCells + 1);
        if (total <= kMaxCells) break;
        grid.cell[axis] *= 2;
        recount();
    }
    grid.cells.resize(static_cast<std::size_t>(elementCount(grid.counts)));
    return grid;
}

template <class Visit>
void DependencyTracker::forEachCell(Grid& grid, const Box& box, Visit&& visit) {
    Extent4 first{};
    Extent4 last{};
    for (std::size_t i = 0; i < 4; ++i) {
        first[i] = box.offset[i] / grid.cell[i];
        last[i] = (box.offset[i] + box.valid[i] - 1) / grid.cell[i];
    }
    Extent4 at = first;
    for (at[0] = first[0]; at[0] <= last[0]; ++at[0])
        for (at[1] = first[1]; at[1] <= last[1]; ++at[1])
            for (at[2] = first[2]; at[2] <= last[2]; ++at[2])
                for (at[3] = first[3]; at[3] <= last[3]; ++at[3]) {
                    const std::int64_t index =
                        ((at[0] * grid.counts[1] + at[1]) * grid.counts[2] + at[2]) * grid.counts[3] + at[3];
                    bool whole = true;
                    for (std::size_t i = 0; i < 4; ++i) {
                        const std::int64_t begin = at[i] * grid.cell[i];
                        const std::int64_t end = std::min(begin + grid.cell[i], grid.shape[i]);
                        whole = whole && box.offset[i] <= begin && box.offset[i] + box.valid[i] >= end;
                    }
                    std::uint32_t& cell = grid.cells[static_cast<std::size_t>(index)];
                    if (cell == 0) {
                        cell = static_cast<std::uint32_t>(m_cells.size());
                        m_cells.emplace_back();
                    }
                    visit(m_cells[cell], whole);
                }
}

void DependencyTracker::collect(const std::vector<Access>& accesses, TaskIndex task, const Box& box,
                                std::vector<TaskIndex>& predecessors) {
    for (const Access& access : accesses)
        if (access.task != task && overlap(access.box, box)) predecessors.push_back(access.task);
}

void DependencyTracker::read(TaskIndex task, const Box& box, std::vector<TaskIndex>& predecessors) {
    if (empty(box)) return;
    forEachCell(gridFor(box), box, [&](Cell& cell, bool) {
        collect(cell.writers, task, box, predecessors);
        collect(cell.accumulators, task, box, predecessors);
        cell.readers.push_back({task, box});
    });
}

void DependencyTracker::accumulate(TaskIndex task, const Box& box, std::vector<TaskIndex>& predecessors,
                                   std::vector<TaskIndex>& orders) {
    if (empty(box)) return;
    forEachCell(gridFor(box), box, [&](Cell& cell, bool) {
        collect(cell.writers, task, box, predecessors);
        collect(cell.readers, task, box, predecessors);
        // What an accumulator before a containing one overlaps is ordered through that one already.
        for (auto earlier = cell.accumulators.rbegin(); earlier != cell.accumulators.rend(); ++earlier) {
            if (earlier->task == task || !overlap(earlier->box, box)) continue;
            orders.push_back(earlier->task);
            if (contains(earlier->box, box)) break;
        }
        cell.accumulators.push_back({task, box});
    });
}

void DependencyTracker::write(TaskIndex task, const Box& box, std::vector<TaskIndex>& predecessors) {
    if (empty(box)) return;
    forEachCell(gridFor(box), box, [&](Cell& cell, bool whole) {
        collect(cell.writers, task, box, predecessors);
        collect(cell.accumulators, task, box, predecessors);
        collect(cell.readers, task, box, predecessors);
        if (whole) {
            cell.writers.clear();
            cell.accumulators.clear();
            cell.readers.clear();
        }
        cell.writers.push_back({task, box});
    });
}

}  // namespace cubist
