// SPDX-License-Identifier: GPL-3.0-or-later
#include <QClipboard>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QSignalSpy>

#include "tests/support/canvas_fixture.h"
#include "views/canvas/in_place_editor.h"
#include "views/canvas/note_item.h"
#include "views/widgets/step_spin_box.h"

using namespace cubist;
using namespace cubist::test;

/// Editing on the canvas: with the mouse, with the keyboard, and back to the byte.
class TestCanvasEdit : public QObject, private CanvasFixture {
    Q_OBJECT

private slots:
    void init() { makeCanvas(); }
    void cleanup() { removeCanvas(); }

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

    void whatComesOntoAWireOverlapsNothing_data() {
        QTest::addColumn<bool>("fromCanvas");
        QTest::newRow("from the library") << false;
        QTest::newRow("a stage of the canvas") << true;
    }

    void whatComesOntoAWireOverlapsNothing() {
        QFETCH(bool, fromCanvas);
        Design start = matmulDesign();
        if (fromCanvas) {
            start.blocks.insert(start.blocks.begin() + 1, Block{relu("act", "", "h")});
            start.layout.set("act", Position{0.0, 400.0, 0.0, 0.0, {}});
        }
        open(start);
        const double before = node(block("write")).area().left();
        const double product = node(block("product")).area().left();
        const auto& wires = m_view->canvas().content().wires;
        int wire = -1;
        for (std::size_t i = 0; i < wires.size(); ++i) {
            const WireTarget target = m_view->canvas().targetOfWire(static_cast<int>(i));
            if (target.element == block("write") && target.port == "from") wire = static_cast<int>(i);
        }
        QVERIFY(wire >= 0);
        const QPoint on = onView(m_view->canvas().wireItem(wire).picture().path.pointAtPercent(0.5));
        if (fromCanvas)
            drag(middle(block("act")), on);
        else
            dropStage("vector/relu", on);
        QCOMPARE(m_view->canvas().sourceOf(node(fromCanvas ? block("act") : block("relu"))).value,
                 ValueId(fromCanvas ? "h" : "relu_out"));
        QCOMPARE(node(block("product")).area().left(), product);
        QVERIFY(node(block("write")).area().left() > before);
        for (const NodeItem* a : m_view->canvas().nodeItems())
            for (const NodeItem* b : m_view->canvas().nodeItems())
                QVERIFY2(a == b || !a->area().intersects(b->area()),
                         qPrintable(a->content().title + " over " + b->content().title));
        undoAllGivesTheSameBytes();
    }

    void theStoreOfANewOutputStandsBetween() {
        Design start = matmulDesign();
        start.blocks.insert(start.blocks.begin() + 1, Block{relu("act", "acc", "h")});
        open(start);
        m_selection->select(block("act"));
        key(Qt::Key_Tab);
        chooseTyped("output");
        const Element output = m_selection->current();
        QVERIFY(output.isTensor());
        const NodeItem* store = nullptr;
        for (const CanvasWire& wire : m_view->canvas().content().wires)
            if (m_view->canvas().nodeItems()[static_cast<std::size_t>(wire.to)]->element() == output)
                store = m_view->canvas().nodeItems()[static_cast<std::size_t>(wire.from)];
        QVERIFY(store);
        QVERIFY(store->area().left() > node(block("act")).area().right());
        QVERIFY(store->area().right() < node(output).area().left());
        for (const NodeItem* other : m_view->canvas().nodeItems())
            QVERIFY(other == store || !other->area().intersects(store->area()));
    }

    void aBandInsideALoopLeavesTheLoopOut() {
        m_selection->select(block("product"));
        key(Qt::Key_G, Qt::ControlModifier);
        const auto& frames = m_view->canvas().frameItems();
        QCOMPARE(frames.size(), std::size_t(1));
        m_selection->select(block("product"));
        key(Qt::Key_Right);  // the loop around is no neighbour
        QCOMPARE(m_selection->current(), block("write"));
        m_view->fitAll();
        m_view->canvas().clearSelection();
        const QRectF card = node(block("product")).area();
        drag(onView(card.topLeft() - QPointF(10, 10)), onView(card.bottomRight() + QPointF(6, 10)));
        QVERIFY(node(block("product")).isSelected());
        QVERIFY(!frames.front()->isSelected());
        m_view->canvas().clearSelection();
        const QRectF all = m_view->canvas().contentRect();
        drag(onView(all.topLeft() - QPointF(20, 30)), onView(all.bottomRight() + QPointF(20, 10)));
        QVERIFY(frames.front()->isSelected());
    }

