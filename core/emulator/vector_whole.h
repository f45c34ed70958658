// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/emulator/vector_unit.h"

/// Inside of the vector unit: the operations of the family Whole.
namespace cubist {

[[nodiscard]] std::optional<BadIndex> applyWhole(const VectorDetail& detail, const UbTile& dst,
                                                 const VectorSources& sources, VectorScratch& scratch);

/// quant_mx: exponents of groups of 32, then the data. Source: F-74
void mxScales(const VectorDetail& detail, const UbTile& dst, const UbTile& source, VectorScratch& scratch);
void mxData(const VectorDetail& detail, const UbTile& dst, const UbTile& source, const UbTile& scales,
            VectorScratch& scratch);

}  // namespace cubist
