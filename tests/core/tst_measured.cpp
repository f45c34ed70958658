// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <QElapsedTimer>
#include <QTest>
#include <cmath>

#include "core/exchange/json_text.h"
#include "core/exchange/measured_trace.h"
#include "core/exchange/pypto_swimlane.h"
#include "core/exchange/trace_overlay.h"
#include "core/run/run.h"
#include "tests/support/bytes.h"
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

QString readText(const std::string& path) {
    const auto trace = readMeasuredTrace(path, 50);
    return trace ? QString("%1 tasks").arg(trace->tasks.size())
                 : QString::fromStdString(trace.error().message + " " + trace.error().hint);
}

/// The text with every ' turned into ": raw strings make moc lose the class.
QByteArray quoted(QByteArray text) {
    return text.replace('\'', '"');
}

QByteArray swimlane() {
    return quoted(
        "{'traceEvents': ["
        " {'ph': 'X', 'name': '0-1-2-3-4(gate)', 'pid': 1, 'tid': 1002, 'ts': 110.5, 'dur': 4.5, 'args': {'taskId': "
        "1}},"
        " {'ph': 'X', 'name': '0-1-3-3-5(act(x))', 'pid': 1, 'tid': 1050, 'ts': 116, 'dur': 2, 'args': {}},"
        " {'ph': 'X', 'name': 'build', 'pid': 0, 'tid': 1, 'ts': 90, 'dur': 5},"
        " {'ph': 'X', 'name': 'dispatch', 'pid': 1, 'tid': 7, 'ts': 90, 'dur': 5},"
        " {'ph': 'M', 'name': 'process_name', 'pid': 0, 'args': {'name': 'AICPU View'}},"
        " {'ph': 'M', 'name': 'process_name', 'pid': 1, 'args': {'name': 'Machine View'}},"
        " {'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 1002, 'args': {'name': 'AIC_0'}},"
        " {'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 1050, 'args': {'name': 'AIV_3'}},"
        " {'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 7, 'args': {'name': 'AICPU-SCHED-1'}},"
        " {'ph': 'C', 'name': 'ReadyCount_AIC', 'pid': 1, 'ts': 100, 'args': {'size': 3}}"
        "]}");
}

QByteArray profile() {
    return quoted(
        "["
        " {'blockIdx': 0, 'coreType': 'AIC', 'tasks': [{'seqNo': 0, 'leafIndex': 3, 'taskId': 17, 'execStart': 1000, "
        "'execEnd': 1200,"
        "   'syncEvents': [{'idx': 0, 'type': 'CV_SYNC_SET', 'time': 1100}]}, {'seqNo': 0, 'taskId': 18, 'execStart': "
        "1250, 'execEnd': 1300}]},"
        " {'blockIdx': 1, 'coreType': 'AIV', 'tasks': [{'seqNo': 0, 'taskId': 19, 'execStart': 1300, 'execEnd': "
        "1350}]},"
        " {'blockIdx': 2, 'coreType': 'AI-CPU', 'tasks': [{'seqNo': 0, 'taskId': 0, 'execStart': 0, 'execEnd': 1}]}"
        "]");
}

QByteArray coreThread() {
    return "{'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 1000, 'args': {'name': 'AIC_0'}}";
}

