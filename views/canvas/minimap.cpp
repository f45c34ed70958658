// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/minimap.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

#include "views/canvas/canvas_scene.h"
#include "views/canvas/canvas_view.h"
#include "views/canvas/node_token.h"
#include "views/theme.h"

namespace cubist {

namespace {

constexpr QSize kSize(120, 80);
constexpr double kMargin = 8.0;

/// As the cards, but what only comes in or goes out stays in the background.
Token dotOf(NodeKind kind) {
    const Token token = tokenOf(kind);
    return token == Token::Muted ? Token::Wait : token;
}

}  // namespace

Minimap::Minimap(CanvasView& view, const CanvasScene& scene, const Theme& theme)
    : QWidget(&view), m_view(view), m_scene(scene), m_theme(theme) {
    setObjectName(QStringLiteral("minimap"));
    setAccessibleName(tr("Overview of the canvas"));
    setFixedSize(kSize);
    setCursor(Qt::ArrowCursor);
    connect(&scene, &CanvasScene::contentChanged, this, &Minimap::forget);
    connect(&view, &CanvasView::viewChanged, this, qOverload<>(&QWidget::update));
    connect(&theme, &Theme::changed, this, &Minimap::forget);
}

QTransform Minimap::sceneTransform() const {
    const QRectF shown = m_scene.contentRect() | m_view.visibleScene();
    const QRectF area = QRectF(rect()).adjusted(kMargin, kMargin, -kMargin, -kMargin);
    const double scale =
        std::min(area.width() / std::max(1.0, shown.width()), area.height() / std::max(1.0, shown.height()));
    QTransform transform;
    transform.translate(area.center().x(), area.center().y());
    transform.scale(scale, scale);
    transform.translate(-shown.center().x(), -shown.center().y());
    return transform;
}

void Minimap::forget() {
    m_content = {};
    update();
}

QPixmap Minimap::drawnContent(const QTransform& transform) const {
    QPixmap picture((QSizeF(size()) * devicePixelRatioF()).toSize());
    picture.setDevicePixelRatio(devicePixelRatioF());
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.color(Token::CubeSoft));
    for (const FrameItem* frame : m_scene.frameItems())
        painter.drawRoundedRect(transform.mapRect(frame->picture().rect), 3.0, 3.0);
    for (const NodeItem* node : m_scene.nodeItems()) {
        painter.setBrush(m_theme.color(dotOf(node->content().kind)));
        QRectF mark = transform.mapRect(node->area());
        if (mark.height() < 3.0) mark = QRectF(mark.left(), mark.center().y() - 1.5, mark.width(), 3.0);
        painter.drawRoundedRect(mark, 1.5, 1.5);
    }
    return picture;
}

void Minimap::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(m_theme.color(Token::Border));
    painter.setBrush(m_theme.color(Token::Surface));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8.0, 8.0);

    const QTransform transform = sceneTransform();
    if (m_content.isNull() || transform != m_contentTransform || m_content.devicePixelRatio() != devicePixelRatioF()) {
        m_content = drawnContent(transform);
        m_contentTransform = transform;
    }
    painter.drawPixmap(0, 0, m_content);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(m_theme.color(Token::Select));
    painter.drawRoundedRect(transform.mapRect(m_view.visibleScene()), 3.0, 3.0);
}

void Minimap::centreAt(const QPointF& point) {
    m_view.centreAt(sceneTransform().inverted().map(point));
}

void Minimap::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) centreAt(event->position());
}

void Minimap::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons().testFlag(Qt::LeftButton)) centreAt(event->position());
}

}  // namespace cubist
