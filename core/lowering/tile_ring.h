// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/lowering/program.h"

/// What the builders of cube leaves share.
namespace cubist::detail {

inline constexpr std::int64_t kFractal = 16;  ///< rows of a fractal
inline constexpr std::size_t kMaxAllocations = Instruction::kNone - 1;

/// Hands out the places of one buffer's tiles in turn.
struct TileRing {
    Buffer buffer;
    std::int64_t count = 1;
    std::int64_t stride = 0;  ///< bytes from one slot to the next
    std::int64_t base = 0;
    std::uint16_t firstSlot = 0;
    std::int64_t next = 0;

    [[nodiscard]] SlotRing places() const {
        return {.buffer = buffer,
                .firstSlot = firstSlot,
                .count = static_cast<std::uint16_t>(count),
                .base = static_cast<std::uint32_t>(base),
                .stride = static_cast<std::uint32_t>(stride)};
    }
};

}  // namespace cubist::detail
