// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cubist {

struct JsonMember;

/// A JSON document in memory. Keys keep their order and numbers their spelling, so that nothing is lost between reading
/// and writing. A regular value; nesting is bounded by the reader (see json_text.h).
struct JsonValue {
    enum class Kind : std::uint8_t { Null, Bool, Number, String, Array, Object };

    Kind kind = Kind::Null;
    bool boolean = false;             ///< Kind::Bool
    std::string text;                 ///< Kind::Number: as spelled; Kind::String: the characters, UTF-8
    std::vector<JsonValue> items;     ///< Kind::Array
    std::vector<JsonMember> members;  ///< Kind::Object, keys unique

    JsonValue() = default;
    [[nodiscard]] static JsonValue fromBool(bool value);
    [[nodiscard]] static JsonValue fromInteger(std::int64_t value);
    /// Shortest spelling that reads back equal; infinities and NaN, which JSON lacks, become the strings "inf", "-inf",
    /// "nan".
    [[nodiscard]] static JsonValue fromDouble(double value);
    /// A number whose spelling is given; it must be one that JSON allows.
    [[nodiscard]] static JsonValue fromNumberText(std::string text);
    [[nodiscard]] static JsonValue fromString(std::string value);
    [[nodiscard]] static JsonValue array();
    [[nodiscard]] static JsonValue object();

    [[nodiscard]] bool isObject() const { return kind == Kind::Object; }
    [[nodiscard]] bool isArray() const { return kind == Kind::Array; }
    [[nodiscard]] bool isString() const { return kind == Kind::String; }
    [[nodiscard]] bool isNumber() const { return kind == Kind::Number; }

    /// The member's value, or nullptr when this is no object or has no such key.
    [[nodiscard]] const JsonValue* find(std::string_view key) const;
    [[nodiscard]] JsonValue* find(std::string_view key);
    /// Appends a member. Precondition: the object does not have the key yet.
    JsonValue& add(std::string key, JsonValue value);
    /// Appends an element to an array.
    JsonValue& push(JsonValue value);
};

struct JsonMember {
    std::string key;
    JsonValue value;
};

[[nodiscard]] bool operator==(const JsonValue& a, const JsonValue& b);
[[nodiscard]] bool operator==(const JsonMember& a, const JsonMember& b);

/// "an object", "the string \"abc\"", "the number 1.5": what a message says it found. Long text is cut.
[[nodiscard]] std::string describe(const JsonValue& value);

/// Locale-independent shortest decimal of a finite number: "0.005", "1e-07", "5120".
[[nodiscard]] std::string numberText(double value);

}  // namespace cubist
