// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>
#include <memory>
#include <stop_token>

#include "core/exchange/design_json.h"
#include "core/rules/checker.h"
#include "core/rules/families.h"
#include "core/rules/prediction.h"
#include "core/rules/registry.h"
#include "core/rules/tile_splits.h"
#include "core/run/faster_tiles.h"
#include "core/run/run.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// FC-34: 512^3 in 8 blocks.
Design eightBlocks() {
    return matmulDesign({.m = 512, .k = 512, .n = 512, .mTile = {128, 128}, .kTile = {64, 256}, .nTile = {256, 256}});
}

PredictedStage stage(const Design& design, bool cube, std::int64_t tasks, double busy) {
    PredictedStage made;
    made.cube = cube;
    made.tasks = tasks;
    made.busyUs = busy;
    made.criticalUs = busy / (cube ? 24 : 48);
    const auto resolved = resolve(design, bound(design));
    for (const ResolvedBlock& block : resolved->blocks)
        if (std::holds_alternative<CubeStage>(block.block->content) == cube &&
            !std::holds_alternative<Store>(block.block->content) &&
            !std::holds_alternative<View>(block.block->content)) {
            made.id = block.block->id();
            made.where = block.where;
        }
    return made;
}

std::vector<Finding> findings(const Design& design, std::vector<PredictedStage> stages,
                              RuleProfile profile = RuleProfile::Enforced) {
    Prediction prediction;
    prediction.aicCount = 24;
    prediction.aivCount = 48;
    prediction.stages = std::move(stages);
    const auto resolved = resolve(design, bound(design));
    return checkPrediction(*resolved, chipFile("Ascend910B1"), profile, prediction);
}

std::vector<std::string> idsOf(const std::vector<Finding>& list) {
    std::vector<std::string> ids;
    for (const Finding& finding : list) ids.push_back(finding.ruleId);
    return ids;
}

using Ids = std::vector<std::string>;

RunReport predicted(const Design& design) {
    RunRequest request;
    request.design = std::make_shared<const Design>(design);
    request.chip = chipFile(design.chip.text);
    request.values = request.golden = false;
    auto report = run(request, {});
    if (!report) qFatal("%s", report.error().message.c_str());
    return *std::move(report);
}

const Finding* named(const std::vector<Finding>& list, const std::string& rule) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const Finding& f) { return f.ruleId == rule; });
    return found == list.end() ? nullptr : &*found;
}

}  // namespace

Q_DECLARE_METATYPE(MatmulKnobs)

class TestPredictionRules : public QObject {
    Q_OBJECT
private slots:
    /// FC-10: any shape is allowed, and what it wastes is shown.
    void paddingIsTold_data() {
        QTest::addColumn<int>("m");
        QTest::addColumn<int>("k");
        QTest::addColumn<int>("n");
        QTest::addColumn<QString>("text");
        QTest::newRow("M 5") << 5 << 256 << 128 << "M = 5 in blocks of whole fractals of 16: 11 of 16 (68.75 %)";
        QTest::newRow("M 8") << 8 << 256 << 128 << "M = 8 in blocks of whole fractals of 16: 8 of 16 (50.00 %)";
        QTest::newRow("K 5") << 16 << 5 << 128 << "K = 5 in blocks of whole fractals of 16: 11 of 16 (68.75 %)";
        QTest::newRow("N 100") << 16 << 256 << 100 << "N = 100 in blocks of whole fractals of 16: 12 of 112 (10.71 %)";
        QTest::newRow("M 32") << 32 << 256 << 128 << QString();
    }
    void paddingIsTold() {
        QFETCH(int, m);
        QFETCH(int, k);
        QFETCH(int, n);
        QFETCH(QString, text);
        const Design design = matmulDesign({.m = m,
                                            .k = k,
                                            .n = n,
                                            .dtype = DType::BF16,
                                            .out = DType::FP32,
                                            .mTile = {64, 64},
                                            .kTile = {64, 64},
                                            .nTile = {128, 128}});
        const RunReport report = predicted(design);
        const Finding* finding = named(report.findings, "PERF-05");
        QCOMPARE(finding != nullptr, !text.isEmpty());
        if (finding != nullptr)
            QVERIFY2(QString::fromStdString(finding->message).startsWith(text), finding->message.c_str());
    }

