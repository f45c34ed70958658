// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/emulator/gm_memory.h"
#include "core/emulator/task_part.h"
#include "core/emulator/value_losses.h"
#include "core/emulator/value_note.h"
#include "core/lowering/program.h"

namespace cubist {

/// The note about a block whose INT32 accumulator wrapped around: names the first element, found by summing again. The
/// operands are still in global memory. Without the element when the block is not one plain product.
[[nodiscard]] ValueNote overflowNote(const Program& program, const GmMemory& gm, TaskPart part,
                                     const ValueLosses& losses);

}  // namespace cubist