    void shiftExtendsTheSelection() {
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, middle(tensor("a")));
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, Qt::ShiftModifier, middle(tensor("b")));
        QCOMPARE(m_view->canvas().selectedElements().size(), std::size_t(2));
    }

    void twoAddedByKeyboardDoNotCoverEachOther() {
        for (int i = 0; i < 2; ++i) {
            m_view->quickAddAt(QPointF(600, 120));
            chooseTyped("input");
        }
        for (const NodeItem* a : m_view->canvas().nodeItems())
            for (const NodeItem* b : m_view->canvas().nodeItems()) QVERIFY(a == b || !a->area().intersects(b->area()));
        // What does not read the selection is offered, too, and stands for itself.
        m_selection->select(block("product"));
        key(Qt::Key_Tab);
        chooseTyped("input");
        QVERIFY(m_selection->current().isTensor());
    }

    void aNewNoteIsWrittenAtOnceAndFound() {
        key(Qt::Key_Tab);
        chooseTyped("note");
        auto* field = m_view->findChild<QPlainTextEdit*>();
        QVERIFY(field && field->hasFocus());
        QTest::keyClicks(field, "why 64");
        m_view->setFocus();
        QCOMPARE(design().canvasNotes.back().text, std::string("why 64"));
        m_view->find();
        chooseTyped("why");
        QCOMPARE(m_view->canvas().selectedNotes().size(), std::size_t(1));
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

    void altAndADragLeaveACopyBehind() {
        const QPointF place = node(block("product")).pos();
        const QPoint from = onView(node(block("product")).area().topLeft() + QPointF(100, 16));
        press(from, Qt::AltModifier);
        for (int step = 1; step <= 4; ++step) moveMouse(from + QPoint(0, 40) * step, Qt::AltModifier);
        QCOMPARE(hint(), QString("Duplicate"));
        release(from + QPoint(0, 160), Qt::AltModifier);
        QCOMPARE(node(block("product")).pos(), place);
        QCOMPARE(cube("product2").a, ValueId("a"));
        QVERIFY(node(block("product2")).pos().y() > place.y() + 100);
        QCOMPARE(m_document->undoStack().count(), 1);
        undoAllGivesTheSameBytes();
        // Escape in between: nothing happened.
        press(from, Qt::AltModifier);
        for (int step = 1; step <= 4; ++step) moveMouse(from + QPoint(0, 40) * step, Qt::AltModifier);
        key(Qt::Key_Escape);
        release(from + QPoint(0, 160), Qt::AltModifier);
        QCOMPARE(m_document->undoStack().index(), 0);
        QVERIFY(!findBlock(design(), BlockId("product2")));
    }

    void withoutSnappingAMoveIsExact() {
        m_view->resetZoom();
        const auto moved = [&] {
            const QPointF before = node(block("product")).pos();
            const QPoint from = onView(node(block("product")).area().topLeft() + QPointF(100, 16));
            drag(from, from + QPoint(37, 21));
            return node(block("product")).pos() - before;
        };
        QCOMPARE(moved(), QPointF(40, 24));
        m_view->setSnapping(false);
        QCOMPARE(moved(), QPointF(37, 21));
        m_selection->select(block("product"));
        const QPointF before = node(block("product")).pos();
        key(Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(node(block("product")).pos(), before + QPointF(1, 0));
        undoAllGivesTheSameBytes();
    }

    void aTensorThatIsWrittenAndReadHasBothPorts() {
        Design both = matmulDesign();
        tensorOf(both, "c").role = TensorRole::InOut;
        open(both);
        QVERIFY(node(tensor("c")).picture().output);
        QCOMPARE(node(tensor("c")).picture().inputs.size(), std::size_t(1));
        QCOMPARE(m_view->canvas().content().wires.size(), std::size_t(4));
        m_selection->select(tensor("c"));
        key(Qt::Key_Tab);
        chooseTyped("relu");
        const auto& stage = std::get<VectorStage>(findBlock(design(), BlockId("relu"))->content);
        QCOMPARE(*stage.ops.front().in.front().value(), ValueId("c"));
        QCOMPARE(m_view->canvas().content().wires.size(), std::size_t(5));
        undoAllGivesTheSameBytes();
        Design plain = matmulDesign();
        open(plain);
        QVERIFY(!node(tensor("c")).picture().output);
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
