// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/lowering/leaf_builder.h"
#include "core/lowering/program.h"

namespace cubist {

/// A buffer that holds the tiles of a stage fewer times than a hand-written kernel asks for.
struct SlotShortage {
    StageIndex stage;
    Buffer buffer = Buffer::L1;
    std::int64_t asked = 0;
    std::int64_t got = 0;   ///< >= 1
    bool reloaded = false;  ///< L1: the tiles of A and B do not even fit together, each move loads its operand again
    bool operator==(const SlotShortage&) const = default;
};

/// In the order of the stages, then L1, L0A, L0B, L0C; of blocks of several sizes the fewest. Range: `program` is made
/// with `asked`; it may be launched already. Source: F-24, F-27.
[[nodiscard]] std::vector<SlotShortage> slotShortages(const Program& program, const HandWritten& asked);

/// "L0C: 4 slots asked for, 1 fits".
[[nodiscard]] std::string shortageText(const SlotShortage& shortage);

}  // namespace cubist
