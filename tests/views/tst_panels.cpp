// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include "core/exchange/design_json.h"
#include "tests/support/designs.h"
#include "views/models/element_pointer.h"
#include "views/models/findings_model.h"
#include "views/models/rows_model.h"
#include "views/models/tile_steps.h"
#include "views/panels/block_forms.h"
#include "views/panels/design_form.h"
#include "views/panels/finding_card.h"
#include "views/panels/inspector_panel.h"
#include "views/panels/ops_editor.h"
#include "views/panels/prediction_box.h"
#include "views/panels/problems_panel.h"
#include "views/panels/stage_form.h"
#include "views/panels/tile_editor.h"
#include "views/session.h"
#include "views/widgets/buffer_bar.h"
#include "views/widgets/painting.h"
#include "views/widgets/rows_table.h"
#include "views/widgets/step_spin_box.h"
#include "views/widgets/time_bars.h"

using namespace cubist;
using namespace cubist::test;

namespace {

ChipLibrary testChips() {
    return ChipLibrary::load({std::string(CUBIST_SOURCE_DIR) + "/resources/chips"});
}

CubeStage cubeStage(Session& session) {
    Design copy = *session.document().design();
    return cubeOf(copy);
}

}  // namespace

class TestPanels : public QObject {
    Q_OBJECT

private:
    Theme m_theme;

private slots:
    void initTestCase() {
        QVERIFY(!testChips().chips().empty());
        m_theme.setMode(ThemeMode::Light);
    }

    void stepsOfATileStayLegal_data() {
        QTest::addColumn<int>("field");
        QTest::addColumn<QList<int>>("first");
        QTest::addColumn<int>("last");
        // m [32, 64], k [128, 512], n [16, 48], matmul 64 x 1024 x 96, FP32: unit 16.
        QTest::newRow("L0 divides L1, then grows to the axis") << int(TileField::ML0) << QList<int>{16, 32, 64} << 64;
        QTest::newRow("L1 is a multiple of L0") << int(TileField::ML1) << QList<int>{32, 64} << 64;
        QTest::newRow("K L1 up to the axis") << int(TileField::KAL1) << QList<int>{128, 256, 384} << 1024;
        QTest::newRow("48 is divided by 16 and 48") << int(TileField::NL0) << QList<int>{16, 48, 64, 80, 96} << 96;
    }

    void stepsOfATileStayLegal() {
        QFETCH(int, field);
        QFETCH(QList<int>, first);
        QFETCH(int, last);
        CubeTile tile;
        tile.m = {32, 64};
        tile.k = {128, 512};
        tile.n = {16, 48};
        const auto id = static_cast<TileField>(field);
        const std::int64_t extent = id == TileField::ML0 || id == TileField::ML1 ? 64
                                    : id == TileField::KAL1                      ? 1024
                                                                                 : 96;
        const std::vector<std::int64_t> steps = tileSteps(tile, id, DType::FP32, extent);
        QVERIFY(steps.size() >= static_cast<std::size_t>(first.size()));
        for (qsizetype i = 0; i < first.size(); ++i)
            QCOMPARE(steps[static_cast<std::size_t>(i)], std::int64_t(first[i]));
        QCOMPARE(steps.back(), std::int64_t(last));
        QVERIFY(std::is_sorted(steps.begin(), steps.end()));
        for (const std::int64_t value : steps) {
            const CubeTile stepped = stepTile(tile, id, value);
            QVERIFY(stepped.mL1() % stepped.mL0() == 0 && stepped.kAL1() % stepped.kL0() == 0 &&
                    stepped.nL1() % stepped.nL0() == 0);
        }
    }

    void eightBitOperandsStepBy32() {
        CubeTile tile;
        tile.k = {32, 256};
        QCOMPARE(tileSteps(tile, TileField::KL0, DType::INT8, 256).front(), std::int64_t(32));
    }

    void steppingTakesTheOuterExtentAlong() {
        CubeTile tile;
        tile.m = {32, 32};
        QCOMPARE(stepTile(tile, TileField::ML0, 48).m, (std::vector<std::int64_t>{48, 48}));
        tile.k = {64, 256, 128};
        QCOMPARE(stepTile(tile, TileField::KL0, 128).k, (std::vector<std::int64_t>{128, 256, 128}));
        // Typing changes what was typed and nothing else.
        QCOMPARE(withTileValue(tile, TileField::ML0, 48).m, (std::vector<std::int64_t>{48, 32}));
        QCOMPARE(withTileValue(tile, TileField::KBL1, 0).k, (std::vector<std::int64_t>{64, 256}));
    }

