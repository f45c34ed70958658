// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/field_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/design/resolve.h"
#include "core/exchange/json_pointer.h"
#include "core/exchange/json_text.h"

namespace cubist {
namespace {

/// The nearest of `names`; nothing for a name too short or too long to be a slip of the pen.
std::string suggestion(const std::string& name, const std::vector<std::string>& names) {
    constexpr std::size_t kShortest = 3;
    constexpr std::size_t kLongest = 100;
    return name.size() < kShortest || name.size() > kLongest ? std::string() : nearestName(name, names);
}

/// The integer of a JSON number; `state` gets the error.
std::optional<std::int64_t> integerOf(ReadState& state, const JsonValue& json, std::string_view expected) {
    if (!json.isNumber()) {
        state.wrongType(expected, json);
        return std::nullopt;
    }
    std::int64_t value = 0;
    const char* const last = json.text.data() + json.text.size();
    const auto [end, status] = std::from_chars(json.text.data(), last, value);
    if (json.text.find_first_of(".eE") != std::string::npos)
        state.wrongType(expected, json);
    else if (status != std::errc() || end != last)
        state.fail(ErrorCode::WrongType, "the number " + json.text.substr(0, 60) + " does not fit 64 bits");
    else
        return value;
    return std::nullopt;
}

}  // namespace

bool ReadState::fail(ErrorCode code, std::string message, std::string hint) {
    if (!error) error = Error{code, std::move(message), path, std::move(hint)};
    return false;
}

bool ReadState::wrongType(std::string_view expected, const JsonValue& found) {
    return fail(ErrorCode::WrongType, "expected " + std::string(expected) + ", found " + describe(found));
}

void ReadState::warnUnknownKey(const std::string& key, const std::vector<std::string>& known) {
    const std::string near = suggestion(key, known);
    const std::string quoted = quotedForMessage(key);
    Finding finding;
    finding.ruleId = "DOC-01";
    finding.severity = Severity::Warning;
    finding.where = path + "/" + escapePointerStep(key);
    finding.block = block;
    finding.message = "unknown key " + quoted + (near.empty() ? "" : " (did you mean \"" + near + "\"?)") +
                      ": it has no effect and is kept when the file is saved";
    finding.messageZh =
        "未知的键 " + quoted + (near.empty() ? "" : "（是否想写 \"" + near + "\"？）") + "：不起作用，保存时会保留";
    warnings.push_back(std::move(finding));
}

void ReadState::warnMissing(const std::string& taken, const std::string& takenZh) {
    Finding finding;
    finding.ruleId = "DOC-01";
    finding.severity = Severity::Warning;
    finding.where = path;
    finding.block = block;
    const std::string key = path.substr(path.find_last_of('/') + 1);
    finding.message = "no key \"" + key + "\": " + taken;
    finding.messageZh = "没有键 \"" + key + "\"：" + takenZh;
    warnings.push_back(std::move(finding));
}

PathStep::PathStep(ReadState& state, std::string_view key) : m_state(state), m_length(state.path.size()) {
    state.path += "/" + escapePointerStep(key);
}

PathStep::PathStep(ReadState& state, std::size_t index) : m_state(state), m_length(state.path.size()) {
    state.path += "/" + std::to_string(index);
}

bool readValue(ReadState& state, const JsonValue& json, bool& out) {
    if (json.kind != JsonValue::Kind::Bool) return state.wrongType("true or false", json);
    out = json.boolean;
    return true;
}

bool readValue(ReadState& state, const JsonValue& json, std::int64_t& out) {
    const std::optional<std::int64_t> value = integerOf(state, json, "an integer");
    if (value) out = *value;
    return value.has_value();
}

bool readValue(ReadState& state, const JsonValue& json, double& out) {
    if (!json.isNumber()) return state.wrongType("a number", json);
    double value = 0;
    const char* const last = json.text.data() + json.text.size();
    const auto [end, status] = std::from_chars(json.text.data(), last, value);
    // A number too small for a double is a zero; one too large was refused by the JSON reader.
    if (status == std::errc::result_out_of_range)
        value = 0;
    else if (status != std::errc() || end != last || !std::isfinite(value))
        return state.wrongType("a number", json);
    out = value;
    return true;
}

bool readValue(ReadState& state, const JsonValue& json, std::string& out) {
    if (!json.isString()) return state.wrongType("a string", json);
    out = json.text;
    return true;
}

bool readValue(ReadState& state, const JsonValue& json, Rational& out) {
    // A fraction that no decimal can spell is the string "a/b".
    const std::size_t slash = json.isString() ? json.text.find('/') : std::string::npos;
    if (!json.isNumber() && slash == std::string::npos) return state.wrongType("a number", json);
    const std::string_view text = json.text;
    Result<Rational> numerator = parseDecimal(text.substr(0, slash));
    Result<Rational> denominator = slash == std::string::npos ? Rational(1) : parseDecimal(text.substr(slash + 1));
    for (const Result<Rational>* part : {&numerator, &denominator})
        if (!*part) return state.fail(ErrorCode::BadValue, part->error().message);
    if (numerator->denominator() != 1 && slash != std::string::npos)
        return state.wrongType("a fraction of integers", json);
    if (denominator->denominator() != 1 || denominator->numerator() < 1)
        return state.wrongType("a fraction of integers", json);
    out = Rational(numerator->numerator(),
                   slash == std::string::npos ? numerator->denominator() : denominator->numerator());
    return true;
}

bool readValue(ReadState& state, const JsonValue& json, Expression& out) {
    constexpr std::string_view kExpected = "an integer or an expression";
    if (!json.isString()) {
        const std::optional<std::int64_t> value = integerOf(state, json, kExpected);
        if (value) out = Expression(*value);
        return value.has_value();
    }
    Expression expression{json.text};
    if (const auto names = expression.names(); !names)
        return state.fail(names.error().code, names.error().message, names.error().hint);
    out = std::move(expression);
    return true;
}

bool readValue(ReadState& state, const JsonValue& json, Operand& out) {
    if (json.isString()) {
        out.source = ValueId(json.text);
        return true;
    }
    double number = 0;
    if (!json.isNumber()) return state.wrongType("the name of a value or a number", json);
    if (!readValue(state, json, number)) return false;
    out.source = number;
    return true;
}

bool readValue(ReadState& state, const JsonValue& json, Block& out) {
    if (!json.isObject()) return state.wrongType("an object", json);
    BlockKind kind = BlockKind::View;
    {
        const PathStep step(state, "kind");
        const JsonValue* const text = json.find("kind");
        if (text == nullptr) return state.fail(ErrorCode::MissingKey, "required key is missing");
        if (!readValue(state, *text, kind)) return false;
    }
    const BlockId outer = state.block;
    if (const JsonValue* const id = json.find("id"); id != nullptr && id->isString()) state.block = BlockId(id->text);
    bool read = false;
    switch (kind) {
        case BlockKind::View: read = readStruct(state, json, out.content.emplace<View>(), {"kind"}); break;
        case BlockKind::Cube: read = readStruct(state, json, out.content.emplace<CubeStage>(), {"kind"}); break;
        case BlockKind::Vector: read = readStruct(state, json, out.content.emplace<VectorStage>(), {"kind"}); break;
        case BlockKind::Store: read = readStruct(state, json, out.content.emplace<Store>(), {"kind"}); break;
        case BlockKind::Loop: read = readStruct(state, json, out.content.emplace<Loop>(), {"kind"}); break;
    }
    state.block = outer;
    return read;
}

bool readValue(ReadState& /*state*/, const JsonValue& json, JsonText& out) {
    out.text = compactJson(json);
    return true;
}

bool failUnknownSpelling(ReadState& state, std::string_view kind, const JsonValue& json,
                         const std::vector<std::string>& spellings) {
    if (!json.isString()) return state.wrongType("the name of a " + std::string(kind), json);
    std::string known;
    for (const std::string& spelling : spellings) known += (known.empty() ? "" : ", ") + spelling;
    const std::string near = suggestion(json.text, spellings);
    return state.fail(ErrorCode::BadValue, "unknown " + std::string(kind) + " " + quotedForMessage(json.text),
                      (near.empty() ? "" : "did you mean \"" + near + "\"? ") + ("known: " + known));
}

const JsonValue* FieldReader::take(std::string_view key, bool required) {
    m_known.emplace_back(key);
    if (m_state.failed()) return nullptr;
    const JsonValue* const json = m_object.find(key);
    if (json == nullptr && required) {
        const PathStep step(m_state, key);
        m_state.fail(ErrorCode::MissingKey, "required key is missing");
    }
    return json;
}

void FieldReader::numberOrList(std::string_view key, std::vector<std::int64_t>& out) {
    out.clear();
    const JsonValue* const json = take(key, false);
    if (json == nullptr || json->kind == JsonValue::Kind::Null) return;
    const PathStep step(m_state, key);
    if (json->isNumber())
        readValue(m_state, *json, out.emplace_back());
    else if (json->isArray())
        readValue(m_state, *json, out);
    else
        m_state.wrongType("null, an integer or a list of integers", *json);
}

void FieldReader::unknown(UnknownFields& out) {
    out.clear();
    if (m_state.failed()) return;
    for (const JsonMember& member : m_object.members) {
        if (std::find(m_known.begin(), m_known.end(), member.key) != m_known.end()) continue;
        m_state.warnUnknownKey(member.key, m_known);
        out.push_back({member.key, compactJson(member.value)});
    }
}

}  // namespace cubist
