// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/library_item.h"

#include <QPainter>

#include <algorithm>

#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr int kRight = 8;
constexpr int kPadding = 6;
constexpr int kLine = 16;
constexpr int kSmallLine = 15;

/// Lines that a text takes when it is wrapped.
int lineCount(const QFont& font, const QString& text, int width) {
    if (text.isEmpty()) return 0;
    const QFontMetrics metrics(font);
    const QRect needed = metrics.boundingRect(QRect(0, 0, std::max(width, 40), 10000), Qt::TextWordWrap, text);
    return std::max(1, (needed.height() + metrics.lineSpacing() / 2) / metrics.lineSpacing());
}

/// One line after the other, at a fixed distance.
void drawLines(QPainter& painter, const QString& text, int left, int top, int width, int lineHeight) {
    const QFontMetrics metrics = painter.fontMetrics();
    const int height = lineCount(painter.font(), text, width) * lineHeight;
    const int slack = lineHeight - metrics.lineSpacing();
    painter.drawText(QRect(left, top + slack / 2, width, height + metrics.lineSpacing()),
                     Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, text);
}

}  // namespace

LibraryItem::LibraryItem(const Theme& theme, const Content& content, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_content(content) {
    setText(content.title);
    setToolTip(content.toolTip);
    setAccessibleName(content.title);
    setAccessibleDescription(content.subtitle);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
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

int LibraryItem::textLeft() const {
    return m_content.badge.isEmpty() ? 10 : 42;
}

QSize LibraryItem::sizeHint() const {
    return {208, heightForWidth(208)};
}

int LibraryItem::heightForWidth(int width) const {
    // Measured in bold: an item does not grow when it becomes the current one.
    const int room = width - textLeft() - kRight;
    return 2 * kPadding + kLine * lineCount(Theme::font(FontRole::UiStrong), m_content.title, room) +
           kSmallLine * lineCount(Theme::font(FontRole::UiSmall), m_content.subtitle, room);
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
    if (!m_content.badge.isEmpty()) {
        const QRectF badge(8, (height() - 18) / 2.0, 24, 18);
        drawBar(painter, badge, m_theme.color(m_current ? Token::Accent : Token::Grid), 4.0);
        painter.setFont(Theme::font(FontRole::UiStrong));
        painter.setPen(m_current ? m_theme.onFill() : m_theme.color(Token::Muted));
        painter.drawText(badge, Qt::AlignCenter, m_content.badge);
    }
    const int left = textLeft();
    const int room = width() - left - kRight;
    painter.setFont(Theme::font(m_current ? FontRole::UiStrong : FontRole::Ui));
    painter.setPen(m_theme.color(m_content.usable ? Token::Text : Token::Muted));
    drawLines(painter, m_content.title, left, kPadding, room, kLine);
    const int titleHeight = kLine * lineCount(Theme::font(FontRole::UiStrong), m_content.title, room);
    painter.setFont(Theme::font(FontRole::UiSmall));
    painter.setPen(m_theme.color(Token::Muted));
    drawLines(painter, m_content.subtitle, left, kPadding + titleHeight, room, kSmallLine);
}

}  // namespace cubist
