// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>
#include <QDropEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QMouseEvent>
#include <QTest>

#include <memory>
#include <string>

#include "core/design/edit_ops.h"
#include "core/design/edit_structure.h"
#include "core/exchange/chip_json.h"
#include "core/exchange/design_json.h"
#include "tests/support/designs.h"
#include "views/canvas/canvas_hint.h"
#include "views/canvas/canvas_scene.h"
#include "views/canvas/canvas_tools.h"
#include "views/canvas/canvas_view.h"
#include "views/canvas/chooser.h"
#include "views/document_model.h"
#include "views/selection_model.h"
#include "views/theme.h"

namespace cubist::test {

inline Element block(const char* id) {
    return Element(BlockId(id));
}

inline Element tensor(const char* id) {
    return Element(TensorId(id));
}

/// A canvas in a window of its own, and the hands of somebody who uses it.
class CanvasFixture {
protected:
    Theme m_theme;
    std::unique_ptr<SelectionModel> m_selection;
    std::unique_ptr<DocumentModel> m_document;
    std::unique_ptr<CanvasView> m_view;
    std::string m_before;

    void makeCanvas() {
        m_theme.setMode(ThemeMode::Light);
        m_theme.install(*qApp);
        m_selection = std::make_unique<SelectionModel>();
        m_document = std::make_unique<DocumentModel>(ChipLibrary::load({CUBIST_SOURCE_DIR "/resources/chips"}));
        m_view = std::make_unique<CanvasView>(*m_document, *m_selection, m_theme);
        m_view->resize(1200, 700);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        open(matmulDesign());
        m_view->setFocus();
    }

    void removeCanvas() {
        m_view.reset();
        m_document.reset();
        m_selection.reset();
    }

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

    /// QTest's own move carries no pressed button.
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
};

}  // namespace cubist::test