void otherFiles() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const QByteArray& text, const char* message) {
        QTest::newRow(name) << text << message;
    };
    row("empty", "", "line 1, column 1");
    row("no JSON", "hello", "line 1, column 1");
    row("number", "5", "no list 'traceEvents'");
    row("other object", quoted("{'tasks': []}"), "no list 'traceEvents'");
    row("events are no list", quoted("{'traceEvents': {}}"), "no list 'traceEvents'");
    row("no tasks", quoted("{'traceEvents': []}"), "no task of a core");
    row("empty list", "[]", "no task of a core");
    row("event is no object", quoted("{'traceEvents': [7]}"), "an event is the number 7");
    row("no core", quoted("{'traceEvents': [{'ph': 'X', 'name': 'a', 'ts': 1, 'dur': 1}]}"), "no task of a core");
    row("no time",
        quoted("{'traceEvents': [" + coreThread() +
               ", {'ph': 'X', 'name': 'a', 'pid': 1, 'tid': 1000, "
               "'dur': 1}]}"),
        "has no times");
    row("negative time",
        quoted("{'traceEvents': [" + coreThread() +
               ", {'ph': 'X', 'name': 'a', 'pid': 1, 'tid': 1000, "
               "'ts': 1, 'dur': -1}]}"),
        "has no times");
    row("time is a word",
        quoted("{'traceEvents': [" + coreThread() +
               ", {'ph': 'X', 'name': 'a', 'pid': 1, 'tid': 1000, "
               "'ts': '1us', 'dur': 1}]}"),
        "has no times");
    row("backwards", quoted("[{'coreType': 'AIC', 'tasks': [{'execStart': 5, 'execEnd': 4}]}]"), "no execStart");
    row("tasks is no list", quoted("[{'coreType': 'AIC', 'tasks': 5}]"), "no list of tasks");
    row("deep", QByteArray(100000, '['), "nested deeper");
    row("long string", "{\"traceEvents\": [{\"name\": \"" + QByteArray(30'000'000, 'x') + "\"}]}", "too long");
    row("long number", "[" + QByteArray(30'000'000, '1') + "]", "too long");
    row("twice", quoted("{'traceEvents': [], 'traceEvents': []}"), "twice");
}

std::string mixedList() {
    return quoted("{'a': 1, 'list': [1, {'x': [2]}, 's', null, [], 6, 7], 'b': 2}").toStdString();
}
std::string objectItem() {
    return quoted("{'x': [2]}").toStdString();
}
std::string innerList() {
    return quoted("{'other': {'list': [1]}}").toStdString();
}
std::string fourEscapes() {
    return quoted("['\\u0041\\u0042\\u0043\\u0044']").toStdString();
}
std::string fourSigns() {
    return quoted("['\\\\\\'\\\\\\'']").toStdString();
}
std::string fiveEscapes() {
    return quoted("['\\u0041\\u0042\\u0043\\u0044\\u0045']").toStdString();
}

}  // namespace

/// Swimlanes of devices, and what they say about the predicted time.
class TestMeasured : public QObject {
    Q_OBJECT

private slots:
    void readsAMergedSwimlane() {
        const FileFolder folder;
        const auto trace = readMeasuredTrace(folder.write("merged_swimlane.json", swimlane()), 50);
        QVERIFY2(trace, trace ? "" : trace.error().message.c_str());
        QCOMPARE(trace->tasks.size(), std::size_t{2});
        QCOMPARE(trace->tasks[0].label, std::string("gate"));
        QCOMPARE(trace->tasks[0].core, std::string("AIC_0"));
        QCOMPARE(trace->tasks[0].startUs, 0.0);
        QCOMPARE(trace->tasks[0].endUs, 4.5);
        QCOMPARE(trace->tasks[1].label, std::string("act(x)"));
        QVERIFY(trace->tasks[1].kind == TaskKind::Aiv);
        QCOMPARE(trace->spanUs, 7.5);
    }

    void readsCoreProfiles() {
        const FileFolder folder;
        const std::string path = folder.write("tilefwk_L1_prof_data_0.json", profile());
        const auto slow = readMeasuredTrace(path, 50);
        QVERIFY2(slow, slow ? "" : slow.error().message.c_str());
        QCOMPARE(slow->tasks.size(), std::size_t{3});
        QCOMPARE(slow->tasks[0].endUs, 4.0);
        QCOMPARE(slow->spanUs, 7.0);
        QVERIFY(std::abs(readMeasuredTrace(path, 1000)->spanUs - 0.35) < 1e-12);
    }

