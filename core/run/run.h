// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/accuracy/compare.h"
#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/chip/chip_spec.h"
#include "core/design/design.h"
#include "core/emulator/isa.h"
#include "core/lowering/program.h"
#include "core/rules/finding.h"
#include "core/timing/trace.h"

namespace cubist {

/// One run of a design: what the command line and the window both ask for.
struct RunRequest {
    std::shared_ptr<const Design> design;
    ChipSpec chip;
    std::string baseFolder;                       ///< relative data files of the design are looked up here
    std::string caseName;                         ///< id or alias; empty: the default case
    Dictionary<std::int64_t> symbols;             ///< overrides of the case
    std::map<std::string, std::string> inputs;    ///< tensor id -> .npy file
    std::map<std::string, std::string> goldens;   ///< output tensor id -> .npy file
    std::optional<std::int64_t> seed;             ///< overrides the design's
    Isa isa = Isa::Auto;
    std::int64_t maxMemoryBytes = 0;              ///< 0: what the machine has available
    bool force = false;                           ///< run in spite of error findings
    bool values = true, golden = true, timing = true;
};

struct AccuracyReport {
    Verdict verdict = Verdict::None;
    Criterion criterion = Criterion::AllClose;
    std::optional<std::int64_t> sampled;          ///< elements compared when the golden was sampled
    std::vector<OutputMetrics> outputs;
};

struct StageError {
    BlockId id;
    double added = 0, inherited = 0;              ///< relative RMSE
};

/// Everything that depends on the machine and the clock; left out by `--no-host`.
struct HostReport {
    double valuesSeconds = 0, goldenSeconds = 0, timingSeconds = 0;
    std::int64_t instructions = 0;
    int threads = 1;
    Isa isa = Isa::Auto;
};

struct RunReport {
    std::string design;
    ChipId chip;
    CaseId caseId;
    std::int64_t seed = 0;
    RuleProfile profile = RuleProfile::Enforced;
    std::vector<Finding> findings;
    bool ran = false;                             ///< false: error findings stopped it
    AccuracyReport accuracy;
    std::vector<StageError> stageErrors;
    std::optional<Trace> trace;
    std::shared_ptr<const Program> program;
    std::map<std::string, HostTensor> outputs;    ///< by tensor id
    HostReport host;

    /// 0, or 1 for error findings (unless forced) or a failed verdict.
    [[nodiscard]] int exitStatus() const;
};

/// Binds, checks, lowers, computes values, golden and time, and compares. Refuses what does not fit before allocating.
/// Errors: everything `bind`, `resolve`, `lower`, `emulate` and the readers report; Cancelled.
[[nodiscard]] Result<RunReport> run(const RunRequest& request, const RunContext& context);

/// Findings and time only, for live prediction while editing: no tensor is allocated.
[[nodiscard]] Result<RunReport> predictOnly(const RunRequest& request, const RunContext& context);

}  // namespace cubist
