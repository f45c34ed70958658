// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/canvas_view.h"

#include <QEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QPainter>
#include <QPointingDevice>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

#include "views/canvas/canvas_empty_state.h"
#include "views/canvas/canvas_scene.h"
#include "views/canvas/canvas_tools.h"
#include "views/canvas/chooser.h"
#include "views/canvas/heat_legend.h"
#include "views/canvas/in_place_editor.h"
#include "views/canvas/minimap.h"
#include "views/canvas/zoom_bar.h"
#include "views/document_model.h"
#include "views/selection_model.h"
#include "views/theme.h"

namespace cubist {

namespace {

constexpr int kOverlayMargin = 16;
constexpr int kOverlayGap = 8;
constexpr double kFitMargin = 32.0;       ///< px around the content
constexpr double kPixelsPerNotch = 40.0;  ///< of a wheel that scrolls
constexpr double kDeltaPerNotch = QWheelEvent::DefaultDeltasPerStep;

}  // namespace

CanvasView::CanvasView(DocumentModel& document, SelectionModel& selection, const Theme& theme, QWidget* parent)
    : QGraphicsView(parent),
      m_document(document),
      m_selection(selection),
      m_theme(theme),
      m_canvas(new CanvasScene(document, selection, theme, this)),
      m_zoomBar(new ZoomBar(theme, this)),
      m_heatLegend(new HeatLegend(theme, this)),
      m_minimap(new Minimap(*this, *m_canvas, theme)),
      m_emptyState(new CanvasEmptyState(theme, this)),
      m_startHint(new CanvasStartHint(theme, this)),
      m_editor(new CanvasEditor(*m_canvas, this)),
      m_tools(new CanvasTools(*this, *m_editor)),
      m_chooser(new Chooser(theme, this)),
      m_inPlace(new InPlaceEditor(*m_canvas, this)) {
    setObjectName(QStringLiteral("canvas"));
    setAccessibleName(tr("Canvas"));
    setScene(m_canvas);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTransformationAnchor(NoAnchor);
    setResizeAnchor(AnchorViewCenter);
    setDragMode(RubberBandDrag);
    setRubberBandSelectionMode(Qt::IntersectsItemShape);
    setViewportUpdateMode(SmartViewportUpdate);
    setCacheMode(CacheBackground);
    // Every item sets what it draws with, and its bounds have a margin.
    setOptimizationFlags(DontSavePainterState | DontAdjustForAntialiasing);
    setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing | QPainter::SmoothPixmapTransform);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    setAcceptDrops(true);
    makeTools();

    connect(&document, &DocumentModel::documentReplaced, this, [this] { m_fitPending = true; });
    connect(m_canvas, &CanvasScene::contentChanged, this, &CanvasView::contentChanged);
    connect(m_canvas, &QGraphicsScene::selectionChanged, this, &CanvasView::describeSelection);
    connect(&selection, &SelectionModel::revealRequested, this, &CanvasView::reveal);
    connect(&theme, &Theme::changed, this, [this] {
        resetCachedContent();
        viewport()->update();
    });
    connect(m_zoomBar, &ZoomBar::zoomInRequested, this, &CanvasView::zoomIn);
    connect(m_zoomBar, &ZoomBar::zoomOutRequested, this, &CanvasView::zoomOut);
    connect(m_zoomBar, &ZoomBar::resetRequested, this, &CanvasView::resetZoom);
    connect(m_zoomBar, &ZoomBar::fitRequested, this, &CanvasView::fitAll);
    connect(this, &CanvasView::viewChanged, m_zoomBar, [this] { m_zoomBar->setZoom(zoom()); });
    connect(m_emptyState, &CanvasEmptyState::openSampleRequested, this, &CanvasView::openSampleRequested);
    connect(m_emptyState, &CanvasEmptyState::openFileRequested, this, &CanvasView::openFileRequested);
    connect(m_emptyState, &CanvasEmptyState::newDesignRequested, this, &CanvasView::newDesignRequested);
    connect(m_emptyState, &CanvasEmptyState::emptyDesignRequested, this, &CanvasView::emptyDesignRequested);
    contentChanged();
}

