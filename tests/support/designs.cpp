// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/designs.h"

#include <cstdlib>
#include <string>

namespace cubist::test {

namespace {

Tensor tensor(const std::string& id, TensorRole role, DType dtype, std::vector<Expression> shape) {
    Tensor made;
    made.id = TensorId(id);
    made.role = role;
    made.dtype = dtype;
    made.shape = std::move(shape);
    return made;
}

Store store(const std::string& from, const std::string& to, std::vector<Expression> offset) {
    Store made;
    made.id = BlockId("write");
    made.from = ValueId(from);
    made.to = TensorId(to);
    made.offset = std::move(offset);
    return made;
}

/// A view of `rows` rows of a tensor with T rows, at row i * rows.
View rowView(const std::string& id, const std::string& of, std::int64_t rows, std::int64_t columns, bool valid) {
    const std::string step = std::to_string(rows);
    View made;
    made.id = BlockId(id);
    made.of = ValueId(of);
    made.out = ValueId(of + "_tile");
    made.shape = {rows, columns};
    made.offset = {Expression("i * " + step), 0};
    if (valid) made.valid = {Expression("min(T - i * " + step + ", " + step + ")"), columns};
    return made;
}

CubeStage cube(const std::string& a, const std::string& b, DType out) {
    CubeStage made;
    made.id = BlockId("product");
    made.a = ValueId(a);
    made.b = ValueId(b);
    made.out = ValueId("acc");
    made.outDType = out;
    return made;
}

Design empty(const std::string& name, Variant variant) {
    Design design;
    design.name = name;
    design.chip = ChipId("Ascend910B1");
    design.skeleton.variant = variant;
    return design;
}

void addRows(Design& design, std::int64_t rows) {
    Symbol symbol;
    symbol.id = SymbolId("T");
    symbol.value = rows;
    design.symbols.push_back(symbol);
}

Loop rowLoop(std::int64_t rowTile) {
    Loop loop;
    loop.id = BlockId("rows");
    loop.axis = Expression("T");
    loop.tile = rowTile;
    return loop;
}

template <class Content>
Content* find(std::vector<Block>& blocks) {
    for (Block& block : blocks) {
        if (auto* content = std::get_if<Content>(&block.content)) return content;
        if (auto* loop = std::get_if<Loop>(&block.content))
            if (Content* inner = find<Content>(loop->body)) return inner;
    }
    return nullptr;
}

template <class Content>
Content& first(Design& design) {
    Content* found = find<Content>(design.blocks);
    if (found == nullptr) std::abort();
    return *found;
}

}  // namespace

VectorStage relu(const std::string& id, const std::string& in, const std::string& out) {
    VectorStage stage;
    stage.id = BlockId(id);
    VectorOp op;
    op.op = VectorOpCode::Relu;
    op.in = {Operand{ValueId(in)}};
    op.out = ValueId(out);
    stage.ops.push_back(op);
    stage.tile = {16, 64};
    return stage;
}

Design matmulDesign(const MatmulKnobs& knobs) {
    Design design = empty("matmul", Variant::A);
    const auto matrix = [](bool turned, std::int64_t rows, std::int64_t columns) {
        return turned ? std::vector<Expression>{columns, rows} : std::vector<Expression>{rows, columns};
    };
    design.tensors = {tensor("a", TensorRole::Input, knobs.dtype, matrix(knobs.aTrans, knobs.m, knobs.k)),
                      tensor("b", TensorRole::Input, knobs.dtype, matrix(knobs.bTrans, knobs.k, knobs.n)),
                      tensor("c", TensorRole::Output, knobs.out, {knobs.m, knobs.n})};
    CubeStage stage = cube("a", "b", knobs.out);
    stage.aTrans = knobs.aTrans;
    stage.bTrans = knobs.bTrans;
    stage.tile.m = knobs.mTile;
    stage.tile.k = knobs.kTile;
    stage.tile.n = knobs.nTile;
    design.blocks = {Block{stage}, Block{store("acc", "c", {})}};
    return design;
}

Design glmGate(const GlmGateKnobs& knobs) {
    Design design = empty("glm_gate", Variant::C);
    addRows(design, knobs.rows);
    design.tensors = {tensor("x", TensorRole::Input, knobs.dtype, {Expression("T"), knobs.k}),
                      tensor("w", TensorRole::Input, knobs.dtype, {knobs.n, knobs.k}),
                      tensor("y", TensorRole::Output, knobs.out, {Expression("T"), knobs.n})};
    CubeStage stage = cube("x_tile", "w", knobs.out);
    stage.bTrans = true;
    stage.tile.m = knobs.mTile;
    stage.tile.k = knobs.kTile;
    stage.tile.n = knobs.nTile;
    Loop loop = rowLoop(knobs.rowTile);
    loop.body = {Block{rowView("x_rows", "x", knobs.rowTile, knobs.k, knobs.valid)}, Block{stage},
                 Block{store("acc", "y", {Expression("i * " + std::to_string(knobs.rowTile)), 0})}};
    design.blocks = {Block{loop}};
    return design;
}

Design rowScale(const RowScaleKnobs& knobs) {
    Design design = empty("row_scale", Variant::C);
    design.options.combineAxis = true;  // scale is a column
    addRows(design, knobs.rows);
    design.tensors = {tensor("x", TensorRole::Input, knobs.operands, {Expression("T"), knobs.k}),
                      tensor("w", TensorRole::Input, knobs.operands, {knobs.k, knobs.n}),
                      tensor("scale", TensorRole::Input, knobs.scale, {Expression("T"), knobs.scaleColumns}),
                      tensor("y", TensorRole::Output, knobs.out, {Expression("T"), knobs.n})};
    CubeStage product = cube("x_tile", "w", DType::FP32);
    product.tile.m = {64, 64};
    product.tile.k = {64, 128};
    product.tile.n = {64, 64};
    VectorStage scaling;
    scaling.id = BlockId("scaling");
    scaling.tile = knobs.vectorTile;
    VectorOp mul;
    mul.op = VectorOpCode::Mul;
    mul.in = {Operand{ValueId("acc")}, Operand{ValueId("scale_tile")}};
    mul.out = ValueId("scaled");
    VectorOp cast;
    cast.op = VectorOpCode::Cast;
    cast.in = {Operand{ValueId("scaled")}};
    cast.out = ValueId("rounded");
    cast.dtype = knobs.out;
    scaling.ops = {mul, cast};
    Loop loop = rowLoop(knobs.rowTile);
    loop.body = {Block{rowView("x_rows", "x", knobs.rowTile, knobs.k, true)},
                 Block{rowView("scale_rows", "scale", knobs.rowTile, knobs.scaleColumns, true)}, Block{product},
                 Block{scaling}, Block{store("rounded", "y", {Expression("i * " + std::to_string(knobs.rowTile)), 0})}};
    design.blocks = {Block{loop}};
    return design;
}

Loop& loopOf(Design& design) {
    return first<Loop>(design);
}
View& viewOf(Design& design) {
    return first<View>(design);
}
CubeStage& cubeOf(Design& design) {
    return first<CubeStage>(design);
}
VectorStage& vectorOf(Design& design) {
    return first<VectorStage>(design);
}
Store& storeOf(Design& design) {
    return first<Store>(design);
}

Tensor& tensorOf(Design& design, const std::string& id) {
    for (Tensor& candidate : design.tensors)
        if (candidate.id.text == id) return candidate;
    std::abort();
}

VectorOp vectorOp(VectorOpCode code, const std::vector<const char*>& in, const char* out) {
    VectorOp op;
    op.op = code;
    for (const char* name : in) op.in.push_back(Operand{ValueId(name)});
    op.out = ValueId(out);
    return op;
}

Design fourAlive(RowScaleKnobs knobs) {
    using enum VectorOpCode;
    knobs.out = DType::FP32;
    Design design = rowScale(knobs);
    vectorOf(design).ops = {vectorOp(Exp, {"acc"}, "e1"),
                            vectorOp(Neg, {"acc"}, "e2"),
                            vectorOp(Abs, {"acc"}, "e3"),
                            vectorOp(Add, {"e1", "e2"}, "s1"),
                            vectorOp(Add, {"s1", "e3"}, "s2"),
                            vectorOp(Add, {"s2", "acc"}, "s3"),
                            vectorOp(Mul, {"s3", "scale_tile"}, "s4")};
    storeOf(design).from = ValueId("s4");
    tensorOf(design, "y").dtype = DType::FP32;
    return design;
}

}  // namespace cubist::test
