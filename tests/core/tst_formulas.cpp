// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "core/chip/formulas.h"
#include "core/timing/instruction_work.h"
#include "core/timing/timing_engine.h"
#include "tests/support/program_builder.h"

using namespace cubist;
using namespace cubist::test;

// Expected values are worked out by hand from the constants of Ascend 910B1.
class TestFormulas : public QObject {
    Q_OBJECT
private slots:
    void ticksRoundUpToTheNextTick_data();
    void ticksRoundUpToTheNextTick();
    void lanesOfAChip();
    void mmadCountsWholeFractals_data();
    void mmadCountsWholeFractals();
    void loadToL1PaysShortRowsByTheRequest_data();
    void loadToL1PaysShortRowsByTheRequest();
    void pathsAddAnOverheadToBytesByRate();
    void vectorCountsWholeRepeats_data();
    void vectorCountsWholeRepeats();
    void schedulerCyclesAreCountedInCoreCycles();
    void instructionsTakeTheirSizeFromTheLeaf();
    void vectorInstructionIsAsLongAsItsWidestOperand();
    void scalesAreReadInRowsAsTheyLie();
    void operationsWithANumberHaveARateOfTheirOwn();
    void sourcesInTheSameBankGroupsTakeTurns_data();
    void sourcesInTheSameBankGroupsTakeTurns();
    void aPartOfABurstCostsAWholeOne();
};

void TestFormulas::ticksRoundUpToTheNextTick_data() {
    QTest::addColumn<qint64>("numerator");
    QTest::addColumn<qint64>("denominator");
    QTest::addColumn<qint64>("ticks");
    QTest::newRow("nothing") << qint64{0} << qint64{1} << qint64{0};
    QTest::newRow("one cycle") << qint64{1} << qint64{1} << qint64{1024};
    QTest::newRow("one tick") << qint64{1} << qint64{1024} << qint64{1};
    QTest::newRow("less than a tick") << qint64{1} << qint64{1000000} << qint64{1};
    QTest::newRow("a little over a tick") << qint64{1} << qint64{1023} << qint64{2};
    QTest::newRow("a third") << qint64{1} << qint64{3} << qint64{342};
}

void TestFormulas::ticksRoundUpToTheNextTick() {
    QFETCH(qint64, numerator);
    QFETCH(qint64, denominator);
    QTEST(qint64{formula::toTicks(Rational(numerator, denominator)).value}, "ticks");
}

void TestFormulas::lanesOfAChip() {
    QCOMPARE(chip910B1().lanes(), 5 * 24 + 4 * 48);
}

void TestFormulas::mmadCountsWholeFractals_data() {
    QTest::addColumn<int>("dtype");
    QTest::addColumn<qint64>("m");
    QTest::addColumn<qint64>("k");
    QTest::addColumn<qint64>("n");
    QTest::addColumn<qint64>("cycles");
    const int fp32 = static_cast<int>(DType::FP32);
    const int bf16 = static_cast<int>(DType::BF16);
    QTest::newRow("GLMGate, FP32") << fp32 << qint64{32} << qint64{512} << qint64{16} << qint64{2 + 2 * 2 * 64 * 1};
    QTest::newRow("two rows cost sixteen") << fp32 << qint64{2} << qint64{512} << qint64{16} << qint64{2 + 2 * 64};
    QTest::newRow("one element") << fp32 << qint64{1} << qint64{1} << qint64{1} << qint64{4};
    QTest::newRow("BF16") << bf16 << qint64{128} << qint64{64} << qint64{256} << qint64{2 + 8 * 4 * 16};
    QTest::newRow("BF16, K of 17") << bf16 << qint64{16} << qint64{17} << qint64{16} << qint64{4};
}

void TestFormulas::mmadCountsWholeFractals() {
    QFETCH(int, dtype);
    QFETCH(qint64, m);
    QFETCH(qint64, k);
    QFETCH(qint64, n);
    QFETCH(qint64, cycles);
    const ChipSpec chip = chip910B1();
    const CubeRate* rate = chip.cubeRate(static_cast<DType>(dtype));
    QVERIFY(rate != nullptr);
    QCOMPARE(formula::mmadCycles(chip, *rate, m, k, n), Rational(cycles));
}

