// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto_swimlane.h"

#include <array>
#include <string>
#include <utility>

#include "core/exchange/trace_source.h"

namespace cubist {
namespace {

constexpr std::int64_t kMachineView = 1;
constexpr std::string_view kLastDependency = "machine-view-last-dep";

std::string hexText(std::uint64_t value) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[value >> shift & 0xFU];
    return text;
}

std::string_view colourOf(std::size_t leaf) {
    constexpr std::array<std::string_view, 8> kColours{
        "thread_state_running",   "rail_response",   "startup", "thread_state_iowait",
        "background_memory_dump", "cq_build_passed", "yellow",  "thread_state_unknown"};
    return kColours[leaf % kColours.size()];
}

std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
    return all;
}

class Writer {
public:
    Writer(const TraceSource& source, const TextSink& sink) : m_source(source), m_stream(sink, "{\"traceEvents\": [") {}

    Result<void> run() {
        m_stream.event("M").text("cat", "__metadata").text("name", "process_name").number("pid", kMachineView);
        m_stream.open("args").text("name", "Machine View").close();
        for (std::size_t place = 0; place < m_source.cores().size(); ++place)
            if (!m_source.cores()[place].empty()) threadName(place);
        for (const TraceTask& task : m_source.tasks()) taskEvent(task);
        for (const TraceTask& task : m_source.tasks()) flow(task);
        for (const ReadyChange& change : m_source.readyChanges()) counters(change);
        return m_stream.finish("\n]}\n");
    }

private:
    [[nodiscard]] std::int64_t threadOf(CoreRef core) const {
        const auto place = static_cast<std::int64_t>(m_source.placeOf(core));
        return (place + 1) * 2 + 1000;
    }

    void threadName(std::size_t place) {
        const CoreRef core = m_source.coreAt(place);
        m_stream.event("M").text("cat", "__metadata").text("name", "thread_name").number("pid", kMachineView);
        m_stream.number("tid", threadOf(core)).open("args");
        m_stream.text("name", std::string(kindName(core.kind)) + "_" + std::to_string(core.index)).close();
    }

    [[nodiscard]] std::string name(const TraceTask& task) const {
        return "0-" + std::to_string(task.root) + "-" + std::to_string(task.placeInRoot) + "-" +
               std::to_string(task.root) + "-" + std::to_string(task.leaf) + "(" + m_source.label(task) + ")";
    }

    [[nodiscard]] std::string timesText(const TraceTask& task) const {
        const LeafTimes& times = m_source.leafTimes()[task.leaf];
        const double average = m_source.microseconds(times.sum) / static_cast<double>(times.tasks);
        return "Average Execution Time: " + microsecondText(average) +
               "us; Max Execution Time: " + microsecondText(m_source.microseconds(times.longest)) +
               "us; Min Execution Time: " + microsecondText(m_source.microseconds(times.shortest)) + "us";
    }

    void taskEvent(const TraceTask& task) {
        const Leaf& leaf = m_source.leaf(task);
        const std::string id = std::to_string(task.index.value);
        const std::string hint = "Task:[0, " + std::to_string(task.root) + ", " + std::to_string(task.placeInRoot) +
                                 "], rootHash:" + std::to_string(task.root) +
                                 ", callOpMagic:" + std::to_string(task.placeInRoot) +
                                 ", leafHash:" + hexText(leaf.leafKey) + ", TaskId:" + id;
        m_stream.event("X").text("cat", "event").text("name", name(task)).number("id", task.index.value);
        m_stream.number("pid", kMachineView).number("tid", threadOf(task.core));
        m_stream.span(m_source.microseconds(task.start), m_source.microseconds(task.end));
        m_stream.open("args").text("event-hint", hint);
        m_stream.text("ioperand-hint", joined(m_source.operands(task, false)));
        m_stream.text("ooperand-hint", joined(m_source.operands(task, true)));
        m_stream.text("execution-hint", timesText(task)).text("color", colourOf(task.leaf));
        m_stream.number("taskId", task.index.value).number("seqNo", 0).number("wrapId", -1);
        m_stream.text("hashOrder-hint", groupText(task)).json("syncEvents", "[]").close();
    }

    /// The group as PyPTO's hint names it: the keys of the merge settings are read from there.
    [[nodiscard]] std::string groupText(const TraceTask& task) const {
        const auto group = m_source.groupOf(task);
        if (!group) return {};
        const std::string order = " hashOrder: func" + std::to_string(group->function) + "_" +
                                  std::to_string(group->order) + ", subGraphCount: " + std::to_string(group->subgraphs);
        if (task.core.kind == TaskKind::Aiv) return "vecMergeInfo" + order;
        return "l1ReuseInfo" + order + "; cubeMergeInfo" + order;
    }

    void flowEnd(std::string_view phase, const TraceTask& owner, const TraceTask& at, double when) {
        m_stream.event(phase).text("cat", kLastDependency).text("name", kLastDependency);
        m_stream.number("id", owner.index.value).number("pid", kMachineView).number("tid", threadOf(at.core));
        m_stream.time("ts", when);
        if (phase == "f") m_stream.text("bp", "e");
    }

    void flow(const TraceTask& task) {
        if (!task.lastDependency) return;
        const TraceTask& before = m_source.tasks()[task.lastDependency->value];
        flowEnd("s", task, before, m_source.microseconds(before.end) - kInsideUs);
        flowEnd("f", task, task, m_source.microseconds(task.start));
    }

    void counter(std::string_view name, Ticks at, std::int64_t value) {
        m_stream.event("C").text("name", name).number("pid", kMachineView);
        m_stream.time("ts", m_source.microseconds(at)).open("args").number("size", value).close();
    }

    void counters(const ReadyChange& change) {
        counter("ReadyCount_AIC", change.at, change.aic);
        counter("ReadyCount_AIV", change.at, change.aiv);
        counter("ReadyCount_Total", change.at, change.aic + change.aiv);
    }

    const TraceSource& m_source;
    EventStream m_stream;
};

}  // namespace

Result<void> writePyptoSwimlane(const Program& program, const Trace& trace, const TextSink& sink) {
    const TraceSource source(program, trace);
    return Writer(source, sink).run();
}

}  // namespace cubist
