// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/exchange/json_value.h"

namespace cubist::pypto {

/// A three-way merge of documents: `own` with what changed from `base` to `theirs`. `base` and `theirs` were read in
/// the same way and may say less than `own`; what is equal in both leaves `own` alone. Lists of equal length are merged
/// element by element; of another one, elements that were there before keep what `own` has in their place.
[[nodiscard]] JsonValue merged(const JsonValue& own, const JsonValue& base, const JsonValue& theirs);

}  // namespace cubist::pypto
