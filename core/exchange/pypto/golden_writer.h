// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/exchange/pypto/kernel_plan.h"

namespace cubist::pypto {

/// NAME_golden.py: the mathematics of the design in torch alone, on the valid parts of all values: in FP64 without
/// roundings to float types (golden `ideal`) or in FP32 with every declared one (`framework`), as the design is judged.
[[nodiscard]] std::string goldenModule(const KernelPlan& plan);

}  // namespace cubist::pypto
