// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <random>

#include "core/timing/derivation.h"
#include "core/timing/listeners/critical_path.h"
#include "core/timing/listeners/stalls.h"
#include "core/timing/scheduler.h"
#include "core/timing/task_scheduler.h"
#include "core/timing/timing_engine.h"
#include "tests/support/program_builder.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// dispatch 10, poll 3, resolve 5 per successor, submit 7, stitch 20 per root; in ticks.
SchedulerSetup setup(std::int64_t aic, std::int64_t threads) {
    SchedulerSetup out;
    out.aicCount = aic;
    out.aivCount = 1;
    out.threads = threads;
    out.dispatch = Ticks(10);
    out.poll = Ticks(3);
    out.resolve = Ticks(5);
    out.submit = Ticks(7);
    out.stitch = Ticks(20);
    return out;
}

struct Run {
    TaskSchedule schedule;
    Ticks before;
};

Run run(const Program& program, const std::vector<std::int64_t>& durations, const SchedulerSetup& machine,
        const Options& options = {}) {
    std::vector<Ticks> ticks;
    for (const std::int64_t duration : durations) ticks.emplace_back(duration);
    SchedulerDispatcher dispatcher(program, machine, planStitching(program, options));
    auto schedule = scheduleTasks(program, ticks, dispatcher, {});
    if (!schedule) qFatal("%s", schedule.error().message.c_str());
    return {std::move(*schedule), dispatcher.buildBefore()};
}

void compareTimes(const TaskSchedule& schedule, const std::vector<std::pair<std::int64_t, std::int64_t>>& expected) {
    QCOMPARE(schedule.tasks.size(), expected.size());
    for (std::size_t t = 0; t < expected.size(); ++t) {
        QCOMPARE(schedule.tasks[t].start.value, expected[t].first);
        QCOMPARE(schedule.tasks[t].end.value, expected[t].second);
    }
}

/// Gives every `perRoot` tasks a root of their own.
Program inRoots(Program program, std::size_t perRoot) {
    const std::size_t roots = (program.tasks.size() + perRoot - 1) / perRoot;
    program.roots.assign(roots, Root{});
    for (std::size_t t = 0; t < program.tasks.size(); ++t) program.tasks[t].root = RootIndex(t / perRoot);
    return program;
}

Program equalTasks(std::size_t count, std::size_t perRoot = 1'000'000) {
    ProgramBuilder builder;
    const LeafIndex leaf = builder.leaf(loadLeaf(1));
    for (std::size_t t = 0; t < count; ++t) builder.task(leaf);
    return inRoots(builder.build(), perRoot);
}

/// `roots` iterations of a task of leaf 0 that a task of leaf 1 waits for.
Program pairs(std::size_t roots) {
    ProgramBuilder builder;
    const LeafIndex first = builder.leaf(loadLeaf(1));
    const LeafIndex second = builder.leaf(loadLeaf(1));
    for (std::size_t r = 0; r < roots; ++r) {
        const TaskIndex a = builder.task(first);
        builder.edge(a, builder.task(second));
    }
    return inRoots(builder.build(), 2);
}

Program randomProgram(std::mt19937& random) {
    ProgramBuilder builder;
    std::vector<LeafIndex> leaves;
    for (int l = 0; l < 3; ++l) {
        leaves.push_back(builder.leaf(loadLeaf(1 + static_cast<std::int64_t>(random() % 40))));
        leaves.push_back(builder.leaf(vectorLeaf(1 + static_cast<std::int64_t>(random() % 20))));
    }
    const std::size_t tasks = 1 + random() % 80;
    for (std::size_t t = 0; t < tasks; ++t) {
        const TaskIndex task = builder.task(leaves[random() % leaves.size()]);
        for (std::size_t e = random() % 3; t > 0 && e > 0; --e) builder.edge(TaskIndex(random() % t), task);
    }
    Program program = inRoots(builder.build(), 1 + random() % 12);
    const bool parallel = random() % 2 == 0;
    for (std::size_t r = 0; r < program.roots.size(); ++r) {
        if (parallel && r > 0) program.roots[r].parallelIndex = static_cast<std::int64_t>(r);
        program.roots[r].submitBefore = random() % 5 == 0;
    }
    return program;
}

}  // namespace

