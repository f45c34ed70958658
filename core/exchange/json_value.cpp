// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/json_value.h"

#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

#include "core/exchange/json_text.h"

namespace cubist {

JsonValue JsonValue::fromBool(bool value) {
    JsonValue json;
    json.kind = Kind::Bool;
    json.boolean = value;
    return json;
}

JsonValue JsonValue::fromInteger(std::int64_t value) {
    return fromNumberText(std::to_string(value));
}

JsonValue JsonValue::fromDouble(double value) {
    if (std::isnan(value)) return fromString("nan");
    if (std::isinf(value)) return fromString(value < 0 ? "-inf" : "inf");
    return fromNumberText(numberText(value));
}

JsonValue JsonValue::fromNumberText(std::string text) {
    JsonValue json;
    json.kind = Kind::Number;
    json.text = std::move(text);
    return json;
}

JsonValue JsonValue::fromString(std::string value) {
    JsonValue json;
    json.kind = Kind::String;
    json.text = std::move(value);
    return json;
}

JsonValue JsonValue::array() {
    JsonValue json;
    json.kind = Kind::Array;
    return json;
}

JsonValue JsonValue::object() {
    JsonValue json;
    json.kind = Kind::Object;
    return json;
}

const JsonValue* JsonValue::find(std::string_view key) const {
    for (const JsonMember& member : members)
        if (member.key == key) return &member.value;
    return nullptr;
}

JsonValue* JsonValue::find(std::string_view key) {
    return const_cast<JsonValue*>(std::as_const(*this).find(key));
}

JsonValue& JsonValue::add(std::string key, JsonValue value) {
    assert(isObject() && find(key) == nullptr && "the keys of an object are unique");
    return members.emplace_back(JsonMember{std::move(key), std::move(value)}).value;
}

JsonValue& JsonValue::push(JsonValue value) {
    assert(isArray() && "only arrays have elements");
    return items.emplace_back(std::move(value));
}

bool operator==(const JsonValue& a, const JsonValue& b) {
    return a.kind == b.kind && a.boolean == b.boolean && a.text == b.text && a.items == b.items &&
           a.members == b.members;
}

bool operator==(const JsonMember& a, const JsonMember& b) {
    return a.key == b.key && a.value == b.value;
}

std::string describe(const JsonValue& value) {
    constexpr std::size_t kShown = 60;
    switch (value.kind) {
        case JsonValue::Kind::Null: return "null";
        case JsonValue::Kind::Bool: return value.boolean ? "true" : "false";
        case JsonValue::Kind::Number: return "the number " + value.text.substr(0, kShown);
        case JsonValue::Kind::String: return "the string " + quotedForMessage(value.text);
        case JsonValue::Kind::Array: return "a list";
        case JsonValue::Kind::Object: return "an object";
    }
    return {};
}

std::string numberText(double value) {
    assert(std::isfinite(value) && "JSON has no infinities");
    constexpr double kMaxPlain = 1e15;
    std::array<char, 64> buffer{};
    const double size = std::fabs(value);
    const bool plain = size == 0 || (size >= 1e-4 && size < kMaxPlain);
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                   plain ? std::chars_format::fixed : std::chars_format::scientific);
    return {buffer.data(), end.ptr};
}

}  // namespace cubist
