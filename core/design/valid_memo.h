// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/design/resolve.h"

namespace cubist {

/// Values of names in one iteration; nothing where a name is no index there.
using NamedPlaces = std::vector<std::optional<std::int64_t>>;
[[nodiscard]] NamedPlaces placesOf(const std::vector<std::string>& names, const IndexValues& indices);

/// `validShape` of many values in many iterations: a value is worked out again only where an index that its views name
/// has changed. The design outlives this, and may grow.
class ValidMemo {
public:
    explicit ValidMemo(const ResolvedDesign& design) : m_design(&design), m_shapes(design, m_indices) {}
    ValidMemo(const ValidMemo&) = delete;
    ValidMemo& operator=(const ValidMemo&) = delete;

    /// Errors: as validShape.
    [[nodiscard]] Result<std::vector<std::int64_t>> of(const ValueId& value, const IndexValues& indices);
    /// Everything that the valid shape of a value may depend on, sorted: names in the shapes and valid shapes of the
    /// views that it is made from. Errors: Syntax.
    [[nodiscard]] Result<std::vector<std::string>> namesOf(const ValueId& value);
    /// Adds the names that the expressions use. Errors: Syntax.
    [[nodiscard]] Result<void> addNames(const std::vector<Expression>& expressions,
                                        std::vector<std::string>& names) const;

private:
    struct Known {
        std::vector<std::string> names;
        NamedPlaces at;
        std::optional<std::vector<std::int64_t>> valid;
    };
    Result<Known*> known(const ResolvedValue& value);
    Result<void> addOperand(const ValueId& operand, std::vector<std::string>& names);

    const ResolvedDesign* m_design;
    std::unordered_map<const ResolvedValue*, Known> m_known;
    IndexValues m_indices;  ///< of the iteration looked at last
    ValidShapes m_shapes;   ///< of that iteration: values made from each other are worked out once
};

}  // namespace cubist
