// SPDX-License-Identifier: GPL-3.0-or-later
// The editing half of the canvas: quick-add, wiring by keyboard, swapping, finding, editing in place.
#include <QApplication>
#include <QPlainTextEdit>

#include <algorithm>
#include <utility>

#include "core/design/edit_ops.h"
#include "views/canvas/canvas_scene.h"
#include "views/canvas/canvas_tools.h"
#include "views/canvas/canvas_view.h"
#include "views/canvas/chooser.h"
#include "views/canvas/heat_legend.h"
#include "views/canvas/in_place_editor.h"
#include "views/canvas/node_token.h"
#include "views/canvas/note_editor.h"
#include "views/canvas/note_item.h"
#include "views/document_model.h"
#include "views/qt_text.h"
#include "views/selection_model.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr std::size_t kMostOffers = 400;  ///< ends that are judged for one list

Chooser::Entry entryOf(const CatalogEntry& entry) {
    return {entry.key, entry.title, entry.subtitle, entry.keywords, badgeLetter(entry.kind), badgeToken(entry.kind)};
}

QString letterOf(NodeKind kind) {
    switch (kind) {
        case NodeKind::Cube: return QStringLiteral("C");
        case NodeKind::Vector: return QStringLiteral("V");
        case NodeKind::Slice:
        case NodeKind::Store: return QStringLiteral("M");
        case NodeKind::Input:
        case NodeKind::Output: return QStringLiteral("T");
    }
    return {};
}

QString kindText(NodeKind kind) {
    switch (kind) {
        case NodeKind::Input: return CanvasView::tr("input tensor");
        case NodeKind::Output: return CanvasView::tr("output tensor");
        case NodeKind::Slice: return CanvasView::tr("slice");
        case NodeKind::Cube: return CanvasView::tr("C stage");
        case NodeKind::Vector: return CanvasView::tr("V stage");
        case NodeKind::Store: return CanvasView::tr("store");
    }
    return {};
}

QString problemsText(const FindingCount& findings) {
    return findings.count == 0 ? QString() : findings.messages.join(QLatin1String("; "));
}

/// What a card shows, in words.
QString spokenText(const CanvasNode& node) {
    QStringList parts{CanvasView::tr("%1, %2").arg(node.title, kindText(node.kind)), node.line1, node.line2,
                      node.live.text};
    QStringList inputs = node.inputs;
    inputs.removeAll(QString());
    if (!inputs.isEmpty()) parts << CanvasView::tr("reads %1").arg(inputs.join(QLatin1String(", ")));
    if (inputs.size() < node.inputs.size() && node.kind != NodeKind::Output)
        parts << counted(node.inputs.size() - inputs.size(), CanvasView::tr("1 open input"),
                         CanvasView::tr("%1 open inputs"));
    parts << problemsText(node.findings);
    parts.removeAll(QString());
    return parts.join(QLatin1String(". "));
}

}  // namespace

void CanvasView::describeSelection() {
    const std::vector<Element> selected = m_canvas->selectedElements();
    QString text = tr("The design as a graph: tensors, loops, stages and the values between them");
    if (selected.size() > 1) {
        text = tr("%1 elements are selected").arg(selected.size());
    } else if (selected.size() == 1) {
        const ElementItem* item = m_canvas->item(selected.front());
        if (const auto* node = dynamic_cast<const NodeItem*>(item)) {
            text = spokenText(node->content());
        } else if (const auto* frame = dynamic_cast<const FrameItem*>(item)) {
            QStringList parts{frame->content().header, frame->content().groups,
                              problemsText(frame->content().findings)};
            parts.removeAll(QString());
            text = parts.join(QLatin1String(". "));
        }
    }
    if (text != accessibleDescription()) setAccessibleDescription(text);
}

