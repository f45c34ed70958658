// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/skeleton_report.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "core/design/resolve.h"
#include "core/lowering/lower.h"
#include "core/rules/checker.h"
#include "core/run/inputs.h"
#include "core/skeleton/stage_graph.h"

namespace cubist {
namespace {

constexpr std::int64_t kMostTasks = 100'000;

/// Errors and warnings of a design bound like the request's; nothing when it cannot be bound or resolved.
std::optional<std::set<std::string>> complaints(const RunRequest& request, const Design& design) {
    RunRequest trial = request;
    trial.design = std::make_shared<const Design>(design);
    const Result<Binding> binding = bindRequest(trial);
    if (!binding) return std::nullopt;
    const Result<ResolvedDesign> resolved = resolve(*trial.design, *binding);
    if (!resolved) return std::nullopt;
    std::set<std::string> found;
    for (const Finding& finding : checkDesign(*resolved, request.chip, request.profile.value_or(design.profile)))
        if (finding.severity != Severity::Hint) found.insert(finding.ruleId + " " + finding.where);
    return found;
}

/// The most groups of equal cube subgraphs in one root function, without merge settings; nothing when it cannot be
/// lowered.
Result<std::optional<std::int64_t>> cubeGroups(const RunRequest& request, const RunContext& context) {
    RunRequest plain = request;
    Design design = *request.design;
    design.options.cubeL1Reuse.entries.clear();
    design.options.cubeNBuffer = usualCubeNBuffer();
    plain.design = std::make_shared<const Design>(std::move(design));
    plain.values = plain.golden = plain.timing = plain.whatIf = false;
    const Result<RunReport> report = run(plain, context);
    if (!report && report.error().code == ErrorCode::Cancelled) return unexpected(report.error());
    if (!report || report->program == nullptr) return std::optional<std::int64_t>();
    std::int64_t most = 0;
    for (const MergeGroup& group : report->program->groups)
        if (group.kind == TaskKind::Aic) most = std::max<std::int64_t>(most, std::int64_t{group.order} + 1);
    return std::optional<std::int64_t>(most);
}

/// A prediction of a design that may run. Errors: as `predictOnly`; DoesNotFit beyond the number of tasks that a check
/// looks at.
Result<RunReport> smallPrediction(const RunRequest& request, const Binding& binding, const RunContext& context) {
    CUBIST_TRY(const Estimate size, estimate(*request.design, binding, request.chip));
    if (size.tasks > kMostTasks)
        return unexpected(ErrorCode::DoesNotFit, std::to_string(size.tasks) + " tasks, a check predicts at most " +
                                                     std::to_string(kMostTasks));
    return predictOnly(request, context);
}

}  // namespace

WorkShare predictedShare(const ResolvedDesign& design, const Program& program, const Trace& trace) {
    WorkShare share;
    share.predicted = true;
    share.switches = StageGraph(design).switches();
    share.kernel = trace.microseconds(trace.kernel);
    for (const StageTiming& timing : trace.stages) {
        const ProgramStage& stage = program.stages[timing.stage.value];
        const bool cube = stage.kind == TaskKind::Aic;
        const double critical = trace.microseconds(timing.critical);
        (cube ? share.cube : share.vector) += critical;
        const std::int64_t cores = std::max<std::int64_t>(cube ? trace.usedAic : trace.usedAiv, 1);
        (cube ? share.cubeBusy : share.vectorBusy) += trace.microseconds(timing.busy) / static_cast<double>(cores);
        share.stages.emplace_back(stage.id, critical);
    }
    return share;
}

Result<Checklist> skeletonChecklist(const RunRequest& request, const RunReport* report) {
    CUBIST_TRY(const Binding binding, bindRequest(request));
    CUBIST_TRY(const ResolvedDesign resolved, resolve(*request.design, binding));
    std::optional<WorkShare> share;
    if (report != nullptr && report->program != nullptr && report->trace)
        share = predictedShare(resolved, *report->program, *report->trace);
    return evaluateChecklist(resolved, request.chip, share);
}

Result<Checklist> measuredChecklist(const RunRequest& request, const RunContext& context) {
    CUBIST_TRY(const Binding binding, bindRequest(request));
    const Result<RunReport> report = smallPrediction(request, binding, context);
    if (!report && report.error().code == ErrorCode::Cancelled) return unexpected(report.error());
    return skeletonChecklist(request, report ? &*report : nullptr);
}

Result<CheckedDesign> checkWithPrediction(const RunRequest& request, const RunContext& context) {
    CheckedDesign checked;
    CUBIST_TRY(checked.report, checkOnly(request, context));
    CUBIST_TRY(const Binding binding, bindRequest(request));
    Result<RunReport> predicted = smallPrediction(request, binding, context);
    if (!predicted && predicted.error().code == ErrorCode::Cancelled) return unexpected(predicted.error());
    CUBIST_TRY(checked.checklist, skeletonChecklist(request, predicted ? &*predicted : nullptr));
    if (!predicted)
        checked.unlooked = predicted.error().message;
    else if (!predicted->ran)
        checked.unlooked = "the design has errors";
    else
        checked.report.findings = std::move(predicted->findings);
    return checked;
}

bool addsNoFinding(const RunRequest& request, const Design& before, const Design& after) {
    const auto old = complaints(request, before), now = complaints(request, after);
    if (!now) return false;
    return !old || std::includes(old->begin(), old->end(), now->begin(), now->end());
}

Result<StartedDesign> startDesign(const RunRequest& request, const StartingTable& table, StartSource source,
                                  const Design* shipped, const RunContext& context) {
    StartRequest start;
    start.source = source;
    start.shipped = shipped;
    start.accept = [&request](const Design& before, const Design& after) {
        return addsNoFinding(request, before, after);
    };
    if (source != StartSource::Shipped) {
        CUBIST_TRY(start.cubeGroups, cubeGroups(request, context));
    }
    return applyStartingConfiguration(*request.design, table, start);
}

}  // namespace cubist
