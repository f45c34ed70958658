// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QGraphicsScene>
#include <QHash>

#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "core/base/result.h"
#include "views/canvas/auto_layout.h"
#include "views/canvas/canvas_content.h"
#include "views/canvas/canvas_items.h"
#include "views/canvas/connection_rules.h"
#include "views/canvas/item_painter.h"

namespace cubist {

class DocumentModel;
class NoteItem;
class SelectionModel;
struct Placement;

/// The design as items. After a change of the document the new content is compared with the old: items keep their
/// identity by element id, and only what changed is measured and laid out again.
class CanvasScene : public QGraphicsScene {
    Q_OBJECT

public:
    CanvasScene(DocumentModel& document, SelectionModel& selection, const Theme& theme, QObject* parent = nullptr);
    ~CanvasScene() override;

    void setStageTimes(const StageTimes& times);
    /// What the cards' colour says, and the errors for that.
    void setHeat(HeatMode mode);
    [[nodiscard]] HeatMode heat() const { return m_heat; }
    void setStageErrors(const StageHeats& errors);

    [[nodiscard]] const CanvasContent& content() const { return m_content; }
    /// What is drawn, without free room around it; empty when there is nothing.
    [[nodiscard]] QRectF contentRect() const;
    /// Nothing is on the canvas, not even a note.
    [[nodiscard]] bool isBlank() const { return m_nodes.empty() && m_frames.empty() && m_notes.empty(); }
    [[nodiscard]] const std::vector<NodeItem*>& nodeItems() const { return m_nodes; }
    [[nodiscard]] const std::vector<FrameItem*>& frameItems() const { return m_frames; }
    [[nodiscard]] ElementItem* item(const Element& element) const;
    [[nodiscard]] const ItemPainter& painter() const { return m_painter; }
    [[nodiscard]] const std::vector<NoteItem*>& noteItems() const { return m_notes; }
    [[nodiscard]] DocumentModel& document() { return m_document; }
    [[nodiscard]] const Theme& theme() const { return m_theme; }
    /// What is known about the design's values, finished or not.
    [[nodiscard]] const KnownDesign& known();

    /// A port: of an input, or the output (-1).
    struct PortHit {
        NodeItem* node = nullptr;
        int input = -1;
    };
    /// The nearest port within reach (scene units).
    [[nodiscard]] std::optional<PortHit> portAt(const QPointF& point, double reach) const;
    [[nodiscard]] NodeItem* nodeAt(const QPointF& point) const;
    /// The innermost loop frame around a point.
    [[nodiscard]] FrameItem* frameAt(const QPointF& point) const;
    /// Index of the nearest wire within reach; -1: none.
    [[nodiscard]] int wireAt(const QPointF& point, double reach) const;
    /// Wires that a stroke crosses.
    [[nodiscard]] std::vector<int> wiresAcross(const QPolygonF& stroke) const;
    [[nodiscard]] const WireItem& wireItem(int wire) const { return *m_wires[static_cast<std::size_t>(wire)]; }
    [[nodiscard]] WireSource sourceOf(const NodeItem& node) const;
    /// The same with the value that the wire carries, which may be one in between of the stage.
    [[nodiscard]] WireSource sourceOfWire(int wire) const;
    [[nodiscard]] WireTarget targetOf(const NodeItem& node, int input) const;
    /// The reader's end of a wire; of a wire to a tensor: the store.
    [[nodiscard]] WireTarget targetOfWire(int wire) const;

    [[nodiscard]] std::vector<Element> selectedElements() const;
    [[nodiscard]] std::vector<int> selectedWires() const;
    [[nodiscard]] std::vector<std::size_t> selectedNotes() const;
    void selectElements(const std::vector<Element>& elements);
    void selectAll();

    /// An edited design in which everything that is on the canvas now keeps its place although new elements came, and
    /// those stand where they are put (a taken place moves down).
    [[nodiscard]] Design pinned(Design edited, const std::vector<std::pair<std::string, QPointF>>& placed) const;
    /// A free place for a card, at or below `wanted`.
    [[nodiscard]] QPointF freePlace(const QPointF& wanted, const QSizeF& size) const;
    /// Where a card goes that is put onto a wire, and how far what comes behind the wire must give way.
    struct WireRoom {
        QPointF place;
        std::vector<bool> moves;  ///< by node: what the value flows on to, and what those would cover
        double width = 0.0;
    };
    [[nodiscard]] WireRoom roomOnWire(int wire, const QSizeF& card, const QPointF& centre) const;
    /// Moves what gives way to the right, and the frames whose content goes with it; frames around grow. Nothing
    /// overlaps afterwards that did not before, and all else stays where it is.
    [[nodiscard]] Design withRoom(Design edited, const WireRoom& room) const;

