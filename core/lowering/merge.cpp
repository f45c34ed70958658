// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/merge.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/lowering/merge_plan.h"
#include "core/lowering/merge_program.h"

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
                        return stage.kind == m_kind && (stage.label.empty() ? stage.id.text : stage.label) == key;
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

}  // namespace

Result<Program> mergeTasks(Program program, const Options& options, const ChipSpec& chip, const RunContext& context) {
    const MergeOptions settings(options);
    const FunctionIds functions(program, settings);
    std::array keys{KeyUse("cube_l1_reuse_setting", TaskKind::Aic, options.cubeL1Reuse),
                    KeyUse("cube_nbuffer_setting", TaskKind::Aic, options.cubeNBuffer),
                    KeyUse("vec_nbuffer_setting", TaskKind::Aiv, options.vecNBuffer)};
    std::vector<std::vector<TaskIndex>> tasks;
    std::vector<TaskIndex> sharesWith;
    for (std::size_t first = 0; first < program.tasks.size();) {
        if (context.cancelled()) return cancelledError();
        const Task& task = program.tasks[first];
        const std::optional<std::int64_t> function = functions.idOf(program, task);
        MergePlan plan = planMerges(program, task.root, function, settings, chip);
        for (const MergeGroup& group : plan.groups)
            for (KeyUse& key : keys) key.meet(group, function);
        std::ranges::move(plan.groups, std::back_inserter(program.groups));
        sharesWith.insert(sharesWith.end(), plan.sharesWith.begin(), plan.sharesWith.end());
        for (std::vector<TaskIndex>& members : plan.tasks) {
            first += members.size();
            tasks.push_back(std::move(members));
        }
    }
    for (const KeyUse& key : keys) key.report(program, program.unmatchedKeys);
    if (tasks.size() == program.tasks.size()) return program;

    return joinTasks(std::move(program), tasks, sharesWith, chip, context);
}

}  // namespace cubist
