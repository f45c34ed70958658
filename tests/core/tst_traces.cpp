// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "core/exchange/chrome_trace.h"
#include "core/exchange/config_export.h"
#include "core/exchange/csv_export.h"
#include "core/exchange/design_json.h"
#include "core/exchange/json_text.h"
#include "core/exchange/mindstudio_trace.h"
#include "core/exchange/pypto_swimlane.h"
#include "core/exchange/trace_source.h"
#include "core/timing/listeners/stalls.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

RunReport predicted(Design design) {
    RunRequest request;
    request.chip = chipFile("Ascend910B1");
    request.design = std::make_shared<const Design>(std::move(design));
    auto report = predictOnly(request, {});
    if (!report) qFatal("%s", report.error().message.c_str());
    return *std::move(report);
}

/// A row for every sample that runs.
void sampleRows() {
    QTest::addColumn<QString>("sample");
    const QDir folder(QStringLiteral(CUBIST_SOURCE_DIR "/samples"));
    for (const QString& file : folder.entryList({"*.cubist.json"}, QDir::Files))
        QTest::newRow(qPrintable(file.section('.', 0, 0))) << folder.filePath(file);
}

/// The sample's default case; without a trace when the rules stop it.
RunReport sampleReport(const QString& path) {
    auto loaded = loadDesign(path.toStdString());
    if (!loaded) qFatal("%s", loaded.error().message.c_str());
    RunRequest request;
    request.chip = chipFile(loaded->design.chip.text);
    request.design = std::make_shared<const Design>(std::move(loaded->design));
    auto report = predictOnly(request, {});
    if (!report) qFatal("%s", report.error().message.c_str());
    return *std::move(report);
}

using Write = std::function<Result<void>(const Program&, const Trace&, const TextSink&)>;

JsonValue written(const Write& write, const RunReport& report) {
    std::string text;
    const auto done = write(*report.program, *report.trace, [&text](std::string_view piece) -> Result<void> {
        text += piece;
        return {};
    });
    if (!done) qFatal("%s", done.error().message.c_str());
    JsonLimits limits;
    limits.values = 50'000'000;
    limits.bytes = std::size_t{1} << 30U;
    auto value = parseJson(text, limits);
    if (!value) qFatal("%s", value.error().message.c_str());
    return *std::move(value);
}

std::string textOf(const JsonValue& event, const char* key) {
    const JsonValue* value = event.find(key);
    return value == nullptr ? "(missing)" : value->text;
}
std::string argument(const JsonValue& event, const char* key) {
    const JsonValue* arguments = event.find("args");
    return arguments == nullptr ? "(missing)" : textOf(*arguments, key);
}
double realOf(const JsonValue& event, const char* key) {
    return std::stod(textOf(event, key));
}

std::vector<const JsonValue*> eventsOf(const JsonValue& root, const std::string& phase) {
    std::vector<const JsonValue*> events;
    for (const JsonValue& event : root.find("traceEvents")->items)
        if (textOf(event, "ph") == phase) events.push_back(&event);
    return events;
}

std::vector<QStringList> csvRows(const std::string& text) {
    std::vector<QStringList> rows;
    for (const QString& line : QString::fromStdString(text).split('\n', Qt::SkipEmptyParts))
        rows.push_back(line.split(','));
    return rows;
}

}  // namespace

