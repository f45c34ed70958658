// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/trace_overlay.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "core/exchange/result_values.h"
#include "core/exchange/trace_source.h"

namespace cubist {
namespace {

class SideBuilder {
public:
    void add(double start, double end) {
        m_first = m_side.tasks == 0 ? start : std::min(m_first, start);
        m_last = std::max(m_last, end);
        m_side.busyUs += end - start;
        ++m_side.tasks;
    }
    [[nodiscard]] OverlaySide side() const {
        OverlaySide side = m_side;
        side.spanUs = side.tasks == 0 ? 0.0 : m_last - m_first;
        return side;
    }

private:
    OverlaySide m_side;
    double m_first = 0, m_last = 0;
};

std::optional<StageIndex> stageOf(const Program& program, const MeasuredTask& task) {
    std::optional<StageIndex> ofKind;
    bool several = false;
    for (std::size_t i = 0; i < program.stages.size(); ++i) {
        const ProgramStage& stage = program.stages[i];
        if (!task.label.empty() && (stage.label == task.label || stage.id.text == task.label)) return StageIndex(i);
        if (stage.kind != task.kind) continue;
        several = several || ofKind;
        ofKind = StageIndex(i);
    }
    return task.label.empty() && !several ? ofKind : std::nullopt;
}

/// "-12.3 %": how much longer the measured time is.
std::string differenceText(double emulated, double measured) {
    if (!(emulated > 0) || !(measured > 0)) return "";
    const double percent = (measured / emulated - 1) * 100;
    const auto tenths = static_cast<std::int64_t>(percent * 10 + (percent < 0 ? -0.5 : 0.5));
    const std::int64_t size = tenths < 0 ? -tenths : tenths;
    return (tenths < 0 ? "-" : "+") + std::to_string(size / 10) + "." + std::to_string(size % 10) + " %";
}

std::string timeText(double microseconds) {
    const auto hundredths = static_cast<std::int64_t>(microseconds * 100 + 0.5);
    const std::int64_t rest = hundredths % 100;
    return std::to_string(hundredths / 100) + (rest < 10 ? ".0" : ".") + std::to_string(rest);
}

void addRow(std::vector<std::array<std::string, 8>>& rows, const std::string& name, const OverlaySide& emulated,
            const OverlaySide& measured) {
    rows.push_back({name, std::to_string(emulated.tasks), std::to_string(measured.tasks), timeText(emulated.spanUs),
                    timeText(measured.spanUs), timeText(emulated.busyUs), timeText(measured.busyUs),
                    differenceText(emulated.busyUs, measured.busyUs)});
}

JsonValue sideJson(const OverlaySide& side) {
    JsonValue json = JsonValue::object();
    put(json, "tasks", side.tasks);
    put(json, "span_us", side.spanUs);
    put(json, "busy_us", side.busyUs);
    return json;
}

}  // namespace

TraceOverlay overlayTraces(const Program& program, const Trace& trace, MeasuredTrace measured) {
    TraceOverlay overlay;
    const std::size_t count = program.stages.size();
    std::vector<SideBuilder> emulatedSides(count), measuredSides(count);
    SideBuilder emulatedAll, measuredAll;
    const TraceSource source(program, trace);
    for (const TraceTask& task : source.tasks()) {
        const double start = source.microseconds(task.start), end = source.microseconds(task.end);
        emulatedSides[task.stage.value].add(start, end);
        emulatedAll.add(start, end);
    }
    std::set<std::string> unknown;
    for (const MeasuredTask& task : measured.tasks) {
        const std::optional<StageIndex> stage = stageOf(program, task);
        overlay.stageOf.push_back(stage);
        measuredAll.add(task.startUs, task.endUs);
        if (stage)
            measuredSides[stage->value].add(task.startUs, task.endUs);
        else
            unknown.insert(task.label);
    }
    for (std::size_t i = 0; i < count; ++i)
        overlay.stages.push_back({StageIndex(i), emulatedSides[i].side(), measuredSides[i].side()});
    overlay.unknownLabels.assign(unknown.begin(), unknown.end());
    overlay.emulatedTotal = emulatedAll.side();
    overlay.measuredTotal = measuredAll.side();
    overlay.measured = std::move(measured);
    return overlay;
}

std::string overlayText(const Program& program, const TraceOverlay& overlay) {
    std::vector<std::array<std::string, 8>> rows{
        {"measured", "tasks", "measured", "span us", "measured", "busy us", "measured", "difference"}};
    for (const OverlayStage& stage : overlay.stages)
        addRow(rows, program.stages[stage.stage.value].id.text, stage.emulated, stage.measured);
    addRow(rows, "all", overlay.emulatedTotal, overlay.measuredTotal);
    std::array<std::size_t, 8> widths{};
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (const auto& row : rows) {
        std::string line = "  " + row[0] + std::string(widths[0] - row[0].size(), ' ');
        for (std::size_t i = 1; i < row.size(); ++i)
            line += "  " + std::string(widths[i] - row[i].size(), ' ') + row[i];
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    if (overlay.measured.doubled > 0)
        text += "  " + std::to_string(overlay.measured.doubled) + " measured tasks are listed twice: they count once\n";
    for (const std::string& label : overlay.unknownLabels)
        text += label.empty() ? "  some measured tasks have no label\n"
                              : "  no stage has the measured label '" + label + "'\n";
    return text;
}

JsonValue overlayJson(const Program& program, const TraceOverlay& overlay) {
    JsonValue json = JsonValue::object();
    put(json, "emulated", sideJson(overlay.emulatedTotal));
    put(json, "measured", sideJson(overlay.measuredTotal));
    JsonValue& stages = put(json, "stages", JsonValue::array());
    for (const OverlayStage& stage : overlay.stages) {
        JsonValue& entry = stages.push(JsonValue::object());
        put(entry, "id", program.stages[stage.stage.value].id.text);
        put(entry, "emulated", sideJson(stage.emulated));
        put(entry, "measured", sideJson(stage.measured));
    }
    put(json, "doubled", overlay.measured.doubled);
    put(json, "unknown_labels", overlay.unknownLabels);
    return json;
}

}  // namespace cubist
