// SPDX-License-Identifier: GPL-3.0-or-later
#include <QElapsedTimer>
#include <QTest>
#include <random>

#include "core/timing/task_scheduler.h"
#include "core/timing/timing_engine.h"
#include "tests/support/program_builder.h"

using namespace cubist;
using namespace cubist::test;

namespace {

constexpr std::int64_t kCycle = 1024;

/// Start and end of a task in cycles.
void compareTimes(const Trace& trace, std::size_t task, std::int64_t start, std::int64_t end, std::uint16_t core) {
    QCOMPARE(trace.tasks[task].start.value, start * kCycle);
    QCOMPARE(trace.tasks[task].end.value, end * kCycle);
    QCOMPARE(trace.tasks[task].core.index, core);
}

std::int64_t cause(const Trace& trace, Cause c) {
    return trace.causes[static_cast<std::size_t>(c)].value;
}

struct Step {
    CriticalStep::Kind kind;
    std::uint32_t task;
    std::int64_t start, end;  // cycles
};

void comparePath(const Trace& trace, const std::vector<Step>& expected) {
    QCOMPARE(trace.criticalPath.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        QCOMPARE(trace.criticalPath[i].kind, expected[i].kind);
        QCOMPARE(trace.criticalPath[i].task.value, expected[i].task);
        QCOMPARE(trace.criticalPath[i].start.value, expected[i].start * kCycle);
        QCOMPARE(trace.criticalPath[i].end.value, expected[i].end * kCycle);
    }
}

/// The scheduling rules of docs/formulas.md (F-21) without events: again and again, over all tasks, the earliest
/// instant at which a dispatch can begin. Slow on purpose.
std::vector<TaskInterval> referenceSchedule(const Program& program, std::span<const Ticks> durations,
                                            const TaskMachine& machine) {
    const std::size_t n = program.tasks.size();
    std::vector<std::vector<std::size_t>> predecessors(n);
    for (std::size_t t = 0; t < n; ++t)
        for (const Edge& edge : program.edgesOf(program.tasks[t]))
            if (edge.kind == EdgeKind::Wait) predecessors[edge.to.value].push_back(t);
    std::vector<TaskInterval> placed(n);
    std::vector<bool> done(n, false);
    std::array<std::vector<Ticks>, 2> coreFree{std::vector<Ticks>(static_cast<std::size_t>(machine.aicCount)),
                                               std::vector<Ticks>(static_cast<std::size_t>(machine.aivCount))};
    Ticks schedulerFree;
    for (std::size_t round = 0; round < n; ++round) {
        std::optional<std::tuple<Ticks, Ticks, std::size_t>> best;  // begin, ready, task
        for (std::size_t t = 0; t < n; ++t) {
            if (done[t] ||
                !std::all_of(predecessors[t].begin(), predecessors[t].end(), [&](std::size_t p) { return done[p]; }))
                continue;
            Ticks ready;
            for (const std::size_t p : predecessors[t]) ready = std::max(ready, placed[p].end + machine.resolve);
            const auto& cores = coreFree[static_cast<std::size_t>(program.leafOf(program.tasks[t]).kind)];
            const Ticks begin = std::max({schedulerFree, ready, *std::min_element(cores.begin(), cores.end())});
            const std::tuple candidate{begin, ready, t};
            if (!best || candidate < *best) best = candidate;
        }
        const auto [begin, ready, t] = *best;
        const TaskKind kind = program.leafOf(program.tasks[t]).kind;
        auto& cores = coreFree[static_cast<std::size_t>(kind)];
        std::size_t core = 0;
        while (cores[core] > begin) ++core;
        schedulerFree = begin + machine.dispatch;
        cores[core] = schedulerFree + durations[program.tasks[t].leaf.value];
        placed[t] = {TaskIndex(t), {kind, static_cast<std::uint16_t>(core)}, ready, schedulerFree, cores[core]};
        done[t] = true;
    }
    return placed;
}

/// Up to 60 tasks on a few leaves with edges from lower to higher ids.
Program randomProgram(std::mt19937& random) {
    ProgramBuilder builder;
    std::vector<LeafIndex> leaves;
    for (int l = 0; l < 4; ++l) {
        leaves.push_back(builder.leaf(loadLeaf(1 + static_cast<std::int64_t>(random() % 40))));
        leaves.push_back(builder.leaf(vectorLeaf(1 + static_cast<std::int64_t>(random() % 20))));
    }
    const std::size_t tasks = 1 + random() % 60;
    for (std::size_t t = 0; t < tasks; ++t) {
        const TaskIndex task = builder.task(leaves[random() % leaves.size()]);
        for (std::size_t e = random() % 3; t > 0 && e > 0; --e)
            builder.edge(TaskIndex(random() % t), task, random() % 5 == 0 ? EdgeKind::Order : EdgeKind::Wait);
    }
    return builder.build();
}

ChipSpec randomChip(std::mt19937& random) {
    const auto below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
    return countingChip(1 + below(4), 1 + below(6), below(12), below(15));
}

bool sameTasks(const std::vector<TaskInterval>& a, const std::vector<TaskInterval>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const TaskInterval& x, const TaskInterval& y) {
        return x.task == y.task && x.core == y.core && x.ready == y.ready && x.start == y.start && x.end == y.end;
    });
}

}  // namespace