void TestFormulas::loadToL1PaysShortRowsByTheRequest_data() {
    QTest::addColumn<qint64>("rows");
    QTest::addColumn<qint64>("rowBytes");
    QTest::addColumn<qint64>("numerator");
    QTest::addColumn<qint64>("denominator");
    QTest::newRow("long rows go by bytes") << qint64{32} << qint64{4096} << qint64{85 * 110 + 32 * 4096} << qint64{110};
    QTest::newRow("128 B rows go by rows") << qint64{16} << qint64{128} << qint64{85 * 5 + 16 * 18} << qint64{5};
    QTest::newRow("396 B is where both are equal") << qint64{10} << qint64{396} << qint64{85 + 36} << qint64{1};
    QTest::newRow("397 B") << qint64{10} << qint64{397} << qint64{85 * 110 + 3970} << qint64{110};
}

void TestFormulas::loadToL1PaysShortRowsByTheRequest() {
    QFETCH(qint64, rows);
    QFETCH(qint64, rowBytes);
    QFETCH(qint64, numerator);
    QFETCH(qint64, denominator);
    QCOMPARE(formula::gmToL1Cycles(chip910B1(), rows, rowBytes), Rational(numerator, denominator));
}

void TestFormulas::pathsAddAnOverheadToBytesByRate() {
    const ChipSpec chip = chip910B1();
    QCOMPARE(formula::l1ToL0aCycles(chip, Bytes(65536)), Rational(31 + 256));
    QCOMPARE(formula::l1ToL0bCycles(chip, Bytes(32768)), Rational(31 + 256));
    QCOMPARE(formula::l0cToGmCycles(chip, 32, 512, Bytes(2048), false), Rational(35 * 67 + 1024, 67));
    QCOMPARE(formula::gmToUbCycles(chip, Bytes(1260)), Rational(202));
    QCOMPARE(formula::ubToGmCycles(chip, Bytes(159)), Rational(123));
}

void TestFormulas::vectorCountsWholeRepeats_data() {
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<qint64>("cycles");
    QTest::newRow("one byte") << qint64{1} << qint64{7};
    QTest::newRow("one repeat") << qint64{256} << qint64{7};
    QTest::newRow("one byte more") << qint64{257} << qint64{8};
    QTest::newRow("32 x 64 FP32") << qint64{8192} << qint64{38};
}

void TestFormulas::vectorCountsWholeRepeats() {
    QFETCH(qint64, bytes);
    QFETCH(qint64, cycles);
    QCOMPARE(formula::vectorCycles(chip910B1(), "slice", 32, Bytes(bytes)), Rational(cycles));
}

void TestFormulas::schedulerCyclesAreCountedInCoreCycles() {
    QCOMPARE(formula::dispatchCycles(chip910B1()), Rational(1850, 9));                // 200 * 1850 / 1800 = 205.56
    QCOMPARE(formula::resolveCycles(chip910B1()), Rational(390 * 1850, 1800));        // 400.83
    QCOMPARE(formula::toTicks(formula::dispatchCycles(chip910B1())), Ticks(210489));  // 210488.9
    QCOMPARE(formula::toTicks(formula::resolveCycles(chip910B1())), Ticks(410454));   // 410453.3
}

// GM and L0C traffic counts valid elements, moves to L0 whole tiles.
void TestFormulas::instructionsTakeTheirSizeFromTheLeaf() {
    const ChipSpec chip = chip910B1();
    LeafBuilder leaf(TaskKind::Aic);
    const std::uint16_t l1 = leaf.allocation(Buffer::L1, 0, 0, 16, 64, DType::BF16);
    const std::uint16_t l0a = leaf.allocation(Buffer::L0A, 0, 0, 16, 64, DType::BF16);
    const std::uint16_t l0b = leaf.allocation(Buffer::L0B, 0, 0, 64, 16, DType::BF16);
    const std::uint16_t l0c = leaf.allocation(Buffer::L0C, 0, 0, 16, 16, DType::FP32);
    leaf.loadL1(l1, 3, 64);
    leaf.moveL0A(l0a, l1);
    leaf.moveL0B(l0b, l1);
    leaf.mmad(l0c, l0a, l0b, 3, 64, 5, true);
    leaf.storeL0C(l0c, 3, 5, DType::BF16);
    const Leaf built = leaf.build();
    const auto ticks = [&](std::size_t i) { return instructionTicks(chip, built, built.instructions[i]).value; };
    QCOMPARE(ticks(0), 85 * 1024 + 11060);  // 3 rows of 128 B: 10.8 cycles are 11059.2 ticks
    QCOMPARE(ticks(1), (31 + 8) * 1024);    // 2048 B at 256 B a cycle
    QCOMPARE(ticks(2), (31 + 16) * 1024);   // 2048 B at 128 B a cycle
    QCOMPARE(ticks(3), (2 + 4) * 1024);     // 1 * 4 * 1 fractals
    QCOMPARE(ticks(4), 35 * 1024 + 230);    // 30 B: 229.25 ticks
}

