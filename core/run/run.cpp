// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/run.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <new>
#include <utility>

#include "core/design/binding.h"
#include "core/design/resolve.h"
#include "core/emulator/emulator.h"
#include "core/lowering/bare_launch.h"
#include "core/lowering/buffer_capacity.h"
#include "core/lowering/lower.h"
#include "core/rules/checker.h"
#include "core/rules/dtype_tables.h"
#include "core/rules/static/store_coverage.h"
#include "core/run/channel_scales.h"
#include "core/run/faster_tiles.h"
#include "core/run/figures.h"
#include "core/run/idle_options.h"
#include "core/run/idle_trials.h"
#include "core/run/inputs.h"
#include "core/run/judge.h"
#include "core/run/memory.h"
#include "core/run/part_context.h"
#include "core/run/prediction_cache.h"
#include "core/run/program_findings.h"
#include "core/run/stage_results.h"
#include "core/run/value_findings.h"
#include "core/timing/timing_engine.h"

namespace cubist {
namespace {

class Stopwatch {
public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    }

private:
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

/// What all kinds of run begin with.
struct Prepared {
    Binding binding;
    ResolvedDesign resolved;
    Isa isa = Isa::Auto;
    RunReport report;
};

/// Is it about a generator in whose place a file is read?
bool isOfReplacedData(const RunRequest& request, const Finding& finding) {
    const std::vector<Tensor>& tensors = request.design->tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const std::string where = "/tensors/" + std::to_string(i) + "/data";
        if (finding.where != where && !finding.where.starts_with(where + "/")) continue;
        return request.inputs.contains(tensors[i].id.text);
    }
    return false;
}

/// Does PyPTO's matmul refuse the types of a stage which a kernel written by hand can multiply?
bool isOfPyptoAlone(const RunRequest& request, const ResolvedDesign& design, const Finding& finding) {
    if (request.launch != LaunchProfile::Bare || finding.ruleId != "DTYPE-01") return false;
    const ResolvedBlock* block = design.block(finding.block);
    const auto* cube = block != nullptr ? std::get_if<CubeStage>(&block->block->content) : nullptr;
    if (cube == nullptr || cube->op != CubeOp::Matmul) return false;
    const DType a = design.value(cube->a)->dtype;
    const bool scale = cube->scale || !cube->scaleTensor.empty();
    const std::vector<DType> outputs = rules::handWrittenOutputs(request.chip, a, scale);
    return design.value(cube->b)->dtype == a && std::ranges::find(outputs, cube->outDType) != outputs.end();
}

Result<Prepared> prepare(const RunRequest& request, const RunContext& context) {
    const Design& design = *request.design;
    Prepared prepared;
    CUBIST_TRY(prepared.isa, resolveIsa(request.isa));
    CUBIST_CHECK_OK(checkTensorNames(request));
    CUBIST_TRY(prepared.binding, bindRequest(request));
    CUBIST_TRY(prepared.resolved, resolve(design, prepared.binding));

    RunReport& report = prepared.report;
    report.design = design.name;
    report.chip = request.chip.id;
    report.caseId = prepared.binding.caseId;
    report.symbols = prepared.binding.symbols;
    for (const auto& list : prepared.binding.lists.entries) report.lists.set(list.key, list.value.values);
    report.used = prepared.resolved.chosen != nullptr ? prepared.resolved.chosen : request.design;
    for (const Tensor& tensor : report.used->tensors)
        if (const ResolvedValue* value = prepared.resolved.value(ValueId(tensor.id.text)))
            report.tensorShapes.set(tensor.id.text, value->shape);
    report.seed = request.seed.value_or(design.seed);
    report.profile = request.profile.value_or(design.profile);
    report.launch = request.launch;
    report.order = request.order;
    for (const ResolvedBlock& block : prepared.resolved.blocks) {
        const auto* cube = std::get_if<CubeStage>(&block.block->content);
        const ResolvedValue* a = cube != nullptr ? prepared.resolved.value(cube->a) : nullptr;
        if (a != nullptr && a->dtype == DType::FP32)
            report.fp32Modes.set(cube->id.text, std::string(toText(cube->fp32Mode)));
    }
    report.accuracy.criterion = design.tolerance.criterion;
    report.host.threads = context.threads;
    report.host.isa = prepared.isa;
    report.findings = request.documentFindings;
    DesignCheck check(prepared.resolved, request.chip, report.profile);
    while (!check.done()) {
        if (context.cancelled()) return cancelledError();
        check.tryNext();
    }
    std::copy_if(check.findings().begin(), check.findings().end(), std::back_inserter(report.findings),
                 [&](const Finding& finding) {
                     return !isOfReplacedData(request, finding) && !isOfPyptoAlone(request, prepared.resolved, finding);
                 });
    for (Finding& finding : rules::findingsOfManyWrites(prepared.resolved, request.chip, report.profile))
        report.findings.push_back(std::move(finding));
    if (context.cancelled()) return cancelledError();
    return prepared;
}

/// Hand-written kernels are launched as they are: no pass merges their blocks. PyPTO offers none of their own options.
Options asLaunched(const RunRequest& request) {
    Options options = request.design->options;
    if (request.launch != LaunchProfile::Bare) {
        options.unitFlag = false;
        options.bufferSlots.entries.clear();
        return options;
    }
    for (Dictionary<std::int64_t>* setting : {&options.cubeL1Reuse, &options.cubeNBuffer, &options.vecNBuffer}) {
        setting->entries.clear();
        setting->set("DEFAULT", 1);
    }
    options.autoMixPartition = false;
    return options;
}

/// The program and, in launch `bare`, the core of every task.
struct Launched {
    std::shared_ptr<const Program> program;
    std::vector<std::uint16_t> coreOf;
};

Result<Launched> lowerAnew(const RunRequest& request, const Prepared& prepared, const Estimate& size,
                           const RunContext& context) {
    CUBIST_TRY(Program program, lower(prepared.resolved, size, asLaunched(request), request.chip, context));
    if (request.launch != LaunchProfile::Bare) return Launched{std::make_shared<const Program>(std::move(program)), {}};
    CUBIST_TRY(BareLaunch bare, launchBare(std::move(program), request.order, request.chip, context));
    return Launched{std::make_shared<const Program>(std::move(bare.program)), std::move(bare.coreOf)};
}

Result<Launched> lowerWithinMemory(const RunRequest& request, const Prepared& prepared, bool values,
                                   PredictionCache* cache, const RunContext& context) {
    CUBIST_TRY(const Estimate size, estimate(prepared.resolved));
    const std::int64_t limit = request.maxMemoryBytes > 0 ? request.maxMemoryBytes : availableMemoryBytes();
    CUBIST_CHECK_OK(checkMemory(prepared.resolved, size, values, limit));
    if (cache == nullptr) return lowerAnew(request, prepared, size, context);
    PredictionCache::Source source = PredictionCache::sourceOf(request, prepared.binding);
    if (auto known = cache->program(source)) return Launched{std::move(known), cache->coreOf()};
    CUBIST_TRY(Launched launched, lowerAnew(request, prepared, size, context));
    cache->keep(std::move(source), launched.program, launched.coreOf);
    return launched;
}

Result<void> predictTime(const RunRequest& request, RunReport& report, std::vector<std::uint16_t> coreOf,
                         PredictionCache* cache, const RunContext& context) {
    const Stopwatch watch;
    const Options& runtime = request.design->options;
    if (const Trace* known = cache != nullptr ? cache->trace(report.program, runtime) : nullptr) {
        report.trace = *known;
    } else {
        TimingOptions options;
        options.coreOf = std::move(coreOf);
        options.runtime = &runtime;
        options.plans = cache != nullptr ? &cache->plans() : nullptr;
        if (request.timeSummary) options.detail = TraceDetail::Summary;
        CUBIST_TRY(report.trace, predict(*report.program, request.chip, context, options));
        if (cache != nullptr) cache->keep(runtime, *report.trace);
    }
    report.confidence = predictionConfidence(*report.trace);
    report.utilisation = cubeUtilisation(*report.program, request.chip, *report.trace);
    report.host.timingSeconds = watch.seconds();
    return {};
}

std::pair<const char*, Severity> ruleOf(ValueNote::Kind kind) {
    switch (kind) {
        case ValueNote::Kind::IntegerOverflow: return {"VAL-01", Severity::Warning};
        case ValueNote::Kind::NanScale: return {"VAL-02", Severity::Warning};
        case ValueNote::Kind::Clipped: return {"VAL-09", Severity::Hint};
        case ValueNote::Kind::Saturated: return {"VAL-15", Severity::Hint};
        case ValueNote::Kind::NanToZero:
        case ValueNote::Kind::Infinite:
        case ValueNote::Kind::Overflowed: return {"VAL-16", Severity::Warning};
        case ValueNote::Kind::UnwrittenRead: return {"VAL-03", Severity::Error};
        case ValueNote::Kind::OutsideAccess: return {"VAL-04", Severity::Error};
        case ValueNote::Kind::SumsLost: return {"VAL-05", Severity::Error};
        case ValueNote::Kind::OverCapacity: return {"VAL-06", Severity::Error};
        case ValueNote::Kind::UnorderedAccess: return {"VAL-07", Severity::Error};
        case ValueNote::Kind::ZeroRead: return {"VAL-14", Severity::Hint};
    }
    return {"VAL-01", Severity::Warning};
}

/// What only computing the values could show.
Finding findingOf(const ValueNote& note, const Program& program) {
    const ProgramStage& stage = program.stages[note.stage.value];
    Finding finding;
    const auto [id, severity] = ruleOf(note.kind);
    finding.ruleId = id;
    finding.severity = severity;
    finding.where = stage.where;
    finding.block = stage.id;
    finding.message = note.message;
    finding.messageZh = note.messageZh;
    return finding;
}

/// Infinity against infinity passes any tolerance, so it is said.
void noteNonFinite(RunReport& report, const std::vector<Tensor>& tensors) {
    for (const OutputMetrics& output : report.accuracy.outputs) {
        if (output.nanCount == 0 && output.infCount == 0) continue;
        const std::string nans = std::to_string(output.nanCount), infinities = std::to_string(output.infCount);
        Finding finding;
        finding.ruleId = "VAL-02";
        finding.severity = Severity::Warning;
        const auto declared = std::find_if(tensors.begin(), tensors.end(),
                                           [&](const Tensor& tensor) { return tensor.id.text == output.name; });
        finding.where = "/tensors/" + std::to_string(declared - tensors.begin());
        finding.message =
            "the output '" + output.name + "' has " + nans + " NaN and " + infinities + " infinite elements";
        finding.messageZh = "输出 '" + output.name + "' 含 " + nans + " 个 NaN 和 " + infinities + " 个无穷大元素";
        report.findings.push_back(std::move(finding));
    }
}

/// The workspaces among the computed tensors; outputs have been taken out of them already. Those that hold the results
/// of a stage are cut to what is valid, declared ones stay as they are.
Result<void> keepStageResults(const ResolvedDesign& design, const Program& program, std::vector<HostTensor> computed,
                              RunReport& report) {
    auto result = computed.begin();
    for (const GmTensor& tensor : program.tensors) {
        if (tensor.role == GmRole::Input) continue;
        if (tensor.role == GmRole::Workspace && !isPartial(tensor)) {
            const ResolvedValue* value = design.value(ValueId(tensor.name));
            if (value != nullptr && value->kind != ResolvedValue::Kind::Tensor) {
                CUBIST_TRY(*result, validElements(design, value->name, *result));
            }
            report.stageResults.emplace(tensor.name, std::move(*result));
        }
        ++result;
    }
    return {};
}

EmulatorOptions emulatorOptions(const RunRequest& request, Isa isa) {
    EmulatorOptions options;
    options.isa = isa;
    options.checked = request.checked;
    options.blocks = request.blocks.get();
    options.serialLoops = request.design->options.deviceSchedParallelism <= 1;
    for (std::size_t i = 0; i < kBufferCount; ++i)
        options.bufferBytes[i] = bufferCapacity(request.chip, static_cast<Buffer>(i));
    return options;
}

Result<void> computeValues(const RunRequest& request, const Prepared& prepared, RunReport& report,
                           const RunContext& context) {
    context.report(0.0, "inputs");
    CUBIST_TRY(const std::vector<HostTensor> inputs,
               makeInputs(request, prepared.binding, *report.program, report.seed, partOf(context, 0.0, 0.1)));
    std::vector<const HostTensor*> pointers;
    for (const HostTensor& input : inputs) pointers.push_back(&input);

    Stopwatch watch;
    CUBIST_TRY(EmulatedValues results,
               emulate(*report.program, pointers, emulatorOptions(request, prepared.isa), partOf(context, 0.1, 0.7)));
    report.host.valuesSeconds = watch.seconds();
    for (const ValueNote& note : results.notes) report.findings.push_back(findingOf(note, *report.program));
    keepEqualEntries(prepared.resolved, *report.program, results.equalEntries, report.profile, report.findings);

    ComputedTensors computed;
    auto input = inputs.begin();
    auto result = results.tensors.begin();
    for (const GmTensor& tensor : report.program->tensors) {
        if (tensor.initial == InitialState::Data) computed.inputs[tensor.name] = &*input++;
        switch (tensor.role) {
            case GmRole::Input: break;
            case GmRole::Workspace:
                // Declared workspaces and partial results belong to no single stage.
                if (tensor.initial == InitialState::Poison && !isPartial(tensor))
                    computed.workspaces[tensor.name] = &*result;
                ++result;
                break;
            case GmRole::Output:
                computed.outputs[tensor.name] =
                    &report.outputs.emplace(tensor.name, std::move(*result++)).first->second;
                break;
        }
    }
    for (Finding& finding : channelScaleFindings(prepared.resolved, computed.inputs))
        report.findings.push_back(std::move(finding));
    for (Finding& finding : generatedFindings(request, prepared.binding, report.seed, computed.inputs))
        report.findings.push_back(std::move(finding));
    if (request.golden) {
        watch = Stopwatch();
        CUBIST_CHECK_OK(judgeOutputs(request, prepared.resolved, computed, report, partOf(context, 0.7, 1.0)));
        noteNonFinite(report, request.design->tensors);
        report.host.goldenSeconds = watch.seconds();
    }
    if (request.keepStages)
        CUBIST_CHECK_OK(keepStageResults(prepared.resolved, *report.program, std::move(results.tensors), report));
    return {};
}

RunRequest timeOnly(const RunRequest& request) {
    RunRequest timing = request;
    timing.values = false;
    timing.golden = false;
    timing.timing = true;
    return timing;
}

enum class Trials : std::uint8_t { None, Fixes };

Result<RunReport> runUnguarded(const RunRequest& request, PredictionCache* cache, Trials trials,
                               const RunContext& context);

/// Predicts designs with another tile, on the side: for runs alone, and none of programs that take long.
TryFill trialsOf(const RunRequest& request, const Program& program, Trials trials, const RunContext& context) {
    constexpr std::int64_t kMostInstructions = 1'000'000;
    if (trials == Trials::None || program.instructionCount() > kMostInstructions) return {};
    return [&request, &context](const Design& changed, const BlockId& stage) -> FillTrial {
        RunRequest trial = timeOnly(request);
        trial.design = std::make_shared<const Design>(changed);
        trial.force = trial.whatIf = false;
        trial.timeSummary = true;
        const RunContext quiet{context.stop, {}, context.threads};
        const Result<RunReport> report = runUnguarded(trial, nullptr, Trials::None, quiet);
        if (!report || !report->ran || !report->trace) return {};
        const bool idle = std::any_of(report->findings.begin(), report->findings.end(), [&](const Finding& finding) {
            return finding.ruleId == "PERF-01" && finding.block == stage;
        });
        if (idle) return {true, std::nullopt};
        return {true, report->trace->microseconds(report->trace->kernel)};
    };
}

/// Of options that a rule has reported already, for another reason, nothing more is said.
void noteIdleOptions(const RunRequest& request, const ResolvedDesign& design, RunReport& report) {
    for (Finding& finding :
         idleOptions(design, *report.program, request.design->options, request.launch == LaunchProfile::Bare)) {
        const bool known = std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& other) {
            return other.ruleId == finding.ruleId && other.where == finding.where;
        });
        if (!known) report.findings.push_back(std::move(finding));
    }
}