    void spinBoxStepsTypesAndKeepsUnfinishedText() {
        StepSpinBox box(m_theme, "L0");
        box.setSteps({16, 32, 64});
        box.setValue(32);
        QSignalSpy edited(&box, &StepSpinBox::edited);
        box.show();
        box.setFocus();
        QTest::keyClick(&box, Qt::Key_Up);
        QCOMPARE(box.value(), std::optional<std::int64_t>(64));
        QTest::keyClick(&box, Qt::Key_Up);  // the end
        QCOMPARE(edited.count(), 1);
        QTest::keyClick(&box, Qt::Key_Down);
        QTest::keyClick(&box, Qt::Key_Down);
        QCOMPARE(box.value(), std::optional<std::int64_t>(16));
        box.selectAll();
        QTest::keyClicks(&box, "20");
        QCOMPARE(box.value(), std::optional<std::int64_t>(20));
        QTest::keyClick(&box, Qt::Key_Up);  // from between two steps to the next
        QCOMPARE(box.value(), std::optional<std::int64_t>(32));
        box.selectAll();
        const auto count = edited.count();
        QTest::keyClicks(&box, "-");
        QCOMPARE(edited.count(), count);  // no number yet
        QTest::keyClicks(&box, "x7");     // letters are refused
        QCOMPARE(box.value(), std::optional<std::int64_t>(-7));
    }

    void wheelOverAFieldWithoutFocusScrollsThePanel() {
        StepSpinBox box(m_theme, "L0");
        box.setSteps({16, 32, 64});
        box.setValue(16);
        QWheelEvent wheel(QPointF(5, 5), QPointF(5, 5), {}, QPoint(0, 120), Qt::NoButton, {}, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&box, &wheel);
        QCOMPARE(box.value(), std::optional<std::int64_t>(16));
        QVERIFY(!wheel.isAccepted());
    }

    void bufferBarSumsSlotsAndMarksOverflow() {
        BufferBar bar(m_theme, Token::Cube);
        bar.setFill({"L0A", 65536, 16384, 2, {}});
        QCOMPARE(bar.summary(), QString("32 of 64 KB"));
        QVERIFY(!bar.isOver());
        bar.setFill({"L0A", 65536, 65536 + 512, 1, {}});
        QVERIFY(bar.isOver());
        bar.setFill({"BT", 1024, 0, 1, {}});
        QCOMPARE(bar.summary(), QString("unused"));
    }

    void numbersAreShortAndReadable() {
        QCOMPARE(kilobytes(1536), QString("1.5 KB"));
        QCOMPARE(microsecondsText(8.2838), QString("8.28 us"));
        QCOMPARE(microsecondsText(41.66), QString("41.7 us"));
        QCOMPARE(shortNumber(3.1234e-7), QString("3.12e-7"));
        QCOMPARE(shortNumber(0.25), QString("0.25"));
        QCOMPARE(grouped(1234567), QString("1") + QChar(0x202F) + "234" + QChar(0x202F) + "567");
    }

    void tablesGoToTheClipboardAndToCsv() {
        RowsModel model(m_theme, {"Name", "Value"});
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRows({{Cell{"a, \"b\""}, Cell{"2", true, Token::Text, false, 2.0, {}}},
                       {Cell{"c"}, Cell{"10", true, Token::Text, false, 10.0, {}}}});
        QCOMPARE(tableText(model, ','), QString("Name,Value\n\"a, \"\"b\"\"\",2\nc,10\n"));
        RowsTable table;
        table.setRowsModel(&model);
        table.sortByColumn(1, Qt::DescendingOrder);
        table.selectAll();
        QTest::keyClick(&table, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(), QString("c\t10\na, \"b\"\t2"));  // by number, not by text
    }

