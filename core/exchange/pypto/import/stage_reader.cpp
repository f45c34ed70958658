// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <utility>

#include "core/exchange/pypto/import/body_reader.h"
#include "core/exchange/pypto/import/module_reader.h"

namespace cubist::pypto {

BlockId BodyReader::stageId(const char* kind, std::string& label) {
    const std::string wanted = m_label ? *m_label : kind + std::to_string(++m_stages);
    const BlockId id = blockId(wanted);
    if (m_label && id.text != *m_label) label = *m_label;
    m_label.reset();
    return id;
}

bool BodyReader::isWindow(const AstNode& value) {
    const Variable* of = m_scope.find(value.argument(0, "input").dotted());
    if (of == nullptr) return false;
    return of->kind == Variable::Kind::Tensor || m_views.count(of->id) != 0;
}

bool BodyReader::slicedWindow(const AstNode& node, const AstNode& value, const ValueId& out,
                              std::vector<Block>& blocks) {
    const Variable* of = m_scope.find(value["value"].dotted());
    if (of == nullptr || of->kind == Variable::Kind::Scalar) {
        note(node, "a slice of something that is not known");
        return false;
    }
    const AstNode key = value["slice"];
    const std::vector<AstNode> parts = key.is("Tuple") ? key.list("elts") : std::vector<AstNode>{key};
    std::vector<SymbolicPtr> shape, offset;
    for (std::size_t i = 0; i < of->extents.size(); ++i) {
        if (i >= parts.size()) {
            shape.push_back(number(of->extents[i]));
            offset.push_back(number(0));
            continue;
        }
        const AstNode part = parts[i];
        if (!part.is("Slice")) {
            const auto at = m_scope.scalar(part);
            if (!at || i > 0) return noteSlice(node);
            offset.push_back(*at);
            continue;  // the axis goes
        }
        const SymbolicPtr lower = part["lower"].exists() ? m_scope.scalar(part["lower"]).value_or(nullptr) : number(0);
        const SymbolicPtr upper =
            part["upper"].exists() ? m_scope.scalar(part["upper"]).value_or(nullptr) : number(of->extents[i]);
        if (!lower || !upper) return noteSlice(node);
        const auto extent = difference(upper, lower);
        if (extent && *extent < 1) return noteSlice(node);
        // What is no number is the length of a group: declared as the longest, valid as far as this one goes.
        SymbolicPtr length = extent ? number(*extent) : tidied(binary(Symbolic::Kind::Sub, upper, lower));
        if (!extent && !m_scope.isFactor(length) && !m_scope.declaredExtent(length)) return noteSlice(node);
        shape.push_back(std::move(length));
        offset.push_back(lower);
    }
    View block;
    block.of = ValueId(of->id);
    if (of->kind == Variable::Kind::Tensor) m_readTensors.insert(of->id);
    if (of->kind != Variable::Kind::Tensor && m_views.count(of->id) == 0) return noteSlice(node);
    addWindow(node, std::move(block), shape, offset, shape, out, blocks);
    return true;
}

bool BodyReader::noteSlice(const AstNode& node) {
    note(node, "a slice whose extent is not known");
    return false;
}

bool BodyReader::matmul(const AstNode& node, const AstNode& call, bool scaled, const ValueId& out,
                        std::vector<Block>& blocks) {
    CubeStage stage;
    const auto operandOf = [&](std::size_t place, std::string_view name, ValueId& into) {
        const auto value = valueOf(call.argument(place, name), blocks);
        if (value) into = ValueId(*value);
        return value.has_value();
    };
    bool known = operandOf(0, scaled ? "mat_a" : "input", stage.a) && operandOf(1, scaled ? "mat_b" : "mat2", stage.b);
    if (scaled) known = known && operandOf(3, "scale_a", stage.scaleA) && operandOf(4, "scale_b", stage.scaleB);
    const auto type = dtypeOf(call.argument(2, "out_dtype"));
    if (!known || !type) {
        note(node, "a matmul whose operands or type are not known");
        return false;
    }
    const auto flag = [&](std::string_view name) { return call.keyword(name).boolean().value_or(false); };
    stage.op = scaled ? CubeOp::ScaledMm : CubeOp::Matmul;
    stage.outDType = *type;
    stage.aTrans = flag("a_trans");
    stage.bTrans = flag("b_trans");
    stage.scaleATrans = flag("scale_a_trans");
    stage.scaleBTrans = flag("scale_b_trans");
    extras(node, call.keyword("extend_params"), stage, blocks);
    m_openVector = false;
    stage.id = stageId("c", stage.label);
    stage.out = out;
    stage.tileBy = m_cubeTable;
    if (m_cubeTile)
        stage.tile = *m_cubeTile;
    else
        note(node, "a matmul before any set_cube_tile_shapes; it has a default tile");
    const auto size = std::exchange(m_matrixSize, std::nullopt);
    if (size)
        for (const std::int64_t each : *size) stage.matrixSize.emplace_back(each);
    blocks.push_back({std::move(stage)});
    return true;
}

void BodyReader::extras(const AstNode& node, const AstNode& dict, CubeStage& stage, std::vector<Block>& blocks) {
    const auto keys = dict.list("keys"), values = dict.list("values");
    for (std::size_t i = 0; i < keys.size() && i < values.size(); ++i) {
        const std::string key = keys[i].string().value_or("");
        const std::string dotted = values[i].dotted();
        if (key == "bias_tensor" || key == "scale_tensor") {
            const auto value = valueOf(values[i], blocks);
            if (value) (key == "bias_tensor" ? stage.bias : stage.scaleTensor) = ValueId(*value);
        } else if (key == "scale") {
            stage.scale = values[i].number();
        } else if (key == "relu_type") {
            stage.relu = dotted.ends_with(".RELU");
        } else if (key == "trans_mode") {
            stage.fp32Mode = dotted.ends_with("CAST_RINT")    ? Fp32Mode::Rint
                             : dotted.ends_with("CAST_ROUND") ? Fp32Mode::Round
                                                              : Fp32Mode::Ieee;
        } else {
            note(node, "extend_params has the unknown key " + key);
        }
    }
}

}  // namespace cubist::pypto
