// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/emulator/gm_memory.h"
#include "core/emulator/value_note.h"

namespace cubist {

/// MX scales that are NaN (code 255) and take part in a product: the first one of every stage, by task, then row, then
/// group, with the number of such codes in its tensor. What lies beyond K may hold anything and is not looked at.
[[nodiscard]] std::vector<ValueNote> findNanScales(const Program& program, const GmMemory& gm);

}  // namespace cubist
