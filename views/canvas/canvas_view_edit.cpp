// SPDX-License-Identifier: GPL-3.0-or-later
// The editing half of the canvas: keys, quick-add, wiring by keyboard, drops from the library.
#include <QApplication>
#include <QContextMenuEvent>
#include <QDragEnterEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QPainter>
#include <QPlainTextEdit>

#include <algorithm>
#include <utility>

#include "core/design/edit_ops.h"
#include "views/canvas/canvas_menu.h"
#include "views/canvas/canvas_scene.h"
#include "views/canvas/canvas_tools.h"
#include "views/canvas/canvas_view.h"
#include "views/canvas/chooser.h"
#include "views/canvas/in_place_editor.h"
#include "views/canvas/note_editor.h"
#include "views/canvas/note_item.h"
#include "views/document_model.h"
#include "views/qt_text.h"
#include "views/selection_model.h"

namespace cubist {
namespace {

constexpr std::size_t kMostOffers = 400;  ///< ends that are judged for one list

Chooser::Entry entryOf(const CatalogEntry& entry) {
    return {entry.key, entry.title, entry.subtitle, entry.keywords, badgeLetter(entry.kind), badgeToken(entry.kind)};
}

Token tokenOf(NodeKind kind) {
    switch (kind) {
        case NodeKind::Cube: return Token::Cube;
        case NodeKind::Vector: return Token::Vector;
        case NodeKind::Slice:
        case NodeKind::Store: return Token::Move;
        case NodeKind::Input:
        case NodeKind::Output: return Token::Muted;
    }
    return Token::Muted;
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

}  // namespace

void CanvasView::makeTools() {
    connect(m_chooser, &Chooser::chosen, this, &CanvasView::choose);
    connect(m_tools, &CanvasTools::addRequested, this, [this](const CanvasEditor::Target& target, const QPointF& at) {
        offer(target, at,
              target.after ? tr("Read %1 with").arg(qText(target.after->element.id)) : tr("What is read here?"));
    });
    connect(m_canvas, &CanvasScene::groupsRequested, this, &CanvasView::groupsRequested);
}

void CanvasView::setStageErrors(const StageHeats& errors) {
    m_canvas->setStageErrors(errors);
}

QString CanvasView::canvasKeys() {
    const QStringList lines{
        tr("Tab, double-click\tAdd; after the selection, or at the pointer"),
        tr("C\tConnect the selected element"),
        tr("S\tSwap the selected stage"),
        tr("F2\tName, type and shape in place"),
        tr("Enter\tTo the inspector"),
        tr("Delete\tDelete elements, cut wires"),
        tr("Arrows\tMove the selection"),
        tr("Alt+Arrows\tMove what is selected"),
        tr("N, Shift+N\tNext, previous element"),
        tr("Ctrl+C, Ctrl+X, Ctrl+V, Ctrl+D\tCopy, cut, paste, duplicate"),
        tr("Ctrl+A\tSelect everything"),
        tr("Ctrl+G, Ctrl+Shift+G\tPut a loop around, dissolve it"),
        tr("Ctrl+F\tFind an element"),
        tr("Alt+drag\tCut wires"),
        tr("Space+drag\tMove the view"),
        tr("F\tShow everything"),
    };
    return lines.join(QLatin1Char('\n'));
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
        const NodeKind kind = node->content().kind;
        if (kind != NodeKind::Output && kind != NodeKind::Store && !node->content().value.isEmpty())
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
    std::vector<Chooser::Entry> entries;
    for (const CatalogEntry& entry : stageCatalog()) {
        if ((target.after && !entry.takesValue) || (target.before && !entry.handsValueOn)) continue;
        Chooser::Entry shown = entryOf(entry);
        if (target.after) {
            if (const QString reason = refusal(*target.after, entry.key); !reason.isEmpty()) {
                shown.enabled = false;
                shown.subtitle = reason;
            }
        }
        entries.push_back(std::move(shown));
    }
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

void CanvasView::choose(const QString& key) {
    switch (m_asking) {
        case Asking::Add:
            if (m_editor->insert(key, m_addTarget)) reveal(m_selection.current());
            break;
        case Asking::Swap: m_editor->swap(m_canvas->selectedElements().front(), key); break;
        case Asking::Connect: {
            const auto index = static_cast<std::size_t>(key.toInt());
            if (index < m_offered.size()) m_editor->connectWire(m_offered[index].first, m_offered[index].second);
            break;
        }
        case Asking::Find: {
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
    m_asking = Asking::Find;
    m_chooser->open(QPoint((width() - m_chooser->width()) / 2, 16), tr("Find a stage, tensor or loop"),
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
}

void CanvasView::duplicate() {
    m_editor->duplicate();
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
}

void CanvasView::setHeat(HeatMode mode) {
    m_canvas->setHeat(mode);
}

bool CanvasView::takesKey(const QKeyEvent& event) const {
    if (!m_document.hasDesign()) return false;
    const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
    if (modifiers == Qt::NoModifier || modifiers == Qt::ShiftModifier) {
        switch (event.key()) {
            case Qt::Key_F:
            case Qt::Key_C:
            case Qt::Key_S:
            case Qt::Key_N:
            case Qt::Key_F2:
            case Qt::Key_Delete:
            case Qt::Key_Backspace:
            case Qt::Key_Return:
            case Qt::Key_Enter: return true;
            default: return false;
        }
    }
    if (modifiers.testFlag(Qt::ControlModifier) && !modifiers.testFlag(Qt::AltModifier)) {
        if (modifiers.testFlag(Qt::ShiftModifier)) return event.key() == Qt::Key_G;
        switch (event.key()) {
            case Qt::Key_A:
            case Qt::Key_C:
            case Qt::Key_X:
            case Qt::Key_V:
            case Qt::Key_D:
            case Qt::Key_F:
            case Qt::Key_G: return true;
            default: return false;
        }
    }
    return false;
}

bool CanvasView::handleEditKey(const QKeyEvent& event) {
    if (!takesKey(event)) return false;
    const bool control = event.modifiers().testFlag(Qt::ControlModifier);
    const bool shift = event.modifiers().testFlag(Qt::ShiftModifier);
    switch (event.key()) {
        case Qt::Key_A: selectAll(); return true;
        case Qt::Key_C: control ? copy() : connectSelected(); return true;
        case Qt::Key_X: cut(); return true;
        case Qt::Key_V: paste(); return true;
        case Qt::Key_D: duplicate(); return true;
        case Qt::Key_S: swapSelected(); return true;
        case Qt::Key_N: m_canvas->selectNext(!shift); return true;
        case Qt::Key_G: shift ? dissolveLoop() : wrapInLoop(); return true;
        case Qt::Key_F2: editInPlace(); return true;
        case Qt::Key_Delete:
        case Qt::Key_Backspace: deleteSelection(); return true;
        case Qt::Key_Return:
        case Qt::Key_Enter: emit inspectorRequested(); return true;
        case Qt::Key_F:
            if (!control) return false;
            find();
            return true;
        default: return false;
    }
}

void CanvasView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !m_document.hasDesign())
        return QGraphicsView::mouseDoubleClickEvent(event);
    const QPointF point = viewportTransform().inverted().map(event->position());
    if (const NodeItem* node = m_canvas->nodeAt(point)) {
        m_canvas->selectElements({node->element()});
        editInPlace();
        return;
    }
    for (const NoteItem* note : m_canvas->noteItems())
        if (note->sceneBoundingRect().contains(point)) return editNote(note->index());
    for (const FrameItem* frame : m_canvas->frameItems())
        if (frame->picture().header.contains(point)) {
            m_canvas->selectElements({frame->element()});
            editInPlace();
            return;
        }
    quickAddAt(event->position());
}

void CanvasView::contextMenuEvent(QContextMenuEvent* event) {
    if (!m_document.hasDesign()) return;
    const QPointF point = viewportTransform().inverted().map(QPointF(event->pos()));
    if (event->reason() == QContextMenuEvent::Mouse) {
        // What is under the pointer is what the menu is about.
        QGraphicsItem* under = nullptr;
        for (QGraphicsItem* item : m_canvas->items(point))
            if (item->flags().testFlag(QGraphicsItem::ItemIsSelectable)) {
                under = item;
                break;
            }
        if (under && !under->isSelected()) {
            m_canvas->clearSelection();
            under->setSelected(true);
        } else if (!under) {
            m_canvas->clearSelection();
        }
    }
    showCanvasMenu(*this, event->globalPos(), QPointF(event->pos()));
}

void CanvasView::drawForeground(QPainter* painter, const QRectF&) {
    if (!m_document.hasDesign() || !m_canvas->nodeItems().empty() || !m_canvas->frameItems().empty()) return;
    painter->save();
    painter->resetTransform();
    painter->setPen(m_theme.color(Token::Muted));
    painter->setFont(Theme::font(FontRole::Title));
    const QRectF area(viewport()->rect());
    painter->drawText(area.adjusted(0, 0, 0, -area.height() / 2 + 8), Qt::AlignHCenter | Qt::AlignBottom,
                      tr("The canvas is empty"));
    painter->setFont(Theme::font(FontRole::Ui));
    painter->drawText(area.adjusted(0, area.height() / 2 + 16, 0, 0), Qt::AlignHCenter | Qt::AlignTop,
                      tr("Press Tab or double-click to add a tensor or a stage, or drag one from the library."));
    painter->restore();
}

void CanvasView::dragEnterEvent(QDragEnterEvent* event) {
    dragMoveEvent(event);
}

void CanvasView::dragMoveEvent(QDragMoveEvent* event) {
    if (m_tools->dragOver(*event->mimeData(), event->position(), event->modifiers()))
        event->acceptProposedAction();
    else
        event->ignore();  // files are the window's, whom Qt asks next
}

void CanvasView::dragLeaveEvent(QDragLeaveEvent*) {
    m_tools->dragLeft();
}

void CanvasView::dropEvent(QDropEvent* event) {
    if (event->mimeData()->hasFormat(QString::fromLatin1(CanvasTools::kMimeType))) {
        m_tools->drop(*event->mimeData(), event->position(), event->modifiers());
        event->acceptProposedAction();
        setFocus(Qt::MouseFocusReason);
        return;
    }
    event->ignore();
}

}  // namespace cubist
