// SPDX-License-Identifier: GPL-3.0-or-later
#include <utility>

#include "tests/support/emulation.h"
#include "tests/support/rule_makers.h"

namespace cubist::test {

using namespace making;

namespace {

VectorOp operation(VectorOpCode code, std::vector<std::string> in, const std::string& out) {
    VectorOp op;
    op.op = code;
    for (const std::string& name : in) op.in.push_back(Operand{ValueId(name)});
    op.out = ValueId(out);
    return op;
}

VectorStage stage(const std::string& id, std::vector<VectorOp> ops, Values tile = {32, 64}) {
    VectorStage made;
    made.id = BlockId(id);
    made.ops = std::move(ops);
    made.tile = std::move(tile);
    return made;
}

Tensor input(const std::string& id, std::vector<Expression> shape, DType dtype = DType::FP32) {
    Tensor made;
    made.id = TensorId(id);
    made.role = TensorRole::Input;
    made.dtype = dtype;
    made.shape = std::move(shape);
    return made;
}

/// GLMGate in small with a vector stage in front of its matmul.
Make prepared(VectorOpCode code) {
    return changed(kGate, [code](Design& design) {
        VectorOp op = operation(code, {"x_tile"}, "x_ready");
        if (code == VectorOpCode::ExpandClone) op.shape = {32, 256};
        auto& body = loopOf(design).body;
        body.insert(body.begin() + 1, Block{stage("ready", {op}, {16, 256})});
        cubeOf(design).a = ValueId("x_ready");
    });
}

/// C -> V -> C: the gate's logits [32, 64], `middle` of them, and a second matmul.
Design chained(std::vector<VectorOp> middle, bool post = false) {
    Design design = kGate();
    design.skeleton.variant = Variant::D;
    design.tensors.push_back(input("w2", {64, 64}));
    auto& body = loopOf(design).body;
    CubeStage second = cubeOf(design);
    second.id = BlockId("second");
    second.a = middle.back().out;
    second.b = ValueId("w2");
    second.bTrans = false;
    second.out = ValueId("acc2");
    second.tile.k = {64, 64};
    body.insert(body.begin() + 2, Block{stage("middle", std::move(middle))});
    body.insert(body.begin() + 3, Block{second});
    storeOf(design).from = ValueId("acc2");
    if (!post) return design;
    body.insert(body.begin() + 4, Block{stage("after", {operation(VectorOpCode::Neg, {"acc2"}, "turned")})});
    storeOf(design).from = ValueId("turned");
    return design;
}

Make chain(VectorOpCode code, bool post = false) {
    return [=] {
        VectorOp op = operation(code, {"acc"}, "mid");
        if (code == VectorOpCode::TopK) op.count = 64;
        return chained({op}, post);
    };
}

/// The gate with vector stages behind its matmul, each on the result of the one before.
Make followed(std::size_t stages) {
    return changed(kGate, [stages](Design& design) {
        auto& body = loopOf(design).body;
        std::string from = "acc";
        for (std::size_t i = 0; i < stages; ++i) {
            const std::string to = "post" + std::to_string(i);
            body.insert(body.end() - 1, Block{stage("stage_" + to, {operation(VectorOpCode::Neg, {from}, to)})});
            from = to;
        }
        storeOf(design).from = ValueId(from);
    });
}

/// Two matmuls of one input into two outputs; the first one's result passes through a vector stage, which stands in
/// front of the second matmul or behind it.
Make twoOutputs(bool early) {
    return changed(kGate, [early](Design& design) {
        design.skeleton.variant = Variant::D;
        Tensor other = tensorOf(design, "y");
        other.id = TensorId("z");
        design.tensors.push_back(other);
        auto& body = loopOf(design).body;
        CubeStage second = cubeOf(design);
        second.id = BlockId("second");
        second.out = ValueId("acc2");
        Store store = storeOf(design);
        store.id = BlockId("write_z");
        store.from = ValueId("acc2");
        store.to = TensorId("z");
        const Block post{stage("post", {operation(VectorOpCode::Neg, {"acc"}, "turned")})};
        storeOf(design).from = ValueId("turned");
        body.insert(body.begin() + 2, early ? post : Block{second});
        body.insert(body.begin() + 3, early ? Block{second} : post);
        body.push_back(Block{store});
    });
}

/// The weight is turned by a vector stage, in the loop or in front of it.
Make turnedWeight(bool inside) {
    return changed(kGate, [inside](Design& design) {
        VectorOp op = operation(VectorOpCode::Transpose, {"w"}, "w_turned");
        op.dims = {0, 1};
        CubeStage& cube = cubeOf(design);
        cube.b = ValueId("w_turned");
        cube.bTrans = false;
        const Block turn{stage("turn", {op}, {64, 64})};
        if (inside) {
            auto& body = loopOf(design).body;
            body.insert(body.begin() + 1, turn);
        } else {
            design.blocks.insert(design.blocks.begin(), turn);
        }
    });
}

/// Gate and up of one input, merged by a product, with an activation or without.
Make merged(bool activation) {
    return changed(kGate, [activation](Design& design) {
        design.skeleton.variant = Variant::D;
        design.tensors.push_back(input("w2", {64, 256}));
        auto& body = loopOf(design).body;
        CubeStage up = cubeOf(design);
        up.id = BlockId("up");
        up.b = ValueId("w2");
        up.out = ValueId("acc2");
        std::vector<VectorOp> ops;
        if (activation) ops.push_back(operation(VectorOpCode::Silu, {"acc"}, "gated"));
        ops.push_back(operation(VectorOpCode::Mul, {activation ? "gated" : "acc", "acc2"}, "both"));
        body.insert(body.begin() + 2, Block{up});
        body.insert(body.begin() + 3, Block{stage("merge", ops)});
        storeOf(design).from = ValueId("both");
    });
}

/// The operand is given in a narrow type, or in BF16, and widened for the matmul.
Make widened(DType type) {
    return changed(prepared(VectorOpCode::Cast), [type](Design& design) {
        tensorOf(design, "x").dtype = type;
        vectorOf(design).ops[0].dtype = DType::FP32;
    });
}

/// Each tile's result is scaled and added to rows of the output by an index, or written to its own rows.
Make addedInLoop(bool adds) {
    return changed(followed(1), [adds](Design& design) {
        if (!adds) return;
        Tensor index = input("rows_of", {32}, DType::INT32);
        index.data.generator = Generator::Integers;
        index.data.high = 63;
        design.tensors.push_back(index);
        Tensor& y = tensorOf(design, "y");
        y.role = TensorRole::InOut;
        Store& store = storeOf(design);
        store.op = StoreOp::IndexAdd;
        store.index = ValueId("rows_of");
        store.offset.clear();
    });
}

/// Iterations add the largest of all rows of the output to their own.
Make readsAll(bool parallel) {
    return changed(kGate, [parallel](Design& design) {
        tensorOf(design, "y").role = TensorRole::InOut;
        design.symbols[0].isStatic = true;  // y is read as a whole
        loopOf(design).parallel = parallel;
        if (parallel) design.options.deviceSchedParallelism = 2;
        VectorOp largest = operation(VectorOpCode::Amax, {"y"}, "largest");
        largest.dim = 0;
        largest.keepDim = true;
        auto& body = loopOf(design).body;
        body.insert(
            body.begin() + 2,
            Block{stage("sum_up", {largest, operation(VectorOpCode::Add, {"acc", "largest"}, "total")}, {64, 64})});
        storeOf(design).from = ValueId("total");
    });
}

/// Iterations write their rows of a workspace in one loop and read rows of it in another, `ahead` iterations on.
Make readsWindows(std::int64_t ahead) {
    return [ahead] {
        return designText(R"({"cubist": 1, "name": "windows", "chip": "Ascend910B1", "skeleton": {"variant": "A"},
            "options": {"device_sched_parallelism": 2},
            "tensors": [{"id": "ma", "role": "input", "dtype": "FP16", "shape": [64, 64]},
                        {"id": "mb", "role": "input", "dtype": "FP16", "shape": [64, 64]},
                        {"id": "mc", "role": "output", "dtype": "FP32", "shape": [64, 64]},
                        {"id": "x", "role": "input", "dtype": "FP32", "shape": [64, 32]},
                        {"id": "w", "role": "inout", "dtype": "FP32", "shape": [64, 32]},
                        {"id": "y", "role": "output", "dtype": "FP32", "shape": [64, 32]}],
            "blocks": [{"kind": "cube", "id": "product", "a": "ma", "b": "mb", "out": "mp", "out_dtype": "FP32",
                        "tile": {"m": [64, 64], "k": [64, 64], "n": [64, 64]}},
                       {"kind": "store", "id": "put", "from": "mp", "to": "mc"},
                       {"kind": "loop", "id": "rows", "index": "i", "axis": 64, "tile": 32, "parallel": true, "body": [
                {"kind": "loop", "id": "first", "index": "p", "axis": 1, "body": [
                    {"kind": "view", "id": "vx", "of": "x", "out": "xt", "shape": [32, 32], "offset": ["i*32", 0]},
                    {"kind": "vector", "id": "one", "ops": [{"op": "add", "in": ["xt", 1.0], "out": "q"}],
                     "tile": [32, 32]},
                    {"kind": "store", "id": "s1", "from": "q", "to": "w", "offset": ["i*32", 0]}]},
                {"kind": "loop", "id": "then", "index": "p", "axis": 1, "body": [
                    {"kind": "view", "id": "vw", "of": "w", "out": "wt", "shape": [32, 32],
                     "offset": ["(i+)" +
                          std::to_string(ahead) + R"()%2*32", 0]},
                    {"kind": "vector", "id": "two", "ops": [{"op": "add", "in": ["wt", 1.0], "out": "r"}],
                     "tile": [32, 32]},
                    {"kind": "store", "id": "s2", "from": "r", "to": "y", "offset": ["i*32", 0]}]}]}]})");
    };
}

/// A gate whose choice is stored, or its sign, beside the matmul of an expert that does not read it.
Make gated(bool chooses) {
    return [chooses] {
        const std::string choice = chooses
                                       ? R"({"op": "topk", "in": ["logits"], "out": "best", "out2": "at", "count": 64})"
                                       : R"({"op": "neg", "in": ["logits"], "out": "best"})";
        return designText(R"({"cubist": 1, "name": "t", "chip": "Ascend910B1", "skeleton": {"variant": "A"},
            "tensors": [{"id": "x", "role": "input", "dtype": "FP16", "shape": [64, 128]},
                        {"id": "g", "role": "input", "dtype": "FP16", "shape": [128, 64]},
                        {"id": "e", "role": "input", "dtype": "FP16", "shape": [128, 64]},
                        {"id": "y", "role": "output", "dtype": "FP32", "shape": [64, 64]},
                        {"id": "r", "role": "output", "dtype": "FP32", "shape": [64, 64]}],
            "blocks": [{"kind": "cube", "id": "expert", "a": "x", "b": "e", "out": "done", "out_dtype": "FP32",
                        "tile": {"m": [64, 64], "k": [64, 128], "n": [64, 64]}},
                       {"kind": "store", "id": "s1", "from": "done", "to": "y"},
                       {"kind": "cube", "id": "router", "a": "x", "b": "g", "out": "logits", "out_dtype": "FP32",
                        "tile": {"m": [64, 64], "k": [64, 128], "n": [64, 64]}},
                       {"kind": "vector", "id": "choose", "tile": [16, 64], "ops": [)" +
                          choice + R"(]},
                       {"kind": "store", "id": "s2", "from": "best", "to": "r"}]})");
    };
}

}  // namespace

