// SPDX-License-Identifier: GPL-3.0-or-later
// What happens to places: dragging, dropping into and out of loops and onto wires, frames, nudging.
#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/design/edit_ops.h"
#include "core/design/edit_structure.h"
#include "views/canvas/canvas_scene.h"
#include "views/canvas/loop_moves.h"
#include "views/canvas/note_item.h"
#include "views/document_model.h"
#include "views/selection_model.h"

namespace cubist {
namespace {

/// How far beyond its loop's edge a stage can be dragged before it leaves the loop.
constexpr double kStay = 28.0;
constexpr double kWireReach = 12.0;

}  // namespace

int CanvasScene::frameOf(std::size_t node) const {
    const bool dragged = m_dragging && !m_dragged.empty() && isStage(m_content.nodes[node].kind) &&
                         std::find(m_draggedNodes.begin(), m_draggedNodes.end(), node) != m_draggedNodes.end();
    return dragged ? m_dropFrame : m_content.nodes[node].frame;
}

void CanvasScene::updateFrames() {
    std::vector<geometry::FrameContent> contents(m_frames.size());
    for (std::size_t node = 0; node < m_nodes.size(); ++node) {
        const int frame = frameOf(node);
        if (frame < 0) continue;
        geometry::FrameContent& content = contents[static_cast<std::size_t>(frame)];
        (isStage(m_content.nodes[node].kind) ? content.stages : content.edges).push_back(m_nodes[node]->area());
    }
    // Wires that pass below the cards on their way to one of these are inside, too.
    for (std::size_t wire = 0; wire < m_wires.size(); ++wire) {
        const int frame = m_content.nodes[static_cast<std::size_t>(m_content.wires[wire].to)].frame;
        if (frame < 0 || m_layout.waypoints[wire].empty() || !isRoutedAutomatically(wire)) continue;
        const std::vector<QPointF>& way = m_layout.waypoints[wire];
        std::vector<QPointF>& passing = contents[static_cast<std::size_t>(frame)].passing;
        passing.insert(passing.end(), way.begin(), way.end());
    }
    // Inner loops come after the loops around them: going backwards, they have their frames first.
    for (std::size_t i = m_frames.size(); i-- > 0;) {
        m_frames[i]->setPicture(geometry::framePicture(m_content.frames[i], contents[i]));
        const int parent = m_content.frames[i].parent;
        if (parent >= 0) contents[static_cast<std::size_t>(parent)].stages.push_back(m_frames[i]->area());
    }
}

void CanvasScene::updateNotes() {
    const std::shared_ptr<const Design> design = m_document.design();
    const std::size_t count = design ? design->canvasNotes.size() : 0;
    while (m_notes.size() > count) {
        const std::unique_ptr<NoteItem> last(m_notes.back());
        m_notes.pop_back();  // before it goes: that may ask for what is selected
    }
    while (m_notes.size() < count) {
        m_notes.push_back(new NoteItem(*this, m_notes.size()));
        addItem(m_notes.back());
    }
    for (std::size_t i = 0; i < count; ++i) m_notes[i]->setNote(design->canvasNotes[i]);
}

QPointF CanvasScene::snapped(const QPointF& point) const {
    return m_snapping ? geometry::snapped(point) : QPointF(std::round(point.x()), std::round(point.y()));
}

void CanvasScene::beginDrag(bool copies) {
    m_dragging = true;
    m_copying = copies;
    m_startFrames.clear();
    for (const FrameItem* frame : m_frames) m_startFrames.push_back(frame->picture().rect);
    m_dragged.clear();
    m_draggedNodes.clear();
    m_homeFrame = m_dropFrame = m_dropWire = -1;
    bool oneLoop = true;
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        if (!m_nodes[i]->isSelected()) continue;
        m_draggedNodes.push_back(i);
        if (!isStage(m_content.nodes[i].kind)) continue;
        oneLoop = oneLoop && (m_dragged.empty() || m_content.nodes[i].frame == m_homeFrame);
        m_homeFrame = m_content.nodes[i].frame;
        m_dragged.push_back(m_content.nodes[i].element.block());
    }
    const bool withFrames =
        std::any_of(m_frames.begin(), m_frames.end(), [](auto* frame) { return frame->isSelected(); });
    if (!oneLoop || withFrames || copies) m_dragged.clear();
    m_dropFrame = m_homeFrame;
    if (copies) emit dragHintChanged(tr("Duplicate"), true);
}

