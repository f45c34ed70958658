// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <bit>
#include <cmath>

#include "core/base/number_formats.h"
#include "core/base/random.h"
#include "core/emulator/leaf_interpreter.h"
#include "core/lowering/lower.h"
#include "tests/support/cube_stage.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// Random designs of a property test; sanitizers make each many times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kRounds = 6;
#else
constexpr int kRounds = 40;
#endif

const EmulatorOptions kChecked{.isa = Isa::Auto, .checked = true, .bufferBytes = {}};
const EmulatorOptions kPortable{.isa = Isa::Portable, .checked = false, .bufferBytes = {}};

CubeTile tile(std::vector<std::int64_t> m, std::vector<std::int64_t> k, std::vector<std::int64_t> n,
              bool splitK = false) {
    return {std::move(m), std::move(k), std::move(n), splitK, {}};
}

/// Small numbers from a counter.
class Dice {
public:
    explicit Dice(std::uint32_t seed) : m_seed(seed) {}
    std::int64_t from(std::int64_t low, std::int64_t high) {
        const auto word = philox4x32({m_count++, 0, 0, 0}, {m_seed, 7})[0];
        return low + static_cast<std::int64_t>(word % static_cast<std::uint32_t>(high - low + 1));
    }
    bool flip() { return from(0, 1) == 1; }

private:
    std::uint32_t m_seed;
    std::uint32_t m_count = 0;
};

bool isInteger(DType type) {
    return !isFloat(type);
}

/// A random stage: types that go together, shapes with tails, batches, transposes, tiles, bias.
CubeStageKnobs randomKnobs(Dice& dice) {
    struct Types {
        DType a, b;
        bool scaled;
    };
    static constexpr std::array kTypes{
        Types{DType::FP32, DType::FP32, false},       Types{DType::FP16, DType::FP16, false},
        Types{DType::BF16, DType::BF16, false},       Types{DType::INT8, DType::INT8, false},
        Types{DType::FP8E4M3, DType::FP8E5M2, false}, Types{DType::HF8, DType::HF8, false},
        Types{DType::FP8E5M2, DType::FP8E4M3, true},  Types{DType::FP4E2M1, DType::FP4E2M1, true},
        Types{DType::FP8E4M3, DType::FP8E4M3, true},
    };
    const Types& types = kTypes[static_cast<std::size_t>(dice.from(0, kTypes.size() - 1))];
    CubeStageKnobs knobs;
    knobs.a = types.a;
    knobs.b = types.b;
    knobs.scaled = types.scaled;
    knobs.out = isInteger(types.a) ? DType::INT32 : DType::FP32;
    knobs.m = dice.from(1, 40);
    knobs.k = dice.from(1, 300);
    knobs.n = dice.from(1, 70);
    const std::int64_t rank = types.scaled ? 0 : dice.from(0, 2);
    for (std::int64_t axis = 0; axis < rank; ++axis) {
        const std::int64_t extent = dice.from(1, 3);
        knobs.batchA.push_back(dice.flip() ? extent : 1);
        knobs.batchB.push_back(knobs.batchA.back() == 1 ? extent : (dice.flip() ? extent : 1));
    }
    knobs.aTrans = dice.flip();
    knobs.bTrans = dice.flip();
    knobs.scaleATrans = dice.flip();
    knobs.scaleBTrans = dice.flip();
    const std::int64_t kL0 = 64 * dice.from(1, 2);
    knobs.tile = tile({16 * dice.from(1, 2), 32}, {kL0, kL0 * dice.from(1, 3), kL0 * dice.from(1, 3)},
                      {32 * dice.from(1, 2), 64});
    if (dice.flip()) {
        knobs.bias = {1, knobs.n};
        if (rank == 1 && dice.flip()) knobs.bias = {std::max(knobs.batchA[0], knobs.batchB[0]), 1, knobs.n};
        knobs.biasType = isInteger(types.a) ? DType::INT32 : DType::FP32;
    }
    return knobs;
}

