// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>

#include "core/exchange/json_value.h"

namespace cubist::pypto {

/// Python takes letters of every script in names, designs take ASCII alone: other characters are written as their code
/// point (U+6279 as "u6279"). Texts stay. Gives what each changed name has become.
std::map<std::string, std::string> spellInAscii(JsonValue& tree);

}  // namespace cubist::pypto
