// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/dtype.h"
#include "core/design/design.h"
#include "core/design/resolve.h"

/// What a user changes in a template before it becomes a design. Pure.
namespace cubist {

/// One number of a design: an axis of a tensor or view, or of the shape that a vector operation names.
struct AxisPlace {
    std::string id;      ///< of the tensor or block
    std::size_t op = 0;  ///< of a vector stage
    std::size_t axis = 0;
    bool scales = false;  ///< counts the scale pairs of an MX type instead of elements
    bool operator==(const AxisPlace&) const = default;
};

/// A constant extent of tensors, such as K or N, and every place that means it. Extents of equal value are one: a
/// template has the same number where it means the same axis.
struct FixedExtent {
    std::int64_t value = 0;
    std::vector<std::string> tensors;  ///< that have it, in declared order
    std::vector<AxisPlace> tensorAxes, viewAxes, opAxes;
};

/// Constant extents of 16 and more, in the order the tensors name them: with the views that take such an axis whole,
/// the vector operations that name it, and the scales of MX types, which have one for every 32 elements.
[[nodiscard]] std::vector<FixedExtent> fixedExtents(const Design& design);

/// Which axes of matmuls have this length: "K", "N", "K, N"; empty for none. M is left out: a loop cuts it into tiles,
/// so that the length of a matmul's M is a tile and none of the design's.
[[nodiscard]] std::string axisLetters(const ResolvedDesign& resolved, std::int64_t value);

/// Another value for an extent, in all its places. Tiles stay; the rules judge them. Range: value >= 1.
[[nodiscard]] Design withExtent(Design design, const FixedExtent& extent, std::int64_t value);

/// Another value for a symbol, in the design and in a case (empty: none). Lists of counts that cut an axis of this
/// length are stretched in proportion, so that they still add up. Range: value >= 1.
[[nodiscard]] Design withSymbol(Design design, const CaseId& shown, const SymbolId& symbol, std::int64_t value);

/// Counts in the same proportions with another sum. Range: total >= 0; counts not negative.
[[nodiscard]] std::vector<std::int64_t> stretchedCounts(std::vector<std::int64_t> counts, std::int64_t total);

}  // namespace cubist