    /// Devices and tools differ in order, in what they leave out, and in how they write numbers.
    void takesWhatDevicesVary() {
        const FileFolder folder;
        const std::string path = folder.write(
            "swim.json",
            quoted("{'other': [1], 'traceEvents': ["
                   "{'ph': 'X', 'tid': '1000', 'pid': '1', 'dur': '2.5', 'ts': '10', 'name': '0-1-2-3-4(gate)'},"
                   "{'ph': 'X', 'tid': 1000, 'pid': 1, 'dur': 2.5, 'ts': 10.0, 'name': '0-1-2-3-4(gate)'},"
                   "{'ph': 'X', 'tid': 1000, 'pid': 1, 'dur': 1, 'ts': 7},"
                   "{'ph': 'X', 'tid': 5, 'pid': 0, 'name': 'AICPU without times'},"
                   "{'ph': 'i', 'name': 'instant'}, {'name': 'no phase'}, " +
                   coreThread() + ", {'ph': 'M', 'name': 'process_name', 'pid': 1, 'args': {'name': 'Machine View'}}," +
                   "{'ph': 'M', 'name': 'thread_name', 'pid': 0, 'tid': 5, 'args': {'name': 'AICPU-CTRL'}}]}"));
        const auto trace = readMeasuredTrace(path, 50);
        QVERIFY2(trace, trace ? "" : trace.error().message.c_str());
        QCOMPARE(trace->tasks.size(), std::size_t{2});
        QCOMPARE(trace->doubled, std::int64_t{1});
        QVERIFY(trace->tasks[0].label.empty());
        QCOMPARE(trace->tasks[1].label, std::string("gate"));
        QCOMPARE(trace->tasks[1].startUs, 3.0);
        QCOMPARE(trace->spanUs, 5.5);
        const auto profile = readMeasuredTrace(
            folder.write("prof.json",
                         quoted("[{'tasks': [{'execEnd': '1200', 'execStart': '1000'}], 'coreType': 'AIV'},"
                                " {'coreType': 'AI-CPU'}]")),
            50);
        QVERIFY2(profile, profile ? "" : profile.error().message.c_str());
        QCOMPARE(profile->spanUs, 4.0);
    }

    void countersOfTheChips() {
        QCOMPARE(deviceTicksPerUs(chipFile("Ascend910B1")), 50.0);
        ChipSpec chip = chipFile("Ascend910B1");
        chip.arch = "3510";
        QCOMPARE(deviceTicksPerUs(chip), 1000.0);
    }

    void ownSwimlaneIsTheSameTrace() {
        const RunReport report = predicted(rowScale());
        std::string text;
        QVERIFY(writePyptoSwimlane(*report.program, *report.trace, [&text](std::string_view piece) -> Result<void> {
            text += piece;
            return {};
        }));
        const FileFolder folder;
        auto measured = readMeasuredTrace(folder.write("own.json", QByteArray::fromStdString(text)), 50);
        QVERIFY2(measured, measured ? "" : measured.error().message.c_str());
        const TraceOverlay overlay = overlayTraces(*report.program, *report.trace, *std::move(measured));
        QVERIFY(overlay.unknownLabels.empty());
        QCOMPARE(overlay.measuredTotal.tasks, static_cast<std::int64_t>(report.program->tasks.size()));
        QCOMPARE(overlay.stages.size(), std::size_t{2});
        for (const OverlayStage& stage : overlay.stages) {
            QVERIFY(stage.measured.tasks > 0);
            QCOMPARE(stage.measured.tasks, stage.emulated.tasks);
            QVERIFY(std::abs(stage.measured.busyUs - stage.emulated.busyUs) < 1e-3);
            QVERIFY(std::abs(stage.measured.spanUs - stage.emulated.spanUs) < 1e-3);
        }
        const QString table = QString::fromStdString(overlayText(*report.program, overlay));
        QVERIFY2(table.contains("+0.0 %"), qPrintable(table));
        const JsonValue json = overlayJson(*report.program, overlay);
        QCOMPARE(json.find("stages")->items.size(), std::size_t{2});
    }

