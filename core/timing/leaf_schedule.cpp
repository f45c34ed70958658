// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>

#include "core/chip/formulas.h"
#include "core/timing/instruction_work.h"
#include "core/timing/timing_engine.h"

namespace cubist {
namespace {

/// A leaf repeats a few sizes many times; exact fractions are slow, so each size is worked out once.
class Durations {
public:
    explicit Durations(const ChipSpec& chip) : m_chip(chip) {}

    Ticks of(const Leaf& leaf, const Instruction& instruction) {
        const InstructionWork work = workOf(leaf, instruction);
        const auto [at, isNew] = m_known.try_emplace(work);
        if (isNew) at->second = formula::toTicks(cyclesOf(m_chip, work));
        return at->second;
    }

private:
    const ChipSpec& m_chip;
    std::map<InstructionWork, Ticks> m_known;
};

struct Latest {
    Ticks end;
    std::uint32_t instruction = 0;
};

/// The instruction of `list` that ends last; of equals the first.
Latest latestOf(std::span<const std::uint32_t> list, const std::vector<InstructionInterval>& placed) {
    Latest latest;
    for (const std::uint32_t i : list)
        if (placed[i].end > latest.end) latest = {placed[i].end, i};
    return latest;
}

struct PipeState {
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

}  // namespace

LeafSchedule scheduleLeaf(const ChipSpec& chip, const Leaf& leaf) {
    const LeafDependencies dependencies = deriveDependencies(leaf);
    Durations durations(chip);
    std::array<PipeState, kPipeCount> pipes{};
    LeafSchedule schedule;
    schedule.instructions.reserve(leaf.instructions.size());
    for (std::uint32_t i = 0; i < leaf.instructions.size(); ++i) {
        const Instruction& instruction = leaf.instructions[i];
        const auto p = static_cast<std::size_t>(instruction.pipe);
        PipeState& pipe = pipes[p];
        const Latest producer = latestOf(dependencies.producersFor(i), schedule.instructions);
        const Latest release = latestOf(dependencies.releasesFor(i), schedule.instructions);

        InstructionInterval interval;
        interval.instruction = i;
        interval.start = std::max({pipe.free, producer.end, release.end});
        interval.waitSubject = interval.start == Ticks() ? i : pipe.last;
        if (const Ticks idle = interval.start - pipe.free; idle > Ticks()) {
            const bool data = producer.end >= release.end;
            interval.waitCause = data ? Cause::WaitData : Cause::WaitSlot;
            interval.waitSubject = data ? producer.instruction : release.instruction;
            (data ? schedule.waitData : schedule.waitSlot)[p] += idle;
        }
        const Ticks duration = durations.of(leaf, instruction);
        interval.end = interval.start + duration;
        schedule.busy[p] += duration;
        schedule.duration = std::max(schedule.duration, interval.end);
        pipe = {interval.end, i};
        schedule.instructions.push_back(interval);
    }
    schedule.criticalPath = criticalPathOf(schedule.instructions);
    return schedule;
}

}  // namespace cubist
