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

/// By family.
void addTileCases(std::vector<RuleCase>& cases);
void addCapacityCases(std::vector<RuleCase>& cases);
void addVectorCases(std::vector<RuleCase>& cases);
void addTypeCases(std::vector<RuleCase>& cases);
void addShapeCases(std::vector<RuleCase>& cases);
void addCubeCases(std::vector<RuleCase>& cases);  ///< the cube stage's operands, scales and modes
void addLoopAndStoreCases(std::vector<RuleCase>& cases);
void addLoopFormCases(std::vector<RuleCase>& cases);
void addGroupCases(std::vector<RuleCase>& cases);
void addOptionCases(std::vector<RuleCase>& cases);
void addStructureCases(std::vector<RuleCase>& cases);
void addBlockCases(std::vector<RuleCase>& cases);   ///< what the blocks of SK-14 may do
void addLayoutCases(std::vector<RuleCase>& cases);  ///< formats, shared blocks, invalid parts, tile tables
void addCodingCases(std::vector<RuleCase>& cases);  ///< what an SK-14 kernel should be written like

}  // namespace cubist::test
