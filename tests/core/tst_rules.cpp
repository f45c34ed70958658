// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QTest>
#include <algorithm>
#include <set>

#include "core/exchange/design_json.h"
#include "core/rules/buffer_use.h"
#include "core/rules/checker.h"
#include "core/rules/op_types.h"
#include "core/rules/registry.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"
#include "tests/support/rule_cases.h"
#include "tests/support/rules_page.h"

using namespace cubist;
using namespace cubist::test;

namespace {

std::vector<Finding> findings(const Design& design, RuleProfile profile = RuleProfile::Enforced,
                              const ChipSpec& chip = chipFile("Ascend910B1")) {
    auto resolved = resolve(design, bound(design));
    if (!resolved) qFatal("%s: %s", resolved.error().where.c_str(), resolved.error().message.c_str());
    return checkDesign(*resolved, chip, profile);
}

/// "ID where: message" per finding, for failures that explain themselves.
QString told(const std::vector<Finding>& list) {
    QString text;
    for (const Finding& finding : list)
        text += QString::fromStdString(finding.ruleId + " " + finding.where + ": " + finding.message + "\n");
    return text;
}

std::set<std::string> idsOf(const std::vector<Finding>& list) {
    std::set<std::string> ids;
    for (const Finding& finding : list) ids.insert(finding.ruleId);
    return ids;
}

std::set<std::pair<std::string, std::string>> errorsOf(const std::vector<Finding>& list) {
    std::set<std::pair<std::string, std::string>> errors;
    for (const Finding& finding : list)
        if (finding.severity == Severity::Error) errors.emplace(finding.ruleId, finding.where);
    return errors;
}

/// Applies a fix the way a user's `--set` does, through the document.
Design applied(Design design, const Fix& fix) {
    for (const Fix::Step& step : fix.steps) {
        auto result = setAt(design, step.where, step.json);
        if (!result) qFatal("%s: %s", step.where.c_str(), result.error().message.c_str());
        design = std::move(result).value();
    }
    return design;
}

Finding only(const std::vector<Finding>& list, const std::string& rule) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const Finding& f) { return f.ruleId == rule; });
    if (found == list.end()) qFatal("no %s among:\n%s", rule.c_str(), qPrintable(told(list)));
    return *found;
}

