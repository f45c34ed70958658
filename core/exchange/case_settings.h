// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/design/design.h"

namespace cubist {

/// The design as a case means it: every value of `Case::set` is written to its path, as `--set` does, and the case has
/// no settings left, so that it can be bound. Another case of the result takes back what this one changed. A case
/// without settings gives the design as it is. `caseName` as in `bind`.
/// Errors: as `findCase` and `setAt`; BadValue (a path that leads out of tensors, blocks, options and the like, or that
/// appends). `where` is the setting: "/cases/2/set/~1tensors~1x1~1dtype".
[[nodiscard]] Result<Design> designOfCase(const Design& design, const std::string& caseName);

/// `setAt` on the document while a case is chosen: where the case sets that value, or one around it, it is changed in
/// the case's settings, elsewhere in the design itself. Errors: as `setAt` and `findCase`.
[[nodiscard]] Result<Design> setInCase(const Design& design, const std::string& caseName, std::string_view pointer,
                                       std::string_view jsonText);

}  // namespace cubist
