// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/base/integer_math.h"
#include "core/lowering/lowerer.h"

namespace cubist::detail {
namespace {

/// The part of a value that one vector tile covers; an axis of extent 1 is the same for every tile.
struct Tile {
    Extent4 offset{0, 0, 0, 0};
    Extent4 extent{1, 1, 1, 1};
    Extent4 valid{1, 1, 1, 1};
    bool first = true;  ///< the first tile along every axis on which the value does not vary
};

Tile tileOf(const Extent4& shape, const Extent4& valid, const Extent4& at, const Extent4& tile) {
    Tile out;
    for (std::size_t i = 0; i < 4; ++i) {
        const bool varies = shape[i] != 1;
        out.offset[i] = varies ? at[i] : 0;
        out.extent[i] = varies ? std::min(tile[i], shape[i] - at[i]) : 1;
        out.valid[i] = std::clamp(valid[i] - out.offset[i], std::int64_t{0}, out.extent[i]);
        out.first = out.first && (varies || at[i] == 0);
    }
    return out;
}

Box cut(Box box, const Tile& tile) {
    for (std::size_t i = 0; i < 4; ++i) box.offset[i] += tile.offset[i];
    box.extent = tile.extent;
    box.valid = tile.valid;
    return box;
}

}  // namespace

Result<void> Lowerer::emitVector(const ResolvedBlock& block, const VectorStage& stage) {
    const StageIndex stageIndex = m_stageOf.at(m_blockOf.at(block.block));
    const Extent4 tile = m_program.stages[stageIndex.value].tile;

    struct Value {
        Extent4 shape, valid;
        DType dtype;
        std::optional<Box> source;  ///< inputs
    };
    std::vector<Value> values;
    std::map<std::string, std::uint16_t> slotOf;
    const auto add = [&](const ValueId& id, std::optional<Box> source) -> Result<std::uint16_t> {
        const ResolvedValue& value = *m_design.value(id);
        CUBIST_TRY(const auto valid, validShape(m_design, id, m_indices));
        values.push_back({rightAligned(value.shape), rightAligned(valid), value.dtype, source});
        return slotOf[id.text] = static_cast<std::uint16_t>(values.size() - 1);
    };

    VectorLeafSpec spec;
    spec.stage = stageIndex;
    for (const VectorOp& op : stage.ops) {
        VectorLeafOp leafOp;
        leafOp.op = op.op;
        leafOp.round = op.round;
        leafOp.saturate = op.saturate;
        for (std::size_t i = 0; i < op.in.size(); ++i) {
            if (const double* number = op.in[i].number()) {
                leafOp.scalar = *number;
                leafOp.scalarFirst = i == 0;
                continue;
            }
            const ValueId& id = *op.in[i].value();
            if (!slotOf.contains(id.text)) {
                CUBIST_TRY(const Box source, placeOf(id));
                CUBIST_TRY(const std::uint16_t slot, add(id, source));
                spec.inputs.push_back(slot);
            }
            leafOp.in[i] = slotOf.at(id.text);
        }
        CUBIST_TRY(leafOp.out, add(op.out, std::nullopt));
        spec.ops.push_back(leafOp);
    }

    struct Output {
        std::uint16_t value;
        Box box;
    };
    std::vector<Output> outputs;
    for (const VectorOp& op : stage.ops) {
        const auto found = m_results.find(op.out.text);
        if (found == m_results.end()) continue;
        for (const Destination& destination : found->second) {
            CUBIST_TRY(const Box box, destinationBox(destination, *m_design.value(op.out)));
            outputs.push_back({slotOf.at(op.out.text), box});
        }
    }
    if (outputs.empty())
        return unexpected(ErrorCode::BadValue,
                          "the result '" + stage.ops.back().out.text + "' is neither read nor stored",
                          block.where + "/ops", "store it into an output tensor");

    Extent4 space{1, 1, 1, 1};
    Extent4 validSpace{1, 1, 1, 1};
    for (const VectorLeafOp& op : spec.ops)
        for (std::size_t i = 0; i < 4; ++i) {
            space[i] = std::max(space[i], values[op.out].shape[i]);
            if (values[op.out].shape[i] == space[i]) validSpace[i] = values[op.out].valid[i];
        }
    const std::uint64_t groupKey = (std::uint64_t{stageIndex.value} + 1) * 0x9E3779B97F4A7C15ULL;

    std::vector<Box> boxes;
    Extent4 at{};
    for (at[0] = 0; at[0] < validSpace[0]; at[0] += tile[0])
        for (at[1] = 0; at[1] < validSpace[1]; at[1] += tile[1])
            for (at[2] = 0; at[2] < validSpace[2]; at[2] += tile[2])
                for (at[3] = 0; at[3] < validSpace[3]; at[3] += tile[3]) {
                    if (m_program.tasks.size() % 1024 == 1023 && m_context.cancelled()) return cancelledError();
                    std::vector<Tile> tiles;
                    for (const Value& value : values) tiles.push_back(tileOf(value.shape, value.valid, at, tile));
                    boxes.clear();
                    spec.values.clear();
                    spec.outputs.clear();
                    for (std::size_t i = 0; i < values.size(); ++i)
                        spec.values.push_back({values[i].dtype, tiles[i].extent, tiles[i].valid});
                    for (const std::uint16_t input : spec.inputs)
                        boxes.push_back(cut(*values[input].source, tiles[input]));
                    for (const Output& output : outputs) {
                        if (!tiles[output.value].first) continue;
                        spec.outputs.push_back(output.value);
                        boxes.push_back(cut(output.box, tiles[output.value]));
                    }
                    if (spec.outputs.empty()) continue;
                    CUBIST_TRY(const LeafIndex leaf,
                               leafFor(m_vectorLeaves, spec, groupKey, block.where + "/tile", buildVectorLeaf));
                    emitTask(leaf, boxes, spec.inputs.size(),
                             {stageIndex, static_cast<std::uint32_t>(at[2] / tile[2]),
                              static_cast<std::uint32_t>(at[3] / tile[3]), 0, 0});
                }
    return {};
}

}  // namespace cubist::detail