/// Designs with one setting taken back, in place of the request's. What the program is not made from leaves it as it
/// is.
PredictEdited retrialsOf(const RunRequest& request, const Prepared& prepared, const RunReport& report,
                         const RunContext& context) {
    return [&request, &prepared, &report, &context,
            plans = std::make_shared<PlanCache>()](const Design& edited) -> std::optional<Trace> {
        RunRequest trial = request;
        trial.design = std::make_shared<const Design>(edited);
        const RunContext quiet{context.stop, {}, context.threads};
        TimingOptions options;
        options.runtime = &trial.design->options;
        options.plans = plans.get();
        if (request.timeSummary) options.detail = TraceDetail::Summary;
        Launched launched{report.program, {}};
        const bool remade =
            request.launch == LaunchProfile::Bare ||
            PredictionCache::sourceOf(request, prepared.binding) != PredictionCache::sourceOf(trial, prepared.binding);
        if (remade) {
            Result<ResolvedDesign> resolved = resolve(*trial.design, prepared.binding);
            if (!resolved) return std::nullopt;
            Prepared changed;
            changed.resolved = std::move(*resolved);
            const Result<Estimate> size = estimate(changed.resolved);
            if (!size) return std::nullopt;
            Result<Launched> lowered = lowerAnew(trial, changed, *size, quiet);
            if (!lowered) return std::nullopt;
            launched = std::move(*lowered);
        }
        options.coreOf = std::move(launched.coreOf);
        Result<Trace> trace = predict(*launched.program, request.chip, quiet, options);
        return trace ? std::optional(std::move(*trace)) : std::nullopt;
    };
}