void CanvasView::makeTools() {
    connect(m_chooser, &Chooser::chosen, this, &CanvasView::choose);
    connect(m_tools, &CanvasTools::addRequested, this, [this](const CanvasEditor::Target& target, const QPointF& at) {
        offer(target, at,
              target.after ? tr("Read %1 with").arg(qText(target.after->element.id)) : tr("What is read here?"));
    });
    connect(m_canvas, &CanvasScene::groupsRequested, this, &CanvasView::groupsRequested);
}

void CanvasView::setStageErrors(const StageHeats& errors, const HeatScale& scale) {
    m_canvas->setStageErrors(errors);
    m_errorScale = scale;
    showHeatLegend();
}

void CanvasView::showHeatLegend() {
    const HeatMode mode = m_document.hasDesign() ? m_canvas->heat() : HeatMode::Off;
    m_heatLegend->showScale(mode, mode == HeatMode::Error ? m_errorScale : m_timeScale);
    placeOverlays();
}

QPointF CanvasView::pointerOrCentre() const {
    const QPoint pointer = viewport()->mapFromGlobal(QCursor::pos());
    return viewport()->underMouse() && viewport()->rect().contains(pointer) ? QPointF(pointer)
                                                                            : QRectF(viewport()->rect()).center();
}

CanvasEditor::Target CanvasView::targetAfterSelection() const {
    CanvasEditor::Target target;
    const std::vector<Element> selected = m_canvas->selectedElements();
    if (selected.size() != 1) return target;
    if (const auto* node = dynamic_cast<const NodeItem*>(m_canvas->item(selected.front()))) {
        if (node->content().kind != NodeKind::Store && !node->content().value.isEmpty())
            target.after = m_canvas->sourceOf(*node);
    } else {
        target.loop = selected.front().block();
    }
    return target;
}

QPoint CanvasView::besideSelection() const {
    for (const Element& element : m_canvas->selectedElements())
        if (const ElementItem* item = m_canvas->item(element))
            return mapFromScene(item->area().topRight()) + QPoint(12, 0);
    return pointerOrCentre().toPoint();
}

void CanvasView::quickAdd() {
    const CanvasEditor::Target target = targetAfterSelection();
    if (target.after) {
        offer(target, besideSelection(), tr("Add after %1").arg(qText(target.after->element.id)));
    } else if (!target.loop.empty()) {
        offer(target, besideSelection(), tr("Add in the loop %1").arg(qText(target.loop.text)));
    } else if (viewport()->underMouse()) {
        quickAddAt(pointerOrCentre());
    } else {
        // Without a pointer it goes where there is room.
        offer(target, pointerOrCentre(), tr("Add a stage, tensor, loop ..."));
    }
}

void CanvasView::quickAddAt(const QPointF& viewportPoint) {
    CanvasEditor::Target target;
    target.place = viewportTransform().inverted().map(viewportPoint);
    if (const FrameItem* frame = m_canvas->frameAt(*target.place)) target.loop = frame->element().block();
    offer(target, viewportPoint, tr("Add a stage, tensor, loop ..."));
}

void CanvasView::offer(const CanvasEditor::Target& target, const QPointF& at, const QString& prompt) {
    if (!m_document.hasDesign()) return;
    m_asking = Asking::Add;
    m_addTarget = target;
    std::vector<Chooser::Entry> entries, apart;
    for (const CatalogEntry& entry : stageCatalog()) {
        if (target.before && !entry.handsValueOn) continue;
        Chooser::Entry shown = entryOf(entry);
        if (target.after && !entry.takesValue) {
            // At the end of a wire there is nothing to be done with it; beside a selected card it stands for itself.
            if (target.place) continue;
            shown.subtitle = tr("Not connected to what is selected");
            apart.push_back(std::move(shown));
            continue;
        }
        if (target.after) {
            if (const QString reason = refusal(*target.after, entry.key); !reason.isEmpty()) {
                shown.enabled = false;
                shown.subtitle = reason;
            }
        }
        entries.push_back(std::move(shown));
    }
    entries.insert(entries.end(), apart.begin(), apart.end());
    m_chooser->open(at.toPoint(), prompt, std::move(entries));
}

