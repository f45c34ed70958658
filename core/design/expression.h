// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace cubist {

/// An integer formula over symbols and loop indices, as PyPTO's symbolic scalars allow: integers, names, `+ - * // %`,
/// parentheses and `min(a, b)`, `max(a, b)`, `ceildiv(a, b)`. `//` and `%` round toward minus infinity.
/// Stored as its text (a plain integer is stored as a JSON integer). Equality is equality of the text.
class Expression {
public:
    Expression() = default;
    Expression(std::int64_t value) : m_text(std::to_string(value)) {}
    /// Keeps any text; whether it parses is found out by `names` or `evaluate` (and by the reader, which reports it).
    explicit Expression(std::string text) : m_text(std::move(text)) {}

    [[nodiscard]] const std::string& text() const { return m_text; }
    /// The value when the text is a plain integer literal that fits 64 bits.
    [[nodiscard]] std::optional<std::int64_t> literal() const;
    bool operator==(const Expression&) const = default;

    /// Looks a name up; std::nullopt means unknown.
    using Lookup = std::function<std::optional<std::int64_t>(std::string_view)>;

    /// Value under `lookup`. Errors: Syntax (text does not parse; position named), UnknownName, BadValue (division by
    /// zero, or a value outside 64 bits).
    [[nodiscard]] Result<std::int64_t> evaluate(const Lookup& lookup) const;
    /// Names used, in order of first use. Errors: Syntax.
    [[nodiscard]] Result<std::vector<std::string>> names() const;

private:
    std::string m_text = "0";
};

}  // namespace cubist
