// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/canvas_scene.h"

#include <QSignalBlocker>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/design/edit_ops.h"
#include "views/canvas/note_item.h"
#include "views/document_model.h"
#include "views/selection_model.h"

namespace cubist {

namespace {

/// Far more room than any design takes, so that the view can pan freely.
constexpr double kRoom = 1.0e5;

/// Whether the automatic layout of one content is that of the other.
bool sameLayout(const CanvasContent& a, const CanvasContent& b) {
    const auto sameNode = [](const CanvasNode& x, const CanvasNode& y) {
        return x.element == y.element && x.kind == y.kind && x.frame == y.frame && x.inputs == y.inputs &&
               x.hasOutput == y.hasOutput &&
               (isStage(x.kind) || (x.title == y.title && x.line1 == y.line1 && x.badge == y.badge));
    };
    const auto sameWire = [](const CanvasWire& x, const CanvasWire& y) {
        return x.from == y.from && x.to == y.to && x.toPort == y.toPort && x.label == y.label;
    };
    const auto sameFrame = [](const CanvasFrame& x, const CanvasFrame& y) {
        return x.element == y.element && x.parent == y.parent;
    };
    return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(), sameNode) &&
           std::equal(a.wires.begin(), a.wires.end(), b.wires.begin(), b.wires.end(), sameWire) &&
           std::equal(a.frames.begin(), a.frames.end(), b.frames.begin(), b.frames.end(), sameFrame);
}

using ItemKey = std::pair<Element::Kind, std::string>;

template <class Item>
std::map<ItemKey, Item*> byElement(const std::vector<Item*>& items) {
    std::map<ItemKey, Item*> map;
    for (Item* item : items) map.emplace(ItemKey{item->element().kind, item->element().id}, item);
    return map;
}

/// Reuses the items of elements that stay, makes those that are new and deletes the rest.
template <class Item, class Contents>
std::vector<Item*> matchItems(CanvasScene& scene, const std::vector<Item*>& old, const Contents& contents) {
    // Most edits change what is in a card, not which cards there are.
    if (std::equal(old.begin(), old.end(), contents.begin(), contents.end(),
                   [](const Item* item, const auto& content) { return item->element() == content.element; }))
        return old;
    std::map<ItemKey, Item*> spare = byElement(old);
    std::vector<Item*> items;
    for (const auto& content : contents) {
        const auto known = spare.find({content.element.kind, content.element.id});
        if (known != spare.end()) {
            items.push_back(known->second);
            spare.erase(known);
        } else {
            items.push_back(new Item(scene, content.element));
            scene.addItem(items.back());
        }
    }
    for (const auto& [key, item] : spare) delete item;
    return items;
}

}  // namespace

CanvasScene::CanvasScene(DocumentModel& document, SelectionModel& selection, const Theme& theme, QObject* parent)
    : QGraphicsScene(parent), m_document(document), m_selection(selection), m_theme(theme), m_painter(theme) {
    setSceneRect(-kRoom, -kRoom, 2 * kRoom, 2 * kRoom);
    setItemIndexMethod(BspTreeIndex);
    connect(&document, &DocumentModel::findingsChanged, this, &CanvasScene::rebuild);
    connect(&document, &DocumentModel::placesChanged, this, &CanvasScene::updatePlaces);
    connect(&document, &DocumentModel::placesAsked, this, [this](std::vector<Placement>* keep) { keepPlaces(*keep); });
    connect(&selection, &SelectionModel::elementsChanged, this, &CanvasScene::syncFromModel);
    connect(this, &QGraphicsScene::selectionChanged, this, &CanvasScene::syncToModel);
    connect(&theme, &Theme::changed, this, [this] {
        m_painter.forgetBodies();
        update();
    });
    rebuild();
}

CanvasScene::~CanvasScene() {
    // Items that go would report a changed selection while there is no scene of ours any more.
    blockSignals(true);
    clear();
}

void CanvasScene::setStageTimes(const StageTimes& times) {
    if (times == m_times) return;
    m_times = times;
    rebuild();
}

