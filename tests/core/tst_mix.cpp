// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>
#include <bit>

#include "core/design/binding.h"
#include "core/exchange/chip_json.h"
#include "core/lowering/lower.h"
#include "core/run/run.h"
#include "core/timing/listeners/timeline.h"
#include "core/timing/timing_engine.h"
#include "tests/support/designs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

ChipSpec chipFile(const char* id) {
    return loadChip(std::string(CUBIST_SOURCE_DIR "/resources/chips/") + id + ".json")->chip;
}

const char* const k950 = "Ascend950PR_958x";

/// Blocks of whole rows, so that vector tiles lie in one block each.
Design scaling(const RowScaleKnobs& knobs = {}) {
    Design design = rowScale(knobs);
    cubeOf(design).tile.n = {128, 128};
    return design;
}

Design mixed(Design design, bool on = true) {
    design.options.autoMixPartition = on;
    return design;
}

Program programOf(const Design& design, const char* chip = k950) {
    return lower(design, bind(design, {}).value(), chipFile(chip)).value();
}

Trace timeOf(const Design& design, const Program& program) {
    TimingOptions options;
    options.runtime = &design.options;
    return predict(program, chipFile(k950), {}, options).value();
}

std::int64_t countOf(const Program& program, Opcode op) {
    std::int64_t count = 0;
    for (const Task& task : program.tasks)
        count += std::ranges::count(program.leafOf(task).instructions, op, &Instruction::op);
    return count;
}

RunReport runOf(const Design& design, bool checked, const ChipSpec& chip) {
    RunRequest request;
    request.design = std::make_shared<const Design>(design);
    request.chip = chip;
    request.checked = checked;
    return run(request, {}).value();
}

bool sameBits(const RunReport& a, const RunReport& b) {
    if (a.outputs.size() != b.outputs.size() || a.outputs.empty()) return false;
    for (const auto& [name, tensor] : a.outputs) {
        const HostTensor& other = b.outputs.at(name);
        if (other.count() != tensor.count()) return false;
        for (std::int64_t i = 0; i < tensor.count(); ++i)
            if (std::bit_cast<std::uint64_t>(tensor.at(i)) != std::bit_cast<std::uint64_t>(other.at(i))) return false;
    }
    return true;
}

/// The matmul's result also leaves the kernel.
Design alsoStored() {
    Design design = scaling();
    Tensor acc = tensorOf(design, "y");
    acc.id = TensorId("acc_out");
    acc.dtype = DType::FP32;
    design.tensors.push_back(acc);
    Loop& loop = loopOf(design);
    Store store = storeOf(design);
    store.id = BlockId("store_acc");
    store.from = cubeOf(design).out;
    store.to = TensorId("acc_out");
    Block block;
    block.content = store;
    loop.body.push_back(block);
    return design;
}

}  // namespace

class TestMix : public QObject {
    Q_OBJECT

private slots:
    void aVectorStageTakesTheCubesResultInUb();
    void withoutTheOptionNothingIsMixed();
    void a2AndA3GoThroughGlobalMemory();
    void valuesStayBitForBit_data();
    void valuesStayBitForBit();
    void aResultThatOthersNeedIsStoredToo();
    void aMixedTaskOccupiesCubeAndVectorCore();
    void theRoundTripIsSaved();
    void aClusterWithOneVectorCoreTakesThatOne();
    void causesAddUp();
    void nothingToMixIsReported();
};

