// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/finding_json.h"

#include <utility>

#include "core/exchange/json_text.h"
#include "core/exchange/result_values.h"
#include "core/rules/registry.h"

namespace cubist {

bool compilerIsSilent(const Finding& finding) {
    const Rule* rule = findRule(finding.ruleId);
    return rule != nullptr && rule->compilerSilent;
}

std::string compilerText(const Finding& finding) {
    if (!finding.pyptoCode.empty()) return finding.pyptoCode;
    return compilerIsSilent(finding) ? "silent" : "";
}

JsonValue fixesJson(const Finding& finding) {
    JsonValue fixes = JsonValue::array();
    for (const Fix& fix : finding.fixes) {
        JsonValue& entry = fixes.push(JsonValue::object());
        put(entry, "title", fix.title);
        if (!fix.titleZh.empty()) put(entry, "title_zh", fix.titleZh);
        JsonValue& edits = put(entry, "edits", JsonValue::array());
        for (const Fix::Step& step : fix.steps) {
            JsonValue& edit = edits.push(JsonValue::object());
            put(edit, "path", step.where);
            Result<JsonValue> value = parseJson(step.json);
            put(edit, "value", value ? *std::move(value) : JsonValue::fromString(step.json));
        }
    }
    return fixes;
}

JsonValue findingJson(const Finding& finding) {
    JsonValue entry = JsonValue::object();
    put(entry, "id", finding.ruleId);
    put(entry, "severity", toText(finding.severity));
    put(entry, "where", finding.where);
    put(entry, "message", finding.message);
    if (!finding.messageZh.empty()) put(entry, "message_zh", finding.messageZh);
    if (!finding.pyptoCode.empty()) put(entry, "pypto", finding.pyptoCode);
    if (compilerIsSilent(finding)) put(entry, "silent", true);
    if (!finding.fixes.empty()) put(entry, "fixes", fixesJson(finding));
    return entry;
}

namespace {

/// In single quotes, of which the text may have some.
std::string shellQuoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

}  // namespace

std::vector<std::string> fixTexts(const Finding& finding) {
    std::vector<std::string> lines;
    for (const Fix& fix : finding.fixes) {
        std::string line = fix.title + ":";
        for (const Fix::Step& step : fix.steps) {
            const bool bare = step.json.find_first_of(" \"'{}[]$`\\!*?;&|<>()") == std::string::npos;
            line +=
                bare ? " --set " + step.where + "=" + step.json : " --set " + shellQuoted(step.where + "=" + step.json);
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace cubist
