// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/exchange/json_value.h"
#include "core/exchange/pypto/import/pypto_import.h"

namespace cubist::pypto {

/// Puts the functions, classes and constants of the modules that a file imports in front of its own, as far as `find`
/// has these modules: `from helpers import f`, `import helpers as h`. What stands there has the line of the import.
/// Kernels stay out. A module that cannot be parsed is noted.
void addSiblings(JsonValue& tree, const ModuleFinder& find, std::vector<ImportNote>& notes);

}  // namespace cubist::pypto
