// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/design/resolve.h"
#include "core/rules/finding.h"

namespace cubist {

/// What a prediction says about one stage.
struct PredictedStage {
    BlockId id;
    std::string where;  ///< JSON pointer
    bool cube = false;
    std::int64_t tasks = 0;
    std::int64_t merged = 1;    ///< most subgraphs in one task
    double busyUs = 0;          ///< durations of its tasks, summed over cores
    double criticalUs = 0;      ///< of the critical path, what its tasks cover
    std::int64_t loads = 0;     ///< copies from global memory to L1 in its longest task
    std::int64_t distinct = 0;  ///< different pieces among them
    /// Shortest rows that these copies read, in bytes; 0: none has more than one row.
    std::int64_t shortestRow = 0;
    std::int64_t blocks = 0;  ///< subgraphs of its tasks
    std::int64_t cores = 0;   ///< that run one of them
};

/// The numbers of a prediction that rules look at. Filled by core/run.
struct Prediction {
    std::vector<PredictedStage> stages;
    std::int64_t aicCount = 0, aivCount = 0;
    double kernelUs = 0;
    std::string order;  ///< of the blocks in launch `bare`, as the command line takes it; empty: the task runtime
};

/// What came of a changed design.
struct FillTrial {
    bool predicted = false;    ///< it ran, whatever came of it; false: the rules or the memory refuse it
    std::optional<double> us;  ///< kernel time; nothing when its stage still leaves cores idle
};

/// Predicts a changed design on the side.
using TryFill = std::function<FillTrial(const Design& changed, const BlockId& stage)>;

/// The rules that need a prediction (PERF-01 to PERF-05); worst first, fixes tried as in checkDesign. A fix of PERF-01
/// is offered only when `tryFill` predicts it to fill the cores and to be faster, the fastest first, and says the time;
/// at most six tiles of a stage are predicted, those with the shortest estimates (F-67). Without `tryFill` no tiles are
/// looked for.
[[nodiscard]] std::vector<Finding> checkPrediction(const ResolvedDesign& design, const ChipSpec& chip,
                                                   RuleProfile profile, const Prediction& prediction,
                                                   const TryFill& tryFill = {});

}  // namespace cubist
