// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/report_content.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/exchange/finding_json.h"
#include "core/run/cast_modes.h"
#include "core/run/memory.h"
#include "core/timing/listeners/path_links.h"

namespace cubist {
namespace {

/// Four significant digits are what a person compares by eye (the JSON has nine); large numbers keep all their integer
/// digits.
std::string number(double value) {
    if (std::isnan(value)) return "nan";  // of either sign
    std::array<char, 40> text{};
    const bool large = std::abs(value) >= 1e4 && std::abs(value) < 1e9;
    const auto end = large
                         ? std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 0)
                         : std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 4);
    return {text.data(), end.ptr};
}

std::string percent(double part, double whole) {
    std::array<char, 40> text{};
    const double value = whole > 0 ? 100.0 * part / whole : 0.0;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, 1).ptr;
    return std::string(text.data(), end) + " %";
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string text;
    for (const std::int64_t extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
    return text;
}

std::string caseText(const RunReport& report) {
    std::string symbols;
    for (const auto& symbol : report.symbols.entries)
        symbols += (symbols.empty() ? "" : ", ") + symbol.key + " = " + std::to_string(symbol.value);
    for (const auto& list : report.lists.entries) {
        std::string values;
        for (const std::int64_t value : list.value) values += (values.empty() ? "" : ", ") + std::to_string(value);
        symbols += (symbols.empty() ? "" : ", ") + list.key + " = [" + values + "]";
    }
    if (report.caseId.empty()) return symbols;
    return "case " + report.caseId.text + (symbols.empty() ? "" : " (" + symbols + ")");
}

/// "allclose rtol 0.005 atol 0.05 (both by type BF16), ideal golden"
std::string limitsText(const OutputMetrics& output) {
    const Tolerance& limits = output.limits;
    std::string text(toText(limits.criterion));
    const bool asked = limits.criterion != Criterion::Exact && limits.criterion != Criterion::OrderBound &&
                       limits.criterion != Criterion::ThreeWay;
    if (asked) {
        text += " rtol " + number(limits.rtol.value_or(0.0)) + " atol " + number(limits.atol.value_or(0.0));
        const LimitsByType from = output.byType;
        if (from.rtol || from.atol)
            text += std::string(" (") +
                    (from.rtol && from.atol ? "both"
                     : from.rtol            ? "rtol"
                                            : "atol") +
                    " by type " + std::string(toText(output.dtype)) + ")";
    }
    if (!output.goldenFile.empty()) return text + ", golden from " + output.goldenFile;
    return text + ", " + std::string(toText(limits.golden)) + " golden";
}

ReportSection accuracySection(const RunReport& report) {
    const AccuracyReport& accuracy = report.accuracy;
    ReportSection section{"accuracy", std::string(toText(accuracy.verdict)), ReportTone::Plain, {}, {}};
    if (accuracy.verdict == Verdict::None) {
        section.headline =
            report.outputs.empty() ? "values not computed" : "values computed, not compared with a golden";
        return section;
    }
    section.tone = accuracy.verdict == Verdict::Pass ? ReportTone::Good : ReportTone::Bad;
    if (!accuracy.outputs.empty()) {
        section.headline += ", " + limitsText(accuracy.outputs.front());
        const bool alike = std::all_of(
            accuracy.outputs.begin(), accuracy.outputs.end(),
            [&](const OutputMetrics& output) { return limitsText(output) == limitsText(accuracy.outputs.front()); });
        if (!alike) {
            section.headline = std::string(toText(accuracy.verdict));
            for (const OutputMetrics& output : accuracy.outputs)
                section.notes.push_back(output.name + ": " + limitsText(output));
        }
    }
    if (accuracy.sampled) section.headline += ", " + std::to_string(*accuracy.sampled) + " elements sampled";

    ReportTable table{{{"output", false},
                       {"dtype", false},
                       {"shape", false},
                       {"verdict", false},
                       {"max abs", true},
                       {"max rel", true},
                       {"mean abs", true},
                       {"rmse", true},
                       {"max ulp", true},
                       {"outside", true},
                       {"cosine", true}},
                      {}};
    for (const OutputMetrics& output : accuracy.outputs)
        table.rows.push_back({output.name, std::string(toText(output.dtype)), shapeText(output.shape),
                              std::string(toText(output.verdict)), number(output.maxAbs), number(output.maxRel),
                              number(output.meanAbs), number(output.rmse), number(output.maxUlp),
                              std::to_string(output.outside), number(output.cosine)});
    section.tables.push_back(std::move(table));
    for (const OutputMetrics& output : accuracy.outputs) {
        if (!output.reason.empty())
            section.notes.push_back(output.name + " (" + std::string(toText(output.limits.criterion)) +
                                    "): " + output.reason);
        if (output.orderBound && output.limits.criterion != Criterion::OrderBound)
            section.notes.push_back(output.name + ": by the order of its sums alone an element may be off by " +
                                    "a bound; " + std::to_string(output.orderBound->outside) +
                                    " elements are beyond it, the largest error is " +
                                    number(output.orderBound->largestShare) + " of it");
    }
    return section;
}

