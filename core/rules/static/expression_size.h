// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

/// Tiles with which the expressions of a vector operation stay below PyPTO's limit.
namespace cubist::rules {

inline constexpr std::int64_t kExpressionLimit = 18000;

/// Number of tiles that a shape is cut into. Range: tile values above zero.
[[nodiscard]] std::int64_t tileCount(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& tile);

/// Smallest tile, by elements, made by doubling axes, with which the operation stays below the limit. `perTile`: its
/// expressions for each tile. Empty: none.
[[nodiscard]] std::vector<std::int64_t> doubledTile(const std::vector<std::int64_t>& shape,
                                                    const std::vector<std::int64_t>& tile, std::int64_t perTile);

/// Smallest tile, by elements, that cuts no axis finer than before and keeps the operation below the limit: whole
/// blocks of 32 bytes, `granule` elements, along the last axis, any number along the one before. Empty: none.
[[nodiscard]] std::vector<std::int64_t> smallestGrown(const std::vector<std::int64_t>& shape,
                                                      const std::vector<std::int64_t>& tile, std::int64_t perTile,
                                                      std::int64_t granule);

}  // namespace cubist::rules
