// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/expression.h"

#include <algorithm>
#include <charconv>

#include "core/base/integer_math.h"
#include "core/design/integer_list.h"

namespace cubist {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxLength = 4096;

constexpr bool isDigit(char c) {
    return c >= '0' && c <= '9';
}
constexpr bool isNameStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool isFunctionOfNumbers(std::string_view name) {
    return name == "min" || name == "max" || name == "ceildiv";
}

/// One name and nothing else, as most texts that are no numbers: they need no parser.
bool isNameAlone(std::string_view text) {
    if (text.empty() || text.size() > kMaxLength || !isNameStart(text.front())) return false;
    return std::all_of(text.begin(), text.end(), [](char c) { return isNameStart(c) || isDigit(c); }) &&
           !isFunctionOfNumbers(text);
}

std::optional<std::int64_t> floorDiv(std::int64_t a, std::int64_t b) {
    if (b == -1) return checkedMul(a, -1);
    const std::int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::optional<std::int64_t> ceilingDiv(std::int64_t a, std::int64_t b) {
    if (b == -1) return checkedMul(a, -1);
    const std::int64_t quotient = a / b;
    return a % b != 0 && (a < 0) == (b < 0) ? quotient + 1 : quotient;
}

std::int64_t floorMod(std::int64_t a, std::int64_t b) {
    if (b == -1) return 0;
    const std::int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/// One pass over the text. Without a lookup it only checks the syntax and collects names; every value is then 0.
class Parser {
public:
    Parser(std::string_view text, const Expression::Lookup* lookup) : m_text(text), m_lookup(lookup) {}

    Result<std::int64_t> run() {
        if (m_text.size() > kMaxLength) return syntax("is longer than " + std::to_string(kMaxLength) + " characters");
        CUBIST_TRY(const std::int64_t value, sum());
        skipSpace();
        if (m_at != m_text.size()) return expected("an operator or the end");
        return value;
    }

    std::vector<std::string> takeNames() { return std::move(m_names); }
    std::vector<std::string> takeLists() { return std::move(m_lists); }

private:
    Result<std::int64_t> sum() {
        CUBIST_TRY(std::int64_t value, product());
        for (;;) {
            const bool plus = accept("+");
            if (!plus && !accept("-")) return value;
            CUBIST_TRY(const std::int64_t right, product());
            std::int64_t result = 0;
            const bool overflow =
                plus ? __builtin_add_overflow(value, right, &result) : __builtin_sub_overflow(value, right, &result);
            if (overflow) return tooLarge();
            value = result;
        }
    }

    Result<std::int64_t> product() {
        CUBIST_TRY(std::int64_t value, unary());
        for (;;) {
            const bool times = accept("*");
            const bool divides = !times && accept("//");
            if (!times && !divides && !accept("%")) return value;
            CUBIST_TRY(const std::int64_t right, unary());
            if (m_lookup == nullptr) continue;
            if (!times && right == 0) return unexpected(ErrorCode::BadValue, quoted() + " divides by zero");
            const std::optional<std::int64_t> result = times     ? checkedMul(value, right)
                                                       : divides ? floorDiv(value, right)
                                                                 : floorMod(value, right);
            if (!result) return tooLarge();
            value = *result;
        }
    }

    Result<std::int64_t> unary() {
        if (++m_depth > kMaxDepth) return syntax("is nested deeper than " + std::to_string(kMaxDepth) + " levels");
        Result<std::int64_t> value = signedValue();
        --m_depth;
        return value;
    }

    Result<std::int64_t> signedValue() {
        if (!accept("-")) return primary();
        skipSpace();
        // The smallest 64-bit integer has no positive counterpart, so the sign belongs to the number.
        if (m_at < m_text.size() && isDigit(m_text[m_at])) return number(true);
        CUBIST_TRY(const std::int64_t value, unary());
        const std::optional<std::int64_t> negated = checkedMul(value, -1);
        if (!negated) return tooLarge();
        return *negated;
    }

    Result<std::int64_t> primary() {
        skipSpace();
        if (m_at == m_text.size()) return expected("a number, a name or '('");
        const char c = m_text[m_at];
        if (isDigit(c)) return number(false);
        if (isNameStart(c)) return nameOrCall();
        if (!accept("(")) return expected("a number, a name or '('");
        CUBIST_TRY(const std::int64_t value, sum());
        if (!accept(")")) return expected("')'");
        return value;
    }

    Result<std::int64_t> number(bool negative) {
        const std::size_t first = m_at;
        while (m_at < m_text.size() && isDigit(m_text[m_at])) ++m_at;
        if (m_at < m_text.size() && (isNameStart(m_text[m_at]) || m_text[m_at] == '.')) return expected("an integer");
        const std::string digits = (negative ? "-" : "") + std::string(m_text.substr(first, m_at - first));
        std::int64_t value = 0;
        const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (status != std::errc() || end != digits.data() + digits.size())
            return syntax("has a number that does not fit 64 bits");
        return value;
    }

    Result<std::int64_t> nameOrCall() {
        const std::size_t first = m_at;
        while (m_at < m_text.size() && (isNameStart(m_text[m_at]) || isDigit(m_text[m_at]))) ++m_at;
        const std::string_view name = m_text.substr(first, m_at - first);
        if (isFunctionOfNumbers(name)) return call(name);
        skipSpace();
        const char next = m_at < m_text.size() ? m_text[m_at] : '\0';
        if (next == '[') return entry(name);
        if (next == '(') {
            if (name == "len" || name == "groups" || name == "sum") return ofList(name, false);
            if (name == "start" || name == "count") return ofList(name, true);
            Unexpected failure = syntax("calls the unknown function '" + std::string(name) + "'");
            failure.error.hint = "there are min, max, ceildiv, len, groups, start, count and sum";
            return failure;
        }
        if (m_lookup == nullptr) {
            note(m_names, name);
            return std::int64_t{0};
        }
        if (const std::optional<std::int64_t> value = (*m_lookup)(name)) return *value;
        if (m_lookup->list(name) != nullptr)
            return unexpected(ErrorCode::UnknownName,
                              quoted() + " uses the list '" + std::string(name) + "' as a number", {},
                              "take an entry, " + std::string(name) + "[0], or len(" + std::string(name) + ")");
        return unexpected(ErrorCode::UnknownName, quoted() + " uses the unknown name '" + std::string(name) + "'");
    }

    static void note(std::vector<std::string>& names, std::string_view name) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
    }

    /// The list called `name`; null while only the syntax is checked.
    Result<const IntegerList*> list(std::string_view name) {
        if (m_lookup == nullptr) {
            note(m_lists, name);
            return nullptr;
        }
        if (const IntegerList* found = m_lookup->list(name)) return found;
        return unexpected(ErrorCode::UnknownName, quoted() + " uses the unknown list '" + std::string(name) + "'");
    }

    /// name[i]
    Result<std::int64_t> entry(std::string_view name) {
        CUBIST_TRY(const IntegerList* const values, list(name));
        if (!accept("[")) return expected("'['");
        CUBIST_TRY(const std::int64_t index, sum());
        if (!accept("]")) return expected("']'");
        if (values == nullptr) return std::int64_t{0};
        const auto length = static_cast<std::int64_t>(values->values.size());
        if (index >= 0 && index < length) return values->values[static_cast<std::size_t>(index)];
        return unexpected(ErrorCode::BadValue, quoted() + " reads entry " + std::to_string(index) + " of '" +
                                                   std::string(name) + "', which has " + std::to_string(length));
    }

    /// len(name), groups(name), sum(name), or start(name, g) and count(name, g).
    Result<std::int64_t> ofList(std::string_view function, bool withGroup) {
        if (!accept("(")) return expected("'(' after " + std::string(function));
        skipSpace();
        const std::size_t first = m_at;
        while (m_at < m_text.size() && (isNameStart(m_text[m_at]) || (m_at > first && isDigit(m_text[m_at])))) ++m_at;
        if (m_at == first) return expected("the name of a list");
        const std::string_view name = m_text.substr(first, m_at - first);
        CUBIST_TRY(const IntegerList* const values, list(name));
        std::int64_t group = 0;
        if (withGroup) {
            if (!accept(",")) return expected("',' and the number of a group");
            CUBIST_TRY(group, sum());
        }
        if (!accept(")")) return expected("')'");
        if (values == nullptr) return std::int64_t{0};
        if (function == "len") return static_cast<std::int64_t>(values->values.size());
        if (function == "sum") return values->sum();
        if (values->form == ListForm::Plain)
            return unexpected(ErrorCode::BadValue,
                              quoted() + " asks for groups of '" + std::string(name) + "', which is a plain list", {},
                              "say what its numbers mean: form counts, prefix_sums or rows");
        if (function == "groups") return values->groups();
        // The end of the last group is the start of the one after it. Rows do not know the empty groups at the end.
        const std::int64_t last = values->groups() - (function == "start" ? 0 : 1);
        if (group < 0 || (group > last && values->form != ListForm::Rows))
            return unexpected(ErrorCode::BadValue, quoted() + " asks for group " + std::to_string(group) + " of '" +
                                                       std::string(name) + "', which has " +
                                                       std::to_string(values->groups()));
        return function == "start" ? values->start(group) : values->count(group);
    }

    Result<std::int64_t> call(std::string_view function) {
        if (!accept("(")) return expected("'(' after " + std::string(function));
        CUBIST_TRY(const std::int64_t a, sum());
        if (!accept(",")) return expected("',' and a second argument of " + std::string(function));
        CUBIST_TRY(const std::int64_t b, sum());
        if (!accept(")")) return expected("')'");
        if (function == "min") return std::min(a, b);
        if (function == "max") return std::max(a, b);
        if (m_lookup == nullptr) return std::int64_t{0};
        if (b == 0) return unexpected(ErrorCode::BadValue, quoted() + " divides by zero");
        const std::optional<std::int64_t> quotient = ceilingDiv(a, b);
        if (!quotient) return tooLarge();
        return *quotient;
    }

    void skipSpace() {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t')) ++m_at;
    }

    bool accept(std::string_view token) {
        skipSpace();
        if (m_text.substr(m_at, token.size()) != token) return false;
        m_at += token.size();
        return true;
    }

    std::string quoted() const {
        constexpr std::size_t kShown = 60;
        return "'" + std::string(m_text.substr(0, kShown)) + (m_text.size() > kShown ? "...'" : "'");
    }

    Unexpected syntax(const std::string& why) const { return unexpected(ErrorCode::Syntax, quoted() + " " + why); }

    Unexpected expected(const std::string& what) const {
        Unexpected failure =
            syntax("is not an expression: expected " + what + " at column " + std::to_string(m_at + 1));
        if (m_text.substr(m_at, 1) == "/") failure.error.hint = "integer division is written //";
        return failure;
    }

    Unexpected tooLarge() const { return unexpected(ErrorCode::BadValue, quoted() + " does not fit 64 bits"); }

    std::string_view m_text;
    const Expression::Lookup* m_lookup;
    std::size_t m_at = 0;
    int m_depth = 0;
    std::vector<std::string> m_names;
    std::vector<std::string> m_lists;
};

}  // namespace

std::optional<std::int64_t> Expression::literal() const {
    std::int64_t value = 0;
    const char* const last = m_text.data() + m_text.size();
    const auto [end, status] = std::from_chars(m_text.data(), last, value);
    // Only the canonical spelling: "007" and "-0" keep their text.
    if (status != std::errc() || end != last || std::to_string(value) != m_text) return std::nullopt;
    return value;
}

Result<std::int64_t> Expression::evaluate(const Lookup& lookup) const {
    if (const std::optional<std::int64_t> value = literal()) return *value;
    if (isNameAlone(m_text))
        if (const std::optional<std::int64_t> value = lookup(m_text)) return *value;
    return Parser(m_text, &lookup).run();
}

Result<std::vector<std::string>> Expression::names() const {
    if (literal()) return std::vector<std::string>{};
    if (isNameAlone(m_text)) return std::vector<std::string>{m_text};
    Parser parser(m_text, nullptr);
    CUBIST_TRY([[maybe_unused]] const std::int64_t ignored, parser.run());
    return parser.takeNames();
}

Result<std::vector<std::string>> Expression::lists() const {
    if (literal() || isNameAlone(m_text)) return std::vector<std::string>{};
    Parser parser(m_text, nullptr);
    CUBIST_TRY([[maybe_unused]] const std::int64_t ignored, parser.run());
    return parser.takeLists();
}

Expression Expression::renamed(std::string_view from, std::string_view to) const {
    std::string out;
    for (std::size_t i = 0; i < m_text.size();) {
        std::size_t end = i;
        while (end < m_text.size() && (isNameStart(m_text[end]) || isDigit(m_text[end]))) ++end;
        if (end == i) {
            out += m_text[i++];
            continue;
        }
        const std::string_view word = std::string_view(m_text).substr(i, end - i);
        const std::size_t next = m_text.find_first_not_of(" \t", end);
        const bool called = next != std::string::npos && m_text[next] == '(';
        out += word == from && !called ? to : word;
        i = end;
    }
    return Expression(std::move(out));
}

}  // namespace cubist
