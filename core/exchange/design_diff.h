// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/design/design.h"

namespace cubist {

/// One value that differs between two designs.
struct DesignChange {
    std::string where;   ///< JSON pointer with ids where elements have them: "/blocks/rows/body/gate/tile/k/0"
    std::string before;  ///< JSON text; empty: not there
    std::string after;   ///< JSON text; empty: not there any more
    bool operator==(const DesignChange&) const = default;
};

/// What has to change in `before` to make it `after`, in the order of the file. Elements of lists are matched by id
/// where all of them have one, else by position; a moved element is one change of the list's order (its ids before and
/// after). Empty exactly when the designs are equal.
[[nodiscard]] std::vector<DesignChange> diffDesigns(const Design& before, const Design& after);

}  // namespace cubist
