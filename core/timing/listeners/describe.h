// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/lowering/program.h"
#include "core/timing/listeners/timeline.h"

namespace cubist {

/// One instruction of one task, short: "MTE2 load hidden_states [0:32, 1024:2048]", "M mmad 32 x 512 x 16, K 512:1024",
/// "M mmad 64 x 72 x 128, K 128:200; K valid 72 / physical 80".
[[nodiscard]] std::string describeInstruction(const Program& program, TaskIndex task, std::uint32_t instruction);

/// What a lane does during an interval: the instruction, or what it waits for:
/// "waits for slot L1 1 (released by L1->L0A #12)". #12 is the leaf-relative number of an instruction.
[[nodiscard]] std::string describe(const Program& program, const LaneInterval& interval);

}  // namespace cubist
