// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/exchange/pypto/kernel_plan.h"
#include "core/exchange/pypto/pypto_export.h"

namespace cubist::pypto {

/// DESIGN.md in the sections of the workflow's template: decomposition, graph and precision, data, tiling with what is
/// alive in the buffers, loops with the kernel's body, self-check boxes, verification. A box is ticked only where the
/// design was looked up to be so. `implementation`, `golden`: the texts of NAME_impl.py and NAME_golden.py.
[[nodiscard]] std::string designDocument(const KernelPlan& plan, const PyptoExportRequest& request,
                                         const std::string& implementation, const std::string& golden);

}  // namespace cubist::pypto
