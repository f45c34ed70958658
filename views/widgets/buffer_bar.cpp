// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/buffer_bar.h"

#include <QPainter>

#include <algorithm>

#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr int kNameWidth = 36;
constexpr int kTextWidth = 96;
constexpr int kBarHeight = 12;

}  // namespace

BufferBar::BufferBar(const Theme& theme, Token color, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_color(color) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&m_theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void BufferBar::setFill(const BufferFill& fill) {
    if (fill == m_fill) return;
    m_fill = fill;
    setToolTip(fill.detail);
    setAccessibleName(fill.name);
    setAccessibleDescription(summary());
    update();
}

QString BufferBar::summary() const {
    if (m_fill.perSlot <= 0) return tr("unused");
    QString size = kilobytes(m_fill.perSlot * (isOver() ? 1 : m_fill.slotCount));
    const QString capacity = kilobytes(m_fill.capacity);
    size.chop(3);  // " KB" once is enough
    return tr("%1 of %2", "bytes used of capacity").arg(size, capacity);
}

void BufferBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(Theme::font(FontRole::Mono));
    painter.setPen(m_theme.color(Token::Text));
    painter.drawText(QRect(0, 0, kNameWidth, height()), Qt::AlignLeft | Qt::AlignVCenter, m_fill.name);

    const QRectF track(kNameWidth, (height() - kBarHeight) / 2.0, std::max(20, width() - kNameWidth - kTextWidth - 8),
                       kBarHeight);
    drawBar(painter, track, m_theme.color(Token::Grid));
    if (m_fill.perSlot > 0 && m_fill.capacity > 0) {
        const double scale = track.width() / static_cast<double>(m_fill.capacity);
        const double slot = static_cast<double>(m_fill.perSlot) * scale;
        const auto part = [&](double from, double to) {
            return QRectF(track.left() + from, track.top(), std::max(2.0, to - from), track.height());
        };
        if (isOver()) {
            // To scale there is no room for what is beyond: the bar ends at the capacity, the rest is red.
            const double within =
                track.width() * static_cast<double>(m_fill.capacity) / static_cast<double>(m_fill.perSlot);
            drawBar(painter, track, m_theme.color(Token::Error));
            drawBar(painter, part(0, within), m_theme.color(m_color));
        } else {
            for (std::int64_t i = 1; i < std::min<std::int64_t>(m_fill.slotCount, 8); ++i) {
                const double from = slot * static_cast<double>(i);
                if (from + slot <= track.width() + 0.5)
                    drawBar(painter, part(from + 1.0, from + slot), softFill(m_theme, m_color), 3.0,
                            m_theme.color(m_color));
            }
            drawBar(painter, part(0, slot), m_theme.color(m_color));
        }
    }
    painter.setFont(Theme::font(FontRole::UiSmall));
    painter.setPen(m_theme.color(isOver() ? Token::Error : Token::Muted));
    painter.drawText(QRect(width() - kTextWidth, 0, kTextWidth, height()), Qt::AlignRight | Qt::AlignVCenter,
                     summary());
}

}  // namespace cubist
