// SPDX-License-Identifier: GPL-3.0-or-later
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/option_values.h"
#include "app/cli/request.h"
#include "core/exchange/run_compare.h"

namespace cubist::cli {

Result<int> compareCommand(const Arguments& arguments, Session& session) {
    std::optional<double> maxSlower;
    if (const auto text = arguments.value(OptionId::MaxSlower)) {
        CUBIST_TRY(maxSlower, percentOption(OptionId::MaxSlower, *text));
    }
    OutputFiles outputs;
    outputs.protect(arguments.operand(0));
    outputs.protect(arguments.operand(1));
    const auto json = arguments.value(OptionId::Json);
    const auto junit = arguments.value(OptionId::Junit);
    if (json) CUBIST_CHECK_OK(outputs.announceFile("--json", *json));
    if (junit) CUBIST_CHECK_OK(outputs.announceFile("--junit", *junit));

    CUBIST_TRY(RunSummary before, loadRunSummary(arguments.operand(0)));
    CUBIST_TRY(RunSummary after, loadRunSummary(arguments.operand(1)));
    CUBIST_TRY(const RunComparison comparison, compareRuns(std::move(before), std::move(after), maxSlower));
    if (json) outputs.add(*json, comparisonJson(comparison));
    if (junit) outputs.add(*junit, comparisonJunit(comparison));
    CUBIST_CHECK_OK(finish(outputs, session));
    if (!outputs.usesStandardOutput()) CUBIST_CHECK_OK(printResult(comparisonText(comparison)));
    if (comparison.tooSlow) printError({ErrorCode::BadValue, slowdownText(comparison)});
    if (comparison.verdictLost)
        printError({ErrorCode::BadValue, "the accuracy verdict was " + comparison.before.verdict + " and is fail"});
    return comparison.failed() ? 1 : 0;
}

}  // namespace cubist::cli
