// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "core/design/design.h"
#include "core/rules/finding.h"
#include "views/selection_model.h"

namespace cubist {

/// The innermost block or tensor that a JSON pointer leads into: "/blocks/0/body/1/tile/k/0" is that stage. None when
/// the pointer concerns the design as a whole.
[[nodiscard]] Element elementAt(const Design& design, std::string_view pointer);

/// The element that a finding is about: its block, else what its pointer leads to.
[[nodiscard]] Element elementOf(const Design& design, const Finding& finding);

}  // namespace cubist
