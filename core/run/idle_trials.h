// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/design/design.h"
#include "core/design/resolve.h"
#include "core/rules/finding.h"
#include "core/timing/trace.h"

namespace cubist {

/// Predicts a design that differs in one setting; nothing: it cannot be predicted.
using PredictEdited = std::function<std::optional<Trace>(const Design&)>;

/// Settings without effect, found by taking each back and predicting again: what leaves the whole trace as it is to the
/// tick (tasks, cores, starts and ends) is reported as a hint. OPT-03: merge and runtime options, sides, slots and
/// cache policies; LOOP-01: parallel; LOOP-05: submit_before_loop and factors. Settings at whose place `known` has a
/// finding already are left out, and counts of 1, which say that nothing is to be merged.
/// `design` is as it was written, `resolved` made from it. Cost: one prediction for each setting.
[[nodiscard]] std::vector<Finding> idleTrials(const Design& design, const ResolvedDesign& resolved, bool bare,
                                              const std::vector<Finding>& known, const Trace& base,
                                              const PredictEdited& predictEdited);

}  // namespace cubist