class TestScheduler : public QObject {
    Q_OBJECT

private slots:
    void pendingTaskStartsWhenTheRunningOneEnds() {
        // Task 1 is handed over while task 0 runs. Task 2 is the last one and waits for the core to be idle.
        const Run result = run(equalTasks(3), {100}, setup(1, 1));
        compareTimes(result.schedule, {{10, 110}, {110, 210}, {223, 323}});
        const std::vector<CriticalStep> path = executedCriticalPath(result.schedule);
        QCOMPARE(path.size(), std::size_t{6});
        QCOMPARE(path[2].kind, CriticalStep::Kind::Task);
        QCOMPARE(path[2].task.value, 1U);
        QCOMPARE(path[3].kind, CriticalStep::Kind::Resolve);
        QCOMPARE(path[3].end.value, 213);
        QCOMPARE(path[4].kind, CriticalStep::Kind::Dispatch);
        QCOMPARE(path[5].end.value, 323);
    }

    void successorWaitsForPollAndResolve() {
        const Run result = run(pairs(1), {100, 50}, setup(1, 1));
        compareTimes(result.schedule, {{10, 110}, {128, 178}});
        const TaskWait& wait = result.schedule.dispatch.waits[1];
        QCOMPARE(wait.data.value, 110);
        QCOMPARE(wait.resolved.value, 118);
        QCOMPARE(wait.handed.value, 118);
        QCOMPARE(wait.last, TaskIndex(0));
    }

    void threadsOwnSlicesOfTheCores() {
        const Run result = run(equalTasks(4), {100}, setup(4, 2));
        compareTimes(result.schedule, {{10, 110}, {10, 110}, {20, 120}, {20, 120}});
        for (std::size_t t = 0; t < 4; ++t) QCOMPARE(std::size_t{result.schedule.tasks[t].core.index}, t);
    }

    void deviceTasksFollowEachOther() {
        Options options;
        options.stitchFunctionMaxNum = 1;
        const Run apart = run(equalTasks(2, 1), {100}, setup(1, 1), options);
        // 110 end, 113 seen, 120 submitted, 130 handed out; the second was built at 20.
        compareTimes(apart.schedule, {{10, 110}, {130, 230}});
        QCOMPARE(apart.before.value, 27);
        options.stitchFunctionMaxNum = 2;
        const Run together = run(equalTasks(2, 1), {100}, setup(1, 1), options);
        compareTimes(together.schedule, {{10, 110}, {123, 223}});
        QCOMPARE(together.before.value, 47);
    }

    void coresWaitWhileADeviceTaskIsBuilt() {
        Options options;
        options.stitchFunctionMaxNum = 1;
        SchedulerSetup machine = setup(1, 1);
        machine.stitch = Ticks(500);
        const Run result = run(equalTasks(2, 1), {100}, machine, options);
        compareTimes(result.schedule, {{10, 110}, {510, 610}});
        QVERIFY(result.schedule.dispatch.waits[1].built);
        QCOMPARE(executedCriticalPath(result.schedule).front().kind, CriticalStep::Kind::Stitch);
    }

    void newestFirstTakesTheSuccessorToTheCoreThatFinished() {
        // Tasks 0..3 are independent, 4 waits for 0.
        ProgramBuilder builder;
        const LeafIndex leaf = builder.leaf(loadLeaf(1));
        for (int t = 0; t < 4; ++t) builder.task(leaf);
        builder.edge(TaskIndex(0), builder.task(leaf));
        const Program program = builder.build();
        SchedulerSetup machine = setup(2, 1);
        machine.tasksPerCore = 1;
        const Run fifo = run(program, {100}, machine);
        machine.newestFirst = true;
        const Run newest = run(program, {100}, machine);
        QVERIFY(fifo.schedule.tasks[4].start > fifo.schedule.tasks[3].start);
        QVERIFY(newest.schedule.tasks[4].start < newest.schedule.tasks[3].start);
        QCOMPARE(newest.schedule.tasks[4].core.index, newest.schedule.tasks[0].core.index);
    }

