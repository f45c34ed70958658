// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/derivation.h"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "core/base/integer_math.h"
#include "core/chip/formulas.h"
#include "core/design/design.h"
#include "core/timing/instruction_work.h"
#include "core/timing/listeners/cause_sums.h"
#include "core/timing/listeners/stalls.h"
#include "core/timing/timing_engine.h"

namespace cubist {
namespace {

/// Thousandths, cut: enough to read, the same everywhere.
std::string decimal(const Rational& value) {
    const std::int64_t thousandths = (value * Rational(1000)).ceil();
    std::string out = std::to_string(thousandths / 1000);
    const std::int64_t rest = std::abs(thousandths % 1000);
    if (rest == 0) return out;
    std::string digits = std::to_string(1000 + rest).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    return out + "." + digits;
}

std::string number(std::int64_t value) {
    return std::to_string(value);
}

std::string cycles(Ticks ticks) {
    return decimal(Rational(ticks.value, kTicksPerCycle)) + " cycles";
}

std::string microseconds(const Trace& trace, Ticks ticks) {
    const auto picoseconds = static_cast<std::int64_t>(trace.microseconds(ticks) * 1e6);
    return decimal(Rational(picoseconds, 1'000'000)) + " us";
}

/// A step under construction: text and constants side by side.
class Step {
public:
    explicit Step(std::string formula) { m_step.formula = std::move(formula); }

    Step& constant(const std::string& name, const Constant& value) {
        m_step.constants.emplace_back(name, value);
        m_step.text += decimal(value.value);
        return *this;
    }
    Step& text(const std::string& text) {
        m_step.text += text;
        return *this;
    }
    Step& constantIf(bool used, const std::string& name, const Constant& value) {
        return used ? constant(name, value) : *this;
    }
    DerivationStep result(const Rational& value) {
        m_step.text += " = " + decimal(value) + " cycles";
        return std::move(m_step);
    }

