// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>
#include <numeric>

#include "core/design/binding.h"
#include "core/exchange/chip_json.h"
#include "core/lowering/lower.h"
#include "core/timing/derivation.h"
#include "core/timing/leaf_plan.h"
#include "core/timing/listeners/describe.h"
#include "core/timing/listeners/timeline.h"
#include "core/timing/timing_engine.h"
#include "tests/support/designs.h"
#include "tests/support/program_builder.h"

using namespace cubist;
using namespace cubist::test;

namespace {

ChipSpec chipFile() {
    return loadChip(CUBIST_SOURCE_DIR "/resources/chips/Ascend910B1.json")->chip;
}

/// A load of 10 cycles and a move of 6 that waits for it, as one task of a loop; the box holds 10 elements, `valid` of
/// them valid.
Program loopTask(std::int64_t valid) {
    LeafBuilder leaf(TaskKind::Aic);
    const std::uint16_t l1 = leaf.allocation(Buffer::L1, 0, 0, 1, 10);
    const std::uint16_t l0 = leaf.allocation(Buffer::L0A, 0, 0, 1, 6);
    leaf.loadL1(l1, 1, 10);
    leaf.moveL0A(l0, l1);
    Leaf built = leaf.build();
    built.parameters = 1;
    built.instructions[0].box = 0;
    ProgramBuilder builder;
    (void)builder.task(builder.leaf(built));
    Program program = builder.build();
    GmTensor tensor;
    tensor.dtype = DType::INT8;
    tensor.shape = {1, 1, 1, 32};
    program.tensors.push_back(tensor);
    Box box;
    box.extent = {1, 1, 1, 10};
    box.valid = {1, 1, 1, valid};
    program.boxes.push_back(box);
    program.roots[0].loop = BlockId("rows");
    return program;
}

Result<Trace> predictWith(const Program& program, const ChipSpec& chip, bool optimize) {
    Options runtime;
    runtime.validShapeOptimize = optimize;
    TimingOptions options;
    options.listSchedule = true;
    options.runtime = &runtime;
    return predict(program, chip, {}, options);
}

Program lowered(const Design& design, const ChipSpec& chip) {
    return lower(design, bind(design, {}).value(), chip).value();
}

Design gate(std::int64_t rows) {
    return glmGate({.rows = rows, .k = 256, .n = 64, .kTile = {128, 256}});
}

}  // namespace

class TestRuntimeOptions : public QObject {
    Q_OBJECT

private slots:
    void aLeafOfALoopWaitsForTheScalarPipe();
    void staticLeavesDoNot_data();
    void staticLeavesDoNot();
    void everySubCoreHasItsOwnScalarPipe();
    void whatTheScalarPipeDoesIsShownAndExplained();
    void mainBlocksAreStaticTailsAreNot_data();
    void mainBlocksAreStaticTailsAreNot();
    void theOptionShortensMainBlocksOnly();
    void tailsComputeTheirValidPartOnly();
    void anEarlyLaunchHidesTheShorterOfHeadAndBuild_data();
    void anEarlyLaunchHidesTheShorterOfHeadAndBuild();
};

// S issues the load at 10.4 cycles (10650 ticks, rounded up) and the move at 20.8 (21300 ticks). The load ends at
// 10650 + 10240 = 20890, so the move waits for S and ends at 21300 + 6144.
void TestRuntimeOptions::aLeafOfALoopWaitsForTheScalarPipe() {
    const auto trace = predictWith(loopTask(10), countingChip(1, 1, 0, 0), false);
    QVERIFY(trace);
    QCOMPARE(trace->kernel.value, 27444);
    const auto cause = [&](Cause c) { return trace->causes[static_cast<std::size_t>(c)].value; };
    QCOMPARE(cause(Cause::Busy), 21300 + 10240 + 6144);
    QCOMPARE(cause(Cause::WaitData), 10650 + 21300);
    // S and MTE2 are done early, M and FIX have nothing to do.
    QCOMPARE(cause(Cause::TaskDrained), (27444 - 21300) + (27444 - 20890) + 2 * 27444);
    QCOMPARE(trace->pipes[static_cast<std::size_t>(Pipe::S)].busy.value, 21300);
    const Ticks sum = std::accumulate(trace->causes.begin(), trace->causes.end(), Ticks());
    QCOMPARE(sum.value, trace->lanes * trace->kernel.value);
    QVERIFY(std::ranges::count(trace->estimates, "scalar_issue") == 1);
    // With 20 cycles an instruction the move waits for 40.
    ChipSpec chip = countingChip(1, 1, 0, 0);
    chip.scalarIssue.value = Rational(20);
    const auto slower = predictWith(loopTask(10), chip, false);
    QVERIFY(slower);
    QCOMPARE(slower->kernel.value, (40 + 6) * 1024);
    chip.scalarIssue.value = Rational(0);
    QCOMPARE(predictWith(loopTask(10), chip, false)->kernel.value, 16 * 1024);
}