QRectF CanvasView::visibleScene() const {
    return mapToScene(viewport()->rect()).boundingRect();
}

void CanvasView::setStageTimes(const StageTimes& times, const HeatScale& scale) {
    m_canvas->setStageTimes(times);
    m_timeScale = scale;
    showHeatLegend();
}

void CanvasView::contentChanged() {
    const bool empty = !m_document.hasDesign();
    m_emptyState->setVisible(empty);
    m_startHint->setVisible(!empty && m_canvas->isBlank());
    m_zoomBar->setVisible(!empty);
    showHeatLegend();
    describeSelection();
    if (m_fitPending && isVisible()) fitAll();
}

void CanvasView::zoomIn() {
    zoomAt(QRectF(viewport()->rect()).center(), kZoomStep);
}

void CanvasView::zoomOut() {
    zoomAt(QRectF(viewport()->rect()).center(), 1.0 / kZoomStep);
}

void CanvasView::resetZoom() {
    zoomAt(QRectF(viewport()->rect()).center(), 1.0 / zoom());
}

void CanvasView::fitAll() {
    const QRectF content = m_canvas->contentRect();
    if (viewport()->width() <= 0) return;
    if (content.isEmpty()) {
        // An empty canvas stays where it is when the first element comes.
        m_fitPending = m_fitPending && !m_document.hasDesign();
        return;
    }
    m_fitPending = false;
    m_fitted = true;
    // The overlays at the bottom must not cover what is to be seen.
    const double below = m_zoomBar->height() + kOverlayMargin;
    const double width = std::max(1.0, viewport()->width() - 2 * kFitMargin);
    const double height = std::max(1.0, viewport()->height() - kFitMargin - below - kOverlayMargin);
    const double scale = std::clamp(std::min(width / content.width(), height / content.height()), kMinZoom, 1.0);
    setTransform(QTransform::fromScale(scale, scale));
    centerOn(content.center() + QPointF(0.0, (below + kOverlayMargin - kFitMargin) / 2 / scale));
    emit viewChanged();
}

void CanvasView::centreAt(const QPointF& scenePoint) {
    centerOn(scenePoint);
    moved();
}

void CanvasView::reveal(const Element& element) {
    const ElementItem* item = m_canvas->item(element);
    if (!item || visibleScene().contains(item->area())) return;
    ensureVisible(item->area(), kOverlayMargin, kOverlayMargin);
    moved();
}

void CanvasView::revealSelection() {
    QRectF area;
    for (const Element& element : m_canvas->selectedElements())
        if (const ElementItem* item = m_canvas->item(element)) area |= item->area();
    if (area.isEmpty() || visibleScene().contains(area)) return;
    if (area.width() > visibleScene().width() || area.height() > visibleScene().height()) return fitAll();
    ensureVisible(area, kOverlayMargin, kOverlayMargin + m_zoomBar->height());
    moved();
}

void CanvasView::moved() {
    m_fitted = false;
    emit viewChanged();
}

void CanvasView::zoomAt(const QPointF& at, double factor) {
    const double scale = std::clamp(zoom() * factor, kMinZoom, kMaxZoom);
    const QTransform toScene = viewportTransform().inverted();
    const QPointF anchor = toScene.map(at);
    setTransform(QTransform::fromScale(scale, scale));
    const QPointF drift = viewportTransform().map(anchor) - at;
    panBy(-drift);
    moved();
}

void CanvasView::panBy(const QPointF& pixels) {
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - static_cast<int>(std::lround(pixels.x())));
    verticalScrollBar()->setValue(verticalScrollBar()->value() - static_cast<int>(std::lround(pixels.y())));
}

void CanvasView::drawBackground(QPainter* painter, const QRectF& rect) {
    painter->fillRect(rect, m_theme.color(Token::Bg));
    // Dots stay at least 12 px apart.
    double step = geometry::kDotGrid;
    while (step * zoom() < 12.0) step *= 2.0;
    QVector<QPointF> dots;
    for (double x = std::floor(rect.left() / step) * step; x <= rect.right(); x += step)
        for (double y = std::floor(rect.top() / step) * step; y <= rect.bottom(); y += step) dots.append({x, y});
    QColor dot = m_theme.color(Token::Border);
    dot.setAlphaF(0.8F);
    QPen pen(dot, 2.0, Qt::SolidLine, Qt::RoundCap);
    pen.setCosmetic(true);
    painter->setPen(pen);
    painter->drawPoints(dots.constData(), static_cast<int>(dots.size()));
}

