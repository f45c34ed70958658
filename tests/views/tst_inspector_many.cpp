// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>

#include "core/exchange/design_json.h"
#include "tests/support/designs.h"
#include "tests/support/window_script.h"
#include "views/panels/inspector_panel.h"
#include "views/panels/many_form.h"
#include "views/panels/prediction_box.h"
#include "views/panels/stage_form.h"
#include "views/panels/tile_editor.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// Two matmuls of one input with other tiles, and a vector stage behind each.
Design twoBranches() {
    Design design = matmulDesign();
    CubeStage second = cubeOf(design);
    second.id = BlockId("again");
    second.out = ValueId("acc2");
    second.tile.m = {32, 64};
    second.relu = true;
    second.outDType = DType::FP16;
    design.blocks.push_back(Block{relu("first", "acc", "h")});
    design.blocks.push_back(Block{second});
    design.blocks.push_back(Block{relu("last", "acc2", "z")});
    return design;
}

}  // namespace

/// Several stages in the inspector of the real window, and drags on numbers.
class TestInspectorMany : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<WindowScript> m_script;

    [[nodiscard]] Session& session() { return m_script->window().session(); }
    [[nodiscard]] InspectorPanel& inspector() { return *m_script->window().findChild<InspectorPanel*>(); }
    [[nodiscard]] ManyForm* form() { return dynamic_cast<ManyForm*>(inspector().form()); }
    [[nodiscard]] const CubeStage& cube(const char* id) {
        return std::get<CubeStage>(findBlock(m_script->design(), BlockId(id))->content);
    }
    [[nodiscard]] int steps() { return session().document().undoStack().count(); }
    template <class Field>
    [[nodiscard]] Field* field(StageSetting setting) {
        return form()->findChild<Field*>(QStringLiteral("many%1").arg(static_cast<int>(setting)));
    }
    [[nodiscard]] StepSpinBox* tile(TileField which) { return form()->findChild<TileEditor*>()->field(which); }
    void select(const std::vector<const char*>& ids) {
        std::vector<Element> elements;
        for (const char* id : ids) elements.emplace_back(BlockId(id));
        m_script->canvas().canvas().selectElements(elements);
    }

