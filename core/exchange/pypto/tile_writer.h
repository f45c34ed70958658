// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/design/vector_tiles.h"
#include "core/exchange/pypto/kernel_plan.h"
#include "core/exchange/pypto/python_writer.h"

/// The calls that set tiles. A tile that a table picks is the table's row for this case; one that follows the factor of
/// an unrolled loop is an `if` over the factors, which the compiler knows when it traces the loop.
namespace cubist::pypto {

/// Factors that a loop is unrolled by, the largest first; loop_unroll adds 1 itself.
[[nodiscard]] std::vector<std::int64_t> factorsOf(const Loop& loop);

/// Every tile that the kernel sets for a stage: several where a table follows the factor of an unrolled loop.
[[nodiscard]] std::vector<CubeTile> tilesOf(const KernelPlan& plan, const ResolvedBlock& block, const CubeStage& stage);
[[nodiscard]] std::vector<std::vector<std::int64_t>> tilesOf(const KernelPlan& plan, const ResolvedBlock& block,
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
