// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/merge_program.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "core/lowering/merge_leaf.h"
#include "core/lowering/merge_mix.h"
#include "core/lowering/merge_plan.h"

namespace cubist {
namespace {

/// Builds the merged program beside the unmerged one.
class Assembler {
public:
    Assembler(Program& program, std::span<const TaskIndex> sharesWith, const ChipSpec& chip)
        : m_in(program), m_sharesWith(sharesWith), m_chip(chip) {
        m_newTask.resize(program.tasks.size());
    }

    void addTask(const std::vector<TaskIndex>& members) {
        const TaskIndex index(m_tasks.size());
        const Task& first = m_in.tasks[members.front().value];
        Task task;
        task.root = first.root;
        task.firstBox = static_cast<std::uint32_t>(m_boxes.size());
        task.firstMember = static_cast<std::uint32_t>(m_members.size());
        task.memberCount = static_cast<std::uint32_t>(members.size());
        task.leaf = members.size() == 1 ? first.leaf : mergedLeaf(members);
        for (const TaskIndex member : members) {
            const Task& old = m_in.tasks[member.value];
            const std::span<const Box> boxes = m_in.boxesOf(old);
            m_boxes.insert(m_boxes.end(), boxes.begin(), boxes.end());
            m_members.push_back(m_in.membersOf(old).front());
            m_newTask[member.value] = index;
        }
        m_tasks.push_back(task);
    }

    Program finish() {
        linkTasks();
        m_in.tasks = std::move(m_tasks);
        m_in.members = std::move(m_members);
        m_in.boxes = std::move(m_boxes);
        m_in.edges = std::move(m_edges);
        for (Leaf& leaf : m_newLeaves) m_in.leaves.push_back(std::move(leaf));
        return std::move(m_in);
    }

private:
    /// Merged leaves are shared by tasks of equal members with equal coincidences.
    LeafIndex mergedLeaf(const std::vector<TaskIndex>& members) {
        std::vector<std::uint32_t> key;
        std::vector<LeafIndex> sources;
        for (const TaskIndex member : members) {
            sources.push_back(m_in.tasks[member.value].leaf);
            key.push_back(sources.back().value);
        }
        const std::vector<std::uint32_t> repeats = repeatsOf(members);
        key.insert(key.end(), repeats.begin(), repeats.end());
        const MixPlan mix = mixOf(members);
        for (const UbMove& move : mix.moves)
            for (const std::size_t value : {move.member, std::size_t{move.load}, move.from, std::size_t{move.store},
                                            std::size_t{move.at[0]}, std::size_t{move.at[1]}})
                key.push_back(static_cast<std::uint32_t>(value));
        for (const auto& [member, store] : mix.dropped) {
            key.push_back(static_cast<std::uint32_t>(member));
            key.push_back(store);
        }
        const auto [at, isNew] = m_known.try_emplace(std::move(key), m_in.leaves.size() + m_newLeaves.size());
        if (isNew) m_newLeaves.push_back(mergeLeaves(m_in.leaves, sources, repeats, m_chip, mix));
        return at->second;
    }

    /// Empty unless the members are of both kinds.
    [[nodiscard]] MixPlan mixOf(const std::vector<TaskIndex>& members) const {
        const auto kindOf = [&](TaskIndex task) { return m_in.leafOf(m_in.tasks[task.value]).kind; };
        const auto other = [&](TaskIndex task) { return kindOf(task) != kindOf(members.front()); };
        return std::ranges::any_of(members, other) ? planMix(m_in, members) : MixPlan();
    }

    [[nodiscard]] std::vector<std::uint32_t> repeatsOf(const std::vector<TaskIndex>& members) const {
        std::vector<std::uint32_t> repeats;
        // By the task that they share their loads with.
        std::map<TaskIndex, std::unordered_map<LoadSource, std::uint32_t, LoadSourceHash>> sharers;
        for (const TaskIndex member : members) {
            auto& known = sharers[m_sharesWith.empty() ? member : m_sharesWith[member.value]];
            const Task& task = m_in.tasks[member.value];
            const Leaf& leaf = m_in.leafOf(task);
            const std::span<const Box> boxes = m_in.boxesOf(task);
            for (const Instruction& instruction : leaf.instructions) {
                if (instruction.op != Opcode::LoadL1) continue;
                const auto number = static_cast<std::uint32_t>(repeats.size());
                const auto [at, isNew] =
                    known.try_emplace(loadSource(leaf, instruction, boxes[instruction.box]), number);
                repeats.push_back(isNew || m_sharesWith.empty() ? kOwnLoad : at->second);
            }
        }
        return repeats;
    }

    void linkTasks() {
        // The old tasks of each new one, one behind the other.
        std::vector<std::size_t> end(m_tasks.size() + 1, 0);
        for (const TaskIndex task : m_newTask) ++end[task.value + std::size_t{1}];
        std::partial_sum(end.begin(), end.end(), end.begin());
        std::vector<TaskIndex> oldOf(m_newTask.size());
        for (std::size_t t = 0; t < m_newTask.size(); ++t) oldOf[end[m_newTask[t].value]++] = TaskIndex(t);
        std::vector<Edge> successors;
        for (std::size_t t = 0, next = 0; t < m_tasks.size(); ++t) {
            successors.clear();
            for (; next < end[t]; ++next)
                for (const Edge& edge : m_in.edgesOf(m_in.tasks[oldOf[next].value]))
                    if (const TaskIndex to = m_newTask[edge.to.value]; to != TaskIndex(t))
                        successors.push_back({to, edge.kind});
            // Of several to one task a wait counts.
            std::ranges::sort(successors, {},
                              [](const Edge& edge) { return std::pair(edge.to, edge.kind != EdgeKind::Wait); });
            const auto repeated = std::ranges::unique(successors, {}, &Edge::to);
            successors.erase(repeated.begin(), repeated.end());
            m_tasks[t].firstEdge = static_cast<std::uint32_t>(m_edges.size());
            m_tasks[t].edgeCount = static_cast<std::uint32_t>(successors.size());
            for (const auto& [to, kind] : successors) {
                m_edges.push_back({to, kind});
                if (kind == EdgeKind::Wait) ++m_tasks[to.value].predecessors;
            }
        }
    }

    Program& m_in;
    std::span<const TaskIndex> m_sharesWith;  ///< by old id
    const ChipSpec& m_chip;
    std::vector<Task> m_tasks;
    std::vector<TaskMember> m_members;
    std::vector<Box> m_boxes;
    std::vector<Edge> m_edges;
    std::vector<Leaf> m_newLeaves;
    std::vector<TaskIndex> m_newTask;  ///< by old id
    std::map<std::vector<std::uint32_t>, LeafIndex> m_known;
};

}  // namespace

Result<Program> joinTasks(Program program, std::span<const std::vector<TaskIndex>> tasks,
                          std::span<const TaskIndex> sharesWith, const ChipSpec& chip, const RunContext& context) {
    Assembler assembler(program, sharesWith, chip);
    for (const std::vector<TaskIndex>& members : tasks) {
        if (context.cancelled()) return cancelledError();
        assembler.addTask(members);
    }
    return assembler.finish();
}

}  // namespace cubist
