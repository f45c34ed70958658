// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/design/resolve.h"
#include "core/golden/window.h"

/// Vector operations that are computed on whole tensors: creation, index operations, sorts, quantisations, rope.
namespace cubist::golden {

/// An operand or a result, row-major, right-aligned.
struct WholeTensor {
    std::optional<double> number;  ///< instead of everything else
    DType dtype = DType::FP32;
    std::size_t rank = 1;
    Axes shape{1, 1, 1, 1};
    Axes valid{1, 1, 1, 1};  ///< what lies beyond is 0
    GoldenValues values;
    const Window* rows = nullptr;  ///< index_select, operand 0: instead of the values, read row by row

    [[nodiscard]] double& at(const Axes& place) { return values[placeOf(place)]; }
    [[nodiscard]] const double& at(const Axes& place) const { return values[placeOf(place)]; }
    [[nodiscard]] std::size_t placeOf(const Axes& place) const {
        return static_cast<std::size_t>(((place[0] * shape[1] + place[1]) * shape[2] + place[2]) * shape[3] + place[3]);
    }
};

/// Computes `op`; `result` and `second` (unless null) come with type, shape and valid part. `range`: of an arange.
/// Errors: BadValue (an entry of an index is out of range).
/// Source: F-72, F-73, F-74, F-76, F-77
[[nodiscard]] Result<void> computeWhole(const VectorOp& op, GoldenKind kind, std::span<const std::int64_t> range,
                                        std::span<const WholeTensor> operands, WholeTensor& result,
                                        WholeTensor* second);

}  // namespace cubist::golden
