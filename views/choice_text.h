// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string_view>

namespace cubist {

/// A word of the file format ("uniform", "rint", "add") as lists and texts show it: in another language its meaning
/// with the word behind it, "均匀分布 (uniform)"; names without a meaning of their own (types, PyPTO's calls) as they
/// are.
[[nodiscard]] QString choiceText(std::string_view word);

/// The meaning alone, for the middle of a sentence: "理想".
[[nodiscard]] QString choiceWord(std::string_view word);

}  // namespace cubist