int CanvasScene::dropFrameAt(const QPointF& point) const {
    int best = -1;
    for (std::size_t i = 0; i < m_frames.size(); ++i) {
        // The stage's own loops hold it a little longer than others catch it.
        bool own = false;
        for (int up = m_homeFrame; up >= 0; up = m_content.frames[static_cast<std::size_t>(up)].parent)
            own = own || up == static_cast<int>(i);
        const double margin = own ? kStay : 0.0;
        if (m_startFrames[i].adjusted(-margin, -margin, margin, margin).contains(point)) best = static_cast<int>(i);
    }
    return best;
}

Result<Design> CanvasScene::dropped(const Design& design) const {
    if (m_dropWire >= 0) {
        const BlockId stage = m_dragged.front();
        const Block* block = findBlock(design, stage);
        const WireTarget target = targetOfWire(m_dropWire);
        const WireSource source = sourceOfWire(m_dropWire);
        CUBIST_TRY(Design edited, withWire(design, source, {Element(stage), inputPorts(*block).front().key}));
        return withWire(edited, {Element(stage), resultOf(*block)}, target);
    }
    const BlockId target =
        m_dropFrame < 0 ? BlockId() : m_frames[static_cast<std::size_t>(m_dropFrame)]->element().block();
    const Binding* binding = m_document.binding();
    return moveToLoop(design, m_dragged, target, binding ? *binding : Binding());
}

void CanvasScene::updateDrop() {
    if (!m_dragging || m_dragged.empty()) return;
    QRectF area;
    for (const std::size_t node : m_draggedNodes)
        if (isStage(m_content.nodes[node].kind)) area |= m_nodes[node]->area();
    const int frame = dropFrameAt(area.center());
    int wire = -1;
    if (m_dragged.size() == 1 && m_draggedNodes.size() == 1) {
        // Only a stage that is free on both sides goes onto a wire.
        const auto dragged = static_cast<int>(m_draggedNodes.front());
        const CanvasNode& node = m_content.nodes[m_draggedNodes.front()];
        bool connected = !node.inputs.isEmpty() && !node.inputs.front().isEmpty();
        for (const CanvasWire& candidate : m_content.wires) connected = connected || candidate.from == dragged;
        if (!connected && !node.inputs.isEmpty() && node.hasOutput) wire = wireAt(area.center(), kWireReach);
        if (wire >= 0 && m_content.wires[static_cast<std::size_t>(wire)].fromStore) wire = -1;
    }
    if (frame == m_dropFrame && wire == m_dropWire) return;
    m_dropFrame = frame;
    m_dropWire = wire;
    if (m_dropWire < 0 && m_dropFrame == m_homeFrame) {
        emit dragHintChanged({}, true);
        return;
    }
    const Result<Design> edited = dropped(*m_document.design());
    if (!edited) {
        m_dropFrame = m_homeFrame;
        m_dropWire = -1;
        emit dragHintChanged(QString::fromStdString(edited.error().message), false);
        return;
    }
    const auto name = [this](int index) {
        return QString::fromStdString(m_content.frames[static_cast<std::size_t>(index)].element.id);
    };
    if (m_dropWire >= 0)
        emit dragHintChanged(tr("Insert on this wire"), true);
    else if (m_dropFrame >= 0)
        emit dragHintChanged(tr("Into the loop %1, with the slices it needs").arg(name(m_dropFrame)), true);
    else
        emit dragHintChanged(tr("Out of the loop %1, reading whole tensors").arg(name(m_homeFrame)), true);
}

void CanvasScene::moveContentOf(const FrameItem& frame, const QPointF& distance) {
    m_placing = true;
    for (NodeItem* node : nodesIn(frame)) node->setPos(node->pos() + distance);
    m_placing = false;
    for (std::size_t i = 0; i < m_frames.size(); ++i) {
        bool inside = false;
        for (int up = static_cast<int>(i); up >= 0; up = m_content.frames[static_cast<std::size_t>(up)].parent)
            inside = inside || m_frames[static_cast<std::size_t>(up)] == &frame;
        if (inside && !m_content.frames[i].room.isEmpty()) m_content.frames[i].room.translate(distance);
    }
    updateFrames();
    routeWires();
    emit contentChanged();
}

void CanvasScene::stretchFrame(const FrameItem& frame, const QPointF& corner) {
    m_dragging = true;
    for (std::size_t i = 0; i < m_frames.size(); ++i) {
        if (m_frames[i] != &frame) continue;
        const QPointF from = frame.picture().rect.topLeft();
        const QPointF to = snapped(corner);
        m_content.frames[i].room =
            QRectF(from, QSizeF(std::max(64.0, to.x() - from.x()), std::max(64.0, to.y() - from.y())));
    }
    updateFrames();
    emit contentChanged();
}

