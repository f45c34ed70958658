// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/note_editor.h"

#include <QKeyEvent>

namespace cubist {

NoteEditor::NoteEditor(const QString& text, QWidget* parent) : QPlainTextEdit(text, parent) {
    setObjectName(QStringLiteral("noteEditor"));
    setAccessibleName(tr("Text of the note"));
    setTabChangesFocus(true);
    selectAll();
}

void NoteEditor::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (event->key() == Qt::Key_Escape)
        leave(false);
    else if (enter && event->modifiers().testFlag(Qt::ControlModifier))
        leave(true);
    else
        QPlainTextEdit::keyPressEvent(event);
}

void NoteEditor::focusOutEvent(QFocusEvent* event) {
    QPlainTextEdit::focusOutEvent(event);
    if (event->reason() != Qt::PopupFocusReason) leave(true);
}

void NoteEditor::leave(bool keep) {
    if (m_left) return;
    m_left = true;
    if (keep && document()->isModified())
        emit finished(toPlainText());
    else
        emit dropped();
    if (parentWidget()) parentWidget()->setFocus();
    deleteLater();
}

}  // namespace cubist
