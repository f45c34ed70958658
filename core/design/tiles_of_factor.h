// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/design/resolve.h"
#include "core/design/tile_choice.h"

namespace cubist {

/// `withChosenTiles` for another factor of one unrolled loop than its largest; the stages keep what was picked and lose
/// their tables. Shapes stay those of the largest factor. Errors: as withChosenTiles.
[[nodiscard]] Result<Design> withTilesOfFactor(const Design& design, const Binding& binding, const BlockId& loop,
                                               std::int64_t factor, std::vector<TileChoice>& choices);

/// `resolve` of what withTilesOfFactor has made of the design that `whole` is about, with its binding. The shapes are
/// the same, so where views and stores reach beyond their tensors is not looked at again but taken from `whole`. `cut`
/// outlives the result. Errors: as resolve.
[[nodiscard]] Result<ResolvedDesign> resolveTilesOfFactor(const Design& cut, const ResolvedDesign& whole);

}  // namespace cubist
