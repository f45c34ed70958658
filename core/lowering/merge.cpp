// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/merge.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "core/lowering/merge_leaf.h"
#include "core/lowering/merge_plan.h"

namespace cubist {
namespace {

/// What tells root functions apart: iterations of a loop body run the same code.
using FunctionKey = std::pair<std::string, StageIndex>;

FunctionKey functionOf(const Program& program, const Root& root, const Task& first) {
    return {root.loop.text, program.stageOf(first)};
}

/// The compiler's ids of root functions are known only after compiling. Ids that the keys name are taken in ascending
/// order for the functions of the program, if there are as many.
class FunctionIds {
public:
    FunctionIds(const Program& program, const MergeOptions& options) {
        for (std::size_t t = 0; t < program.tasks.size(); ++t) {
            if (t > 0 && program.tasks[t].root == program.tasks[t - 1].root) continue;
            const Task& task = program.tasks[t];
            m_order.try_emplace(functionOf(program, program.roots[task.root.value], task), m_order.size());
        }
        for (const MergeSetting* setting : {&options.l1Reuse, &options.cubeNBuffer, &options.vecNBuffer})
            for (const auto& [key, count] : setting->functions()) m_ids.insert(key.first);
    }

    [[nodiscard]] std::optional<std::int64_t> idOf(const Program& program, const Task& first) const {
        if (m_ids.size() != m_order.size()) return std::nullopt;
        const std::size_t order = m_order.at(functionOf(program, program.roots[first.root.value], first));
        return *std::next(m_ids.begin(), static_cast<std::ptrdiff_t>(order));
    }

private:
    std::map<FunctionKey, std::size_t> m_order;  ///< in the order of first appearance
    std::set<std::int64_t> m_ids;
};

/// Collects which keys have met a group or a label.
class KeyUse {
public:
    KeyUse(std::string option, TaskKind kind, const Dictionary<std::int64_t>& dictionary)
        : m_option(std::move(option)), m_kind(kind), m_dictionary(dictionary) {}

    void meet(const MergeGroup& group, std::optional<std::int64_t> function) {
        if (group.kind != m_kind) return;
        m_orders.insert(group.order);
        if (function) m_functions.emplace(*function, group.order);
    }

    void report(const Program& program, std::vector<UnmatchedKey>& out) const {
        for (const auto& [key, count] : m_dictionary.entries) {
            const MergeKey parsed = parseMergeKey(key);
            bool met = true;
            switch (parsed.kind) {
                case MergeKey::Kind::Default: break;
                case MergeKey::Kind::Integer: met = parsed.order < 0 || m_orders.contains(parsed.order); break;
                case MergeKey::Kind::Function: met = m_functions.contains({parsed.function, parsed.order}); break;
                case MergeKey::Kind::Label:
                    met = std::ranges::any_of(program.stages, [&](const ProgramStage& stage) {
                        return stage.kind == m_kind && stage.label == key;
                    });
                    break;
            }
            if (!met) out.push_back({m_option, key});
        }
    }

private:
    std::string m_option;
    TaskKind m_kind;
    const Dictionary<std::int64_t>& m_dictionary;
    std::set<std::int64_t> m_orders;
    std::set<std::pair<std::int64_t, std::int64_t>> m_functions;
};

/// Builds the merged program beside the unmerged one.
class Assembler {
public:
    Assembler(Program& program, const ChipSpec& chip) : m_in(program), m_chip(chip) {
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
        const auto [at, isNew] = m_known.try_emplace(std::move(key), m_in.leaves.size() + m_newLeaves.size());
        if (isNew) m_newLeaves.push_back(mergeLeaves(m_in.leaves, sources, repeats, m_chip));
        return at->second;
    }

    [[nodiscard]] std::vector<std::uint32_t> repeatsOf(const std::vector<TaskIndex>& members) const {
        std::vector<std::uint32_t> repeats;
        std::unordered_map<LoadSource, std::uint32_t, LoadSourceHash> known;
        for (const TaskIndex member : members) {
            const Task& task = m_in.tasks[member.value];
            const Leaf& leaf = m_in.leafOf(task);
            const std::span<const Box> boxes = m_in.boxesOf(task);
            for (const Instruction& instruction : leaf.instructions) {
                if (instruction.op != Opcode::LoadL1) continue;
                const auto number = static_cast<std::uint32_t>(repeats.size());
                const auto [at, isNew] =
                    known.try_emplace(loadSource(leaf, instruction, boxes[instruction.box]), number);
                repeats.push_back(isNew ? kOwnLoad : at->second);
            }
        }
        return repeats;
    }

    void linkTasks() {
        std::map<TaskIndex, EdgeKind> successors;
        std::vector<std::vector<TaskIndex>> oldOf(m_tasks.size());
        for (std::size_t t = 0; t < m_newTask.size(); ++t) oldOf[m_newTask[t].value].push_back(TaskIndex(t));
        for (std::size_t t = 0; t < m_tasks.size(); ++t) {
            successors.clear();
            for (const TaskIndex old : oldOf[t])
                for (const Edge& edge : m_in.edgesOf(m_in.tasks[old.value])) {
                    const TaskIndex to = m_newTask[edge.to.value];
                    if (to == TaskIndex(t)) continue;
                    const auto [at, isNew] = successors.try_emplace(to, edge.kind);
                    if (!isNew && edge.kind == EdgeKind::Wait) at->second = EdgeKind::Wait;
                }
            m_tasks[t].firstEdge = static_cast<std::uint32_t>(m_edges.size());
            m_tasks[t].edgeCount = static_cast<std::uint32_t>(successors.size());
            for (const auto& [to, kind] : successors) {
                m_edges.push_back({to, kind});
                if (kind == EdgeKind::Wait) ++m_tasks[to.value].predecessors;
            }
        }
    }

    Program& m_in;
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

Result<Program> mergeTasks(Program program, const Options& options, const ChipSpec& chip, const RunContext& context) {
    const MergeOptions settings(options);
    const FunctionIds functions(program, settings);
    std::array keys{KeyUse("cube_l1_reuse_setting", TaskKind::Aic, options.cubeL1Reuse),
                    KeyUse("cube_nbuffer_setting", TaskKind::Aic, options.cubeNBuffer),
                    KeyUse("vec_nbuffer_setting", TaskKind::Aiv, options.vecNBuffer)};
    std::vector<std::vector<TaskIndex>> tasks;
    for (std::size_t first = 0; first < program.tasks.size();) {
        if (context.cancelled()) return cancelledError();
        const Task& task = program.tasks[first];
        const std::optional<std::int64_t> function = functions.idOf(program, task);
        MergePlan plan = planMerges(program, task.root, function, settings, chip);
        for (const MergeGroup& group : plan.groups)
            for (KeyUse& key : keys) key.meet(group, function);
        std::ranges::move(plan.groups, std::back_inserter(program.groups));
        for (std::vector<TaskIndex>& members : plan.tasks) {
            first += members.size();
            tasks.push_back(std::move(members));
        }
    }
    for (const KeyUse& key : keys) key.report(program, program.unmatchedKeys);
    if (tasks.size() == program.tasks.size()) return program;

    Assembler assembler(program, chip);
    for (const std::vector<TaskIndex>& members : tasks) {
        if (context.cancelled()) return cancelledError();
        assembler.addTask(members);
    }
    return assembler.finish();
}

}  // namespace cubist
