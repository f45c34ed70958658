// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/request.h"
#include "app/version.h"
#include "core/exchange/report.h"
#include "core/exchange/result_json.h"
#include "core/exchange/sarif.h"
#include "core/exchange/skeleton_json.h"
#include "core/run/skeleton_report.h"

namespace cubist::cli {

Result<int> checkCommand(const Arguments& arguments, Session& session) {
    CUBIST_TRY(const DesignRequest request, makeRequest(arguments, session));
    OutputFiles outputs;
    protectInputs(request, outputs);
    const auto json = arguments.value(OptionId::Json);
    const auto sarif = arguments.value(OptionId::Sarif);
    if (json) CUBIST_CHECK_OK(outputs.announceFile("--json", *json));
    if (sarif) CUBIST_CHECK_OK(outputs.announceFile("--sarif", *sarif));

    CUBIST_TRY(const CheckedDesign checked, checkWithPrediction(request.run, makeContext(request, session)));
    const RunReport& report = checked.report;
    const Checklist& checklist = checked.checklist;
    if (json) outputs.add(*json, resultJson(report, false, nullptr, &checklist));
    if (sarif) outputs.add(*sarif, sarifText(report.findings, request.designFile, versionText()));
    CUBIST_CHECK_OK(finish(outputs, session));
    if (!outputs.usesStandardOutput())
        CUBIST_CHECK_OK(printResult(textReport(request.run, report) + "\n" + checklistText(checklist)));
    if (!checked.unlooked.empty() && report.errorCount() == 0)
        printMessage("findings that need the program (OPT-03, OPT-07, PERF-01 to PERF-05) are left out: " +
                     checked.unlooked);
    const int status = report.exitStatus();
    if (status != 0) explainFailure(report);
    return status;
}

}  // namespace cubist::cli
