// SPDX-License-Identifier: GPL-3.0-or-later
/// What PyPTO's frontend was seen to do with deliberate mistakes, row by row: what it refuses is refused here with its
/// code beside, what it accepts in silence and harms is flagged so, what is fine is left alone.
#include <QTest>
#include <algorithm>
#include <functional>
#include <set>

#include "core/rules/checker.h"
#include "core/rules/registry.h"
#include "tests/support/cube_stage.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

using Values = std::vector<std::int64_t>;

enum class Outcome { Refused, Silent, Fine };

struct Row {
    const char* mistake;
    Outcome outcome;
    std::string rule, code;
    std::function<Design()> make;
    bool on950 = false;
};

std::function<Design()> fp16(Values m, Values k, Values n, std::int64_t bigK = 1024, bool aTrans = false) {
    return [=] {
        return matmulDesign({.m = 256, .k = bigK, .n = 512, .aTrans = aTrans, .mTile = m, .kTile = k, .nTile = n});
    };
}

std::function<Design()> int8(Values k, Values n) {
    return [=] { return matmulDesign({.dtype = DType::INT8, .out = DType::INT32, .kTile = k, .nTile = n}); };
}

std::function<Design()> types(DType in, DType out) {
    return [=] { return matmulDesign({.dtype = in, .out = out}); };
}

std::function<Design()> mx(std::int64_t k) {
    return [=] {
        CubeStageKnobs knobs;
        knobs.m = knobs.n = 64;
        knobs.k = 192;
        knobs.a = knobs.b = DType::FP8E4M3;
        knobs.scaled = true;
        knobs.tile = CubeTile{{64, 64}, {k, k}, {64, 64}, false, {}};
        return cubeStageDesign(knobs);
    };
}

std::function<Design()> vectorTile(Values tile, std::int64_t n = 512) {
    return [=] { return rowScale({.n = n, .vectorTile = tile}); };
}

std::function<Design()> option(const std::function<void(Options&)>& change, const std::string& label = {}) {
    return [=] {
        Design design = matmulDesign();
        cubeOf(design).label = label;
        change(design.options);
        return design;
    };
}

std::function<Design()> reuse(const std::string& key, std::int64_t value, const std::string& other = {}) {
    return option([=](Options& options) {
        options.cubeL1Reuse.set(key, value);
        if (!other.empty()) options.cubeL1Reuse.set(other, 2);
    });
}

Design nestedParallel() {
    Design design = glmGate({.k = 256, .n = 64, .kTile = {128, 256}});
    Loop& inner = loopOf(design);
    inner.parallel = true;
    Loop outer;
    outer.id = BlockId("halves");
    outer.index = "h";
    outer.axis = Expression(1);
    outer.parallel = true;
    outer.body = design.blocks;
    design.blocks = {Block{outer}};
    design.options.deviceSchedParallelism = 2;
    return design;
}

Design splitKInto(DType out) {
    Design design = matmulDesign({.out = out});
    cubeOf(design).tile.splitK = true;
    return design;
}

/// exp, exp, add, mul in FP32: the sum needs both its operands at once.
Design chained(RowScaleKnobs knobs) {
    knobs.out = DType::FP32;
    Design design = rowScale(knobs);
    vectorOf(design).ops = {vectorOp(VectorOpCode::Exp, {"acc"}, "first"),
                            vectorOp(VectorOpCode::Exp, {"first"}, "second"),
                            vectorOp(VectorOpCode::Add, {"first", "second"}, "both"),
                            vectorOp(VectorOpCode::Mul, {"both", "scale_tile"}, "product")};
    storeOf(design).from = ValueId("product");
    tensorOf(design, "y").dtype = DType::FP32;
    return design;
}

/// Sums along rows of 100 FP32, 400 bytes.
Design reducedRows() {
    Design design = rowScale({.n = 100, .out = DType::FP32, .vectorTile = {16, 100}});
    VectorOp sum = vectorOp(VectorOpCode::Sum, {"rounded"}, "sums");
    sum.keepDim = true;
    vectorOf(design).ops.push_back(sum);
    storeOf(design).from = sum.out;
    tensorOf(design, "y").dtype = DType::FP32;
    tensorOf(design, "y").shape = {Expression("T"), 1};
    return design;
}

