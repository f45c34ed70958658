// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/tensor.h"
#include "core/golden/golden_values.h"

/// Values of the golden computation.
namespace cubist::golden {

/// Up to four axes, right-aligned; missing ones are 1 (offset 0).
using Axes = std::array<std::int64_t, 4>;

[[nodiscard]] Axes rightAligned(const std::vector<std::int64_t>& values, std::int64_t filler);
/// Rows of a tensor: all axes but the last.
[[nodiscard]] inline std::int64_t rowsOf(const Axes& shape) {
    return shape[0] * shape[1] * shape[2];
}

/// The axis along which the rows of a value are cut: its rows, or the first one of several matrices.
[[nodiscard]] inline std::size_t cutAxisOf(const Axes& shape) {
    return shape[0] > 1 ? 0 : shape[1] > 1 ? 1 : 2;
}

/// Values of a tensor from element `first` on, INT64 as its bits.
void readValues(const HostTensor& tensor, std::int64_t first, std::span<double> out);

struct Scaling;

/// A rectangle of a tensor of codes or of computed values. What lies beyond `valid` reads as zero.
struct Window {
    const HostTensor* tensor = nullptr;               ///< either this
    std::shared_ptr<const GoldenValues> values = {};  ///< or this, row-major
    Axes base{1, 1, 1, 1};                            ///< shape of what is looked at
    Axes offset{0, 0, 0, 0};
    Axes shape{1, 1, 1, 1};
    Axes valid{1, 1, 1, 1};
    std::size_t rank = 2;
    bool changing = false;  ///< of a tensor that stores write: what it shows may differ from one look to the next
    std::shared_ptr<const Scaling> scaling = {};  ///< what its values are multiplied by; null: nothing

    /// Values [column, column + out.size()) of row (i, j, k) of the window, INT64 as `carried` (golden_types.h).
    void readRow(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t column, std::span<double> out) const;
    /// Looks at fresh values of this shape: rows beyond the valid ones need no memory where there is one matrix.
    /// Returns how many values there are.
    std::size_t restart();
    /// Is the valid part inside of what is looked at?
    [[nodiscard]] bool inside() const;
    /// Do both show the same elements of the same tensor, which nothing writes?
    [[nodiscard]] bool sameAs(const Window& other) const;
};

/// The scales of an MX operand, one for every 32 elements along K: powers of two, so that the products are exact.
struct Scaling {
    Window scales;        ///< [lines, pairs of groups, 2], or with the pairs first
    bool kIsRow = false;  ///< K runs along the rows of the stored operand
    bool pairsFirst = false;

    /// Multiplies elements [column, column + values.size()) of a row of the operand.
    void apply(std::int64_t row, std::int64_t column, std::span<double> values) const;
};

/// Of all values that have `full` rows, or matrices, along an axis only `count` from `first` on.
struct RowCut {
    std::int64_t full = 0, first = 0, count = 0;
    std::size_t axis = 2;
    std::int64_t unit = 1;  ///< rows of one entry of the axis

    /// Cuts a shape and how much of it is valid; values of extent 1, which stretch, stay.
    void cut(Axes& shape, Axes& valid) const;
    void cut(Window& window) const;
};

}  // namespace cubist::golden