void addBlockCases(std::vector<RuleCase>& cases) {
    using enum RuleProfile;
    const auto add = [&](std::string rule, std::string where, Make breaks, Make passes) {
        cases.push_back({std::move(rule), std::move(where), Enforced, std::move(breaks), std::move(passes), {}, false});
    };
    const std::string body = "/blocks/0/body/";
    add("BLK-01", body + "1/ops/0", prepared(VectorOpCode::Neg), kGate);
    add("BLK-02", body + "2/ops/0", chain(VectorOpCode::Log), chain(VectorOpCode::Silu));
    cases.push_back({"BLK-02",
                     body + "2/ops/0",
                     Enforced,
                     chain(VectorOpCode::RmsNorm),
                     chain(VectorOpCode::Silu),
                     {},
                     false,
                     "BLK-02 of a norm"});
    cases.push_back(
        {"APP-04", "/blocks/3", Enforced, gated(true), gated(false), {}, false, "APP-04 of a choice that is stored"});
    add("BLK-03", body + "3", followed(2), followed(1));
    add("BLK-04", body + "2", twoOutputs(true), twoOutputs(false));
    add("BLK-05", body + "1", turnedWeight(true), turnedWeight(false));
    add("APP-01", body + "1", prepared(VectorOpCode::RmsNorm), kGate);
    add("APP-02", body + "3", merged(true), merged(false));
    add("APP-03", body + "2", chain(VectorOpCode::Softmax), chain(VectorOpCode::Silu));
    add("APP-04", body + "2", chain(VectorOpCode::TopK), chain(VectorOpCode::Silu));
    add("APP-05", body + "2", chain(VectorOpCode::RmsNorm, true), chain(VectorOpCode::Silu, true));
}

