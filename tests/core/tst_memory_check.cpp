// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <cmath>

#include "core/lowering/lower.h"
#include "core/run/run.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

constexpr EmulatorOptions kChecked{Isa::Auto, true, {}};

/// FC-14: 16 x 512 x 128 in FP16, eight steps along K, two L1 loads.
Program accumulatorCase() {
    return lowered(
        matmulDesign({.m = 16, .k = 512, .n = 128, .mTile = {16, 16}, .kTile = {64, 256}, .nTile = {128, 128}}), {},
        chipFile("Ascend910B1"));
}

std::vector<Instruction*> products(Program& program) {
    std::vector<Instruction*> found;
    for (Instruction& i : program.leaves[0].instructions)
        if (i.op == Opcode::Mmad) found.push_back(&i);
    return found;
}

EmulatedValues checkedRun(const Program& program, int threads = 1) {
    return emulated(program, generated(program, {Distribution::Integers, -2.0, 2.0}, 1), kChecked, threads);
}

QString messageOf(const EmulatedValues& values, ValueNote::Kind kind) {
    for (const ValueNote& note : values.notes)
        if (note.kind == kind) return QString::fromStdString(note.message);
    return {};
}

/// A task of the first leaf that is known to write all of its output.
Instruction& firstOf(Program& program, Opcode op) {
    for (Leaf& leaf : program.leaves)
        for (Instruction& i : leaf.instructions)
            if (i.op == op) return i;
    std::abort();
}

}  // namespace

class TestMemoryCheck : public QObject {
    Q_OBJECT

private slots:
    void soundDesignsPassAndKeepTheirBits_data() {
        QTest::addColumn<int>("which");
        QTest::newRow("matmul with tails") << 0;
        QTest::newRow("both operands transposed") << 1;
        QTest::newRow("loop with a short last tile") << 2;
        QTest::newRow("matmul, then vector stage") << 3;
        QTest::newRow("integers") << 4;
    }
    void soundDesignsPassAndKeepTheirBits() {
        QFETCH(int, which);
        Design design;
        if (which == 0) design = matmulDesign({.m = 70, .k = 200, .n = 100, .kTile = {64, 128}});
        if (which == 1) design = matmulDesign({.m = 70, .k = 136, .n = 100, .aTrans = true, .bTrans = true});
        if (which == 2) design = glmGate({.rows = 77, .k = 320, .n = 48, .kTile = {64, 128}});
        if (which == 3) design = rowScale({.rows = 150});
        if (which == 4) design = matmulDesign({.m = 40, .k = 300, .n = 50, .dtype = DType::INT8, .out = DType::INT32});
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        const auto inputs = generated(program, {Distribution::Integers, -3.0, 3.0}, 4);
        const EmulatedValues fast = emulated(program, inputs, {}, 2);
        const EmulatedValues checked = emulated(program, inputs, kChecked, 2);
        for (const ValueNote& note : checked.notes) QFAIL(note.message.c_str());
        for (std::size_t t = 0, at = 0; t < program.tensors.size(); ++t) {
            if (program.tensors[t].role == GmRole::Input) continue;
            if (program.tensors[t].role == GmRole::Output) QVERIFY(sameBits(fast.tensors[at], checked.tensors[at]));
            ++at;
        }
    }

    void accumulatorsAreStartedOnce() {
        Program program = accumulatorCase();
        const auto mmads = products(program);
        QCOMPARE(mmads.size(), std::size_t{8});
        for (std::size_t i = 0; i < mmads.size(); ++i) QCOMPARE((mmads[i]->flags & kFlagInit) != 0, i == 0);
        QVERIFY(checkedRun(program).notes.empty());
    }

    void missingStartIsNamedAndItsPoisonReachesTheOutput() {
        Program program = accumulatorCase();
        products(program)[0]->flags &= static_cast<std::uint16_t>(~kFlagInit);
        const EmulatedValues values = checkedRun(program);
        QCOMPARE(messageOf(values, ValueNote::Kind::UnwrittenRead),
                 QString("'product' block (0,0): mmad at kL1=0,kL0=0 reads L0C element (0,0) before it was written"));
        QVERIFY(std::isnan(values.tensors[0].at(5)));
        // The fast path does not take such a leaf for a clean product either.
        const auto inputs = generated(program, {Distribution::Integers, -2.0, 2.0}, 1);
        const Program sound = accumulatorCase();
        QVERIFY(sameBits(emulated(sound, inputs).tensors[0], emulated(sound, inputs, kChecked).tensors[0]));
    }

    void startOnEveryOuterStepLosesThePartialSums() {
        Program program = accumulatorCase();
        products(program)[4]->flags |= kFlagInit;  // the second L1 step
        const EmulatedValues values = checkedRun(program);
        QCOMPARE(
            messageOf(values, ValueNote::Kind::SumsLost),
            QString("'product' block (0,0): mmad at kL1=1,kL0=0 starts the accumulator again: partial sums lost at "
                    "kL0 step 4"));
        // What is left are the sums of the second half, in both modes.
        const auto inputs = generated(program, {Distribution::Integers, -2.0, 2.0}, 1);
        double half = 0;
        for (std::int64_t k = 256; k < 512; ++k) half += inputs[0].at(k) * inputs[1].at(k * 128);
        QCOMPARE(emulated(program, inputs, kChecked).tensors[0].at(0), half);
        QCOMPARE(emulated(program, inputs).tensors[0].at(0), half);
    }

