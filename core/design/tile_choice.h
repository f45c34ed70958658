// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/design/binding.h"
#include "core/design/design.h"

/// Tiles that follow the shape: what the tables of a design (TileTable) pick for one binding.
namespace cubist {

/// What a table gave one stage. Tiles that use the factor of an unrolled loop are those of its largest factor.
struct TileChoice {
    BlockId block;
    std::string where;                    ///< JSON pointer of the stage
    std::int64_t value = 0;               ///< what the table was asked with
    std::optional<std::size_t> row;       ///< nothing: beyond the last row, the stage's own tile
    bool followsFactor = false;           ///< an expression of the table names the factor of an unrolled loop
    std::vector<std::string> parts;       ///< that the row gives: "m", "k", "n", "tile"
    CubeTile ownCube;                     ///< what the stage itself says: cube stages
    std::vector<std::int64_t> ownVector;  ///< vector stages

    /// Where a value of the tile really stands: "/blocks/0/tile/k/0" becomes "/blocks/0/tile_by/rows/1/k/0" when the
    /// row gives K; other pointers stay.
    [[nodiscard]] std::string place(const std::string& pointer) const;
};

/// The tile of a stage; the stage's own when it has no table. Units: elements. Of a design whose tiles were picked
/// (withChosenTiles) the stage is one with its own tile again.
/// Errors: as Expression::evaluate; BadValue (a row that gives a part the stage has not).
[[nodiscard]] Result<CubeTile> tileOf(const CubeStage& stage, const Expression::Lookup& lookup,
                                      const std::string& where);
[[nodiscard]] Result<std::vector<std::int64_t>> tileOf(const VectorStage& stage, const Expression::Lookup& lookup,
                                                       const std::string& where);

[[nodiscard]] bool hasTileTables(const std::vector<Block>& blocks);

/// The design with the tile of every stage that has a table set to what the table gives; the tables stay.
/// Errors: as tileOf; BadValue (rows whose `up_to` does not ascend, or none).
[[nodiscard]] Result<Design> withChosenTiles(const Design& design, const Binding& binding,
                                             std::vector<TileChoice>& choices);
/// Takes that back: every stage has its own tile.
[[nodiscard]] Design withOwnTiles(const Design& chosen, const std::vector<TileChoice>& choices);

}  // namespace cubist
