// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/timing/leaf_plan.h"
#include "core/timing/timing_engine.h"

namespace cubist {
namespace {

struct Latest {
    Ticks end;
    std::uint32_t instruction = 0;
};

struct UnitState {
    Ticks free;
    std::uint32_t last = 0;
};

/// Follows the instructions that let each other start, from the one that ends last back to the start of the task.
std::vector<std::uint32_t> criticalPathOf(const std::vector<InstructionInterval>& placed) {
    std::vector<std::uint32_t> path;
    if (placed.empty()) return path;
    const auto ends = [](const InstructionInterval& a, const InstructionInterval& b) { return a.end < b.end; };
    auto at = static_cast<std::uint32_t>(std::max_element(placed.begin(), placed.end(), ends) - placed.begin());
    path.push_back(at);
    while (placed[at].waitSubject != at) {
        at = placed[at].waitSubject;
        path.push_back(at);
    }
    std::reverse(path.begin(), path.end());
    return path;
}

/// The recurrence of F-20 when it is known what every transfer takes; `transferTicks` by LeafPlan::transfers.
LeafSchedule replay(const LeafPlan& plan, std::span<const Ticks> transferTicks) {
    std::vector<UnitState> units(plan.units.size());
    LeafSchedule schedule;
    std::vector<InstructionInterval>& placed = schedule.instructions;
    placed.reserve(plan.ticks.size());
    for (std::uint32_t i = 0; i < plan.ticks.size(); ++i) {
        UnitState& unit = units[plan.unitOf[i]];
        const auto p = static_cast<std::size_t>(plan.units[plan.unitOf[i]].pipe);
        Latest producer;
        Latest release;
        for (const TimedDependency& d : plan.dependenciesOf(i)) {
            const InstructionInterval& on = placed[d.instruction];
            Latest& latest = d.slot ? release : producer;
            const Ticks seen = (d.fromStart ? on.start : on.end) + d.delay;
            if (seen > latest.end) latest = {seen, d.instruction};
        }
        InstructionInterval interval;
        interval.instruction = i;
        // The S pipe is a producer too; what waits for it waits for itself.
        if (!plan.issued.empty() && plan.issued[i] > producer.end) producer = {plan.issued[i], i};
        interval.start = std::max({unit.free, producer.end, release.end});
        interval.waitSubject = interval.start == Ticks() ? i : unit.last;
        if (const Ticks idle = interval.start - unit.free; idle > Ticks()) {
            const bool data = producer.end >= release.end;
            interval.waitCause = data ? Cause::WaitData : Cause::WaitSlot;
            interval.waitSubject = data ? producer.instruction : release.instruction;
            (data ? schedule.waitData : schedule.waitSlot)[p] += idle;
        }
        const std::uint32_t transfer = plan.transferOf[i];
        const Ticks duration = transfer == LeafPlan::kNone ? plan.ticks[i] : transferTicks[transfer];
        interval.end = interval.start + duration;
        schedule.busy[p] += duration;
        schedule.duration = std::max(schedule.duration, interval.end);
        unit = {interval.end, i};
        placed.push_back(interval);
    }
    for (const Ticks scalar : plan.scalar) schedule.busy[static_cast<std::size_t>(Pipe::S)] += scalar;
    schedule.criticalPath = criticalPathOf(placed);
    return schedule;
}

}  // namespace

LeafSchedule scheduleLeaf(const ChipSpec& chip, const Leaf& leaf) {
    const LeafPlan plan = planLeaf(chip, leaf);
    std::vector<Ticks> alone;
    alone.reserve(plan.transfers.size());
    for (const LeafPlan::Transfer& transfer : plan.transfers)
        alone.push_back(plan.ticks[transfer.instruction] + transfer.least);
    return replay(plan, alone);
}

LeafSchedule scheduleOfTask(const Program& program, const Trace& trace, TaskIndex task) {
    const LeafPlan& plan = *trace.plans[program.tasks[task.value].leaf.value];
    return replay(plan, std::span(trace.transferTicks).subspan(trace.firstTransfer[task.value], plan.transfers.size()));
}

}  // namespace cubist
