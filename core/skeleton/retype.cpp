// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/skeleton/retype.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "core/design/block_values.h"
#include "core/design/resolve.h"

namespace cubist {
namespace {

constexpr std::int64_t kLeastDepth = 16;

/// K of a tile that needs no more bytes than before.
void keepBytes(CubeTile& tile, int bitsBefore, int bitsAfter) {
    for (std::int64_t& depth : tile.k) {
        const std::int64_t scaled = depth * bitsBefore / bitsAfter;
        if (bitsAfter > bitsBefore && scaled >= kLeastDepth) depth = scaled;
    }
}

/// Leaves out casts of what an earlier operation of the stage made to the type that it has already.
void dropCasts(VectorStage& stage, const ResolvedDesign& resolved) {
    for (std::size_t i = 0; i < stage.ops.size();) {
        const VectorOp& cast = stage.ops[i];
        const ValueId* in = cast.op == VectorOpCode::Cast ? cast.in.front().value() : nullptr;
        const ResolvedValue* value = in != nullptr ? resolved.value(*in) : nullptr;
        const auto maker = std::find_if(stage.ops.begin(), stage.ops.begin() + static_cast<std::ptrdiff_t>(i),
                                        [&](const VectorOp& op) { return in != nullptr && op.out == *in; });
        const bool made = maker != stage.ops.begin() + static_cast<std::ptrdiff_t>(i);
        if (value == nullptr || !made || !cast.dtype || value->dtype != *cast.dtype) {
            ++i;
            continue;
        }
        const ValueId before = *in, after = cast.out;
        stage.ops.erase(stage.ops.begin() + static_cast<std::ptrdiff_t>(i));
        for (VectorOp& op : stage.ops) {
            if (op.out == before) op.out = after;
            for (Operand& operand : op.in)
                if (operand.value() != nullptr && *operand.value() == before) operand.source = after;
        }
    }
}

}  // namespace

Design withDType(const Design& design, DType from, DType to) {
    Design made = design;
    for (Tensor& tensor : made.tensors) {
        if (tensor.dtype != from) continue;
        tensor.dtype = to;
        if (to == DType::FP32) tensor.format = Format::ND;
    }
    visitTree(made.blocks, [&](Block& block) {
        if (auto* cube = std::get_if<CubeStage>(&block.content)) {
            if (cube->outDType == from) cube->outDType = to;
            keepBytes(cube->tile, bitsPerElement(from), bitsPerElement(to));
        }
        if (auto* stage = std::get_if<VectorStage>(&block.content))
            for (VectorOp& op : stage->ops)
                if (op.dtype == from) op.dtype = to;
    });
    const auto binding = bind(made, {}, {});
    const auto resolved = binding ? resolve(made, *binding) : Result<ResolvedDesign>(unexpected(binding.error()));
    if (!resolved) return made;
    Design lean = made;  // `resolved` points into the other
    visitTree(lean.blocks, [&](Block& block) {
        if (auto* stage = std::get_if<VectorStage>(&block.content)) dropCasts(*stage, *resolved);
    });
    return lean;
}

}  // namespace cubist
