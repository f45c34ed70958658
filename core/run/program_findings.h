// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/chip/chip_spec.h"
#include "core/design/resolve.h"
#include "core/emulator/indexed_writes.h"
#include "core/lowering/program.h"
#include "core/rules/finding.h"
#include "core/rules/prediction.h"
#include "core/timing/trace.h"

namespace cubist {

/// What only the lowered program shows: keys of merge settings that meet no group (OPT-07), with the groups there are;
/// an auto_mix_partition that mixes nothing (OPT-03).
[[nodiscard]] std::vector<Finding> programFindings(const Program& program, const Options& options,
                                                   const ChipSpec& chip);

/// The numbers that the rules about predictions look at. `order`: of the blocks in launch `bare`; empty: the task
/// runtime.
[[nodiscard]] Prediction predictionOf(const Program& program, const Trace& trace, std::string order);

/// Once the values are known, STORE-07 stays with the stores whose index has equal entries, says where, and comes for
/// operations too: as a warning under `Enforced`, an error under `Documented`.
void keepEqualEntries(const ResolvedDesign& design, const Program& program, const std::vector<EqualEntries>& found,
                      RuleProfile profile, std::vector<Finding>& findings);

}  // namespace cubist
