// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/rule_cases.h"

#include <algorithm>
#include <utility>

#include "tests/support/designs.h"

namespace cubist::test {

namespace {

using Values = std::vector<std::int64_t>;
using Make = std::function<Design()>;

struct Tile {
    Values m{64, 64}, k{64, 128}, n{64, 64};
};

Make matmul(MatmulKnobs knobs, Tile tile) {
    knobs.mTile = std::move(tile.m);
    knobs.kTile = std::move(tile.k);
    knobs.nTile = std::move(tile.n);
    return [knobs] { return matmulDesign(knobs); };
}

/// A design changed by a function.
template <class Change>
Make changed(Make make, Change change) {
    return [make = std::move(make), change] {
        Design design = make();
        change(design);
        return design;
    };
}

Make vectorTile(Values tile, RowScaleKnobs knobs = {}) {
    knobs.vectorTile = std::move(tile);
    return [knobs] { return rowScale(knobs); };
}

const Make kMatmul = [] { return matmulDesign(); };
const Make kRowScale = [] { return rowScale(); };

/// GLMGate in small: no finding at all.
GlmGateKnobs smallGate() {
    GlmGateKnobs knobs;
    knobs.k = 256;
    knobs.n = 64;
    knobs.kTile = {128, 256};
    return knobs;
}

const Make kGate = [] { return glmGate(smallGate()); };

/// GLMGate in small whose rows come in two groups, [24, 40] of 64.
Design groupedGate() {
    GlmGateKnobs knobs = smallGate();
    knobs.rowTile = 64;
    Design design = glmGate(knobs);
    design.skeleton.variant = Variant::B;
    List list;
    list.id = ListId("groups_of_rows");
    list.form = ListForm::Counts;
    list.value = {24, 40};
    list.total = Expression("T");
    design.lists.push_back(list);
    Loop& loop = loopOf(design);
    loop.axis = Expression("len(groups_of_rows)");
    loop.tile = Expression(1);
    View& view = viewOf(design);
    view.offset[0] = storeOf(design).offset[0] = Expression("start(groups_of_rows, " + loop.index + ")");
    view.valid[0] = Expression("count(groups_of_rows, " + loop.index + ")");
    return design;
}

const Make kGrouped = [] { return groupedGate(); };

Make groups(ListForm form, Values values) {
    return changed(kGrouped, [form, values](Design& design) {
        design.lists[0].form = form;
        design.lists[0].value = values;
    });
}

/// The grouped gate with a tensor that holds the list.
Make holder(DType dtype, std::int64_t extent, TensorRole role = TensorRole::Input) {
    return changed(kGrouped, [=](Design& design) {
        Tensor tensor;
        tensor.id = TensorId("held");
        tensor.role = role;
        tensor.dtype = dtype;
        tensor.shape = {Expression(extent)};
        tensor.data.list = ListId("groups_of_rows");
        design.tensors.push_back(tensor);
    });
}

void addGroupCases(std::vector<RuleCase>& cases) {
    using enum RuleProfile;
    const std::string values = "/lists/0/value";
    const auto unfixable = [&](std::string rule, std::string where, Make breaks, std::string name = {}) {
        cases.push_back({std::move(rule), std::move(where), Enforced, std::move(breaks), kGrouped, {}, false, name});
    };
    unfixable("GRP-01", values + "/0", groups(ListForm::Counts, {-8, 72}));
    unfixable("GRP-02", values + "/1", groups(ListForm::PrefixSums, {40, 20}));
    unfixable("GRP-03", values, groups(ListForm::Counts, {24, 39}));
    unfixable("GRP-04", values, groups(ListForm::Counts, {24, 41}));
    cases.push_back(
        {"GRP-05", "/lists/0/form", Enforced, groups(ListForm::Counts, {24, 64}), kGrouped, {}, true, "prefix sums"});
    cases.push_back({"GRP-05",
                     "/lists/0/form",
                     Enforced,
                     groups(ListForm::PrefixSums, {40, 24}),
                     groups(ListForm::PrefixSums, {24, 64}),
                     {},
                     true,
                     "counts"});
    unfixable("GRP-06", values, groups(ListForm::Counts, {64, 0}));
    unfixable("GRP-07", values, groups(ListForm::Counts, {0, 0}));
    cases.push_back({"GRP-08", "/tensors/3/shape", Enforced, holder(DType::INT64, 3), holder(DType::INT64, 2)});
    cases.push_back({"GRP-08",
                     "/tensors/3/dtype",
                     Enforced,
                     holder(DType::FP32, 2),
                     holder(DType::INT32, 2),
                     {},
                     true,
                     "GRP-08 of the type"});
    const auto written = [](Design& design) {
        VectorOp op;
        op.op = VectorOpCode::Add;
        op.in = {Operand{ValueId("held")}, Operand{1.0}};
        op.out = ValueId("next");
        VectorStage stage;
        stage.id = BlockId("step");
        stage.ops = {op};
        stage.tile = {8};
        Store store;
        store.id = BlockId("keep");
        store.from = op.out;
        store.to = TensorId("held");
        design.blocks.push_back(Block{stage});
        design.blocks.push_back(Block{store});
    };
    cases.push_back({"GRP-09",
                     "/tensors/3/role",
                     Enforced,
                     changed(holder(DType::INT32, 2, TensorRole::InOut), written),
                     holder(DType::INT32, 2),
                     {},
                     false});
}

/// Rows of the gate by two unrolled loops, the outer one with these factors.
Make unrolledTwice(Values factors) {
    return changed(kGate, [factors](Design& design) {
        Loop inner = loopOf(design);
        inner.id = BlockId("inner");
        inner.form = LoopKind::Unroll;
        inner.axis = Expression("factor");
        inner.tile = 1;
        inner.factor = "rows_now";
        inner.unroll = {32};
        Loop outer = inner;
        outer.id = BlockId("outer");
        outer.index = "first";
        outer.axis = Expression("T");
        outer.factor = "factor";
        outer.unroll = factors;
        outer.body = {Block{inner}};
        design.blocks = {Block{outer}};
        View& view = viewOf(design);
        view.offset[0] = storeOf(design).offset[0] = Expression("first + " + inner.index);
        view.valid[0] = Expression("rows_now");
    });
}

void addLoopFormCases(std::vector<RuleCase>& cases) {
    using enum RuleProfile;
    const auto written = [](const std::string& axis) {
        return changed(kGrouped, [axis](Design& design) {
            Symbol symbol;
            symbol.id = SymbolId("G");
            symbol.value = 2;
            design.symbols.push_back(symbol);
            design.skeleton.variant = Variant::BStatic;
            loopOf(design).form = LoopKind::Static;
            loopOf(design).axis = Expression(axis);
        });
    };
    cases.push_back({"LOOP-03", "/blocks/0/axis", Enforced, written("G"), written("len(groups_of_rows)")});
    cases.push_back({"LOOP-04", "/blocks/0/unroll", Enforced, unrolledTwice({32}), unrolledTwice({})});
    cases.push_back({"LOOP-05", "/blocks/0/unroll", Enforced,
                     changed(kGate, [](Design& design) { loopOf(design).unroll = {8}; }), kGate});
    const auto viewed = [](const std::string& tensor) {
        return changed(kMatmul, [tensor](Design& design) {
            View view;
            view.id = BlockId("look");
            view.of = ValueId(tensor);
            view.out = ValueId("window");
            view.shape = {Expression(16), Expression(16)};
            view.offset = {Expression(0), Expression(0)};
            design.blocks.insert(design.blocks.begin(), Block{view});
        });
    };
    cases.push_back({"STORE-05", "/blocks/0/of", Enforced, viewed("c"), viewed("a"), {}, false});
    const auto workspace = [](Design& design) {
        Tensor extra = tensorOf(design, "c");
        extra.id = TensorId("scratch");
        extra.role = TensorRole::Workspace;
        design.tensors.push_back(extra);
    };
    cases.push_back({"STORE-06", "/tensors/3", Enforced, changed(kMatmul, workspace), kMatmul, {}, false});
}

void addTileCases(std::vector<RuleCase>& cases) {
    const MatmulKnobs half;
    const MatmulKnobs single{.dtype = DType::FP32};
    const MatmulKnobs integers{.dtype = DType::INT8, .out = DType::INT32};
    const MatmulKnobs deep{.k = 512};
    const MatmulKnobs turned{.aTrans = true};
    const std::string tile = "/blocks/0/tile";
    using enum RuleProfile;
    cases.push_back({"TILE-01", tile + "/n/0", Enforced, matmul(half, {.n = {0, 64}}), matmul(half, {.n = {16, 16}})});
    cases.push_back(
        {"TILE-01", tile + "/k/1", Enforced, matmul(half, {.k = {64, -64}}), kMatmul, {}, true, "TILE-01 below zero"});
    cases.push_back({"TILE-02", tile + "/k", Enforced, matmul(half, {.k = {64, 128, 128, 128}}),
                     matmul(half, {.k = {64, 128, 128}})});
    cases.push_back(
        {"TILE-02", tile + "/m", Enforced, matmul(half, {.m = {64}}), kMatmul, {}, true, "TILE-02 too few"});
    cases.push_back(
        {"TILE-03", tile + "/k/0", Enforced, matmul(single, {.k = {8, 128}}), matmul(single, {.k = {16, 128}})});
    cases.push_back(
        {"TILE-04", tile + "/n/0", Enforced, matmul(single, {.n = {24, 24}}), matmul(single, {.n = {16, 16}})});
    cases.push_back(
        {"TILE-05", tile + "/k/0", Enforced, matmul(integers, {.k = {16, 128}}), matmul(integers, {.k = {32, 128}})});
    cases.push_back(
        {"TILE-06", tile + "/n/0", Enforced, matmul(integers, {.n = {16, 16}}), matmul(integers, {.n = {32, 32}})});
    cases.push_back({"TILE-07", tile + "/k/1", Enforced, matmul(half, {.k = {64, 96}}), matmul(half, {.k = {32, 96}})});
    cases.push_back({"TILE-07",
                     tile + "/m/1",
                     Enforced,
                     matmul(half, {.m = {48, 64}}),
                     matmul(half, {.m = {48, 48}}),
                     {},
                     true,
                     "TILE-07 of m"});
    cases.push_back(
        {"TILE-08", tile + "/k/1", Enforced, matmul(deep, {.k = {64, 192, 128}}), matmul(deep, {.k = {64, 256, 128}})});
    cases.push_back({"TILE-08",
                     tile + "/k/2",
                     Enforced,
                     matmul(deep, {.k = {64, 128, 192}}),
                     matmul(half, {.k = {64, 192, 128}}),
                     {},
                     true,
                     "TILE-08 of B"});
    cases.push_back({"TILE-09", tile + "/m/0", Enforced, matmul(turned, {.m = {9, 9}}), matmul(half, {.m = {9, 9}})});
    cases.push_back({"TILE-10", tile + "/m/0", Documented, matmul(half, {.m = {9, 9}}), matmul(half, {.m = {16, 16}})});
    cases.push_back({"TILE-11", tile + "/m/1", Enforced, matmul(half, {.m = {32, 64}}), matmul(half, {.m = {32, 32}})});
    const auto splitK = [](Design& design) { cubeOf(design).tile.splitK = true; };
    cases.push_back({"TILE-12", tile + "/split_k", Enforced, changed(matmul({.out = DType::FP16}, {}), splitK),
                     changed(kMatmul, splitK)});
}

void addCapacityCases(std::vector<RuleCase>& cases) {
    const MatmulKnobs deep{.k = 4096};
    const std::string tile = "/blocks/0/tile";
    using enum RuleProfile;
    cases.push_back({"CAP-01", tile, Enforced, matmul(deep, {.m = {256, 256}, .k = {256, 256}}),
                     matmul(deep, {.m = {256, 256}, .k = {128, 256}})});
    cases.push_back({"CAP-02", tile, Enforced, matmul(deep, {.k = {256, 256}, .n = {256, 256}}),
                     matmul(deep, {.k = {128, 256}, .n = {256, 256}})});
    cases.push_back({"CAP-03", tile, Enforced, matmul(deep, {.m = {256, 256}, .n = {256, 256}}),
                     matmul(deep, {.m = {128, 128}, .n = {256, 256}})});
    for (const RuleProfile profile : {Enforced, Documented})
        cases.push_back({"CAP-04",
                         tile + "/k/1",
                         profile,
                         matmul(deep, {.m = {128, 128}, .k = {64, 1536}, .n = {128, 128}}),
                         matmul(deep, {.m = {128, 128}, .k = {64, 1024}, .n = {128, 128}}),
                         {},
                         true,
                         profile == Enforced ? "CAP-04 enforced" : "CAP-04 documented"});
    // acc and scaled in FP32 (one column of scales aside): 2 * 512 B * rows + 32 B * rows
    const RowScaleKnobs wide{.n = 1024, .rowTile = 512};
    cases.push_back(
        {"CAP-05", "/blocks/0/body/3/tile", Enforced, vectorTile({64, 1024}, wide), vectorTile({16, 1024}, wide)});
    cases.push_back({"CAP-06", tile + "/k/1", Enforced, matmul(deep, {.m = {128, 128}, .k = {64, 4096}}),
                     matmul(deep, {.k = {64, 1024}})});
    cases.push_back({"CAP-06",
                     tile + "/k/2",
                     Enforced,
                     matmul(deep, {.k = {64, 64, 4096}, .n = {128, 128}}),
                     matmul(deep, {.k = {64, 64, 1024}, .n = {128, 128}}),
                     {},
                     true,
                     "CAP-06 of B"});
    cases.push_back({"CAP-07",
                     tile,
                     Enforced,
                     matmul(deep, {.m = {256, 256}, .k = {128, 256}}),
                     matmul(deep, {.m = {128, 128}, .k = {128, 256}}),
                     {},
                     false});
    const auto slotCount = [](std::int64_t count) {
        return [count](Design& design) { cubeOf(design).slotCount = count; };
    };
    const Make quarter = matmul(deep, {.m = {256, 256}, .k = {64, 256}});  // A takes half of L0A
    cases.push_back(
        {"CAP-08", "/blocks/0/slots", Enforced, changed(quarter, slotCount(3)), changed(quarter, slotCount(2))});
    cases.push_back({"CAP-08",
                     "/blocks/0/slots",
                     Enforced,
                     changed(quarter, slotCount(0)),
                     changed(quarter, slotCount(1)),
                     {},
                     true,
                     "CAP-08 none"});
}

VectorOp operation(VectorOpCode code, const char* in, const char* out) {
    VectorOp op;
    op.op = code;
    op.in = {Operand{ValueId(in)}};
    op.out = ValueId(out);
    return op;
}

/// Row scale whose stage goes on from "scaled" (FP32, rows x 128) or "rounded" (its cast to `type`) with more
/// operations; the last one's result is stored.
Make scaledThen(std::vector<VectorOp> more, DType type, DType out, std::vector<Expression> shape) {
    return [=] {
        Design design = rowScale({.out = type});
        VectorStage& stage = vectorOf(design);
        stage.ops.insert(stage.ops.end(), more.begin(), more.end());
        storeOf(design).from = more.back().out;
        tensorOf(design, "y").dtype = out;
        tensorOf(design, "y").shape = shape;
        return design;
    };
}

Make reduced(VectorOpCode code, DType type) {
    VectorOp op = operation(code, "rounded", "reduced");
    op.keepDim = true;
    return scaledThen({op}, type, type, {Expression("T"), 1});
}

Make mapped(VectorOpCode code, DType type) {
    return scaledThen({operation(code, "rounded", "mapped")}, type, type, {Expression("T"), 128});
}

Make chosen(bool comparison) {
    VectorOp condition = operation(comparison ? VectorOpCode::Gt : VectorOpCode::Add, "scaled", "condition");
    condition.in = {Operand{ValueId("scaled")}, Operand{0.0}};
    VectorOp choice = operation(VectorOpCode::Where, "condition", "choice");
    choice.in = {Operand{ValueId("condition")}, Operand{ValueId("rounded")}, Operand{1.0}};
    return scaledThen({condition, choice}, DType::BF16, DType::BF16, {Expression("T"), 128});
}

/// "scaled" picked by "rounded".
Make gathered(DType index) {
    VectorOp op = operation(VectorOpCode::Gather, "scaled", "picked");
    op.in.push_back(Operand{ValueId("rounded")});
    return scaledThen({op}, index, DType::FP32, {Expression("T"), 128});
}

Make quantized(DType type) {
    VectorOp op = operation(VectorOpCode::Quantize, "scaled", "codes");
    op.in.push_back(Operand{2.0});
    op.dtype = type;
    return scaledThen({op}, DType::BF16, type, {Expression("T"), 128});
}

Make sorted() {
    return scaledThen({operation(VectorOpCode::Argsort, "scaled", "order")}, DType::FP32, DType::INT32,
                      {Expression("T"), 128});
}

/// Row scale whose rows go to the places that an arange lists.
Make indexed(bool accumulate, bool parallel) {
    return [=] {
        Design design = rowScale();
        auto& loop = std::get<Loop>(design.blocks[0].content);
        loop.parallel = parallel;
        if (parallel) design.options.deviceSchedParallelism = 2;
        VectorOp places;
        places.op = VectorOpCode::Arange;
        places.out = ValueId("places");
        places.range = {loop.tile};
        VectorStage& stage = vectorOf(design);
        stage.ops.insert(stage.ops.begin(), places);
        Store& store = storeOf(design);
        store.op = StoreOp::IndexPut;
        store.index = ValueId("places");
        store.accumulate = accumulate;
        store.offset.clear();
        return design;
    };
}

/// A matmul, and besides a transposition of four axes of 8.
Make exchanged(std::vector<std::int64_t> axes) {
    return [=] {
        Design design = matmulDesign();
        for (const char* id : {"a", "c"}) {
            Tensor tensor = tensorOf(design, id);
            tensor.id = TensorId(std::string(id) + "4");
            tensor.dtype = DType::FP32;
            tensor.shape = {8, 8, 8, 8};
            design.tensors.push_back(tensor);
        }
        VectorStage stage;
        stage.id = BlockId("turn");
        stage.ops = {operation(VectorOpCode::Transpose, "a4", "turned")};
        stage.ops[0].dims = axes;
        stage.tile = {1, 8, 8, 8};
        Store store = storeOf(design);
        store.id = BlockId("write4");
        store.from = ValueId("turned");
        store.to = TensorId("c4");
        design.blocks.push_back(Block{stage});
        design.blocks.push_back(Block{store});
        return design;
    };
}

void addTypeCases(std::vector<RuleCase>& cases) {
    using enum RuleProfile;
    cases.push_back({"DTYPE-01",
                     "/blocks/0/out_dtype",
                     Enforced,
                     [] { return matmulDesign({.out = DType::BF16}); },
                     kMatmul,
                     {},
                     false});
    cases.push_back({"DTYPE-01",
                     "/blocks/0/b",
                     Enforced,
                     changed(kMatmul, [](Design& design) { tensorOf(design, "b").dtype = DType::BF16; }),
                     kMatmul,
                     {},
                     false,
                     "DTYPE-01 mixed"});
    cases.push_back({"DTYPE-01",
                     "/blocks/0/a",
                     Enforced,
                     [] { return matmulDesign({.dtype = DType::INT32, .out = DType::INT32}); },
                     [] { return matmulDesign({.dtype = DType::INT8, .out = DType::INT32}); },
                     {},
                     false,
                     "DTYPE-01 operand"});
    cases.push_back({"DTYPE-02", "/blocks/0/a", Enforced, kMatmul, [] { return matmulDesign({.dtype = DType::BF16}); },
                     [](ChipSpec& chip) {
                         std::erase_if(chip.cube, [](const CubeRate& rate) { return rate.dtype == DType::FP16; });
                     },
                     false});
    const auto castTo = [](DType type) { return [type] { return rowScale({.out = type}); }; };
    cases.push_back(
        {"DTYPE-03", "/blocks/0/body/3/ops/1/dtype", Enforced, castTo(DType::INT8), castTo(DType::FP16), {}, false});
    cases.push_back({"DTYPE-04",
                     "/blocks/0/body/3/ops/0/in/1",
                     Enforced,
                     [] { return rowScale({.scale = DType::BF16}); },
                     kRowScale,
                     {},
                     false});
    const std::string third = "/blocks/0/body/3/ops/2/in/0";
    cases.push_back({"DTYPE-05",
                     third,
                     Enforced,
                     reduced(VectorOpCode::Sum, DType::FP16),
                     reduced(VectorOpCode::Amax, DType::FP16),
                     {},
                     false});
    cases.push_back({"DTYPE-05",
                     third,
                     Enforced,
                     mapped(VectorOpCode::Exp, DType::INT32),
                     mapped(VectorOpCode::Exp, DType::BF16),
                     {},
                     false,
                     "DTYPE-05 exp"});
    cases.push_back({"DTYPE-05",
                     "/blocks/0/body/3/ops/3/in/0",
                     Enforced,
                     chosen(false),
                     chosen(true),
                     {},
                     false,
                     "DTYPE-05 condition"});
    cases.push_back({"DTYPE-06",
                     third,
                     Enforced,
                     mapped(VectorOpCode::Sigmoid, DType::BF16),
                     mapped(VectorOpCode::Sigmoid, DType::FP32),
                     {},
                     false});
    const std::string ops = "/blocks/0/body/3/ops";
    cases.push_back({"DTYPE-07", ops + "/2/in/1", Enforced, gathered(DType::BF16), gathered(DType::INT32), {}, false});
    cases.push_back(
        {"DTYPE-08", ops + "/2/dtype", Enforced, quantized(DType::UINT8), quantized(DType::INT8), {}, false});
    const auto rounding = [](RoundMode mode) {
        return [mode](Design& design) { vectorOf(design).ops[1].round = mode; };
    };
    cases.push_back({"DTYPE-09",
                     ops + "/1/round",
                     Enforced,
                     changed(kRowScale, rounding(RoundMode::Odd)),
                     changed(kRowScale, rounding(RoundMode::Rint)),
                     {},
                     false});
}

void addVectorCases(std::vector<RuleCase>& cases) {
    using enum RuleProfile;
    const std::string tile = "/blocks/0/body/3/tile";
    cases.push_back({"VEC-01", tile + "/0", Enforced, vectorTile({0, 128}), vectorTile({1, 128})});
    cases.push_back({"VEC-02", tile, Enforced, vectorTile({128}), vectorTile({1, 128})});
    for (const RuleProfile profile : {Enforced, Documented})
        cases.push_back({"VEC-03",
                         tile + "/1",
                         profile,
                         vectorTile({16, 100}),
                         vectorTile({16, 112}),
                         {},
                         true,
                         profile == Enforced ? "VEC-03 enforced" : "VEC-03 documented"});
    const RowScaleKnobs tall{.rows = 2048, .rowTile = 2048};
    cases.push_back({"VEC-04", tile, Enforced, vectorTile({2, 16}, tall), vectorTile({3, 16}, tall)});  // 24576, 16392
    cases.push_back({"VEC-05", tile, Enforced, vectorTile({1, 16, 128}), vectorTile({16, 128})});
    const auto columns = [](std::int64_t value) {
        return [value](Design& design) { vectorOf(design).tile = {16, value}; };
    };
    const Make sums = reduced(VectorOpCode::Sum, DType::FP32);
    cases.push_back({"VEC-06", tile + "/1", Enforced, changed(sums, columns(64)), changed(sums, columns(128))});
    cases.push_back({"VEC-07", tile + "/1", Enforced, changed(sorted(), columns(64)), changed(sorted(), columns(128))});
}

void addShapeCases(std::vector<RuleCase>& cases) {
    using enum RuleProfile;
    cases.push_back({"SHAPE-01",
                     "/blocks/1/from",
                     Enforced,
                     changed(kMatmul, [](Design& design) { tensorOf(design, "c").shape = {4096}; }),
                     kMatmul,
                     {},
                     false});
    cases.push_back({"SHAPE-02",
                     "/blocks/0/b",
                     Enforced,
                     changed(kMatmul,
                             [](Design& design) {
                                 tensorOf(design, "b").shape = {96, 64};
                             }),
                     kMatmul,
                     {},
                     false});
    cases.push_back({"SHAPE-03",
                     "/blocks/0/body/3/ops/0/in/1",
                     Enforced,
                     [] { return rowScale({.scaleColumns = 2}); },
                     [] { return rowScale({.scaleColumns = 128}); },
                     {},
                     false});
    const auto storeAt = [](std::int64_t row) {
        return [row](Design& design) {
            tensorOf(design, "c").shape = {65, 64};
            storeOf(design).offset = {row, 0};
        };
    };
    cases.push_back({"SHAPE-04", "/blocks/1/offset/0", Enforced, changed(kMatmul, storeAt(2)), kMatmul, {}, false});
    cases.push_back({"SHAPE-05", "/blocks/1/from", Enforced,
                     changed(kMatmul, [](Design& design) { tensorOf(design, "c").dtype = DType::FP16; }), kMatmul});
    cases.push_back({"SHAPE-06",
                     "/blocks/0/body/0/shape/0",
                     Enforced,
                     changed(kGate, [](Design& design) { viewOf(design).shape[0] = Expression("min(T, 32)"); }),
                     kGate,
                     {},
                     false});
    cases.push_back({"SHAPE-07", "/blocks/2/ops/0/dims", Enforced, exchanged({3, 0}), exchanged({0, 2}), {}, false});
    const auto tail = [](bool valid) {
        GlmGateKnobs knobs = smallGate();
        knobs.rows = 70;
        knobs.valid = valid;
        return [knobs] { return glmGate(knobs); };
    };
    cases.push_back({"TAIL-01", "/blocks/0/body/0/valid", Enforced, tail(false), tail(true)});
}

Make nested(bool outerParallel) {
    return changed(kGate, [outerParallel](Design& design) {
        Loop inner;
        inner.id = BlockId("parts");
        inner.index = "j";
        inner.axis = 1;
        inner.parallel = true;
        Loop& outer = loopOf(design);
        inner.body = outer.body;
        outer.body = {Block{inner}};
        outer.parallel = outerParallel;
        design.options.deviceSchedParallelism = 2;
    });
}

void addLoopAndStoreCases(std::vector<RuleCase>& cases) {
    using enum RuleProfile;
    const auto parallelism = [](std::int64_t count) {
        return [count](Design& design) {
            loopOf(design).parallel = true;
            design.options.deviceSchedParallelism = count;
        };
    };
    cases.push_back(
        {"LOOP-01", "/blocks/0/parallel", Enforced, changed(kGate, parallelism(1)), changed(kGate, parallelism(2))});
    cases.push_back({"LOOP-02", "/blocks/0/body/0/parallel", Enforced, nested(true), nested(false)});
    const auto outputRows = [](std::int64_t rows) {
        return [rows](Design& design) { tensorOf(design, "c").shape = {rows, 64}; };
    };
    cases.push_back({"STORE-01",
                     "/tensors/2",
                     Enforced,
                     changed(kMatmul, outputRows(65)),
                     changed(kMatmul, outputRows(64)),
                     {},
                     false});
    const auto stepOf = [](std::int64_t step) {
        return [step](Design& design) {
            const std::string row = "i * " + std::to_string(step);
            loopOf(design).tile = step;
            viewOf(design).offset[0] = Expression(row);
            viewOf(design).valid[0] = Expression("min(T - " + row + ", 32)");
            storeOf(design).offset[0] = Expression(row);
        };
    };
    cases.push_back({"STORE-02",
                     "/blocks/0/body/2/offset",
                     Enforced,
                     changed(kGate, stepOf(16)),
                     changed(kGate, stepOf(32)),
                     {},
                     false});
    cases.push_back({"STORE-04",
                     "/blocks/0/body/2/offset",
                     Enforced,
                     changed(changed(kGate, parallelism(2)), stepOf(16)),
                     changed(changed(kGate, parallelism(2)), stepOf(32)),
                     {},
                     false});
    const auto extraOutput = [](Design& design) {
        Tensor extra = tensorOf(design, "c");
        extra.id = TensorId("extra");
        design.tensors.push_back(extra);
    };
    cases.push_back({"STORE-03",
                     "/tensors/3",
                     Enforced,
                     changed(kMatmul, extraOutput),
                     changed(kMatmul, [](Design&) {}),
                     {},
                     false});
    const std::string store = "/blocks/0/body/4/op";
    cases.push_back({"STORE-07", store, Enforced, indexed(false, false), indexed(true, false), {}, false});
    cases.push_back({"STORE-08", store, Enforced, indexed(true, true), indexed(true, false), {}, false});
}

Make withOption(const std::function<void(Options&)>& change) {
    return changed(kMatmul, [change](Design& design) { change(design.options); });
}

Make merging(const std::vector<std::pair<std::string, std::int64_t>>& entries) {
    return changed(kMatmul, [entries](Design& design) {
        cubeOf(design).label = "gate";
        for (const auto& [key, value] : entries) design.options.cubeL1Reuse.set(key, value);
    });
}

void addOptionCases(std::vector<RuleCase>& cases) {
    using enum RuleProfile;
    const auto mode = [](std::int64_t value) {
        return withOption([value](Options& options) { options.deviceSchedMode = value; });
    };
    const auto width = [](std::int64_t value) {
        return withOption([value](Options& options) { options.deviceSchedParallelism = value; });
    };
    const auto stitch = [](std::int64_t value) {
        return withOption([value](Options& options) { options.stitchFunctionMaxNum = value; });
    };
    cases.push_back({"OPT-01", "/options/device_sched_mode", Enforced, mode(4), mode(3)});
    cases.push_back(
        {"OPT-01", "/options/device_sched_parallelism", Enforced, width(0), width(8), {}, true, "OPT-01 parallelism"});
    cases.push_back({"OPT-01",
                     "/options/stitch_function_max_num",
                     Enforced,
                     stitch(1025),
                     stitch(1024),
                     {},
                     true,
                     "OPT-01 stitch"});
    const std::string reuse = "/options/cube_l1_reuse_setting";
    cases.push_back(
        {"OPT-02", reuse, Enforced, merging({{"-1", 1}, {"func8_0", 1}}), merging({{"-1", 1}, {"gate", 1}})});
    const auto mix = [](bool on) { return withOption([on](Options& options) { options.autoMixPartition = on; }); };
    const auto valid = [](bool on) { return withOption([on](Options& options) { options.validShapeOptimize = on; }); };
    cases.push_back({"OPT-03", "/options/auto_mix_partition", Enforced, mix(true), mix(false)});
    cases.push_back({"OPT-03",
                     "/options/valid_shape_optimize",
                     Enforced,
                     valid(true),
                     valid(false),
                     {},
                     true,
                     "OPT-03 valid shapes"});
    cases.push_back({"OPT-04", reuse + "/up", Enforced, merging({{"up", 1}}), merging({{"gate", 1}})});
    cases.push_back({"OPT-05", reuse + "/DEFAULT", Enforced, merging({{"DEFAULT", 0}}), merging({{"DEFAULT", 1}})});
    cases.push_back({"OPT-06", reuse + "/-2", Enforced, merging({{"-2", 1}}), merging({{"-1", 1}})});
}

void addStructureCases(std::vector<RuleCase>& cases) {
    using enum RuleProfile;
    cases.push_back({"STR-01",
                     "/blocks",
                     Enforced,
                     changed(kRowScale,
                             [](Design& design) {
                                 std::erase_if(loopOf(design).body, [](const Block& block) {
                                     return std::holds_alternative<CubeStage>(block.content);
                                 });
                                 vectorOf(design).ops[0].in[0] = Operand{ValueId("x_tile")};
                                 tensorOf(design, "scale").dtype = DType::BF16;
                                 vectorOf(design).ops.pop_back();
                                 storeOf(design).from = ValueId("scaled");
                                 design.tensors.erase(design.tensors.begin() + 1);
                             }),
                     kRowScale,
                     {},
                     false});
    const auto variant = [](Variant value) { return [value](Design& design) { design.skeleton.variant = value; }; };
    cases.push_back({"STR-02", "/skeleton/variant", Enforced, changed(kGate, variant(Variant::D)),
                     changed(kGate, variant(Variant::C))});
    cases.push_back({"STR-03",
                     "/blocks/0/out",
                     Enforced,
                     changed(kMatmul,
                             [](Design& design) {
                                 design.blocks.pop_back();
                                 design.tensors.pop_back();
                             }),
                     kMatmul,
                     {},
                     false});
    const auto named = [](const std::string& name) { return [name](Design& design) { design.name = name; }; };
    cases.push_back({"NAME-01",
                     "/name",
                     Enforced,
                     changed(kMatmul, named("2nd gate")),
                     changed(kMatmul, named("gate_2")),
                     {},
                     false});
    cases.push_back({"NAME-01",
                     "/name",
                     Enforced,
                     changed(kMatmul, named("lambda")),
                     changed(kMatmul, named("Lambda")),
                     {},
                     false,
                     "NAME-01 keyword"});
}

}  // namespace

std::vector<RuleCase> ruleCases() {
    std::vector<RuleCase> cases;
    addTileCases(cases);
    addCapacityCases(cases);
    addTypeCases(cases);
    addCubeCases(cases);
    addVectorCases(cases);
    addShapeCases(cases);
    addLoopAndStoreCases(cases);
    addGroupCases(cases);
    addLoopFormCases(cases);
    addOptionCases(cases);
    addStructureCases(cases);
    for (RuleCase& entry : cases)
        if (entry.name.empty()) entry.name = entry.rule;
    return cases;
}

}  // namespace cubist::test
