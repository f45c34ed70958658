// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/design/design.h"

namespace cubist {

/// A key of a merge dictionary, taken apart.
struct MergeKey {
    enum class Kind : std::uint8_t { Integer, Default, Function, Label } kind = Kind::Label;
    std::int64_t order = 0;     ///< Integer: the number itself; Function: the group inside the function
    std::int64_t function = 0;  ///< Function: the compiler's id of the root function
};

/// "-1", "DEFAULT", "func8_0"; everything else is a semantic label.
[[nodiscard]] MergeKey parseMergeKey(std::string_view key);

/// One merge dictionary in the terms of PyPTO's passes.
class MergeSetting {
public:
    explicit MergeSetting(const Dictionary<std::int64_t>& dictionary);

    [[nodiscard]] bool empty() const { return !byFunction() && m_integers.empty() && m_labels.empty(); }
    [[nodiscard]] bool hasLabels() const { return !m_labels.empty(); }
    /// DEFAULT or func keys are present: integer keys are then not looked at.
    [[nodiscard]] bool byFunction() const { return m_default || !m_functions.empty(); }
    /// Exactly {-1: 1} or {DEFAULT: 1}, without labels: the pass is skipped.
    [[nodiscard]] bool off() const;
    /// Exactly {-1: 1} or {DEFAULT: 1} besides labels.
    [[nodiscard]] bool offButLabels() const;

    /// The count for group `order` of function `function` as numbers and DEFAULT say; nothing: automatic.
    /// `function` is empty where the design's function is not known under an id.
    [[nodiscard]] std::optional<std::int64_t> countFor(std::optional<std::int64_t> function, std::int64_t order) const;
    [[nodiscard]] std::optional<std::int64_t> countForLabel(const std::string& label) const;
    [[nodiscard]] std::optional<std::int64_t> integer(std::int64_t key) const;

    [[nodiscard]] const std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>& functions() const {
        return m_functions;
    }

private:
    std::map<std::int64_t, std::int64_t> m_integers;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> m_functions;  ///< (function, order)
    std::map<std::string, std::int64_t> m_labels;
    std::optional<std::int64_t> m_default;
};

/// A count below 1 is refused by the compiler (and is a finding here); a run that goes on merges nothing.
[[nodiscard]] constexpr std::int64_t atLeastOne(std::int64_t count) {
    return count < 1 ? 1 : count;
}

}  // namespace cubist