QString CanvasView::refusal(const WireSource& source, const QString& key) {
    // Tried alone, beside a tensor like the value: what cannot read it says why.
    const ResolvedValue* value = m_canvas->known().value(source.value);
    if (!value) return {};
    Design trial;
    trial.chip = m_document.design()->chip;
    trial.profile = m_document.design()->profile;
    Tensor tensor;
    tensor.id = TensorId(source.value.text);
    tensor.dtype = value->dtype;
    for (const std::int64_t extent : value->shape) tensor.shape.emplace_back(extent);
    trial.tensors.push_back(std::move(tensor));
    FreeNames names(trial);
    const NewElement made = makeElement(key, names);
    if (!made.block) return {};
    const BlockId id = made.block->id();
    if (const auto* view = std::get_if<View>(&made.block->content); view && source.element.isBlock()) {
        const Block* maker = producerOf(*m_document.design(), source.value);
        if (maker && maker->kind() != BlockKind::View) return tr("A slice is cut from a tensor.");
    }
    trial.blocks.push_back(*made.block);
    const KnownDesign known(trial);
    const WireVerdict verdict =
        ConnectionRules(trial, known, m_document.chip())
            .judge({Element(TensorId(source.value.text)), source.value}, {Element(id), made.input});
    return verdict.reason;
}

void CanvasView::addFromLibrary(const QString& key) {
    CanvasEditor::Target target = targetAfterSelection();
    const std::vector<CatalogEntry> catalog = stageCatalog();
    const auto entry =
        std::find_if(catalog.begin(), catalog.end(), [&](const CatalogEntry& known) { return known.key == key; });
    if (entry == catalog.end()) return;
    if (!entry->takesValue || !target.after) target.after.reset();
    // What does not go together with the selection is added beside it, unconnected.
    if (target.after && !refusal(*target.after, key).isEmpty()) target.after.reset();
    if (key == QLatin1String("note")) target.place = visibleScene().center();
    if (m_editor->insert(key, target)) reveal(m_selection.current());
}

void CanvasView::add(const QString& key, CanvasEditor::Target target) {
    const std::vector<CatalogEntry> catalog = stageCatalog();
    const auto entry =
        std::find_if(catalog.begin(), catalog.end(), [&](const CatalogEntry& known) { return known.key == key; });
    if (entry != catalog.end() && !entry->takesValue) target.after.reset();
    const bool note = key == QLatin1String("note");
    if (note && !target.place) target.place = visibleScene().center();
    if (!m_editor->insert(key, target)) return;
    if (!note) return reveal(m_selection.current());
    // A note without words says nothing: it is written at once, or goes again.
    editNote(m_canvas->noteItems().size() - 1);
    const int step = m_document.undoStack().index();
    connect(findChildren<NoteEditor*>().back(), &NoteEditor::dropped, this, [this, step] {
        if (m_document.undoStack().index() == step) m_document.undoStack().undo();
    });
}

void CanvasView::revealNote(std::size_t note) {
    if (note >= m_canvas->noteItems().size()) return;
    NoteItem* item = m_canvas->noteItems()[note];
    m_canvas->clearSelection();
    item->setSelected(true);
    ensureVisible(item->sceneBoundingRect());
    moved();
}

void CanvasView::choose(const QString& key) {
    switch (m_asking) {
        case Asking::Add: add(key, m_addTarget); break;
        case Asking::Swap: m_editor->swap(m_canvas->selectedElements().front(), key); break;
        case Asking::Connect: {
            const auto index = static_cast<std::size_t>(key.toInt());
            if (index < m_offered.size()) m_editor->connectWire(m_offered[index].first, m_offered[index].second);
            break;
        }
        case Asking::Find: {
            if (key.startsWith(QLatin1Char('n'))) {
                revealNote(static_cast<std::size_t>(key.mid(1).toUInt()));
                break;
            }
            const bool tensor = key.startsWith(QLatin1Char('t'));
            const std::string id = key.mid(1).toStdString();
            const Element element = tensor ? Element(TensorId(id)) : Element(BlockId(id));
            m_canvas->selectElements({element});
            reveal(element);
            break;
        }
    }
}

