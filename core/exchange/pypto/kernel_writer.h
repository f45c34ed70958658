// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/exchange/pypto/kernel_plan.h"
#include "core/exchange/pypto/options_writer.h"
#include "core/exchange/pypto/python_writer.h"

namespace cubist::pypto {

/// The module's constants for lists that are fixed when the kernel is compiled.
void writeListConstants(const KernelPlan& plan, PythonWriter& out);

/// `@pypto.frontend.jit` and the function NAME_kernel. Adds EXP-04 to EXP-06 to the plan's problems for what the kernel
/// cannot say.
void writeKernel(KernelPlan& plan, const std::string& chip, KeyDialect dialect, PythonWriter& out);

}  // namespace cubist::pypto
