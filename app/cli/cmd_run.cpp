// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/explain.h"
#include "app/cli/option_values.h"
#include "app/cli/request.h"
#include "app/version.h"
#include "core/exchange/bundle.h"
#include "core/exchange/chrome_trace.h"
#include "core/exchange/golden_finder.h"
#include "core/exchange/measured_trace.h"
#include "core/exchange/npy.h"
#include "core/exchange/report.h"
#include "core/exchange/result_json.h"
#include "core/exchange/safetensors.h"
#include "core/exchange/trace_overlay.h"

namespace cubist::cli {
namespace {

/// What the run is to leave behind.
struct Wanted {
    std::optional<std::string> json, trace, outputs, stages, report, measured;
    bool host = true;
    std::vector<std::string> explain;
};

/// One file for all tensors, instead of a folder.
bool isArchive(const std::string& path) {
    return path.ends_with(".npz") || path.ends_with(".safetensors");
}

Result<void> announceTensors(const std::string& option, const std::string& path, OutputFiles& files) {
    return isArchive(path) ? files.announceFile(option, path) : files.announceFolder(option, path);
}

Result<Wanted> announce(const Arguments& arguments, const DesignRequest& request, OutputFiles& files) {
    Wanted wanted{arguments.value(OptionId::Json),         arguments.value(OptionId::Trace),
                  arguments.value(OptionId::SaveOutputs),  arguments.value(OptionId::SaveStages),
                  arguments.value(OptionId::ReportFolder), arguments.value(OptionId::Measured),
                  !arguments.has(OptionId::NoHost),        arguments.values(OptionId::Explain)};
    if (wanted.outputs && !request.run.values)
        return unexpected(ErrorCode::BadValue, "--save-outputs has nothing to write with --no-values");
    if (wanted.stages && !request.run.values)
        return unexpected(ErrorCode::BadValue, "--save-stages has nothing to write with --no-values");
    if (wanted.trace && !request.run.timing)
        return unexpected(ErrorCode::BadValue, "--trace has nothing to write with --no-timing");
    if (wanted.measured && !request.run.timing)
        return unexpected(ErrorCode::BadValue, "--measured has nothing to compare with --no-timing");
    if (request.run.timeSummary && (wanted.trace || wanted.measured || wanted.report))
        return unexpected(ErrorCode::BadValue, "--summary keeps no tasks, which --trace, --measured and --report show");
    if (!wanted.explain.empty() && !request.run.timing)
        return unexpected(ErrorCode::BadValue, "--explain has nothing to show with --no-timing");
    if (!wanted.explain.empty() && wanted.json == "-")
        return unexpected(ErrorCode::BadValue, "--explain has no place beside a result on standard output");
    protectInputs(request, files);
    if (wanted.measured) files.protect(*wanted.measured);
    if (wanted.json) CUBIST_CHECK_OK(files.announceFile("--json", *wanted.json));
    if (wanted.trace) CUBIST_CHECK_OK(files.announceFile("--trace", *wanted.trace));
    if (wanted.outputs) CUBIST_CHECK_OK(announceTensors("--save-outputs", *wanted.outputs, files));
    if (wanted.stages) CUBIST_CHECK_OK(announceTensors("--save-stages", *wanted.stages, files));
    if (wanted.report) CUBIST_CHECK_OK(files.announceFolder("--report", *wanted.report));
    return wanted;
}

void addTensors(const std::string& target, const std::map<std::string, HostTensor>& tensors, OutputFiles& files) {
    if (isArchive(target)) {
        files.add({target}, [target, &tensors] {
            return target.ends_with(".npz") ? writeNpz(target, tensors) : writeSafeTensors(target, tensors);
        });
        return;
    }
    files.addFolder(target);
    for (const auto& [name, tensor] : tensors) {
        const std::string stem = std::filesystem::path(target) / tensorFileName(name);
        const std::string file = stem + ".npy";
        files.add({file, stem + ".f32.npy"}, [file, &values = tensor] { return writeNpy(file, values); });
    }
}

void addFiles(const Wanted& wanted, const DesignRequest& request, const RunReport& report, const TraceOverlay* overlay,
              OutputFiles& files) {
    namespace fs = std::filesystem;
    if (wanted.json) files.add(*wanted.json, resultJson(report, wanted.host, overlay));
    const bool failed = report.exitStatus() != 0;
    if (wanted.trace && !failed)
        files.addStream(*wanted.trace, [&report](const TextSink& sink) {
            return writeChromeTrace(*report.program, *report.trace, sink);
        });
    if (wanted.report && !failed) {
        const fs::path folder = *wanted.report;
        files.addFolder(folder);
        files.add(folder / "report.html", htmlReport(request.run, report));
        files.add(folder / "report.txt", textReport(request.run, report));
        files.add(folder / "run.json", resultJson(report, wanted.host));
    }
    if (!report.ran) return;
    // After a failed verdict the values are what one wants to look at.
    if (wanted.outputs) addTensors(*wanted.outputs, report.outputs, files);
    if (wanted.stages && report.stageResults.empty())
        printWarning("no value passes between stages: --save-stages has nothing to write");
    else if (wanted.stages)
        addTensors(*wanted.stages, report.stageResults, files);
}

/// What a run that fails has written, and what not.
void noteFilesOfFailure(const Wanted& wanted, const RunReport& report) {
    if (wanted.trace || wanted.report || (!report.ran && (wanted.outputs || wanted.stages)))
        printMessage(report.ran ? "a failed verdict leaves the results and the values, but no --trace and no --report"
                                : "a run that is stopped leaves no files but --json");
    else if (wanted.outputs || wanted.stages)
        printMessage("the verdict failed; the values are written all the same");
}

/// Says whether the run gave what the bundle holds.
bool compareWithBundle(const Bundle& bundle, const RunReport& report) {
    const std::vector<std::string> differences = differencesFromBundle(bundle, report);
    if (differences.empty()) {
        printMessage("the bundle's results are reproduced bit for bit");
        return true;
    }
    const std::string& version = bundle.manifest.version;
    for (const std::string& difference : differences)
        printError({ErrorCode::BadValue,
                    "not what the bundle holds: " + difference,
                    {},
                    version == versionText() ? "" : "the bundle was made by version " + version});
    return false;
}

}  // namespace

Result<int> runCommand(const Arguments& arguments, Session& session) {
    CUBIST_TRY(DesignRequest request, makeRequest(arguments, session));
    request.run.values = !arguments.has(OptionId::NoValues);
    request.run.golden = request.run.values && !arguments.has(OptionId::NoGolden);
    request.run.timing = !arguments.has(OptionId::NoTiming);
    request.run.keepStages = arguments.has(OptionId::SaveStages);
    request.run.checked = arguments.has(OptionId::Checked);
    request.run.whatIf = arguments.has(OptionId::WhatIf);
    request.run.timeSummary = arguments.has(OptionId::Summary);
    if (const auto limit = arguments.value(OptionId::GoldenLimit)) {
        CUBIST_TRY(request.run.goldenLimit, integerOption("--golden-limit", *limit, 0));
    }
    OutputFiles files;
    CUBIST_TRY(const Wanted wanted, announce(arguments, request, files));
    std::optional<MeasuredTrace> measured;
    if (wanted.measured) {
        CUBIST_TRY(measured, readMeasuredTrace(*wanted.measured, deviceTicksPerUs(request.run.chip)));
    }

    ProgressLine line;
    RunContext context = makeContext(request, session);
    context.progress = [&line](double fraction, std::string_view phase) { line.show(fraction, phase); };
    CUBIST_TRY(RunReport report, run(request.run, context));
    CUBIST_CHECK_OK(noteOtherReadings(request.run, report, context));
    line.clear();

    std::string explained;
    if (report.trace)
        for (const std::string& what : wanted.explain) {
            CUBIST_TRY(const std::string text, explain(report, request.run.chip, what));
            explained += "\nExplained: " + what + "\n" + text + "\n";
        }
    std::optional<TraceOverlay> overlay;
    if (measured && report.trace) overlay = overlayTraces(*report.program, *report.trace, *std::move(measured));
    addFiles(wanted, request, report, overlay ? &*overlay : nullptr, files);
    CUBIST_CHECK_OK(finish(files, session));
    if (!files.usesStandardOutput()) {
        CUBIST_CHECK_OK(printResult(textReport(request.run, report) + explained));
        if (overlay) CUBIST_CHECK_OK(printResult("\nMeasured\n" + overlayText(*report.program, *overlay)));
    }
    if (request.run.values && report.host.isa == Isa::Portable)
        printMessage("the values come from the portable kernels: right to the bit, but slow");
    const int status = report.exitStatus();
    if (wanted.trace && status == 0) noteTraceLimit(report);
    if (status != 0) {
        explainFailure(report);
        noteFilesOfFailure(wanted, report);
    }
    if (!request.bundle || !request.run.golden || !request.run.timing) return status;
    return compareWithBundle(*request.bundle, report) ? status : 1;
}

}  // namespace cubist::cli