class TestTaskSchedule : public QObject {
    Q_OBJECT
private slots:
    void moreTasksThanCoresQueueForTheNextFreeCore();
    void vectorTaskIsReadyAResolveAfterItsCubeTask();
    void taskWaitsForItsLastPredecessor();
    void otherKindGoesAheadWhenTheHeadHasNoCore();
    void earlierReadyGoesFirst();
    void equalReadyTimesGoByTaskId();
    void orderEdgesDoNotDelay();
    void unusedCoresHaveNoTask();
    void glmGateT1026IsAListSchedule();
    void emptyProgramTakesNoTime();
    void agreesWithTheSlowReference_data();
    void agreesWithTheSlowReference();
    void causesAndCriticalPathAddUp_data();
    void causesAndCriticalPathAddUp();
    void equalLeavesShareOneSchedule();
    void cancelledBeforeTheStart();
    void cancelledOnTheWay();
    void tasksInACircleAreReported();
    void taskWithoutACoreIsReported();
};

// Dispatch 10, resolve 5; two cube cores, tasks of 25 cycles.
void TestTaskSchedule::moreTasksThanCoresQueueForTheNextFreeCore() {
    ProgramBuilder builder;
    const LeafIndex leaf = builder.leaf(loadLeaf(25));
    for (int i = 0; i < 5; ++i) (void)builder.task(leaf);
    const auto trace = predictByHand(builder.build(), countingChip(2, 1, 10, 5));
    QVERIFY(trace);
    compareTimes(*trace, 0, 10, 35, 0);
    compareTimes(*trace, 1, 20, 45, 1);
    compareTimes(*trace, 2, 45, 70, 0);
    compareTimes(*trace, 3, 55, 80, 1);
    compareTimes(*trace, 4, 80, 105, 0);
    QCOMPARE(trace->kernel.value, 105 * kCycle);
    QCOMPARE(cause(*trace, Cause::WaitDispatch), 5 * (10 + 10 + 10 + 20 + 10) * kCycle);
    QCOMPARE(cause(*trace, Cause::WaitTask), 0);
    QCOMPARE(cause(*trace, Cause::Tail), 5 * 25 * kCycle);
    QCOMPARE(cause(*trace, Cause::NoTask), 4 * 105 * kCycle);
    QCOMPARE(cause(*trace, Cause::Busy), 5 * 25 * kCycle);
    QCOMPARE(cause(*trace, Cause::TaskDrained), 5 * 4 * 25 * kCycle);
    using Kind = CriticalStep::Kind;
    comparePath(*trace, {{Kind::Dispatch, 0, 0, 10},
                         {Kind::Task, 0, 10, 35},
                         {Kind::Dispatch, 2, 35, 45},
                         {Kind::Task, 2, 45, 70},
                         {Kind::Dispatch, 4, 70, 80},
                         {Kind::Task, 4, 80, 105}});
}