void addCodingCases(std::vector<RuleCase>& cases) {
    using enum RuleProfile;
    const auto on950 = [](ChipSpec& chip) { chip = chipFile("Ascend950PR_958x"); };
    cases.push_back(
        {"CODE-01", "/blocks/0/body/1/ops/0", Enforced, widened(DType::FP8E4M3), widened(DType::BF16), on950, false});
    cases.push_back({"CODE-02", "/blocks/0/body/2", Enforced, addedInLoop(true), addedInLoop(false), {}, false});
    const auto combine = [](bool on) { return [on](Design& design) { design.options.combineAxis = on; }; };
    cases.push_back({"CODE-03", "/options/combine_axis", Enforced, changed(kRowScale, combine(false)),
                     changed(kRowScale, combine(true))});
    const MatmulKnobs large{.k = 2048, .n = 1024};
    const MatmulKnobs small{.k = 2048, .n = 512};
    cases.push_back({"CODE-04", "/tensors/1/format", Enforced, matmul(large, {}), matmul(small, {})});
    cases.push_back({"CODE-05", "/blocks/0/body/2", Enforced, readsAll(true), readsAll(false)});
    cases.push_back({"CODE-05",
                     "/blocks/2/body/1/body/0",
                     Enforced,
                     readsWindows(1),
                     readsWindows(0),
                     {},
                     true,
                     "CODE-05 through a window"});
}