private slots:
    void init() {
        m_script = std::make_unique<WindowScript>();
        session().document().newDesign(twoBranches());
        QVERIFY(QTest::qWaitForWindowExposed(&m_script->window()));
    }
    void cleanup() { m_script.reset(); }

    void cardsThatAreSelectedTogetherAreEditedTogether() {
        m_script->clickCard("product");
        QVERIFY(!form());
        QTest::mouseClick(m_script->canvas().viewport(), Qt::LeftButton, Qt::ShiftModifier,
                          m_script->onView(m_script->node("again")->area().topLeft() + QPointF(70, 16)));
        QVERIFY(form() && form()->isVisible());
        QCOMPARE(m_script->selected(), QString("product"));
        QVERIFY(field<QComboBox>(StageSetting::OutDType)->isVisible());
        m_script->clickCard("again");
        QVERIFY(!form());
        QVERIFY(inspector().cubeForm()->isVisible());
    }

    void whatDiffersSaysSo() {
        select({"product", "again"});
        QVERIFY(!tile(TileField::ML0)->value());
        QCOMPARE(tile(TileField::ML0)->findChild<QLineEdit*>()->placeholderText(), QString("mixed"));
        QCOMPARE(tile(TileField::ML1)->value(), std::optional<std::int64_t>(64));
        QCOMPARE(field<QCheckBox>(StageSetting::Relu)->checkState(), Qt::PartiallyChecked);
        QCOMPARE(field<QCheckBox>(StageSetting::ATrans)->checkState(), Qt::Unchecked);
        QCOMPARE(field<QComboBox>(StageSetting::OutDType)->currentIndex(), -1);
        QVERIFY(!field<StepSpinBox>(StageSetting::Tile0)->isVisible());
        QCOMPARE(field<StepSpinBox>(StageSetting::Slots)->findChild<QLineEdit*>()->placeholderText(), QString("auto"));
        // Both kinds: only what both have.
        select({"product", "first"});
        QVERIFY(field<StepSpinBox>(StageSetting::Slots)->isVisible());
        QVERIFY(!field<QComboBox>(StageSetting::OutDType)->isVisible());
        QVERIFY(!tile(TileField::ML0)->isVisible());
        select({"first", "last"});
        QCOMPARE(field<StepSpinBox>(StageSetting::Tile0)->value(), std::optional<std::int64_t>(16));
    }

    void whatIsTypedIsGivenToAllAsOneStep() {
        const std::string before = writeDesign(m_script->design());
        select({"product", "again"});
        QTest::mouseDClick(tile(TileField::ML0)->findChild<QLineEdit*>(), Qt::LeftButton);
        QTest::keyClicks(tile(TileField::ML0), "64");
        QCOMPARE(cube("product").tile.mL0(), 64);
        QCOMPARE(cube("again").tile.mL0(), 64);
        QCOMPARE(steps(), 1);
        QVERIFY(session().document().undoStack().text(0).contains("2"));
        session().document().undoStack().undo();
        QCOMPARE(writeDesign(m_script->design()), before);
        QVERIFY(!tile(TileField::ML0)->value());
        QCOMPARE(form()->isVisible(), true);
    }

    void everyKindOfFieldIsGivenToAll() {
        select({"product", "again"});
        QTest::mouseClick(field<QCheckBox>(StageSetting::Relu), Qt::LeftButton, {}, QPoint(6, 10));
        QVERIFY(cube("product").relu && cube("again").relu);
        QTest::mouseClick(field<QCheckBox>(StageSetting::Relu), Qt::LeftButton, {}, QPoint(6, 10));
        QVERIFY(!cube("product").relu && !cube("again").relu);
        WindowScript::pick(field<QComboBox>(StageSetting::OutDType), "FP16");
        QCOMPARE(cube("product").outDType, DType::FP16);
        QCOMPARE(cube("again").outDType, DType::FP16);
        auto* label = field<QLineEdit>(StageSetting::Label);
        label->setFocus();
        QTest::keyClicks(label, "twins");
        QCOMPARE(cube("product").label, std::string("twins"));
        QCOMPARE(cube("again").label, std::string("twins"));
        auto* scale = field<QLineEdit>(StageSetting::Scale);
        scale->setFocus();
        QTest::keyClicks(scale, "0.5");
        QTest::keyClick(scale, Qt::Key_Return);
        QCOMPARE(cube("again").scale, std::optional(0.5));
        QCOMPARE(steps(), 5);
        while (session().document().undoStack().canUndo()) session().document().undoStack().undo();
        QVERIFY(m_script->design() == twoBranches());
    }

    void aDragOverMixedValuesIsOneStepAndEscapeRestoresIt() {
        select({"product", "again"});
        StepSpinBox* box = tile(TileField::KAL1);
        box->setFocus();
        box->beginScrub();
        box->scrubTo(-1);
        QVERIFY(cube("product").tile.kAL1() < 128);
        QCOMPARE(cube("product").tile.kAL1(), cube("again").tile.kAL1());
        QTest::keyClick(box, Qt::Key_Escape);
        QVERIFY(m_script->design() == twoBranches());
        QCOMPARE(steps(), 0);
        box = tile(TileField::ML0);
        box->beginScrub();
        box->scrubTo(1);
        box->scrubTo(2);
        QCOMPARE(cube("product").tile.mL0(), cube("again").tile.mL0());
        QTest::keyClick(box, Qt::Key_Escape);
        QVERIFY(m_script->design() == twoBranches());
        QCOMPARE(steps(), 0);
        box->beginScrub();
        box->scrubTo(2);
        box->scrubTo(1);
        box->endScrub(true);
        QCOMPARE(steps(), 1);
    }

    void whatGoesIsNotSelectedAnyMore() {
        select({"product", "again", "first"});
        Design less = m_script->design();
        less.blocks.pop_back();
        session().document().apply("Remove", std::move(less));
        QCOMPARE(session().selection().elements().size(), std::size_t(3));
        session().document().apply("Remove",
                                   removeElements(m_script->design(), {{BlockId("again"), BlockId("first")}, {}}));
        QCOMPARE(session().selection().elements().size(), std::size_t(1));
        QVERIFY(!form());
        session().selection().clear();
        QVERIFY(m_script->canvas().canvas().selectedElements().empty());
    }

    void aPanelThatSelectsOneLeavesTheOthers() {
        select({"product", "again"});
        session().selection().select(Element(BlockId("product")));
        QCOMPARE(m_script->canvas().canvas().selectedElements().size(), std::size_t(1));
        QVERIFY(!form());
    }

    /// The difference is that of the whole drag, whatever was on its way.
    void aDragIsComparedWithWhereItBegan() {
        session().document().newDesign(glmGate());
        Design copy = m_script->design();
        const BlockId id = cubeOf(copy).id;
        session().selection().select(Element(id));
        QTRY_VERIFY(session().timed());
        QTRY_COMPARE(session().timeState(), Session::TimeState::Timed);
        const RunReportPtr start = session().timed();
        const auto kernel = [](const RunReportPtr& report) { return report->trace->kernel; };
        StepSpinBox* box = inspector().cubeForm()->tileEditor()->field(TileField::KL0);
        QLineEdit* line = box->findChild<QLineEdit*>();
        // A real drag on the number, with a pause on each step until its prediction is there.
        QPoint at(12, line->height() / 2);
        QTest::mousePress(line, Qt::LeftButton, {}, at);
        RunReportPtr last = start;
        int states = 0;
        for (int step = 1; step <= 3; ++step) {
            at -= QPoint(StepSpinBox::kScrubPixels, 0);
            QMouseEvent move(QEvent::MouseMove, at, line->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, {});
            QApplication::sendEvent(line, &move);
            if (!QTest::qWaitFor([&] { return session().timed() != last; }, 2000)) continue;
            last = session().timed();
            if (kernel(last) == kernel(start)) continue;
            ++states;
            QCOMPARE(session().timedBefore(), start);
        }
        QVERIFY(states > 1);
        QVERIFY(box->isScrubbing());
        QCOMPARE(steps(), 1);
        QTest::mouseRelease(line, Qt::LeftButton, {}, at);
        QCOMPARE(steps(), 1);
        // The next step has its own beginning.
        QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(box->width() - 9, box->height() / 4));
        QTRY_VERIFY(session().timed() != last);
        QCOMPARE(steps(), 2);
        if (kernel(session().timed()) != kernel(last)) QCOMPARE(session().timedBefore(), last);
        // Undo is a state of its own, too: what was undone is what it is compared with.
        const RunReportPtr undone = session().timed();
        session().document().undoStack().undo();
        QTRY_VERIFY(session().timed() != undone);
        if (kernel(session().timed()) != kernel(undone)) QCOMPARE(session().timedBefore(), undone);
    }

    void escapeInADragGoesBackToItsBeginning() {
        session().document().newDesign(glmGate());
        const Design before = m_script->design();
        Design copy = before;
        session().selection().select(Element(cubeOf(copy).id));
        QTRY_COMPARE(session().timeState(), Session::TimeState::Timed);
        StepSpinBox* box = inspector().cubeForm()->tileEditor()->field(TileField::KAL1);
        QLineEdit* line = box->findChild<QLineEdit*>();
        QPoint at(12, line->height() / 2);
        QTest::mousePress(line, Qt::LeftButton, {}, at);
        at -= QPoint(3 * StepSpinBox::kScrubPixels, 0);
        QMouseEvent move(QEvent::MouseMove, at, line->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, {});
        QApplication::sendEvent(line, &move);
        QVERIFY(box->isScrubbing());
        QVERIFY(!(m_script->design() == before));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QVERIFY(!box->isScrubbing());
        QVERIFY(m_script->design() == before);
        QCOMPARE(steps(), 0);
        QTest::mouseRelease(line, Qt::LeftButton, {}, at);
        QVERIFY(m_script->design() == before);
        QTRY_VERIFY(!session().timedBefore());
    }
};

QTEST_MAIN(TestInspectorMany)
#include "tst_inspector_many.moc"
