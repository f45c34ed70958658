// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/design/design.h"

/// A vector stage has one tile. PyPTO applies a tile to the result of most operations, but to the source of a transpose
/// and of a reduction, to the index of gather and to what index_add and index_put write. So the entries of the stage's
/// tile go with the axes: the result of a transpose has them exchanged, a reduced axis that goes takes its entry along.
namespace cubist {

/// For each axis of a tensor: the entry of the stage's tile that cuts it.
using TileAxes = std::vector<std::size_t>;

constexpr std::size_t kNotTiled = static_cast<std::size_t>(-1);  ///< an axis of extent 1 that came in between

struct OpTileAxes {
    TileAxes cut;           ///< of the tensor that PyPTO applies the operation's tile to
    TileAxes out;           ///< of the result
    int operand = kResult;  ///< the operand that `cut` is about
    static constexpr int kResult = -1;
};

using RankOf = std::function<std::size_t(const ValueId&)>;

/// Axes 0, 1, ..: the tile's first values, as the compiler has it for a tensor of fewer axes.
[[nodiscard]] TileAxes firstTileAxes(std::size_t rank);

/// One entry for each operation of the stage. What comes from outside is cut by the tile's first values; a result by
/// those of the first operand of its rank that is cut otherwise. `rankOf`: of operands and results. Source: F-78.
[[nodiscard]] std::vector<OpTileAxes> tileAxes(const VectorStage& stage, const RankOf& rankOf);

/// The tile of a tensor; 1 where no entry of `tile` belongs to an axis.
[[nodiscard]] std::vector<std::int64_t> tileAlong(const std::vector<std::int64_t>& tile, const TileAxes& axes);

}  // namespace cubist
