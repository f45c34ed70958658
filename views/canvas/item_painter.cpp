// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/item_painter.h"

#include <QPainter>
#include <QStyleOptionGraphicsItem>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "views/canvas/heat_color.h"
#include "views/canvas/node_token.h"
#include "views/widgets/painting.h"

namespace cubist {

using geometry::FramePicture;
using geometry::NodePicture;
using geometry::TextRun;
using geometry::WirePicture;

namespace {

constexpr std::size_t kMostPorts = 24;  ///< of a card whose body is kept
constexpr int kHeatSteps = 255;
constexpr double kHairline = 1.15;  ///< px

double scaleOf(const QPainter& painter) {
    return QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter.worldTransform());
}

bool isMovement(NodeKind kind) {
    return kind == NodeKind::Slice || kind == NodeKind::Store;
}

Token softOf(NodeKind kind) {
    return kind == NodeKind::Cube ? Token::CubeSoft : Token::VectorSoft;
}

Token colorOf(Severity severity) {
    switch (severity) {
        case Severity::Error: return Token::Error;
        case Severity::Warning: return Token::Warn;
        case Severity::Hint: return Token::Accent;
    }
    return Token::Accent;
}

/// Where something is written to: an arrow instead of a port's dot.
QPolygonF arrowAt(const QPointF& tip) {
    return QPolygonF{{tip + QPointF(1.0, 0.0), tip + QPointF(-8.0, -4.5), tip + QPointF(-8.0, 4.5)}};
}

/// A rectangle whose upper corners are round and whose lower ones are not.
QPainterPath headerPath(const QRectF& rect, double radius) {
    QPainterPath path;
    path.moveTo(rect.bottomLeft());
    path.lineTo(rect.left(), rect.top() + radius);
    path.quadTo(rect.topLeft(), QPointF(rect.left() + radius, rect.top()));
    path.lineTo(rect.right() - radius, rect.top());
    path.quadTo(rect.topRight(), QPointF(rect.right(), rect.top() + radius));
    path.lineTo(rect.bottomRight());
    path.closeSubpath();
    return path;
}

int heatStep(double heat) {
    return static_cast<int>(std::lround(heat * kHeatSteps));
}

BodyCache::Key keyOf(const NodePicture& picture, const ItemState& state) {
    BodyCache::Key key;
    key.kind = static_cast<int>(picture.kind);
    key.width = static_cast<int>(std::ceil(picture.size.width()));
    key.height = static_cast<int>(std::ceil(picture.size.height()));
    key.ports = static_cast<int>(picture.inputs.size());
    for (std::size_t i = 0; i < picture.open.size() && i < kMostPorts; ++i)
        if (picture.open[i]) key.open |= 1U << i;
    key.output = picture.output.has_value();
    key.selected = state.selected;
    key.hovered = state.hovered;
    key.focused = state.selected && state.focused;
    key.heat = picture.heat ? heatStep(*picture.heat) : -1;
    key.heatOfErrors = picture.heatMode == HeatMode::Error;
    return key;
}

}  // namespace

void ItemPainter::paint(QPainter& painter, const NodePicture& picture, const ItemState& state) const {
    const double scale = scaleOf(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    const auto paintInto = [&](QPainter& target) { paintBody(target, picture, state, scale); };
    if (picture.inputs.size() > kMostPorts || !m_bodies.draw(painter, keyOf(picture, state), paintInto))
        paintInto(painter);
    painter.setPen(Qt::NoPen);
    if (isStage(picture.kind)) paintFigures(painter, picture, scale);
    if (scale >= kTextScale) paintTexts(painter, picture, scale);
    if (!picture.noteMark.isEmpty()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.color(Token::Warn));
        painter.drawRoundedRect(picture.noteMark, 2.0, 2.0);
    }
    paintFindings(painter, picture.findingBadge, picture.findingText, picture.worst);
}

void ItemPainter::paintBody(QPainter& painter, const NodePicture& picture, const ItemState& state, double scale) const {
    const QRectF rect(QPointF(), picture.size);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(0, 0, 0, m_theme.isDark() ? 60 : 14));
    painter.drawRoundedRect(rect.adjusted(0.0, 1.5, 0.0, 2.0), picture.radius, picture.radius);
    painter.setBrush(m_theme.color(isMovement(picture.kind) ? Token::MoveSoft : Token::Surface));
    painter.drawRoundedRect(rect, picture.radius, picture.radius);
    if (isStage(picture.kind)) paintHeader(painter, picture, scale);
    paintOutline(painter, rect, picture.radius, state, isMovement(picture.kind) ? Token::Move : Token::Border);
    paintPorts(painter, picture);
}