ReportTable stageTable(const RunReport& report, const Trace& trace) {
    ReportTable table{{{"stage", false},
                       {"kind", false},
                       {"tasks", true},
                       {"span us", true},
                       {"busy us", true},
                       {"critical us", true}},
                      {}};
    for (const StageTiming& timing : trace.stages) {
        const ProgramStage& stage = report.program->stages[timing.stage.value];
        table.rows.push_back(
            {stage.label == stage.id.text || stage.label.empty() ? stage.id.text : stage.id.text + " " + stage.label,
             stage.kind == TaskKind::Aic ? "C" : "V", std::to_string(timing.tasks),
             number(trace.microseconds(timing.span)), number(trace.microseconds(timing.busy)),
             number(trace.microseconds(timing.critical))});
    }
    return table;
}

ReportTable pipeTable(const Trace& trace) {
    ReportTable table{{{"pipe", false}, {"busy us", true}, {"wait us", true}, {"busy of lanes used", true}}, {}};
    for (const PipeTiming& pipe : trace.pipes) {
        if (pipe.busy.value == 0 && pipe.wait.value == 0) continue;
        const bool vector = pipe.pipe == Pipe::V || pipe.pipe == Pipe::MTE3;
        const bool shared = pipe.pipe == Pipe::S || pipe.pipe == Pipe::MTE2;
        const std::int64_t cores = shared ? trace.usedAic + trace.usedAiv : vector ? trace.usedAiv : trace.usedAic;
        table.rows.push_back({std::string(pipeName(pipe.pipe)), number(trace.microseconds(pipe.busy)),
                              number(trace.microseconds(pipe.wait)),
                              percent(static_cast<double>(pipe.busy.value),
                                      static_cast<double>(trace.kernel.value) * static_cast<double>(cores))});
    }
    return table;
}

/// Negative gains stay: more of something can make a list schedule longer.
ReportTable whatIfTable(const RunReport& report, const Trace& trace) {
    ReportTable table{{{"what if", false}, {"kernel us", true}, {"end to end us", true}, {"gain us", true}}, {}};
    for (const WhatIf& entry : report.whatIf)
        table.rows.push_back({entry.change + (entry.gain < Ticks() ? " (slower: an anomaly of list scheduling)" : ""),
                              number(trace.microseconds(entry.kernel)), number(trace.microseconds(entry.endToEnd)),
                              number(trace.microseconds(entry.gain))});
    return table;
}

/// What the executed critical path is made of.
std::string pathText(const Trace& trace) {
    constexpr std::array kKinds{
        std::pair{CriticalStep::Kind::Task, "tasks"}, std::pair{CriticalStep::Kind::Dispatch, "dispatch"},
        std::pair{CriticalStep::Kind::Resolve, "resolve"}, std::pair{CriticalStep::Kind::Stitch, "stitch"},
        std::pair{CriticalStep::Kind::Submit, "submit"}};
    std::string text = std::to_string(trace.criticalPath.size()) + " steps";
    for (const auto& [kind, name] : kKinds) {
        Ticks sum;
        for (const CriticalStep& step : trace.criticalPath)
            if (step.kind == kind) sum += step.end - step.start;
        if (sum > Ticks()) text += std::string(", ") + name + " " + number(trace.microseconds(sum)) + " us";
    }
    return text;
}

/// The longest links, in time order.
ReportTable pathTable(const RunReport& report, const Trace& trace) {
    constexpr std::size_t kMost = 8;
    std::vector<PathLink> links = pathLinks(*report.program, trace);
    const std::size_t all = links.size();
    if (all > kMost) {
        std::ranges::stable_sort(links, std::ranges::greater(),
                                 [](const PathLink& link) { return link.step.end - link.step.start; });
        links.resize(kMost);
        std::ranges::stable_sort(links, {}, [](const PathLink& link) { return link.step.start; });
    }
    ReportTable table{{{"critical path" + (all > kMost ? ", longest of " + std::to_string(all) : std::string()), false},
                       {"stage", false},
                       {"core", false},
                       {"start us", true},
                       {"end us", true},
                       {"because", false}},
                      {}};
    for (const PathLink& link : links)
        table.rows.push_back(
            {std::string(linkName(link.step.kind)) + " " + std::to_string(link.step.task.value),
             report.program->stages[link.stage.value].id.text,
             link.core ? (link.core->kind == TaskKind::Aic ? "AIC " : "AIV ") + std::to_string(link.core->index)
                       : std::string(),
             number(trace.microseconds(link.step.start)), number(trace.microseconds(link.step.end)),
             becauseText(link)});
    return table;
}

