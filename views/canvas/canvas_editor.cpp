// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/canvas_editor.h"

#include <algorithm>
#include <utility>

#include "core/design/edit_ops.h"
#include "views/canvas/note_item.h"
#include "views/canvas/stage_fit.h"
#include "views/document_model.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr double kBeside = 72.0;       ///< between a card and the new one after it
constexpr double kBesideStore = 48.0;  ///< beside the store between a stage and its output

QString nameOf(const std::string& id) {
    return QString::fromStdString(id);
}

KnownDesign known(const DocumentModel& document, const Design& design) {
    return KnownDesign(design, document.caseName().toStdString(), document.symbolOverrides());
}

/// A tensor that goes with the other end of its wire.
void fitTensor(Tensor& tensor, const CanvasEditor::Target& target, const Design& design, const KnownDesign& values) {
    const auto shapeOf = [](const ResolvedValue& value) {
        std::vector<Expression> shape;
        for (const std::int64_t extent : value.shape) shape.emplace_back(extent);
        return shape;
    };
    if (tensor.role == TensorRole::Output && target.after) {
        if (const ResolvedValue* value = values.value(target.after->value)) {
            tensor.dtype = value->dtype;
            tensor.shape = shapeOf(*value);
        }
        return;
    }
    if (!target.before || !target.before->element.isBlock()) return;
    const Block* reader = findBlock(design, target.before->element.block());
    if (reader == nullptr) return;
    // Another operand of the reader says what this one may be.
    for (const InputPort& port : inputPorts(*reader)) {
        const ResolvedValue* value = port.value.empty() ? nullptr : values.value(port.value);
        if (value == nullptr || port.key == target.before->port) continue;
        tensor.dtype = value->dtype;
        tensor.shape = shapeOf(*value);
        const auto* cube = std::get_if<CubeStage>(&reader->content);
        const std::size_t rank = tensor.shape.size();
        if (cube != nullptr && rank >= 2) {
            // a [M, K] and b [K, N]: the common axis is taken over.
            const bool second = target.before->port == "b";
            const std::size_t common =
                second ? (cube->aTrans ? rank - 2 : rank - 1) : (cube->bTrans ? rank - 1 : rank - 2);
            const Expression k = tensor.shape[common];
            const bool turned = second ? cube->bTrans : cube->aTrans;
            tensor.shape[rank - 2] = second != turned ? k : Expression(128);
            tensor.shape[rank - 1] = second != turned ? Expression(128) : k;
        }
        return;
    }
}

/// Numbers that make sense for a type: integers for integer types.
void fitData(Tensor& tensor) {
    if (tensor.role != TensorRole::Input || !(tensor.data == DataSource())) return;
    const bool integer = tensor.dtype == DType::INT8 || tensor.dtype == DType::INT4 || tensor.dtype == DType::INT16 ||
                         tensor.dtype == DType::INT32;
    if (!integer) return;
    tensor.data.generator = Generator::Integers;
    tensor.data.low = -8;
    tensor.data.high = 7;
}

/// Rows (of a batch: the batch) of the first tensor that the blocks read.
std::optional<Expression> firstAxis(const Design& design, const std::vector<BlockId>& blocks) {
    for (const BlockId& id : blocks)
        for (const InputPort& port : inputPorts(*findBlock(design, id))) {
            const Tensor* tensor = findTensor(design, TensorId(port.value.text));
            if (tensor != nullptr && !tensor->shape.empty()) return tensor->shape.front();
        }
    return std::nullopt;
}

}  // namespace

CanvasEditor::CanvasEditor(CanvasScene& canvas, QObject* parent)
    : QObject(parent), m_canvas(canvas), m_document(canvas.document()) {
    connect(&canvas, &CanvasScene::duplicateRequested, this, [this](const QPointF& distance) { duplicate(distance); });
}

bool CanvasEditor::apply(const LocalText& label, Result<Design> edited) {
    m_document.endEditRun();
    return m_document.apply(label, std::move(edited));
}