void CanvasScene::setHeat(HeatMode mode) {
    if (mode == m_heat) return;
    m_heat = mode;
    rebuild();
}

void CanvasScene::setStageErrors(const StageHeats& errors) {
    if (errors == m_errors) return;
    m_errors = errors;
    if (m_heat == HeatMode::Error) rebuild();
}

const KnownDesign& CanvasScene::known() {
    if (!m_known) {
        const std::shared_ptr<const Design> design = m_document.design();
        m_known = std::make_unique<KnownDesign>(design ? *design : Design(), m_document.caseName().toStdString(),
                                                m_document.symbolOverrides());
    }
    return *m_known;
}

QRectF CanvasScene::contentRect() const {
    QRectF rect;
    for (const NoteItem* note : m_notes) rect |= note->sceneBoundingRect();
    for (const NodeItem* node : m_nodes) rect |= node->area();
    for (const FrameItem* frame : m_frames) rect |= frame->area();
    return rect;
}

ElementItem* CanvasScene::item(const Element& element) const {
    for (NodeItem* node : m_nodes)
        if (node->element() == element) return node;
    for (FrameItem* frame : m_frames)
        if (frame->element() == element) return frame;
    return nullptr;
}

void CanvasScene::rebuild() {
    const std::shared_ptr<const Design> design = m_document.design();
    const bool sameDesign = m_shown == design;
    if (!sameDesign) {
        m_before.clear();
        for (std::size_t i = 0; i < m_nodes.size(); ++i)
            m_before.push_back({m_nodes[i]->element(), m_content.nodes[i].kind, m_nodes[i]->area()});
    }
    m_shown = design;
    CanvasContent old = std::exchange(m_content, {});
    m_known.reset();
    if (design) {
        const ResolvedDesign* resolved = m_document.resolved() ? m_document.resolved() : known().resolved();
        m_content =
            buildCanvasContent(*design, resolved, m_document.chip(), m_document.findings(), m_times, m_heat, m_errors);
    }
    updateItems(old, sameDesign);
    updateNotes();
    if (!m_dragging) placeItems();
    std::vector<Element> selected = m_selection.elements();
    std::erase_if(selected, [this](const Element& element) { return item(element) == nullptr; });
    m_selection.selectAll(std::move(selected));
    syncFromModel();
    emit contentChanged();
}

void CanvasScene::updatePlaces() {
    const std::shared_ptr<const Design> design = m_document.design();
    m_shown = design;
    for (CanvasFrame& frame : m_content.frames) {
        const Position* place = design->layout.find(frame.element.id);
        frame.room = place ? QRectF(place->x, place->y, place->width, place->height) : QRectF();
    }
    updateNotes();
    if (!m_dragging) placeItems();
    emit contentChanged();
}

void CanvasScene::updateItems(const CanvasContent& old, bool sameDesign) {
    // Items that go must not take the selection of the other views with them, and nobody may ask for them meanwhile.
    QSignalBlocker quiet(this);
    m_syncing = true;
    while (m_wires.size() > m_content.wires.size()) {
        delete m_wires.back();
        m_wires.pop_back();
    }
    // A wire has no name of its own: which one was selected is not known any more.
    if (old.wires != m_content.wires)
        for (WireItem* wire : m_wires) wire->setSelected(false);
    m_nodes = matchItems(*this, m_nodes, m_content.nodes);
    m_frames = matchItems(*this, m_frames, m_content.frames);
    m_syncing = false;
    quiet.unblock();
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        if (m_nodes[i]->content() != m_content.nodes[i]) m_nodes[i]->setContent(m_content.nodes[i]);
    for (std::size_t i = 0; i < m_frames.size(); ++i) {
        int depth = 0;
        for (int up = m_content.frames[i].parent; up >= 0; up = m_content.frames[static_cast<std::size_t>(up)].parent)
            ++depth;
        m_frames[i]->setContent(m_content.frames[i], depth);
    }
    for (std::size_t i = 0; i < m_content.wires.size(); ++i) {
        const CanvasWire& wire = m_content.wires[i];
        if (i == m_wires.size()) {
            m_wires.push_back(new WireItem(*this));
            addItem(m_wires.back());
        }
        m_wires[i]->connectNodes(*m_nodes[static_cast<std::size_t>(wire.from)],
                                 *m_nodes[static_cast<std::size_t>(wire.to)], wire);
    }
    if (m_layout.places.size() == m_nodes.size() && m_layout.waypoints.size() == m_wires.size() &&
        (sameDesign || sameLayout(old, m_content))) {
        // Another case of the same design has other sizes on its cards: they stay where they are, inputs by their port.
        for (std::size_t i = 0; i < m_nodes.size() && sameDesign && old.nodes.size() == m_nodes.size(); ++i)
            if (m_content.nodes[i].kind == NodeKind::Input)
                m_layout.places[i].rx() +=
                    geometry::nodeSize(old.nodes[i]).width() - geometry::nodeSize(m_content.nodes[i]).width();
        return;
    }
    std::vector<geometry::NodePicture> pictures;
    for (const NodeItem* node : m_nodes) pictures.push_back(node->picture());
    m_layout = autoLayout(m_content, pictures);
}

