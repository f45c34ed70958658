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
                   evaluateAll(view.offset, value.shape.size(), lookupWith(m_design, m_indices), where + "/offset"));
        CUBIST_TRY(const auto valids, validShape(m_design, id, m_indices));
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
    std::int64_t instance = 0;
    const std::vector<std::size_t>& loops = m_design.blocks[value.block].loops;
    for (std::size_t i = 0; i < loops.size(); ++i)
        instance = instance * m_design.loops[loops[i]].iterations + m_path[i].second;
    box.offset[4 - value.shape.size()] = instance * value.shape.front();
    CUBIST_TRY(const auto valids, validShape(m_design, id, m_indices));
    box.valid = rightAligned(valids);
    return box;
}

Result<Box> Lowerer::destinationBox(const Destination& destination, const ResolvedValue& value) {
    if (destination.store == nullptr) return placeOf(value.name);
    Box box;
    box.tensor = destination.tensor;
    box.extent = rightAligned(value.shape);
    CUBIST_TRY(const auto offsets, evaluateAll(destination.store->offset, value.shape.size(),
                                               lookupWith(m_design, m_indices), destination.where + "/offset"));
    CUBIST_TRY(const auto valids, validShape(m_design, value.name, m_indices));
    box.offset = rightAligned(offsets, 0);
    box.valid = rightAligned(valids);
    const Extent4& shape = m_program.tensors[destination.tensor.value].shape;
    if (isIndexed(destination.store->op)) {  // may write anywhere along its axis
        const std::size_t axis = *storeAxis(*destination.store, value.shape.size()) + 4 - value.shape.size();
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

}  // namespace cubist::detail
