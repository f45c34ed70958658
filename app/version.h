// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace cubist {

/// "0.1.0": the version of this build.
[[nodiscard]] std::string versionText();

}  // namespace cubist
