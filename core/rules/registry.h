// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/rules/rule.h"

namespace cubist {

/// All rules, family by family, ids ascending inside a family.
[[nodiscard]] const std::vector<Rule>& allRules();

/// The rule of an id; null when there is none.
[[nodiscard]] const Rule* findRule(std::string_view id);

}  // namespace cubist