void TestTaskSchedule::vectorTaskIsReadyAResolveAfterItsCubeTask() {
    ProgramBuilder builder;
    const TaskIndex cube = builder.task(builder.leaf(loadLeaf(20)));
    const TaskIndex vector = builder.task(builder.leaf(vectorLeaf(7)));
    builder.edge(cube, vector);
    const auto trace = predictByHand(builder.build(), countingChip(1, 1, 10, 5));
    QVERIFY(trace);
    compareTimes(*trace, 0, 10, 30, 0);
    QCOMPARE(trace->tasks[1].ready.value, 35 * kCycle);
    compareTimes(*trace, 1, 45, 52, 0);
    QCOMPARE(trace->tasks[1].core.kind, TaskKind::Aiv);
    QCOMPARE(trace->usedAic, 1);
    QCOMPARE(trace->usedAiv, 1);
    // Vector core: 35 without a ready task, 10 until handed out. Cube core: 10 until handed out, 22 after its only
    // task.
    QCOMPARE(cause(*trace, Cause::WaitTask), 4 * 35 * kCycle);
    QCOMPARE(cause(*trace, Cause::WaitDispatch), (4 * 10 + 5 * 10) * kCycle);
    QCOMPARE(cause(*trace, Cause::Tail), 5 * 22 * kCycle);
    QCOMPARE(trace->stages[0].critical.value, 20 * kCycle);
    QCOMPARE(trace->stages[1].critical.value, 7 * kCycle);
    QCOMPARE(trace->stages[1].span.value, 7 * kCycle);
    QCOMPARE(trace->bound, Bound::Dispatch);  // 25 of 52
    using Kind = CriticalStep::Kind;
    comparePath(*trace, {{Kind::Dispatch, 0, 0, 10},
                         {Kind::Task, 0, 10, 30},
                         {Kind::Resolve, 1, 30, 35},
                         {Kind::Dispatch, 1, 35, 45},
                         {Kind::Task, 1, 45, 52}});
}

void TestTaskSchedule::taskWaitsForItsLastPredecessor() {
    ProgramBuilder builder;
    const TaskIndex longer = builder.task(builder.leaf(loadLeaf(100)));
    const TaskIndex shorter = builder.task(builder.leaf(loadLeaf(20)));
    const TaskIndex vector = builder.task(builder.leaf(vectorLeaf(7)));
    builder.edge(longer, vector);
    builder.edge(shorter, vector);
    const auto trace = predictByHand(builder.build(), countingChip(2, 1, 10, 5));
    QVERIFY(trace);
    compareTimes(*trace, 0, 10, 110, 0);
    compareTimes(*trace, 1, 20, 40, 1);
    compareTimes(*trace, 2, 125, 132, 0);
    using Kind = CriticalStep::Kind;
    comparePath(*trace, {{Kind::Dispatch, 0, 0, 10},
                         {Kind::Task, 0, 10, 110},
                         {Kind::Resolve, 2, 110, 115},
                         {Kind::Dispatch, 2, 115, 125},
                         {Kind::Task, 2, 125, 132}});
}

void TestTaskSchedule::otherKindGoesAheadWhenTheHeadHasNoCore() {
    ProgramBuilder builder;
    const LeafIndex cube = builder.leaf(loadLeaf(100));
    (void)builder.task(cube);
    (void)builder.task(cube);
    (void)builder.task(builder.leaf(vectorLeaf(5)));
    const auto trace = predictByHand(builder.build(), countingChip(1, 1, 10, 5));
    QVERIFY(trace);
    compareTimes(*trace, 0, 10, 110, 0);
    compareTimes(*trace, 2, 20, 25, 0);
    compareTimes(*trace, 1, 120, 220, 0);
}

