// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QTest>
#include <algorithm>
#include <set>
#include <utility>

#include "core/design/resolve.h"
#include "core/exchange/design_json.h"
#include "core/rules/checker.h"
#include "core/rules/registry.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"
#include "tests/support/rule_cases.h"
#include "tests/support/rule_checks.h"
#include "tests/support/rules_page.h"
#include "tests/support/stage_runs.h"

using namespace cubist;
using namespace cubist::test;

/// A value of the design by its path, as JSON.
using Change = std::pair<QString, QString>;

namespace {

std::set<std::pair<std::string, std::string>> errorsOf(const std::vector<Finding>& list) {
    std::set<std::pair<std::string, std::string>> errors;
    for (const Finding& finding : list)
        if (finding.severity == Severity::Error) errors.emplace(finding.ruleId, finding.where);
    return errors;
}

ChipSpec chipOf(const RuleCase& entry) {
    ChipSpec chip = chipFile("Ascend910B1");
    if (entry.chip) entry.chip(chip);
    return chip;
}

void addCaseRows() {
    QTest::addColumn<qsizetype>("index");
    qsizetype index = 0;
    for (const RuleCase& entry : ruleCases()) QTest::newRow(entry.name.c_str()) << index++;
}

}  // namespace

class TestRules : public QObject {
    Q_OBJECT
private slots:
    void textsAreComplete() {
        std::set<std::string_view> ids;
        for (const Rule& rule : allRules()) {
            QVERIFY2(ids.insert(rule.id).second, rule.id.data());
            QVERIFY2(!rule.title.empty() && !rule.titleZh.empty() && rule.title != rule.titleZh, rule.id.data());
            QVERIFY2(!rule.explanation.empty() && !rule.explanationZh.empty(), rule.id.data());
            QVERIFY2(!rule.formula.empty() && !rule.source.empty(), rule.id.data());
            QVERIFY2(rule.enforced || rule.documented, rule.id.data());
            QCOMPARE(findRule(rule.id), &rule);
        }
        QVERIFY(findRule("TILE-99") == nullptr);
    }

    void pageIsCurrent() {
        QFile file(QStringLiteral(CUBIST_SOURCE_DIR "/docs/rules.md"));
        if (qEnvironmentVariableIsSet("CUBIST_UPDATE")) {
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(QByteArray::fromStdString(rulesPage()));
            file.close();
        }
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY2(file.readAll() == QByteArray::fromStdString(rulesPage()),
                 "docs/rules.md is out of date: run this test with CUBIST_UPDATE=1");
    }

    void aDesignTriggersOnlyItsRule_data() { addCaseRows(); }
    void aDesignTriggersOnlyItsRule() {
        QFETCH(qsizetype, index);
        const RuleCase entry = ruleCases()[static_cast<std::size_t>(index)];
        const auto list = findings(entry.breaks(), entry.profile, chipOf(entry));
        QVERIFY2(idsOf(list) == std::set{entry.rule}, qPrintable(told(list)));
        QCOMPARE(list.front().where, entry.where);
        QCOMPARE(list.front().severity, *findRule(entry.rule)->severity(entry.profile));
        std::set<std::string> places;
        for (const Finding& finding : list) {
            QVERIFY2(places.insert(finding.where).second, qPrintable(told(list)));  // said once
            QVERIFY(!finding.message.empty() && !finding.messageZh.empty());
            QVERIFY(finding.message != finding.messageZh);
            QVERIFY2((finding.fixes.empty()) != entry.fixable, qPrintable(told(list)));
        }
    }

    void aNearDesignPasses_data() { addCaseRows(); }
    void aNearDesignPasses() {
        QFETCH(qsizetype, index);
        const RuleCase entry = ruleCases()[static_cast<std::size_t>(index)];
        const auto list = findings(entry.passes(), entry.profile, chipOf(entry));
        QVERIFY2(!idsOf(list).contains(entry.rule), qPrintable(told(list)));
        // A buffer filled to the last byte is fine, and has no second slot; sums that are in order could be put
        // together.
        for (const Finding& finding : list)
            QVERIFY2(finding.ruleId == "CAP-07" || finding.ruleId == "CODE-02", qPrintable(told(list)));
    }

