// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/emulation.h"
#include "tests/support/rule_makers.h"

namespace cubist::test {

using namespace making;

namespace {

/// Sums along rows of `n` FP32.
Make summedRows(std::int64_t n, std::vector<std::int64_t> tile) {
    return [=] {
        Design design = rowScale({.rows = 256, .n = n, .rowTile = 256, .out = DType::FP32, .vectorTile = tile});
        VectorOp sum;
        sum.op = VectorOpCode::Sum;
        sum.in = {Operand{ValueId("rounded")}};
        sum.out = ValueId("sums");
        sum.keepDim = true;
        vectorOf(design).ops.push_back(sum);
        storeOf(design).from = sum.out;
        tensorOf(design, "y").dtype = DType::FP32;
        tensorOf(design, "y").shape = {Expression("T"), 1};
        return design;
    };
}

/// The order of the elements of each row of 128, in a tile of this many columns.
Make sorted(std::int64_t columns) {
    return [=] {
        Design design = rowScale({.out = DType::FP32, .vectorTile = {16, columns}});
        VectorOp order;
        order.op = VectorOpCode::Argsort;
        order.in = {Operand{ValueId("scaled")}};
        order.out = ValueId("order");
        vectorOf(design).ops.push_back(order);
        storeOf(design).from = order.out;
        tensorOf(design, "y").dtype = DType::INT32;
        return design;
    };
}

/// A product [64, 128] doubled in front of its third axis, or behind it, in one stage with a tile of three values.
Make doubled(bool behind) {
    return [behind] {
        const std::string twice = behind ? R"({"op": "unsqueeze", "in": ["acc"], "dim": 0, "out": "u"},
                                              {"op": "mul", "in": ["u", 2.0], "out": "d"},)"
                                         : R"({"op": "mul", "in": ["acc", 2.0], "out": "m"},
                                              {"op": "unsqueeze", "in": ["m"], "dim": 0, "out": "d"},)";
        return designText(R"({"cubist": 1, "name": "t", "chip": "Ascend910B1", "skeleton": {"variant": "A"},
            "tensors": [{"id": "a", "role": "input", "dtype": "FP16", "shape": [64, 128]},
                        {"id": "b", "role": "input", "dtype": "FP16", "shape": [128, 128]},
                        {"id": "w", "role": "input", "dtype": "FP32", "shape": [2, 64, 128]},
                        {"id": "c", "role": "output", "dtype": "FP32", "shape": [2, 64, 128]}],
            "blocks": [{"kind": "cube", "id": "product", "a": "a", "b": "b", "out": "acc", "out_dtype": "FP32",
                        "tile": {"m": [64, 64], "k": [64, 128], "n": [128, 128]}},
                       {"kind": "vector", "id": "widen", "tile": [1, 16, 128], "ops": [)" +
                          twice + R"({"op": "add", "in": ["d", "w"], "out": "r"}]},
                       {"kind": "store", "id": "write", "from": "r", "to": "c"}]})");
    };
}

}  // namespace

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
    cases.push_back({"VEC-04", tile, Enforced, vectorTile({1, 16}, tall), vectorTile({3, 16}, tall)});  // 49152, 16392
    cases.push_back({"VEC-05", tile, Enforced, vectorTile({1, 16, 128}), vectorTile({16, 128})});
    cases.push_back(
        {"VEC-05", "/blocks/1/ops/0", Enforced, doubled(false), doubled(true), {}, false, "VEC-05 of mixed ranks"});
    cases.push_back({"VEC-06", tile + "/1", Enforced, summedRows(128, {16, 64}), summedRows(128, {16, 128})});
    // Rows of 100 FP32 are 12.5 blocks of 32 B, of 104 are 13; 128 rows of 128 FP32 are 64 KB.
    cases.push_back({"VEC-08", tile + "/1", Enforced, summedRows(100, {16, 100}), summedRows(100, {16, 104})});
    const auto largeUb = [](ChipSpec& chip) { chip.ubBytes.value = Rational(1 << 20); };
    for (const RuleProfile profile : {Enforced, Documented})
        cases.push_back({"VEC-09", tile, profile, summedRows(128, {136, 128}), summedRows(128, {128, 128}), largeUb,
                         true, profile == Enforced ? "VEC-09 enforced" : "VEC-09 documented"});
    cases.push_back({"VEC-07", tile + "/1", Enforced, sorted(64), sorted(128)});
}

}  // namespace cubist::test
