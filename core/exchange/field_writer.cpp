// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/field_writer.h"

#include <cassert>
#include <utility>

#include "core/exchange/json_text.h"

namespace cubist {

JsonValue jsonOf(bool value, Defaults /*defaults*/) {
    return JsonValue::fromBool(value);
}

JsonValue jsonOf(std::int64_t value, Defaults /*defaults*/) {
    return JsonValue::fromInteger(value);
}

JsonValue jsonOf(double value, Defaults /*defaults*/) {
    return JsonValue::fromDouble(value);
}

JsonValue jsonOf(const std::string& value, Defaults /*defaults*/) {
    return JsonValue::fromString(value);
}

JsonValue jsonOf(const Rational& value, Defaults /*defaults*/) {
    std::string text = value.toText();
    const bool fraction = text.find('/') != std::string::npos;
    return fraction ? JsonValue::fromString(std::move(text)) : JsonValue::fromNumberText(std::move(text));
}

JsonValue jsonOf(const Expression& value, Defaults /*defaults*/) {
    return value.literal() ? JsonValue::fromNumberText(value.text()) : JsonValue::fromString(value.text());
}

JsonValue jsonOf(const Operand& value, Defaults /*defaults*/) {
    if (const double* const number = value.number()) return JsonValue::fromDouble(*number);
    return JsonValue::fromString(value.value()->text);
}

JsonValue jsonOf(const Block& value, Defaults defaults) {
    JsonValue object = JsonValue::object();
    object.add("kind", JsonValue::fromString(std::string(toText(value.kind()))));
    std::visit([&](const auto& content) { addFields(object, content, defaults); }, value.content);
    return object;
}

JsonValue jsonOf(const JsonText& value, Defaults /*defaults*/) {
    Result<JsonValue> json = parseJson(value.text);
    assert(json && "a JsonText holds the JSON text it was read from");
    return *std::move(json);
}

void FieldWriter::numberOrList(std::string_view key, const std::vector<std::int64_t>& values) {
    if (values.size() == 1)
        required(key, values.front());
    else if (!values.empty())
        required(key, values);
    else if (m_defaults == Defaults::Write)
        m_object.add(std::string(key), JsonValue());
}

void FieldWriter::unknown(const UnknownFields& fields) {
    for (const UnknownField& field : fields) {
        Result<JsonValue> value = parseJson(field.json);
        assert(value && "an unknown field holds the JSON text it was read from");
        m_object.add(field.key, *std::move(value));
    }
}

}  // namespace cubist
