// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/checker.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "core/design/tiles_of_factor.h"
#include "core/rules/families.h"
#include "core/rules/static/document_rules.h"

namespace cubist {

namespace {

using namespace rules;

constexpr std::size_t kMaxFixes = 3;

/// Findings where the tables of the design have put their tiles.
void placeInTables(std::vector<Reported>& reported, const std::vector<TileChoice>& choices) {
    for (Reported& entry : reported)
        for (const TileChoice& choice : choices) {
            entry.finding.where = choice.place(entry.finding.where);
            for (FixCandidate& candidate : entry.candidates)
                for (Edit& edit : candidate.edits) edit.where = choice.place(edit.where);
        }
}

/// A table that follows the factor of an unrolled loop gives every factor a tile: those of the further factors are
/// checked in copies of the design that have them. Only what the largest factor has not shown already is added.
class FurtherFactors {
public:
    FurtherFactors(const ResolvedDesign& design, const ChipSpec& chip, RuleProfile profile,
                   std::vector<Reported>& reported)
        : m_design(design), m_chip(chip), m_profile(profile), m_reported(reported) {
        for (const Reported& entry : reported) m_known.emplace(entry.finding.ruleId, entry.finding.where);
    }

    void add() {
        for (std::size_t i = 0; i < m_design.loops.size(); ++i) {
            for (const TileChoice& choice : m_design.tileChoices) {
                const ResolvedBlock* block = choice.followsFactor ? m_design.block(choice.block) : nullptr;
                if (block != nullptr && std::find(block->loops.begin(), block->loops.end(), i) != block->loops.end())
                    m_stages.push_back({choice.block, choice.where});
            }
            const ResolvedLoop& loop = m_design.loops[i];
            for (std::size_t first = 1; first < loop.factors.size() && !m_stages.empty(); ++first)
                addFactor(loop, loop.factors[first]);
            m_stages.clear();
        }
    }

private:
    struct Stage {
        BlockId id;
        std::string where;
    };

    void addFactor(const ResolvedLoop& loop, std::int64_t factor) {
        std::vector<TileChoice> choices;
        if (!m_own) m_own = withOwnTiles(*m_design.design, m_design.tileChoices);
        const auto cut = withTilesOfFactor(*m_own, m_design.binding, loop.loop->id, factor, choices);
        if (!cut) return;
        const auto resolved = resolveTilesOfFactor(*cut, m_design);
        if (!resolved) return;
        CheckContext context(*resolved, m_chip, m_profile);
        context.only.emplace();
        for (const Stage& stage : m_stages) context.only->push_back(stage.id);
        checkTiles(context);
        checkCapacity(context);
        checkCubeStages(context);
        checkVectorTiles(context);
        placeInTables(context.reported, choices);
        const std::string when = loop.loop->factor + " = " + text(factor);
        for (Reported& entry : context.reported) {
            const bool ours = std::any_of(m_stages.begin(), m_stages.end(), [&](const Stage& stage) {
                return entry.finding.where.starts_with(stage.where + "/");
            });
            if (!ours || !m_known.emplace(entry.finding.ruleId, entry.finding.where).second) continue;
            entry.finding.message += " [" + when + "]";
            entry.finding.messageZh += " [" + when + "]";
            m_reported.push_back(std::move(entry));
        }
    }

    const ResolvedDesign& m_design;
    const ChipSpec& m_chip;
    RuleProfile m_profile;
    std::optional<Design> m_own;  ///< with the tiles that its stages say
    std::vector<Reported>& m_reported;
    std::set<std::pair<std::string, std::string>> m_known;  ///< rule and place
    std::vector<Stage> m_stages;                            ///< those that follow the loop's factor
};

std::vector<Reported> collect(const ResolvedDesign& design, const ChipSpec& chip, RuleProfile profile,
                              ErrorScope scope = ErrorScope::All) {
    CheckContext context(design, chip, profile);
    checkAttributes(context);
    checkChipRates(context);
    checkTiles(context);
    checkCapacity(context);
    checkDTypes(context);
    checkNumbers(context);
    checkData(context);
    checkCubeStages(context);
    checkVectorTiles(context);
    checkShapes(context);
    checkLoops(context);
    checkGroups(context);
    if (scope != ErrorScope::Tiles) checkStores(context);
    checkLayout(context);
    checkOptions(context);
    checkStructure(context);
    checkBlocks(context);
    checkCoding(context);
    placeInTables(context.reported, design.tileChoices);
    // A tile is offered for the largest factor: the rows of the others stay as they are.
    if (scope == ErrorScope::All) FurtherFactors(design, chip, profile, context.reported).add();
    return std::move(context.reported);
}

using Key = std::pair<std::string, std::string>;  // rule and place

std::set<Key> errorsOf(const std::vector<Reported>& reported) {
    std::set<Key> keys;
    for (const Reported& entry : reported)
        if (entry.finding.severity == Severity::Error) keys.emplace(entry.finding.ruleId, entry.finding.where);
    return keys;
}

/// Is the finding gone, and are there only errors that were there before?
bool mended(const std::vector<Reported>& after, const Finding& finding, const std::set<Key>& errorsBefore) {
    const bool stays = std::any_of(after.begin(), after.end(), [&](const Reported& entry) {
        return entry.finding.ruleId == finding.ruleId && entry.finding.where == finding.where;
    });
    const std::set<Key> errorsAfter = errorsOf(after);
    return !stays && std::includes(errorsBefore.begin(), errorsBefore.end(), errorsAfter.begin(), errorsAfter.end());
}

/// Does the candidate remove the finding without adding an error? Candidates that fail for the largest factors of
/// unrolled loops are given up there; the others are judged by the tiles of all factors, where what one finding has
/// hidden may show.
bool helps(const FixCandidate& candidate, const Finding& finding, const std::set<Key>& errorsBefore,
           const ResolvedDesign& design, const ChipSpec& chip, RuleProfile profile) {
    Design edited = withOwnTiles(*design.design, design.tileChoices);
    for (const Edit& edit : candidate.edits)
        if (!applyEdit(edited, edit)) return false;
    Overrides given{design.binding.symbols, {}};
    for (const std::string& list : design.binding.givenLists)
        given.lists.set(list, design.binding.lists.find(list)->values);
    const auto binding = bindWith(edited, design.binding.caseId.text, given);
    if (!binding) return false;
    const auto resolved = resolve(edited, *binding);
    if (!resolved) return false;
    std::vector<Reported> after = collect(*resolved, chip, profile, ErrorScope::Largest);
    if (!mended(after, finding, errorsBefore)) return false;
    FurtherFactors(*resolved, chip, profile, after).add();
    return mended(after, finding, errorsBefore);
}

/// The other cases of a design, with the errors that each has as it is, looked up when they are first asked for.
class OtherCases {
public:
    OtherCases(const ResolvedDesign& design, const ChipSpec& chip, RuleProfile profile)
        : m_design(design), m_chip(chip), m_profile(profile) {}