bool CanvasView::event(QEvent* event) {
    // Keys that a shortcut of the window could take away.
    if (event->type() == QEvent::ShortcutOverride && takesKey(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    // Tab adds; Shift+Tab, Ctrl+Tab and the pointer leave the canvas.
    if (event->type() == QEvent::KeyPress && m_document.hasDesign()) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Tab && key->modifiers() == Qt::NoModifier) {
            quickAdd();
            return true;
        }
    }
    return QGraphicsView::event(event);
}

bool CanvasView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::NativeGesture) {
        const auto* gesture = static_cast<QNativeGestureEvent*>(event);
        if (gesture->gestureType() == Qt::ZoomNativeGesture) {
            zoomAt(gesture->position(), 1.0 + gesture->value());
            return true;
        }
    }
    return QGraphicsView::viewportEvent(event);
}

void CanvasView::keyPressEvent(QKeyEvent* event) {
    if (handleKey(*event))
        event->accept();
    else
        QGraphicsView::keyPressEvent(event);
}

bool CanvasView::handleKey(const QKeyEvent& event) {
    if (!m_document.hasDesign()) return false;
    const Qt::KeyboardModifiers modifiers = event.modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier);
    if (handleArrow(event) || handleEditKey(event)) return true;
    if (modifiers != Qt::NoModifier && modifiers != Qt::ControlModifier) return false;
    switch (event.key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal: zoomIn(); return true;
        case Qt::Key_Minus: zoomOut(); return true;
        case Qt::Key_0: resetZoom(); return true;
        case Qt::Key_F:
            if (modifiers != Qt::NoModifier) return false;
            fitAll();
            return true;
        case Qt::Key_Space:
            if (!event.isAutoRepeat()) {
                m_spaceHeld = true;
                viewport()->setCursor(Qt::OpenHandCursor);
            }
            return true;
        case Qt::Key_Escape:
            if (m_tools->cancel()) return true;
            if (m_canvas->isDragging())
                m_canvas->cancelDrag();
            else
                m_canvas->clearSelection();
            return true;
        default: return false;
    }
}

bool CanvasView::handleArrow(const QKeyEvent& event) {
    QPointF direction;
    switch (event.key()) {
        case Qt::Key_Left: direction = {-1, 0}; break;
        case Qt::Key_Right: direction = {1, 0}; break;
        case Qt::Key_Up: direction = {0, -1}; break;
        case Qt::Key_Down: direction = {0, 1}; break;
        default: return false;
    }
    const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
    if (modifiers == Qt::AltModifier)
        m_canvas->nudgeSelection(direction * (m_canvas->snapping() ? geometry::kSnap : 1.0));
    else if (modifiers == Qt::NoModifier)
        m_canvas->selectToward(direction);
    else
        return false;
    return true;
}

void CanvasView::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) {
        m_spaceHeld = false;
        if (!m_panning) viewport()->unsetCursor();
    }
    QGraphicsView::keyReleaseEvent(event);
}

void CanvasView::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && m_spaceHeld)) {
        m_panning = true;
        m_panFrom = event->position();
        viewport()->setCursor(Qt::ClosedHandCursor);
        event->accept();
        return;
    }
    if (m_document.hasDesign() && m_tools->press(*event)) {
        event->accept();
        return;
    }
    withExtending(*event, [this](QMouseEvent* extended) { QGraphicsView::mousePressEvent(extended); });
}

void CanvasView::withExtending(QMouseEvent& event, const std::function<void(QMouseEvent*)>& handle) {
    // Shift adds to the selection as Ctrl does.
    if (event.button() != Qt::LeftButton || !event.modifiers().testFlag(Qt::ShiftModifier)) return handle(&event);
    QMouseEvent extending(event.type(), event.position(), event.scenePosition(), event.globalPosition(), event.button(),
                          event.buttons(), event.modifiers() | Qt::ControlModifier, event.pointingDevice());
    handle(&extending);
    event.setAccepted(extending.isAccepted());
}

