// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/canvas_items.h"

#include <QApplication>
#include <QCursor>
#include <QGraphicsSceneHoverEvent>
#include <QGraphicsSceneMouseEvent>
#include <QGraphicsView>
#include <QLineF>
#include <QWidget>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "views/canvas/canvas_scene.h"

namespace cubist {

namespace {

constexpr double kFrameZ = -20.0;
constexpr double kWireZ = -10.0;
constexpr double kLabelZ = -5.0;
constexpr double kSelectedZ = 1.0;
constexpr double kOutlineMargin = 9.0;  ///< for outline, ports and shadow

bool passedDragDistance(const QGraphicsSceneMouseEvent& event) {
    const QPoint way = event.screenPos() - event.buttonDownScreenPos(Qt::LeftButton);
    return way.manhattanLength() >= QApplication::startDragDistance();
}

}  // namespace

ElementItem::ElementItem(CanvasScene& canvas, const Element& element) : m_canvas(canvas), m_element(element) {
    setFlags(ItemIsSelectable | ItemSendsGeometryChanges);
    setAcceptHoverEvents(true);
    setAcceptedMouseButtons(Qt::LeftButton);
}

void ElementItem::hoverEnterEvent(QGraphicsSceneHoverEvent*) {
    m_hovered = true;
    update();
}

void ElementItem::hoverLeaveEvent(QGraphicsSceneHoverEvent*) {
    m_hovered = false;
    unsetCursor();
    update();
}

QVariant ElementItem::itemChange(GraphicsItemChange change, const QVariant& value) {
    if (change == ItemSelectedHasChanged) m_canvas.updateWiresOf(*this);
    return QGraphicsItem::itemChange(change, value);
}

ItemState ElementItem::state(const QWidget* viewport) const {
    return {isSelected(), m_hovered, viewport && viewport->hasFocus()};
}

NodeItem::NodeItem(CanvasScene& canvas, const Element& element) : ElementItem(canvas, element) {
    setFlag(ItemIsMovable);
}

void NodeItem::setContent(const CanvasNode& node) {
    prepareGeometryChange();
    m_node = node;
    m_picture = geometry::nodePicture(node);
    setToolTip(node.toolTip);
    update();
}

QPointF NodeItem::inputPoint(int port) const {
    const auto index = static_cast<std::size_t>(port);
    return pos() +
           (index < m_picture.inputs.size() ? m_picture.inputs[index] : QPointF(0, m_picture.size.height() / 2));
}

QPointF NodeItem::outputPoint() const {
    return pos() + m_picture.output.value_or(QPointF(m_picture.size.width(), m_picture.size.height() / 2));
}

QRectF NodeItem::boundingRect() const {
    const QRectF rect(QPointF(), m_picture.size);
    return rect.adjusted(-kOutlineMargin, -kOutlineMargin, kOutlineMargin, kOutlineMargin) |
           m_picture.findingBadge.adjusted(-2, -2, 2, 2);
}

QPainterPath NodeItem::shape() const {
    QPainterPath path;
    path.addRoundedRect(QRectF(QPointF(), m_picture.size), m_picture.radius, m_picture.radius);
    if (!m_picture.findingBadge.isEmpty()) path.addEllipse(m_picture.findingBadge);
    path.setFillRule(Qt::WindingFill);
    return path;
}

void NodeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget* viewport) {
    canvas().painter().paint(*painter, m_picture, state(viewport));
}

QVariant NodeItem::itemChange(GraphicsItemChange change, const QVariant& value) {
    if (change == ItemPositionChange && canvas().isDragging()) return canvas().snapped(value.toPointF());
    if (change == ItemPositionHasChanged) canvas().nodeMoved(*this);
    if (change == ItemSelectedHasChanged) setZValue(isSelected() ? kSelectedZ : 0.0);
    return ElementItem::itemChange(change, value);
}

void NodeItem::hoverMoveEvent(QGraphicsSceneHoverEvent* event) {
    const bool badge = geometry::hitTest(m_picture, event->pos()) == geometry::NodePart::FindingBadge;
    if (badge)
        setCursor(Qt::PointingHandCursor);
    else
        unsetCursor();
}

void NodeItem::mousePressEvent(QGraphicsSceneMouseEvent* event) {
    QGraphicsItem::mousePressEvent(event);
    if (geometry::hitTest(m_picture, event->pos()) == geometry::NodePart::FindingBadge)
        canvas().showProblems(element());
}

