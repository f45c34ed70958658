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

/// FP4E2M1 or FP4E1M2, which saturate whether asked to or not.
[[nodiscard]] bool isFp4(DType type);

/// The smallest magnitude that FP4 takes down to its largest value: half a step beyond it. Range: isFp4(type)
[[nodiscard]] double endOfFp4(DType type);

/// Is it within 2^-127 to 2^127 of FP8E8M0, which has no sign and no zero, after rounding? NaN is not.
[[nodiscard]] bool isInE8M0(double value);

/// The shortest number that reads back as the same double, or the same float.
[[nodiscard]] std::string shortestText(double value);
[[nodiscard]] std::string shortestFloatText(float value);

}  // namespace cubist