    void coresBelowFourFifthsAreTold() {
        const Design design = eightBlocks();
        QCOMPARE(idsOf(findings(design, {stage(design, true, 19, 1)})), Ids{"PERF-01"});  // 19 / 24 = 0.79
        QCOMPARE(idsOf(findings(design, {stage(design, true, 20, 1)})), Ids{});           // 0.83
        QCOMPARE(idsOf(findings(design, {stage(design, true, 25, 1)})), Ids{"PERF-01"});  // two waves, 25 / 48
    }

    void theOfferedTilesFillTheCores() {
        const Design design = eightBlocks();
        const RunReport report = predicted(design);
        const Finding& finding = *named(report.findings, "PERF-01");
        QVERIFY2(finding.message.find("8 / 24 = 33.3 %") != std::string::npos, finding.message.c_str());
        QVERIFY(!finding.fixes.empty());
        // Without one who predicts them, none is looked for.
        const auto live = findings(design, {stage(design, true, 8, 1)});
        QCOMPARE(live.size(), std::size_t{1});
        QVERIFY(live[0].fixes.empty() && live[0].message.find("predicted") == std::string::npos);
        for (const Fix& fix : finding.fixes) {
            Design edited = design;
            for (const Fix::Step& step : fix.steps) {
                auto result = setAt(edited, step.where, step.json);
                QVERIFY(result);
                edited = *std::move(result);
            }
            const RunReport after = predicted(edited);
            QVERIFY2(named(after.findings, "PERF-01") == nullptr, fix.title.c_str());
            QCOMPARE(after.errorCount(), 0);
        }
    }

    /// Merging leaves fewer tasks than blocks, and tables give tiles of their own: a run tries what it offers.
    void aRunOffersWhatItsPredictionConfirms() {
        for (const char* file : {"resources/skeletons/B-4.json", "resources/skeletons/D-3.json",
                                 "samples/matmul_guide.cubist.json", "samples/gmm_finalize_routing.cubist.json"}) {
            const Design design = designFile(std::string(CUBIST_SOURCE_DIR "/") + file);
            const RunReport before = predicted(design);
            for (const Finding& finding : before.findings) {
                if (finding.ruleId != "PERF-01") continue;
                double last = 0;
                for (const Fix& fix : finding.fixes) {
                    Design edited = design;
                    for (const Fix::Step& step : fix.steps) edited = setAt(edited, step.where, step.json).value();
                    const RunReport after = predicted(edited);
                    QVERIFY2(after.ran, fix.title.c_str());
                    for (const Finding& other : after.findings)
                        QVERIFY2(other.ruleId != "PERF-01" || other.block != finding.block, fix.title.c_str());
                    const double us = after.trace->microseconds(after.trace->kernel);
                    const std::string told = QString::number(us, 'f', 2).toStdString() + " us instead of ";
                    QVERIFY2(fix.title.find(told) != std::string::npos, (fix.title + " | " + told).c_str());
                    QVERIFY(us >= last && us < before.trace->microseconds(before.trace->kernel));
                    last = us;
                }
            }
        }
        const RunReport thin = predicted(matmulDesign(
            {.m = 128, .k = 4096, .n = 256, .mTile = {128, 128}, .kTile = {64, 256}, .nTile = {256, 256}}));
        const Finding& faster = *named(thin.findings, "PERF-01");
        QVERIFY(!faster.fixes.empty());
        QVERIFY(faster.message.find("faster") == std::string::npos);
    }

    /// Cuts that are no powers of two, deeper and shallower ones: the first fix is as fast as the tile that a search by
    /// hand finds, within 3 %.
    void theFastestTilesAreFound_data() {
        QTest::addColumn<MatmulKnobs>("knobs");
        QTest::addColumn<double>("us");
        using K = MatmulKnobs;
        const auto row = [](const char* name, const K& knobs, double us) { QTest::newRow(name) << knobs << us; };
        row("FC-34", {.m = 512, .k = 512, .n = 512, .mTile = {128, 128}, .kTile = {64, 256}, .nTile = {256, 256}},
            3.12);
        row("1024 x 512 x 512",
            {.m = 1024, .k = 512, .n = 512, .mTile = {128, 128}, .kTile = {64, 256}, .nTile = {256, 256}}, 4.15);
        row("128 x 1024 x 256",
            {.m = 128, .k = 1024, .n = 256, .mTile = {128, 128}, .kTile = {64, 1024}, .nTile = {256, 256}}, 4.21);
    }
    void theFastestTilesAreFound() {
        QFETCH(const MatmulKnobs, knobs);
        QFETCH(const double, us);
        const RunReport report = predicted(matmulDesign(knobs));
        const Finding& finding = *named(report.findings, "PERF-01");
        QVERIFY2(!finding.fixes.empty(), finding.message.c_str());
        const QString title = QString::fromStdString(finding.fixes[0].title);
        const double found = title.section(", ", -1).section(' ', 0, 0).toDouble();
        QVERIFY2(found > 0 && found <= us * 1.03, qPrintable(title));
    }

