// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/python_writer.h"

#include <algorithm>

#include "core/exchange/json_value.h"

namespace cubist {
namespace {

constexpr std::size_t kIndent = 4;
constexpr std::size_t kPieceColumns = 72;

std::string escaped(std::string_view text, char quote) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '\\': out += "\\\\"; break;
            case '\n': out += "\\n"; break;
            case '\r': out += "\\r"; break;
            case '\t': out += "\\t"; break;
            default: {
                const auto byte = static_cast<unsigned char>(c);
                if (byte >= 0x20 && byte != 0x7F) {
                    if (c == quote) out += '\\';
                    out += c;
                } else {
                    out += "\\x";
                    out += digits[byte >> 4U];
                    out += digits[byte & 15U];
                }
            }
        }
    }
    return out;
}

/// Double quotes, unless single ones save backslashes.
std::string quotedText(std::string_view text) {
    const bool single = std::count(text.begin(), text.end(), '\'') < std::count(text.begin(), text.end(), '"');
    const char quote = single ? '\'' : '"';
    return quote + escaped(text, quote) + quote;
}

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> out;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find_first_of(" \n\t\r", at), text.size());
        if (end > at) out.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

/// The text in pieces that end behind a blank where there is one.
std::vector<std::string> piecesOf(std::string_view text) {
    std::vector<std::string> pieces;
    while (text.size() > kPieceColumns) {
        std::size_t cut = text.rfind(' ', kPieceColumns - 1);
        cut = cut == std::string_view::npos ? kPieceColumns : cut + 1;
        while (cut < text.size() && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) ++cut;  // inside UTF-8
        pieces.push_back(quotedText(text.substr(0, cut)));
        text.remove_prefix(cut);
    }
    if (!text.empty() || pieces.empty()) pieces.push_back(quotedText(text));
    return pieces;
}

char closing(char open) {
    return open == '(' ? ')' : open == '[' ? ']' : '}';
}

}  // namespace

std::string pythonString(std::string_view text) {
    return quotedText(text);
}

std::string pythonFloat(double value) {
    std::string text = numberText(value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

PyExpr PyExpr::call(const std::string& function, std::vector<PyExpr> items) {
    PyExpr out;
    out.m_head = function;
    out.m_open = '(';
    out.m_items = std::move(items);
    return out;
}

PyExpr PyExpr::list(std::vector<PyExpr> items) {
    PyExpr out = call({}, std::move(items));
    out.m_open = '[';
    return out;
}

PyExpr PyExpr::subscript(const std::string& value, std::vector<PyExpr> items) {
    PyExpr out = call(value, std::move(items));
    out.m_open = '[';
    return out;
}

PyExpr PyExpr::tuple(std::vector<PyExpr> items) {
    PyExpr out = call({}, std::move(items));
    out.m_comma = out.m_items.size() == 1;
    return out;
}

PyExpr PyExpr::dict(std::vector<PyExpr> entries) {
    PyExpr out = call({}, std::move(entries));
    out.m_open = '{';
    return out;
}

PyExpr PyExpr::entry(std::string_view key, PyExpr value) {
    return keyed(pythonString(key), std::move(value));
}

PyExpr PyExpr::keyed(const std::string& key, PyExpr value) {
    value.m_prefix = key + ": " + value.m_prefix;
    return value;
}

PyExpr PyExpr::named(const std::string& name, PyExpr value) {
    value.m_prefix = name + "=" + value.m_prefix;
    return value;
}

PyExpr PyExpr::string(std::string_view text) {
    PyExpr out(pythonString(text));
    if (text.size() > kPieceColumns) out.m_pieces = piecesOf(text);
    return out;
}

std::string PyExpr::flat() const {
    std::string out = m_prefix + m_head;
    if (m_open == 0) return out;
    out += m_open;
    for (std::size_t i = 0; i < m_items.size(); ++i) out += (i == 0 ? "" : ", ") + m_items[i].flat();
    if (m_comma) out += ',';
    return out + closing(m_open);
}

void PythonWriter::line(std::string_view text) {
    if (!text.empty()) m_text.append(static_cast<std::size_t>(m_depth) * kIndent, ' ');
    m_text += text;
    m_text += '\n';
}

void PythonWriter::blank(int lines) {
    m_text.append(static_cast<std::size_t>(lines), '\n');
}

void PythonWriter::comment(std::string_view text) {
    const std::size_t width = kColumns - static_cast<std::size_t>(m_depth) * kIndent;
    std::string current = "#";
    for (const std::string& word : words(text)) {
        if (current.size() > 1 && current.size() + 1 + word.size() > width) {
            line(current);
            current = "#";
        }
        current += " " + word;
    }
    line(current);
}

void PythonWriter::docString(std::string_view summary, const std::vector<std::string>& paragraphs, DocLines lines) {
    const std::size_t width = kColumns - static_cast<std::size_t>(m_depth) * kIndent;
    const auto clean = [](std::string_view text) {
        std::string out;
        for (const char c : text) {
            if (c == '\\' || (c == '"' && !out.empty() && out.back() == '"')) out += '\\';
            out += c;
        }
        if (!out.empty() && out.back() == '"') out += ' ';
        return out;
    };
    const auto wrapped = [&](std::string current, const std::vector<std::string>& list) {
        const std::size_t start = current.size();
        for (const std::string& word : list) {
            if (current.size() > start && current.size() + 1 + word.size() > width - 3) {
                line(current);
                current.clear();
            }
            current += (current.empty() || current.size() == start ? "" : " ") + word;
        }
        return current;
    };
    std::string last = wrapped("\"\"\"", words(clean(summary)));
    for (const std::string& paragraph : paragraphs) {
        line(last);
        if (lines == DocLines::Paragraphs || &paragraph == &paragraphs.front()) blank();
        last = wrapped("", words(clean(paragraph)));
    }
    if (!paragraphs.empty()) {
        line(last);
        line("\"\"\"");
    } else {
        line(last + "\"\"\"");
    }
}

void PythonWriter::statement(const std::string& prefix, const PyExpr& expression, const std::string& suffix) {
    write(prefix, expression, suffix);
}

void PythonWriter::write(const std::string& prefix, const PyExpr& expression, const std::string& suffix) {
    const std::size_t width = kColumns - static_cast<std::size_t>(m_depth) * kIndent;
    const std::string whole = prefix + expression.flat() + suffix;
    const bool strings = expression.m_open == 0 && expression.m_pieces.size() > 1;
    if (whole.size() <= width || (!strings && (expression.m_open == 0 || expression.m_items.empty()))) {
        line(whole);
        return;
    }
    if (strings) {
        line(prefix + expression.m_prefix + "(");
        {
            const PythonIndent inner(*this);
            for (const std::string& piece : expression.m_pieces) line(piece);
        }
        line(")" + suffix);
        return;
    }
    line(prefix + expression.m_prefix + expression.m_head + expression.m_open);
    {
        const PythonIndent inner(*this);
        std::string together;
        for (const PyExpr& item : expression.m_items) together += (together.empty() ? "" : ", ") + item.flat();
        if (expression.m_comma) together += ',';
        // A dictionary and a signature read better with one entry to a line.
        const bool spread = expression.m_open == '{' || together.size() > width - kIndent;
        if (!spread)
            line(together);
        else
            for (const PyExpr& item : expression.m_items) write({}, item, ",");
    }
    line(std::string(1, closing(expression.m_open)) + suffix);
}

}  // namespace cubist
