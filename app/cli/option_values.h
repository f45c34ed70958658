// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/option_table.h"
#include "core/base/enum_table.h"
#include "core/design/resolve.h"

/// Readers of what options take. Errors: BadValue, or UnknownName for a spelling that is none of a list; the option is
/// named in the message.
namespace cubist::cli {

/// An integer low..high; `name` is what the message calls it.
[[nodiscard]] Result<std::int64_t> integerOption(const std::string& name, const std::string& text,
                                                 std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                                                 std::int64_t high = std::numeric_limits<std::int64_t>::max());

/// "512M", "2G", "1.5GiB", "1000000": units of 1024. Returns bytes, at least 1.
[[nodiscard]] Result<std::int64_t> sizeOption(OptionId id, const std::string& text);

/// A percentage 0..1000000: "5", "2.5", "5%".
[[nodiscard]] Result<double> percentOption(OptionId id, const std::string& text);

/// Splits NAME=VALUE at the first '='. Errors also when a name is given twice and `repeatNames` is false.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::string>>> namedOptions(const Arguments& arguments,
                                                                                    OptionId id, bool repeatNames);

/// "available: a, b"
[[nodiscard]] std::string availableText(const std::vector<std::string>& known);

/// Error for a spelling that is none of `known`.
[[nodiscard]] Error unknownSpelling(OptionId id, const std::string& text, const std::vector<std::string>& known);

template <class Enum>
[[nodiscard]] Result<Enum> enumOption(OptionId id, const std::string& text) {
    if (const auto value = fromText<Enum>(text)) return *value;
    std::vector<std::string> known;
    for (const auto& [value, spelling] : EnumTable<Enum>::entries) known.emplace_back(spelling);
    return unexpected(unknownSpelling(id, text, known));
}

}  // namespace cubist::cli