    void findingsAreSortedAndFiltered() {
        FindingsModel model(m_theme);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        FindingsProxy proxy;
        proxy.setSourceModel(&model);
        const auto design = std::make_shared<const Design>(glmGate());
        const auto finding = [](const char* id, Severity severity, const char* where, const char* message) {
            Finding made;
            made.ruleId = id;
            made.severity = severity;
            made.where = where;
            made.message = message;
            return made;
        };
        model.setFindings({finding("TILE-09", Severity::Hint, "/tensors/0", "a hint"),
                           finding("CAP-01", Severity::Error, "/blocks/0/body/1/tile/k/0", "L0A is over"),
                           finding("OPT-01", Severity::Warning, "/options", "no effect")},
                          design);
        QCOMPARE(proxy.index(0, FindingsModel::RuleColumn).data().toString(), QString("CAP-01"));
        QCOMPARE(proxy.index(2, FindingsModel::RuleColumn).data().toString(), QString("TILE-09"));
        QVERIFY(model.element(1).isBlock());
        QVERIFY(model.element(0).isTensor());
        QVERIFY(model.element(2).isNone());
        proxy.setFilterText("l0a");
        QCOMPARE(proxy.rowCount(), 1);
        proxy.setFilterText("warning");
        QCOMPARE(proxy.index(0, FindingsModel::RuleColumn).data().toString(), QString("OPT-01"));
        QCOMPARE(model.count(Severity::Error), 1);
    }

    void pointersLeadToElements() {
        Design design = glmGate();
        const BlockId cube = cubeOf(design).id;
        const std::string pointer = pointerOf(design, Element(cube));
        QVERIFY(pointer.starts_with("/blocks/0/body/"));
        QVERIFY(setAt(design, pointer + "/tile/m/0", "48").has_value());
        QCOMPARE(pointerOf(design, Element(design.tensors[1].id)), std::string("/tensors/1"));
        QCOMPARE(pointerOf(design, Element(BlockId("nobody"))), std::string());
    }

    void operandsAndExpressionsAreReadAndWritten() {
        const std::vector<Operand> operands = parseOperands("acc,  0.5, scale");
        QCOMPARE(operands.size(), std::size_t(3));
        QCOMPARE(operands[0].value()->text, std::string("acc"));
        QCOMPARE(*operands[1].number(), 0.5);
        QCOMPARE(operandsText(operands), QString("acc, 0.5, scale"));
        const auto expressions = parseExpressions("min(T - i * 32, 32), 5120");
        QVERIFY(expressions);
        QCOMPARE(expressions->size(), std::size_t(2));
        QCOMPARE(expressionsText(*expressions), QString("min(T - i * 32, 32), 5120"));
        QVERIFY(!parseExpressions("T +, 3"));
    }

    void typingATileIsOneUndoStepAndShowsItsFinding() {
        Session session(m_theme, testChips());
        session.document().newDesign(glmGate());
        InspectorPanel inspector(session);
        inspector.resize(340, 700);
        inspector.show();
        session.selection().select(Element(cubeStage(session).id));
        StepSpinBox* kL0 = inspector.cubeForm()->tileEditor()->field(TileField::KL0);
        QVERIFY(kL0->isVisible());
        QCOMPARE(kL0->value(), std::optional<std::int64_t>(512));
        const int before = session.document().undoStack().count();
        kL0->setFocus();
        kL0->selectAll();
        QTest::keyClicks(kL0, "20");
        QCOMPARE(cubeStage(session).tile.k, (std::vector<std::int64_t>{20, 1024}));
        QCOMPARE(session.document().undoStack().count(), before + 1);
        QCOMPARE(kL0->severity(), std::optional(Severity::Error));
        QVERIFY(!inspector.cubeForm()->findChildren<FindingCard*>().isEmpty());
        session.document().undoStack().undo();
        QCOMPARE(cubeStage(session).tile.k, (std::vector<std::int64_t>{512, 1024}));
        QCOMPARE(kL0->value(), std::optional<std::int64_t>(512));
        QCOMPARE(kL0->severity(), std::optional<Severity>());
    }

    void fixButtonRemovesItsFinding() {
        Session session(m_theme, testChips());
        GlmGateKnobs knobs;
        knobs.kTile = {20, 1024};
        session.document().newDesign(glmGate(knobs));
        QVERIFY(!session.document().findings().empty());
        InspectorPanel inspector(session);
        inspector.show();
        session.selection().select(Element(cubeStage(session).id));
        QPushButton* fix = inspector.cubeForm()->findChild<QPushButton*>("fixButton");
        QVERIFY(fix);
        const auto errors = [&] {
            const auto& all = session.document().findings();
            return std::count_if(all.begin(), all.end(),
                                 [](const Finding& f) { return f.severity == Severity::Error; });
        };
        const auto before = errors();
        QTest::mouseClick(fix, Qt::LeftButton);
        QTRY_VERIFY(errors() < before);
        session.document().undoStack().undo();
        QCOMPARE(errors(), before);
    }

