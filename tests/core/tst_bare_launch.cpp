// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>

#include "core/design/binding.h"
#include "core/exchange/chip_json.h"
#include "core/exchange/design_json.h"
#include "core/lowering/bare_launch.h"
#include "core/lowering/lower.h"
#include "core/run/run.h"
#include "core/timing/timing_engine.h"
#include "tests/support/designs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

ChipSpec chipFile() {
    return loadChip(CUBIST_SOURCE_DIR "/resources/chips/Ascend910B1.json")->chip;
}

/// 8 x 12 blocks of 64 x 64.
Design blocks() {
    MatmulKnobs knobs;
    knobs.m = 512;
    knobs.n = 768;
    return matmulDesign(knobs);
}

BlockOrder natural() {
    BlockOrder order;
    order.kind = OrderKind::LoopNM;
    return order;
}

Program unmerged(Design design) {
    for (auto* setting : {&design.options.cubeL1Reuse, &design.options.cubeNBuffer, &design.options.vecNBuffer})
        setting->set("DEFAULT", 1);
    return lower(design, bind(design, {}).value(), chipFile()).value();
}

RunRequest requestFor(Design design, LaunchProfile launch) {
    RunRequest request;
    request.design = std::make_shared<const Design>(std::move(design));
    request.chip = chipFile();
    request.launch = launch;
    return request;
}

}  // namespace

Q_DECLARE_METATYPE(cubist::BlockOrder)

class TestBareLaunch : public QObject {
    Q_OBJECT

private slots:
    void blocksOfACoreAreOneTask();
    void loadsRunAheadOfTheNextBlock();
    void partsOfLongTasksStayWithinTheKernel();
    void aGridGivesEveryCoreItsRectangle();
    void productsGoOnBehindTheLastCore_data();
    void productsGoOnBehindTheLastCore();
    void anOrderThatLeavesCoresEmptyIsTold();
    void whatOthersWaitForStaysATask();
    void valuesStayWhatTheyWere();
    void anOrderThatCutsBlocksIsRefused();
    void aGridWithMoreCoresThanTheChipIsRefused();
    void longTasksAreSharedOutWithoutOverflow();
    void optionsThatReachNothingAreReported_data();
    void optionsThatReachNothingAreReported();
    void theUnitFlagShortensAHandWrittenKernel();
    void slotsOfOneBufferCount();
};

// Two blocks on one core, 4096 mmads of 512 cycles each: one task of more than 2^32 ticks.
void TestBareLaunch::longTasksAreSharedOutWithoutOverflow() {
    MatmulKnobs knobs;
    knobs.m = 256;
    knobs.n = 256;
    knobs.k = 1 << 18;
    knobs.mTile = {128, 128};
    knobs.kTile = {64, 256};
    knobs.nTile = {256, 256};
    RunRequest request = requestFor(matmulDesign(knobs), LaunchProfile::Bare);
    request.chip.aicCount.value = Rational(1);
    request.chip.aivCount.value = Rational(2);
    const auto report = predictOnly(request, {});
    QVERIFY(report);
    const Trace& trace = *report->trace;
    QCOMPARE(trace.tasks.size(), std::size_t{1});
    QVERIFY(trace.kernel.value > std::int64_t{1} << 32);
    QCOMPARE(trace.stages[0].span, trace.kernel);
    QCOMPARE(trace.stages[0].busy, trace.kernel);
    QCOMPARE(trace.stages[0].critical, trace.kernel);
}

