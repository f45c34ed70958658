// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/design/design.h"

namespace cubist::test {

/// A design that one rule, and nothing else, has something to say about, and one that is as near to it and fine.
struct RuleCase {
    std::string rule;
    std::string where;  ///< place of the (first) finding
    RuleProfile profile = RuleProfile::Enforced;
    std::function<Design()> breaks;
    std::function<Design()> passes;
    std::function<void(ChipSpec&)> chip = {};  ///< changes the chip of both
    bool fixable = true;                       ///< at least one fix is offered
    std::string name = {};                     ///< empty: the rule's id
};

/// At least one case for every rule that looks at a design.
[[nodiscard]] std::vector<RuleCase> ruleCases();
/// Those of the cube stage's operands, scales and modes.
void addCubeCases(std::vector<RuleCase>& cases);

}  // namespace cubist::test