    void buffersFollowTheTile() {
        Session session(m_theme, testChips());
        session.document().newDesign(glmGate());
        InspectorPanel inspector(session);
        inspector.show();
        session.selection().select(Element(cubeStage(session).id));
        BufferBar* l0a = inspector.findChild<BufferBar*>("bufferL0A");
        BufferBar* l1 = inspector.findChild<BufferBar*>("bufferL1");
        QVERIFY(l0a && l1);
        // A 32 x 512 FP32: 64 KB, the whole of L0A. L1: (32 + 16) x 1024 x 4 = 192 KB, twice of 512 KB.
        QCOMPARE(l0a->summary(), QString("64 of 64 KB"));
        QCOMPARE(l1->summary(), QString("384 of 512 KB"));
        StepSpinBox* kL0 = inspector.cubeForm()->tileEditor()->field(TileField::KL0);
        kL0->selectAll();
        QTest::keyClicks(kL0, "1024");
        QVERIFY(l0a->isOver());
    }

    void nothingSelectedShowsTheDesign() {
        Session session(m_theme, testChips());
        InspectorPanel inspector(session);
        inspector.show();
        QVERIFY(!inspector.form());
        session.document().newDesign(glmGate());
        QCOMPARE(inspector.form(), inspector.designForm());
        StepSpinBox* rows = inspector.designForm()->symbolField("T");
        QVERIFY(rows);
        QCOMPARE(rows->value(), std::optional<std::int64_t>(64));
        rows->selectAll();
        QTest::keyClicks(rows, "100");
        QCOMPARE(*session.document().binding()->symbols.find("T"), std::int64_t(100));
        QCOMPARE(session.document().undoStack().count(), 1);
        session.document().undoStack().undo();
        QCOMPARE(rows->value(), std::optional<std::int64_t>(64));
        session.document().close();
        QVERIFY(!inspector.form());
    }

    void everyKindOfElementHasItsForm() {
        Session session(m_theme, testChips());
        session.document().newDesign(rowScale());
        InspectorPanel inspector(session);
        inspector.show();
        Design copy = *session.document().design();
        const std::vector<std::pair<Element, const char*>> elements{
            {Element(cubeOf(copy).id), "cubist::CubeForm"},     {Element(vectorOf(copy).id), "cubist::VectorForm"},
            {Element(loopOf(copy).id), "cubist::LoopForm"},     {Element(viewOf(copy).id), "cubist::SliceForm"},
            {Element(storeOf(copy).id), "cubist::SliceForm"},   {Element(copy.tensors[0].id), "cubist::TensorForm"},
            {Element(BlockId("nobody")), "cubist::DesignForm"},
        };
        for (const auto& [element, name] : elements) {
            session.selection().select(element);
            QVERIFY(inspector.form());
            QCOMPARE(inspector.form()->metaObject()->className(), name);
            QVERIFY(inspector.form()->isVisible());
        }
    }

    void loopFormAppliesWholeFormulasAndRefusesBrokenOnes() {
        Session session(m_theme, testChips());
        session.document().newDesign(glmGate());
        InspectorPanel inspector(session);
        inspector.show();
        Design copy = *session.document().design();
        session.selection().select(Element(loopOf(copy).id));
        QSignalSpy rejected(&session.document(), &DocumentModel::editRejected);
        QLineEdit* tile = nullptr;
        for (QLineEdit* line : inspector.form()->findChildren<QLineEdit*>())
            if (line->accessibleName() == "tile") tile = line;
        QVERIFY(tile);
        QCOMPARE(tile->text(), QString("32"));
        tile->setFocus();
        tile->selectAll();
        QTest::keyClicks(tile, "(16");
        QTest::keyClick(tile, Qt::Key_Return);
        QCOMPARE(rejected.count(), 1);
        QVERIFY(!session.document().isModified());
        tile->selectAll();
        QTest::keyClicks(tile, "16");
        QTest::keyClick(tile, Qt::Key_Return);
        copy = *session.document().design();
        QCOMPARE(loopOf(copy).tile.text(), std::string("16"));
    }

