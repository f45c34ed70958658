// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/timing_engine.h"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "core/chip/formulas.h"
#include "core/lowering/program_check.h"
#include "core/timing/event_engine.h"
#include "core/timing/leaf_plan.h"
#include "core/timing/listeners/critical_path.h"
#include "core/timing/listeners/stalls.h"
#include "core/timing/listeners/utilization.h"
#include "core/timing/plan_cache.h"
#include "core/timing/scheduler.h"
#include "core/timing/task_scheduler.h"

namespace cubist {
namespace {

/// An mmad of a type without a cube rate has no duration.
Result<void> checkCubeTypes(const Program& program, const Leaf& leaf, const ChipSpec& chip) {
    const std::string& stage = program.stages[leaf.stage.value].where;
    for (const Instruction& instruction : leaf.instructions)
        if (instruction.op == Opcode::Mmad && chip.cubeRate(instruction.dtype) == nullptr)
            return unexpected(
                ErrorCode::Unsupported,
                "the cube of " + chip.id.text + " does not multiply " + std::string(toText(instruction.dtype)),
                stage.empty() ? std::string() : stage + "/a");
    return {};
}

Result<void> checkCoreOf(const Program& program, const TaskMachine& machine, const TimingOptions& options) {
    if (options.coreOf.empty()) return {};
    if (options.coreOf.size() != program.tasks.size())
        return unexpected(ErrorCode::BadValue, "a bare launch needs the core of every task");
    for (std::size_t t = 0; t < program.tasks.size(); ++t) {
        const bool aic = program.leafOf(program.tasks[t]).kind == TaskKind::Aic;
        if (options.coreOf[t] >= (aic ? machine.aicCount : machine.aivCount))
            return unexpected(ErrorCode::BadValue, "task " + std::to_string(t) + " is on core " +
                                                       std::to_string(options.coreOf[t]) + ", which the chip lacks");
    }
    return {};
}

/// Plans every leaf; leaves that equal an earlier one share its plan.
Result<std::vector<std::shared_ptr<const LeafPlan>>> planLeaves(const Program& program, const ChipSpec& chip,
                                                                const Options* runtime, PlanCache* cache,
                                                                const RunContext& context) {
    std::vector<std::shared_ptr<const LeafPlan>> plans;
    plans.reserve(program.leaves.size());
    const std::vector<LeafSetting> settings = leafSettings(program, runtime);
    std::unordered_multimap<std::uint64_t, std::size_t> byKey;
    const auto nothing = std::make_shared<const LeafPlan>();
    for (std::size_t l = 0; l < program.leaves.size(); ++l) {
        if (context.cancelled()) return cancelledError();
        if (!settings[l].used) {
            plans.push_back(nothing);
            continue;
        }
        const Leaf& leaf = program.leaves[l];
        const auto [first, last] = byKey.equal_range(leaf.leafKey);
        auto known = first;
        const auto same = [&](std::size_t other) {
            return sameInstructions(program.leaves[other], leaf) && settings[other] == settings[l];
        };
        while (known != last && !same(known->second)) ++known;
        if (known != last) {
            plans.push_back(plans[known->second]);
            continue;
        }
        byKey.emplace(leaf.leafKey, l);
        if (cache != nullptr) {
            if (auto plan = cache->find(leaf, settings[l])) {
                plans.push_back(std::move(plan));
                continue;
            }
        }
        CUBIST_CHECK_OK(checkCubeTypes(program, leaf, chip));
        plans.push_back(std::make_shared<const LeafPlan>(planLeaf(chip, leaf, settings[l])));
        if (cache != nullptr) cache->add(leaf, settings[l], plans.back());
    }
    return plans;
}

std::unique_ptr<Dispatcher> makeDispatcher(const Program& program, const TaskMachine& machine, const ChipSpec& chip,
                                           const TimingOptions& options) {
    if (!options.coreOf.empty()) return std::make_unique<BareDispatcher>(program, options.coreOf);
    if (options.listSchedule) return std::make_unique<FifoDispatcher>(program, machine);
    const Options defaults;
    const Options& runtime = options.runtime != nullptr ? *options.runtime : defaults;
    return std::make_unique<SchedulerDispatcher>(program, schedulerSetup(chip, runtime),
                                                 planStitching(program, runtime));
}

}  // namespace

Result<Trace> predict(const Program& program, const ChipSpec& chip, const RunContext& context,
                      const TimingOptions& options) {
    CUBIST_CHECK_OK(checkProgram(program));
    Trace trace;
    if (options.plans != nullptr) options.plans->begin(chip);
    const Options defaults;
    // A hand-written kernel is not compiled by PyPTO.
    const Options* compiled = options.runtime != nullptr ? options.runtime : &defaults;
    if (!options.coreOf.empty()) compiled = nullptr;
    CUBIST_TRY(trace.plans, planLeaves(program, chip, compiled, options.plans, context));
    trace.aicCount = chip.aicCount.integer();
    trace.aivCount = chip.aivCount.integer();
    trace.lanes = chip.lanes();
    trace.cyclesPerMicrosecond = chip.clockMHz.value.toDouble();
    const TaskMachine machine{.aicCount = trace.aicCount,
                              .aivCount = trace.aivCount,
                              .dispatch = formula::toTicks(formula::dispatchCycles(chip)),
                              .resolve = formula::toTicks(formula::resolveCycles(chip))};
    CUBIST_CHECK_OK(checkCores(program, machine));
    const bool mixed = std::ranges::any_of(program.leaves, [](const Leaf& leaf) { return leaf.vectorCores > 0; });
    if (mixed && options.listSchedule)
        return unexpected(ErrorCode::Unsupported, "the list schedule has no tasks for cube and vector cores");
    CUBIST_CHECK_OK(checkCoreOf(program, machine, options));
    std::vector<const LeafPlan*> plans;
    for (const auto& plan : trace.plans) plans.push_back(plan.get());
    const std::unique_ptr<Dispatcher> dispatcher = makeDispatcher(program, machine, chip, options);
    CUBIST_TRY(EngineResult run, runEvents(program, plans, chip, *dispatcher, context, options.onTask));

    trace.kernel = run.kernel;
    const Ticks head = formula::toTicks(chip.launchOverhead.value * chip.clockMHz.value);
    Ticks build = dispatcher->buildBefore();
    if (compiled != nullptr && !options.listSchedule) {
        build += formula::toTicks(chip.aicpuStart.value * chip.clockMHz.value);
        if (chip.aicpuStart.confidence == Confidence::Estimate && chip.aicpuStart.value != Rational(0))
            trace.endToEndEstimates = {"aicpu_start"};
    }
    // Launched early, the AICPUs work while the cores are still being launched.
    constexpr std::int64_t kAlwaysEarly = 1;
    const bool early = compiled != nullptr && compiled->launchEarlyMode == kAlwaysEarly;
    trace.endToEnd = run.kernel + (early ? std::max(head, build) : head + build);
    trace.transferTicks = std::move(run.transferTicks);
    trace.firstTransfer = std::move(run.firstTransfer);
    trace.waitData = run.waitData;
    trace.waitSlot = run.waitSlot;
    trace.hbmBytes = run.hbmBytes;
    trace.loads = run.loads;
    trace.stores = run.stores;
    TaskSchedule schedule{std::move(run.tasks), std::move(run.dispatch), run.kernel};
    trace.criticalPath = executedCriticalPath(schedule);
    trace.waits = std::move(schedule.dispatch.waits);
    trace.tasks = std::move(schedule.tasks);
    trace.pipes = pipeTimings(run);
    const MovedBytes moved = movedBytes(program);
    trace.gmReadBytes = moved.gmRead;
    trace.gmWriteBytes = moved.gmWrite;
    trace.l1Bytes = moved.l1;
    const PathShares shares = sharesOf(trace.criticalPath, program, trace, chip);
    trace.bound = shares.bound();
    trace.estimates = shares.estimates;
    const std::vector<std::vector<TaskIndex>> cores = tasksByCore(trace);
    trace.causes = causesOfLanes(trace, run, cores);
    trace.stages = stageTimings(program, trace);
    trace.usedAic = usedCores(trace, TaskKind::Aic, cores);
    trace.usedAiv = usedCores(trace, TaskKind::Aiv, cores);
    trace.instructions = program.instructionCount();
    if (options.detail == TraceDetail::Summary) {
        trace.tasks = {};
        trace.waits = {};
        trace.plans = {};
        trace.transferTicks = {};
        trace.firstTransfer = {};
    }
    return trace;
}

}  // namespace cubist
