// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/lowering/lowerer.h"

namespace cubist::detail {

Result<Box> Lowerer::placeOf(const ValueId& id) {
    const ResolvedValue& value = *m_design.value(id);
    if (value.kind == ResolvedValue::Kind::View) {
        const View& view = *value.view;
        const std::string& where = m_design.blocks[value.block].where;
        CUBIST_TRY(Box box, placeOf(view.of));
        CUBIST_TRY(const auto offsets,
                   evaluateAll(view.offset, view.offset.size(), lookupWith(m_design, m_indices), where + "/offset"));
        CUBIST_TRY(const auto valids, m_valids.of(id));
        const Extent4 offset = rightAligned(offsets, 0);
        const Extent4 valid = rightAligned(valids);
        const Extent4 shape = rightAligned(value.shape);
        for (std::size_t i = 0; i < 4; ++i) {
            const bool inside = offset[i] >= 0 && offset[i] <= box.valid[i] && valid[i] <= box.valid[i] - offset[i];
            if (!inside)
                return unexpected(ErrorCode::BadValue,
                                  "the view reads [" + std::to_string(offset[i]) + ", " +
                                      std::to_string(offset[i] + valid[i]) + ") of an axis with " +
                                      std::to_string(box.valid[i]) + " valid elements",
                                  where + "/offset");
            box.offset[i] += offset[i];
            box.extent[i] = shape[i];
            box.valid[i] = valid[i];
        }
        return box;
    }
    Box box;
    box.tensor = m_gm.at(id.text);
    box.extent = rightAligned(value.shape);
    box.valid = box.extent;
    if (value.kind == ResolvedValue::Kind::Tensor) return box;

    // A workspace holds the results of all iterations one after the other along the first axis.
    const std::int64_t instance = currentExecution(m_design.blocks[value.block].loops);
    box.offset[4 - value.shape.size()] = instance * value.shape.front();
    CUBIST_TRY(const auto valids, m_valids.of(id));
    box.valid = rightAligned(valids);
    return box;
}

Result<Box> Lowerer::destinationBox(const Destination& destination, const ResolvedValue& value) {
    if (destination.store == nullptr) return placeOf(value.name);
    Box box;
    box.tensor = destination.tensor;
    box.extent = rightAligned(value.shape);
    const std::size_t rank = static_cast<std::size_t>(m_program.tensors[destination.tensor.value].rank);
    CUBIST_TRY(const auto offsets, evaluateAll(destination.store->offset, rank, lookupWith(m_design, m_indices),
                                               destination.where + "/offset"));
    CUBIST_TRY(const auto valids, m_valids.of(value.name));
    box.offset = rightAligned(offsets, 0);
    box.valid = rightAligned(valids);
    const Extent4& shape = m_program.tensors[destination.tensor.value].shape;
    if (isIndexed(destination.store->op)) {  // may write anywhere along its axis
        const std::size_t axis = *storeAxis(*destination.store, rank) + 4 - rank;
        box.offset[axis] = 0;
        box.extent[axis] = box.valid[axis] = shape[axis];
    }
    for (std::size_t i = 0; i < 4; ++i)
        if (box.offset[i] < 0 || box.offset[i] > shape[i] || box.valid[i] > shape[i] - box.offset[i])
            return unexpected(ErrorCode::BadValue,
                              "the store writes [" + std::to_string(box.offset[i]) + ", " +
                                  std::to_string(box.offset[i] + box.valid[i]) + ") of an axis of " +
                                  std::to_string(shape[i]),
                              destination.where + "/offset");
    return box;
}

Result<void> Lowerer::emitCopy(const ResolvedBlock& block, const Store& store) {
    const ResolvedValue& value = *m_design.value(store.from);
    const StageIndex stage = m_stageOf.at(m_blockOf.at(block.block));
    const Extent4& tile = m_program.stages[stage.value].tile;
    const Destination destination{m_gm.at(store.to.text), &store, block.where};
    CUBIST_TRY(const Box source, placeOf(store.from));
    CUBIST_TRY(const Box target, destinationBox(destination, value));
    const std::uint64_t groupKey = (std::uint64_t{stage.value} + 1) * 0x9E3779B97F4A7C15ULL;
    Extent4 at{0, 0, 0, 0};
    for (at[0] = 0; at[0] < target.valid[0]; at[0] += tile[0])
        for (at[1] = 0; at[1] < target.valid[1]; at[1] += tile[1])
            for (at[2] = 0; at[2] < target.valid[2]; at[2] += tile[2])
                for (at[3] = 0; at[3] < target.valid[3]; at[3] += tile[3]) {
                    if (m_program.tasks.size() % 1024 == 1023 && m_context.cancelled()) return cancelledError();
                    Box from = source;
                    Box to = target;
                    for (std::size_t axis = 0; axis < 4; ++axis) {
                        const std::int64_t valid = std::min(tile[axis], target.valid[axis] - at[axis]);
                        for (Box* box : {&from, &to}) {
                            box->offset[axis] += at[axis];
                            box->extent[axis] = tile[axis];
                            box->valid[axis] = valid;
                        }
                    }
                    VectorLeafSpec spec;
                    spec.stage = stage;
                    spec.values.push_back({value.dtype, tile, to.valid});
                    spec.inputs = {0};
                    spec.outputs.push_back({});
                    CUBIST_TRY(const LeafIndex leaf,
                               leafFor(m_vectorLeaves, spec, groupKey, block.where, buildVectorLeaf));
                    emitTask(leaf, {from, to}, 1,
                             {stage, static_cast<std::uint32_t>(at[2] / tile[2]),
                              static_cast<std::uint32_t>(at[3] / tile[3]), 0, 0});
                }
    return {};
}

}  // namespace cubist::detail
