// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/npy_header.h"

#include <charconv>
#include <optional>

#include "core/exchange/json_text.h"

namespace cubist {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

Unexpected damaged(const std::string& why) {
    return unexpected(ErrorCode::BadFile, "damaged .npy header: " + why);
}

Result<NpyType> parseType(std::string_view descr) {
    const std::string quoted = quotedForMessage(descr);
    std::string_view rest = descr;
    char order = '|';
    if (!rest.empty() && std::string_view("<>|=").find(rest[0]) != std::string_view::npos) {
        order = rest[0];
        rest.remove_prefix(1);
    }
    const std::string_view digits = rest.empty() ? rest : rest.substr(1);
    if (!rest.empty() && rest[0] == 'O')
        return unexpected(ErrorCode::Unsupported, "the file holds Python objects, not numbers (type " + quoted + ")");
    NpyType type;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), type.bytes);
    const bool sized = !digits.empty() && status == std::errc() && end == digits.data() + digits.size();
    const bool wide = type.bytes == 2 || type.bytes == 4 || type.bytes == 8;
    bool known = sized;
    switch (rest.empty() ? ' ' : rest[0]) {
        case 'f':
            type.kind = NpyType::Kind::Float;
            known = known && wide;
            break;
        case 'i':
            type.kind = NpyType::Kind::Signed;
            known = known && (wide || type.bytes == 1);
            break;
        case 'u':
            type.kind = NpyType::Kind::Unsigned;
            known = known && (wide || type.bytes == 1);
            break;
        case 'b':
            type.kind = NpyType::Kind::Bool;
            known = known && type.bytes == 1;
            break;
        default: known = false;
    }
    if (!known || (order == '|' && type.bytes > 1))
        return unexpected(
            ErrorCode::Unsupported, "the element type " + quoted + " is not supported", {},
            "use float16, float32, float64, an integer type or bool; codes of BF16 travel as uint16 and of "
            "8-bit and 4-bit floats as uint8");
    type.bigEndian = order == '>';
    return type;
}

/// The few Python literals that a header consists of.
class DictionaryParser {
public:
    explicit DictionaryParser(std::string_view text) : m_text(text) {}

    Result<NpyHeader> run() {
        std::optional<NpyType> type;
        std::optional<bool> fortran;
        std::optional<Shape> shape;
        if (!accept("{")) return damaged("it does not start with '{'");
        while (!accept("}")) {
            CUBIST_TRY(const std::string_view key, string());
            if (!accept(":")) return damaged("no ':' after the key " + quotedForMessage(key));
            const bool again =
                (key == "descr" && type) || (key == "fortran_order" && fortran) || (key == "shape" && shape);
            if (again) return damaged("the key " + quotedForMessage(key) + " occurs twice");
            if (key == "descr") {
                skipSpace();
                if (m_text.substr(m_at, 1) == "[")
                    return unexpected(ErrorCode::Unsupported, "the file holds records, not numbers (structured type)");
                CUBIST_TRY(const std::string_view descr, string());
                CUBIST_TRY(type, parseType(descr));
            } else if (key == "fortran_order") {
                fortran = accept("True");
                if (!*fortran && !accept("False")) return damaged("'fortran_order' is neither True nor False");
            } else if (key == "shape") {
                CUBIST_TRY(shape, tuple());
            } else {
                return damaged("unknown key " + quotedForMessage(key));
            }
            if (!accept(",")) {
                if (!accept("}")) return damaged("no ',' or '}' after " + quotedForMessage(key));
                break;
            }
        }
        skipSpace();
        if (m_at != m_text.size()) return damaged("text after the dictionary");
        if (!type) return damaged("the key 'descr' is missing");
        if (!fortran) return damaged("the key 'fortran_order' is missing");
        if (!shape) return damaged("the key 'shape' is missing");
        return NpyHeader{*type, *fortran, *std::move(shape)};
    }

private:
    void skipSpace() {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\n')) ++m_at;
    }

    bool accept(std::string_view token) {
        skipSpace();
        if (m_text.substr(m_at, token.size()) != token) return false;
        m_at += token.size();
        return true;
    }

    Result<std::string_view> string() {
        skipSpace();
        const char quote = m_at < m_text.size() ? m_text[m_at] : ' ';
        if (quote != '\'' && quote != '"') return damaged("a string is missing");
        const std::size_t end = m_text.find(quote, m_at + 1);
        if (end == std::string_view::npos) return damaged("a string does not end");
        const std::string_view text = m_text.substr(m_at + 1, end - m_at - 1);
        if (text.find('\\') != std::string_view::npos) return damaged("a string with a backslash");
        m_at = end + 1;
        return text;
    }

    /// "()", "(3,)", "(3, 4)"; Python 2 wrote "3L".
    Result<Shape> tuple() {
        constexpr std::size_t kMaxAxes = 32;
        if (!accept("(")) return damaged("'shape' is no tuple");
        Shape shape;
        while (!accept(")")) {
            skipSpace();
            std::int64_t extent = 0;
            const char* const first = m_text.data() + m_at;
            const auto [end, status] = std::from_chars(first, m_text.data() + m_text.size(), extent);
            if (status != std::errc() || extent < 0) return damaged("'shape' has an entry that is no size");
            if (shape.size() == kMaxAxes) return damaged("'shape' has too many axes");
            shape.push_back(extent);
            m_at += static_cast<std::size_t>(end - first);
            accept("L");
            if (accept(",")) continue;
            if (shape.size() == 1 || !accept(")")) return damaged("'shape' is no tuple");
            break;
        }
        return shape;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

}  // namespace

std::string NpyType::name() const {
    switch (kind) {
        case Kind::Float: return "float" + std::to_string(8 * bytes);
        case Kind::Signed: return "int" + std::to_string(8 * bytes);
        case Kind::Unsigned: return "uint" + std::to_string(8 * bytes);
        case Kind::Bool: return "bool";
    }
    return {};
}

Result<std::size_t> npyLengthBytes(std::string_view magic) {
    if (magic.size() < kNpyMagicBytes || magic.substr(0, kMagic.size()) != kMagic)
        return unexpected(ErrorCode::BadFile, "not a .npy file");
    const int major = static_cast<unsigned char>(magic[6]);
    const int minor = static_cast<unsigned char>(magic[7]);
    if (major < 1 || major > 3 || minor != 0)
        return unexpected(ErrorCode::Unsupported, ".npy version " + std::to_string(major) + "." +
                                                      std::to_string(minor) + " is not known (1.0, 2.0 and 3.0 are)");
    return std::size_t{major == 1 ? 2U : 4U};
}

Result<NpyHeader> parseNpyHeader(std::string_view dictionary) {
    CUBIST_TRY(NpyHeader header, DictionaryParser(dictionary).run());
    CUBIST_TRY([[maybe_unused]] const std::int64_t count, elementCount(header.shape));
    return header;
}

std::string npyHeaderBytes(std::string_view descr, const Shape& shape) {
    constexpr std::size_t kAlignment = 64;
    std::string dictionary =
        "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': " + shapeText(shape) + ", }";
    const std::size_t used = kNpyMagicBytes + 2 + dictionary.size() + 1;
    dictionary.append((kAlignment - used % kAlignment) % kAlignment, ' ');
    dictionary += '\n';
    std::string bytes(kMagic);
    bytes += '\x01';
    bytes += '\0';
    bytes += static_cast<char>(dictionary.size() & 0xFFU);
    bytes += static_cast<char>(dictionary.size() >> 8U);
    return bytes + dictionary;
}

std::string shapeText(const Shape& shape) {
    std::string text = "(";
    for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace cubist