std::vector<double> valuesOf(const HostTensor& tensor) {
    std::vector<double> out;
    for (std::int64_t i = 0; i < tensor.count(); ++i) out.push_back(tensor.at(i));
    return out;
}

QByteArray named(const CubeStageKnobs& knobs, int round) {
    return QByteArray::number(round) + " " + QByteArray::fromStdString(std::string(toText(knobs.a))) + " " +
           QByteArray::number(static_cast<int>(knobs.m)) + "x" + QByteArray::number(static_cast<int>(knobs.k)) + "x" +
           QByteArray::number(static_cast<int>(knobs.n));
}

float masked(float scale) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scale) & 0xFFFFE000U);
}

}  // namespace

class TstCubeStage : public QObject {
    Q_OBJECT
private slots:
    void integersAreExactForEveryTypeShapeAndTile();
    void randomNumbersGiveOneChainOfFusedMultiplyAdds();
    void tailsOfKReadNothingBeyond_data();
    void tailsOfKReadNothingBeyond();
    void int8SumsBeyond24BitsAreExact();
    void biasComesFirst();
    void fixpipeAppliesBiasReluScaleInThisOrder();
    void channelScalesDropTheirLowBits();
    void int8OutputsAreClippedRoundedShiftedAndClamped();
    void int8ProductsBecomeHalfPrecision();
    void scaleCodesMeanPowersOfTwo();
    void scalesBeyondKAreNeverRead();
    void splitKAddsPartialsInOrder();
    void splitKInBf16IsVisiblyWorse();
    void splitKOfIntegersAddsOntoZero();
    void splitKRefusesWhatTheFixpipeDoes();
    void fp32ModesRoundTheOperands_data();
    void fp32ModesRoundTheOperands();
    void sumsPerFractal();
    void sumsPerMxGroup();
    void nzOperandsGiveTheSameBits();
    void emptyKGivesTheBias();
    void faultyLeavesAreReported();
    void everyAllocationFitsItsBuffer();
    void fewTilesOnManyCoresAreExact();
};

void TstCubeStage::integersAreExactForEveryTypeShapeAndTile() {
    Dice dice(1);
    for (int round = 0; round < kRounds; ++round) {
        const CubeStageKnobs knobs = randomKnobs(dice);
        CubeRig rig(knobs);
        rig.fillIntegers(knobs.a == DType::FP4E2M1 ? -1 : -2, knobs.a == DType::FP4E2M1 ? 1 : 2,
                         static_cast<std::uint64_t>(round));
        const HostTensor fast = rig.run();
        QVERIFY2(valuesOf(fast) == rig.sums(), named(knobs, round));
        QVERIFY2(sameBits(fast, rig.run(kChecked)), named(knobs, round));
        QVERIFY2(sameBits(fast, rig.run(kPortable, 2)), named(knobs, round));
        QVERIFY2(rig.golden(GoldenKind::Ideal) == rig.sums(), named(knobs, round));
        QVERIFY2(rig.golden(GoldenKind::Framework) == rig.sums(), named(knobs, round));
    }
}

