// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/design/tile_choice.h"

namespace cubist {

/// `withChosenTiles` for another factor of one unrolled loop than its largest; the stages keep what was picked and lose
/// their tables. Shapes stay those of the largest factor. Errors: as withChosenTiles.
[[nodiscard]] Result<Design> withTilesOfFactor(const Design& design, const Binding& binding, const BlockId& loop,
                                               std::int64_t factor, std::vector<TileChoice>& choices);

}  // namespace cubist
