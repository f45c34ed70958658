// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <map>

#include "tests/support/canvas_fixture.h"
#include "views/canvas/canvas_editor.h"
#include "views/canvas/note_item.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// a @ b -> act -> out, and beside it a second branch that no edit of the first concerns.
Design branches() {
    Design design = matmulDesign();
    design.blocks.insert(design.blocks.begin() + 1, Block{relu("act", "acc", "h")});
    storeOf(design).from = ValueId("h");
    CubeStage second = cubeOf(design);
    second.id = BlockId("other");
    second.out = ValueId("acc2");
    design.blocks.push_back(Block{second});
    design.blocks.push_back(Block{relu("otherAct", "acc2", "z")});
    return design;
}

}  // namespace

/// Cards stay where they are, whoever edits the design.
class TestCanvasPlaces : public QObject, private CanvasFixture {
    Q_OBJECT

private:
    using Places = std::map<std::string, QPointF>;

    [[nodiscard]] Places places() {
        Places all;
        // An input keeps its port, and so its right end, where its text becomes longer.
        for (const NodeItem* item : m_view->canvas().nodeItems())
            all.emplace(item->element().id,
                        item->content().kind == NodeKind::Input ? item->area().topRight() : item->pos());
        return all;
    }
    /// Cards that lie elsewhere now; those that came or went do not count.
    [[nodiscard]] QString moved(const Places& before) {
        QStringList names;
        for (const auto& [id, place] : places())
            if (const auto old = before.find(id); old != before.end() && old->second != place)
                names << QString::fromStdString(id);
        return names.join(QLatin1Char(' '));
    }
    void apply(Result<Design> edited, const QString& key = {}) {
        QVERIFY2(edited, edited ? "" : edited.error().message.c_str());
        QVERIFY(m_document->apply("Edit", std::move(edited), key));
    }
    /// What is saved now lies there when it is opened again.
    void sameAfterReopening() {
        const Places now = places();
        const Design saved = design();
        m_document->newDesign(saved);
        QCOMPARE(moved(now), QString());
    }

private slots:
    void init() {
        makeCanvas();
        open(branches());
    }
    void cleanup() { removeCanvas(); }

    void edits_data() {
        QTest::addColumn<QString>("edit");
        for (const char* edit :
             {"wider shape", "longer name of an input", "longer name of an output", "rename a stage", "remove a stage",
              "remove the middle", "other operand", "new stage at the front", "swap", "new input", "into a loop"})
            QTest::newRow(edit) << QString::fromLatin1(edit);
    }

    void edits() {
        QFETCH(QString, edit);
        const Places before = places();
        Design copy = design();
        if (edit == "wider shape") {
            apply(setTensorShape(design(), TensorId("b"), {Expression(128), Expression(1048576)}));
        } else if (edit == "longer name of an input") {
            apply(renameTensor(design(), TensorId("a"), "activations_of_the_layer_before_this_one"));
            QCOMPARE(places().at("activations_of_the_layer_before_this_one"), before.at("a"));
        } else if (edit == "longer name of an output") {
            const std::string output = storeOf(copy).to.text;
            apply(renameTensor(design(), TensorId(output), "result_of_the_whole_kernel_in_long_words"));
            QCOMPARE(places().at("result_of_the_whole_kernel_in_long_words"), before.at(output));
        } else if (edit == "rename a stage") {
            apply(renameBlock(design(), BlockId("product"), "gate"));
            QCOMPARE(places().at("gate"), before.at("product"));
        } else if (edit == "remove a stage") {
            apply(removeElements(design(), {{BlockId("otherAct")}, {}}));
        } else if (edit == "remove the middle") {
            apply(removeElements(design(), {{BlockId("product")}, {TensorId("b")}}));
        } else if (edit == "other operand") {
            apply(connectPort(design(), BlockId("other"), "a", ValueId("h")));
        } else if (edit == "new stage at the front") {
            apply(insertOnWire(design(), BlockId("act"), "0/0", Block{relu("between", "", "y")}, "0/0"));
        } else if (edit == "swap") {
            CubeStage stage;
            stage.id = BlockId("x");
            stage.out = ValueId("y");
            apply(swapStage(design(), BlockId("act"), Block{stage}));
        } else if (edit == "new input") {
            Tensor tensor = tensorOf(copy, "a");
            tensor.id = TensorId("another_input_with_a_name_that_is_wide");
            apply(addTensor(design(), tensor));
        } else {
            Loop loop;
            loop.id = BlockId("rows");
            loop.index = "i";
            loop.axis = Expression(64);
            loop.tile = Expression(32);
            apply(wrapInLoop(design(), {BlockId("other"), BlockId("otherAct")}, loop, *m_document->binding()));
        }
        QCOMPARE(moved(before), QString());
        QCOMPARE(m_document->undoStack().count(), 1);
        // Nothing new lies on another card.
        const auto& nodes = m_view->canvas().nodeItems();
        for (const NodeItem* a : nodes)
            for (const NodeItem* b : nodes)
                if (a != b && !(before.contains(a->element().id) && before.contains(b->element().id)))
                    QVERIFY2(!a->area().intersects(b->area()), a->element().id.c_str());
        sameAfterReopening();
    }

