// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemView>
#include <QApplication>
#include <QComboBox>
#include <QCompleter>
#include <QSet>
#include <QTest>
#include <QWheelEvent>

#include <memory>

#include "core/exchange/design_json.h"
#include "tests/support/designs.h"
#include "views/panels/formula_editor.h"
#include "views/panels/inspector_form.h"
#include "views/panels/inspector_panel.h"
#include "views/session.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// Collects the keys that a type stores.
struct KeyNames {
    QSet<QString> names;
    template <class... Rest>
    void required(const char* key, Rest&&...) {
        names.insert(QString::fromLatin1(key));
    }
    template <class... Rest>
    void optional(const char* key, Rest&&...) {
        names.insert(QString::fromLatin1(key));
    }
    template <class... Rest>
    void numberOrList(const char* key, Rest&&...) {
        names.insert(QString::fromLatin1(key));
    }
    template <class... Rest>
    void unknown(Rest&&...) {}
};

template <class Content>
QSet<QString> keysOf() {
    KeyNames keys;
    Content content;
    Content::visitFields(content, keys);
    return keys.names;
}

/// Keys that the fields of a form edit, whether they are shown for this element or not.
QSet<QString> fieldKeys(const QWidget* form) {
    QSet<QString> keys;
    for (const QWidget* field : form->findChildren<QWidget*>())
        if (const QVariant key = field->property("key"); key.isValid()) keys.insert(key.toString());
    return keys;
}

/// Whether the widget took the turn.
bool turnWheel(QWidget& target, int delta) {
    const QPointF at(5, 5);
    QWheelEvent wheel(at, target.mapToGlobal(at), {}, QPoint(0, delta), Qt::NoButton, {}, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&target, &wheel);
    return wheel.isAccepted();
}

ChipLibrary testChips() {
    return ChipLibrary::load({std::string(CUBIST_SOURCE_DIR) + "/resources/chips"});
}

}  // namespace

class TestInspectorKeys : public QObject {
    Q_OBJECT

private:
    Theme m_theme;
    std::unique_ptr<Session> m_session;
    std::unique_ptr<InspectorPanel> m_inspector;

    void open(Design design) { m_session->document().newDesign(std::move(design)); }
    void verifyAll(const QSet<QString>& keys, const QSet<QString>& besides = {}) {
        const QSet<QString> missing = keys - fieldKeys(m_inspector->form()) - besides;
        QVERIFY2(missing.isEmpty(), qPrintable(QStringList(missing.begin(), missing.end()).join(", ")));
    }

private slots:
    void init() {
        m_session = std::make_unique<Session>(m_theme, testChips());
        m_inspector = std::make_unique<InspectorPanel>(*m_session);
        m_inspector->show();
    }
    void cleanup() {
        m_inspector.reset();
        m_session.reset();
    }

    void everyKeyOfAStageHasAField() {
        Design design = rowScale();
        open(design);
        m_session->selection().select(Element(cubeOf(design).id));
        verifyAll(keysOf<CubeStage>(), {"tile"});
        verifyAll(keysOf<CubeTile>());
        m_session->selection().select(Element(vectorOf(design).id));
        verifyAll(keysOf<VectorStage>());
        verifyAll(keysOf<VectorOp>());
    }

    void everyKeyOfLoopsViewsAndStoresHasAField() {
        Design design = rowScale();
        open(design);
        m_session->selection().select(Element(loopOf(design).id));
        verifyAll(keysOf<Loop>(), {"body"});
        m_session->selection().select(Element(viewOf(design).id));
        verifyAll(keysOf<View>());
        m_session->selection().select(Element(storeOf(design).id));
        verifyAll(keysOf<Store>());
    }

    void everyKeyOfATensorHasAField() {
        Design design = rowScale();
        open(design);
        m_session->selection().select(Element(design.tensors[0].id));
        verifyAll(keysOf<Tensor>(), {"data"});
        verifyAll(keysOf<DataSource>());
        verifyAll(keysOf<Tolerance>());
    }

    void everyKeyOfTheDesignHasAField() {
        Design design = rowScale();
        List groups;
        groups.id = ListId("groups");
        groups.form = ListForm::Counts;
        groups.value = {3, 0, 5};
        design.lists.push_back(groups);
        open(design);
        m_session->selection().clear();
        // The rest is edited on the canvas, or has forms of its own.
        verifyAll(keysOf<Design>(), {"skeleton", "symbols", "lists", "cases", "tensors", "blocks", "options",
                                     "tolerance", "layout", "canvas_notes"});
        verifyAll(keysOf<Skeleton>());
        verifyAll(keysOf<Options>());
        verifyAll(keysOf<Tolerance>());
        verifyAll(keysOf<Symbol>());
        verifyAll(keysOf<List>());
        verifyAll(keysOf<Case>(), {"lists"});
    }

