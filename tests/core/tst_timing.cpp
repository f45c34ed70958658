// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <random>

#include "core/timing/timing_engine.h"
#include "tests/support/program_builder.h"

using namespace cubist;
using namespace cubist::test;

namespace {

constexpr std::int64_t kCycle = 1024;  // ticks

std::size_t at(Pipe pipe) {
    return static_cast<std::size_t>(pipe);
}

std::int64_t cause(const Trace& trace, Cause c) {
    return trace.causes[static_cast<std::size_t>(c)].value;
}

/// One block of GLMGate: 32 rows of hidden_states[T, 5120] times 16 rows of weight[160, 5120], FP32. L1 takes 128 KiB
/// of A and 64 KiB of B twice, L0A 64 KiB once, L0B 32 KiB twice.
Leaf glmGateLeaf() {
    return matmulLeaf({.m = 32,
                       .n = 16,
                       .k = 5120,
                       .kL1 = 1024,
                       .kL0 = 512,
                       .dtype = DType::FP32,
                       .out = DType::FP32,
                       .bTransposed = true,
                       .l1Slots = 2,
                       .l0aSlots = 1,
                       .l0bSlots = 2});
}

Program glmGateT64() {
    ProgramBuilder program;
    const LeafIndex leaf = program.leaf(glmGateLeaf());
    for (int i = 0; i < 2 * 10; ++i) (void)program.task(leaf);
    return program.build();
}

// Durations of the block's instructions in ticks, from the constants of the first model and by long division.
constexpr std::int64_t kLoadA =
    85 * kCycle + 1220162;                             // 32 rows of 4096 B at 110 B a cycle: 134217728/110 = 1220161.16
constexpr std::int64_t kLoadB = 85 * kCycle + 610081;  // 16 rows: 67108864/110 = 610080.58
constexpr std::int64_t kMove = (31 + 256) * kCycle;    // 65536 B at 256 and 32768 B at 128 B a cycle
constexpr std::int64_t kMmad = (2 + 2 * 2 * 64) * kCycle;
constexpr std::int64_t kStore = 35 * kCycle + 15651;  // 2048 B at 134 B a cycle: 2097152/134 = 15650.39
// All loads in a row; the last pair of moves starts with the last load of A behind it, so that only B's move, the first
// mmad, the second pair of moves (one L0A slot: A waits for the first mmad) and the second mmad follow, then the store.
constexpr std::int64_t kTask = 5 * (kLoadA + kLoadB) + kMove + kMmad + 2 * kMove + kMmad + kStore;
constexpr std::int64_t kDispatch = 210489;          // 200 * 1850 / 1800 cycles: 210488.89
static_assert(kTask == 11483154);                   // 11 214.02 cycles
static_assert(20 * kDispatch + kTask == 15692934);  // 15 325.13 cycles

/// A chip whose unit `u` of the leaf's path is faster by one half.
ChipSpec fasterUnit(ChipSpec chip, int u) {
    const auto half = [](Constant& c) { c.value = c.value / Rational(2); };
    const auto twice = [](Constant& c) { c.value = c.value * Rational(2); };
    switch (u) {
        case 0:
            twice(chip.mte2BytesPerCycle);
            half(chip.mte2RowCycles);
            break;
        case 1: twice(chip.mte1BytesPerCycleA); break;
        case 2: twice(chip.mte1BytesPerCycleB); break;
        case 3:
            for (CubeRate& rate : chip.cube) half(rate.repeat);
            break;
        case 4: half(chip.mmadOverhead); break;
        case 5: twice(chip.fixBytesPerCycle); break;
        default: half(chip.mte1Overhead); break;
    }
    return chip;
}

MatmulLeaf randomMatmul(std::mt19937& random) {
    const auto upTo = [&](unsigned n) { return static_cast<std::int64_t>(1 + random() % n); };
    MatmulLeaf s;
    s.m = 16 * upTo(8);
    s.n = 16 * upTo(8);
    s.kL0 = 32 * upTo(4);
    s.kL1 = s.kL0 * upTo(3);
    s.k = s.kL1 * upTo(5) + 32 * (upTo(3) - 1);
    s.dtype = random() % 2 == 0 ? DType::FP32 : DType::BF16;
    s.bTransposed = random() % 2 == 0;
    s.l1Slots = static_cast<int>(upTo(2));
    s.l0aSlots = static_cast<int>(upTo(2));
    s.l0bSlots = static_cast<int>(upTo(2));
    return s;
}

}  // namespace

