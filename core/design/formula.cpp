// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/formula.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "core/design/formula_attributes.h"
#include "core/design/vector_op_info.h"

namespace cubist {
namespace {

constexpr int kDeepest = 200;  // parentheses inside each other

struct Token {
    enum class Kind : std::uint8_t { Name, Number, Sign, List, End } kind = Kind::End;
    std::string text;  ///< a name without its backquotes, a list with its brackets
    std::size_t begin = 0, end = 0;
};

bool beginsName(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

/// A line without its comment, cut into tokens.
class Tokens {
public:
    Tokens(std::string_view line, std::size_t offset) : m_line(line), m_offset(offset) { advance(); }

    [[nodiscard]] const Token& current() const { return m_current; }
    [[nodiscard]] bool is(std::string_view sign) const {
        return m_current.kind == Token::Kind::Sign && m_current.text == sign;
    }
    Token take() {
        Token token = std::move(m_current);
        advance();
        return token;
    }
    bool take(std::string_view sign) {
        if (!is(sign)) return false;
        advance();
        return true;
    }
    /// What follows the current token, without moving.
    [[nodiscard]] Token next() const {
        Tokens ahead = *this;
        ahead.advance();
        return ahead.m_current;
    }

private:
    void advance() {
        while (m_at < m_line.size() && (m_line[m_at] == ' ' || m_line[m_at] == '\t' || m_line[m_at] == '\r')) ++m_at;
        const std::size_t begin = m_at;
        Token token;
        if (m_at >= m_line.size()) {
            token.kind = Token::Kind::End;
        } else if (const char c = m_line[m_at]; c == '`') {
            const std::size_t close = m_line.find('`', m_at + 1);
            m_at = close == std::string_view::npos ? m_line.size() : close + 1;
            token.kind = Token::Kind::Name;
            token.text = m_line.substr(begin + 1, m_at - begin - (close == std::string_view::npos ? 1 : 2));
        } else if (beginsName(c)) {
            while (m_at < m_line.size() && (beginsName(m_line[m_at]) || isDigit(m_line[m_at]))) ++m_at;
            token.kind = Token::Kind::Name;
            token.text = m_line.substr(begin, m_at - begin);
        } else if (isDigit(c) || (c == '.' && m_at + 1 < m_line.size() && isDigit(m_line[m_at + 1]))) {
            takeNumber();
            token.kind = Token::Kind::Number;
            token.text = m_line.substr(begin, m_at - begin);
        } else if (c == '[') {
            const std::size_t close = m_line.find(']', m_at);
            m_at = close == std::string_view::npos ? m_line.size() : close + 1;
            token.kind = Token::Kind::List;
            token.text = m_line.substr(begin, m_at - begin);
        } else {
            static constexpr std::array<std::string_view, 4> kPairs{"==", "!=", "<=", ">="};
            const std::string_view two = m_line.substr(m_at, 2);
            m_at += 1;
            for (const std::string_view pair : kPairs)
                if (two == pair) m_at = begin + 2;
            token.kind = Token::Kind::Sign;
            token.text = m_line.substr(begin, m_at - begin);
        }
        token.begin = m_offset + begin;
        token.end = m_offset + m_at;
        m_current = std::move(token);
    }
    void takeNumber() {
        while (m_at < m_line.size() && (isDigit(m_line[m_at]) || m_line[m_at] == '.')) ++m_at;
        if (m_at >= m_line.size() || (m_line[m_at] != 'e' && m_line[m_at] != 'E')) return;
        std::size_t digits = m_at + 1;
        if (digits < m_line.size() && (m_line[digits] == '+' || m_line[digits] == '-')) ++digits;
        if (digits >= m_line.size() || !isDigit(m_line[digits])) return;
        m_at = digits;
        while (m_at < m_line.size() && isDigit(m_line[m_at])) ++m_at;
    }

    std::string_view m_line;
    std::size_t m_offset;
    std::size_t m_at = 0;
    Token m_current;
};

struct Operator {
    std::string_view sign;
    VectorOpCode op;
};
constexpr std::array<Operator, 6> kComparisons{{{"==", VectorOpCode::Eq},
                                                {"!=", VectorOpCode::Ne},
                                                {"<=", VectorOpCode::Le},
                                                {">=", VectorOpCode::Ge},
                                                {"<", VectorOpCode::Lt},
                                                {">", VectorOpCode::Gt}}};
constexpr std::array<Operator, 2> kSums{{{"+", VectorOpCode::Add}, {"-", VectorOpCode::Sub}}};
constexpr std::array<Operator, 2> kProducts{{{"*", VectorOpCode::Mul}, {"/", VectorOpCode::Div}}};

class Parser {
public:
    Parser(std::string_view text, std::string resultName) : m_text(text), m_resultName(std::move(resultName)) {}

    Formula parse() {
        collectNames();
        std::vector<std::pair<std::string_view, std::size_t>> lines = splitLines();
        if (lines.empty()) fail("a stage needs an operation", 0, m_text.size());
        for (std::size_t i = 0; i < lines.size() && !m_problem; ++i) {
            Tokens tokens(lines[i].first, lines[i].second);
            m_tokens = &tokens;
            parseLine(i + 1 == lines.size());
        }
        if (m_problem) return {{}, std::move(m_problem)};
        return {std::move(m_ops), std::nullopt};
    }

private:
    /// A value: an operand, and the operation that made it when that has no name yet.
    struct Value {
        Operand operand;
        std::optional<std::size_t> op;
    };

    std::vector<std::pair<std::string_view, std::size_t>> splitLines() const {
        std::vector<std::pair<std::string_view, std::size_t>> lines;
        std::size_t begin = 0;
        while (begin <= m_text.size()) {
            std::size_t end = m_text.find_first_of("\n;", begin);
            if (end == std::string_view::npos) end = m_text.size();
            std::string_view line = m_text.substr(begin, end - begin);
            line = line.substr(0, line.find('#'));
            if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.emplace_back(line, begin);
            begin = end + 1;
        }
        return lines;
    }

    void collectNames() {
        for (const auto& [line, offset] : splitLines())
            for (Tokens tokens(line, offset); tokens.current().kind != Token::Kind::End; tokens.take())
                if (tokens.current().kind == Token::Kind::Name) m_names.insert(tokens.current().text);
        m_names.insert(m_resultName);
    }

    void fail(std::string message, std::size_t begin, std::size_t end) {
        if (!m_problem) m_problem = FormulaProblem{std::move(message), begin, std::max(end, begin + 1)};
    }
    void failHere(const std::string& message) { fail(message, m_tokens->current().begin, m_tokens->current().end); }

    void parseLine(bool last) {
        std::vector<std::string> names;
        const std::size_t begin = m_tokens->current().begin;
        if (m_tokens->current().kind == Token::Kind::Name) {
            Tokens ahead = *m_tokens;
            names.push_back(ahead.take().text);
            while (ahead.take(",") && ahead.current().kind == Token::Kind::Name) names.push_back(ahead.take().text);
            if (ahead.take("="))
                *m_tokens = ahead;
            else
                names.clear();
        }
        if (names.size() > 2) fail("an operation has one result, or two", begin, m_tokens->current().begin);
        const Value value = comparison(0);
        if (m_problem) return;
        if (m_tokens->current().kind != Token::Kind::End) {
            failHere("'" + m_tokens->current().text + "' is not expected here");
            return;
        }
        if (!value.op) {
            fail("an operation is wanted: a name or a number alone gives no new value", begin, m_tokens->current().end);
            return;
        }
        if (names.empty() && !last) {
            fail("only the last line may go without a name", begin, m_tokens->current().end);
            return;
        }
        VectorOp& op = m_ops[*value.op];
        --m_parts;
        op.out = ValueId(names.empty() ? m_resultName : names[0]);
        if (names.size() == 2) {
            if (!opFields(op.op).second)
                fail(std::string(toText(op.op)) + " has one result", begin, m_tokens->current().end);
            op.out2 = ValueId(names[1]);
        }
    }

    template <std::size_t N, class Inner>
    Value chain(const std::array<Operator, N>& operators, bool repeated, int depth, Inner&& inner) {
        Value left = inner(depth);
        while (!m_problem) {
            const Operator* found = nullptr;
            for (const Operator& candidate : operators)
                if (m_tokens->is(candidate.sign)) found = &candidate;
            if (!found) break;
            m_tokens->take();
            const Value right = inner(depth);
            if (m_problem) break;
            VectorOp op;
            op.op = found->op;
            op.in = {named(left), named(right)};
            left = push(std::move(op));
            if (!repeated) break;
        }
        return left;
    }
    Value comparison(int depth) {
        return chain(kComparisons, false, depth, [this](int inner) { return sum(inner); });
    }
    Value sum(int depth) {
        return chain(kSums, true, depth, [this](int inner) { return product(inner); });
    }
    Value product(int depth) {
        return chain(kProducts, true, depth, [this](int inner) { return unary(inner); });
    }

    Value unary(int depth) {
        if (depth > kDeepest) {
            failHere("too many parentheses inside each other");
            return {};
        }
        if (!m_tokens->take("-")) return primary(depth);
        const Value value = unary(depth + 1);
        if (m_problem) return {};
        if (const double* number = value.operand.number(); number && !value.op)
            return {Operand{.source = -*number}, std::nullopt};
        VectorOp op;
        op.op = VectorOpCode::Neg;
        op.in = {named(value)};
        return push(std::move(op));
    }

    Value primary(int depth) {
        const Token token = m_tokens->current();
        if (token.kind == Token::Kind::Number) {
            m_tokens->take();
            double number = 0.0;
            const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), number);
            if (error != std::errc{} || end != token.text.data() + token.text.size() || !std::isfinite(number))
                fail("'" + token.text + "' is no number", token.begin, token.end);
            return {Operand{.source = number}, std::nullopt};
        }
        if (token.kind == Token::Kind::Name) {
            m_tokens->take();
            if (m_tokens->is("(")) return call(token, depth + 1);
            return {Operand{.source = ValueId(token.text)}, std::nullopt};
        }
        if (m_tokens->take("(")) {
            const Value value = comparison(depth + 1);
            if (!m_problem && !m_tokens->take(")")) failHere("')' is missing");
            return value;
        }
        failHere(token.kind == Token::Kind::End ? "a value is missing" : "'" + token.text + "' is not expected here");
        return {};
    }