    /// A claim that nothing is faster says what was tried.
    void whatWasTriedIsTold() {
        const RunReport tiny = predicted(
            matmulDesign({.m = 16, .k = 64, .n = 16, .mTile = {16, 16}, .kTile = {64, 64}, .nTile = {16, 16}}));
        const Finding& one = *named(tiny.findings, "PERF-01");
        QVERIFY(one.fixes.empty());
        QVERIFY2(one.message.find("; no tile that fits cuts it into blocks that fill them") != std::string::npos,
                 one.message.c_str());
        // 24 tasks take longer to hand out than one takes to run.
        const RunReport thin = predicted(
            matmulDesign({.m = 16, .k = 16, .n = 384, .mTile = {16, 16}, .kTile = {16, 16}, .nTile = {384, 384}}));
        const Finding& none = *named(thin.findings, "PERF-01");
        QVERIFY2(none.fixes.empty() &&
                     none.message.find("; of 1 pairs of m and n that fill them the 1 with the "
                                       "shortest estimates were predicted, none is faster") != std::string::npos,
                 none.message.c_str());
        // What other errors keep from being predicted is not called slower.
        Design broken = eightBlocks();
        broken.options.maxWorkspaceKb = -1;
        RunRequest request;
        request.design = std::make_shared<const Design>(broken);
        request.chip = chipFile(broken.chip.text);
        request.values = request.golden = false;
        request.force = true;
        const auto forced = run(request, {});
        QVERIFY(forced && forced->errorCount() > 0);
        const Finding& untried = *named(forced->findings, "PERF-01");
        QVERIFY2(untried.fixes.empty() && untried.message.find("but none is predicted: with each of the 12 that were "
                                                               "tried the design has errors") != std::string::npos,
                 untried.message.c_str());
        QVERIFY(untried.messageZh.find("均未预测") != std::string::npos);
    }

    /// F-67: operands stored in fractals come from HBM at a rate of their own.
    void storedFractalsHaveTheirRate() {
        for (const Format format : {Format::ND, Format::NZ}) {
            Design design = eightBlocks();
            tensorOf(design, "b").format = format;
            const auto resolved = resolve(design, bound(design));
            const ResolvedBlock* block = resolved->block(cubeOf(design).id);
            const ChipSpec chip = chipFile("Ascend910B1");
            const auto ticks = [&](Constant ChipSpec::*slower) {
                ChipSpec other = chip;
                if (slower != nullptr) (other.*slower).value = Rational(1);
                return tileSplits(*resolved, *block, other, 24, 0.8, 1).best.at(0).ticks;
            };
            QCOMPARE(ticks(&ChipSpec::hbmNzBytesPerCycle) > ticks(nullptr), format == Format::NZ);
        }
    }

    /// Tiles that the rules refuse to run were not compared.
    void refusedTilesAreNotCalledSlower() {
        const Design design = eightBlocks();
        const auto resolved = resolve(design, bound(design));
        Prediction prediction;
        prediction.aicCount = 24;
        prediction.aivCount = 48;
        prediction.kernelUs = 10;
        prediction.stages = {stage(design, true, 8, 1)};
        const auto messageWith = [&](const FillTrial& trial) {
            const auto list = checkPrediction(*resolved, chipFile("Ascend910B1"), RuleProfile::Enforced, prediction,
                                              [&](const Design&, const BlockId&) { return trial; });
            const Finding* found = named(list, "PERF-01");
            return found != nullptr && found->fixes.empty() ? QString::fromStdString(found->message) : QString();
        };
        QVERIFY(messageWith({false, std::nullopt}).contains("but none is predicted: with each of the "));
        QVERIFY(messageWith({true, 11.0}).endsWith("with the shortest estimates were predicted, none is faster"));
        QVERIFY(messageWith({true, std::nullopt}).endsWith("were predicted, none is faster"));
        QVERIFY(messageWith({true, 9.0}).isEmpty());
    }