// Vector tasks 0 and 1 end at 30 and 25, so cube task 3 is ready at 30 and task 2 at 35; the core is taken until 130.
void TestTaskSchedule::earlierReadyGoesFirst() {
    ProgramBuilder builder;
    const TaskIndex v0 = builder.task(builder.leaf(vectorLeaf(20)));
    const TaskIndex v1 = builder.task(builder.leaf(vectorLeaf(5)));
    const LeafIndex cube = builder.leaf(loadLeaf(50));
    const TaskIndex afterV0 = builder.task(cube);
    const TaskIndex afterV1 = builder.task(cube);
    (void)builder.task(builder.leaf(loadLeaf(100)));
    builder.edge(v0, afterV0);
    builder.edge(v1, afterV1);
    const auto trace = predictByHand(builder.build(), countingChip(1, 2, 10, 5));
    QVERIFY(trace);
    compareTimes(*trace, 4, 30, 130, 0);
    compareTimes(*trace, 3, 140, 190, 0);
    compareTimes(*trace, 2, 200, 250, 0);
}

// Tasks 2 and 3 become ready at the same tick, in an order of events that favours 3.
void TestTaskSchedule::equalReadyTimesGoByTaskId() {
    ProgramBuilder builder;
    const TaskIndex v0 = builder.task(builder.leaf(vectorLeaf(20)));  // 10-30
    const TaskIndex v1 = builder.task(builder.leaf(vectorLeaf(10)));  // 20-30
    const LeafIndex cube = builder.leaf(loadLeaf(50));
    const TaskIndex afterV1 = builder.task(cube);
    const TaskIndex afterV0 = builder.task(cube);
    builder.edge(v0, afterV0);
    builder.edge(v1, afterV1);
    const auto trace = predictByHand(builder.build(), countingChip(1, 2, 10, 5));
    QVERIFY(trace);
    QCOMPARE(trace->tasks[2].ready, trace->tasks[3].ready);
    compareTimes(*trace, 2, 45, 95, 0);
    compareTimes(*trace, 3, 105, 155, 0);
}

void TestTaskSchedule::orderEdgesDoNotDelay() {
    ProgramBuilder builder;
    const LeafIndex leaf = builder.leaf(loadLeaf(25));
    const TaskIndex first = builder.task(leaf);
    builder.edge(first, builder.task(leaf), EdgeKind::Order);
    const auto trace = predictByHand(builder.build(), countingChip(2, 1, 10, 5));
    QVERIFY(trace);
    compareTimes(*trace, 1, 20, 45, 1);
}

void TestTaskSchedule::unusedCoresHaveNoTask() {
    ProgramBuilder builder;
    (void)builder.task(builder.leaf(loadLeaf(25)));
    const auto trace = predictByHand(builder.build(), countingChip(3, 2, 10, 5));
    QVERIFY(trace);
    QCOMPARE(trace->lanes, 3 * 5 + 2 * 4);
    QCOMPARE(cause(*trace, Cause::NoTask), (2 * 5 + 2 * 4) * 35 * kCycle);
}

