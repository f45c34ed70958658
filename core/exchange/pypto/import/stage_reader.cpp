// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <utility>

#include "core/exchange/pypto/import/body_reader.h"
#include "core/exchange/pypto/import/module_reader.h"

namespace cubist::pypto {
namespace {

bool isMatmulOperator(const AstNode& node) {
    return node.is("BinOp") && node.text("op") == "MatMult";
}

/// The type that `a @ b` has in PyPTO, by that of b; nothing where it has none.
std::optional<DType> productType(std::optional<DType> type) {
    if (type == DType::INT8) return DType::INT32;
    return type == DType::FP32 || type == DType::FP16 || type == DType::BF16 ? type : std::nullopt;
}

}  // namespace

BlockId BodyReader::stageId(const char* kind, std::string& label) {
    const std::string wanted = m_label ? *m_label : kind + std::to_string(++m_stages);
    const BlockId id = blockId(wanted);
    if (m_label && id.text != *m_label) label = *m_label;
    return id;
}

bool BodyReader::isWindowOf(const AstNode& input) {
    const Variable* of = m_scope.find(input.dotted());
    if (of == nullptr) return false;
    return of->kind == Variable::Kind::Tensor || m_views.count(of->id) != 0;
}

bool BodyReader::dropsLeadingAxes(const AstNode& value) {
    const AstNode input = value.argument(0, "input"), wanted = value.argument(1, "shape");
    if (input.is("Subscript")) return wanted.is("List") && isWindowOf(input["value"]);
    if (pyptoFunction(input) != "view") return false;
    const auto from = input.argument(1, "shape").list("elts"), to = wanted.list("elts");
    if (from.empty() || to.empty() || from.size() < to.size()) return false;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const auto extent = m_scope.scalar(from[i]);
        const std::size_t dropped = from.size() - to.size();
        const auto left = i < dropped ? std::optional(number(1)) : m_scope.scalar(to[i - dropped]);
        if (!extent || !left || difference(*extent, *left) != 0) return false;
    }
    return true;
}

bool BodyReader::addsLeadingAxes(const AstNode& value) {
    if (!value.is("Call") || pyptoFunction(value) != "reshape") return false;
    const auto wanted = value.argument(1, "shape").list("elts");
    const Variable* of = m_scope.find(value.argument(0, "input").dotted());
    if (of == nullptr || wanted.empty() || of->extents.empty() || wanted.size() < of->extents.size()) return false;
    const std::size_t added = wanted.size() - of->extents.size();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto tree = m_scope.scalar(wanted[i]);
        const auto extent = tree ? m_scope.declaredExtent(*tree) : std::nullopt;
        if (extent != (i < added ? 1 : of->extents[i - added])) return false;
    }
    return true;
}

bool BodyReader::makeOwnBlock(const AstNode& node, std::optional<ValueId>& made) {
    const std::string function = node.is("Call") ? pyptoFunction(node) : std::string();
    const AstNode of = function == "reshape" && dropsLeadingAxes(node) ? node.argument(0, "input") : node;
    const bool window = of.is("Subscript") ? isWindowOf(of["value"]) : pyptoFunction(of) == "view" && isWindow(of);
    const bool product = function == "matmul" || function == "scaled_mm" || isMatmulOperator(node);
    if (m_blocks == nullptr || (!window && !product)) return false;
    if (const auto id = valueOf(node, *m_blocks)) made = ValueId(*id);
    return true;
}

bool BodyReader::produce(const AstNode& node, const AstNode& value, const ValueId& out, const ValueId& out2,
                         std::vector<Block>& blocks) {
    const std::string function = value.is("Call") ? pyptoFunction(value) : std::string();
    if (function == "matmul" || function == "scaled_mm" || isMatmulOperator(value))
        return matmul(node, value, function == "scaled_mm", out, blocks);
    if (function == "reshape" && dropsLeadingAxes(value)) {
        const AstNode input = value.argument(0, "input"), shape = value.argument(1, "shape");
        return input.is("Subscript") ? slicedWindow(node, input, shape, out, blocks)
                                     : window(node, input, shape, out, blocks);
    }
    if (function == "view" && isWindow(value)) return window(node, value, AstNode(), out, blocks);
    if (value.is("Subscript") && isWindowOf(value["value"])) return slicedWindow(node, value, AstNode(), out, blocks);
    std::string why;
    const std::size_t before = blocks.size(), noted = m_out.notes.size();
    const bool open = m_openVector;
    std::vector<Block>* outer = std::exchange(m_blocks, &blocks);
    auto ops = m_vectors.read(value, out, out2, why);
    m_blocks = outer;
    m_shape.clear();  // that of an operand
    const std::vector<std::string> guesses = m_vectors.takeGuesses();
    if (!ops) {
        if (m_out.notes.size() == noted) note(node, why.empty() ? "an expression that is not understood" : why);
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(before), blocks.end());
        m_openVector = open;
        return false;
    }
    for (const VectorOp& op : *ops)
        for (const Operand& each : op.in)
            if (const ValueId* id = each.value())
                for (const Tensor& tensor : m_out.design.tensors)
                    if (tensor.id.text == id->text) m_uses.read.insert(id->text);
    for (VectorOp& op : *ops) addVectorOp(std::move(op), blocks);
    for (const std::string& each : guesses) guess(node, each + ": " + lineOf(node));
    return true;
}