void TstCubeStage::randomNumbersGiveOneChainOfFusedMultiplyAdds() {
    Dice dice(2);
    for (int round = 0; round < kRounds; ++round) {
        CubeStageKnobs knobs = randomKnobs(dice);
        if (isInteger(knobs.a)) continue;
        CubeRig rig(knobs);
        rig.fillIntegers(-3, 3, static_cast<std::uint64_t>(round));  // the scales
        rig.fillUniform(-1.0, 1.0, static_cast<std::uint64_t>(round));
        const HostTensor fast = rig.run();
        std::int64_t at = 0;
        for (std::int64_t matrix = 0; matrix < rig.matrices(); ++matrix)
            for (std::int64_t row = 0; row < knobs.m; ++row)
                for (std::int64_t column = 0; column < knobs.n; ++column, ++at) {
                    const auto start = static_cast<float>(rig.bias(matrix, column));
                    if (static_cast<float>(fast.at(at)) != rig.chain(matrix, row, column, 0, knobs.k, start))
                        QFAIL(named(knobs, round) + " element " + QByteArray::number(static_cast<int>(at)));
                }
        CubeStageKnobs other = knobs;
        other.tile = tile({32, 32}, {64, 192, 64}, {32, 32});
        CubeRig again(other);
        again.fillIntegers(-3, 3, static_cast<std::uint64_t>(round));
        again.fillUniform(-1.0, 1.0, static_cast<std::uint64_t>(round));
        QVERIFY2(sameBits(fast, again.run()), named(knobs, round));
        QVERIFY2(sameBits(fast, rig.run(kChecked)), named(knobs, round));
        QVERIFY2(sameBits(fast, rig.run(kPortable, 2)), named(knobs, round));
    }
}

void TstCubeStage::tailsOfKReadNothingBeyond_data() {
    QTest::addColumn<int>("m");
    QTest::addColumn<int>("k");
    QTest::addColumn<int>("n");
    QTest::addColumn<int>("kL0");
    QTest::addColumn<DType>("type");
    QTest::newRow("FC-01 K 200 in steps of 128") << 64 << 200 << 128 << 128 << DType::FP16;
    QTest::newRow("FC-01 K 128") << 64 << 128 << 128 << 128 << DType::FP16;
    QTest::newRow("FC-01 K 256") << 64 << 256 << 128 << 128 << DType::FP16;
    QTest::newRow("FC-04 INT8, 64 + 16") << 32 << 80 << 32 << 64 << DType::INT8;
    QTest::newRow("FC-10 M 5") << 5 << 256 << 128 << 64 << DType::BF16;
    QTest::newRow("FC-10 M 8") << 8 << 256 << 128 << 64 << DType::BF16;
    QTest::newRow("FC-10 K 5") << 16 << 5 << 128 << 64 << DType::BF16;
    QTest::newRow("FC-10 N 100") << 16 << 256 << 100 << 64 << DType::BF16;
    QTest::newRow("FC-10 M 32") << 32 << 256 << 128 << 64 << DType::BF16;
    for (const DType type :
         {DType::FP32, DType::FP16, DType::BF16, DType::INT8, DType::FP8E4M3, DType::FP8E5M2, DType::HF8})
        QTest::newRow(("FC-37 " + std::string(toText(type))).c_str()) << 16 << 16 << 16 << 64 << type;
}

void TstCubeStage::tailsOfKReadNothingBeyond() {
    QFETCH(int, m);
    QFETCH(int, k);
    QFETCH(int, n);
    QFETCH(int, kL0);
    QFETCH(DType, type);
    CubeStageKnobs knobs;
    knobs.m = m;
    knobs.k = k;
    knobs.n = n;
    knobs.a = knobs.b = type;
    knobs.out = isInteger(type) ? DType::INT32 : DType::FP32;
    knobs.tile = tile({64, 64}, {kL0, kL0}, {128, 128});
    CubeRig rig(knobs);
    const bool bytes = type == DType::INT8;
    rig.fillIntegers(bytes ? -128 : -2, bytes ? 127 : 2, 1);
    QCOMPARE(valuesOf(rig.run(kChecked)), rig.sums());  // pads hold NaN or the lowest integer there
    QVERIFY(sameBits(rig.run(kChecked), rig.run()));
}

void TstCubeStage::int8SumsBeyond24BitsAreExact() {  // FC-19
    CubeStageKnobs knobs;
    knobs.m = knobs.n = 1;
    knobs.k = 2049;
    knobs.a = knobs.b = DType::INT8;
    knobs.out = DType::INT32;
    CubeRig rig(knobs);
    rig.fillIntegers(127, 127, 0);
    QCOMPARE(rig.run().at(0), 33048321.0);
    QCOMPARE(rig.run(kChecked).at(0), 33048321.0);
}