    void aFormulaReplacesTheOperations() {
        Design design = rowScale();
        open(design);
        m_session->selection().select(Element(vectorOf(design).id));
        auto* text = m_inspector->findChild<FormulaText*>("formula");
        QVERIFY(text && text->isVisible());
        const std::vector<VectorOp> before = vectorOf(design).ops;
        QCOMPARE(text->toPlainText(), QString::fromStdString(formulaText(before)));
        text->setFocus();
        text->selectAll();
        QTest::keyClicks(text, "exq(x)");
        auto* editor = m_inspector->findChild<FormulaEditor*>();
        QVERIFY2(editor->message().contains("exq"), qPrintable(editor->message()));
        QVERIFY(!text->extraSelections().isEmpty());
        QTest::keyClick(text, Qt::Key_Return);
        QVERIFY(!m_session->document().isModified());  // it stays, and nothing happened
        // A name that nothing has is a mistake like any other; a part's own name is none.
        text->setPlainText("part = exp(1.5)\n  part * nowhere");
        text->document()->setModified(true);
        QVERIFY2(editor->message().contains("nowhere"), qPrintable(editor->message()));
        QCOMPARE(text->extraSelections().size(), 1);
        QCOMPARE(text->extraSelections().front().cursor.selectedText(), QString("nowhere"));
        QTest::keyClick(text, Qt::Key_Return);
        QVERIFY(!m_session->document().isModified());
        QVERIFY(text->document()->isModified());
        // Escape closes the list of completions first, and takes nothing back.
        text->selectAll();
        QTest::keyClicks(text, "ex");
        QTRY_VERIFY(text->completer()->popup()->isVisible());
        QTest::keyClick(text, Qt::Key_Escape);
        QVERIFY(!text->completer()->popup()->isVisible());
        QCOMPARE(text->toPlainText(), QString("ex"));
        text->selectAll();
        QTest::keyClicks(text, "exp(");
        QTest::keyClicks(text, QString::fromStdString(before.front().in.front().value()->text) + ") * 2");
        text->completer()->popup()->hide();
        QTest::keyClick(text, Qt::Key_Return);
        Design after = *m_session->document().design();
        QCOMPARE(vectorOf(after).ops.size(), std::size_t(2));
        QCOMPARE(vectorOf(after).ops.back().out, before.back().out);
        QCOMPARE(m_session->document().undoStack().count(), 1);
        m_session->document().undoStack().undo();
        after = *m_session->document().design();
        QVERIFY(vectorOf(after).ops == before);
        QCOMPARE(text->toPlainText(), QString::fromStdString(formulaText(before)));
    }

    void refusedTextsStayAndAreOutlined() {
        Design design = rowScale();
        open(design);
        m_session->selection().select(Element(cubeOf(design).id));
        QLineEdit* scale = nullptr;
        for (QLineEdit* line : m_inspector->form()->findChildren<QLineEdit*>())
            if (line->property("key").toString() == "scale") scale = line;
        QVERIFY(scale);
        scale->setFocus();
        QTest::keyClicks(scale, "0.5x");
        QTest::keyClick(scale, Qt::Key_Return);
        QCOMPARE(scale->property("state").toString(), QString("error"));
        QVERIFY(!m_session->document().isModified());
        scale->selectAll();
        QTest::keyClicks(scale, "0.5");
        QTest::keyClick(scale, Qt::Key_Return);
        Design after = *m_session->document().design();
        QCOMPARE(cubeOf(after).scale, std::optional(0.5));
        QVERIFY(scale->property("state").toString().isEmpty());
    }

