// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>

namespace cubist {

/// A box as wide as its column, that the wheel does not change unless it has the focus. A text that does not fit ends
/// with an ellipsis and is told whole by the tool tip; the list is as wide as its longest text.
class ChoiceBox : public QComboBox {
    Q_OBJECT

public:
    /// What the closed box shows of an item in place of its text.
    static constexpr int kShortText = Qt::UserRole + 1;

    explicit ChoiceBox(const QString& accessibleName, QWidget* parent = nullptr);

    /// The whole text of what is chosen, as the closed box shows it; its placeholder while nothing is.
    [[nodiscard]] QString closedText() const;
    void showPopup() override;
    /// Makes the box wide enough for the items that it has now.
    void fitToItems();
    /// While the wheel or the keys go through the items of the box that has the focus: a key that is the same for the
    /// whole run, for edits that are to be one step of the history. Empty at other times.
    [[nodiscard]] static QString runKey();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    [[nodiscard]] int textWidth() const;

    bool m_stepping = false;
    int m_run = 0;
};

}  // namespace cubist
