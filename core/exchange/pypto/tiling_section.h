// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/chip/chip_spec.h"
#include "core/exchange/pypto/kernel_plan.h"

namespace cubist::pypto {

/// Section 3 of DESIGN.md without its heading: matmul sizes, what is alive in the buffers of a core, the tile of every
/// stage with its reason and source, the baseline as the alternative, the boxes about tiles and the tile calls.
[[nodiscard]] std::string tilingSection(const KernelPlan& plan, const ChipSpec& chip);

}  // namespace cubist::pypto
