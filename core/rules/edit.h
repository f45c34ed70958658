// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/design/design.h"

namespace cubist::rules {

/// A value that a fix writes; the empty alternative is null (the field's automatic setting).
using EditValue = std::variant<std::monostate, bool, std::int64_t, std::string, std::vector<std::int64_t>,
                               std::vector<Expression>, Dictionary<std::int64_t>>;

/// Sets the field at a JSON pointer.
struct Edit {
    std::string where;
    EditValue value;
};

/// Changes the design. False when the pointer leads nowhere or the field takes no such value; the design may then be
/// changed in part.
[[nodiscard]] bool applyEdit(Design& design, const Edit& edit);

/// The value as JSON, as `Fix::Step` carries it.
[[nodiscard]] std::string toJson(const EditValue& value);

}  // namespace cubist::rules
