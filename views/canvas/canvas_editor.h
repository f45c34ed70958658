// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointF>
#include <QString>

#include <optional>
#include <vector>

#include "views/canvas/arrange.h"
#include "views/canvas/canvas_scene.h"
#include "views/canvas/connection_rules.h"
#include "views/canvas/stage_catalog.h"
#include "views/local_text.h"

namespace cubist {

/// What the user does on the canvas as edits of the document, each one step of its history.
class CanvasEditor : public QObject {
    Q_OBJECT

public:
    explicit CanvasEditor(CanvasScene& canvas, QObject* parent = nullptr);

    /// Where a new element goes and what it is connected to.
    struct Target {
        std::optional<QPointF> place;  ///< middle of the new card; absent: beside what it is connected to
        BlockId loop;                  ///< empty: the loop of what it reads, else the top level
        std::optional<WireSource> after;
        std::optional<WireTarget> before;
        int wire = -1;  ///< the wire it goes onto: what is behind makes room
    };

    /// Adds an entry of the catalog and selects it.
    bool insert(const QString& key, const Target& target);
    /// Adds it between both ends of a wire.
    bool insertOnWire(const QString& key, int wire, const QPointF& place);
    /// Puts an entry in place of a stage; its operands and its result's name stay.
    bool swap(const Element& stage, const QString& key);
    /// Adds an operation of the catalog to a vector stage; it reads what the stage handed on so far.
    bool append(const Element& stage, const QString& key);

    [[nodiscard]] WireVerdict judge(const WireSource& source, const WireTarget& target) const;
    /// Connects two ends. A wire that is wrong is refused unless the user insists; the reason is reported.
    bool connectWire(const WireSource& source, const WireTarget& target, bool insist = false);
    /// Takes a wire off one end and puts it to another.
    bool reconnectWire(const WireSource& source, const WireTarget& from, const WireTarget& to, bool insist = false);
    bool disconnectWires(const std::vector<int>& wires);
    bool disconnectTarget(const WireTarget& target);

    bool removeSelection();
    void copy() const;
    bool cut();
    /// `place`: where the middle of what is pasted goes; absent: a little beside the original places.
    bool paste(std::optional<QPointF> place = std::nullopt);
    bool duplicate(const QPointF& distance = QPointF(32.0, 32.0));
    [[nodiscard]] bool canPaste() const;

    bool wrapSelection();
    bool dissolve(const Element& loop);
    bool align(Alignment alignment);
    bool distribute(Qt::Orientation along);
    bool setNoteText(std::size_t note, const QString& text);

    [[nodiscard]] CanvasScene& canvas() const { return m_canvas; }

private:
    [[nodiscard]] Result<Design> wired(const Design& design, const WireSource& source, const WireTarget& target,
                                       bool insist) const;
    bool apply(const LocalText& label, Result<Design> edited);
    bool addNote(const QPointF& place);
    bool place(const LocalText& label, const std::vector<NodeItem*>& nodes, const std::vector<QPointF>& places);
    [[nodiscard]] QPointF placeFor(const CanvasNode& node, const Target& target) const;
    /// The place of a new output with room for the store that writes it. `chosen`: the user said where.
    [[nodiscard]] QPointF behindItsStore(const CanvasContent& content, const WireSource& source, const QPointF& place,
                                         bool chosen, const QSizeF& size) const;
    [[nodiscard]] ElementSet selectedSet() const;
    [[nodiscard]] Design fragmentOfSelection() const;
    bool addFragment(const LocalText& label, const Design& fragment, const BlockPlace& place, const QPointF& distance);

    CanvasScene& m_canvas;
    DocumentModel& m_document;
};

}  // namespace cubist
