// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/chip/chip_spec.h"

namespace cubist {

/// A resource of a chip that has a rate.
enum class Resource : std::uint8_t { Cube, Mte1, Mte2, L2, Hbm, Fixpipe, Vector, Mte3 };

/// Raises the rates of one resource by a tenth and leaves everything else as it is, overheads too. Mte2 is what one
/// core loads: its port and what it takes from HBM. What a bound (F-80) and an answer of what-if call by the same word
/// is this.
void makeFaster(ChipSpec& chip, Resource resource);

}  // namespace cubist
