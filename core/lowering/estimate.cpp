// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <limits>

#include "core/base/integer_math.h"
#include "core/design/resolve.h"
#include "core/lowering/lower.h"

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
        } else if (const auto* vector = std::get_if<VectorStage>(&block.content)) {
            if (i == maker) continue;
            for (const VectorOp& op : vector->ops)
                for (const Operand& operand : op.in)
                    if (operand.value() != nullptr && *operand.value() == id) return true;
        }
    }
    return false;
}

}  // namespace

Result<Estimate> estimate(const Design& design, const Binding& binding, const ChipSpec&) {
    CUBIST_TRY(const ResolvedDesign resolved, resolve(design, binding));
    Estimate out;
    for (const auto& [name, value] : resolved.values) {
        if (value.kind == ResolvedValue::Kind::View) continue;
        std::int64_t bytes = hostBytes(value.dtype, product(value.shape));
        if (value.kind == ResolvedValue::Kind::Tensor) {
            std::int64_t& sum = value.tensor->role == TensorRole::Input ? out.inputBytes : out.outputBytes;
            sum = plus(sum, bytes);
        } else if (readByStage(resolved, value.name)) {
            out.workspaceBytes =
                plus(out.workspaceBytes, times(bytes, resolved.executions(resolved.blocks[value.block])));
        }
    }
    for (const ResolvedBlock& block : resolved.blocks) {
        const std::int64_t runs = resolved.executions(block);
        if (const auto* cube = std::get_if<CubeStage>(&block.block->content)) {
            if (!block.matmul || cube->tile.mL0() < 1 || cube->tile.nL0() < 1) continue;
            const MatmulSize& size = *block.matmul;
            const std::int64_t matrices = times(runs, size.batches());
            const std::int64_t depth = std::min(cube->tile.kAL1(), cube->tile.kBL1());
            const bool split = cube->tile.splitK && depth > 0;
            const std::int64_t slices = split ? ceilDiv(size.k, depth) : 1;
            const std::int64_t blocks =
                times(matrices, times(ceilDiv(size.m, cube->tile.mL0()), ceilDiv(size.n, cube->tile.nL0())));
            out.tasks = plus(out.tasks, times(blocks, slices));
            out.macs = plus(out.macs, times(matrices, times(size.m, times(size.k, size.n))));
            if (split) {
                const std::int64_t pieces = times(ceilDiv(cube->tile.mL0(), 128), ceilDiv(cube->tile.nL0(), 128));
                const bool integers = cube->outDType == DType::INT32;
                out.tasks = plus(out.tasks, times(blocks, pieces));
                out.workspaceBytes =
                    plus(out.workspaceBytes,
                         hostBytes(integers ? DType::INT32 : cube->partialDType,
                                   times(times(matrices, integers ? 1 : slices), times(size.m, size.n))));
            }
        } else if (const auto* vector = std::get_if<VectorStage>(&block.block->content)) {
            const ResolvedValue& result = *resolved.value(vector->ops.back().out);
            std::int64_t tiles = 1;
            for (std::size_t axis = 0; axis < result.shape.size() && axis < vector->tile.size(); ++axis)
                if (vector->tile[axis] > 0) tiles = times(tiles, ceilDiv(result.shape[axis], vector->tile[axis]));
            out.tasks = plus(out.tasks, times(runs, tiles));
        }
    }
    constexpr std::int64_t kBytesPerTask = sizeof(Task) + 4 * sizeof(Box) + 4 * sizeof(Edge) + 64;
    out.programBytes = times(out.tasks, kBytesPerTask);
    return out;
}

}  // namespace cubist
