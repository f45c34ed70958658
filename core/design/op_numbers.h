// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>

#include "core/design/resolve.h"

/// What a plain number in a vector operation is to the hardware.
namespace cubist {

/// The type of the values beside operand `operand`, which is a number (of full: of the result). Nothing where the
/// number stays an FP32 of its own: scales and zero points of quantize and dequantize. Source: F-81
[[nodiscard]] std::optional<DType> typeOfNumber(const ResolvedDesign& design, const VectorOp& op, std::size_t operand);

/// The number as an element of a float type: rounded to FP32, then to the type. Other types and FP8E8M0, which no
/// operation reckons with, leave it as it is. Source: F-81
[[nodiscard]] double numberIn(DType type, double number);

}  // namespace cubist