    void aTileTableIsTypedAsTheFileHasIt() {
        Design design = rowScale();
        open(design);
        m_session->selection().select(Element(cubeOf(design).id));
        QLineEdit* table = nullptr;
        for (QLineEdit* line : m_inspector->form()->findChildren<QLineEdit*>())
            if (line->property("key").toString() == "tile_by") table = line;
        QVERIFY(table && table->text().isEmpty());
        table->setFocus();
        // A key that means nothing is refused.
        QTest::keyClicks(table, "{\"value\": 3, \"rows\": [{\"upto\": 8}]}");
        QTest::keyClick(table, Qt::Key_Return);
        QCOMPARE(table->property("state").toString(), QString("error"));
        table->selectAll();
        QTest::keyClicks(table, "{\"value\": 3, \"rows\": [{\"up_to\": 8, \"m\": [16, 32]}]}");
        QTest::keyClick(table, Qt::Key_Return);
        Design after = *m_session->document().design();
        QVERIFY(cubeOf(after).tileBy.has_value());
        QCOMPARE(cubeOf(after).tileBy->value.literal(), std::optional<std::int64_t>(3));
        QCOMPARE(cubeOf(after).tileBy->rows.size(), std::size_t(1));
        QCOMPARE(cubeOf(after).tileBy->rows[0].upTo, std::int64_t(8));
        QCOMPARE(cubeOf(after).tileBy->rows[0].m[1].literal(), std::optional<std::int64_t>(32));
        table->selectAll();
        QTest::keyClick(table, Qt::Key_Delete);
        QTest::keyClick(table, Qt::Key_Return);
        after = *m_session->document().design();
        QVERIFY(!cubeOf(after).tileBy.has_value());
    }

    void theWheelLeavesChoicesAlone() {
        open(rowScale());
        const Design before = *m_session->document().design();
        std::vector<Element> elements{Element(), Element(before.tensors[0].id), Element(before.tensors.back().id)};
        Design design = before;
        for (const BlockId& id : {cubeOf(design).id, vectorOf(design).id, loopOf(design).id, viewOf(design).id})
            elements.emplace_back(id);
        int seen = 0;
        for (const Element& element : elements) {
            m_session->selection().select(element);
            for (QComboBox* box : m_inspector->form()->findChildren<QComboBox*>()) {
                if (!box->isVisible()) continue;
                box->clearFocus();  // the first field of a window gets it at the start
                ++seen;
                const int chosen = box->currentIndex();
                for (const int delta : {-120, 120, 120}) {
                    turnWheel(*box, delta);  // the panel around it may take it
                    QVERIFY2(box->currentIndex() == chosen, qPrintable(box->accessibleName()));
                }
            }
        }
        QVERIFY(seen > 5);
        QVERIFY(*m_session->document().design() == before);
        QCOMPARE(m_session->document().undoStack().count(), 0);
    }

    void aRunOfTheWheelIsOneStep() {
        open(rowScale());
        m_session->selection().clear();
        QApplication::setActiveWindow(m_inspector.get());
        QComboBox* criterion = nullptr;
        for (QComboBox* box : m_inspector->form()->findChildren<QComboBox*>())
            if (box->isVisible() && box->property("key").toString() == "criterion") criterion = box;
        QVERIFY(criterion);
        const Design before = *m_session->document().design();
        criterion->setFocus();
        QTRY_VERIFY(criterion->hasFocus());
        for (int i = 0; i < 3; ++i) QVERIFY(turnWheel(*criterion, -120));
        QCOMPARE(criterion->currentIndex(), 3);
        QCOMPARE(m_session->document().undoStack().count(), 1);
        // What is chosen in the list, or after the box was left, is a step of its own.
        criterion->clearFocus();
        criterion->setFocus();
        QVERIFY(turnWheel(*criterion, 120));
        QCOMPARE(m_session->document().undoStack().count(), 2);
        criterion->setCurrentIndex(0);
        emit criterion->activated(0);
        QCOMPARE(m_session->document().undoStack().count(), 3);
        m_session->document().undoStack().setIndex(0);
        QVERIFY(*m_session->document().design() == before);
    }

    void aRenamedStageStaysSelected() {
        Design design = rowScale();
        open(design);
        m_session->selection().select(Element(cubeOf(design).id));
        QLineEdit* id = nullptr;
        for (QLineEdit* line : m_inspector->form()->findChildren<QLineEdit*>())
            if (line->property("key").toString() == "id") id = line;
        QVERIFY(id);
        id->setFocus();
        id->selectAll();
        QTest::keyClicks(id, "product");
        QTest::keyClick(id, Qt::Key_Return);
        QCOMPARE(m_session->selection().current(), Element(BlockId("product")));
        Design after = *m_session->document().design();
        QCOMPARE(cubeOf(after).id.text, std::string("product"));
    }
};

QTEST_MAIN(TestInspectorKeys)
#include "tst_inspector_keys.moc"
