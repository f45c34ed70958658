// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

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

/// Where a string or number begins that is longer than any that may be accepted; npos when there is none. The parser
/// would collect all of it before it could be refused.
std::size_t overlongToken(std::string_view text, const JsonLimits& limits) {
    constexpr std::size_t kLongestEscape = 6;  // "\u0041" for one byte
    const std::size_t most = limits.stringBytes > text.size() ? text.size() : limits.stringBytes * kLongestEscape;
    std::size_t start = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString) {
            if (c == '"')
                inString = false;
            else if (c == '\\')
                ++i;
            if (i - start > most + 2) return start;
            continue;
        }
        const bool number = (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
        if (number && i - start > limits.numberBytes + most) return start;
        if (number) continue;
        inString = c == '"';
        start = inString ? i : i + 1;
    }
    return std::string_view::npos;
}

/// Builds the value from the parser's events and stops it at the first thing we do not accept.
class Builder {
public:
    using Take = std::function<Result<void>(const JsonValue&)>;

    Builder(std::string_view text, const JsonLimits& limits) : m_text(text), m_limits(limits) {}
    /// Hands the elements of one list out instead of keeping them.
    Builder(std::string_view text, const JsonLimits& limits, std::string_view key, const Take& take)
        : m_text(text), m_limits(limits), m_key(key), m_take(&take) {}

    JsonValue root;
    Error error;
    bool listFound = false;

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
        return isNew(frame) || failTwice();
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
        std::string key;  ///< objects: of the member being read
    };
    static constexpr std::size_t kFew = 16;

    /// Has no member of the object the key? Looked up one by one while there are few: most objects stay small. Keys of
    /// larger ones are compared when the object is complete (`repeatedKey`), which takes no copy of them.
    static bool isNew(const Frame& frame) {
        const std::vector<JsonMember>& members = frame.value.members;
        return members.size() >= kFew || std::none_of(members.begin(), members.end(),
                                                      [&](const JsonMember& each) { return each.key == frame.key; });
    }

    /// The place of a member of a large object whose key an earlier one has; the first of them.
    static std::optional<std::size_t> repeatedKey(const std::vector<JsonMember>& members) {
        if (members.size() <= kFew) return std::nullopt;
        std::vector<std::uint32_t> order(members.size());
        std::iota(order.begin(), order.end(), 0U);
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            const int compared = members[a].key.compare(members[b].key);
            return compared != 0 ? compared < 0 : a < b;
        });
        std::optional<std::size_t> first;
        for (std::size_t i = 1; i < order.size(); ++i)
            if (members[order[i]].key == members[order[i - 1]].key)
                first = std::min<std::size_t>(first.value_or(order[i]), order[i]);
        return first;
    }

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

    bool failTwice() {
        return fail(ErrorCode::DuplicateKey,
                    "the key " + quotedForMessage(m_frames.back().key) + " occurs twice in one object");
    }

    /// Bytes that values may take: more than any document of ours, with its text far below 100 MB. Who takes texts
    /// that are larger than this has room for what is in them.
    [[nodiscard]] std::size_t mostMemory() const {
        constexpr std::size_t kOfFiles = std::size_t{32} << 20;
        return m_limits.bytes <= 2 * kOfFiles ? kOfFiles : m_limits.bytes;
    }

    bool count(const JsonValue& value) {
        if (++m_values > m_limits.values)
            return fail(ErrorCode::BadValue, "more than " + std::to_string(m_limits.values) + " values");
        m_memory += sizeof(JsonMember) + value.text.size();
        if (!m_frames.empty()) m_memory += m_frames.back().key.size();
        if (m_memory <= mostMemory()) return true;
        return fail(ErrorCode::BadValue, "the values take more than " + std::to_string(mostMemory()) + " bytes");
    }

    bool place(JsonValue value) {
        if (!count(value)) return false;
        if (isItem()) return handOut(value);
        if (m_frames.empty())
            root = std::move(value);
        else if (Frame& frame = m_frames.back(); frame.value.isObject())
            frame.value.members.push_back({std::move(frame.key), std::move(value)});
        else
            frame.value.items.push_back(std::move(value));
        return true;
    }

    /// Whether the value that is complete now is an element of the list that is handed out.
    [[nodiscard]] bool isItem() const {
        if (m_take == nullptr || m_frames.size() != (m_key.empty() ? 1U : 2U) || !m_frames.back().value.isArray())
            return false;
        return m_key.empty() || (m_frames[0].value.isObject() && m_frames[0].key == m_key);
    }

    bool handOut(const JsonValue& value) {
        m_values = m_valuesOutside;
        m_memory = m_memoryOutside;
        if (Result<void> taken = (*m_take)(value); !taken) {
            error = std::move(taken).error();
            return false;
        }
        return true;
    }

    bool open(JsonValue container) {
        if (static_cast<int>(m_frames.size()) >= m_limits.depth)
            return fail(ErrorCode::BadValue, "nested deeper than " + std::to_string(m_limits.depth) + " levels");
        m_frames.push_back({std::move(container), {}});
        if (isItem()) {
            listFound = true;
            m_valuesOutside = m_values;
            m_memoryOutside = m_memory;
        }
        return true;
    }

    bool close() {
        if (const auto twice = repeatedKey(m_frames.back().value.members)) {
            m_frames.back().key = m_frames.back().value.members[*twice].key;
            return failTwice();
        }
        JsonValue value = std::move(m_frames.back().value);
        m_frames.pop_back();
        return place(std::move(value));
    }

    std::string_view m_text;
    const JsonLimits& m_limits;
    std::string_view m_key;
    const Take* m_take = nullptr;
    std::vector<Frame> m_frames;
    std::size_t m_values = 0;
    std::size_t m_memory = 0;
    std::size_t m_valuesOutside = 0, m_memoryOutside = 0;  ///< when the list that is handed out began
};

/// Runs the parser. Errors: the builder's.
Result<void> build(std::string_view text, const JsonLimits& limits, Builder& builder) {
    if (text.size() > limits.bytes)
        return unexpected(ErrorCode::BadValue, "the JSON text has " + std::to_string(text.size()) +
                                                   " bytes; the limit is " + std::to_string(limits.bytes));
    if (const std::size_t at = overlongToken(text, limits); at != std::string_view::npos)
        return unexpected(ErrorCode::BadValue, placeText(text, at + 1) +
                                                   ": a string or number is too long; the limit is " +
                                                   std::to_string(limits.stringBytes) + " bytes");
    if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return unexpected(std::move(builder.error));
    return {};
}

}  // namespace

Result<JsonValue> parseJson(std::string_view text, const JsonLimits& limits) {
    Builder builder(text, limits);
    CUBIST_CHECK_OK(build(text, limits, builder));
    return std::move(builder.root);
}

Result<void> parseJsonItems(std::string_view text, std::string_view key, const JsonLimits& limits,
                            const std::function<Result<void>(const JsonValue&)>& take) {
    Builder builder(text, limits, key, take);
    CUBIST_CHECK_OK(build(text, limits, builder));
    if (builder.listFound) return {};
    return unexpected(ErrorCode::MissingKey,
                      key.empty() ? "the document is no list" : "there is no list '" + std::string(key) + "'");
}

}  // namespace cubist
