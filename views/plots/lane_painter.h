// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QRectF>
#include <QString>

#include <optional>
#include <string>
#include <vector>

#include "views/plots/timeline_lanes.h"
#include "views/theme.h"

namespace cubist {

/// One line of the swimlane.
struct LaneRow {
    CoreRef core;
    Pipe pipe = Pipe::S;
    bool firstOfCore = false;
};

/// Rows for some cores, pipe after pipe.
[[nodiscard]] std::vector<LaneRow> laneRows(const std::vector<CoreRef>& cores);

[[nodiscard]] Token pipeToken(Pipe pipe);
/// "CUBE" for M and "VEC" for V, else the pipe's name.
[[nodiscard]] QString pipeText(Pipe pipe);
/// "AIC 0".
[[nodiscard]] QString coreText(CoreRef core);
/// "waits for data", "no task" ...
[[nodiscard]] QString causeText(Cause cause);
/// Waiting is hatched; a lane that has nothing to do is left blank.
[[nodiscard]] bool isHatched(Cause cause);

/// What is to be drawn, and where.
struct LaneView {
    QRectF area;                ///< of the bars
    double labelWidth = 0;      ///< left of the area
    Ticks from, to;             ///< visible time
    double scroll = 0;          ///< px that are scrolled out at the top
    double rowHeight = 24;      ///< px
    std::string selectedStage;  ///< others are drawn pale; empty: all alike
    std::optional<Ticks> cursor;
};

/// Draws the bars: at most two for each pixel of a lane, whatever the trace holds.
void paintLanes(QPainter& painter, const LaneView& view, const TimelineLanes& lanes, const std::vector<LaneRow>& rows,
                const Theme& theme);
/// Draws the names of cores and pipes left of the area.
void paintLaneLabels(QPainter& painter, const LaneView& view, const std::vector<LaneRow>& rows, const Theme& theme);

}  // namespace cubist