void CanvasView::mouseMoveEvent(QMouseEvent* event) {
    if (m_panning) {
        panBy(event->position() - m_panFrom);
        m_panFrom = event->position();
        moved();
        return;
    }
    if (m_tools->move(*event)) return;
    if (event->buttons() == Qt::NoButton) m_tools->hover(event->position());
    QGraphicsView::mouseMoveEvent(event);
}

void CanvasView::mouseReleaseEvent(QMouseEvent* event) {
    if (m_panning && (event->button() == Qt::MiddleButton || event->button() == Qt::LeftButton)) {
        m_panning = false;
        if (m_spaceHeld)
            viewport()->setCursor(Qt::OpenHandCursor);
        else
            viewport()->unsetCursor();
        return;
    }
    if (m_tools->release(*event)) return;
    withExtending(*event, [this](QMouseEvent* extended) { QGraphicsView::mouseReleaseEvent(extended); });
}

void CanvasView::wheelEvent(QWheelEvent* event) {
    const bool zoomWanted = event->modifiers().testFlag(Qt::ControlModifier);
    const bool touchpad = event->pointingDevice()->type() == QInputDevice::DeviceType::TouchPad;
    event->accept();
    if (touchpad && !zoomWanted) {
        panBy(event->pixelDelta().isNull() ? QPointF(event->angleDelta()) / 2.0 : QPointF(event->pixelDelta()));
        moved();
    } else if (event->modifiers().testFlag(Qt::ShiftModifier)) {
        const QPoint turn = event->angleDelta();
        panBy(QPointF(turn.x() + turn.y(), 0) * (kPixelsPerNotch / kDeltaPerNotch));
        moved();
    } else {
        zoomAt(event->position(), std::pow(kZoomStep, event->angleDelta().y() / kDeltaPerNotch));
    }
}

void CanvasView::placeOverlays() {
    const QRect area = rect();
    // Where they would cover what is to be seen there is no place for both.
    constexpr QSize kRoomForMinimap(480, 300);
    const bool roomy = area.width() >= kRoomForMinimap.width() && area.height() >= kRoomForMinimap.height();
    m_minimap->setVisible(roomy && m_document.hasDesign());
    m_zoomBar->adjustSize();
    m_zoomBar->move(kOverlayMargin, area.bottom() - kOverlayMargin - m_zoomBar->height());
    m_minimap->move(area.right() - kOverlayMargin - m_minimap->width(),
                    area.bottom() - kOverlayMargin - m_minimap->height());
    // Beside the zoom while there is room, else above it.
    const int right = roomy ? m_minimap->x() : area.right();
    const QPoint beside(m_zoomBar->geometry().right() + kOverlayGap, m_zoomBar->y());
    const QPoint above(kOverlayMargin, m_zoomBar->y() - kOverlayGap - m_heatLegend->height());
    m_heatLegend->move(beside.x() + m_heatLegend->width() + kOverlayGap <= right ? beside : above);
    m_emptyState->setGeometry(area);
    m_startHint->setGeometry(area);
}

void CanvasView::resizeEvent(QResizeEvent* event) {
    QGraphicsView::resizeEvent(event);
    placeOverlays();
    if (m_fitted) fitAll();
    emit viewChanged();
}

void CanvasView::showEvent(QShowEvent* event) {
    QGraphicsView::showEvent(event);
    placeOverlays();
    if (m_fitPending) fitAll();
}

void CanvasView::scrollContentsBy(int dx, int dy) {
    QGraphicsView::scrollContentsBy(dx, dy);
    emit viewChanged();
}

void CanvasView::focusInEvent(QFocusEvent* event) {
    QGraphicsView::focusInEvent(event);
    viewport()->update();
}

void CanvasView::focusOutEvent(QFocusEvent* event) {
    m_spaceHeld = false;
    QGraphicsView::focusOutEvent(event);
    viewport()->update();
}

}  // namespace cubist
