// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/result_json.h"

#include <nlohmann/json.hpp>

#include "core/exchange/json_numbers.h"

namespace cubist {
namespace {

using Json = nlohmann::ordered_json;

std::string textOf(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json findingsJson(const std::vector<Finding>& findings) {
    Json list = Json::array();
    for (const Finding& finding : findings) {
        Json entry;
        entry["id"] = finding.ruleId;
        entry["severity"] = toText(finding.severity);
        entry["where"] = finding.where;
        entry["message"] = finding.message;
        if (!finding.pyptoCode.empty()) entry["pypto"] = finding.pyptoCode;
        list.push_back(std::move(entry));
    }
    return list;
}

Json headJson(const RunReport& report) {
    Json head;
    head["design"] = report.design;
    head["chip"] = report.chip.text;
    head["case"] = report.caseId.empty() ? Json() : Json(report.caseId.text);
    head["seed"] = report.seed;
    head["launch"] = "pypto";
    head["profile"] = toText(report.profile);
    head["findings"] = findingsJson(report.findings);
    return head;
}

Json outputJson(const OutputMetrics& output) {
    Json entry;
    entry["name"] = output.name;
    entry["dtype"] = toText(output.dtype);
    entry["shape"] = output.shape;
    entry["verdict"] = toText(output.verdict);
    entry["max_abs"] = resultNumber(output.maxAbs);
    entry["max_rel"] = resultNumber(output.maxRel);
    entry["mean_abs"] = resultNumber(output.meanAbs);
    entry["rmse"] = resultNumber(output.rmse);
    entry["max_ulp"] = resultNumber(output.maxUlp);
    entry["outside"] = output.outside;
    entry["cosine"] = resultNumber(output.cosine);
    return entry;
}

Json accuracyJson(const RunReport& report) {
    const AccuracyReport& accuracy = report.accuracy;
    Json json;
    json["verdict"] = toText(accuracy.verdict);
    json["criterion"] = toText(accuracy.criterion);
    json["sampled"] = accuracy.sampled ? Json(*accuracy.sampled) : Json();
    json["outputs"] = Json::array();
    for (const OutputMetrics& output : accuracy.outputs) json["outputs"].push_back(outputJson(output));
    json["stages"] = Json::array();
    for (const StageError& stage : report.stageErrors) {
        Json entry;
        entry["id"] = stage.id.text;
        entry["added"] = resultNumber(stage.added);
        entry["inherited"] = resultNumber(stage.inherited);
        json["stages"].push_back(std::move(entry));
    }
    return json;
}

Json stagesJson(const RunReport& report, const Trace& trace) {
    Json list = Json::array();
    for (const StageTiming& timing : trace.stages) {
        const ProgramStage& stage = report.program->stages[timing.stage.value];
        Json entry;
        entry["id"] = stage.id.text;
        entry["kind"] = stage.kind == TaskKind::Aic ? "C" : "V";
        entry["span_us"] = resultNumber(trace.microseconds(timing.span));
        entry["busy_us"] = resultNumber(trace.microseconds(timing.busy));
        entry["critical_us"] = resultNumber(trace.microseconds(timing.critical));
        entry["tasks"] = timing.tasks;
        list.push_back(std::move(entry));
    }
    return list;
}

Json timingJson(const RunReport& report) {
    if (!report.trace || !report.program) return {};
    const Trace& trace = *report.trace;
    Json json;
    json["kernel_us"] = resultNumber(trace.microseconds(trace.kernel));
    json["kernel_ticks"] = trace.kernel.value;
    json["end_to_end_us"] = resultNumber(trace.microseconds(trace.kernel));
    json["cycles"] = resultNumber(static_cast<double>(trace.kernel.value) / static_cast<double>(kTicksPerCycle));
    json["lanes"] = trace.lanes;
    json["bound"] = toText(trace.bound);
    json["confidence"] = toText(report.confidence);
    json["estimates"] = trace.estimates;
    json["stages"] = stagesJson(report, trace);
    json["pipes"] = Json::object();
    for (const PipeTiming& pipe : trace.pipes) {
        Json entry;
        entry["busy_us"] = resultNumber(trace.microseconds(pipe.busy));
        entry["wait_us"] = resultNumber(trace.microseconds(pipe.wait));
        json["pipes"][std::string(pipeName(pipe.pipe))] = std::move(entry);
    }
    json["causes_ticks"] = Json::object();
    for (const auto& [cause, text] : EnumTable<Cause>::entries)
        json["causes_ticks"][std::string(text)] = trace.causes[static_cast<std::size_t>(cause)].value;
    json["cores"]["aic"] = trace.aicCount;
    json["cores"]["aiv"] = trace.aivCount;
    json["cores"]["used"]["aic"] = trace.usedAic;
    json["cores"]["used"]["aiv"] = trace.usedAiv;
    json["bytes"]["hbm"] = trace.gmReadBytes + trace.gmWriteBytes;
    json["bytes"]["l2"] = trace.gmReadBytes + trace.gmWriteBytes;
    json["bytes"]["l1"] = trace.l1Bytes;
    json["flops"] = report.flops;
    json["utilisation"] = resultNumber(report.utilisation);
    return json;
}

Json hostJson(const HostReport& host) {
    Json json;
    json["values_s"] = resultNumber(host.valuesSeconds);
    json["golden_s"] = resultNumber(host.goldenSeconds);
    json["timing_s"] = resultNumber(host.timingSeconds);
    json["instructions"] = host.instructions;
    json["threads"] = host.threads;
    json["isa"] = toText(host.isa);
    return json;
}

}  // namespace

std::string resultJson(const RunReport& report, bool withHost) {
    Json json = headJson(report);
    json["accuracy"] = accuracyJson(report);
    json["timing"] = timingJson(report);
    if (withHost) json["host"] = hostJson(report.host);
    return textOf(json);
}

std::string checkJson(const RunReport& report) {
    return textOf(headJson(report));
}

}  // namespace cubist
