// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QClipboard>
#include <QDropEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTest>

#include <memory>

#include "core/design/edit_ops.h"
#include "core/design/edit_structure.h"
#include "core/exchange/design_json.h"
#include "tests/support/designs.h"
#include "views/canvas/canvas_hint.h"
#include "views/canvas/canvas_scene.h"
#include "views/canvas/canvas_tools.h"
#include "views/canvas/canvas_view.h"
#include "views/canvas/chooser.h"
#include "views/canvas/in_place_editor.h"
#include "views/canvas/note_item.h"
#include "views/document_model.h"
#include "views/selection_model.h"
#include "views/theme.h"
#include "views/widgets/step_spin_box.h"

using namespace cubist;
using namespace cubist::test;

namespace {

Element block(const char* id) {
    return Element(BlockId(id));
}

Element tensor(const char* id) {
    return Element(TensorId(id));
}

}  // namespace

/// Editing on the canvas: with the mouse, with the keyboard, and back to the byte.
class TestCanvasEdit : public QObject {
    Q_OBJECT

private:
    Theme m_theme;
    std::unique_ptr<SelectionModel> m_selection;
    std::unique_ptr<DocumentModel> m_document;
    std::unique_ptr<CanvasView> m_view;
    std::string m_before;

    void open(const Design& design) {
        m_document->newDesign(design);
        m_view->fitAll();
        m_before = writeDesign(design);
    }

    [[nodiscard]] const Design& design() const { return *m_document->design(); }
    [[nodiscard]] NodeItem& node(const Element& element) {
        auto* found = dynamic_cast<NodeItem*>(m_view->canvas().item(element));
        if (!found) qFatal("no card of the id %s", element.id.c_str());
        return *found;
    }
    [[nodiscard]] QPoint onView(const QPointF& scenePoint) { return m_view->mapFromScene(scenePoint); }
    [[nodiscard]] QPoint middle(const Element& element) { return onView(node(element).area().center()); }
    [[nodiscard]] QPoint output(const Element& element) { return onView(node(element).outputPoint()); }
    [[nodiscard]] QPoint input(const Element& element, int port) { return onView(node(element).inputPoint(port)); }