ReportSection timeSection(const RunReport& report) {
    ReportSection section{"time", {}, ReportTone::Plain, {}, {}};
    if (!report.trace || !report.program) {
        section.headline = "not predicted";
        return section;
    }
    const Trace& trace = *report.trace;
    section.headline =
        number(trace.microseconds(trace.kernel)) +
        " us = " + number(static_cast<double>(trace.kernel.value) / static_cast<double>(kTicksPerCycle)) +
        " cycles, bound by " + std::string(trace.kernel > Ticks() ? toText(trace.bound) : "nothing: no task runs") +
        " (emulated, confidence " + std::string(toText(report.confidence)) + ")";
    section.tables = {stageTable(report, trace), pipeTable(trace), pathTable(report, trace)};
    if (!report.whatIf.empty()) section.tables.push_back(whatIfTable(report, trace));

    section.notes.push_back(
        "end to end: " + number(trace.microseconds(trace.endToEnd)) + " us, " +
        number(trace.microseconds(trace.endToEnd - trace.kernel)) + " us of it before the kernel (" +
        (report.launch == LaunchProfile::Pypto ? std::string("launch, start of the AICPUs by F-26") +
                                                     (trace.endToEndEstimates.empty() ? "" : ", which is an estimate") +
                                                     ", building the first device task)"
                                               : std::string("launch)")));
    section.notes.push_back("critical path: " + pathText(trace));
    section.notes.push_back("cores used: " + std::to_string(trace.usedAic) + " of " + std::to_string(trace.aicCount) +
                            " AIC, " + std::to_string(trace.usedAiv) + " of " + std::to_string(trace.aivCount) +
                            " AIV; cube utilisation " + percent(report.utilisation, 1.0));
    section.notes.push_back("moved: " + sizeText(trace.gmReadBytes) + " from and " + sizeText(trace.gmWriteBytes) +
                            " to global memory, " + sizeText(trace.l1Bytes) + " out of L1");
    std::string causes;
    const double all = static_cast<double>(trace.kernel.value) * static_cast<double>(trace.lanes);
    for (const auto& [cause, text] : EnumTable<Cause>::entries) {
        const std::int64_t ticks = trace.causes[static_cast<std::size_t>(cause)].value;
        if (ticks == 0) continue;
        causes += (causes.empty() ? "" : ", ") + std::string(text) + " " + percent(static_cast<double>(ticks), all);
    }
    section.notes.push_back("all " + std::to_string(trace.lanes) + " lanes: " + causes);
    if (!trace.estimates.empty()) {
        std::string names;
        for (const std::string& name : trace.estimates) names += (names.empty() ? "" : ", ") + name;
        section.notes.push_back("estimated constants on the critical path: " + names);
    }
    return section;
}

ReportSection findingsSection(const RunReport& report) {
    ReportSection section{"findings", "none", ReportTone::Good, {}, {}};
    if (report.findings.empty()) return section;
    std::array<std::int64_t, 3> counts{};
    ReportTable table{{{"severity", false}, {"rule", false}, {"PyPTO", false}, {"where", false}, {"message", false}},
                      {}};
    for (const Finding& finding : report.findings) {
        ++counts[static_cast<std::size_t>(finding.severity)];
        table.rows.push_back({std::string(toText(finding.severity)), finding.ruleId, compilerText(finding),
                              finding.where, finding.message});
        for (const std::string& fix : fixTexts(finding))
            section.notes.push_back("fix " + finding.ruleId + " at " + finding.where + ": " + fix);
    }
    section.headline.clear();
    for (const auto& [severity, text] : EnumTable<Severity>::entries) {
        const std::int64_t count = counts[static_cast<std::size_t>(severity)];
        if (count == 0) continue;
        section.headline += (section.headline.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(text) +
                            (count == 1 ? "" : "s");
    }
    section.tone = counts[0] > 0 ? ReportTone::Bad : counts[1] > 0 ? ReportTone::Warning : ReportTone::Plain;
    section.tables.push_back(std::move(table));
    return section;
}

/// Casts that do not just round to the nearest: "q trunc, saturating; s floor".
std::string castText(const RunReport& report) {
    std::string text;
    const Dictionary<std::string> modes = castModesOf(report);
    for (const auto& mode : modes.entries)
        if (mode.value != toText(RoundMode::Rint)) text += (text.empty() ? "" : "; ") + mode.key + " " + mode.value;
    return text;
}

}  // namespace

ReportContent reportContent(const RunRequest& request, const RunReport& report) {
    const Design& design = *request.design;
    ReportContent content;
    content.title = design.title.empty() ? report.design : report.design + ": " + design.title;
    content.lines.push_back("chip " + report.chip.text + ", launch " + std::string(toText(report.launch)) +
                            (report.launch == LaunchProfile::Bare ? " (" + orderText(report.order) + ")" : "") +
                            ", profile " + std::string(toText(report.profile)));
    std::string modes;
    for (const auto& mode : report.fp32Modes.entries)
        if (mode.value != toText(Fp32Mode::Ieee)) modes += (modes.empty() ? "" : ", ") + mode.key + " " + mode.value;
    if (!modes.empty()) content.lines.push_back("FP32 matmuls rounded first: " + modes);
    if (const std::string casts = castText(report); !casts.empty()) content.lines.push_back("casts: " + casts);
    std::string input = caseText(report);
    content.lines.push_back(input + (input.empty() ? "" : ", ") + "seed " + std::to_string(report.seed));
    if (report.ran) {
        content.sections.push_back(accuracySection(report));
        content.sections.push_back(timeSection(report));
    }
    content.sections.push_back(findingsSection(report));
    return content;
}

}  // namespace cubist
