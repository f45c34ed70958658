// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/skeleton_json.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "core/exchange/json_text.h"
#include "core/exchange/report.h"
#include "core/exchange/report_content.h"
#include "core/exchange/result_values.h"

namespace cubist {
namespace {

void putBoth(JsonValue& object, std::string_view key, const BilingualText& text) {
    put(object, key, text.en);
    put(object, std::string(key) + "_zh", text.zh);
}

std::string_view adviceText(FusionExit::Advice advice) {
    switch (advice) {
        case FusionExit::Advice::Stay: return "stay";
        case FusionExit::Advice::Lighten: return "lighten";
        case FusionExit::Advice::Leave: return "SK-15";
    }
    return "";
}

JsonValue namesJson(const std::vector<BlockId>& ids) {
    JsonValue list = JsonValue::array();
    for (const BlockId& id : ids) list.push(JsonValue::fromString(id.text));
    return list;
}

JsonValue exitJson(const FusionExit& exit) {
    JsonValue json = JsonValue::object();
    put(json, "advice", adviceText(exit.advice));
    putBoth(json, "text", exit.text);
    put(json, "predicted", exit.share.predicted);
    put(json, "unit", exit.share.predicted ? "us" : "cycles");
    put(json, "cube", exit.share.cube);
    put(json, "vector", exit.share.vector);
    put(json, "switches", exit.share.switches);
    if (exit.share.predicted) {
        put(json, "cube_busy", exit.share.cubeBusy);
        put(json, "vector_busy", exit.share.vectorBusy);
        put(json, "kernel", exit.share.kernel);
    }
    JsonValue& stages = put(json, "stages", JsonValue::array());
    for (const auto& [id, work] : exit.share.stages) {
        JsonValue& entry = stages.push(JsonValue::object());
        put(entry, "id", id.text);
        put(entry, "work", work);
    }
    return json;
}

JsonValue stepsJson(const std::vector<StartStep>& steps) {
    JsonValue list = JsonValue::array();
    for (const StartStep& step : steps) {
        JsonValue& entry = list.push(JsonValue::object());
        put(entry, "id", step.setting);
        put(entry, "changed", step.changed);
        putBoth(entry, "note", step.note);
    }
    return list;
}

std::string microseconds(double value) {
    std::string text = numberText(static_cast<double>(static_cast<std::int64_t>(value * 100 + 0.5)) / 100);
    return text;
}

/// A line of the comparison: its title and how to read it from the figures.
struct FigureLine {
    std::string title;
    std::function<std::string(const VariantFigures&)> value;
};

std::vector<FigureLine> figureLines(const std::vector<VariantFigures>& variants) {
    const auto count = [](std::int64_t VariantFigures::*member) {
        return [member](const VariantFigures& figures) { return std::to_string(figures.*member); };
    };
    std::vector<FigureLine> lines{
        {"compiled stages", count(&VariantFigures::compiledStages)},
        {"leaf functions", count(&VariantFigures::leaves)},
        {"instructions of leaves", count(&VariantFigures::leafInstructions)},
        {"expressions", count(&VariantFigures::expressions)},
        {"largest expression (18000)", count(&VariantFigures::largestExpression)},
        {"root functions run", count(&VariantFigures::roots)},
        {"tasks", count(&VariantFigures::tasks)},
        {"instructions run", count(&VariantFigures::instructions)},
    };
    for (std::size_t i = 0; i < kBufferCount; ++i) {
        const auto bytes = [i](const VariantFigures& figures) { return std::to_string(figures.bufferBytes[i]); };
        if (std::any_of(variants.begin(), variants.end(),
                        [i](const VariantFigures& figures) { return figures.bufferBytes[i] > 0; }))
            lines.push_back({std::string(bufferName(static_cast<Buffer>(i))) + " bytes", bytes});
    }
    lines.push_back({"workspaces", count(&VariantFigures::workspaces)});
    lines.push_back({"workspace bytes", count(&VariantFigures::workspaceBytes)});
    lines.push_back({"cores AIC, AIV", [](const VariantFigures& figures) {
                         return std::to_string(figures.usedAic) + ", " + std::to_string(figures.usedAiv);
                     }});
    lines.push_back({"kernel us", [](const VariantFigures& figures) { return microseconds(figures.kernelUs); }});
    lines.push_back({"end to end us", [](const VariantFigures& figures) { return microseconds(figures.endToEndUs); }});
    return lines;
}

}  // namespace

JsonValue checklistJson(const Checklist& checklist) {
    JsonValue json = JsonValue::object();
    put(json, "recommended", checklist.recommended);
    putBoth(json, "reason", checklist.reason);
    JsonValue& items = put(json, "items", JsonValue::array());
    for (const ChecklistItem& item : checklist.items) {
        JsonValue& entry = items.push(JsonValue::object());
        put(entry, "id", item.id);
        putBoth(entry, "question", item.question);
        put(entry, "holds", item.holds);
        putBoth(entry, "evidence", item.evidence);
        put(entry, "stages", namesJson(item.stages));
    }
    put(json, "exit", exitJson(checklist.exit));
    return json;
}

std::string checklistText(const Checklist& checklist) {
    std::string text = "skeleton: " + checklist.recommended;
    text += checklist.isGeneralMatmul() ? " (General Multi-MatMul)\n"
                                        : " fits better than SK-14: " + checklist.reason.en + "\n";
    for (const ChecklistItem& item : checklist.items)
        if (!item.holds) text += "  no: " + item.question.en + "; " + item.evidence.en + "\n";
    const bool told = std::any_of(checklist.items.begin(), checklist.items.end(),
                                  [](const ChecklistItem& item) { return item.id == "cube_dominates" && !item.holds; });
    if (!told) text += "  " + checklist.exit.text.en + "\n";
    return text;
}

std::string configurationJson(const std::vector<ConfigurationRow>& rows, const std::string& sample,
                              const std::vector<StartStep>& steps) {
    JsonValue json = JsonValue::object();
    put(json, "sample", sample.empty() ? JsonValue() : JsonValue::fromString(sample));
    JsonValue& list = put(json, "rows", JsonValue::array());
    for (const ConfigurationRow& row : rows) {
        JsonValue& entry = list.push(JsonValue::object());
        put(entry, "id", row.id);
        put(entry, "level", toText(row.level));
        put(entry, "table", row.table);
        put(entry, "template", row.cardTemplate.empty() ? JsonValue() : JsonValue::fromString(row.cardTemplate));
        put(entry, "shipped", row.shipped ? JsonValue::fromString(*row.shipped) : JsonValue());
        put(entry, "current", row.current);
        put(entry, "differs", row.differs);
        putBoth(entry, "remark", row.remark);
    }
    put(json, "steps", stepsJson(steps));
    return prettyJson(json);
}

std::string configurationText(const std::vector<ConfigurationRow>& rows, const std::string& sample,
                              const std::vector<StartStep>& steps) {
    ReportTable table;
    table.columns = {{"setting"}, {"level"}, {"table"}, {"card template"}};
    if (!sample.empty()) table.columns.push_back({sample});
    table.columns.push_back({"this design"});
    for (const ConfigurationRow& row : rows) {
        std::vector<std::string> cells{row.id, std::string(toText(row.level)), row.table,
                                       row.cardTemplate.empty() ? "-" : row.cardTemplate};
        if (!sample.empty()) cells.push_back(row.shipped.value_or("-"));
        cells.push_back(row.current + (row.differs ? " *" : ""));
        table.rows.push_back(std::move(cells));
    }
    std::string text = "starting values, a start and no fixed value (*: not the table's)\n" + tableText(table);
    if (!steps.empty()) text += "\napplied\n";
    for (const StartStep& step : steps) text += "  " + step.setting + ": " + step.note.en + "\n";
    return text;
}

std::string variantsJson(const std::vector<VariantFigures>& variants) {
    JsonValue json = JsonValue::object();
    JsonValue& list = put(json, "variants", JsonValue::array());
    for (const VariantFigures& figures : variants) {
        JsonValue& entry = list.push(JsonValue::object());
        put(entry, "id", figures.id);
        putBoth(entry, "title", figures.title);
        put(entry, "error", figures.error ? JsonValue::fromString(figures.error->message) : JsonValue());
        put(entry, "errors", figures.errors);
        put(entry, "warnings", figures.warnings);
        put(entry, "finding", figures.firstFinding.empty() ? JsonValue() : JsonValue::fromString(figures.firstFinding));
        JsonValue& compile = put(entry, "compile", JsonValue::object());
        put(compile, "stages", figures.compiledStages);
        put(compile, "leaves", figures.leaves);
        put(compile, "leaf_instructions", figures.leafInstructions);
        put(compile, "expressions", figures.expressions);
        put(compile, "largest_expression", figures.largestExpression);
        put(compile, "roots", figures.roots);
        put(compile, "tasks", figures.tasks);
        put(compile, "instructions", figures.instructions);
        JsonValue& resources = put(entry, "resources", JsonValue::object());
        for (std::size_t i = 0; i < kBufferCount; ++i)
            put(resources, bufferName(static_cast<Buffer>(i)), figures.bufferBytes[i]);
        put(resources, "workspaces", figures.workspaces);
        put(resources, "workspace_bytes", figures.workspaceBytes);
        put(resources, "aic", figures.usedAic);
        put(resources, "aiv", figures.usedAiv);
        JsonValue& time = put(entry, "time", JsonValue::object());
        put(time, "kernel_us", figures.kernelUs);
        put(time, "end_to_end_us", figures.endToEndUs);
    }
    return prettyJson(json);
}

std::string variantsText(const std::vector<VariantFigures>& variants) {
    ReportTable table;
    table.columns.push_back({""});
    for (const VariantFigures& figures : variants) table.columns.push_back({figures.id, true});
    for (const FigureLine& line : figureLines(variants)) {
        std::vector<std::string> cells{line.title};
        for (const VariantFigures& figures : variants)
            cells.push_back(figures.error || figures.errors > 0 ? "-" : line.value(figures));
        table.rows.push_back(std::move(cells));
    }
    std::string text = "forms of the design\n" + tableText(table);
    for (const VariantFigures& figures : variants) {
        text += "  " + figures.id + ": " + figures.title.en;
        if (figures.error) text += "; " + figures.error->message;
        if (!figures.firstFinding.empty()) text += "; " + figures.firstFinding;
        text += "\n";
    }
    return text;
}

}  // namespace cubist