bool BodyReader::slicedWindow(const AstNode& node, const AstNode& value, const AstNode& reshaped, const ValueId& out,
                              std::vector<Block>& blocks) {
    const Variable* of = m_scope.find(value["value"].dotted());
    if (of == nullptr || of->kind == Variable::Kind::Scalar) {
        note(node, "a slice of something that is not known");
        return false;
    }
    const std::vector<AstNode> parts = slicedAxes(value["slice"], of->extents.size());
    if (const std::string problem = subscriptProblem(parts, of->extents.size()); !problem.empty()) {
        note(node, problem);
        return false;
    }
    std::vector<SymbolicPtr> shape, offset;
    for (std::size_t i = 0; i < of->extents.size(); ++i) {
        if (i >= parts.size() || !parts[i].exists()) {
            shape.push_back(number(of->extents[i]));
            offset.push_back(number(0));
            continue;
        }
        const AstNode part = parts[i];
        if (!part.is("Slice")) {
            SymbolicPtr at = placeOf(part, of->extents[i]);
            if (!at || i > 0) return noteSlice(node);
            offset.push_back(std::move(at));
            continue;  // the axis goes
        }
        if (hasStep(part)) return noteSlice(node);
        const SymbolicPtr lower = part["lower"].exists() ? placeOf(part["lower"], of->extents[i]) : number(0);
        const SymbolicPtr upper =
            part["upper"].exists() ? placeOf(part["upper"], of->extents[i]) : number(of->extents[i]);
        if (!lower || !upper) return noteSlice(node);
        const auto extent = difference(upper, lower);
        if (extent && *extent < 1) return noteSlice(node);
        // What is no number is the length of a group: declared as the longest, valid as far as this one goes.
        SymbolicPtr length = extent ? number(*extent) : lengthBetween(lower, upper);
        if (!extent && !m_scope.followsFactor(length) && !m_scope.declaredExtent(length)) return noteSlice(node);
        shape.push_back(std::move(length));
        offset.push_back(lower);
    }
    if (shape.empty()) return noteSlice(node);
    View block;
    block.of = ValueId(of->id);
    if (of->kind == Variable::Kind::Tensor) m_uses.read.insert(of->id);
    if (reshaped.exists()) {
        const auto wanted = m_scope.declaredExtents(reshaped);
        std::size_t leading = 0;
        while (wanted && shape.size() > wanted->size() && literal(tidied(shape[leading])) == 1) {
            shape.erase(shape.begin());
            ++leading;
        }
        bool same = wanted && wanted->size() == shape.size();
        for (std::size_t i = 0; same && i < shape.size(); ++i) same = m_scope.declaredExtent(shape[i]) == (*wanted)[i];
        if (!same) {
            note(node, "a reshape of a slice that does more than dropping leading axes of one element");
            return false;
        }
    }
    addWindow(node, std::move(block), shape, offset, shape, out, blocks);
    return true;
}

SymbolicPtr BodyReader::lengthBetween(const SymbolicPtr& lower, const SymbolicPtr& upper) {
    if (const auto fixed = difference(upper, lower)) return number(*fixed);
    if (upper->kind == Symbolic::Kind::Min)
        return binary(Symbolic::Kind::Min, lengthBetween(lower, upper->arg[0]), lengthBetween(lower, upper->arg[1]));
    if (upper->kind == Symbolic::Kind::Add)
        for (const std::size_t side : {std::size_t{0}, std::size_t{1}})
            if (difference(upper->arg[side], lower) == 0 && upper->arg[1 - side]->kind == Symbolic::Kind::Min)
                return tidied(upper->arg[1 - side]);
    return tidied(binary(Symbolic::Kind::Sub, upper, lower));
}

bool BodyReader::noteSlice(const AstNode& node) {
    note(node, "a slice whose extent is not known");
    return false;
}

SymbolicPtr BodyReader::placeOf(const AstNode& bound, std::int64_t extent) {
    const auto tree = m_scope.scalar(bound);
    const auto fixed = tree ? literal(tidied(*tree)) : std::nullopt;
    if (!fixed || *fixed >= 0) return tree.value_or(nullptr);
    return extent > 0 && *fixed >= -extent ? number(extent + *fixed) : nullptr;
}

bool BodyReader::hasStep(const AstNode& slice) {
    return slice.is("Slice") && slice["step"].exists() && slice["step"].integer() != 1 &&
           slice["step"].text("kind") != "none";
}

