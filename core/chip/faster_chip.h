// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

#include "core/chip/chip_spec.h"

namespace cubist {

/// A resource of a chip that has a rate.
enum class Resource : std::uint8_t { Cube, Mte1, Mte2, L2, Hbm, Fixpipe, Vector, Mte3 };

/// What a faster chip calls the operations without a rate of their own, which take one cycle for a repeat: no file can.
inline constexpr std::string_view kOtherOperations{};

/// Raises the rates of one resource by a tenth and leaves everything else as it is, overheads too. Mte2 is what one
/// core loads: its port and what it takes from HBM. Mte1 includes the copies into BT, Fixpipe those into UB and FB.
/// Vector makes every repeat shorter and leaves their number. What a bound (F-80) and an answer of what-if call by the
/// same word is this.
void makeFaster(ChipSpec& chip, Resource resource);

}  // namespace cubist
