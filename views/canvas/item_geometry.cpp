// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/canvas/item_geometry.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace cubist::geometry {

namespace {

constexpr double kMargin = 12.0;
constexpr double kPillMinWidth = 96.0;
constexpr double kPillMaxWidth = 264.0;
constexpr double kPillPadding = 14.0;
constexpr double kFormatWidth = 24.0;
constexpr double kFormatHeight = 14.0;
constexpr double kFrameTop = 44.0;    ///< below the header pill
constexpr double kLaneMargin = 16.0;  ///< from a wire that passes through to the frame
constexpr QRectF kEmptyFrame(0.0, 0.0, 240.0, 96.0);
constexpr double kHeaderHeight = 24.0;
constexpr double kGrip = 16.0;  ///< corner of a frame that resizes it
constexpr double kLabelHeight = 16.0;

double textWidth(FontRole role, const QString& text) {
    return text.isEmpty() ? 0.0 : QFontMetricsF(Theme::font(role)).horizontalAdvance(text);
}

QString cut(FontRole role, const QString& text, double width) {
    return QFontMetricsF(Theme::font(role)).elidedText(text, Qt::ElideRight, width);
}

double roundUpToSnap(double value) {
    return std::ceil(value / kSnap) * kSnap;
}

bool isPill(NodeKind kind) {
    return !isStage(kind);
}

double pillWidth(const CanvasNode& node) {
    const double format = node.badge.isEmpty() ? 0.0 : kFormatWidth + 8.0;
    const double wanted =
        std::max(textWidth(FontRole::UiStrong, node.title) + format, textWidth(FontRole::MonoSmall, node.line1));
    return std::clamp(roundUpToSnap(wanted + 2 * kPillPadding), kPillMinWidth, kPillMaxWidth);
}

/// Distances that put ports on rows which pills snap to, so that wires between neighbours run level.
double portDistance(qsizetype ports) {
    return ports <= 2 ? 32.0 : (ports == 3 ? 24.0 : 16.0);
}

void placePorts(const CanvasNode& node, NodePicture& picture) {
    const double height = picture.size.height();
    const double top = isPill(node.kind) ? 0.0 : kStageHeader;
    const double middle = (top + height) / 2;
    const qsizetype ports = node.inputs.size();
    const double distance = ports <= 4 ? portDistance(ports) : (height - top) / static_cast<double>(ports + 1);
    for (qsizetype port = 0; port < ports; ++port)
        picture.inputs.emplace_back(
            0.0, middle + distance * (static_cast<double>(port) - static_cast<double>(ports - 1) / 2));
    for (const QString& input : node.inputs) picture.open.push_back(input.isEmpty());
    if (node.hasOutput) picture.output = QPointF(picture.size.width(), middle);
}

void fillPill(const CanvasNode& node, NodePicture& picture) {
    const double width = picture.size.width();
    if (node.element.isTensor()) picture.radius = picture.size.height() / 2;
    double room = width - 2 * kPillPadding;
    picture.texts.push_back(
        {{kPillPadding, 32.0}, cut(FontRole::MonoSmall, node.line1, room), FontRole::MonoSmall, Token::Muted, false});
    if (!node.badge.isEmpty()) {
        picture.formatBadge = QRectF(width - kPillPadding - kFormatWidth, 5.0, kFormatWidth, kFormatHeight);
        room -= kFormatWidth + 8.0;
    }
    picture.texts.push_back(
        {{kPillPadding, 17.0}, cut(FontRole::UiStrong, node.title, room), FontRole::UiStrong, Token::Text, true});
}

void fillCard(const CanvasNode& node, NodePicture& picture) {
    const double width = picture.size.width();
    const double room = width - 2 * kMargin;
    const Token accent = node.kind == NodeKind::Cube ? Token::Cube : Token::Vector;
    const QString& figure = node.heatText.isEmpty() ? node.live.text : node.heatText;
    const double time = textWidth(FontRole::MonoStrong, figure);
    constexpr double kTitleLeft = 36.0;
    const double titleRoom = width - kTitleLeft - kMargin - (time > 0 ? time + 8.0 : 0.0);
    picture.texts.push_back(
        {{kTitleLeft, 21.0}, cut(FontRole::UiStrong, node.title, titleRoom), FontRole::UiStrong, Token::Text, true});
    if (time > 0)
        picture.texts.push_back({{width - kMargin + 2.0 - time, 21.0},
                                 figure,
                                 FontRole::MonoStrong,
                                 node.heat ? Token::Text : accent,
                                 false});
    // A formula that is a little too long is set smaller before it is cut.
    const FontRole first = textWidth(FontRole::Mono, node.line1) <= room ? FontRole::Mono : FontRole::MonoSmall;
    picture.texts.push_back({{kMargin, 51.0}, cut(first, node.line1, room), first, Token::Text, false});
    picture.texts.push_back(
        {{kMargin, 68.0}, cut(FontRole::MonoSmall, node.line2, room), FontRole::MonoSmall, Token::Muted, false});
    picture.timeShare = std::clamp(node.live.fraction, 0.0, 1.0);
    picture.heat = node.heat;
    picture.heatMode = node.heatMode;
    if (node.hasNotes) picture.noteMark = QRectF(width - 24.0, picture.size.height() - 5.0, 10.0, 10.0);
    if (node.bufferName.isEmpty()) return;

    picture.barOver = node.bufferUse > 1.0;
    picture.barFill = std::clamp(node.bufferUse, 0.0, 1.0);
    const QString text =
        QStringLiteral("%1 %2 %").arg(node.bufferName).arg(std::lround(std::min(node.bufferUse, 99.0) * 100));
    const double textRoom = std::max(54.0, textWidth(FontRole::MonoSmall, text));
    picture.bar = QRectF(kMargin, 83.0, room - textRoom - 8.0, 7.0);
    picture.texts.push_back({{width - kMargin - textWidth(FontRole::MonoSmall, text), 90.0},
                             text,
                             FontRole::MonoSmall,
                             picture.barOver ? Token::Error : Token::Muted,
                             false});
}

}  // namespace

