// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/integer_math.h"
#include "core/design/resolve.h"
#include "core/design/split_k.h"
#include "core/design/valid_memo.h"
#include "core/lowering/lower.h"
#include "core/lowering/lowerer.h"

namespace cubist {
namespace {

/// Sums and products that stop at the largest int64 instead of wrapping.
std::int64_t times(std::int64_t a, std::int64_t b) {
    return checkedMul(a, b).value_or(std::numeric_limits<std::int64_t>::max());
}
std::int64_t plus(std::int64_t a, std::int64_t b) {
    return checkedAdd(a, b).value_or(std::numeric_limits<std::int64_t>::max());
}

std::int64_t product(const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count = times(count, extent);
    return count;
}

std::int64_t hostBytes(DType dtype, std::int64_t count) {
    return times(count, hostBytesPerElement(dtype));
}

bool readByStage(const ResolvedDesign& design, const ValueId& id) {
    const std::size_t maker = design.value(id)->block;
    for (std::size_t i = 0; i < design.blocks.size(); ++i) {
        const Block& block = *design.blocks[i].block;
        if (const auto* cube = std::get_if<CubeStage>(&block.content)) {
            for (const ValueId& operand : operandsOf(*cube))
                if (operand == id) return true;
        } else if (const auto* store = std::get_if<Store>(&block.content)) {
            if (store->from == id && detail::isCopy(design, design.blocks[i])) return true;
            // The task that makes the value looks the index up, or the copy does.
            if (store->index == id && design.value(store->from)->block != maker) return true;
        } else if (const auto* vector = std::get_if<VectorStage>(&block.content)) {
            if (i == maker) continue;
            for (const VectorOp& op : vector->ops)
                for (const Operand& operand : op.in)
                    if (operand.value() != nullptr && *operand.value() == id) return true;
        }
    }
    return false;
}

/// Executions looked at one by one where groups make their sizes differ; above, each counts as a full one.
constexpr std::int64_t kMostLookedAt = 4096;

struct Work {
    std::int64_t tasks = 0, macs = 0;
};

/// Workspaces of the partial results of split-K.
std::int64_t partialBytes(const ResolvedDesign& design, const ResolvedBlock& block) {
    const auto* cube = std::get_if<CubeStage>(&block.block->content);
    if (cube == nullptr || !block.matmul) return 0;
    return hostBytes(partialType(*cube), times(design.executions(block), partialElements(*cube, *block.matmul)));
}

/// One execution of a stage whose operands or result have these sizes.
Work workOf(const ResolvedDesign& design, const ResolvedBlock& block, const std::vector<std::int64_t>& result,
            std::int64_t k) {
    Work work;
    if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) {
        if (!block.matmul || cube->tile.mL0() < 1 || cube->tile.nL0() < 1 || result.size() < 2) return work;
        const std::int64_t m = result[result.size() - 2], n = result.back();
        std::int64_t batch = 1;
        for (std::size_t axis = 0; axis + 2 < result.size(); ++axis) batch = times(batch, result[axis]);
        const std::int64_t blocks = times(batch, times(ceilDiv(m, cube->tile.mL0()), ceilDiv(n, cube->tile.nL0())));
        const std::int64_t pieces = times(ceilDiv(cube->tile.mL0(), 128), ceilDiv(cube->tile.nL0(), 128));
        work.tasks = splitDepth(*cube) > 0 ? times(blocks, plus(ceilDiv(k, splitDepth(*cube)), pieces)) : blocks;
        work.macs = times(batch, times(m, times(k, n)));
    } else if (const auto* vector = std::get_if<VectorStage>(&block.block->content)) {
        work.tasks = 1;
        for (std::size_t axis = 0; axis < result.size() && axis < vector->tile.size(); ++axis)
            if (vector->tile[axis] > 0) work.tasks = times(work.tasks, ceilDiv(result[axis], vector->tile[axis]));
    } else if (std::holds_alternative<Store>(block.block->content)) {
        if (detail::isCopy(design, block)) work.tasks = ceilDiv(product(result), 4096);
    }
    return work;
}

const ValueId* resultOf(const Block& block) {
    if (const auto* cube = std::get_if<CubeStage>(&block.content)) return &cube->out;
    if (const auto* vector = std::get_if<VectorStage>(&block.content)) return &vector->ops.back().out;
    if (const auto* store = std::get_if<Store>(&block.content)) return &store->from;
    return nullptr;
}

/// Inner extent of a matmul in one execution.
std::int64_t innerOf(const ResolvedBlock& block, ValidMemo& valids, const IndexValues& indices) {
    const auto* cube = std::get_if<CubeStage>(&block.block->content);
    if (cube == nullptr || !block.matmul) return 0;
    const auto a = valids.of(cube->a, indices);
    if (!a || a->size() < 2) return block.matmul->k;
    return (*a)[a->size() - (cube->aTrans ? 2 : 1)];
}

/// The iterations of the blocks looked at: mostly those of the block before.
class Iterations {
public:
    const std::vector<IndexValues>& of(const ResolvedDesign& design, const std::vector<std::size_t>& loops) {
        if (m_loops != loops) {
            m_executions = someExecutions(design, loops, kMostLookedAt);
            m_loops = loops;
        }
        return m_executions;
    }

private:
    std::optional<std::vector<std::size_t>> m_loops;
    std::vector<IndexValues> m_executions;
};

Work totalOf(const ResolvedDesign& design, const ResolvedBlock& block, ValidMemo& valids, Iterations& iterations) {
    Work total;
    const ValueId* result = resultOf(*block.block);
    if (result == nullptr) return total;
    const std::int64_t runs = design.executions(block);
    const bool irregular =
        !design.binding.lists.empty() || std::any_of(block.loops.begin(), block.loops.end(), [&](std::size_t loop) {
            return design.loops[loop].varies() || !design.loops[loop].factors.empty();
        });
    if (!irregular || runs > kMostLookedAt) {
        const Work once = workOf(design, block, design.value(*result)->shape, block.matmul ? block.matmul->k : 0);
        return {times(runs, once.tasks), times(runs, once.macs)};
    }
    for (const IndexValues& indices : iterations.of(design, block.loops)) {
        const auto valid = valids.of(*result, indices);
        const Work once =
            workOf(design, block, valid ? *valid : design.value(*result)->shape, innerOf(block, valids, indices));
        total.tasks = plus(total.tasks, once.tasks);
        total.macs = plus(total.macs, once.macs);
    }
    return total;
}

}  // namespace