bool BodyReader::matmul(const AstNode& node, const AstNode& call, bool scaled, const ValueId& out,
                        std::vector<Block>& blocks) {
    CubeStage stage;
    const auto operandOf = [&](std::size_t place, std::string_view name, ValueId& into) {
        const auto value = valueOf(call.argument(place, name), blocks);
        if (value) into = ValueId(*value);
        return value.has_value();
    };
    const bool byOperator = isMatmulOperator(call);  // a @ b
    const auto sideOf = [&](const char* side, ValueId& into) {
        const auto value = valueOf(call[side], blocks);
        if (value) into = ValueId(*value);
        return value.has_value();
    };
    bool known = byOperator ? sideOf("left", stage.a) && sideOf("right", stage.b)
                            : operandOf(0, scaled ? "mat_a" : "input", stage.a) &&
                                  operandOf(1, scaled ? "mat_b" : "mat2", stage.b);
    if (scaled) known = known && operandOf(3, "scale_a", stage.scaleA) && operandOf(4, "scale_b", stage.scaleB);
    const auto type =
        byOperator ? productType(m_scope.typeOf(stage.b.text)) : m_scope.typeOf(call.argument(2, "out_dtype"));
    if (!known || !type) {
        note(node, "a matmul whose operands or type are not known");
        return false;
    }
    // What would change values is not passed over.
    const std::size_t noted = m_out.notes.size();
    noteOtherKeywords(call, {"input", "mat2", "mat_a", "mat_b", "out_dtype", "scale_a", "scale_b", "a_trans", "b_trans",
                             "scale_a_trans", "scale_b_trans", "extend_params"});
    if (call.list("args").size() > (scaled ? 5U : 3U)) note(node, "more arguments than a matmul has by place");
    const auto flag = [&](std::string_view name) {
        const AstNode given = call.keyword(name);
        if (given.exists() && !given.boolean()) note(node, std::string(name) + " is neither True nor False");
        return given.boolean().value_or(false);
    };
    stage.op = scaled ? CubeOp::ScaledMm : CubeOp::Matmul;
    stage.outDType = *type;
    stage.aTrans = flag("a_trans");
    stage.bTrans = flag("b_trans");
    stage.scaleATrans = flag("scale_a_trans");
    stage.scaleBTrans = flag("scale_b_trans");
    extras(node, call.keyword("extend_params"), stage, blocks);
    if (m_out.notes.size() != noted) return false;
    m_openVector = false;
    stage.id = stageId("c", stage.label);
    stage.out = out;
    stage.tileBy = m_cubeTable;
    if (m_cubeTile)
        stage.tile = *m_cubeTile;
    else
        note(node, "a matmul before any set_cube_tile_shapes; it has a default tile");
    takeProductExtents(stage);
    m_shape.clear();  // that of an operand
    m_scope.setType(out.text, *type);
    if (auto size = std::exchange(m_matrixSize, std::nullopt)) stage.matrixSize = *std::move(size);
    blocks.push_back({std::move(stage)});
    return true;
}

void BodyReader::takeProductExtents(const CubeStage& stage) {
    const auto extentsOf = [&](const ValueId& id) {
        for (const Tensor& tensor : m_out.design.tensors)
            if (tensor.id.text == id.text)
                if (const Variable* known = m_scope.find(id.text)) return known->extents;
        const auto* known = m_scope.extentsOf(id.text);
        return known == nullptr ? std::vector<std::int64_t>() : *known;
    };
    const auto a = extentsOf(stage.a), b = extentsOf(stage.b);
    if (a.size() < 2 || a.size() != b.size()) return;
    std::vector<std::int64_t> out = a;
    const std::size_t rows = a.size() - 2, columns = a.size() - 1;
    for (std::size_t i = 0; i < rows; ++i) out[i] = std::max(a[i], b[i]);
    out[rows] = a[stage.aTrans ? columns : rows];
    out[columns] = b[stage.bTrans ? rows : columns];
    if (std::all_of(out.begin(), out.end(), [](std::int64_t each) { return each > 0; }))
        m_scope.setExtents(stage.out.text, std::move(out));
}

void BodyReader::extras(const AstNode& node, const AstNode& dict, CubeStage& stage, std::vector<Block>& blocks) {
    const auto keys = dict.list("keys"), values = dict.list("values");
    if (dict.exists() && !dict.is("Dict") && dict.text("kind") != "none")
        note(node, "extend_params is no dictionary that is known");
    for (std::size_t i = 0; i < keys.size() && i < values.size(); ++i) {
        const std::string key = keys[i].string().value_or("");
        const std::string dotted = values[i].dotted();
        const bool known = dotted.starts_with("pypto.");
        if (key == "bias_tensor" || key == "scale_tensor") {
            const auto value = valueOf(values[i], blocks);
            if (value)
                (key == "bias_tensor" ? stage.bias : stage.scaleTensor) = ValueId(*value);
            else
                note(node, "the " + key + " of a matmul is not known");
        } else if (key == "scale") {
            stage.scale = m_scope.real(values[i]);
            if (!stage.scale) note(node, "the scale of a matmul is no number");
        } else if (key == "relu_type" && known) {
            stage.relu = dotted.ends_with(".RELU");
        } else if (key == "trans_mode" && known) {
            stage.fp32Mode = dotted.ends_with("CAST_RINT")    ? Fp32Mode::Rint
                             : dotted.ends_with("CAST_ROUND") ? Fp32Mode::Round
                                                              : Fp32Mode::Ieee;
        } else {
            note(node, "extend_params has a key or a value that is not known: " + key);
        }
    }
}

}  // namespace cubist::pypto