/// For runs alone, and none of programs that take long.
void noteIdleTrials(const RunRequest& request, const Prepared& prepared, RunReport& report, Trials trials,
                    const RunContext& context) {
    constexpr std::int64_t kMostInstructions = 300'000;
    if (trials == Trials::None || report.program->instructionCount() > kMostInstructions) return;
    std::vector<Finding> idle =
        idleTrials(*request.design, prepared.resolved, request.launch == LaunchProfile::Bare, report.findings,
                   *report.trace, retrialsOf(request, prepared, report, context));
    std::move(idle.begin(), idle.end(), std::back_inserter(report.findings));
}

Result<RunReport> runUnguarded(const RunRequest& request, PredictionCache* cache, Trials trials,
                               const RunContext& context) {
    context.report(0.0, "checks");
    CUBIST_TRY(Prepared prepared, prepare(request, context));
    RunReport report = std::move(prepared.report);
    if (report.errorCount() > 0 && !request.force) return report;

    context.report(0.02, "program");
    CUBIST_TRY(Launched launched,
               lowerWithinMemory(request, prepared, request.values, cache, partOf(context, 0.02, 0.05)));
    report.program = std::move(launched.program);
    for (Finding& finding : programFindings(*report.program, asLaunched(request), request.chip)) {
        // A label that no stage has is told once.
        const bool told = std::any_of(report.findings.begin(), report.findings.end(), [&](const Finding& other) {
            return other.ruleId == "OPT-04" && other.where == finding.where;
        });
        if (!told) report.findings.push_back(std::move(finding));
    }
    noteIdleOptions(request, prepared.resolved, report);
    report.host.instructions = report.program->instructionCount();
    report.flops = report.program->flops();
    if (request.values) CUBIST_CHECK_OK(computeValues(request, prepared, report, partOf(context, 0.05, 0.9)));
    if (request.timing) {
        CUBIST_CHECK_OK(predictTime(request, report, std::move(launched.coreOf), cache, partOf(context, 0.9, 0.95)));
        const Stopwatch trialsWatch;
        std::vector<Finding> predicted = checkPrediction(
            prepared.resolved, request.chip, report.profile,
            predictionOf(*report.program, *report.trace,
                         request.launch == LaunchProfile::Bare ? orderText(request.order) : std::string()),
            trialsOf(request, *report.program, trials, context));
        noteIdleTrials(request, prepared, report, trials, context);
        report.host.trialsSeconds = trialsWatch.seconds();
        std::move(predicted.begin(), predicted.end(), std::back_inserter(report.findings));
    }
    if (request.timing && request.whatIf) {
        const Stopwatch watch;
        Design asked = *request.design;
        asked.options = asLaunched(request);
        CUBIST_TRY(report.whatIf,
                   whatIf(asked, prepared.binding, request.chip, *report.trace, partOf(context, 0.95, 1.0),
                          request.launch == LaunchProfile::Bare ? &request.order : nullptr));
        report.host.whatIfSeconds = watch.seconds();
    }
    if (context.cancelled()) return cancelledError();
    report.ran = true;
    context.report(1.0, "done");
    return report;
}

