// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/explain.h"

#include <algorithm>
#include <utility>

#include "app/cli/option_values.h"
#include "core/timing/derivation.h"
#include "core/timing/listeners/describe.h"

namespace cubist::cli {
namespace {

constexpr std::string_view kStage = "stage:", kTask = "task:", kPipe = "pipe:", kCore = "core:";

Result<std::string> explainStage(const RunReport& report, const std::string& id) {
    const std::vector<ProgramStage>& stages = report.program->stages;
    const auto found =
        std::find_if(stages.begin(), stages.end(), [&](const auto& stage) { return stage.id.text == id; });
    if (found != stages.end())
        return derivationText(
            deriveStage(*report.program, *report.trace, StageIndex(static_cast<std::size_t>(found - stages.begin()))));
    std::string names;
    for (const ProgramStage& stage : stages) names += (names.empty() ? "" : ", ") + stage.id.text;
    return unexpected(ErrorCode::UnknownName, "--explain: there is no stage '" + id + "'", {}, "stages: " + names);
}

Result<std::string> explainTask(const RunReport& report, const ChipSpec& chip, const std::string& numbers) {
    const Program& program = *report.program;
    if (report.trace->tasks.empty())
        return unexpected(ErrorCode::BadValue, "--explain: --summary keeps no tasks that could be explained");
    const std::size_t colon = numbers.find(':');
    CUBIST_TRY(const std::int64_t number, integerOption("--explain task", numbers.substr(0, colon), 0));
    if (number >= static_cast<std::int64_t>(program.tasks.size()))
        return unexpected(ErrorCode::BadValue,
                          "--explain: the tasks are 0 to " + std::to_string(program.tasks.size() - 1));
    const TaskIndex task(static_cast<std::size_t>(number));
    if (colon == std::string::npos) return derivationText(deriveTask(program, *report.trace, chip, task));
    CUBIST_TRY(const std::int64_t which, integerOption("--explain task", numbers.substr(colon + 1), 0));
    const std::size_t count = program.leafOf(program.tasks[task.value]).instructions.size();
    if (which >= static_cast<std::int64_t>(count))
        return unexpected(ErrorCode::BadValue, "--explain: the instructions of task " + std::to_string(number) +
                                                   " are 0 to " + std::to_string(static_cast<std::int64_t>(count) - 1));
    const auto instruction = static_cast<std::uint32_t>(which);
    return describeInstruction(program, task, instruction) + "\n" +
           derivationText(deriveInstruction(program, *report.trace, chip, task, instruction));
}

Result<std::string> explainPipe(const RunReport& report, const std::string& name) {
    std::string names;
    for (const PipeTiming& pipe : report.trace->pipes) {
        if (pipeName(pipe.pipe) == name) return derivationText(derivePipe(*report.trace, pipe.pipe));
        names += (names.empty() ? "" : ", ") + std::string(pipeName(pipe.pipe));
    }
    return unexpected(ErrorCode::UnknownName, "--explain: there is no pipe '" + name + "'", {}, "pipes: " + names);
}

/// "aic0", "aiv12".
Result<std::string> explainCore(const RunReport& report, const std::string& name) {
    const Trace& trace = *report.trace;
    if (trace.tasks.empty())
        return unexpected(ErrorCode::BadValue, "--explain: --summary keeps no tasks, so no causes of one core");
    const bool cube = name.starts_with("aic");
    if (!cube && !name.starts_with("aiv"))
        return unexpected(ErrorCode::UnknownName, "--explain: there is no core '" + name + "'", {},
                          "cores: aic0 to aic" + std::to_string(trace.aicCount - 1) + ", aiv0 to aiv" +
                              std::to_string(trace.aivCount - 1));
    CUBIST_TRY(const std::int64_t index,
               integerOption("--explain core", name.substr(3), 0, (cube ? trace.aicCount : trace.aivCount) - 1));
    const auto place = static_cast<std::size_t>(index + (cube ? 0 : trace.aicCount));
    return derivationText(deriveCore(*report.program, trace, place));
}

/// The cubes at their peak rates for as long as the kernel lasts would be 1.
std::string explainUtilisation(const RunReport& report, const ChipSpec& chip) {
    DerivationStep step{"F-22", std::to_string(report.flops / 2) + " multiply-adds", {}};
    for (const CubeRate& rate : chip.cube)
        step.constants.emplace_back("cube_repeat_" + std::string(toText(rate.dtype)), rate.repeat);
    step.text += ", at the peak of " + std::to_string(chip.aicCount.integer()) + " cubes " +
                 std::to_string(report.utilisation * report.trace->microseconds(report.trace->kernel)) +
                 " us, of a kernel of " + std::to_string(report.trace->microseconds(report.trace->kernel)) +
                 " us: " + std::to_string(report.utilisation);
    step.constants.emplace_back("aic_count", chip.aicCount);
    step.constants.emplace_back("clock_mhz", chip.clockMHz);
    return derivationText({step});
}

}  // namespace

Result<std::string> explain(const RunReport& report, const ChipSpec& chip, const std::string& what) {
    const Options* runtime = report.launch == LaunchProfile::Pypto ? &report.used->options : nullptr;
    if (what == "kernel") return derivationText(deriveKernel(*report.trace, chip, runtime));
    if (what == "path") return derivationText(derivePath(*report.program, *report.trace));
    if (what == "causes") return derivationText(deriveCauses(*report.trace));
    if (what == "bytes") return derivationText(deriveBytes(*report.trace, chip));
    if (what.starts_with(kPipe)) return explainPipe(report, what.substr(kPipe.size()));
    if (what == "utilisation") return explainUtilisation(report, chip);
    if (what.starts_with(kStage)) return explainStage(report, what.substr(kStage.size()));
    if (what.starts_with(kCore)) return explainCore(report, what.substr(kCore.size()));
    if (what.starts_with(kTask)) return explainTask(report, chip, what.substr(kTask.size()));
    return unexpected(ErrorCode::BadValue,
                      "--explain takes kernel, path, causes, bytes, utilisation, pipe:NAME, stage:ID, core:aicN, "
                      "core:aivN, task:N or task:N:I, not '" +
                          what + "'");
}

}  // namespace cubist::cli
