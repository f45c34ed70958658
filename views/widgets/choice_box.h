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

    /// The whole text of what is chosen, as the closed box shows it.
    [[nodiscard]] QString closedText() const;
    void showPopup() override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    [[nodiscard]] int textWidth() const;
};

}  // namespace cubist
