// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/result_json.h"

#include <utility>

#include "core/exchange/finding_json.h"
#include "core/exchange/json_text.h"
#include "core/exchange/json_value.h"
#include "core/exchange/result_values.h"
#include "core/exchange/run_settings.h"
#include "core/exchange/skeleton_json.h"
#include "core/run/cast_modes.h"
#include "core/timing/listeners/cause_sums.h"
#include "core/timing/listeners/path_links.h"

namespace cubist {
namespace {

JsonValue findingsJson(const std::vector<Finding>& findings) {
    JsonValue list = JsonValue::array();
    for (const Finding& finding : findings) list.push(findingJson(finding));
    return list;
}

JsonValue headJson(const RunReport& report) {
    JsonValue head = JsonValue::object();
    put(head, "design", report.design);
    put(head, "chip", report.chip.text);
    put(head, "case", report.caseId.empty() ? JsonValue() : JsonValue::fromString(report.caseId.text));
    put(head, "seed", report.seed);
    put(head, "launch", toText(report.launch));
    JsonValue& modes = put(head, "fp32_modes", JsonValue::object());
    for (const auto& mode : report.fp32Modes.entries) put(modes, mode.key, mode.value);
    JsonValue& casts = put(head, "cast_modes", JsonValue::object());
    const Dictionary<std::string> castModes = castModesOf(report);
    for (const auto& mode : castModes.entries) put(casts, mode.key, mode.value);
    put(head, "profile", toText(report.profile));
    put(head, "settings", settingsJson(report));
    put(head, "findings", findingsJson(report.findings));
    return head;
}

JsonValue outputJson(const OutputMetrics& output) {
    JsonValue entry = JsonValue::object();
    put(entry, "name", output.name);
    put(entry, "dtype", toText(output.dtype));
    put(entry, "shape", output.shape);
    put(entry, "verdict", toText(output.verdict));
    put(entry, "max_abs", output.maxAbs);
    put(entry, "max_rel", output.maxRel);
    put(entry, "mean_abs", output.meanAbs);
    put(entry, "rmse", output.rmse);
    put(entry, "max_ulp", output.maxUlp);
    put(entry, "outside", output.outside);
    put(entry, "cosine", output.cosine);
    put(entry, "criterion", toText(output.limits.criterion));
    put(entry, "rtol", output.limits.rtol.value_or(0.0));
    put(entry, "atol", output.limits.atol.value_or(0.0));
    put(entry, "rtol_from", output.byType.rtol ? "dtype" : "design");
    put(entry, "atol_from", output.byType.atol ? "dtype" : "design");
    put(entry, "golden", output.goldenFile.empty() ? toText(output.limits.golden) : std::string_view("file"));
    if (!output.goldenFile.empty()) put(entry, "golden_file", output.goldenFile);
    put(entry, "allowed", output.allowed);
    put(entry, "nan", output.nanCount);
    put(entry, "inf", output.infCount);
    if (!output.reason.empty()) put(entry, "reason", output.reason);
    if (output.threeWay) {
        JsonValue& ratios = put(entry, "three_way", JsonValue::object());
        put(ratios, "mare", output.threeWay->mare);
        put(ratios, "mere", output.threeWay->mere);
        put(ratios, "rmse", output.threeWay->rmse);
        put(ratios, "small_errors", output.threeWay->smallErrors);
    }
    if (output.orderBound) {
        JsonValue& bound = put(entry, "order_bound", JsonValue::object());
        put(bound, "verdict", toText(output.orderBound->verdict));
        put(bound, "outside", output.orderBound->outside);
        put(bound, "largest_share", output.orderBound->largestShare);
    }
    return entry;
}

JsonValue accuracyJson(const RunReport& report) {
    const AccuracyReport& accuracy = report.accuracy;
    JsonValue json = JsonValue::object();
    put(json, "verdict", toText(accuracy.verdict));
    put(json, "criterion", toText(accuracy.criterion));
    put(json, "sampled", accuracy.sampled ? JsonValue::fromInteger(*accuracy.sampled) : JsonValue());
    JsonValue& outputs = put(json, "outputs", JsonValue::array());
    for (const OutputMetrics& output : accuracy.outputs) outputs.push(outputJson(output));
    JsonValue& stages = put(json, "stages", JsonValue::array());
    for (const StageError& stage : report.stageErrors) {
        JsonValue& entry = stages.push(JsonValue::object());
        put(entry, "id", stage.id.text);
        put(entry, "added", stage.added);
        put(entry, "inherited", stage.inherited);
    }
    return json;
}

JsonValue causesJson(const CauseTicks& ticks) {
    JsonValue json = JsonValue::object();
    for (const auto& [cause, text] : EnumTable<Cause>::entries)
        put(json, text, ticks[static_cast<std::size_t>(cause)].value);
    return json;
}

/// One entry per core that ran a task.
JsonValue coreCausesJson(const Trace& trace, const CauseSums& sums) {
    JsonValue list = JsonValue::array();
    const auto aic = static_cast<std::size_t>(trace.aicCount);
    for (std::size_t i = 0; i < sums.cores.size(); ++i) {
        if (sums.cores[i][static_cast<std::size_t>(Cause::NoTask)] > Ticks()) continue;
        JsonValue entry = JsonValue::object();
        put(entry, "kind", i < aic ? "aic" : "aiv");
        put(entry, "index", static_cast<std::int64_t>(i < aic ? i : i - aic));
        put(entry, "causes_ticks", causesJson(sums.cores[i]));
        list.push(std::move(entry));
    }
    return list;
}

JsonValue stagesJson(const RunReport& report, const Trace& trace, const CauseSums& sums) {
    JsonValue list = JsonValue::array();
    for (const StageTiming& timing : trace.stages) {
        const ProgramStage& stage = report.program->stages[timing.stage.value];
        JsonValue entry = JsonValue::object();
        put(entry, "id", stage.id.text);
        put(entry, "kind", stage.kind == TaskKind::Aic ? "C" : "V");
        put(entry, "span_us", trace.microseconds(timing.span));
        put(entry, "busy_us", trace.microseconds(timing.busy));
        put(entry, "critical_us", trace.microseconds(timing.critical));
        put(entry, "tasks", timing.tasks);
        if (!sums.stages.empty()) put(entry, "causes_ticks", causesJson(sums.stages[timing.stage.value]));
        list.push(std::move(entry));
    }
    return list;
}

JsonValue pipesJson(const Trace& trace) {
    JsonValue json = JsonValue::object();
    for (const PipeTiming& pipe : trace.pipes) {
        JsonValue& entry = put(json, pipeName(pipe.pipe), JsonValue::object());
        put(entry, "busy_us", trace.microseconds(pipe.busy));
        put(entry, "wait_us", trace.microseconds(pipe.wait));
    }
    return json;
}

/// The path can be as long as the program has tasks: the last links are those that the kernel's end hangs on.
JsonValue pathJson(const Program& program, const Trace& trace) {
    const std::vector<PathLink> links = pathLinks(program, trace);
    const std::size_t left = links.size() > kMostPathLinks ? links.size() - kMostPathLinks : 0;
    JsonValue json = JsonValue::object();
    put(json, "steps", static_cast<std::int64_t>(links.size()));
    put(json, "left_out", static_cast<std::int64_t>(left));
    JsonValue& list = put(json, "links", JsonValue::array());
    for (std::size_t i = left; i < links.size(); ++i) {
        const PathLink& link = links[i];
        JsonValue& item = list.push(JsonValue::object());
        put(item, "kind", linkName(link.step.kind));
        put(item, "task", static_cast<std::int64_t>(link.step.task.value));
        put(item, "stage", program.stages[link.stage.value].id.text);
        if (link.core)
            put(item, "core",
                std::string(link.core->kind == TaskKind::Aic ? "AIC " : "AIV ") + std::to_string(link.core->index));
        put(item, "start_us", trace.microseconds(link.step.start));
        put(item, "end_us", trace.microseconds(link.step.end));
        put(item, "start_ticks", link.step.start.value);
        put(item, "end_ticks", link.step.end.value);
        put(item, "because", toText(link.because));
        if (link.subject) put(item, "subject", static_cast<std::int64_t>(link.subject->value));
    }
    return json;
}

JsonValue timingJson(const RunReport& report) {
    if (!report.trace || !report.program) return {};
    const Trace& trace = *report.trace;
    JsonValue json = JsonValue::object();
    put(json, "kernel_us", trace.microseconds(trace.kernel));
    put(json, "kernel_ticks", trace.kernel.value);
    put(json, "end_to_end_us", trace.microseconds(trace.endToEnd));
    put(json, "cycles", static_cast<double>(trace.kernel.value) / static_cast<double>(kTicksPerCycle));
    put(json, "lanes", trace.lanes);
    put(json, "bound", trace.kernel > Ticks() ? toText(trace.bound) : std::string_view("nothing"));
    put(json, "confidence", toText(report.confidence));
    put(json, "estimates", trace.estimates);
    // Of the kernel those above; before it also this one. Source: F-26.
    if (report.launch == LaunchProfile::Pypto) put(json, "end_to_end_estimates", trace.endToEndEstimates);
    const CauseSums sums = causeSums(*report.program, trace);
    put(json, "stages", stagesJson(report, trace, sums));
    put(json, "pipes", pipesJson(trace));
    put(json, "critical_path", pathJson(*report.program, trace));
    put(json, "causes_ticks", causesJson(trace.causes));
    if (!sums.cores.empty()) put(json, "core_causes", coreCausesJson(trace, sums));
    JsonValue& cores = put(json, "cores", JsonValue::object());
    put(cores, "aic", trace.aicCount);
    put(cores, "aiv", trace.aivCount);
    JsonValue& used = put(cores, "used", JsonValue::object());
    put(used, "aic", trace.usedAic);
    put(used, "aiv", trace.usedAiv);
    JsonValue& bytes = put(json, "bytes", JsonValue::object());
    put(bytes, "hbm", trace.hbmBytes);
    put(bytes, "l2", trace.gmReadBytes + trace.gmWriteBytes);
    put(bytes, "l1", trace.l1Bytes);
    put(json, "flops", report.flops);
    put(json, "utilisation", report.utilisation);
    if (report.whatIf.empty()) return json;
    JsonValue& list = put(json, "what_if", JsonValue::array());
    for (const WhatIf& entry : report.whatIf) {
        JsonValue& item = list.push(JsonValue::object());
        put(item, "id", entry.id);
        put(item, "change", entry.change);
        put(item, "kernel_us", trace.microseconds(entry.kernel));
        put(item, "end_to_end_us", trace.microseconds(entry.endToEnd));
        put(item, "gain_us", trace.microseconds(entry.gain));
    }
    return json;
}

JsonValue hostJson(const HostReport& host) {
    JsonValue json = JsonValue::object();
    put(json, "values_s", host.valuesSeconds);
    put(json, "golden_s", host.goldenSeconds);
    put(json, "timing_s", host.timingSeconds);
    put(json, "trials_s", host.trialsSeconds);
    put(json, "what_if_s", host.whatIfSeconds);
    put(json, "instructions", host.instructions);
    put(json, "threads", host.threads);
    put(json, "isa", toText(host.isa));
    return json;
}

}  // namespace

std::string resultJson(const RunReport& report, bool withHost, const TraceOverlay* overlay,
                       const Checklist* checklist) {
    JsonValue json = headJson(report);
    put(json, "accuracy", accuracyJson(report));
    put(json, "timing", timingJson(report));
    if (overlay != nullptr) put(json, "measured", overlayJson(*report.program, *overlay));
    if (checklist != nullptr) put(json, "skeleton", checklistJson(*checklist));
    if (withHost) put(json, "host", hostJson(report.host));
    return prettyJson(json);
}

}  // namespace cubist
