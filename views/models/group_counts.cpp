// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/group_counts.h"

#include <algorithm>
#include <numeric>

namespace cubist {

GroupSummary summarise(const std::vector<std::int64_t>& counts) {
    GroupSummary summary;
    for (const std::int64_t count : counts) {
        summary.total += count;
        summary.largest = std::max(summary.largest, count);
        summary.empty += count == 0 ? 1 : 0;
    }
    if (!counts.empty()) summary.mean = static_cast<double>(summary.total) / static_cast<double>(counts.size());
    if (summary.mean > 0.0) summary.imbalance = static_cast<double>(summary.largest) / summary.mean;
    return summary;
}

std::vector<std::int64_t> withCount(std::vector<std::int64_t> counts, std::size_t group, std::int64_t size,
                                    bool keepTotal) {
    size = std::max<std::int64_t>(size, 0);
    if (!keepTotal || counts.size() < 2) {
        counts[group] = size;
        return counts;
    }
    const std::int64_t total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    size = std::min(size, total);
    const std::int64_t others = total - counts[group];
    const std::int64_t wanted = total - size;
    counts[group] = size;
    // Each other group gets its share of what is wanted, rounded down; the first ones get the rest.
    std::int64_t given = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (i == group) continue;
        counts[i] = others > 0 ? static_cast<std::int64_t>(static_cast<double>(counts[i]) *
                                                           (static_cast<double>(wanted) / static_cast<double>(others)))
                               : wanted / static_cast<std::int64_t>(counts.size() - 1);
        given += counts[i];
    }
    for (std::size_t i = 0; given != wanted; i = (i + 1) % counts.size()) {
        if (i == group) continue;
        const std::int64_t step = given < wanted ? 1 : -1;
        if (step < 0 && counts[i] == 0) continue;
        counts[i] += step;
        given += step;
    }
    return counts;
}

std::vector<std::int64_t> evenCounts(std::int64_t groups, std::int64_t total) {
    std::vector<std::int64_t> counts;
    for (std::int64_t g = 0; g < groups; ++g) counts.push_back(total / groups + (g < total % groups ? 1 : 0));
    return counts;
}

}  // namespace cubist
