// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/checker.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "core/rules/families.h"

namespace cubist {

namespace {

using namespace rules;

constexpr std::size_t kMaxFixes = 3;

std::vector<Reported> collect(const ResolvedDesign& design, const ChipSpec& chip, RuleProfile profile,
                              ErrorScope scope = ErrorScope::All) {
    CheckContext context(design, chip, profile);
    checkTiles(context);
    checkCapacity(context);
    checkDTypes(context);
    checkCubeStages(context);
    checkVectorTiles(context);
    checkShapes(context);
    checkLoops(context);
    checkGroups(context);
    if (scope == ErrorScope::All) checkStores(context);
    checkLayout(context);
    checkOptions(context);
    checkStructure(context);
    checkBlocks(context);
    checkCoding(context);
    for (Reported& entry : context.reported)
        for (const TileChoice& choice : design.tileChoices) {
            entry.finding.where = choice.place(entry.finding.where);
            for (FixCandidate& candidate : entry.candidates)
                for (Edit& edit : candidate.edits) edit.where = choice.place(edit.where);
        }
    return std::move(context.reported);
}

using Key = std::pair<std::string, std::string>;  // rule and place

std::set<Key> errorsOf(const std::vector<Reported>& reported) {
    std::set<Key> keys;
    for (const Reported& entry : reported)
        if (entry.finding.severity == Severity::Error) keys.emplace(entry.finding.ruleId, entry.finding.where);
    return keys;
}

/// Does the candidate remove the finding without adding an error?
bool helps(const FixCandidate& candidate, const Finding& finding, const std::set<Key>& errorsBefore,
           const ResolvedDesign& design, const ChipSpec& chip, RuleProfile profile) {
    Design edited = *design.design;
    for (const Edit& edit : candidate.edits)
        if (!applyEdit(edited, edit)) return false;
    Overrides given{design.binding.symbols, {}};
    for (const std::string& list : design.binding.givenLists)
        given.lists.set(list, design.binding.lists.find(list)->values);
    const auto binding = bindWith(edited, design.binding.caseId.text, given);
    if (!binding) return false;
    const auto resolved = resolve(edited, *binding);
    if (!resolved) return false;
    const std::vector<Reported> after = collect(*resolved, chip, profile);
    const bool stays = std::any_of(after.begin(), after.end(), [&](const Reported& entry) {
        return entry.finding.ruleId == finding.ruleId && entry.finding.where == finding.where;
    });
    const std::set<Key> errorsAfter = errorsOf(after);
    return !stays && std::includes(errorsBefore.begin(), errorsBefore.end(), errorsAfter.begin(), errorsAfter.end());
}

Fix toFix(const FixCandidate& candidate) {
    Fix fix;
    fix.title = candidate.title.en;
    fix.titleZh = candidate.title.zh;
    for (const Edit& edit : candidate.edits) fix.steps.push_back({edit.where, toJson(edit.value)});
    return fix;
}

/// The next step of a pointer, without its slash; shortens the pointer.
std::string_view nextStep(std::string_view& pointer) {
    if (!pointer.empty() && pointer.front() == '/') pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    const std::string_view step = pointer.substr(0, end);
    pointer.remove_prefix(end);
    return step;
}

bool isNumber(std::string_view step) {
    return !step.empty() && std::all_of(step.begin(), step.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool pointerLess(const std::string& a, const std::string& b) {
    std::string_view restA = a, restB = b;
    while (!restA.empty() && !restB.empty()) {
        const std::string_view stepA = nextStep(restA), stepB = nextStep(restB);
        if (stepA == stepB) continue;
        if (isNumber(stepA) && isNumber(stepB) && stepA.size() != stepB.size()) return stepA.size() < stepB.size();
        return stepA < stepB;
    }
    return restA.empty() && !restB.empty();
}

std::set<std::pair<std::string, std::string>> errorsIn(const ResolvedDesign& design, const ChipSpec& chip,
                                                       RuleProfile profile, ErrorScope scope) {
    return errorsOf(collect(design, chip, profile, scope));
}

std::vector<Finding> checkDesign(const ResolvedDesign& design, const ChipSpec& chip, RuleProfile profile) {
    std::vector<Reported> reported = collect(design, chip, profile);
    const std::set<Key> errors = errorsOf(reported);
    std::vector<Finding> findings;
    for (Reported& entry : reported) {
        for (const FixCandidate& candidate : entry.candidates) {
            if (entry.finding.fixes.size() == kMaxFixes) break;
            Fix fix = toFix(candidate);
            const bool offered = std::any_of(entry.finding.fixes.begin(), entry.finding.fixes.end(),
                                             [&](const Fix& other) { return other.steps == fix.steps; });
            if (!offered && helps(candidate, entry.finding, errors, design, chip, profile))
                entry.finding.fixes.push_back(std::move(fix));
        }
        findings.push_back(std::move(entry.finding));
    }
    std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
        if (a.severity != b.severity) return a.severity < b.severity;
        if (a.where != b.where) return pointerLess(a.where, b.where);
        return a.ruleId < b.ruleId;
    });
    return findings;
}

}  // namespace cubist
