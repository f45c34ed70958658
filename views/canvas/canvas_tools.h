// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPainterPath>
#include <QPolygonF>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "views/canvas/canvas_editor.h"
#include "views/canvas/canvas_hint.h"
#include "views/canvas/canvas_overlay.h"

class QMimeData;
class QMouseEvent;

namespace cubist {

class CanvasView;

/// Gestures on the canvas that are not moving things: pulling a wire from a port (with what is legal shown, and why
/// not), cutting wires with a stroke (Alt and drag), dropping what comes from the library.
class CanvasTools : public QObject {
    Q_OBJECT

public:
    /// Type of what is dragged out of the library: the key of a catalog entry.
    static constexpr const char* kMimeType = "application/x-cubist-stage";

    CanvasTools(CanvasView& view, CanvasEditor& editor);

    /// Each returns whether the event was the gesture's.
    bool press(const QMouseEvent& event);
    bool move(const QMouseEvent& event);
    bool release(const QMouseEvent& event);
    bool cancel();
    [[nodiscard]] bool active() const { return m_mode != Mode::None; }
    /// The pointer moves without a button: ports light up.
    void hover(const QPointF& at);

    /// Something is dragged over the canvas; false when it is not from the library.
    bool dragOver(const QMimeData& data, const QPointF& at, Qt::KeyboardModifiers modifiers);
    bool drop(const QMimeData& data, const QPointF& at, Qt::KeyboardModifiers modifiers);
    void dragLeft();

signals:
    /// A wire ended where nothing is: offer what could be there.
    void addRequested(const cubist::CanvasEditor::Target& target, const QPointF& at);

private:
    enum class Mode : std::uint8_t { None, FromSource, FromTarget, Cut };
    struct Landing {
        QString text;
        CanvasHint::Mood mood = CanvasHint::Mood::Plain;
        CanvasOverlay::Picture picture;
        enum class Kind : std::uint8_t { Place, Wire, Swap, Append } kind = Kind::Place;
        int wire = -1;
        Element element;
        BlockId loop;
    };

    [[nodiscard]] double reach() const;
    [[nodiscard]] QPointF scenePoint(const QPointF& at) const;
    void beginWire(const CanvasScene::PortHit& port);
    void pull(const QPointF& at, Qt::KeyboardModifiers modifiers);
    void finishWire(const QPointF& at, bool insist);
    void markPorts();
    void draw(const QPointF& end, CanvasHint::Mood mood);
    void stop();
    /// The far end that a wire would get at a point.
    [[nodiscard]] std::optional<WireTarget> targetAt(const QPointF& point);
    [[nodiscard]] std::optional<WireSource> sourceAt(const QPointF& point) const;
    [[nodiscard]] const WireVerdict& verdict(const WireSource& source, const WireTarget& target);
    [[nodiscard]] Landing landingAt(const QString& key, const QPointF& at, Qt::KeyboardModifiers modifiers);
    [[nodiscard]] QString nameOf(const WireTarget& target) const;

    CanvasView& m_view;
    CanvasEditor& m_editor;
    CanvasScene& m_canvas;
    CanvasOverlay* m_overlay;
    CanvasHint* m_hint;
    Mode m_mode = Mode::None;
    WireSource m_source;
    WireTarget m_target;
    std::optional<WireTarget> m_detached;  ///< the end that the pulled wire had
    QPointF m_fixed;                       ///< end of the wire that stays
    QPointF m_pressed;                     ///< in the viewport
    QPolygonF m_stroke;
    std::vector<CanvasOverlay::Mark> m_marks;
    std::map<std::pair<std::string, std::string>, WireVerdict> m_verdicts;
};

}  // namespace cubist
