// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/rules_page.h"

#include <optional>

#include "core/rules/registry.h"

namespace cubist::test {

namespace {

std::string severityText(const std::optional<Severity>& severity) {
    return severity ? std::string(toText(*severity)) : "silent";
}

std::string heading(RuleFamily family) {
    std::string text(toText(family));
    if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return "\n## " + text + "\n";
}

std::string section(const Rule& rule) {
    std::string out = "\n### " + std::string(rule.id) + " " + std::string(rule.title) + "\n\n";
    out += std::string(rule.titleZh) + "\n\n";
    out += std::string(rule.explanation) + "\n\n" + std::string(rule.explanationZh) + "\n\n";
    if (!rule.formula.empty()) out += "- Formula: `" + std::string(rule.formula) + "`\n";
    if (!rule.formulaId.empty()) out += "- Source of the formula: " + std::string(rule.formulaId) + "\n";
    out += "- Severity: " + severityText(rule.enforced) + " (enforced), " + severityText(rule.documented) +
           " (documented)\n";
    if (!rule.pyptoCode.empty()) out += "- PyPTO's code: " + std::string(rule.pyptoCode) + "\n";
    if (rule.compilerSilent) out += "- PyPTO: the compiler stays silent\n";
    return out + "- Origin: " + std::string(rule.source) + "\n";
}

}  // namespace

std::string rulesPage() {
    std::string out =
        "# Rules\n\n"
        "What Cubist checks on a design. This page is made from the registry in `core/rules`; after a change of a "
        "rule,\n"
        "`CUBIST_UPDATE=1` with the test `tst_rules` writes it again.\n\n"
        "The profile *enforced* (the default) reports as errors what the compiler refuses; what it silently harms is "
        "a\n"
        "warning there and an error under *documented*, which applies all documented limits. A design with errors is "
        "not\n"
        "run unless forced.\n\n"
        "| id | rule | enforced | documented | PyPTO |\n|---|---|---|---|---|\n";
    for (const Rule& rule : allRules())
        out += "| " + std::string(rule.id) + " | " + std::string(rule.title) + " | " + severityText(rule.enforced) +
               " | " + severityText(rule.documented) + " | " +
               (rule.compilerSilent ? "silent" : std::string(rule.pyptoCode)) + " |\n";
    std::optional<RuleFamily> family;
    for (const Rule& rule : allRules()) {
        if (family != rule.family) out += heading(rule.family);
        family = rule.family;
        out += section(rule);
    }
    return out;
}

}  // namespace cubist::test
