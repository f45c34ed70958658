// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/accuracy/compare.h"

namespace cubist {

/// Most cells along one side of an error map.
inline constexpr std::int64_t kErrorMapLimit = 512;

/// Elements per cell along an axis: the smallest divisor of the tile, else the smallest multiple of it, that needs at
/// most `kErrorMapLimit` cells, so that every tile border is a cell border or cells hold whole tiles.
/// Range: extent >= 0, tile >= 1
[[nodiscard]] std::int64_t errorCellExtent(std::int64_t extent, std::int64_t tile);

/// An empty map for a tensor of this shape: all axes but the last are folded into rows. Tiles below 1 count as 1, tiles
/// beyond the matrix as the matrix.
[[nodiscard]] ErrorMap emptyErrorMap(const std::vector<std::int64_t>& shape, std::int64_t tileRows,
                                     std::int64_t tileCols);

}  // namespace cubist
