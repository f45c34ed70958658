// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/base/dtype.h"

namespace cubist {

/// Distances in units in the last place of one element type: the number of steps between neighbouring values of the
/// type. Source: F-33.
class UlpScale {
public:
    explicit UlpScale(DType type);

    /// Steps from each actual value to its golden rounded to the type. `actual` holds values of the type.
    /// NaN on one side gives NaN, on both 0; for integer types a step is 1.
    /// Shapes: all three spans have the same length.
    void distances(std::span<const double> actual, std::span<const double> golden, std::span<double> steps) const;

private:
    /// Place of the value, rounded to the type, on the type's number line.
    [[nodiscard]] double rankOf(double value) const;

    DType m_type;
    std::array<std::int32_t, 256> m_rank{};  ///< by code, for types of at most 8 bits
};

}  // namespace cubist