    void vectorOperationsAreAddedAndRemoved() {
        Session session(m_theme, testChips());
        session.document().newDesign(rowScale());
        InspectorPanel inspector(session);
        inspector.show();
        Design copy = *session.document().design();
        session.selection().select(Element(vectorOf(copy).id));
        const std::vector<VectorOp> before = vectorOf(copy).ops;
        OpsEditor* editor = inspector.form()->findChild<OpsEditor*>();
        QVERIFY(editor);
        QPushButton* add = editor->findChild<QPushButton*>();
        QTest::mouseClick(add, Qt::LeftButton);
        copy = *session.document().design();
        QCOMPARE(vectorOf(copy).ops.size(), before.size() + 1);
        // What the stage hands on keeps its name, so nothing else of the design breaks.
        QCOMPARE(vectorOf(copy).ops.back().out, before.back().out);
        QVERIFY(session.document().resolved());
        session.document().undoStack().undo();
        copy = *session.document().design();
        QVERIFY(vectorOf(copy).ops == before);
    }

    void predictionFollowsAnEdit() {
        Session session(m_theme, testChips());
        QSignalSpy predicted(&session, &Session::predictionChanged);
        session.document().newDesign(glmGate());
        PredictionBox box(session);
        QTRY_VERIFY(session.timed());
        QVERIFY2(box.sentence().contains("20 of 24"), qPrintable(box.sentence()));
        const QString before = box.time();
        // About 14576 cycles at 1850 MHz.
        QCOMPARE(before, QString("kernel 7.88 us"));
        CubeTile tile = cubeStage(session).tile;
        tile.k = {256, 512};
        session.document().apply("Change tile", setCubeTile(*session.document().design(), cubeStage(session).id, tile));
        QTRY_VERIFY(box.time() != before);
        QVERIFY(session.timedBefore());
        tile.k = {20, 512};
        session.document().apply("Change tile", setCubeTile(*session.document().design(), cubeStage(session).id, tile));
        QTRY_VERIFY(box.sentence().contains("cannot run"));
    }

    void problemsPanelListsFiltersAndJumps() {
        Session session(m_theme, testChips());
        ProblemsPanel panel(session);
        panel.resize(900, 300);
        panel.show();
        QSignalSpy counted(&panel, &ProblemsPanel::countChanged);
        GlmGateKnobs knobs;
        knobs.kTile = {20, 1024};
        session.document().newDesign(glmGate(knobs));
        QVERIFY(panel.table()->isVisible());
        QVERIFY(counted.count() > 0 && counted.back()[0].toInt() > 0);
        QVERIFY(panel.findChild<FindingCard*>());
        QSignalSpy revealed(&session.selection(), &SelectionModel::revealRequested);
        panel.table()->selectRow(0);
        QTest::keyClick(panel.table(), Qt::Key_Return);
        QCOMPARE(revealed.count(), 1);
        QCOMPARE(session.selection().current(), Element(cubeStage(session).id));
        panel.filter()->setText("no such text");
        QCOMPARE(panel.table()->model()->rowCount(), 0);
        panel.filter()->clear();
        session.document().close();
        QCOMPARE(counted.back()[0].toInt(), 0);
        QVERIFY(!panel.table()->isVisible());
    }

    void stageBarsTellWhichStageWasClicked() {
        StageBars bars(m_theme);
        bars.setRows(
            {{"gate", "gate", Token::Cube, 9.8, "9.8 us", {}}, {"swiglu", "swiglu", Token::Vector, 3.1, "3.1 us", {}}});
        bars.resize(300, bars.sizeHint().height());
        bars.show();
        QSignalSpy clicked(&bars, &StageBars::clicked);
        QTest::mouseClick(&bars, Qt::LeftButton, {}, QPoint(20, bars.height() - 5));
        QCOMPARE(clicked.count(), 1);
        QCOMPARE(clicked[0][0].value<std::string>(), std::string("swiglu"));
        QTest::keyClick(&bars, Qt::Key_Down);
        QCOMPARE(clicked[1][0].value<std::string>(), std::string("gate"));
    }
};

QTEST_MAIN(TestPanels)
#include "tst_panels.moc"
