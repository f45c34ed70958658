// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/exchange/pypto/kernel_plan.h"

/// Part of KernelPlan: the axes that every value has in the kernel.
namespace cubist::pypto {

/// A view is declared with what is known when the kernel is compiled: where `valid` is such a number the view is exact
/// (no valid_shape), else it keeps its declared extent. Everything made of it follows.
/// Adds EXP-02 for a shape that cannot follow.
void planValueShapes(const ResolvedDesign& design, const KernelPlan& plan,
                     std::map<std::string, std::vector<Axis>>& axes, std::vector<ExportProblem>& problems);

}  // namespace cubist::pypto
