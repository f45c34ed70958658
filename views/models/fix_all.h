// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/design/binding.h"
#include "core/design/design.h"
#include "core/rules/finding.h"

namespace cubist {

/// Whether "fix all" would try a finding: an error or a warning with a fix. Hints are matters of taste.
[[nodiscard]] bool hasSafeFix(const Finding& finding);

struct FixedDesign {
    Design design;
    int fixes = 0;  ///< how many were applied
};

/// Applies the first fix of one finding after the other until none is left that helps. A fix is kept when its finding
/// goes and no error comes. Pure. Nothing happens when the symbols cannot be bound or the design cannot be resolved.
[[nodiscard]] FixedDesign applySafeFixes(const Design& design, const ChipSpec& chip, const Binding& binding);

}  // namespace cubist