    void fairnessCostsMoreAndKeepsTasksFromWaitingBehindOthers() {
        SchedulerSetup machine = setup(4, 2);
        machine.fair = true;
        const Run result = run(equalTasks(4), {100}, machine);
        compareTimes(result.schedule, {{13, 113}, {13, 113}, {26, 126}, {26, 126}});
    }

    /// device_sched_mode 0 to 3: the newest first, and a poll more for each dispatch.
    void modesAreTwoSwitches() {
        ProgramBuilder builder;
        const LeafIndex leaf = builder.leaf(loadLeaf(1));
        for (int t = 0; t < 4; ++t) builder.task(leaf);
        builder.edge(TaskIndex(0), builder.task(leaf));
        const Program program = builder.build();
        for (const int mode : {0, 1, 2, 3}) {
            Options options;
            options.deviceSchedMode = mode;
            const SchedulerSetup asked = schedulerSetup(chip910B1(), options);
            QCOMPARE(asked.newestFirst, mode % 2 == 1);
            QCOMPARE(asked.fair, mode >= 2);
            SchedulerSetup machine = setup(2, 1);
            machine.tasksPerCore = 1;
            machine.newestFirst = asked.newestFirst;
            machine.fair = asked.fair;
            const Run result = run(program, {100}, machine);
            const std::int64_t dispatch = mode >= 2 ? 13 : 10;
            QCOMPARE(result.schedule.tasks[0].start.value, dispatch);
            QCOMPARE(result.schedule.tasks[1].start.value, 2 * dispatch);
            QCOMPARE(result.schedule.tasks[4].start < result.schedule.tasks[3].start, mode % 2 == 1);
        }
    }

    void stitchingTradesKernelTimeForBuildTime() {
        // 226 iterations of a task of 3 us and one of 2 us on 24 cores: as published for an attention kernel, the
        // kernel gets faster with the number of stitched functions, the whole is fastest in between.
        const ChipSpec chip = chip910B1();
        const Program program = pairs(226);
        const auto micro = [&](double us) {
            return static_cast<std::int64_t>(us * chip.clockMHz.value.toDouble() * static_cast<double>(kTicksPerCycle));
        };
        std::vector<Ticks> kernel, whole;
        for (const std::int64_t stitch : {1, 128, 512}) {
            Options options;
            options.stitchFunctionMaxNum = stitch;
            const Run result = run(program, {micro(3), micro(2)}, schedulerSetup(chip, options), options);
            kernel.push_back(result.schedule.kernel);
            whole.push_back(result.schedule.kernel + result.before);
        }
        QVERIFY(kernel[0] > kernel[1] && kernel[1] > kernel[2]);
        QVERIFY(whole[0] > whole[1] && whole[1] < whole[2] && whole[2] < whole[0]);
    }