class TestTiming : public QObject {
    Q_OBJECT
private slots:
    void glmGateBlockLastsWhatTheHandSays();
    void glmGateT64LastsWhatTheHandSays();
    void glmGateT64CausesAreTheHandsOnes();
    void glmGateT64ReportsWhereTheTimeGoes();
    void pipesRunTheirInstructionsInOrder();
    void oneSlotSerialisesLoadAndMove();
    void twoSlotsOverlapLoadAndMove();
    void waitsNameWhatTheyWaitFor();
    void tieBetweenDataAndSlotCountsAsData();
    void criticalPathTilesTheLeaf();
    void emptyLeafTakesNoTime();
    void fasterUnitsAndMoreSlotsNeverSlowALeaf_data();
    void fasterUnitsAndMoreSlotsNeverSlowALeaf();
    void unsupportedCubeTypeIsAnError();
    void estimatesOnTheCriticalPathAreNamed();
    void countsInstructionsAndFlops();
};

void TestTiming::glmGateBlockLastsWhatTheHandSays() {
    const LeafSchedule schedule = scheduleLeaf(chip910B1(), glmGateLeaf());
    QCOMPARE(schedule.instructions.size(), 5U * (2 + 2 * 3) + 1);
    QCOMPARE(schedule.duration.value, kTask);
    QCOMPARE(schedule.busy[at(Pipe::MTE2)].value, 5 * (kLoadA + kLoadB));
    QCOMPARE(schedule.busy[at(Pipe::MTE1)].value, 20 * kMove);
    QCOMPARE(schedule.busy[at(Pipe::M)].value, 10 * kMmad);
    QCOMPARE(schedule.busy[at(Pipe::FIX)].value, kStore);
    // The loads never wait: two slots in L1.
    QCOMPARE(schedule.waitData[at(Pipe::MTE2)].value, 0);
    QCOMPARE(schedule.waitSlot[at(Pipe::MTE2)].value, 0);
    // MTE1 waits for the L0A slot before the second move of A in each step, as long as the mmad lasts; and as long
    // before the first move of steps 2..5: there the mmad before ends kMove+kMmad+2*kMove+kMmad after the last load of
    // B, while the next A has arrived earlier.
    QVERIFY(3 * kMove + 2 * kMmad > kLoadA);
    QCOMPARE(schedule.waitSlot[at(Pipe::MTE1)].value, 9 * kMmad);
    // It waits for data at first, then for the first B, then for the B of the other four steps.
    const std::int64_t firstB = kLoadB - kMove;
    const std::int64_t laterB = kLoadA + kLoadB - (3 * kMove + 2 * kMmad) - kMove;
    QCOMPARE(schedule.waitData[at(Pipe::MTE1)].value, kLoadA + firstB + 4 * laterB);
    QCOMPARE(schedule.waitData[at(Pipe::M)].value, kTask - kStore - 10 * kMmad);
    QCOMPARE(schedule.waitSlot[at(Pipe::M)].value, 0);
    QCOMPARE(schedule.waitData[at(Pipe::FIX)].value, kTask - kStore);
}

void TestTiming::glmGateT64LastsWhatTheHandSays() {
    const auto trace = predictByHand(glmGateT64(), chip910B1());
    QVERIFY(trace);
    QCOMPARE(trace->kernel.value, 20 * kDispatch + kTask);
    for (std::size_t i = 0; i < 20; ++i) {
        const TaskInterval& task = trace->tasks[i];
        QCOMPARE(task.core, (CoreRef{TaskKind::Aic, static_cast<std::uint16_t>(i)}));
        QCOMPARE(task.ready.value, 0);
        QCOMPARE(task.start.value, static_cast<std::int64_t>(i + 1) * kDispatch);
        QCOMPARE((task.end - task.start).value, kTask);
    }
    QCOMPARE(trace->microseconds(trace->kernel), 15692934.0 / 1024.0 / 1850.0);
}

