// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/vector_reader.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "core/base/enum_table.h"
#include "core/design/vector_op_info.h"

namespace cubist::pypto {
namespace {

std::string_view lastPart(const std::string& dotted) {
    const std::size_t dot = dotted.rfind('.');
    return dot == std::string::npos ? std::string_view(dotted) : std::string_view(dotted).substr(dot + 1);
}

std::optional<RoundMode> roundOf(const AstNode& node) {
    const std::string dotted = node.dotted();
    const std::string_view mode = lastPart(dotted);
    constexpr std::string_view kPrefix = "CAST_";
    if (!mode.starts_with(kPrefix)) return std::nullopt;
    return fromText<RoundMode>(mode.substr(kPrefix.size()));
}

}  // namespace

std::string pyptoFunction(const AstNode& call) {
    const std::string name = call["func"].dotted();
    constexpr std::string_view kPrefix = "pypto.";
    return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : std::string();
}

std::optional<DType> dtypeOf(const AstNode& node) {
    const std::string dotted = node.dotted();
    if (!dotted.starts_with("pypto.")) return std::nullopt;
    std::string_view name = lastPart(dotted);
    if (!name.starts_with("DT_")) return std::nullopt;
    name.remove_prefix(3);
    if (name == "FP4_E2M1" || name == "FP4_E2M1X2") return DType::FP4E2M1;
    if (name == "FP4_E1M2" || name == "FP4_E1M2X2") return DType::FP4E1M2;
    return fromText<DType>(name);
}

std::optional<std::vector<std::int64_t>> integersOf(const AstNode& node) {
    if (!node.is("List") && !node.is("Tuple")) return std::nullopt;
    std::vector<std::int64_t> out;
    for (const AstNode& each : node.list("elts")) {
        const auto value = each.integer();
        if (!value) return std::nullopt;
        out.push_back(*value);
    }
    return out;
}

std::vector<AstNode> slicedAxes(const AstNode& key, std::size_t rank) {
    std::vector<AstNode> parts = key.is("Tuple") ? key.list("elts") : std::vector<AstNode>{key};
    const auto rest =
        std::find_if(parts.begin(), parts.end(), [](const AstNode& each) { return each.text("kind") == "ellipsis"; });
    if (rest == parts.end()) return parts;
    const std::size_t more = rank + 1 - std::min(rank + 1, parts.size());
    parts.insert(parts.erase(rest), more, AstNode());
    return parts;
}

std::string subscriptProblem(const std::vector<AstNode>& parts, std::size_t rank) {
    for (const AstNode& each : parts) {
        if (each.text("kind") == "none" || each.dotted().ends_with("newaxis"))
            return "a subscript with None, which PyPTO has not: pypto.unsqueeze adds an axis";
        if (each.text("kind") == "ellipsis") return "a subscript with more than one ...";
    }
    if (parts.size() <= rank) return {};
    return "a subscript of " + std::to_string(parts.size()) + " axes; the value has " + std::to_string(rank);
}

bool VectorReader::fail(const std::string& why) {
    if (m_why.empty()) m_why = why;
    return false;
}

std::optional<std::vector<VectorOp>> VectorReader::read(const AstNode& node, const ValueId& out, const ValueId& out2,
                                                        std::string& why) {
    // An operand that gets a block of its own may have operands with operations.
    auto outer = std::tuple(std::exchange(m_ops, {}), std::exchange(m_why, {}), std::exchange(m_target, out.text),
                            std::exchange(m_depth, 0));
    std::optional<std::vector<VectorOp>> ops;
    if (expression(node, out, out2) && !m_ops.empty()) ops = std::move(m_ops);
    why = m_why;
    std::tie(m_ops, m_why, m_target, m_depth) = std::move(outer);
    return ops;
}

std::optional<Operand> VectorReader::operand(const AstNode& node) {
    if (const auto value = m_scope.real(node)) return Operand{*value};
    if (std::optional<ValueId> made; m_ownBlock(node, made)) {
        if (!made) return std::nullopt;
        return Operand{*made};
    }
    if (node.is("Name")) {
        const KernelScope::Variable* variable = m_scope.find(std::string(node.text("id")));
        if (variable == nullptr || variable->kind == KernelScope::Variable::Kind::Scalar) return std::nullopt;
        return Operand{ValueId(variable->id)};
    }
    if (++m_depth > 32) return std::nullopt;
    const ValueId inner = m_fresh(m_target);
    if (!expression(node, inner, ValueId())) return std::nullopt;
    --m_depth;
    return Operand{inner};
}

bool VectorReader::expression(const AstNode& node, const ValueId& out, const ValueId& out2) {
    if (node.is("BinOp")) {
        constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kOperators{
            {{"Add", "add"}, {"Sub", "sub"}, {"Mult", "mul"}, {"Div", "div"}, {"Pow", "pow"}}};
        for (const auto& [op, name] : kOperators)
            if (node.text("op") == op) return call(node, std::string(name), {node["left"], node["right"]}, out, out2);
        return fail("an operator that vector operations do not have");
    }
    if (node.is("UnaryOp") && node.text("op") == "USub") return call(node, "neg", {node["operand"]}, out, out2);
    if (node.is("Compare")) return comparison(node, out, out2);
    if (node.is("Subscript")) return slice(node, out);
    if (!node.is("Call")) return fail("an expression that vector operations do not have");
    std::string name = pyptoFunction(node);
    std::vector<AstNode> arguments = node.list("args");
    if (name.empty() && node["func"].is("Attribute")) {
        name = std::string(node["func"].text("attr"));  // value.exp()
        arguments.insert(arguments.begin(), node["func"]["value"]);
    }
    if (name.empty()) return fail("not a call of PyPTO");
    return call(node, name, std::move(arguments), out, out2);
}

void VectorReader::push(VectorOp op) {
    std::vector<OperandType> operands;
    bool known = true, typed = true;
    for (const Operand& each : op.in) {
        OperandType& type = operands.emplace_back();
        const ValueId* id = each.value();
        type.number = id == nullptr;
        if (id == nullptr) continue;
        const auto dtype = m_scope.typeOf(id->text);
        typed = typed && dtype;
        type.dtype = dtype.value_or(DType::FP32);
        const auto* extents = m_scope.extentsOf(id->text);
        const KernelScope::Variable* tensor = m_scope.find(id->text);
        if (extents != nullptr)
            type.shape = *extents;
        else if (tensor != nullptr && tensor->kind == KernelScope::Variable::Kind::Tensor && !tensor->extents.empty())
            type.shape = tensor->extents;
        else
            known = false;
        for (const std::int64_t extent : type.shape) known = known && extent > 0;
    }
    if (known && op.range.empty()) {
        const OpResultType result = inferOp(op, operands);
        if (!result.problem) {
            m_scope.setExtents(op.out.text, result.shape);
            if (typed) m_scope.setType(op.out.text, result.dtype);
            if (!op.out2.empty()) m_scope.setExtents(op.out2.text, result.shape2);
        }
    }
    m_ops.push_back(std::move(op));
}

bool VectorReader::comparison(const AstNode& node, const ValueId& out, const ValueId& out2) {
    constexpr std::array<std::array<std::string_view, 3>, 6> kNames{{{"Eq", "eq", "eq"},
                                                                     {"NotEq", "ne", "ne"},
                                                                     {"Lt", "lt", "gt"},
                                                                     {"LtE", "le", "ge"},
                                                                     {"Gt", "gt", "lt"},
                                                                     {"GtE", "ge", "le"}}};
    const auto others = node.list("comparators");
    if (others.size() != 1) return fail("more than one comparison at once");
    const bool turned = node["left"].number().has_value();  // 0 < x is x > 0
    for (const auto& [op, name, mirrored] : kNames)
        if (node.firstText("ops") == op)
            return turned ? call(node, std::string(mirrored), {others[0], node["left"]}, out, out2)
                          : call(node, std::string(name), {node["left"], others[0]}, out, out2);
    return fail("a comparison that vector operations do not have");
}

bool VectorReader::slice(const AstNode& node, const ValueId& out) {
    const auto from = operand(node["value"]);
    const auto* extents = from && from->value() != nullptr ? m_scope.extentsOf(from->value()->text) : nullptr;
    if (extents == nullptr) return fail("a slice of a value whose shape is not known");
    const std::vector<AstNode> parts = slicedAxes(node["slice"], extents->size());
    if (const std::string problem = subscriptProblem(parts, extents->size()); !problem.empty()) return fail(problem);
    VectorOp op;
    op.op = VectorOpCode::Slice;
    op.in = {*from};
    op.out = out;
    for (std::size_t i = 0; i < extents->size(); ++i) {
        const std::int64_t extent = (*extents)[i];
        std::int64_t first = 0, last = extent;
        if (i < parts.size() && parts[i].exists()) {
            if (!parts[i].is("Slice") || parts[i]["step"].exists())
                return fail("a slice that is no range of each axis");
            for (const auto& [bound, into] : {std::pair{"lower", &first}, std::pair{"upper", &last}}) {
                if (!parts[i][bound].exists()) continue;
                const auto tree = m_scope.scalar(parts[i][bound]);
                const auto value = tree ? m_scope.declaredExtent(*tree) : std::nullopt;
                if (!value) return fail("the bounds of a slice are not known when the kernel is compiled");
                *into = *value < 0 ? *value + extent : *value;
                // The largest of a length that changes stands for it only where that is the whole axis.
                const bool whole = bound == std::string_view("upper") && *value == extent;
                if (!whole && !literal(tidied(*tree)))
                    return fail("the bounds of a slice are not known when the kernel is compiled");
            }
        }
        if (first < 0 || first >= last || last > extent) return fail("a slice that its value does not have");
        op.shape.push_back(last - first);
        op.offset.push_back(first);
    }
    if (std::all_of(op.offset.begin(), op.offset.end(), [](std::int64_t each) { return each == 0; })) op.offset.clear();
    push(std::move(op));
    return true;
}

bool VectorReader::call(const AstNode& node, const std::string& name, std::vector<AstNode> arguments,
                        const ValueId& out, const ValueId& out2) {
    if (composition(node, name, arguments, out)) return true;
    VectorOp op;
    op.out = out;
    op.out2 = out2;
    std::vector<std::string_view> asked{
        "valid_shape"};      // the keywords that are taken; a valid part follows its operands'
    std::size_t places = 0;  // how many arguments by place are taken
    const auto given = [&](std::size_t place, std::string_view keyword) {
        asked.push_back(keyword);
        places = std::max(places, place + 1);
        return place < arguments.size() ? arguments[place] : node.keyword(keyword);
    };
    // A keyword that nothing asks for would change the values without a word.
    const auto allTaken = [&] {
        if (arguments.size() > places) return fail("pypto." + name + " has more arguments than are understood");
        if (node.is("Call"))
            for (const AstNode& each : node.list("keywords"))
                if (std::find(asked.begin(), asked.end(), each.text("arg")) == asked.end())
                    return fail("the argument " + std::string(each.text("arg")) + " of " + name + " is not understood");
        return true;
    };
    const auto flag = [&](std::size_t place, std::string_view keyword, bool without) {
        const AstNode value = given(place, keyword);
        if (value.exists() && !value.boolean()) (void)fail(std::string(keyword) + " is neither True nor False");
        return value.boolean().value_or(without);
    };
    std::string known = name;
    if (known == "greater") known = "gt";
    if (known == "scatter_") known = "scatter";
    if (known == "index_add_") known = "index_add";
    if (known == "view") known = "slice";
    const auto code = fromText<VectorOpCode>(known);
    if (!code) return fail("pypto." + name + " is no vector operation of a design");
    op.op = *code;
    std::size_t operands = 1;
    using enum VectorOpCode;
    const auto dim = [&](std::size_t place, std::string_view keyword) {
        const AstNode value = given(place, keyword);
        if (value.exists() && !value.integer()) (void)fail(std::string(keyword) + " is no number");
        if (const auto axis = value.integer()) op.dim = *axis;
    };
    switch (*code) {
        case Add:
        case Sub:
        case Mul:
        case Div:
        case Maximum:
        case Minimum:
        case Pow:
        case Eq:
        case Ne:
        case Lt:
        case Le:
        case Gt:
        case Ge: operands = 2; break;
        case Clip:
        case Where: operands = 3; break;
        case Cast: {
            const auto type = m_scope.typeOf(given(1, "dtype"));
            if (!type) return fail("the type of a cast is not known");
            op.dtype = *type;
            if (const AstNode mode = given(2, "mode"); mode.exists()) {
                const auto round = roundOf(mode);
                if (!round) return fail("the rounding of a cast is not known");
                op.round = *round;
            }
            if (const AstNode mode = given(3, "satmode"); mode.exists()) {
                const std::string saturation = mode.dotted();
                op.saturate = lastPart(saturation) == "ON";
                if (!op.saturate && lastPart(saturation) != "OFF") return fail("the saturation of a cast is not known");
            }
            break;
        }
        case Amax:
        case Amin:
        case Sum:
        case Prod:
            dim(1, "dim");
            op.keepDim = flag(2, "keepdim", false);
            break;
        case Softmax:
        case Unsqueeze:
        case CumSum: dim(1, "dim"); break;
        case Argsort:
            dim(1, "dim");
            op.largest = flag(2, "descending", false);
            break;
        case RmsNorm:
            if (const AstNode epsilon = given(2, "epsilon"); epsilon.exists()) {
                const auto value = m_scope.real(epsilon);
                if (!value) return fail("epsilon is no number");
                op.epsilon = *value;
            }
            operands = given(1, "gamma").exists() ? 2 : 1;
            break;
        case Transpose: {
            const auto a = given(1, "dim0").integer(), b = given(2, "dim1").integer();
            if (!a || !b) return fail("the axes of a transpose are not known");
            op.dims = {*a, *b};
            break;
        }
        case ExpandClone:
        case Reshape:
        case Slice: {
            const auto shape = m_scope.declaredExtents(given(1, "shape"));
            if (!shape) return fail("the shape is not known when the kernel is compiled");
            op.shape = *shape;
            if (*code == Reshape && flag(arguments.size(), "inplace", false))
                return fail(
                    "a reshape in place gives a tensor in memory a second shape, which a design has not: declare the "
                    "tensor in the shape that the stages read");
            if (*code == Slice) {
                if (!fixedNumbers(given(2, "offsets"), op.offset)) return fail("the offsets are not made of numbers");
            }
            if (*code != ExpandClone && !wholeOrFixed(given(1, "shape"), given(0, "input")))
                return fail("the shape is not known when the kernel is compiled");
            if (!validFits(node.is("Call") ? node.keyword("valid_shape") : AstNode(), given(1, "shape")))
                return fail("a valid part that is another one than the operand's");
            break;
        }
        case Full: {
            const auto shape = m_scope.declaredExtents(given(0, "size"));
            const auto value = m_scope.real(given(1, "fill_value"));
            if (!shape || !value) return fail("the shape or the value of full is no number");
            op.shape = *shape;
            op.in.push_back(Operand{*value});
            op.dtype = m_scope.typeOf(given(2, "dtype"));
            if (given(2, "dtype").exists() && !op.dtype) return fail("the type of full is not known");
            if (!m_why.empty() || !allTaken()) return false;
            push(std::move(op));
            return true;
        }
        case Arange:
            for (const AstNode& each : arguments) {
                const auto value = m_scope.scalar(each);
                if (!value) return fail("a bound of arange is not known");
                op.range.push_back(expressionOf(*value));
            }
            places = arguments.size();
            if (!m_why.empty() || !allTaken()) return false;
            push(std::move(op));
            return true;
        case FillPad: {
            if (const auto mode = given(1, "mode").string(); mode && *mode != "constant")
                return fail("the mode of fillpad is not constant");
            const auto value = m_scope.real(given(2, "value"));
            const auto x = operand(given(0, "input"));
            if (!x || !value) return fail("an operand is not known");
            op.in = {*x, Operand{*value}};
            if (!m_why.empty() || !allTaken()) return false;
            push(std::move(op));
            return true;
        }
        case Concat: {
            const AstNode parts = given(0, "tensors");
            for (const AstNode& each : parts.list("elts")) {
                const auto part = operand(each);
                if (!part) return fail("a part of a concat is not known");
                op.in.push_back(*part);
            }
            dim(1, "dim");
            if (!m_why.empty() || !allTaken()) return false;
            push(std::move(op));
            return true;
        }
        case Gather:
        case IndexSelect: {
            const auto x = operand(given(0, "input")), index = operand(given(2, "index"));
            if (!x || !index) return fail("an operand is not known");
            op.in = {*x, *index};
            dim(1, "dim");
            if (!m_why.empty() || !allTaken()) return false;
            push(std::move(op));
            return true;
        }
        case Scatter:
        case IndexAdd: {
            const auto x = operand(given(0, "input")), index = operand(given(2, "index")),
                       from = operand(given(3, "source"));
            if (!x || !index || !from) return fail("an operand is not known");
            op.in = {*x, *index, *from};
            dim(1, "dim");
            if (const AstNode alpha = given(4, "alpha"); *code == IndexAdd && alpha.exists()) {
                const auto factor = m_scope.real(alpha);
                if (!factor) return fail("alpha is no number");
                op.alpha = *factor;
            }
            if (const AstNode reduce = *code == Scatter ? given(4, "reduce") : AstNode();
                reduce.exists() && reduce.text("kind") != "none") {
                const auto kind = fromText<ScatterReduce>(reduce.string().value_or(""));
                if (!kind) return fail("the reduce of scatter_ is not known");
                op.reduce = *kind;
            }
            if (!m_why.empty() || !allTaken()) return false;
            push(std::move(op));
            return true;
        }
        case TopK:
            if (!given(1, "k").integer()) return fail("k of topk is no number");
            op.count = *given(1, "k").integer();
            dim(2, "dim");
            op.largest = flag(3, "largest", true);
            break;
        case Quantize:
        case Dequantize: {
            const auto x = operand(given(0, "input")), scale = operand(given(1, "scale"));
            if (!x || !scale) return fail("an operand is not known");
            op.in = {*x, *scale};
            op.dtype = dtypeOf(given(2, "otype"));
            if (given(2, "otype").exists() && !op.dtype) return fail("the type of " + name + " is not known");
            dim(3, "axis");
            if (const AstNode zero = given(4, "zero_points"); zero.exists()) {
                const auto points = operand(zero);
                if (!points) return fail("an operand is not known");
                op.in.push_back(*points);
            }
            if (!m_why.empty() || !allTaken()) return false;
            push(std::move(op));
            return true;
        }
        case QuantMx: {
            op.dtype = dtypeOf(given(1, "quant_dtype"));
            if (given(1, "quant_dtype").exists() && !op.dtype) return fail("the type of quant_mx is not known");
            if (const AstNode mode = given(2, "mode"); mode.exists()) {
                const std::string rounding = mode.dotted();
                if (rounding.ends_with("ROUND_UP")) op.scaleRounding = ScaleRounding::Up;
                if (!rounding.ends_with("ROUND_UP") && !rounding.ends_with("ROUND_DOWN"))
                    return fail("the rounding of quant_mx is not known");
            }
            dim(3, "axis");
            (void)given(4, "performance_mode");  // the way, not the values
            break;
        }
        case Neg:
        case Abs:
        case Relu:
        case Exp:
        case Log:
        case Sqrt:
        case Rsqrt:
        case Reciprocal:
        case Sigmoid:
        case Silu:
        case Gelu: break;
        case IndexPut:
        case Rope: return fail("pypto." + name + " is no vector operation of a design");
    }
    constexpr std::array<std::string_view, 3> kUsual{"input", "other", "other"}, kWhere{"condition", "input", "other"},
        kClip{"input", "min", "max"}, kNorm{"input", "gamma", "gamma"};
    const auto& names = *code == Where ? kWhere : *code == Clip ? kClip : *code == RmsNorm ? kNorm : kUsual;
    for (std::size_t i = 0; i < operands; ++i) {
        const AstNode argument = given(i, names[i]);
        const auto value = argument.exists() ? operand(argument) : std::nullopt;
        if (!value) return fail("an operand of " + name + " is not known");
        op.in.push_back(*value);
    }
    if (*code == Slice && op.in[0].value() != nullptr) {
        const auto* extents = m_scope.extentsOf(op.in[0].value()->text);
        if (extents != nullptr && (op.shape.size() != extents->size() || op.offset.size() != extents->size()))
            return fail("a view of " + std::to_string(op.shape.size()) + " axes at a place of " +
                        std::to_string(op.offset.size()) + "; the value has " + std::to_string(extents->size()));
    }
    if (!m_why.empty() || !allTaken()) return false;
    if (operands > 1 && *code != RmsNorm) alignRanks(op);
    push(std::move(op));
    return true;
}

}  // namespace cubist::pypto