    Value call(const Token& name, int depth) {
        const auto code = fromText<VectorOpCode>(name.text);
        if (!code) {
            fail("there is no operation '" + name.text + "'", name.begin, name.end);
            return {};
        }
        VectorOp op;
        op.op = *code;
        m_tokens->take("(");
        while (!m_problem && !m_tokens->is(")")) {
            if (m_tokens->current().kind == Token::Kind::Name && m_tokens->next().text == "=")
                attribute(op);
            else
                argument(op, depth);
            if (!m_tokens->take(",")) break;
        }
        if (m_problem) return {};
        if (!m_tokens->is(")")) {
            failHere("')' is missing");
            return {};
        }
        const std::size_t end = m_tokens->take().end;
        checkCall(op, name.begin, end);
        return push(std::move(op));
    }

    void argument(VectorOp& op, int depth) {
        const Token token = m_tokens->current();
        if (token.kind == Token::Kind::Name && fromText<DType>(token.text)) {
            op.dtype = fromText<DType>(token.text);
            m_tokens->take();
            return;
        }
        const Value value = comparison(depth);
        if (!m_problem) op.in.push_back(named(value));
    }

    void attribute(VectorOp& op) {
        const Token key = m_tokens->take();
        m_tokens->take("=");
        const Token first = m_tokens->current();
        std::string value;
        if (m_tokens->take("-")) value = "-";
        const Token token = m_tokens->take();
        if (token.kind == Token::Kind::End || token.kind == Token::Kind::Sign) {
            fail("the value of " + key.text + " is missing", key.begin, token.end);
            return;
        }
        value += token.text;
        const std::vector<std::string_view> known = formula::attributeKeys(op.op);
        if (std::find(known.begin(), known.end(), key.text) == known.end()) {
            std::string list;
            for (const std::string_view entry : known) list += (list.empty() ? "" : ", ") + std::string(entry);
            fail(std::string(toText(op.op)) + " has no attribute '" + key.text + "'; it has " + list, key.begin,
                 key.end);
        } else if (auto problem = formula::setAttribute(op, key.text, value)) {
            fail(std::move(*problem), first.begin, token.end);
        }
    }