    /// Selects the element after (before) the selected one in reading order.
    void selectNext(bool forward);
    /// Selects the nearest element in a direction: (1, 0) is right, (0, -1) up.
    void selectToward(const QPointF& direction);
    /// Moves everything selected; steps that follow each other are one undo step.
    void nudgeSelection(const QPointF& distance);
    /// Forgets all stored places.
    void tidy();

    /// Whether what is moved lands on the grid; else on whole units.
    [[nodiscard]] bool snapping() const { return m_snapping; }
    void setSnapping(bool on) { m_snapping = on; }
    [[nodiscard]] QPointF snapped(const QPointF& point) const;

    [[nodiscard]] bool isDragging() const { return m_dragging; }
    /// `copies`: what is dragged stays, and copies of it go where the drag ends.
    void beginDrag(bool copies = false);
    /// Makes the drag an edit.
    void endDrag();
    /// Puts everything back.
    void cancelDrag();

    void nodeMoved(const NodeItem& node);
    void moveContentOf(const FrameItem& frame, const QPointF& distance);
    /// Gives a frame room down to a corner: a preview, and then the edit.
    void stretchFrame(const FrameItem& frame, const QPointF& corner);
    void endStretch(const FrameItem& frame);
    void openGroups(const FrameItem& frame);
    void updateWiresOf(const ElementItem& item);
    void showProblems(const Element& element);

signals:
    /// Items came, went, moved or look different.
    void contentChanged();
    /// What letting go now would do beside moving, or why it cannot; empty: just moving.
    void dragHintChanged(const QString& text, bool possible);
    /// Copies of what is selected are wanted that far away.
    void duplicateRequested(const QPointF& distance);
    /// The badge of a group list was pressed.
    void groupsRequested(const QString& list);

private:
    void rebuild();
    /// Only places and notes are other ones: cards stay as they are.
    void updatePlaces();
    /// `sameDesign`: only what is computed of it changed.
    void updateItems(const CanvasContent& old, bool sameDesign);
    void placeItems();
    /// By node: what must give way when the reader of a wire goes to the right by `width`.
    [[nodiscard]] std::vector<bool> givingWay(int reader, double width) const;
    void updateFrames();
    void updateNotes();
    void updateDrop();
    [[nodiscard]] int dropFrameAt(const QPointF& point) const;
    [[nodiscard]] int frameOf(std::size_t node) const;
    /// Gives those that came and have no place yet one beside what they are connected to.
    void placeNew(Design& edited, const CanvasContent& content, const CanvasLayout& layout,
                  const std::unordered_set<std::string>& shown) const;
    /// Where cards lay before the newest edit and would not any more, and where new ones go.
    void keepPlaces(std::vector<Placement>& keep) const;
    [[nodiscard]] Result<Design> dropped(const Design& design) const;
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
    const Theme& m_theme;
    ItemPainter m_painter;
    StageTimes m_times;
    StageHeats m_errors;
    HeatMode m_heat = HeatMode::Off;
    std::unique_ptr<KnownDesign> m_known;

    /// A card as it lay before the newest change of the content.
    struct Lay {
        Element element;
        NodeKind kind;
        QRectF area;
    };

    CanvasContent m_content;
    CanvasLayout m_layout;
    std::shared_ptr<const Design> m_shown;  ///< what m_content shows
    std::vector<Lay> m_before;
    std::vector<NodeItem*> m_nodes;     ///< as in m_content
    std::vector<FrameItem*> m_frames;   ///< as in m_content
    std::vector<WireItem*> m_wires;     ///< as in m_content
    std::vector<NoteItem*> m_notes;     ///< as in the design
    std::vector<QRectF> m_startFrames;  ///< frames when the drag began
    std::vector<BlockId> m_dragged;     ///< stages that may change their loop by the drag; empty: none may
    std::vector<std::size_t> m_draggedNodes;
    int m_homeFrame = -1;
    int m_dropFrame = -1;
    int m_dropWire = -1;
    bool m_dragging = false;
    bool m_copying = false;
    bool m_snapping = true;
    bool m_placing = false;
    bool m_syncing = false;
};

}  // namespace cubist
