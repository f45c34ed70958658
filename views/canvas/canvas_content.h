// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QRectF>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/design/design.h"
#include "core/design/resolve.h"
#include "core/rules/finding.h"
#include "views/selection_model.h"

namespace cubist {

enum class NodeKind : std::uint8_t { Input, Output, Slice, Cube, Vector, Store };

[[nodiscard]] constexpr bool isStage(NodeKind kind) {
    return kind == NodeKind::Cube || kind == NodeKind::Vector;
}

/// Predicted time of a stage, as data for its card.
struct StageLive {
    QString text;           ///< "9.8 us"
    double fraction = 0.0;  ///< share of the kernel's time, 0..1
    bool operator==(const StageLive&) const = default;
};

/// By block id.
using StageTimes = QHash<QString, StageLive>;

/// What the colour of the cards says.
enum class HeatMode : std::uint8_t { Off, Time, Error };

/// What the ends of the colours stand for. `to` is empty where there is nothing to colour by; `what` then says why.
struct HeatScale {
    QString what;  ///< "Time of the stage"
    QString from;  ///< "0"
    QString to;    ///< "7.88 us"
    bool operator==(const HeatScale&) const = default;
};

/// Error that a stage added, as data for its card.
struct StageHeat {
    QString text;           ///< "err 3.1e-4"
    double fraction = 0.0;  ///< its place on the scale, 0..1
    bool operator==(const StageHeat&) const = default;
};

/// By block id.
using StageHeats = QHash<QString, StageHeat>;

/// What rules say about one element.
struct FindingCount {
    int count = 0;
    Severity worst = Severity::Hint;
    QStringList messages;
    bool operator==(const FindingCount&) const = default;
};

/// A tensor, slice, stage or store of the canvas, with every text ready to be drawn.
struct CanvasNode {
    Element element;
    NodeKind kind = NodeKind::Cube;
    int frame = -1;  ///< innermost loop, index into CanvasContent::frames
    QString title;
    QString line1;           ///< cube: "32 × 5120 × 160"; vector: its formula; tensor, slice, store: the only line
    QString line2;           ///< tile
    QString badge;           ///< "NZ"
    QString bufferName;      ///< the fullest buffer; empty when unknown
    double bufferUse = 0.0;  ///< its bytes / capacity; above 1: over
    StageLive live;
    QStringList inputs;    ///< names of the values that enter, one port each; empty: nothing is connected
    QStringList portKeys;  ///< of the inputs, as `inputPorts` has them; "to" where a store ends
    QString value;         ///< name of what it hands on; empty: nothing
    bool hasOutput = true;
    std::optional<double> heat;  ///< 0..1 while cards are coloured by heat
    HeatMode heatMode = HeatMode::Off;
    QString heatText;
    bool hasNotes = false;
    FindingCount findings;
    QString toolTip;
    bool operator==(const CanvasNode&) const = default;
};

/// A value on its way from its producer to a port of a reader, or from a store to its tensor.
struct CanvasWire {
    int from = 0;  ///< indices into CanvasContent::nodes
    int to = 0;
    int toPort = 0;
    bool fromStore = false;
    QString label;  ///< "32×160 FP32"; empty: no pill
    QString toolTip;
    bool operator==(const CanvasWire&) const = default;
};

/// A loop: a frame around the nodes of its body.
struct CanvasFrame {
    Element element;
    int parent = -1;  ///< enclosing loop
    QString header;   ///< "loop i in 0..31 · rows 32 · tail 2"
    QString list;     ///< group list that the loop runs over; empty: none
    QString groups;   ///< "4 groups · 1 empty"
    QRectF room;      ///< what the user gave it besides its content; may be empty
    FindingCount findings;
    QString toolTip;
    bool operator==(const CanvasFrame&) const = default;
};

/// The canvas as data: tensors in declared order, then blocks in execution order.
struct CanvasContent {
    std::vector<CanvasNode> nodes;
    std::vector<CanvasWire> wires;
    std::vector<CanvasFrame> frames;
    bool operator==(const CanvasContent&) const = default;
};

/// Builds the canvas of a design. `resolved` may be null (then shapes are shown as written) and so may `chip` (then no
/// buffer bars).
[[nodiscard]] CanvasContent buildCanvasContent(const Design& design, const ResolvedDesign* resolved,
                                               const ChipSpec* chip, const std::vector<Finding>& findings,
                                               const StageTimes& times, HeatMode heat = HeatMode::Off,
                                               const StageHeats& errors = {});

}  // namespace cubist