// 32 full row tiles of 10 blocks, then a tile of two rows, on 24 cores. A block lasts longer than 24 dispatches, so
// core c takes blocks c, c + 24, c + 48 ...: each starts one dispatch after the one before has ended.
void TestTaskSchedule::glmGateT1026IsAListSchedule() {
    MatmulLeaf shape{.m = 32,
                     .n = 16,
                     .k = 5120,
                     .kL1 = 1024,
                     .kL0 = 512,
                     .dtype = DType::FP32,
                     .out = DType::FP32,
                     .bTransposed = true,
                     .l1Slots = 2,
                     .l0aSlots = 1,
                     .l0bSlots = 2};
    constexpr std::int64_t kBlock = 11483154;  // ticks, see tst_timing
    constexpr std::int64_t kDispatch = 210489;
    ProgramBuilder builder;
    const LeafIndex full = builder.leaf(matmulLeaf(shape));
    shape.m = 2;
    const LeafIndex tail = builder.leaf(matmulLeaf(shape));
    for (int i = 0; i < 330; ++i) (void)builder.task(i < 320 ? full : tail);
    const auto trace = predictByHand(builder.build(), chip910B1());
    QVERIFY(trace);
    for (std::int64_t i = 0; i < 330; ++i) {
        const TaskInterval& task = trace->tasks[static_cast<std::size_t>(i)];
        QCOMPARE(std::int64_t{task.core.index}, i % 24);
        QCOMPARE(task.start.value, (i % 24 + 1) * kDispatch + (i / 24) * (kBlock + kDispatch));
    }
    const std::int64_t tailBlock = (trace->tasks[320].end - trace->tasks[320].start).value;
    QVERIFY(tailBlock < kBlock - 10 * kDispatch);
    QCOMPARE(trace->kernel.value, 8 * kDispatch + 13 * (kBlock + kDispatch) + kBlock);  // block 319 on core 7
    QCOMPARE(trace->usedAic, 24);
}

void TestTaskSchedule::emptyProgramTakesNoTime() {
    const auto trace = predictByHand(Program{}, chip910B1());
    QVERIFY(trace);
    QCOMPARE(trace->kernel.value, 0);
    QVERIFY(trace->criticalPath.empty());
    for (const Ticks t : trace->causes) QCOMPARE(t.value, 0);
}

void TestTaskSchedule::agreesWithTheSlowReference_data() {
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 200; ++seed) QTest::addRow("seed %u", seed) << seed;
}

void TestTaskSchedule::agreesWithTheSlowReference() {
    QFETCH(unsigned, seed);
    std::mt19937 random(seed);
    const Program program = randomProgram(random);
    std::vector<Ticks> durations;
    for (std::size_t l = 0; l < program.leaves.size(); ++l)
        durations.emplace_back(1 + static_cast<std::int64_t>(random() % 40));
    const auto below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
    const TaskMachine machine{.aicCount = 1 + below(4),
                              .aivCount = 1 + below(6),
                              .dispatch = Ticks(1 + below(12)),
                              .resolve = Ticks(below(15))};
    const auto schedule = scheduleTasks(program, durations, machine, {});
    QVERIFY(schedule);
    QVERIFY(sameTasks(schedule->tasks, referenceSchedule(program, durations, machine)));
}

void TestTaskSchedule::causesAndCriticalPathAddUp_data() {
    agreesWithTheSlowReference_data();
}

void TestTaskSchedule::causesAndCriticalPathAddUp() {
    QFETCH(unsigned, seed);
    std::mt19937 random(seed);
    const Program program = randomProgram(random);
    const ChipSpec chip = randomChip(random);
    const auto trace = predictByHand(program, chip);
    QVERIFY(trace);
    std::int64_t sum = 0;
    for (const Ticks t : trace->causes) {
        QVERIFY(t.value >= 0);
        sum += t.value;
    }
    QCOMPARE(sum, trace->lanes * trace->kernel.value);
    Ticks end;
    for (const CriticalStep& step : trace->criticalPath) {
        QCOMPARE(step.start, end);
        QVERIFY(step.end > step.start);
        end = step.end;
    }
    QCOMPARE(end, trace->kernel);
    for (const TaskInterval& task : trace->tasks) QVERIFY(task.start >= task.ready);
    for (const PipeTiming& pipe : trace->pipes) {
        const bool onAiv = pipe.pipe == Pipe::V || pipe.pipe == Pipe::MTE3;
        const std::int64_t cores = pipe.pipe == Pipe::MTE2 || pipe.pipe == Pipe::S ? trace->aicCount + trace->aivCount
                                   : onAiv                                         ? trace->aivCount
                                                                                   : trace->aicCount;
        QVERIFY(pipe.busy.value + pipe.wait.value <= cores * trace->kernel.value);
    }
    const auto again = predictByHand(program, chip);
    QVERIFY(again);
    QVERIFY(sameTasks(trace->tasks, again->tasks));
    QCOMPARE(trace->causes, again->causes);
    QCOMPARE(trace->bound, again->bound);
    QCOMPARE(trace->estimates, again->estimates);
}

