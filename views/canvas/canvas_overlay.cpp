// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/canvas_overlay.h"

#include <QPainter>

#include <utility>

namespace cubist {
namespace {

constexpr double kMarkRadius = 6.5;
constexpr double kMargin = 12.0;
constexpr double kOverlayZ = 100.0;

}  // namespace

CanvasOverlay::CanvasOverlay(const Theme& theme) : m_theme(theme) {
    setZValue(kOverlayZ);
    setAcceptedMouseButtons(Qt::NoButton);
}

void CanvasOverlay::show(Picture picture) {
    prepareGeometryChange();
    m_picture = std::move(picture);
    m_bounds = m_picture.line.controlPointRect();
    for (const Mark& mark : m_picture.marks) m_bounds |= QRectF(mark.at, QSizeF(1.0, 1.0));
    for (const QPainterPath& path : m_picture.highlighted) m_bounds |= path.controlPointRect();
    if (m_picture.outline) m_bounds |= *m_picture.outline;
    m_bounds.adjust(-kMargin, -kMargin, kMargin, kMargin);
    update();
}

void CanvasOverlay::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
    painter->setRenderHint(QPainter::Antialiasing);
    if (m_picture.outline) {
        QColor fill = m_theme.color(m_picture.outlineToken);
        painter->setPen(QPen(fill, 2.0));
        fill.setAlphaF(0.08F);
        painter->setBrush(fill);
        painter->drawRoundedRect(*m_picture.outline, Theme::kRadius, Theme::kRadius);
    }
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(m_theme.color(m_picture.highlightToken), 3.0, Qt::SolidLine, Qt::RoundCap));
    for (const QPainterPath& path : m_picture.highlighted) painter->drawPath(path);
    for (const Mark& mark : m_picture.marks) {
        const QColor color = m_theme.color(mark.token);
        painter->setPen(QPen(color, 2.0));
        painter->setBrush(mark.filled ? QBrush(color) : QBrush(m_theme.color(Token::Surface)));
        painter->drawEllipse(mark.at, kMarkRadius, kMarkRadius);
        if (mark.filled) continue;
        // A bar through the ring says "no" without its colour.
        painter->drawLine(mark.at + QPointF(-4.0, 4.0), mark.at + QPointF(4.0, -4.0));
    }
    QPen pen(m_theme.color(m_picture.lineToken), 2.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
    if (m_picture.dashed) pen.setDashPattern({3.0, 3.0});
    painter->setPen(pen);
    painter->setBrush(Qt::NoBrush);
    painter->drawPath(m_picture.line);
}

}  // namespace cubist
