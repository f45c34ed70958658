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

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    const Theme& m_theme;
    QString m_caption;
};

}  // namespace cubist