    void aStepThatIsTooLongReadsPadding() {
        const Design design = matmulDesign({.m = 16, .k = 200, .n = 16, .mTile = {16, 16}, .kTile = {64, 256}});
        Program program = lowered(design, {}, chipFile("Ascend910B1"));
        products(program).back()->at[0] += 8;  // the tail of 8 taken as 16
        QVERIFY(messageOf(checkedRun(program), ValueNote::Kind::UnwrittenRead)
                    .contains("mmad at kL1=0,kL0=3 reads L0A element (0,8) before it was written"));
    }

    void integersNeedNoSentinel() {
        const Design design = matmulDesign({.m = 16, .k = 64, .n = 32, .dtype = DType::INT8, .out = DType::INT32});
        Program program = lowered(design, {}, chipFile("Ascend910B1"));
        products(program)[0]->flags &= static_cast<std::uint16_t>(~kFlagInit);
        QVERIFY(messageOf(checkedRun(program), ValueNote::Kind::UnwrittenRead).contains("L0C element (0,0)"));
    }

    void accessesBeyondATileAreNotExecuted() {
        Program program = accumulatorCase();
        firstOf(program, Opcode::MoveL0A).at = {0, 224};  // 224 + 64 of 256
        QVERIFY(messageOf(checkedRun(program), ValueNote::Kind::OutsideAccess)
                    .contains("move reads L1 element (15,287), outside of its tile of 16 x 256"));
    }

    void writesBeyondATensorAreNotExecuted() {
        Program program = accumulatorCase();
        firstOf(program, Opcode::StoreL0C).at = {1, 0};
        QVERIFY(messageOf(checkedRun(program), ValueNote::Kind::OutsideAccess)
                    .contains("store writes element [16,127] of 'c', outside of the tensor"));
    }

    void workspacesHoldNothingBeforeTheyAreWritten() {
        const Design design = rowScale();
        Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        for (Leaf& leaf : program.leaves)  // the cube stage forgets its last row
            for (Instruction& i : leaf.instructions)
                if (i.op == Opcode::StoreL0C) --i.extent[0];
        const QString message = messageOf(checkedRun(program, 2), ValueNote::Kind::UnwrittenRead);
        QVERIFY2(message.startsWith("'scaling' block ("), qPrintable(message));
        QVERIFY2(message.contains("load reads element [63,0] of 'acc', which nobody wrote"), qPrintable(message));
    }

    void tilesBeyondTheBufferAreNamed() {
        Program program = accumulatorCase();
        EmulatorOptions options = kChecked;
        options.bufferBytes[static_cast<std::size_t>(Buffer::L0B)] = 16384;
        const auto values = emulated(program, generated(program, {Distribution::Constant, 1.0, 0.0}, 1), options);
        QVERIFY(messageOf(values, ValueNote::Kind::OverCapacity).contains("a tile of L0B ends at byte"));
    }

    void writesThatNothingOrdersAreNamed() {
        const Design design = matmulDesign({.m = 64, .k = 64, .n = 64, .mTile = {32, 32}, .nTile = {64, 64}});
        Program program = lowered(design, {}, chipFile("Ascend910B1"));
        QCOMPARE(program.tasks.size(), std::size_t{2});
        for (Box& box : program.boxes)
            if (program.tensors[box.tensor.value].name == "c") box.offset[2] = 16;
        const auto inputs = generated(program, {Distribution::Constant, 1.0, 0.0}, 1);
        const QString expected =
            "'product' block (0,0) and 'product' block (1,0) both write element [16,0] of 'c', and nothing orders them";
        QCOMPARE(messageOf(emulated(program, inputs, {}, 2), ValueNote::Kind::UnorderedWrites), expected);
        program.edges = {{TaskIndex(1), EdgeKind::Wait}};
        program.tasks[0].edgeCount = 1;
        program.tasks[1].predecessors = 1;
        QVERIFY(emulated(program, inputs, {}, 2).notes.empty());
    }

    void overflowNamesTheElement() {
        const Design design = matmulDesign({.m = 16,
                                            .k = 140000,
                                            .n = 16,
                                            .dtype = DType::INT8,
                                            .out = DType::INT32,
                                            .mTile = {16, 16},
                                            .kTile = {512, 4096},
                                            .nTile = {32, 32}});
        const Program program = lowered(design, {}, chipFile("Ascend910B1"));
        auto inputs = generated(program, {Distribution::Constant, 0.0, 0.0}, 0);
        for (std::int64_t k = 0; k < 140000; ++k) {
            inputs[0].set(3 * 140000 + k, 127);
            inputs[1].set(k * 16 + 5, 127);
        }
        // 127 * 127 * 133145 is the first beyond 2^31 - 1.
        QVERIFY(messageOf(emulated(program, inputs), ValueNote::Kind::IntegerOverflow)
                    .contains("at element (3,5), k = 133144"));
    }

    void aCheckedRunReportsAndFails() {
        RunRequest request;
        request.chip = chipFile("Ascend910B1");
        request.design = std::make_shared<const Design>(glmGate({.rows = 40, .k = 256, .n = 48, .kTile = {64, 128}}));
        request.checked = true;
        const auto sound = run(request, {});
        QVERIFY(sound);
        QCOMPARE(sound->exitStatus(), 0);
        QCOMPARE(sound->accuracy.verdict, Verdict::Pass);
    }
};

QTEST_APPLESS_MAIN(TestMemoryCheck)
#include "tst_memory_check.moc"
