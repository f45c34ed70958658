// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/run/run.h"
#include "core/skeleton/checklist.h"
#include "core/skeleton/starting_configuration.h"

namespace cubist {

/// The share of cube and vector stages in a predicted time: what each kind covers of the executed critical path, and
/// what all its tasks take, divided by the cores that ran them. Units: microseconds.
[[nodiscard]] WorkShare predictedShare(const ResolvedDesign& design, const Program& program, const Trace& trace);

/// The checklist of SK-14 for the request's design and case. With a report that has a prediction the work is what was
/// predicted, else arithmetic. Errors: as `bind` and `resolve`.
[[nodiscard]] Result<Checklist> skeletonChecklist(const RunRequest& request, const RunReport* report = nullptr);

/// The same with a prediction made for it, where the design may run and has at most 100 000 tasks; arithmetic else.
/// Errors: as above; Cancelled.
[[nodiscard]] Result<Checklist> measuredChecklist(const RunRequest& request, const RunContext& context);

/// What a check says of a design.
struct CheckedDesign {
    RunReport report;      ///< as `checkOnly`; with a prediction its findings are those of `predictOnly`
    Checklist checklist;   ///< as `measuredChecklist`
    std::string unlooked;  ///< why what needs the program (OPT-03, OPT-07, PERF-*) was not looked at; empty: it was
};

/// The findings of the rules and, where the design may run and has at most 100 000 tasks, those of its program and of
/// its predicted time; no values, no trials of other tiles. Errors: as `checkOnly`.
[[nodiscard]] Result<CheckedDesign> checkWithPrediction(const RunRequest& request, const RunContext& context);

/// Does `after`, bound like the request, have no error or warning that `before` did not have?
[[nodiscard]] bool addsNoFinding(const RunRequest& request, const Design& before, const Design& after);

/// `applyStartingConfiguration` with the rules as judge and the groups that the program really has: keys of others are
/// left out. Where nothing can be lowered all keys stay. Errors: as `applyStartingConfiguration`, `bind`, `resolve`;
/// Cancelled.
[[nodiscard]] Result<StartedDesign> startDesign(const RunRequest& request, const StartingTable& table,
                                                StartSource source, const Design* shipped, const RunContext& context);

}  // namespace cubist
