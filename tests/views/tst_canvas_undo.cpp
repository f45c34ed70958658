// SPDX-License-Identifier: GPL-3.0-or-later
#include <QClipboard>

#include <algorithm>

#include "tests/support/canvas_fixture.h"
#include "views/canvas/in_place_editor.h"
#include "views/canvas/note_item.h"

using namespace cubist;
using namespace cubist::test;

/// Somebody who does everything that the canvas offers, in any order.
class TestCanvasUndo : public QObject, private CanvasFixture {
    Q_OBJECT

private:
    std::uint32_t m_seed = 12345;
    std::vector<CatalogEntry> m_catalog;

    std::size_t random(std::size_t bound) {
        m_seed = m_seed * 1664525U + 1013904223U;
        return static_cast<std::size_t>(m_seed >> 8) % std::max<std::size_t>(bound, 1);
    }
    [[nodiscard]] CanvasEditor& editor() { return m_view->editor(); }
    [[nodiscard]] CanvasScene& canvas() { return m_view->canvas(); }
    [[nodiscard]] const NodeItem& anyNode() { return *canvas().nodeItems()[random(canvas().nodeItems().size())]; }
    [[nodiscard]] const QString& anyKey() { return m_catalog[random(m_catalog.size())].key; }
    [[nodiscard]] QPointF anyPlace() { return {static_cast<double>(random(900)), static_cast<double>(random(600))}; }
    [[nodiscard]] std::optional<WireTarget> anyPort(const NodeItem& node) {
        const auto ports = static_cast<std::size_t>(node.content().inputs.size());
        return ports == 0 ? std::nullopt : std::optional(canvas().targetOf(node, static_cast<int>(random(ports))));
    }
    void selectSome() {
        std::vector<Element> some;
        for (std::size_t i = 0; i < 1 + random(4); ++i) some.push_back(anyNode().element());
        canvas().selectElements(some);
    }

    void add() {
        CanvasEditor::Target target;
        target.place = anyPlace();
        if (const FrameItem* frame = canvas().frameAt(*target.place)) target.loop = frame->element().block();
        editor().insert(anyKey(), target);
    }

    void wire() {
        const auto& wires = canvas().content().wires;
        const NodeItem& from = anyNode();
        const std::optional<WireTarget> to = anyPort(anyNode());
        switch (random(4)) {
            case 0:
                if (!wires.empty()) editor().insertOnWire(anyKey(), static_cast<int>(random(wires.size())), anyPlace());
                break;
            case 1: {
                const std::optional<WireTarget> old = anyPort(anyNode());
                if (to && old && old->port != "to" && old->element.isBlock() && from.content().hasOutput)
                    editor().reconnectWire(canvas().sourceOf(from), *old, *to, true);
                break;
            }
            case 2:
                if (!wires.empty()) editor().disconnectWires({static_cast<int>(random(wires.size()))});
                break;
            default:
                if (to && from.content().hasOutput) editor().connectWire(canvas().sourceOf(from), *to, random(2) == 0);
                break;
        }
    }

    void clipboard() {
        switch (random(3)) {
            case 0: editor().duplicate(); break;
            case 1: editor().cut(); break;
            default:
                editor().copy();
                editor().paste(anyPlace());
                break;
        }
    }

    void loops() {
        if (random(2) == 0) editor().wrapSelection();
        const auto& frames = canvas().frameItems();
        if (random(2) == 0 && !frames.empty()) editor().dissolve(frames[random(frames.size())]->element());
    }

    void places() {
        constexpr std::array kLines{Alignment::Left, Alignment::Centre, Alignment::Right,
                                    Alignment::Top,  Alignment::Middle, Alignment::Bottom};
        const auto& frames = canvas().frameItems();
        switch (random(6)) {
            case 0: canvas().nudgeSelection({8.0 * static_cast<double>(random(5)), 16.0}); break;
            case 1: editor().align(kLines[random(kLines.size())]); break;
            case 2: editor().distribute(random(2) == 0 ? Qt::Horizontal : Qt::Vertical); break;
            case 3: canvas().tidy(); break;
            case 4:
                if (frames.empty()) break;
                resizeFrame(*frames[random(frames.size())]);
                break;
            default: dragSomewhere(); break;
        }
    }

    void resizeFrame(const FrameItem& frame) {
        canvas().stretchFrame(frame, anyPlace());
        canvas().stretchFrame(frame, anyPlace());
        canvas().endStretch(frame);
    }

    /// By its header, to anywhere in sight: into and out of loops, onto wires, or as a copy.
    void dragSomewhere() {
        m_view->fitAll();
        canvas().clearSelection();
        const QPoint from = onView(anyNode().area().topLeft() + QPointF(60, 10));
        drag(from, QPoint(static_cast<int>(random(1100)), static_cast<int>(random(650))),
             random(4) == 0 ? Qt::AltModifier : Qt::NoModifier);
        if (m_view->chooser().isVisible()) QTest::keyClick(m_view->chooser().field(), Qt::Key_Escape);
    }

    void stages() {
        const Element stage = anyNode().element();
        if (!stage.isBlock()) return;
        if (random(2) == 0)
            editor().swap(stage, anyKey());
        else
            editor().append(stage, anyKey());
    }

    void words() {
        if (!canvas().noteItems().empty() && random(2) == 0) {
            editor().setNoteText(random(canvas().noteItems().size()), QString::number(random(100)));
            return;
        }
        canvas().selectElements({anyNode().element()});
        m_view->editInPlace();
        if (!m_view->inPlace().isVisible()) return;
        QLineEdit* name = m_view->inPlace().nameField();
        name->selectAll();
        QTest::keyClicks(name, "n" + QString::number(random(1000)));
        QTest::keyClick(name, Qt::Key_Return);
        m_view->setFocus();
    }

    void fix() {
        for (const Finding& finding : m_document->findings())
            if (!finding.fixes.empty()) {
                m_document->applyFix(finding.fixes[random(finding.fixes.size())]);
                return;
            }
    }

    void act() {
        if (canvas().nodeItems().empty()) return add();
        selectSome();
        if (canvas().nodeItems().size() > 18) return static_cast<void>(editor().removeSelection());
        switch (random(12)) {
            case 0:
            case 1: return add();
            case 2:
            case 3: return wire();
            case 4: return clipboard();
            case 5: return loops();
            case 6:
            case 7: return places();
            case 8: return stages();
            case 9: return words();
            case 10: return fix();
            default: editor().removeSelection(); return;
        }
    }

private slots:
    void init() { makeCanvas(); }
    void cleanup() { removeCanvas(); }

    void aThousandRandomEditsAreTakenBackToTheByte() {
        open(glmGate());
        m_catalog = stageCatalog();
        int edits = 0;
        for (int round = 0; round < 4000 && edits < 1000; ++round) {
            const int before = m_document->undoStack().index();
            act();
            edits += std::max(0, m_document->undoStack().index() - before);
            // What is stored can always be read back.
            if (round % 16 == 0) QVERIFY(readDesign(writeDesign(design())));
            if (random(40) == 0) m_document->undoStack().undo();
        }
        QVERIFY2(edits >= 1000, qPrintable(QString::number(edits)));
        const std::string end = writeDesign(design());
        undoAllGivesTheSameBytes();
        while (m_document->undoStack().canRedo()) m_document->undoStack().redo();
        QCOMPARE(QString::fromStdString(writeDesign(design())), QString::fromStdString(end));
    }
};

QTEST_MAIN(TestCanvasUndo)
#include "tst_canvas_undo.moc"
