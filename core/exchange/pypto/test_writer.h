// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/exchange/pypto/kernel_plan.h"

namespace cubist::pypto {

/// "x.npy" of "data/x.npy": what a data file is called beside the test.
[[nodiscard]] std::string fileNameOf(const std::string& path);

/// test_NAME.py: seeded inputs for the cases that the compiled kernel fits, the kernel through its wrapper, the golden,
/// and the design's criterion.
[[nodiscard]] std::string testModule(const KernelPlan& plan);

/// What the exported test compares an output with.
struct TestLimits {
    double rtol = 0, atol = 0, ratio = 0;  ///< the share of elements that may be outside
    bool replaced = false;  ///< the design's criterion needs more than a golden: the test compares element by element
};
[[nodiscard]] TestLimits testLimits(const Tolerance& tolerance, DType type);

/// Cases of the design that this compilation fits: the same constants and the same lists.
struct ExportedCase {
    std::string id;
    Binding binding;
};
[[nodiscard]] std::vector<ExportedCase> exportedCases(const KernelPlan& plan);

}  // namespace cubist::pypto
