// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/lowering/program.h"
#include "core/timing/trace.h"

namespace cubist {

struct Options;

/// One step of the way to a predicted number.
struct DerivationStep {
    std::string formula;  ///< id of docs/formulas.md: "F-10"
    std::string text;     ///< the formula with the values filled in and its result, in cycles or microseconds
    std::vector<std::pair<std::string, Constant>> constants;  ///< the chip's constants in it, by their JSON names
};

/// Why one instruction of a task takes as long as it does: its own duration, what sharing added to a transfer, and what
/// it waited for. Cost: the instructions of the task.
[[nodiscard]] std::vector<DerivationStep> deriveInstruction(const Program& program, const Trace& trace,
                                                            const ChipSpec& chip, TaskIndex task,
                                                            std::uint32_t instruction);

/// Why a task starts when it does and what its time is made of.
[[nodiscard]] std::vector<DerivationStep> deriveTask(const Program& program, const Trace& trace, const ChipSpec& chip,
                                                     TaskIndex task);

/// The same for the time of a stage and of the whole kernel, with what passes before it. `runtime`: the options that it
/// was predicted with; null: launch bare.
[[nodiscard]] std::vector<DerivationStep> deriveStage(const Program& program, const Trace& trace, StageIndex stage);
[[nodiscard]] std::vector<DerivationStep> deriveKernel(const Trace& trace, const ChipSpec& chip,
                                                       const Options* runtime);

/// The executed critical path link by link: what took the time, from when to when.
[[nodiscard]] std::vector<DerivationStep> derivePath(const Program& program, const Trace& trace);
/// The sums of a trace: of one pipe, of the causes of all lanes, of the bytes moved.
[[nodiscard]] std::vector<DerivationStep> derivePipe(const Trace& trace, Pipe pipe);
[[nodiscard]] std::vector<DerivationStep> deriveCauses(const Trace& trace);
/// The causes of the lanes of one core (place in `tasksByCore`). Range: a trace that kept its tasks.
[[nodiscard]] std::vector<DerivationStep> deriveCore(const Program& program, const Trace& trace, std::size_t place);
[[nodiscard]] std::vector<DerivationStep> deriveBytes(const Trace& trace, const ChipSpec& chip);

/// One line per step: "F-10  2 + 1 * 2 * 4 * 1 = 10 cycles".
[[nodiscard]] std::string derivationText(const std::vector<DerivationStep>& steps);

}  // namespace cubist