void TestRuntimeOptions::staticLeavesDoNot_data() {
    QTest::addColumn<bool>("loop");
    QTest::addColumn<bool>("optimize");
    QTest::addColumn<int>("valid");
    QTest::addColumn<int>("ticks");
    constexpr int kStatic = 16 * 1024;
    QTest::newRow("outside loops") << false << false << 10 << kStatic;
    QTest::newRow("outside loops, a part") << false << true << 7 << kStatic;
    QTest::newRow("main block") << true << true << 10 << kStatic;
    QTest::newRow("tail block") << true << true << 7 << 27444;
    QTest::newRow("without the option") << true << false << 10 << 27444;
}

void TestRuntimeOptions::staticLeavesDoNot() {
    QFETCH(bool, loop);
    QFETCH(bool, optimize);
    QFETCH(int, valid);
    QFETCH(int, ticks);
    Program program = loopTask(valid);
    if (!loop) program.roots[0].loop = BlockId();
    const auto trace = predictWith(program, countingChip(1, 1, 0, 0), optimize);
    QVERIFY(trace);
    QCOMPARE(trace->kernel.value, std::int64_t{ticks});
}

// Two instructions of a cube core and one of a vector core of its cluster: the S pipes work side by side.
void TestRuntimeOptions::everySubCoreHasItsOwnScalarPipe() {
    LeafBuilder builder(TaskKind::Aic);
    const std::uint16_t l1 = builder.allocation(Buffer::L1, 0, 0, 1, 10);
    const std::uint16_t l0 = builder.allocation(Buffer::L0A, 0, 0, 1, 6);
    builder.loadL1(l1, 1, 10);
    builder.moveL0A(l0, l1);
    builder.loadL1(l1, 1, 10);
    Leaf leaf = builder.build();
    leaf.instructions[1].core = SubCore::Aiv0;
    const LeafPlan plan = planLeaf(countingChip(1, 2, 0, 0), leaf, {{}, true, true});
    QCOMPARE(plan.issued, (std::vector<Ticks>{Ticks(10650), Ticks(10650), Ticks(21300)}));
    QCOMPARE(plan.scalar, (std::array<Ticks, 3>{Ticks(21300), Ticks(10650), Ticks()}));
    QVERIFY(planLeaf(countingChip(1, 2, 0, 0), leaf).issued.empty());
}

void TestRuntimeOptions::whatTheScalarPipeDoesIsShownAndExplained() {
    const Program program = loopTask(10);
    const ChipSpec chip = countingChip(1, 1, 0, 0);
    const auto trace = predictWith(program, chip, false);
    QVERIFY(trace);
    const std::vector<LaneInterval> lanes = expandTask(program, *trace, TaskIndex(0));
    QCOMPARE(lanes[0], (LaneInterval{Pipe::S, Cause::Busy, Ticks(), Ticks(21300), TaskIndex(0), 0, 0}));
    QCOMPARE(describe(program, lanes[0]), std::string("S issues the instructions of task 0"));
    const LaneInterval wait{Pipe::MTE1, Cause::WaitData, Ticks(), Ticks(21300), TaskIndex(0), 1, 1};
    QVERIFY(std::ranges::count(lanes, wait) == 1);
    QCOMPARE(describe(program, wait), std::string("waits for S to issue L1->L0A #1"));
    const std::vector<DerivationStep> steps = deriveInstruction(program, *trace, chip, TaskIndex(0), 1);
    const auto issue = std::ranges::find(steps, std::string("F-29"), &DerivationStep::formula);
    QVERIFY(issue != steps.end());
    QVERIFY2(issue->text.find("2 * 10.4 = 20.8 cycles") != std::string::npos, issue->text.c_str());
}

void TestRuntimeOptions::mainBlocksAreStaticTailsAreNot_data() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<bool>("tail");
    QTest::newRow("100 = 3 * 32 + 4") << 100 << true;
    QTest::newRow("128 = 4 * 32") << 128 << false;
    QTest::newRow("20: nothing but a tail") << 20 << true;
}

void TestRuntimeOptions::mainBlocksAreStaticTailsAreNot() {
    QFETCH(int, rows);
    QFETCH(bool, tail);
    const Program program = lowered(gate(rows), chipFile());
    Options options;
    for (const LeafSetting& setting : leafSettings(program, &options)) QVERIFY(setting.dynamic);
    for (const LeafSetting& setting : leafSettings(program, nullptr)) QVERIFY(!setting.dynamic);
    options.validShapeOptimize = true;
    const std::vector<LeafSetting> settings = leafSettings(program, &options);
    bool anyTail = false;
    for (const Task& task : program.tasks) {
        const Box& left = program.boxesOf(task)[0];
        const bool whole = left.valid[2] == 32;
        QCOMPARE(settings[task.leaf.value].dynamic, !whole);
        anyTail = anyTail || !whole;
    }
    QCOMPARE(anyTail, tail);
}

