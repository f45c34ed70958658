// SPDX-License-Identifier: GPL-3.0-or-later
// What is where on the canvas, what is selected, and what its wires mean.
#include <cmath>

#include "views/canvas/canvas_scene.h"
#include "views/canvas/note_item.h"
#include "views/selection_model.h"

namespace cubist {

std::optional<CanvasScene::PortHit> CanvasScene::portAt(const QPointF& point, double reach) const {
    std::optional<PortHit> best;
    double bestDistance = reach;
    const auto look = [&](NodeItem* node, int input, const QPointF& port) {
        const double distance = std::hypot(port.x() - point.x(), port.y() - point.y());
        if (distance > bestDistance) return;
        bestDistance = distance;
        best = PortHit{node, input};
    };
    for (NodeItem* node : m_nodes) {
        if (!node->area().adjusted(-reach, -reach, reach, reach).contains(point)) continue;
        for (int input = 0; input < node->content().inputs.size(); ++input) look(node, input, node->inputPoint(input));
        if (node->content().hasOutput) look(node, -1, node->outputPoint());
    }
    return best;
}

NodeItem* CanvasScene::nodeAt(const QPointF& point) const {
    NodeItem* found = nullptr;
    for (NodeItem* node : m_nodes)
        if (node->area().contains(point) && (found == nullptr || node->zValue() >= found->zValue())) found = node;
    return found;
}

FrameItem* CanvasScene::frameAt(const QPointF& point) const {
    // Inner loops come after those around them.
    for (auto frame = m_frames.rbegin(); frame != m_frames.rend(); ++frame)
        if ((*frame)->picture().rect.contains(point) || (*frame)->picture().header.contains(point)) return *frame;
    return nullptr;
}

int CanvasScene::wireAt(const QPointF& point, double reach) const {
    int best = -1;
    double bestDistance = reach;
    for (std::size_t wire = 0; wire < m_wires.size(); ++wire) {
        if (!m_wires[wire]->boundingRect().adjusted(-reach, -reach, reach, reach).contains(point)) continue;
        const double distance = m_wires[wire]->distanceTo(point);
        if (distance > bestDistance) continue;
        bestDistance = distance;
        best = static_cast<int>(wire);
    }
    return best;
}

std::vector<int> CanvasScene::wiresAcross(const QPolygonF& stroke) const {
    std::vector<int> crossed;
    for (std::size_t wire = 0; wire < m_wires.size(); ++wire)
        if (m_wires[wire]->crosses(stroke)) crossed.push_back(static_cast<int>(wire));
    return crossed;
}

WireSource CanvasScene::sourceOf(const NodeItem& node) const {
    return {node.element(), ValueId(node.content().value.toStdString())};
}

WireSource CanvasScene::sourceOfWire(int wire) const {
    const CanvasWire& content = m_content.wires[static_cast<std::size_t>(wire)];
    WireSource source = sourceOf(*m_nodes[static_cast<std::size_t>(content.from)]);
    if (!content.fromStore)
        source.value =
            ValueId(m_content.nodes[static_cast<std::size_t>(content.to)].inputs[content.toPort].toStdString());
    return source;
}

WireTarget CanvasScene::targetOf(const NodeItem& node, int input) const {
    const QStringList& keys = node.content().portKeys;
    return {node.element(), input >= 0 && input < keys.size() ? keys[input].toStdString() : std::string()};
}

WireTarget CanvasScene::targetOfWire(int wire) const {
    const CanvasWire& content = m_content.wires[static_cast<std::size_t>(wire)];
    if (content.fromStore) return {m_nodes[static_cast<std::size_t>(content.from)]->element(), "to"};
    return targetOf(*m_nodes[static_cast<std::size_t>(content.to)], content.toPort);
}

std::vector<Element> CanvasScene::selectedElements() const {
    std::vector<Element> elements;
    for (const NodeItem* node : m_nodes)
        if (node->isSelected()) elements.push_back(node->element());
    for (const FrameItem* frame : m_frames)
        if (frame->isSelected()) elements.push_back(frame->element());
    return elements;
}

std::vector<int> CanvasScene::selectedWires() const {
    std::vector<int> wires;
    for (std::size_t wire = 0; wire < m_wires.size(); ++wire)
        if (m_wires[wire]->isSelected()) wires.push_back(static_cast<int>(wire));
    return wires;
}

std::vector<std::size_t> CanvasScene::selectedNotes() const {
    std::vector<std::size_t> notes;
    for (const NoteItem* note : m_notes)
        if (note->isSelected()) notes.push_back(note->index());
    return notes;
}

void CanvasScene::selectElements(const std::vector<Element>& elements) {
    // The first of them is what the other views show.
    std::vector<Element> known;
    m_syncing = true;
    clearSelection();
    for (const Element& element : elements)
        if (ElementItem* found = item(element)) {
            found->setSelected(true);
            known.push_back(element);
        }
    m_selection.selectAll(std::move(known));
    m_syncing = false;
    emit contentChanged();
}

void CanvasScene::selectAll() {
    std::vector<Element> all;
    for (const NodeItem* node : m_nodes) all.push_back(node->element());
    for (const FrameItem* frame : m_frames) all.push_back(frame->element());
    selectElements(all);
}

}  // namespace cubist
