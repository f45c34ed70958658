// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/stitch_plan.h"

#include <algorithm>
#include <optional>

namespace cubist {
namespace {

constexpr std::int64_t kBytesPerKb = 1024;

struct RootSize {
    std::uint32_t tasks = 0;
    std::int64_t workspaceBytes = 0;
};

std::vector<RootSize> sizesOf(const Program& program) {
    std::vector<RootSize> sizes(program.roots.size());
    for (const Task& task : program.tasks) {
        RootSize& size = sizes[task.root.value];
        ++size.tasks;
        const std::span<const Box> boxes = program.boxesOf(task);
        for (const Instruction& i : program.leafOf(task).instructions) {
            if ((i.op != Opcode::StoreL0C && i.op != Opcode::StoreUb) || i.box == Instruction::kNone) continue;
            const GmTensor& tensor = program.tensors[boxes[i.box].tensor.value];
            if (tensor.role == GmRole::Workspace)
                size.workspaceBytes += deviceBytes(tensor.dtype, elementCount(boxes[i.box].valid));
        }
    }
    return sizes;
}

class Stitcher {
public:
    Stitcher(const Program& program, const Options& options)
        : m_program(program), m_options(options), m_sizes(sizesOf(program)) {
        m_plan.groupOf.resize(program.roots.size());
        m_rows.resize(1);
    }

    StitchPlan run() {
        for (std::size_t r = 0; r < m_program.roots.size(); ++r) add(RootIndex(r), m_program.roots[r]);
        return std::move(m_plan);
    }

private:
    /// Groups that follow each other.
    struct Row {
        std::optional<std::uint32_t> open;
        std::int64_t workspaceBytes = 0;
        std::vector<std::uint32_t> last;  ///< what the next group follows
    };

    void add(RootIndex root, const Root& what) {
        const bool parallel = what.parallelIndex && m_options.deviceSchedParallelism > 1;
        const std::int64_t iteration = what.parallelIndex.value_or(0);
        if (what.submitBefore || parallel != m_parallel || (parallel && iteration < m_iteration)) join(parallel);
        m_iteration = iteration;
        Row& row = m_rows[parallel ? static_cast<std::size_t>(*what.parallelIndex) % m_rows.size() : 0];
        if (row.open && !hasRoom(row, root)) close(row);
        if (!row.open) open(row);
        StitchGroup& group = m_plan.groups[*row.open];
        group.roots.push_back(root);
        group.tasks += m_sizes[root.value].tasks;
        row.workspaceBytes += m_sizes[root.value].workspaceBytes;
        m_plan.groupOf[root.value] = *row.open;
    }

    [[nodiscard]] bool hasRoom(const Row& row, RootIndex root) const {
        const StitchGroup& group = m_plan.groups[*row.open];
        const RootSize& size = m_sizes[root.value];
        if (group.roots.size() >= kMostRootsPerGroup || group.tasks + size.tasks > kMostTasksPerGroup) return false;
        if (m_options.maxWorkspaceKb > 0)
            return row.workspaceBytes + size.workspaceBytes <= m_options.maxWorkspaceKb * kBytesPerKb;
        return static_cast<std::int64_t>(group.roots.size()) < m_options.stitchFunctionMaxNum;
    }

    void open(Row& row) {
        row.open = static_cast<std::uint32_t>(m_plan.groups.size());
        m_plan.groups.emplace_back().after = row.last;
    }

    static void close(Row& row) {
        if (!row.open) return;
        row.last = {*row.open};
        row.open.reset();
        row.workspaceBytes = 0;
    }

    /// All rows end; what comes next follows each of them.
    void join(bool parallel) {
        std::vector<std::uint32_t> last;
        for (Row& row : m_rows) {
            close(row);
            last.insert(last.end(), row.last.begin(), row.last.end());
        }
        std::ranges::sort(last);
        last.erase(std::unique(last.begin(), last.end()), last.end());
        m_parallel = parallel;
        Row fresh;
        fresh.last = std::move(last);
        m_rows.assign(parallel ? static_cast<std::size_t>(m_options.deviceSchedParallelism) : 1, fresh);
    }

    const Program& m_program;
    const Options& m_options;
    std::vector<RootSize> m_sizes;
    StitchPlan m_plan;
    std::vector<Row> m_rows;
    bool m_parallel = false;
    std::int64_t m_iteration = 0;  ///< a smaller one begins another parallel loop
};

}  // namespace

StitchPlan planStitching(const Program& program, const Options& options) {
    return Stitcher(program, options).run();
}

}  // namespace cubist
