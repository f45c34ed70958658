// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "core/base/integer_math.h"
#include "core/lowering/merge_passes.h"

namespace cubist {
namespace {

/// PyPTO's mg_vec_parallel_lb: automatic merging leaves about this many vector tasks per group.
constexpr std::int64_t kVectorTasks = 48;
constexpr std::int64_t kModeKey = -2;
constexpr std::size_t kMostTilesOfLeaf = 60'000;

std::int64_t automaticCount(std::int64_t subgraphs) {
    if (subgraphs <= kVectorTasks) return 1;
    std::int64_t count = ceilDiv(subgraphs, kVectorTasks);
    while (count > 1 && ceilDiv(subgraphs, count) < kVectorTasks) --count;
    return count;
}

/// How the dictionary is read: keys of groups or the mode key -2 merge a whole group in its order, others only
/// neighbours that share an input or an output.
struct VectorMode {
    bool off = false;
    bool wholeGroup = false;
};

VectorMode modeOf(const MergeSetting& setting) {
    VectorMode mode;
    mode.off = setting.off();
    mode.wholeGroup = setting.byFunction() || setting.integer(kModeKey).has_value();
    return mode;
}

/// Bundles of subgraphs that share their first producer or, where that gives fewer bundles, their first consumer.
std::vector<std::vector<std::uint32_t>> neighbours(const MergeGraph& graph, const std::vector<std::uint32_t>& group) {
    using Bundles = std::map<std::int64_t, std::vector<std::uint32_t>>;
    const auto bundle = [&](auto&& othersOf) {
        Bundles bundles;
        std::int64_t alone = -1;
        for (const std::uint32_t colour : group) {
            const std::vector<std::uint32_t> others = othersOf(colour);
            bundles[others.empty() ? alone-- : std::int64_t{others.front()}].push_back(colour);
        }
        return bundles;
    };
    const Bundles byInput = bundle([&](std::uint32_t colour) { return graph.producersOf(colour); });
    const Bundles byOutput = bundle([&](std::uint32_t colour) { return graph.consumersOf(colour); });
    std::vector<std::vector<std::uint32_t>> out;
    for (const auto& [other, members] : byInput.size() <= byOutput.size() ? byInput : byOutput) out.push_back(members);
    return out;
}

}  // namespace

std::optional<std::int64_t> MergeContext::labelCount(const MergeGraph& graph, const MergeSetting& setting,
                                                     std::span<const std::uint32_t> places) const {
    std::optional<std::int64_t> count;
    if (!setting.hasLabels()) return count;
    for (const std::uint32_t place : places)
        if (const auto named = setting.countForLabel(label(graph, place)))
            count = std::max(count.value_or(std::numeric_limits<std::int64_t>::min()), *named);
    return count;
}

bool MergeContext::fitOneLeaf(const MergeGraph& graph, std::uint32_t a, std::uint32_t b) const {
    std::size_t tiles = 0;
    for (const std::uint32_t colour : {a, b})
        for (const std::uint32_t place : graph.tasksOf(colour)) {
            const Leaf& one = leaf(graph, place);
            tiles += std::max({one.allocations.size(), one.details.size(), std::size_t{one.parameters}});
        }
    return tiles <= kMostTilesOfLeaf;
}

std::vector<KeyedGroup> groupByKey(const MergeContext& context, const MergeGraph& graph, TaskKind kind) {
    std::vector<KeyedGroup> groups;
    std::unordered_map<std::uint64_t, std::size_t> known;
    for (std::uint32_t place = 0; place < graph.taskCount(); ++place) {
        if (context.leaf(graph, place).kind != kind) continue;
        const auto [at, isNew] = known.try_emplace(graph.key(place), groups.size());
        if (isNew) groups.push_back({graph.key(place), {}});
        groups[at->second].members.push_back(place);
    }
    return groups;
}

void mergeVectors(const MergeContext& context, MergeGraph& graph, const std::vector<KeyedGroup>& groups) {
    const MergeSetting& setting = context.options.vecNBuffer;
    const VectorMode mode = modeOf(setting);
    if (mode.off) return;
    struct Planned {
        std::int64_t count;
        std::vector<std::vector<std::uint32_t>> bundles;
    };
    std::vector<Planned> plan;  // all of it before the first merge changes who is whose neighbour
    for (std::uint32_t order = 0; order < groups.size(); ++order) {
        const std::vector<std::uint32_t>& group = groups[order].members;
        std::int64_t count =
            setting.countFor(context.function, order).value_or(automaticCount(static_cast<std::int64_t>(group.size())));
        count = atLeastOne(context.labelCount(graph, setting, group).value_or(count));
        if (count > 1)
            plan.push_back({count, mode.wholeGroup ? std::vector<std::vector<std::uint32_t>>(1, group)
                                                   : neighbours(graph, group)});
    }
    for (const auto& [count, bundles] : plan)
        for (const std::vector<std::uint32_t>& bundle : bundles) {
            std::uint32_t into = 0;
            std::int64_t taken = count;
            for (const std::uint32_t colour : bundle) {
                if (taken == count || !context.fitOneLeaf(graph, into, colour)) {
                    into = colour;
                    taken = 1;
                    continue;
                }
                graph.merge(into, colour);
                ++taken;
            }
        }
}

}  // namespace cubist
