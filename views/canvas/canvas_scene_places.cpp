// SPDX-License-Identifier: GPL-3.0-or-later
// Where new cards go, and how those that are there make room for them.
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/design/edit_ops.h"
#include "views/canvas/canvas_scene.h"
#include "views/canvas/note_item.h"
#include "views/document_model.h"

namespace cubist {
namespace {

constexpr double kGap = 16.0;         ///< between cards, at least
constexpr double kWireLength = 48.0;  ///< of a wire without a label
constexpr double kLabelMargin = 24.0;
constexpr double kLevel = 12.0;  ///< cards whose middles differ less stand in one row

/// A free place for a card at or below `wanted`.
QPointF freeAmong(const std::vector<QRectF>& areas, const QPointF& wanted, const QSizeF& size) {
    QPointF place = geometry::snapped(wanted);
    for (int attempt = 0; attempt < 64; ++attempt) {
        const QRectF area(place, size);
        const auto found = std::find_if(areas.begin(), areas.end(), [&](const QRectF& other) {
            return other.adjusted(-kGap, -kGap, kGap, kGap).intersects(area);
        });
        if (found == areas.end()) break;
        place = geometry::snapped({place.x(), found->bottom() + kGap + geometry::kSnap});
    }
    return place;
}

void setPlace(Design& design, const std::string& id, const QPointF& place) {
    const Position* old = design.layout.find(id);
    Position position = old ? *old : Position{};
    position.x = place.x();
    position.y = place.y();
    design.layout.set(id, std::move(position));
}

double wireLength(const CanvasWire& wire) {
    return wire.label.isEmpty() ? kWireLength : geometry::labelWidth(wire.label) + kLabelMargin;
}

/// Between what a card reads and what reads it.
QPointF besideNeighbours(const CanvasContent& content, std::size_t node,
                         const std::vector<std::optional<QRectF>>& areas, const QSizeF& size) {
    std::optional<QRectF> before, after;
    for (const CanvasWire& wire : content.wires) {
        const auto from = static_cast<std::size_t>(wire.from);
        const auto to = static_cast<std::size_t>(wire.to);
        if (to == node && !before) before = areas[from];
        if (from == node && !after) after = areas[to];
    }
    const auto levelWith = [&](const QRectF& area) { return area.center().y() - size.height() / 2; };
    if (before && after && after->left() - before->right() >= size.width() + 2 * kGap)
        return {(before->right() + after->left() - size.width()) / 2, levelWith(*after)};
    if (after) return {after->left() - kWireLength - size.width(), levelWith(*after)};
    if (before) return {before->right() + kWireLength, levelWith(*before)};
    return {};
}

}  // namespace

QPointF CanvasScene::freePlace(const QPointF& wanted, const QSizeF& size) const {
    std::vector<QRectF> areas;
    for (const NodeItem* node : m_nodes) areas.push_back(node->area());
    return freeAmong(areas, wanted, size);
}

CanvasScene::WireRoom CanvasScene::roomOnWire(int wire, const QSizeF& card, const QPointF& centre) const {
    const CanvasWire& crossed = m_content.wires[static_cast<std::size_t>(wire)];
    const QRectF from = m_nodes[static_cast<std::size_t>(crossed.from)]->area();
    const QRectF to = m_nodes[static_cast<std::size_t>(crossed.to)]->area();
    const QPointF corner = centre - QPointF(card.width() / 2, card.height() / 2);
    WireRoom room;
    if (to.left() < from.right()) {
        // A wire that runs back: there is no way to make it longer.
        room.place = freePlace(corner, card);
        return room;
    }
    const double length = wireLength(crossed);
    const double missing = card.width() + 2 * length - (to.left() - from.right());
    room.width = std::max(0.0, std::ceil(missing / geometry::kSnap) * geometry::kSnap);
    if (room.width > 0.0) room.moves = givingWay(crossed.to, room.width);
    const double least = from.right() + length;
    const double most = std::max(least, to.left() + room.width - length - card.width());
    const bool level = std::abs(from.center().y() - to.center().y()) < kLevel;
    const QPointF wanted(std::clamp(corner.x(), least, most),
                         level ? from.center().y() - card.height() / 2 : corner.y());
    std::vector<QRectF> areas;
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        if (isDragging() && m_nodes[i]->isSelected()) continue;
        areas.push_back(m_nodes[i]->area().translated(!room.moves.empty() && room.moves[i] ? room.width : 0.0, 0.0));
    }
    room.place = freeAmong(areas, wanted, card);
    return room;
}

