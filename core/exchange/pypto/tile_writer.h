// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

#include "core/exchange/pypto/kernel_plan.h"
#include "core/exchange/pypto/python_writer.h"

/// The calls that set tiles. A tile that a table picks is the table's row for this case; one that follows the factor of
/// an unrolled loop is an `if` over the factors, which the compiler knows when it traces the loop.
namespace cubist::pypto {

/// `pypto.set_cube_tile_shapes(...)`. `loops`: around the stage, outermost first.
void writeCubeTile(const KernelPlan& plan, const CubeStage& stage, const std::vector<const Loop*>& loops,
                   PythonWriter& out);

/// `pypto.set_vec_tile_shapes(...)` with the first `rank` values of the stage's tile.
void writeVectorTile(const KernelPlan& plan, const VectorStage& stage, const std::vector<const Loop*>& loops,
                     std::size_t rank, PythonWriter& out);

/// The rank that the vector tile of an operation must have: of its result, or of the operand that PyPTO cuts.
struct TiledRank {
    std::size_t rank = 0;
    bool least = false;  ///< more values do no harm: the operation only changes a shape
};
[[nodiscard]] TiledRank tiledRank(const KernelPlan& plan, const VectorOp& op);

}  // namespace cubist::pypto
