// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>

#include "app/cli/commands.h"
#include "app/cli/option_values.h"
#include "app/cli/request.h"
#include "app/version.h"
#include "core/exchange/config_export.h"

namespace cubist::cli {

Result<int> exportCommand(const Arguments& arguments, Session& session) {
    const auto format = arguments.value(OptionId::Format);
    if (!format) return unexpected(ErrorCode::BadValue, "export wants --format", {}, "available: config");
    constexpr std::array later{"pypto", "perfetto", "pypto-swimlane", "mindstudio", "csv", "bundle"};
    if (std::find(later.begin(), later.end(), *format) != later.end())
        return unexpected(ErrorCode::Unsupported, "the format " + *format + " is not available yet", {},
                          "available: config");
    if (*format != "config") return unexpected(unknownSpelling(OptionId::Format, *format, {"config"}));
    const auto output = arguments.value(OptionId::Output);
    if (!output) return unexpected(ErrorCode::BadValue, "export wants -o FILE");

    CUBIST_TRY(const DesignRequest request, makeRequest(arguments, session));
    OutputFiles files;
    protectInputs(request, files);
    CUBIST_CHECK_OK(files.announceFile("-o", *output));
    CUBIST_TRY(const RunReport report, predictOnly(request.run, makeContext(request, session)));
    if (report.exitStatus() != 0) {
        explainFailure(report);
        return report.exitStatus();
    }
    CUBIST_TRY(const KernelConfig config, kernelConfig(request.run, report, versionText()));
    files.add(*output, kernelConfigText(config));
    CUBIST_CHECK_OK(finish(files, session));
    return 0;
}

}  // namespace cubist::cli
