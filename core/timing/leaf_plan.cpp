// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/leaf_plan.h"

#include <algorithm>
#include <map>

#include "core/chip/formulas.h"
#include "core/design/design.h"
#include "core/timing/instruction_work.h"

namespace cubist {
namespace {

/// A leaf repeats a few sizes many times; exact fractions are slow, so each size is worked out once.
class Durations {
public:
    struct Parts {
        Ticks fixed;  ///< duration, of a transfer the overhead
        Ticks least;
    };
    explicit Durations(const ChipSpec& chip) : m_chip(chip) {}

    Parts of(const InstructionWork& work) {
        const auto [at, isNew] = m_known.try_emplace(work);
        if (isNew) {
            const Ticks whole = formula::toTicks(cyclesOf(m_chip, work));
            const Ticks overhead = formula::toTicks(overheadOf(m_chip, work));
            at->second = isTransfer(work.op) ? Parts{overhead, whole - overhead} : Parts{whole, Ticks()};
        }
        return at->second;
    }

private:
    const ChipSpec& m_chip;
    std::map<InstructionWork, Parts> m_known;
};

class Planner {
public:
    Planner(const ChipSpec& chip, const Leaf& leaf, const LeafSetting& setting)
        : m_chip(chip),
          m_leaf(leaf),
          m_setting(setting),
          m_durations(chip),
          m_flag(formula::toTicks(chip.flagOverhead.value)),
          m_read(formula::toTicks(chip.readOverhead.value)) {}

    LeafPlan run() {
        const std::size_t count = m_leaf.instructions.size();
        m_plan.ticks.reserve(count);
        m_plan.transferOf.reserve(count);
        m_plan.firstDependency.reserve(count + 1);
        m_least.reserve(count);
        const LeafDependencies known = deriveDependencies(m_leaf);
        for (std::uint32_t i = 0; i < count; ++i) {
            addInstruction(i);
            m_plan.firstDependency.push_back(static_cast<std::uint32_t>(m_plan.dependencies.size()));
            for (const std::uint32_t p : known.producersFor(i)) addDependency(i, p, false);
            for (const std::uint32_t r : known.releasesFor(i)) addDependency(i, r, true);
        }
        m_plan.firstDependency.push_back(static_cast<std::uint32_t>(m_plan.dependencies.size()));
        if (m_setting.dynamic) issueAll();
        return std::move(m_plan);
    }

private:
    /// Every sub-core has an S pipe of its own.
    void issueAll() {
        std::array<std::int64_t, 3> count{};
        m_plan.issued.reserve(m_leaf.instructions.size());
        for (const Instruction& instruction : m_leaf.instructions) {
            const auto core = static_cast<std::size_t>(instruction.core);
            m_plan.scalar[core] = formula::toTicks(formula::issueCycles(m_chip, ++count[core]));
            m_plan.issued.push_back(m_plan.scalar[core]);
        }
    }

    void addInstruction(std::uint32_t i) {
        const Instruction& instruction = m_leaf.instructions[i];
        InstructionWork work = workOf(m_leaf, instruction);
        const bool byRows = (work.op == Opcode::LoadL1 && !work.nz) || work.op == Opcode::StoreL0C;
        work.unaligned = byRows && instruction.box < m_setting.unaligned.size() && m_setting.unaligned[instruction.box];
        const Durations::Parts parts = m_durations.of(work);
        m_plan.ticks.push_back(parts.fixed);
        m_least.push_back(parts.fixed + parts.least);
        const std::size_t unit = unitOf(instruction);
        m_plan.unitOf.push_back(static_cast<std::uint8_t>(unit));
        m_plan.units[unit].queue.push_back(i);
        if (!isTransfer(instruction.op)) {
            m_plan.transferOf.push_back(LeafPlan::kNone);
            return;
        }
        m_plan.transferOf.push_back(static_cast<std::uint32_t>(m_plan.transfers.size()));
        LeafPlan::Transfer transfer;
        transfer.instruction = i;
        transfer.least = parts.least;
        transfer.write = instruction.op == Opcode::StoreL0C || instruction.op == Opcode::StoreUb;
        transfer.bytes = work.bytes;
        if (!transfer.write) transfer.missTicks = missTicks(work.nz);
        transfer.box = instruction.box;
        transfer.whole = (instruction.op == Opcode::LoadUb || instruction.op == Opcode::StoreUb) &&
                         (instruction.flags & kFlagPart) == 0;
        transfer.picked = instruction.op == Opcode::LoadUb && instruction.detail != Instruction::kNone;
        transfer.scales = instruction.op == Opcode::LoadScales;
        transfer.turned = transfer.scales && (instruction.flags & kFlagTransposed) != 0;
        transfer.at = instruction.at;
        transfer.extent = instruction.extent;
        m_plan.transfers.push_back(transfer);
    }

