// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/rule_checks.h"

#include <algorithm>

#include "core/design/resolve.h"
#include "core/exchange/design_json.h"

namespace cubist::test {

std::vector<Finding> findings(const Design& design, RuleProfile profile, const ChipSpec& chip) {
    auto resolved = resolve(design, bound(design));
    if (!resolved) qFatal("%s: %s", resolved.error().where.c_str(), resolved.error().message.c_str());
    return checkDesign(*resolved, chip, profile);
}

QString told(const std::vector<Finding>& list) {
    QString text;
    for (const Finding& finding : list)
        text += QString::fromStdString(finding.ruleId + " " + finding.where + ": " + finding.message + "\n");
    return text;
}

std::set<std::string> idsOf(const std::vector<Finding>& list) {
    std::set<std::string> ids;
    for (const Finding& finding : list) ids.insert(finding.ruleId);
    return ids;
}

Finding only(const std::vector<Finding>& list, const std::string& rule) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const Finding& f) { return f.ruleId == rule; });
    if (found == list.end()) qFatal("no %s among:\n%s", rule.c_str(), qPrintable(told(list)));
    return *found;
}

Design applied(Design design, const Fix& fix) {
    for (const Fix::Step& step : fix.steps) {
        auto result = setAt(design, step.where, step.json);
        if (!result) qFatal("%s: %s", step.where.c_str(), result.error().message.c_str());
        design = std::move(result).value();
    }
    return design;
}

Design halfTile(std::vector<std::int64_t> m, std::vector<std::int64_t> k, std::vector<std::int64_t> n,
                std::int64_t bigK) {
    MatmulKnobs knobs;
    knobs.m = knobs.n = 128;
    knobs.k = bigK;
    knobs.mTile = std::move(m);
    knobs.kTile = std::move(k);
    knobs.nTile = std::move(n);
    return matmulDesign(knobs);
}

}  // namespace cubist::test