void CanvasScene::endStretch(const FrameItem& frame) {
    if (!m_dragging) return;
    m_dragging = false;
    m_startFrames.clear();
    Design edited = *m_document.design();
    const QRectF rect = frame.picture().rect;
    const Position* old = edited.layout.find(frame.element().id);
    Position place = old ? *old : Position{};
    place.x = rect.x();
    place.y = rect.y();
    place.width = rect.width();
    place.height = rect.height();
    edited.layout.set(frame.element().id, std::move(place));
    if (!m_document.apply([name = QString::fromStdString(frame.element().id)] { return tr("Resize %1").arg(name); },
                          std::move(edited)))
        rebuild();
}

void CanvasScene::openGroups(const FrameItem& frame) {
    emit groupsRequested(frame.content().list);
}

void CanvasScene::endDrag() {
    if (!m_dragging) return;
    const bool drops = !m_dragged.empty() && (m_dropWire >= 0 || m_dropFrame != m_homeFrame);
    m_dragging = false;
    emit dragHintChanged({}, true);
    if (std::exchange(m_copying, false)) {
        m_startFrames.clear();
        const std::vector<QPointF> places = documentPlaces();
        const QPointF distance = m_draggedNodes.empty()
                                     ? QPointF()
                                     : m_nodes[m_draggedNodes.front()]->pos() - places[m_draggedNodes.front()];
        placeItems();
        if (!distance.isNull()) emit duplicateRequested(distance);
        return;
    }
    if (!drops) {
        m_dragged.clear();
        m_startFrames.clear();
        if (!storePlaces({})) placeItems();
        return;
    }
    std::vector<Placement> moved;
    for (const std::size_t node : m_draggedNodes)
        moved.push_back({m_nodes[node]->element().id, m_nodes[node]->pos().x(), m_nodes[node]->pos().y()});
    Result<Design> edited = *m_document.design();
    if (m_dropWire >= 0) {
        // The stage takes its place between both ends; what is behind makes room.
        const QRectF card = m_nodes[m_draggedNodes.front()]->area();
        const WireRoom room = roomOnWire(m_dropWire, card.size(), card.center());
        edited = withRoom(*std::move(edited), room);
        moved.front().x = room.place.x();
        moved.front().y = room.place.y();
    }
    edited = setPlacements(*edited, moved);
    if (edited) edited = dropped(*edited);
    if (edited) edited = pinned(*edited, {});
    const auto label = [wire = m_dropWire, frame = m_dropFrame] {
        return wire >= 0 ? tr("Insert on a wire") : (frame >= 0 ? tr("Move into a loop") : tr("Move out of a loop"));
    };
    m_dragged.clear();
    m_startFrames.clear();
    m_dropFrame = m_dropWire = -1;
    if (!m_document.apply(label, std::move(edited))) placeItems();
}

void CanvasScene::cancelDrag() {
    if (!m_dragging) return;
    m_dragging = m_copying = false;
    m_dragged.clear();
    m_startFrames.clear();
    if (QGraphicsItem* grabber = mouseGrabberItem()) grabber->ungrabMouse();
    emit dragHintChanged({}, true);
    rebuild();
}

bool CanvasScene::storePlaces(const QString& mergeKey) {
    const std::vector<QPointF> places = documentPlaces();
    std::vector<Placement> moved;
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        const QPointF place = m_nodes[i]->pos();
        if (place != places[i]) moved.push_back({m_nodes[i]->element().id, place.x(), place.y()});
    }
    const std::size_t nodes = moved.size();
    for (const CanvasFrame& frame : m_content.frames) {
        const Position* stored = m_document.design()->layout.find(frame.element.id);
        if (stored && !frame.room.isEmpty() && QPointF(stored->x, stored->y) != frame.room.topLeft())
            moved.push_back({frame.element.id, frame.room.x(), frame.room.y()});
    }
    if (moved.empty()) return false;
    const auto label = [nodes, first = QString::fromStdString(moved.front().id)] {
        return nodes <= 1 ? tr("Move %1").arg(first) : tr("Move %n elements", nullptr, static_cast<int>(nodes));
    };
    return m_document.apply(label, setPlacements(*m_document.design(), moved), mergeKey);
}

void CanvasScene::nudgeSelection(const QPointF& distance) {
    const std::vector<NodeItem*> nodes = selectedNodes();
    if (nodes.empty()) return;
    QString key = QStringLiteral("nudge");
    m_placing = true;
    for (NodeItem* node : nodes) {
        node->setPos(node->pos() + distance);
        key += QLatin1Char(':') + QString::fromStdString(node->element().id);
    }
    m_placing = false;
    storePlaces(key);
}

void CanvasScene::tidy() {
    if (m_document.hasDesign())
        m_document.apply([] { return tr("Arrange automatically"); }, clearPlacements(*m_document.design()));
}

}  // namespace cubist
