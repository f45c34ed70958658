// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/history_list.h"

namespace cubist {

HistoryList::HistoryList(QUndoStack& stack, QWidget* parent) : QUndoView(&stack, parent) {
    setEmptyLabel(tr("Start"));
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Undo history"));
}

void HistoryList::showEvent(QShowEvent* event) {
    // Rows that were measured before the style sheet applied would keep their first height.
    ensurePolished();
    scheduleDelayedItemsLayout();
    QUndoView::showEvent(event);
}

}  // namespace cubist
