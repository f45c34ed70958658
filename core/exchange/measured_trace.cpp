// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/measured_trace.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/exchange/files.h"
#include "core/exchange/json_text.h"

namespace cubist {
namespace {

/// Files from devices are large, but not larger than this.
constexpr std::size_t kMaxBytes = std::size_t{48} << 20;
constexpr std::size_t kMaxTasks = 200'000;
constexpr std::size_t kMaxValues = 150'000;  // of one core or event
/// Times beyond it (a year in nanoseconds is a thirtieth) are no counter of a device.
constexpr double kMaxTime = 1e18;

/// A number, or a string that is one: some tools write counters as text.
std::optional<double> realIn(const JsonValue* value) {
    if (value == nullptr || (!value->isNumber() && !value->isString())) return std::nullopt;
    double number = 0;
    const char* const last = value->text.data() + value->text.size();
    const auto [end, status] = std::from_chars(value->text.data(), last, number);
    if (status != std::errc() || end != last || !std::isfinite(number)) return std::nullopt;
    if (std::fabs(number) > kMaxTime) return std::nullopt;
    return number;
}

std::string textIn(const JsonValue& object, std::string_view key) {
    const JsonValue* const value = object.find(key);
    return value != nullptr && (value->isString() || value->isNumber()) ? value->text : std::string();
}

std::optional<TaskKind> kindOf(std::string_view core) {
    if (core.starts_with("AIC") && !core.starts_with("AICPU")) return TaskKind::Aic;
    if (core.starts_with("AIV")) return TaskKind::Aiv;
    return std::nullopt;
}

/// "0-1-2-3-4(label)" has the label in the last parentheses.
std::string labelOf(const std::string& name) {
    const std::size_t open = name.find('(');
    if (open == std::string::npos || !name.ends_with(')')) return {};
    return name.substr(open + 1, name.size() - open - 2);
}

Unexpected unusable(const std::string& why) {
    return unexpected(ErrorCode::BadFile, why, {}, "merged_swimlane.json or tilefwk_L1_prof_data*.json is wanted");
}

/// What is known of a thread of the swimlane, in whatever order the events come.
class SwimlaneReader {
public:
    Result<void> take(const JsonValue& event) {
        if (!event.isObject()) return unusable("an event is " + describe(event));
        const std::string phase = textIn(event, "ph");
        if (phase != "M" && phase != "X") return {};
        const std::string thread = textIn(event, "pid") + "/" + textIn(event, "tid");
        if (phase == "M") {
            const JsonValue* const arguments = event.find("args");
            const std::string what = textIn(event, "name");
            if (arguments == nullptr) return {};
            if (what == "thread_name") m_threads[thread] = textIn(*arguments, "name");
            if (what == "process_name") m_processes[textIn(event, "pid")] = textIn(*arguments, "name");
            return {};
        }
        const std::optional<double> start = realIn(event.find("ts")), length = realIn(event.find("dur"));
        const bool timed = start && length && *length >= 0;
        if (m_found.size() >= kMaxTasks) return unusable("more than " + std::to_string(kMaxTasks) + " tasks");
        MeasuredTask task;
        if (timed) task.startUs = *start;
        if (timed) task.endUs = *start + *length;
        task.name = textIn(event, "name");
        task.label = labelOf(task.name);
        const auto [place, isNew] = m_places.try_emplace(thread, m_sources.size());
        if (isNew) m_sources.push_back({thread, textIn(event, "pid")});
        m_found.push_back({std::move(task), place->second, timed});
        return {};
    }

