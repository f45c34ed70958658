// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/rules/finding.h"

namespace cubist {

/// Findings as a SARIF 2.1.0 log, which code hosts show beside the file. Hints become notes; the JSON pointer of a
/// finding is its logical location; PyPTO's code, its silence and the
/// fixes are in the property bag. `designFile` is a path or a sample's name; `version` is Cubist's.
[[nodiscard]] std::string sarifText(const std::vector<Finding>& findings, const std::string& designFile,
                                    const std::string& version);

}  // namespace cubist