    [[nodiscard]] double missTicks(bool nz) const {
        const Rational rate = formula::hbmToCoreRate(m_chip, nz);
        return rate == Rational(0) ? 0 : static_cast<double>(kTicksPerCycle) / rate.toDouble();
    }

    std::size_t unitOf(const Instruction& instruction) {
        for (std::size_t u = 0; u < m_plan.units.size(); ++u)
            if (m_plan.units[u].core == instruction.core && m_plan.units[u].pipe == instruction.pipe) return u;
        m_plan.units.push_back({instruction.core, instruction.pipe, {}});
        return m_plan.units.size() - 1;
    }

    /// With the unit flag FIX follows the last mmad fractal by fractal, and the next tile's first mmad follows FIX.
    void addDependency(std::uint32_t i, std::uint32_t on, bool slot) {
        const Instruction& waiting = m_leaf.instructions[i];
        const Instruction& other = m_leaf.instructions[on];
        TimedDependency dependency{on, slot, false, waiting.pipe == other.pipe ? Ticks() : m_flag};
        if (!slot && (other.op == Opcode::LoadL1 || other.op == Opcode::LoadScales || other.op == Opcode::LoadUb))
            dependency.delay += m_read;
        const bool flagged =
            (waiting.op == Opcode::StoreL0C && other.op == Opcode::Mmad && (waiting.flags & kFlagUnit) != 0) ||
            (waiting.op == Opcode::Mmad && other.op == Opcode::StoreL0C && (other.flags & kFlagUnit) != 0);
        if (flagged) {
            dependency.fromStart = true;
            dependency.delay = std::max(m_flag, m_least[on] - m_least[i] + m_flag);
        }
        m_plan.dependencies.push_back(dependency);
    }

    const ChipSpec& m_chip;
    const Leaf& m_leaf;
    const LeafSetting& m_setting;
    Durations m_durations;
    Ticks m_flag;
    Ticks m_read;
    std::vector<Ticks> m_least;  ///< overhead included
    LeafPlan m_plan;
};

}  // namespace

std::vector<LeafSetting> leafSettings(const Program& program, const Options* runtime) {
    std::vector<LeafSetting> settings(program.leaves.size());
    for (LeafSetting& setting : settings) setting.used = false;
    std::size_t unknown = settings.size();
    for (const Task& task : program.tasks) {
        LeafSetting& setting = settings[task.leaf.value];
        if (setting.used) continue;
        setting.used = true;
        bool whole = true;
        for (const Box& box : program.boxesOf(task)) {
            const GmTensor& tensor = program.tensors[box.tensor.value];
            setting.unaligned.push_back(tensor.format == Format::ND &&
                                        deviceBytes(tensor.dtype, tensor.shape[3]) % 32 != 0);
            whole = whole && box.valid == box.extent;
        }
        const bool inLoop = runtime != nullptr && !program.roots[task.root.value].loop.empty();
        setting.dynamic = inLoop && !(runtime->validShapeOptimize && whole);
        if (--unknown == 0) break;
    }
    return settings;
}

LeafPlan planLeaf(const ChipSpec& chip, const Leaf& leaf, const LeafSetting& setting) {
    return Planner(chip, leaf, setting).run();
}

}  // namespace cubist
