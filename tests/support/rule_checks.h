// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <set>
#include <string>
#include <vector>

#include "core/rules/checker.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"

/// What the rules say about a design, for tests.
namespace cubist::test {

/// Findings of the design with its default case.
[[nodiscard]] std::vector<Finding> findings(const Design& design, RuleProfile profile = RuleProfile::Enforced,
                                            const ChipSpec& chip = chipFile("Ascend910B1"));

/// "ID where: message" per finding, for failures that explain themselves.
[[nodiscard]] QString told(const std::vector<Finding>& list);

[[nodiscard]] std::set<std::string> idsOf(const std::vector<Finding>& list);

/// The first finding of the rule; ends the test program when there is none.
[[nodiscard]] Finding only(const std::vector<Finding>& list, const std::string& rule);

/// Applies a fix the way a user's `--set` does, through the document.
[[nodiscard]] Design applied(Design design, const Fix& fix);

/// A matmul of 128 x `bigK` x 128 in FP16 with this tile.
[[nodiscard]] Design halfTile(std::vector<std::int64_t> m, std::vector<std::int64_t> k, std::vector<std::int64_t> n,
                              std::int64_t bigK = 128);

}  // namespace cubist::test
