// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/lowering/merge_mix.h"
#include "core/lowering/program.h"

namespace cubist {

/// A load that an earlier load of the same merged task has done already.
inline constexpr std::uint32_t kOwnLoad = 0xFFFFFFFF;

/// Puts leaves one after the other. `repeats` has one entry per LoadL1 of all leaves in order: the number of the first
/// load that brings the same tile, or kOwnLoad. A repeated load is dropped where its tile can stay in L1 until its last
/// use; tiles are kept in the order of their first use while the others keep their places. Slots go on taking turns
/// from one leaf to the next. Boxes are those of the leaves one after the other. Source: F-61.
/// Range: leaves of one kind without a mix, none of them merged.
/// With a `mix`, vector leaves stand among cube leaves and run on the first vector core of the cluster: loads that it
/// names become moves out of L0C, stores that it names go. Source: F-66.
[[nodiscard]] Leaf mergeLeaves(const std::vector<Leaf>& leaves, std::span<const LeafIndex> sources,
                               std::span<const std::uint32_t> repeats, const ChipSpec& chip, const MixPlan& mix = {});

}  // namespace cubist
