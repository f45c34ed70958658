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

std::optional<std::vector<Finding>> check(const Design& design, const ChipSpec& chip, const Binding& binding) {
    const Result<ResolvedDesign> resolved = resolve(design, binding);
    if (!resolved) return std::nullopt;
    return checkDesign(*resolved, chip, design.profile);
}

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

}  // namespace

bool hasSafeFix(const Finding& finding) {
    return finding.severity != Severity::Hint && !finding.fixes.empty();
}

FixedDesign applySafeFixes(const Design& design, const ChipSpec& chip, const Binding& binding) {
    FixedDesign result{design, 0};
    std::optional<std::vector<Finding>> findings = check(design, chip, binding);
    std::set<std::pair<std::string, std::string>> given;  // that no fix helped
    while (findings && result.fixes < kMostFixes) {
        const auto next = std::find_if(findings->begin(), findings->end(), [&](const Finding& finding) {
            return hasSafeFix(finding) && !given.contains({finding.ruleId, finding.where});
        });
        if (next == findings->end()) break;
        bool helped = false;
        for (const Fix& fix : next->fixes) {
            std::optional<Design> edited = applied(result.design, fix);
            if (!edited) continue;
            std::optional<std::vector<Finding>> after = check(*edited, chip, binding);
            if (!after || holds(*after, *next) || errors(*after) > errors(*findings)) continue;
            result.design = std::move(*edited);
            ++result.fixes;
            findings = std::move(after);
            helped = true;
            break;
        }
        if (!helped) given.insert({next->ruleId, next->where});
    }
    return result;
}

}  // namespace cubist
