// SPDX-License-Identifier: GPL-3.0-or-later
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/request.h"
#include "core/exchange/skeleton_json.h"
#include "core/run/variant_compare.h"

namespace cubist::cli {

Result<int> variantsCommand(const Arguments& arguments, Session& session) {
    CUBIST_TRY(const DesignRequest request, makeRequest(arguments, session));
    OutputFiles outputs;
    protectInputs(request, outputs);
    const auto json = arguments.value(OptionId::Json);
    if (json) CUBIST_CHECK_OK(outputs.announceFile("--json", *json));

    ProgressLine line;
    RunContext context = makeContext(request, session);
    context.progress = [&line](double fraction, std::string_view phase) { line.show(fraction, phase); };
    CUBIST_TRY(const std::vector<VariantFigures> figures,
               compareVariants(request.run, designVariants(*request.run.design), context));
    line.clear();
    if (json) outputs.add(*json, variantsJson(figures));
    CUBIST_CHECK_OK(finish(outputs, session));
    if (!outputs.usesStandardOutput()) CUBIST_CHECK_OK(printResult(variantsText(figures)));
    return 0;
}

}  // namespace cubist::cli
