// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "core/emulator/isa.h"

namespace cubist {

/// C[rows, width] = fma(A[rows, k], B[k, width], C), k ascending, one fused multiply-add after the other per element; a
/// NaN result is the canonical one.
/// Shapes: a is [k][rows], b is [k][width], both dense; c is row-major with `cStride` elements between rows.
using PanelProduct = void (*)(const float* a, const float* b, std::int64_t k, float* c, std::int64_t cStride);

/// c[rows, width] += sums[rows, width], whole numbers of at most `largest`. Returns false, and leaves c alone, if an
/// element of c is nearer to an end of INT32 than that.
using SumAddition = bool (*)(const float* sums, std::int64_t rows, std::int64_t width, std::int32_t largest,
                             std::int32_t* c, std::int64_t cStride);

/// The innermost product of one instruction set and the panel sizes that it is fastest at.
struct CubeTarget {
    int lanes;  ///< columns in one vector
    int rows;   ///< most rows of a panel of A
    /// products[2 * (rows - 1) + (vectors - 1)] for rows 1..`rows` and 1 or 2 vectors of columns
    std::span<const PanelProduct> products;
    SumAddition addSums;

    [[nodiscard]] PanelProduct product(std::int64_t panelRows, std::int64_t panelWidth) const {
        return products[static_cast<std::size_t>(2 * (panelRows - 1) + (panelWidth / lanes - 1))];
    }
};

/// Range: `isa` is one of availableIsas().
[[nodiscard]] const CubeTarget& cubeTarget(Isa isa);
[[nodiscard]] const CubeTarget& portableCubeTarget();

}  // namespace cubist