void TestBareLaunch::optionsThatReachNothingAreReported_data() {
    QTest::addColumn<int>("option");
    QTest::addColumn<bool>("bare");
    QTest::addColumn<QString>("where");
    QTest::newRow("L1 reuse, bare") << 0 << true << "/options/cube_l1_reuse_setting";
    QTest::newRow("L1 reuse") << 0 << false << "";
    QTest::newRow("cube n-buffer, bare") << 1 << true << "/options/cube_nbuffer_setting";
    QTest::newRow("vector n-buffer without vector stages") << 2 << false << "/options/vec_nbuffer_setting";
    QTest::newRow("queue, bare") << 3 << true << "/options/device_sched_mode";
    QTest::newRow("queue") << 3 << false << "";
    QTest::newRow("stitching one root") << 4 << false << "/options/stitch_function_max_num";
    QTest::newRow("threads, bare") << 5 << true << "/options/launch_sched_aicpu_num";
    QTest::newRow("workspace of one root") << 6 << false << "/options/max_workspace_kb";
    QTest::newRow("side of a count of 1") << 7 << false << "/options/cube_l1_reuse_side/DEFAULT";
    QTest::newRow("nothing set") << 8 << true << "";
    QTest::newRow("static shapes of a loop, bare") << 9 << true << "/options/valid_shape_optimize";
    QTest::newRow("static shapes of a loop") << 9 << false << "";
    QTest::newRow("static shapes of tails only") << 10 << false << "/options/valid_shape_optimize";
    QTest::newRow("unit flag") << 11 << false << "/options/unit_flag";
    QTest::newRow("unit flag, bare") << 11 << true << "";
    QTest::newRow("slots") << 12 << false << "/options/buffer_slots";
    QTest::newRow("slots, bare") << 12 << true << "";
    QTest::newRow("slots that do not fit, bare") << 13 << true << "/options/buffer_slots/L0C";
    QTest::newRow("stitching beyond all roots") << 14 << false << "/options/stitch_function_max_num";
    QTest::newRow("stitching some roots") << 15 << false << "";
    QTest::newRow("a cap on no workspaces") << 16 << false << "/options/max_workspace_kb";
    QTest::newRow("a cap on workspaces") << 17 << false << "";
}

void TestBareLaunch::optionsThatReachNothingAreReported() {
    QFETCH(const int, option);
    QFETCH(const bool, bare);
    QFETCH(const QString, where);
    Design design = blocks();
    Options& options = design.options;
    switch (option) {
        case 0: options.cubeL1Reuse.set("DEFAULT", 4); break;
        case 1: options.cubeNBuffer.set("DEFAULT", 4); break;
        case 2: options.vecNBuffer.set("DEFAULT", 4); break;
        case 3: options.deviceSchedMode = 3; break;
        case 4: options.stitchFunctionMaxNum = 1; break;
        case 5: options.launchSchedAicpuNum = 1; break;
        case 6: options.maxWorkspaceKb = 100; break;
        case 7:
            options.cubeL1Reuse.set("DEFAULT", 1);
            options.cubeL1ReuseSide.set("DEFAULT", "left");
            break;
        case 9: {
            options.validShapeOptimize = true;
            Loop loop;
            loop.id = BlockId("once");
            loop.axis = 1;
            loop.body = design.blocks;
            design.blocks = {Block{loop}};
            break;
        }
        case 10: {
            design = glmGate({.rows = 20, .k = 256, .n = 64, .kTile = {128, 256}});  // rows of 32, one part
            design.options.validShapeOptimize = true;
            break;
        }
        case 11: options.unitFlag = true; break;
        case 12: options.bufferSlots.set("L0C", 1); break;
        case 13: options.bufferSlots.set("L0C", 9); break;  // 64 x 64 FP32 fit 128 KiB 8 times
        case 14:
        case 15:
            design = glmGate({.rows = 128, .k = 256, .n = 64, .kTile = {128, 256}});
            design.options.stitchFunctionMaxNum = option == 14 ? 64 : 2;
            break;
        case 16:
        case 17:
            design = option == 16 ? glmGate({.rows = 128, .k = 256, .n = 64, .kTile = {128, 256}}) : rowScale();
            design.options.maxWorkspaceKb = 64;
            design.options.combineAxis = false;  // idle for a reason of its own
            break;
        default: break;
    }
    const auto report = predictOnly(requestFor(design, bare ? LaunchProfile::Bare : LaunchProfile::Pypto), {});
    QVERIFY(report);
    QStringList found;
    for (const Finding& finding : report->findings)
        if (finding.ruleId == "OPT-03") found << QString::fromStdString(finding.where);
    QCOMPARE(found, where.isEmpty() ? QStringList() : QStringList(where));
}

void TestBareLaunch::theUnitFlagShortensAHandWrittenKernel() {
    MatmulKnobs knobs;
    knobs.m = 512;
    knobs.n = 256;
    knobs.k = 256;
    knobs.mTile = {128, 128};
    knobs.kTile = {64, 256};
    knobs.nTile = {256, 256};
    Design design = matmulDesign(knobs);
    const auto kernel = [&](LaunchProfile launch) {
        RunRequest request = requestFor(design, launch);
        request.chip.aicCount.value = Rational(1);
        request.chip.aivCount.value = Rational(2);
        return predictOnly(request, {})->trace->kernel;
    };
    const Ticks bare = kernel(LaunchProfile::Bare), compiled = kernel(LaunchProfile::Pypto);
    design.options.unitFlag = true;
    QVERIFY(kernel(LaunchProfile::Bare) < bare);
    QCOMPARE(kernel(LaunchProfile::Pypto), compiled);
}

