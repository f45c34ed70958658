// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <bit>
#include <cmath>

#include "core/base/number_formats.h"
#include "core/timing/instruction_work.h"
#include "tests/support/cube_random.h"
#include "tests/support/cube_stage.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

float masked(float scale) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scale) & 0xFFFFE000U);
}

}  // namespace

class TstCubeFixpipe : public QObject {
    Q_OBJECT
private slots:
    void biasComesFirst();
    void fixpipeAppliesBiasReluScaleInThisOrder();
    void channelScalesDropTheirLowBits();
    void int8OutputsAreClippedRoundedShiftedAndClamped();
    void int8ProductsBecomeHalfPrecision();
    void scaleCodesMeanPowersOfTwo();
    void scalesBeyondKAreNeverRead();
    void fp32ModesRoundTheOperands_data();
    void fp32ModesRoundTheOperands();
    void roundedOperandsTakeHalfTheTime();
    void sumsPerFractal();
    void sumsPerMxGroup();
    void emptyKGivesTheBias();
};

void TstCubeFixpipe::biasComesFirst() {
    for (const DType type : {DType::FP32, DType::FP16, DType::BF16}) {
        CubeStageKnobs knobs;
        knobs.m = 3;
        knobs.k = 2;
        knobs.n = 37;
        knobs.bias = {1, 37};
        knobs.biasType = type;
        CubeRig rig(knobs);
        // 2^24 + 1 - 1: first the bias, then + 1 is lost, then - 1 is not.
        for (std::int64_t i = 0; i < rig.input("a").count(); ++i) rig.input("a").set(i, i % 2 == 0 ? 1.0 : -1.0);
        for (std::int64_t i = 0; i < rig.input("b").count(); ++i) rig.input("b").set(i, 1.0);
        for (std::int64_t i = 0; i < 37; ++i) rig.input("bias").set(i, type == DType::FP16 ? 2048.0 : 16777216.0);
        const double expected = type == DType::FP16 ? 2048.0 : 16777215.0;
        for (const EmulatorOptions& options : {EmulatorOptions{}, kChecked})
            for (const double value : valuesOf(rig.run(options))) QCOMPARE(value, expected);
    }
}

void TstCubeFixpipe::fixpipeAppliesBiasReluScaleInThisOrder() {
    CubeStageKnobs knobs;
    knobs.m = 20;
    knobs.k = 48;
    knobs.n = 40;
    knobs.out = DType::FP16;
    knobs.bias = {1, 40};
    knobs.change = [](CubeStage& stage) {
        stage.relu = true;
        stage.scale = -0.3;  // negative: a ReLU after the scale would leave other zeros
    };
    CubeRig rig(knobs);
    rig.fillUniform(-2.0, 2.0, 3);
    const float kept = masked(-0.3F);
    QVERIFY(kept != -0.3F);
    const HostTensor fast = rig.run();
    QVERIFY(sameBits(fast, rig.run(kChecked)));
    const std::vector<double> ideal = rig.golden(GoldenKind::Ideal), framework = rig.golden(GoldenKind::Framework);
    int positive = 0;
    for (std::int64_t row = 0, at = 0; row < knobs.m; ++row)
        for (std::int64_t column = 0; column < knobs.n; ++column, ++at) {
            const float sum = rig.chain(0, row, column, 0, knobs.k, static_cast<float>(rig.bias(0, column)));
            positive += sum > 0.0F ? 1 : 0;
            const float scaled = (sum < 0.0F ? 0.0F : sum) * kept;
            QCOMPARE(fast.codes<std::uint16_t>()[static_cast<std::size_t>(at)],
                     static_cast<std::uint16_t>(encode(DType::FP16, static_cast<double>(scaled))));
            QVERIFY(std::fabs(ideal[static_cast<std::size_t>(at)] - static_cast<double>(scaled)) < 1e-4);
            QVERIFY(std::fabs(framework[static_cast<std::size_t>(at)] - fast.at(at)) <= std::fabs(fast.at(at)) / 1024);
        }
    QVERIFY(positive > 100 && positive < 700);
}

