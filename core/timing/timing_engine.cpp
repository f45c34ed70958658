// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/timing_engine.h"

#include <unordered_map>

#include "core/chip/formulas.h"
#include "core/timing/listeners/critical_path.h"
#include "core/timing/listeners/stalls.h"
#include "core/timing/listeners/utilization.h"
#include "core/timing/task_scheduler.h"

namespace cubist {
namespace {

/// An mmad of a type without a cube rate has no duration.
Result<void> checkCubeTypes(const Leaf& leaf, const ChipSpec& chip) {
    for (const Instruction& instruction : leaf.instructions)
        if (instruction.op == Opcode::Mmad && chip.cubeRate(instruction.dtype) == nullptr)
            return unexpected(ErrorCode::Unsupported, "the cube of " + chip.id.text + " does not multiply " +
                                                          std::string(toText(instruction.dtype)));
    return {};
}

bool sameInstructions(const Leaf& a, const Leaf& b) {
    return a.kind == b.kind && a.instructions == b.instructions && a.allocations == b.allocations &&
           a.details == b.details && a.cubeDetails == b.cubeDetails;
}

/// Schedules every leaf; leaves that equal an earlier one copy its schedule.
Result<std::vector<LeafSchedule>> scheduleLeaves(const Program& program, const ChipSpec& chip,
                                                 const RunContext& context) {
    std::vector<LeafSchedule> schedules;
    schedules.reserve(program.leaves.size());
    std::unordered_multimap<std::uint64_t, std::size_t> byKey;
    for (std::size_t l = 0; l < program.leaves.size(); ++l) {
        if (context.cancelled()) return cancelledError();
        const Leaf& leaf = program.leaves[l];
        const auto [first, last] = byKey.equal_range(leaf.leafKey);
        auto known = first;
        while (known != last && !sameInstructions(program.leaves[known->second], leaf)) ++known;
        if (known != last) {
            schedules.push_back(schedules[known->second]);
            continue;
        }
        CUBIST_CHECK_OK(checkCubeTypes(leaf, chip));
        schedules.push_back(scheduleLeaf(chip, leaf));
        byKey.emplace(leaf.leafKey, l);
    }
    return schedules;
}

}  // namespace

Result<Trace> predict(const Program& program, const ChipSpec& chip, const RunContext& context) {
    Trace trace;
    CUBIST_TRY(trace.leaves, scheduleLeaves(program, chip, context));
    std::vector<Ticks> durations;
    durations.reserve(trace.leaves.size());
    for (const LeafSchedule& leaf : trace.leaves) durations.push_back(leaf.duration);

    trace.aicCount = chip.aicCount.integer();
    trace.aivCount = chip.aivCount.integer();
    trace.lanes = chip.lanes();
    trace.cyclesPerMicrosecond = chip.clockMHz.value.toDouble();
    const TaskMachine machine{.aicCount = trace.aicCount,
                              .aivCount = trace.aivCount,
                              .dispatch = formula::toTicks(formula::dispatchCycles(chip)),
                              .resolve = formula::toTicks(formula::resolveCycles(chip))};
    CUBIST_TRY(TaskSchedule schedule, scheduleTasks(program, durations, machine, context));

    trace.kernel = schedule.kernel;
    trace.criticalPath = executedCriticalPath(schedule);
    trace.tasks = std::move(schedule.tasks);
    const PathShares shares = sharesOf(trace.criticalPath, program, trace.leaves, chip);
    trace.bound = shares.bound();
    trace.estimates = shares.estimates;
    trace.causes = causesOfLanes(program, trace);
    trace.stages = stageTimings(program, trace);
    trace.pipes = pipeTimings(program, trace);
    trace.usedAic = usedCores(trace, TaskKind::Aic);
    trace.usedAiv = usedCores(trace, TaskKind::Aiv);
    const MovedBytes moved = movedBytes(program);
    trace.gmReadBytes = moved.gmRead;
    trace.gmWriteBytes = moved.gmWrite;
    trace.l1Bytes = moved.l1;
    trace.instructions = program.instructionCount();
    return trace;
}

}  // namespace cubist
