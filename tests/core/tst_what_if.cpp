// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QTest>
#include <algorithm>
#include <map>

#include "core/chip/faster_chip.h"
#include "core/design/binding.h"
#include "core/exchange/chip_json.h"
#include "core/exchange/design_json.h"
#include "core/lowering/lower.h"
#include "core/run/run.h"
#include "core/run/what_if.h"
#include "core/timing/timing_engine.h"
#include "tests/support/designs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

const QString kSource = QStringLiteral(CUBIST_SOURCE_DIR);

ChipSpec chipFile(const char* id) {
    return loadChip(std::string(CUBIST_SOURCE_DIR "/resources/chips/") + id + ".json")->chip;
}

Trace timeOf(const Design& design, const ChipSpec& chip) {
    const Binding binding = bind(design, {}).value();
    TimingOptions options;
    options.runtime = &design.options;
    return predict(lower(design, binding, chip).value(), chip, {}, options).value();
}

std::vector<WhatIf> answersFor(const Design& design, const ChipSpec& chip) {
    return whatIf(design, bind(design, {}).value(), chip, timeOf(design, chip), {}).value();
}

const WhatIf* answer(const std::vector<WhatIf>& answers, const std::string& id) {
    const auto found = std::ranges::find(answers, id, &WhatIf::id);
    return found == answers.end() ? nullptr : &*found;
}

/// One block whose time is all loads from HBM: nothing overlaps.
Design loadBound() {
    MatmulKnobs knobs;
    knobs.m = 16;
    knobs.n = 4096;
    knobs.k = 4096;
    knobs.mTile = {16, 16};
    knobs.kTile = {64, 256};
    knobs.nTile = {256, 256};
    return matmulDesign(knobs);
}

}  // namespace

class TestWhatIf : public QObject {
    Q_OBJECT

private slots:
    void everyAnswerIsAPredictionOfItsOwn();
    void largestGainComesFirst();
    void slotsAreWorthWhatASecondPredictionSays();
    void aBoundResourceGainsMost();
    void whatBindsHasInfluence_data();
    void whatBindsHasInfluence();
    void anomaliesAreReportedNotHidden();
    void unusedResourcesGainNothing();
    void handWrittenKernelsAreAskedInTheirOwnLaunch();
    void fasterLoadsReachWhatComesFromHbm();
    void slotsThatNoSettingGivesAreNotAsked();
};

// One core reads everything once: its share of HBM is what counts.
void TestWhatIf::fasterLoadsReachWhatComesFromHbm() {
    MatmulKnobs knobs;
    knobs.m = knobs.n = 128;
    knobs.k = 4096;
    knobs.mTile = knobs.nTile = {128, 128};
    knobs.kTile = {64, 256};
    const Design design = matmulDesign(knobs);
    const ChipSpec chip = chipFile("Ascend910B1");
    ChipSpec faster = chip;
    faster.hbmBytesPerCycle.value = faster.hbmBytesPerCycle.value * Rational(11, 10);
    faster.hbmNzBytesPerCycle.value = faster.hbmNzBytesPerCycle.value * Rational(11, 10);
    const Ticks base = timeOf(design, chip).kernel;
    const Ticks ofShare = base - timeOf(design, faster).kernel;
    QVERIFY(ofShare > Ticks(base.value / 50));
    const std::vector<WhatIf> answers = answersFor(design, chip);
    QVERIFY(answer(answers, "mte2")->gain >= ofShare);
}

// Twice 256 KiB fill L1: a third slot is refused, so it is no answer.
void TestWhatIf::slotsThatNoSettingGivesAreNotAsked() {
    MatmulKnobs knobs;
    knobs.m = 128;
    knobs.n = 256;
    knobs.k = 2048;
    knobs.mTile = {128, 128};
    knobs.kTile = {64, 256};
    knobs.nTile = {256, 256};
    const ChipSpec chip = chipFile("Ascend910B1");
    QVERIFY(answer(answersFor(matmulDesign(knobs), chip), "slot") == nullptr);
    QVERIFY(answer(answersFor(matmulDesign(), chip), "slot") != nullptr);
}

void TestWhatIf::everyAnswerIsAPredictionOfItsOwn() {
    const Design design = rowScale();
    const ChipSpec chip = chipFile("Ascend910B1");
    const Trace base = timeOf(design, chip);
    const std::vector<WhatIf> answers = answersFor(design, chip);
    QVERIFY(answers.size() >= 12);
    for (const WhatIf& one : answers) QCOMPARE(one.gain, base.kernel - one.kernel);

    ChipSpec faster = chip;
    faster.hbmEffectiveBytesPerSecond.value = faster.hbmEffectiveBytesPerSecond.value * Rational(11, 10);
    QVERIFY(answer(answers, "hbm") != nullptr);
    QCOMPARE(answer(answers, "hbm")->kernel, timeOf(design, faster).kernel);
    QCOMPARE(answer(answers, "hbm")->endToEnd, timeOf(design, faster).endToEnd);

    ChipSpec quicker = chip;
    for (CubeRate& rate : quicker.cube) rate.repeat.value = rate.repeat.value * Rational(10, 11);
    QCOMPARE(answer(answers, "cube")->kernel, timeOf(design, quicker).kernel);
}

void TestWhatIf::largestGainComesFirst() {
    const std::vector<WhatIf> answers = answersFor(loadBound(), chipFile("Ascend910B1"));
    QVERIFY(std::ranges::is_sorted(answers, std::ranges::greater(), &WhatIf::gain));
    QVERIFY(answers.front().gain > Ticks());
}

