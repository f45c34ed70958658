// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/emulator/vector_unit.h"

namespace cubist {

/// Looks at a row before it is cast: counts the elements that saturation clamps, infinite and NaN ones that become
/// integers among them, and keeps the first integer that wraps around. What becomes infinite or NaN shows itself and
/// is not counted. `row`: place of the row in the part of both tiles. Source: F-58
void noteCastLosses(const VectorDetail& detail, const UbTile& dst, const UbTile& source, const Extent4& row,
                    std::size_t count, VectorScratch& scratch);

}  // namespace cubist