    void fixesRemoveTheFindingAndAddNoError_data() { addCaseRows(); }
    void fixesRemoveTheFindingAndAddNoError() {
        QFETCH(qsizetype, index);
        const RuleCase entry = ruleCases()[static_cast<std::size_t>(index)];
        const Design design = entry.breaks();
        const auto before = findings(design, entry.profile, chipOf(entry));
        const auto errorsBefore = errorsOf(before);
        for (const Finding& finding : before)
            for (const Fix& fix : finding.fixes) {
                QVERIFY(!fix.title.empty() && !fix.titleZh.empty() && !fix.steps.empty());
                const auto after = findings(applied(design, fix), entry.profile, chipOf(entry));
                for (const Finding& left : after)
                    QVERIFY2(left.ruleId != finding.ruleId || left.where != finding.where, fix.title.c_str());
                const auto errors = errorsOf(after);
                QVERIFY2(std::includes(errorsBefore.begin(), errorsBefore.end(), errors.begin(), errors.end()),
                         qPrintable(told(after)));
            }
    }

    /// Broken in several ways at once, so that one finding hides another: what is offered is judged by all rules.
    void fixesOfBrokenDesignsHoldToo_data() {
        QTest::addColumn<QString>("sample");
        QTest::addColumn<QList<Change>>("changes");
        const auto row = [](const char* name, const char* sample, const QList<Change>& changes) {
            QTest::newRow(name) << QString(sample) << changes;
        };
        const QString tile = "/blocks/product/tile/", up = "/blocks/experts/body/tokens/body/up/tile/";
        for (const char* k : {"[0, 64]", "[20, 40]", "[24, 100]", "[64, 192, 128]", "[4096, 4096]", "[8]"})
            for (const char* n : {"[64, 64]", "[24, 24]", "[0, 64]", "[2048, 2048]"})
                row(qPrintable(QString("k %1 n %2").arg(k, n)), "", {{tile + "k", k}, {tile + "n", n}});
        row("INT8", "", {{"/tensors/0/dtype", "\"INT8\""}, {"/tensors/1/dtype", "\"INT8\""}, {tile + "k", "[48, 48]"}});
        row("split-K", "", {{"/blocks/product/out_dtype", "\"FP16\""}, {tile + "split_k", "true"}});
        row("transposed", "", {{"/blocks/product/a_trans", "true"}, {tile + "m", "[9, 20]"}});
        row("options", "",
            {{"/options/cube_l1_reuse_setting", R"({"DEFAULT": 0, "-1": 2})"}, {"/options/device_sched_mode", "9"}});
        // The table gives every factor an m of its own, down to one row.
        for (const char* k : {"[0, 256]", "[48, 100]", "[128, 192, 80]", "[2048, 2048]"})
            row(qPrintable(QString("factors, k %1").arg(k)), "llada2_grouped_gemm", {{up + "k", k}});
        row("factors, transposed", "llada2_grouped_gemm", {{"/blocks/experts/body/tokens/body/down/a_trans", "true"}});
        row("factors, n", "llada2_grouped_gemm", {{up + "n", "[24, 0]"}});
        row("factors, vectors", "llada2_grouped_gemm",
            {{"/blocks/experts/body/tokens/body/swiglu/tile", "[0, 500]"}, {up + "k", "[1024, 1024]"}});
    }
    void fixesOfBrokenDesignsHoldToo() {
        QFETCH(QString, sample);
        QFETCH(QList<Change>, changes);
        Design design = sample.isEmpty()
                            ? matmulDesign({.m = 128, .k = 512, .n = 128})
                            : designFile(CUBIST_SOURCE_DIR "/samples/" + sample.toStdString() + ".cubist.json");
        if (sample.isEmpty()) cubeOf(design).id = BlockId("product");
        for (const auto& [path, json] : changes) {
            auto changed = setAt(design, path.toStdString(), json.toStdString());
            QVERIFY2(changed, changed ? "" : changed.error().message.c_str());
            design = *std::move(changed);
        }
        int offered = 0;
        for (const auto& [profile, name] : EnumTable<RuleProfile>::entries) {
            const auto before = findings(design, profile);
            const auto errorsBefore = errorsOf(before);
            for (const Finding& finding : before)
                for (const Fix& fix : finding.fixes) {
                    ++offered;
                    const auto after = findings(applied(design, fix), profile);
                    for (const Finding& left : after)
                        QVERIFY2(left.ruleId != finding.ruleId || left.where != finding.where, fix.title.c_str());
                    const auto errors = errorsOf(after);
                    QVERIFY2(std::includes(errorsBefore.begin(), errorsBefore.end(), errors.begin(), errors.end()),
                             qPrintable(QString::fromStdString(finding.ruleId + " " + fix.title + "\n") + told(after)));
                }
        }
        static const QStringList kNone{"k [0, 64] n [24, 24]",       "k [20, 40] n [0, 64]", "k [24, 100] n [0, 64]",
                                       "k [64, 192, 128] n [0, 64]", "k [8] n [64, 64]",     "k [8] n [24, 24]",
                                       "k [8] n [2048, 2048]"};  // one edit does not mend them
        QCOMPARE(offered > 0, !kNone.contains(QTest::currentDataTag()));
    }

