// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/canvas_content.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/design/edit_structure.h"
#include "core/rules/buffer_use.h"
#include "views/canvas/stage_text.h"
#include "views/element_lookup.h"
#include "views/models/group_counts.h"

namespace cubist {

namespace {

QString fromUtf8(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString text(const std::string& utf8) {
    return QString::fromStdString(utf8);
}

class ContentBuilder {
    Q_DECLARE_TR_FUNCTIONS(cubist::CanvasContent)

public:
    ContentBuilder(const Design& design, const ResolvedDesign* resolved, const ChipSpec* chip,
                   const std::vector<Finding>& findings, const StageTimes& times, HeatMode heat,
                   const StageHeats& errors)
        : m_design(design), m_resolved(resolved), m_chip(chip), m_times(times), m_heat(heat), m_errors(errors) {
        for (const Finding& finding : findings) count(finding);
        if (!resolved) return;
        for (const ResolvedBlock& block : resolved->blocks) m_resolvedBlocks.emplace(block.block->id().text, &block);
        if (chip) m_facts.emplace(*resolved);
    }

    CanvasContent build() {
        for (const Tensor& tensor : m_design.tensors) addTensor(tensor);
        addBlocks(m_design.blocks, -1);
        connect();
        return std::move(m_content);
    }

private:
    void count(const Finding& finding) {
        const Element element = elementOf(m_design, finding);
        if (element.isNone()) return;
        FindingCount& entry = m_counts[{element.isTensor(), element.id}];
        if (entry.count == 0 || finding.severity < entry.worst) entry.worst = finding.severity;
        ++entry.count;
        entry.messages << text(finding.ruleId) + QStringLiteral(": ") + text(finding.message);
    }

    [[nodiscard]] FindingCount findingsOf(const Element& element) const {
        const auto found = m_counts.find({element.isTensor(), element.id});
        return found == m_counts.end() ? FindingCount{} : found->second;
    }

    [[nodiscard]] const ResolvedBlock* resolvedBlock(const BlockId& id) const {
        const auto found = m_resolvedBlocks.find(id.text);
        return found == m_resolvedBlocks.end() ? nullptr : found->second;
    }

    [[nodiscard]] const ResolvedValue* value(const std::string& name) const {
        return m_resolved ? m_resolved->value(ValueId{name}) : nullptr;
    }

    /// "32×160 FP32", or empty when nothing is known about the value.
    [[nodiscard]] QString valueText(const std::string& name) const {
        const ResolvedValue* known = value(name);
        return known ? shapeText(known->shape) + QLatin1Char(' ') + fromUtf8(toText(known->dtype)) : QString();
    }

    /// Extents of a value as texts; empty when they are not known.
    [[nodiscard]] std::vector<QString> extents(const std::string& name) const {
        std::vector<QString> texts;
        if (const ResolvedValue* known = value(name))
            for (const std::int64_t extent : known->shape) texts.push_back(QString::number(extent));
        return texts;
    }

    int push(CanvasNode node, const std::string& produces) {
        node.findings = findingsOf(node.element);
        if (!node.findings.messages.isEmpty())
            node.toolTip += QStringLiteral("\n\n") + node.findings.messages.mid(0, 5).join(QLatin1Char('\n'));
        m_content.nodes.push_back(std::move(node));
        const int index = static_cast<int>(m_content.nodes.size()) - 1;
        if (!produces.empty()) m_producers.emplace(produces, index);
        return index;
    }

    void addTensor(const Tensor& tensor) {
        CanvasNode node;
        node.element = Element(tensor.id);
        node.kind = tensor.role == TensorRole::Input ? NodeKind::Input : NodeKind::Output;
        node.title = text(tensor.id.text);
        const QString dtype = fromUtf8(toText(tensor.dtype));
        const ResolvedValue* known = value(tensor.id.text);
        const QString declared = shapeText(tensor.shape);
        node.line1 = (known ? shapeText(known->shape) : declared) + QLatin1Char(' ') + dtype;
        if (tensor.format == Format::NZ) node.badge = QStringLiteral("NZ");
        node.hasOutput = tensor.role != TensorRole::Output;
        if (node.hasOutput) node.value = node.title;
        node.hasNotes = !tensor.notes.empty();
        node.toolTip = QStringLiteral("%1  %2 %3 %4").arg(node.title, declared, dtype, fromUtf8(toText(tensor.format)));
        if (node.kind == NodeKind::Output) {
            node.inputs << node.title;
            node.portKeys << QStringLiteral("to");
        }
        const int index = push(std::move(node), tensor.role == TensorRole::Output ? std::string() : tensor.id.text);
        m_tensors.emplace(tensor.id.text, index);
    }

    void addBlocks(const std::vector<Block>& blocks, int frame) {
        for (const Block& block : blocks) std::visit([&](const auto& content) { add(content, frame); }, block.content);
    }

    void add(const View& view, int frame) {
        CanvasNode node;
        node.element = Element(view.id);
        node.kind = NodeKind::Slice;
        node.frame = frame;
        node.title = text(view.out.text);
        std::vector<QString> extent = extents(view.out.text);
        if (extent.empty())
            for (const Expression& axis : view.shape) extent.push_back(text(axis.text()));
        node.line1 = sliceText(view.offset, extent, extents(view.of.text));
        setPorts(node, view);
        node.toolTip += tr("%1 = slice of %2, shape %3").arg(node.title, text(view.of.text), shapeText(view.shape));
        if (!view.valid.empty()) node.toolTip += QLatin1Char('\n') + tr("valid: %1").arg(shapeText(view.valid));
        push(std::move(node), view.out.text);
    }

    void add(const CubeStage& stage, int frame) {
        CanvasNode node = stageNode(stage, frame);
        node.kind = NodeKind::Cube;
        const ResolvedBlock* place = resolvedBlock(stage.id);
        if (place && place->matmul)
            node.line1 =
                QStringLiteral("%1 × %2 × %3").arg(place->matmul->m).arg(place->matmul->k).arg(place->matmul->n);
        else
            node.line1 = QStringLiteral("%1 @ %2").arg(stage.a.empty() ? QStringLiteral("?") : text(stage.a.text),
                                                       stage.b.empty() ? QStringLiteral("?") : text(stage.b.text));
        node.line2 = tileText(stage.tile);
        setPorts(node, stage);
        setFullestBuffer(node, stage.id);
        const QString transposed = QStringLiteral("ᵀ");
        node.toolTip += QStringLiteral("%1 = %2%3 · %4%5")
                            .arg(text(stage.out.text), text(stage.a.text))
                            .arg(stage.aTrans ? transposed : QString(), text(stage.b.text))
                            .arg(stage.bTrans ? transposed : QString()) +
                        QLatin1Char('\n') + tr("M × K × N of one execution: %1").arg(node.line1) + QLatin1Char('\n') +
                        tr("tile M, K, N: %1").arg(node.line2);
        push(std::move(node), stage.out.text);
    }

    void add(const VectorStage& stage, int frame) {
        CanvasNode node = stageNode(stage, frame);
        node.kind = NodeKind::Vector;
        node.line1 = formulaText(stage);
        node.line2 = tileText(stage.tile);
        setPorts(node, stage);
        setFullestBuffer(node, stage.id);
        const std::string out = stage.ops.empty() ? std::string() : stage.ops.back().out.text;
        node.toolTip += QStringLiteral("%1 = %2\n").arg(text(out), node.line1) + tr("tile: %1").arg(node.line2);
        const int index = push(std::move(node), out);
        // Results in between that another stage reads, and second results, leave by the same port.
        for (const VectorOp& op : stage.ops)
            for (const ValueId& id : {op.out, op.out2})
                if (!id.empty()) m_producers.emplace(id.text, index);
    }

    void add(const Store& store, int frame) {
        CanvasNode node;
        node.element = Element(store.id);
        node.kind = NodeKind::Store;
        node.frame = frame;
        node.title = text(store.id.text);
        node.line1 = sliceText(store.offset, extents(store.from.text), extents(store.to.text));
        setPorts(node, store);
        node.toolTip += tr("writes %1 into %2").arg(text(store.from.text), text(store.to.text));
        m_stores.push_back({push(std::move(node), {}), store.to.text});
    }

    void add(const Loop& loop, int frame) {
        CanvasFrame entry;
        entry.element = Element(loop.id);
        entry.parent = frame;
        entry.header = loopHeader(loop);
        setGroups(entry, loop);
        if (const Position* place = m_design.layout.find(loop.id.text))
            entry.room = QRectF(place->x, place->y, place->width, place->height);
        entry.findings = findingsOf(entry.element);
        entry.toolTip =
            tr("for %1 in ceildiv(%2, %3)").arg(text(loop.index), text(loop.axis.text()), text(loop.tile.text()));
        if (!entry.findings.messages.isEmpty())
            entry.toolTip += QStringLiteral("\n\n") + entry.findings.messages.mid(0, 5).join(QLatin1Char('\n'));
        m_content.frames.push_back(std::move(entry));
        addBlocks(loop.body, static_cast<int>(m_content.frames.size()) - 1);
    }

    template <class Stage>
    [[nodiscard]] CanvasNode stageNode(const Stage& stage, int frame) const {
        CanvasNode node;
        node.element = Element(stage.id);
        node.frame = frame;
        const QString id = text(stage.id.text);
        node.title = id;
        if (!stage.label.empty() && stage.label != stage.id.text)
            node.toolTip = tr("label in the kernel: %1").arg(text(stage.label)) + QLatin1Char('\n');
        node.hasNotes = !stage.notes.empty();
        node.live = m_times.value(id);
        node.heatMode = m_heat;
        if (m_heat == HeatMode::Time && !node.live.text.isEmpty()) node.heat = node.live.fraction;
        if (m_heat == HeatMode::Error && m_errors.contains(id)) {
            node.heat = m_errors.value(id).fraction;
            node.heatText = m_errors.value(id).text;
        }
        return node;
    }

    /// Ports of a block, with the names of what they read and of what the block hands on.
    template <class Content>
    static void setPorts(CanvasNode& node, const Content& content) {
        const Block block{content};
        for (const InputPort& port : inputPorts(block)) {
            node.inputs << text(port.value.text);
            node.portKeys << text(port.key);
            if (port.value.empty() && !port.optional)
                node.toolTip += tr("input %1: nothing is connected").arg(text(port.key)) + QLatin1Char('\n');
        }
        node.value = text(resultOf(block).text);
        node.hasOutput = !node.value.isEmpty() || block.kind() == BlockKind::Store;
    }

    void setFullestBuffer(CanvasNode& node, const BlockId& id) {
        const ResolvedBlock* place = resolvedBlock(id);
        if (!place || !m_facts) return;
        for (const BufferUse& use : bufferUse(*m_facts, *place, *m_chip)) {
            if (use.bytesPerSlot <= 0 || use.capacity <= 0) continue;
            const double fraction = static_cast<double>(use.bytesPerSlot) / static_cast<double>(use.capacity);
            if (!node.bufferName.isEmpty() && fraction <= node.bufferUse) continue;
            node.bufferName = text(use.buffer);
            node.bufferUse = fraction;
        }
    }

    /// Groups of the list that the loop's length is read from.
    void setGroups(CanvasFrame& entry, const Loop& loop) const {
        const auto names = loop.axis.lists();
        if (!names) return;
        for (const List& list : m_design.lists) {
            if (list.form == ListForm::Plain) continue;
            bool used = std::find(names->begin(), names->end(), list.id.text) != names->end();
            for (const Block& block : loop.body)
                if (const auto* view = std::get_if<View>(&block.content); view != nullptr && !used)
                    for (const Expression& offset : view->offset)
                        if (const auto in = offset.lists())
                            used = used || std::find(in->begin(), in->end(), list.id.text) != in->end();
            if (!used) continue;
            entry.list = text(list.id.text);
            const IntegerList* bound = m_resolved ? m_resolved->binding.lists.find(list.id.text) : nullptr;
            if (!bound) return;
            const std::int64_t first = beginsWithStart(m_design, list, bound->values) ? 1 : 0;
            const std::int64_t groups = bound->groups() - first;
            std::int64_t empty = 0;
            for (std::int64_t g = first; g < bound->groups(); ++g) empty += bound->count(g) == 0 ? 1 : 0;
            entry.groups = empty == 0 ? tr("%1 groups").arg(groups) : tr("%1 groups · %2 empty").arg(groups).arg(empty);
            return;
        }
    }

    [[nodiscard]] QString loopHeader(const Loop& loop) const {
        const QString index = text(loop.index);
        QString head = loop.parallel ? tr("parallel loop") : tr("loop");
        if (loop.form == LoopKind::Static) head = QStringLiteral("for");
        if (loop.form == LoopKind::Unroll) return unrollHeader(loop);
        const ResolvedLoop* known = nullptr;
        if (m_resolved)
            for (const ResolvedLoop& candidate : m_resolved->loops)
                if (candidate.loop->id == loop.id) known = &candidate;
        if (!known)
            return QStringLiteral("%1 %2 · %3 / %4").arg(head, index, text(loop.axis.text()), text(loop.tile.text()));
        const QString range = known->iterations == 1 ? QStringLiteral("%1 = 0").arg(index)
                                                     : tr("%1 in 0..%2").arg(index).arg(known->iterations - 1);
        const std::int64_t tail = known->axis % known->tile;
        return QStringLiteral("%1 %2 · %3 · %4")
            .arg(head, range, tileHeader(loop, known->tile), tail == 0 ? tr("no tail") : tr("tail %1").arg(tail));
    }

    [[nodiscard]] static QString unrollHeader(const Loop& loop) {
        QStringList factors;
        for (const std::int64_t factor : loop.unroll) factors << QString::number(factor);
        return QStringLiteral("loop_unroll %1, %2 · %3 / [%4]")
            .arg(text(loop.index), text(loop.factor), text(loop.axis.text()), factors.join(QStringLiteral(", ")));
    }

    /// The tile, named after the axis that the loop's slices cut with its index.
    [[nodiscard]] static QString tileHeader(const Loop& loop, std::int64_t tile) {
        for (const Block& block : loop.body) {
            const View* view = std::get_if<View>(&block.content);
            if (!view) continue;
            for (std::size_t axis = 0; axis < view->offset.size(); ++axis) {
                const auto names = view->offset[axis].names();
                if (!names || std::find(names->begin(), names->end(), loop.index) == names->end()) continue;
                if (axis + 2 == view->offset.size()) return tr("rows %1").arg(tile);
                if (axis + 1 == view->offset.size()) return tr("columns %1").arg(tile);
            }
        }
        return tr("tile %1").arg(tile);
    }

    void connect() {
        for (std::size_t to = 0; to < m_content.nodes.size(); ++to) {
            const CanvasNode& node = m_content.nodes[to];
            for (int port = 0; node.kind != NodeKind::Output && port < node.inputs.size(); ++port) {
                const auto from = m_producers.find(node.inputs[port].toStdString());
                if (from != m_producers.end() && from->second != static_cast<int>(to))
                    addWire(from->second, static_cast<int>(to), port, from->first);
            }
        }
        for (const auto& [store, tensor] : m_stores) {
            const auto to = m_tensors.find(tensor);
            if (to == m_tensors.end()) continue;
            m_content.wires.push_back({store, to->second, 0, true, {}, {}});
        }
    }

    void addWire(int from, int to, int port, const std::string& name) {
        // What the pill of a tensor or slice says is not said again on its wires.
        const bool fromStage = isStage(m_content.nodes[static_cast<std::size_t>(from)].kind);
        const QString shape = valueText(name);
        m_content.wires.push_back(
            {from, to, port, false, fromStage ? shape : QString(), text(name) + QStringLiteral("  ") + shape});
    }

    const Design& m_design;
    const ResolvedDesign* m_resolved;
    const ChipSpec* m_chip;
    const StageTimes& m_times;
    HeatMode m_heat;
    const StageHeats& m_errors;
    CanvasContent m_content;
    std::map<std::pair<bool, std::string>, FindingCount> m_counts;
    std::unordered_map<std::string, const ResolvedBlock*> m_resolvedBlocks;
    std::optional<BufferFacts> m_facts;      ///< absent: nothing is known about buffers
    std::map<std::string, int> m_producers;  ///< node by the value that it makes
    std::map<std::string, int> m_tensors;    ///< node by tensor id
    std::vector<std::pair<int, std::string>> m_stores;
};

}  // namespace

CanvasContent buildCanvasContent(const Design& design, const ResolvedDesign* resolved, const ChipSpec* chip,
                                 const std::vector<Finding>& findings, const StageTimes& times, HeatMode heat,
                                 const StageHeats& errors) {
    return ContentBuilder(design, resolved, chip, findings, times, heat, errors).build();
}

}  // namespace cubist
