// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/design/resolve.h"
#include "core/lowering/lower.h"

namespace cubist {

/// Memory the machine can give without swapping: MemAvailable, or what the process's control group leaves when that is
/// less. Units: bytes. 2^62 when the machine does not say.
[[nodiscard]] std::int64_t availableMemoryBytes();

/// Upper bound of what a run takes: its inputs, which every part of it reads in place, and three times what it computes
/// (with values), its program, and a fixed part of 256 MiB. Units: bytes; saturates.
[[nodiscard]] std::int64_t memoryBound(const Estimate& size, bool values);

/// Refuses a run whose bound is above `limit`. Errors: DoesNotFit with the arithmetic, at the largest tensor's shape.
[[nodiscard]] Result<void> checkMemory(const ResolvedDesign& design, const Estimate& size, bool values,
                                       std::int64_t limit);

/// "1.5 GiB", "512 MiB", "7 bytes": at most four digits.
[[nodiscard]] std::string sizeText(std::int64_t bytes);

}  // namespace cubist