std::vector<QPointF> CanvasScene::documentPlaces() const {
    std::vector<QPointF> places = m_layout.places;
    if (!m_document.hasDesign()) return places;
    std::unordered_map<std::string, QPointF> stored;
    for (const auto& entry : m_document.design()->layout.entries)
        stored.insert_or_assign(entry.key, QPointF(entry.value.x, entry.value.y));
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto found = stored.find(m_content.nodes[i].element.id);
        if (found != stored.end()) places[i] = found->second;
    }
    return places;
}

void CanvasScene::placeItems() {
    const std::vector<QPointF> places = documentPlaces();
    m_placing = true;
    for (std::size_t i = 0; i < m_nodes.size(); ++i) m_nodes[i]->setPos(places[i]);
    m_placing = false;
    updateFrames();
    routeWires();
}

void CanvasScene::routeWires() {
    for (std::size_t wire = 0; wire < m_wires.size(); ++wire) routeWire(wire);
}

void CanvasScene::routeWire(std::size_t wire) {
    m_wires[wire]->route(isRoutedAutomatically(wire) ? m_layout.waypoints[wire] : std::vector<QPointF>());
}

bool CanvasScene::isRoutedAutomatically(std::size_t wire) const {
    // The way between the cards was found for the automatic places of both ends.
    const auto from = static_cast<std::size_t>(m_content.wires[wire].from);
    const auto to = static_cast<std::size_t>(m_content.wires[wire].to);
    return m_nodes[from]->pos() == m_layout.places[from] && m_nodes[to]->pos() == m_layout.places[to];
}

void CanvasScene::nodeMoved(const NodeItem& node) {
    if (m_placing) return;
    updateDrop();
    updateFrames();
    for (std::size_t wire = 0; wire < m_wires.size(); ++wire)
        if (m_nodes[static_cast<std::size_t>(m_content.wires[wire].from)] == &node ||
            m_nodes[static_cast<std::size_t>(m_content.wires[wire].to)] == &node)
            routeWire(wire);
    emit contentChanged();
}

void CanvasScene::updateWiresOf(const ElementItem& item) {
    for (std::size_t wire = 0; wire < m_wires.size(); ++wire)
        if (m_nodes[static_cast<std::size_t>(m_content.wires[wire].from)] == &item ||
            m_nodes[static_cast<std::size_t>(m_content.wires[wire].to)] == &item)
            m_wires[wire]->update();
}

std::vector<NodeItem*> CanvasScene::nodesIn(const FrameItem& frame) const {
    const auto found = std::find(m_frames.begin(), m_frames.end(), &frame);
    const int wanted = static_cast<int>(found - m_frames.begin());
    std::vector<NodeItem*> nodes;
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        int owner = m_content.nodes[i].frame;
        while (owner >= 0 && owner != wanted) owner = m_content.frames[static_cast<std::size_t>(owner)].parent;
        if (owner == wanted) nodes.push_back(m_nodes[i]);
    }
    return nodes;
}

