// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/golden/reference.h"
#include "core/run/run.h"

namespace cubist {

/// What a run computed, by tensor id or value name.
struct ComputedTensors {
    std::map<std::string, const HostTensor*> inputs;
    std::map<std::string, const HostTensor*> workspaces;
    std::map<std::string, const HostTensor*> outputs;
};

/// Whether `stageErrors` may be asked: the extra goldens stay small in time and memory (at most 2^32 multiply-adds and
/// 2^22 workspace elements).
[[nodiscard]] bool canBlameStages(const ResolvedDesign& design, const ComputedTensors& computed);

/// How much of the error each cube and vector stage adds, and how much comes in with its operands, as relative root
/// mean squares: the golden of the one stage on the emulator's operands stands between the emulator's result and the
/// golden of everything. A stage whose result goes straight to an output is judged by that output. `golden` has the
/// stage results when there are workspaces. Source: F-35. Errors: as computeGolden.
[[nodiscard]] Result<std::vector<StageError>> stageErrors(const ResolvedDesign& design, const ComputedTensors& computed,
                                                          const GoldenSet& golden, GoldenKind kind,
                                                          const RunContext& context);

/// What the only stage of a design adds, element by element in order: nothing comes in with its operands.
class StageErrorSum {
public:
    /// `golden` of the elements from position `first` on.
    void add(const HostTensor& actual, std::int64_t first, std::span<const double> golden);
    [[nodiscard]] StageError of(const BlockId& stage) const;

private:
    double m_differences = 0, m_golden = 0;
};

}  // namespace cubist
