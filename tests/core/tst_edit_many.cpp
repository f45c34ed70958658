// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <algorithm>

#include "core/design/edit_many.h"
#include "core/design/edit_ops.h"
#include "core/exchange/design_json.h"
#include "tests/support/designs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

const std::vector<BlockId> kTwoCubes{BlockId("product"), BlockId("again")};
const std::vector<BlockId> kMixedKinds{BlockId("product"), BlockId("act")};

/// Two matmuls with other tiles and types, and a vector stage.
Design threeStages() {
    Design design = matmulDesign();
    CubeStage second = cubeOf(design);
    second.id = BlockId("again");
    second.out = ValueId("acc2");
    second.tile.m = {32, 64};
    second.outDType = DType::FP16;
    design.blocks.push_back(Block{second});
    design.blocks.push_back(Block{relu("act", "acc", "h")});
    return design;
}

const SharedSetting* found(const std::vector<SharedSetting>& shared, StageSetting setting) {
    const auto at = std::find_if(shared.begin(), shared.end(),
                                 [&](const SharedSetting& entry) { return entry.setting == setting; });
    return at == shared.end() ? nullptr : &*at;
}

}  // namespace

/// Settings that several stages are given together.
class TestEditMany : public QObject {
    Q_OBJECT

private slots:
    void valuesThatDifferAreMixed() {
        const std::vector<SharedSetting> shared = sharedSettings(threeStages(), kTwoCubes);
        QVERIFY(found(shared, StageSetting::ML0) && !found(shared, StageSetting::ML0)->value);
        QVERIFY(found(shared, StageSetting::OutDType) && !found(shared, StageSetting::OutDType)->value);
        QVERIFY(*found(shared, StageSetting::ML1)->value == SettingValue(std::int64_t{64}));
        QVERIFY(*found(shared, StageSetting::Relu)->value == SettingValue(false));
        QVERIFY(*found(shared, StageSetting::KBL1)->value == SettingValue());
        QVERIFY(*found(shared, StageSetting::Slots)->value == SettingValue());
        QVERIFY(!found(shared, StageSetting::Tile0));
    }

    void stagesOfBothKindsShareWhatBothHave() {
        const std::vector<SharedSetting> shared = sharedSettings(threeStages(), kMixedKinds);
        QCOMPARE(shared.size(), std::size_t(3));
        QVERIFY(found(shared, StageSetting::Slots) && found(shared, StageSetting::Label) &&
                found(shared, StageSetting::Notes));
    }

    void vectorTilesShareTheirCommonAxes() {
        Design design = threeStages();
        VectorStage flat = relu("flat", "acc2", "z");
        flat.tile = {16};
        design.blocks.push_back(Block{flat});
        const std::vector<SharedSetting> shared = sharedSettings(design, {BlockId("act"), BlockId("flat")});
        QVERIFY(*found(shared, StageSetting::Tile0)->value == SettingValue(std::int64_t{16}));
        QVERIFY(!found(shared, StageSetting::Tile1));
    }

    void whatIsNoStageLeavesNothing() {
        QVERIFY(sharedSettings(threeStages(), {}).empty());
        QVERIFY(sharedSettings(threeStages(), {BlockId("product"), BlockId("nobody")}).empty());
        Design withView = glmGate();
        QVERIFY(sharedSettings(withView, {cubeOf(withView).id, viewOf(withView).id}).empty());
    }

    /// Each setting, given to stages that differ, is then the same in all of them and nothing else has changed.
    void everySettingIsGivenToAll_data() {
        QTest::addColumn<int>("setting");
        for (const SharedSetting& entry : sharedSettings(threeStages(), kTwoCubes))
            QTest::addRow("cube %d", static_cast<int>(entry.setting)) << static_cast<int>(entry.setting);
    }

    void everySettingIsGivenToAll() {
        QFETCH(int, setting);
        const auto which = static_cast<StageSetting>(setting);
        const Design before = threeStages();
        const std::vector<SharedSetting> shared = sharedSettings(before, kTwoCubes);
        SettingValue value = found(shared, which)->value.value_or(SettingValue(std::int64_t{0}));
        if (which == StageSetting::Scale)
            value = 0.5;
        else if (bool* flag = std::get_if<bool>(&value))
            *flag = !*flag;
        else if (std::string* text = std::get_if<std::string>(&value))
            *text = "same";
        else
            value = std::int64_t{2};
        const Result<Design> edited = setShared(before, kTwoCubes, which, value);
        QVERIFY2(edited, edited ? "" : edited.error().message.c_str());
        const std::vector<SharedSetting> after = sharedSettings(*edited, kTwoCubes);
        QVERIFY(*found(after, which)->value == value);
        for (const SharedSetting& entry : shared)
            if (entry.setting != which) QVERIFY(*found(after, entry.setting) == entry);
        QCOMPARE(writeDesign(Design{*edited}).size() > 0, true);
        QVERIFY(*findBlock(*edited, BlockId("act")) == *findBlock(before, BlockId("act")));
    }

    void anAbsentValueIsTakenAway() {
        Design design = *setShared(threeStages(), kTwoCubes, StageSetting::KBL1, std::int64_t{256});
        QCOMPARE(cubeOf(design).tile.k.size(), std::size_t(3));
        design = *setShared(design, kTwoCubes, StageSetting::KBL1, {});
        QVERIFY(design == threeStages());
    }

    void whatCannotBeGivenIsRefused() {
        const Design design = threeStages();
        const auto code = [&](const std::vector<BlockId>& stages, StageSetting setting, const SettingValue& value) {
            const Result<Design> edited = setShared(design, stages, setting, value);
            return edited ? ErrorCode::Internal : edited.error().code;
        };
        QCOMPARE(code({BlockId("nobody")}, StageSetting::Slots, std::int64_t{2}), ErrorCode::UnknownName);
        QCOMPARE(code(kMixedKinds, StageSetting::ML0, std::int64_t{16}), ErrorCode::WrongType);
        QCOMPARE(code(kTwoCubes, StageSetting::ML0, {}), ErrorCode::WrongType);
        QCOMPARE(code(kTwoCubes, StageSetting::Relu, std::int64_t{1}), ErrorCode::WrongType);
        QCOMPARE(code(kTwoCubes, StageSetting::Slots, std::int64_t{0}), ErrorCode::BadValue);
        QCOMPARE(code(kTwoCubes, StageSetting::OutDType, std::int64_t{9999}), ErrorCode::BadValue);
    }
};

QTEST_APPLESS_MAIN(TestEditMany)
#include "tst_edit_many.moc"