void CanvasView::connectSelected() {
    const std::vector<Element> selected = m_canvas->selectedElements();
    const auto* self = selected.size() == 1 ? dynamic_cast<const NodeItem*>(m_canvas->item(selected.front())) : nullptr;
    if (!self) return;
    m_offered.clear();
    std::vector<Chooser::Entry> entries;
    const auto add = [&](const WireSource& source, const WireTarget& target, const QString& title, NodeKind kind) {
        if (m_offered.size() >= kMostOffers) return;
        const WireVerdict verdict = m_editor->judge(source, target);
        if (verdict.kind == WireVerdict::Kind::Impossible) return;
        Chooser::Entry entry;
        entry.key = QString::number(m_offered.size());
        entry.title = title;
        entry.subtitle = verdict.reason;
        entry.letter = letterOf(kind);
        entry.token = tokenOf(kind);
        entry.enabled = verdict.kind == WireVerdict::Kind::Legal;
        m_offered.emplace_back(source, target);
        entries.push_back(std::move(entry));
    };
    const auto portName = [](const NodeItem& node, int input) {
        const QString& key = node.content().portKeys[input];
        return key.contains(QLatin1Char('/')) ? CanvasView::tr("input %1").arg(input + 1) : key;
    };
    // Inputs first that are open: they are what is missing.
    for (const bool open : {true, false}) {
        for (int input = 0; input < self->content().inputs.size(); ++input) {
            if (self->content().inputs[input].isEmpty() != open || self->content().kind == NodeKind::Output) continue;
            for (const NodeItem* other : m_canvas->nodeItems())
                if (other != self && other->content().hasOutput && !other->content().value.isEmpty())
                    add(m_canvas->sourceOf(*other), m_canvas->targetOf(*self, input),
                        tr("%1 from %2").arg(portName(*self, input), other->content().title), other->content().kind);
        }
        for (const NodeItem* other : m_canvas->nodeItems()) {
            if (other == self || !self->content().hasOutput) continue;
            for (int input = 0; input < other->content().inputs.size(); ++input) {
                const bool output = other->content().kind == NodeKind::Output;
                if ((other->content().inputs[input].isEmpty() || output) != open) continue;
                add(m_canvas->sourceOf(*self), m_canvas->targetOf(*other, input),
                    output ? tr("to %1").arg(other->content().title)
                           : tr("to %1, %2").arg(other->content().title, portName(*other, input)),
                    other->content().kind);
            }
        }
    }
    m_asking = Asking::Connect;
    m_chooser->open(besideSelection(), tr("Connect %1").arg(self->content().title), std::move(entries));
}

void CanvasView::swapSelected() {
    const std::vector<Element> selected = m_canvas->selectedElements();
    const auto* node = selected.size() == 1 ? dynamic_cast<const NodeItem*>(m_canvas->item(selected.front())) : nullptr;
    if (!node || !isStage(node->content().kind)) return;
    const auto kind = node->content().kind == NodeKind::Cube ? CatalogEntry::Kind::Cube : CatalogEntry::Kind::Vector;
    std::vector<Chooser::Entry> entries;
    for (const CatalogEntry& entry : stageCatalog())
        if (entry.kind == kind) entries.push_back(entryOf(entry));
    m_asking = Asking::Swap;
    m_chooser->open(besideSelection(), tr("Swap %1 for").arg(node->content().title), std::move(entries));
}

