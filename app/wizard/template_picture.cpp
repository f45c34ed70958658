// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/wizard/template_picture.h"

#include <QPainter>
#include <QWheelEvent>

#include <algorithm>

#include "views/canvas/canvas_scene.h"
#include "views/canvas/node_token.h"
#include "views/document_model.h"
#include "views/selection_model.h"
#include "views/theme.h"

namespace cubist {
namespace {

constexpr double kMargin = 24.0;  // scene units around what is drawn

QRectF withMargin(const QRectF& content) {
    return content.adjusted(-kMargin, -kMargin, kMargin, kMargin);
}

/// Maps what is drawn into a picture; a long design may be squeezed along its length, so that its height still shows.
QTransform fitting(const QRectF& content, const QRectF& room) {
    constexpr double kMostSqueeze = 2.5;
    const double across = room.width() / std::max(1.0, content.width());
    const double down = std::min({room.height() / std::max(1.0, content.height()), across * kMostSqueeze, 1.0});
    QTransform map;
    map.translate(room.center().x(), room.center().y());
    map.scale(std::min(across, 1.0), down);
    map.translate(-content.center().x(), -content.center().y());
    return map;
}

void paintSmall(QPainter& painter, const CanvasScene& scene, const Theme& theme, const QRectF& room) {
    const QTransform map = fitting(scene.contentRect(), room);
    painter.setBrush(theme.color(Token::CubeSoft));
    painter.setPen(QPen(theme.color(Token::Border), 1.0, Qt::DashLine));
    for (const FrameItem* frame : scene.frameItems())
        painter.drawRoundedRect(map.mapRect(frame->picture().rect), 4.0, 4.0);
    painter.setPen(QPen(theme.color(Token::Muted), 1.0));
    for (std::size_t i = 0; i < scene.content().wires.size(); ++i) {
        const geometry::WirePicture& wire = scene.wireItem(static_cast<int>(i)).picture();
        painter.drawLine(map.map(wire.from), map.map(wire.to));
    }
    painter.setFont(Theme::font(FontRole::Badge));
    for (const NodeItem* node : scene.nodeItems()) {
        const NodeKind kind = node->content().kind;
        QRectF box = map.mapRect(node->area());
        // Stages can be told apart by their letter, and none is too small to see.
        const QSizeF least = isStage(kind) ? QSizeF(14.0, 14.0) : QSizeF(6.0, 5.0);
        const QSizeF size(std::max(least.width(), box.width()), std::max(least.height(), box.height()));
        box = QRectF(box.center() - QPointF(size.width(), size.height()) / 2.0, size);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.color(tokenOf(kind)));
        painter.drawRoundedRect(box, 2.5, 2.5);
        if (!isStage(kind)) continue;
        painter.setPen(theme.onFill());
        painter.drawText(box, Qt::AlignCenter, kind == NodeKind::Cube ? QStringLiteral("C") : QStringLiteral("V"));
    }
}

}  // namespace

QPixmap pictureOf(const Design& design, const ChipLibrary& chips, const Theme& theme, QSize size, double ratio) {
    DocumentModel document(chips);
    SelectionModel selection;
    const CanvasScene scene(document, selection, theme);
    document.newDesign(design);
    QPixmap picture(size * ratio);
    picture.setDevicePixelRatio(ratio);
    picture.fill(theme.color(Token::Bg));
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    paintSmall(painter, scene, theme, QRectF(QPointF(), QSizeF(size)).adjusted(8, 6, -8, -6));
    return picture;
}

FittedView::FittedView(CanvasScene& scene, const Theme& theme, QWidget* parent)
    : QGraphicsView(&scene, parent), m_scene(scene), m_theme(theme) {
    setInteractive(false);
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    connect(&scene, &CanvasScene::contentChanged, this, &FittedView::fit);
    connect(&theme, &Theme::changed, this, &FittedView::useTheme);
    useTheme();
}

void FittedView::useTheme() {
    setBackgroundBrush(m_theme.color(Token::Bg));
}

void FittedView::resizeEvent(QResizeEvent* event) {
    QGraphicsView::resizeEvent(event);
    fit();
}

void FittedView::wheelEvent(QWheelEvent* event) {
    event->ignore();
}

void FittedView::fit() {
    const QRectF content = m_scene.contentRect();
    if (content.isEmpty()) return;
    // Room in every direction: a view places a small scene rect itself, and differently on every resize.
    setSceneRect(withMargin(content));
    fitInView(withMargin(content), Qt::KeepAspectRatio);
    if (transform().m11() > 1.0) resetTransform();
}

}  // namespace cubist
