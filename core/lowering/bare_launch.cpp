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
        std::map<std::pair<std::int64_t, std::int64_t>, std::vector<TaskIndex>> blocks;
        std::int64_t rows = 0;
        std::int64_t columns = 0;
        std::int64_t rowsOfMatrix = 0;
        const auto member = [&](std::size_t t) -> const TaskMember& {
            return m_program.members[taskAt(t).firstMember];
        };
        for (std::size_t t = first; t < end; ++t)
            rowsOfMatrix = std::max(rowsOfMatrix, std::int64_t{member(t).blockM} + 1);
        bool ordered = true;
        for (std::size_t t = first; t < end; ++t) {
            const std::int64_t row = std::int64_t{member(t).group} * rowsOfMatrix + member(t).blockM;
            rows = std::max(rows, row + 1);
            columns = std::max(columns, std::int64_t{member(t).blockN} + 1);
            blocks[{row, member(t).blockN}].push_back(TaskIndex(t));
            for (const Edge& edge : m_program.edgesOf(taskAt(t))) ordered = ordered && edge.to.value >= end;
        }
        if (m_order.splitTail)
            return unexpected(ErrorCode::BadValue, "the blocks of a design are not cut finer for the last wave");
        CUBIST_TRY(const auto cores, blocksOfCores(m_order, rows, columns, 1, 1, m_cores[place(kind)]));
        std::vector<std::pair<TaskIndex, std::size_t>> dealt;
        for (std::size_t turn = 0, left = 1; left > 0; ++turn) {
            left = 0;
            for (std::size_t core = 0; core < cores.size(); ++core) {
                if (turn >= cores[core].size()) continue;
                ++left;
                for (const TaskIndex task : blocks[{cores[core][turn].row, cores[core][turn].column}])
                    dealt.emplace_back(task, core);
            }
        }
        // Sums that go to one place keep their order.
        if (!ordered) std::sort(dealt.begin(), dealt.end());
        for (const auto& [task, core] : dealt) give(task, kind, core);
        return {};
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
