// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_table.h"
#include "core/base/ids.h"
#include "core/base/rational.h"
#include "core/base/visit.h"
#include "core/design/design.h"
#include "core/exchange/json_value.h"

namespace cubist {

/// Whether fields that have their default value are written.
enum class Defaults : std::uint8_t { Omit, Write };

/// Writers of single values; the counterparts of `readValue`.
[[nodiscard]] JsonValue jsonOf(bool value, Defaults defaults);
[[nodiscard]] JsonValue jsonOf(std::int64_t value, Defaults defaults);
[[nodiscard]] JsonValue jsonOf(double value, Defaults defaults);
[[nodiscard]] JsonValue jsonOf(const std::string& value, Defaults defaults);
[[nodiscard]] JsonValue jsonOf(const Rational& value, Defaults defaults);
[[nodiscard]] JsonValue jsonOf(const Expression& value, Defaults defaults);
[[nodiscard]] JsonValue jsonOf(const Operand& value, Defaults defaults);
[[nodiscard]] JsonValue jsonOf(const Block& value, Defaults defaults);
[[nodiscard]] JsonValue jsonOf(const JsonText& value, Defaults defaults);

template <class Tag>
[[nodiscard]] JsonValue jsonOf(const Name<Tag>& value, Defaults /*defaults*/) {
    return JsonValue::fromString(value.text);
}

template <class E>
requires std::is_enum_v<E>
[[nodiscard]] JsonValue jsonOf(E value, Defaults /*defaults*/) {
    return JsonValue::fromString(std::string(toText(value)));
}

template <class T>
[[nodiscard]] JsonValue jsonOf(const std::optional<T>& value, Defaults defaults);
template <class T>
[[nodiscard]] JsonValue jsonOf(const std::vector<T>& value, Defaults defaults);
template <class T, std::size_t N>
[[nodiscard]] JsonValue jsonOf(const std::array<T, N>& value, Defaults defaults);
template <class T>
[[nodiscard]] JsonValue jsonOf(const Dictionary<T>& value, Defaults defaults);

/// The visitor of `visitFields` that turns a struct into the members of an object.
class FieldWriter {
public:
    FieldWriter(JsonValue& object, Defaults defaults) : m_object(object), m_defaults(defaults) {}

    template <class T>
    void required(std::string_view key, const T& value) {
        m_object.add(std::string(key), jsonOf(value, m_defaults));
    }
    template <class T>
    void optional(std::string_view key, const T& value) {
        optional(key, value, T{});
    }
    template <class T>
    void optional(std::string_view key, const T& value, const T& fallback) {
        if (m_defaults == Defaults::Write || !(value == fallback)) required(key, value);
    }
    void numberOrList(std::string_view key, const std::vector<std::int64_t>& values);
    void unknown(const UnknownFields& fields);

private:
    JsonValue& m_object;
    Defaults m_defaults;
};

/// Appends the fields of a struct to `object`, which may already hold others.
template <class T>
void addFields(JsonValue& object, const T& value, Defaults defaults) {
    FieldWriter writer(object, defaults);
    T::visitFields(value, writer);
}

template <class T>
requires requires(const T& value, FieldWriter& writer) {
    T::visitFields(value, writer);
}
[[nodiscard]] JsonValue jsonOf(const T& value, Defaults defaults) {
    JsonValue object = JsonValue::object();
    addFields(object, value, defaults);
    return object;
}

template <class T>
JsonValue jsonOf(const std::optional<T>& value, Defaults defaults) {
    return value ? jsonOf(*value, defaults) : JsonValue();
}

template <class T>
JsonValue jsonOf(const std::vector<T>& value, Defaults defaults) {
    JsonValue list = JsonValue::array();
    for (const T& item : value) list.push(jsonOf(item, defaults));
    return list;
}

template <class T, std::size_t N>
JsonValue jsonOf(const std::array<T, N>& value, Defaults defaults) {
    JsonValue list = JsonValue::array();
    for (const T& item : value) list.push(jsonOf(item, defaults));
    return list;
}

template <class T>
JsonValue jsonOf(const Dictionary<T>& value, Defaults defaults) {
    JsonValue object = JsonValue::object();
    for (const auto& entry : value.entries) object.add(entry.key, jsonOf(entry.value, defaults));
    return object;
}

}  // namespace cubist