std::vector<Row> rows() {
    using enum Outcome;
    const auto nzOutput = [] {
        Design design = matmulDesign();
        tensorOf(design, "c").format = Format::NZ;
        return design;
    };
    return {
        {"kL0 = 20", Refused, "TILE-03", "F0000C", fp16({128, 128}, {20, 20}, {256, 256})},
        {"nL0 = 24", Refused, "TILE-04", "F0000C", fp16({128, 128}, {64, 128}, {24, 24})},
        {"no cube tile", Refused, "TILE-01", "F0000C", fp16({0, 0}, {0, 0, 0}, {0, 0})},
        {"no cube tile, nothing said", Refused, "TILE-01", "F0000C", fp16({}, {}, {})},
        {"kL1 no multiple of kL0", Refused, "TILE-07", "F0000C", fp16({128, 128}, {64, 100}, {256, 256})},
        {"kL1 smaller than kL0", Refused, "TILE-07", "F0000C", fp16({128, 128}, {64, 32}, {256, 256})},
        {"k = [64, 192, 128], K = 512", Refused, "TILE-08", "F0000C",
         fp16({128, 128}, {64, 192, 128}, {256, 256}, 512)},
        {"INT8 kL0 = 16", Refused, "TILE-05", "F0000C", int8({16, 128}, {64, 64})},
        {"INT8 nL0 = 16", Refused, "TILE-06", "F0000C", int8({64, 128}, {16, 16})},
        {"m tile 9 of a transposed A", Refused, "TILE-09", "F0000C", fp16({9, 9}, {64, 128}, {256, 256}, 1024, true)},
        {"scaled_mm kL0 = 32", Refused, "CUBE-09", "F0000C", mx(32), true},
        {"scaled_mm kL0 = 96", Refused, "CUBE-09", "F0000C", mx(96), true},
        {"m tile 9", Fine, "", "", fp16({9, 9}, {64, 128}, {256, 256})},
        {"m tile 1", Fine, "", "", fp16({1, 1}, {64, 128}, {256, 256})},
        {"k with 3 values", Fine, "", "", fp16({128, 128}, {64, 256, 128}, {256, 256})},
        {"exactly full L0B and L0C", Fine, "", "", fp16({128, 128}, {128, 256}, {256, 256})},
        {"k with 4 values", Refused, "TILE-02", "F00002", fp16({128, 128}, {64, 128, 128, 128}, {256, 256})},
        {"L0A overflow", Refused, "CAP-01", "F40005", fp16({256, 256}, {256, 256}, {64, 64})},
        {"L0B overflow", Refused, "CAP-02", "F40005", fp16({64, 64}, {256, 256}, {256, 256})},
        {"L0C overflow", Refused, "CAP-03", "F40005", fp16({256, 256}, {64, 128}, {256, 256})},
        {"one operand beyond L1", Refused, "CAP-06", "F40005", fp16({128, 128}, {64, 4096}, {16, 16}, 4096)},
        {"A and B together beyond L1", Silent, "CAP-04", "", fp16({128, 128}, {64, 1024}, {256, 256}, 2048)},
        {"vector tile of too low a rank", Refused, "VEC-02", "F4FFFF", vectorTile({512})},
        {"no vector tile", Refused, "VEC-02", "F4FFFF", vectorTile({})},
        {"vector tile of too high a rank", Silent, "VEC-05", "", vectorTile({1, 16, 512})},
        {"vector tile (16, 100)", Silent, "VEC-03", "", vectorTile({16, 100})},
        {"vector tile (16, 3)", Silent, "VEC-03", "", vectorTile({16, 3}, 30)},
        {"reduction over an unaligned last axis", Refused, "VEC-08", "", reducedRows},
        {"in and out of one operation beyond UB", Refused, "CAP-05", "F40005",
         [] {
             return chained({.rows = 32, .n = 1024, .rowTile = 32, .vectorTile = {32, 1024}});
         }},
        {"a chain whose values do not fit together", Silent, "CAP-13", "",
         [] {
             return fourAlive({.rows = 32, .n = 1024, .rowTile = 32, .vectorTile = {16, 1024}});
         }},
        {"a chain in tiles that fit", Fine, "", "",
         [] {
             return chained({.rows = 32, .n = 1024, .rowTile = 32, .vectorTile = {8, 1024}});
         }},
        {"vector tile 0", Refused, "VEC-01", "F0000A", vectorTile({0, 512})},
        {"one vector tile beyond UB", Refused, "CAP-05", "F40005", vectorTile({64, 1024}, 1024)},
        {"integer and DEFAULT keys mixed", Refused, "OPT-02", "F00002", reuse("-1", 2, "DEFAULT")},
        {"{\"DEFAULT\": 0}", Refused, "OPT-05", "F4FFFF", reuse("DEFAULT", 0)},
        {"key -2 in l1_reuse", Refused, "OPT-06", "F00002", reuse("-2", 1)},
        {"a label key that matches nothing", Silent, "OPT-04", "", reuse("nothing", 2)},
        {"a label that is no key", Fine, "", "", option([](Options&) {}, "gate")},
        {"integer keys for one group and all", Fine, "", "", reuse("-1", 2, "0")},
        {"NZ output", Refused, "STORE-09", "F00002", nzOutput},
        {"split-K into FP16", Refused, "TILE-12", "F00007", [] { return splitKInto(DType::FP16); }},
        {"split-K into FP32", Fine, "", "", [] { return splitKInto(DType::FP32); }},
        {"nested parallel loops", Silent, "LOOP-02", "F21001", nestedParallel},
        {"FP16 x FP16 -> BF16", Refused, "DTYPE-01", "", types(DType::FP16, DType::BF16)},
        {"INT8 x INT8 -> BF16", Refused, "DTYPE-01", "", types(DType::INT8, DType::BF16)},
        {"INT8 x INT8 -> FP32", Refused, "DTYPE-01", "", types(DType::INT8, DType::FP32)},
    };
}

