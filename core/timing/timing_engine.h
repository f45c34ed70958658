// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/chip/chip_spec.h"
#include "core/lowering/program.h"
#include "core/timing/trace.h"

namespace cubist {

/// Duration of one instruction alone. Source: F-10 .. F-16.
[[nodiscard]] Ticks instructionTicks(const ChipSpec& chip, const Leaf& leaf, const Instruction& instruction);

/// Runs a leaf on an idle core: one in-order queue per pipe, all instructions queued at the start; an instruction
/// begins when its pipe is free, its producers have ended and the slots it writes are released. Source: F-20.
[[nodiscard]] LeafSchedule scheduleLeaf(const ChipSpec& chip, const Leaf& leaf);

/// Predicts the kernel's time. One scheduler hands out tasks, first ready first out (ties: task id), to the lowest free
/// core of the task's kind. Integer ticks; the same program gives the same trace. Source: F-17, F-18, F-21.
/// Errors: Cancelled.
[[nodiscard]] Result<Trace> predict(const Program& program, const ChipSpec& chip, const RunContext& context = {});

}  // namespace cubist