// 128 x 128 FP32 are half of L0C. One core with so slow a FIXPIPE that all else hides behind it, unless the cube has to
// wait for its slot.
void TestBareLaunch::slotsOfOneBufferCount() {
    MatmulKnobs knobs;
    knobs.m = knobs.n = 512;
    knobs.k = 64;
    knobs.mTile = knobs.nTile = {128, 128};
    knobs.kTile = {64, 64};
    Design design = matmulDesign(knobs);
    const auto kernel = [&] {
        RunRequest request = requestFor(design, LaunchProfile::Bare);
        request.chip.aicCount.value = Rational(1);
        request.chip.aivCount.value = Rational(2);
        request.chip.fixElementsPerCycle.value = Rational(4);
        return predictOnly(request, {})->trace->kernel;
    };
    const Ticks automatic = kernel();
    design.options.bufferSlots.set("L0C", 2);
    QCOMPARE(kernel(), automatic);
    design.options.bufferSlots.set("L0C", 1);
    QVERIFY(kernel() > automatic);
    const auto back = readDesign(writeDesign(design));
    QVERIFY(back);
    QVERIFY(back->design.options == design.options);
}

void TestBareLaunch::blocksOfACoreAreOneTask() {
    const auto bare = launchBare(unmerged(blocks()), natural(), chipFile());
    QVERIFY(bare);
    QCOMPARE(bare->program.tasks.size(), std::size_t{24});
    for (std::size_t t = 0; t < 24; ++t) {
        QCOMPARE(bare->coreOf[t], static_cast<std::uint16_t>(t));
        QCOMPARE(bare->program.tasks[t].memberCount, 4U);  // 96 blocks in turn
        const auto members = bare->program.membersOf(bare->program.tasks[t]);
        for (std::size_t i = 0; i < members.size(); ++i)
            QCOMPARE(std::size_t{members[i].blockN} * 8 + members[i].blockM, t + 24 * i);
    }
}

void TestBareLaunch::loadsRunAheadOfTheNextBlock() {
    const ChipSpec chip = chipFile();
    const Program apart = unmerged(blocks());
    TimingOptions dealt;
    for (std::size_t t = 0; t < apart.tasks.size(); ++t) dealt.coreOf.push_back(static_cast<std::uint16_t>(t % 24));
    const auto separate = predict(apart, chip, {}, dealt);
    const auto bare = launchBare(unmerged(blocks()), natural(), chip);
    QVERIFY(bare && separate);
    TimingOptions options;
    options.coreOf = bare->coreOf;
    const auto together = predict(bare->program, chip, {}, options);
    QVERIFY(together);
    QVERIFY(together->kernel < separate->kernel);
    QCOMPARE(together->instructions, separate->instructions);  // nothing is dropped
}

// A task of more than 2^31 ticks: its members share its time without leaving 64 bits.
void TestBareLaunch::partsOfLongTasksStayWithinTheKernel() {
    ChipSpec chip = chipFile();
    chip.mte2BytesPerCycle.value = Rational(1, 100);
    const auto bare = launchBare(unmerged(blocks()), natural(), chip);
    QVERIFY(bare);
    TimingOptions options;
    options.coreOf = bare->coreOf;
    const auto trace = predict(bare->program, chip, {}, options);
    QVERIFY(trace);
    QVERIFY(trace->kernel.value > std::int64_t{1} << 31);
    QCOMPARE(trace->stages.size(), std::size_t{1});
    QCOMPARE(trace->stages[0].span, trace->kernel);
    QCOMPARE(trace->stages[0].critical, trace->kernel);
}

void TestBareLaunch::aGridGivesEveryCoreItsRectangle() {
    BlockOrder order;
    order.kind = OrderKind::Grid;
    order.a = 4;
    order.b = 6;
    const auto bare = launchBare(unmerged(blocks()), order, chipFile());
    QVERIFY(bare);
    QCOMPARE(bare->program.tasks.size(), std::size_t{24});
    for (std::size_t t = 0; t < 24; ++t)
        for (const TaskMember& member : bare->program.membersOf(bare->program.tasks[t])) {
            // 8 x 12 blocks on 4 x 6 cores: 2 x 2 blocks each
            QCOMPARE(std::uint32_t{bare->coreOf[t]}, member.blockM / 2 * 6 + member.blockN / 2);
        }
}

