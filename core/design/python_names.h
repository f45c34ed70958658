// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

/// Names that an exported kernel can have. Source: Python language reference, identifiers and keywords; letters of
/// other scripts are those of Latin, Greek, Cyrillic, kana, Hangul and the CJK ideographs, which Python takes as they
/// are.
namespace cubist {

/// UTF-8. A keyword is no name.
[[nodiscard]] bool isPythonName(std::string_view name);

/// The nearest name: what cannot stand in one becomes '_', which also goes in front of a digit and behind a keyword.
/// Empty stays empty.
[[nodiscard]] std::string nearestPythonName(std::string_view text);

}  // namespace cubist
