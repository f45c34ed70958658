// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/symbolic.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace cubist::pypto {
namespace {

using Kind = Symbolic::Kind;

SymbolicPtr node(Symbolic value) {
    return std::make_shared<const Symbolic>(std::move(value));
}

/// Reads an expression whose syntax is known to be right (Expression::names has looked at it).
class Parser {
public:
    explicit Parser(std::string_view text) : m_text(text) {}
    SymbolicPtr sum() {
        SymbolicPtr left = product();
        for (;;) {
            if (accept("+"))
                left = binary(Kind::Add, left, product());
            else if (accept("-"))
                left = binary(Kind::Sub, left, product());
            else
                return left;
        }
    }

private:
    SymbolicPtr product() {
        SymbolicPtr left = unary();
        for (;;) {
            if (accept("//"))
                left = binary(Kind::Div, left, unary());
            else if (accept("*"))
                left = binary(Kind::Mul, left, unary());
            else if (accept("%"))
                left = binary(Kind::Mod, left, unary());
            else
                return left;
        }
    }
    SymbolicPtr unary() {
        if (!accept("-")) return primary();
        skip();
        if (m_at < m_text.size() && digit(m_text[m_at])) return integer(true);
        return node({Kind::Neg, 0, {}, {}, {unary()}});
    }
    SymbolicPtr primary() {
        skip();
        if (accept("(")) {
            SymbolicPtr inner = sum();
            accept(")");
            return inner;
        }
        if (m_at < m_text.size() && digit(m_text[m_at])) return integer(false);
        const std::string word = identifier();
        if (word.empty()) return number(0);
        if (accept("[")) {
            SymbolicPtr index = sum();
            accept("]");
            return node({Kind::Entry, 0, word, {}, {index}});
        }
        if (!accept("(")) return name(word);
        SymbolicPtr result;
        if (word == "min" || word == "max" || word == "ceildiv") {
            SymbolicPtr a = sum();
            accept(",");
            const Kind kind = word == "min" ? Kind::Min : word == "max" ? Kind::Max : Kind::CeilDiv;
            result = binary(kind, a, sum());
        } else {
            skip();
            const std::string list = identifier();
            std::vector<SymbolicPtr> arguments;
            if (accept(",")) arguments.push_back(sum());
            result = node({Kind::OfList, 0, list, word, std::move(arguments)});
        }
        accept(")");
        return result;
    }
    SymbolicPtr integer(bool negative) {
        const std::size_t first = m_at;
        while (m_at < m_text.size() && digit(m_text[m_at])) ++m_at;
        const std::string digits = (negative ? "-" : "") + std::string(m_text.substr(first, m_at - first));
        std::int64_t value = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return number(value);
    }
    std::string identifier() {
        const std::size_t first = m_at;
        while (m_at < m_text.size() && (letter(m_text[m_at]) || digit(m_text[m_at]))) ++m_at;
        return std::string(m_text.substr(first, m_at - first));
    }
    static bool digit(char c) { return c >= '0' && c <= '9'; }
    static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
    void skip() {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t')) ++m_at;
    }
    bool accept(std::string_view token) {
        skip();
        if (m_text.substr(m_at, token.size()) != token) return false;
        m_at += token.size();
        return true;
    }
    std::string_view m_text;
    std::size_t m_at = 0;
};

std::optional<std::int64_t> evaluated(Kind kind, std::int64_t a, std::int64_t b) {
    // The operations of Expression, so that a folded number is the number a run sees.
    std::string text;
    const auto in = [](std::int64_t value) { return "(" + std::to_string(value) + ")"; };
    switch (kind) {
        case Kind::Add: text = in(a) + "+" + in(b); break;
        case Kind::Sub: text = in(a) + "-" + in(b); break;
        case Kind::Mul: text = in(a) + "*" + in(b); break;
        case Kind::Div: text = in(a) + "//" + in(b); break;
        case Kind::Mod: text = in(a) + "%" + in(b); break;
        case Kind::Min: return std::min(a, b);
        case Kind::Max: return std::max(a, b);
        case Kind::CeilDiv: text = "ceildiv(" + in(a) + "," + in(b) + ")"; break;
        case Kind::Number:
        case Kind::Name:
        case Kind::Neg:
        case Kind::Entry:
        case Kind::OfList: return std::nullopt;
    }
    const auto value = Expression(text).evaluate(Expression::Lookup());
    return value ? std::optional(*value) : std::nullopt;
}

SymbolicPtr simplified(Kind kind, SymbolicPtr a, SymbolicPtr b) {
    const auto left = literal(a), right = literal(b);
    if (left && right)
        if (const auto value = evaluated(kind, *left, *right)) return number(*value);
    if (kind == Kind::Add && left == 0) return b;
    if ((kind == Kind::Add || kind == Kind::Sub) && right == 0) return a;
    if (kind == Kind::Mul && (left == 0 || right == 0)) return number(0);
    if (kind == Kind::Mul && left == 1) return b;
    if ((kind == Kind::Mul || kind == Kind::Div || kind == Kind::CeilDiv) && right == 1) return a;
    if (right && (kind == Kind::Add || kind == Kind::Sub) && (a->kind == Kind::Add || a->kind == Kind::Sub)) {
        // (x + 1) - 1
        if (const auto inner = literal(a->arg[1])) {
            const auto sum = evaluated(kind == a->kind ? Kind::Add : Kind::Sub, *inner, *right);
            if (sum) return simplified(a->kind, a->arg[0], number(*sum));
        }
    }
    return binary(kind, std::move(a), std::move(b));
}

int precedence(const Symbolic& tree) {
    switch (tree.kind) {
        case Kind::Add:
        case Kind::Sub: return 1;
        case Kind::Mul:
        case Kind::Div:
        case Kind::Mod:
        case Kind::CeilDiv: return 2;
        case Kind::Neg: return 3;
        case Kind::Number: return tree.number < 0 ? 3 : 5;
        case Kind::Name:
        case Kind::Min:
        case Kind::Max:
        case Kind::Entry:
        case Kind::OfList: break;
    }
    return 5;
}

std::string written(const SymbolicPtr& tree, const PythonStyle& style, int outer) {
    const auto inner = [&](std::size_t i, int level) { return written(tree->arg[i], style, level); };
    std::string text;
    switch (tree->kind) {
        case Kind::Number: text = std::to_string(tree->number); break;
        case Kind::Name: text = style.python(tree->name); break;
        case Kind::Add: text = inner(0, 1) + " + " + inner(1, 1); break;
        case Kind::Sub: text = inner(0, 1) + " - " + inner(1, 2); break;
        case Kind::Mul: text = inner(0, 2) + " * " + inner(1, 3); break;
        case Kind::Div: text = inner(0, 2) + " // " + inner(1, 3); break;
        case Kind::Mod: text = inner(0, 2) + " % " + inner(1, 3); break;
        case Kind::Neg: text = "-" + inner(0, 3); break;
        case Kind::CeilDiv: {
            const auto divisor = literal(tree->arg[1]);
            const std::string added = divisor ? " + " + std::to_string(*divisor - 1) : " + " + inner(1, 1) + " - 1";
            text = "(" + inner(0, 1) + added + ") // " + inner(1, 3);
            break;
        }
        case Kind::Min:
        case Kind::Max: {
            const std::string function = tree->kind == Kind::Min ? "min" : "max";
            if (!style.symbolicScalars) {
                text = function + "(" + inner(0, 0) + ", " + inner(1, 0) + ")";
                break;
            }
            // The method belongs to the side that is no number.
            const auto isInteger = [&](std::size_t i) {
                return literal(tree->arg[i]) || (style.integer && style.integer(tree->arg[i]));
            };
            const std::size_t owner = isInteger(0) ? 1 : 0;
            if (isInteger(owner)) {
                text = "pypto." + function + "(" + inner(0, 0) + ", " + inner(1, 0) + ")";
                break;
            }
            text = inner(owner, 5) + "." + function + "(" + inner(1 - owner, 0) + ")";
            break;
        }
        case Kind::Entry: text = style.python(tree->name) + "[" + inner(0, 0) + "]"; break;
        case Kind::OfList:
            text = tree->function + "(" + tree->name + (tree->arg.empty() ? "" : ", " + inner(0, 0)) + ")";
            break;
    }
    return precedence(*tree) < outer ? "(" + text + ")" : text;
}

void collect(const SymbolicPtr& tree, std::vector<std::string>& names) {
    if (tree->kind == Kind::Name && std::find(names.begin(), names.end(), tree->name) == names.end())
        names.push_back(tree->name);
    for (const SymbolicPtr& argument : tree->arg) collect(argument, names);
}

}  // namespace

