// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/chip/chip_spec.h"
#include "core/lowering/block_order.h"
#include "core/lowering/program.h"

namespace cubist {

/// A design's program as a hand-written kernel: what every core does, without a task runtime.
struct BareLaunch {
    Program program;
    std::vector<std::uint16_t> coreOf;  ///< by task
};

/// Deals the blocks of every cube stage to the cube cores in `order` (LoopNM: as the program has them, from one stage
/// to the next), those of vector stages to the vector cores in turn. Every matrix product (execution of a stage, group,
/// slice of K) is dealt on its own, beginning at the core behind the last one of the product before. Blocks of one
/// stage that follow each other on a core are one task, so that its loads run ahead, where nothing waits for a single
/// one of them and none waits for more than the first. Sizes of the order are blocks
/// (Jobs too, which are elements in `blocksOfCores`). Range: nothing is merged yet. Source: F-27. Errors: BadValue (an
/// order that does not fit the cores, or that cuts blocks), Cancelled.
[[nodiscard]] Result<BareLaunch> launchBare(Program program, const BlockOrder& order, const ChipSpec& chip,
                                            const RunContext& context = {});

}  // namespace cubist
