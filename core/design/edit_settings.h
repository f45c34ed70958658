// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/design/design.h"

/// Names in the settings of cases (Case::set), which are paths and JSON texts. What the renaming edits share; not for
/// others.
namespace cubist::detail {

enum class SettingName : std::uint8_t {
    Expression,  ///< of a symbol, a list, or an index or factor of a loop, inside of expressions
    List,        ///< of a list, where data are taken from it
    Value,       ///< of a value that blocks read or make
    Tensor,      ///< as Value, and of what stores write; in paths
    Block,       ///< in paths
};

/// Puts `to` in the place of `from` in every setting of every case; with `within`, only in settings whose path leads
/// into the body of that loop. Texts that are no JSON stay.
void renameInSettings(Design& design, SettingName kind, const std::string& from, const std::string& to,
                      const BlockId& within = {});

/// Calls `replaced` with every string of a JSON text that is no key, and the key that it belongs to (that of the list
/// for entries of a list, `key` at the top). The text with what it returns in the place of those strings.
[[nodiscard]] std::string withStrings(
    std::string_view json, std::string_view key,
    const std::function<std::string(std::string_view key, const std::string& value)>& replaced);

}  // namespace cubist::detail
