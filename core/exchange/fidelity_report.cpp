// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <charconv>
#include <system_error>

#include "core/base/elementary.h"
#include "core/exchange/fidelity.h"
#include "core/exchange/json_text.h"
#include "core/exchange/json_value.h"
#include "core/exchange/result_values.h"

namespace cubist {
namespace {

JsonValue summaryJson(const FidelitySummary& summary) {
    JsonValue json = JsonValue::object();
    put(json, "n", summary.n);
    put(json, "median", summary.median);
    put(json, "p90", summary.p90);
    put(json, "p90_nearest_rank", summary.p90Rank);
    put(json, "pairs", summary.pairs);
    put(json, "pairs_right", summary.pairsRight);
    put(json, "all_pairs", summary.allPairs);
    put(json, "all_pairs_right", summary.allPairsRight);
    return json;
}

std::string fixed(double value, int decimals) {
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals);
    return end.ec == std::errc() ? std::string(text.data(), end.ptr) : "inf";
}

std::string padded(const std::string& text, std::size_t width, bool right = true) {
    const std::string blanks(text.size() < width ? width - text.size() : 0, ' ');
    return right ? blanks + text : text + blanks;
}

/// "+3.1 %" of a logarithm.
std::string percent(double logarithm) {
    const double value = 100.0 * (elementary::exp(logarithm) - 1.0);
    return (value < 0 ? "" : "+") + fixed(value, 1) + " %";
}

double errorOf(double predicted, double measured) {
    return elementary::log(predicted / measured);
}

std::string summaryRow(const std::string& what, const std::string& op, const FidelitySummary& s) {
    return "| " + what + " | " + op + " | " + std::to_string(s.n) + " | " + fixed(100 * s.median, 1) + " % | " +
           fixed(100 * s.p90, 1) + " % | " + fixed(100 * s.p90Rank, 1) + " % | " + std::to_string(s.pairsRight) +
           " of " + std::to_string(s.pairs) + " | " + std::to_string(s.allPairsRight) + " of " +
           std::to_string(s.allPairs) + " |\n";
}

}  // namespace

std::string fidelityJson(const FidelityReport& report) {
    JsonValue json = JsonValue::object();
    JsonValue& cases = put(json, "cases", JsonValue::array());
    for (const FidelityResult& result : report.cases) {
        JsonValue& entry = cases.push(JsonValue::object());
        const auto& predicted = result.predictedMicroseconds;
        put(entry, "id", result.measured.id);
        put(entry, "quantity", result.measured.quantityText);
        put(entry, "measured_us", result.measured.measuredMicroseconds);
        put(entry, "predicted_us", predicted ? resultValue(*predicted) : JsonValue());
        put(entry, "ln_error",
            predicted ? resultValue(elementary::log(*predicted / result.measured.measuredMicroseconds)) : JsonValue());
        put(entry, "assumed", result.measured.assumed);
        put(entry, "lowered", result.lowered);
        put(entry, "reason", result.reason.empty() ? JsonValue() : JsonValue::fromString(result.reason));
    }
    JsonValue& summary = put(json, "summary", JsonValue::object());
    for (const auto& [op, of] : report.summary) put(summary, op, summaryJson(of));
    JsonValue& floor = put(json, "closed_form", JsonValue::object());
    for (const auto& [op, of] : report.floor) put(floor, op, summaryJson(of));
    return prettyJson(json);
}

std::string fidelityMarkdown(const FidelityReport& report) {
    std::string text =
        "| prediction | operation | cases | median | 90th percentile | by nearest rank | pairs ranked right | of all "
        "pairs "
        "|\n|---|---|---|---|---|---|---|---|\n";
    for (const auto& [op, summary] : report.summary) text += summaryRow("emulated", op, summary);
    for (const auto& [op, summary] : report.floor) text += summaryRow("closed form", op, summary);
    text +=
        "\n| case | chip | source | measured us | emulated us | error | closed form |\n|---|---|---|---|---|---|---|\n";
    for (const FidelityResult& r : report.cases) {
        text += "| " + r.measured.id + " | " + r.measured.chip + " | " + r.measured.source + " | " +
                fixed(r.measured.measuredMicroseconds, 2) + " | ";
        if (r.predictedMicroseconds)
            text += fixed(*r.predictedMicroseconds, 2) + " | " +
                    percent(errorOf(*r.predictedMicroseconds, r.measured.measuredMicroseconds)) + " | " +
                    percent(errorOf(*r.floorMicroseconds, r.measured.measuredMicroseconds)) + " |\n";
        else
            text += r.reason + " | | |\n";
    }
    std::string lowered;
    for (const FidelityResult& r : report.cases)
        for (const std::string& slots : r.lowered) lowered += "- " + r.measured.id + ": " + slots + ".\n";
    if (!lowered.empty()) text += "\nSlots that a case asks for and that its buffers do not hold:\n\n" + lowered;
    return text;
}

std::string fidelityText(const FidelityReport& report) {
    std::string text = padded("case", 27, false) + padded("chip", 19, false) + padded("measured us", 12) +
                       padded("emulated us", 13) + padded("error", 10) + padded("closed form", 13) + "\n";
    for (const FidelityResult& r : report.cases) {
        const double measured = r.measured.measuredMicroseconds;
        text += padded(r.measured.id, 27, false) + padded(r.measured.chip, 19, false) + padded(fixed(measured, 2), 12);
        if (r.predictedMicroseconds)
            text += padded(fixed(*r.predictedMicroseconds, 2), 13) +
                    padded(percent(errorOf(*r.predictedMicroseconds, measured)), 10) +
                    padded(percent(errorOf(*r.floorMicroseconds, measured)), 13) + "\n";
        else
            text += "  " + r.reason + "\n";
        for (const std::string& slots : r.lowered) text += padded("", 27) + slots + "\n";
    }
    for (const auto& [what, list] : {std::pair{"emulated", &report.summary}, std::pair{"closed form", &report.floor}})
        for (const auto& [op, s] : *list)
            text += std::string(what) + " " + op + ": " + std::to_string(s.n) + " cases, median |ln error| " +
                    fixed(s.median, 3) + ", 90th percentile " + fixed(s.p90, 3) + " (nearest rank " +
                    fixed(s.p90Rank, 3) + "), pairs right " + std::to_string(s.pairsRight) + " of " +
                    std::to_string(s.pairs) + " (of all " + std::to_string(s.allPairsRight) + " of " +
                    std::to_string(s.allPairs) + ")\n";
    return text;
}

}  // namespace cubist
