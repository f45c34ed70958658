// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <concepts>
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
#include "core/rules/finding.h"

namespace cubist {

template <class E>
concept TabledEnum = std::is_enum_v<E> && requires {
    EnumTable<E>::entries;
};

/// What all readers of one document share: where they are, the first error, the warnings.
class ReadState {
public:
    std::optional<Error> error;
    std::vector<Finding> warnings;
    std::string path;  ///< JSON pointer of the value being read
    BlockId block;     ///< innermost block around it

    /// Remembers the first error; always false.
    bool fail(ErrorCode code, std::string message, std::string hint = {});
    bool wrongType(std::string_view expected, const JsonValue& found);
    void warnUnknownKey(const std::string& key, const std::vector<std::string>& known);
    /// The key at `path` is not there, and what is taken instead.
    void warnMissing(const std::string& taken, const std::string& takenZh);

    [[nodiscard]] bool failed() const { return error.has_value(); }
};

/// Extends the path of a ReadState while it lives.
class PathStep {
public:
    PathStep(ReadState& state, std::string_view key);
    PathStep(ReadState& state, std::size_t index);
    ~PathStep() { m_state.path.resize(m_length); }
    PathStep(const PathStep&) = delete;
    PathStep& operator=(const PathStep&) = delete;

private:
    ReadState& m_state;
    std::size_t m_length;
};

/// Readers of single values. They leave `out` alone on failure, which `state` remembers; true means success.
bool readValue(ReadState& state, const JsonValue& json, bool& out);
bool readValue(ReadState& state, const JsonValue& json, std::int64_t& out);
bool readValue(ReadState& state, const JsonValue& json, double& out);
bool readValue(ReadState& state, const JsonValue& json, std::string& out);
bool readValue(ReadState& state, const JsonValue& json, Rational& out);
bool readValue(ReadState& state, const JsonValue& json, Expression& out);
bool readValue(ReadState& state, const JsonValue& json, Operand& out);
bool readValue(ReadState& state, const JsonValue& json, Block& out);
bool readValue(ReadState& state, const JsonValue& json, JsonText& out);
bool failUnknownSpelling(ReadState& state, std::string_view kind, const JsonValue& json,
                         const std::vector<std::string>& spellings);

template <class Tag>
bool readValue(ReadState& state, const JsonValue& json, Name<Tag>& out) {
    return readValue(state, json, out.text);
}

template <TabledEnum E>
bool readValue(ReadState& state, const JsonValue& json, E& out) {
    const std::optional<E> value = json.isString() ? fromText<E>(json.text) : std::nullopt;
    if (value) {
        out = *value;
        return true;
    }
    std::vector<std::string> spellings;
    for (const auto& [candidate, text] : EnumTable<E>::entries) spellings.emplace_back(text);
    return failUnknownSpelling(state, EnumTable<E>::name, json, spellings);
}

template <class T>
bool readValue(ReadState& state, const JsonValue& json, std::optional<T>& out);
template <class T>
bool readValue(ReadState& state, const JsonValue& json, std::vector<T>& out);
template <class T, std::size_t N>
bool readValue(ReadState& state, const JsonValue& json, std::array<T, N>& out);
template <class T>
bool readValue(ReadState& state, const JsonValue& json, Dictionary<T>& out);

/// The visitor of `visitFields` that fills a struct from an object.
class FieldReader {
public:
    /// `known`: keys that somebody else reads ("kind", the format version).
    FieldReader(ReadState& state, const JsonValue& object, std::vector<std::string> known = {})
        : m_state(state), m_object(object), m_known(std::move(known)) {}

    template <class T>
    void required(std::string_view key, T& out) {
        if (const JsonValue* const json = take(key, true)) read(key, *json, out);
    }
    template <class T>
    void optional(std::string_view key, T& out) {
        optional(key, out, T{});
    }
    template <class T>
    void optional(std::string_view key, T& out, const T& fallback) {
        if (const JsonValue* const json = take(key, false))
            read(key, *json, out);
        else
            out = fallback;
    }
    /// null, a number, or a list of numbers.
    void numberOrList(std::string_view key, std::vector<std::int64_t>& out);
    void unknown(UnknownFields& out);

private:
    /// The member, unless an earlier field failed; a missing required one is an error.
    const JsonValue* take(std::string_view key, bool required);

    template <class T>
    void read(std::string_view key, const JsonValue& json, T& out) {
        const PathStep step(m_state, key);
        readValue(m_state, json, out);
    }

    ReadState& m_state;
    const JsonValue& m_object;
    std::vector<std::string> m_known;
};

template <class T>
concept VisitedStruct = requires(T& value, FieldReader& reader) {
    T::visitFields(value, reader);
};

/// Reads a struct from an object; `known` as in FieldReader.
template <VisitedStruct T>
bool readStruct(ReadState& state, const JsonValue& json, T& out, std::vector<std::string> known = {}) {
    if (!json.isObject()) return state.wrongType("an object", json);
    FieldReader reader(state, json, std::move(known));
    T::visitFields(out, reader);
    return !state.failed();
}

template <VisitedStruct T>
bool readValue(ReadState& state, const JsonValue& json, T& out) {
    return readStruct(state, json, out);
}

template <class T>
bool readValue(ReadState& state, const JsonValue& json, std::optional<T>& out) {
    out.reset();
    if (json.kind == JsonValue::Kind::Null) return true;
    return readValue(state, json, out.emplace());
}

template <class T>
bool readValue(ReadState& state, const JsonValue& json, std::vector<T>& out) {
    if (!json.isArray()) return state.wrongType("a list", json);
    out.clear();
    out.reserve(json.items.size());
    for (const JsonValue& item : json.items) {
        const PathStep step(state, out.size());
        if (!readValue(state, item, out.emplace_back())) return false;
    }
    return true;
}

template <class T, std::size_t N>
bool readValue(ReadState& state, const JsonValue& json, std::array<T, N>& out) {
    const std::string wanted = "a list of " + std::to_string(N);
    if (!json.isArray()) return state.wrongType(wanted, json);
    if (json.items.size() != N)
        return state.fail(ErrorCode::WrongType, "expected " + wanted + ", found " + std::to_string(json.items.size()));
    for (std::size_t i = 0; i < N; ++i) {
        const PathStep step(state, i);
        if (!readValue(state, json.items[i], out[i])) return false;
    }
    return true;
}

template <class T>
bool readValue(ReadState& state, const JsonValue& json, Dictionary<T>& out) {
    if (!json.isObject()) return state.wrongType("an object", json);
    out.entries.clear();
    for (const JsonMember& member : json.members) {
        const PathStep step(state, member.key);
        out.entries.push_back({member.key, T{}});
        if (!readValue(state, member.value, out.entries.back().value)) return false;
    }
    return true;
}

}  // namespace cubist
