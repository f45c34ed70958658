// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/dtype.h"
#include "core/chip/chip_spec.h"
#include "core/design/design.h"

namespace cubist {

/// The fields of a cube tile.
enum class TileField : std::uint8_t { ML0, ML1, KL0, KAL1, KBL1, NL0, NL1 };

/// Values worth stepping through: multiples of the alignment that leave the tile legal. For an L0 extent those that
/// divide its L1 extent, then larger ones (the L1 extent follows, see `stepTile`); for an L1 extent the multiples of
/// its L0 extent up to the size of the axis. `extent`: of the axis, 0 if unknown. Ascending.
[[nodiscard]] std::vector<std::int64_t> tileSteps(const CubeTile& tile, TileField field, DType operand,
                                                  std::int64_t extent);

[[nodiscard]] std::int64_t tileValue(const CubeTile& tile, TileField field);
/// The tile with one field replaced, as typing does. KBL1 0 removes the third K value.
[[nodiscard]] CubeTile withTileValue(CubeTile tile, TileField field, std::int64_t value);
/// The same for a step: an L0 extent that outgrows its L1 extent, or no longer divides it, takes it along.
[[nodiscard]] CubeTile stepTile(const CubeTile& tile, TileField field, std::int64_t value);

/// Steps for one axis of a vector tile: multiples of 32 bytes on the last axis, halves and doubles on the others.
[[nodiscard]] std::vector<std::int64_t> vectorTileSteps(bool lastAxis, int elementBits, std::int64_t extent);

/// Whether one set of a tile's parts fits into L0A, L0B, L0C and L1 of a chip. A value of 0 counts as nothing.
[[nodiscard]] bool fitsBuffers(const CubeTile& tile, DType operand, const ChipSpec& chip);

}  // namespace cubist
