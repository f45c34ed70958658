// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/design/design.h"
#include "core/rules/check_context.h"

/// Equal entries of an index that is written through without adding (STORE-07).
namespace cubist::rules {

struct EqualEntries {
    std::size_t first = 0, second = 0;  ///< ascending
};

/// Two entries that pick the same place, those of the least place. `index`: one row of `entries` numbers for each axis
/// that is picked along, row after row.
[[nodiscard]] std::optional<EqualEntries> equalEntries(const std::vector<double>& index, std::size_t entries);

/// What STORE-07 says of a store whose index has them.
[[nodiscard]] Text repeatedText(const Store& store, const EqualEntries& pair);

}  // namespace cubist::rules
