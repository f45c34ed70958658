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

    CUBIST_TRY(const RunReport report, checkOnly(request.run, makeContext(request, session)));
    CUBIST_TRY(const Checklist checklist, measuredChecklist(request.run, makeContext(request, session)));
    if (json) outputs.add(*json, resultJson(report, false, nullptr, &checklist));
    if (sarif) outputs.add(*sarif, sarifText(report.findings, request.designFile, versionText()));
    CUBIST_CHECK_OK(finish(outputs, session));
    if (!outputs.usesStandardOutput())
        CUBIST_CHECK_OK(printResult(textReport(request.run, report) + "\n" + checklistText(checklist)));
    const int status = report.exitStatus();
    if (status != 0) explainFailure(report);
    return status;
}

}  // namespace cubist::cli
