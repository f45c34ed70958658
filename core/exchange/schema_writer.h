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
#include "core/exchange/field_writer.h"
#include "core/exchange/json_value.h"

namespace cubist {

/// Name and one-sentence description of a struct in the schema; specialise for every stored struct.
template <class T>
struct SchemaName;

/// The definitions ("$defs") that a schema collects while it is made.
using SchemaDefs = JsonValue;

/// Stands for a type where there is no value of it.
template <class T>
struct SchemaType {};

[[nodiscard]] JsonValue schemaOfType(std::string_view type);  ///< {"type": type}
[[nodiscard]] inline JsonValue schemaOf(SchemaDefs& /*defs*/, SchemaType<bool> /*type*/) {
    return schemaOfType("boolean");
}
[[nodiscard]] inline JsonValue schemaOf(SchemaDefs& /*defs*/, SchemaType<std::int64_t> /*type*/) {
    return schemaOfType("integer");
}
[[nodiscard]] inline JsonValue schemaOf(SchemaDefs& /*defs*/, SchemaType<double> /*type*/) {
    return schemaOfType("number");
}
[[nodiscard]] inline JsonValue schemaOf(SchemaDefs& /*defs*/, SchemaType<std::string> /*type*/) {
    return schemaOfType("string");
}
template <class Tag>
[[nodiscard]] JsonValue schemaOf(SchemaDefs& /*defs*/, SchemaType<Name<Tag>> /*type*/) {
    return schemaOfType("string");
}
[[nodiscard]] JsonValue schemaOf(SchemaDefs& defs, SchemaType<Rational> type);
[[nodiscard]] JsonValue schemaOf(SchemaDefs& defs, SchemaType<Expression> type);
[[nodiscard]] JsonValue schemaOf(SchemaDefs& defs, SchemaType<Operand> type);
[[nodiscard]] JsonValue schemaOf(SchemaDefs& defs, SchemaType<Block> type);
[[nodiscard]] inline JsonValue schemaOf(SchemaDefs& /*defs*/, SchemaType<JsonText> /*type*/) {
    return JsonValue::object();  // anything
}

template <class E>
requires std::is_enum_v<E>
[[nodiscard]] JsonValue schemaOf(SchemaDefs& /*defs*/, SchemaType<E> /*type*/) {
    JsonValue schema = JsonValue::object();
    JsonValue& spellings = schema.add("enum", JsonValue::array());
    for (const auto& [value, text] : EnumTable<E>::entries) spellings.push(JsonValue::fromString(std::string(text)));
    return schema;
}

template <class T>
[[nodiscard]] JsonValue schemaOf(SchemaDefs& defs, SchemaType<std::optional<T>> type);
template <class T>
[[nodiscard]] JsonValue schemaOf(SchemaDefs& defs, SchemaType<std::vector<T>> type);
template <class T, std::size_t N>
[[nodiscard]] JsonValue schemaOf(SchemaDefs& defs, SchemaType<std::array<T, N>> type);
template <class T>
[[nodiscard]] JsonValue schemaOf(SchemaDefs& defs, SchemaType<Dictionary<T>> type);

/// The visitor of `visitFields` that describes a struct: its properties and which of them are required.
class SchemaWriter {
public:
    SchemaWriter(SchemaDefs& defs, JsonValue& properties, JsonValue& required)
        : m_defs(defs), m_properties(properties), m_required(required) {}

    template <class T>
    void required(std::string_view key, const T& /*value*/) {
        m_required.push(JsonValue::fromString(std::string(key)));
        m_properties.add(std::string(key), schemaOf(m_defs, SchemaType<T>{}));
    }
    template <class T>
    void optional(std::string_view key, const T& value) {
        optional(key, value, T{});
    }
    template <class T>
    void optional(std::string_view key, const T& /*value*/, const T& fallback) {
        JsonValue schema = schemaOf(m_defs, SchemaType<T>{});
        schema.add("default", jsonOf(fallback, Defaults::Omit));
        m_properties.add(std::string(key), std::move(schema));
    }
    void numberOrList(std::string_view key, const std::vector<std::int64_t>& values);
    void unknown(const UnknownFields& /*fields*/) {}

private:
    SchemaDefs& m_defs;
    JsonValue& m_properties;
    JsonValue& m_required;
};

/// Description of a struct as an object; `fixedKey` is a key with one allowed value that comes first ("kind": "cube").
template <class T>
[[nodiscard]] JsonValue objectSchema(SchemaDefs& defs, std::string_view fixedKey = {},
                                     const JsonValue& fixedValue = {}) {
    JsonValue schema = JsonValue::object();
    schema.add("description", JsonValue::fromString(std::string(SchemaName<T>::description)));
    schema.add("type", JsonValue::fromString("object"));
    JsonValue properties = JsonValue::object();
    JsonValue required = JsonValue::array();
    if (!fixedKey.empty()) {
        properties.add(std::string(fixedKey), JsonValue::object()).add("const", fixedValue);
        required.push(JsonValue::fromString(std::string(fixedKey)));
    }
    SchemaWriter writer(defs, properties, required);
    const T example{};
    T::visitFields(example, writer);
    schema.add("properties", std::move(properties));
    if (!required.items.empty()) schema.add("required", std::move(required));
    return schema;
}

[[nodiscard]] JsonValue schemaReference(std::string_view name);

template <class T>
requires requires {
    SchemaName<T>::name;
}
[[nodiscard]] JsonValue schemaOf(SchemaDefs& defs, SchemaType<T> /*type*/) {
    const std::string name(SchemaName<T>::name);
    if (defs.find(name) == nullptr) {
        defs.add(name, JsonValue());  // keeps its place, and ends the recursion of blocks in blocks
        JsonValue schema = objectSchema<T>(defs);
        *defs.find(name) = std::move(schema);
    }
    return schemaReference(name);
}

template <class T>
JsonValue schemaOf(SchemaDefs& defs, SchemaType<std::optional<T>> /*type*/) {
    JsonValue schema = JsonValue::object();
    JsonValue& choices = schema.add("anyOf", JsonValue::array());
    choices.push(schemaOf(defs, SchemaType<T>{}));
    choices.push(schemaOfType("null"));
    return schema;
}

template <class T>
JsonValue schemaOf(SchemaDefs& defs, SchemaType<std::vector<T>> /*type*/) {
    JsonValue schema = schemaOfType("array");
    schema.add("items", schemaOf(defs, SchemaType<T>{}));
    return schema;
}

template <class T, std::size_t N>
JsonValue schemaOf(SchemaDefs& defs, SchemaType<std::array<T, N>> /*type*/) {
    JsonValue schema = schemaOf(defs, SchemaType<std::vector<T>>{});
    schema.add("minItems", JsonValue::fromInteger(N));
    schema.add("maxItems", JsonValue::fromInteger(N));
    return schema;
}

template <class T>
JsonValue schemaOf(SchemaDefs& defs, SchemaType<Dictionary<T>> /*type*/) {
    JsonValue schema = schemaOfType("object");
    schema.add("additionalProperties", schemaOf(defs, SchemaType<T>{}));
    return schema;
}

}  // namespace cubist
