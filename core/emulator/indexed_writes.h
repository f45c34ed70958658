// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/emulator/task_part.h"
#include "core/emulator/value_note.h"
#include "core/lowering/program.h"

namespace cubist {

/// Where one index_put without accumulate has put the slices of its tile.
struct IndexedWrite {
    TaskPart part;
    Box box;                           ///< what it may write; whole along the picked axes
    std::size_t axis = 0, picked = 1;  ///< right-aligned: the first picked axis, and how many there are
    std::vector<std::int64_t> places;  ///< by entry: running number within the picked axes
};

/// An index_put whose index names a place twice, so that the hardware keeps either slice.
struct EqualEntries {
    std::optional<GmIndex> tensor;  ///< nothing: an operation in UB
    StageIndex stage;
    std::string message, messageZh;  ///< blocks and place
};

struct IndexedConflicts {
    std::vector<EqualEntries> equal;   ///< the first of every stage and tensor
    std::vector<ValueNote> unordered;  ///< iterations of one parallel loop that put slices in one place
};

/// Looks for places that are written twice. Iterations that follow each other are in order; those of a parallel loop
/// are not, and neither are the entries of one index. `serial`: parallel loops run one iteration after the other too.
/// Source: F-72
[[nodiscard]] IndexedConflicts findIndexedConflicts(const Program& program, std::vector<IndexedWrite> writes,
                                                    bool serial);

/// An index_put in UB that puts the place with this number, counted within the picked axes, twice.
[[nodiscard]] EqualEntries repeatedEntries(const Program& program, TaskPart part, std::int64_t place);

}  // namespace cubist
