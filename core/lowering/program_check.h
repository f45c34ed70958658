// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/lowering/program.h"

namespace cubist {

/// Whether every index in a program names something that is there: what `lower` makes passes. An instruction whose box
/// is Instruction::kNone moves data without a place in global memory; such data are always found in L2.
/// Errors: Internal, naming the leaf and instruction, or the task. Cost: what is in the program, once.
[[nodiscard]] Result<void> checkProgram(const Program& program);

}  // namespace cubist
