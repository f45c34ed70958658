// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/lowering/merge_passes.h"

/// Tasks with cube and vector members: what a member of the cube has made goes from L0C to UB, not through global
/// memory. Source: F-66.
namespace cubist {

/// A load of a vector member that becomes a move out of the accumulator of a cube member.
struct UbMove {
    std::size_t member = 0;                 ///< the vector member
    std::uint32_t load = 0;                 ///< its LoadUb
    std::size_t from = 0;                   ///< the cube member
    std::uint32_t store = 0;                ///< its StoreL0C of the same result
    std::array<std::uint32_t, 2> at{0, 0};  ///< of the loaded part in the cube member's block
};

struct MixPlan {
    bool possible = false;
    std::vector<UbMove> moves;                                   ///< by member and load
    std::vector<std::pair<std::size_t, std::uint32_t>> dropped;  ///< stores that nobody outside of the task needs
};

/// The members in the order they run in: each cube member, then the vector members that take its result.
[[nodiscard]] std::vector<TaskIndex> mixOrder(const Program& program, std::vector<TaskIndex> members);

/// How these members, in their order, can be one task: every vector member takes results of one cube member, in whole
/// tiles out of one block each, and nothing else that a member makes.
[[nodiscard]] MixPlan planMix(const Program& program, std::span<const TaskIndex> members);

/// `auto_mix_partition`: vector colours join the cube colour whose results they read where that is possible, makes no
/// circle and is estimated to pay: the round trip through global memory against the time that the cube waits for its
/// vector core, unless every colour has a cube core of its own. Range: the other passes are done.
void mixTasks(const MergeContext& context, MergeGraph& graph);

/// Whether every cluster of a chip has a second vector core.
[[nodiscard]] bool secondVectorCore(const ChipSpec& chip);

}  // namespace cubist