QPointF CanvasEditor::placeFor(const CanvasNode& node, const Target& target) const {
    const QSizeF size = geometry::nodeSize(node);
    if (target.place) {
        const QPointF place = geometry::snapped(*target.place - QPointF(size.width() / 2, size.height() / 2));
        const QRectF area(place, size);
        const std::vector<NodeItem*>& nodes = m_canvas.nodeItems();
        const bool taken = std::any_of(nodes.begin(), nodes.end(),
                                       [&](const NodeItem* other) { return other->area().intersects(area); });
        return taken ? m_canvas.freePlace(place, size) : place;
    }
    QPointF wanted(0.0, 0.0);
    if (target.after) {
        if (const ElementItem* from = m_canvas.item(target.after->element))
            wanted = QPointF(from->area().right() + kBeside, from->area().center().y() - size.height() / 2);
    } else if (target.before) {
        if (const ElementItem* to = m_canvas.item(target.before->element))
            wanted = QPointF(to->area().left() - kBeside - size.width(), to->area().center().y() - size.height() / 2);
    } else if (!m_canvas.nodeItems().empty()) {
        const QRectF content = m_canvas.contentRect();
        wanted = QPointF(content.left(), content.bottom() + 24.0);
    }
    return m_canvas.freePlace(wanted, size);
}

QPointF CanvasEditor::behindItsStore(const CanvasContent& content, const WireSource& source, const QPointF& place,
                                     bool chosen, const QSizeF& size) const {
    const ElementItem* from = m_canvas.item(source.element);
    const auto store = std::find_if(content.nodes.begin(), content.nodes.end(), [&](const CanvasNode& node) {
        return node.kind == NodeKind::Store && !m_canvas.item(node.element);
    });
    if (from == nullptr || store == content.nodes.end()) return place;
    const double least = from->area().right() + 2 * kBesideStore + geometry::nodeSize(*store).width();
    if (!chosen) return m_canvas.freePlace({least, from->area().center().y() - size.height() / 2}, size);
    // Where the user points, but what runs to the right keeps room for the store between.
    const bool rightOf = place.x() + size.width() / 2 > from->area().center().x();
    return rightOf ? geometry::snapped({std::max(place.x(), least), place.y()}) : place;
}

bool CanvasEditor::insert(const QString& key, const Target& target) {
    if (!m_document.hasDesign()) return false;
    if (key == QLatin1String("note")) return addNote(target.place.value_or(QPointF()));
    const Design& before = *m_document.design();
    FreeNames names(before);
    NewElement made = makeElement(key, names);
    Result<Design> edited = before;
    Element element;
    if (made.tensor) {
        fitTensor(*made.tensor, target, before, m_canvas.known());
        fitData(*made.tensor);
        element = Element(made.tensor->id);
        const TensorId id = made.tensor->id;
        edited = addTensor(before, *std::move(made.tensor));
        if (edited && target.after) edited = withWire(*edited, *target.after, {element, "to"});
        if (edited && target.before) edited = withWire(*edited, {element, ValueId(id.text)}, *target.before);
    } else if (made.block) {
        element = Element(made.block->id());
        const BlockId id = made.block->id();
        const ValueId result = resultOf(*made.block);
        BlockPlace place{target.loop, {}};
        if (place.loop.empty() && target.after && target.after->element.isBlock())
            place.loop = loopOf(before, target.after->element.block());
        if (place.loop.empty() && target.before && target.before->element.isBlock())
            place.loop = loopOf(before, target.before->element.block());
        edited = insertBlocks(before, place, {*std::move(made.block)});
        if (edited && target.after && !made.input.empty())
            edited = withWire(*edited, *target.after, {element, made.input});
        if (edited && target.before && !result.empty()) edited = withWire(*edited, {element, result}, *target.before);
        if (edited) edited = fittedTo(*edited, id, known(m_document, *edited));
    } else {
        return false;
    }
    if (!edited) return apply({}, std::move(edited));
    // Its card's size decides where it goes, and everything else stays where it is.
    const CanvasContent content = buildCanvasContent(*edited, nullptr, nullptr, {}, {});
    std::vector<std::pair<std::string, QPointF>> placed;
    for (const CanvasNode& node : content.nodes) {
        if (node.element != element) continue;
        QPointF place = placeFor(node, target);
        if (target.wire >= 0 && target.place) {
            const CanvasScene::WireRoom room =
                m_canvas.roomOnWire(target.wire, geometry::nodeSize(node), *target.place);
            edited = m_canvas.withRoom(*std::move(edited), room);
            place = room.place;
        } else if (node.kind == NodeKind::Output && target.after) {
            place = behindItsStore(content, *target.after, place, target.place.has_value(), geometry::nodeSize(node));
        }
        placed.emplace_back(element.id, place);
    }
    Design pinned = m_canvas.pinned(*std::move(edited), placed);
    if (placed.empty()) {
        // A loop is a frame with room for its body.
        const QPointF place =
            target.place ? *target.place - QPointF(160, 80)
                         : m_canvas.freePlace(m_canvas.contentRect().bottomLeft() + QPointF(0, 48), QSizeF(320, 160));
        const QPointF corner = geometry::snapped(place);
        pinned.layout.set(element.id, Position{corner.x(), corner.y(), 320.0, 160.0, {}});
    }
    if (!apply([name = nameOf(element.id)] { return tr("Add %1").arg(name); }, std::move(pinned))) return false;
    m_canvas.selectElements({element});
    return true;
}