void ItemPainter::paintPorts(QPainter& painter, const NodePicture& picture) const {
    const QColor ink = m_theme.color(Token::Muted);
    painter.setPen(QPen(ink, 1.5));
    if (picture.output) {
        painter.setBrush(m_theme.color(Token::Surface));
        painter.drawEllipse(*picture.output, geometry::kPortRadius, geometry::kPortRadius);
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    for (std::size_t i = 0; i < picture.inputs.size(); ++i) {
        const QPointF& port = picture.inputs[i];
        if (picture.kind == NodeKind::Output) {
            painter.drawPolygon(arrowAt(port));
        } else if (i < picture.open.size() && picture.open[i]) {
            // Nothing is connected: a ring in the colour of warnings, with a gap in the middle.
            painter.setPen(QPen(m_theme.color(Token::Warn), 1.8));
            painter.setBrush(m_theme.color(Token::Bg));
            painter.drawEllipse(port, geometry::kPortRadius + 1.0, geometry::kPortRadius + 1.0);
            painter.setPen(Qt::NoPen);
            painter.setBrush(ink);
        } else {
            painter.drawEllipse(port, geometry::kPortRadius, geometry::kPortRadius);
        }
    }
}

void ItemPainter::paintHeader(QPainter& painter, const NodePicture& picture, double scale) const {
    const QColor accent = m_theme.color(tokenOf(picture.kind));
    QColor fill = m_theme.color(softOf(picture.kind));
    if (picture.heat)
        fill = heatColor(m_theme, picture.heatMode, static_cast<double>(heatStep(*picture.heat)) / kHeatSteps);
    painter.setBrush(fill);
    painter.drawPath(headerPath(QRectF(0.0, 0.0, picture.size.width(), geometry::kStageHeader), picture.radius));
    const QRectF kind(10.0, 7.0, 18.0, 18.0);
    painter.setBrush(accent);
    painter.drawRoundedRect(kind, 5.0, 5.0);
    if (scale < kTextScale) return;
    painter.setPen(m_theme.onFill());
    m_glyphs.drawCentred(painter, FontRole::UiStrong, kind,
                         picture.kind == NodeKind::Cube ? QStringLiteral("C") : QStringLiteral("V"));
}

/// Its share of the time and the fullest buffer.
void ItemPainter::paintFigures(QPainter& painter, const NodePicture& picture, double scale) const {
    const QColor accent = m_theme.color(tokenOf(picture.kind));
    if (picture.timeShare > 0.0)
        painter.fillRect(
            QRectF(1.0, geometry::kStageHeader - 2.0, (picture.size.width() - 2.0) * picture.timeShare, 2.0), accent);
    if (picture.bar.isEmpty() || scale < kDetailScale) return;
    const double radius = picture.bar.height() / 2;
    painter.setBrush(m_theme.color(Token::Grid));
    painter.drawRoundedRect(picture.bar, radius, radius);
    QRectF used = picture.bar;
    used.setWidth(std::max(picture.bar.height(), picture.bar.width() * picture.barFill));
    painter.setBrush(picture.barOver ? m_theme.color(Token::Error) : accent);
    if (picture.barFill > 0.0) painter.drawRoundedRect(used, radius, radius);
}

void ItemPainter::paintTexts(QPainter& painter, const NodePicture& picture, double scale) const {
    for (const TextRun& run : picture.texts) {
        if (!run.title && scale < kDetailScale) continue;
        painter.setPen(m_theme.color(run.color));
        m_glyphs.draw(painter, run.font, run.baseline, run.text);
    }
    if (picture.formatBadge.isEmpty() || scale < kDetailScale) return;
    painter.setPen(QPen(m_theme.color(Token::Move), 1.0));
    painter.setBrush(m_theme.color(Token::MoveSoft));
    painter.drawRoundedRect(picture.formatBadge, 4.0, 4.0);
    painter.setFont(m_glyphs.font(FontRole::Badge));
    painter.drawText(picture.formatBadge, Qt::AlignCenter, QStringLiteral("NZ"));
}

void ItemPainter::paintFindings(QPainter& painter, const QRectF& badge, const QString& text, Severity worst) const {
    if (text.isEmpty()) return;
    // A ring in the canvas's colour sets it off from the card's edge.
    painter.setPen(QPen(m_theme.color(Token::Bg), 1.5));
    painter.setBrush(m_theme.color(colorOf(worst)));
    painter.drawEllipse(badge);
    painter.setPen(m_theme.onFill());
    m_glyphs.drawCentred(painter, FontRole::Section, badge, text);
}

void ItemPainter::paintOutline(QPainter& painter, const QRectF& rect, double radius, const ItemState& state,
                               Token quiet) const {
    painter.setBrush(Qt::NoBrush);
    if (state.selected && state.focused) {
        QColor halo = m_theme.color(Token::Select);
        halo.setAlphaF(0.22F);
        painter.setPen(QPen(halo, 4.0));
        painter.drawRoundedRect(rect.adjusted(-2.5, -2.5, 2.5, 2.5), radius + 2.5, radius + 2.5);
    }
    QColor line = m_theme.color(state.selected ? Token::Select : (state.hovered ? Token::Wait : quiet));
    if (!state.selected && !state.hovered && quiet == Token::Move) line.setAlphaF(0.45F);
    painter.setPen(QPen(line, state.selected ? 2.0 : 1.0));
    painter.drawRoundedRect(rect, radius, radius);
}

void ItemPainter::paint(QPainter& painter, const FramePicture& picture, const ItemState& state) const {
    constexpr double kRadius = 12.0;
    painter.setRenderHint(QPainter::Antialiasing);
    QColor fill = m_theme.color(Token::Surface);
    fill.setAlphaF(0.55F);
    QColor line = m_theme.color(state.selected ? Token::Select : Token::Wait);
    if (!state.selected && !state.hovered) line.setAlphaF(0.65F);
    QPen pen(line, state.selected ? 1.6 : 1.2);
    pen.setDashPattern({5.0, 4.0});
    painter.setPen(pen);
    painter.setBrush(fill);
    painter.drawRoundedRect(picture.rect, kRadius, kRadius);

    if (state.hovered || state.selected) {
        // Two strokes in the corner: it can be pulled.
        painter.setPen(QPen(m_theme.color(state.selected ? Token::Select : Token::Wait), 1.6));
        for (const double inset : {4.0, 9.0})
            painter.drawLine(picture.rect.bottomRight() + QPointF(-inset - 5.0, -4.0),
                             picture.rect.bottomRight() + QPointF(-4.0, -inset - 5.0));
    }
}

void ItemPainter::paintLabel(QPainter& painter, const FramePicture& picture, const ItemState& state) const {
    const double scale = scaleOf(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.color(Token::Surface));
    painter.drawRoundedRect(picture.header, picture.header.height() / 2, picture.header.height() / 2);
    paintOutline(painter, picture.header, picture.header.height() / 2, state, Token::Border);
    if (scale >= kTextScale) {
        painter.setFont(m_glyphs.font(FontRole::UiSmall));
        painter.setPen(m_theme.color(Token::Muted));
        painter.drawText(picture.header, Qt::AlignCenter, picture.text);
    }
    if (!picture.groups.isEmpty()) {
        painter.setPen(QPen(m_theme.color(Token::Move), 1.0));
        painter.setBrush(m_theme.color(Token::MoveSoft));
        painter.drawRoundedRect(picture.groups, picture.groups.height() / 2, picture.groups.height() / 2);
        painter.setPen(m_theme.color(Token::Text));
        painter.setFont(m_glyphs.font(FontRole::UiSmall));
        if (scale >= kTextScale) painter.drawText(picture.groups, Qt::AlignCenter, picture.groupsText);
    }
    paintFindings(painter, picture.findingBadge, picture.findingText, picture.worst);
}

void ItemPainter::paint(QPainter& painter, const WirePicture& picture, bool highlighted) const {
    const double scale = scaleOf(painter);
    const QColor ink = m_theme.color(highlighted ? Token::Select : Token::Muted);
    if (scale < kTextScale) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(ink, 0.0));
        painter.drawLine(picture.from, picture.to);
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    QPen pen(ink, highlighted ? 2.0 : 1.6);
    if (pen.widthF() * scale < kHairline) {
        // Below a pixel a line of one pixel looks the same, and costs a fraction.
        pen.setWidthF(1.0);
        pen.setCosmetic(true);
    }
    painter.setPen(pen);
    painter.drawPath(picture.path);
    if (picture.label.isEmpty() || scale < kDetailScale) return;
    painter.fillRect(picture.label, m_theme.color(Token::Bg));
    painter.setPen(m_theme.color(highlighted ? Token::Text : Token::Muted));
    m_glyphs.drawCentred(painter, FontRole::MonoSmall, picture.label, picture.text);
}

}  // namespace cubist