void NodeItem::mouseMoveEvent(QGraphicsSceneMouseEvent* event) {
    if (!canvas().isDragging()) {
        if (!passedDragDistance(*event)) return;
        const bool copies = event->modifiers() & (Qt::AltModifier | Qt::ControlModifier);
        if (!isSelected()) {  // Ctrl and Shift select on release only
            if (copies) canvas().clearSelection();
            setSelected(true);
        }
        canvas().beginDrag(copies);
    }
    QGraphicsItem::mouseMoveEvent(event);
}

void NodeItem::mouseReleaseEvent(QGraphicsSceneMouseEvent* event) {
    QGraphicsItem::mouseReleaseEvent(event);
    canvas().endDrag();
}

FrameLabel::FrameLabel(FrameItem& frame) : m_frame(&frame) {
    setZValue(kLabelZ);
    setAcceptedMouseButtons(Qt::NoButton);
}

FrameLabel::~FrameLabel() {
    if (m_frame) m_frame->m_label = nullptr;
}

QRectF FrameLabel::boundingRect() const {
    if (!m_frame) return {};
    const geometry::FramePicture& picture = m_frame->picture();
    return (picture.header | picture.groups | picture.findingBadge)
        .adjusted(-kOutlineMargin, -kOutlineMargin, kOutlineMargin, kOutlineMargin);
}

void FrameLabel::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget* viewport) {
    if (m_frame) m_frame->canvas().painter().paintLabel(*painter, m_frame->picture(), m_frame->state(viewport));
}

FrameItem::FrameItem(CanvasScene& canvas, const Element& element)
    : ElementItem(canvas, element), m_label(new FrameLabel(*this)) {
    canvas.addItem(m_label);
}

FrameItem::~FrameItem() {
    if (!m_label) return;
    m_label->m_frame = nullptr;
    delete m_label;
}

void FrameItem::hoverEnterEvent(QGraphicsSceneHoverEvent* event) {
    ElementItem::hoverEnterEvent(event);
    m_label->update();
}

void FrameItem::hoverLeaveEvent(QGraphicsSceneHoverEvent* event) {
    ElementItem::hoverLeaveEvent(event);
    m_label->update();
}

QVariant FrameItem::itemChange(GraphicsItemChange change, const QVariant& value) {
    if (change == ItemSelectedHasChanged && m_label) m_label->update();
    return ElementItem::itemChange(change, value);
}

void FrameItem::setContent(const CanvasFrame& frame, int depth) {
    m_frame = frame;
    setToolTip(frame.toolTip);
    setZValue(kFrameZ + depth * 0.01);
}

void FrameItem::setPicture(geometry::FramePicture picture) {
    prepareGeometryChange();
    m_label->pictureChanges();
    m_picture = std::move(picture);
    update();
    m_label->update();
}

QRectF FrameItem::boundingRect() const {
    return (m_picture.rect | m_picture.header | m_picture.groups | m_picture.findingBadge)
        .adjusted(-kOutlineMargin, -kOutlineMargin, kOutlineMargin, kOutlineMargin);
}

QPainterPath FrameItem::shape() const {
    // Only header and border: a rubber band can begin inside.
    QPainterPath border;
    border.addRoundedRect(m_picture.rect, 12.0, 12.0);
    QPainterPathStroker stroker;
    stroker.setWidth(10.0);
    QPainterPath path = stroker.createStroke(border);
    path.addRoundedRect(m_picture.header, 12.0, 12.0);
    if (!m_picture.groups.isEmpty()) path.addRoundedRect(m_picture.groups, 12.0, 12.0);
    path.addRect(m_picture.grip);
    if (!m_picture.findingBadge.isEmpty()) path.addEllipse(m_picture.findingBadge);
    path.setFillRule(Qt::WindingFill);
    return path;
}

bool FrameItem::collidesWithPath(const QPainterPath& path, Qt::ItemSelectionMode mode) const {
    // A rubber band marks what is in the loop; the loop itself only when it is all in the band.
    const QList<QGraphicsView*> views = canvas().views();
    const bool banding = std::any_of(views.begin(), views.end(),
                                     [](const QGraphicsView* view) { return !view->rubberBandRect().isNull(); });
    return banding ? path.contains(m_picture.rect) : ElementItem::collidesWithPath(path, mode);
}

void FrameItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget* viewport) {
    canvas().painter().paint(*painter, m_picture, state(viewport));
}