bool CanvasEditor::insertOnWire(const QString& key, int wire, const QPointF& place) {
    const CanvasContent& content = m_canvas.content();
    const CanvasWire& crossed = content.wires[static_cast<std::size_t>(wire)];
    const WireSource source = m_canvas.sourceOfWire(wire);
    const WireTarget reader = m_canvas.targetOfWire(wire);
    if (crossed.fromStore) return false;
    Target target;
    target.place = place;
    target.after = source;
    target.before = reader;
    target.loop = loopOf(*m_document.design(), reader.element.block());
    target.wire = wire;
    return insert(key, target);
}

bool CanvasEditor::swap(const Element& stage, const QString& key) {
    const Design& before = *m_document.design();
    FreeNames names(before);
    NewElement made = makeElement(key, names);
    if (!made.block) return false;
    Result<Design> edited = swapStage(before, stage.block(), *std::move(made.block));
    if (edited) edited = fittedTo(*edited, stage.block(), known(m_document, *edited));
    return apply([name = nameOf(stage.id)] { return tr("Swap %1").arg(name); }, std::move(edited));
}

bool CanvasEditor::append(const Element& stage, const QString& key) {
    const Design& before = *m_document.design();
    FreeNames names(before);
    const NewElement made = makeElement(key, names);
    const auto* added = made.block ? std::get_if<VectorStage>(&made.block->content) : nullptr;
    const Block* block = findBlock(before, stage.block());
    const auto* vector = block ? std::get_if<VectorStage>(&block->content) : nullptr;
    if (added == nullptr || vector == nullptr || added->ops.empty()) return false;
    // What the stage hands on keeps its name; the operation before takes another.
    VectorStage longer = *vector;
    const ValueId result = resultOf(*block);
    std::vector<VectorOp> ops = added->ops;
    if (!longer.ops.empty()) {
        const ValueId inner = ValueId(names.take(result.text));
        for (VectorOp& op : longer.ops) {
            for (Operand& operand : op.in)
                if (auto* value = std::get_if<ValueId>(&operand.source); value && *value == result) *value = inner;
            if (op.out == result) op.out = inner;
        }
        ops.back().out = result;
        for (Operand& operand : ops.front().in)
            if (auto* value = std::get_if<ValueId>(&operand.source); value && value->empty()) {
                *value = inner;
                break;
            }
    }
    longer.ops.insert(longer.ops.end(), ops.begin(), ops.end());
    Result<Design> edited = swapStage(before, stage.block(), Block{VectorStage(longer)});
    if (edited) edited = fittedTo(*edited, stage.block(), known(m_document, *edited));
    return apply([name = nameOf(stage.id)] { return tr("Add an operation to %1").arg(name); }, std::move(edited));
}

WireVerdict CanvasEditor::judge(const WireSource& source, const WireTarget& target) const {
    return ConnectionRules(*m_document.design(), m_canvas.known(), m_document.chip()).judge(source, target);
}

Result<Design> CanvasEditor::wired(const Design& design, const WireSource& source, const WireTarget& target,
                                   bool insist) const {
    const WireVerdict verdict = ConnectionRules(design, m_canvas.known(), m_document.chip()).judge(source, target);
    if (verdict.kind == WireVerdict::Kind::Impossible || (verdict.kind == WireVerdict::Kind::Wrong && !insist))
        return unexpected(ErrorCode::BadValue, verdict.reason.toStdString());
    CUBIST_TRY(Design edited, withWire(design, source, target));
    if (target.element.isBlock()) edited = fittedTo(edited, target.element.block(), known(m_document, edited));
    return m_canvas.pinned(std::move(edited), {});
}

bool CanvasEditor::connectWire(const WireSource& source, const WireTarget& target, bool insist) {
    return apply([name = nameOf(target.element.id)] { return tr("Connect %1").arg(name); },
                 wired(*m_document.design(), source, target, insist));
}

bool CanvasEditor::reconnectWire(const WireSource& source, const WireTarget& from, const WireTarget& to, bool insist) {
    Result<Design> edited = connectPort(*m_document.design(), from.element.block(), from.port, {});
    if (edited) edited = wired(*edited, source, to, insist);
    return apply([name = nameOf(to.element.id)] { return tr("Connect %1").arg(name); }, std::move(edited));
}