    void shippedTilesAreClean_data() {
        QTest::addColumn<QList<qint64>>("m");
        QTest::addColumn<QList<qint64>>("k");
        QTest::newRow("m 9") << QList<qint64>{9, 9} << QList<qint64>{64, 128};
        QTest::newRow("m 1") << QList<qint64>{1, 1} << QList<qint64>{64, 128};
        QTest::newRow("three values of k") << QList<qint64>{64, 64} << QList<qint64>{64, 256, 128};
        QTest::newRow("exactly full L0A") << QList<qint64>{128, 128} << QList<qint64>{256, 256};
    }
    void shippedTilesAreClean() {
        QFETCH(QList<qint64>, m);
        QFETCH(QList<qint64>, k);
        const auto list = findings(halfTile({m.begin(), m.end()}, {k.begin(), k.end()}, {64, 64}, 1024));
        for (const Finding& finding : list) QVERIFY2(finding.severity == Severity::Hint, qPrintable(told(list)));
    }

    void problemShapesAreNotRestricted_data() {
        QTest::addColumn<qint64>("m");
        QTest::addColumn<qint64>("k");
        QTest::addColumn<qint64>("n");
        QTest::newRow("M 5") << qint64{5} << qint64{256} << qint64{128};
        QTest::newRow("K 5") << qint64{16} << qint64{5} << qint64{128};
        QTest::newRow("N 100") << qint64{16} << qint64{256} << qint64{100};
        QTest::newRow("ones") << qint64{1} << qint64{1} << qint64{1};
        QTest::newRow("deep") << qint64{1} << qint64{65536} << qint64{1};
    }
    void problemShapesAreNotRestricted() {
        QFETCH(qint64, m);
        QFETCH(qint64, k);
        QFETCH(qint64, n);
        const auto list = findings(matmulDesign({.m = m, .k = k, .n = n, .dtype = DType::BF16}));
        QVERIFY2(list.empty(), qPrintable(told(list)));
    }