// The tasks of the tail take as long as before, those of main blocks less, and the kernel never more.
void TestRuntimeOptions::theOptionShortensMainBlocksOnly() {
    ChipSpec chip = chipFile();
    for (Constant* shared : {&chip.hbmEffectiveBytesPerSecond, &chip.l2EffectiveBytesPerSecond, &chip.l2EffectiveBytes})
        shared->value = Rational(0);
    Design design = gate(100);
    for (Dictionary<std::int64_t>* merging : {&design.options.cubeL1Reuse, &design.options.cubeNBuffer})
        merging->set("DEFAULT", 1);
    const Program program = lowered(design, chip);
    const auto off = predictWith(program, chip, false);
    const auto on = predictWith(program, chip, true);
    QVERIFY(off && on);
    bool shorter = false;
    for (const Task& task : program.tasks) {
        const auto t = static_cast<std::size_t>(&task - program.tasks.data());
        const Ticks before = off->tasks[t].end - off->tasks[t].start;
        const Ticks after = on->tasks[t].end - on->tasks[t].start;
        if (program.boxesOf(task)[0].valid[2] < 32)
            QCOMPARE(after, before);
        else
            QVERIFY(after < before);
        shorter = shorter || after < before;
    }
    QVERIFY(shorter);
    QVERIFY(on->kernel <= off->kernel);
}

// 4 rows of 256 FP32 instead of 32: the loads of A bring an eighth, with the option and without.
void TestRuntimeOptions::tailsComputeTheirValidPartOnly() {
    const ChipSpec chip = chipFile();
    Design design = gate(100);
    design.options.cubeL1Reuse.set("DEFAULT", 1);
    const Program program = lowered(design, chip);
    for (const bool optimize : {false, true}) {
        const auto trace = predictWith(program, chip, optimize);
        QVERIFY(trace);
        for (const Task& task : program.tasks) {
            std::int64_t bytes = 0;
            for (const LeafPlan::Transfer& transfer : trace->plans[task.leaf.value]->transfers)
                if (transfer.box == 0) bytes += transfer.bytes;
            QCOMPARE(bytes, program.boxesOf(task)[0].valid[2] * 256 * 4);
        }
    }
}

// At 1 MHz a microsecond is a cycle: a head of 20 or 50 cycles, a build of 30 and 4 to submit. A task of 16 cycles
// whose dispatch and scalar work cost nothing.
void TestRuntimeOptions::anEarlyLaunchHidesTheShorterOfHeadAndBuild_data() {
    QTest::addColumn<int>("mode");
    QTest::addColumn<int>("head");
    QTest::addColumn<int>("cycles");
    QTest::newRow("not said") << -1 << 20 << 20 + 34 + 16;
    QTest::newRow("in capture mode only") << 0 << 20 << 20 + 34 + 16;
    QTest::newRow("never") << 2 << 20 << 20 + 34 + 16;
    QTest::newRow("always, the build is longer") << 1 << 20 << 34 + 16;
    QTest::newRow("always, the head is longer") << 1 << 50 << 50 + 16;
}

void TestRuntimeOptions::anEarlyLaunchHidesTheShorterOfHeadAndBuild() {
    QFETCH(int, mode);
    QFETCH(int, head);
    QFETCH(int, cycles);
    ChipSpec chip = countingChip(1, 1, 0, 0);
    chip.launchOverhead.value = Rational(head);
    chip.stitchCycles.value = Rational(30);
    chip.submitCycles.value = Rational(4);
    Program program = loopTask(10);
    program.roots[0].loop = BlockId();
    Options runtime;
    if (mode >= 0) runtime.launchEarlyMode = mode;
    TimingOptions options;
    options.runtime = &runtime;
    const auto trace = predict(program, chip, {}, options);
    QVERIFY(trace);
    QCOMPARE(trace->kernel.value, std::int64_t{16 * 1024});
    QCOMPARE(trace->endToEnd.value, std::int64_t{cycles} * 1024);
    QVERIFY(trace->endToEndEstimates.empty());
    // AICPUs that begin in 3 us of 1 MHz, which is the chip's to say.
    chip.aicpuStart.value = Rational(3);
    const auto later = predict(program, chip, {}, options);
    QVERIFY(later);
    QCOMPARE(later->kernel, trace->kernel);
    if (mode != 1) QCOMPARE(later->endToEnd.value, std::int64_t{cycles + 3} * 1024);
    QCOMPARE(later->endToEndEstimates, std::vector<std::string>{"aicpu_start"});
}

QTEST_APPLESS_MAIN(TestRuntimeOptions)
#include "tst_runtime_options.moc"
