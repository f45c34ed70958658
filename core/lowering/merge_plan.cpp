// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/merge_plan.h"

#include <set>

#include "core/lowering/merge_graph.h"
#include "core/lowering/merge_mix.h"
#include "core/lowering/merge_passes.h"

namespace cubist {

MergeOptions::MergeOptions(const Options& options)
    : l1Reuse(options.cubeL1Reuse),
      cubeNBuffer(options.cubeNBuffer),
      vecNBuffer(options.vecNBuffer),
      autoMix(options.autoMixPartition),
      l1ReuseSide(options.cubeL1ReuseSide) {}

LoadSource loadSource(const Leaf& leaf, const Instruction& load, const Box& box) {
    const Allocation& tile = leaf.allocations[load.dst];
    LoadSource source;
    source.tensor = box.tensor;
    source.offset = box.offset;
    source.offset[2] += load.at[0];
    source.offset[3] += load.at[1];
    source.extent = load.extent;
    source.tile = {tile.rows, tile.cols};
    source.dtype = tile.dtype;
    source.transposed = (load.flags & kFlagTransposed) != 0;
    return source;
}

std::size_t LoadSourceHash::operator()(const LoadSource& source) const noexcept {
    std::uint64_t hash = source.tensor.value;
    for (const std::int64_t offset : source.offset) hash = mixKey(hash, static_cast<std::uint64_t>(offset));
    return static_cast<std::size_t>(mixKey(hash, source.extent[0] * std::uint64_t{65536} + source.extent[1]));
}

MergePlan planMerges(const Program& program, RootIndex root, std::optional<std::int64_t> function,
                     const MergeOptions& options, const ChipSpec& chip) {
    MergeGraph graph(program, root);
    const MergeContext context{program, root, function, options, chip};
    const std::vector<KeyedGroup> vectors = groupByKey(context, graph, TaskKind::Aiv);
    const std::vector<KeyedGroup> cubes = groupByKey(context, graph, TaskKind::Aic);
    mergeVectors(context, graph, vectors);
    graph.renumber();
    mergeCubes(context, graph, cubes);
    graph.renumber();
    mixTasks(context, graph);
    graph.renumber();

    MergePlan plan;
    for (std::uint32_t place = 0; place < graph.taskCount(); ++place)
        plan.sharesWith.push_back(graph.task(graph.sharesWith(place)));
    for (std::uint32_t colour = 0; colour < graph.colourCount(); ++colour) {
        std::vector<TaskIndex>& members = plan.tasks.emplace_back();
        bool cube = false;
        bool vector = false;
        for (const std::uint32_t place : graph.tasksOf(colour)) {
            members.push_back(graph.task(place));
            (context.leaf(graph, place).kind == TaskKind::Aic ? cube : vector) = true;
        }
        if (cube && vector) members = mixOrder(program, std::move(members));
    }
    for (const auto& [kind, groups] : {std::pair(TaskKind::Aic, &cubes), std::pair(TaskKind::Aiv, &vectors)})
        for (std::uint32_t order = 0; order < groups->size(); ++order) {
            const std::vector<std::uint32_t>& places = (*groups)[order].members;
            std::set<std::uint32_t> colours;
            for (const std::uint32_t place : places) colours.insert(graph.colourOf(place));
            plan.groups.push_back({.root = root,
                                   .kind = kind,
                                   .order = order,
                                   .stage = program.stageOf(context.task(graph, places.front())),
                                   .subgraphs = static_cast<std::uint32_t>(places.size()),
                                   .tasks = static_cast<std::uint32_t>(colours.size())});
        }
    return plan;
}

}  // namespace cubist