void TestTiming::glmGateT64CausesAreTheHandsOnes() {
    const auto trace = predictByHand(glmGateT64(), chip910B1());
    QVERIFY(trace);
    const std::int64_t kernel = 20 * kDispatch + kTask;
    QCOMPARE(trace->lanes, 312);
    QCOMPARE(cause(*trace, Cause::Busy), 20 * (5 * (kLoadA + kLoadB) + 20 * kMove + 10 * kMmad + kStore));
    QCOMPARE(cause(*trace, Cause::WaitSlot), 20 * 9 * kMmad);
    QCOMPARE(cause(*trace, Cause::WaitTask), 0);
    QCOMPARE(cause(*trace, Cause::WaitDispatch), 5 * (20 * 21 / 2) * kDispatch);
    QCOMPARE(cause(*trace, Cause::Tail), 5 * (19 * 20 / 2) * kDispatch);
    QCOMPARE(cause(*trace, Cause::NoTask), (4 * 5 + 48 * 4) * kernel);
    std::int64_t sum = 0;
    for (const Ticks t : trace->causes) sum += t.value;
    QCOMPARE(sum, 312 * kernel);
}

void TestTiming::glmGateT64ReportsWhereTheTimeGoes() {
    const auto trace = predictByHand(glmGateT64(), chip910B1());
    QVERIFY(trace);
    QCOMPARE(trace->bound, Bound::Mte2);
    QCOMPARE(trace->usedAic, 20);
    QCOMPARE(trace->usedAiv, 0);
    QCOMPARE(trace->aicCount, 24);
    QCOMPARE(trace->aivCount, 48);
    QCOMPARE(trace->instructions, 20 * 41);
    QCOMPARE(trace->gmReadBytes, 20 * (32 + 16) * 5120 * 4);
    QCOMPARE(trace->gmWriteBytes, 64 * 160 * 4);
    QCOMPARE(trace->l1Bytes, 20 * (32 + 16) * 5120 * 4);
    QCOMPARE(trace->stages.size(), 1U);
    QCOMPARE(trace->stages[0].tasks, 20);
    QCOMPARE(trace->stages[0].span.value, 19 * kDispatch + kTask);
    QCOMPARE(trace->stages[0].busy.value, 20 * kTask);
    QCOMPARE(trace->stages[0].critical.value, kTask);
    QCOMPARE(trace->pipes.size(), kPipeCount);
    QCOMPARE(trace->pipes[at(Pipe::MTE2)].pipe, Pipe::MTE2);
    QCOMPARE(trace->pipes[at(Pipe::MTE2)].busy.value, 20 * 5 * (kLoadA + kLoadB));
    QCOMPARE(trace->pipes[at(Pipe::MTE2)].wait.value, 0);
    QCOMPARE(trace->pipes[at(Pipe::M)].busy.value, 20 * 10 * kMmad);
    QCOMPARE(trace->pipes[at(Pipe::M)].wait.value, 20 * (kTask - kStore - 10 * kMmad));
    QCOMPARE(trace->pipes[at(Pipe::V)].busy.value, 0);
    // 20 dispatches one after the other, then the last task.
    QCOMPARE(trace->criticalPath.size(), 21U);
    QCOMPARE(trace->criticalPath.front().kind, CriticalStep::Kind::Dispatch);
    QCOMPARE(trace->criticalPath.front().end.value, kDispatch);
    QCOMPARE(trace->criticalPath.back().kind, CriticalStep::Kind::Task);
    QCOMPARE(trace->criticalPath.back().task, TaskIndex(19));
}

void TestTiming::pipesRunTheirInstructionsInOrder() {
    // Two loads into different places and no readers: only the pipe orders them.
    LeafBuilder leaf(TaskKind::Aic);
    leaf.loadL1(leaf.allocation(Buffer::L1, 0, 0, 1, 10), 1, 10);
    leaf.loadL1(leaf.allocation(Buffer::L1, 1, 10, 1, 20), 1, 20);
    const LeafSchedule s = scheduleLeaf(countingChip(1, 1, 0, 0), leaf.build());
    QCOMPARE(s.instructions[0].start.value, 0);
    QCOMPARE(s.instructions[0].waitSubject, 0U);
    QCOMPARE(s.instructions[1].start.value, 10 * kCycle);
    QCOMPARE(s.instructions[1].waitSubject, 0U);
    QCOMPARE(s.duration.value, 30 * kCycle);
}

