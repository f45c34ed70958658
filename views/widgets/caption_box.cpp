// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/caption_box.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>

#include "views/icons.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr int kHeight = 30;
constexpr int kVisibleItems = 16;
constexpr int kPadding = 10;
constexpr int kArrow = 12;

int widthOf(FontRole role, const QString& text) {
    return QFontMetrics(Theme::font(role)).horizontalAdvance(text);
}

}  // namespace

CaptionBox::CaptionBox(const Theme& theme, const QString& caption, QWidget* parent)
    : QComboBox(parent), m_theme(theme), m_caption(caption) {
    setAccessibleName(caption);
    setMaxVisibleItems(kVisibleItems);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAttribute(Qt::WA_Hover);
    connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize CaptionBox::sizeHint() const {
    int widest = 60;
    for (int i = 0; i < count(); ++i) widest = std::max(widest, widthOf(FontRole::UiStrong, itemText(i)));
    return {kPadding * 2 + widthOf(FontRole::UiSmall, m_caption) + 8 + std::min(widest, 180) + 10 + kArrow, kHeight};
}

QSize CaptionBox::minimumSizeHint() const {
    return {kPadding * 2 + widthOf(FontRole::UiSmall, m_caption) + 8 + 56 + kArrow, kHeight};
}

int CaptionBox::textWidth() const {
    return width() - 2 * kPadding - widthOf(FontRole::UiSmall, m_caption) - 8 - kArrow - 4;
}

bool CaptionBox::isElided() const {
    return widthOf(FontRole::UiStrong, currentText()) > textWidth();
}

void CaptionBox::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool lit = hasFocus() || (isEnabled() && underMouse());
    drawBar(painter, rect(), m_theme.color(Token::Raised), Theme::kRadiusSmall,
            m_theme.color(lit ? Token::Accent : Token::Border));
    painter.setFont(Theme::font(FontRole::UiSmall));
    painter.setPen(m_theme.color(Token::Muted));
    painter.drawText(rect().adjusted(kPadding, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, m_caption);
    const int left = kPadding + widthOf(FontRole::UiSmall, m_caption) + 8;
    const QRect value(left, 0, textWidth(), height());
    painter.setFont(Theme::font(FontRole::UiStrong));
    painter.setPen(m_theme.color(isEnabled() ? Token::Text : Token::Muted));
    painter.drawText(value, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(currentIndex() < 0 ? QStringLiteral("-") : currentText(),
                                                      Qt::ElideRight, value.width()));
    if (!isEnabled()) return;
    const QPixmap arrow = iconPixmap(Icon::ChevronDown, kArrow, m_theme.color(Token::Muted), devicePixelRatioF());
    painter.drawPixmap(width() - kPadding - kArrow, (height() - kArrow) / 2, arrow);
}

bool CaptionBox::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !isElided()) return QComboBox::event(event);
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(),
                       toolTip().isEmpty() ? currentText() : currentText() + QLatin1Char('\n') + toolTip(), this);
    return true;
}

void CaptionBox::wheelEvent(QWheelEvent* event) {
    // A wheel over the top bar must not choose another chip.
    event->ignore();
}

}  // namespace cubist
