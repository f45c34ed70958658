// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/design/design.h"
#include "views/selection_model.h"

namespace cubist {

/// JSON pointer of an element, the way `setAt` takes it: "/blocks/0/body/1", "/tensors/2". Empty for none and for
/// elements that the design lacks.
[[nodiscard]] std::string pointerOf(const Design& design, const Element& element);

}  // namespace cubist
