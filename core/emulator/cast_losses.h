// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/emulator/vector_unit.h"

namespace cubist {

/// Looks at a row before it is cast: counts the elements that saturation clamps, NaN that becomes 0 (in saturating
/// casts, FP4 and integers) and what overflows to infinity or NaN, and keeps the first integer that wraps around.
/// `row`: place of the row in the part of both tiles. Source: F-58
void noteCastLosses(const VectorDetail& detail, const UbTile& dst, const UbTile& source, const Extent4& row,
                    std::size_t count, VectorScratch& scratch);

}  // namespace cubist