void TstCubeFixpipe::channelScalesDropTheirLowBits() {
    for (const DType type : {DType::INT64, DType::FP32}) {
        CubeStageKnobs knobs;
        knobs.m = 5;
        knobs.k = 70;
        knobs.n = 150;
        knobs.a = knobs.b = DType::BF16;
        knobs.tile = tile({16, 16}, {64, 64}, {64, 64});
        knobs.channelScales = {1, 150};
        knobs.channelScaleType = type;
        CubeRig rig(knobs);
        rig.fillUniform(-1.0, 1.0, 4);
        std::vector<float> scales;
        for (int i = 0; i < 150; ++i) {
            scales.push_back(0.01F + static_cast<float>(i) * 0.0037F);
            if (type == DType::INT64)
                rig.input("scales").writableCodes<std::int64_t>()[static_cast<std::size_t>(i)] =
                    std::int64_t{std::bit_cast<std::uint32_t>(scales.back())} | std::int64_t{1} << 46;
            else
                rig.input("scales").writableCodes<float>()[static_cast<std::size_t>(i)] = scales.back();
        }
        const HostTensor fast = rig.run();
        QVERIFY(sameBits(fast, rig.run(kChecked)));
        const std::vector<double> ideal = rig.golden(GoldenKind::Ideal);
        for (std::int64_t row = 0, at = 0; row < knobs.m; ++row)
            for (std::int64_t column = 0; column < knobs.n; ++column, ++at) {
                const float kept = masked(scales[static_cast<std::size_t>(column)]);
                QCOMPARE(static_cast<float>(fast.at(at)), rig.chain(0, row, column, 0, 70, 0.0F) * kept);
                QVERIFY(std::fabs(ideal[static_cast<std::size_t>(at)] - fast.at(at)) < 1e-5);
            }
    }
}

void TstCubeFixpipe::int8OutputsAreClippedRoundedShiftedAndClamped() {
    CubeStageKnobs knobs;
    knobs.m = 8;
    knobs.k = 1;
    knobs.n = 4;
    knobs.a = knobs.b = DType::FP32;
    knobs.out = DType::INT8;
    knobs.channelScales = {1, 4};
    CubeRig rig(knobs);
    const std::array<double, 8> rows{0.5, 1.5, -0.5, -2.5, 126.5, 400.0, -400.0, std::nan("")};
    const std::array<std::int64_t, 4> offsets{0, 5, -256, 255};
    for (std::size_t i = 0; i < rows.size(); ++i) rig.input("a").set(static_cast<std::int64_t>(i), rows[i]);
    for (std::int64_t c = 0; c < 4; ++c) {
        rig.input("b").set(c, 1.0);
        rig.input("scales").writableCodes<std::int64_t>()[static_cast<std::size_t>(c)] =
            std::int64_t{std::bit_cast<std::uint32_t>(1.0F)} | (offsets[static_cast<std::size_t>(c)] & 0x1FF) << 37;
    }
    const std::array<int, 8> rounded{0, 2, 0, -2, 126, 255, -256, 0};  // clipped to 9 bits, half to even
    const HostTensor fast = rig.run();
    QVERIFY(sameBits(fast, rig.run(kChecked)));
    const std::vector<double> framework = rig.golden(GoldenKind::Framework), ideal = rig.golden(GoldenKind::Ideal);
    for (std::size_t row = 0; row < rows.size(); ++row)
        for (std::size_t c = 0; c < 4; ++c) {
            const auto shifted = std::clamp<std::int64_t>(rounded[row] + offsets[c], -128, 127);
            QCOMPARE(fast.at(static_cast<std::int64_t>(row * 4 + c)), static_cast<double>(shifted));
            QCOMPARE(framework[row * 4 + c], static_cast<double>(shifted));
            QCOMPARE(ideal[row * 4 + c], static_cast<double>(shifted));
        }
}

