// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/base/tensor.h"
#include "core/emulator/isa.h"
#include "core/lowering/program.h"

namespace cubist {

struct EmulatorOptions {
    Isa isa = Isa::Auto;
    /// Every instruction on real, poisoned buffers instead of one packed kernel per task. Same bits, slower.
    bool checked = false;
};

/// Something the hardware does silently and the designer should know.
struct ValueNote {
    /// The last two only in checked mode: an instruction reads a tile that nothing has filled, or starts an accumulator
    /// again before its sums were stored.
    enum class Kind : std::uint8_t { IntegerOverflow, ReadBeforeWrite, LostSums } kind = Kind::IntegerOverflow;
    TaskIndex task;  ///< the first task it happened in, by id
    StageIndex stage;
    std::uint32_t instruction = 0;  ///< of the task's leaf; 0 for an overflow
    bool operator==(const ValueNote&) const = default;
};

struct EmulatedValues {
    std::vector<HostTensor> tensors;  ///< one per GM tensor that is not an input, in the order of Program::tensors
    std::vector<ValueNote> notes;     ///< at most one per stage and kind, by stage
};

/// Computes a program's values (workspaces included). `inputs` holds one tensor per GM tensor of role Input, in the
/// order of Program::tensors. Tasks run on context.threads threads as their edges allow; the bits do not depend on it.
/// Errors: Cancelled, Unsupported (instruction set), WrongType (an input's type or shape), DoesNotFit.
[[nodiscard]] Result<EmulatedValues> emulate(const Program& program, std::span<const HostTensor* const> inputs,
                                             const EmulatorOptions& options, const RunContext& context);

}  // namespace cubist
