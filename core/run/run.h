// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/accuracy/compare.h"
#include "core/base/block_pool.h"
#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/base/tensor.h"
#include "core/chip/chip_spec.h"
#include "core/design/design.h"
#include "core/emulator/isa.h"
#include "core/lowering/block_order.h"
#include "core/lowering/program.h"
#include "core/rules/finding.h"
#include "core/run/what_if.h"
#include "core/timing/trace.h"

namespace cubist {

/// A file with the values of a tensor, and what the file does not say about itself.
struct TensorFile {
    std::string path;             ///< "x.npy", "all.npz", "all.npz#name" (one entry of it), "x.bin"
    std::string entry;            ///< of an archive, where `path` does not say it
    std::optional<DType> stored;  ///< type of the elements; absent: a raw file has the tensor's, others say it
    bool float64 = false;         ///< the elements are FP64, which no tensor of a design is; `stored` is absent then
    bool nz = false;              ///< the elements lie in NZ order
    bool operator==(const TensorFile&) const = default;

    TensorFile() = default;
    TensorFile(std::string file) : path(std::move(file)) {}
    TensorFile(const char* file) : path(file) {}
};

/// The tensor that a file is read for, as the design declares it.
struct TensorTarget {
    std::string name;
    DType dtype = DType::FP32;
    Shape shape;  ///< logical
};

/// How a run reads tensor files; core/exchange has the readers (`tensorReaders`). A run that names a file and brings no
/// reader fails with Unsupported.
struct TensorReaders {
    std::function<Result<HostTensor>(const TensorFile& file, const TensorTarget& target)> input;
    /// The values of `file`, never rounded to the output's type; row-major.
    std::function<Result<std::vector<double>>(const TensorFile& file, const TensorTarget& target)> golden;
};

/// How a kernel reaches the cores.
enum class LaunchProfile : std::uint8_t {
    Pypto,  ///< the task runtime hands out tasks
    Bare,   ///< as a hand-written kernel: every core has its blocks from the start, no scheduler
};

template <>
struct EnumTable<LaunchProfile> {
    static constexpr std::string_view name = "launch profile";
    static constexpr std::array entries{std::pair{LaunchProfile::Pypto, std::string_view{"pypto"}},
                                        std::pair{LaunchProfile::Bare, std::string_view{"bare"}}};
};

/// One run of a design: what the command line and the window both ask for.
struct RunRequest {
    std::shared_ptr<const Design> design;
    ChipSpec chip;
    std::string baseFolder;                       ///< relative data files of the design are looked up here
    std::string caseName;                         ///< id or alias; empty: the default case
    Dictionary<std::int64_t> symbols;             ///< overrides of the case
    Dictionary<std::vector<std::int64_t>> lists;  ///< overrides of the case
    std::map<std::string, TensorFile> inputs;     ///< tensor id -> file, relative to the working folder
    std::map<std::string, TensorFile> goldens;    ///< output tensor id -> file
    TensorReaders readers;
    std::vector<Finding> documentFindings;  ///< what reading the design file found; repeated in the report
    std::optional<RuleProfile> profile;     ///< overrides the design's
    std::optional<std::int64_t> seed;       ///< overrides the design's
    LaunchProfile launch = LaunchProfile::Pypto;
    BlockOrder order{.kind = OrderKind::LoopNM};  ///< of the blocks of cube stages; launch `bare` only
    Isa isa = Isa::Auto;
    std::int64_t maxMemoryBytes = 0;  ///< 0: what the machine has available
    bool force = false;               ///< run in spite of error findings
    bool values = true, golden = true, timing = true;
    bool keepStages = false;  ///< the report gets the results of the stages too
    /// Values instruction by instruction on poisoned buffers, with every access looked at: slower, same values.
    bool checked = false;
    bool whatIf = false;       ///< predict also with more of each resource
    bool timeSummary = false;  ///< the trace keeps sums only, no tasks
    /// Above this many multiply-adds the golden is computed for a sample of each output's elements.
    std::int64_t goldenLimit = 100'000'000'000;
    /// Memory that runs made one after the other share; none: each takes its own. Changes no result.
    std::shared_ptr<BlockPool> blocks = {};
};

struct AccuracyReport {
    Verdict verdict = Verdict::None;
    Criterion criterion = Criterion::AllClose;
    std::optional<std::int64_t> sampled;  ///< elements compared when the golden was sampled
    std::vector<OutputMetrics> outputs;
};

struct StageError {
    BlockId id;
    double added = 0, inherited = 0;  ///< relative RMSE
};

/// Everything that depends on the machine and the clock; left out by `--no-host`.
struct HostReport {
    double valuesSeconds = 0, goldenSeconds = 0, timingSeconds = 0;
    /// Predictions besides the one of the design: other tiles that PERF-01 tries, and what-if.
    double trialsSeconds = 0, whatIfSeconds = 0;
    std::int64_t instructions = 0;
    int threads = 1;
    Isa isa = Isa::Auto;
};

/// Everything a run found out. Engines that were not asked for leave their part empty.
struct RunReport {
    std::string design;
    ChipId chip;
    CaseId caseId;
    Dictionary<std::int64_t> symbols;             ///< values used, in the design's order
    Dictionary<std::vector<std::int64_t>> lists;  ///< values used, in the design's order
    Dictionary<Shape> tensorShapes;               ///< of the design's tensors, with these values
    std::shared_ptr<const Design> used;           ///< the design with the tiles that its tables gave
    std::int64_t seed = 0;
    RuleProfile profile = RuleProfile::Enforced;
    LaunchProfile launch = LaunchProfile::Pypto;
    BlockOrder order{.kind = OrderKind::LoopNM};  ///< launch `bare` only
    Dictionary<std::string> fp32Modes;            ///< by cube stage of FP32 operands: "ieee", "rint" or "round"
    std::vector<Finding> findings;                ///< of the file, then of the rules
    bool ran = false;                             ///< false: error findings stopped it, or only checks were asked for
    AccuracyReport accuracy;
    std::vector<StageError> stageErrors;
    std::optional<Trace> trace;
    std::vector<WhatIf> whatIf;                    ///< largest gain first
    Confidence confidence = Confidence::Estimate;  ///< the weakest constant that the predicted time rests on
    std::int64_t flops = 0;
    double utilisation = 0;  ///< time the cube would need at its peak rate, by the predicted time. Source: F-22
    std::shared_ptr<const Program> program;
    std::map<std::string, HostTensor> outputs;       ///< by tensor id
    std::map<std::string, HostTensor> stageResults;  ///< by value name; what the request wants kept
    HostReport host;

    [[nodiscard]] std::int64_t errorCount() const;
    /// 0, or 1 for error findings (unless forced), for errors that computing the values found, or a failed verdict.
    [[nodiscard]] int exitStatus() const;
};

/// Binds, checks, lowers, computes values, golden and time, and compares. Refuses what does not fit before allocating.
/// Errors: everything `bind`, `resolve`, `lower`, `emulate` and the readers report; Cancelled.
[[nodiscard]] Result<RunReport> run(const RunRequest& request, const RunContext& context);

/// Findings and time only, for live prediction while editing: no tensor is allocated.
[[nodiscard]] Result<RunReport> predictOnly(const RunRequest& request, const RunContext& context);

/// Findings only. Errors: as `run`, without those of the engines.
[[nodiscard]] Result<RunReport> checkOnly(const RunRequest& request, const RunContext& context);

}  // namespace cubist
