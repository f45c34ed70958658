// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/option_values.h"
#include "app/cli/request.h"
#include "core/exchange/chrome_trace.h"
#include "core/exchange/npy.h"
#include "core/exchange/report.h"
#include "core/exchange/result_json.h"

namespace cubist::cli {
namespace {

/// What the run is to leave behind.
struct Wanted {
    std::optional<std::string> json, trace, outputs, report;
    bool host = true;
};

Result<Wanted> announce(const Arguments& arguments, const DesignRequest& request, OutputFiles& files) {
    Wanted wanted{arguments.value(OptionId::Json), arguments.value(OptionId::Trace),
                  arguments.value(OptionId::SaveOutputs), arguments.value(OptionId::ReportFolder),
                  !arguments.has(OptionId::NoHost)};
    if (wanted.outputs && !request.run.values)
        return unexpected(ErrorCode::BadValue, "--save-outputs has nothing to write with --no-values");
    if (wanted.trace && !request.run.timing)
        return unexpected(ErrorCode::BadValue, "--trace has nothing to write with --no-timing");
    protectInputs(request, files);
    if (wanted.json) CUBIST_CHECK_OK(files.announceFile("--json", *wanted.json));
    if (wanted.trace) CUBIST_CHECK_OK(files.announceFile("--trace", *wanted.trace));
    if (wanted.outputs) CUBIST_CHECK_OK(files.announceFolder("--save-outputs", *wanted.outputs));
    if (wanted.report) CUBIST_CHECK_OK(files.announceFolder("--report", *wanted.report));
    return wanted;
}

/// A tensor's name as the name of a file: ids are free text, folders are not meant.
std::string fileStem(std::string name) {
    for (char& c : name)
        if (c == '/' || static_cast<unsigned char>(c) < 0x20) c = '_';
    if (name.empty() || name[0] == '.') name.insert(name.begin(), '_');
    return name;
}

void addFiles(const Wanted& wanted, const DesignRequest& request, const RunReport& report, OutputFiles& files) {
    namespace fs = std::filesystem;
    if (wanted.json) files.add(*wanted.json, resultJson(report, wanted.host));
    if (report.exitStatus() != 0) return;  // a failed run leaves nothing else behind
    if (wanted.trace) files.add(*wanted.trace, chromeTrace(*report.program, *report.trace));
    if (wanted.report) {
        const fs::path folder = *wanted.report;
        files.addFolder(folder);
        files.add(folder / "report.html", htmlReport(request.run, report));
        files.add(folder / "report.txt", textReport(request.run, report));
        files.add(folder / "run.json", resultJson(report, wanted.host));
    }
    if (!wanted.outputs) return;
    files.addFolder(*wanted.outputs);
    for (const auto& [name, tensor] : report.outputs) {
        const std::string stem = fs::path(*wanted.outputs) / fileStem(name);
        const std::string file = stem + ".npy";
        files.add({file, stem + ".f32.npy"}, [file, &values = tensor] { return writeNpy(file, values); });
    }
}

}  // namespace

Result<int> runCommand(const Arguments& arguments, Session& session) {
    CUBIST_TRY(DesignRequest request, makeRequest(arguments, session));
    request.run.values = !arguments.has(OptionId::NoValues);
    request.run.golden = request.run.values && !arguments.has(OptionId::NoGolden);
    request.run.timing = !arguments.has(OptionId::NoTiming);
    request.run.checked = arguments.has(OptionId::Checked);
    if (const auto limit = arguments.value(OptionId::GoldenLimit)) {
        CUBIST_TRY(request.run.goldenLimit, integerOption("--golden-limit", *limit, 0));
    }
    OutputFiles files;
    CUBIST_TRY(const Wanted wanted, announce(arguments, request, files));

    ProgressLine line;
    RunContext context = makeContext(request, session);
    context.progress = [&line](double fraction, std::string_view phase) { line.show(fraction, phase); };
    CUBIST_TRY(const RunReport report, run(request.run, context));
    line.clear();

    addFiles(wanted, request, report, files);
    CUBIST_CHECK_OK(finish(files, session));
    if (!files.usesStandardOutput()) CUBIST_CHECK_OK(printResult(textReport(request.run, report)));
    const int status = report.exitStatus();
    if (status != 0) explainFailure(report);
    return status;
}

}  // namespace cubist::cli