/// Core does not throw: memory that is gone after all becomes the same refusal as memory that would not be enough.
template <class Work>
Result<RunReport> guarded(const Work& work) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return unexpected(ErrorCode::DoesNotFit, "the machine has no more memory", {}, "make a symbol smaller");
    }
}

}  // namespace

std::int64_t RunReport::errorCount() const {
    return std::count_if(findings.begin(), findings.end(),
                         [](const Finding& finding) { return finding.severity == Severity::Error; });
}

int RunReport::exitStatus() const {
    const bool stopped = !ran && errorCount() > 0;
    const bool wrongValues = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
        return finding.severity == Severity::Error && finding.ruleId.starts_with("VAL-");
    });
    return stopped || wrongValues || accuracy.verdict == Verdict::Fail ? 1 : 0;
}

Result<RunReport> run(const RunRequest& request, const RunContext& context) {
    return guarded([&] { return runUnguarded(request, nullptr, Trials::Fixes, context); });
}

Result<RunReport> predictOnly(const RunRequest& request, const RunContext& context) {
    return guarded([&] { return runUnguarded(timeOnly(request), nullptr, Trials::None, context); });
}

Result<RunReport> predictAgain(const RunRequest& request, PredictionCache& cache, const RunContext& context) {
    return guarded([&] { return runUnguarded(timeOnly(request), &cache, Trials::None, context); });
}

Result<RunReport> predictWithFasterTiles(const RunRequest& request, const RunContext& context) {
    return guarded([&] { return runUnguarded(timeOnly(request), nullptr, Trials::Fixes, context); });
}

Result<RunReport> checkOnly(const RunRequest& request, const RunContext& context) {
    return guarded([&]() -> Result<RunReport> {
        CUBIST_TRY(Prepared prepared, prepare(request, context));
        return std::move(prepared.report);
    });
}

}  // namespace cubist
