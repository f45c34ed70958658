// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/check_context.h"

#include <cassert>
#include <utility>

#include "core/chip/slots.h"
#include "core/rules/registry.h"

namespace cubist::rules {

Reported* CheckContext::report(std::string_view ruleId, std::string where, const BlockId& block, Text message) {
    const Rule* rule = findRule(ruleId);
    assert(rule != nullptr && "a check reports a rule that is not registered");
    return report(ruleId, std::move(where), block, std::move(message), rule->pyptoCode);
}

Reported* CheckContext::report(std::string_view ruleId, std::string where, const BlockId& block, Text message,
                               std::string_view code) {
    const Rule* rule = findRule(ruleId);
    assert(rule != nullptr && "a check reports a rule that is not registered");
    const std::optional<Severity> severity = rule->severity(profile);
    if (!severity) return nullptr;
    Reported entry;
    entry.finding.ruleId = std::string(ruleId);
    entry.finding.severity = *severity;
    entry.finding.where = std::move(where);
    entry.finding.block = block;
    entry.finding.message = std::move(message.en);
    entry.finding.messageZh = std::move(message.zh);
    entry.finding.pyptoCode = std::string(code);
    reported.push_back(std::move(entry));
    return &reported.back();
}

std::string text(const std::vector<std::int64_t>& values) {
    std::string out = "[";
    for (const std::int64_t value : values) out += (out.size() > 1 ? ", " : "") + std::to_string(value);
    return out + "]";
}

std::string percent(std::int64_t part, std::int64_t whole) {
    const std::int64_t tenths =
        saturatingAdd(saturatingMul(part / whole, 1000), (part % whole * 1000 + whole / 2) / whole);
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

Text ofCapacity(std::int64_t bytes, std::int64_t capacity) {
    const std::string tail = text(capacity) + " B (" + percent(bytes, capacity) + ")";
    return {text(bytes) + " B, capacity " + tail, text(bytes) + " B，容量 " + tail};
}

}  // namespace cubist::rules