// Three rounds of: load 10 cycles into L1, move 6 cycles to L0A (places enough).
Leaf loadMoveLeaf(int slotCount) {
    LeafBuilder leaf(TaskKind::Aic);
    for (std::uint16_t i = 0; i < 3; ++i) {
        const auto slot = static_cast<std::uint16_t>(i % slotCount);
        const std::uint16_t l1 = leaf.allocation(Buffer::L1, slot, slot * 10, 1, 10);
        const std::uint16_t l0 = leaf.allocation(Buffer::L0A, i, i * 6, 1, 6);
        leaf.loadL1(l1, 1, 10);
        leaf.moveL0A(l0, l1);
    }
    return leaf.build();
}

// load 0-10, move 10-16, load 16-26, move 26-32, load 32-42, move 42-48
void TestTiming::oneSlotSerialisesLoadAndMove() {
    const LeafSchedule s = scheduleLeaf(countingChip(1, 1, 0, 0), loadMoveLeaf(1));
    QCOMPARE(s.duration.value, 48 * kCycle);
    QCOMPARE(s.instructions[2].start.value, 16 * kCycle);
    QCOMPARE(s.waitSlot[at(Pipe::MTE2)].value, 12 * kCycle);
    QCOMPARE(s.waitData[at(Pipe::MTE2)].value, 0);
    QCOMPARE(s.waitData[at(Pipe::MTE1)].value, 30 * kCycle);
    QCOMPARE(s.waitSlot[at(Pipe::MTE1)].value, 0);
}

// load 0-10, load 10-20, load 20-30 (its slot is free at 16); move 10-16, move 20-26, move 30-36
void TestTiming::twoSlotsOverlapLoadAndMove() {
    const LeafSchedule s = scheduleLeaf(countingChip(1, 1, 0, 0), loadMoveLeaf(2));
    QCOMPARE(s.duration.value, 36 * kCycle);
    QCOMPARE(s.waitSlot[at(Pipe::MTE2)].value, 0);
    QCOMPARE(s.waitData[at(Pipe::MTE1)].value, (10 + 4 + 4) * kCycle);
}

void TestTiming::waitsNameWhatTheyWaitFor() {
    const LeafSchedule s = scheduleLeaf(countingChip(1, 1, 0, 0), loadMoveLeaf(1));
    QCOMPARE(s.instructions[1].waitCause, Cause::WaitData);
    QCOMPARE(s.instructions[1].waitSubject, 0U);
    QCOMPARE(s.instructions[2].waitCause, Cause::WaitSlot);
    QCOMPARE(s.instructions[2].waitSubject, 1U);
    QCOMPARE(s.instructions[3].waitCause, Cause::WaitData);
    QCOMPARE(s.instructions[3].waitSubject, 2U);
}

// A vector instruction reads `x`, loaded until 64, and overwrites bytes whose store ends at 64 as well.
void TestTiming::tieBetweenDataAndSlotCountsAsData() {
    LeafBuilder leaf(TaskKind::Aiv);
    const std::uint16_t old = leaf.allocation(Buffer::UB, 0, 0, 1, 32);
    const std::uint16_t x = leaf.allocation(Buffer::UB, 1, 64, 1, 32);
    const std::uint16_t y = leaf.allocation(Buffer::UB, 0, 0, 1, 32);
    leaf.loadUb(old, 1, 32);                                           // 0-32
    leaf.storeUb(old, 1, 32);                                          // 32-64
    leaf.loadUb(x, 1, 32);                                             // 32-64
    leaf.vector(VectorOpCode::Relu, y, x, Instruction::kNone, 1, 32);  // 64-96
    const LeafSchedule s = scheduleLeaf(countingChip(1, 1, 0, 0), leaf.build());
    QCOMPARE(s.instructions[3].start.value, 64 * kCycle);
    QCOMPARE(s.instructions[3].waitCause, Cause::WaitData);
    QCOMPARE(s.instructions[3].waitSubject, 2U);
    QCOMPARE(s.waitSlot[at(Pipe::V)].value, 0);
}

