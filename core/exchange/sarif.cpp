// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/sarif.h"

#include <algorithm>
#include <string_view>

#include "core/exchange/finding_json.h"
#include "core/exchange/json_text.h"
#include "core/exchange/json_value.h"
#include "core/exchange/result_values.h"
#include "core/rules/registry.h"

namespace cubist {
namespace {

std::string_view levelOf(Severity severity) {
    switch (severity) {
        case Severity::Error: return "error";
        case Severity::Warning: return "warning";
        case Severity::Hint: return "note";
    }
    return "none";
}

/// A path as a URI reference: everything but the characters that RFC 3986 lets stand is escaped.
std::string uriOf(const std::string& path) {
    constexpr std::string_view plain = "-._~/";
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string uri = path.starts_with('/') ? "file://" : "";
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (letter || plain.find(c) != std::string_view::npos)
            uri += c;
        else
            uri += {'%', digits[byte >> 4U], digits[byte & 0xFU]};
    }
    return uri;
}

JsonValue messageJson(const std::string& text) {
    JsonValue message = JsonValue::object();
    put(message, "text", text);
    return message;
}

JsonValue locationJson(const Finding& finding, const std::string& uri) {
    JsonValue location = JsonValue::object();
    JsonValue& physical = put(location, "physicalLocation", JsonValue::object());
    put(put(physical, "artifactLocation", JsonValue::object()), "uri", uri);
    JsonValue logical = JsonValue::object();
    put(logical, "fullyQualifiedName", finding.where);
    put(logical, "kind", "value");
    put(location, "logicalLocations", JsonValue::array()).push(std::move(logical));
    return location;
}

/// What code hosts show of a rule: title, explanation with formula and source, PyPTO's own code.
JsonValue ruleJson(const std::string& id) {
    JsonValue entry = JsonValue::object();
    put(entry, "id", id);
    const Rule* rule = findRule(id);
    if (rule == nullptr) return entry;
    std::string help(rule->explanation);
    if (!rule->formula.empty()) help += "\n\nFormula: " + std::string(rule->formula);
    if (!rule->source.empty()) help += "\n\nSource: " + std::string(rule->source);
    put(entry, "shortDescription", messageJson(std::string(rule->title)));
    put(entry, "fullDescription", messageJson(std::string(rule->explanation)));
    put(entry, "help", messageJson(help));
    JsonValue& properties = put(entry, "properties", JsonValue::object());
    if (!rule->pyptoCode.empty()) put(properties, "pypto", rule->pyptoCode);
    put(properties, "silent", rule->compilerSilent);
    return entry;
}

/// What SARIF has no member for. Its own `fixes` want regions of the text; ours are values at JSON pointers.
JsonValue propertiesJson(const Finding& finding) {
    JsonValue properties = JsonValue::object();
    if (!finding.pyptoCode.empty()) put(properties, "pypto", finding.pyptoCode);
    put(properties, "silent", compilerIsSilent(finding));
    put(properties, "fixes", fixesJson(finding));
    return properties;
}

}  // namespace

std::string sarifText(const std::vector<Finding>& findings, const std::string& designFile, const std::string& version) {
    std::vector<std::string> ids;
    for (const Finding& finding : findings) ids.push_back(finding.ruleId);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());

    JsonValue run = JsonValue::object();
    JsonValue& driver = put(put(run, "tool", JsonValue::object()), "driver", JsonValue::object());
    put(driver, "name", "cubist");
    put(driver, "version", version);
    JsonValue& rules = put(driver, "rules", JsonValue::array());
    for (const std::string& id : ids) rules.push(ruleJson(id));

    JsonValue& results = put(run, "results", JsonValue::array());
    for (const Finding& finding : findings) {
        JsonValue& result = results.push(JsonValue::object());
        put(result, "ruleId", finding.ruleId);
        put(result, "ruleIndex", std::lower_bound(ids.begin(), ids.end(), finding.ruleId) - ids.begin());
        put(result, "level", levelOf(finding.severity));
        put(result, "message", messageJson(finding.message));
        put(result, "locations", JsonValue::array()).push(locationJson(finding, uriOf(designFile)));
        put(result, "properties", propertiesJson(finding));
    }

    JsonValue log = JsonValue::object();
    put(log, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    put(log, "version", "2.1.0");
    put(log, "runs", JsonValue::array()).push(std::move(run));
    return prettyJson(log);
}

}  // namespace cubist