    void moveMouse(const QPoint& to, Qt::KeyboardModifiers modifiers = {}) {
        QMouseEvent move(QEvent::MouseMove, to, m_view->viewport()->mapToGlobal(to), Qt::NoButton, Qt::LeftButton,
                         modifiers);
        QApplication::sendEvent(m_view->viewport(), &move);
    }
    void press(const QPoint& at, Qt::KeyboardModifiers modifiers = {}) {
        QTest::mousePress(m_view->viewport(), Qt::LeftButton, modifiers, at);
    }
    void release(const QPoint& at, Qt::KeyboardModifiers modifiers = {}) {
        QTest::mouseRelease(m_view->viewport(), Qt::LeftButton, modifiers, at);
    }
    void drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers = {}) {
        press(from, modifiers);
        for (int step = 1; step <= 4; ++step) moveMouse(from + (to - from) * step / 4, modifiers);
        release(to, modifiers);
    }
    void key(Qt::Key code, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(m_view.get(), code, modifiers); }

    /// Types into the list that is open and takes what it offers.
    void chooseTyped(const char* text) {
        QVERIFY(m_view->chooser().isVisible());
        QTest::keyClicks(m_view->chooser().field(), text);
        QTest::keyClick(m_view->chooser().field(), Qt::Key_Return);
        QVERIFY(!m_view->chooser().isVisible());
    }

    void dropStage(const char* stage, const QPoint& at, Qt::KeyboardModifiers modifiers = {}) {
        QMimeData data;
        data.setData(QString::fromLatin1(CanvasTools::kMimeType), stage);
        QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, modifiers);
        QApplication::sendEvent(m_view->viewport(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(at, Qt::CopyAction, &data, Qt::LeftButton, modifiers);
        QApplication::sendEvent(m_view->viewport(), &drop);
    }

    void undoAllGivesTheSameBytes() {
        while (m_document->undoStack().canUndo()) m_document->undoStack().undo();
        QCOMPARE(QString::fromStdString(writeDesign(design())), QString::fromStdString(m_before));
    }

    [[nodiscard]] QString hint() {
        auto* label = m_view->findChild<CanvasHint*>();
        return label && label->isVisible() ? label->text() : QString();
    }
    [[nodiscard]] const CubeStage& cube(const char* id) {
        return std::get<CubeStage>(findBlock(design(), BlockId(id))->content);
    }

private slots:
    void initTestCase() {
        m_theme.setMode(ThemeMode::Light);
        m_theme.install(*qApp);
    }

    void init() {
        m_selection = std::make_unique<SelectionModel>();
        m_document = std::make_unique<DocumentModel>(ChipLibrary::load({CUBIST_SOURCE_DIR "/resources/chips"}));
        m_view = std::make_unique<CanvasView>(*m_document, *m_selection, m_theme);
        m_view->resize(1200, 700);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        open(matmulDesign());
        m_view->setFocus();
    }

    void cleanup() {
        m_view.reset();
        m_document.reset();
        m_selection.reset();
    }

    void tabAddsAfterTheSelection() {
        m_selection->select(block("product"));
        key(Qt::Key_Tab);
        chooseTyped("silu");
        QCOMPARE(m_selection->current(), block("silu"));
        const auto& stage = std::get<VectorStage>(findBlock(design(), BlockId("silu"))->content);
        QCOMPARE(*stage.ops.front().in.front().value(), ValueId("acc"));
        QCOMPARE(stage.tile.size(), std::size_t(2));
        QVERIFY(node(block("silu")).pos().x() > node(block("product")).area().right());
        QCOMPARE(m_document->undoStack().count(), 1);
        undoAllGivesTheSameBytes();
    }

    void whatCannotReadTheValueIsListedLastWithTheReason() {
        Design other = matmulDesign();
        tensorOf(other, "a").shape = {128};
        open(other);
        m_selection->select(tensor("a"));
        key(Qt::Key_Tab);
        QTest::keyClicks(m_view->chooser().field(), "matmul");
        const QListWidget* list = m_view->chooser().list();
        bool explained = false;
        for (int row = 0; row < list->count(); ++row)
            explained = explained ||
                        (list->item(row)->text() == "MatMul" && !list->item(row)->flags().testFlag(Qt::ItemIsEnabled) &&
                         !list->item(row)->toolTip().isEmpty());
        QVERIFY(explained);
        QTest::keyClick(m_view->chooser().field(), Qt::Key_Escape);
        QCOMPARE(m_document->undoStack().count(), 0);
        QVERIFY(m_view->hasFocus());
    }

    void aDoubleClickAddsAtThePointer() {
        const QPoint at(600, 600);
        QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, at);
        chooseTyped("input tensor");
        QCOMPARE(m_selection->current(), tensor("x"));
        const QPointF place = node(tensor("x")).area().center();
        QVERIFY((place - m_view->mapToScene(at)).manhattanLength() < 24);
        undoAllGivesTheSameBytes();
    }

    void nothingElseMovesWhenSomethingIsAdded() {
        const QPointF product = node(block("product")).pos();
        const QPointF a = node(tensor("a")).pos();
        QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, QPoint(900, 620));
        chooseTyped("matmul");
        QCOMPARE(node(block("product")).pos(), product);
        QCOMPARE(node(tensor("a")).pos(), a);
        undoAllGivesTheSameBytes();
        QCOMPARE(node(block("product")).pos(), product);
    }

    void aWireIsPulledFromPortToPort() {
        Design two = matmulDesign();
        CubeStage second = cubeOf(two);
        second.id = BlockId("again");
        second.a = second.b = ValueId();
        second.out = ValueId("acc2");
        two.blocks.push_back(Block{second});
        open(two);
        press(output(tensor("a")));
        moveMouse(input(block("again"), 0) - QPoint(60, 0));
        moveMouse(input(block("again"), 0));
        QVERIFY2(hint().contains("again.a"), qPrintable(hint()));
        release(input(block("again"), 0));
        QCOMPARE(cube("again").a, ValueId("a"));
        QCOMPARE(m_document->undoStack().count(), 1);
        QCOMPARE(hint(), QString());
        undoAllGivesTheSameBytes();
    }

    void anIllegalWireIsRefusedWithTheReason() {
        QSignalSpy rejected(m_document.get(), &DocumentModel::editRejected);
        Design wrong = matmulDesign();
        tensorOf(wrong, "b").dtype = DType::FP32;
        CubeStage second = cubeOf(wrong);
        second.id = BlockId("again");
        second.b = ValueId();
        second.out = ValueId("acc2");
        wrong.blocks.push_back(Block{second});
        open(wrong);
        press(output(tensor("b")));
        moveMouse(input(block("again"), 1) - QPoint(40, 0));
        moveMouse(input(block("again"), 1));
        QVERIFY2(hint().contains("FP32"), qPrintable(hint()));
        release(input(block("again"), 1));
        QVERIFY(cube("again").b.empty());
        QCOMPARE(rejected.count(), 1);
        QCOMPARE(m_document->undoStack().count(), 0);
        // Whoever insists gets it, and the rules say so.
        drag(output(tensor("b")), input(block("again"), 1), Qt::ShiftModifier);
        QCOMPARE(cube("again").b, ValueId("b"));
    }

    void aCircleIsRefused() {
        Design chain = matmulDesign();
        chain.blocks.insert(chain.blocks.begin() + 1, Block{relu("act", "acc", "h")});
        open(chain);
        QSignalSpy rejected(m_document.get(), &DocumentModel::editRejected);
        press(output(block("act")));
        moveMouse(input(block("product"), 0) + QPoint(-30, 0));
        moveMouse(input(block("product"), 0));
        QVERIFY2(hint().contains("circle"), qPrintable(hint()));
        release(input(block("product"), 0), Qt::ShiftModifier);
        QCOMPARE(cube("product").a, ValueId("a"));
        QCOMPARE(rejected.count(), 1);
    }

    void aWireIntoTheVoidOffersWhatFits() {
        drag(output(block("product")), QPoint(640, 640));
        QVERIFY(m_view->chooser().isVisible());
        chooseTyped("output tensor");
        const Tensor* made = findTensor(design(), TensorId("y"));
        QVERIFY(made);
        QCOMPARE(made->dtype, DType::FP32);
        QCOMPARE(made->shape, (std::vector<Expression>{64, 64}));
        QCOMPARE(design().blocks.size(), std::size_t(3));
        QVERIFY(m_document->resolved());
        undoAllGivesTheSameBytes();
    }

    void aPulledOffWireIsDisconnectedOrMoved() {
        drag(input(block("product"), 1), QPoint(640, 640));
        QVERIFY(cube("product").b.empty());
        QVERIFY(node(block("product")).picture().open[1]);
        m_document->undoStack().undo();
        QCOMPARE(cube("product").b, ValueId("b"));
    }

    void aStrokeCutsWires() {
        const QPoint port = input(block("product"), 0);
        const QPoint other = input(block("product"), 1);
        const QPoint left = output(tensor("a"));
        const int x = (left.x() + port.x()) / 2;
        drag({x, port.y() - 60}, {x, other.y() + 60}, Qt::AltModifier);
        QVERIFY(cube("product").a.empty() && cube("product").b.empty());
        QCOMPARE(m_document->undoStack().count(), 1);
        undoAllGivesTheSameBytes();
    }

    void aSelectedWireIsDeleted() {
        const int wire = 0;
        const QPointF on = m_view->canvas().wireItem(wire).picture().path.pointAtPercent(0.5);
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, onView(on));
        QCOMPARE(m_view->canvas().selectedWires().size(), std::size_t(1));
        key(Qt::Key_Delete);
        QCOMPARE(m_document->undoStack().count(), 1);
        QCOMPARE(m_view->canvas().content().wires.size(), std::size_t(3));
        undoAllGivesTheSameBytes();
    }

    void aStageFromTheLibraryIsPutOnAWire() {
        int wire = -1;
        for (int i = 0; i < 4; ++i)
            if (m_view->canvas().targetOfWire(i).element == block("write") &&
                m_view->canvas().targetOfWire(i).port == "from")
                wire = i;
        QVERIFY(wire >= 0);
        dropStage("vector/relu", onView(m_view->canvas().wireItem(wire).picture().path.pointAtPercent(0.5)));
        QCOMPARE(design().blocks.size(), std::size_t(3));
        QCOMPARE(*std::get<VectorStage>(design().blocks[1].content).ops[0].in[0].value(), ValueId("acc"));
        QVERIFY(m_document->resolved());
        QCOMPARE(storeOf(const_cast<Design&>(design())).from.text, std::string("relu_out"));
        undoAllGivesTheSameBytes();
    }

    void aDroppedStageSwapsOrExtends() {
        dropStage("cube/scaled_mm", middle(block("product")));
        QCOMPARE(cube("product").op, CubeOp::ScaledMm);
        QCOMPARE(cube("product").b, ValueId("b"));
        m_document->undoStack().undo();
        Design chain = matmulDesign();
        chain.blocks.insert(chain.blocks.begin() + 1, Block{relu("act", "acc", "h")});
        open(chain);
        dropStage("vector/exp", middle(block("act")));
        const auto stage = std::get<VectorStage>(findBlock(design(), BlockId("act"))->content);
        QCOMPARE(stage.ops.size(), std::size_t(2));
        QCOMPARE(stage.ops.back().out, ValueId("h"));
        QCOMPARE(*stage.ops.back().in[0].value(), stage.ops.front().out);
        m_document->undoStack().undo();
        dropStage("vector/exp", middle(block("act")), Qt::ShiftModifier);
        QCOMPARE(std::get<VectorStage>(findBlock(design(), BlockId("act"))->content).ops.front().op, VectorOpCode::Exp);
        undoAllGivesTheSameBytes();
    }

    void sSwapsTheSelectedStage() {
        m_selection->select(block("product"));
        key(Qt::Key_S);
        chooseTyped("scaled");
        QCOMPARE(cube("product").op, CubeOp::ScaledMm);
    }

    void cConnectsByKeyboard() {
        Design open1 = matmulDesign();
        cubeOf(open1).b = {};
        open(open1);
        m_selection->select(tensor("b"));
        key(Qt::Key_C);
        chooseTyped("product");
        QCOMPARE(cube("product").b, ValueId("b"));
        QCOMPARE(m_document->undoStack().count(), 1);
    }

    void deleteLeavesOpenPorts() {
        m_selection->select(block("product"));
        key(Qt::Key_Delete);
        QCOMPARE(design().blocks.size(), std::size_t(1));
        QVERIFY(node(block("write")).picture().open[0]);
        QVERIFY(!m_document->findings().empty());
        undoAllGivesTheSameBytes();
    }

    void copiesKeepTheirWires() {
        m_selection->select(block("product"));
        key(Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(cube("product2").a, ValueId("a"));
        QCOMPARE(m_selection->current(), block("product2"));
        QCOMPARE(node(block("product2")).pos(), node(block("product")).pos() + QPointF(32, 32));
        undoAllGivesTheSameBytes();
        // Through the clipboard as text, into another window's design.
        key(Qt::Key_A, Qt::ControlModifier);
        key(Qt::Key_C, Qt::ControlModifier);
        QVERIFY(readDesign(QApplication::clipboard()->text().toStdString()));
        Design empty;
        empty.name = "other";
        empty.chip = ChipId("Ascend910B1");
        open(empty);
        key(Qt::Key_V, Qt::ControlModifier);
        QCOMPARE(design().tensors.size(), std::size_t(3));
        QVERIFY2(m_document->resolved(), "the copy is whole");
        QCOMPARE(m_document->undoStack().count(), 1);
        undoAllGivesTheSameBytes();
    }

    void cutIsOneStep() {
        m_selection->select(block("product"));
        key(Qt::Key_X, Qt::ControlModifier);
        QVERIFY(!findBlock(design(), BlockId("product")));
        key(Qt::Key_V, Qt::ControlModifier);
        QCOMPARE(cube("product").a, ValueId("a"));
        QCOMPARE(m_document->undoStack().count(), 2);
        undoAllGivesTheSameBytes();
    }

    void whatIsNoDesignIsNotPasted() {
        QSignalSpy rejected(m_document.get(), &DocumentModel::editRejected);
        QApplication::clipboard()->setText("some text");
        key(Qt::Key_V, Qt::ControlModifier);
        QCOMPARE(rejected.count(), 1);
        QCOMPARE(m_document->undoStack().count(), 0);
    }

    void ctrlGPutsALoopAround() {
        m_selection->select(block("product"));
        key(Qt::Key_G, Qt::ControlModifier);
        QCOMPARE(design().blocks.size(), std::size_t(1));
        QVERIFY(m_document->resolved());
        QVERIFY(m_document->resolved()->problems.empty());
        QCOMPARE(m_selection->current(), block("rows"));
        key(Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(design().blocks.size(), std::size_t(2));
        QCOMPARE(cube("product").a, ValueId("a"));
        undoAllGivesTheSameBytes();
    }

    void aStageIsDraggedOutOfAndIntoALoop() {
        open(glmGate());
        QVERIFY(m_document->resolved());
        const QRectF frame = m_view->canvas().frameItems().front()->picture().rect;
        const QPoint from = onView(node(block("product")).area().topLeft() + QPointF(100, 16));
        const double down = frame.bottom() - node(block("product")).area().center().y() + 80;
        const QPoint out = from + QPoint(0, qRound(down * m_view->zoom()));
        press(from);
        for (int step = 1; step <= 8; ++step) moveMouse(from + (out - from) * step / 8);
        QVERIFY2(hint().contains("Out of the loop"), qPrintable(hint()));
        release(out);
        QCOMPARE(loopOf(design(), BlockId("product")), BlockId());
        QCOMPARE(cube("product").a, ValueId("x"));
        QVERIFY(m_document->resolved());
        QCOMPARE(m_document->undoStack().count(), 1);
        // The loop, empty now, stays where it was.
        QCOMPARE(m_view->canvas().frameItems().front()->picture().rect.topLeft(), frame.topLeft());
        undoAllGivesTheSameBytes();
    }

    void aStageIsDraggedIntoALoop() {
        Design flat = glmGate();
        Loop loop = cubist::test::loopOf(flat);
        const Block product{cubeOf(flat)};
        loop.body.clear();
        Block store{storeOf(flat)};
        flat.blocks = {product, store, Block{loop}};
        cubeOf(flat).a = ValueId("x");
        storeOf(flat).offset.clear();
        flat.layout.set("rows", Position{600, 400, 400, 240, {}});
        open(flat);
        const QPoint from = onView(node(block("product")).area().topLeft() + QPointF(100, 16));
        const QPointF centre = m_view->canvas().frameItems().front()->picture().rect.center();
        const QPoint to = from + onView(centre) - middle(block("product"));
        press(from);
        for (int step = 1; step <= 8; ++step) moveMouse(from + (to - from) * step / 8);
        QVERIFY2(hint().contains("Into the loop rows"), qPrintable(hint()));
        release(to);
        QCOMPARE(cubist::loopOf(design(), BlockId("product")), BlockId("rows"));
        QCOMPARE(cubist::loopOf(design(), BlockId("write")), BlockId("rows"));
        QCOMPARE(cube("product").a, ValueId("x_tile"));
        QVERIFY(m_document->resolved());
        QVERIFY(m_document->resolved()->problems.empty());
        undoAllGivesTheSameBytes();
    }

    void aFrameIsResizedByItsCorner() {
        open(glmGate());
        FrameItem* frame = m_view->canvas().frameItems().front();
        const QRectF before = frame->picture().rect;
        const QPoint corner = onView(before.bottomRight() - QPointF(6, 6));
        drag(corner, corner + QPoint(80, 60));
        QVERIFY(frame->picture().rect.right() > before.right() + 40);
        QVERIFY(design().layout.find("rows") && design().layout.find("rows")->width > before.width());
        QCOMPARE(m_document->undoStack().count(), 1);
        undoAllGivesTheSameBytes();
        QCOMPARE(frame->picture().rect, before);
    }

    void cardsAreAlignedAndDistributed() {
        m_view->canvas().selectElements({tensor("a"), tensor("b"), tensor("c")});
        m_view->align(Alignment::Left);
        QCOMPARE(node(tensor("a")).pos().x(), node(tensor("c")).pos().x());
        QCOMPARE(m_document->undoStack().count(), 1);
        m_document->undoStack().undo();
        m_view->distribute(Qt::Vertical);
        undoAllGivesTheSameBytes();
    }

    void settingsInPlace() {
        QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, middle(tensor("a")));
        QVERIFY(m_view->inPlace().isVisible());
        QLineEdit* name = m_view->inPlace().nameField();
        name->selectAll();
        QTest::keyClicks(name, "left");
        QTest::keyClick(name, Qt::Key_Return);
        QVERIFY(!m_view->inPlace().isVisible());
        QVERIFY(findTensor(design(), TensorId("left")));
        QCOMPARE(cube("product").a, ValueId("left"));
        QCOMPARE(m_selection->current(), tensor("left"));
        key(Qt::Key_F2);
        StepSpinBox* columns = m_view->inPlace().axes()[1];
        columns->selectAll();
        QTest::keyClicks(columns, "256");
        QCOMPARE(findTensor(design(), TensorId("left"))->shape[1], Expression(256));
        QTest::keyClick(name->window()->focusWidget(), Qt::Key_Escape);
        m_view->setFocus();
        undoAllGivesTheSameBytes();
    }

    void notesAreWrittenOnTheCanvas() {
        QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, QPoint(620, 640));
        chooseTyped("note");
        QCOMPARE(design().canvasNotes.size(), std::size_t(1));
        const QPointF middleOfNote = m_view->canvas().noteItems().front()->sceneBoundingRect().center();
        QTest::mouseDClick(m_view->viewport(), Qt::LeftButton, {}, onView(middleOfNote));
        auto* field = m_view->findChild<QPlainTextEdit*>("noteEditor");
        QVERIFY(field);
        QTest::keyClicks(field, "check this");
        QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(design().canvasNotes.front().text, std::string("check this"));
        const CanvasNote before = design().canvasNotes.front();
        drag(onView(middleOfNote), onView(middleOfNote) + QPoint(-80, -40));
        QVERIFY(design().canvasNotes.front().x < before.x - 20);
        m_view->canvas().clearSelection();
        m_view->canvas().noteItems().front()->setSelected(true);
        key(Qt::Key_Delete);
        QVERIFY(design().canvasNotes.empty());
        undoAllGivesTheSameBytes();
    }

    void findSelectsAndReveals() {
        for (int i = 0; i < 8; ++i) m_view->zoomIn();
        key(Qt::Key_F, Qt::ControlModifier);
        chooseTyped("write");
        QCOMPARE(m_selection->current(), block("write"));
        QVERIFY(m_view->visibleScene().intersects(node(block("write")).area()));
    }

    void heatColoursCardsByTimeOrError() {
        m_view->setStageTimes({{QStringLiteral("product"), {QStringLiteral("8.1 us"), 0.75}}});
        m_view->setStageErrors({{QStringLiteral("product"), {QStringLiteral("err 1e-4"), 1.0}}});
        QVERIFY(!node(block("product")).picture().heat);
        m_view->setHeat(HeatMode::Time);
        QCOMPARE(*node(block("product")).picture().heat, 0.75);
        m_view->setHeat(HeatMode::Error);
        QCOMPARE(*node(block("product")).picture().heat, 1.0);
        QCOMPARE(node(block("product")).content().heatText, QStringLiteral("err 1e-4"));
        m_view->setHeat(HeatMode::Off);
        QVERIFY(!node(block("product")).picture().heat);
    }

    /// Whatever is done in whatever order, undo leads back to the byte, and redo to where it was.
    void randomEditsAreTakenBackToTheByte() {
        open(glmGate());
        std::uint32_t seed = 12345;
        const auto random = [&](std::size_t bound) {
            seed = seed * 1664525U + 1013904223U;
            return static_cast<std::size_t>(seed >> 8) % bound;
        };
        const std::vector<CatalogEntry> catalog = stageCatalog();
        CanvasEditor& editor = m_view->editor();
        CanvasScene& canvas = m_view->canvas();
        int edits = 0;
        for (int round = 0; round < 200; ++round) {
            const std::size_t nodes = canvas.nodeItems().size();
            std::size_t what = random(9);
            if (nodes == 0) what = 0;
            if (nodes > 40) what = 2;
            const NodeItem* some = nodes > 0 ? canvas.nodeItems()[random(nodes)] : nullptr;
            const NodeItem* other = nodes > 0 ? canvas.nodeItems()[random(nodes)] : nullptr;
            if (some) canvas.selectElements({some->element()});
            const int before = m_document->undoStack().index();
            switch (what) {
                case 0: {
                    CanvasEditor::Target target;
                    target.place = QPointF(static_cast<double>(random(900)), static_cast<double>(random(600)));
                    if (const FrameItem* frame = canvas.frameAt(*target.place)) target.loop = frame->element().block();
                    editor.insert(catalog[random(catalog.size())].key, target);
                    break;
                }
                case 1:
                    if (some && other && other->content().inputs.size() > 0 && some->content().hasOutput) {
                        const auto ports = static_cast<std::size_t>(other->content().inputs.size());
                        editor.connectWire(canvas.sourceOf(*some),
                                           canvas.targetOf(*other, static_cast<int>(random(ports))), random(2) == 0);
                    }
                    break;
                case 2:
                    if (random(4) == 0 && !canvas.frameItems().empty())
                        canvas.selectElements({canvas.frameItems().front()->element()});
                    editor.removeSelection();
                    break;
                case 3: editor.duplicate(); break;
                case 4:
                    if (random(3) == 0) editor.wrapSelection();
                    break;
                case 5: editor.swap(some->element(), catalog[random(catalog.size())].key); break;
                case 6:
                    if (!canvas.content().wires.empty())
                        editor.disconnectWires({static_cast<int>(random(canvas.content().wires.size()))});
                    break;
                case 7: canvas.nudgeSelection({8.0 * static_cast<double>(random(5)), 16.0}); break;
                case 8:
                    if (random(3) == 0 && !canvas.frameItems().empty())
                        editor.dissolve(canvas.frameItems()[random(canvas.frameItems().size())]->element());
                    break;
                default: break;
            }
            edits += m_document->undoStack().index() - before;
            // What is stored can always be read back.
            QVERIFY(readDesign(writeDesign(design())));
        }
        QVERIFY2(edits > 80, qPrintable(QString::number(edits)));
        const std::string end = writeDesign(design());
        undoAllGivesTheSameBytes();
        while (m_document->undoStack().canRedo()) m_document->undoStack().redo();
        QCOMPARE(QString::fromStdString(writeDesign(design())), QString::fromStdString(end));
    }

    void enterAsksForTheInspector() {
        QSignalSpy asked(m_view.get(), &CanvasView::inspectorRequested);
        m_selection->select(block("product"));
        key(Qt::Key_Return);
        QCOMPARE(asked.count(), 1);
    }

    void theGroupBadgeAsksForItsList() {
        QVERIFY(m_document->load(QStringLiteral(CUBIST_SOURCE_DIR "/samples/gmm_mxfp8.cubist.json")).has_value());
        m_view->fitAll();
        QSignalSpy asked(m_view.get(), &CanvasView::groupsRequested);
        const FrameItem* frame = m_view->canvas().frameItems().front();
        QVERIFY(frame->picture().groupsText.contains("2 groups"));
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, onView(frame->picture().groups.center()));
        QCOMPARE(asked.count(), 1);
        QCOMPARE(asked.first().first().toString(), QString("group_list"));
        m_document->setCase("empty");
        QVERIFY(frame->picture().groupsText.contains("2 empty"));
    }
};

QTEST_MAIN(TestCanvasEdit)
#include "tst_canvas_edit.moc"
