// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

#include "core/design/design.h"

/// A vector stage in two, as the compiler has it when the operations of one do not fit UB together.
namespace cubist {

/// The first `count` operations stay in the stage; the others follow right behind it in a stage `rest` with the same
/// tile, table, slots and label. No such vector stage, or nothing left for one of them: the design as it is.
[[nodiscard]] Design withStageCut(const Design& design, const BlockId& stage, std::size_t count, const BlockId& rest);

/// A name for the rest of a stage that no element of the design has: "quantise~2".
[[nodiscard]] BlockId nameOfRest(const Design& design, const BlockId& stage);

}  // namespace cubist
