// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QTest>
#include <cmath>

#include "core/exchange/chip_json.h"
#include "core/exchange/fidelity.h"
#include "tests/support/sanitizers.h"

using namespace cubist;

namespace {

QByteArray fileText(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

const ChipLibrary& chips() {
    static const ChipLibrary library = ChipLibrary::load({CUBIST_SOURCE_DIR "/resources/chips"});
    return library;
}

/// The report of every `step`-th case of the file.
Result<FidelityReport> measured(const std::string& text, std::size_t step = 1) {
    CUBIST_TRY(const auto all, readFidelityCases(text));
    std::vector<FidelityCase> cases;
    for (std::size_t i = 0; i < all.size(); i += step) cases.push_back(all[i]);
    return measureFidelity(cases, [](const std::string& name) { return chips().find(name); }, {});
}

/// The report of all measured times. Emulated once, for it takes minutes under a sanitizer.
const Result<FidelityReport>& allMeasured() {
    static const auto report = measured(fileText(CUBIST_TEST_DATA_DIR "/measured-times.json").toStdString());
    return report;
}

Result<FidelityReport> someMeasured() {
    return measured(fileText(CUBIST_TEST_DATA_DIR "/measured-times.json").toStdString(), 16);
}

/// A file with one small matmul; `extra` is put into the row.
std::string oneCase(const std::string& extra = {}, const std::string& order = R"({"kind": "round_robin"})") {
    return R"({"version": 1, "cases": [{"id": "a", "op": "matmul", "chip": "Ascend910B1", "cores": 4, "M": 256, "K": 256,
        "N": 256, "dtype": "FP16", "out_dtype": "FP16", "tile": {"m": [128, 128], "k": [64, 128], "n": [128, 128]},
        "order": )" +
           order + R"(, "launch": "bare", "quantity": "task", "measured_us": 20, "source": "none")" + extra + "}]}";
}

constexpr const char* kBegin = "<!-- generated: begin -->\n";
constexpr const char* kEnd = "<!-- generated: end -->\n";

}  // namespace

class TestFidelity : public QObject {
    Q_OBJECT
private slots:
    void someOfEveryKindAreEmulated();
    void measuredTimesAreMet();
    void thePageIsUpToDate();
    void unknownFieldsMakeARowInexpressible_data();
    void unknownFieldsMakeARowInexpressible();
    void slotsThatDoNotFitAreTold();
    void whatTheChipLacksIsAReason();
    void summaryCountsMissesAndPairs();
    void noTotalIsBelowTheClosedFormOfItsCube();
};

void TestFidelity::someOfEveryKindAreEmulated() {
    const auto report = someMeasured();
    QVERIFY(report);
    QVERIFY(report->summary.size() >= 2);
    for (const FidelityResult& result : report->cases) QVERIFY2(result.predictedMicroseconds, result.reason.c_str());
}

void TestFidelity::measuredTimesAreMet() {
    if (kSanitized) QSKIP("minutes under a sanitizer; every 16th case is emulated above");
    const auto& report = allMeasured();
    QVERIFY(report);
    const FidelitySummary& matmul = report->summary.at("matmul");
    const FidelitySummary& copy = report->summary.at("copy");
    QCOMPARE(matmul.missing, 0);
    QCOMPARE(copy.missing, 0);
    QVERIFY2(matmul.median <= 0.05, qPrintable(QString::number(matmul.median)));
    QVERIFY2(matmul.p90 <= 0.15, qPrintable(QString::number(matmul.p90)));
    QVERIFY2(100 * matmul.pairsRight >= 97 * matmul.pairs, qPrintable(QString::number(matmul.pairsRight)));
    QVERIFY2(copy.median <= 0.08, qPrintable(QString::number(copy.median)));
    QVERIFY(matmul.median < report->floor.at("matmul").median);
}

void TestFidelity::thePageIsUpToDate() {
    if (kSanitized) QSKIP("minutes under a sanitizer");
    const auto& report = allMeasured();
    QVERIFY(report);
    const QString path = CUBIST_SOURCE_DIR "/docs/fidelity.md";
    const QString page = QString::fromUtf8(fileText(path));
    const qsizetype begin = page.indexOf(kBegin);
    const qsizetype end = page.indexOf(kEnd);
    QVERIFY(begin >= 0 && end > begin);
    const QString table = QString::fromStdString(fidelityMarkdown(*report));
    const qsizetype first = begin + QString(kBegin).size();
    if (qEnvironmentVariableIsSet("CUBIST_UPDATE")) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write((page.left(first) + table + page.mid(end)).toUtf8());
        return;
    }
    QVERIFY2(page.mid(first, end - first) == table, "run this test with CUBIST_UPDATE=1 to write the table");
}

