// SPDX-License-Identifier: GPL-3.0-or-later
// Removing, copying and pasting what is selected; the clipboard holds the text of a design.
#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>

#include <algorithm>
#include <functional>
#include <utility>

#include "core/design/edit_ops.h"
#include "core/design/edit_structure.h"
#include "core/exchange/design_json.h"
#include "views/canvas/canvas_editor.h"
#include "views/canvas/note_item.h"
#include "views/document_model.h"
#include "views/widgets/painting.h"

namespace cubist {

ElementSet CanvasEditor::selectedSet() const {
    ElementSet set;
    for (const Element& element : m_canvas.selectedElements()) {
        if (element.isTensor()) set.tensors.push_back(element.tensor());
        if (element.isBlock()) set.blocks.push_back(element.block());
    }
    // What goes with its loop is not named twice.
    const Design& design = *m_document.design();
    const std::vector<BlockId> all = set.blocks;
    std::erase_if(set.blocks, [&](const BlockId& id) {
        return std::any_of(all.begin(), all.end(), [&](const BlockId& other) { return isInside(design, id, other); });
    });
    return set;
}

bool CanvasEditor::removeSelection() {
    if (!m_document.hasDesign()) return false;
    const ElementSet set = selectedSet();
    const std::vector<int> wires = m_canvas.selectedWires();
    const std::vector<std::size_t> notes = m_canvas.selectedNotes();
    if (set.empty() && notes.empty()) return disconnectWires(wires);
    Result<Design> edited = *m_document.design();
    for (const int wire : wires) {
        const WireTarget target = m_canvas.targetOfWire(wire);
        if (edited)
            edited = target.port == "to" ? connectStore(*edited, target.element.block(), {})
                                         : connectPort(*edited, target.element.block(), target.port, {});
    }
    if (edited) edited = removeElements(*edited, set);
    if (edited) {
        for (auto note = notes.rbegin(); note != notes.rend(); ++note)
            edited->canvasNotes.erase(edited->canvasNotes.begin() + static_cast<std::ptrdiff_t>(*note));
        edited = m_canvas.pinned(*std::move(edited), {});
    }
    const std::size_t count = set.blocks.size() + set.tensors.size() + notes.size();
    const std::string one =
        set.blocks.empty() ? (set.tensors.empty() ? std::string() : set.tensors.front().text) : set.blocks.front().text;
    const auto label = [count, one] {
        return count == 1 && !one.empty()
                   ? tr("Delete %1").arg(QString::fromStdString(one))
                   : counted(static_cast<std::int64_t>(count), tr("Delete an element"), tr("Delete %1 elements"));
    };
    return apply(label, std::move(edited));
}

Design CanvasEditor::fragmentOfSelection() const {
    Design fragment = copyFragment(*m_document.design(), selectedSet());
    // Everything takes along where it is now, laid out by hand or not.
    const auto placeOf = [&](const std::string& id) {
        for (const NodeItem* node : m_canvas.nodeItems())
            if (node->element().id == id)
                fragment.layout.set(id, Position{node->pos().x(), node->pos().y(), 0.0, 0.0, {}});
    };
    for (const Tensor& tensor : fragment.tensors) placeOf(tensor.id.text);
    const std::function<void(const std::vector<Block>&)> walk = [&](const std::vector<Block>& blocks) {
        for (const Block& block : blocks) {
            if (const auto* loop = std::get_if<Loop>(&block.content))
                walk(loop->body);
            else
                placeOf(block.id().text);
        }
    };
    walk(fragment.blocks);
    for (const std::size_t note : m_canvas.selectedNotes())
        fragment.canvasNotes.push_back(m_document.design()->canvasNotes[note]);
    return fragment;
}

void CanvasEditor::copy() const {
    if (!m_document.hasDesign() || (selectedSet().empty() && m_canvas.selectedNotes().empty())) return;
    QGuiApplication::clipboard()->setText(QString::fromStdString(writeDesign(fragmentOfSelection())));
}

bool CanvasEditor::cut() {
    if (!m_document.hasDesign() || (selectedSet().empty() && m_canvas.selectedNotes().empty())) return false;
    copy();
    return removeSelection();
}

bool CanvasEditor::canPaste() const {
    const QMimeData* data = QGuiApplication::clipboard()->mimeData();
    return data && data->hasText() && data->text().contains(QLatin1String("\"cubist\""));
}

bool CanvasEditor::paste(std::optional<QPointF> place) {
    if (!m_document.hasDesign()) return false;
    const auto read = readDesign(QGuiApplication::clipboard()->text().toStdString());
    if (!read)
        return apply({}, unexpected(ErrorCode::BadValue, tr("The clipboard holds no part of a design.").toStdString()));
    QPointF distance(32.0, 32.0);
    BlockId loop;
    if (place) {
        QRectF area;
        for (const auto& entry : read->design.layout.entries)
            area |= QRectF(entry.value.x, entry.value.y, geometry::kStageWidth, geometry::kPillHeight);
        if (!area.isNull()) distance = geometry::snapped(*place - area.center());
        if (const FrameItem* frame = m_canvas.frameAt(*place)) loop = frame->element().block();
    } else {
        // Beside the original: into the loop of what is selected.
        const std::vector<Element> selected = m_canvas.selectedElements();
        if (!selected.empty() && selected.front().isBlock())
            loop = loopOf(*m_document.design(), selected.front().block());
    }
    return addFragment([] { return tr("Paste"); }, read->design, {loop, {}}, distance);
}

bool CanvasEditor::duplicate(const QPointF& distance) {
    if (!m_document.hasDesign()) return false;
    const ElementSet set = selectedSet();
    if (set.empty() && m_canvas.selectedNotes().empty()) return false;
    const BlockId loop = set.blocks.empty() ? BlockId() : loopOf(*m_document.design(), set.blocks.front());
    return addFragment([] { return tr("Duplicate"); }, fragmentOfSelection(), {loop, {}}, distance);
}

bool CanvasEditor::addFragment(const LocalText& label, const Design& fragment, const BlockPlace& place,
                               const QPointF& distance) {
    Result<Pasted> pasted = pasteFragment(*m_document.design(), fragment, place, distance.x(), distance.y());
    if (!pasted) return apply({}, unexpected(pasted.error()));
    for (CanvasNote note : fragment.canvasNotes) {
        note.x += distance.x();
        note.y += distance.y();
        pasted->design.canvasNotes.push_back(std::move(note));
    }
    std::vector<Element> selected;
    for (const BlockId& id : pasted->elements.blocks) selected.emplace_back(id);
    for (const TensorId& id : pasted->elements.tensors) selected.emplace_back(id);
    if (!apply(label, m_canvas.pinned(std::move(pasted->design), {}))) return false;
    m_canvas.selectElements(selected);
    return true;
}

}  // namespace cubist
