// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>

#include <vector>

#include "views/canvas/canvas_content.h"
#include "views/canvas/item_geometry.h"

namespace cubist {

/// Places for everything on the canvas.
struct CanvasLayout {
    std::vector<QPointF> places;                  ///< top left corner by node
    std::vector<std::vector<QPointF>> waypoints;  ///< by wire: where a long wire passes between cards
};

/// Lays the canvas out in columns from left to right: inputs, slices, stages in the order of the data flow, stores,
/// outputs; loops never share a column. Pure and stable: small changes of the content move little, and the same
/// content always gives the same places, which are multiples of the snap distance.
/// `pictures`: by node. `Cost`: a few sweeps over nodes and wires.
[[nodiscard]] CanvasLayout autoLayout(const CanvasContent& content, const std::vector<geometry::NodePicture>& pictures);

}  // namespace cubist
