// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/models/fix_all.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/design/resolve.h"
#include "core/exchange/design_json.h"
#include "core/rules/checker.h"

namespace cubist {
namespace {

constexpr int kMostFixes = 200;

auto errors(const std::vector<Finding>& findings) {
    return std::count_if(findings.begin(), findings.end(),
                         [](const Finding& finding) { return finding.severity == Severity::Error; });
}

bool holds(const std::vector<Finding>& findings, const Finding& wanted) {
    return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
        return finding.ruleId == wanted.ruleId && finding.where == wanted.where;
    });
}

std::optional<Design> applied(const Design& design, const Fix& fix) {
    Design edited = design;
    for (const Fix::Step& step : fix.steps) {
        Result<Design> next = setAt(edited, step.where, step.json);
        if (!next) return std::nullopt;
        edited = std::move(next).value();
    }
    return edited;
}

/// The design after a fix that takes the finding away and brings no error more, looked at with all rules.
std::optional<Design> helped(const Design& design, const Fix& fix, const Finding& finding,
                             const std::vector<Finding>& before, const ChipSpec& chip, const Binding& binding) {
    std::optional<Design> edited = applied(design, fix);
    if (!edited) return std::nullopt;
    const Result<ResolvedDesign> resolved = resolve(*edited, binding);
    if (!resolved) return std::nullopt;
    const DesignCheck after(*resolved, chip, edited->profile);
    if (holds(after.findings(), finding) || errors(after.findings()) > errors(before)) return std::nullopt;
    return edited;
}

}  // namespace

bool hasSafeFix(const Finding& finding) {
    return finding.severity != Severity::Hint && !finding.fixes.empty();
}

FixedDesign applySafeFixes(const Design& design, const ChipSpec& chip, const Binding& binding) {
    FixedDesign result{design, 0};
    std::set<std::pair<std::string, std::string>> given;  // that no fix helped
    while (result.fixes < kMostFixes) {
        const Result<ResolvedDesign> resolved = resolve(result.design, binding);
        if (!resolved) break;
        DesignCheck check(*resolved, chip, design.profile);
        std::optional<Design> fixed;
        while (!check.done() && !fixed) {
            const std::size_t index = check.next();
            const Finding& finding = check.findings()[index];
            if (given.contains({finding.ruleId, finding.where}) || finding.severity == Severity::Hint) {
                check.skipNext();
                continue;
            }
            check.tryNext();
            for (const Fix& fix : finding.fixes)
                if (!fixed) fixed = helped(result.design, fix, finding, check.findings(), chip, binding);
            if (!fixed) given.insert({finding.ruleId, finding.where});
        }
        if (!fixed) break;
        result.design = *std::move(fixed);
        ++result.fixes;
    }
    return result;
}

}  // namespace cubist
