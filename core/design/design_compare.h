// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/design/design.h"

namespace cubist {

/// Do the designs differ in nothing but where things lie on the canvas and in the notes on it? Whatever is computed of
/// one then holds for the other.
[[nodiscard]] bool sameButPlaces(const Design& a, const Design& b);

}  // namespace cubist
