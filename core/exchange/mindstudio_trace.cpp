// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/mindstudio_trace.h"

#include <string>
#include <vector>

#include "core/exchange/chrome_trace.h"
#include "core/exchange/trace_source.h"
#include "core/timing/listeners/stalls.h"

namespace cubist {
namespace {

struct Lane {
    std::string_view name, colour;
    std::int64_t order = 0;
};

Lane laneOf(Pipe pipe) {
    switch (pipe) {
        case Pipe::S: return {"SCALAR", "startup", 1};
        case Pipe::MTE1: return {"MTE1", "thread_state_running", 3};
        case Pipe::M: return {"CUBE", "background_memory_dump", 4};
        case Pipe::FIX: return {"FIXP", "thread_state_unknown", 5};
        case Pipe::MTE2: return {"MTE2", "thread_state_iowait", 6};
        case Pipe::V: return {"VECTOR", "cq_build_failed", 7};
        case Pipe::MTE3: return {"MTE3", "rail_response", 8};
    }
    return {};
}

std::int64_t coreNumber(CoreRef core) {
    return core.kind == TaskKind::Aic ? core.index : core.index / 2;
}

std::string processOf(CoreRef core) {
    const std::string head = "core" + std::to_string(coreNumber(core));
    return core.kind == TaskKind::Aic ? head + ".cubecore0" : head + ".veccore" + std::to_string(core.index % 2);
}

class Writer {
public:
    Writer(const TraceSource& source, const TextSink& sink)
        : m_source(source),
          m_stream(
              sink,
              "{\"schemaVersion\": 2, \"displayTimeUnit\": \"ns\", \"profilingType\": \"op\", \"traceEvents\": [") {}

    Result<void> run() {
        for (std::size_t place = 0; place < m_source.cores().size(); ++place)
            if (!m_source.cores()[place].empty()) order(m_source.coreAt(place));
        for (const TraceTask& task : m_source.tasks()) instructions(task);
        return m_stream.finish("\n]}\n");
    }

private:
    void order(CoreRef core) {
        const std::string process = processOf(core);
        const std::int64_t place = coreNumber(core) * 3 + (core.kind == TaskKind::Aic ? 1 : 2 + core.index % 2);
        m_stream.event("M").text("name", "process_sort_index").text("pid", process);
        m_stream.open("args").number("sort_index", place).close();
        for (const Pipe pipe : pipesOf(core.kind)) {
            const Lane lane = laneOf(pipe);
            m_stream.event("M").text("name", "thread_sort_index").text("pid", process).text("tid", lane.name);
            m_stream.open("args").number("sort_index", lane.order).close();
        }
    }

    void instructions(const TraceTask& task) {
        std::vector<Done> done(m_source.leaf(task).instructions.size());
        const std::vector<CoreRef> cores = m_source.coresOf(task);
        for (const CoreRef core : cores)
            for (const LaneInterval& interval : m_source.lanes(task, core))
                if (interval.cause == Cause::Busy && interval.pipe != Pipe::S)
                    done[interval.instruction] = {interval.end, core};
        for (const CoreRef core : cores) instructions(task, core, done);
    }

    /// When an instruction ended, and on which core of its task.
    struct Done {
        Ticks end;
        CoreRef core;
    };

    void instructions(const TraceTask& task, CoreRef core, const std::vector<Done>& done) {
        const std::string process = processOf(core);
        for (const LaneInterval& interval : m_source.lanes(task, core)) {
            if (interval.cause == Cause::WaitData || interval.cause == Cause::WaitSlot)
                flow(task, process, interval, done[interval.subject]);
            if (interval.cause != Cause::Busy) continue;
            const Lane lane = laneOf(interval.pipe);
            m_stream.event("X").text("name", m_source.operation(interval)).text("cname", lane.colour);
            m_stream.span(m_source.microseconds(interval.start), m_source.microseconds(interval.end));
            m_stream.text("pid", process).text("tid", lane.name).open("args");
            m_stream.text("pc_addr", std::to_string(interval.instruction)).text("code", m_source.label(task));
            m_stream.text("detail", m_source.describe(interval)).close();
        }
    }

    void flowEnd(std::string_view phase, const std::string& id, const std::string& process, std::string_view lane,
                 const std::string& kind, double at) {
        m_stream.event(phase).text("name", "flow").text("cat", kind);
        m_stream.text("id", id + "_" + std::to_string(m_flows)).text("pid", process).text("tid", lane);
        m_stream.time("ts", at);
    }

    /// From the end of the instruction that is waited for to the start of the one that waits.
    void flow(const TraceTask& task, const std::string& process, const LaneInterval& wait, const Done& from) {
        const Lane source = laneOf(m_source.pipeOf(task, wait.subject)), target = laneOf(wait.pipe);
        const std::string other = processOf(from.core);
        if (source.name == target.name && other == process) return;
        const std::string kind = std::string(source.name) + "To" + std::string(target.name);
        flowEnd("s", process, other, source.name, kind, m_source.microseconds(from.end) - kInsideUs);
        flowEnd("t", process, process, target.name, kind, m_source.microseconds(wait.end));
        ++m_flows;
    }

    const TraceSource& m_source;
    EventStream m_stream;
    std::int64_t m_flows = 0;
};

}  // namespace

Result<void> writeMindStudioTrace(const Program& program, const Trace& trace, const TextSink& sink) {
    const TraceSource source(program, trace);
    if (source.instructionCount() > kMaxTracedInstructions)
        return unexpected(
            ErrorCode::DoesNotFit,
            "the operator timeline shows every instruction: " + std::to_string(source.instructionCount()) +
                " are more than " + std::to_string(kMaxTracedInstructions),
            {}, "export --format perfetto or pypto-swimlane shows the tasks");
    return Writer(source, sink).run();
}

}  // namespace cubist
