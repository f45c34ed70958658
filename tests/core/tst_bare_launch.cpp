// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>

#include "core/design/binding.h"
#include "core/exchange/chip_json.h"
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

class TestBareLaunch : public QObject {
    Q_OBJECT

private slots:
    void blocksOfACoreAreOneTask();
    void loadsRunAheadOfTheNextBlock();
    void partsOfLongTasksStayWithinTheKernel();
    void aGridGivesEveryCoreItsRectangle();
    void whatOthersWaitForStaysATask();
    void valuesStayWhatTheyWere();
    void anOrderThatCutsBlocksIsRefused();
    void aGridWithMoreCoresThanTheChipIsRefused();
};

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
