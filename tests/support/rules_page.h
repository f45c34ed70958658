// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace cubist::test {

/// The text of docs/rules.md, made from the registry.
[[nodiscard]] std::string rulesPage();

}  // namespace cubist::test
