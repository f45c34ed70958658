// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/design/indexed_store.h"
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
        CUBIST_TRY(const auto valids, m_valids.of(id, m_indices));
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
    CUBIST_TRY(const auto valids, m_valids.of(id, m_indices));
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
    CUBIST_TRY(const auto valids, m_valids.of(value.name, m_indices));
    box.offset = rightAligned(offsets, 0);
    box.valid = rightAligned(valids);
    const Extent4& shape = m_program.tensors[destination.tensor.value].shape;
    if (isIndexed(destination.store->op)) {  // may write anywhere along its axis
        const std::size_t first = *storeAxis(*destination.store, rank) + 4 - rank;
        const std::size_t picked = indexedAxes(*m_design.value(destination.store->index));
        for (std::size_t axis = first; axis < first + picked; ++axis) {
            box.offset[axis] = 0;
            box.extent[axis] = box.valid[axis] = shape[axis];
        }
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

namespace {

/// How the tile of an indexed store goes out: `valid` elements of it, and as many entries of the index as there are.
VectorDetail indexedStore(const Store& store, std::size_t axis, std::size_t picked, const Extent4& valid,
                          std::int64_t entries) {
    const bool adds = store.op == StoreOp::IndexAdd;
    VectorDetail detail;
    detail.op = adds ? VectorOpCode::IndexAdd : VectorOpCode::IndexPut;
    detail.axis = static_cast<std::uint8_t>(axis);
    detail.traits.alpha = store.alpha;
    detail.traits.accumulate = adds || store.accumulate;
    detail.src[0] = {valid, {0, 0, 0, 0}, valid};
    detail.traits.indexRank = static_cast<std::uint8_t>(picked);
    const Extent4 rows{1, 1, static_cast<std::int64_t>(picked), entries};
    detail.src[1] = {rows, {0, 0, 0, 0}, rows};
    return detail;
}

}  // namespace

Result<void> Lowerer::emitCopy(const ResolvedBlock& block, const Store& store) {
    const ResolvedValue& value = *m_design.value(store.from);
    const StageIndex stage = m_stageOf.at(m_blockOf.at(block.block));
    const Extent4& tile = m_program.stages[stage.value].tile;
    const Destination destination{m_gm.at(store.to.text), &store, block.where};
    CUBIST_TRY(const Box source, placeOf(store.from));
    CUBIST_TRY(const Box target, destinationBox(destination, value));
    std::optional<Box> index;
    std::size_t indexedAxis = 4, picked = 0, slices = 0;
    if (isIndexed(store.op)) {
        const auto rank = static_cast<std::size_t>(m_program.tensors[destination.tensor.value].rank);
        indexedAxis = *storeAxis(store, rank) + 4 - rank;
        picked = indexedAxes(*m_design.value(store.index));
        slices = indexedAxis + picked - 1;
        CUBIST_TRY(index, placeOf(store.index));
    }
    const std::uint64_t groupKey = (std::uint64_t{stage.value} + 1) * 0x9E3779B97F4A7C15ULL;
    Extent4 at{0, 0, 0, 0};
    for (at[0] = 0; at[0] < source.valid[0]; at[0] += tile[0])
        for (at[1] = 0; at[1] < source.valid[1]; at[1] += tile[1])
            for (at[2] = 0; at[2] < source.valid[2]; at[2] += tile[2])
                for (at[3] = 0; at[3] < source.valid[3]; at[3] += tile[3]) {
                    if (m_program.tasks.size() % 1024 == 1023 && m_context.cancelled()) return cancelledError();
                    Box from = source;
                    Box to = target;
                    for (std::size_t axis = 0; axis < 4; ++axis) {
                        const std::int64_t valid = std::min(tile[axis], source.valid[axis] - at[axis]);
                        for (Box* box : {&from, &to}) {
                            if (box == &to && axis >= indexedAxis && axis < indexedAxis + picked) continue;
                            box->offset[axis] += at[axis];
                            box->extent[axis] = std::min(tile[axis], source.extent[axis] - at[axis]);
                            box->valid[axis] = valid;
                        }
                    }
                    VectorLeafSpec spec;
                    spec.stage = stage;
                    spec.values.push_back({value.dtype, tile, from.valid});
                    spec.inputs = {0};
                    spec.outputs.push_back({});
                    spec.outputs[0].atomic = store.op == StoreOp::AtomicAdd;
                    std::vector<Box> boxes{from};
                    if (index) {
                        Box entries = *index;
                        entries.offset[3] += at[slices];
                        entries.extent[3] = tile[slices];
                        entries.valid[3] =
                            std::clamp<std::int64_t>(index->valid[3] - at[slices], 0, from.valid[slices]);
                        if (entries.valid[3] == 0) continue;
                        spec.values.push_back({m_design.value(store.index)->dtype, entries.extent, entries.valid});
                        spec.inputs.push_back(1);
                        spec.outputs[0].index = 1;
                        spec.outputs[0].detail = indexedStore(store, indexedAxis, picked, from.valid, entries.valid[3]);
                        boxes.push_back(entries);
                    }
                    const std::size_t reads = boxes.size();
                    boxes.push_back(to);
                    CUBIST_TRY(const LeafIndex leaf,
                               leafFor(m_vectorLeaves, spec, groupKey, block.where, buildVectorLeaf));
                    emitTask(leaf, boxes, reads,
                             {stage, static_cast<std::uint32_t>(at[2] / tile[2]),
                              static_cast<std::uint32_t>(at[3] / tile[3]), 0, 0},
                             {isUnordered(store)});
                }
    return {};
}

}  // namespace cubist::detail
