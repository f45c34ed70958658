// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <random>

#include "core/timing/listeners/cause_sums.h"
#include "core/timing/listeners/describe.h"
#include "core/timing/timing_engine.h"
#include "tests/support/program_builder.h"

using namespace cubist;
using namespace cubist::test;

namespace {

constexpr std::int64_t kCycle = 1024;

std::vector<CoreRef> coresOf(const Trace& trace) {
    std::vector<CoreRef> cores;
    for (std::int64_t c = 0; c < trace.aicCount; ++c) cores.push_back({TaskKind::Aic, static_cast<std::uint16_t>(c)});
    for (std::int64_t c = 0; c < trace.aivCount; ++c) cores.push_back({TaskKind::Aiv, static_cast<std::uint16_t>(c)});
    return cores;
}

/// Cube tasks that feed vector tasks, more of them than cores.
Program pipelineProgram(std::mt19937& random) {
    ProgramBuilder builder;
    const LeafIndex cube = builder.leaf(matmulLeaf({.k = 128, .kL1 = 64, .kL0 = 32, .l1Slots = 2}));
    LeafBuilder leaf(TaskKind::Aiv);
    const std::uint16_t x = leaf.allocation(Buffer::UB, 0, 0, 1, 64);
    const std::uint16_t y = leaf.allocation(Buffer::UB, 1, 64, 1, 64);
    leaf.loadUb(x, 1, 64);
    leaf.vector(VectorOpCode::Relu, y, x, Instruction::kNone, 1, 64);
    leaf.storeUb(y, 1, 64);
    const LeafIndex vector = builder.leaf(leaf.build());
    for (int i = 0; i < 12; ++i) {
        const TaskIndex c = builder.task(cube);
        if (random() % 4 == 0) continue;
        builder.edge(c, builder.task(vector));
    }
    return builder.build();
}

/// A program of one matmul task whose boxes have names, for texts.
Program namedProgram() {
    ProgramBuilder builder;
    Leaf leaf = matmulLeaf({.k = 64, .kL1 = 32, .kL0 = 32});
    for (Instruction& i : leaf.instructions)
        if (i.op == Opcode::LoadL1) i.box = (leaf.allocations[i.dst].slot % 2 == 0) ? 0 : 1;
    leaf.instructions[5].at = {0, 32};
    leaf.instructions[9].at = {32, 32};
    leaf.instructions[10].box = 2;
    leaf.parameters = 3;
    (void)builder.task(builder.leaf(leaf));
    Program program = builder.build();
    for (const char* name : {"hidden_states", "weight", "router_logits"}) {
        GmTensor tensor;
        tensor.name = name;
        program.tensors.push_back(tensor);
    }
    program.tensors[1].rank = 3;
    program.boxes.push_back({GmIndex(0), {0, 0, 48, 0}, {1, 1, 16, 64}, {1, 1, 16, 64}});
    program.boxes.push_back({GmIndex(1), {0, 4, 0, 16}, {1, 1, 64, 16}, {1, 1, 64, 16}});
    program.boxes.push_back({GmIndex(2), {0, 0, 48, 16}, {1, 1, 16, 16}, {1, 1, 16, 16}});
    return program;
}

}  // namespace

class TestTimeline : public QObject {
    Q_OBJECT
private slots:
    void laneOfATaskShowsWorkAndWaits();
    void lanesTileTheKernelAndAddUpToTheCauses_data();
    void lanesTileTheKernelAndAddUpToTheCauses();
    void lanesAgreeWithTheirTasks();
    void coreWithoutTasksIsOneInterval();
    void loadsNameTensorAndRange();
    void instructionsNameTheirSizes();
    void tailsNameTheirPhysicalSize();
    void waitsNameSlotAndReleaser();
    void gapsSayWhatIsMissing();
    void vectorInstructionsNameTheirOperation();
};

