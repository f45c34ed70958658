// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QTest>
#include <random>

#include "core/exchange/chip_json.h"
#include "core/exchange/design_json.h"
#include "core/run/prediction_cache.h"
#include "tests/support/designs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

const QString kSource = QStringLiteral(CUBIST_SOURCE_DIR);

void forEachBlock(std::vector<Block>& blocks, const std::function<void(Block&)>& visit) {
    for (Block& block : blocks) {
        if (auto* loop = std::get_if<Loop>(&block.content)) forEachBlock(loop->body, visit);
        visit(block);
    }
}

/// One edit as a user makes it; some leave a design that cannot run.
void editAtRandom(Design& design, std::mt19937& random) {
    std::vector<Block*> stages;
    forEachBlock(design.blocks, [&](Block& block) {
        if (std::holds_alternative<CubeStage>(block.content) || std::holds_alternative<VectorStage>(block.content))
            stages.push_back(&block);
    });
    Block& block = *stages[random() % stages.size()];
    switch (random() % 8) {
        case 0: design.name += "x"; break;
        case 1: design.options.deviceSchedMode = static_cast<std::int64_t>(random() % 4); break;
        case 2: design.options.stitchFunctionMaxNum = static_cast<std::int64_t>(1 + random() % 200); break;
        case 3: design.options.cubeL1Reuse.set("DEFAULT", static_cast<std::int64_t>(1 + random() % 4)); break;
        case 4: design.options.launchSchedAicpuNum = static_cast<std::int64_t>(1 + random() % 7); break;
        case 5: design.tensors.front().cache = CachePolicy::NoneCacheable; break;
        default:
            if (auto* cube = std::get_if<CubeStage>(&block.content)) {
                std::vector<std::int64_t>& list = random() % 2 == 0 ? cube->tile.k : cube->tile.n;
                for (std::int64_t& size : list) size = random() % 2 == 0 || size < 64 ? size * 2 : size / 2;
            } else {
                auto& tile = std::get<VectorStage>(block.content).tile;
                tile.front() = tile.front() > 1 ? tile.front() / 2 : 2;
            }
            break;
    }
}

bool same(const Trace& a, const Trace& b) {
    const auto tasks = [](const TaskInterval& x, const TaskInterval& y) {
        return x.task == y.task && x.core == y.core && x.ready == y.ready && x.start == y.start && x.end == y.end;
    };
    const auto steps = [](const CriticalStep& x, const CriticalStep& y) {
        return x.kind == y.kind && x.task == y.task && x.start == y.start && x.end == y.end;
    };
    return a.kernel == b.kernel && a.endToEnd == b.endToEnd && std::ranges::equal(a.tasks, b.tasks, tasks) &&
           a.transferTicks == b.transferTicks && a.causes == b.causes && a.waitData == b.waitData &&
           a.waitSlot == b.waitSlot && std::ranges::equal(a.criticalPath, b.criticalPath, steps) &&
           a.estimates == b.estimates && a.bound == b.bound && a.hbmBytes == b.hbmBytes &&
           a.instructions == b.instructions && a.l1Bytes == b.l1Bytes && a.gmReadBytes == b.gmReadBytes;
}

RunRequest requestFor(Design design, const ChipSpec& chip) {
    RunRequest request;
    request.design = std::make_shared<const Design>(std::move(design));
    request.chip = chip;
    return request;
}

std::vector<std::string> messages(const RunReport& report) {
    std::vector<std::string> out;
    for (const Finding& finding : report.findings) out.push_back(finding.ruleId + finding.where + finding.message);
    return out;
}

}  // namespace

class TestPredictionCache : public QObject {
    Q_OBJECT

private slots:
    void cachedEqualsFull_data();
    void cachedEqualsFull();
    void optionsOfTheRuntimeKeepTheProgram();
    void namesKeepTheTrace();
    void equalLeavesKeepTheirPlans();
    void anotherChipForgetsEverything();
};

void TestPredictionCache::cachedEqualsFull_data() {
    QTest::addColumn<QString>("sample");
    for (const QString& file : QDir(kSource + "/samples").entryList({"*.cubist.json"}))
        QTest::addRow("%s", qPrintable(file)) << file;
}

