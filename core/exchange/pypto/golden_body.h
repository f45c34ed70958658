// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/exchange/pypto/kernel_plan.h"

namespace cubist::pypto {

/// The statements of a golden function, indented once.
struct GoldenBody {
    std::string text;
    bool framework = false;  ///< in FP32 with every declared rounding; else FP64 without roundings to float types
};

/// What the kernel computes, written with torch alone; calls the helpers of golden_helpers.h by name.
[[nodiscard]] GoldenBody goldenBody(const KernelPlan& plan);

}  // namespace cubist::pypto
