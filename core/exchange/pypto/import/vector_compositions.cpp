// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <utility>

#include "core/exchange/pypto/import/vector_reader.h"

namespace cubist::pypto {
namespace {

/// The same tree, places aside? Names are enough: compositions repeat a name.
bool sameName(const AstNode& a, const AstNode& b) {
    return a.is("Name") && b.is("Name") && a.text("id") == b.text("id");
}

bool isCall(const AstNode& node, std::string_view name) {
    return node.is("Call") && pyptoFunction(node) == name;
}

}  // namespace

/// What exports write for operations that PyPTO does not have.
bool VectorReader::composition(const AstNode& node, const std::string& name, const std::vector<AstNode>& arguments,
                               const ValueId& out) {
    VectorOp op;
    op.out = out;
    // pypto.zeros(64, 512, dtype=..): full of one number
    if (name == "zeros" || name == "ones") {
        std::vector<std::int64_t> shape;
        for (const AstNode& each : arguments) {
            if (const auto several = m_scope.declaredExtents(each)) {
                shape.insert(shape.end(), several->begin(), several->end());
                continue;
            }
            const auto tree = m_scope.scalar(each);
            if (!tree) return false;
            const auto extent = m_scope.declaredExtent(*tree);
            if (!extent) return false;
            shape.insert(shape.end(), 1, extent.value_or(0));
        }
        if (shape.empty() || !dtypeOf(node.keyword("dtype"))) return false;
        op.op = VectorOpCode::Full;
        op.in = {Operand{name == "ones" ? 1.0 : 0.0}};
        op.shape = std::move(shape);
        op.dtype = dtypeOf(node.keyword("dtype"));
        push(std::move(op));
        return true;
    }
    // pypto.round of FP32: to an integer, ties to even, and back. Below 2^31 that is what the casts do.
    if (name == "round" && arguments.size() == 1 && node.list("keywords").empty()) {
        const auto x = operand(arguments[0]);
        if (!x || x->value() == nullptr || m_scope.typeOf(x->value()->text) != DType::FP32) return false;
        VectorOp whole;
        whole.op = op.op = VectorOpCode::Cast;
        whole.in = {*x};
        whole.out = m_fresh(m_target);
        whole.dtype = DType::INT32;
        whole.round = RoundMode::Rint;
        op.in = {Operand{whole.out}};
        op.dtype = DType::FP32;
        push(std::move(whole));
        push(std::move(op));
        m_guesses.emplace_back(
            "pypto.round is a cast to INT32 and back in a design, which is the same below 2^31 only: larger values, "
            "infinities and NaN come out otherwise");
        return true;
    }
    const auto give = [&](VectorOpCode code, std::vector<std::optional<Operand>> operands) {
        for (auto& each : operands) {
            if (!each) return false;
            op.in.push_back(*each);
        }
        op.op = code;
        push(op);
        return true;
    };
    // 1 / (exp(x * -1) + 1)
    if (name == "reciprocal" && arguments.size() == 1 && isCall(arguments[0], "add")) {
        const AstNode power = arguments[0].argument(0, "input");
        const AstNode product = isCall(power, "exp") ? power.argument(0, "input") : AstNode();
        if (isCall(product, "mul") && product.argument(0, "input").is("Name") &&
            product.argument(1, "other").number() == -1.0 && arguments[0].argument(1, "other").number() == 1.0)
            return give(VectorOpCode::Sigmoid, {operand(product.argument(0, "input"))});
    }
    if (arguments.size() != 2) return false;
    const AstNode a = arguments[0], b = arguments[1];
    // number - x
    if (name == "add" && isCall(a, "neg") && b.number())
        return give(VectorOpCode::Sub, {Operand{*b.number()}, operand(a.argument(0, "input"))});
    if (name == "mul" && isCall(a, "rms_norm") && b.is("Name")) {
        if (const auto epsilon = a.argument(2, "epsilon").number()) op.epsilon = *epsilon;
        if (a.argument(1, "gamma").exists()) return false;
        return give(VectorOpCode::RmsNorm, {operand(a.argument(0, "input")), operand(b)});
    }
    if (name != "div") return false;
    if (isCall(a, "full") && a.argument(1, "fill_value").number())
        return give(VectorOpCode::Div, {Operand{*a.argument(1, "fill_value").number()}, operand(b)});
    // x / (exp(x * -1) + 1)
    if (!isCall(b, "add") || b.argument(1, "other").number() != 1.0) return false;
    const AstNode power = b.argument(0, "input");
    if (!isCall(power, "exp")) return false;
    const AstNode product = power.argument(0, "input");
    if (!isCall(product, "mul")) return false;
    if (sameName(product.argument(0, "input"), a) && product.argument(1, "other").number() == -1.0)
        return give(VectorOpCode::Silu, {operand(a)});
    if (isCall(product.argument(0, "input"), "add") && product.argument(1, "other").number() == -1.5957691216057308)
        return give(VectorOpCode::Gelu, {operand(a)});
    return false;
}

/// Operands of fewer axes get leading ones of one element, as PyPTO takes them.
void VectorReader::alignRanks(VectorOp& op) {
    const auto rankOf = [&](const Operand& each) -> std::size_t {
        const auto* extents = each.value() == nullptr ? nullptr : m_scope.extentsOf(each.value()->text);
        return extents == nullptr ? 0 : extents->size();
    };
    std::size_t rank = 0;
    for (const Operand& each : op.in) rank = std::max(rank, rankOf(each));
    for (Operand& each : op.in)
        for (std::size_t have = rankOf(each); have > 0 && have < rank; ++have) {
            VectorOp longer;
            longer.op = VectorOpCode::Unsqueeze;
            longer.dim = 0;
            longer.in = {each};
            longer.out = m_fresh(m_target);
            each = Operand{longer.out};
            push(std::move(longer));
        }
}

bool VectorReader::fixedNumbers(const AstNode& list, std::vector<std::int64_t>& into) {
    if (!list.is("List") && !list.is("Tuple")) return false;
    for (const AstNode& each : list.list("elts")) {
        const auto tree = m_scope.scalar(each);
        const auto value = tree ? literal(tidied(*tree)) : std::nullopt;
        if (!value) return false;
        into.push_back(*value);
    }
    return true;
}

bool VectorReader::wholeOrFixed(const AstNode& shape, const AstNode& input) {
    if (!shape.is("List") && !shape.is("Tuple")) return true;  // x.shape
    const KernelScope::Variable* of = m_scope.find(input.dotted());
    const auto* extents = of == nullptr ? nullptr : m_scope.extentsOf(of->id);
    const auto axes = shape.list("elts");
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto tree = m_scope.scalar(axes[i]);
        if (!tree) return false;
        if (literal(tidied(*tree)) || m_scope.followsFactor(tidied(*tree))) continue;
        const auto declared = m_scope.declaredExtent(*tree);
        if (!declared || extents == nullptr || i >= extents->size() || (*extents)[i] != *declared) return false;
    }
    return true;
}

bool VectorReader::validFits(const AstNode& valid, const AstNode& shape) {
    if (!valid.exists() || valid.text("kind") == "none") return true;
    const auto given = valid.list("elts"), axes = shape.list("elts");
    if (given.size() != axes.size()) return false;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto part = m_scope.scalar(given[i]), axis = m_scope.scalar(axes[i]);
        if (!part || !axis) return false;
        if (difference(*part, *axis) == 0 || m_scope.isValidPart(*part)) continue;
        return false;
    }
    return true;
}

}  // namespace cubist::pypto
