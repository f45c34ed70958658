// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/design/resolve.h"
#include "core/rules/finding.h"

namespace cubist {

/// Everything that the rules have to say about a design on a chip, sorted by severity, place and rule. Fixes were
/// tried: applied to the design, each removes its finding and adds none of error severity. Pure; the same inputs give
/// the same list.
[[nodiscard]] std::vector<Finding> checkDesign(const ResolvedDesign& design, const ChipSpec& chip, RuleProfile profile);

/// Tiles: without the rules that no tile can break or mend, about what is stored where.
enum class ErrorScope : std::uint8_t { All, Tiles };

/// The rules that a design breaks with error severity, as (rule, place). No fixes are tried, so this is quick.
[[nodiscard]] std::set<std::pair<std::string, std::string>> errorsIn(const ResolvedDesign& design, const ChipSpec& chip,
                                                                     RuleProfile profile,
                                                                     ErrorScope scope = ErrorScope::All);

/// Are places in a document: "/blocks/2" comes before "/blocks/10".
[[nodiscard]] bool pointerLess(const std::string& a, const std::string& b);

}  // namespace cubist