    void checkCall(VectorOp& op, std::size_t begin, std::size_t end) {
        const OpInfo info = opInfo(op.op);
        const int count = static_cast<int>(op.in.size());
        const std::string name(toText(op.op));
        if (count < info.minOperands || count > info.maxOperands) {
            std::string wanted = std::to_string(info.minOperands);
            if (info.maxOperands != info.minOperands) wanted += " to " + std::to_string(info.maxOperands);
            fail(name + " takes " + wanted + (wanted == "1" ? " operand" : " operands") + ", here are " +
                     std::to_string(count),
                 begin, end);
        } else if (op.op == VectorOpCode::Cast && !op.dtype) {
            fail("cast needs a type, as in cast(x, BF16)", begin, end);
        }
    }

    static Operand named(const Value& value) { return value.operand; }
    /// Every operation gets a name in its turn; the last one of a line gives it back for its own.
    Value push(VectorOp op) {
        op.out = ValueId(partName(++m_parts));
        m_ops.push_back(std::move(op));
        return {Operand{.source = m_ops.back().out}, m_ops.size() - 1};
    }
    std::string partName(int number) {
        std::string name;
        do {
            name = "t" + std::to_string(number + m_skipped);
        } while (m_names.contains(name) && ++m_skipped > 0);
        return name;
    }

    std::string_view m_text;
    std::string m_resultName;
    std::set<std::string> m_names;
    Tokens* m_tokens = nullptr;
    std::vector<VectorOp> m_ops;
    std::optional<FormulaProblem> m_problem;
    int m_parts = 0;
    int m_skipped = 0;  ///< numbers that the text uses itself
};

}  // namespace

Formula parseFormula(std::string_view text, const std::string& resultName) {
    return Parser(text, resultName).parse();
}

std::string formulaSignature(VectorOpCode op) {
    const OpInfo info = opInfo(op);
    std::string text(toText(op));
    text += "(";
    constexpr int kShown = 3;
    for (int i = 0; i < std::min(info.maxOperands, kShown); ++i) {
        const std::string name(1, static_cast<char>('a' + i));
        text += (i > 0 ? ", " : "") + (i < info.minOperands ? name : "[" + name + "]");
    }
    if (info.maxOperands > kShown) text += ", ...";
    for (const std::string_view key : formula::attributeKeys(op)) {
        if (text.back() != '(') text += ", ";
        text += std::string(key) + "=";
    }
    return text + ")";
}

}  // namespace cubist
