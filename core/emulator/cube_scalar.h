// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/emulator/cube_operand.h"

namespace cubist {

/// The product of MX operands for scales of any size, element by element: exact where packed panels would overflow.
void multiplyScaledExactly(const CubeOperand& a, const CubeOperand& b, std::int64_t m, std::int64_t n, std::int64_t k,
                           float* c, std::int64_t cStride);

/// C += A * B on integer panels (float storage), one product at a time: wraps, and returns false if any sum left INT32.
/// Shapes: a is [k][rows], b is [k][width] of which `columns` exist.
bool multiplyIntegersWatched(const float* a, std::int64_t rows, const float* b, std::int64_t width,
                             std::int64_t columns, std::int64_t k, std::int32_t* c, std::int64_t cStride);

}  // namespace cubist
