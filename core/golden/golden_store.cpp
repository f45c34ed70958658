// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/golden_store.h"

#include <algorithm>
#include <span>

#include "core/base/run_context.h"
#include "core/design/resolve.h"
#include "core/golden/golden_types.h"

namespace cubist::golden {
namespace {

std::size_t placeOf(const Axes& shape, const Axes& at) {
    return static_cast<std::size_t>(((at[0] * shape[1] + at[1]) * shape[2] + at[2]) * shape[3] + at[3]);
}

/// value + addend as the tensor's type has it.
double sum(const StoreTarget& target, double value, double addend) {
    if (!isFloat(target.dtype))
        return carried(target.dtype, wrappingSum(integerOf(target.dtype, value), integerOf(target.dtype, addend)));
    double result = value + addend;
    roundResult(target.kind, target.dtype, std::span(&result, 1));
    return result;
}

}  // namespace

Result<void> storeWindow(const Store& store, const Window& from, const StoreTarget& target) {
    const auto& [values, offset, shape, rank, dtype, kind, where, rows] = target;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (offset[axis] < 0 || offset[axis] + from.valid[axis] > shape[axis])
            return unexpected(ErrorCode::BadValue,
                              "the store into '" + store.to.text + "' ends at " +
                                  std::to_string(offset[axis] + from.valid[axis]) + " of an axis of " +
                                  std::to_string(shape[axis]),
                              where + "/offset");
    const bool adds = store.op == StoreOp::AtomicAdd;
    std::vector<double> row(adds ? static_cast<std::size_t>(from.valid[3]) : 0);
    for (std::int64_t i = 0; i < from.valid[0]; ++i)
        for (std::int64_t j = 0; j < from.valid[1]; ++j)
            for (std::int64_t k = 0; k < from.valid[2]; ++k) {
                const std::int64_t line = ((offset[0] + i) * shape[1] + offset[1] + j) * shape[2] + offset[2] + k;
                if (rows != nullptr && !std::binary_search(rows->begin(), rows->end(), line)) continue;
                const auto to = values.subspan(static_cast<std::size_t>(line * shape[3] + offset[3]),
                                               static_cast<std::size_t>(from.valid[3]));
                from.readRow(i, j, k, 0, adds ? std::span(row) : to);
                for (std::size_t c = 0; c < row.size(); ++c) to[c] = sum(target, to[c], row[c]);
            }
    return {};
}

Result<void> storeByIndex(const Store& store, const Window& from, const Window& index, DType indexType,
                          std::size_t picked, const StoreTarget& target, const Meter& meter) {
    const Axes& shape = target.shape;
    const std::size_t axis = *storeAxis(store, target.rank) + 4 - target.rank;
    const std::size_t slices = axis + picked - 1;  // of the value, right-aligned
    const std::int64_t entries = std::min(index.valid[3], from.valid[slices]);
    std::vector<std::vector<double>> places(picked, std::vector<double>(static_cast<std::size_t>(entries)));
    for (std::size_t row = 0; row < picked; ++row) index.readRow(0, 0, static_cast<std::int64_t>(row), 0, places[row]);
    const bool adds = store.op == StoreOp::IndexAdd || store.accumulate;
    Axes slice = from.valid;
    slice[slices] = 1;
    for (std::int64_t i = 0; i < entries; ++i) {
        if (meter.cancelled()) return cancelledError();
        Axes place{};
        for (std::size_t row = 0; row < picked; ++row) {
            place[axis + row] = integerOf(indexType, places[row][static_cast<std::size_t>(i)]);
            if (place[axis + row] >= 0 && place[axis + row] < shape[axis + row]) continue;
            return unexpected(ErrorCode::BadValue,
                              "entry " + std::to_string(i) + (picked > 1 ? " of row " + std::to_string(row) : "") +
                                  " of the index '" + store.index.text + "' is " + std::to_string(place[axis + row]) +
                                  ", the axis has " + std::to_string(shape[axis + row]),
                              target.where + "/index");
        }
        Axes at{};
        for (at[0] = 0; at[0] < slice[0]; ++at[0])
            for (at[1] = 0; at[1] < slice[1]; ++at[1])
                for (at[2] = 0; at[2] < slice[2]; ++at[2])
                    for (at[3] = 0; at[3] < slice[3]; ++at[3]) {
                        Axes source = at, to = at;
                        source[slices] = i;
                        for (std::size_t a = axis; a <= slices; ++a) to[a] = place[a];
                        double value = 0.0;
                        from.readRow(source[0], source[1], source[2], source[3], std::span(&value, 1));
                        for (std::size_t a = 0; a < 4; ++a) to[a] += target.offset[a];
                        double& out = target.values[placeOf(shape, to)];
                        if (store.op == StoreOp::IndexAdd)
                            value = scaled(target.kind, target.dtype, store.alpha, value);
                        out = adds ? sum(target, out, value) : value;
                    }
    }
    return {};
}

}  // namespace cubist::golden
