// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/design/design.h"
#include "core/rules/check_context.h"

/// Changed cube tiles as candidates for fixes.
namespace cubist::rules {

/// "kL0", "mL1"; a k with three values has kAL1 and kBL1.
[[nodiscard]] std::string tileValueName(const CubeTile& tile, char axis, std::size_t index);

/// Multiple of `granule` nearest to `value`, at least one granule; ties go up.
[[nodiscard]] std::int64_t nearestMultiple(std::int64_t value, std::int64_t granule);
/// The next multiple of the granule above the value; the last one that there is for a value at the end of the range.
[[nodiscard]] std::int64_t multipleAbove(std::int64_t value, std::int64_t granule);

/// The tile with another L0 value; L1 values that are no multiple of it follow to their nearest multiple.
[[nodiscard]] CubeTile withL0(const CubeTile& tile, char axis, std::int64_t value);

/// "Set kL0 to 32 and kL1 to 32": what turns the tile of the stage at `where` into `to`. No edits when they are equal.
[[nodiscard]] FixCandidate tileCandidate(const std::string& where, const CubeTile& from, const CubeTile& to);

/// Largest multiple of `granule` up to `limit` that divides all of `multiples`; 0 when there is none.
[[nodiscard]] std::int64_t largestDivisor(std::int64_t limit, std::int64_t granule,
                                          const std::vector<std::int64_t>& multiples);

}  // namespace cubist::rules
