// SPDX-License-Identifier: GPL-3.0-or-later
#include <limits>

#include "tests/support/cube_stage.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"
#include "tests/support/rule_cases.h"

namespace cubist::test {

namespace {

using Make = std::function<Design()>;
using Change = std::function<void(CubeStageKnobs&)>;

/// A stage of 64 x 128 x 64 that no rule minds on A2/A3 (BF16) or on the 950 (MX).
Make stage(const Change& change, bool scaled = false) {
    return [=] {
        CubeStageKnobs knobs;
        knobs.m = knobs.n = 64;
        knobs.k = 128;
        knobs.a = knobs.b = scaled ? DType::FP8E4M3 : DType::BF16;
        knobs.scaled = scaled;
        knobs.tile = CubeTile{{64, 64}, {64, 128}, {64, 64}, false, {}};
        if (change) change(knobs);
        return cubeStageDesign(knobs);
    };
}

Make mx(const Change& change) {
    return stage(change, true);
}

Change onStage(const std::function<void(CubeStage&)>& change) {
    return [change](CubeStageKnobs& knobs) { knobs.change = change; };
}

Make edited(const Make& make, const std::function<void(Design&)>& change) {
    return [=] {
        Design design = make();
        change(design);
        return design;
    };
}

void to950(ChipSpec& chip) {
    chip = chipFile("Ascend950PR_958x");
}

}  // namespace

void addCubeCases(std::vector<RuleCase>& cases) {
    using enum RuleProfile;
    const Make plain = stage({});
    const Make plainMx = mx({});
    const auto bias = [](DType type) {
        return [type](CubeStageKnobs& knobs) {
            knobs.bias = {1, knobs.n};
            knobs.biasType = type;
        };
    };
    const auto scales = [](DType type) {
        return [type](CubeStageKnobs& knobs) {
            knobs.channelScales = {1, knobs.n};
            knobs.channelScaleType = type;
        };
    };
    const auto inner = [](std::int64_t k) {
        return [k] { return matmulDesign({.m = 16, .k = k, .n = 16, .mTile = {16, 16}, .nTile = {16, 16}}); };
    };
    cases.push_back({"CUBE-13", "/blocks/0/a", RuleProfile::Documented, inner(65536), inner(65535), {}, false});
    cases.push_back({"CUBE-01", "/blocks/0/op", Enforced, plainMx, plain, {}, false});
    cases.push_back({"CUBE-01", "/blocks/0/b", Enforced, mx([](CubeStageKnobs& knobs) { knobs.b = DType::FP4E2M1; }),
                     mx([](CubeStageKnobs& knobs) { knobs.b = DType::FP8E5M2; }), to950, false, "CUBE-01 pair"});
    cases.push_back({"CUBE-01", "/blocks/0/scale_a", Enforced,
                     edited(plainMx, [](Design& design) { tensorOf(design, "sa").dtype = DType::UINT8; }), plainMx,
                     to950, false, "CUBE-01 scales"});
    cases.push_back({"CUBE-01", "/blocks/0/out_dtype", Enforced,
                     mx([](CubeStageKnobs& knobs) { knobs.out = DType::INT32; }),
                     mx([](CubeStageKnobs& knobs) { knobs.out = DType::BF16; }), to950, false, "CUBE-01 output"});
    cases.push_back(
        {"CUBE-02", "/blocks/0/bias", Enforced, stage(bias(DType::BF16)), stage(bias(DType::FP32)), {}, false});
    cases.push_back({"CUBE-03",
                     "/blocks/0/scale",
                     Enforced,
                     stage(onStage([](CubeStage& cube) { cube.scale = 0.0; })),
                     stage(onStage([](CubeStage& cube) { cube.scale = 0.5; })),
                     {},
                     false});
    cases.push_back({"CUBE-03",
                     "/blocks/0/scale",
                     Enforced,
                     stage([&](CubeStageKnobs& knobs) {
                         scales(DType::INT64)(knobs);
                         knobs.change = [](CubeStage& cube) { cube.scale = 0.5; };
                     }),
                     stage(scales(DType::INT64)),
                     {},
                     false,
                     "CUBE-03 both"});
    cases.push_back({"CUBE-03",
                     "/blocks/0/scale_tensor",
                     Enforced,
                     stage(scales(DType::INT32)),
                     stage(scales(DType::INT64)),
                     {},
                     true,
                     "CUBE-03 type"});
    cases.push_back({"CUBE-04",
                     "/blocks/0/scale_tensor",
                     Enforced,
                     stage(scales(DType::FP32)),
                     stage(scales(DType::INT64)),
                     {},
                     false});
    const auto split = [](const std::function<void(CubeStage&)>& change) {
        return [change](CubeStageKnobs& knobs) {
            knobs.tile.splitK = true;
            knobs.change = change;
        };
    };
    cases.push_back({"CUBE-05", "/blocks/0/tile/split_k", Enforced,
                     stage(split([](CubeStage& cube) { cube.relu = true; })), stage(split({}))});
    cases.push_back({"CUBE-06", "/blocks/0/partial_dtype", Enforced,
                     stage(split([](CubeStage& cube) { cube.partialDType = DType::BF16; })), stage(split({}))});
    const auto fp32 = [](Fp32Mode mode) {
        return [mode](CubeStageKnobs& knobs) {
            knobs.a = knobs.b = DType::FP32;
            knobs.change = [mode](CubeStage& cube) { cube.fp32Mode = mode; };
        };
    };
    cases.push_back(
        {"CUBE-07", "/blocks/0/fp32_mode", Enforced, stage(fp32(Fp32Mode::Rint)), stage(fp32(Fp32Mode::Ieee))});
    cases.push_back({"CUBE-07", "/blocks/0/fp32_mode", Enforced,
                     stage(onStage([](CubeStage& cube) { cube.fp32Mode = Fp32Mode::Round; })),
                     stage(fp32(Fp32Mode::Round)), to950, true, "CUBE-07 operands"});
    const auto groups = onStage([](CubeStage& cube) { cube.accumulation = Accumulation::MxGroup; });
    cases.push_back({"CUBE-08", "/blocks/0/accumulation", Enforced, stage(groups), mx(groups), to950});
    const auto kTile = [](std::int64_t kL0, std::int64_t kL1) {
        return [=](CubeStageKnobs& knobs) { knobs.tile.k = {kL0, kL1}; };
    };
    cases.push_back({"CUBE-09", "/blocks/0/tile/k/0", Enforced, mx(kTile(32, 128)), mx(kTile(64, 128)), to950});
    const auto fp4 = [](std::int64_t n) {
        return [n](CubeStageKnobs& knobs) {
            knobs.a = knobs.b = DType::FP4E2M1;
            knobs.n = n;
        };
    };
    cases.push_back({"CUBE-10", "/blocks/0/b", Enforced, mx(fp4(63)), mx(fp4(62)), to950, false});
    const auto nz = [](std::int64_t n, DType type, std::vector<std::int64_t> batch) {
        return [=](CubeStageKnobs& knobs) {
            knobs.formatB = Format::NZ;
            knobs.n = n;
            knobs.a = knobs.b = type;
            knobs.batchA = knobs.batchB = batch;
        };
    };
    cases.push_back(
        // FC-30
        {"CUBE-11", "/blocks/0/b", Enforced, stage(nz(1, DType::BF16, {})), stage(nz(64, DType::BF16, {}))});
    cases.push_back({"CUBE-11",
                     "/blocks/0/b",
                     Enforced,
                     stage(nz(64, DType::FP32, {})),
                     stage(nz(64, DType::FP16, {})),
                     {},
                     true,
                     "CUBE-11 FP32"});
    cases.push_back({"CUBE-11",
                     "/blocks/0/b",
                     Enforced,
                     stage(nz(40, DType::BF16, {})),
                     stage(nz(48, DType::BF16, {})),
                     {},
                     true,
                     "CUBE-11 blocks"});
    cases.push_back({"CUBE-12", "/blocks/0/matrix_size", Enforced, stage(nz(64, DType::BF16, {2})),
                     stage([&](CubeStageKnobs& knobs) {
                         nz(64, DType::BF16, {2})(knobs);
                         knobs.change = [](CubeStage& cube) { cube.matrixSize = {64, 128, 64}; };
                     })});
    cases.push_back({"CUBE-12",
                     "/blocks/0/matrix_size",
                     Enforced,
                     stage(onStage([](CubeStage& cube) {
                         cube.matrixSize = {64, 64, 64};
                     })),
                     stage(onStage([](CubeStage& cube) {
                         cube.matrixSize = {64, 128, 64};
                     })),
                     {},
                     true,
                     "CUBE-12 numbers"});
    const auto wide = [](std::int64_t nL0, const Change& more) {
        return [=](CubeStageKnobs& knobs) {
            knobs.n = 512;
            knobs.tile.m = {16, 16};
            knobs.tile.k = {32, 128};
            knobs.tile.n = {nL0, nL0};
            more(knobs);
        };
    };
    cases.push_back({"CAP-09", "/blocks/0/tile", Enforced, stage(wide(512, bias(DType::FP32))),
                     stage(wide(256, bias(DType::FP32)))});
    cases.push_back({"CAP-10", "/blocks/0/tile", Enforced, stage(wide(512, scales(DType::INT64))),
                     stage(wide(256, scales(DType::INT64)))});
    const auto deep = [](std::int64_t kL0) {
        return [kL0](CubeStageKnobs& knobs) {
            knobs.a = knobs.b = DType::FP4E2M1;
            knobs.m = 256;
            knobs.k = 1024;
            knobs.tile.m = {256, 256};
            knobs.tile.k = {kL0, 512};
        };
    };
    cases.push_back({"CAP-11", "/blocks/0/tile", Enforced, mx(deep(512)), mx(deep(256)), [](ChipSpec& chip) {
                         to950(chip);
                         chip.l0aBytes.value = chip.l0aBytes.value * Rational(2);  // room for a second slot
                     }});
    cases.push_back({"SHAPE-08",
                     "/blocks/0/bias",
                     Enforced,
                     stage([&](CubeStageKnobs& knobs) {
                         bias(DType::FP32)(knobs);
                         knobs.bias = {1, 32};
                     }),
                     stage(bias(DType::FP32)),
                     {},
                     false});
}

}  // namespace cubist::test
