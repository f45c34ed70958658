// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsItem>
#include <QPolygonF>

#include <vector>

#include "views/canvas/canvas_content.h"
#include "views/canvas/item_geometry.h"
#include "views/canvas/item_painter.h"

namespace cubist {

class CanvasScene;

/// What nodes and frames have in common: an element of the design that can be selected.
class ElementItem : public QGraphicsItem {
public:
    ElementItem(CanvasScene& canvas, const Element& element);

    [[nodiscard]] const Element& element() const { return m_element; }
    /// Where the element is, in scene coordinates.
    [[nodiscard]] virtual QRectF area() const = 0;

protected:
    void hoverEnterEvent(QGraphicsSceneHoverEvent* event) override;
    void hoverLeaveEvent(QGraphicsSceneHoverEvent* event) override;
    QVariant itemChange(GraphicsItemChange change, const QVariant& value) override;
    [[nodiscard]] ItemState state(const QWidget* viewport) const;
    [[nodiscard]] CanvasScene& canvas() const { return m_canvas; }

private:
    CanvasScene& m_canvas;
    Element m_element;
    bool m_hovered = false;
};

/// A tensor, slice, stage or store. Dragging moves all selected nodes; releasing makes it one edit.
class NodeItem : public ElementItem {
public:
    NodeItem(CanvasScene& canvas, const Element& element);

    void setContent(const CanvasNode& node);
    [[nodiscard]] const CanvasNode& content() const { return m_node; }
    [[nodiscard]] const geometry::NodePicture& picture() const { return m_picture; }
    [[nodiscard]] QPointF inputPoint(int port) const;
    [[nodiscard]] QPointF outputPoint() const;

    [[nodiscard]] QRectF area() const override { return {pos(), m_picture.size}; }
    [[nodiscard]] QRectF boundingRect() const override;
    [[nodiscard]] QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* viewport) override;

protected:
    QVariant itemChange(GraphicsItemChange change, const QVariant& value) override;
    void hoverMoveEvent(QGraphicsSceneHoverEvent* event) override;
    void mousePressEvent(QGraphicsSceneMouseEvent* event) override;
    void mouseMoveEvent(QGraphicsSceneMouseEvent* event) override;
    void mouseReleaseEvent(QGraphicsSceneMouseEvent* event) override;

private:
    CanvasNode m_node;
    geometry::NodePicture m_picture;
};

class FrameItem;

/// The pills on a frame's upper edge, drawn above the wires that run through it. The frame's own item takes the mouse.
class FrameLabel : public QGraphicsItem {
public:
    explicit FrameLabel(FrameItem& frame);
    ~FrameLabel() override;

    void pictureChanges() { prepareGeometryChange(); }
    [[nodiscard]] QRectF boundingRect() const override;
    [[nodiscard]] QPainterPath shape() const override { return {}; }
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* viewport) override;

private:
    friend class FrameItem;
    FrameItem* m_frame;
};

/// The frame of a loop; it is taken by its header or border and then moves with everything in it.
class FrameItem : public ElementItem {
public:
    FrameItem(CanvasScene& canvas, const Element& element);
    ~FrameItem() override;

    void setContent(const CanvasFrame& frame, int depth);
    void setPicture(geometry::FramePicture picture);
    [[nodiscard]] const CanvasFrame& content() const { return m_frame; }
    [[nodiscard]] const geometry::FramePicture& picture() const { return m_picture; }

    [[nodiscard]] QRectF area() const override { return m_picture.rect | m_picture.header; }
    [[nodiscard]] QRectF boundingRect() const override;
    [[nodiscard]] QPainterPath shape() const override;
    [[nodiscard]] bool collidesWithPath(const QPainterPath& path, Qt::ItemSelectionMode mode) const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* viewport) override;

protected:
    void hoverEnterEvent(QGraphicsSceneHoverEvent* event) override;
    void hoverLeaveEvent(QGraphicsSceneHoverEvent* event) override;
    void hoverMoveEvent(QGraphicsSceneHoverEvent* event) override;
    void mousePressEvent(QGraphicsSceneMouseEvent* event) override;
    void mouseMoveEvent(QGraphicsSceneMouseEvent* event) override;
    void mouseReleaseEvent(QGraphicsSceneMouseEvent* event) override;
    QVariant itemChange(GraphicsItemChange change, const QVariant& value) override;

private:
    friend class FrameLabel;
    CanvasFrame m_frame;
    geometry::FramePicture m_picture;
    QPointF m_moved;  ///< by the drag so far
    bool m_stretching = false;
    FrameLabel* m_label;
};

/// A wire between two nodes; drawn highlighted when it or one of them is selected.
class WireItem : public QGraphicsItem {
public:
    explicit WireItem(CanvasScene& canvas);

    void connectNodes(const NodeItem& from, const NodeItem& to, const CanvasWire& wire);
    void route(const std::vector<QPointF>& waypoints);
    /// How far a point is from the wire's line.
    [[nodiscard]] double distanceTo(const QPointF& point) const;
    /// Whether the wire's line meets a stroke.
    [[nodiscard]] bool crosses(const QPolygonF& stroke) const;
    [[nodiscard]] const geometry::WirePicture& picture() const { return m_picture; }

    [[nodiscard]] QRectF boundingRect() const override;
    [[nodiscard]] QPainterPath shape() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* viewport) override;

private:
    CanvasScene& m_canvas;
    const NodeItem* m_from = nullptr;
    const NodeItem* m_to = nullptr;
    CanvasWire m_wire;
    std::vector<QPointF> m_points;  ///< that the picture was made for: start, way, end
    geometry::WirePicture m_picture;
};

}  // namespace cubist
