// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>

#include "core/exchange/pypto/kernel_plan.h"
#include "core/exchange/pypto/pypto_export.h"

namespace cubist::pypto {

/// SPEC.md, DESIGN.md, API_REPORT.md and README.md in the form that the PyPTO workflow's checks read: front matter, the
/// required sections under their Chinese names with English beside them, self-check boxes. `implementation`,
/// `golden`: the texts of NAME_impl.py and NAME_golden.py.
[[nodiscard]] std::map<std::string, std::string> documents(const KernelPlan& plan, const PyptoExportRequest& request,
                                                           const std::string& implementation,
                                                           const std::string& golden);

}  // namespace cubist::pypto
