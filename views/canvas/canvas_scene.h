// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsScene>
#include <QHash>

#include <vector>

#include "views/canvas/auto_layout.h"
#include "views/canvas/canvas_content.h"
#include "views/canvas/canvas_items.h"
#include "views/canvas/item_painter.h"

namespace cubist {

class DocumentModel;
class SelectionModel;

/// The design as items. After a change of the document the new content is compared with the old: items keep their
/// identity by element id, and only what changed is measured and laid out again.
class CanvasScene : public QGraphicsScene {
    Q_OBJECT

public:
    CanvasScene(DocumentModel& document, SelectionModel& selection, const Theme& theme, QObject* parent = nullptr);
    ~CanvasScene() override;

    void setStageTimes(const StageTimes& times);

    [[nodiscard]] const CanvasContent& content() const { return m_content; }
    /// What is drawn, without free room around it; empty when there is nothing.
    [[nodiscard]] QRectF contentRect() const;
    [[nodiscard]] const std::vector<NodeItem*>& nodeItems() const { return m_nodes; }
    [[nodiscard]] const std::vector<FrameItem*>& frameItems() const { return m_frames; }
    [[nodiscard]] ElementItem* item(const Element& element) const;
    [[nodiscard]] const ItemPainter& painter() const { return m_painter; }

    /// Selects the element after (before) the selected one in reading order.
    void selectNext(bool forward);
    /// Selects the nearest element in a direction: (1, 0) is right, (0, -1) up.
    void selectToward(const QPointF& direction);
    /// Moves everything selected; steps that follow each other are one undo step.
    void nudgeSelection(const QPointF& distance);
    /// Forgets all stored places.
    void tidy();

    [[nodiscard]] bool isDragging() const { return m_dragging; }
    void beginDrag() { m_dragging = true; }
    /// Makes the drag an edit.
    void endDrag();
    /// Puts everything back.
    void cancelDrag();

    void nodeMoved(const NodeItem& node);
    void moveContentOf(const FrameItem& frame, const QPointF& distance);
    void updateWiresOf(const ElementItem& item);
    void showProblems(const Element& element);

signals:
    /// Items came, went, moved or look different.
    void contentChanged();

private:
    void rebuild();
    void updateItems(const CanvasContent& old);
    void placeItems();
    void updateFrames();
    void routeWires();
    void routeWire(std::size_t wire);
    [[nodiscard]] bool isRoutedAutomatically(std::size_t wire) const;
    void syncFromModel();
    void syncToModel();
    /// Makes the items' places an edit. False when nothing was moved.
    bool storePlaces(const QString& mergeKey);
    [[nodiscard]] std::vector<NodeItem*> selectedNodes() const;
    [[nodiscard]] std::vector<NodeItem*> nodesIn(const FrameItem& frame) const;
    [[nodiscard]] std::vector<ElementItem*> readingOrder() const;
    /// Stored places, else automatic ones; by node.
    [[nodiscard]] std::vector<QPointF> documentPlaces() const;

    DocumentModel& m_document;
    SelectionModel& m_selection;
    ItemPainter m_painter;
    StageTimes m_times;

    CanvasContent m_content;
    CanvasLayout m_layout;
    std::vector<NodeItem*> m_nodes;    ///< as in m_content
    std::vector<FrameItem*> m_frames;  ///< as in m_content
    std::vector<WireItem*> m_wires;    ///< as in m_content
    bool m_dragging = false;
    bool m_placing = false;
    bool m_syncing = false;
};

}  // namespace cubist
