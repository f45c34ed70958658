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

/// No overheads, rates of 10 000 B in a cycle, vector repeats in a thousandth of one (but for operations without a
/// rate).
ChipSpec quickChip(ChipSpec chip) {
    for (Constant* none : {&chip.mmadOverhead,
                           &chip.flagOverhead,
                           &chip.mte2Overhead,
                           &chip.mte2RowCycles,
                           &chip.readOverhead,
                           &chip.mte2UnalignedOverhead,
                           &chip.mxScaleOverhead,
                           &chip.mte1Overhead,
                           &chip.fbOverhead,
                           &chip.fixOverhead,
                           &chip.fixUnalignedOverhead,
                           &chip.gmToUbOverhead,
                           &chip.ubToGmOverhead,
                           &chip.vectorOverhead,
                           &chip.ubBankReadCycles,
                           &chip.ubBankWriteCycles,
                           &chip.scalarIssue,
                           &chip.aicpuStart,
                           &chip.dispatchCycles,
                           &chip.resolveCycles,
                           &chip.pollCycles,
                           &chip.stitchCycles,
                           &chip.submitCycles,
                           &chip.l2EffectiveBytesPerSecond,
                           &chip.hbmEffectiveBytesPerSecond})
        none->value = Rational(0);
    for (Constant* rate :
         {&chip.mte2BytesPerCycle, &chip.mte2NzBytesPerCycle, &chip.hbmBytesPerCycle, &chip.hbmNzBytesPerCycle,
          &chip.mte1BytesPerCycleA, &chip.mte1BytesPerCycleB, &chip.btBytesPerCycle, &chip.fbBytesPerCycle,
          &chip.fixBytesPerCycle, &chip.fixElementsPerCycle, &chip.gmToUbBytesPerCycle, &chip.ubToGmBytesPerCycle})
        rate->value = Rational(10'000);
    if (chip.l0cToUbBytesPerCycle.value > Rational(0)) chip.l0cToUbBytesPerCycle.value = Rational(10'000);
    for (CubeRate& rate : chip.cube) rate.repeat.value = Rational(1, 1000);
    for (VectorRate& rate : chip.vectorRates) {
        rate.overhead.value = Rational(0);
        rate.cycles16.value = rate.cycles32.value = Rational(1, 1000);
    }
    return chip;
}

/// One vector stage of this operation on tiles of so many repeats.
Design repeats(const QString& op, int count) {
    const QString in = op == "add" ? R"(["x", "x"])" : R"(["x"])";
    const QString text = QString(R"({"cubist": 1, "name": "v", "chip": "Ascend910B1",
        "skeleton": {"variant": "A", "pattern": 1},
        "tensors": [{"id": "x", "role": "input", "dtype": "FP32", "shape": [64, 64]},
                    {"id": "y", "role": "output", "dtype": "FP32", "shape": [64, 64]}],
        "blocks": [{"kind": "vector", "id": "s", "tile": [%1, 64],
                    "ops": [{"op": "%2", "in": %3, "out": "r"}]},
                   {"kind": "store", "id": "w", "from": "r", "to": "y"}]})")
                             .arg(count)
                             .arg(op, in);
    return readDesign(text.toStdString())->design;
}

/// A matmul with a bias or with a row of scales.
Design withRow(bool scales) {
    MatmulKnobs knobs;
    knobs.dtype = scales ? DType::INT8 : DType::FP16;
    knobs.out = scales ? DType::FP16 : DType::FP32;
    Design design = matmulDesign(knobs);
    Tensor row = tensorOf(design, "b");
    row.id = TensorId("row");
    row.dtype = scales ? DType::INT64 : DType::FP32;
    row.shape = {Expression(1), Expression(knobs.n)};
    design.tensors.push_back(row);
    (scales ? cubeOf(design).scaleTensor : cubeOf(design).bias) = ValueId("row");
    return design;
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
    void theSlowResourceBinds_data();
    void theSlowResourceBinds();
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
    QVERIFY(answer(answersFor(matmulDesign(knobs), chip), "l1_slot") == nullptr);
    QVERIFY(answer(answersFor(matmulDesign(), chip), "slot") != nullptr);
    Design third = matmulDesign();
    third.options.bufferSlots.set("L1", 3);
    const std::vector<WhatIf> answers = answersFor(matmulDesign(), chip);
    QVERIFY(answer(answers, "l1_slot") != nullptr);
    QCOMPARE(answer(answers, "l1_slot")->kernel, timeOf(third, chip).kernel);
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

void TestWhatIf::theSlowResourceBinds_data() {
    QTest::addColumn<QString>("design");
    QTest::addColumn<QString>("chip");
    QTest::addColumn<int>("constant");
    QTest::addColumn<int>("bound");
    const auto row = [](const char* name, const char* design, int constant, Bound bound,
                        const char* chip = "Ascend910B1") {
        QTest::newRow(name) << QString(design) << QString(chip) << constant << static_cast<int>(bound);
    };
    row("8 repeats", "exp 8", 0, Bound::Vector);
    row("16 repeats", "exp 16", 0, Bound::Vector);
    row("without a rate", "abs 8", 1, Bound::Vector);
    row("bank conflicts", "add 8", 2, Bound::Vector);
    row("L0C to UB", "mixed", 3, Bound::Fixpipe, "Ascend950PR_958x");
    row("L1 to BT", "bias", 4, Bound::Mte1);
    row("L1 to FB", "scales", 5, Bound::Fixpipe);
}

// On a chip that does everything else in next to no time.
void TestWhatIf::theSlowResourceBinds() {
    QFETCH(const QString, design);
    QFETCH(const QString, chip);
    QFETCH(const int, constant);
    QFETCH(const int, bound);
    const ChipSpec real = chipFile(qPrintable(chip));
    ChipSpec slow = quickChip(real);
    Design made;
    if (design == "mixed") {
        made = rowScale();
        cubeOf(made).tile.n = {128, 128};
        made.options.autoMixPartition = true;
    } else if (design == "bias" || design == "scales") {
        made = withRow(design == "scales");
    } else {
        made = repeats(design.section(' ', 0, 0), design.section(' ', 1).toInt());
    }
    switch (constant) {
        case 0:
            for (std::size_t i = 0; i < slow.vectorRates.size(); ++i)
                slow.vectorRates[i].cycles32 = real.vectorRates[i].cycles32;
            break;
        case 2: slow.ubBankReadCycles = slow.ubBankWriteCycles = real.ubBankReadCycles; break;
        case 3: slow.l0cToUbBytesPerCycle.value = Rational(1); break;
        case 4: slow.btBytesPerCycle.value = Rational(1); break;
        case 5: slow.fbBytesPerCycle.value = Rational(1); break;
        default: break;  // one cycle for a repeat is no constant
    }
    const Trace trace = timeOf(made, slow);
    QCOMPARE(std::string(toText(trace.bound)), std::string(toText(static_cast<Bound>(bound))));
    ChipSpec faster = slow;
    makeFaster(faster, static_cast<Bound>(bound) == Bound::Vector    ? Resource::Vector
                       : static_cast<Bound>(bound) == Bound::Fixpipe ? Resource::Fixpipe
                                                                     : Resource::Mte1);
    QVERIFY(timeOf(made, faster).kernel < trace.kernel);
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
