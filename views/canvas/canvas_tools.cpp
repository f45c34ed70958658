// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/canvas_tools.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QMimeData>
#include <QMouseEvent>

#include <algorithm>

#include "core/design/edit_ops.h"
#include "views/canvas/canvas_view.h"
#include "views/canvas/stage_text.h"
#include "views/document_model.h"
#include "views/qt_text.h"
#include "views/widgets/painting.h"

namespace cubist {
namespace {

constexpr double kPortReach = 11.0;   ///< px around a port
constexpr double kWireReach = 14.0;   ///< px around a wire that something is dropped on
constexpr qint64 kMarkBudgetMs = 40;  ///< judging ports ahead stops after this
constexpr double kLeastStroke = 6.0;

QString valueText(const ResolvedValue* value, const QString& name) {
    return value ? QStringLiteral("%1 %2 %3").arg(name, shapeText(value->shape), qText(toText(value->dtype))) : name;
}

}  // namespace

CanvasTools::CanvasTools(CanvasView& view, CanvasEditor& editor)
    : QObject(&view),
      m_view(view),
      m_editor(editor),
      m_canvas(editor.canvas()),
      m_overlay(new CanvasOverlay(m_canvas.theme())),
      m_hint(new CanvasHint(view.viewport())) {
    m_canvas.addItem(m_overlay);
    connect(&m_canvas, &CanvasScene::dragHintChanged, this, [this](const QString& text, bool possible) {
        const QPoint at = m_view.viewport()->mapFromGlobal(QCursor::pos());
        m_hint->showAt(at, text, possible ? CanvasHint::Mood::Good : CanvasHint::Mood::Bad);
    });
}

double CanvasTools::reach() const {
    return kPortReach / m_view.zoom();
}

QPointF CanvasTools::scenePoint(const QPointF& at) const {
    return m_view.viewportTransform().inverted().map(at);
}

void CanvasTools::hover(const QPointF& at) {
    if (active()) return;
    const auto port = m_canvas.portAt(scenePoint(at), reach());
    CanvasOverlay::Picture picture;
    if (port) {
        const bool output = port->input < 0;
        picture.marks.push_back(
            {output ? port->node->outputPoint() : port->node->inputPoint(port->input), Token::Select, true});
        m_view.viewport()->setCursor(Qt::CrossCursor);
    } else if (!m_overlay->picture().marks.empty()) {
        m_view.viewport()->unsetCursor();
    } else {
        return;
    }
    m_overlay->show(std::move(picture));
}

bool CanvasTools::press(const QMouseEvent& event) {
    if (event.button() != Qt::LeftButton) return false;
    const QPointF point = scenePoint(event.position());
    m_pressed = event.position();
    const auto port = m_canvas.portAt(point, reach());
    // Many window managers keep Alt and a drag for themselves.
    const Qt::KeyboardModifiers both = Qt::ControlModifier | Qt::ShiftModifier;
    const bool cuts = event.modifiers().testFlag(Qt::AltModifier) || (event.modifiers() & both) == both;
    if (port && !cuts) {
        beginWire(*port);
        return true;
    }
    if (cuts && !m_canvas.nodeAt(point)) {
        m_mode = Mode::Cut;
        m_stroke = QPolygonF{point};
        return true;
    }
    return false;
}

void CanvasTools::beginWire(const CanvasScene::PortHit& port) {
    m_verdicts.clear();
    m_marks.clear();
    m_detached.reset();
    if (port.input < 0) {
        m_mode = Mode::FromSource;
        m_source = m_canvas.sourceOf(*port.node);
        m_fixed = port.node->outputPoint();
        return;
    }
    // A connected input gives its wire back; an open one asks for a value.
    const auto& wires = m_canvas.content().wires;
    for (std::size_t wire = 0; wire < wires.size(); ++wire) {
        if (m_canvas.nodeItems()[static_cast<std::size_t>(wires[wire].to)] != port.node) continue;
        if (wires[wire].toPort != port.input) continue;
        const NodeItem& from = *m_canvas.nodeItems()[static_cast<std::size_t>(wires[wire].from)];
        m_mode = Mode::FromSource;
        m_source = m_canvas.sourceOfWire(static_cast<int>(wire));
        m_fixed = from.outputPoint();
        m_detached = m_canvas.targetOfWire(static_cast<int>(wire));
        return;
    }
    m_mode = Mode::FromTarget;
    m_target = m_canvas.targetOf(*port.node, port.input);
    m_fixed = port.node->inputPoint(port.input);
}

const WireVerdict& CanvasTools::verdict(const WireSource& source, const WireTarget& target) {
    const std::pair key(source.element.id + '\n' + source.value.text, target.element.id + '\n' + target.port);
    const auto found = m_verdicts.find(key);
    if (found != m_verdicts.end()) return found->second;
    return m_verdicts.emplace(key, m_editor.judge(source, target)).first->second;
}

void CanvasTools::markPorts() {
    QElapsedTimer timer;
    timer.start();
    const QRectF shown = m_view.visibleScene();
    for (const NodeItem* node : m_canvas.nodeItems()) {
        if (timer.elapsed() > kMarkBudgetMs) return;
        if (!shown.intersects(node->area())) continue;
        if (m_mode == Mode::FromTarget) {
            if (!node->content().hasOutput || node->element() == m_target.element) continue;
            const bool legal = verdict(m_canvas.sourceOf(*node), m_target).kind == WireVerdict::Kind::Legal;
            m_marks.push_back({node->outputPoint(), legal ? Token::Ok : Token::Wait, legal});
            continue;
        }
        for (int input = 0; input < node->content().inputs.size(); ++input) {
            if (node->element() == m_source.element) continue;
            const bool legal = verdict(m_source, m_canvas.targetOf(*node, input)).kind == WireVerdict::Kind::Legal;
            m_marks.push_back({node->inputPoint(input), legal ? Token::Ok : Token::Wait, legal});
        }
    }
}

std::optional<WireTarget> CanvasTools::targetAt(const QPointF& point) {
    const auto port = m_canvas.portAt(point, 1.6 * reach());
    if (port && port->input >= 0) return m_canvas.targetOf(*port->node, port->input);
    const NodeItem* node = m_canvas.nodeAt(point);
    if (node == nullptr || node->element() == m_source.element) return std::nullopt;
    if (node->element().isTensor()) return WireTarget{node->element(), "to"};
    const Block* block = findBlock(*m_canvas.document().design(), node->element().block());
    if (block == nullptr) return std::nullopt;
    // An open port that takes it, then an optional one, then any that takes it, then the first.
    const std::vector<InputPort> ports = inputPorts(*block, true);
    const InputPort* best = nullptr;
    int bestRank = 4;
    for (const InputPort& candidate : ports) {
        const bool legal = verdict(m_source, {node->element(), candidate.key}).kind == WireVerdict::Kind::Legal;
        const bool open = candidate.value.empty();
        const int rank = !legal ? 3 : (open ? (candidate.optional ? 1 : 0) : 2);
        if (rank < bestRank) {
            bestRank = rank;
            best = &candidate;
        }
    }
    if (best == nullptr) return std::nullopt;
    return WireTarget{node->element(), best->key};
}

std::optional<WireSource> CanvasTools::sourceAt(const QPointF& point) const {
    const auto port = m_canvas.portAt(point, 1.6 * reach());
    const NodeItem* node = port && port->input < 0 ? port->node : m_canvas.nodeAt(point);
    if (node == nullptr || node->element() == m_target.element || !node->content().hasOutput) return std::nullopt;
    return m_canvas.sourceOf(*node);
}

void CanvasTools::draw(const QPointF& end, CanvasHint::Mood mood) {
    CanvasOverlay::Picture picture;
    const bool forward = m_mode == Mode::FromSource;
    picture.line = geometry::wirePicture(forward ? m_fixed : end, forward ? end : m_fixed, {}, {}).path;
    picture.dashed = mood != CanvasHint::Mood::Good;
    picture.lineToken =
        mood == CanvasHint::Mood::Bad ? Token::Error : (mood == CanvasHint::Mood::Good ? Token::Ok : Token::Select);
    picture.marks = m_marks;
    m_overlay->show(std::move(picture));
}

QString CanvasTools::nameOf(const WireTarget& target) const {
    const QString id = qText(target.element.id);
    return target.port == "to" || target.port == "from" || target.port == "of" ||
                   target.port.find('/') != std::string::npos
               ? id
               : id + QLatin1Char('.') + qText(target.port);
}

void CanvasTools::pull(const QPointF& at, Qt::KeyboardModifiers modifiers) {
    const QPointF point = scenePoint(at);
    if (m_marks.empty()) markPorts();
    std::optional<WireSource> source;
    std::optional<WireTarget> target;
    if (m_mode == Mode::FromSource) {
        source = m_source;
        target = targetAt(point);
    } else {
        target = m_target;
        source = sourceAt(point);
    }
    if (!source || !target) {
        draw(point, CanvasHint::Mood::Plain);
        m_hint->showAt(at.toPoint(), m_detached ? tr("Let go to disconnect") : tr("Let go to add what comes here"),
                       CanvasHint::Mood::Plain);
        return;
    }
    const WireVerdict& found = verdict(*source, *target);
    const bool legal = found.kind == WireVerdict::Kind::Legal;
    const bool insisted = found.kind == WireVerdict::Kind::Wrong && modifiers.testFlag(Qt::ShiftModifier);
    draw(point, legal || insisted ? CanvasHint::Mood::Good : CanvasHint::Mood::Bad);
    QString text = found.reason;
    if (legal)
        text = tr("%1 to %2")
                   .arg(valueText(source->value.empty() ? nullptr : m_canvas.known().value(source->value),
                                  qText(source->value.empty() ? source->element.id : source->value.text)),
                        nameOf(*target));
    else if (found.kind == WireVerdict::Kind::Wrong)
        text += QLatin1Char('\n') + tr("Shift: connect all the same");
    m_hint->showAt(at.toPoint(), text, legal ? CanvasHint::Mood::Good : CanvasHint::Mood::Bad);
}

bool CanvasTools::move(const QMouseEvent& event) {
    if (m_mode == Mode::None) return false;
    if (m_mode == Mode::Cut) {
        m_stroke << scenePoint(event.position());
        CanvasOverlay::Picture picture;
        picture.line.addPolygon(m_stroke);
        picture.lineToken = Token::Error;
        picture.dashed = true;
        picture.highlightToken = Token::Error;
        const std::vector<int> cut = m_canvas.wiresAcross(m_stroke);
        for (const int wire : cut) picture.highlighted.push_back(m_canvas.wireItem(wire).picture().path);
        m_overlay->show(std::move(picture));
        m_hint->showAt(event.position().toPoint(),
                       cut.empty()
                           ? QString()
                           : counted(static_cast<std::int64_t>(cut.size()), tr("Cut a wire"), tr("Cut %1 wires")),
                       CanvasHint::Mood::Plain);
        return true;
    }
    const bool far = (event.position() - m_pressed).manhattanLength() >= QApplication::startDragDistance();
    if (far || !m_marks.empty()) pull(event.position(), event.modifiers());
    return true;
}

bool CanvasTools::release(const QMouseEvent& event) {
    if (m_mode == Mode::None) return false;
    if (m_mode == Mode::Cut) {
        m_stroke << scenePoint(event.position());
        const QRectF extent = m_stroke.boundingRect();
        const std::vector<int> cut = m_canvas.wiresAcross(m_stroke);
        stop();
        if (std::max(extent.width(), extent.height()) * m_view.zoom() >= kLeastStroke) m_editor.disconnectWires(cut);
        return true;
    }
    const bool pulled = (event.position() - m_pressed).manhattanLength() >= QApplication::startDragDistance();
    if (pulled)
        finishWire(event.position(), event.modifiers().testFlag(Qt::ShiftModifier));
    else
        stop();
    return true;
}

void CanvasTools::finishWire(const QPointF& at, bool insist) {
    const QPointF point = scenePoint(at);
    const bool forward = m_mode == Mode::FromSource;
    const std::optional<WireTarget> target = forward ? targetAt(point) : std::optional(m_target);
    const std::optional<WireSource> source = forward ? std::optional(m_source) : sourceAt(point);
    const std::optional<WireTarget> detached = m_detached;
    stop();
    if (source && target) {
        if (detached == target) return;
        if (detached && detached->port != "to")
            m_editor.reconnectWire(*source, *detached, *target, insist);
        else
            m_editor.connectWire(*source, *target, insist);
        return;
    }
    if (detached) {
        m_editor.disconnectTarget(*detached);
        return;
    }
    CanvasEditor::Target wanted;
    wanted.place = point;
    if (const FrameItem* frame = m_canvas.frameAt(point)) wanted.loop = frame->element().block();
    if (forward)
        wanted.after = m_source;
    else
        wanted.before = m_target;
    emit addRequested(wanted, at);
}

void CanvasTools::stop() {
    m_mode = Mode::None;
    m_marks.clear();
    m_detached.reset();
    m_stroke.clear();
    m_overlay->clear();
    m_hint->hide();
    m_view.viewport()->unsetCursor();
}

bool CanvasTools::cancel() {
    if (!active()) return false;
    stop();
    return true;
}

CanvasTools::Landing CanvasTools::landingAt(const QString& key, const QPointF& at, Qt::KeyboardModifiers modifiers) {
    Landing landing;
    const QPointF point = scenePoint(at);
    const std::vector<CatalogEntry> catalog = stageCatalog();
    const auto entry =
        std::find_if(catalog.begin(), catalog.end(), [&](const CatalogEntry& known) { return known.key == key; });
    if (entry == catalog.end()) return landing;
    landing.text = tr("Add %1").arg(entry->title);
    if (const FrameItem* frame = m_canvas.frameAt(point)) {
        landing.loop = frame->element().block();
        landing.text = tr("Add %1 in the loop %2").arg(entry->title, qText(landing.loop.text));
        landing.picture.outline = frame->picture().rect;
    }
    const NodeItem* node = m_canvas.nodeAt(point);
    const bool vector = entry->kind == CatalogEntry::Kind::Vector;
    const bool cube = entry->kind == CatalogEntry::Kind::Cube;
    if (node && isStage(node->content().kind) && (vector || cube)) {
        landing.element = node->element();
        landing.picture.outline = node->area();
        const bool adds = vector && node->content().kind == NodeKind::Vector && !modifiers.testFlag(Qt::ShiftModifier);
        landing.kind = adds ? Landing::Kind::Append : Landing::Kind::Swap;
        landing.mood = CanvasHint::Mood::Good;
        landing.text = adds ? tr("Add %1 to %2\nShift: swap").arg(entry->title, node->content().title)
                            : tr("Swap %2 for %1").arg(entry->title, node->content().title);
        return landing;
    }
    if (!entry->takesValue || !entry->handsValueOn) return landing;
    const int wire = m_canvas.wireAt(point, kWireReach / m_view.zoom());
    if (wire < 0 || m_canvas.content().wires[static_cast<std::size_t>(wire)].fromStore) return landing;
    landing.kind = Landing::Kind::Wire;
    landing.wire = wire;
    landing.mood = CanvasHint::Mood::Good;
    landing.text = tr("Insert %1 on this wire").arg(entry->title);
    landing.picture.outline.reset();
    landing.picture.highlighted.push_back(m_canvas.wireItem(wire).picture().path);
    return landing;
}

bool CanvasTools::dragOver(const QMimeData& data, const QPointF& at, Qt::KeyboardModifiers modifiers) {
    if (!data.hasFormat(QString::fromLatin1(kMimeType)) || !m_canvas.document().hasDesign()) return false;
    Landing landing = landingAt(QString::fromUtf8(data.data(QString::fromLatin1(kMimeType))), at, modifiers);
    m_hint->showAt(at.toPoint(), landing.text, landing.mood);
    m_overlay->show(std::move(landing.picture));
    return true;
}

void CanvasTools::dragLeft() {
    m_overlay->clear();
    m_hint->hide();
}

bool CanvasTools::drop(const QMimeData& data, const QPointF& at, Qt::KeyboardModifiers modifiers) {
    if (!data.hasFormat(QString::fromLatin1(kMimeType)) || !m_canvas.document().hasDesign()) return false;
    const QString key = QString::fromUtf8(data.data(QString::fromLatin1(kMimeType)));
    const Landing landing = landingAt(key, at, modifiers);
    dragLeft();
    switch (landing.kind) {
        case Landing::Kind::Append: return m_editor.append(landing.element, key);
        case Landing::Kind::Swap: return m_editor.swap(landing.element, key);
        case Landing::Kind::Wire: return m_editor.insertOnWire(key, landing.wire, scenePoint(at));
        case Landing::Kind::Place: break;
    }
    CanvasEditor::Target target;
    target.place = scenePoint(at);
    target.loop = landing.loop;
    return m_editor.insert(key, target);
}

}  // namespace cubist
