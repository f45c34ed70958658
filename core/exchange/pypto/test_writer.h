// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/exchange/pypto/kernel_plan.h"

namespace cubist::pypto {

/// test_NAME.py: seeded inputs for the cases that the compiled kernel fits, the kernel through its wrapper, the golden,
/// and the design's criterion.
[[nodiscard]] std::string testModule(const KernelPlan& plan);

/// Cases of the design that this compilation fits: the same constants and the same lists.
struct ExportedCase {
    std::string id;
    Binding binding;
};
[[nodiscard]] std::vector<ExportedCase> exportedCases(const KernelPlan& plan);

}  // namespace cubist::pypto
