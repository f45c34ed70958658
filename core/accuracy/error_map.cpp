// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/accuracy/error_map.h"

#include <algorithm>

#include "core/base/integer_math.h"

namespace cubist {

std::int64_t errorCellExtent(std::int64_t extent, std::int64_t tile) {
    const std::int64_t least = std::max<std::int64_t>(1, ceilDiv(extent, kErrorMapLimit));
    for (std::int64_t cell = least; cell < tile; ++cell)
        if (tile % cell == 0) return cell;
    return roundUp(least, tile);
}

ErrorMap emptyErrorMap(const std::vector<std::int64_t>& shape, std::int64_t tileRows, std::int64_t tileCols) {
    ErrorMap map;
    map.cols = shape.empty() ? 1 : shape.back();
    map.rows = 1;
    for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) map.rows *= shape[axis];
    map.tileRows = std::clamp<std::int64_t>(tileRows, 1, std::max<std::int64_t>(1, map.rows));
    map.tileCols = std::clamp<std::int64_t>(tileCols, 1, std::max<std::int64_t>(1, map.cols));
    map.cellRows = errorCellExtent(map.rows, map.tileRows);
    map.cellCols = errorCellExtent(map.cols, map.tileCols);
    map.gridRows = ceilDiv(map.rows, map.cellRows);
    map.gridCols = ceilDiv(map.cols, map.cellCols);
    const auto cells = static_cast<std::size_t>(map.gridRows * map.gridCols);
    map.maxAbs.assign(cells, 0.0);
    map.outside.assign(cells, 0);
    return map;
}

}  // namespace cubist