void TestFidelity::unknownFieldsMakeARowInexpressible_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* name, const std::string& text, const char* reason) {
        QTest::addRow("%s", name) << QString::fromStdString(text) << reason;
    };
    row("field", oneCase(R"(, "prefetch": true)"), "unknown field 'prefetch'");
    row("field of the order", oneCase({}, R"({"kind": "round_robin", "step": 2})"), "unknown field 'order.step'");
    row("order", oneCase({}, R"({"kind": "spiral"})"), "spiral");
    row("slots", oneCase(R"(, "slots": {"l1": 2, "l2": 2})"), "unknown field 'slots.l2'");
    row("format", oneCase(R"(, "b_format": "ZZ")"), "ZZ");
    row("path", oneCase(R"(, "out_path": "l1")"), "out_path");
}

void TestFidelity::unknownFieldsMakeARowInexpressible() {
    QFETCH(QString, text);
    QFETCH(QString, reason);
    const auto report = measured(text.toStdString());
    QVERIFY(report);
    QVERIFY(!report->cases[0].predictedMicroseconds);
    QVERIFY2(QString::fromStdString(report->cases[0].reason).contains(reason), report->cases[0].reason.c_str());
    QCOMPARE(report->summary.at("matmul").missing, 1);
}

void TestFidelity::slotsThatDoNotFitAreTold() {
    const auto fits = measured(oneCase(R"(, "slots": {"l1": 1, "l0a": 1, "l0b": 1, "l0c": 1})"));
    QVERIFY(fits);
    QVERIFY(fits->cases[0].predictedMicroseconds);
    QVERIFY(fits->cases[0].lowered.empty());
    const auto lowered = measured(oneCase(R"(, "slots": {"l1": 1, "l0a": 1, "l0b": 1, "l0c": 999})"));
    QVERIFY(lowered);
    QVERIFY(lowered->cases[0].predictedMicroseconds);
    QCOMPARE(lowered->cases[0].lowered.size(), std::size_t{1});
    const QString told = QString::fromStdString(lowered->cases[0].lowered[0]);
    QVERIFY2(told.startsWith("L0C: 999 slots asked for, "), qPrintable(told));
    for (const std::string& text : {fidelityText(*lowered), fidelityJson(*lowered), fidelityMarkdown(*lowered)})
        QVERIFY(QString::fromStdString(text).contains(told));
}

void TestFidelity::whatTheChipLacksIsAReason() {
    const auto report = measured(oneCase(R"(, "out_path": "ub")"));
    QVERIFY(report);
    QVERIFY(!report->cases[0].predictedMicroseconds);
    QVERIFY(QString::fromStdString(report->cases[0].reason).contains("no path from L0C to UB"));
}

void TestFidelity::summaryCountsMissesAndPairs() {
    std::string text = fileText(CUBIST_TEST_DATA_DIR "/measured-times.json").toStdString();
    auto cases = readFidelityCases(text);
    QVERIFY(cases);
    std::vector<FidelityCase> few;
    for (const FidelityCase& c : *cases)
        if (c.id == "catlass-m117" || c.id == "catlass-m119" || c.id == "catlass-m147") few.push_back(c);
    QCOMPARE(few.size(), 3U);
    few[2].reason = "left out";
    const auto report = measureFidelity(few, [](const std::string& name) { return chips().find(name); }, {});
    QVERIFY(report);
    const FidelitySummary& summary = report->summary.at("matmul");
    QCOMPARE(summary.n, 3);
    QCOMPARE(summary.missing, 1);
    QCOMPARE(summary.pairs, 2);       // 14.95 against 11.95 and 11.97; these two are too close
    QCOMPARE(summary.pairsRight, 1);  // the missing one is never right
    QCOMPARE(summary.allPairs, 3);
    QCOMPARE(summary.allPairsRight, 1);
    QVERIFY(std::isinf(summary.p90));
    QVERIFY(std::isinf(summary.p90Rank));
}

void TestFidelity::noTotalIsBelowTheClosedFormOfItsCube() {
    const auto report = kSanitized ? someMeasured() : allMeasured();
    QVERIFY(report);
    for (const FidelityResult& result : report->cases) {
        if (!result.measured.matmul) continue;
        const BareMatmul& m = *result.measured.matmul;
        const ChipSpec chip = *chips().find(result.measured.chip);
        const CubeRate& rate = *chip.cubeRate(m.operand);
        const double cycles = static_cast<double>(m.m) * static_cast<double>(m.k) * static_cast<double>(m.n) *
                              rate.repeat.value.toDouble() /
                              (256.0 * static_cast<double>(rate.k0) * static_cast<double>(m.cores));
        QVERIFY(*result.predictedMicroseconds >= cycles / chip.clockMHz.value.toDouble());
    }
}

QTEST_APPLESS_MAIN(TestFidelity)
#include "tst_fidelity.moc"