Design halfTile(std::vector<std::int64_t> m, std::vector<std::int64_t> k, std::vector<std::int64_t> n,
                std::int64_t bigK = 128) {
    MatmulKnobs knobs;
    knobs.m = knobs.n = 128;
    knobs.k = bigK;
    knobs.mTile = std::move(m);
    knobs.kTile = std::move(k);
    knobs.nTile = std::move(n);
    return matmulDesign(knobs);
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
            QVERIFY2(!rule.source.empty(), rule.id.data());
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

    void badKL0IsToldAtOnceWithLegalValuesOnly() {
        const auto list = findings(halfTile({128, 128}, {20, 20}, {128, 128}));
        QCOMPARE(list.size(), std::size_t{1});
        QCOMPARE(list[0].ruleId, "TILE-03");
        QCOMPARE(list[0].where, "/blocks/0/tile/k/0");
        QCOMPARE(QString::fromStdString(list[0].message),
                 "kL0 = 20 must be a multiple of 16 elements (20 mod 16 = 4) and of 32 bytes (20 x 2 B = 40 B, "
                 "40 mod 32 = 8); also breaks TILE-05");
        QCOMPARE(list[0].fixes.size(), std::size_t{2});
        std::vector<std::string> offered;
        for (const Fix& fix : list[0].fixes) {
            QVERIFY(findings(applied(halfTile({128, 128}, {20, 20}, {128, 128}), fix)).empty());
            offered.push_back(fix.steps[0].json);
        }
        QCOMPARE(offered, (std::vector<std::string>{"16", "32"}));
        QCOMPARE(list[0].fixes[1].title, "Set kL0 to 32 and kL1 to 32");
    }

    void badKL0AlsoTellsWhatL1BreaksWithIt() {
        const auto list = findings(halfTile({128, 128}, {20, 50, 128}, {128, 128}));
        QCOMPARE(list.size(), std::size_t{1});
        QVERIFY2(
            list[0].message.ends_with("; kAL1 = 50 must be a multiple of kL0 = 20 (50 mod 20 = 10); kBL1 = 128 must be "
                                      "a multiple of kL0 = 20 (128 mod 20 = 8); also breaks TILE-05, TILE-07"),
            list[0].message.c_str());
        QCOMPARE(list[0].fixes.at(0).title, "Set kL0 to 16 and kAL1 to 48");
    }

    void int8TilesNeed32Elements() {
        MatmulKnobs knobs;
        knobs.m = knobs.n = 32;
        knobs.k = 80;
        knobs.dtype = DType::INT8;
        knobs.out = DType::INT32;
        knobs.mTile = knobs.nTile = {32, 32};
        knobs.kTile = {48, 48};
        Design design = matmulDesign(knobs);
        for (Tensor& tensor : design.tensors) tensor.data.generator = Generator::Integers;
        const auto list = findings(design);
        QCOMPARE(idsOf(list), std::set<std::string>{"TILE-05"});
        QVERIFY(list[0].message.find("48 x 1 B = 48 B, 48 mod 32 = 16") != std::string::npos);
        QCOMPARE(list[0].fixes[0].steps[0].json, "32");
        QCOMPARE(list[0].fixes[1].steps[0].json, "64");
    }

    void l0aOverflowShowsItsArithmetic() {
        const auto list = findings(glmGate({.mTile = {256, 256}}));
        const Finding finding = only(list, "CAP-01");
        QCOMPARE(QString::fromStdString(finding.message),
                 "L0A needs 256 x 512 x 4 B = 524288 B, capacity 65536 B (800.0 %): A 256 x 512 FP32");
        QCOMPARE(finding.pyptoCode, "F40005");
        QCOMPARE(finding.measured, 524288.0);
        QCOMPARE(finding.limit, 65536.0);
        QCOMPARE(finding.fixes.size(), std::size_t{2});
        QCOMPARE(finding.fixes[0].title, "Set kL0 to 64");
        QCOMPARE(finding.fixes[1].title, "Set mL0 to 32 and mL1 to 32");
    }

    void bothOperandsBeyondL1AreOnlyWarnedOfWhenEnforced() {
        const Design design = halfTile({128, 128}, {64, 1024}, {256, 256}, 2048);
        const Finding warning = only(findings(design), "CAP-04");
        QCOMPARE(warning.severity, Severity::Warning);
        QVERIFY(warning.pyptoCode.empty());
        QVERIFY(warning.message.starts_with(
            "L1 needs 128 x 1024 x 2 B + 1024 x 256 x 2 B = 786432 B, capacity 524288 B (150.0 %)"));
        QCOMPARE(only(findings(design, RuleProfile::Documented), "CAP-04").severity, Severity::Error);
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
        for (const Finding& finding : list) QVERIFY2(finding.severity == Severity::Hint, qPrintable(told(list)));
    }

    void tailFixGivesTheValidPart() {
        GlmGateKnobs knobs;
        knobs.rows = 1026;
        knobs.valid = false;
        const Finding finding = only(findings(glmGate(knobs)), "TAIL-01");
        QCOMPARE(QString::fromStdString(finding.message),
                 "the last iteration reads beyond 'x' on axis 0: 1024 + 32 = 1056 > 1026; only 2 of 32 are valid");
        QCOMPARE(finding.fixes.at(0).steps.at(0).json, "[\"min(T - (i * 32), 32)\", 5120]");
    }

    void wrongTranspositionIsOfferedAsAFix() {
        MatmulKnobs knobs;
        knobs.bTrans = true;
        Design design = matmulDesign(knobs);
        cubeOf(design).bTrans = false;
        const Finding finding = only(findings(design), "SHAPE-02");
        QCOMPARE(finding.fixes.size(), std::size_t{1});
        QVERIFY(findings(applied(design, finding.fixes[0])).empty());
    }

    void castsThatDoNotExistNameTheWay() {
        QVERIFY(only(findings(rowScale({.out = DType::INT8})), "DTYPE-03")
                    .message.ends_with("no cast from FP32 to INT8; go FP32 -> FP16 -> INT8"));
        // The 950 has FP8; on A2/A3 there is no way at all.
        const Design fp8 = rowScale({.out = DType::FP8E4M3});
        QVERIFY(only(findings(fp8), "DTYPE-03").message.ends_with("no cast from FP32 to FP8E4M3"));
        const auto on950 = findings(fp8, RuleProfile::Enforced, chipFile("Ascend950PR_958x"));
        QVERIFY2(on950.empty(), qPrintable(told(on950)));
    }

    /// Against the pages of the operations and PyPTO's table of types by architecture.
    void typesOfOperands_data() {
        QTest::addColumn<QString>("a2");
        QTest::addColumn<QString>("on950");
        const auto row = [](const char* names, const char* a2, const char* on950 = nullptr) {
            for (const QString& name : QString(names).split(' '))
                QTest::newRow(qPrintable(name)) << QString(a2) << QString(on950 == nullptr ? a2 : on950);
        };
        row("add sub where", "BF16 FP16 FP32 INT16 INT32", "BF16 FP16 FP32 INT16 INT32 INT8 UINT8");
        row("maximum minimum amax amin", "BF16 FP16 FP32 INT16 INT32", "BF16 FP16 FP32 INT16 INT32 INT8 UINT8");
        row("mul div neg relu clip cumsum", "BF16 FP16 FP32 INT16 INT32");
        row("abs", "BF16 FP16 FP32", "BF16 FP16 FP32 INT16 INT32 INT8");
        row("eq ne lt le gt ge", "FP16 FP32", "FP16 FP32 INT16");
        row("exp log sqrt rsqrt reciprocal", "BF16 FP16 FP32");
        row("sum", "BF16 FP32 INT16 INT32");
        row("prod", "FP32 INT16 INT32");
        row("argsort", "FP16 FP32");
        row("gather", "BF16 FP16 FP32 INT16 INT32");
        row("scatter", "BF16 FP16 FP32 INT16 INT32 INT8 UINT8");
        row("concat", "BF16 FP16 FP32 INT16 INT32 INT64 INT8 UINT8");
        row("transpose", "BF16 FP16 FP32 INT16 INT32 INT8 UINT8",
            "BF16 FP16 FP32 FP8E4M3 FP8E5M2 FP8E8M0 HF8 INT16 INT32 INT8 UINT8");
        row("expand_clone", "BF16 BOOL FP16 FP32 INT16 INT32 INT8 UINT8");
        row("fillpad", "BF16 FP16 FP32 INT16 INT32 INT8 UINT8");
    }
    void typesOfOperands() {
        QFETCH(QString, a2);
        QFETCH(QString, on950);
        VectorOp op;
        op.op = *fromText<VectorOpCode>(QTest::currentDataTag());
        op.in.assign(2, Operand{ValueId("x")});
        const auto listed = [&](const char* arch) {
            QStringList names;
            for (const DType type : rules::operandTypes(arch, op)) names += QString::fromUtf8(toText(type).data());
            names.sort();
            return names.join(' ');
        };
        QCOMPARE(listed("2201"), a2);
        QCOMPARE(listed("3510"), on950);
    }

    void aNumberBesideBytesIsNotTaken() {
        VectorOp op;
        op.op = VectorOpCode::Maximum;
        op.in = {Operand{ValueId("x")}, Operand{1.0}};
        for (const DType type : rules::operandTypes("3510", op)) QVERIFY(type != DType::INT8 && type != DType::UINT8);
    }

    void fp8MatmulsBelongToThe950() {
        Design design = matmulDesign({.dtype = DType::FP8E4M3, .out = DType::BF16});
        tensorOf(design, "b").dtype = DType::FP8E5M2;
        QCOMPARE(idsOf(findings(design)), std::set<std::string>{"DTYPE-01"});
        const auto on950 = findings(design, RuleProfile::Enforced, chipFile("Ascend950PR_958x"));
        QVERIFY2(on950.empty(), qPrintable(told(on950)));
    }

    void largeL0cFitsThe950() {
        const Design design = halfTile({256, 256}, {64, 128}, {256, 256});
        QCOMPARE(idsOf(findings(design)), std::set<std::string>{"CAP-03"});
        const auto on950 = findings(design, RuleProfile::Enforced, chipFile("Ascend950PR_958x"));
        QCOMPARE(idsOf(on950), std::set<std::string>{"CAP-07"});  // 262144 of 262144 B
    }

    void expressionSizeNamesTheSmallestTileThatPasses() {
        // 4096 x 4096 by 16 x 16 is 65536 tiles.
        RowScaleKnobs knobs;
        knobs.rows = knobs.rowTile = 4096;
        knobs.n = 4096;
        knobs.vectorTile = {16, 16};
        const Finding finding = only(findings(rowScale(knobs)), "VEC-04");
        QVERIFY(finding.message.find("65536 * 3 = 196608 must stay below 18000") != std::string::npos);
        QCOMPARE(finding.fixes.at(0).steps.at(0).json, "[256, 16]");  // 4096 tiles; 128 x 16 leaves 8192, too many
    }

    void unalignedRowsCountTheirBursts() {
        Design design = rowScale({.n = 126, .vectorTile = {8, 126}});
        vectorOf(design).ops.pop_back();  // FP32 all the way
        storeOf(design).from = ValueId("scaled");
        tensorOf(design, "y").dtype = DType::FP32;
        const Finding finding = only(findings(design), "VEC-03");
        QVERIFY(finding.message.starts_with("a tile row of FP32 has 126 x 4 B = 504 B = 15.75 bursts of 32 B"));
        QCOMPARE(finding.fixes.at(0).steps.at(0).json, "128");
        vectorOf(design).tile = {2, 4};
        QCOMPARE(only(findings(design, RuleProfile::Documented), "VEC-03").fixes.at(0).steps.at(0).json, "8");
    }

    void tooManySlotsInUb() {
        // FC-05 in our terms: the tiles fit once, two sets do not.
        Design design = rowScale({.n = 1024, .vectorTile = {16, 1024}});
        vectorOf(design).slotCount = 2;
        const Finding finding = only(findings(design), "CAP-08");
        // acc and scaled 16 x 1024 x 4 B each, scale 16 x 32 B
        QCOMPARE(QString::fromStdString(finding.message),
                 "2 slots do not fit: UB needs 2 x 131584 B = 263168 B, capacity 196608 B (133.9 %)");
        QCOMPARE(finding.fixes.at(0).steps.at(0).json, "null");
        QCOMPARE(finding.fixes.at(1).steps.at(0).json, "1");
        QCOMPARE(finding.fixes.at(2).title, "Set axis 0 of the tile to 8");  // and keep both slots
    }

    void bufferUseOfGlmGate() {
        const Design design = glmGate();
        const auto resolved = resolve(design, bound(design));
        const auto uses = bufferUse(*resolved, resolved->blocks[1], chipFile("Ascend910B1"));
        const auto row = [](const BufferUse& use) {
            return QString("%1 %2 x%3 of %4")
                .arg(use.buffer.c_str())
                .arg(use.bytesPerSlot)
                .arg(use.slotCount)
                .arg(use.capacity);
        };
        QStringList rows;
        for (const BufferUse& use : uses) rows += row(use);
        QCOMPARE(rows, (QStringList{"L0A 65536 x1 of 65536", "L0B 32768 x2 of 65536", "L0C 2048 x2 of 131072",
                                    "L1 196608 x2 of 524288", "UB 0 x1 of 196608", "BT 0 x1 of 1024", "FB 0 x1 of 2048",
                                    "L0A_MX 0 x1 of 2048", "L0B_MX 0 x1 of 2048"}));
        QCOMPARE(uses[3].contributors.size(), std::size_t{2});
        QCOMPARE(uses[3].contributors[0].what, "A 32 x 1024 FP32");
        QCOMPARE(uses[3].contributors[1].sum, "1024 x 16 x 4 B");
        QCOMPARE(uses[3].contributors[1].bytes, 65536);
        QVERIFY(bufferUse(*resolved, resolved->blocks[0], chipFile("Ascend910B1")).empty());  // a view
    }

    void bufferUseOfAVectorStageIsItsFullestMoment() {
        const Design design = rowScale();
        const auto resolved = resolve(design, bound(design));
        const BufferUse ub = bufferUse(*resolved, resolved->blocks[3], chipFile("Ascend910B1"))[4];
        // mul: acc and scaled 16 x 128 FP32, one FP32 per row of scale in a block of 32 B. The cast has less:
        // scaled and rounded.
        QCOMPARE(ub.bytesPerSlot, 2 * 16 * 512 + 16 * 32);
        QCOMPARE(ub.slotCount, 2);
        QStringList names;
        for (const BufferShare& share : ub.contributors) names += QString::fromStdString(share.what);
        QCOMPARE(names, (QStringList{"acc 16 x 128 FP32", "scale_tile 16 x 1 FP32", "scaled 16 x 128 FP32"}));
    }

    void bufferUseCountsWhatACompositeHoldsInBetween() {
        // rms_norm: x stays for the division while x * x and its share of the mean exist. Rows are whole, cut or not.
        Design design = rowScale({.vectorTile = {16, 64}});
        VectorOp& norm = vectorOf(design).ops[1];
        norm.op = VectorOpCode::RmsNorm;
        norm.dtype.reset();
        const auto resolved = resolve(design, bound(design));
        const BufferUse ub = bufferUse(*resolved, resolved->blocks[3], chipFile("Ascend910B1"))[4];
        QCOMPARE(ub.bytesPerSlot, 3 * 16 * 512);
        QStringList names;
        for (const BufferShare& share : ub.contributors) names += QString::fromStdString(share.what);
        QCOMPARE(names, (QStringList{"scaled 16 x 128 FP32", "(mul) 16 x 128 FP32", "(mul) 16 x 128 FP32"}));
    }

    void bufferUseOfSlicesHoldsAllBetweenThem() {
        Design design = rowScale({.vectorTile = {16, 32}});
        VectorStage& stage = vectorOf(design);
        VectorOp left;
        left.op = VectorOpCode::Slice;
        left.in = {Operand{ValueId("acc")}};
        left.out = ValueId("left");
        left.shape = {64, 64};
        VectorOp right = left;
        right.out = ValueId("right");
        right.offset = {0, 64};
        VectorOp product;
        product.op = VectorOpCode::Mul;
        product.in = {Operand{left.out}, Operand{right.out}};
        product.out = ValueId("product");
        stage.ops = {left, right, product};
        storeOf(design).from = product.out;
        const auto resolved = resolve(design, bound(design));
        const BufferUse ub = bufferUse(*resolved, resolved->blocks[3], chipFile("Ascend910B1"))[4];
        // Columns 0..31 and 64..95 of acc come in one load of 96; the fullest moment is the second slice.
        QCOMPARE(ub.bytesPerSlot, 16 * 96 * 4 + 2 * 16 * 32 * 4);
    }

    void paddingCountsInTheBuffers() {
        // INT8 pads to 32 rows and columns: 9 x 64 becomes 32 x 64.
        MatmulKnobs knobs;
        knobs.dtype = DType::INT8;
        knobs.out = DType::INT32;
        knobs.mTile = {9, 9};
        const Design design = matmulDesign(knobs);
        const auto resolved = resolve(design, bound(design));
        const auto uses = bufferUse(*resolved, resolved->blocks[0], chipFile("Ascend910B1"));
        QCOMPARE(uses[0].bytesPerSlot, 32 * 64);
        QCOMPARE(uses[2].bytesPerSlot, 32 * 64 * 4);
        QCOMPARE(uses[3].bytesPerSlot, 32 * 128 + 128 * 64);
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

    void hugeValuesAreNoOverflow() {
        const std::int64_t huge = std::int64_t{1} << 62;
        const auto list = findings(halfTile({huge, huge}, {huge, huge}, {huge, huge}));
        QVERIFY(idsOf(list).contains("CAP-01"));
        QVERIFY(idsOf(list).contains("CAP-06"));
    }
};

QTEST_APPLESS_MAIN(TestRules)
#include "tst_rules.moc"
