// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/op_patterns.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "core/design/vector_op_info.h"

namespace cubist {
namespace {

using enum VectorOpCode;

/// The number operand of an operation of two, and its other operand.
struct Scaled {
    const ValueId* value = nullptr;
    double number = 0;
    bool numberFirst = false;
};

std::optional<Scaled> scaled(const VectorOp& op) {
    if (op.in.size() != 2) return std::nullopt;
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
        if (op.in[i].number() != nullptr && op.in[1 - i].value() != nullptr)
            return Scaled{op.in[1 - i].value(), *op.in[i].number(), i == 0};
    return std::nullopt;
}

/// Changes the form or the type of a value, not what it is.
bool isTransparent(VectorOpCode op) {
    constexpr std::array kOps{Cast, Reshape, Unsqueeze, ExpandClone, Transpose, FillPad};
    return std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

class PatternFinder {
public:
    explicit PatternFinder(const ResolvedDesign& design) : m_design(design) {
        m_found.stages.resize(design.blocks.size());
        for (const ResolvedBlock& block : design.blocks)
            if (const auto* store = std::get_if<Store>(&block.block->content)) {
                const auto [entry, added] = m_stored.emplace(store->to.text, store->from.text);
                if (!added) entry->second.clear();  // several values: none in particular
            }
    }

    OpPatterns find() {
        for (std::size_t i = 0; i < m_design.blocks.size(); ++i) {
            if (const auto* cube = std::get_if<CubeStage>(&m_design.blocks[i].block->content))
                m_behind[cube->out.text].cubes = {i};
            if (const auto* stage = std::get_if<VectorStage>(&m_design.blocks[i].block->content))
                for (const VectorOp& op : stage->ops)
                    if (op.in.size() >= static_cast<std::size_t>(opInfo(op.op).minOperands)) visit(i, op);
        }
        return std::move(m_found);
    }

private:
    /// Matmuls whose results a value is made of, and those that went through an activation on the way.
    struct Behind {
        std::set<std::size_t> cubes, activated;
    };

    void visit(std::size_t block, const VectorOp& op) {
        StagePatterns& stage = m_found.stages[block];
        m_ops[op.out.text] = {&op, block};
        Behind behind;
        for (const Operand& operand : op.in)
            if (const ValueId* id = operand.value()) {
                const Behind& of = m_behind[root(*id)];
                behind.cubes.insert(of.cubes.begin(), of.cubes.end());
                behind.activated.insert(of.activated.begin(), of.activated.end());
            }
        if (isActivation(op)) {
            stage.activation = true;
            behind.activated = behind.cubes;
        }
        if (op.op == Softmax || (op.op == Sum && sumsExponentials(op))) stage.softmax = true;
        m_parts.clear();
        if (isNorm(op)) {
            stage.norm = stage.partOfNorm = true;
            for (const std::size_t part : m_parts) m_found.stages[part].partOfNorm = true;
        }
        findGate(block, op);
        m_behind[op.out.text] = std::move(behind);
    }

    /// The name of what a value is: through views, memory that one store fills, and transparent operations.
    [[nodiscard]] std::string root(const ValueId& id) const {
        constexpr int kFar = 64;
        std::string name = id.text;
        for (int steps = 0; steps < kFar; ++steps) {
            const ResolvedValue* value = m_design.value(ValueId(name));
            if (value == nullptr) break;
            std::string next;
            if (value->kind == ResolvedValue::Kind::View) {
                next = value->view->of.text;
            } else if (value->kind == ResolvedValue::Kind::Tensor) {
                const auto stored = m_stored.find(name);
                if (stored != m_stored.end()) next = stored->second;
            } else if (const VectorOp* op = opNamed(name); op != nullptr && isTransparent(op->op)) {
                if (const ValueId* in = op->in.front().value()) next = in->text;
            }
            if (next.empty()) break;
            name = std::move(next);
        }
        return name;
    }

    [[nodiscard]] const VectorOp* opNamed(const std::string& name) const {
        const auto found = m_ops.find(name);
        return found == m_ops.end() ? nullptr : found->second.first;
    }
    /// The operation that makes a value; null for what no vector operation makes.
    [[nodiscard]] const VectorOp* maker(const ValueId& id) const { return opNamed(root(id)); }
    [[nodiscard]] const VectorOp* maker(const Operand& operand) const {
        return operand.value() != nullptr ? maker(*operand.value()) : nullptr;
    }

    /// The root of x behind -x, c * x with c < 0, 0 - x; empty for anything else.
    [[nodiscard]] std::string negated(const Operand& operand) const {
        const VectorOp* op = maker(operand);
        if (op == nullptr) return {};
        if (op->op == Neg && op->in[0].value() != nullptr) return root(*op->in[0].value());
        const auto by = scaled(*op);
        if (!by) return {};
        const bool negative =
            (op->op == Mul && by->number < 0) || (op->op == Sub && by->numberFirst && by->number == 0);
        return negative ? root(*by->value) : std::string();
    }

    /// The root of x behind 1 + exp(-x).
    [[nodiscard]] std::string onePlusExp(const Operand& operand) const {
        const VectorOp* sum = maker(operand);
        const auto by = sum != nullptr && sum->op == Add ? scaled(*sum) : std::nullopt;
        if (!by || by->number != 1.0) return {};
        const VectorOp* power = maker(*by->value);
        return power != nullptr && power->op == Exp ? negated(power->in[0]) : std::string();
    }

    /// The root of x behind sigmoid(c * x), as one operation or written out.
    [[nodiscard]] std::string sigmoidOf(const Operand& operand) const {
        const VectorOp* op = maker(operand);
        if (op == nullptr) return {};
        if (op->op == Sigmoid && op->in[0].value() != nullptr) return unscaled(*op->in[0].value());
        if (op->op == Reciprocal) return onePlusExp(op->in[0]);
        const auto by = op->op == Div ? scaled(*op) : std::nullopt;
        return by && by->numberFirst && by->number == 1.0 ? onePlusExp(op->in[1]) : std::string();
    }

    /// The root of x behind c * x.
    [[nodiscard]] std::string unscaled(const ValueId& id) const {
        const VectorOp* op = maker(id);
        const auto by = op != nullptr && op->op == Mul ? scaled(*op) : std::nullopt;
        return by ? root(*by->value) : root(id);
    }

    [[nodiscard]] bool isActivation(const VectorOp& op) const {
        if (op.op == Silu || op.op == Gelu || op.op == Sigmoid || op.op == Relu) return true;
        if (op.op == Reciprocal) return !onePlusExp(op.in[0]).empty();
        if ((op.op != Mul && op.op != Div) || op.in.size() != 2) return false;
        const ValueId* first = op.in[0].value();
        const ValueId* second = op.in[1].value();
        if (op.op == Div) {
            const std::string x = onePlusExp(op.in[1]);
            const bool one = op.in[0].number() != nullptr && *op.in[0].number() == 1.0;
            return !x.empty() && (one || (first != nullptr && root(*first) == x));
        }
        return first != nullptr && second != nullptr &&
               (sigmoidOf(op.in[1]) == root(*first) || sigmoidOf(op.in[0]) == root(*second));
    }

    [[nodiscard]] bool sumsExponentials(const VectorOp& sum) const {
        const VectorOp* op = maker(sum.in[0]);
        if (op == nullptr) return false;
        if (op->op == Exp) return true;
        if (op->op != Where && op->op != Mul) return false;  // masked
        return std::any_of(op->in.begin(), op->in.end(), [&](const Operand& operand) {
            const VectorOp* part = maker(operand);
            return part != nullptr && part->op == Exp;
        });
    }

    /// Notes the stage of an operation that a norm is made of.
    void note(const VectorOp* op) {
        const auto found = m_ops.find(op->out.text);
        if (found != m_ops.end()) m_parts.push_back(found->second.second);
    }

    /// The operation behind sums with, products with and quotients by numbers.
    const VectorOp* withoutNumbers(const Operand& operand) {
        constexpr int kFar = 16;
        const VectorOp* op = maker(operand);
        for (int steps = 0; op != nullptr && steps < kFar; ++steps) {
            const bool plain = op->op == Add || op->op == Mul || op->op == Div || op->op == Maximum;
            const auto by = plain ? scaled(*op) : std::nullopt;
            if (!by) break;
            note(op);
            op = maker(*by->value);
        }
        return op;
    }

    /// The root of x behind the mean (or the sum) of x * x, with numbers added and multiplied.
    std::string meanSquare(const Operand& operand) {
        const VectorOp* sum = withoutNumbers(operand);
        if (sum == nullptr || sum->op != Sum) return {};
        note(sum);
        const VectorOp* square = withoutNumbers(sum->in[0]);
        if (square == nullptr || square->in.empty() || square->in[0].value() == nullptr) return {};
        note(square);
        const std::string x = root(*square->in[0].value());
        if (square->op == Pow && square->in[1].number() != nullptr && *square->in[1].number() == 2.0) return x;
        const bool same = square->op == Mul && square->in[1].value() != nullptr && root(*square->in[1].value()) == x;
        return same ? x : std::string();
    }

    /// The root of x behind the root of its mean square (`inverse`: its reciprocal).
    std::string rootMeanSquare(const Operand& operand, bool inverse) {
        const VectorOp* op = maker(operand);
        if (op == nullptr) return {};
        note(op);
        const bool power = op->op == Pow && op->in[1].number() != nullptr;
        if (op->op == (inverse ? Rsqrt : Sqrt) || (power && *op->in[1].number() == (inverse ? -0.5 : 0.5)))
            return meanSquare(op->in[0]);
        if (!inverse) return {};
        if (op->op == Reciprocal) return rootMeanSquare(op->in[0], false);
        const auto by = op->op == Div ? scaled(*op) : std::nullopt;
        return by && by->numberFirst ? rootMeanSquare(op->in[1], false) : std::string();
    }

    bool isNorm(const VectorOp& op) {
        if (op.op == RmsNorm) return true;
        if (op.op != Mul && op.op != Div) return false;
        for (const std::size_t i : {std::size_t{1}, std::size_t{0}}) {
            if (op.op == Div && i == 0) break;
            m_parts.clear();
            const std::string x = rootMeanSquare(op.in[i], op.op == Mul);
            if (!x.empty() && op.in[1 - i].value() != nullptr && isMadeOf(*op.in[1 - i].value(), x)) return true;
        }
        return false;
    }

    /// Is the value x, or x times something?
    [[nodiscard]] bool isMadeOf(const ValueId& id, const std::string& x) const {
        if (root(id) == x) return true;
        const VectorOp* op = maker(id);
        if (op == nullptr || op->op != Mul) return false;
        return std::any_of(op->in.begin(), op->in.end(), [&](const Operand& operand) {
            return operand.value() != nullptr && root(*operand.value()) == x;
        });
    }

    void findGate(std::size_t block, const VectorOp& op) {
        const bool known = !m_found.gates.empty() && m_found.gates.back().block == block;
        if (op.op != Mul || known || op.in[0].value() == nullptr || op.in[1].value() == nullptr) return;
        const Behind& first = m_behind[root(*op.in[0].value())];
        const Behind& second = m_behind[root(*op.in[1].value())];
        for (const auto& [activated, plain] : {std::pair{&first, &second}, std::pair{&second, &first}})
            for (const std::size_t gate : activated->activated)
                for (const std::size_t other : plain->cubes) {
                    if (gate == other || !isSameWindow(m_design, cubeAt(gate).a, cubeAt(other).a)) continue;
                    m_found.gates.push_back({block, gate, other});
                    return;
                }
    }

    [[nodiscard]] const CubeStage& cubeAt(std::size_t block) const {
        return *std::get_if<CubeStage>(&m_design.blocks[block].block->content);
    }

    const ResolvedDesign& m_design;
    OpPatterns m_found;
    std::map<std::string, std::string> m_stored;  ///< tensor -> the one value stored there; empty: several
    std::map<std::string, std::pair<const VectorOp*, std::size_t>> m_ops;  ///< value -> its operation and block
    std::map<std::string, Behind> m_behind;                                ///< by value
    std::vector<std::size_t> m_parts;  ///< stages of the operations that the norm under test is made of
};

}  // namespace

OpPatterns findPatterns(const ResolvedDesign& design) {
    return PatternFinder(design).find();
}

bool isSameWindow(const ResolvedDesign& design, const ValueId& a, const ValueId& b) {
    if (a == b) return true;
    const ResolvedValue *first = design.value(a), *second = design.value(b);
    if (first == nullptr || second == nullptr || first->view == nullptr || second->view == nullptr) return false;
    const View &one = *first->view, &other = *second->view;
    return one.shape == other.shape && one.offset == other.offset && one.valid == other.valid &&
           design.blocks[first->block].loops == design.blocks[second->block].loops &&
           isSameWindow(design, one.of, other.of);
}

}  // namespace cubist