    /// Does the candidate leave every other case without an error that it did not have?
    bool stayAsGood(const FixCandidate& candidate) {
        const Design own = withOwnTiles(*m_design.design, m_design.tileChoices);
        if (own.cases.size() < 2) return true;
        Design edited = own;
        for (const Edit& edit : candidate.edits)
            if (!applyEdit(edited, edit)) return false;
        for (const Case& other : own.cases) {
            if (other.id == m_design.binding.caseId) continue;
            auto known = m_before.find(other.id.text);
            if (known == m_before.end()) known = m_before.emplace(other.id.text, errorsIn(own, other)).first;
            if (!known->second) continue;  // a case that does not run as it is
            const auto after = errorsIn(edited, other);
            if (!after || !std::includes(known->second->begin(), known->second->end(), after->begin(), after->end()))
                return false;
        }
        return true;
    }

private:
    using Errors = std::optional<std::set<Key>>;

    /// Nothing where the case cannot be bound: it has settings of its own, or is broken.
    [[nodiscard]] Errors errorsIn(const Design& design, const Case& which) const {
        const auto binding = bindWith(design, which.id.text, {});
        if (!binding) return std::nullopt;
        const auto resolved = resolve(design, *binding);
        if (!resolved) return std::nullopt;
        return errorsOf(collect(*resolved, m_chip, m_profile, ErrorScope::Largest));
    }

    const ResolvedDesign& m_design;
    const ChipSpec& m_chip;
    RuleProfile m_profile;
    std::map<std::string, Errors> m_before;
};

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

struct DesignCheck::State {
    const ResolvedDesign* design = nullptr;
    const ChipSpec* chip = nullptr;
    RuleProfile profile;
    std::set<Key> errors;
    std::vector<Finding> findings;
    std::vector<std::vector<FixCandidate>> candidates;  ///< by finding
    std::size_t next = 0;
    std::unique_ptr<OtherCases> others;
};

DesignCheck::DesignCheck(const ResolvedDesign& design, const ChipSpec& chip, RuleProfile profile)
    : m_state(std::make_unique<State>()) {
    m_state->design = &design;
    m_state->chip = &chip;
    m_state->profile = profile;
    m_state->others = std::make_unique<OtherCases>(design, chip, profile);
    std::vector<Reported> reported = collect(design, chip, profile);
    m_state->errors = errorsOf(reported);
    std::stable_sort(reported.begin(), reported.end(), [](const Reported& left, const Reported& right) {
        const Finding &a = left.finding, &b = right.finding;
        if (a.severity != b.severity) return a.severity < b.severity;
        if (a.where != b.where) return pointerLess(a.where, b.where);
        return a.ruleId < b.ruleId;
    });
    for (Reported& entry : reported) {
        m_state->findings.push_back(std::move(entry.finding));
        m_state->candidates.push_back(std::move(entry.candidates));
    }
}

DesignCheck::DesignCheck(DesignCheck&& other) noexcept = default;
DesignCheck& DesignCheck::operator=(DesignCheck&& other) noexcept = default;
DesignCheck::~DesignCheck() = default;

const std::vector<Finding>& DesignCheck::findings() const {
    return m_state->findings;
}

std::size_t DesignCheck::next() const {
    return m_state->next;
}

std::size_t DesignCheck::trialsLeft() const {
    std::size_t count = 0;
    for (std::size_t i = m_state->next; i < m_state->candidates.size(); ++i) count += m_state->candidates[i].size();
    return count;
}

void DesignCheck::tryNext() {
    Finding& finding = m_state->findings[m_state->next];
    for (const FixCandidate& candidate : m_state->candidates[m_state->next]) {
        if (finding.fixes.size() == kMaxFixes) break;
        Fix fix = toFix(candidate);
        const bool offered = std::any_of(finding.fixes.begin(), finding.fixes.end(),
                                         [&](const Fix& other) { return other.steps == fix.steps; });
        if (!offered &&
            helps(candidate, finding, m_state->errors, *m_state->design, *m_state->chip, m_state->profile) &&
            m_state->others->stayAsGood(candidate))
            finding.fixes.push_back(std::move(fix));
    }
    ++m_state->next;
}

void DesignCheck::skipNext() {
    ++m_state->next;
}

std::vector<Finding> checkDesign(const ResolvedDesign& design, const ChipSpec& chip, RuleProfile profile) {
    DesignCheck check(design, chip, profile);
    while (!check.done()) check.tryNext();
    return check.findings();
}

}  // namespace cubist