void CanvasView::find() {
    if (!m_document.hasDesign()) return;
    std::vector<Chooser::Entry> entries;
    for (const NodeItem* node : m_canvas->nodeItems()) {
        const CanvasNode& content = node->content();
        Chooser::Entry entry;
        entry.key = (content.element.isTensor() ? QLatin1Char('t') : QLatin1Char('b')) + qText(content.element.id);
        entry.title = content.title;
        entry.subtitle = content.line1;
        entry.keywords =
            content.line1 + QLatin1Char(' ') + qText(content.element.id) + QLatin1Char(' ') + content.value;
        entry.letter = letterOf(content.kind);
        entry.token = tokenOf(content.kind);
        entries.push_back(std::move(entry));
    }
    for (const FrameItem* frame : m_canvas->frameItems()) {
        const QString id = qText(frame->element().id);
        entries.push_back({QLatin1Char('b') + id, id, frame->content().header, frame->content().header,
                           QStringLiteral("L"), Token::Muted});
    }
    for (std::size_t i = 0; i < m_canvas->noteItems().size(); ++i) {
        const QString text = qText(m_canvas->noteItems()[i]->note().text).simplified();
        entries.push_back({QLatin1Char('n') + QString::number(i), text.isEmpty() ? tr("Empty note") : text.left(48),
                           tr("note"), text, QStringLiteral("N"), Token::Muted});
    }
    m_asking = Asking::Find;
    m_chooser->open(QPoint((width() - m_chooser->width()) / 2, 16), tr("Find a stage, tensor, loop or note"),
                    std::move(entries));
}

void CanvasView::editInPlace() {
    const std::vector<std::size_t> notes = m_canvas->selectedNotes();
    const std::vector<Element> selected = m_canvas->selectedElements();
    if (selected.empty() && notes.size() == 1) return editNote(notes.front());
    if (selected.size() != 1) return;
    const ElementItem* item = m_canvas->item(selected.front());
    if (!item) return;
    QRectF area = item->area();
    if (const auto* frame = dynamic_cast<const FrameItem*>(item)) area = frame->picture().header;
    reveal(selected.front());
    m_inPlace->open(selected.front(), QRect(mapFromScene(area.topLeft()), mapFromScene(area.bottomRight())));
}

void CanvasView::editNote(std::size_t note) {
    const NoteItem* item = m_canvas->noteItems()[note];
    const QRectF area = item->sceneBoundingRect();
    const QRect place(mapFromScene(area.topLeft()), mapFromScene(area.bottomRight()));
    auto* field = new NoteEditor(qText(item->note().text), this);
    connect(field, &NoteEditor::finished, this,
            [this, note](const QString& text) { m_editor->setNoteText(note, text); });
    field->setGeometry(place.adjusted(0, 0, 0, 40));
    field->show();
    field->setFocus();
}

void CanvasView::deleteSelection() {
    m_editor->removeSelection();
}

void CanvasView::cut() {
    m_editor->cut();
}

void CanvasView::copy() {
    m_editor->copy();
}

void CanvasView::paste() {
    const bool pointed = viewport()->underMouse();
    m_editor->paste(pointed ? std::optional(viewportTransform().inverted().map(pointerOrCentre())) : std::nullopt);
    revealSelection();
}

void CanvasView::duplicate() {
    m_editor->duplicate();
    revealSelection();
}

void CanvasView::selectAll() {
    m_canvas->selectAll();
}

void CanvasView::wrapInLoop() {
    m_editor->wrapSelection();
}

void CanvasView::dissolveLoop() {
    const std::vector<Element> selected = m_canvas->selectedElements();
    for (const Element& element : selected)
        if (dynamic_cast<const FrameItem*>(m_canvas->item(element))) {
            m_editor->dissolve(element);
            return;
        }
}

void CanvasView::align(Alignment alignment) {
    m_editor->align(alignment);
}

void CanvasView::distribute(Qt::Orientation along) {
    m_editor->distribute(along);
}

void CanvasView::tidy() {
    m_canvas->tidy();
    fitAll();
}

void CanvasView::setHeat(HeatMode mode) {
    if (mode == m_canvas->heat()) return;
    m_canvas->setHeat(mode);
    showHeatLegend();
    emit heatChanged();
}

void CanvasView::setSnapping(bool on) {
    if (on == m_canvas->snapping()) return;
    m_canvas->setSnapping(on);
    emit snappingChanged(on);
}

}  // namespace cubist
