// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/csv_export.h"

#include <array>
#include <utility>

#include "core/exchange/event_stream.h"
#include "core/exchange/result_values.h"
#include "core/exchange/trace_source.h"

namespace cubist {
namespace {

using Cells = std::vector<std::string>;

std::string csvLine(const Cells& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) line += (i > 0 ? "," : "") + csvCell(cells[i]);
    return line + "\n";
}

std::string ratioText(double value) {
    return resultValue(value).text;
}

std::string stagesTable(const RunReport& report) {
    const Trace& trace = *report.trace;
    std::string table = csvLine({"id", "label", "kind", "tasks", "span_us", "busy_us", "critical_us"});
    for (const StageTiming& timing : trace.stages) {
        const ProgramStage& stage = report.program->stages[timing.stage.value];
        table +=
            csvLine({stage.id.text, stage.label, stage.kind == TaskKind::Aic ? "C" : "V", std::to_string(timing.tasks),
                     microsecondText(trace.microseconds(timing.span)), microsecondText(trace.microseconds(timing.busy)),
                     microsecondText(trace.microseconds(timing.critical))});
    }
    return table;
}

std::string pipesTable(const Trace& trace) {
    std::string table = csvLine({"pipe", "busy_us", "wait_us"});
    for (const PipeTiming& pipe : trace.pipes)
        table += csvLine({std::string(pipeName(pipe.pipe)), microsecondText(trace.microseconds(pipe.busy)),
                          microsecondText(trace.microseconds(pipe.wait))});
    return table;
}

std::string causesTable(const Trace& trace) {
    std::string table = csvLine({"cause", "ticks", "us", "share"});
    const double all = static_cast<double>(trace.lanes) * static_cast<double>(trace.kernel.value);
    for (const auto& [cause, name] : EnumTable<Cause>::entries) {
        const Ticks ticks = trace.causes[static_cast<std::size_t>(cause)];
        table += csvLine({std::string(name), std::to_string(ticks.value), microsecondText(trace.microseconds(ticks)),
                          ratioText(all > 0 ? static_cast<double>(ticks.value) / all : 0.0)});
    }
    return table;
}

std::string coreName(CoreRef core) {
    return std::string(kindName(core.kind)) + "_" + std::to_string(core.index);
}

std::string tasksTable(const TraceSource& source) {
    std::string table =
        csvLine({"task", "stage", "label", "core", "iteration", "ready_us", "start_us", "end_us", "last_dependency"});
    for (const TraceTask& task : source.tasks()) {
        std::string iteration;
        for (const std::int64_t index : source.iteration(task))
            iteration += (iteration.empty() ? "" : " ") + std::to_string(index);
        table +=
            csvLine({std::to_string(task.index.value), source.stage(task).id.text, source.label(task),
                     coreName(task.core), iteration, microsecondText(source.microseconds(task.ready)),
                     microsecondText(source.microseconds(task.start)), microsecondText(source.microseconds(task.end)),
                     task.lastDependency ? std::to_string(task.lastDependency->value) : ""});
    }
    return table;
}

struct PipeColumn {
    TaskKind kind;
    Pipe pipe;
    std::string_view name;  ///< "aic_mac": msprof's
};
constexpr std::array kPipeColumns{
    PipeColumn{TaskKind::Aic, Pipe::M, "aic_mac"},       PipeColumn{TaskKind::Aic, Pipe::S, "aic_scalar"},
    PipeColumn{TaskKind::Aic, Pipe::MTE1, "aic_mte1"},   PipeColumn{TaskKind::Aic, Pipe::MTE2, "aic_mte2"},
    PipeColumn{TaskKind::Aic, Pipe::FIX, "aic_fixpipe"}, PipeColumn{TaskKind::Aiv, Pipe::V, "aiv_vec"},
    PipeColumn{TaskKind::Aiv, Pipe::S, "aiv_scalar"},    PipeColumn{TaskKind::Aiv, Pipe::MTE2, "aiv_mte2"},
    PipeColumn{TaskKind::Aiv, Pipe::MTE3, "aiv_mte3"},
};

std::string pipeUtilisation(const TraceSource& source) {
    Cells head{"block_id", "core", "aic_time(us)", "aiv_time(us)"};
    for (const PipeColumn& column : kPipeColumns) {
        head.push_back(std::string(column.name) + "_time(us)");
        head.push_back(std::string(column.name) + "_ratio");
    }
    std::string table = csvLine(head);
    for (std::size_t place = 0; place < source.cores().size(); ++place) {
        if (source.cores()[place].empty()) continue;
        const CoreRef core = source.coreAt(place);
        std::array<Ticks, kPipeCount> busy{};
        Ticks time;
        for (const TaskIndex index : source.cores()[place]) {
            const TraceTask& task = source.tasks()[index.value];
            time += task.end - task.start;
            for (const LaneInterval& interval : source.lanes(task, core))
                if (interval.cause == Cause::Busy)
                    busy[static_cast<std::size_t>(interval.pipe)] += interval.end - interval.start;
        }
        const std::string timeText = microsecondText(source.microseconds(time));
        const bool aic = core.kind == TaskKind::Aic;
        Cells row{std::to_string(aic ? core.index : core.index / 2), coreName(core), aic ? timeText : "",
                  aic ? "" : timeText};
        for (const PipeColumn& column : kPipeColumns) {
            const Ticks spent = busy[static_cast<std::size_t>(column.pipe)];
            const double share =
                time.value > 0 ? static_cast<double>(spent.value) / static_cast<double>(time.value) : 0.0;
            row.push_back(column.kind == core.kind ? microsecondText(source.microseconds(spent)) : "");
            row.push_back(column.kind == core.kind ? ratioText(share) : "");
        }
        table += csvLine(row);
    }
    return table;
}

}  // namespace

std::string csvCell(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + "\"";
}

std::map<std::string, std::string> csvTables(const RunReport& report) {
    const TraceSource source(*report.program, *report.trace);
    return {{"stages.csv", stagesTable(report)},
            {"pipes.csv", pipesTable(*report.trace)},
            {"causes.csv", causesTable(*report.trace)},
            {"tasks.csv", tasksTable(source)},
            {"PipeUtilization.csv", pipeUtilisation(source)}};
}

}  // namespace cubist
