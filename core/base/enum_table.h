// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace cubist {

/// The one list of spellings of a stored enum. Specialise with
/// `static constexpr std::array entries{std::pair{Enum::Value, std::string_view{"text"}}, ...}` and
/// `static constexpr std::string_view name = "data type"` (used in messages).
template <class Enum>
struct EnumTable;

template <class Enum>
[[nodiscard]] constexpr std::string_view toText(Enum value) {
    for (const auto& [candidate, text] : EnumTable<Enum>::entries)
        if (candidate == value) return text;
    assert(false && "enum value missing from its EnumTable");
    return {};
}

template <class Enum>
[[nodiscard]] constexpr std::optional<Enum> fromText(std::string_view text) {
    for (const auto& [value, candidate] : EnumTable<Enum>::entries)
        if (candidate == text) return value;
    return std::nullopt;
}

}  // namespace cubist