    void heavyVectorWorkIsTold() {
        const Design design = rowScale();
        // 24 us on 24 cube cores against 49 us on 48 vector cores.
        const auto heavy = findings(design, {stage(design, true, 24, 24), stage(design, false, 48, 49)});
        QCOMPARE(idsOf(heavy), Ids{"PERF-02"});
        QCOMPARE(heavy[0].severity, Severity::Hint);
        QCOMPARE(idsOf(findings(design, {stage(design, true, 24, 24), stage(design, false, 48, 48)})), Ids{});
        QCOMPARE(findings(design, {stage(design, true, 24, 24), stage(design, false, 48, 49)}, RuleProfile::Documented)
                     .at(0)
                     .severity,
                 Severity::Warning);
    }

    void reloadsAreCounted() {
        const Design design = eightBlocks();
        PredictedStage loads = stage(design, true, 24, 1);
        loads.loads = 32;
        loads.distinct = 2;
        const auto list = findings(design, {loads});
        QCOMPARE(idsOf(list), Ids{"PERF-03"});
        QVERIFY(list[0].message.find("32 blocks into L1 instead of 2") != std::string::npos);
        loads.loads = 2;
        QCOMPARE(idsOf(findings(design, {loads})), Ids{});
    }

    void shortRowsAreTold() {
        const Design design = eightBlocks();
        PredictedStage rows = stage(design, true, 24, 1);
        rows.shortestRow = 511;
        QCOMPARE(idsOf(findings(design, {rows})), Ids{"PERF-04"});
        rows.shortestRow = 512;
        QCOMPARE(idsOf(findings(design, {rows})), Ids{});
        // The line of a 950 has 128 B.
        for (const std::int64_t bytes : {127, 128}) {
            Prediction prediction;
            prediction.aicCount = 32;
            prediction.aivCount = 64;
            rows.shortestRow = bytes;
            rows.tasks = 32;
            prediction.stages = {rows};
            const auto list = checkPrediction(*resolve(design, bound(design)), chipFile("Ascend950PR_958x"),
                                              RuleProfile::Enforced, prediction);
            QCOMPARE(idsOf(list), bytes < 128 ? Ids{"PERF-04"} : Ids{});
            if (!list.empty()) QVERIFY(list[0].message.find("a cache line has 128 B") != std::string::npos);
        }
    }

    void aRunReportsThem() {
        const RunReport report = predicted(eightBlocks());
        const Finding* fill = named(report.findings, "PERF-01");
        QVERIFY(fill != nullptr);
        QCOMPARE(fill->where, "/blocks/0/tile");
        QCOMPARE(*fill->measured, 8.0 / 24.0);
        // k 256 in FP16: rows of 512 bytes; n 256 likewise.
        QVERIFY(named(report.findings, "PERF-04") == nullptr);
    }

    /// pypto-verified 4.1: [64, 1024] at 128 x 256 needs 768 KB of L1; PyPTO copies 32 blocks instead of 2.
    void thrashingL1IsCounted() {
        Design design = matmulDesign(
            {.m = 128, .k = 2048, .n = 256, .mTile = {128, 128}, .kTile = {64, 1024}, .nTile = {256, 256}});
        const RunReport thrashed = predicted(design);
        const Finding* reloads = named(thrashed.findings, "PERF-03");
        QVERIFY(reloads != nullptr);
        QCOMPARE(*reloads->limit, 4.0);
        QVERIFY2(*reloads->measured > 32, reloads->message.c_str());
        cubeOf(design).tile.k = {64, 512};
        QVERIFY(named(predicted(design).findings, "PERF-03") == nullptr);
    }