void TstCubeFixpipe::int8ProductsBecomeHalfPrecision() {
    CubeStageKnobs knobs;
    knobs.m = 33;
    knobs.k = 100;
    knobs.n = 65;
    knobs.a = knobs.b = DType::INT8;
    knobs.out = DType::FP16;
    knobs.bias = {1, 65};
    knobs.biasType = DType::INT32;
    knobs.change = [](CubeStage& stage) { stage.scale = 0.7; };
    CubeRig rig(knobs, "Ascend910B1");
    rig.fillIntegers(-128, 127, 5);
    const HostTensor fast = rig.run();
    QVERIFY(sameBits(fast, rig.run(kChecked)));
    const std::vector<double> sums = rig.sums(), framework = rig.golden(GoldenKind::Framework);
    int saturated = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const float scaled = static_cast<float>(sums[i]) * masked(0.7F);
        const double expected = std::clamp(static_cast<double>(scaled), -65504.0, 65504.0);
        saturated += std::fabs(expected) == 65504.0 ? 1 : 0;
        QCOMPARE(fast.codes<std::uint16_t>()[i], static_cast<std::uint16_t>(encode(DType::FP16, expected)));
        QCOMPARE(framework[i], static_cast<double>(decode(DType::FP16, encode(DType::FP16, expected))));
    }
    QVERIFY(saturated > 0);
}

void TstCubeFixpipe::scaleCodesMeanPowersOfTwo() {  // FC-21
    CubeStageKnobs knobs;
    knobs.scaled = true;
    knobs.a = knobs.b = DType::FP8E4M3;
    knobs.m = 4;
    knobs.k = 64;
    knobs.n = 2;
    CubeRig rig(knobs);
    rig.fillIntegers(0, 0, 0);  // scales 1
    rig.input("a").set(0, 1.0);
    for (std::int64_t row = 0; row < 4; ++row) rig.input("a").set(row * 64 + 33, 1.0);
    for (std::int64_t k = 0; k < 64; ++k) rig.input("b").set(2 * k, 1.0);
    const std::array<std::uint8_t, 4> codes{0, 127, 254, 255};
    for (std::size_t row = 0; row < 4; ++row) rig.input("sa").writableCodes<std::uint8_t>()[2 * row + 1] = codes[row];
    for (const EmulatorOptions& options : {EmulatorOptions{}, kChecked}) {
        const HostTensor out = rig.run(options);
        QCOMPARE(out.at(0), 1.0);  // 1 + 2^-127
        QCOMPARE(out.at(2), 1.0);
        QCOMPARE(out.at(4), std::ldexp(1.0, 127));
        QVERIFY(std::isnan(out.at(6)));
        QVERIFY(std::isnan(out.at(7)));  // 0 times NaN
    }
    rig.input("a").set(0, 0.0);
    QCOMPARE(rig.run().at(0), std::ldexp(1.0, -127));
    QCOMPARE(rig.golden(GoldenKind::Ideal)[0], std::ldexp(1.0, -127));
    QVERIFY(std::isnan(rig.golden(GoldenKind::Ideal)[6]));
    // 2^127 on both sides: beyond FP32
    rig.input("sb").writableCodes<std::uint8_t>()[1] = 254;
    QVERIFY(std::isinf(rig.run().at(4)));
    QVERIFY(sameBits(rig.run(), rig.run(kChecked)));
}

void TstCubeFixpipe::scalesBeyondKAreNeverRead() {
    for (const DType type : {DType::FP8E4M3, DType::FP4E2M1})
        for (const std::int64_t k : {1, 32, 33, 64, 65, 96, 97, 130, 160}) {
            CubeStageKnobs knobs;
            knobs.scaled = true;
            knobs.a = knobs.b = type;
            knobs.m = 5;
            knobs.k = k;
            knobs.n = 6;
            knobs.scaleATrans = k % 3 == 0;
            knobs.scaleBTrans = k % 2 == 0;
            CubeRig rig(knobs);
            rig.fillIntegers(-1, 1, static_cast<std::uint64_t>(k));
            const std::vector<double> sums = rig.sums();
            const std::int64_t groups = (k + 31) / 32, pairs = (k + 63) / 64;
            if (groups % 2 == 1) {  // the second scale of the last pair is padding
                for (std::int64_t row = 0; row < knobs.m; ++row)
                    rig.input("sa").writableCodes<std::uint8_t>()[static_cast<std::size_t>(
                        2 * (knobs.scaleATrans ? (pairs - 1) * knobs.m + row : row * pairs + pairs - 1) + 1)] = 255;
                for (std::int64_t column = 0; column < knobs.n; ++column)
                    rig.input("sb").writableCodes<std::uint8_t>()[static_cast<std::size_t>(
                        2 * (knobs.scaleBTrans ? column * pairs + pairs - 1 : (pairs - 1) * knobs.n + column) + 1)] =
                        255;
            }
            QCOMPARE(valuesOf(rig.run()), sums);
            QCOMPARE(valuesOf(rig.run(kChecked)), sums);
            QCOMPARE(rig.golden(GoldenKind::Ideal), sums);
        }
}

