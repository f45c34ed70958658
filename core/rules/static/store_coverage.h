// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/design/resolve.h"
#include "core/rules/finding.h"

namespace cubist::rules {

/// Elements of a tensor that no store of the design covers with the bound sizes and lists (what STORE-01 counts).
/// Nothing where that is not counted: stores that add or go by an index, too many writes, writes outside of it.
[[nodiscard]] std::optional<std::int64_t> unwrittenElements(const ResolvedDesign& design, const Tensor& tensor);

/// STORE-01, STORE-02 and STORE-04 of the outputs that are written too often to be looked at with every edit. Where
/// even this is too much, a hint says that it was not checked.
[[nodiscard]] std::vector<Finding> findingsOfManyWrites(const ResolvedDesign& design, const ChipSpec& chip,
                                                        RuleProfile profile);

}  // namespace cubist::rules