// Two rounds of load A 512, load B 512, move A 512, move B 512, mmad 1 (see tst_leaf_dependencies for the numbering).
void TestTimeline::laneOfATaskShowsWorkAndWaits() {
    ProgramBuilder builder;
    (void)builder.task(builder.leaf(matmulLeaf({.k = 64, .kL1 = 32, .kL0 = 32})));
    const Program program = builder.build();
    const auto trace = predictByHand(program, countingChip(1, 1, 10, 0));
    QVERIFY(trace);
    std::vector<LaneInterval> mte2;
    for (const LaneInterval& i : expandTask(program, *trace, TaskIndex(0)))
        if (i.pipe == Pipe::MTE2) mte2.push_back(i);
    const std::optional task(TaskIndex(0));
    const auto cycles = [](std::int64_t c) { return Ticks((10 + c) * kCycle); };
    // Load A of round 2 waits for the first move of A (512-1024), which ends when load B does; load B waits 512 more.
    const std::vector<LaneInterval> expected{
        {Pipe::MTE2, Cause::Busy, cycles(0), cycles(512), task, 0, 0},
        {Pipe::MTE2, Cause::Busy, cycles(512), cycles(1024), task, 1, 1},
        {Pipe::MTE2, Cause::Busy, cycles(1024), cycles(1536), task, 5, 5},
        {Pipe::MTE2, Cause::Busy, cycles(1536), cycles(2048), task, 6, 6},
        {Pipe::MTE2, Cause::TaskDrained, cycles(2048), trace->kernel, task, 0, 0},
    };
    QCOMPARE(mte2, expected);
    std::vector<LaneInterval> m;
    for (const LaneInterval& i : expandTask(program, *trace, TaskIndex(0)))
        if (i.pipe == Pipe::M) m.push_back(i);
    QCOMPARE(m.size(), 5U);  // wait, mmad, wait, mmad, drained
    QCOMPARE(m[0], (LaneInterval{Pipe::M, Cause::WaitData, cycles(0), cycles(1536), task, 4, 3}));
    QCOMPARE(m[2], (LaneInterval{Pipe::M, Cause::WaitData, cycles(1537), cycles(2561), task, 9, 8}));
}

void TestTimeline::lanesTileTheKernelAndAddUpToTheCauses_data() {
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 20; ++seed) QTest::addRow("seed %u", seed) << seed;
}

void TestTimeline::lanesTileTheKernelAndAddUpToTheCauses() {
    QFETCH(unsigned, seed);
    std::mt19937 random(seed);
    const Program program = pipelineProgram(random);
    const auto below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
    const auto trace = predictByHand(program, countingChip(1 + below(4), 1 + below(4), below(200), below(300)));
    QVERIFY(trace);
    std::array<Ticks, kCauseCount> sums{};
    std::int64_t lanes = 0;
    for (const CoreRef core : coresOf(*trace))
        for (const Pipe pipe : pipesOf(core.kind)) {
            ++lanes;
            Ticks end;
            for (const LaneInterval& i : laneCauses(program, *trace, core, pipe)) {
                QCOMPARE(i.pipe, pipe);
                QCOMPARE(i.start, end);
                QVERIFY(i.end > i.start);
                end = i.end;
                sums[static_cast<std::size_t>(i.cause)] += i.end - i.start;
                QVERIFY(i.cause == Cause::Busy || !describe(program, i).empty());
            }
            QCOMPARE(end, trace->kernel);
        }
    QCOMPARE(lanes, trace->lanes);
    QCOMPARE(sums, trace->causes);

    const CauseSums parts = causeSums(program, *trace);
    CauseTicks ofCores{}, ofStages{};
    for (std::size_t c = 0; c < parts.cores.size(); ++c) {
        Ticks core;
        const bool cube = c < static_cast<std::size_t>(trace->aicCount);
        for (std::size_t i = 0; i < kCauseCount; ++i) {
            ofCores[i] += parts.cores[c][i];
            core += parts.cores[c][i];
        }
        const std::size_t pipes = pipesOf(cube ? TaskKind::Aic : TaskKind::Aiv).size();
        QCOMPARE(core.value, static_cast<std::int64_t>(pipes) * trace->kernel.value);
    }
    QCOMPARE(ofCores, trace->causes);
    for (const CauseTicks& stage : parts.stages)
        for (std::size_t i = 0; i < kCauseCount; ++i) ofStages[i] += stage[i];
    for (const Cause cause : {Cause::NoTask, Cause::Tail}) {
        QCOMPARE(ofStages[static_cast<std::size_t>(cause)], Ticks());
        ofStages[static_cast<std::size_t>(cause)] = trace->causes[static_cast<std::size_t>(cause)];
    }
    QCOMPARE(ofStages, trace->causes);
}

