// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/chrome_trace.h"

#include <algorithm>
#include <cassert>
#include <span>
#include <vector>

#include "core/exchange/trace_source.h"
#include "core/timing/listeners/stalls.h"

namespace cubist {
namespace {

constexpr std::int64_t kLanesPerCore = 8;  ///< thread ids of the pipes: core * 8 + pipe

constexpr std::int64_t kPathProcess = 4;

std::int64_t processOf(TaskKind kind) {
    return kind == TaskKind::Aic ? 0 : 1;
}
std::int64_t pipeProcessOf(TaskKind kind) {
    return processOf(kind) + 2;
}
std::int64_t threadOf(CoreRef core, Pipe pipe) {
    return core.index * kLanesPerCore + static_cast<std::int64_t>(pipe);
}
std::string coreName(CoreRef core) {
    return std::string(kindName(core.kind)) + " " + std::to_string(core.index);
}

std::string integerList(const std::vector<std::int64_t>& values) {
    std::string text = "[";
    for (const std::int64_t value : values) text += (text.size() > 1 ? ", " : "") + std::to_string(value);
    return text + "]";
}

class Writer {
public:
    /// `piped`: how many tasks, the first ones, show their instructions.
    Writer(const TraceSource& source, const TextSink& sink, std::size_t piped)
        : m_source(source),
          m_stream(sink, head(piped, source.tasks().size())),
          m_piped(piped),
          m_pipes(piped > 0 || source.tasks().empty()) {}

    Result<void> run() {
        names();
        for (const TraceTask& task : m_source.tasks()) taskEvent(task);
        for (std::size_t place = 0; place < m_source.cores().size(); ++place) waitsOfCore(place);
        for (const TraceTask& task : std::span(m_source.tasks()).first(m_piped)) pipeEvents(task);
        criticalPath();
        for (const TraceTask& task : m_source.tasks()) flow(task);
        for (const ReadyChange& change : m_source.readyChanges()) counters(change);
        return m_stream.finish("\n]}\n");
    }

private:
    static std::string head(std::size_t piped, std::size_t tasks) {
        std::string pipes = "shown";
        if (piped < tasks)
            pipes += " for the first " + std::to_string(piped) + " of " + std::to_string(tasks) + " tasks";
        return "{\"displayTimeUnit\": \"ns\", \"otherData\": {\"pipes\": \"" + pipes + "\"}, \"traceEvents\": [";
    }

    void nameEvent(std::string_view what, std::int64_t process, std::int64_t thread, std::string_view name) {
        m_stream.event("M").text("name", what).number("pid", process).number("tid", thread);
        m_stream.open("args").text("name", name).close();
    }

    void names() {
        for (const TaskKind kind : {TaskKind::Aic, TaskKind::Aiv}) {
            bool used = false;
            for (std::size_t place = 0; place < m_source.cores().size(); ++place) {
                const CoreRef core = m_source.coreAt(place);
                if (core.kind != kind || m_source.cores()[place].empty()) continue;
                if (!used) {
                    nameEvent("process_name", processOf(kind), 0, kindName(kind));
                    if (m_pipes)
                        nameEvent("process_name", pipeProcessOf(kind), 0, std::string(kindName(kind)) + " pipes");
                }
                used = true;
                nameEvent("thread_name", processOf(kind), core.index, coreName(core));
                if (!m_pipes) continue;
                for (const Pipe pipe : pipesOf(kind))
                    nameEvent("thread_name", pipeProcessOf(kind), threadOf(core, pipe),
                              coreName(core) + " " + std::string(pipeName(pipe)));
            }
        }
    }

    EventStream& complete(std::string_view name, std::string_view category, std::int64_t process, std::int64_t thread,
                          Ticks start, Ticks end) {
        return m_stream.event("X")
            .text("name", name)
            .text("cat", category)
            .number("pid", process)
            .number("tid", thread)
            .span(m_source.microseconds(start), m_source.microseconds(end));
    }

    void taskEvent(const TraceTask& task) {
        for (const CoreRef core : m_source.coresOf(task)) taskEvent(task, core);
    }

    void taskEvent(const TraceTask& task, CoreRef core) {
        complete(m_source.label(task), m_source.stage(task).kind == TaskKind::Aic ? "C" : "V", processOf(core.kind),
                 core.index, task.start, task.end)
            .open("args")
            .number("task", task.index.value)
            .text("stage", m_source.stage(task).id.text)
            .json("block", integerList({task.blockM, task.blockN}));
        if (const std::span<const TaskMember> members = m_source.members(task); members.size() > 1)
            m_stream.json("members", membersText(members));
        m_stream.json("iteration", integerList(m_source.iteration(task)))
            .number("ready_ticks", task.ready.value)
            .number("start_ticks", task.start.value)
            .number("end_ticks", task.end.value)
            .close();
    }

    [[nodiscard]] std::string membersText(std::span<const TaskMember> members) const {
        std::string text;
        for (const TaskMember& member : members)
            text += (text.empty() ? "[{\"stage\": " : ", {\"stage\": ") + jsonString(m_source.stageId(member.stage)) +
                    ", \"block\": " + integerList({member.blockM, member.blockN}) + "}";
        return text + "]";
    }

