// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>
#include <set>
#include <string>

#include "core/base/random.h"
#include "core/design/edit_ops.h"
#include "core/design/edit_structure.h"
#include "core/design/resolve.h"
#include "core/exchange/case_settings.h"
#include "core/exchange/design_json.h"
#include "core/rules/checker.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// A matmul with two cases; "wide" has settings of its own.
Design withCases() {
    Design design = matmulDesign();
    Case plain, wide;
    plain.id = CaseId("plain");
    wide.id = CaseId("wide");
    wide.aliases = {"w"};
    wide.set.set("/tensors/a/dtype", JsonText{"\"BF16\""});
    wide.set.set("/tensors/1/dtype", JsonText{"\"BF16\""});
    wide.set.set("/blocks/" + cubeOf(design).id.text + "/tile/k", JsonText{"[32, 128]"});
    wide.set.set("/options/device_sched_mode", JsonText{"1"});
    design.cases = {plain, wide};
    return design;
}

Design inCase(const Design& design, const std::string& name) {
    Result<Design> made = designOfCase(design, name);
    if (!made) qFatal("%s: %s", made.error().where.c_str(), made.error().message.c_str());
    return *std::move(made);
}

TileTable table(const std::string& value, std::vector<TileRow> rows) {
    TileTable made;
    made.value = Expression(value);
    made.rows = std::move(rows);
    return made;
}

TileRow row(std::int64_t upTo, std::vector<Expression> m, std::vector<Expression> k = {}) {
    TileRow made;
    made.upTo = upTo;
    made.m = std::move(m);
    made.k = std::move(k);
    return made;
}

/// GLMGate whose tile follows T: up to 16 rows the rows themselves, up to 64 another K.
Design withTable() {
    Design design = glmGate({.rows = 64, .k = 256, .n = 64, .mTile = {32, 32}, .kTile = {128, 256}});
    cubeOf(design).tileBy = table("T", {row(16, {Expression("T"), Expression("T")}), row(64, {}, {64, 128})});
    return design;
}

/// 75 rows by factors 64, 8 and 1.
Design unrolledGate() {
    Design design = glmGate({.rows = 75, .k = 256, .n = 64, .rowTile = 1, .mTile = {64, 64}, .kTile = {128, 256}});
    Loop& loop = loopOf(design);
    loop.form = LoopKind::Unroll;
    loop.tile = Expression(1);
    loop.unroll = {64, 8};
    View& view = viewOf(design);
    view.shape[0] = Expression("factor");
    view.offset[0] = storeOf(design).offset[0] = Expression(loop.index);
    view.valid.clear();
    return design;
}

std::vector<Finding> found(const Design& design) {
    const auto resolved = resolve(design, bound(design));
    if (!resolved) qFatal("%s", resolved.error().message.c_str());
    return checkDesign(*resolved, chipFile("Ascend910B1"), RuleProfile::Enforced);
}

/// GLMGate with a case "c" whose settings name a symbol, a list, an index, blocks, a tensor and a value.
Design withNamesInSettings() {
    Design design = glmGate({.rows = 64, .k = 256, .n = 64, .mTile = {32, 32}, .kTile = {128, 256}});
    List list;
    list.id = ListId("sizes");
    list.value = {1, 2};
    design.lists = {list};
    const std::string x = viewOf(design).of.text;
    const std::string body = "/blocks/" + loopOf(design).id.text + "/body/";
    Case entry;
    entry.id = CaseId("c");
    entry.set.set(body + cubeOf(design).id.text + "/tile_by",
                  {"{\"value\": \"T // sizes[0]\", \"rows\": [{\"up_to\": 64, \"m\": [\"min(T, 16)\", 16]}]}"});
    entry.set.set("/blocks/0/body/0/valid", {"[\"min(T - i * 32, 32)\", 256]"});
    entry.set.set(body + viewOf(design).id.text + "/of", {"\"" + x + "\""});
    entry.set.set("/tensors/" + x + "/notes", {"\"T stays T\""});
    entry.set.set(body + "2/from", {"\"" + cubeOf(design).out.text + "\""});
    design.cases = {entry};
    return design;
}

