// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/json_value.h"

namespace cubist::pypto {

/// Rewrites the syntax tree of a module in the plainer Python that the readers of a kernel know: aliases of `pypto` get
/// their name, constants of the module, of classes and of the kernel are put in and computed, `a, b = c, d` and `x +=
/// y` become assignments, methods of tensors become functions, functions of the same file are written out where they
/// are called, and conditions on constants are decided. A kernel inside of a function or class comes to the top.
void simplifyModule(JsonValue& tree);

}  // namespace cubist::pypto
