// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/chrome_trace.h"

#include <set>
#include <utility>

#include "core/exchange/json_text.h"
#include "core/exchange/json_value.h"
#include "core/exchange/result_values.h"

namespace cubist {
namespace {

int processOf(TaskKind kind) {
    return kind == TaskKind::Aic ? 0 : 1;
}

std::string_view kindName(TaskKind kind) {
    return kind == TaskKind::Aic ? "AIC" : "AIV";
}

JsonValue nameEvent(std::string_view what, TaskKind kind, int thread, const std::string& name) {
    JsonValue event = JsonValue::object();
    put(event, "ph", "M");
    put(event, "name", what);
    put(event, "pid", processOf(kind));
    put(event, "tid", thread);
    put(put(event, "args", JsonValue::object()), "name", name);
    return event;
}

JsonValue taskEvent(const Program& program, const Trace& trace, const TaskInterval& interval) {
    const Task& task = program.tasks[interval.task.value];
    const ProgramStage& stage = program.stages[program.stageOf(task).value];
    JsonValue event = JsonValue::object();
    put(event, "ph", "X");
    put(event, "name", stage.label.empty() ? stage.id.text : stage.label);
    put(event, "cat", stage.kind == TaskKind::Aic ? "C" : "V");
    put(event, "pid", processOf(interval.core.kind));
    put(event, "tid", interval.core.index);
    put(event, "ts", trace.microseconds(interval.start));
    put(event, "dur", trace.microseconds(interval.end - interval.start));
    JsonValue& arguments = put(event, "args", JsonValue::object());
    put(arguments, "task", interval.task.value);
    put(arguments, "stage", stage.id.text);
    const std::span<const TaskMember> members = program.membersOf(task);
    put(arguments, "block", std::vector<std::int64_t>{members.front().blockM, members.front().blockN});
    if (members.size() > 1) {
        JsonValue& merged = put(arguments, "members", JsonValue::array());
        for (const TaskMember& member : members) {
            JsonValue entry = JsonValue::object();
            put(entry, "stage", program.stages[member.stage.value].id.text);
            put(entry, "block", std::vector<std::int64_t>{member.blockM, member.blockN});
            merged.push(std::move(entry));
        }
    }
    put(arguments, "iteration", program.roots[task.root.value].index);
    put(arguments, "ready_ticks", interval.ready.value);
    put(arguments, "start_ticks", interval.start.value);
    put(arguments, "end_ticks", interval.end.value);
    return event;
}

}  // namespace

std::string chromeTrace(const Program& program, const Trace& trace) {
    std::set<std::pair<int, std::uint16_t>> cores;
    std::string text = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
    std::string_view separator = "\n";
    const auto append = [&](const JsonValue& event) {
        text += separator;
        text += compactJson(event);
        separator = ",\n";
    };
    for (const TaskInterval& interval : trace.tasks) cores.emplace(processOf(interval.core.kind), interval.core.index);
    for (const TaskKind kind : {TaskKind::Aic, TaskKind::Aiv}) {
        bool first = true;
        for (const auto& [process, index] : cores) {
            if (process != processOf(kind)) continue;
            const std::string name(kindName(kind));
            if (std::exchange(first, false)) append(nameEvent("process_name", kind, 0, name));
            append(nameEvent("thread_name", kind, index, name + " " + std::to_string(index)));
        }
    }
    for (const TaskInterval& interval : trace.tasks) append(taskEvent(program, trace, interval));
    return text + "\n]}\n";
}

}  // namespace cubist