void TestPredictionCache::cachedEqualsFull() {
    QFETCH(QString, sample);
    const auto loaded = loadDesign((kSource + "/samples/" + sample).toStdString());
    QVERIFY(loaded);
    const ChipLibrary chips = ChipLibrary::load({(kSource + "/resources/chips").toStdString()});
    const auto chip = chips.find(loaded->design.chip.text);
    QVERIFY(chip);
    std::mt19937 random(static_cast<unsigned>(sample.size()));
    PredictionCache cache;
    int timed = 0;
    for (int round = 0; round < 3; ++round) {
        Design design = loaded->design;
        for (int edit = 0; edit < 4; ++edit) {
            const RunRequest request = requestFor(design, *chip);
            const auto full = predictOnly(request, {});
            const auto cached = predictAgain(request, cache, {});
            QCOMPARE(cached.has_value(), full.has_value());
            if (full) {
                QCOMPARE(messages(*cached), messages(*full));
                QCOMPARE(cached->trace.has_value(), full->trace.has_value());
            }
            if (full && full->trace) {
                ++timed;
                QVERIFY(same(*cached->trace, *full->trace));
                QCOMPARE(cached->utilisation, full->utilisation);
                QCOMPARE(cached->program->tasks.size(), full->program->tasks.size());
            }
            editAtRandom(design, random);
        }
    }
    QVERIFY(timed >= 3);
}

void TestPredictionCache::optionsOfTheRuntimeKeepTheProgram() {
    const ChipSpec chip = loadChip(CUBIST_SOURCE_DIR "/resources/chips/Ascend910B1.json")->chip;
    PredictionCache cache;
    Design design = rowScale();
    const auto before = predictAgain(requestFor(design, chip), cache, {});
    QVERIFY(before && before->trace);
    design.options.stitchFunctionMaxNum = 1;
    const auto after = predictAgain(requestFor(design, chip), cache, {});
    QVERIFY(after && after->trace);
    QCOMPARE(after->program, before->program);
    QVERIFY(after->trace->kernel != before->trace->kernel);
}

void TestPredictionCache::namesKeepTheTrace() {
    const ChipSpec chip = loadChip(CUBIST_SOURCE_DIR "/resources/chips/Ascend910B1.json")->chip;
    PredictionCache cache;
    Design design = rowScale();
    const auto before = predictAgain(requestFor(design, chip), cache, {});
    const std::int64_t found = cache.plans().found();
    design.name = "another";
    const auto after = predictAgain(requestFor(design, chip), cache, {});
    QVERIFY(before && after && after->trace);
    QCOMPARE(after->program, before->program);
    QCOMPARE(cache.plans().found(), found);  // nothing was planned or asked for
    QVERIFY(same(*after->trace, *before->trace));
}

void TestPredictionCache::equalLeavesKeepTheirPlans() {
    const ChipSpec chip = loadChip(CUBIST_SOURCE_DIR "/resources/chips/Ascend910B1.json")->chip;
    PredictionCache cache;
    Design design = rowScale();
    QVERIFY(predictAgain(requestFor(design, chip), cache, {}));
    vectorOf(design).tile = {8, 128};  // the matmul is what it was
    const auto after = predictAgain(requestFor(design, chip), cache, {});
    QVERIFY(after && after->trace);
    QVERIFY(cache.plans().found() >= 1);
}

void TestPredictionCache::anotherChipForgetsEverything() {
    const ChipSpec b1 = loadChip(CUBIST_SOURCE_DIR "/resources/chips/Ascend910B1.json")->chip;
    ChipSpec slow = b1;
    slow.mte1BytesPerCycleB.value = slow.mte1BytesPerCycleB.value / Rational(8);
    PredictionCache cache;
    QVERIFY(predictAgain(requestFor(rowScale(), b1), cache, {}));
    const auto cached = predictAgain(requestFor(rowScale(), slow), cache, {});
    const auto full = predictOnly(requestFor(rowScale(), slow), {});
    QVERIFY(cached && full && cached->trace && full->trace);
    QVERIFY(same(*cached->trace, *full->trace));
    QCOMPARE(cache.plans().found(), 0);
}

QTEST_GUILESS_MAIN(TestPredictionCache)
#include "tst_prediction_cache.moc"
