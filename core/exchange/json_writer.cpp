// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdint>

#include "core/exchange/json_text.h"

namespace cubist {
namespace {

constexpr std::size_t kColumns = 116;
constexpr std::size_t kIndent = 2;

/// Bytes of the UTF-8 character at the start of `text`; 0 when it is not valid UTF-8.
std::size_t characterBytes(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                               : first >= 0xE0 && first < 0xF0 ? 3
                               : first >= 0xF0 && first < 0xF5 ? 4
                                                               : 0;
    if (length == 0 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0U) != 0x80U) return 0;
    // Overlong forms, surrogates and what lies beyond U+10FFFF.
    if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) >= 0xA0)) return 0;
    if ((first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) >= 0x90)) return 0;
    return length;
}

void appendString(std::string& out, std::string_view text) {
    constexpr std::string_view kHex = "0123456789abcdef";
    out += '"';
    while (!text.empty()) {
        const std::size_t length = characterBytes(text);
        const char c = text.front();
        if (length == 0)
            out += "\xEF\xBF\xBD";  // U+FFFD: what is written must be readable again
        else if (length > 1)
            out += text.substr(0, length);
        else if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (c == '\r')
            out += "\\r";
        else if (static_cast<unsigned char>(c) < 0x20)
            ((out += "\\u00") += kHex[static_cast<unsigned char>(c) >> 4U]) +=
                kHex[static_cast<unsigned char>(c) & 15U];
        else
            out += c;
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    out += '"';
}

bool isScalar(const JsonValue& value) {
    return !value.isArray() && !value.isObject();
}

/// Characters, not bytes: Chinese text in a file must not break lines earlier than English text.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

class Writer {
public:
    std::string out;

    void compact(const JsonValue& value) {
        switch (value.kind) {
            case JsonValue::Kind::Null: out += "null"; return;
            case JsonValue::Kind::Bool: out += value.boolean ? "true" : "false"; return;
            case JsonValue::Kind::Number: out += value.text; return;
            case JsonValue::Kind::String: appendString(out, value.text); return;
            case JsonValue::Kind::Array: {
                const char* separator = "";
                out += '[';
                for (const JsonValue& item : value.items) {
                    out += separator;
                    compact(item);
                    separator = ", ";
                }
                out += ']';
                return;
            }
            case JsonValue::Kind::Object: {
                const char* separator = "";
                out += '{';
                for (const JsonMember& member : value.members) {
                    out += separator;
                    appendString(out, member.key);
                    out += ": ";
                    compact(member.value);
                    separator = ", ";
                }
                out += '}';
                return;
            }
        }
    }

    /// `trailing`: room for the comma that may follow. The cursor stands behind the indent and the key, if any.
    void pretty(const JsonValue& value, std::size_t level) {
        if (isScalar(value) || (level > 0 && isSimple(value))) {
            const std::size_t start = out.size();
            compact(value);
            if (isScalar(value) || column() + 1 <= kColumns) return;
            out.resize(start);
        }
        if (value.isArray() &&
            std::all_of(value.items.begin(), value.items.end(), [](const JsonValue& item) { return item.isNumber(); }))
            return numbers(value, level + 1);
        if (value.items.empty() && value.members.empty()) return compact(value);
        out += value.isArray() ? '[' : '{';
        const char* separator = "";
        for (const JsonValue& item : value.items) {
            out += separator;
            newLine(level + 1);
            pretty(item, level + 1);
            separator = ",";
        }
        for (const JsonMember& member : value.members) {
            out += separator;
            newLine(level + 1);
            appendString(out, member.key);
            out += ": ";
            pretty(member.value, level + 1);
            separator = ",";
        }
        newLine(level);
        out += value.isArray() ? ']' : '}';
    }

private:
    /// May stand on one line: at most two levels, no list of objects, no object with two objects in it. What is likely
    /// to grow or to be edited part by part gets a line per part.
    static bool isSimple(const JsonValue& value) {
        const auto flat = [](const JsonValue& inner) {
            return std::all_of(inner.items.begin(), inner.items.end(), isScalar) &&
                   std::all_of(inner.members.begin(), inner.members.end(),
                               [](const JsonMember& member) { return isScalar(member.value); });
        };
        const auto objects = std::count_if(value.members.begin(), value.members.end(),
                                           [](const JsonMember& member) { return member.value.isObject(); });
        return objects <= 1 &&
               std::all_of(value.items.begin(), value.items.end(),
                           [&](const JsonValue& item) { return !item.isObject() && flat(item); }) &&
               std::all_of(value.members.begin(), value.members.end(),
                           [&](const JsonMember& member) { return flat(member.value); });
    }

    /// A long list of numbers fills its lines.
    void numbers(const JsonValue& list, std::size_t level) {
        out += '[';
        const char* separator = "";
        for (const JsonValue& item : list.items) {
            out += separator;
            if (*separator == '\0' || column() + 1 + item.text.size() + 1 > kColumns)
                newLine(level);
            else
                out += ' ';
            out += item.text;
            separator = ",";
        }
        newLine(level - 1);
        out += ']';
    }

    void newLine(std::size_t level) {
        out += '\n';
        m_lineStart = out.size();
        out.append(level * kIndent, ' ');
    }

    std::size_t column() const { return width(std::string_view(out).substr(m_lineStart)); }

    std::size_t m_lineStart = 0;
};

}  // namespace

std::string compactJson(const JsonValue& value) {
    Writer writer;
    writer.compact(value);
    return std::move(writer.out);
}

std::string prettyJson(const JsonValue& value) {
    Writer writer;
    writer.pretty(value, 0);
    writer.out += '\n';
    return std::move(writer.out);
}

int jsonDepth(const JsonValue& value) {
    if (isScalar(value)) return 0;
    int deepest = 0;
    for (const JsonValue& item : value.items) deepest = std::max(deepest, jsonDepth(item));
    for (const JsonMember& member : value.members) deepest = std::max(deepest, jsonDepth(member.value));
    return deepest + 1;
}

std::string quotedForMessage(std::string_view text) {
    constexpr std::size_t kShown = 60;
    std::size_t end = std::min(text.size(), kShown);
    while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    std::string quoted;
    appendString(quoted, text.substr(0, end));
    if (end < text.size()) quoted.insert(quoted.size() - 1, "...");
    return quoted;
}

}  // namespace cubist