void TestTaskSchedule::equalLeavesShareOneSchedule() {
    ProgramBuilder builder;
    (void)builder.task(builder.leaf(loadLeaf(25)));
    (void)builder.task(builder.leaf(loadLeaf(26)));  // the same key, other sizes
    (void)builder.task(builder.leaf(loadLeaf(25)));
    const Program program = builder.build();
    const auto trace = predictByHand(program, countingChip(3, 1, 10, 5));
    QVERIFY(trace);
    QCOMPARE(trace->plans.size(), 3U);
    QCOMPARE(trace->plans[0], trace->plans[2]);
    QVERIFY(trace->plans[0] != trace->plans[1]);
    for (const auto& [task, cycles] : {std::pair{0, 25}, std::pair{1, 26}, std::pair{2, 25}})
        QCOMPARE(scheduleOfTask(program, *trace, TaskIndex(static_cast<std::size_t>(task))).duration.value,
                 cycles * kCycle);
}

void TestTaskSchedule::cancelledBeforeTheStart() {
    ProgramBuilder builder;
    (void)builder.task(builder.leaf(loadLeaf(25)));
    std::stop_source source;
    source.request_stop();
    const auto trace = predictByHand(builder.build(), countingChip(1, 1, 10, 5), {.stop = source.get_token()});
    QVERIFY(!trace);
    QCOMPARE(trace.error().code, ErrorCode::Cancelled);
}

void TestTaskSchedule::cancelledOnTheWay() {
    ProgramBuilder builder;
    const LeafIndex leaf = builder.leaf(loadLeaf(25));
    for (int i = 0; i < 500000; ++i) (void)builder.task(leaf);
    const Program program = builder.build();
    std::stop_source source;
    QElapsedTimer sinceStop;
    double reached = 0;
    const RunContext context{.stop = source.get_token(), .progress = [&](double fraction, std::string_view) {
                                 reached = fraction;
                                 if (fraction < 0.1 || source.stop_requested()) return;
                                 source.request_stop();
                                 sinceStop.start();
                             }};
    const auto trace = predictByHand(program, countingChip(24, 1, 10, 5), context);
    QVERIFY(!trace);
    QCOMPARE(trace.error().code, ErrorCode::Cancelled);
    QVERIFY(reached < 0.2);
    QVERIFY(sinceStop.elapsed() < 1000);
}

void TestTaskSchedule::tasksInACircleAreReported() {
    ProgramBuilder builder;
    const LeafIndex leaf = builder.leaf(loadLeaf(25));
    const TaskIndex a = builder.task(leaf);
    const TaskIndex b = builder.task(leaf);
    builder.edge(a, b);
    builder.edge(b, a);
    const auto trace = predictByHand(builder.build(), countingChip(1, 1, 10, 5));
    QVERIFY(!trace);
    QCOMPARE(trace.error().code, ErrorCode::Internal);
    QVERIFY(trace.error().message.find("2 tasks") != std::string::npos);
}

void TestTaskSchedule::taskWithoutACoreIsReported() {
    ProgramBuilder builder;
    (void)builder.task(builder.leaf(vectorLeaf(25)));
    const auto trace = predictByHand(builder.build(), countingChip(1, 0, 10, 5));
    QVERIFY(!trace);
    QCOMPARE(trace.error().code, ErrorCode::BadValue);
}

QTEST_APPLESS_MAIN(TestTaskSchedule)
#include "tst_task_schedule.moc"