void TestTiming::criticalPathTilesTheLeaf() {
    const LeafSchedule s = scheduleLeaf(chip910B1(), glmGateLeaf());
    Ticks end;
    for (const std::uint32_t i : s.criticalPath) {
        QCOMPARE(s.instructions[i].start, end);
        end = s.instructions[i].end;
    }
    QCOMPARE(end, s.duration);
    // Ten loads, then as in the definition of kTask.
    QCOMPARE(s.criticalPath.size(), 10U + 6);
}

void TestTiming::emptyLeafTakesNoTime() {
    const LeafSchedule s = scheduleLeaf(chip910B1(), Leaf{});
    QCOMPARE(s.duration.value, 0);
    QVERIFY(s.criticalPath.empty());
}

void TestTiming::fasterUnitsAndMoreSlotsNeverSlowALeaf_data() {
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 40; ++seed) QTest::addRow("seed %u", seed) << seed;
}

void TestTiming::fasterUnitsAndMoreSlotsNeverSlowALeaf() {
    QFETCH(unsigned, seed);
    std::mt19937 random(seed);
    const ChipSpec chip = chip910B1();
    const MatmulLeaf shape = randomMatmul(random);
    const LeafSchedule base = scheduleLeaf(chip, matmulLeaf(shape));
    for (std::size_t p = 0; p < kPipeCount; ++p) QVERIFY(base.duration >= base.busy[p]);
    for (std::size_t p = 0; p < kPipeCount; ++p)
        QVERIFY(base.duration >= base.busy[p] + base.waitData[p] + base.waitSlot[p]);
    for (int unit = 0; unit < 7; ++unit)
        QVERIFY(scheduleLeaf(fasterUnit(chip, unit), matmulLeaf(shape)).duration <= base.duration);
    for (int MatmulLeaf::*count : {&MatmulLeaf::l1Slots, &MatmulLeaf::l0aSlots, &MatmulLeaf::l0bSlots}) {
        MatmulLeaf more = shape;
        more.*count += 1;
        QVERIFY(scheduleLeaf(chip, matmulLeaf(more)).duration <= base.duration);
    }
}

void TestTiming::unsupportedCubeTypeIsAnError() {
    ProgramBuilder program;
    (void)program.task(program.leaf(matmulLeaf({.dtype = DType::FP8E4M3})));
    const auto trace = predictByHand(program.build(), chip910B1());
    QVERIFY(!trace);
    QCOMPARE(trace.error().code, ErrorCode::Unsupported);
    QVERIFY(trace.error().message.find("FP8E4M3") != std::string::npos);
}

// Estimates of the test chip: overheads of MTE2, MTE1, M and FIX, the row cycles and FIX's rate. Rows of 4096 B never
// cost a whole request, so the row cycles have no part.
void TestTiming::estimatesOnTheCriticalPathAreNamed() {
    const auto trace = predictByHand(glmGateT64(), chip910B1());
    QVERIFY(trace);
    const std::vector<std::string> expected{"fix_bytes_per_cycle", "fix_overhead", "mmad_overhead", "mte1_overhead",
                                            "mte2_overhead"};
    QCOMPARE(trace->estimates, expected);
}

void TestTiming::countsInstructionsAndFlops() {
    ProgramBuilder builder;
    const LeafIndex full = builder.leaf(matmulLeaf({.m = 16, .n = 16, .k = 64, .kL1 = 32, .kL0 = 32}));
    Leaf tailLeaf = matmulLeaf({.m = 16, .n = 16, .k = 32});
    for (Instruction& i : tailLeaf.instructions)
        if (i.op == Opcode::Mmad) i.extent = {2, 16};
    const LeafIndex tail = builder.leaf(tailLeaf);
    (void)builder.task(full);
    (void)builder.task(full);
    (void)builder.task(tail);
    const Program program = builder.build();
    QCOMPARE(program.instructionCount(), 11 + 11 + 6);
    QCOMPARE(program.flops(), 2 * (16 * 64 * 16 + 16 * 64 * 16 + 2 * 32 * 16));
}

QTEST_APPLESS_MAIN(TestTiming)
#include "tst_timing.moc"
