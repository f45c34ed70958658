// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/report.h"

#include <algorithm>
#include <string_view>

#include "core/exchange/report_content.h"

namespace cubist {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #5d6773; --line: #d7dce2; --paper: #ffffff;
        --good: #1a7f45; --warning: #9a6700; --bad: #c0312b; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ec; --soft: #9aa5b1; --line: #39424c; --paper: #171b20;
          --good: #4cc38a; --warning: #e0a93b; --bad: #ff7b72; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto;
       max-width: 70rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: .2rem; } h2 { font-size: 1.1rem; margin: 1.8rem 0 .4rem; }
p { margin: .2rem 0; color: var(--soft); } .scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .6rem 0; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 500; } .number { text-align: right; }
.good { color: var(--good); } .warning { color: var(--warning); } .bad { color: var(--bad); }
)";

std::string_view toneClass(ReportTone tone) {
    switch (tone) {
        case ReportTone::Plain: return "plain";
        case ReportTone::Good: return "good";
        case ReportTone::Warning: return "warning";
        case ReportTone::Bad: return "bad";
    }
    return "plain";
}

/// Characters of UTF-8 text: what alignment counts.
std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

void appendLine(std::string& text, const ReportTable& table, const std::vector<std::size_t>& widths,
                const std::vector<std::string>& cells) {
    std::string line = " ";
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string space(widths[i] - width(cells[i]), ' ');
        line += " " + (table.columns[i].number ? space + cells[i] : cells[i] + space) + " ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
}

void appendTable(std::string& text, const ReportTable& table) {
    std::vector<std::string> titles;
    std::vector<std::size_t> widths;
    for (const ReportColumn& column : table.columns) {
        titles.push_back(column.title);
        widths.push_back(width(column.title));
    }
    for (const auto& row : table.rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
    appendLine(text, table, widths, titles);
    for (const auto& row : table.rows) appendLine(text, table, widths, row);
}

std::string escaped(const std::string& text) {
    std::string html;
    for (const char c : text) {
        switch (c) {
            case '&': html += "&amp;"; break;
            case '<': html += "&lt;"; break;
            case '>': html += "&gt;"; break;
            case '"': html += "&quot;"; break;
            default: html += c;
        }
    }
    return html;
}

void appendHtmlTable(std::string& html, const ReportTable& table) {
    const auto cell = [&](std::string_view tag, std::size_t column, const std::string& text) {
        html += "<" + std::string(tag) + (table.columns[column].number ? " class=\"number\">" : ">") + escaped(text) +
                "</" + std::string(tag) + ">";
    };
    html += "<div class=\"scroll\"><table>\n<tr>";
    for (std::size_t i = 0; i < table.columns.size(); ++i) cell("th", i, table.columns[i].title);
    html += "</tr>\n";
    for (const auto& row : table.rows) {
        html += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i) cell("td", i, row[i]);
        html += "</tr>\n";
    }
    html += "</table></div>\n";
}

}  // namespace

std::string tableText(const ReportTable& table) {
    std::string text;
    appendTable(text, table);
    return text;
}

std::string textReport(const RunRequest& request, const RunReport& report) {
    const ReportContent content = reportContent(request, report);
    std::string text = content.title + "\n";
    for (const std::string& line : content.lines) text += "  " + line + "\n";
    for (const ReportSection& section : content.sections) {
        text += "\n" + section.title + ": " + section.headline + "\n";
        for (std::size_t i = 0; i < section.tables.size(); ++i) {
            if (i > 0) text += "\n";
            appendTable(text, section.tables[i]);
        }
        if (!section.notes.empty() && !section.tables.empty()) text += "\n";
        for (const std::string& note : section.notes) text += "  " + note + "\n";
    }
    return text;
}

std::string htmlReport(const RunRequest& request, const RunReport& report) {
    const ReportContent content = reportContent(request, report);
    std::string html =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
        escaped(content.title) + " - Cubist</title>\n<style>" + std::string(kStyle) +
        "</style>\n</head>\n<body>\n<h1>" + escaped(content.title) + "</h1>\n";
    for (const std::string& line : content.lines) html += "<p>" + escaped(line) + "</p>\n";
    for (const ReportSection& section : content.sections) {
        html += "<h2>" + escaped(section.title) + ": <span class=\"" + std::string(toneClass(section.tone)) + "\">" +
                escaped(section.headline) + "</span></h2>\n";
        for (const ReportTable& table : section.tables) appendHtmlTable(html, table);
        for (const std::string& note : section.notes) html += "<p>" + escaped(note) + "</p>\n";
    }
    return html + "</body>\n</html>\n";
}

}  // namespace cubist
