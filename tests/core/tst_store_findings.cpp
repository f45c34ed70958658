// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>

#include "core/run/run.h"
#include "tests/support/emulation.h"
#include "tests/support/run_findings.h"
#include "tests/support/stage_runs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// Adds rows 0 .. 3 of 'a' to rows of a tensor, which `cleared` first fills.
Design addsRows(const std::string& role, const std::string& how, bool cleared) {
    const std::string fills =
        loopOf("early", "i",
               stage(R"({"op": "mul", "in": ["b", 0.0], "out": "z"})", {8, 32}, "fill") + "," + store("z", "o")) +
        ",";
    const std::string ops = R"({"op": "arange", "in": [], "out": "rows", "range": [4]},)"
                            R"({"op": "add", "in": ["a", 1.0], "out": "r"})";
    return designOf(tensor("a", "input", "FP32", {4, 32}) + "," + tensor("b", "input", "FP32", {8, 32}) + "," +
                        tensor("o", role, "FP32", {8, 32}),
                    (cleared ? fills : std::string()) +
                        loopOf("late", "j", stage(ops, {4, 32}, "adds") + "," + store("r", "o", how)));
}

/// `count` iterations, each of which writes four rows of 16 at the offset; `rows` of them make an output.
Design writesRows(int count, const std::string& offset, int rows, bool parallel) {
    Design design = designOf(tensor("a", "input", "FP32", {4, 16}) + "," + tensor("o", "output", "FP32", {rows, 16}),
                             R"({"kind": "loop", "id": "l", "axis": )" + std::to_string(count) +
                                 R"(, "tile": 1, "index": "i", "parallel": )" + (parallel ? "true" : "false") +
                                 R"(, "body": [)" + stage(R"({"op": "add", "in": ["a", 1.0], "out": "r"})", {4, 16}) +
                                 "," + store("r", "o", R"(, "offset": [")" + offset + R"(", 0])") + "]}");
    design.options.deviceSchedParallelism = 4;
    return design;
}

}  // namespace

/// What a run says about the stores of a design.
class TestStoreFindings : public QObject {
    Q_OBJECT

private slots:
    void storesAddToWhatNobodyWrote_data() {
        QTest::addColumn<QString>("how");
        QTest::newRow("atomic_add") << R"(, "op": "atomic_add", "offset": [0, 0])";
        QTest::newRow("index_add") << R"(, "op": "index_add", "index": "rows")";
        QTest::newRow("index_put") << R"(, "op": "index_put", "index": "rows", "accumulate": true)";
    }
    void storesAddToWhatNobodyWrote() {
        QFETCH(QString, how);
        const std::string op = how.toStdString();
        QCOMPARE(messagesOf(addsRows("output", op, false), "VAL-14", true),
                 QStringList("'adds' block (0,0): store adds to element [0,0] of 'o', which nobody wrote: it is zero"));
        QCOMPARE(messagesOf(addsRows("output", op, true), "VAL-14", true), QStringList());
        QCOMPARE(messagesOf(addsRows("inout", op, false), "VAL-14", true), QStringList());
    }

    /// The number of writes sets no limit: 300 are looked at with every edit, 5000 by a run.
    void everyWriteCounts_data() {
        QTest::addColumn<int>("count");
        QTest::newRow("300") << 300;
        QTest::newRow("5000") << 5000;
    }
    void everyWriteCounts() {
        QFETCH(int, count);
        const auto said = [](const Design& design, const char* rule) {
            const auto report = checkOnly(valueRequest(design), {});
            if (!report) qFatal("%s", report.error().message.c_str());
            QStringList messages;
            for (const Finding& finding : report->findings)
                if (finding.ruleId == rule) messages << QString::fromStdString(finding.message);
            return messages;
        };
        const Design whole = writesRows(count, "i * 4", count * 4, true);
        for (const char* rule : {"STORE-01", "STORE-02", "STORE-04"}) QCOMPARE(said(whole, rule), QStringList());
        const Design half = writesRows(count, "i * 8", count * 8, true);
        QCOMPARE(said(half, "STORE-01"),
                 QStringList(QString::number(count * 64) + " of " + QString::number(count * 128) +
                             " elements of 'o' are never written"));
        QCOMPARE(said(half, "STORE-04"), QStringList());
        const Design meets = writesRows(count, "i * 3", count * 3 + 1, true);
        QCOMPARE(said(meets, "STORE-04"), QStringList("writes into 'o' overlap: [0:4, 0:16] and [3:7, 0:16]"));
        QCOMPARE(said(meets, "STORE-01"), QStringList());
        const std::string last = std::to_string(count - 2) + ") * 4";
        const Design twice = writesRows(count, "min(i, " + last, count * 4 - 4, false);
        QCOMPARE(said(twice, "STORE-02").size(), 1);
        QCOMPARE(said(twice, "STORE-04"), QStringList());
        QCOMPARE(said(twice, "STORE-01"), QStringList());
        const Design same = writesRows(count, "0 * i", count * 4, false);
        QCOMPARE(said(same, "STORE-01"),
                 QStringList(QString::number((count - 1) * 64) + " of " + QString::number(count * 64) +
                             " elements of 'o' are never written"));
    }

    void tooManyWritesAreSaidToBeUnchecked() {
        const auto report = checkOnly(valueRequest(writesRows(300000, "i * 4", 1200000, false)), {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        const auto found = std::find_if(report->findings.begin(), report->findings.end(),
                                        [](const Finding& finding) { return finding.ruleId == "STORE-01"; });
        QVERIFY(found != report->findings.end());
        QCOMPARE(found->severity, Severity::Hint);
        QVERIFY(QString::fromStdString(found->message).startsWith("not checked: whether the 300000 writes into 'o'"));
    }
};

QTEST_APPLESS_MAIN(TestStoreFindings)
#include "tst_store_findings.moc"
