// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/design/design.h"

/// What the structural edits and the other forms of a design (core/run) share; not for others.
namespace cubist::detail {

/// Position in the list itself; its size when the block is not in it.
[[nodiscard]] std::size_t indexOf(const std::vector<Block>& blocks, const BlockId& id);
[[nodiscard]] Block* findBlockIn(std::vector<Block>& blocks, const BlockId& id);
[[nodiscard]] Loop* findLoop(std::vector<Block>& blocks, const BlockId& id);
/// The body of a loop, or the top level for an empty id. Precondition: the design has the loop.
[[nodiscard]] std::vector<Block>& listWith(Design& design, const BlockId& loop);
[[nodiscard]] const std::vector<Block>& listWith(const Design& design, const BlockId& loop);
[[nodiscard]] Unexpected unknownBlock(const Design& design, const BlockId& id);

/// Replaces a name in every expression of some blocks (edit_names.cpp).
void renameInExpressions(std::vector<Block>& blocks, const std::string& from, const std::string& to);

}  // namespace cubist::detail
