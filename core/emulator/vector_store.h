// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/emulator/gm_memory.h"
#include "core/emulator/vector_unit.h"

/// Transfers between UB and global memory that do more than copy.
namespace cubist {

/// Converts a row (see `convertRow`) and writes it, or with `add` adds it to what the target holds: floats in FP32,
/// rounded once to the target's type, integers modulo their width. Returns the first element whose integer addition
/// wrapped around.
[[nodiscard]] std::optional<std::size_t> storeRow(DType from, const void* source, DType to, void* target,
                                                  std::size_t count, bool add);

/// target += alpha * source, the product rounded to the type first. Returns the first element where an integer product
/// or sum wrapped around. Source: F-72
[[nodiscard]] std::optional<std::size_t> addScaledRow(DType type, const void* source, double alpha, void* target,
                                                      std::size_t count);

/// Is asked before `count` elements from `at` on of the box's tensor are touched; they are left out when it says no.
using MayTouch = std::function<bool(const Extent4& at, std::int64_t count)>;

/// Writes the slices of a tile to the places that `index` lists, ascending, so that the last of two equal entries wins
/// and sums add in this order. `detail`: IndexAdd or IndexPut; row r of the index picks along axis detail.axis + r, and
/// the tile has one axis in the place of all picked ones. Appends the running number of every place within those axes
/// to `places`, if given, and notes the first integer sum that wraps around. Returns the first entry out of range.
[[nodiscard]] std::optional<BadIndex> storeIndexed(const VectorDetail& detail, const UbTile& source,
                                                   const UbTile& index, const Box& box, const GmPlace& place,
                                                   const MayTouch& mayTouch, std::vector<std::int64_t>* places,
                                                   ValueLosses& losses);

/// Fills a tile with the rows that `index` picks along detail.axis of the valid part of the box; the axes of the index
/// take the place of that axis, which is not the last one. Returns the first entry out of range.
[[nodiscard]] std::optional<BadIndex> loadIndexed(const VectorDetail& detail, const UbTile& dst, const UbTile& index,
                                                  const Box& box, const GmPlace& place, const MayTouch& mayTouch);

}  // namespace cubist
