// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>
#include <cmath>
#include <functional>

#include "core/exchange/json_text.h"
#include "core/exchange/result_json.h"
#include "core/exchange/run_compare.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

RunRequest requestOf(const std::string& chip) {
    RunRequest request;
    request.chip = chipFile(chip);
    request.design = std::make_shared<const Design>(rowScale());
    return request;
}

std::string runText(const RunRequest& request) {
    auto report = run(request, {});
    if (!report) qFatal("%s", report.error().message.c_str());
    return resultJson(*report, true);
}

std::string runText(const std::string& chip, bool timing = true) {
    RunRequest request = requestOf(chip);
    request.timing = timing;
    return runText(request);
}

/// The first run against one of a changed design.
std::vector<RunDifference> differencesWhen(const std::function<void(Design&)>& change) {
    RunRequest request = requestOf("Ascend910B1");
    const std::string before = runText(request);
    Design changed = *request.design;
    change(changed);
    request.design = std::make_shared<const Design>(std::move(changed));
    return compareRuns(*readRunSummary(before), *readRunSummary(runText(request)), {})->differences;
}

bool has(const std::vector<RunDifference>& differences, const RunDifference& wanted) {
    return std::find(differences.begin(), differences.end(), wanted) != differences.end();
}

RunSummary summary(double kernelUs, const char* verdict) {
    RunSummary made;
    made.design = "d<1>";
    made.chip = "c";
    made.verdict = verdict;
    made.timing = TimingSummary{kernelUs, kernelUs + 1, 0.5, "cube", {{"s", "C", 5, kernelUs, 4, 2}}, {{"M", 3, 1}}};
    made.outputs.push_back({"y", "FP32", verdict, 0.25, 0.5, 0.125, 3});
    return made;
}

std::string without(std::string text, const std::string& piece, const std::string& replacement = {}) {
    const std::size_t at = text.find(piece);
    if (at == std::string::npos) qFatal("no %s", piece.c_str());
    return text.replace(at, piece.size(), replacement);
}

}  // namespace

/// What changed between two runs.
class TestRunCompare : public QObject {
    Q_OBJECT

private slots:
    void readsWhatARunWrote() {
        const auto run = readRunSummary(runText("Ascend910B1"));
        QVERIFY2(run, run ? "" : run.error().message.c_str());
        QCOMPARE(run->chip, std::string("Ascend910B1"));
        QCOMPARE(run->outputs.size(), std::size_t{1});
        QVERIFY(run->verdict != "none");
        QCOMPARE(run->verdict, run->outputs[0].verdict);
        QVERIFY(run->outputs[0].rmse > 0);
        QVERIFY(run->timing);
        QVERIFY(run->timing->kernelUs > 0);
        QCOMPARE(run->timing->stages.size(), std::size_t{2});
        QCOMPARE(run->timing->pipes.size(), std::size_t{7});
        QVERIFY(!readRunSummary(runText("Ascend910B1", false))->timing);
    }

    void equalRunsHaveNoDifference() {
        const std::string text = runText("Ascend910B1");
        const auto comparison = compareRuns(*readRunSummary(text), *readRunSummary(text), 0.0);
        QVERIFY(comparison);
        QVERIFY(comparison->differences.empty());
        QVERIFY(!comparison->failed());
        QCOMPARE(*comparison->kernel.percent(), 0.0);
        for (const TimeChange& stage : comparison->stages) QCOMPARE(*stage.percent(), 0.0);
    }

    void namesWhatDiffers() {
        const auto comparison =
            compareRuns(*readRunSummary(runText("Ascend910B1")), *readRunSummary(runText("Ascend910B4")), {});
        QVERIFY(comparison);
        QVERIFY(!comparison->differences.empty());
        QCOMPARE(comparison->differences[0], (RunDifference{"chip", "Ascend910B1", "Ascend910B4"}));
        const QString text = QString::fromStdString(comparisonText(*comparison));
        for (const char* word : {"Ascend910B4", "kernel", "end to end", "pipe MTE2", "verdict"})
            QVERIFY2(text.contains(word), word);
    }

    void namesSymbolsAndShapesThatDiffer() {
        RunRequest request = requestOf("Ascend910B1");
        const std::int64_t rows = request.design->symbols[0].value;
        const std::string before = runText(request);
        request.symbols.set("T", rows + 1);
        const auto comparison = compareRuns(*readRunSummary(before), *readRunSummary(runText(request)), {});
        QVERIFY(comparison);
        QCOMPARE(comparison->differences[0],
                 (RunDifference{"symbols/T", std::to_string(rows), std::to_string(rows + 1)}));
        const auto shape = [](std::int64_t extent) { return "[" + std::to_string(extent) + ", 128]"; };
        QVERIFY(has(comparison->differences, {"tensors/y", shape(rows), shape(rows + 1)}));
    }

    void namesOrdersOfBlocksThatDiffer() {
        RunRequest request = requestOf("Ascend910B1");
        request.launch = LaunchProfile::Bare;
        const std::string before = runText(request);
        request.order = {.kind = OrderKind::Window, .rows = 8};
        const auto comparison = compareRuns(*readRunSummary(before), *readRunSummary(runText(request)), {});
        QVERIFY(comparison);
        QVERIFY(has(comparison->differences, {"block_order", "loop_n_m", "window=8"}));
    }

    void namesTilesAndOptionsThatDiffer() {
        Design design = rowScale();
        const std::string stage = cubeOf(design).id.text;
        QVERIFY(has(differencesWhen([](Design& changed) {
                        cubeOf(changed).tile.k = {32, 128};
                    }),
                    {"stages/" + stage + "/tile/k", "[64, 128]", "[32, 128]"}));
        QVERIFY(has(differencesWhen([](Design& changed) { changed.options.deviceSchedMode = 1; }),
                    {"options/device_sched_mode", "0", "1"}));
    }

