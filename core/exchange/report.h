// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/run/run.h"

namespace cubist {

/// A run's report for people as aligned plain text.
[[nodiscard]] std::string textReport(const RunRequest& request, const RunReport& report);

/// The same as one HTML page that needs no other file; light and dark follow the reader's system.
[[nodiscard]] std::string htmlReport(const RunRequest& request, const RunReport& report);

}  // namespace cubist
