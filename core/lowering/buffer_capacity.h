// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "core/chip/chip_spec.h"
#include "core/lowering/program.h"

namespace cubist {

/// Room of a buffer in bytes. The scales of MX operands have a sixteenth of the buffer of their elements.
[[nodiscard]] std::int64_t bufferCapacity(const ChipSpec& chip, Buffer buffer);

}  // namespace cubist
