// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/block_pool.h"
#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/base/tensor.h"
#include "core/emulator/indexed_writes.h"
#include "core/emulator/isa.h"
#include "core/emulator/memory_check.h"
#include "core/emulator/value_note.h"
#include "core/lowering/program.h"

namespace cubist {

struct EmulatorOptions {
    Isa isa = Isa::Auto;
    /// Every instruction on real, poisoned buffers instead of one packed kernel per task, with every access looked at
    /// and guards behind every row of what is written.
    /// Same bits for a program without such faults, slower.
    bool checked = false;
    BufferSizes bufferBytes{};  ///< capacities that a checked run holds the tiles to; 0: any
    /// The scheduler runs one iteration of a parallel loop after the other, so that equal places have an order.
    bool serialLoops = false;
    /// Memory that calls made one after the other share; null: each takes its own. Changes no value.
    BlockPool* blocks = nullptr;
};

struct EmulatedValues {
    std::vector<HostTensor> tensors;  ///< one per GM tensor that is not an input, in the order of Program::tensors
    std::vector<ValueNote> notes;     ///< at most one per stage and kind, by task
    std::vector<EqualEntries> equalEntries;  ///< index_put whose order is left open; at most one per stage and tensor
};

/// Computes a program's values (workspaces included). `inputs` holds one tensor per GM tensor whose initial state is
/// Data, in the order of Program::tensors; those that the program writes are copied first. Tasks run on context.threads
/// threads as their edges allow; the bits do not depend on it.
/// Errors: Cancelled, Unsupported (instruction set), WrongType (an input's type or shape), DoesNotFit.
[[nodiscard]] Result<EmulatedValues> emulate(const Program& program, std::span<const HostTensor* const> inputs,
                                             const EmulatorOptions& options, const RunContext& context);

}  // namespace cubist