    void saysThatSomethingElseDiffersInTheDesign() {
        const auto differences =
            differencesWhen([](Design& changed) { vectorOf(changed).ops[0].op = VectorOpCode::Add; });
        QVERIFY(!differences.empty());
        QVERIFY(differences[0].what.find("operations") != std::string::npos);
        QCOMPARE(differences[0].before.size(), std::size_t{12});
        QVERIFY(differences[0].before != differences[0].after);
    }

    void filesOfEarlierVersionsAreCompared() {
        RunSummary earlier = *readRunSummary(runText("Ascend910B1"));
        RunSummary now = earlier;
        earlier.settings.reset();
        const auto comparison = compareRuns(earlier, now, {});
        QVERIFY(comparison);
        QVERIFY(comparison->differences.empty());
        QVERIFY(comparisonText(*comparison).find("earlier version") != std::string::npos);
        QVERIFY(comparisonText(*compareRuns(now, now, {})).find("same design, shapes, tiles") != std::string::npos);
    }

    void thresholds_data() {
        QTest::addColumn<double>("before");
        QTest::addColumn<double>("after");
        QTest::addColumn<double>("allowed");
        QTest::addColumn<bool>("slow");
        QTest::newRow("equal") << 10.0 << 10.0 << 0.0 << false;
        QTest::newRow("faster") << 10.0 << 5.0 << 0.0 << false;
        QTest::newRow("slower") << 10.0 << 10.001 << 0.0 << true;
        QTest::newRow("at the threshold") << 8.0 << 10.0 << 25.0 << false;
        QTest::newRow("beyond it") << 8.0 << 10.01 << 25.0 << true;
    }
    void thresholds() {
        QFETCH(const double, before);
        QFETCH(const double, after);
        QFETCH(const double, allowed);
        QFETCH(const bool, slow);
        const auto comparison = compareRuns(summary(before, "pass"), summary(after, "pass"), allowed);
        QVERIFY(comparison);
        QCOMPARE(comparison->tooSlow, slow);
        QCOMPARE(comparison->failed(), slow);
        const QString junit = QString::fromStdString(comparisonJunit(*comparison));
        QVERIFY(junit.contains(slow ? "tests=\"2\" failures=\"1\"" : "tests=\"2\" failures=\"0\""));
        QVERIFY(junit.contains("classname=\"cubist.d&lt;1&gt;\""));
        if (slow) QVERIFY(slowdownText(*comparison).find("allowed are") != std::string::npos);
    }

    void aLostVerdictFails_data() {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        QTest::addColumn<bool>("lost");
        QTest::newRow("pass to fail") << "pass"
                                      << "fail" << true;
        QTest::newRow("none to fail") << "none"
                                      << "fail" << true;
        QTest::newRow("fail to fail") << "fail"
                                      << "fail" << false;
        QTest::newRow("fail to pass") << "fail"
                                      << "pass" << false;
        QTest::newRow("pass to none") << "pass"
                                      << "none" << false;
    }
    void aLostVerdictFails() {
        QFETCH(const QString, before);
        QFETCH(const QString, after);
        QFETCH(const bool, lost);
        const auto comparison = compareRuns(summary(1, before.toUtf8()), summary(1, after.toUtf8()), {});
        QVERIFY(comparison);
        QCOMPARE(comparison->verdictLost, lost);
        const auto json = parseJson(comparisonJson(*comparison));
        QVERIFY(json);
        QCOMPARE(json->find("verdict")->text, std::string(lost ? "fail" : "pass"));
        QCOMPARE(json->find("timing")->find("kernel_us")->find("change_pct")->text, std::string("0"));
    }

    void stagesAreMatchedById() {
        RunSummary before = summary(10, "pass"), after = summary(12, "pass");
        after.timing->stages = {{"new", "V", 1, 2, 0, 1}, {"s", "C", 5, 12, 4, 2}};
        const auto comparison = compareRuns(std::move(before), std::move(after), {});
        QVERIFY(comparison);
        QCOMPARE(comparison->stages.size(), std::size_t{2});
        QCOMPARE(comparison->stages[0].name, std::string("s"));
        QVERIFY(std::abs(*comparison->stages[0].percent() - 20) < 1e-9);
        QCOMPARE(comparison->stages[1].name, std::string("new"));
        QVERIFY(!comparison->stages[1].before && !comparison->stages[1].percent());
    }

    void aThresholdWantsTimes() {
        RunSummary untimed = summary(1, "pass");
        untimed.timing.reset();
        QVERIFY(compareRuns(untimed, summary(1, "pass"), {}));
        QCOMPARE(compareRuns(summary(1, "pass"), untimed, 5.0).error().message,
                 std::string("the second run has no time to compare"));
    }

    void otherFilesAreErrors() {
        const std::string text = runText("Ascend910B1");
        QCOMPARE(readRunSummary("{}").error().message, std::string("the key 'design' is missing"));
        QCOMPARE(readRunSummary("[1]").error().code, ErrorCode::WrongType);
        QCOMPARE(readRunSummary(without(text, "\"kernel_us\"", "\"other\"")).error().where, std::string("/timing"));
        const auto wrong = readRunSummary(without(text, "\"seed\": 0", "\"seed\": 0.5"));
        QVERIFY(!wrong);
        QCOMPARE(wrong.error().where, std::string("/seed"));
        QCOMPARE(loadRunSummary("/nowhere/run.json").error().code, ErrorCode::BadFile);
    }
};

QTEST_APPLESS_MAIN(TestRunCompare)
#include "tst_run_compare.moc"