void TstCubeStage::biasComesFirst() {
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

void TstCubeStage::fixpipeAppliesBiasReluScaleInThisOrder() {
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

void TstCubeStage::channelScalesDropTheirLowBits() {
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

void TstCubeStage::int8OutputsAreClippedRoundedShiftedAndClamped() {
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

void TstCubeStage::int8ProductsBecomeHalfPrecision() {
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

void TstCubeStage::scaleCodesMeanPowersOfTwo() {  // FC-21
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

void TstCubeStage::scalesBeyondKAreNeverRead() {
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

void TstCubeStage::splitKAddsPartialsInOrder() {
    for (const bool batched : {false, true}) {
        CubeStageKnobs knobs;
        if (batched) {
            knobs.batchA = {2, 1};
            knobs.batchB = {1, 3};
        }
        knobs.m = 40;
        knobs.k = 300;
        knobs.n = 50;
        knobs.tile = tile({32, 32}, {64, 128, 64}, {32, 32}, true);
        CubeRig rig(knobs);
        rig.fillUniform(-1.0, 1.0, 6);
        const HostTensor fast = rig.run({}, 2);
        QVERIFY(sameBits(fast, rig.run(kChecked)));
        std::int64_t at = 0;
        for (std::int64_t matrix = 0; matrix < rig.matrices(); ++matrix)
            for (std::int64_t row = 0; row < knobs.m; ++row)
                for (std::int64_t column = 0; column < knobs.n; ++column, ++at) {
                    float sum = rig.chain(matrix, row, column, 0, 64, 0.0F);
                    for (std::int64_t k = 64; k < knobs.k; k += 64)
                        sum += rig.chain(matrix, row, column, k, std::min(k + 64, knobs.k), 0.0F);
                    QCOMPARE(static_cast<float>(fast.at(at)), sum);
                }
        std::size_t vectors = 0;
        for (const Task& task : rig.program().tasks)
            vectors += rig.program().leafOf(task).kind == TaskKind::Aiv ? task.memberCount : 0U;
        QCOMPARE(vectors, std::size_t{4} * static_cast<std::size_t>(rig.matrices()));
        QCOMPARE(rig.program().members.size(), vectors * 6);  // five slices and a sum per block
    }
}

void TstCubeStage::splitKInBf16IsVisiblyWorse() {  // FC-18
    std::array<double, 2> worst{0.0, 0.0};
    for (const bool half : {false, true}) {
        CubeStageKnobs knobs;
        knobs.m = knobs.n = 64;
        knobs.k = 14336;
        knobs.a = knobs.b = DType::BF16;
        knobs.tile = tile({64, 64}, {128, 3584}, {64, 64}, true);
        knobs.change = [half](CubeStage& stage) { stage.partialDType = half ? DType::BF16 : DType::FP32; };
        CubeRig rig(knobs);
        rig.fillUniform(-1.0, 1.0, 7);
        const HostTensor fast = rig.run();
        QVERIFY(sameBits(fast, rig.run(kChecked)));
        const std::vector<double> ideal = rig.golden(GoldenKind::Ideal);
        for (std::size_t i = 0; i < ideal.size(); ++i)
            if (std::fabs(ideal[i]) > 1.0)
                worst[half ? 1 : 0] =
                    std::max(worst[half ? 1 : 0],
                             std::fabs(fast.at(static_cast<std::int64_t>(i)) - ideal[i]) / std::fabs(ideal[i]));
    }
    QVERIFY(worst[0] <= std::ldexp(1.0, -8));
    QVERIFY(worst[1] > 10 * worst[0]);
    QVERIFY(worst[1] > std::ldexp(1.0, -8));
}

void TstCubeStage::splitKOfIntegersAddsOntoZero() {
    CubeStageKnobs knobs;
    knobs.m = 40;
    knobs.k = 300;
    knobs.n = 50;
    knobs.a = knobs.b = DType::INT8;
    knobs.out = DType::INT32;
    knobs.tile = tile({32, 32}, {64, 128, 64}, {32, 32}, true);
    CubeRig rig(knobs);
    rig.fillIntegers(-128, 127, 8);
    QCOMPARE(valuesOf(rig.run({}, 2)), rig.sums());
    QCOMPARE(valuesOf(rig.run(kChecked)), rig.sums());
    const Program& program = rig.program();
    std::size_t order = 0, waits = 0;
    for (const Task& task : program.tasks)
        for (const Edge& edge : program.edgesOf(task)) ++(edge.kind == EdgeKind::Order ? order : waits);
    QCOMPARE(order, std::size_t{4 * 4});  // four blocks of five slices: each after the one before
    QCOMPARE(waits, std::size_t{4 * 5});  // the copy waits for all five
}

void TstCubeStage::splitKRefusesWhatTheFixpipeDoes() {
    CubeStageKnobs knobs;
    knobs.tile.splitK = true;
    knobs.change = [](CubeStage& stage) { stage.relu = true; };
    const Design design = cubeStageDesign(knobs);
    const auto program = lower(design, bound(design), chipFile("Ascend910B1"));
    QVERIFY(!program);
    QCOMPARE(program.error().code, ErrorCode::Unsupported);
    QCOMPARE(program.error().where, std::string("/blocks/0/tile/split_k"));
}

void TstCubeStage::fp32ModesRoundTheOperands_data() {  // FC-38
    QTest::addColumn<QString>("chip");
    QTest::addColumn<int>("bits");
    QTest::newRow("HF32 of A2") << "Ascend910B1" << 11;
    QTest::newRow("TF32 of 950") << "Ascend950PR_958x" << 10;
}

void TstCubeStage::fp32ModesRoundTheOperands() {
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

void TstCubeStage::sumsPerFractal() {
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

void TstCubeStage::sumsPerMxGroup() {
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

void TstCubeStage::nzOperandsGiveTheSameBits() {
    CubeStageKnobs knobs;
    knobs.m = 32;
    knobs.k = 64;
    knobs.n = 96;
    CubeRig nd(knobs);
    knobs.formatB = Format::NZ;
    CubeRig nz(knobs);
    nd.fillUniform(-1.0, 1.0, 12);
    nz.fillUniform(-1.0, 1.0, 12);
    QVERIFY(sameBits(nd.run(), nz.run()));
    QVERIFY(sameBits(nd.run(), nz.run(kChecked)));
    for (const Instruction& i : nz.program().leaves[0].instructions)
        if (i.op == Opcode::LoadL1) QCOMPARE((i.flags & kFlagNz) != 0, i.box == 1);
}

void TstCubeStage::emptyKGivesTheBias() {
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

void TstCubeStage::faultyLeavesAreReported() {  // FC-14
    CubeStageKnobs knobs;
    knobs.m = 16;
    knobs.k = 512;
    knobs.n = 128;
    knobs.tile = tile({16, 16}, {64, 256}, {128, 128});
    CubeRig rig(knobs);
    rig.fillIntegers(-2, 2, 1);
    std::vector<std::size_t> mmads;
    Leaf& leaf = rig.program().leaves[0];
    for (std::size_t i = 0; i < leaf.instructions.size(); ++i)
        if (leaf.instructions[i].op == Opcode::Mmad) mmads.push_back(i);
    QCOMPARE(mmads.size(), std::size_t{8});
    for (std::size_t i = 0; i < 8; ++i) QCOMPARE((leaf.instructions[mmads[i]].flags & kFlagInit) != 0, i == 0);
    QVERIFY(rig.runAll(kChecked).notes.empty());
    QCOMPARE(valuesOf(rig.run(kChecked)), rig.sums());

    leaf.instructions[mmads[0]].flags &= static_cast<std::uint16_t>(~kFlagInit);
    const EmulatedValues poisoned = rig.runAll(kChecked);
    QCOMPARE(poisoned.notes.size(), std::size_t{1});
    QCOMPARE(poisoned.notes[0].kind, ValueNote::Kind::UnwrittenRead);
    QVERIFY(poisoned.notes[0].message.find("mmad at kL1=0,kL0=0 reads L0C") != std::string::npos);
    const HostTensor& out = tensorNamed(rig.program(), poisoned, "c");
    for (std::int64_t i = 0; i < out.count(); ++i) QVERIFY(std::isnan(out.at(i)));

    leaf.instructions[mmads[0]].flags |= kFlagInit;
    leaf.instructions[mmads[4]].flags |= kFlagInit;  // at the second step of kL1
    const EmulatedValues lost = rig.runAll(kChecked);
    QCOMPARE(lost.notes.size(), std::size_t{1});
    QCOMPARE(lost.notes[0].kind, ValueNote::Kind::SumsLost);
    QVERIFY(lost.notes[0].message.find("partial sums lost at kL0 step 4") != std::string::npos);
    QCOMPARE(tensorNamed(rig.program(), lost, "c").at(0), static_cast<double>(rig.chain(0, 0, 0, 256, 512, 0.0F)));
}

void TstCubeStage::everyAllocationFitsItsBuffer() {
    Dice dice(5);
    const ChipSpec chip = chipFile("Ascend950PR_958x");
    const std::map<Buffer, std::int64_t> capacity{
        {Buffer::L1, chip.l1Bytes.integer()},          {Buffer::L0A, chip.l0aBytes.integer()},
        {Buffer::L0B, chip.l0bBytes.integer()},        {Buffer::L0C, chip.l0cBytes.integer()},
        {Buffer::UB, chip.ubBytes.integer()},          {Buffer::L0AMx, chip.l0aBytes.integer() / 16},
        {Buffer::L0BMx, chip.l0bBytes.integer() / 16}, {Buffer::BT, chip.btBytes.integer()},
        {Buffer::FB, chip.fbBytes.integer()}};
    for (int round = 0; round < 60; ++round) {
        CubeStageKnobs knobs = randomKnobs(dice);
        knobs.tile = tile({64, 64}, {128, 128 * dice.from(1, 8), 128 * dice.from(1, 8)}, {128, 128}, dice.flip());
        if (knobs.tile.splitK) knobs.bias.clear();
        const CubeRig rig(knobs);
        for (const Leaf& leaf : rig.program().leaves)
            for (std::size_t i = 0; i < leaf.allocations.size(); ++i) {
                const Allocation& x = leaf.allocations[i];
                QVERIFY(std::int64_t{x.offset} + x.bytes <= capacity.at(x.buffer));
                for (std::size_t j = 0; j < i; ++j) {
                    const Allocation& y = leaf.allocations[j];
                    const bool together = x.first <= y.last && y.first <= x.last;
                    const bool overlap = x.offset < y.offset + y.bytes && y.offset < x.offset + x.bytes;
                    const bool sameBuffer = x.buffer == y.buffer && x.core == y.core;
                    // A slot may be handed over while its last reader is still listed: not to another slot.
                    QVERIFY(!(sameBuffer && together && overlap && x.slot != y.slot));
                }
            }
    }
}

void TstCubeStage::fewTilesOnManyCoresAreExact() {  // FC-34
    CubeStageKnobs knobs;
    knobs.m = knobs.k = knobs.n = 512;
    knobs.tile = tile({128, 128}, {64, 256}, {256, 256});
    CubeRig rig(knobs, "Ascend910B1");
    rig.fillIntegers(-2, 2, 34);
    QCOMPARE(rig.program().members.size(), std::size_t{8});
    const HostTensor out = rig.run({}, 2);
    for (std::int64_t at = 0; at < out.count(); at += 97)
        QCOMPARE(static_cast<float>(out.at(at)), rig.chain(0, at / 512, at % 512, 0, 512, 0.0F));
}

QTEST_GUILESS_MAIN(TstCubeStage)
#include "tst_cube_stage.moc"
