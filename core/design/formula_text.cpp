// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include "core/design/formula.h"
#include "core/design/formula_attributes.h"

namespace cubist {
namespace {

/// How tightly an expression holds together: a part that binds less than its surroundings needs parentheses.
enum Binding { kCompare = 1, kSum, kProduct, kUnary, kCall };

struct Text {
    std::string text;
    int binding = kCall;
};

struct Infix {
    VectorOpCode op;
    std::string_view sign;
    int binding;
};
constexpr std::array<Infix, 10> kInfixes{{{VectorOpCode::Add, " + ", kSum},
                                          {VectorOpCode::Sub, " - ", kSum},
                                          {VectorOpCode::Mul, " * ", kProduct},
                                          {VectorOpCode::Div, " / ", kProduct},
                                          {VectorOpCode::Eq, " == ", kCompare},
                                          {VectorOpCode::Ne, " != ", kCompare},
                                          {VectorOpCode::Lt, " < ", kCompare},
                                          {VectorOpCode::Le, " <= ", kCompare},
                                          {VectorOpCode::Gt, " > ", kCompare},
                                          {VectorOpCode::Ge, " >= ", kCompare}}};

/// Null for operations that are written as calls.
const Infix* infixOf(VectorOpCode op) {
    const auto found =
        std::find_if(kInfixes.begin(), kInfixes.end(), [op](const Infix& infix) { return infix.op == op; });
    return found == kInfixes.end() ? nullptr : &*found;
}

/// t1, t2 ...: a name that a formula gave a part.
bool isPartName(const std::string& name) {
    return name.size() > 1 && name[0] == 't' &&
           std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string nameText(const std::string& name) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               static_cast<unsigned char>(c) >= 0x80;
    };
    const bool usable = !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
                        std::all_of(name.begin(), name.end(), plain) && !fromText<DType>(name);
    return usable ? name : "`" + name + "`";
}

class Writer {
public:
    Writer(const std::vector<VectorOp>& ops, bool nested) : m_ops(ops), m_nested(nested) {
        for (std::size_t i = 0; i < ops.size(); ++i)
            for (const Operand& operand : ops[i].in)
                if (const ValueId* value = operand.value()) m_uses[value->text].push_back(i);
    }

    std::string write() {
        std::string all;
        for (std::size_t i = 0; i < m_ops.size(); ++i) {
            if (isPart(i)) continue;
            const VectorOp& op = m_ops[i];
            std::string line = nameText(op.out.text);
            if (!op.out2.empty()) line += ", " + nameText(op.out2.text);
            line += " = " + opText(i).text;
            all += (all.empty() ? "" : "\n") + line;
        }
        return all;
    }

private:
    /// Written inside of the operation that uses it.
    [[nodiscard]] bool isPart(std::size_t i) const {
        const VectorOp& op = m_ops[i];
        if (!m_nested || i + 1 == m_ops.size() || !isPartName(op.out.text) || !op.out2.empty()) return false;
        const auto uses = m_uses.find(op.out.text);
        return uses != m_uses.end() && uses->second.size() == 1 && uses->second[0] > i;
    }

    Text operandText(std::size_t user, const Operand& operand) {
        if (const double* number = operand.number())
            return {formula::numberText(*number), *number < 0 ? kUnary : kCall};
        const ValueId* value = operand.value();
        if (!value) return {"0", kCall};
        for (std::size_t i = 0; i < user; ++i)
            if (m_ops[i].out == *value && isPart(i)) return opText(i);
        return {nameText(value->text), kCall};
    }

    Text opText(std::size_t i) {
        const VectorOp& op = m_ops[i];
        const std::vector<std::string> attributes = formula::attributeTexts(op);
        const auto wrapped = [](const Text& text, int least) {
            return text.binding < least ? "(" + text.text + ")" : text.text;
        };
        if (const Infix* infix = infixOf(op.op); infix && attributes.empty() && op.in.size() == 2) {
            // The right-hand side of equals needs parentheses, and both sides of a comparison.
            const int left = infix->binding == kCompare ? kSum : infix->binding;
            return {wrapped(operandText(i, op.in[0]), left) + std::string(infix->sign) +
                        wrapped(operandText(i, op.in[1]), infix->binding + 1),
                    infix->binding};
        }
        if (op.op == VectorOpCode::Neg && attributes.empty() && op.in.size() == 1 && !op.in[0].number())
            return {"-" + wrapped(operandText(i, op.in[0]), kUnary), kUnary};
        std::string text(toText(op.op));
        text += "(";
        for (const Operand& operand : op.in) text += (text.back() == '(' ? "" : ", ") + operandText(i, operand).text;
        for (const std::string& attribute : attributes) text += (text.back() == '(' ? "" : ", ") + attribute;
        return {text + ")", kCall};
    }

    const std::vector<VectorOp>& m_ops;
    bool m_nested;
    std::map<std::string, std::vector<std::size_t>> m_uses;
};

/// The operations with the parts' names counted anew, for comparing.
std::vector<VectorOp> renumbered(std::vector<VectorOp> ops) {
    std::map<std::string, std::string> names;
    for (VectorOp& op : ops) {
        for (Operand& operand : op.in)
            if (const ValueId* value = operand.value())
                if (const auto known = names.find(value->text); known != names.end())
                    operand.source = ValueId(known->second);
        if (isPartName(op.out.text)) {
            const std::string name = "#" + std::to_string(names.size());
            names[op.out.text] = name;
            op.out = ValueId(name);
        }
    }
    return ops;
}

}  // namespace

std::string formulaText(const std::vector<VectorOp>& ops) {
    if (ops.empty()) return {};
    std::string nested = Writer(ops, true).write();
    const Formula back = parseFormula(nested, ops.back().out.text);
    // Writing a part where it is used may change the order of the operations; then every one gets its line.
    if (!back.problem && renumbered(back.ops) == renumbered(ops)) return nested;
    return Writer(ops, false).write();
}

}  // namespace cubist