// Two iterations, each one block of the matmul and four vector tiles.
void TestMix::aVectorStageTakesTheCubesResultInUb() {
    const Program plain = programOf(scaling());
    const Program program = programOf(mixed(scaling()));
    QCOMPARE(plain.tasks.size(), std::size_t{10});
    QCOMPARE(program.tasks.size(), std::size_t{2});
    for (const Task& task : program.tasks) {
        const Leaf& leaf = program.leafOf(task);
        QCOMPARE(leaf.kind, TaskKind::Aic);
        QCOMPARE(leaf.vectorCores, std::uint8_t{2});
        // The vector members take the two vector cores in turn.
        for (std::size_t m = 1; m < leaf.members.size(); ++m) {
            const LeafMember& member = leaf.members[m];
            const SubCore core = m % 2 == 1 ? SubCore::Aiv0 : SubCore::Aiv1;
            for (std::uint32_t i = 0; i < member.instructionCount; ++i) {
                const Instruction& instruction = leaf.instructions[member.firstInstruction + i];
                QCOMPARE(instruction.core, instruction.op == Opcode::MoveUb ? SubCore::Aic : core);
                if (instruction.dst != Instruction::kNone) QCOMPARE(leaf.allocations[instruction.dst].core, core);
            }
        }
        QCOMPARE(task.memberCount, 5U);
    }
    QCOMPARE(countOf(program, Opcode::MoveUb), 8);
    QCOMPARE(countOf(program, Opcode::StoreL0C), 0);
    QCOMPARE(countOf(program, Opcode::LoadUb), countOf(plain, Opcode::LoadUb) - 8);  // the scales remain
    QCOMPARE(countOf(program, Opcode::StoreUb), countOf(plain, Opcode::StoreUb));
}

void TestMix::withoutTheOptionNothingIsMixed() {
    QCOMPARE(countOf(programOf(scaling()), Opcode::MoveUb), 0);
}

void TestMix::a2AndA3GoThroughGlobalMemory() {
    const Program plain = programOf(scaling(), "Ascend910B1");
    const Program program = programOf(mixed(scaling()), "Ascend910B1");
    QCOMPARE(program.tasks.size(), plain.tasks.size());
    QCOMPARE(countOf(program, Opcode::MoveUb), 0);
    QCOMPARE(countOf(program, Opcode::StoreL0C), countOf(plain, Opcode::StoreL0C));
}

void TestMix::valuesStayBitForBit_data() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::addColumn<bool>("checked");
    for (const bool checked : {false, true}) {
        QTest::addRow("whole %d", checked) << 128 << 128 << checked;
        QTest::addRow("tail of rows %d", checked) << 100 << 128 << checked;
        QTest::addRow("tail of columns %d", checked) << 128 << 120 << checked;
    }
}

void TestMix::valuesStayBitForBit() {
    QFETCH(int, rows);
    QFETCH(int, columns);
    QFETCH(bool, checked);
    RowScaleKnobs knobs;
    knobs.rows = rows;
    knobs.n = columns;
    const Design design = scaling(knobs);
    QVERIFY(countOf(programOf(mixed(design)), Opcode::MoveUb) > 0);
    const RunReport apart = runOf(design, checked, chipFile(k950));
    const RunReport together = runOf(mixed(design), checked, chipFile(k950));
    QVERIFY(sameBits(apart, together));
    QCOMPARE(together.accuracy.verdict, apart.accuracy.verdict);
    QCOMPARE(together.errorCount(), 0);
}

void TestMix::aResultThatOthersNeedIsStoredToo() {
    const Design design = mixed(alsoStored());
    const Program program = programOf(design);
    QCOMPARE(countOf(program, Opcode::MoveUb), 8);
    QCOMPARE(countOf(program, Opcode::StoreL0C), 2);  // to the output; the workspace needs none
    QVERIFY(sameBits(runOf(design, true, chipFile(k950)), runOf(mixed(alsoStored(), false), true, chipFile(k950))));
}