// One slot where two would fit: the stage asks for one, what-if for one more.
void TestWhatIf::slotsAreWorthWhatASecondPredictionSays() {
    const ChipSpec chip = chipFile("Ascend910B1");
    Design single = loadBound();
    cubeOf(single).slotCount = 1;
    Design twofold = single;
    cubeOf(twofold).slotCount = 2;
    const std::vector<WhatIf> answers = answersFor(single, chip);
    const WhatIf* slot = answer(answers, "slot");
    QVERIFY(slot != nullptr);
    QCOMPARE(slot->kernel, timeOf(twofold, chip).kernel);
    QVERIFY(slot->gain > Ticks());
}

void TestWhatIf::aBoundResourceGainsMost() {
    const std::vector<WhatIf> answers = answersFor(loadBound(), chipFile("Ascend910B1"));
    QCOMPARE(timeOf(loadBound(), chipFile("Ascend910B1")).bound, Bound::Hbm);  // every byte is read once
    const WhatIf* hbm = answer(answers, "hbm");
    const WhatIf* mte2 = answer(answers, "mte2");
    const WhatIf* cube = answer(answers, "cube");
    QVERIFY(hbm != nullptr && mte2 != nullptr && cube != nullptr);
    QVERIFY(std::max(hbm->gain, mte2->gain) > cube->gain);
}

void TestWhatIf::whatBindsHasInfluence_data() {
    QTest::addColumn<QString>("path");
    for (const auto& [folder, pattern] :
         {std::pair{"/samples", "*.cubist.json"}, std::pair{"/resources/skeletons", "*-*.json"}})
        for (const QString& file : QDir(kSource + folder).entryList({pattern}))
            QTest::newRow(qPrintable(file)) << kSource + folder + "/" + file;
}

// A kernel is called bound by a resource only if it gets faster with more of it.
void TestWhatIf::whatBindsHasInfluence() {
    QFETCH(const QString, path);
    const auto loaded = loadDesign(path.toStdString());
    QVERIFY(loaded);
    const ChipSpec chip = chipFile(loaded->design.chip.text.c_str());
    const Trace base = timeOf(loaded->design, chip);
    const std::map<Bound, Resource> resources{{Bound::Cube, Resource::Cube}, {Bound::Mte1, Resource::Mte1},
                                              {Bound::Mte2, Resource::Mte2}, {Bound::L2, Resource::L2},
                                              {Bound::Hbm, Resource::Hbm},   {Bound::Fixpipe, Resource::Fixpipe},
                                              {Bound::Mte3, Resource::Mte3}, {Bound::Vector, Resource::Vector}};
    const auto found = resources.find(base.bound);
    if (found == resources.end()) return;  // latency and dispatch have no rate
    ChipSpec faster = chip;
    makeFaster(faster, found->second);
    const Trace trace = timeOf(loaded->design, faster);
    QVERIFY2(trace.kernel < base.kernel, std::string(toText(base.bound)).c_str());
}

// With list scheduling more of something can cost time. The samples show it, and the answer says so.
void TestWhatIf::anomaliesAreReportedNotHidden() {
    const ChipLibrary chips = ChipLibrary::load({(kSource + "/resources/chips").toStdString()});
    int anomalies = 0;
    for (const QString& file : QDir(kSource + "/samples").entryList({"*.cubist.json"})) {
        const auto loaded = loadDesign((kSource + "/samples/" + file).toStdString());
        QVERIFY(loaded);
        const auto chip = chips.find(loaded->design.chip.text);
        QVERIFY(chip);
        const Trace base = timeOf(loaded->design, *chip);
        for (const WhatIf& one : answersFor(loaded->design, *chip)) {
            QCOMPARE(one.gain, base.kernel - one.kernel);
            if (one.gain < Ticks()) ++anomalies;
        }
    }
    QVERIFY(anomalies > 0);
}

void TestWhatIf::unusedResourcesGainNothing() {
    const std::vector<WhatIf> answers = answersFor(loadBound(), chipFile("Ascend910B1"));
    QCOMPARE(answer(answers, "vector")->gain, Ticks());
    QCOMPARE(answer(answers, "mte3")->gain, Ticks());
}

void TestWhatIf::handWrittenKernelsAreAskedInTheirOwnLaunch() {
    const ChipSpec chip = chipFile("Ascend910B1");
    const auto kernelOf = [&](const ChipSpec& on) {
        RunRequest request;
        request.design = std::make_shared<const Design>(loadBound());
        request.chip = on;
        request.launch = LaunchProfile::Bare;
        request.whatIf = true;
        return predictOnly(request, {}).value();
    };
    const RunReport report = kernelOf(chip);
    ChipSpec faster = chip;
    faster.hbmEffectiveBytesPerSecond.value = faster.hbmEffectiveBytesPerSecond.value * Rational(11, 10);
    QVERIFY(answer(report.whatIf, "hbm") != nullptr);
    QCOMPARE(answer(report.whatIf, "hbm")->kernel, kernelOf(faster).trace->kernel);
    QCOMPARE(answer(report.whatIf, "dispatch")->gain, Ticks());  // nothing is handed out
    // PyPTO's compiler has no unit flag, so it is asked here only.
    QVERIFY(answer(report.whatIf, "unit_flag") != nullptr);
    QVERIFY(answer(answersFor(loadBound(), chip), "unit_flag") == nullptr);
    Design flagged = loadBound();
    flagged.options.unitFlag = true;
    RunRequest request;
    request.design = std::make_shared<const Design>(flagged);
    request.chip = chip;
    request.launch = LaunchProfile::Bare;
    request.whatIf = true;
    const RunReport with = predictOnly(request, {}).value();
    QCOMPARE(answer(report.whatIf, "unit_flag")->kernel, with.trace->kernel);
    QVERIFY(answer(with.whatIf, "unit_flag") == nullptr);
}

QTEST_GUILESS_MAIN(TestWhatIf)
#include "tst_what_if.moc"