Design renamed(const Design& design, int what) {
    Design copy = design;
    Result<Design> made = design;
    if (what == 0) made = renameSymbol(design, SymbolId("T"), "tokens");
    if (what == 1) made = renameTensor(design, TensorId(viewOf(copy).of.text), "hidden");
    if (what == 2) made = renameBlock(design, loopOf(copy).id, "all_rows");
    if (what == 3) made = renameLoopIndex(design, loopOf(copy).id, "row");
    if (what == 4) made = renameValue(design, cubeOf(copy).out, "sums");
    if (what == 5) made = renameList(design, ListId("sizes"), "extents");
    if (!made) qFatal("%s", made.error().message.c_str());
    return *std::move(made);
}

ResolvedDesign resolvedWith(const Design& design, std::int64_t rows) {
    Dictionary<std::int64_t> symbols;
    symbols.set("T", rows);
    Result<ResolvedDesign> made = resolve(design, bound(design, {}, symbols));
    if (!made) qFatal("%s: %s", made.error().where.c_str(), made.error().message.c_str());
    return *std::move(made);
}

}  // namespace

class TestCaseSettings : public QObject {
    Q_OBJECT
private slots:
    void aCaseChangesWhatItSetsAndNothingElse() {
        const Design design = withCases();
        QCOMPARE(inCase(design, "plain"), design);
        QCOMPARE(inCase(design, ""), design);
        Design wide = inCase(design, "w");
        QCOMPARE(tensorOf(wide, "a").dtype, DType::BF16);
        QCOMPARE(tensorOf(wide, "b").dtype, DType::BF16);
        QCOMPARE(cubeOf(wide).tile.k, (std::vector<std::int64_t>{32, 128}));
        QCOMPARE(wide.options.deviceSchedMode, 1);
        QVERIFY(wide.cases[1].set.empty());
        QVERIFY(bind(wide, "wide"));
        // The other case takes everything back.
        Design back = inCase(wide, "plain");
        back.cases = design.cases;
        QCOMPARE(back, design);
    }

    void settingsThatWereNotAppliedAreNotIgnored() {
        const auto binding = bind(withCases(), "wide");
        QVERIFY(!binding);
        QCOMPARE(binding.error().where, "/cases/1/set");
    }

    void settingsSurviveAFile() {
        const Design design = withCases();
        const auto again = readDesign(writeDesign(design));
        QVERIFY2(again, again ? "" : again.error().message.c_str());
        QCOMPARE(again->design, design);
        QVERIFY(again->warnings.empty());
    }

