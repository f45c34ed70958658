// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lowering/bare_launch.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/lowering/merge_program.h"

namespace cubist {
namespace {

constexpr std::size_t kMostTilesOfLeaf = 60'000;

std::size_t place(TaskKind kind) {
    return static_cast<std::size_t>(kind);
}

class Launcher {
public:
    Launcher(const Program& program, const BlockOrder& order, const ChipSpec& chip)
        : m_program(program), m_order(order) {
        m_cores = {chip.aicCount.integer(), chip.aivCount.integer()};
        for (std::size_t kind = 0; kind < m_open.size(); ++kind)
            m_open[kind].resize(static_cast<std::size_t>(m_cores[kind]));
        m_predecessors.resize(program.tasks.size());
        for (std::size_t t = 0; t < program.tasks.size(); ++t)
            for (const Edge& edge : program.edgesOf(program.tasks[t]))
                m_predecessors[edge.to.value].push_back(TaskIndex(t));
    }

    Result<void> run() {
        for (std::size_t first = 0; first < m_program.tasks.size();) {
            std::size_t end = first + 1;
            while (end < m_program.tasks.size() && sameRun(first, end)) ++end;
            CUBIST_CHECK_OK(dealRun(first, end));
            first = end;
        }
        return {};
    }

    std::vector<std::vector<TaskIndex>> tasks;
    std::vector<std::uint16_t> coreOf;

private:
    /// What a core works on and may still take more of.
    struct Open {
        std::size_t task = 0;
        std::size_t tiles = 0;
        bool more = false;
    };

    [[nodiscard]] const Task& taskAt(std::size_t t) const { return m_program.tasks[t]; }

    /// Blocks of one execution of a stage.
    [[nodiscard]] bool sameRun(std::size_t a, std::size_t b) const {
        return taskAt(a).root == taskAt(b).root && m_program.stageOf(taskAt(a)) == m_program.stageOf(taskAt(b)) &&
               m_program.leafOf(taskAt(a)).kind == m_program.leafOf(taskAt(b)).kind;
    }

    Result<void> dealRun(std::size_t first, std::size_t end) {
        const TaskKind kind = m_program.leafOf(taskAt(first)).kind;
        if (kind == TaskKind::Aiv || m_order.kind == OrderKind::LoopNM) {
            for (std::size_t t = first; t < end; ++t)
                give(TaskIndex(t), kind, static_cast<std::size_t>(m_next[place(kind)]++ % m_cores[place(kind)]));
            return {};
        }
        if (m_order.splitTail)
            return unexpected(ErrorCode::BadValue, "the blocks of a design are not cut finer for the last wave");
        // One matrix product after the other: groups, and slices of K, each with all blocks of its result.
        std::map<std::pair<std::int64_t, std::int64_t>, std::vector<TaskIndex>> products;
        for (std::size_t t = first; t < end; ++t)
            products[{memberAt(t).group, memberAt(t).kSlice}].push_back(TaskIndex(t));
        std::vector<std::pair<TaskIndex, std::size_t>> dealt;
        for (const auto& entry : products) CUBIST_CHECK_OK(dealProduct(entry.second, dealt));
        const bool ordered = legal(first, end, dealt);
        // Sums that go to one place keep their order.
        if (!ordered) std::sort(dealt.begin(), dealt.end());
        for (const auto& [task, core] : dealt) give(task, kind, core);
        return {};
    }

    [[nodiscard]] const TaskMember& memberAt(std::size_t t) const { return m_program.members[taskAt(t).firstMember]; }

    /// Deals the blocks of one product, beginning at the core behind the last one of the product before.
    Result<void> dealProduct(const std::vector<TaskIndex>& product,
                             std::vector<std::pair<TaskIndex, std::size_t>>& dealt) {
        std::map<std::pair<std::int64_t, std::int64_t>, std::vector<TaskIndex>> blocks;
        std::int64_t rows = 0;
        std::int64_t columns = 0;
        for (const TaskIndex task : product) {
            const TaskMember& member = memberAt(task.value);
            rows = std::max(rows, std::int64_t{member.blockM} + 1);
            columns = std::max(columns, std::int64_t{member.blockN} + 1);
            blocks[{member.blockM, member.blockN}].push_back(task);
        }
        std::int64_t& next = m_next[place(TaskKind::Aic)];
        const std::int64_t cores = m_cores[place(TaskKind::Aic)];
        CUBIST_TRY(const auto lists, blocksOfCores(m_order, rows, columns, 1, 1, cores));
        std::size_t left = 1;
        std::size_t last = 0;
        for (std::size_t turn = 0; left > 0; ++turn) {
            left = 0;
            for (std::size_t core = 0; core < lists.size(); ++core) {
                if (turn >= lists[core].size()) continue;
                ++left;
                last = core;
                const auto at = (core + static_cast<std::size_t>(next)) % static_cast<std::size_t>(cores);
                for (const TaskIndex task : blocks[{lists[core][turn].row, lists[core][turn].column}])
                    dealt.emplace_back(task, at);
            }
        }
        next = (next + static_cast<std::int64_t>(last) + 1) % cores;
        return {};
    }

    /// Whether no task of the run comes before one that it waits for.
    [[nodiscard]] bool legal(std::size_t first, std::size_t end,
                             const std::vector<std::pair<TaskIndex, std::size_t>>& dealt) const {
        std::vector<std::size_t> places(end - first);
        for (std::size_t i = 0; i < dealt.size(); ++i) places[dealt[i].first.value - first] = i;
        for (std::size_t t = first; t < end; ++t)
            for (const Edge& edge : m_program.edgesOf(taskAt(t)))
                if (edge.to.value < end && places[edge.to.value - first] < places[t - first]) return false;
        return true;
    }

    void give(TaskIndex task, TaskKind kind, std::size_t core) {
        Open& open = m_open[place(kind)][core];
        const Leaf& leaf = m_program.leafOf(taskAt(task.value));
        const std::size_t tiles =
            std::max({leaf.allocations.size(), leaf.details.size(), std::size_t{leaf.parameters}});
        const bool last = taskAt(task.value).edgeCount == 0;
        if (open.more && last && open.tiles + tiles <= kMostTilesOfLeaf && follows(tasks[open.task].front(), task)) {
            tasks[open.task].push_back(task);
            open.tiles += tiles;
            return;
        }
        open = {tasks.size(), tiles, last};
        tasks.push_back({task});
        coreOf.push_back(static_cast<std::uint16_t>(core));
    }

    [[nodiscard]] bool follows(TaskIndex first, TaskIndex task) const {
        return m_program.stageOf(taskAt(first.value)) == m_program.stageOf(taskAt(task.value)) &&
               std::ranges::includes(m_predecessors[first.value], m_predecessors[task.value]);
    }

    const Program& m_program;
    BlockOrder m_order;
    std::array<std::int64_t, 2> m_cores{};
    std::array<std::int64_t, 2> m_next{};
    std::array<std::vector<Open>, 2> m_open;
    std::vector<std::vector<TaskIndex>> m_predecessors;  ///< by task, ascending
};

}  // namespace

Result<BareLaunch> launchBare(Program program, const BlockOrder& order, const ChipSpec& chip,
                              const RunContext& context) {
    Launcher launcher(program, order, chip);
    CUBIST_CHECK_OK(launcher.run());
    BareLaunch out;
    out.coreOf = std::move(launcher.coreOf);
    CUBIST_TRY(out.program, joinTasks(std::move(program), launcher.tasks, {}, chip, context));
    return out;
}

}  // namespace cubist
