// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include "tests/support/emulation.h"
#include "tests/support/rule_makers.h"

namespace cubist::test {

using namespace making;

namespace {

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

}  // namespace

void addGroupCases(std::vector<RuleCase>& cases) {
    using enum RuleProfile;
    const std::string values = "/lists/0/value";
    const auto unfixable = [&](std::string rule, std::string where, Make breaks, std::string name = {}) {
        cases.push_back({std::move(rule), std::move(where), Enforced, std::move(breaks), kGrouped, {}, false, name});
    };
    unfixable("GRP-01", values + "/0", groups(ListForm::Counts, {-8, 72}));
    unfixable("GRP-02", values + "/1", groups(ListForm::PrefixSums, {40, 20}));
    unfixable("GRP-03", values, groups(ListForm::Counts, {24, 39}));
    cases.push_back(
        {"GRP-10", values, Enforced, groups(ListForm::PrefixSums, {24, 63}), groups(ListForm::PrefixSums, {24, 64})});
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
    unfixable("GRP-11", "/lists/1", changed(kGrouped, [](Design& design) {
                  List other = design.lists[0];
                  other.id = ListId("unread");
                  design.lists.push_back(other);
              }));
    // A list whose values reach a block by way of the tensor that holds it.
    const auto another = [](bool read) {
        return changed(kGrouped, [read](Design& design) {
            List other = design.lists[0];
            other.id = ListId("other");
            design.lists.push_back(other);
            Tensor held;
            held.id = TensorId("held");
            held.dtype = DType::INT32;
            held.shape = {Expression(2)};
            held.data.list = other.id;
            design.tensors.push_back(held);
            if (!read) return;
            Tensor kept = held;
            kept.id = TensorId("kept");
            kept.role = TensorRole::Output;
            kept.data = {};
            design.tensors.push_back(kept);
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
            store.to = kept.id;
            design.blocks.push_back(Block{stage});
            design.blocks.push_back(Block{store});
        });
    };
    cases.push_back({"GRP-11", "/lists/1", Enforced, another(false), another(true), {}, false, "GRP-11 of a holder"});
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
    // The sums of a store come from the chip's atomic adds.
    const auto added = [](const std::string& type) {
        return [type] {
            return designText(R"({"cubist": 1, "name": "added", "chip": "Ascend910B1", "skeleton": {"variant": "A"},
                "tensors": [{"id": "ma", "role": "input", "dtype": "FP16", "shape": [64, 64]},
                        {"id": "mb", "role": "input", "dtype": "FP16", "shape": [64, 64]},
                        {"id": "mc", "role": "output", "dtype": "FP32", "shape": [64, 64]},
                        {"id": "y", "role": "inout", "dtype": ")" +
                              type + R"(", "shape": [32, 32]}],
                "blocks": [{"kind": "cube", "id": "product", "a": "ma", "b": "mb", "out": "mp", "out_dtype": "FP32",
                        "tile": {"m": [64, 64], "k": [64, 64], "n": [64, 64]}},
                       {"kind": "store", "id": "put", "from": "mp", "to": "mc"},
                       {"kind": "vector", "id": "ones", "tile": [32, 32],
                            "ops": [{"op": "full", "in": [1], "out": "r", "shape": [32, 32], "dtype": ")" +
                              type + R"("}]},
                           {"kind": "store", "id": "sum", "from": "r", "to": "y", "op": "atomic_add"}]})");
        };
    };
    cases.push_back({"DTYPE-05", "/blocks/3/to", Enforced, added("UINT8"), added("INT8"), {}, false, "DTYPE-05 sum"});
    cases.push_back({"STORE-07", store, Enforced, indexed(false, false), indexed(true, false), {}, false});
    const auto picked = [](DType type) {
        return changed(kMatmul, [type](Design& design) {
            tensorOf(design, "c").role = TensorRole::InOut;
            Tensor places = tensorOf(design, "a");
            places.id = TensorId("places");
            places.dtype = type;
            places.shape = {Expression(64)};
            places.data.generator = Generator::Arange;
            design.tensors.push_back(places);
            storeOf(design).op = StoreOp::IndexAdd;
            storeOf(design).index = ValueId("places");
        });
    };
    cases.push_back({"DTYPE-07",
                     "/blocks/1/index",
                     Enforced,
                     picked(DType::FP32),
                     picked(DType::INT64),
                     {},
                     false,
                     "DTYPE-07 of a store"});
    cases.push_back({"STORE-08", store, Enforced, indexed(true, true), indexed(true, false), {}, false});
}

}  // namespace cubist::test
