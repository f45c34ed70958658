// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/buffer_bar.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr int kNameWidth = 46;
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

QRectF BufferBar::track() const {
    return {double(kNameWidth), (height() - kBarHeight) / 2.0,
            double(std::max(20, width() - kNameWidth - kTextWidth - 8)), double(kBarHeight)};
}

void BufferBar::paintSlot(QPainter& painter, const QRectF& slot, bool first) const {
    const QColor strong = m_theme.color(m_color);
    drawBar(painter, slot, first ? strong : softFill(m_theme, m_color), 3.0, first ? QColor() : strong);
    if (m_fill.shares.size() < 2 || slot.width() < 8.0) return;
    // A line between neighbours; every second one a little paler.
    double at = slot.left();
    bool pale = false;
    for (const BufferFill::Share& share : m_fill.shares) {
        const double width = slot.width() * static_cast<double>(share.bytes) / static_cast<double>(m_fill.perSlot);
        const QRectF rect(at, slot.top(), width, slot.height());
        if (pale && first) painter.fillRect(rect.intersected(slot), blend(strong, m_theme.color(Token::Surface), 0.3));
        painter.setPen(QPen(first ? m_theme.color(Token::Surface) : strong, 1.0));
        if (at > slot.left() + 0.5) painter.drawLine(QPointF(at, slot.top() + 1), QPointF(at, slot.bottom() - 1));
        at += width;
        pale = !pale;
    }
}

bool BufferBar::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || m_fill.shares.empty() || m_fill.capacity <= 0) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QRectF bar = track();
    const double x = help->pos().x() - bar.left();
    const double scale = bar.width() / static_cast<double>(std::max(m_fill.capacity, m_fill.perSlot));
    const double slot = static_cast<double>(m_fill.perSlot) * scale;
    if (x < 0 || slot <= 0 || x >= slot * static_cast<double>(m_fill.slotCount)) return QWidget::event(event);
    const auto index = static_cast<std::int64_t>(x / slot);
    double inSlot = x - slot * static_cast<double>(index);
    QString what = m_fill.shares.back().what;
    for (const BufferFill::Share& share : m_fill.shares) {
        const double width = static_cast<double>(share.bytes) * scale;
        if (inSlot < width) {
            what = share.what;
            break;
        }
        inSlot -= width;
    }
    QToolTip::showText(help->globalPos(), tr("Slot %1 of %2\n%3").arg(index + 1).arg(m_fill.slotCount).arg(what), this);
    return true;
}

void BufferBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(Theme::font(FontRole::Mono));
    painter.setPen(m_theme.color(Token::Text));
    painter.drawText(QRect(0, 0, kNameWidth, height()), Qt::AlignLeft | Qt::AlignVCenter, m_fill.name);

    const QRectF track = this->track();
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
                if (from + slot <= track.width() + 0.5) paintSlot(painter, part(from + 1.0, from + slot), false);
            }
            paintSlot(painter, part(0, slot), true);
        }
    }
    painter.setFont(Theme::font(FontRole::UiSmall));
    painter.setPen(m_theme.color(isOver() ? Token::Error : Token::Muted));
    painter.drawText(QRect(width() - kTextWidth, 0, kTextWidth, height()), Qt::AlignRight | Qt::AlignVCenter,
                     summary());
}

}  // namespace cubist