    void samplesHaveNoErrors_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("profile");
        for (const char* file :
             {"samples/glm_gate.cubist.json", "samples/pangu_ffn.cubist.json", "tests/data/row_scale.cubist.json"})
            for (const auto& [profile, name] : EnumTable<RuleProfile>::entries)
                QTest::addRow("%s %s", file, name.data()) << QString(file) << static_cast<int>(profile);
    }
    void samplesHaveNoErrors() {
        QFETCH(QString, file);
        QFETCH(int, profile);
        const Design design = designFile(CUBIST_SOURCE_DIR "/" + file.toStdString());
        const auto list = findings(design, static_cast<RuleProfile>(profile));
        // The documentation knows no k of three values, which pangu_ffn ships.
        for (const Finding& finding : list)
            QVERIFY2(finding.severity == Severity::Hint || finding.ruleId == "TILE-14", qPrintable(told(list)));
        const bool threeDepths =
            file.contains("pangu_ffn") && static_cast<RuleProfile>(profile) == RuleProfile::Documented;
        QCOMPARE(idsOf(list).contains("TILE-14"), threeDepths);
    }

    void severalFindingsComeInOrder() {
        Design design = glmGate({.kTile = {20, 1024}});
        design.options.cubeL1Reuse.set("none", 1);
        design.options.deviceSchedMode = 9;
        design.name = "no name";
        const auto list = findings(design);
        for (std::size_t i = 1; i < list.size(); ++i) {
            QVERIFY(list[i - 1].severity <= list[i].severity);
            if (list[i - 1].severity == list[i].severity) QVERIFY(!pointerLess(list[i].where, list[i - 1].where));
        }
        QVERIFY(list.size() >= 4);
        QCOMPARE(list, findings(design));
    }

    void pointersAreOrderedByNumber() {
        QVERIFY(pointerLess("/blocks/2", "/blocks/10"));
        QVERIFY(!pointerLess("/blocks/10", "/blocks/2"));
        QVERIFY(pointerLess("/blocks/1", "/blocks/1/tile"));
        QVERIFY(pointerLess("/blocks/1/a", "/blocks/1/tile"));
        QVERIFY(!pointerLess("/blocks/1", "/blocks/1"));
    }

    void aFifthAxisIsNamedAsSuch() {
        const auto problemOf = [](const std::string& op) {
            const Design design =
                oneStage(tensor("x", "input", "FP32", {2, 2, 8, 64}), "FP32", {2, 2, 8, 64}, op, {1, 1, 8, 64});
            const auto resolved = resolve(design, bound(design));
            return resolved ? std::string() : resolved.error().message;
        };
        for (const std::string& message : {problemOf(operation("reshape", "\"x\"", ", \"shape\": [2, 2, 2, 4, 64]")),
                                           problemOf(operation("unsqueeze", "\"x\"", ", \"dim\": 0"))}) {
            QVERIFY2(message.find("has 5 axes") != std::string::npos, message.c_str());
            QVERIFY2(message.find("FC0002") != std::string::npos, message.c_str());
        }
    }

    void aLeadingZeroOfPrefixSumsIsNoGroup() {
        Design design = designFile(CUBIST_SOURCE_DIR "/samples/llada2_grouped_gemm.cubist.json");
        QVERIFY(!idsOf(findings(design)).contains("GRP-06"));
        design.cases.clear();
        design.defaultCase = {};
        design.lists[0].value = {0, 3, 3, 7, 8};
        const Finding finding = only(findings(design), "GRP-06");
        QCOMPARE(finding.message, "1 of 4 groups of 'expert_cumsum' are empty: 1");
    }

    void hugeValuesAreNoOverflow() {
        const std::int64_t huge = std::int64_t{1} << 62;
        const Design known = halfTile({huge, huge}, {huge, huge}, {huge, huge});
        Design open = known;  // extents that the compiler does not know
        Symbol extent;
        extent.id = SymbolId("S");
        extent.value = 128;
        open.symbols.push_back(extent);
        for (Tensor& tensor : open.tensors) tensor.shape = {Expression("S"), Expression("S")};
        for (const auto& list : {findings(known, RuleProfile::Documented), findings(open)}) {
            QVERIFY(idsOf(list).contains("CAP-01"));
            QVERIFY(idsOf(list).contains("CAP-06"));
        }
    }
};

QTEST_APPLESS_MAIN(TestRules)
#include "tst_rules.moc"
