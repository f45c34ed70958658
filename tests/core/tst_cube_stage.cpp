// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <cmath>

#include "core/lowering/lower.h"
#include "tests/support/cube_random.h"
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

QByteArray named(const CubeStageKnobs& knobs, int round) {
    return QByteArray::number(round) + " " + QByteArray::fromStdString(std::string(toText(knobs.a))) + " " +
           QByteArray::number(static_cast<int>(knobs.m)) + "x" + QByteArray::number(static_cast<int>(knobs.k)) + "x" +
           QByteArray::number(static_cast<int>(knobs.n));
}

}  // namespace

class TstCubeStage : public QObject {
    Q_OBJECT
private slots:
    void integersAreExactForEveryTypeShapeAndTile();
    void fourBitIntegersAreExact();
    void randomNumbersGiveOneChainOfFusedMultiplyAdds();
    void tailsOfKReadNothingBeyond_data();
    void tailsOfKReadNothingBeyond();
    void int8SumsBeyond24BitsAreExact();
    void splitKAddsPartialsInOrder();
    void splitKInBf16IsVisiblyWorse();
    void splitKOfIntegersAddsOntoZero();
    void splitKRefusesWhatTheFixpipeDoes();
    void nzOperandsGiveTheSameBits();
    void faultyLeavesAreReported();
    void everyAllocationFitsItsBuffer();
    void fewTilesOnManyCoresAreExact();
};

void TstCubeStage::integersAreExactForEveryTypeShapeAndTile() {
    Dice dice(1);
    for (int round = 0; round < kRounds; ++round) {
        const CubeStageKnobs knobs = randomKnobs(dice);
        CubeRig rig(knobs);
        const std::int64_t largest = bitsPerElement(knobs.a) == 4 ? 1 : 2;
        rig.fillIntegers(-largest, largest, static_cast<std::uint64_t>(round));
        const HostTensor fast = rig.run();
        QVERIFY2(valuesOf(fast) == rig.sums(), named(knobs, round));
        QVERIFY2(sameBits(fast, rig.run(kChecked)), named(knobs, round));
        QVERIFY2(sameBits(fast, rig.run(kPortable, 2)), named(knobs, round));
        QVERIFY2(rig.golden(GoldenKind::Ideal) == rig.sums(), named(knobs, round));
        QVERIFY2(rig.golden(GoldenKind::Framework) == rig.sums(), named(knobs, round));
    }
}

void TstCubeStage::fourBitIntegersAreExact() {
    Dice dice(4);
    for (int round = 0; round < kRounds / 2; ++round) {
        CubeStageKnobs knobs;
        knobs.a = knobs.b = DType::INT4;
        knobs.out = DType::INT32;
        knobs.m = dice.from(1, 40);
        knobs.k = dice.from(1, 400);
        knobs.n = dice.from(1, 70);
        knobs.aTrans = dice.flip();
        knobs.bTrans = dice.flip();
        knobs.tile = tile({16, 32}, {64 * dice.from(1, 2), 128, 256}, {64, 64});
        CubeRig rig(knobs, "Ascend910B1");
        rig.fillIntegers(-8, 7, static_cast<std::uint64_t>(round));
        const HostTensor fast = rig.run();
        QVERIFY2(valuesOf(fast) == rig.sums(), named(knobs, round));
        QVERIFY2(sameBits(fast, rig.run(kChecked, 3)), named(knobs, round));
        QVERIFY2(sameBits(fast, rig.run(kPortable, 2)), named(knobs, round));
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
