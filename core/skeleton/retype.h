// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/dtype.h"
#include "core/design/design.h"

namespace cubist {

/// The same design for matmuls of another float type: `to` stands for `from` in tensors and results, casts to the type
/// that a value has already are left out, FP32 has no NZ format, and tiles along K keep their bytes where they can.
/// Range: `from` and `to` are FP16, BF16 or FP32.
[[nodiscard]] Design withDType(const Design& design, DType from, DType to);

}  // namespace cubist
