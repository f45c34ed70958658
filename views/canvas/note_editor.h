// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>

namespace cubist {

/// The text of a note while it is written; takes itself away when it is left. Esc gives the text up.
class NoteEditor : public QPlainTextEdit {
    Q_OBJECT

public:
    NoteEditor(const QString& text, QWidget* parent);

signals:
    void finished(const QString& text);
    /// Left without another text.
    void dropped();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void leave(bool keep);

    bool m_left = false;
};

}  // namespace cubist
