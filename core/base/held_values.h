// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "core/base/dtype.h"

namespace cubist {

/// Can a float type stand for the value, rounding apart? Not held are finite values that round beyond the largest one
/// (see F-58), infinity where the type has none (FP8E4M3, FP4, FP8E8M0), NaN in FP4, and in FP8E8M0, which has no sign
/// and no zero, what is below 2^-127. Range: `type` is a float type.
[[nodiscard]] bool holds(DType type, double value);

/// The place of the first value that the type does not hold.
[[nodiscard]] std::optional<std::size_t> firstNotHeld(DType type, std::span<const double> values);
[[nodiscard]] std::optional<std::size_t> firstNotHeld(DType type, std::span<const float> values);

/// "FP8E4M3 holds -448 to 448", for messages.
[[nodiscard]] std::string heldText(DType type);

/// The shortest number that reads back as the same double.
[[nodiscard]] std::string shortestText(double value);

}  // namespace cubist
