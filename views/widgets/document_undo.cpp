// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/document_undo.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QVariant>
#include <QWidget>

namespace cubist {
namespace {

class UndoFilter : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress) {
            auto* key = static_cast<QKeyEvent*>(event);
            const bool undoKey = key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo);
            const bool ownHistory = watched->property("committed").toBool() && watched->property("modified").toBool();
            if (undoKey && !ownHistory) {
                // Not accepted: the window's shortcut gets it.
                key->ignore();
                return true;
            }
        }
        return QObject::eventFilter(watched, event);
    }
};

}  // namespace

void useDocumentUndo(QWidget* field) {
    field->installEventFilter(new UndoFilter(field));
}

}  // namespace cubist
