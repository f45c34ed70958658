// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/lowering/program.h"

namespace cubist {

/// Finds which earlier tasks a task has to wait for, from the boxes they read and write in global memory.
/// Each tensor is cut into a fixed grid of at most 65 536 cells, sized by the first box written, so that tasks on
/// different tiles never look at each other.
class DependencyTracker {
public:
    explicit DependencyTracker(const std::vector<GmTensor>& tensors);

    /// Grows when lowering adds a workspace.
    void addTensor(const GmTensor& tensor);

    /// Records that `task` reads or writes the valid part of `box` and appends the earlier tasks it conflicts with
    /// (read after write, write after read, write after write) to `predecessors`, possibly more than once.
    /// Tasks are recorded in ascending order; a task's reads come before its writes.
    void read(TaskIndex task, const Box& box, std::vector<TaskIndex>& predecessors);
    void write(TaskIndex task, const Box& box, std::vector<TaskIndex>& predecessors);
    /// A write that the hardware does not order against others of its kind (atomic and indexed ones): those go to
    /// `orders` (only the latest of those that lie within one another), everything else to `predecessors`.
    void accumulate(TaskIndex task, const Box& box, std::vector<TaskIndex>& predecessors,
                    std::vector<TaskIndex>& orders);

private:
    struct Access {
        TaskIndex task;
        Box box;
    };
    struct Cell {
        std::vector<Access> writers;       ///< since the cell was last written as a whole
        std::vector<Access> accumulators;  ///< since then; chained among each other by order
        std::vector<Access> readers;       ///< since then
    };
    struct Grid {
        Extent4 shape{1, 1, 1, 1};
        Extent4 cell{0, 0, 0, 0};  ///< extent of a cell; zero until the first access
        Extent4 counts{1, 1, 1, 1};
        std::vector<std::uint32_t> cells;  ///< place in `m_cells`, 0: not touched yet
    };

    /// Appends the tasks among `accesses` that touch the box.
    static void collect(const std::vector<Access>& accesses, TaskIndex task, const Box& box,
                        std::vector<TaskIndex>& predecessors);
    Grid& gridFor(const Box& box);
    template <class Visit>
    void forEachCell(Grid& grid, const Box& box, Visit&& visit);

    std::vector<Grid> m_grids;
    std::vector<Cell> m_cells = std::vector<Cell>(1);  ///< that have been touched; the first is none
};

}  // namespace cubist