void TestBareLaunch::productsGoOnBehindTheLastCore_data() {
    QTest::addColumn<BlockOrder>("order");
    const auto row = [](const BlockOrder& order) { QTest::addRow("%s", orderText(order).c_str()) << order; };
    row({});
    row({.kind = OrderKind::LoopNM});
    row({.kind = OrderKind::Blocks, .m = 2, .n = 2});
    row({.kind = OrderKind::Grid, .a = 4, .b = 6});
    row({.kind = OrderKind::Swizzle, .offset = 3});
    row({.kind = OrderKind::Window, .rows = 4});
    row({.kind = OrderKind::Jobs, .m = 1, .n = 1});
}

// 24 iterations of one block, 32 slices of the K of one block, 24 products of one block: 24 cores have work.
void TestBareLaunch::productsGoOnBehindTheLastCore() {
    QFETCH(const BlockOrder, order);
    MatmulKnobs knobs;
    knobs.m = knobs.n = 64;
    knobs.k = 8192;
    knobs.kTile = {64, 256};
    Design slices = matmulDesign(knobs);
    cubeOf(slices).tile.splitK = true;
    const Design loop = glmGate({.rows = 24 * 32, .k = 256, .n = 16, .kTile = {128, 256}});
    for (const Design& design : {slices, loop}) {
        RunRequest request = requestFor(design, LaunchProfile::Bare);
        request.order = order;
        const auto report = predictOnly(request, {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QVERIFY(report->trace);
        QCOMPARE(report->trace->usedAic, std::int64_t{24});
    }
}

// 96 blocks; sizes that are meant in elements make one job of them all.
void TestBareLaunch::anOrderThatLeavesCoresEmptyIsTold() {
    const auto messages = [](std::int64_t m, std::int64_t n, bool summary = false) {
        RunRequest request = requestFor(blocks(), LaunchProfile::Bare);
        request.order = {.kind = OrderKind::Jobs, .m = m, .n = n};
        request.timeSummary = summary;
        QStringList found;
        const auto report = predictOnly(request, {});
        for (const Finding& finding : report->findings)
            if (finding.ruleId == "PERF-01") found << QString::fromStdString(finding.message);
        return found;
    };
    const QStringList told = messages(64, 64);
    QCOMPARE(told.size(), qsizetype{1});
    QVERIFY2(told[0].contains("jobs=64x64 deals 96 blocks to 1 of 24 cores"), qPrintable(told[0]));
    QCOMPARE(messages(64, 64, true), told);
    QCOMPARE(messages(2, 2), QStringList());
}

// Every vector task waits for one block: cube tasks stay as they are, or vector cores would wait for whole cores.
void TestBareLaunch::whatOthersWaitForStaysATask() {
    const Program program = unmerged(rowScale());
    const auto bare = launchBare(program, natural(), chipFile());
    QVERIFY(bare);
    for (const Task& task : bare->program.tasks)
        if (task.edgeCount > 0) QCOMPARE(task.memberCount, 1U);
}

void TestBareLaunch::valuesStayWhatTheyWere() {
    for (const Design& design : {blocks(), rowScale(), glmGate()}) {
        const auto tasks = run(requestFor(design, LaunchProfile::Pypto), {});
        const auto bare = run(requestFor(design, LaunchProfile::Bare), {});
        QVERIFY(tasks && bare);
        QCOMPARE(bare->outputs.size(), tasks->outputs.size());
        for (const auto& [name, tensor] : tasks->outputs) {
            const HostTensor& other = bare->outputs.at(name);
            QCOMPARE(other.count(), tensor.count());
            for (std::int64_t i = 0; i < tensor.count(); ++i) QVERIFY(other.at(i) == tensor.at(i));
        }
    }
}

void TestBareLaunch::anOrderThatCutsBlocksIsRefused() {
    BlockOrder order;
    order.kind = OrderKind::Window;
    order.rows = 4;
    order.splitTail = true;
    const auto bare = launchBare(unmerged(blocks()), order, chipFile());
    QVERIFY(!bare);
    QCOMPARE(bare.error().code, ErrorCode::BadValue);
}

void TestBareLaunch::aGridWithMoreCoresThanTheChipIsRefused() {
    BlockOrder order;
    order.kind = OrderKind::Grid;
    order.a = 5;
    order.b = 5;
    QVERIFY(!launchBare(unmerged(blocks()), order, chipFile()));
}

QTEST_GUILESS_MAIN(TestBareLaunch)
#include "tst_bare_launch.moc"
