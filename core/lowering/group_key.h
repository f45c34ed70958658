// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "core/lowering/leaf_builder.h"

namespace cubist {

/// Structure of a block of a matmul: tile, depth of K, storage orders and types; which rows and columns are valid is
/// left out, so a tail block is of the same group. `k` is K of the whole matmul.
[[nodiscard]] std::uint64_t cubeGroupKey(const CubeLeafSpec& spec, std::int64_t k);

/// Structure of a vector task: tile and chain of operations, valid extents left out.
[[nodiscard]] std::uint64_t vectorGroupKey(const VectorLeafSpec& spec, std::span<const std::int64_t> tile);

}  // namespace cubist
