// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/letter_badge.h"

#include <QPainter>

#include "views/widgets/painting.h"

namespace cubist {

LetterBadge::LetterBadge(const Theme& theme, const QString& letter, Token color, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_letter(letter), m_color(color) {
    setFixedSize(20, 20);
    connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void LetterBadge::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    drawBar(painter, rect(), m_theme.color(m_color), 4.0);
    painter.setFont(Theme::font(FontRole::UiStrong));
    painter.setPen(m_theme.onFill());
    painter.drawText(rect(), Qt::AlignCenter, m_letter);
}

}  // namespace cubist