/// Every trace format of every sample, read back and compared with the run.
class TestTraces : public QObject {
    Q_OBJECT

private slots:
    void perfettoTilesEveryLane_data() { sampleRows(); }
    void perfettoTilesEveryLane() {
        QFETCH(const QString, sample);
        const RunReport report = sampleReport(sample);
        if (!report.trace) QSKIP("the rules stop this sample");
        const Trace& trace = *report.trace;
        const JsonValue json = written(writeChromeTrace, report);
        std::map<std::pair<std::string, std::string>, std::int64_t> covered;  // ticks by (pid, tid)
        std::size_t tasks = 0;
        std::array<std::int64_t, kCauseCount> causes{};
        for (const JsonValue* event : eventsOf(json, "X")) {
            for (const char* key : {"pid", "tid"}) QVERIFY(event->find(key)->isNumber());
            const std::int64_t start = std::stoll(argument(*event, "start_ticks"));
            const std::int64_t length = std::stoll(argument(*event, "end_ticks")) - start;
            QVERIFY(length >= 0);
            QVERIFY(std::abs(realOf(*event, "ts") - trace.microseconds(Ticks(start))) < 1e-6);
            covered[{textOf(*event, "pid"), textOf(*event, "tid")}] += length;
            const std::string category = textOf(*event, "cat");
            if (category == "C" || category == "V") ++tasks;
            if (category == "instruction") causes[0] += length;
            if (category == "wait") {
                const auto cause = fromText<Cause>(textOf(*event, "name"));
                QVERIFY(cause);
                // Waits between tasks stand once for all pipes of the core.
                const bool pipe = std::stoi(textOf(*event, "pid")) >= 2;
                const std::int64_t lanes = pipe ? 1 : textOf(*event, "pid") == "0" ? 5 : 4;
                causes[static_cast<std::size_t>(*cause)] += lanes * length;
            }
        }
        QCOMPARE(tasks, report.program->tasks.size());
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < kCauseCount; ++i) {
            sum += causes[i];
            if (static_cast<Cause>(i) != Cause::NoTask) QCOMPARE(causes[i], trace.causes[i].value);
        }
        QCOMPARE(sum + trace.causes[static_cast<std::size_t>(Cause::NoTask)].value, trace.lanes * trace.kernel.value);
        for (const auto& [lane, ticks] : covered)
            if (lane.first == "0" || lane.first == "1") QCOMPARE(ticks, trace.kernel.value);
    }

    void configsReadBack_data() { sampleRows(); }
    void configsReadBack() {
        QFETCH(const QString, sample);
        auto loaded = loadDesign(sample.toStdString());
        QVERIFY(loaded);
        RunRequest request;
        request.chip = chipFile(loaded->design.chip.text);
        request.design = std::make_shared<const Design>(std::move(loaded->design));
        const auto config = kernelConfig(request, sampleReport(sample), "1");
        QVERIFY2(config, config ? "" : config.error().message.c_str());
        const auto again = parseKernelConfig(kernelConfigText(*config));
        QVERIFY2(again, again ? "" : again.error().message.c_str());
        QVERIFY(*again == *config);
        for (const ConfigStage& stage : config->stages) QVERIFY2(!stage.label.empty(), stage.id.text.c_str());
    }

    void slicesOfALaneDoNotOverlap_data() { sampleRows(); }
    void slicesOfALaneDoNotOverlap() {
        // As they are written: the end that a reader adds up must not pass the next start.
        QFETCH(const QString, sample);
        const RunReport report = sampleReport(sample);
        if (!report.trace) QSKIP("the rules stop this sample");
        for (const Write& write : {Write(writeChromeTrace), Write(writeMindStudioTrace)}) {
            const JsonValue json = written(write, report);
            std::map<std::pair<std::string, std::string>, std::vector<std::pair<double, double>>> lanes;
            for (const JsonValue* event : eventsOf(json, "X"))
                lanes[{textOf(*event, "pid"), textOf(*event, "tid")}].emplace_back(realOf(*event, "ts"),
                                                                                   realOf(*event, "dur"));
            for (auto& [lane, slices] : lanes) {
                std::sort(slices.begin(), slices.end());
                for (std::size_t i = 1; i < slices.size(); ++i)
                    QVERIFY2(slices[i - 1].first + slices[i - 1].second <= slices[i].first + 1e-9,
                             (lane.first + "/" + lane.second).c_str());
            }
        }
    }

    void waitsOfCoresNameTheirSubject() {
        const RunReport report = predicted(rowScale());
        const TraceSource source(*report.program, *report.trace);
        const JsonValue json = written(writeChromeTrace, report);
        std::size_t forData = 0;
        for (const JsonValue* event : eventsOf(json, "X")) {
            if (textOf(*event, "cat") != "wait") continue;
            QVERIFY(!argument(*event, "detail").empty());
            const TraceTask& subject = source.tasks()[std::stoull(argument(*event, "task"))];
            if (textOf(*event, "name") != "wait_task") continue;
            ++forData;  // it lasts until that task ends
            QCOMPARE(std::stoll(argument(*event, "end_ticks")), subject.end.value);
        }
        QVERIFY(forData > 0);
    }

    /// A kernel above the limit shows the pipes of its first tasks, and says of how many.
    void pipesOfTheFirstTasks() {
        const RunReport report = predicted(rowScale());
        const std::vector<Task>& tasks = report.program->tasks;
        QVERIFY(tasks.size() > 2);
        std::int64_t two = 0;
        for (std::size_t i = 0; i < 2; ++i)
            two += static_cast<std::int64_t>(report.program->leafOf(tasks[i]).instructions.size());
        for (const auto& [most, shown] : {std::pair<std::int64_t, std::int64_t>{two, 2}, {two - 1, 1}, {0, 0}}) {
            const auto write = [most = most](const Program& program, const Trace& trace, const TextSink& sink) {
                return writeChromeTraceWithin(program, trace, most, sink);
            };
            const JsonValue json = written(write, report);
            std::set<std::int64_t> piped;
            std::size_t all = 0;
            for (const JsonValue* event : eventsOf(json, "X")) {
                const std::string category = textOf(*event, "cat");
                if (category == "instruction") piped.insert(std::stoll(argument(*event, "task")));
                if (category == "C" || category == "V") ++all;
            }
            QCOMPARE(static_cast<std::int64_t>(piped.size()), shown);
            QVERIFY(piped.empty() || *piped.rbegin() == shown - 1);
            QCOMPARE(all, tasks.size());
            QCOMPARE(json.find("otherData")->find("pipes")->text,
                     "shown for the first " + std::to_string(shown) + " of " + std::to_string(tasks.size()) + " tasks");
        }
    }

    void theCriticalPathIsALane() {
        const RunReport report = predicted(rowScale());
        const JsonValue json = written(writeChromeTrace, report);
        std::int64_t end = 0;
        for (const JsonValue* event : eventsOf(json, "X")) {
            if (textOf(*event, "cat") != "critical") continue;
            QCOMPARE(std::stoll(argument(*event, "start_ticks")), end);
            end = std::stoll(argument(*event, "end_ticks"));
        }
        QCOMPARE(end, report.trace->kernel.value);
    }

    void countersEndAtZero() {
        const JsonValue json = written(writeChromeTrace, predicted(rowScale()));
        std::map<std::string, std::pair<double, std::string>> last;
        for (const JsonValue* event : eventsOf(json, "C")) {
            const std::string name = textOf(*event, "name");
            QVERIFY(last[name].first <= realOf(*event, "ts"));
            last[name] = {realOf(*event, "ts"), argument(*event, "tasks")};
            QVERIFY(std::stoi(argument(*event, "tasks")) >= 0);
        }
        QCOMPARE(last.size(), std::size_t{2});
        for (const auto& [name, value] : last) QCOMPARE(QString::fromStdString(value.second), QString("0"));
    }

    void flowsLeadToThePredecessorThatEndedLast() {
        const RunReport report = predicted(rowScale());
        const TraceSource source(*report.program, *report.trace);
        std::size_t waited = 0;
        for (const TraceTask& task : source.tasks()) {
            if (!task.lastDependency) continue;
            ++waited;
            const TraceTask& before = source.tasks()[task.lastDependency->value];
            QVERIFY(before.end <= task.ready);
            for (const Edge& edge : report.program->edgesOf(report.program->tasks[before.index.value]))
                if (edge.to == task.index) QVERIFY(edge.kind == EdgeKind::Wait);
        }
        QVERIFY(waited > 0);
        const JsonValue json = written(writeChromeTrace, report);
        QCOMPARE(eventsOf(json, "s").size(), waited);
        QCOMPARE(eventsOf(json, "f").size(), waited);
    }

    void swimlaneHasPyptosShape_data() { sampleRows(); }
    void swimlaneHasPyptosShape() {
        QFETCH(const QString, sample);
        const RunReport report = sampleReport(sample);
        if (!report.trace) QSKIP("the rules stop this sample");
        const JsonValue json = written(writePyptoSwimlane, report);
        std::set<std::string> threads, ids;
        for (const JsonValue* event : eventsOf(json, "M"))
            if (textOf(*event, "name") == "thread_name") threads.insert(textOf(*event, "tid"));
        const auto tasks = eventsOf(json, "X");
        QCOMPARE(tasks.size(), report.program->tasks.size());
        static const QRegularExpression pattern("^0-\\d+-\\d+-\\d+-\\d+\\((.+)\\)$");
        double end = 0;
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            const JsonValue& event = *tasks[i];
            const auto match = pattern.match(QString::fromStdString(textOf(event, "name")));
            QVERIFY2(match.hasMatch(), textOf(event, "name").c_str());
            const TraceSource source(*report.program, *report.trace);
            QCOMPARE(match.captured(1).toStdString(), source.label(source.tasks()[i]));
            QCOMPARE(textOf(event, "pid"), std::string("1"));
            QVERIFY(threads.contains(textOf(event, "tid")));
            QCOMPARE(std::stoi(textOf(event, "tid")) % 2, 0);
            QVERIFY(ids.insert(argument(event, "taskId")).second);
            for (const char* key : {"event-hint", "ioperand-hint", "ooperand-hint", "execution-hint", "color"})
                QVERIFY2(argument(event, key).size() > 3, key);
            end = std::max(end, realOf(event, "ts") + realOf(event, "dur"));
            if (i > 200) break;  // the rest is alike
        }
        if (tasks.size() <= 200) QVERIFY(std::abs(end - report.trace->microseconds(report.trace->kernel)) < 1e-5);
        for (const JsonValue* event : eventsOf(json, "f")) {
            QCOMPARE(textOf(*event, "cat"), std::string("machine-view-last-dep"));
            QCOMPARE(textOf(*event, "bp"), std::string("e"));
        }
        QVERIFY(!eventsOf(json, "C").empty());
    }

    void operatorTimelineHasItsFourKeys_data() { sampleRows(); }
    void operatorTimelineHasItsFourKeys() {
        QFETCH(const QString, sample);
        const RunReport report = sampleReport(sample);
        if (!report.trace) QSKIP("the rules stop this sample");
        const JsonValue json = written(writeMindStudioTrace, report);
        QStringList keys;
        for (const JsonMember& member : json.members) keys << QString::fromStdString(member.key);
        QCOMPARE(keys, (QStringList{"schemaVersion", "displayTimeUnit", "profilingType", "traceEvents"}));
        QCOMPARE(textOf(json, "profilingType"), std::string("op"));
        const std::map<std::string, std::string> colours{
            {"MTE1", "thread_state_running"}, {"MTE2", "thread_state_iowait"},
            {"MTE3", "rail_response"},        {"SCALAR", "startup"},
            {"VECTOR", "cq_build_failed"},    {"CUBE", "background_memory_dump"},
            {"FIXP", "thread_state_unknown"},
        };
        static const QRegularExpression core("^core\\d+\\.(cubecore0|veccore[01])$");
        const auto instructions = eventsOf(json, "X");
        std::map<std::string, double> busy;
        for (const JsonValue* event : instructions) {
            QVERIFY(core.match(QString::fromStdString(textOf(*event, "pid"))).hasMatch());
            QCOMPARE(colours.at(textOf(*event, "tid")), textOf(*event, "cname"));
            busy[textOf(*event, "tid")] += realOf(*event, "dur");
        }
        const std::map<Pipe, std::string> lanes{{Pipe::M, "CUBE"},   {Pipe::MTE2, "MTE2"}, {Pipe::V, "VECTOR"},
                                                {Pipe::FIX, "FIXP"}, {Pipe::MTE1, "MTE1"}, {Pipe::MTE3, "MTE3"},
                                                {Pipe::S, "SCALAR"}};
        for (const PipeTiming& pipe : report.trace->pipes) {
            const double wanted = report.trace->microseconds(pipe.busy);
            QVERIFY(std::abs(busy[lanes.at(pipe.pipe)] - wanted) <= 1e-6 * static_cast<double>(instructions.size()));
        }
        for (const JsonValue* event : eventsOf(json, "s"))
            QVERIFY(textOf(*event, "cat").find("To") != std::string::npos);
    }

    void tablesAddUp_data() { sampleRows(); }
    void tablesAddUp() {
        QFETCH(const QString, sample);
        const RunReport report = sampleReport(sample);
        if (!report.trace) QSKIP("the rules stop this sample");
        const auto tables = csvTables(report);
        const Trace& trace = *report.trace;
        const auto causes = csvRows(tables.at("causes.csv"));
        QCOMPARE(causes[0], (QStringList{"cause", "ticks", "us", "share"}));
        qint64 ticks = 0;
        for (std::size_t i = 1; i < causes.size(); ++i) ticks += causes[i][1].toLongLong();
        QCOMPARE(ticks, trace.lanes * trace.kernel.value);
        const auto tasks = csvRows(tables.at("tasks.csv"));
        QCOMPARE(tasks.size(), report.program->tasks.size() + 1);
        qint64 counted = 0;
        const auto stages = csvRows(tables.at("stages.csv"));
        for (std::size_t i = 1; i < stages.size(); ++i) counted += stages[i][3].toLongLong();
        QCOMPARE(counted, static_cast<qint64>(report.program->tasks.size()));
        const auto pipes = csvRows(tables.at("PipeUtilization.csv"));
        QVERIFY(pipes[0].contains("aic_mac_time(us)") && pipes[0].contains("aiv_vec_ratio"));
        double mac = 0;
        for (std::size_t i = 1; i < pipes.size(); ++i) {
            QCOMPARE(pipes[i].size(), pipes[0].size());
            mac += pipes[i][pipes[0].indexOf("aic_mac_time(us)")].toDouble();
        }
        const auto m = static_cast<std::size_t>(Pipe::M);
        QVERIFY(std::abs(mac - trace.microseconds(trace.pipes[m].busy)) < 1e-4);
    }

    void cellsAreQuotedWhereTheyMustBe() {
        QCOMPARE(csvCell("plain"), std::string("plain"));
        QCOMPARE(csvCell("a,b"), std::string("\"a,b\""));
        QCOMPARE(csvCell("say \"x\""), std::string("\"say \"\"x\"\"\""));
        QCOMPARE(csvCell("two\nlines"), std::string("\"two\nlines\""));
    }

    void timesHaveSixDecimals() {
        QCOMPARE(microsecondText(0), std::string("0"));
        QCOMPARE(microsecondText(1.5), std::string("1.5"));
        QCOMPARE(microsecondText(123456.7890124), std::string("123456.789012"));
        QCOMPARE(microsecondText(100), std::string("100"));
    }

    void aFailingSinkIsReported() {
        const RunReport report = predicted(rowScale());
        const auto done = writePyptoSwimlane(*report.program, *report.trace, [](std::string_view) -> Result<void> {
            return unexpected(ErrorCode::BadFile, "the disk is full");
        });
        QVERIFY(!done);
        QCOMPARE(done.error().message, std::string("the disk is full"));
    }
};

QTEST_APPLESS_MAIN(TestTraces)
#include "tst_traces.moc"
