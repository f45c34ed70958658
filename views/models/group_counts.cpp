// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/group_counts.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <variant>

namespace cubist {

namespace {

/// How often an expression asks for a group of the list, and how often for one behind a start entry: "(list, e + 1)".
struct Uses {
    int all = 0;
    int shifted = 0;
};

void countUses(std::string_view text, const std::string& list, Uses& uses) {
    const std::string open = "(" + list + ",";
    for (std::size_t at = text.find(open); at != std::string_view::npos; at = text.find(open, at + 1)) {
        const std::size_t start = at + open.size();
        std::size_t end = start;
        for (int depth = 1; end < text.size(); ++end) {
            depth += text[end] == '(' ? 1 : (text[end] == ')' ? -1 : 0);
            if (depth == 0) break;
        }
        std::string argument(text.substr(start, end - start));
        std::erase(argument, ' ');
        ++uses.all;
        uses.shifted += argument.ends_with("+1") ? 1 : 0;
    }
}

void countUses(const std::vector<Block>& blocks, const std::string& list, Uses& uses) {
    const auto ofAll = [&](const std::vector<Expression>& expressions) {
        for (const Expression& expression : expressions) countUses(expression.text(), list, uses);
    };
    for (const Block& block : blocks) {
        if (const auto* loop = std::get_if<Loop>(&block.content)) {
            ofAll({loop->axis, loop->tile});
            countUses(loop->body, list, uses);
        } else if (const auto* view = std::get_if<View>(&block.content)) {
            ofAll(view->offset);
            ofAll(view->valid);
        } else if (const auto* store = std::get_if<Store>(&block.content)) {
            ofAll(store->offset);
        }
    }
}

}  // namespace

bool beginsWithStart(const Design& design, const List& list, const std::vector<std::int64_t>& values) {
    if (list.form != ListForm::PrefixSums || values.size() < 2 || values.front() != 0) return false;
    Uses uses;
    countUses(design.blocks, list.id.text, uses);
    return uses.all > 0 && uses.shifted == uses.all;
}

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
