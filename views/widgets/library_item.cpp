// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/library_item.h"

#include <QPainter>

#include "views/widgets/painting.h"

namespace cubist {

LibraryItem::LibraryItem(const Theme& theme, const Content& content, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_content(content) {
    setText(content.title);
    setToolTip(content.toolTip);
    setAccessibleName(content.title);
    setAccessibleDescription(content.subtitle);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    if (content.usable) setCursor(Qt::PointingHandCursor);
    connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void LibraryItem::setCurrent(bool current) {
    if (current == m_current) return;
    m_current = current;
    update();
}

QSize LibraryItem::sizeHint() const {
    return {208, m_content.subtitle.isEmpty() ? 30 : 42};
}

void LibraryItem::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF frame = QRectF(rect()).adjusted(1, 1, -1, -1);
    const bool lit = m_content.usable && (underMouse() || isDown());
    if (m_current)
        drawBar(painter, frame, m_theme.color(Token::CubeSoft), Theme::kRadiusSmall, m_theme.color(Token::Accent));
    else if (lit)
        drawBar(painter, frame, m_theme.color(Token::Grid), Theme::kRadiusSmall);
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_theme.color(Token::Accent), 1.0));
        painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), Theme::kRadiusSmall, Theme::kRadiusSmall);
    }
    int left = 10;
    if (!m_content.badge.isEmpty()) {
        const QRectF badge(8, (height() - 18) / 2.0, 24, 18);
        drawBar(painter, badge, m_theme.color(m_current ? Token::Accent : Token::Grid), 4.0);
        painter.setFont(Theme::font(FontRole::UiStrong));
        painter.setPen(m_current ? m_theme.onFill() : m_theme.color(Token::Muted));
        painter.drawText(badge, Qt::AlignCenter, m_content.badge);
        left = 42;
    }
    const QRect line = rect().adjusted(left, 0, -8, 0);
    const bool two = !m_content.subtitle.isEmpty();
    painter.setFont(Theme::font(m_current ? FontRole::UiStrong : FontRole::Ui));
    painter.setPen(m_theme.color(m_content.usable ? Token::Text : Token::Muted));
    painter.drawText(two ? line.adjusted(0, 4, 0, -height() / 2) : line, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(m_content.title, Qt::ElideRight, line.width()));
    if (two) {
        painter.setFont(Theme::font(FontRole::UiSmall));
        painter.setPen(m_theme.color(Token::Muted));
        painter.drawText(line.adjusted(0, height() / 2 - 2, 0, -4), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(m_content.subtitle, Qt::ElideRight, line.width()));
    }
}

}  // namespace cubist
