// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/design/resolve.h"
#include "core/rules/edit.h"
#include "core/rules/finding.h"

/// What the checks of the families share.
namespace cubist::rules {

struct Text {
    std::string en;
    std::string zh;

    Text& operator+=(const Text& other) {
        en += other.en;
        zh += other.zh;
        return *this;
    }
};

/// A fix that may turn out not to help; only tried ones are offered.
struct FixCandidate {
    Text title;
    std::vector<Edit> edits;
};

struct Reported {
    Finding finding;
    std::vector<FixCandidate> candidates;
};

class CheckContext {
public:
    CheckContext(const ResolvedDesign& resolved, const ChipSpec& spec, RuleProfile ruleProfile)
        : design(resolved), chip(spec), profile(ruleProfile) {}

    /// Adds a finding. Null when the rule is silent in this profile; otherwise valid until the next report.
    /// `code` replaces the rule's PyPTO code where one rule covers cases with different codes.
    Reported* report(std::string_view ruleId, std::string where, const BlockId& block, Text message);
    Reported* report(std::string_view ruleId, std::string where, const BlockId& block, Text message,
                     std::string_view code);

    /// Whether the tiles of a stage are to be checked.
    [[nodiscard]] bool looksAt(const ResolvedBlock& block) const {
        return !only || std::find(only->begin(), only->end(), block.block->id()) != only->end();
    }

    const ResolvedDesign& design;
    const ChipSpec& chip;
    RuleProfile profile;
    std::optional<std::vector<BlockId>> only = {};  ///< stages whose tiles are checked; absent: all
    std::vector<Reported> reported;
};

[[nodiscard]] inline std::string text(std::int64_t value) {
    return std::to_string(value);
}
/// "[64, 160]"
[[nodiscard]] std::string text(const std::vector<std::int64_t>& values);
/// "200.0 %", rounded to the nearest tenth.
[[nodiscard]] std::string percent(std::int64_t part, std::int64_t whole);
/// "131072 B, capacity 65536 B (200.0 %)"
[[nodiscard]] Text ofCapacity(std::int64_t bytes, std::int64_t capacity);

}  // namespace cubist::rules
