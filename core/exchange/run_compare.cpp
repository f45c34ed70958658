// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/run_compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/exchange/json_text.h"
#include "core/exchange/result_values.h"

namespace cubist {
namespace {

std::vector<TimeChange> changesOf(const std::vector<std::pair<std::string, double>>& before,
                                  const std::vector<std::pair<std::string, double>>& after) {
    std::vector<TimeChange> changes;
    for (const auto& [name, time] : before) changes.push_back({name, time, std::nullopt});
    for (const auto& [name, time] : after) {
        const auto known = std::find_if(changes.begin(), changes.end(), [&, &wanted = name](const TimeChange& change) {
            return change.name == wanted;
        });
        if (known != changes.end())
            known->after = time;
        else
            changes.push_back({name, std::nullopt, time});
    }
    return changes;
}

template <class List>
std::vector<std::pair<std::string, double>> busyTimes(const List& list) {
    std::vector<std::pair<std::string, double>> times;
    for (const auto& entry : list) {
        if constexpr (requires { entry.id; })
            times.emplace_back(entry.id, entry.busyUs);
        else
            times.emplace_back(entry.name, entry.busyUs);
    }
    return times;
}

std::vector<OutputChange> outputChanges(const RunSummary& before, const RunSummary& after) {
    std::vector<OutputChange> changes;
    for (const OutputSummary& output : before.outputs) changes.push_back({output.name, output, std::nullopt});
    for (const OutputSummary& output : after.outputs) {
        const auto known = std::find_if(changes.begin(), changes.end(),
                                        [&](const OutputChange& change) { return change.name == output.name; });
        if (known != changes.end())
            known->after = output;
        else
            changes.push_back({output.name, std::nullopt, output});
    }
    return changes;
}

/// Symbols, shapes, tiles, options: what is in one run only has no text in the other. When nothing but the design's
/// hash differs, something does that is not listed (operations, views, data).
void compareSettings(const std::vector<RunSetting>& before, const std::vector<RunSetting>& after,
                     std::vector<RunDifference>& differences) {
    const auto textIn = [](const std::vector<RunSetting>& settings, const std::string& path) {
        const auto at = std::ranges::find(settings, path, &RunSetting::path);
        return at == settings.end() ? std::string() : at->text;
    };
    const std::size_t first = differences.size();
    const std::string before12 = textIn(before, kDesignHash).substr(0, 12);
    const std::string after12 = textIn(after, kDesignHash).substr(0, 12);
    for (const RunSetting& setting : before) {
        const std::string other = textIn(after, setting.path);
        if (setting.path != kDesignHash && other != setting.text)
            differences.push_back({setting.path, setting.text, other});
    }
    for (const RunSetting& setting : after)
        if (setting.path != kDesignHash && std::ranges::find(before, setting.path, &RunSetting::path) == before.end())
            differences.push_back({setting.path, "", setting.text});
    if (differences.size() == first && before12 != after12)
        differences.push_back({"operations, views or data of the design (hash)", before12, after12});
}

/// Lists of values can be long.
std::string shortText(const std::string& text) {
    constexpr std::size_t kMost = 40;
    if (text.empty()) return "-";
    return text.size() <= kMost ? text : text.substr(0, kMost - 3) + "...";
}

std::string percentText(std::optional<double> percent) {
    if (!percent) return "";
    const std::string sign = *percent < 0 ? "-" : "+";
    const double size = std::floor(std::fabs(*percent) * 10 + 0.5) / 10;
    std::string text = numberText(size);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return sign + text + " %";
}

std::string timeText(std::optional<double> microseconds) {
    return microseconds ? resultValue(std::floor(*microseconds * 1000 + 0.5) / 1000).text + " us" : "-";
}

using Row = std::array<std::string, 4>;

std::string tableText(const std::vector<Row>& rows) {
    std::array<std::size_t, 4> widths{};
    for (const Row& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (const Row& row : rows) {
        std::string line = "  " + row[0] + std::string(widths[0] - row[0].size(), ' ');
        for (std::size_t i = 1; i < row.size(); ++i)
            line += "  " + std::string(widths[i] - row[i].size(), ' ') + row[i];
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

Row timeRow(const std::string& name, const TimeChange& change) {
    return {name, timeText(change.before), timeText(change.after), percentText(change.percent())};
}

std::string errorText(const std::optional<OutputSummary>& output) {
    return output ? output->verdict + ", max abs " + resultValue(output->maxAbs).text : "-";
}

JsonValue timeJson(const TimeChange& change) {
    JsonValue json = JsonValue::object();
    if (!change.name.empty()) put(json, "id", change.name);
    put(json, "a", change.before ? resultValue(*change.before) : JsonValue());
    put(json, "b", change.after ? resultValue(*change.after) : JsonValue());
    put(json, "change_pct", change.percent() ? resultValue(*change.percent()) : JsonValue());
    return json;
}

JsonValue timesJson(const std::vector<TimeChange>& changes) {
    JsonValue list = JsonValue::array();
    for (const TimeChange& change : changes) list.push(timeJson(change));
    return list;
}

JsonValue outputJson(const std::optional<OutputSummary>& output) {
    if (!output) return {};
    JsonValue json = JsonValue::object();
    put(json, "verdict", output->verdict);
    put(json, "max_abs", output->maxAbs);
    put(json, "max_rel", output->maxRel);
    put(json, "rmse", output->rmse);
    put(json, "outside", output->outside);
    return json;
}

std::string xmlText(const std::string& text) {
    std::string xml;
    for (const char c : text) {
        if (c == '&')
            xml += "&amp;";
        else if (c == '<')
            xml += "&lt;";
        else if (c == '>')
            xml += "&gt;";
        else if (c == '"')
            xml += "&quot;";
        else
            xml += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return xml;
}

std::string testCase(const std::string& group, const std::string& name, const std::string& failure) {
    const std::string head = "  <testcase classname=\"" + xmlText(group) + "\" name=\"" + xmlText(name) + "\"";
    if (failure.empty()) return head + "/>\n";
    return head + ">\n    <failure message=\"" + xmlText(failure) + "\"/>\n  </testcase>\n";
}

}  // namespace

std::optional<double> TimeChange::percent() const {
    if (!before || !after || !(*before > 0)) return std::nullopt;
    return (*after / *before - 1) * 100;
}

Result<RunComparison> compareRuns(RunSummary before, RunSummary after, std::optional<double> maxSlowerPercent) {
    RunComparison result;
    const auto compare = [&](const char* what, const std::string& a, const std::string& b) {
        if (a != b) result.differences.push_back({what, a, b});
    };
    compare("design", before.design, after.design);
    compare("chip", before.chip, after.chip);
    compare("case", before.caseName, after.caseName);
    compare("seed", std::to_string(before.seed), std::to_string(after.seed));
    compare("launch", before.launch, after.launch);
    compare("profile", before.profile, after.profile);
    compare("criterion", before.criterion, after.criterion);
    result.settingsKnown = before.settings.has_value() && after.settings.has_value();
    if (result.settingsKnown) compareSettings(*before.settings, *after.settings, result.differences);
    compare("errors", std::to_string(before.errors), std::to_string(after.errors));
    compare("warnings", std::to_string(before.warnings), std::to_string(after.warnings));
    const TimingSummary none;
    const TimingSummary& a = before.timing ? *before.timing : none;
    const TimingSummary& b = after.timing ? *after.timing : none;
    compare("bound", a.bound, b.bound);
    if (before.timing) {
        result.kernel.before = a.kernelUs;
        result.endToEnd.before = a.endToEndUs;
    }
    if (after.timing) {
        result.kernel.after = b.kernelUs;
        result.endToEnd.after = b.endToEndUs;
    }
    result.stages = changesOf(busyTimes(a.stages), busyTimes(b.stages));
    result.pipes = changesOf(busyTimes(a.pipes), busyTimes(b.pipes));
    result.outputs = outputChanges(before, after);
    result.maxSlowerPercent = maxSlowerPercent;
    if (maxSlowerPercent) {
        if (!result.kernel.before || !result.kernel.after)
            return unexpected(ErrorCode::BadValue, std::string("the ") + (result.kernel.before ? "second" : "first") +
                                                       " run has no time to compare");
        result.tooSlow = *result.kernel.after > *result.kernel.before * (1 + *maxSlowerPercent / 100);
    }
    result.verdictLost = before.verdict != "fail" && after.verdict == "fail";
    result.before = std::move(before);
    result.after = std::move(after);
    return result;
}

std::string slowdownText(const RunComparison& comparison) {
    return "the kernel takes " + timeText(comparison.kernel.after) + ", before " + timeText(comparison.kernel.before) +
           ": " + percentText(comparison.kernel.percent()) + ", allowed are +" +
           numberText(*comparison.maxSlowerPercent) + " %";
}

std::string comparisonText(const RunComparison& comparison) {
    std::string text;
    std::vector<Row> rows;
    for (const RunDifference& difference : comparison.differences)
        rows.push_back({difference.what, shortText(difference.before), shortText(difference.after), ""});
    if (!rows.empty())
        text += "differences\n" + tableText(rows);
    else if (comparison.settingsKnown)
        text += "same design, shapes, tiles, options, chip, case, seed and launch\n";
    if (!comparison.settingsKnown)
        text += "a file of an earlier version holds no shapes, tiles and options: they may differ\n";
    rows = {timeRow("kernel", comparison.kernel), timeRow("end to end", comparison.endToEnd)};
    for (const TimeChange& stage : comparison.stages) rows.push_back(timeRow("stage " + stage.name, stage));
    for (const TimeChange& pipe : comparison.pipes) rows.push_back(timeRow("pipe " + pipe.name, pipe));
    text += "time (stages and pipes: busy, over all cores)\n" + tableText(rows);
    rows = {{"verdict", comparison.before.verdict, comparison.after.verdict, ""}};
    for (const OutputChange& output : comparison.outputs)
        rows.push_back({output.name, errorText(output.before), errorText(output.after), ""});
    text += "accuracy\n" + tableText(rows);
    return text;
}

std::string comparisonJson(const RunComparison& comparison) {
    JsonValue json = JsonValue::object();
    JsonValue& differences = put(json, "differences", JsonValue::array());
    for (const RunDifference& difference : comparison.differences) {
        JsonValue& entry = differences.push(JsonValue::object());
        put(entry, "what", difference.what);
        put(entry, "a", difference.before);
        put(entry, "b", difference.after);
    }
    JsonValue& timing = put(json, "timing", JsonValue::object());
    put(timing, "kernel_us", timeJson(comparison.kernel));
    put(timing, "end_to_end_us", timeJson(comparison.endToEnd));
    put(timing, "stages", timesJson(comparison.stages));
    put(timing, "pipes", timesJson(comparison.pipes));
    JsonValue& accuracy = put(json, "accuracy", JsonValue::object());
    put(accuracy, "a", comparison.before.verdict);
    put(accuracy, "b", comparison.after.verdict);
    JsonValue& outputs = put(accuracy, "outputs", JsonValue::array());
    for (const OutputChange& output : comparison.outputs) {
        JsonValue& entry = outputs.push(JsonValue::object());
        put(entry, "name", output.name);
        put(entry, "a", outputJson(output.before));
        put(entry, "b", outputJson(output.after));
    }
    put(json, "max_slower_pct", comparison.maxSlowerPercent ? resultValue(*comparison.maxSlowerPercent) : JsonValue());
    put(json, "too_slow", comparison.tooSlow);
    put(json, "verdict_lost", comparison.verdictLost);
    put(json, "verdict", comparison.failed() ? "fail" : "pass");
    return prettyJson(json);
}

std::string comparisonJunit(const RunComparison& comparison) {
    const std::string group = "cubist." + comparison.after.design;
    std::string cases = testCase(group, "kernel time", comparison.tooSlow ? slowdownText(comparison) : "");
    std::size_t count = 1, failures = comparison.tooSlow ? 1 : 0;
    for (const OutputChange& output : comparison.outputs) {
        const bool lost =
            output.after && output.after->verdict == "fail" && (!output.before || output.before->verdict != "fail");
        ++count;
        failures += lost ? 1 : 0;
        cases += testCase(
            group, "accuracy of " + output.name,
            lost ? "verdict fail: " + std::to_string(output.after->outside) + " elements beyond tolerance" : "");
    }
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"cubist-cli compare\" tests=\"" +
           std::to_string(count) + "\" failures=\"" + std::to_string(failures) + "\">\n" + cases + "</testsuite>\n";
}

}  // namespace cubist
