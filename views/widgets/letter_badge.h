// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

#include "views/theme.h"

namespace cubist {

/// A letter on a rounded square: C for cube stages, V for vector stages.
class LetterBadge : public QWidget {
    Q_OBJECT

public:
    LetterBadge(const Theme& theme, const QString& letter, Token color, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    QString m_letter;
    Token m_color;
};

}  // namespace cubist