    void wrongSettingsNameTheirPlace_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("message");
        QTest::newRow("no such tensor") << "/tensors/z/dtype"
                                        << "\"FP16\""
                                        << "nothing called \"z\"";
        QTest::newRow("no such type") << "/tensors/a/dtype"
                                      << "\"FP17\""
                                      << "unknown data type \"FP17\"";
        QTest::newRow("appends") << "/tensors/-"
                                 << "{}"
                                 << "nothing called \"-\"";
        QTest::newRow("its own case") << "/cases/0/notes"
                                      << "\"\""
                                      << "a case cannot set";
        QTest::newRow("no path") << "tensors"
                                 << "1"
                                 << "is not a path";
    }
    void wrongSettingsNameTheirPlace() {
        QFETCH(QString, path);
        QFETCH(QString, json);
        QFETCH(QString, message);
        Design design = withCases();
        design.cases[0].set.set(path.toStdString(), JsonText{json.toStdString()});
        const auto made = designOfCase(design, "plain");
        QVERIFY(!made);
        QVERIFY2(made.error().where.starts_with("/cases/0/set/"), made.error().where.c_str());
        QVERIFY2(made.error().message.find(message.toStdString()) != std::string::npos, made.error().message.c_str());
    }

    void editsGoWhereTheValueComesFrom() {
        const Design design = withCases();
        // The case sets the list as a whole: its second entry changes there.
        const auto inside = setInCase(design, "wide", "/blocks/0/tile/k/1", "64");
        QVERIFY2(inside, inside ? "" : inside.error().message.c_str());
        QCOMPARE(inside->blocks, design.blocks);
        Design wide = inCase(*inside, "wide");
        QCOMPARE(cubeOf(wide).tile.k, (std::vector<std::int64_t>{32, 64}));
        // What the case leaves alone, and everything in the other case, changes in the design.
        auto outside = setInCase(design, "wide", "/blocks/0/tile/n/0", "32");
        QVERIFY(outside && cubeOf(*outside).tile.nL0() == 32 && outside->cases == design.cases);
        outside = setInCase(design, "plain", "/blocks/0/tile/k/1", "64");
        QVERIFY(outside && cubeOf(*outside).tile.kAL1() == 64 && outside->cases == design.cases);
        QVERIFY(!setInCase(design, "wide", "/blocks/0/tile/k/1", "true"));
    }

    void aTableGivesTheTileOfItsRow() {
        const Design design = withTable();
        const auto tileFor = [&](std::int64_t rows) {
            const ResolvedDesign resolved = resolvedWith(design, rows);
            return std::get<CubeStage>(resolved.blocks[1].block->content).tile;
        };
        QCOMPARE(tileFor(16).m, (std::vector<std::int64_t>{16, 16}));
        QCOMPARE(tileFor(16).k, (std::vector<std::int64_t>{128, 256}));
        QCOMPARE(tileFor(17).m, (std::vector<std::int64_t>{32, 32}));
        QCOMPARE(tileFor(17).k, (std::vector<std::int64_t>{64, 128}));
        QCOMPARE(tileFor(65).k, (std::vector<std::int64_t>{128, 256}));
    }

    void theRulesSayWhichRowCounts() {
        Design design = withTable();
        const auto found = [&](std::int64_t rows, const std::string& rule) {
            const ResolvedDesign resolved = resolvedWith(design, rows);
            for (const Finding& finding : checkDesign(resolved, chipFile("Ascend910B1"), RuleProfile::Enforced))
                if (finding.ruleId == rule) return finding;
            return Finding();
        };
        QCOMPARE(found(64, "TILE-13").message,
                 "T = 64: row 1 of the tile table (up to 64) gives m [32, 32], k [64, 128], n [16, 16]");
        QVERIFY(found(65, "TILE-13").message.find("beyond the last row") != std::string::npos);
        QCOMPARE(found(65, "TILE-13").severity, Severity::Hint);
        // A wrong value of a row is told, and mended, in the row.
        cubeOf(design).tileBy->rows[1].k = {20, 128};
        const Finding wrong = found(64, "TILE-03");
        QCOMPARE(wrong.where, "/blocks/0/body/1/tile_by/rows/1/k/0");
        QVERIFY(!wrong.fixes.empty());
        for (const Fix& fix : wrong.fixes) {
            Design mended = design;
            for (const Fix::Step& step : fix.steps) {
                auto edited = setAt(mended, step.where, step.json);
                QVERIFY2(edited, step.where.c_str());
                mended = *std::move(edited);
            }
            const ResolvedDesign resolved = resolvedWith(mended, 64);
            for (const Finding& finding : checkDesign(resolved, chipFile("Ascend910B1"), RuleProfile::Enforced))
                QVERIFY2(finding.severity == Severity::Hint, finding.message.c_str());
        }
    }

    void wrongTablesAreRefused() {
        Design design = withTable();
        std::swap(cubeOf(design).tileBy->rows[0], cubeOf(design).tileBy->rows[1]);
        auto made = resolve(design, bound(design));
        QVERIFY(!made);
        QCOMPARE(made.error().where, "/blocks/0/body/1/tile_by/rows/1/up_to");
        design = withTable();
        cubeOf(design).tileBy->rows[1].tile = {8, 8};
        made = resolve(design, bound(design));
        QVERIFY(!made && made.error().where == "/blocks/0/body/1/tile_by/rows/1/tile");
        design = withTable();
        cubeOf(design).tileBy->value = Expression("i");  // the tile cannot follow an iteration
        made = resolve(design, bound(design));
        QVERIFY(!made && made.error().where == "/blocks/0/body/1/tile_by/value");
    }

    /// 75 rows by factors 64, 8, 1: the tile has the factor's rows, so the leaves are those of 64, 8 and 1 rows.
    void aTileFollowsTheFactorOfAnUnrolledLoop() {
        Design design = unrolledGate();
        const ChipSpec chip = chipFile("Ascend910B1");
        const Program whole = lowered(design, bound(design), chip);
        cubeOf(design).tileBy = table("factor", {row(64, {Expression("factor"), Expression("factor")})});
        const Program following = lowered(design, bound(design), chip);
        const auto rows = [](const Program& program) {
            std::set<std::uint32_t> heights;
            for (const Leaf& leaf : program.leaves)
                for (const Allocation& a : leaf.allocations)
                    if (a.buffer == Buffer::L0A) heights.insert(a.rows);
            return heights;
        };
        QCOMPARE(following.tasks.size(), whole.tasks.size());
        QVERIFY(rows(following).contains(64U) && rows(following).contains(16U));
        const auto inputs = generated(whole, {}, 1);
        QVERIFY(sameBits(tensorNamed(whole, emulated(whole, inputs), "y"),
                         tensorNamed(following, emulated(following, inputs), "y")));
        cubeOf(design).tileBy->rows[0].m = {Expression("factor // 8"), Expression("factor // 8")};  // 0 for factor 1
        const auto refused = resolve(design, bound(design));
        QVERIFY(refused);  // the largest factor is fine; lowering refuses the others
    }

    /// The largest factor takes the second row; what is wrong with the first one is found with factor 8.
    void theRowsOfAllFactorsAreChecked() {
        Design design = unrolledGate();
        cubeOf(design).tileBy = table("factor", {row(8, {}, {20, 128}), row(64, {Expression(32), Expression(32)})});
        const auto list = found(design);
        QCOMPARE(list.front().ruleId, std::string("TILE-03"));
        QCOMPARE(list.front().where, std::string("/blocks/0/body/1/tile_by/rows/0/k/0"));
        QVERIFY2(list.front().message.ends_with(" [factor = 8]"), list.front().message.c_str());
        QVERIFY(list.front().messageZh.ends_with(" [factor = 8]"));
        QCOMPARE(std::count_if(list.begin(), list.end(), [](const Finding& f) { return f.ruleId == "TILE-13"; }), 1);
        QVERIFY(!list.front().fixes.empty());
        for (const Fix& fix : list.front().fixes) {
            Design mended = design;
            for (const Fix::Step& step : fix.steps) mended = *setAt(mended, step.where, step.json);
            for (const Finding& finding : found(mended))
                QVERIFY2(finding.severity == Severity::Hint, finding.message.c_str());
        }
        // So are the buffers.
        cubeOf(design).tileBy->rows[0].k = {2048, 2048};
        design.tensors[0].shape[1] = design.tensors[1].shape[1] = viewOf(design).shape[1] = 2048;
        const auto large = found(design);
        QVERIFY(std::any_of(large.begin(), large.end(), [](const Finding& f) {
            return f.ruleId == "CAP-01" && f.where.starts_with("/blocks/0/body/1/tile_by/rows/0");
        }));
    }

    /// m tiles of 8, 4, 2 and 1 rows: fine for the compiler, told where all documentation counts. The slices of the
    /// stage between have the rows of the largest factor.
    void shippedFactorTilesDependOnTheProfile() {
        const Design design = designFile(CUBIST_SOURCE_DIR "/samples/llada2_grouped_gemm.cubist.json");
        const auto resolved = resolve(design, bound(design));
        QVERIFY(resolved);
        for (const RuleProfile profile : {RuleProfile::Enforced, RuleProfile::Documented}) {
            std::set<std::string> errors;
            for (const Finding& finding : checkDesign(*resolved, chipFile("Ascend910B1"), profile))
                if (finding.severity == Severity::Error) errors.insert(finding.ruleId);
            const bool all = profile == RuleProfile::Documented;
            QCOMPARE(errors, all ? std::set<std::string>{"TILE-10"} : std::set<std::string>());
        }
    }

    /// A row that gives K only leaves M and N to the stage, whatever the row of the largest factor says.
    void rowsLeaveTheRestToTheStage() {
        Design design = unrolledGate();
        cubeOf(design).tile.n = {64, 64};
        cubeOf(design).tileBy = table("factor", {row(8, {}, {64, 128}), row(64, {}, {128, 256})});
        cubeOf(design).tileBy->rows[1].n = {Expression(32), Expression(32)};
        // 75 rows are 64 + 8 + 1 + 1 + 1; 64 columns are two blocks of 32 in the first step, one of 64 in the others.
        QCOMPARE(lowered(design, bound(design), chipFile("Ascend910B1")).tasks.size(), std::size_t{6});
    }

    void renamingReachesTheSettings_data() {
        QTest::addColumn<int>("what");
        for (const auto& [index, name] : {std::pair{0, "symbol"}, std::pair{1, "tensor"}, std::pair{2, "block"},
                                          std::pair{3, "index"}, std::pair{4, "value"}, std::pair{5, "list"}})
            QTest::newRow(name) << index;
    }
    void renamingReachesTheSettings() {
        QFETCH(int, what);
        const Design design = withNamesInSettings();
        const Design after = renamed(design, what);
        QVERIFY(after.cases != design.cases);
        // First renamed and then set is the same as first set and then renamed.
        Design first = inCase(after, "c"), last = renamed(inCase(design, "c"), what);
        QCOMPARE(first.tensors.front().notes, std::string("T stays T"));
        first.cases = last.cases = {};
        QCOMPARE(first, last);
    }

    void staticSymbolsMayStandInShapes() {
        Design design = glmGate({.rows = 64, .k = 256, .n = 64, .mTile = {32, 32}, .kTile = {128, 256}});
        Symbol width;
        width.id = SymbolId("K");
        width.value = 256;
        design.symbols.push_back(width);
        viewOf(design).shape[1] = Expression("K");
        viewOf(design).valid.clear();
        const auto problems = [&] { return resolve(design, bound(design))->problems; };
        QCOMPARE(problems().size(), std::size_t{1});
        QCOMPARE(problems()[0].kind, ShapeProblem::Kind::NotConstant);
        design.symbols.back().isStatic = true;
        QVERIFY(problems().empty());
    }

    void arangeCountsModulo() {
        const GeneratorSpec spec{Distribution::Arange, 10.0, 2.0, 3};
        std::vector<double> values;
        for (std::int64_t i = 0; i < 7; ++i) values.push_back(generateElement(spec, randomStream(0, "x"), i));
        QCOMPARE(values, (std::vector<double>{10, 12, 14, 10, 12, 14, 10}));
        QVERIFY(checkGenerator(spec));
        QVERIFY(!checkGenerator({Distribution::Arange, 0.0, 1.0, -1}));
        QVERIFY(!checkGenerator({Distribution::Uniform, 0.0, 1.0, 3}));
    }
};

QTEST_APPLESS_MAIN(TestCaseSettings)
#include "tst_case_settings.moc"
