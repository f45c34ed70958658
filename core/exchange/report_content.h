// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/run/run.h"

namespace cubist {

struct ReportColumn {
    std::string title;
    bool number = false;  ///< aligned to the right
};

struct ReportTable {
    std::vector<ReportColumn> columns;
    std::vector<std::vector<std::string>> rows;  ///< one text per column
};

enum class ReportTone : std::uint8_t { Plain, Good, Warning, Bad };

struct ReportSection {
    std::string title;
    std::string headline;
    ReportTone tone = ReportTone::Plain;
    std::vector<ReportTable> tables;
    std::vector<std::string> notes;  ///< under the tables
};

/// Columns as wide as their longest entry, two blanks in front.
[[nodiscard]] std::string tableText(const ReportTable& table);

/// What a report for people says, apart from how it looks: text and HTML show the same.
struct ReportContent {
    std::string title;
    std::vector<std::string> lines;
    std::vector<ReportSection> sections;
};

[[nodiscard]] ReportContent reportContent(const RunRequest& request, const RunReport& report);

}  // namespace cubist
