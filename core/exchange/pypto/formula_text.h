// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/exchange/pypto/kernel_plan.h"

namespace cubist::pypto {

/// The operator's equations in LaTeX as Markdown shows it, stage by stage in the order of the kernel. A value that is
/// used once, in its own stage, stands where it is used as long as the equation stays short.
[[nodiscard]] std::string formulaText(const KernelPlan& plan);

}  // namespace cubist::pypto
