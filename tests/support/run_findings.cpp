// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/run_findings.h"

#include "tests/support/emulation.h"

namespace cubist::test {

RunRequest valueRequest(Design design) {
    RunRequest request = requestFor(std::move(design));
    request.timing = false;
    return request;
}

QStringList messagesOf(const Design& design, const char* rule, bool checked) {
    RunRequest request = valueRequest(design);
    request.checked = checked;
    const auto report = cubist::run(request, {});
    if (!report) qFatal("%s", report.error().message.c_str());
    QStringList messages;
    for (const Finding& finding : report->findings)
        if (finding.ruleId == rule) messages << QString::fromStdString(finding.message);
    return messages;
}

std::string loopOf(const std::string& id, const std::string& index, const std::string& body) {
    return R"({"kind": "loop", "id": ")" + id + R"(", "axis": 1, "tile": 1, "index": ")" + index + R"(", "body": [)" +
           body + "]}";
}

}  // namespace cubist::test