void TestFormulas::vectorInstructionIsAsLongAsItsWidestOperand() {
    const ChipSpec chip = chip910B1();
    LeafBuilder leaf(TaskKind::Aiv);
    const std::uint16_t wide = leaf.allocation(Buffer::UB, 0, 0, 16, 64, DType::FP32);
    const std::uint16_t narrow = leaf.allocation(Buffer::UB, 1, 4096, 16, 64, DType::BF16);
    leaf.loadUb(narrow, 16, 64);
    leaf.vector(VectorOpCode::Cast, wide, narrow, Instruction::kNone, 16, 64);
    leaf.vector(VectorOpCode::Cast, narrow, wide, Instruction::kNone, 16, 64);
    leaf.vector(VectorOpCode::Relu, narrow, narrow, Instruction::kNone, 16, 64);
    leaf.storeUb(narrow, 16, 64);
    const Leaf built = leaf.build();
    const auto ticks = [&](std::size_t i) { return instructionTicks(chip, built, built.instructions[i]).value; };
    QCOMPARE(ticks(0), 192 * 1024 + 16645);  // 2048 B at 126 B a cycle: 16644.06 ticks
    QCOMPARE(ticks(1), (6 + 16) * 1024);     // 4096 B
    QCOMPARE(ticks(2), (6 + 16) * 1024);
    QCOMPARE(ticks(3), (6 + 8) * 1024);      // 2048 B
    QCOMPARE(ticks(4), 121 * 1024 + 26380);  // 2048 B at 79.5 B a cycle: 26379.27 ticks
}

// 128 columns and 4 pairs of E8M0: 128 rows of 8 B, or 4 rows of 256 B where the pairs come first.
void TestFormulas::scalesAreReadInRowsAsTheyLie() {
    const ChipSpec chip = chip910B1();
    Leaf leaf;
    Instruction scales;
    scales.op = Opcode::LoadScales;
    scales.extent = {128, 4};
    QCOMPARE(workOf(leaf, scales).rows, std::int64_t{128});
    QCOMPARE(workOf(leaf, scales).rowBytes, std::int64_t{8});
    QVERIFY(cyclesOf(chip, workOf(leaf, scales)) == formula::gmToL1Cycles(chip, 128, 8));
    scales.flags = kFlagTransposed;
    QCOMPARE(workOf(leaf, scales).rows, std::int64_t{4});
    QCOMPARE(workOf(leaf, scales).rowBytes, std::int64_t{256});
    QCOMPARE(workOf(leaf, scales).bytes, std::int64_t{1024});
    QVERIFY(cyclesOf(chip, workOf(leaf, scales)) == formula::gmToL1Cycles(chip, 4, 256));
}

void TestFormulas::operationsWithANumberHaveARateOfTheirOwn() {
    ChipSpec chip = chip910B1();
    VectorRate two, one;
    two.ops = {"add", "div"};
    one.ops = {"add:number"};
    two.overhead.value = one.overhead.value = Rational(42);
    two.cycles16.value = two.cycles32.value = Rational(2);
    one.cycles16.value = one.cycles32.value = Rational(1);
    chip.vectorRates = {two, one};
    const auto ticks = [&](VectorOpCode op, bool number) {
        LeafBuilder leaf(TaskKind::Aiv);
        const std::uint16_t a = leaf.allocation(Buffer::UB, 0, 0, 16, 64, DType::FP32);
        const std::uint16_t b = leaf.allocation(Buffer::UB, 1, 4096 + 256, 16, 64, DType::FP32);
        const std::uint16_t c = leaf.allocation(Buffer::UB, 2, 65536, 16, 64, DType::FP32);
        leaf.vector(op, c, a, number ? Instruction::kNone : b, 16, 64);
        Leaf built = leaf.build();
        if (number) built.details[0].number[1] = 2.0;
        return instructionTicks(chip, built, built.instructions[0]).value / 1024;
    };
    QCOMPARE(ticks(VectorOpCode::Add, false), std::int64_t{42 + 2 * 16});
    QCOMPARE(ticks(VectorOpCode::Add, true), std::int64_t{42 + 16});
    QCOMPARE(ticks(VectorOpCode::Div, true), std::int64_t{42 + 2 * 16});  // no rate of its own
}

