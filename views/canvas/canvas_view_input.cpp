// SPDX-License-Identifier: GPL-3.0-or-later
// What reaches the canvas from outside: editing keys, double clicks, the context menu, drops from the library.
#include <QContextMenuEvent>
#include <QDragEnterEvent>
#include <QKeyEvent>
#include <QMimeData>

#include "views/canvas/canvas_menu.h"
#include "views/canvas/canvas_scene.h"
#include "views/canvas/canvas_tools.h"
#include "views/canvas/canvas_view.h"
#include "views/canvas/note_item.h"
#include "views/document_model.h"

namespace cubist {

QString CanvasView::canvasKeys() {
    const QStringList lines{
        tr("Tab, double-click\tAdd; after the selection, or at the pointer"),
        tr("Enter\tTo the inspector"),
        tr("Arrows\tMove the selection"),
        tr("Alt+Arrows\tMove what is selected"),
        tr("Ctrl+drag\tDuplicate a card (or Alt+drag)"),
        tr("Ctrl+Shift+drag\tOn free ground: cut wires (or Alt+drag)"),
        tr("Space+drag\tMove the view"),
        tr("F\tShow everything"),
    };
    return lines.join(QLatin1Char('\n'));
}

bool CanvasView::takesKey(const QKeyEvent& event) const {
    if (!m_document.hasDesign()) return false;
    const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
    if (m_commandKeys) {
        // What is left has no command: the view's F and the way to the inspector.
        const int key = event.key();
        return modifiers == Qt::NoModifier &&
               (key == Qt::Key_F || key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Backspace);
    }
    if (modifiers == Qt::NoModifier || modifiers == Qt::ShiftModifier) {
        switch (event.key()) {
            case Qt::Key_F:
            case Qt::Key_C:
            case Qt::Key_S:
            case Qt::Key_N:
            case Qt::Key_F2:
            case Qt::Key_Delete:
            case Qt::Key_Backspace:
            case Qt::Key_Return:
            case Qt::Key_Enter: return true;
            default: return false;
        }
    }
    if (modifiers.testFlag(Qt::ControlModifier) && !modifiers.testFlag(Qt::AltModifier)) {
        if (modifiers.testFlag(Qt::ShiftModifier)) return event.key() == Qt::Key_G;
        switch (event.key()) {
            case Qt::Key_A:
            case Qt::Key_C:
            case Qt::Key_X:
            case Qt::Key_V:
            case Qt::Key_D:
            case Qt::Key_F:
            case Qt::Key_G: return true;
            default: return false;
        }
    }
    return false;
}

bool CanvasView::handleEditKey(const QKeyEvent& event) {
    if (!takesKey(event)) return false;
    const bool control = event.modifiers().testFlag(Qt::ControlModifier);
    const bool shift = event.modifiers().testFlag(Qt::ShiftModifier);
    switch (event.key()) {
        case Qt::Key_A: selectAll(); return true;
        case Qt::Key_C: control ? copy() : connectSelected(); return true;
        case Qt::Key_X: cut(); return true;
        case Qt::Key_V: paste(); return true;
        case Qt::Key_D: duplicate(); return true;
        case Qt::Key_S: swapSelected(); return true;
        case Qt::Key_N: m_canvas->selectNext(!shift); return true;
        case Qt::Key_G: shift ? dissolveLoop() : wrapInLoop(); return true;
        case Qt::Key_F2: editInPlace(); return true;
        case Qt::Key_Delete:
        case Qt::Key_Backspace: deleteSelection(); return true;
        case Qt::Key_Return:
        case Qt::Key_Enter: emit inspectorRequested(); return true;
        case Qt::Key_F:
            if (!control) return false;
            find();
            return true;
        default: return false;
    }
}

void CanvasView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !m_document.hasDesign())
        return QGraphicsView::mouseDoubleClickEvent(event);
    const QPointF point = viewportTransform().inverted().map(event->position());
    if (const NodeItem* node = m_canvas->nodeAt(point)) {
        m_canvas->selectElements({node->element()});
        editInPlace();
        return;
    }
    for (const NoteItem* note : m_canvas->noteItems())
        if (note->sceneBoundingRect().contains(point)) return editNote(note->index());
    for (const FrameItem* frame : m_canvas->frameItems())
        if (frame->picture().header.contains(point)) {
            m_canvas->selectElements({frame->element()});
            editInPlace();
            return;
        }
    quickAddAt(event->position());
}

void CanvasView::contextMenuEvent(QContextMenuEvent* event) {
    if (!m_document.hasDesign()) return;
    const QPointF point = viewportTransform().inverted().map(QPointF(event->pos()));
    if (event->reason() == QContextMenuEvent::Mouse) {
        // What is under the pointer is what the menu is about.
        QGraphicsItem* under = nullptr;
        for (QGraphicsItem* item : m_canvas->items(point))
            if (item->flags().testFlag(QGraphicsItem::ItemIsSelectable)) {
                under = item;
                break;
            }
        if (under && !under->isSelected()) {
            m_canvas->clearSelection();
            under->setSelected(true);
        } else if (!under) {
            m_canvas->clearSelection();
        }
    }
    showCanvasMenu(*this, event->globalPos(), QPointF(event->pos()));
}

void CanvasView::dragEnterEvent(QDragEnterEvent* event) {
    dragMoveEvent(event);
}

void CanvasView::dragMoveEvent(QDragMoveEvent* event) {
    if (m_tools->dragOver(*event->mimeData(), event->position(), event->modifiers()))
        event->acceptProposedAction();
    else
        event->ignore();  // files are the window's, whom Qt asks next
}

void CanvasView::dragLeaveEvent(QDragLeaveEvent*) {
    m_tools->dragLeft();
}

void CanvasView::dropEvent(QDropEvent* event) {
    if (event->mimeData()->hasFormat(QString::fromLatin1(CanvasTools::kMimeType))) {
        m_tools->drop(*event->mimeData(), event->position(), event->modifiers());
        event->acceptProposedAction();
        setFocus(Qt::MouseFocusReason);
        return;
    }
    event->ignore();
}

}  // namespace cubist