void FrameItem::mousePressEvent(QGraphicsSceneMouseEvent* event) {
    QGraphicsItem::mousePressEvent(event);
    m_moved = {};
    const geometry::FramePart part = geometry::hitTest(m_picture, event->pos());
    m_stretching = part == geometry::FramePart::Grip;
    if (part == geometry::FramePart::FindingBadge) canvas().showProblems(element());
    if (part == geometry::FramePart::Groups) canvas().openGroups(*this);
}

void FrameItem::hoverMoveEvent(QGraphicsSceneHoverEvent* event) {
    switch (geometry::hitTest(m_picture, event->pos())) {
        case geometry::FramePart::Groups:
        case geometry::FramePart::FindingBadge: setCursor(Qt::PointingHandCursor); break;
        case geometry::FramePart::Grip: setCursor(Qt::SizeFDiagCursor); break;
        case geometry::FramePart::None:
        case geometry::FramePart::Header:
        case geometry::FramePart::Border: unsetCursor(); break;
    }
}

void FrameItem::mouseMoveEvent(QGraphicsSceneMouseEvent* event) {
    if (!canvas().isDragging()) {
        if (!passedDragDistance(*event)) return;
        canvas().beginDrag();
    }
    if (m_stretching) {
        canvas().stretchFrame(*this, event->scenePos());
        return;
    }
    const QPointF wanted = canvas().snapped(event->scenePos() - event->buttonDownScenePos(Qt::LeftButton));
    const QPointF step = wanted - m_moved;
    if (step.isNull()) return;
    m_moved = wanted;
    canvas().moveContentOf(*this, step);
}

void FrameItem::mouseReleaseEvent(QGraphicsSceneMouseEvent* event) {
    QGraphicsItem::mouseReleaseEvent(event);
    if (std::exchange(m_stretching, false)) canvas().endStretch(*this);
    canvas().endDrag();
}

WireItem::WireItem(CanvasScene& canvas) : m_canvas(canvas) {
    setZValue(kWireZ);
    setFlag(ItemIsSelectable);
    setAcceptedMouseButtons(Qt::LeftButton);
}

void WireItem::connectNodes(const NodeItem& from, const NodeItem& to, const CanvasWire& wire) {
    if (m_from != &from || m_to != &to) m_points.clear();
    m_from = &from;
    m_to = &to;
    if (m_wire == wire) return;
    m_wire = wire;
    setToolTip(wire.toolTip);
}

void WireItem::route(const std::vector<QPointF>& waypoints) {
    std::vector<QPointF> points = waypoints;
    points.insert(points.begin(), m_from->outputPoint());
    points.push_back(m_to->inputPoint(m_wire.toPort));
    if (points == m_points && m_wire.label == m_picture.text) return;
    prepareGeometryChange();
    m_picture = geometry::wirePicture(points.front(), points.back(), waypoints, m_wire.label);
    m_points = std::move(points);
    update();
}

double WireItem::distanceTo(const QPointF& point) const {
    double best = std::numeric_limits<double>::max();
    for (const QPolygonF& line : m_picture.path.toSubpathPolygons())
        for (qsizetype i = 1; i < line.size(); ++i) {
            const QPointF along = line[i] - line[i - 1];
            const double length = QPointF::dotProduct(along, along);
            const double part =
                length > 0.0 ? std::clamp(QPointF::dotProduct(point - line[i - 1], along) / length, 0.0, 1.0) : 0.0;
            const QPointF way = point - (line[i - 1] + along * part);
            best = std::min(best, std::hypot(way.x(), way.y()));
        }
    return best;
}

bool WireItem::crosses(const QPolygonF& stroke) const {
    if (!m_picture.bounds.adjusted(-1, -1, 1, 1).intersects(stroke.boundingRect().adjusted(-1, -1, 1, 1))) return false;
    for (const QPolygonF& line : m_picture.path.toSubpathPolygons())
        for (qsizetype i = 1; i < line.size(); ++i)
            for (qsizetype k = 1; k < stroke.size(); ++k)
                if (QLineF(line[i - 1], line[i]).intersects(QLineF(stroke[k - 1], stroke[k]), nullptr) ==
                    QLineF::BoundedIntersection)
                    return true;
    return false;
}

QRectF WireItem::boundingRect() const {
    return m_picture.bounds;
}

QPainterPath WireItem::shape() const {
    QPainterPathStroker stroker;
    stroker.setWidth(8.0);
    return stroker.createStroke(m_picture.path);
}

void WireItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
    m_canvas.painter().paint(*painter, m_picture, isSelected() || m_from->isSelected() || m_to->isSelected());
}

}  // namespace cubist