void TestFormulas::sourcesInTheSameBankGroupsTakeTurns_data() {
    QTest::addColumn<QString>("arch");
    QTest::addColumn<int>("second");
    QTest::addColumn<int>("result");
    QTest::addColumn<qint64>("ticks");
    // 16 x 64 FP32 are 16 repeats; without conflicts 6 + 16 cycles.
    QTest::newRow("sources 4096 B apart") << "2201" << 4096 << 8192 << qint64{(6 + 16 + 16) * 1024};
    QTest::newRow("sources 128 B apart in a stripe") << "2201" << 4096 + 128 << 8192 << qint64{(6 + 16 + 16) * 1024};
    // 16 * 0.766 = 12.256 cycles are 12550.1 ticks
    QTest::newRow("result beside a source") << "2201" << 4096 + 256 << 8192 << qint64{22 * 1024 + 12551};
    QTest::newRow("result in another bank") << "2201" << 4096 + 256 << 65536 << qint64{22 * 1024};
    QTest::newRow("no numbers for 3510") << "3510" << 4096 << 8192 << qint64{22 * 1024};
}

void TestFormulas::sourcesInTheSameBankGroupsTakeTurns() {
    QFETCH(QString, arch);
    QFETCH(int, second);
    QFETCH(int, result);
    ChipSpec chip = chip910B1();
    chip.ubBankReadCycles = ChipDefaults::ubBankReadCycles(arch.toStdString());
    chip.ubBankWriteCycles = ChipDefaults::ubBankWriteCycles(arch.toStdString());
    LeafBuilder leaf(TaskKind::Aiv);
    const std::uint16_t a = leaf.allocation(Buffer::UB, 0, 0, 16, 64, DType::FP32);
    const std::uint16_t b = leaf.allocation(Buffer::UB, 1, second, 16, 64, DType::FP32);
    const std::uint16_t c = leaf.allocation(Buffer::UB, 2, result, 16, 64, DType::FP32);
    leaf.vector(VectorOpCode::Add, c, a, b, 16, 64);
    const Leaf built = leaf.build();
    QTEST(qint64{instructionTicks(chip, built, built.instructions[0]).value}, "ticks");
}

// A row of 126 FP32 is 15.75 bursts of 32 B: it takes as long as one of 128; 120 are 15 bursts.
void TestFormulas::aPartOfABurstCostsAWholeOne() {
    const ChipSpec chip = chip910B1();
    const auto ticksOf = [&](std::int64_t columns) {
        LeafBuilder leaf(TaskKind::Aiv);
        const std::uint16_t tile = leaf.allocation(Buffer::UB, 0, 0, 8, 128, DType::FP32);
        leaf.loadUb(tile, 8, columns);
        leaf.storeUb(tile, 8, columns);
        const Leaf built = leaf.build();
        return std::pair(instructionTicks(chip, built, built.instructions[0]).value,
                         instructionTicks(chip, built, built.instructions[1]).value);
    };
    QCOMPARE(ticksOf(126).first, 192 * 1024 + 33289);   // 8 * 512 B at 126 B a cycle: 33288.1 ticks
    QCOMPARE(ticksOf(126).second, 121 * 1024 + 52759);  // at 79.5 B a cycle: 52758.5 ticks
    QVERIFY(ticksOf(126) == ticksOf(128));
    QCOMPARE(ticksOf(120).first, 192 * 1024 + 31208);   // 8 * 480 B: 31207.6 ticks
    QCOMPARE(ticksOf(120).second, 121 * 1024 + 49462);  // 49461.1 ticks
}

QTEST_APPLESS_MAIN(TestFormulas)
#include "tst_formulas.moc"