void TestMix::aMixedTaskOccupiesCubeAndVectorCore() {
    const Design design = mixed(scaling());
    const Program program = programOf(design);
    const Trace trace = timeOf(design, program);
    const auto cores = tasksByCore(trace);
    for (const TaskInterval& task : trace.tasks) {
        QCOMPARE(task.vectorCores, std::uint8_t{2});
        const std::vector<CoreRef> own = coresOf(trace, task);
        QCOMPARE(own.size(), std::size_t{3});
        QCOMPARE(own[1], (CoreRef{TaskKind::Aiv, static_cast<std::uint16_t>(2 * task.core.index)}));
        QCOMPARE(own[2], (CoreRef{TaskKind::Aiv, static_cast<std::uint16_t>(2 * task.core.index + 1)}));
        for (const CoreRef core : own) {
            const auto& tasks = cores[corePlace(trace, core)];
            QVERIFY(std::ranges::find(tasks, task.task) != tasks.end());
        }
    }
    QCOMPARE(2 * trace.usedAic, trace.usedAiv);
    // The lanes of both kinds of core show their own instructions and tile the kernel.
    const TaskInterval& first = trace.tasks.front();
    for (const auto& [core, pipe] :
         {std::pair(first.core, Pipe::M), std::pair(first.core, Pipe::FIX), std::pair(first.core, Pipe::MTE2),
          std::pair(coresOf(trace, first)[1], Pipe::V), std::pair(coresOf(trace, first)[2], Pipe::V),
          std::pair(coresOf(trace, first)[1], Pipe::MTE2), std::pair(coresOf(trace, first)[2], Pipe::MTE2)}) {
        Ticks at;
        bool works = false;
        for (const LaneInterval& stretch : laneCauses(program, trace, core, pipe)) {
            QCOMPARE(stretch.start, at);
            at = stretch.end;
            if (stretch.cause != Cause::Busy) continue;
            works = true;
            const Leaf& leaf = program.leafOf(program.tasks[stretch.task->value]);
            QCOMPARE(leaf.instructions[stretch.instruction].core == SubCore::Aic, core.kind == TaskKind::Aic);
        }
        QCOMPARE(at, trace.kernel);
        QVERIFY(works);
    }
}

void TestMix::theRoundTripIsSaved() {
    const Design plain = scaling();
    const Design design = mixed(scaling());
    const Program apart = programOf(plain);
    const Program together = programOf(design);
    const Trace before = timeOf(plain, apart);
    const Trace after = timeOf(design, together);
    QVERIFY(after.kernel < before.kernel);
    // acc is neither written nor read: 128 x 128 in FP32, both ways.
    QCOMPARE(before.gmWriteBytes - after.gmWriteBytes, 128 * 128 * 4);
    QCOMPARE(before.gmReadBytes - after.gmReadBytes, 128 * 128 * 4);
}

void TestMix::aClusterWithOneVectorCoreTakesThatOne() {
    ChipSpec chip = chipFile(k950);
    const Design design = mixed(scaling());
    const auto kernelOn = [&](const ChipSpec& on) {
        const Program program = lower(design, bind(design, {}).value(), on).value();
        TimingOptions options;
        options.runtime = &design.options;
        return std::pair(program.leafOf(program.tasks.front()).vectorCores, predict(program, on, {}, options)->kernel);
    };
    const auto two = kernelOn(chip);
    chip.aivCount = chip.aicCount;
    const auto one = kernelOn(chip);
    QCOMPARE(two.first, std::uint8_t{2});
    QCOMPARE(one.first, std::uint8_t{1});
    QVERIFY(two.second < one.second);
}

void TestMix::causesAddUp() {
    RowScaleKnobs knobs;
    knobs.rows = 64 * 100;  // more tasks than clusters
    Design design = mixed(scaling(knobs));
    for (const std::int64_t mode : {0, 1, 2, 3}) {
        design.options.deviceSchedMode = mode;
        const Program program = programOf(design);
        const Trace trace = timeOf(design, program);
        const Trace again = timeOf(design, program);
        QCOMPARE(trace.kernel, again.kernel);
        std::int64_t sum = 0;
        for (const Ticks ticks : trace.causes) {
            QVERIFY(ticks.value >= 0);
            sum += ticks.value;
        }
        QCOMPARE(sum, trace.lanes * trace.kernel.value);
        for (const std::vector<TaskIndex>& core : tasksByCore(trace))
            for (std::size_t i = 1; i < core.size(); ++i)
                QVERIFY(trace.tasks[core[i].value].start >= trace.tasks[core[i - 1].value].end);
    }
}

void TestMix::nothingToMixIsReported() {
    MatmulKnobs knobs;
    const auto reported = [](const Finding& finding) {
        return finding.ruleId == "OPT-03" && finding.where == "/options/auto_mix_partition";
    };
    const RunReport report = runOf(mixed(matmulDesign(knobs)), false, chipFile(k950));
    QVERIFY(std::ranges::any_of(report.findings, reported));
    const RunReport mixes = runOf(mixed(scaling()), false, chipFile(k950));
    QVERIFY(std::ranges::none_of(mixes.findings, reported));
}

QTEST_GUILESS_MAIN(TestMix)
#include "tst_mix.moc"