std::vector<bool> CanvasScene::givingWay(int reader, double width) const {
    std::vector<bool> moves(m_nodes.size(), false);
    const double from = m_nodes[static_cast<std::size_t>(reader)]->area().left();
    std::vector<std::size_t> open{static_cast<std::size_t>(reader)};
    moves[open.front()] = true;
    const auto add = [&](std::size_t node) {
        if (moves[node] || m_nodes[node]->area().left() < from) return;
        moves[node] = true;
        open.push_back(node);
    };
    while (!open.empty()) {
        const std::size_t node = open.back();
        open.pop_back();
        const QRectF before = m_nodes[node]->area();
        const QRectF after = before.translated(width, 0.0).adjusted(-kGap, -kGap, kGap, kGap);
        for (const CanvasWire& wire : m_content.wires)
            if (static_cast<std::size_t>(wire.from) == node) add(static_cast<std::size_t>(wire.to));
        for (std::size_t other = 0; other < m_nodes.size(); ++other)
            if (after.intersects(m_nodes[other]->area()) && !before.intersects(m_nodes[other]->area())) add(other);
    }
    return moves;
}

Design CanvasScene::withRoom(Design edited, const WireRoom& room) const {
    if (room.width <= 0.0) return edited;
    std::vector<QRectF> covered;
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        if (room.moves[i]) {
            setPlace(edited, m_nodes[i]->element().id, m_nodes[i]->pos() + QPointF(room.width, 0.0));
            covered.push_back(m_nodes[i]->area().translated(room.width, 0.0));
        }
    for (const FrameItem* frame : m_frames) {
        const Position* stored = edited.layout.find(frame->element().id);
        if (!stored) continue;
        const std::vector<NodeItem*> inside = nodesIn(*frame);
        const auto moved = std::count_if(inside.begin(), inside.end(), [&](const NodeItem* node) {
            return room
                .moves[static_cast<std::size_t>(std::find(m_nodes.begin(), m_nodes.end(), node) - m_nodes.begin())];
        });
        if (moved == 0) continue;
        Position place = *stored;
        if (static_cast<std::size_t>(moved) == inside.size())
            place.x += room.width;
        else if (place.width > 0.0)
            place.width += room.width;
        edited.layout.set(frame->element().id, std::move(place));
    }
    for (const NoteItem* note : m_notes) {
        const QRectF area = note->sceneBoundingRect();
        const bool hidden = std::any_of(covered.begin(), covered.end(), [&](const QRectF& card) {
            return card.intersects(area) && !card.translated(-room.width, 0.0).intersects(area);
        });
        if (hidden && note->index() < edited.canvasNotes.size()) edited.canvasNotes[note->index()].x += room.width;
    }
    return edited;
}

Design CanvasScene::pinned(Design edited, const std::vector<std::pair<std::string, QPointF>>& placed) const {
    for (const auto& [id, place] : placed) setPlace(edited, id, place);
    // A loop that lost its body stays where its frame is.
    for (const FrameItem* frame : m_frames) {
        const Block* block = findBlock(edited, frame->element().block());
        const auto* loop = block ? std::get_if<Loop>(&block->content) : nullptr;
        if (loop == nullptr || !loop->body.empty() || edited.layout.find(loop->id.text)) continue;
        const std::size_t index =
            static_cast<std::size_t>(std::find(m_frames.begin(), m_frames.end(), frame) - m_frames.begin());
        const QRectF rect = index < m_startFrames.size() ? m_startFrames[index] : frame->picture().rect;
        edited.layout.set(loop->id.text, Position{rect.x(), rect.y(), rect.width(), rect.height(), {}});
    }
    // Where would the automatic layout put what has no place of its own now?
    const CanvasContent content = buildCanvasContent(edited, nullptr, nullptr, {}, {});
    std::vector<geometry::NodePicture> pictures;
    for (const CanvasNode& node : content.nodes) pictures.push_back(geometry::nodePicture(node));
    const CanvasLayout layout = autoLayout(content, pictures);
    std::unordered_set<std::string> stored;
    for (const auto& entry : edited.layout.entries) stored.insert(entry.key);
    std::unordered_map<std::string, const NodeItem*> shown;
    for (const NodeItem* node : m_nodes) shown.emplace(node->element().id, node);
    for (std::size_t i = 0; i < content.nodes.size(); ++i) {
        const Element& element = content.nodes[i].element;
        const auto found = shown.find(element.id);
        if (found == shown.end() || found->second->element() != element || stored.contains(element.id)) continue;
        const QPointF place = found->second->pos();
        if (place == layout.places[i]) continue;
        edited.layout.entries.push_back({element.id, Position{place.x(), place.y(), 0.0, 0.0, {}}});
        stored.insert(element.id);
    }
    std::unordered_set<std::string> known;
    for (const NodeItem* node : m_nodes) known.insert(node->element().id);
    placeNew(edited, content, layout, known);
    return edited;
}