    /// Those of cores: what other lanes hold (AICPU threads, other processes) may look as it likes.
    Result<std::vector<MeasuredTask>> tasks() {
        std::vector<MeasuredTask> all;
        for (Found& found : m_found) {
            const Source& source = m_sources[found.source];
            const auto process = m_processes.find(source.process);
            if (process != m_processes.end() && !process->second.starts_with("Machine View")) continue;
            const auto thread = m_threads.find(source.thread);
            const std::optional<TaskKind> kind = thread == m_threads.end() ? std::nullopt : kindOf(thread->second);
            if (!kind) continue;
            if (!found.timed) return unusable("the event " + quotedForMessage(found.task.name) + " has no times");
            found.task.kind = *kind;
            found.task.core = thread->second;
            all.push_back(std::move(found.task));
        }
        return all;
    }

private:
    struct Source {
        std::string thread, process;
    };
    struct Found {
        MeasuredTask task;
        std::size_t source = 0;
        bool timed = true;
    };
    std::deque<Found> m_found;
    std::vector<Source> m_sources;
    std::map<std::string, std::size_t> m_places;  ///< of threads in m_sources
    std::map<std::string, std::string> m_threads, m_processes;
};

Result<void> takeCore(const JsonValue& core, double ticksPerUs, std::vector<MeasuredTask>& tasks) {
    if (!core.isObject()) return unusable("an entry is " + describe(core));
    const std::optional<TaskKind> kind = kindOf(textIn(core, "coreType"));
    const JsonValue* const list = core.find("tasks");
    if (!kind) return {};
    if (list == nullptr || !list->isArray()) return unusable("a core has no list of tasks");
    for (const JsonValue& entry : list->items) {
        const std::optional<double> start = realIn(entry.find("execStart")), end = realIn(entry.find("execEnd"));
        if (!start || !end || *end < *start) return unusable("a task has no execStart and execEnd");
        if (tasks.size() >= kMaxTasks) return unusable("more than " + std::to_string(kMaxTasks) + " tasks");
        MeasuredTask task;
        task.kind = *kind;
        task.core = textIn(core, "coreType") + "_" + textIn(core, "blockIdx");
        task.startUs = *start / ticksPerUs;
        task.endUs = *end / ticksPerUs;
        task.name = textIn(entry, "seqNo") + "-" + textIn(entry, "taskId");
        task.label = textIn(entry, "label");
        tasks.push_back(std::move(task));
    }
    return {};
}

Result<std::vector<MeasuredTask>> readTasks(std::string_view text, double ticksPerUs) {
    JsonLimits limits;
    limits.bytes = kMaxBytes;
    limits.values = kMaxValues;
    const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (first != std::string_view::npos && text[first] == '[') {
        std::vector<MeasuredTask> tasks;
        CUBIST_CHECK_OK(
            parseJsonItems(text, {}, limits, [&](const JsonValue& core) { return takeCore(core, ticksPerUs, tasks); }));
        return tasks;
    }
    SwimlaneReader reader;
    CUBIST_CHECK_OK(
        parseJsonItems(text, "traceEvents", limits, [&](const JsonValue& event) { return reader.take(event); }));
    return reader.tasks();
}

/// An execution that a file lists twice (files of several devices put together) counts once. Returns how many went.
std::int64_t dropDoubled(std::vector<MeasuredTask>& tasks) {
    std::set<std::tuple<std::string, std::string, double, double>> seen;
    const std::size_t before = tasks.size();
    std::erase_if(tasks, [&](const MeasuredTask& task) {
        return !seen.emplace(task.core, task.name, task.startUs, task.endUs).second;
    });
    return static_cast<std::int64_t>(before - tasks.size());
}

Result<MeasuredTrace> readUnnamed(const std::string& path, double ticksPerUs) {
    CUBIST_TRY(const InputFile file, InputFile::open(path));
    if (file.size() < 0) return unusable("a trace cannot be read from a pipe");
    CUBIST_TRY(const MappedBytes mapped, file.map(0, static_cast<std::size_t>(file.size())));
    const std::string_view text(reinterpret_cast<const char*>(mapped.bytes.data()), mapped.bytes.size());
    CUBIST_TRY(std::vector<MeasuredTask> tasks, readTasks(text, ticksPerUs));
    if (tasks.empty()) return unusable("the file has no task of a core");
    MeasuredTrace trace;
    trace.doubled = dropDoubled(tasks);
    trace.tasks = std::move(tasks);
    std::stable_sort(trace.tasks.begin(), trace.tasks.end(),
                     [](const MeasuredTask& a, const MeasuredTask& b) { return a.startUs < b.startUs; });
    const double zero = trace.tasks.front().startUs;
    for (MeasuredTask& task : trace.tasks) {
        task.startUs -= zero;
        task.endUs -= zero;
        trace.spanUs = std::max(trace.spanUs, task.endUs);
    }
    return trace;
}

}  // namespace

Result<MeasuredTrace> readMeasuredTrace(const std::string& path, double ticksPerUs) {
    Result<MeasuredTrace> trace = readUnnamed(path, ticksPerUs);
    if (trace) return trace;
    Error error = std::move(trace).error();
    if (error.where != path) error.where = error.where.empty() ? path : path + ": " + error.where;
    return unexpected(std::move(error));
}

double deviceTicksPerUs(const ChipSpec& chip) {
    return chip.arch == "3510" ? 1000.0 : 50.0;
}

}  // namespace cubist
