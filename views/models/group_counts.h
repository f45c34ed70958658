// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/design/design.h"

namespace cubist {

/// Numbers about the groups of a list, given as the rows of each.
struct GroupSummary {
    std::int64_t total = 0;
    std::int64_t largest = 0;
    std::int64_t empty = 0;
    double mean = 0.0;
    double imbalance = 0.0;  ///< the largest by the mean; 1 is even, 0 when there are no rows
    bool operator==(const GroupSummary&) const = default;
};

[[nodiscard]] GroupSummary summarise(const std::vector<std::int64_t>& counts);

/// One group gets another size. With `keepTotal` the others give or take the difference in proportion to their sizes
/// (evenly when all are empty), rounded so that the sum is exactly kept; the size is limited to the total then.
/// Preconditions: `group` is one of them; sizes are not negative.
[[nodiscard]] std::vector<std::int64_t> withCount(std::vector<std::int64_t> counts, std::size_t group,
                                                  std::int64_t size, bool keepTotal);

/// Groups of equal size; the first get what is left over.
[[nodiscard]] std::vector<std::int64_t> evenCounts(std::int64_t groups, std::int64_t total);

/// Whether prefix sums begin with a 0 that is no group: the design reads `start(list, e + 1)` and the like everywhere,
/// so entry e + 1 is group e.
[[nodiscard]] bool beginsWithStart(const Design& design, const List& list, const std::vector<std::int64_t>& values);

}  // namespace cubist
