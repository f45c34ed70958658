// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/design/resolve.h"
#include "core/rules/finding.h"

namespace cubist {

/// Everything that the rules have to say about a design on a chip, sorted by severity, place and rule. Fixes were
/// tried: applied to the design, each removes its finding and adds none of error severity. Pure; the same inputs give
/// the same list.
[[nodiscard]] std::vector<Finding> checkDesign(const ResolvedDesign& design, const ChipSpec& chip, RuleProfile profile);

/// The same for callers that show findings before their fixes are known: the rules are checked at once, the fixes of
/// one finding after the other are tried when asked for. Design and chip outlive this.
class DesignCheck {
public:
    DesignCheck(const ResolvedDesign& design, const ChipSpec& chip, RuleProfile profile);
    DesignCheck(DesignCheck&& other) noexcept;
    DesignCheck& operator=(DesignCheck&& other) noexcept;
    ~DesignCheck();

    /// In their final order; with the fixes of those that were tried.
    [[nodiscard]] const std::vector<Finding>& findings() const;
    /// Findings that were tried are those in front of this one.
    [[nodiscard]] std::size_t next() const;
    [[nodiscard]] bool done() const { return next() == findings().size(); }
    /// How many candidates there are at most still to try; each costs about as much as checking the design.
    [[nodiscard]] std::size_t trialsLeft() const;
    /// Tries the fixes of the next finding, or leaves it without. Not when done.
    void tryNext();
    void skipNext();

private:
    struct State;
    std::unique_ptr<State> m_state;
};

/// Largest: without the tiles that tables give to further factors of unrolled loops. Tiles: moreover without what no
/// tile can break or mend, about what is stored where; for tiles that are offered for the largest factor.
enum class ErrorScope : std::uint8_t { All, Largest, Tiles };

/// The rules that a design breaks with error severity, as (rule, place). No fixes are tried, so this is quick.
[[nodiscard]] std::set<std::pair<std::string, std::string>> errorsIn(const ResolvedDesign& design, const ChipSpec& chip,
                                                                     RuleProfile profile,
                                                                     ErrorScope scope = ErrorScope::All);

/// Are places in a document: "/blocks/2" comes before "/blocks/10".
[[nodiscard]] bool pointerLess(const std::string& a, const std::string& b);

}  // namespace cubist
