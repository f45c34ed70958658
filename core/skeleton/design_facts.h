// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/design/design.h"

/// What the out-of-box table asks of the blocks of a design, read from the document alone.
namespace cubist {

/// Calls `visit` for every loop of the tree; `outermost`: it stands in no other run-time loop.
void forEachLoop(const std::vector<Block>& blocks, const std::function<void(const Loop&, bool outermost)>& visit);
/// Calls `visit` for every block that is no loop.
void forEachBlock(const std::vector<Block>& blocks, const std::function<void(const Block&)>& visit);
/// Changes the loop of this id, if there is one.
void changeLoop(std::vector<Block>& blocks, const BlockId& id, const std::function<void(Loop&)>& change);

[[nodiscard]] bool holdsMatmul(const std::vector<Block>& blocks);
/// Is its axis the number of groups: `len(list)`, `groups(list)`, or the design one of variant B?
[[nodiscard]] bool iteratesOverGroups(const Design& design, const Loop& loop);
/// An input of constant shape that only matmuls read, as right operand, directly or through views.
[[nodiscard]] bool isWeight(const Design& design, const Tensor& tensor);

[[nodiscard]] std::string groupLoopText(const Design& design);
[[nodiscard]] std::string weightText(const Design& design);
/// The state of a row of the table that is no option (TableSetting::id), in a few words.
[[nodiscard]] std::string factText(const Design& design, std::string_view setting);

}  // namespace cubist