QSizeF nodeSize(const CanvasNode& node) {
    return isPill(node.kind) ? QSizeF(pillWidth(node), kPillHeight) : QSizeF(kStageWidth, kStageHeight);
}

NodePicture nodePicture(const CanvasNode& node) {
    NodePicture picture;
    picture.kind = node.kind;
    picture.size = nodeSize(node);
    picture.title = node.title;
    placePorts(node, picture);
    if (isPill(node.kind))
        fillPill(node, picture);
    else
        fillCard(node, picture);
    if (node.findings.count > 0) {
        picture.findingText = node.findings.count > 99 ? QStringLiteral("99+") : QString::number(node.findings.count);
        picture.worst = node.findings.worst;
        const QPointF centre(picture.size.width() - 6.0, 4.0);
        picture.findingBadge =
            QRectF(centre - QPointF(kBadgeRadius, kBadgeRadius), QSizeF(2 * kBadgeRadius, 2 * kBadgeRadius));
    }
    return picture;
}

NodePart hitTest(const NodePicture& picture, const QPointF& point) {
    if (picture.findingBadge.contains(point)) return NodePart::FindingBadge;
    return QRectF(QPointF(), picture.size).contains(point) ? NodePart::Body : NodePart::None;
}

FramePicture framePicture(const CanvasFrame& frame, const FrameContent& content) {
    FramePicture picture;
    QRectF rect;
    for (const QRectF& stage : content.stages)
        rect |= stage.adjusted(-kFramePadding, -kFrameTop, kFramePadding, kFramePadding);
    for (const QRectF& edge : content.edges)
        rect |= edge.adjusted(-kEdgePadding, -kFrameTop, kEdgePadding, kFramePadding);
    const double left = rect.left();
    const double right = rect.right();
    for (const QPointF& point : content.passing)
        if (point.x() >= left && point.x() <= right)
            rect |= QRectF(point.x(), point.y() - kLaneMargin, 1.0, 2 * kLaneMargin);
    if (rect.isEmpty()) rect = frame.room.isEmpty() ? kEmptyFrame : QRectF();
    if (!frame.room.isEmpty()) rect |= frame.room;
    picture.rect = rect;
    picture.grip = QRectF(rect.right() - kGrip, rect.bottom() - kGrip, kGrip, kGrip);
    const double width = textWidth(FontRole::UiSmall, frame.header) + 2 * kMargin + 4.0;
    picture.header = QRectF(rect.left() + 16.0, rect.top() - kHeaderHeight / 2, width, kHeaderHeight);
    picture.text = frame.header;
    if (!frame.groups.isEmpty()) {
        picture.groupsText = frame.groups;
        picture.groups = QRectF(picture.header.right() + 8.0, picture.header.top(),
                                textWidth(FontRole::UiSmall, frame.groups) + 2 * kMargin, kHeaderHeight);
    }
    if (frame.findings.count > 0) {
        picture.findingText = frame.findings.count > 99 ? QStringLiteral("99+") : QString::number(frame.findings.count);
        picture.worst = frame.findings.worst;
        const QPointF centre(picture.header.right() - 2.0, picture.header.top() + 2.0);
        picture.findingBadge =
            QRectF(centre - QPointF(kBadgeRadius, kBadgeRadius), QSizeF(2 * kBadgeRadius, 2 * kBadgeRadius));
    }
    return picture;
}

FramePart hitTest(const FramePicture& picture, const QPointF& point) {
    if (picture.findingBadge.contains(point)) return FramePart::FindingBadge;
    if (picture.header.contains(point)) return FramePart::Header;
    if (picture.groups.contains(point)) return FramePart::Groups;
    if (picture.grip.contains(point)) return FramePart::Grip;
    constexpr double kReach = 5.0;
    const QRectF outer = picture.rect.adjusted(-kReach, -kReach, kReach, kReach);
    const QRectF inner = picture.rect.adjusted(kReach, kReach, -kReach, -kReach);
    return outer.contains(point) && !inner.contains(point) ? FramePart::Border : FramePart::None;
}

double labelWidth(const QString& label) {
    return label.isEmpty() ? 0.0 : textWidth(FontRole::MonoSmall, label) + 16.0;
}

WirePicture wirePicture(const QPointF& from, const QPointF& to, const std::vector<QPointF>& waypoints,
                        const QString& label) {
    WirePicture picture;
    picture.from = from;
    picture.to = to;
    picture.path.moveTo(from);
    QPointF last = from;
    std::vector<QPointF> points = waypoints;
    points.push_back(to);
    for (const QPointF& next : points) {
        const double reach =
            next.x() >= last.x() ? (next.x() - last.x()) / 2 : std::min(120.0, 40.0 + (last.x() - next.x()) / 2);
        picture.path.cubicTo(last + QPointF(reach, 0), next - QPointF(reach, 0), next);
        last = next;
    }
    if (!label.isEmpty()) {
        const QPointF middle = picture.path.pointAtPercent(0.5);
        const double width = labelWidth(label);
        picture.label = QRectF(middle.x() - width / 2, middle.y() - kLabelHeight / 2, width, kLabelHeight);
        picture.text = label;
    }
    picture.bounds = picture.path.controlPointRect().adjusted(-2, -2, 2, 2) | picture.label;
    return picture;
}

QPointF snapped(const QPointF& point) {
    return {std::round(point.x() / kSnap) * kSnap, std::round(point.y() / kSnap) * kSnap};
}

}  // namespace cubist::geometry