    /// What a check says of the design alone is what the program of a run does; the first three rows are PyPTO's own
    /// numbers (pypto-verified 4.1).
    void aCheckCountsTheReloadsOfARun_data() {
        QTest::addColumn<MatmulKnobs>("knobs");
        QTest::addColumn<bool>("splitK");
        QTest::addColumn<bool>("bias");
        QTest::addColumn<QString>("count");
        using K = MatmulKnobs;
        const auto row = [](const char* name, const K& knobs, const QString& count, bool splitK = false,
                            bool bias = false) { QTest::newRow(name) << knobs << splitK << bias << count; };
        const auto half = [](std::int64_t k, std::vector<std::int64_t> kTile) {
            return K{.m = 128, .k = k, .n = 256, .mTile = {128, 128}, .kTile = std::move(kTile), .nTile = {256, 256}};
        };
        row("K 1024", half(1024, {64, 1024}), "32 tiles into L1 instead of 2");
        row("K 2048", half(2048, {64, 1024}), "64 tiles into L1 instead of 4");
        row("K 2048 by 704", half(2048, {64, 704}), "46 tiles into L1 instead of 6");
        row("three values", half(2048, {64, 1536, 512}), "");
        row("three values, B deep", half(4096, {64, 512, 1024}), "");
        row("K no multiple", half(1999, {64, 1024}), "");
        row("BF16, larger M and N",
            {512, 4096, 512, DType::BF16, DType::FP32, false, false, {128, 256}, {128, 1024}, {256, 256}}, "");
        row("FP32", {64, 2048, 128, DType::FP32, DType::FP32, false, true, {64, 64}, {64, 768}, {128, 128}}, "");
        row("INT8", {128, 8192, 256, DType::INT8, DType::INT32, false, true, {128, 128}, {128, 2048}, {256, 256}}, "");
        row("split-K", half(4096, {64, 1024}), "", true);
        row("bias", half(2048, {64, 896}), "", false, true);
    }
    void aCheckCountsTheReloadsOfARun() {
        QFETCH(const MatmulKnobs, knobs);
        QFETCH(const bool, splitK);
        QFETCH(const bool, bias);
        QFETCH(const QString, count);
        Design design = matmulDesign(knobs);
        cubeOf(design).tile.splitK = splitK;
        if (bias) {
            Tensor row = tensorOf(design, "b");
            row.id = TensorId("row");
            row.dtype = DType::FP32;
            row.shape = {Expression(1), Expression(knobs.n)};
            design.tensors.push_back(row);
            cubeOf(design).bias = ValueId("row");
        }
        const RunReport report = predicted(design);
        QVERIFY(report.ran);
        const Finding* counted = named(report.findings, "PERF-03");
        const Finding* static_ = named(report.findings, "CAP-04");
        QVERIFY(counted != nullptr && static_ != nullptr);
        const auto number = [](double value) { return QString::number(static_cast<qint64>(value)); };
        const QString expected =
            count.isEmpty() ? number(*counted->measured) + " tiles into L1 instead of " + number(*counted->limit)
                            : count;
        QVERIFY2(static_->message.find(expected.toStdString()) != std::string::npos, static_->message.c_str());
        QCOMPARE(number(*counted->measured) + " tiles into L1 instead of " + number(*counted->limit), expected);
        // It comes without a run too, and in both languages.
        RunRequest request;
        request.design = std::make_shared<const Design>(design);
        request.chip = chipFile(design.chip.text);
        const auto checked = checkOnly(request, {});
        QVERIFY(checked && named(checked->findings, "CAP-04") != nullptr);
        QCOMPARE(named(checked->findings, "CAP-04")->message, static_->message);
        QVERIFY(static_->messageZh.find(number(*counted->measured).toStdString() + " 次") != std::string::npos);
    }

    /// What a window asks for when nothing is edited: the same prediction, and the fixes of a run.
    void fasterTilesComeOnDemand() {
        const Design design =
            matmulDesign({.m = 128, .k = 4096, .n = 256, .mTile = {128, 128}, .kTile = {64, 256}, .nTile = {256, 256}});
        RunRequest request;
        request.design = std::make_shared<const Design>(design);
        request.chip = chipFile(design.chip.text);
        const auto live = predictOnly(request, {}), asked = predictWithFasterTiles(request, {});
        QVERIFY(live && asked);
        QVERIFY(named(live->findings, "PERF-01")->fixes.empty());
        QVERIFY(!named(asked->findings, "PERF-01")->fixes.empty());
        QCOMPARE(*named(asked->findings, "PERF-01"), *named(predicted(design).findings, "PERF-01"));
        QCOMPARE(asked->trace->kernel, live->trace->kernel);
        std::stop_source stop;
        stop.request_stop();
        const auto cancelled = predictWithFasterTiles(request, {stop.get_token(), {}, 1});
        QVERIFY(!cancelled);
        QCOMPARE(cancelled.error().code, ErrorCode::Cancelled);
    }

    void everyRuleIsRegistered() {
        for (const std::span<const Rule> family : {rules::predictionRules(), rules::programRules()})
            for (const Rule& rule : family) QVERIFY(findRule(rule.id) != nullptr);
    }
};

QTEST_APPLESS_MAIN(TestPredictionRules)
#include "tst_prediction_rules.moc"