void TstCubeFixpipe::fp32ModesRoundTheOperands_data() {  // FC-38
    QTest::addColumn<QString>("chip");
    QTest::addColumn<int>("bits");
    QTest::newRow("HF32 of A2") << "Ascend910B1" << 11;
    QTest::newRow("TF32 of 950") << "Ascend950PR_958x" << 10;
}

void TstCubeFixpipe::fp32ModesRoundTheOperands() {
    QFETCH(QString, chip);
    QFETCH(int, bits);
    std::vector<HostTensor> results;
    for (const Fp32Mode mode : {Fp32Mode::Ieee, Fp32Mode::Rint, Fp32Mode::Round}) {
        CubeStageKnobs knobs;
        knobs.m = 20;
        knobs.k = 130;
        knobs.n = 24;
        knobs.a = knobs.b = DType::FP32;
        knobs.change = [mode](CubeStage& stage) { stage.fp32Mode = mode; };
        CubeRig rig(knobs, chip.toStdString());
        rig.fillUniform(-1.0, 1.0, 9);
        rig.input("a").set(0, 1.0 + std::ldexp(1.0, -bits - 1));  // a tie: the two modes part here
        const HostTensor fast = rig.run();
        QVERIFY(sameBits(fast, rig.run(kChecked)));
        const auto rounded = [&](double value) {
            if (mode == Fp32Mode::Ieee) return static_cast<float>(value);
            int exponent = 0;
            const double fraction = std::frexp(value, &exponent);  // [0.5, 1)
            const double scaled = std::fabs(fraction) * std::ldexp(1.0, bits + 1);
            double whole = std::floor(scaled);
            const double rest = scaled - whole;
            if (rest > 0.5 || (rest == 0.5 && (mode == Fp32Mode::Round || std::fmod(whole, 2.0) != 0.0))) whole += 1.0;
            return static_cast<float>(std::copysign(std::ldexp(whole, exponent - bits - 1), value));
        };
        for (std::int64_t row = 0; row < knobs.m; ++row)
            for (std::int64_t column = 0; column < knobs.n; ++column) {
                float sum = 0.0F;
                for (std::int64_t k = 0; k < knobs.k; ++k)
                    sum = std::fma(rounded(rig.elementA(0, row, k)), rounded(rig.elementB(0, k, column)), sum);
                QCOMPARE(static_cast<float>(fast.at(row * knobs.n + column)), sum);
            }
        results.push_back(rig.run());
    }
    QVERIFY(!sameBits(results[0], results[1]));
    QVERIFY(!sameBits(results[1], results[2]));
}

void TstCubeFixpipe::roundedOperandsTakeHalfTheTime() {
    const ChipSpec chip = chipFile("Ascend910B1");
    for (const Fp32Mode mode : {Fp32Mode::Ieee, Fp32Mode::Rint}) {
        CubeStageKnobs knobs;
        knobs.m = 16;
        knobs.k = 64;
        knobs.n = 32;
        knobs.a = knobs.b = DType::FP32;
        knobs.tile = tile({16, 16}, {64, 64}, {32, 32});
        knobs.change = [mode](CubeStage& stage) { stage.fp32Mode = mode; };
        const CubeRig rig(knobs, "Ascend910B1");
        const Leaf& leaf = rig.program().leaves[0];
        int products = 0;
        for (const Instruction& i : leaf.instructions) {
            if (i.op != Opcode::Mmad) continue;
            ++products;
            const CubeRate& rate = *chip.cubeRate(DType::FP32);
            const Rational fractals(64 / rate.k0 * 2);
            const Rational repeat = mode == Fp32Mode::Ieee ? rate.repeat.value : rate.repeat.value / Rational(2);
            QCOMPARE(cyclesOf(chip, workOf(leaf, i)), chip.mmadOverhead.value + repeat * fractals);
        }
        QCOMPARE(products, 1);
    }
}