void TestTimeline::lanesAgreeWithTheirTasks() {
    std::mt19937 random(7);
    const Program program = pipelineProgram(random);
    const auto trace = predictByHand(program, countingChip(2, 2, 100, 50));
    QVERIFY(trace);
    const auto cores = tasksByCore(*trace);
    QCOMPARE(cores.size(), 4U);
    std::size_t tasks = 0;
    for (const auto& core : cores) tasks += core.size();
    QCOMPARE(tasks, program.tasks.size());
    for (std::size_t t = 0; t < program.tasks.size(); ++t) {
        const CoreRef core = trace->tasks[t].core;
        for (const Pipe pipe : pipesOf(core.kind)) {
            std::vector<LaneInterval> fromLane;
            for (const LaneInterval& i : laneCauses(program, *trace, core, pipe, cores[corePlace(*trace, core)]))
                if (i.task == TaskIndex(t) && i.cause != Cause::WaitTask && i.cause != Cause::WaitDispatch)
                    fromLane.push_back(i);
            std::vector<LaneInterval> fromTask;
            for (const LaneInterval& i : expandTask(program, *trace, TaskIndex(t)))
                if (i.pipe == pipe) fromTask.push_back(i);
            QCOMPARE(fromLane, fromTask);
        }
    }
}

void TestTimeline::coreWithoutTasksIsOneInterval() {
    ProgramBuilder builder;
    (void)builder.task(builder.leaf(loadLeaf(25)));
    const Program program = builder.build();
    const auto trace = predictByHand(program, countingChip(2, 1, 10, 5));
    QVERIFY(trace);
    const std::vector<LaneInterval> lane = laneCauses(program, *trace, {TaskKind::Aic, 1}, Pipe::M);
    QCOMPARE(lane,
             (std::vector<LaneInterval>{{Pipe::M, Cause::NoTask, Ticks(), Ticks(35 * kCycle), std::nullopt, 0, 0}}));
}

void TestTimeline::loadsNameTensorAndRange() {
    const Program program = namedProgram();
    QCOMPARE(describeInstruction(program, TaskIndex(0), 0), std::string("MTE2 load hidden_states [48:64, 0:32]"));
    QCOMPARE(describeInstruction(program, TaskIndex(0), 5), std::string("MTE2 load hidden_states [48:64, 32:64]"));
    QCOMPARE(describeInstruction(program, TaskIndex(0), 1), std::string("MTE2 load weight [4, 0:32, 16:32]"));
    QCOMPARE(describeInstruction(program, TaskIndex(0), 10), std::string("FIX store router_logits [48:64, 16:32]"));
}

void TestTimeline::instructionsNameTheirSizes() {
    const Program program = namedProgram();
    QCOMPARE(describeInstruction(program, TaskIndex(0), 2), std::string("MTE1 L1->L0A 16 x 32"));
    QCOMPARE(describeInstruction(program, TaskIndex(0), 3), std::string("MTE1 L1->L0B 32 x 16"));
    QCOMPARE(describeInstruction(program, TaskIndex(0), 9), std::string("M mmad 16 x 32 x 16, K 32:64, accumulate"));
    QCOMPARE(describeInstruction(program, TaskIndex(0), 4), std::string("M mmad 16 x 32 x 16, K 0:32, init"));
}

