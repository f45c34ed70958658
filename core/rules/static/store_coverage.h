// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "core/design/resolve.h"

namespace cubist::rules {

/// Elements of a tensor that no store of the design covers with the bound sizes and lists (what STORE-01 counts).
/// Nothing where that is not counted: stores that add or go by an index, more than 256 writes, writes outside of it.
[[nodiscard]] std::optional<std::int64_t> unwrittenElements(const ResolvedDesign& design, const Tensor& tensor);

}  // namespace cubist::rules
