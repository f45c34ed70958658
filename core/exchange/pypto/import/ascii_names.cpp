// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/import/ascii_names.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace cubist::pypto {
namespace {

constexpr std::array<std::string_view, 5> kNameFields{"id", "arg", "name", "attr", "asname"};

bool isAscii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80U; });
}

/// `text` is UTF-8: the parser has checked it.
std::string spelled(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        if (lead < 0x80U) {
            out += text[i++];
            continue;
        }
        const std::size_t length = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
        std::uint32_t code = lead & (0xFFU >> (length + 1));
        for (std::size_t k = 1; k < length && i + k < text.size(); ++k)
            code = (code << 6U) | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
        i += length;
        std::string digits;
        for (; code != 0; code >>= 4U) digits.insert(digits.begin(), kDigits[code & 0xFU]);
        out += "u" + digits;
    }
    return out;
}

void spell(JsonValue& node, std::map<std::string, std::string>& changed) {
    for (JsonMember& member : node.members) {
        const bool name = std::find(kNameFields.begin(), kNameFields.end(), member.key) != kNameFields.end();
        if (name && member.value.isString() && !isAscii(member.value.text)) {
            std::string& to = changed[member.value.text];
            if (to.empty()) to = spelled(member.value.text);
            member.value.text = to;
        }
        spell(member.value, changed);
    }
    for (JsonValue& item : node.items) spell(item, changed);
}

}  // namespace

std::map<std::string, std::string> spellInAscii(JsonValue& tree) {
    std::map<std::string, std::string> changed;
    spell(tree, changed);
    return changed;
}

}  // namespace cubist::pypto
