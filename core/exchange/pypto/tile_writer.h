// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/design/vector_tiles.h"
#include "core/exchange/pypto/kernel_plan.h"
#include "core/exchange/pypto/python_writer.h"

/// The calls that set tiles. A tile that a table picks is the table's row for this case; one that follows the factor of
/// an unrolled loop is an `if` over the factors, which the compiler knows when it traces the loop.
namespace cubist::pypto {

/// Factors that a loop is unrolled by, the largest first; loop_unroll adds 1 itself.
[[nodiscard]] std::vector<std::int64_t> factorsOf(const Loop& loop);

/// One of the tiles that a kernel sets for a stage, with the factors of an unrolled loop that it is set for.
template <class Tile>
struct StageTile {
    Tile tile;
    std::string factor;                ///< the design's name of the factor; empty: it is the stage's only tile
    std::int64_t least = 1, most = 1;  ///< factors of the loop from `least` to `most`
    /// "u = 64", "u = 1 to 8"; empty for an only tile.
    [[nodiscard]] std::string when() const {
        if (factor.empty()) return {};
        return factor + " = " + std::to_string(least) + (least == most ? "" : " to " + std::to_string(most));
    }
};

/// Every tile that the kernel sets for a stage: several where a table follows the factor of an unrolled loop, those of
/// large factors first.
[[nodiscard]] std::vector<StageTile<CubeTile>> tilesOf(const KernelPlan& plan, const ResolvedBlock& block,
                                                       const CubeStage& stage);
[[nodiscard]] std::vector<StageTile<std::vector<std::int64_t>>> tilesOf(const KernelPlan& plan,
                                                                        const ResolvedBlock& block,
                                                                        const VectorStage& stage);

/// `pypto.set_cube_tile_shapes(...)`. `loops`: around the stage, outermost first.
void writeCubeTile(const KernelPlan& plan, const CubeStage& stage, const std::vector<const Loop*>& loops,
                   PythonWriter& out);

/// `pypto.set_vec_tile_shapes(...)` with those values of the stage's tile.
void writeVectorTile(const KernelPlan& plan, const VectorStage& stage, const std::vector<const Loop*>& loops,
                     const TileAxes& axes, PythonWriter& out);

/// Does an operation need another call than the one that wrote `set`? `cut`: what its tile has to be.
[[nodiscard]] bool needsOtherTile(const VectorStage& stage, const VectorOp& op, const TileAxes& cut,
                                  const TileAxes& set);

}  // namespace cubist::pypto
