// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include "tests/support/rule_makers.h"

namespace cubist::test {

using namespace making;

namespace {

const std::string kTile = "/blocks/0/tile";

/// Four values of a tile that live at once, then their sums.
Make manyAlive(Values tile) {
    return [tile] { return fourAlive({.rows = 64, .n = 1024, .rowTile = 64, .vectorTile = tile}); };
}

/// Two matmuls of one A in one slot each; the first has its own k, the second [64, 128].
Make sideBySide(Values k) {
    return [k] {
        Design design = matmulDesign({.m = 64, .k = 128, .n = 256, .mTile = {64, 64}, .kTile = k, .nTile = {256, 256}});
        cubeOf(design).slotCount = 1;
        CubeStage second = cubeOf(design);
        second.id = BlockId("second");
        second.b = ValueId("b2");
        second.out = ValueId("r2");
        second.tile.k = {64, 128};
        Tensor b = tensorOf(design, "b"), c = tensorOf(design, "c");
        b.id = TensorId("b2");
        c.id = TensorId("c2");
        design.tensors.push_back(b);
        design.tensors.push_back(c);
        Store store = storeOf(design);
        store.id = BlockId("write2");
        store.from = second.out;
        store.to = c.id;
        design.blocks.insert(design.blocks.begin() + 1, Block{second});
        design.blocks.push_back(Block{store});
        return design;
    };
}

}  // namespace

void addTileCases(std::vector<RuleCase>& cases) {
    const MatmulKnobs half;
    const MatmulKnobs single{.dtype = DType::FP32};
    const MatmulKnobs integers{.dtype = DType::INT8, .out = DType::INT32};
    const MatmulKnobs deep{.k = 512};
    const MatmulKnobs turned{.aTrans = true};
    const std::string& tile = kTile;
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
    cases.push_back(
        {"TILE-14", tile + "/k/2", Documented, matmul(half, {.k = {64, 256, 128}}), matmul(half, {.k = {64, 128}})});
    const auto splitK = [](Design& design) { cubeOf(design).tile.splitK = true; };
    cases.push_back({"TILE-12", tile + "/split_k", Enforced, changed(matmul({.out = DType::FP16}, {}), splitK),
                     changed(kMatmul, splitK)});
}

void addCapacityCases(std::vector<RuleCase>& cases) {
    const MatmulKnobs deep{.m = 256, .k = 4096, .n = 256};  // no smaller than the tiles
    const std::string& tile = kTile;
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
    cases.push_back({"CAP-13", "/blocks/0/body/3/tile", Enforced, manyAlive({16, 1024}), manyAlive({8, 1024})});
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
    // FC-08: panels of B, 128 x 256 and 64 x 256 FP16, are 64 KB and 32 KB.
    cases.push_back({"CAP-12", "/blocks/1/slots", Enforced, sideBySide({128, 128}), sideBySide({64, 128})});
}

}  // namespace cubist::test
