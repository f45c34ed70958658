// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/run/run.h"

namespace cubist {

/// How every cast of a run's design that loses digits rounds: by its result, the rounding mode (the one it asks for, or
/// PyPTO's default for its types) and "saturating" where it is.
[[nodiscard]] Dictionary<std::string> castModesOf(const RunReport& report);

}  // namespace cubist
