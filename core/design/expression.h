// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace cubist {

struct IntegerList;

/// An integer formula over symbols, loop indices and lists, as PyPTO's symbolic scalars allow: integers, names,
/// `+ - * // %`, parentheses and `min(a, b)`, `max(a, b)`, `ceildiv(a, b)`. `//` and `%` round toward minus infinity.
/// Of a list: its entry `name[i]`, `len(name)`; of a group list also `groups(name)`, the first row `start(name, g)` and
/// the rows `count(name, g)` of a group, and `sum(name)`, the rows of all groups, whatever the list's form.
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

    /// Looks numbers and lists up by name; std::nullopt and null mean unknown.
    class Lookup {
    public:
        using Numbers = std::function<std::optional<std::int64_t>(std::string_view)>;
        using Lists = std::function<const IntegerList*(std::string_view)>;

        Lookup() = default;  ///< knows nothing
        template <std::invocable<std::string_view> F>
        requires(!std::same_as<std::remove_cvref_t<F>, Lookup>) Lookup(F&& numbers)
            : m_numbers(std::forward<F>(numbers)) {}
        Lookup(Numbers numbers, Lists lists) : m_numbers(std::move(numbers)), m_lists(std::move(lists)) {}

        [[nodiscard]] std::optional<std::int64_t> operator()(std::string_view name) const {
            return m_numbers ? m_numbers(name) : std::nullopt;
        }
        [[nodiscard]] const IntegerList* list(std::string_view name) const { return m_lists ? m_lists(name) : nullptr; }

    private:
        Numbers m_numbers;
        Lists m_lists;
    };

    /// Value under `lookup`. Errors: Syntax (text does not parse; position named), UnknownName, BadValue (division by
    /// zero, a value outside 64 bits, an entry or a group that the list does not have).
    [[nodiscard]] Result<std::int64_t> evaluate(const Lookup& lookup) const;
    /// Names of numbers used, in order of first use. Errors: Syntax.
    [[nodiscard]] Result<std::vector<std::string>> names() const;
    /// Names of lists used, in order of first use. Errors: Syntax.
    [[nodiscard]] Result<std::vector<std::string>> lists() const;
    /// The text with every use of a name replaced; functions and other names stay.
    [[nodiscard]] Expression renamed(std::string_view from, std::string_view to) const;

private:
    std::string m_text = "0";
};

}  // namespace cubist