void addLayoutCases(std::vector<RuleCase>& cases) {
    using enum RuleProfile;
    const auto format = [](Format value) { return [value](Design& design) { tensorOf(design, "c").format = value; }; };
    cases.push_back({"STORE-09", "/tensors/2/format", Enforced, changed(kMatmul, format(Format::NZ)), kMatmul});
    cases.push_back({"STORE-10",
                     "/blocks/1/to",
                     Enforced,
                     matmul({.m = 128, .n = 60}, {.m = {9, 9}}),
                     matmul({.m = 128, .n = 64}, {.m = {9, 9}}),
                     {},
                     false});
    // The same by an index into rows of another width; the rows are added, which CODE-02 is about, so they come plain.
    const auto indexed = [](std::int64_t width) {
        return changed(addedInLoop(true), [width](Design& design) {
            Design own = matmulDesign({.m = 32, .k = 128, .n = 64});
            own.tensors[2].id = TensorId("y");
            own.tensors[2].role = TensorRole::InOut;
            own.tensors[2].shape = {64, width};
            own.tensors.push_back(tensorOf(design, "rows_of"));
            Store store = storeOf(design);
            store.from = ValueId("turned");
            own.blocks[1] = Block{stage("post", {operation(VectorOpCode::Neg, {"acc"}, "turned")})};
            own.blocks.push_back(Block{store});
            design = own;
        });
    };
    cases.push_back({"STORE-11", "/blocks/2/from", Enforced, indexed(128), indexed(64), {}, false});
    // Sums of columns: the last tile of 56 rows has 24 of 32.
    const auto columnSums = [](std::int64_t rows) {
        return changed(kGate, [rows](Design& design) {
            design.symbols[0].value = rows;
            VectorOp sum = operation(VectorOpCode::Sum, {"acc"}, "sums");
            sum.dim = 0;
            sum.keepDim = true;
            auto& body = loopOf(design).body;
            body.insert(body.begin() + 2, Block{stage("sum_up", {sum})});
            tensorOf(design, "y").shape = {Expression("ceildiv(T, 32)"), 64};
            storeOf(design).from = ValueId("sums");
            storeOf(design).offset = {Expression("i"), 0};
        });
    };
    cases.push_back({"TAIL-02", "/blocks/0/body/2/ops/0", Enforced, columnSums(56), columnSums(64), {}, false});
    // The last row of every tile stretched over all rows: that of the last tile is not there.
    const auto lastRows = [](std::int64_t rows) {
        return changed(kGate, [rows](Design& design) {
            design.symbols[0].value = rows;
            VectorOp slice = operation(VectorOpCode::Slice, {"acc"}, "last");
            slice.shape = {1, 64};
            slice.offset = {31, 0};
            VectorOp stretch = operation(VectorOpCode::ExpandClone, {"last"}, "wide");
            stretch.shape = {32, 64};
            auto& body = loopOf(design).body;
            body.insert(body.begin() + 2, Block{stage("spread", {slice, stretch})});
            tensorOf(design, "y").shape = {Expression("ceildiv(T, 32) * 32"), 64};
            storeOf(design).from = ValueId("wide");
        });
    };
    cases.push_back({"TAIL-04", "/blocks/0/body/2/ops/1/in/0", Enforced, lastRows(56), lastRows(64), {}, false});
    const auto table = [](bool on) {
        return [on](Design& design) {
            if (!on) return;
            TileRow row;
            row.upTo = 64;
            row.m = {32, 32};
            cubeOf(design).tileBy.emplace().value = Expression("T");
            cubeOf(design).tileBy->rows = {row};
        };
    };
    cases.push_back({"TILE-13",
                     "/blocks/0/body/1/tile_by",
                     Enforced,
                     changed(kGate, table(true)),
                     changed(kGate, table(false)),
                     {},
                     false});
}

}  // namespace cubist::test
