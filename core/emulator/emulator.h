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

/// Computes a program's values. `inputs` holds one tensor per GM tensor of role Input, in the order of
/// Program::tensors. Returns one tensor per GM tensor that is not an input, in the same order (workspaces included).
/// Tasks run on context.threads threads as their wait and order edges allow; the bits do not depend on it.
/// Errors: Cancelled, WrongType (an input's type or shape), DoesNotFit, BadValue (checked mode: a bad read or write).
[[nodiscard]] Result<std::vector<HostTensor>> emulate(const Program& program, std::span<const HostTensor* const> inputs,
                                                      const EmulatorOptions& options, const RunContext& context);

}  // namespace cubist
