// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/design/resolve.h"

namespace cubist {

/// A tile of a cube stage with which its blocks fill the cores.
struct TileSplit {
    CubeTile tile;
    std::int64_t tasks = 0;  ///< blocks over all executions of the stage
    std::int64_t ticks = 0;  ///< what a core takes for its share of them, estimated
};

struct TileSplits {
    std::int64_t filling = 0;     ///< how many pairs of m and n fill the cores
    std::vector<TileSplit> best;  ///< of those the ones with the shortest estimate, shortest first
};

/// Blocks of a stage over all its executions when its tile is mL0 x nL0. Precondition: the stage has a matmul size.
[[nodiscard]] std::int64_t blocksOf(const ResolvedDesign& design, const ResolvedBlock& block, std::int64_t mL0,
                                    std::int64_t nL0);

/// Tasks by what they occupy of `cores` in whole waves; 1: all of them, always. Range: (0, 1].
[[nodiscard]] double fillOf(std::int64_t tasks, std::int64_t cores);

/// All tiles of whole fractals that cut M and N of `block` evenly, fit the buffers and fill at least `fill` of the
/// cores: for every number of blocks along an axis the smallest tile. Each pair stands with the depths of the stage's
/// own tile, or with L0 and L1 depths half or twice as large where those are estimated to be faster by a fiftieth.
/// Nothing for stages that are no plain matmul of two operands. Cost: at most 128 x 128 pairs in closed form; no
/// prediction. Source: F-67.
[[nodiscard]] TileSplits tileSplits(const ResolvedDesign& design, const ResolvedBlock& block, const ChipSpec& chip,
                                    std::int64_t cores, double fill, std::size_t most);

}  // namespace cubist
