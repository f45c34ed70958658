// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainterPath>
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

#include "views/canvas/canvas_content.h"
#include "views/theme.h"

/// Sizes, places and hit tests of what the canvas draws, in scene units (pixels at 100 %). Pure: the same content gives
/// the same geometry. Nothing here depends on colours or on the scene.
namespace cubist::geometry {

inline constexpr double kSnap = 8.0;  ///< places are multiples of it
inline constexpr double kDotGrid = 24.0;
inline constexpr double kStageWidth = 208.0;
inline constexpr double kStageHeight = 104.0;
inline constexpr double kStageHeader = 32.0;
inline constexpr double kPillHeight = 40.0;
inline constexpr double kPortRadius = 3.5;
inline constexpr double kBadgeRadius = 9.0;
inline constexpr double kFramePadding = 32.0;  ///< around what a frame holds
inline constexpr double kEdgePadding = 12.0;   ///< beside slices and stores at its edges

/// A text with its place, cut to the room it has.
struct TextRun {
    QPointF baseline;
    QString text;
    FontRole font = FontRole::Ui;
    Token color = Token::Text;
    bool title = false;  ///< still drawn when zoomed out so far that details are hidden
};

/// Everything that painting a node needs; coordinates relative to the node's top left corner.
struct NodePicture {
    NodeKind kind = NodeKind::Cube;
    QSizeF size;
    double radius = Theme::kRadius;
    std::vector<TextRun> texts;
    std::vector<QPointF> inputs;
    std::vector<bool> open;  ///< by input: nothing is connected
    std::optional<QPointF> output;
    std::optional<double> heat;  ///< 0..1: the card's colour says it
    HeatMode heatMode = HeatMode::Off;
    QRectF noteMark;       ///< empty: no notes
    QRectF formatBadge;    ///< "NZ"; empty: none
    QRectF bar;            ///< empty: none
    double barFill = 0.0;  ///< 0..1
    bool barOver = false;
    double timeShare = 0.0;  ///< of the kernel's time
    QString findingText;     ///< "2"; empty: no findings
    Severity worst = Severity::Hint;
    QRectF findingBadge;
    QString title;  ///< for very small scales and assistive technology
};

[[nodiscard]] NodePicture nodePicture(const CanvasNode& node);

/// Just the size, for layout.
[[nodiscard]] QSizeF nodeSize(const CanvasNode& node);

enum class NodePart : std::uint8_t { None, Body, FindingBadge };
[[nodiscard]] NodePart hitTest(const NodePicture& picture, const QPointF& point);

struct FramePicture {
    QRectF rect;
    QRectF header;  ///< the pill on the upper edge
    QString text;
    QRectF groups;  ///< the pill beside it; empty: no groups
    QString groupsText;
    QRectF grip;  ///< the corner that resizes it
    QString findingText;
    Severity worst = Severity::Hint;
    QRectF findingBadge;
};

/// What lies in a loop.
struct FrameContent {
    std::vector<QRectF> stages;    ///< and inner frames: inside, with room around
    std::vector<QRectF> edges;     ///< slices and stores: inside, near the frame's edge
    std::vector<QPointF> passing;  ///< of wires that run below or above the stages
};

/// The frame around a loop's content.
[[nodiscard]] FramePicture framePicture(const CanvasFrame& frame, const FrameContent& content);

enum class FramePart : std::uint8_t { None, Header, Border, FindingBadge, Groups, Grip };
[[nodiscard]] FramePart hitTest(const FramePicture& picture, const QPointF& point);

struct WirePicture {
    QPainterPath path;
    QPointF from, to;
    QRectF label;  ///< empty: none
    QString text;
    QRectF bounds;  ///< of all that is drawn
};

/// A curve from an output to an input by way of `waypoints`.
[[nodiscard]] WirePicture wirePicture(const QPointF& from, const QPointF& to, const std::vector<QPointF>& waypoints,
                                      const QString& label);
/// Room that a wire's label needs, with margins.
[[nodiscard]] double labelWidth(const QString& label);

[[nodiscard]] QPointF snapped(const QPointF& point);

}  // namespace cubist::geometry
