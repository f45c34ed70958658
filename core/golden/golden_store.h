// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/design/design.h"
#include "core/golden/meter.h"
#include "core/golden/window.h"

/// Stores into reference values.
namespace cubist::golden {

/// The tensor that a store writes, and where.
struct StoreTarget {
    std::span<double> values;
    Axes offset, shape;
    std::size_t rank = 2;
    DType dtype = DType::FP32;
    GoldenKind kind = GoldenKind::Ideal;
    const std::string& where;  ///< of the store block
    const std::vector<std::int64_t>* rows =
        nullptr;  ///< the only rows that matter, ascending, of all axes but the last; null: all
};

/// slice, assemble and atomic_add: the valid elements of `from` at the offset. Errors: BadValue (beyond the tensor).
[[nodiscard]] Result<void> storeWindow(const Store& store, const Window& from, const StoreTarget& target);

/// index_add and index_put: slice i of `from` goes to the place that entry i of the index says; of an index with
/// `picked` rows, row r is the place along axis dim + r. Errors: Cancelled; BadValue (an entry beyond the axis).
[[nodiscard]] Result<void> storeByIndex(const Store& store, const Window& from, const Window& index, DType indexType,
                                        std::size_t picked, const StoreTarget& target, const Meter& meter);

}  // namespace cubist::golden