    void undoAndRedoBringEveryPlaceBack() {
        const Places before = places();
        apply(setTensorShape(design(), TensorId("b"), {Expression(128), Expression(1048576)}));
        apply(removeElements(design(), {{BlockId("product")}, {}}));
        const Places after = places();
        m_document->undoStack().undo();
        m_document->undoStack().undo();
        QCOMPARE(moved(before), QString());
        QCOMPARE(QString::fromStdString(writeDesign(design())), QString::fromStdString(m_before));
        m_document->undoStack().redo();
        m_document->undoStack().redo();
        QCOMPARE(moved(after), QString());
        undoAllGivesTheSameBytes();
    }

    void aDragThatGoesBackLeavesNothingBehind() {
        const auto shape = [&](std::int64_t n) {
            return setTensorShape(design(), TensorId("b"), {Expression(128), Expression(n)});
        };
        apply(shape(1048576), QStringLiteral("drag"));
        apply(shape(100000), QStringLiteral("drag"));
        QCOMPARE(m_document->undoStack().count(), 1);
        apply(shape(64), QStringLiteral("drag"));
        QCOMPARE(m_document->undoStack().count(), 0);
        QCOMPARE(QString::fromStdString(writeDesign(design())), QString::fromStdString(m_before));
    }

    void anotherCaseMovesNothing() {
        open(glmGate());
        const Places before = places();
        Dictionary<std::int64_t> large;
        large.set("T", 123456789);
        m_document->setSymbolOverrides(large);
        QCOMPARE(moved(before), QString());
        QCOMPARE(m_document->undoStack().count(), 0);
    }

    void tidyingLaysEverythingOutAnew() {
        const Places automatic = places();
        apply(setPlacements(design(), {{"product", 900.0, 640.0}}));
        QVERIFY(!moved(automatic).isEmpty());
        m_view->canvas().tidy();
        QCOMPARE(moved(automatic), QString());
    }

    /// What stands on a wire's way makes room, and nothing else.
    void aStageOnAWireMovesOnlyWhatComesBehindIt() {
        const auto& wires = m_view->canvas().content().wires;
        const auto& nodes = m_view->canvas().content().nodes;
        const auto named = [&](int node) { return nodes[static_cast<std::size_t>(node)].element.id; };
        int wire = -1;
        for (std::size_t i = 0; i < wires.size(); ++i)
            if (named(wires[i].from) == "product" && named(wires[i].to) == "act") wire = static_cast<int>(i);
        QVERIFY(wire >= 0);
        const Places before = places();
        CanvasEditor editor(m_view->canvas());
        const QPointF at = (node(block("product")).outputPoint() + node(block("act")).inputPoint(0)) / 2;
        QVERIFY(editor.insertOnWire("vector/silu", wire, at));
        const Places after = places();
        for (const char* id : {"a", "b", "product", "other", "otherAct"}) QVERIFY2(after.at(id) == before.at(id), id);
        QVERIFY(after.at("act").x() > before.at("act").x());
        QCOMPARE(after.at("act").y(), before.at("act").y());
        undoAllGivesTheSameBytes();
        QCOMPARE(moved(before), QString());
    }
};

QTEST_MAIN(TestCanvasPlaces)
#include "tst_canvas_places.moc"
