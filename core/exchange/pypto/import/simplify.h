// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/exchange/json_value.h"
#include "core/exchange/pypto/import/pypto_import.h"

namespace cubist::pypto {

/// Rewrites the syntax tree of a module in the plainer Python that the readers of a kernel know: aliases of `pypto` get
/// their name, what is known when the kernel is compiled is put in and computed (constants of the module, of classes,
/// of the functions around the kernel and of the kernel), `a, b = c, d` and `x += y` become assignments, methods of
/// tensors become functions, functions of the same file are written out where they are called, conditions on constants
/// are decided and loops of Python written out where they have to be. A kernel inside of a function or class comes to
/// the top. What the module's callers of the kernel had to be asked for is noted in `guesses`.
void simplifyModule(JsonValue& tree, std::vector<ImportNote>& guesses);

}  // namespace cubist::pypto