    void groupsFollowTheOptions() {
        Program program = equalTasks(8, 1);
        Options options;
        options.stitchFunctionMaxNum = 3;
        QCOMPARE(planStitching(program, options).groupOf, (std::vector<std::uint32_t>{0, 0, 0, 1, 1, 1, 2, 2}));
        program.roots[1].submitBefore = true;
        QCOMPARE(planStitching(program, options).groupOf, (std::vector<std::uint32_t>{0, 1, 1, 1, 2, 2, 2, 3}));
        program.roots[1].submitBefore = false;
        // Roots 2..5 are iterations of a parallel loop.
        for (std::int64_t i = 0; i < 4; ++i) program.roots[static_cast<std::size_t>(2 + i)].parallelIndex = i;
        QCOMPARE(planStitching(program, options).groups.size(), std::size_t{3});
        options.deviceSchedParallelism = 2;
        const StitchPlan plan = planStitching(program, options);
        QCOMPARE(plan.groupOf, (std::vector<std::uint32_t>{0, 0, 1, 2, 1, 2, 3, 3}));
        QCOMPARE(plan.groups[1].after, (std::vector<std::uint32_t>{0}));
        QCOMPARE(plan.groups[2].after, (std::vector<std::uint32_t>{0}));
        QCOMPARE(plan.groups[3].after, (std::vector<std::uint32_t>{1, 2}));
    }

    void durationsAreDerivedWithTheirConstants() {
        ProgramBuilder builder;
        builder.task(builder.leaf(loadLeaf(40)));
        const Program program = builder.build();
        const ChipSpec chip = countingChip(1, 1, 10, 5);
        const Options options;
        const auto trace = predict(program, chip, {}, {.coreOf = {}, .runtime = &options});
        QVERIFY(trace.has_value());
        const std::vector<DerivationStep> steps = deriveInstruction(program, *trace, chip, TaskIndex(0), 0);
        QCOMPARE(steps.front().formula, std::string("F-11"));
        QVERIFY2(steps.front().text.ends_with(" = 40 cycles"), steps.front().text.c_str());
        QCOMPARE(steps.front().constants.back().first, std::string("mte2_bytes_per_cycle"));
        // 10 cycles at 1 MHz to hand the task out, then 40.
        QCOMPARE(derivationText(deriveKernel(*trace, chip, &options)).substr(0, 58),
                 std::string("F-21  critical path: tasks 40 us + dispatch 10 us + resolv"));
    }

    void everyTickHasOneCauseAndThePathTilesTheKernel() {
        std::mt19937 random(7);
        for (int round = 0; round < 300; ++round) {
            const Program program = randomProgram(random);
            const auto below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
            ChipSpec chip = countingChip(1 + below(4), 1 + below(6), below(12), below(15));
            chip.pollCycles.value = Rational(below(6));
            chip.stitchCycles.value = Rational(below(60));
            chip.submitCycles.value = Rational(below(9));
            chip.schedulerThreads.value = Rational(1 + below(5));
            Options options;
            options.deviceSchedMode = below(4);
            options.stitchFunctionMaxNum = 1 + below(5);
            options.deviceSchedParallelism = 1 + below(3);
            const auto trace = predict(program, chip, {}, {.coreOf = {}, .runtime = &options});
            QVERIFY2(trace.has_value(), trace ? "" : trace.error().message.c_str());
            Ticks sum;
            for (const Ticks ticks : trace->causes) sum += ticks;
            QCOMPARE(sum.value, trace->kernel.value * trace->lanes);
            Ticks at;
            for (const CriticalStep& step : trace->criticalPath) {
                QCOMPARE(step.start.value, at.value);
                at = step.end;
            }
            QCOMPARE(at.value, trace->kernel.value);
            for (std::size_t t = 0; t < program.tasks.size(); ++t)
                for (const Edge& edge : program.edgesOf(program.tasks[t]))
                    QVERIFY(trace->tasks[edge.to.value].start >= trace->tasks[t].end);
            for (const std::vector<TaskIndex>& core : tasksByCore(*trace))
                for (std::size_t i = 1; i < core.size(); ++i)
                    QVERIFY(trace->tasks[core[i].value].start >= trace->tasks[core[i - 1].value].end);
            const auto again = predict(program, chip, {}, {.coreOf = {}, .runtime = &options});
            QCOMPARE(again->kernel.value, trace->kernel.value);
            QVERIFY(again->causes == trace->causes);
        }
    }
};

QTEST_APPLESS_MAIN(TestScheduler)
#include "tst_scheduler.moc"