std::vector<Finding> findings(const Design& design, RuleProfile profile, bool on950) {
    const auto resolved = resolve(design, bound(design));
    if (!resolved) qFatal("%s: %s", resolved.error().where.c_str(), resolved.error().message.c_str());
    return checkDesign(*resolved, chipFile(on950 ? "Ascend950PR_958x" : "Ascend910B1"), profile);
}

QString told(const std::vector<Finding>& list) {
    QString text;
    for (const Finding& f : list) text += QString::fromStdString(f.ruleId + " " + f.where + ": " + f.message + "\n");
    return text;
}

}  // namespace

class TestPyptoVerified : public QObject {
    Q_OBJECT
private slots:
    void everyRowBehavesLikeTheCompiler_data() {
        QTest::addColumn<qsizetype>("index");
        qsizetype index = 0;
        for (const Row& row : rows()) QTest::newRow(row.mistake) << index++;
    }
    void everyRowBehavesLikeTheCompiler() {
        QFETCH(qsizetype, index);
        const Row row = rows()[static_cast<std::size_t>(index)];
        const auto list = findings(row.make(), RuleProfile::Enforced, row.on950);
        const bool error =
            std::any_of(list.begin(), list.end(), [](const Finding& f) { return f.severity == Severity::Error; });
        QCOMPARE(error, row.outcome == Outcome::Refused);
        if (row.outcome == Outcome::Fine) {
            for (const Finding& f : list) QVERIFY2(f.severity == Severity::Hint, qPrintable(told(list)));
            return;
        }
        const auto found =
            std::find_if(list.begin(), list.end(), [&](const Finding& f) { return f.ruleId == row.rule; });
        QVERIFY2(found != list.end(), qPrintable(told(list)));
        QCOMPARE(found->pyptoCode, row.code);
        const Rule& rule = *findRule(row.rule);
        if (row.outcome == Outcome::Refused) {
            QCOMPARE(found->severity, Severity::Error);
            return;
        }
        // Accepted by the compiler: a warning that says so, and an error under all documented limits.
        QCOMPARE(found->severity, Severity::Warning);
        QVERIFY(rule.compilerSilent);
        const auto documented = findings(row.make(), RuleProfile::Documented, row.on950);
        QVERIFY(
            std::any_of(documented.begin(), documented.end(), [&](const Finding& f) { return f.ruleId == row.rule; }));
    }

    /// Shipped operators: clean where the compiler's checks count, told where all documentation counts.
    void shippedTilesDependOnTheProfile_data() {
        QTest::addColumn<QList<qint64>>("m");
        QTest::addColumn<QList<qint64>>("k");
        QTest::addColumn<QString>("documented");
        QTest::newRow("m 9, GMM-MXFP8") << QList<qint64>{9, 9} << QList<qint64>{64, 128} << "TILE-10";
        QTest::newRow("m 4, quant_batch_matmul") << QList<qint64>{4, 4} << QList<qint64>{64, 128} << "TILE-10";
        QTest::newRow("m 1, Pangu") << QList<qint64>{1, 1} << QList<qint64>{64, 128} << "TILE-10";
        QTest::newRow("three values of k") << QList<qint64>{64, 64} << QList<qint64>{64, 256, 128} << "TILE-14";
    }
    void shippedTilesDependOnTheProfile() {
        QFETCH(QList<qint64>, m);
        QFETCH(QList<qint64>, k);
        QFETCH(QString, documented);
        const auto make = fp16({m.begin(), m.end()}, {k.begin(), k.end()}, {64, 64});
        for (const Finding& f : findings(make(), RuleProfile::Enforced, false)) QVERIFY(f.severity == Severity::Hint);
        const auto list = findings(make(), RuleProfile::Documented, false);
        std::set<std::string> errors;
        for (const Finding& f : list)
            if (f.severity == Severity::Error) errors.insert(f.ruleId);
        QCOMPARE(errors, documented.isEmpty() ? std::set<std::string>() : std::set{documented.toStdString()});
    }

    /// 5-D operands do not exist in a design; the message names PyPTO's code.
    void fiveAxesAreRefusedWithPyptosCode() {
        Design design = rowScale();
        tensorOf(design, "scale").shape.assign(5, Expression(1));
        const auto resolved = resolve(design, bound(design));
        QVERIFY(!resolved);
        QVERIFY2(resolved.error().hint.find("FC0002") != std::string::npos, resolved.error().hint.c_str());
    }
};

QTEST_APPLESS_MAIN(TestPyptoVerified)
#include "tst_pypto_verified.moc"
