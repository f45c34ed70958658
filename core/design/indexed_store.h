// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

#include "core/design/resolve.h"

namespace cubist {

/// Axes of the target that a store's index picks along, from `dim` on: one for an index of one axis, one for each row
/// of an index of two. The value has one axis in their place, that of its slices.
[[nodiscard]] inline std::size_t indexedAxes(const ResolvedValue& index) {
    return index.shape.size() == 2 ? static_cast<std::size_t>(index.shape[0]) : 1;
}

}  // namespace cubist
