// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/output_files.h"
#include "app/cli/request.h"
#include "app/design_library.h"
#include "core/exchange/fidelity.h"
#include "core/exchange/files.h"
#include "core/exchange/json_text.h"

namespace cubist::cli {
namespace {

constexpr std::size_t kMaxFileBytes = JsonLimits{}.bytes;

}  // namespace

Result<int> fidelityCommand(const Arguments& arguments, Session& session) {
    OutputFiles outputs;
    outputs.protect(arguments.operand());
    const auto json = arguments.value(OptionId::Json);
    if (json) CUBIST_CHECK_OK(outputs.announceFile("--json", *json));
    CUBIST_TRY(const std::string text, readFile(arguments.operand(), kMaxFileBytes));
    Result<std::vector<FidelityCase>> cases = readFidelityCases(text);
    if (!cases) {
        Error error = std::move(cases).error();
        if (!error.where.empty()) error.message = error.where + ": " + error.message;
        error.where = arguments.operand();
        return unexpected(std::move(error));
    }
    const ChipLibrary chips = loadChips(session.paths);
    ProgressLine line;
    RunContext context;
    context.stop = session.signals->token();
    if (!outputs.usesStandardOutput())
        context.progress = [&](double fraction, std::string_view phase) { line.show(fraction, phase); };
    CUBIST_TRY(const FidelityReport report,
               measureFidelity(
                   *cases, [&](const std::string& name) { return chips.find(name); }, context));
    line.clear();

    const auto missing = [](const FidelityResult& result) { return !result.predictedMicroseconds; };
    const auto count = std::count_if(report.cases.begin(), report.cases.end(), missing);
    const bool none = count == static_cast<std::ptrdiff_t>(report.cases.size());
    for (const FidelityResult& result : report.cases)
        if (missing(result)) printWarning(result.measured.id + " cannot be expressed: " + result.reason);
    if (none || (count > 0 && arguments.has(OptionId::Strict)))
        return unexpected(
            ErrorCode::Unsupported,
            std::to_string(count) + " of " + std::to_string(report.cases.size()) + " cases cannot be expressed",
            arguments.operand());
    if (json) outputs.add(*json, fidelityJson(report));
    CUBIST_CHECK_OK(finish(outputs, session));
    if (!outputs.usesStandardOutput()) CUBIST_CHECK_OK(printResult(fidelityText(report)));
    return 0;
}

}  // namespace cubist::cli
