// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QUndoView>

namespace cubist {

/// The steps of the undo history; pressing one goes there.
class HistoryList : public QUndoView {
    Q_OBJECT

public:
    explicit HistoryList(QUndoStack& stack, QWidget* parent = nullptr);

protected:
    void showEvent(QShowEvent* event) override;
};

}  // namespace cubist