SymbolicPtr number(std::int64_t value) {
    return node({Kind::Number, value, {}, {}, {}});
}

SymbolicPtr name(const std::string& text) {
    return node({Kind::Name, 0, text, {}, {}});
}

SymbolicPtr binary(Kind kind, SymbolicPtr a, SymbolicPtr b) {
    return node({kind, 0, {}, {}, {std::move(a), std::move(b)}});
}

SymbolicPtr symbolic(const Expression& expression) {
    if (!expression.names()) return number(0);
    return Parser(expression.text()).sum();
}

SymbolicPtr folded(const SymbolicPtr& tree, const Constants& constants, const Lists& lists) {
    switch (tree->kind) {
        case Kind::Number: return tree;
        case Kind::Name: {
            const auto value = constants(tree->name);
            return value ? number(*value) : tree;
        }
        case Kind::Neg: {
            SymbolicPtr inner = folded(tree->arg[0], constants, lists);
            if (const auto value = literal(inner)) return number(-*value);
            return node({Kind::Neg, 0, {}, {}, {std::move(inner)}});
        }
        case Kind::Entry:
        case Kind::OfList: {
            const SymbolicPtr argument = tree->arg.empty() ? nullptr : folded(tree->arg[0], constants, lists);
            if (SymbolicPtr replaced = lists(*tree, argument)) return replaced;
            Symbolic copy = *tree;
            if (argument) copy.arg[0] = argument;
            return node(std::move(copy));
        }
        case Kind::Add:
        case Kind::Sub:
        case Kind::Mul:
        case Kind::Div:
        case Kind::Mod:
        case Kind::Min:
        case Kind::Max:
        case Kind::CeilDiv: break;
    }
    return simplified(tree->kind, folded(tree->arg[0], constants, lists), folded(tree->arg[1], constants, lists));
}

std::optional<std::int64_t> literal(const SymbolicPtr& tree) {
    return tree->kind == Kind::Number ? std::optional(tree->number) : std::nullopt;
}

std::vector<std::string> namesIn(const SymbolicPtr& tree) {
    std::vector<std::string> names;
    collect(tree, names);
    return names;
}

std::string pythonText(const SymbolicPtr& tree, const PythonStyle& style) {
    return written(tree, style, 0);
}

}  // namespace cubist::pypto
