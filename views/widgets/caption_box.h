// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QString>

#include "views/theme.h"

namespace cubist {

/// A choice with its caption inside the frame: "Chip  Ascend 910B1".
class CaptionBox : public QComboBox {
    Q_OBJECT

public:
    CaptionBox(const Theme& theme, const QString& caption, QWidget* parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    /// Whether there is no room for the whole text of what is chosen.
    [[nodiscard]] bool isElided() const;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    [[nodiscard]] int textWidth() const;

    const Theme& m_theme;
    QString m_caption;
};

}  // namespace cubist
