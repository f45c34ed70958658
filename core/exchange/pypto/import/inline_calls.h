// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/exchange/json_value.h"

namespace cubist::pypto {

/// In kernels of the module, calls of the module's other functions become the statements of these functions, with their
/// parameters and variables renamed. What cannot be written out (recursion, a return inside of a loop, `*args`) stays a
/// call, which the reader then reports.
/// `original`: the module as it was, which has to stay meanwhile.
void inlineCalls(std::vector<JsonValue>& module, const std::vector<JsonValue>& original);

}  // namespace cubist::pypto