std::vector<NodeItem*> CanvasScene::selectedNodes() const {
    std::vector<NodeItem*> nodes;
    for (NodeItem* node : m_nodes)
        if (node->isSelected()) nodes.push_back(node);
    for (const FrameItem* frame : m_frames)
        if (frame->isSelected())
            for (NodeItem* node : nodesIn(*frame))
                if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
    return nodes;
}

std::vector<ElementItem*> CanvasScene::readingOrder() const {
    std::vector<ElementItem*> order(m_nodes.begin(), m_nodes.end());
    order.insert(order.end(), m_frames.begin(), m_frames.end());
    std::stable_sort(order.begin(), order.end(), [](const ElementItem* a, const ElementItem* b) {
        const QPointF first = a->area().topLeft();
        const QPointF second = b->area().topLeft();
        return first.x() != second.x() ? first.x() < second.x() : first.y() < second.y();
    });
    return order;
}

void CanvasScene::selectNext(bool forward) {
    const std::vector<ElementItem*> order = readingOrder();
    if (order.empty()) return;
    const auto current = std::find_if(order.begin(), order.end(), [&](const ElementItem* candidate) {
        return candidate->element() == m_selection.current();
    });
    const auto count = static_cast<std::ptrdiff_t>(order.size());
    std::ptrdiff_t index = forward ? 0 : count - 1;
    if (current != order.end()) index = (current - order.begin() + (forward ? 1 : count - 1)) % count;
    m_selection.reveal(order[static_cast<std::size_t>(index)]->element());
}

void CanvasScene::selectToward(const QPointF& direction) {
    const ElementItem* current = item(m_selection.current());
    if (!current) return selectNext(true);
    const ElementItem* best = nullptr;
    double bestCost = 0.0;
    for (const ElementItem* candidate : readingOrder()) {
        // The loops around a card are no neighbours of it.
        if (candidate == current || candidate->area().contains(current->area())) continue;
        const QPointF way = candidate->area().center() - current->area().center();
        const double along = QPointF::dotProduct(way, direction);
        const double across = std::abs(way.x() * direction.y()) + std::abs(way.y() * direction.x());
        if (along <= 1.0 || across > 2.0 * along + 40.0) continue;
        const double cost = along + 2.0 * across;
        if (!best || cost < bestCost) {
            best = candidate;
            bestCost = cost;
        }
    }
    if (best) m_selection.reveal(best->element());
}

void CanvasScene::showProblems(const Element& element) {
    m_selection.showProblems(element);
}

void CanvasScene::syncFromModel() {
    if (m_syncing) return;
    std::vector<ElementItem*> wanted;
    for (const Element& element : m_selection.elements())
        if (ElementItem* found = item(element)) wanted.push_back(found);
    const bool shown =
        std::all_of(wanted.begin(), wanted.end(), [](const ElementItem* it) { return it->isSelected(); });
    if (shown && wanted.size() == selectedElements().size()) return;
    m_syncing = true;
    // Where nothing is selected, wires and notes are nobody else's business and stay.
    if (!wanted.empty()) clearSelection();
    for (NodeItem* node : m_nodes) node->setSelected(false);
    for (FrameItem* frame : m_frames) frame->setSelected(false);
    for (ElementItem* found : wanted) found->setSelected(true);
    m_syncing = false;
}

void CanvasScene::syncToModel() {
    if (m_syncing) return;
    m_syncing = true;
    // What the other views show stays while it is selected.
    std::vector<Element> elements;
    for (const ElementItem* candidate : readingOrder())
        if (candidate->isSelected()) elements.push_back(candidate->element());
    const auto current = std::find(elements.begin(), elements.end(), m_selection.current());
    if (current != elements.end()) std::rotate(elements.begin(), current, current + 1);
    m_selection.selectAll(std::move(elements));
    m_syncing = false;
}

}  // namespace cubist