void TstCubeFixpipe::sumsPerFractal() {
    struct Row {
        DType type;
        std::int64_t k0;
    };
    for (const Row& row : {Row{DType::FP32, 8}, Row{DType::BF16, 16}, Row{DType::FP8E4M3, 32}}) {
        CubeStageKnobs knobs;
        knobs.m = 10;
        knobs.k = 150;
        knobs.n = 12;
        knobs.a = knobs.b = row.type;
        knobs.tile = tile({16, 16}, {64, 128, 64}, {32, 32});
        knobs.change = [](CubeStage& stage) { stage.accumulation = Accumulation::Fractal; };
        CubeRig rig(knobs);
        rig.fillUniform(-1.0, 1.0, 10);
        const HostTensor fast = rig.run();
        QVERIFY(sameBits(fast, rig.run(kChecked)));
        for (std::int64_t m = 0; m < knobs.m; ++m)
            for (std::int64_t n = 0; n < knobs.n; ++n) {
                float sum = 0.0F;
                for (std::int64_t k = 0; k < knobs.k; k += row.k0)
                    sum += rig.chain(0, m, n, k, std::min(k + row.k0, knobs.k), 0.0F);
                QCOMPARE(static_cast<float>(fast.at(m * knobs.n + n)), sum);
            }
    }
}

void TstCubeFixpipe::sumsPerMxGroup() {
    CubeStageKnobs knobs;
    knobs.scaled = true;
    knobs.a = DType::FP8E4M3;
    knobs.b = DType::FP8E5M2;
    knobs.m = 10;
    knobs.k = 150;
    knobs.n = 12;
    knobs.tile = tile({16, 16}, {64, 128, 64}, {32, 32});
    knobs.change = [](CubeStage& stage) { stage.accumulation = Accumulation::MxGroup; };
    CubeRig rig(knobs);
    rig.fillIntegers(-3, 3, 11);
    rig.fillUniform(-1.0, 1.0, 11);
    const HostTensor fast = rig.run();
    QVERIFY(sameBits(fast, rig.run(kChecked)));
    const HostTensor &a = rig.input("a"), &b = rig.input("b"), &sa = rig.input("sa"), &sb = rig.input("sb");
    for (std::int64_t m = 0; m < knobs.m; ++m)
        for (std::int64_t n = 0; n < knobs.n; ++n) {
            float sum = 0.0F;
            for (std::int64_t group = 0; group < 5; ++group) {
                float part = 0.0F;
                for (std::int64_t k = 32 * group; k < std::min<std::int64_t>(32 * group + 32, 150); ++k)
                    part = std::fma(static_cast<float>(a.at(m * 150 + k)), static_cast<float>(b.at(k * 12 + n)), part);
                const double scale =
                    sa.at(2 * (m * 3 + group / 2) + group % 2) * sb.at(2 * (group / 2 * 12 + n) + group % 2);
                sum = std::fma(part, static_cast<float>(scale), sum);
            }
            QCOMPARE(static_cast<float>(fast.at(m * 12 + n)), sum);
        }
}

void TstCubeFixpipe::emptyKGivesTheBias() {
    CubeStageKnobs knobs;
    knobs.bias = {1, 16};
    Design design = cubeStageDesign(knobs);
    View view;
    view.id = BlockId("rows");
    view.of = ValueId("a");
    view.out = ValueId("a_rows");
    view.shape = {16, 32};
    view.offset = {0, 0};
    view.valid = {16, 0};
    std::get<CubeStage>(design.blocks[0].content).a = ValueId("a_rows");
    view.id = BlockId("columns");
    View other = view;
    other.id = BlockId("rows_b");
    other.of = ValueId("b");
    other.out = ValueId("b_rows");
    other.shape = {32, 16};
    other.valid = {0, 16};
    std::get<CubeStage>(design.blocks[0].content).b = ValueId("b_rows");
    design.blocks.insert(design.blocks.begin(), {Block{view}, Block{other}});
    const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
    const std::vector<HostTensor> inputs = generated(program, {Distribution::Integers, 1, 9}, 3);
    for (const EmulatorOptions& options : {EmulatorOptions{}, kChecked}) {
        const EmulatedValues values = emulated(program, inputs, options);
        const HostTensor& out = tensorNamed(program, values, "c");
        for (std::int64_t i = 0; i < out.count(); ++i) QCOMPARE(out.at(i), inputs[2].at(i % 16));
    }
}

QTEST_GUILESS_MAIN(TstCubeFixpipe)
#include "tst_cube_fixpipe.moc"
