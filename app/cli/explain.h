// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/chip/chip_spec.h"
#include "core/run/run.h"

namespace cubist::cli {

/// How a predicted time comes about, with the formulas and the chip's constants in it. `what`: kernel, stage:ID, task:N
/// or task:N:I. Precondition: the report has a trace. Errors: UnknownName (a stage), BadValue.
[[nodiscard]] Result<std::string> explain(const RunReport& report, const ChipSpec& chip, const std::string& what);

}  // namespace cubist::cli
