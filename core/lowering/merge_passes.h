// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/lowering/merge_graph.h"
#include "core/lowering/merge_plan.h"

/// Inside of `planMerges`: the passes, each on the colours that the one before has left.
namespace cubist {

struct MergeContext {
    const Program& program;
    RootIndex root;
    std::optional<std::int64_t> function;
    const MergeOptions& options;
    const ChipSpec& chip;

    [[nodiscard]] const Task& task(const MergeGraph& graph, std::uint32_t place) const {
        return program.tasks[graph.task(place).value];
    }
    [[nodiscard]] const Leaf& leaf(const MergeGraph& graph, std::uint32_t place) const {
        return program.leafOf(task(graph, place));
    }
    /// A stage without a label is called by its id, as its kernel calls it.
    [[nodiscard]] const std::string& label(const MergeGraph& graph, std::uint32_t place) const {
        const ProgramStage& stage = program.stages[program.stageOf(task(graph, place)).value];
        return stage.label.empty() ? stage.id.text : stage.label;
    }
    /// The largest count that the setting has for a label of these places; nothing where none is named.
    [[nodiscard]] std::optional<std::int64_t> labelCount(const MergeGraph& graph, const MergeSetting& setting,
                                                         std::span<const std::uint32_t> places) const;
    /// Whether the leaves of two colours one after the other keep their indices within 16 bits.
    [[nodiscard]] bool fitOneLeaf(const MergeGraph& graph, std::uint32_t a, std::uint32_t b) const;
};

/// Places of equal key, or colours of equal summed key. Groups stand in the order of their first member: PyPTO's
/// hashOrder.
struct KeyedGroup {
    std::uint64_t key = 0;
    std::vector<std::uint32_t> members;
};

/// The tasks of one kind of core, before anything is merged.
[[nodiscard]] std::vector<KeyedGroup> groupByKey(const MergeContext& context, const MergeGraph& graph, TaskKind kind);

/// Vector n-buffer. Automatic: about 48 tasks per group. Range: colours are single tasks.
void mergeVectors(const MergeContext& context, MergeGraph& graph, const std::vector<KeyedGroup>& groups);

/// L1 reuse, then cube n-buffer. Range: cube colours are single tasks; vector colours may be merged.
void mergeCubes(const MergeContext& context, MergeGraph& graph, const std::vector<KeyedGroup>& groups);

}  // namespace cubist
