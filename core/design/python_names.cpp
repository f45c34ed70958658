// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/design/python_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace cubist {
namespace {

constexpr std::array<std::string_view, 35> kPythonKeywords{
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

/// Letters beyond ASCII, without the signs that lie between them.
constexpr std::array<std::pair<char32_t, char32_t>, 14> kLetters{{{0xC0, 0xD6},
                                                                  {0xD8, 0xF6},
                                                                  {0xF8, 0x24F},
                                                                  {0x386, 0x386},
                                                                  {0x388, 0x38A},
                                                                  {0x38E, 0x3A1},
                                                                  {0x3A3, 0x3F5},
                                                                  {0x400, 0x481},
                                                                  {0x3041, 0x3096},
                                                                  {0x30A1, 0x30FA},
                                                                  {0x3400, 0x4DBF},
                                                                  {0x4E00, 0x9FFF},
                                                                  {0xAC00, 0xD7A3},
                                                                  {0x20000, 0x2A6DF}}};

/// One character of UTF-8 and its length in bytes. Nothing valid: U+FFFD of one byte.
std::pair<char32_t, std::size_t> decode(std::string_view text) {
    const auto first = static_cast<std::uint8_t>(text.front());
    if (first < 0x80) return {first, 1};
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0;
    if (length == 0 || text.size() < length) return {0xFFFD, 1};
    char32_t code = first & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto next = static_cast<std::uint8_t>(text[i]);
        if ((next & 0xC0U) != 0x80U) return {0xFFFD, 1};
        code = code << 6 | (next & 0x3FU);
    }
    return {code, length};
}

bool isLetter(char32_t code) {
    if (code < 0x80) return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') || code == '_';
    return std::any_of(kLetters.begin(), kLetters.end(),
                       [code](const auto& range) { return code >= range.first && code <= range.second; });
}

bool isDigit(char32_t code) {
    return code >= '0' && code <= '9';
}

bool isKeyword(std::string_view name) {
    return std::find(kPythonKeywords.begin(), kPythonKeywords.end(), name) != kPythonKeywords.end();
}

}  // namespace

bool isPythonName(std::string_view name) {
    return !name.empty() && nearestPythonName(name) == name;
}

std::string nearestPythonName(std::string_view text) {
    std::string name;
    while (!text.empty()) {
        const auto [code, length] = decode(text);
        if (name.empty() && isDigit(code)) name += '_';
        if (isLetter(code) || isDigit(code))
            name += text.substr(0, length);
        else
            name += '_';
        text.remove_prefix(length);
    }
    if (isKeyword(name)) name += '_';
    return name;
}

}  // namespace cubist
