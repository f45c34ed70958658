// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/emulator/gm_memory.h"
#include "core/emulator/value_note.h"
#include "core/lowering/program.h"

namespace cubist {

/// The note about a task whose INT32 accumulator wrapped around: names the first element, found by summing again. The
/// operands are still in global memory. Without the element when the task is not one plain product.
[[nodiscard]] ValueNote overflowNote(const Program& program, const GmMemory& gm, TaskIndex task);

}  // namespace cubist
