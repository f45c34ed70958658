// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

#include "views/canvas/canvas_content.h"

namespace cubist {

/// Columns of the nodes, by node: inputs 0, everything else right of what it reads, outputs last. A loop begins in a
/// column of its own after all earlier siblings and ends before all later ones; its stores share its last column.
/// Nodes that feed each other in a circle keep their order of execution.
[[nodiscard]] std::vector<std::size_t> assignLayers(const CanvasContent& content);

}  // namespace cubist