    void waitEvent(Cause cause, CoreRef core, Ticks start, Ticks end, const TraceTask* next) {
        if (start == end) return;
        EventStream& event = complete(toText(cause), "wait", processOf(core.kind), core.index, start, end).open("args");
        if (const auto subject = m_source.subjectOfGap(cause, next)) event.number("task", subject->value);
        event.text("detail", m_source.describeGap(cause, next))
            .number("start_ticks", start.value)
            .number("end_ticks", end.value)
            .close();
    }

    /// Between its tasks all lanes of a core wait for the same thing.
    void waitsOfCore(std::size_t place) {
        const std::vector<TaskIndex>& tasks = m_source.cores()[place];
        if (tasks.empty()) return;  // such a core has no thread
        const CoreRef core = m_source.coreAt(place);
        Ticks free;
        for (const TaskIndex index : tasks) {
            const TraceTask& task = m_source.tasks()[index.value];
            for (const auto& [cause, end] : m_source.gapBefore(free, task)) {
                waitEvent(cause, core, free, end, &task);
                free = end;
            }
            free = task.end;
        }
        waitEvent(Cause::Tail, core, free, m_source.kernel(), nullptr);
    }

    void pipeEvents(const TraceTask& task) {
        for (const CoreRef core : m_source.coresOf(task)) pipeEvents(task, core);
    }

    void pipeEvents(const TraceTask& task, CoreRef core) {
        for (const LaneInterval& interval : m_source.lanes(task, core)) {
            const bool busy = interval.cause == Cause::Busy;
            EventStream& event = complete(busy ? m_source.operation(interval) : std::string(toText(interval.cause)),
                                          busy ? "instruction" : "wait", pipeProcessOf(core.kind),
                                          threadOf(core, interval.pipe), interval.start, interval.end);
            event.open("args").number("task", task.index.value).text("detail", m_source.describe(interval));
            event.number("start_ticks", interval.start.value).number("end_ticks", interval.end.value).close();
        }
    }

    /// A lane of its own: the steps follow each other without gaps from 0 to the end of the kernel.
    void criticalPath() {
        const std::vector<PathLink> links = m_source.criticalLinks();
        if (links.empty()) return;
        nameEvent("process_name", kPathProcess, 0, "critical path");
        nameEvent("thread_name", kPathProcess, 0, "critical path");
        for (const PathLink& link : links) {
            EventStream& event =
                complete(std::string(linkName(link.step.kind)) + " " + std::to_string(link.step.task.value), "critical",
                         kPathProcess, 0, link.step.start, link.step.end);
            event.open("args").number("task", link.step.task.value).text("stage", m_source.stageId(link.stage));
            if (link.core) event.text("core", coreName(*link.core));
            event.text("because", toText(link.because)).text("detail", becauseText(link));
            event.number("start_ticks", link.step.start.value).number("end_ticks", link.step.end.value).close();
        }
    }

    void flowEnd(std::string_view phase, const TraceTask& owner, const TraceTask& at, double when) {
        m_stream.event(phase)
            .text("name", "dependency")
            .text("cat", "dependency")
            .number("id", owner.index.value)
            .number("pid", processOf(at.core.kind))
            .number("tid", at.core.index)
            .time("ts", when);
        if (phase == "f") m_stream.text("bp", "e");
    }

    void flow(const TraceTask& task) {
        if (!task.lastDependency) return;
        const TraceTask& before = m_source.tasks()[task.lastDependency->value];
        flowEnd("s", task, before, m_source.microseconds(before.end) - kInsideUs);
        flowEnd("f", task, task, m_source.microseconds(task.start));
    }

    void counter(std::string_view name, Ticks at, std::int64_t value) {
        m_stream.event("C").text("name", name).number("pid", 0).time("ts", m_source.microseconds(at));
        m_stream.open("args").number("tasks", value).close();
    }

    void counters(const ReadyChange& change) {
        counter("ready AIC", change.at, change.aic);
        counter("ready AIV", change.at, change.aiv);
    }

    const TraceSource& m_source;
    EventStream m_stream;
    std::size_t m_piped;
    bool m_pipes;
};

/// How many tasks, from the first one on, have no more than `most` instructions together.
std::size_t tasksWithin(const Program& program, std::int64_t most) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < program.tasks.size(); ++i) {
        count += static_cast<std::int64_t>(program.leafOf(program.tasks[i]).instructions.size());
        if (count > most) return i;
    }
    return program.tasks.size();
}

}  // namespace

Result<void> writeChromeTraceWithin(const Program& program, const Trace& trace, std::int64_t mostInstructions,
                                    const TextSink& sink) {
    const TraceSource source(program, trace);
    return Writer(source, sink, std::min(tasksWithin(program, mostInstructions), source.tasks().size())).run();
}

Result<void> writeChromeTrace(const Program& program, const Trace& trace, const TextSink& sink) {
    return writeChromeTraceWithin(program, trace, kMaxTracedInstructions, sink);
}

std::string chromeTrace(const Program& program, const Trace& trace) {
    std::string text;
    const Result<void> written = writeChromeTrace(program, trace, [&text](std::string_view piece) -> Result<void> {
        text += piece;
        return {};
    });
    assert(written && "a string takes everything");
    return text;
}

}  // namespace cubist
