// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/base/zeroed_array.h"

namespace cubist {

/// Reference values of a tensor, row-major, zeros at first. Of what a sampled golden leaves out no memory is used.
class GoldenValues : public ZeroedArray<double> {
public:
    using ZeroedArray::ZeroedArray;
    GoldenValues() = default;
    explicit GoldenValues(std::span<const double> values) : ZeroedArray(values.size()) {
        std::copy(values.begin(), values.end(), data());
    }

    [[nodiscard]] double front() const { return *data(); }
    [[nodiscard]] std::vector<double> toVector() const { return {begin(), end()}; }
    [[nodiscard]] friend bool operator==(const GoldenValues& a, const std::vector<double>& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
};

}  // namespace cubist