Result<Estimate> estimate(const Design& design, const Binding& binding, const ChipSpec&) {
    CUBIST_TRY(const ResolvedDesign resolved, resolve(design, binding));
    return estimate(resolved);
}

Result<Estimate> estimate(const ResolvedDesign& resolved) {
    Estimate out;
    for (const auto& [name, value] : resolved.values) {
        if (value.kind == ResolvedValue::Kind::View) continue;
        const std::int64_t bytes = hostBytes(value.dtype, product(value.shape));
        if (value.kind == ResolvedValue::Kind::Tensor) {
            const TensorRole role = value.tensor->role;
            if (role == TensorRole::Input || role == TensorRole::InOut) out.inputBytes = plus(out.inputBytes, bytes);
            if (role == TensorRole::Output || role == TensorRole::InOut) out.outputBytes = plus(out.outputBytes, bytes);
            if (role == TensorRole::Workspace) out.workspaceBytes = plus(out.workspaceBytes, bytes);
        } else if (readByStage(resolved, value.name)) {
            out.workspaceBytes =
                plus(out.workspaceBytes, times(bytes, resolved.executions(resolved.blocks[value.block])));
        }
    }
    ValidMemo valids(resolved);
    Iterations iterations;
    for (const ResolvedBlock& block : resolved.blocks) {
        const Work work = totalOf(resolved, block, valids, iterations);
        out.tasks = plus(out.tasks, work.tasks);
        out.macs = plus(out.macs, work.macs);
        out.workspaceBytes = plus(out.workspaceBytes, partialBytes(resolved, block));
    }
    constexpr std::int64_t kBytesPerTask = sizeof(Task) + 4 * sizeof(Box) + 4 * sizeof(Edge) + 64;
    out.programBytes = times(out.tasks, kBytesPerTask);
    return out;
}

}  // namespace cubist
