// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/exchange/json_value.h"

namespace cubist {

/// Values as result files carry them. A floating-point number is rounded to nine significant digits, without minus
/// zero; a non-finite one is the string "inf", "-inf" or "nan".
[[nodiscard]] JsonValue resultValue(double value);

[[nodiscard]] inline JsonValue resultValue(JsonValue value) {
    return value;
}
[[nodiscard]] inline JsonValue resultValue(std::string_view value) {
    return JsonValue::fromString(std::string(value));
}
[[nodiscard]] inline JsonValue resultValue(const std::string& value) {
    return JsonValue::fromString(value);
}
[[nodiscard]] inline JsonValue resultValue(const char* value) {
    return JsonValue::fromString(value);
}
[[nodiscard]] JsonValue resultValue(std::same_as<bool> auto value) {
    return JsonValue::fromBool(value);
}
template <std::integral T>
requires(!std::same_as<T, bool>) [[nodiscard]] JsonValue resultValue(T value) {
    return JsonValue::fromInteger(static_cast<std::int64_t>(value));
}
template <class T>
[[nodiscard]] JsonValue resultValue(const std::vector<T>& values) {
    JsonValue list = JsonValue::array();
    for (const T& value : values) list.push(resultValue(value));
    return list;
}

/// Appends a member with `resultValue(value)`. Precondition: the object does not have the key yet. The reference lives
/// until the object gets another member.
template <class T>
JsonValue& put(JsonValue& object, std::string_view key, T&& value) {
    return object.add(std::string(key), resultValue(std::forward<T>(value)));
}

}  // namespace cubist