    void unknownLabelsAndTasksWithoutLabels() {
        const RunReport report = predicted(rowScale());
        const FileFolder folder;
        auto measured = readMeasuredTrace(folder.write("m.json", swimlane()), 50);
        QVERIFY(measured);
        const TraceOverlay labelled = overlayTraces(*report.program, *report.trace, *std::move(measured));
        QCOMPARE(labelled.unknownLabels, (std::vector<std::string>{"act(x)", "gate"}));
        // One stage for each kind of core: tasks without a label are theirs.
        auto plain = readMeasuredTrace(folder.write("p.json", profile()), 50);
        QVERIFY(plain);
        const TraceOverlay matched = overlayTraces(*report.program, *report.trace, *std::move(plain));
        QVERIFY(matched.unknownLabels.empty());
        std::int64_t cube = 0, vector = 0;
        for (const OverlayStage& stage : matched.stages)
            (report.program->stages[stage.stage.value].kind == TaskKind::Aic ? cube : vector) += stage.measured.tasks;
        QCOMPARE(cube, std::int64_t{2});
        QCOMPARE(vector, std::int64_t{1});
    }

    void refusesOtherFiles_data() { otherFiles(); }
    void refusesOtherFiles() {
        QFETCH(const QByteArray, text);
        QFETCH(const QString, message);
        const FileFolder folder;
        const std::string path = folder.write("m.json", text);
        const qint64 before = residentBytes();
        QElapsedTimer timer;
        timer.start();
        const QString found = readText(path);
        QVERIFY2(found.contains(message), qPrintable(found));
        QVERIFY(timer.elapsed() < 10000);
        QVERIFY(residentBytes() - before < (100 << 20));
    }

    void aStringOf2GBIsAMessage() {
        const FileFolder folder;
        const std::string path = folder.write("m.json", "{\"traceEvents\": [\"");
        if (::truncate(path.c_str(), 2'100'000'000) != 0) QSKIP("no room for a file of 2 GB");
        const qint64 before = residentBytes();
        QVERIFY2(readText(path).contains("the limit is 50331648"), qPrintable(readText(path)));
        QVERIFY(residentBytes() - before < (100 << 20));
    }

    void itemsAreHandedOutAndNotKept() {
        std::vector<std::string> items;
        const auto take = [&](const JsonValue& item) -> Result<void> {
            items.push_back(compactJson(item));
            return {};
        };
        JsonLimits limits;
        limits.values = 5;  // each item has fewer, all together more
        QVERIFY(parseJsonItems(mixedList(), "list", limits, take));
        QCOMPARE(items, (std::vector<std::string>{"1", objectItem(), "\"s\"", "null", "[]", "6", "7"}));
        items.clear();
        QVERIFY(parseJsonItems("[[1], 2]", "", limits, take));
        QCOMPARE(items, (std::vector<std::string>{"[1]", "2"}));
        items.clear();
        QCOMPARE(parseJsonItems(innerList(), "list", limits, take).error().code, ErrorCode::MissingKey);
        QVERIFY(items.empty());
        const auto refused = parseJsonItems("[1, 2]", "", limits, [](const JsonValue&) -> Result<void> {
            return unexpected(ErrorCode::BadValue, "no more");
        });
        QCOMPARE(refused.error().message, std::string("no more"));
    }

    void escapesDoNotMakeAStringTooLong() {
        JsonLimits limits;
        limits.stringBytes = 4;
        QVERIFY(parseJson(fourEscapes(), limits));
        QVERIFY(parseJson(fourSigns(), limits));
        QVERIFY(!parseJson(fiveEscapes(), limits));
    }
};

QTEST_APPLESS_MAIN(TestMeasured)
#include "tst_measured.moc"