void CanvasScene::keepPlaces(std::vector<Placement>& keep) const {
    if (m_dragging || m_layout.places.size() != m_nodes.size()) return;
    std::unordered_map<std::string, QRectF> before;
    for (const Lay& lay : m_before) before.emplace(lay.element.id, lay.area);
    // An element of another name in the place of one that went was renamed.
    if (m_before.size() == m_nodes.size())
        for (std::size_t i = 0; i < m_nodes.size(); ++i)
            if (m_before[i].kind == m_content.nodes[i].kind && m_before[i].element.kind == m_nodes[i]->element().kind)
                before.try_emplace(m_nodes[i]->element().id, m_before[i].area);
    std::unordered_set<std::string> stored;
    for (const auto& entry : m_document.design()->layout.entries) stored.insert(entry.key);
    bool news = false;
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        const std::string& id = m_nodes[i]->element().id;
        if (stored.contains(id)) continue;
        const auto lay = before.find(id);
        if (lay == before.end()) {
            news = true;
            continue;
        }
        // The port of an input is at its right end: that is what stays when its text becomes longer.
        QPointF place = lay->second.topLeft();
        if (m_content.nodes[i].kind == NodeKind::Input) place.rx() += lay->second.width() - m_nodes[i]->area().width();
        if (place != m_layout.places[i]) keep.push_back({id, place.x(), place.y()});
    }
    if (!news || m_before.empty()) return;
    Design placed = *m_document.design();
    for (const Placement& place : keep) setPlace(placed, place.id, {place.x, place.y});
    const std::size_t known = placed.layout.entries.size();
    std::unordered_set<std::string> shown;
    for (const auto& entry : before) shown.insert(entry.first);
    placeNew(placed, m_content, m_layout, shown);
    for (std::size_t i = known; i < placed.layout.entries.size(); ++i) {
        const auto& [id, place] = placed.layout.entries[i];
        keep.push_back({id, place.x, place.y});
    }
}

void CanvasScene::placeNew(Design& edited, const CanvasContent& content, const CanvasLayout& layout,
                           const std::unordered_set<std::string>& shown) const {
    std::vector<std::optional<QRectF>> areas(content.nodes.size());
    std::vector<QRectF> taken;
    std::vector<std::size_t> unplaced;
    std::unordered_map<std::string, QPointF> stored;
    for (const auto& [id, place] : edited.layout.entries) stored.emplace(id, QPointF(place.x, place.y));
    for (std::size_t i = 0; i < content.nodes.size(); ++i) {
        const std::string& id = content.nodes[i].element.id;
        const auto found = stored.find(id);
        if (found == stored.end() && !shown.contains(id)) {
            unplaced.push_back(i);
            continue;
        }
        const QPointF place = found != stored.end() ? found->second : layout.places[i];
        areas[i] = QRectF(place, geometry::nodeSize(content.nodes[i]));
        taken.push_back(*areas[i]);
    }
    for (const std::size_t node : unplaced) {
        const QSizeF size = geometry::nodeSize(content.nodes[node]);
        // The automatic place is good while the neighbours stand on theirs and nobody stands there.
        bool fits = freeAmong(taken, layout.places[node], size) == geometry::snapped(layout.places[node]);
        for (const CanvasWire& wire : content.wires)
            for (const int end : {wire.from, wire.to}) {
                const auto other = static_cast<std::size_t>(end);
                const bool isNeighbour = wire.from == static_cast<int>(node) || wire.to == static_cast<int>(node);
                if (isNeighbour && areas[other]) fits = fits && areas[other]->topLeft() == layout.places[other];
            }
        if (fits) {
            areas[node] = QRectF(layout.places[node], size);
        } else {
            const QPointF place = freeAmong(taken, besideNeighbours(content, node, areas, size), size);
            areas[node] = QRectF(place, size);
            setPlace(edited, content.nodes[node].element.id, place);
        }
        taken.push_back(*areas[node]);
    }
}

}  // namespace cubist