/// FC-01: a tail of 8 of the 16 elements along K; FC-10: 5 of 16 rows.
void TestTimeline::tailsNameTheirPhysicalSize() {
    Program program = namedProgram();
    Instruction& tail = program.leaves[0].instructions[9];
    for (Allocation& allocation : program.leaves[0].allocations)
        if (allocation.buffer == Buffer::L0A) allocation.dtype = DType::FP16;
    tail.at[0] = 24;
    QCOMPARE(describeInstruction(program, TaskIndex(0), 9),
             std::string("M mmad 16 x 24 x 16, K 32:56, accumulate; K valid 24 / physical 32"));
    tail.extent[0] = 5;
    QCOMPARE(describeInstruction(program, TaskIndex(0), 9),
             std::string("M mmad 5 x 24 x 16, K 32:56, accumulate; M valid 5 / physical 16, K valid 24 / physical 32"));
}

void TestTimeline::waitsNameSlotAndReleaser() {
    const Program program = namedProgram();
    LaneInterval wait{Pipe::MTE2, Cause::WaitSlot, Ticks(1), Ticks(2), TaskIndex(0), 6, 3};
    QCOMPARE(describe(program, wait), std::string("waits for slot L1 1 (released by L1->L0B #3)"));
    wait = {Pipe::M, Cause::WaitData, Ticks(1), Ticks(2), TaskIndex(0), 4, 1};
    QCOMPARE(describe(program, wait), std::string("waits for data of GM->L1 #1"));
    wait = {Pipe::MTE2, Cause::Busy, Ticks(1), Ticks(2), TaskIndex(0), 0, 0};
    QCOMPARE(describe(program, wait), describeInstruction(program, TaskIndex(0), 0));
}

void TestTimeline::gapsSayWhatIsMissing() {
    const Program program = namedProgram();
    const auto text = [&](Cause cause, std::optional<TaskIndex> task) {
        return describe(program, {Pipe::M, cause, Ticks(1), Ticks(2), task, 0, 0});
    };
    QCOMPARE(text(Cause::WaitTask, TaskIndex(0)), std::string("no task is ready; next is task 0"));
    QCOMPARE(text(Cause::WaitDispatch, TaskIndex(0)), std::string("waits for the scheduler to hand out task 0"));
    QCOMPARE(text(Cause::TaskDrained, TaskIndex(0)), std::string("nothing left to do in task 0"));
    QCOMPARE(text(Cause::NoTask, std::nullopt), std::string("this core gets no task"));
    QCOMPARE(text(Cause::Tail, std::nullopt), std::string("no task is left for this core"));
}

void TestTimeline::vectorInstructionsNameTheirOperation() {
    LeafBuilder leaf(TaskKind::Aiv);
    const std::uint16_t x = leaf.allocation(Buffer::UB, 0, 0, 8, 64);
    leaf.loadUb(x, 8, 64);
    leaf.vector(VectorOpCode::Mul, x, x, x, 8, 64);
    leaf.storeUb(x, 8, 64);
    Leaf built = leaf.build();
    built.parameters = 1;
    built.instructions[0].box = built.instructions[2].box = 0;
    ProgramBuilder builder;
    (void)builder.task(builder.leaf(built));
    Program program = builder.build();
    program.tensors.push_back({});
    program.tensors[0].name = "scaled";
    program.boxes.push_back({GmIndex(0), {0, 0, 8, 0}, {1, 1, 16, 64}, {1, 1, 8, 64}});
    QCOMPARE(describeInstruction(program, TaskIndex(0), 0), std::string("MTE2 load scaled [8:16, 0:64]"));
    QCOMPARE(describeInstruction(program, TaskIndex(0), 1), std::string("V mul 8 x 64"));
    QCOMPARE(describeInstruction(program, TaskIndex(0), 2), std::string("MTE3 store scaled [8:16, 0:64]"));
}

QTEST_APPLESS_MAIN(TestTimeline)
#include "tst_timeline.moc"
