// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/pypto/kernel_plan.h"
#include "core/exchange/pypto/python_writer.h"

namespace cubist::pypto {

/// The part of `check_args` that walks over the entries of lists which the kernel reads when it runs: each window that
/// a list places or cuts has to lie inside of its tensor and of its own shape, and no loop may read past the list's
/// end. The runtime symbols are bound already.
void writeListChecks(const KernelPlan& plan, PythonWriter& out);

}  // namespace cubist::pypto