bool CanvasEditor::disconnectTarget(const WireTarget& target) {
    Result<Design> edited = target.port == "to"
                                ? connectStore(*m_document.design(), target.element.block(), {})
                                : connectPort(*m_document.design(), target.element.block(), target.port, {});
    if (edited) edited = m_canvas.pinned(*std::move(edited), {});
    return apply([name = nameOf(target.element.id)] { return tr("Disconnect %1").arg(name); }, std::move(edited));
}

bool CanvasEditor::disconnectWires(const std::vector<int>& wires) {
    if (wires.empty()) return false;
    Result<Design> edited = *m_document.design();
    for (const int wire : wires) {
        const WireTarget target = m_canvas.targetOfWire(wire);
        if (!edited) break;
        edited = target.port == "to" ? connectStore(*edited, target.element.block(), {})
                                     : connectPort(*edited, target.element.block(), target.port, {});
    }
    if (edited) edited = m_canvas.pinned(*std::move(edited), {});
    const auto label = [count = static_cast<std::int64_t>(wires.size())] {
        return counted(count, tr("Cut a wire"), tr("Cut %1 wires"));
    };
    return apply(label, std::move(edited));
}

bool CanvasEditor::addNote(const QPointF& place) {
    Design edited = *m_document.design();
    CanvasNote note;
    const QPointF corner = geometry::snapped(place);
    note.x = corner.x();
    note.y = corner.y();
    edited.canvasNotes.push_back(std::move(note));
    return apply([] { return tr("Add a note"); }, std::move(edited));
}

bool CanvasEditor::setNoteText(std::size_t note, const QString& text) {
    Design edited = *m_document.design();
    if (note >= edited.canvasNotes.size()) return false;
    edited.canvasNotes[note].text = text.toStdString();
    return apply([] { return tr("Change a note"); }, std::move(edited));
}

bool CanvasEditor::wrapSelection() {
    if (!m_document.hasDesign()) return false;
    const Design& before = *m_document.design();
    std::vector<BlockId> blocks = selectedSet().blocks;
    if (blocks.empty()) return false;
    Loop loop;
    FreeNames names(before);
    loop.id = BlockId(names.take("rows"));
    loop.index = names.take("i");
    loop.axis = Expression(128);
    loop.tile = Expression(64);
    if (const auto axis = firstAxis(before, blocks)) {
        loop.axis = *axis;
        loop.tile = Expression(std::clamp<std::int64_t>(axis->literal().value_or(64), 1, 64));
    }
    const BlockId id = loop.id;
    const Binding* binding = m_document.binding();
    Result<Design> edited = wrapInLoop(before, blocks, std::move(loop), binding ? *binding : Binding());
    if (edited) edited = m_canvas.pinned(*std::move(edited), {});
    if (!apply([name = nameOf(blocks.front().text)] { return tr("Put a loop around %1").arg(name); },
               std::move(edited)))
        return false;
    m_canvas.selectElements({Element(id)});
    return true;
}

bool CanvasEditor::dissolve(const Element& loop) {
    Result<Design> edited = dissolveLoop(*m_document.design(), loop.block());
    if (edited) edited = m_canvas.pinned(*std::move(edited), {});
    return apply([name = nameOf(loop.id)] { return tr("Dissolve the loop %1").arg(name); }, std::move(edited));
}

bool CanvasEditor::place(const LocalText& label, const std::vector<NodeItem*>& nodes,
                         const std::vector<QPointF>& places) {
    std::vector<Placement> moved;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const QPointF at = m_canvas.snapped(places[i]);
        moved.push_back({nodes[i]->element().id, at.x(), at.y()});
    }
    return apply(label, setPlacements(*m_document.design(), moved));
}

bool CanvasEditor::align(Alignment alignment) {
    std::vector<NodeItem*> nodes;
    std::vector<QRectF> cards;
    for (NodeItem* node : m_canvas.nodeItems())
        if (node->isSelected()) {
            nodes.push_back(node);
            cards.push_back(node->area());
        }
    return nodes.size() > 1 && place([] { return tr("Align"); }, nodes, aligned(cards, alignment));
}

bool CanvasEditor::distribute(Qt::Orientation along) {
    std::vector<NodeItem*> nodes;
    std::vector<QRectF> cards;
    for (NodeItem* node : m_canvas.nodeItems())
        if (node->isSelected()) {
            nodes.push_back(node);
            cards.push_back(node->area());
        }
    return nodes.size() > 2 && place([] { return tr("Distribute"); }, nodes, distributed(cards, along));
}

}  // namespace cubist