    /// "overhead + bytes / rate"
    Step& byRate(const std::string& overheadName, const Constant& overhead, std::int64_t bytes,
                 const std::string& rateName, const Constant& rate) {
        return constant(overheadName, overhead).text(" + " + number(bytes) + " / ").constant(rateName, rate);
    }

private:
    DerivationStep m_step;
};

DerivationStep durationOf(const ChipSpec& chip, const InstructionWork& work) {
    const Rational value = cyclesOf(chip, work);
    switch (work.op) {
        case Opcode::LoadL1:
        case Opcode::LoadScales: {
            Step step("F-11");
            step.constant("mte2_overhead", chip.mte2Overhead);
            if (work.nz)
                return step.text(" + " + number(work.bytes) + " / ")
                    .constant("mte2_nz_bytes_per_cycle", chip.mte2NzBytesPerCycle)
                    .result(value);
            step.text(" + " + number(work.rows) + " rows * (max(")
                .constant("mte2_row_cycles", chip.mte2RowCycles)
                .text(", " + number(work.rowBytes) + " / ")
                .constant("mte2_bytes_per_cycle", chip.mte2BytesPerCycle)
                .text(")");
            if (work.unaligned) step.text(" + ").constant("mte2_unaligned_overhead", chip.mte2UnalignedOverhead);
            return step.text(")").result(value);
        }
        case Opcode::MoveL0A:
        case Opcode::MoveL0B:
        case Opcode::MoveScalesA:
        case Opcode::MoveScalesB: {
            const bool left = work.op == Opcode::MoveL0A || work.op == Opcode::MoveScalesA;
            const bool scales = work.scaled || work.op == Opcode::MoveScalesA || work.op == Opcode::MoveScalesB;
            Step step("F-12");
            step.byRate("mte1_overhead", chip.mte1Overhead, work.bytes,
                        left ? "mte1_bytes_per_cycle_a" : "mte1_bytes_per_cycle_b",
                        left ? chip.mte1BytesPerCycleA : chip.mte1BytesPerCycleB);
            if (scales) step.text(" + ").constant("mx_scale_overhead", chip.mxScaleOverhead);
            return step.result(value);
        }
        case Opcode::MoveBt:
            return Step("F-63")
                .text(number(work.bytes) + " / ")
                .constant("bt_bytes_per_cycle", chip.btBytesPerCycle)
                .result(value);
        case Opcode::MoveFb: {
            Step step("F-63");
            step.byRate("fb_overhead", chip.fbOverhead, work.bytes, "fb_bytes_per_cycle", chip.fbBytesPerCycle);
            return step.result(value);
        }
        case Opcode::Mmad: {
            const CubeRate& rate = *chip.cubeRate(work.dtype);
            return Step("F-10")
                .constant("mmad_overhead", chip.mmadOverhead)
                .text(work.hf32 ? " + min(1, " : " + ")
                .constant("cube_repeat_" + std::string(toText(work.dtype)), rate.repeat)
                .text(std::string(work.hf32 ? " / 2)" : "") + " * " + number(ceilDiv(work.m, 16)) + " * " +
                      number(ceilDiv(work.k, rate.k0)) + " * " + number(ceilDiv(work.n, 16)))
                .result(value);
        }
        case Opcode::StoreL0C:
            return Step("F-13")
                .byRate("fix_overhead", chip.fixOverhead, work.bytes, "fix_bytes_per_cycle", chip.fixBytesPerCycle)
                .text(" (at most ")
                .constant("fix_elements_per_cycle", chip.fixElementsPerCycle)
                .text(" of " + number(work.rows * work.n) + " elements a cycle)")
                .text(work.unaligned ? " + " + number(work.rows) + " rows * " : "")
                .constantIf(work.unaligned, "fix_unaligned_overhead", chip.fixUnalignedOverhead)
                .result(value);
        case Opcode::MoveUb:
            return Step("F-13")
                .byRate("fix_overhead", chip.fixOverhead, work.bytes, "l0c_to_ub_bytes_per_cycle",
                        chip.l0cToUbBytesPerCycle)
                .text(" (at most ")
                .constant("fix_elements_per_cycle", chip.fixElementsPerCycle)
                .text(" of " + number(work.rows * work.n) + " elements a cycle)")
                .result(value);
        case Opcode::LoadUb:
            if (work.rows > 0)
                return Step("F-14")
                    .constant("gm_to_ub_overhead", chip.gmToUbOverhead)
                    .text(" + " + number(work.rows) + " rows * max(")
                    .constant("mte2_row_cycles", chip.mte2RowCycles)
                    .text(", " + number(work.rowBytes) + " / ")
                    .constant("gm_to_ub_bytes_per_cycle", chip.gmToUbBytesPerCycle)
                    .text(")")
                    .result(value);
            return Step("F-14")
                .byRate("gm_to_ub_overhead", chip.gmToUbOverhead, work.bursts, "gm_to_ub_bytes_per_cycle",
                        chip.gmToUbBytesPerCycle)
                .result(value);
        case Opcode::StoreUb:
            return Step("F-15")
                .byRate("ub_to_gm_overhead", chip.ubToGmOverhead, work.bursts, "ub_to_gm_bytes_per_cycle",
                        chip.ubToGmBytesPerCycle)
                .result(value);
        case Opcode::Vector: {
            const VectorRate* rate = chip.vectorRate(rateName(chip, work));
            const std::string of = "vector_rates_" + rateName(chip, work);
            Step step("F-16");
            if (rate == nullptr)
                step.constant("vector_overhead", chip.vectorOverhead).text(" + ");
            else
                step.constant(of + "_overhead", rate->overhead)
                    .text(" + ")
                    .constant(of, work.bits <= 16 ? rate->cycles16 : rate->cycles32)
                    .text(" * ");
            step.text("ceil(" + number(work.bytes) + " / ")
                .constant("vector_bytes_per_repeat", chip.vectorBytesPerRepeat)
                .text(")");
            const Rational banks = formula::bankCycles(chip, work.banks, Bytes(work.bytes));
            if (banks > Rational(0)) {
                const bool read = work.banks == BankMeeting::Sources;
                step.text(" + repeats * ")
                    .constant(read ? "ub_bank_read_cycles" : "ub_bank_write_cycles",
                              read ? chip.ubBankReadCycles : chip.ubBankWriteCycles)
                    .text(" = " + decimal(banks) + " (F-19: " + (read ? "the sources" : "the result and a source") +
                          " lie in the same bank groups of UB)");
            }
            return step.result(value);
        }
    }
    return {};
}

/// Why a transfer takes longer than at its own port: what is not in L2 comes at the rate of HBM, or others share.
DerivationStep sharedTransfer(const ChipSpec& chip, const InstructionWork& work, Ticks took, Ticks alone) {
    const bool read = work.op != Opcode::StoreL0C && work.op != Opcode::StoreUb;
    DerivationStep step{"F-04", cycles(took) + " instead of " + cycles(alone) + ": ", {}};
    if (const Rational rate = formula::hbmToCoreRate(chip, work.nz); read && rate > Rational(0)) {
        const Rational missing = overheadOf(chip, work) + Rational(work.bytes) / rate;
        step.text += number(work.bytes) + " bytes at " + decimal(rate) + " B a cycle from HBM would take " +
                     decimal(missing) + " cycles";
        if (work.nz)
            step.constants.emplace_back("hbm_nz_bytes_per_cycle", chip.hbmNzBytesPerCycle);
        else
            step.constants.emplace_back("hbm_bytes_per_cycle", chip.hbmBytesPerCycle);
        constexpr std::int64_t kRounding = 2;
        const std::int64_t most = formula::toTicks(missing).value;
        if (std::abs(took.value - most) <= kRounding) {
            step.text += ": nothing of it is in L2";
            return step;
        }
        step.text += took.value < most ? ", and part of it is in L2 or others share HBM and L2"
                                       : ", and other transfers share HBM and L2";
    } else {
        step.text += "HBM and L2 are shared with other transfers, or what is written drives out what HBM must take";
    }
    step.constants.emplace_back("hbm_effective_bytes_per_second", chip.hbmEffectiveBytesPerSecond);
    step.constants.emplace_back("l2_effective_bytes_per_second", chip.l2EffectiveBytesPerSecond);
    return step;
}

/// What passes before time 0, as `predict` adds it up.
void beforeKernel(const Trace& trace, const ChipSpec& chip, const Options* runtime, std::vector<DerivationStep>& out) {
    const Ticks before = trace.endToEnd - trace.kernel;
    const Ticks head = formula::toTicks(chip.launchOverhead.value * chip.clockMHz.value);
    const std::string end = ": end to end " + microseconds(trace, trace.endToEnd);
    out.push_back({"F-05",
                   "head of the launch " + microseconds(trace, head) + (runtime == nullptr ? end : std::string()),
                   {{"launch_overhead", chip.launchOverhead}}});
    if (runtime == nullptr) return;
    constexpr std::int64_t kAlwaysEarly = 1;
    const bool early = runtime->launchEarlyMode == kAlwaysEarly;
    const Ticks start = formula::toTicks(chip.aicpuStart.value * chip.clockMHz.value);
    out.push_back({"F-26", "start of the AICPUs " + microseconds(trace, start), {{"aicpu_start", chip.aicpuStart}}});
    const std::string built = "first device task built and submitted in ";
    std::string text;
    if (!early)
        text = built + microseconds(trace, before - head - start);
    else if (before > head)
        text = built + microseconds(trace, before - start) + ", launched early, which hides the head";
    else
        text = "launched early: the head hides the AICPUs and the first device task";
    out.push_back({"F-71",
                   text + "; before the first dispatch " + microseconds(trace, before) + end,
                   {{"stitch_cycles", chip.stitchCycles}, {"submit_cycles", chip.submitCycles}}});
}

}  // namespace

std::vector<DerivationStep> deriveInstruction(const Program& program, const Trace& trace, const ChipSpec& chip,
                                              TaskIndex task, std::uint32_t instruction) {
    const Leaf& leaf = program.leafOf(program.tasks[task.value]);
    const InstructionWork work = workOf(leaf, leaf.instructions[instruction]);
    std::vector<DerivationStep> out{durationOf(chip, work)};
    const LeafSchedule schedule = scheduleOfTask(program, trace, task);
    const auto placed = std::ranges::find(schedule.instructions, instruction, &InstructionInterval::instruction);
    if (placed == schedule.instructions.end()) return out;
    const Ticks alone = formula::toTicks(cyclesOf(chip, work));
    const Ticks took = placed->end - placed->start;
    if (took > alone) out.push_back(sharedTransfer(chip, work, took, alone));
    const std::vector<Ticks>& issued = trace.plans[program.tasks[task.value].leaf.value]->issued;
    if (!issued.empty() && placed->start == issued[instruction] && placed->waitSubject == instruction) {
        const SubCore core = leaf.instructions[instruction].core;
        const auto before = std::span(leaf.instructions).first(instruction + std::size_t{1});
        const std::int64_t count = std::ranges::count(before, core, &Instruction::core);
        out.push_back({"F-29",
                       "compiled for dynamic shapes: S has issued it at " + number(count) + " * " +
                           decimal(chip.scalarIssue.value) + " = " + decimal(formula::issueCycles(chip, count)) +
                           " cycles of its task",
                       {{"scalar_issue", chip.scalarIssue}}});
    }
    out.push_back({"F-20",
                   "begins at " + cycles(placed->start) + " of its task" +
                       (placed->waitSubject == instruction ? std::string()
                                                           : ", when #" + number(placed->waitSubject) + " lets it"),
                   {}});
    return out;
}

std::vector<DerivationStep> deriveTask(const Program& program, const Trace& trace, const ChipSpec& chip,
                                       TaskIndex task) {
    const TaskInterval& interval = trace.tasks[task.value];
    std::vector<DerivationStep> out;
    if (!trace.waits.empty()) {
        const TaskWait& wait = trace.waits[task.value];
        out.push_back({"F-70",
                       "data at " + microseconds(trace, wait.data) + ", seen at " + microseconds(trace, wait.resolved) +
                           ", handed out from " + microseconds(trace, wait.handed) + ", starts at " +
                           microseconds(trace, interval.start),
                       {{"dispatch_cycles", chip.dispatchCycles},
                        {"poll_cycles", chip.pollCycles},
                        {"resolve_cycles", chip.resolveCycles}}});
        out.push_back({"F-71",
                       "its device task begins at " + microseconds(trace, wait.active),
                       {{"stitch_cycles", chip.stitchCycles}, {"submit_cycles", chip.submitCycles}}});
    }
    const LeafSchedule schedule = scheduleOfTask(program, trace, task);
    std::string parts;
    for (std::size_t p = 0; p < kPipeCount; ++p)
        if (schedule.busy[p] > Ticks())
            parts += (parts.empty() ? "" : ", ") + std::string(pipeName(static_cast<Pipe>(p))) + " busy " +
                     cycles(schedule.busy[p]);
    out.push_back({"F-20",
                   cycles(interval.end - interval.start) + ": " + parts + "; longest chain of " +
                       number(static_cast<std::int64_t>(schedule.criticalPath.size())) + " instructions",
                   {}});
    return out;
}

namespace {

/// "busy 10 + tail 2 = 12 ticks"; causes of no ticks are left out.
std::string sumOfCauses(const CauseTicks& ticks) {
    std::string text;
    Ticks sum;
    for (const auto& [cause, name] : EnumTable<Cause>::entries) {
        const Ticks of = ticks[static_cast<std::size_t>(cause)];
        if (of > Ticks()) text += (text.empty() ? "" : " + ") + std::string(name) + " " + number(of.value);
        sum += of;
    }
    return (text.empty() ? "0" : text) + " = " + number(sum.value) + " ticks";
}

}  // namespace

std::vector<DerivationStep> deriveStage(const Program& program, const Trace& trace, StageIndex stage) {
    const auto timing = std::ranges::find(trace.stages, stage, &StageTiming::stage);
    if (timing == trace.stages.end()) return {};
    const std::string& name = program.stages[stage.value].id.text;
    std::vector<DerivationStep> out;
    out.push_back({"F-21",
                   name + ": " + number(timing->tasks) + " tasks, together " + microseconds(trace, timing->busy) +
                       "; first start to last end " + microseconds(trace, timing->span) + ", of the critical path " +
                       microseconds(trace, timing->critical),
                   {}});
    const CauseSums sums = causeSums(program, trace);
    if (!sums.stages.empty())
        out.push_back(
            {"F-21", "lanes of its tasks, and of cores before them: " + sumOfCauses(sums.stages[stage.value]), {}});
    return out;
}

std::vector<DerivationStep> deriveCore(const Program& program, const Trace& trace, std::size_t place) {
    const CauseSums sums = causeSums(program, trace);
    if (place >= sums.cores.size()) return {};
    const bool cube = place < static_cast<std::size_t>(trace.aicCount);
    const auto lanes = static_cast<std::int64_t>(pipesOf(cube ? TaskKind::Aic : TaskKind::Aiv).size());
    return {{"F-21",
             sumOfCauses(sums.cores[place]) + " = " + number(lanes) + " lanes * " + number(trace.kernel.value),
             {}}};
}

std::vector<DerivationStep> deriveKernel(const Trace& trace, const ChipSpec& chip, const Options* runtime) {
    std::array<Ticks, 5> byKind{};
    for (const CriticalStep& step : trace.criticalPath)
        byKind[static_cast<std::size_t>(step.kind)] += step.end - step.start;
    const auto of = [&](CriticalStep::Kind kind) {
        return microseconds(trace, byKind[static_cast<std::size_t>(kind)]);
    };
    std::vector<DerivationStep> out;
    out.push_back({"F-21",
                   "critical path: tasks " + of(CriticalStep::Kind::Task) + " + dispatch " +
                       of(CriticalStep::Kind::Dispatch) + " + resolve " + of(CriticalStep::Kind::Resolve) +
                       " + stitch " + of(CriticalStep::Kind::Stitch) + " + submit " + of(CriticalStep::Kind::Submit) +
                       " = " + microseconds(trace, trace.kernel),
                   {}});
    beforeKernel(trace, chip, runtime, out);
    return out;
}

std::vector<DerivationStep> derivePath(const Program& program, const Trace& trace) {
    std::vector<DerivationStep> out;
    const auto who = [&](TaskIndex task) {
        return "task " + number(task.value) + " (" +
               program.stages[program.stageOf(program.tasks[task.value]).value].id.text + ")";
    };
    for (const CriticalStep& step : trace.criticalPath) {
        const std::string when = microseconds(trace, step.start) + " to " + microseconds(trace, step.end) + ": ";
        switch (step.kind) {
            case CriticalStep::Kind::Dispatch: out.push_back({"F-70", when + "hand out " + who(step.task), {}}); break;
            case CriticalStep::Kind::Resolve:
                out.push_back({"F-70", when + "see that " + who(step.task) + " is ready", {}});
                break;
            case CriticalStep::Kind::Task: {
                std::string core;
                if (!trace.tasks.empty()) {
                    const CoreRef ref = trace.tasks[step.task.value].core;
                    core = std::string(ref.kind == TaskKind::Aic ? " on AIC " : " on AIV ") + number(ref.index);
                }
                out.push_back({"F-20", when + who(step.task) + core, {}});
                break;
            }
            case CriticalStep::Kind::Stitch:
                out.push_back({"F-71", when + "build the device task of " + who(step.task), {}});
                break;
            case CriticalStep::Kind::Submit: out.push_back({"F-71", when + "submit the next device task", {}}); break;
        }
    }
    return out;
}

std::vector<DerivationStep> derivePipe(const Trace& trace, Pipe pipe) {
    const auto p = static_cast<std::size_t>(pipe);
    const PipeTiming& timing = trace.pipes[p];
    return {{"F-20",
             std::string(pipeName(pipe)) + " over all cores: instructions " + microseconds(trace, timing.busy) +
                 "; inside tasks it waits for data " + microseconds(trace, trace.waitData[p]) + " + for slots " +
                 microseconds(trace, trace.waitSlot[p]) + " = " + microseconds(trace, timing.wait),
             {}}};
}

std::vector<DerivationStep> deriveCauses(const Trace& trace) {
    std::string text;
    Ticks sum;
    for (const auto& [cause, name] : EnumTable<Cause>::entries) {
        const Ticks ticks = trace.causes[static_cast<std::size_t>(cause)];
        text += (text.empty() ? "" : " + ") + std::string(name) + " " + number(ticks.value);
        sum += ticks;
    }
    return {{"F-21",
             text + " = " + number(sum.value) + " ticks = " + number(trace.lanes) + " lanes * " +
                 number(trace.kernel.value),
             {}}};
}

std::vector<DerivationStep> deriveBytes(const Trace& trace, const ChipSpec& chip) {
    return {{"F-04",
             "from global memory " + number(trace.gmReadBytes) + " + to it " + number(trace.gmWriteBytes) + " = " +
                 number(trace.gmReadBytes + trace.gmWriteBytes) + " bytes through L2; between L2 and HBM " +
                 number(trace.hbmBytes),
             {{"l2_effective_bytes", chip.l2EffectiveBytes}, {"l2_line_bytes", chip.l2LineBytes}}},
            {"F-12", "out of L1 " + number(trace.l1Bytes) + " bytes, tiles padded to whole fractals", {}}};
}

std::string derivationText(const std::vector<DerivationStep>& steps) {
    std::string out;
    for (const DerivationStep& step : steps) {
        out += (out.empty() ? "" : "\n") + step.formula + "  " + step.text;
        for (const auto& [name, constant] : step.constants)
            out += "\n    " + name + " " + decimal(constant.value) + " " + constant.unit + " (" +
                   std::string(toText(constant.confidence)) + ", " + constant.source + ")";
    }
    return out;
}

}  // namespace cubist
