// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/exchange/json_pointer.h"
#include "core/exchange/json_text.h"

namespace cubist {
namespace {

/// "line 3, column 7" of the byte before `bytes` (the parser counts bytes already read).
std::string placeText(std::string_view text, std::size_t bytes) {
    const std::string_view before = text.substr(0, bytes == 0 ? 0 : std::min(bytes - 1, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t lineStart = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    // Columns count characters, not bytes: continuation bytes of UTF-8 take no column.
    const auto column = 1 + std::count_if(before.begin() + static_cast<std::ptrdiff_t>(lineStart), before.end(),
                                          [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// The reason in the parser's message, without its prefix and without the (possibly huge or broken) token it read.
std::string reasonText(const std::string& what) {
    std::string_view reason = what;
    if (const auto dash = reason.find(" - "); dash != std::string_view::npos)
        reason.remove_prefix(dash + 3);
    else if (const auto bracket = reason.find("] "); bracket != std::string_view::npos)
        reason.remove_prefix(bracket + 2);
    if (const auto token = reason.find("; last read"); token != std::string_view::npos)
        reason = reason.substr(0, token);
    std::string clean;
    for (const char c : reason.substr(0, 200)) clean += c >= ' ' && c <= '~' ? c : '?';
    return clean;
}

bool startsLikeNonFinite(std::string_view text) {
    if (text.substr(0, 1) == "-") text.remove_prefix(1);
    return text.substr(0, 3) == "NaN" || text.substr(0, 3) == "nan" || text.substr(0, 3) == "Inf" ||
           text.substr(0, 3) == "inf";
}

/// Builds the value from the parser's events and stops it at the first thing we do not accept.
class Builder {
public:
    Builder(std::string_view text, const JsonLimits& limits) : m_text(text), m_limits(limits) {}

    JsonValue root;
    Error error;

    bool null() { return place(JsonValue()); }
    bool boolean(bool value) { return place(JsonValue::fromBool(value)); }
    // Only a "-0" arrives here as a zero: other zeros have no sign and are unsigned.
    bool number_integer(std::int64_t value) {
        return place(JsonValue::fromNumberText(value == 0 ? "-0" : std::to_string(value)));
    }
    bool number_unsigned(std::uint64_t value) { return place(JsonValue::fromNumberText(std::to_string(value))); }
    bool number_float(double /*value*/, const std::string& spelled) {
        if (spelled.size() > m_limits.numberBytes)
            return fail(ErrorCode::BadValue, "a number has " + std::to_string(spelled.size()) +
                                                 " characters; the limit is " + std::to_string(m_limits.numberBytes));
        // The parser replaces '.' by the decimal point of the process's locale.
        std::string text = spelled;
        for (char& c : text)
            if (std::string_view("0123456789+-eE").find(c) == std::string_view::npos) c = '.';
        return place(JsonValue::fromNumberText(std::move(text)));
    }
    bool string(std::string& value) { return checkString(value) && place(JsonValue::fromString(std::move(value))); }
    bool binary(std::vector<std::uint8_t>& /*value*/) { return fail(ErrorCode::Internal, "binary JSON"); }

    bool start_object(std::size_t /*elements*/) { return open(JsonValue::object()); }
    bool start_array(std::size_t /*elements*/) { return open(JsonValue::array()); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }

    bool key(std::string& name) {
        if (!checkString(name)) return false;
        Frame& frame = m_frames.back();
        frame.key = std::move(name);
        if (frame.keys.insert(frame.key).second) return true;
        return fail(ErrorCode::DuplicateKey, "the key " + quotedForMessage(frame.key) + " occurs twice in one object");
    }

    template <class Exception>
    bool parse_error(std::size_t position, const std::string& /*token*/, const Exception& exception) {
        const std::string reason = reasonText(exception.what());
        const bool range = exception.id != 101;
        fail(range ? ErrorCode::BadValue : ErrorCode::Syntax, placeText(m_text, position) + ": " + reason);
        error.where.clear();
        const std::size_t before = std::min(position, m_text.size());
        for (std::size_t back = 1; back <= 3 && back <= before; ++back)
            if (startsLikeNonFinite(m_text.substr(before - back))) error.hint = "JSON has no NaN and no Infinity";
        return false;
    }

private:
    struct Frame {
        JsonValue value;
        std::string key;                       ///< objects: of the member being read
        std::unordered_set<std::string> keys;  ///< objects
    };

    bool fail(ErrorCode code, std::string message) {
        std::string where;
        for (const Frame& frame : m_frames)
            where += "/" +
                     (frame.value.isObject() ? escapePointerStep(frame.key) : std::to_string(frame.value.items.size()));
        error = Error{code, std::move(message), std::move(where), {}};
        return false;
    }

    bool checkString(const std::string& text) {
        if (text.size() <= m_limits.stringBytes) return true;
        return fail(ErrorCode::BadValue, "a string has " + std::to_string(text.size()) + " bytes; the limit is " +
                                             std::to_string(m_limits.stringBytes));
    }

    bool count() {
        if (++m_values <= m_limits.values) return true;
        return fail(ErrorCode::BadValue, "more than " + std::to_string(m_limits.values) + " values");
    }

    bool place(JsonValue value) {
        if (!count()) return false;
        if (m_frames.empty())
            root = std::move(value);
        else if (Frame& frame = m_frames.back(); frame.value.isObject())
            frame.value.members.push_back({std::move(frame.key), std::move(value)});
        else
            frame.value.items.push_back(std::move(value));
        return true;
    }

    bool open(JsonValue container) {
        if (static_cast<int>(m_frames.size()) >= m_limits.depth)
            return fail(ErrorCode::BadValue, "nested deeper than " + std::to_string(m_limits.depth) + " levels");
        m_frames.push_back({std::move(container), {}, {}});
        return true;
    }

    bool close() {
        JsonValue value = std::move(m_frames.back().value);
        m_frames.pop_back();
        return place(std::move(value));
    }

    std::string_view m_text;
    const JsonLimits& m_limits;
    std::vector<Frame> m_frames;
    std::size_t m_values = 0;
};

}  // namespace

Result<JsonValue> parseJson(std::string_view text, const JsonLimits& limits) {
    if (text.size() > limits.bytes)
        return unexpected(ErrorCode::BadValue, "the JSON text has " + std::to_string(text.size()) +
                                                   " bytes; the limit is " + std::to_string(limits.bytes));
    Builder builder(text, limits);
    if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return unexpected(std::move(builder.error));
    return std::move(builder.root);
}

}  // namespace cubist
