// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/exchange/pypto/kernel_plan.h"

namespace cubist::pypto {

/// A statement of the ecosystem's self-check, and whether it holds for this design.
struct CheckBox {
    bool holds = false;
    std::string text;
    std::string why = {};  ///< what to look at where it does not hold
};

/// The fifteen statements of the design template, each looked up in the design, its tiles or the kernel's text.
/// `kernel`: the kernel function as Python.
[[nodiscard]] std::vector<CheckBox> selfCheck(const KernelPlan& plan, const ChipSpec& chip, const std::string& kernel);

}  // namespace cubist::pypto
