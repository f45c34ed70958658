// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/exchange/json_value.h"

namespace cubist::pypto {

/// A node of the syntax tree that kernel_ast.py prints, by the names of Python's `ast`. Absent parts are empty nodes.
class AstNode {
public:
    AstNode() = default;
    explicit AstNode(const JsonValue* json) : m_json(json) {}

    /// The document; precondition: the node exists.
    [[nodiscard]] const JsonValue& json() const { return *m_json; }
    [[nodiscard]] bool exists() const { return m_json != nullptr && m_json->isObject(); }
    [[nodiscard]] std::string_view type() const { return text("t"); }
    [[nodiscard]] bool is(std::string_view name) const { return type() == name; }
    [[nodiscard]] std::int64_t line() const {
        const JsonValue* value = find("l");
        std::int64_t number = 0;
        if (value != nullptr) std::from_chars(value->text.data(), value->text.data() + value->text.size(), number);
        return number;
    }
    [[nodiscard]] AstNode operator[](std::string_view field) const { return AstNode(find(field)); }
    [[nodiscard]] std::string_view text(std::string_view field) const {
        const JsonValue* value = find(field);
        return value != nullptr && value->isString() ? std::string_view(value->text) : std::string_view();
    }
    [[nodiscard]] std::vector<AstNode> list(std::string_view field) const {
        std::vector<AstNode> out;
        if (const JsonValue* value = find(field); value != nullptr && value->isArray())
            for (const JsonValue& item : value->items) out.emplace_back(&item);
        return out;
    }

    /// The first entry of a list of plain strings, such as the operators of a comparison.
    [[nodiscard]] std::string firstText(std::string_view field) const {
        const JsonValue* value = find(field);
        return value != nullptr && value->isArray() && !value->items.empty() ? value->items[0].text : std::string();
    }

    /// Constants. A minus sign belongs to a number.
    [[nodiscard]] std::optional<std::int64_t> integer() const {
        if (is("UnaryOp") && text("op") == "USub") {
            const auto inner = (*this)["operand"].integer();
            return inner ? std::optional(-*inner) : std::nullopt;
        }
        if (!is("Constant") || text("kind") != "int") return std::nullopt;
        const std::string_view digits = text("value");
        std::int64_t number = 0;
        const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        return status == std::errc() && end == digits.data() + digits.size() ? std::optional(number) : std::nullopt;
    }
    [[nodiscard]] std::optional<double> number() const {
        if (is("UnaryOp") && text("op") == "USub") {
            const auto inner = (*this)["operand"].number();
            return inner ? std::optional(-*inner) : std::nullopt;
        }
        if (!is("Constant") || (text("kind") != "int" && text("kind") != "float")) return std::nullopt;
        const std::string_view digits = text("value");
        double value = 0;
        const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return status == std::errc() && end == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
    }
    [[nodiscard]] std::optional<std::string> string() const {
        if (!is("Constant") || text("kind") != "str") return std::nullopt;
        return std::string(text("value"));
    }
    [[nodiscard]] std::optional<bool> boolean() const {
        if (!is("Constant") || text("kind") != "bool") return std::nullopt;
        return text("value") == "True";
    }
    /// "pypto.DT_FP32" of a chain of names and attributes; empty for anything else.
    [[nodiscard]] std::string dotted() const {
        if (is("Name")) return std::string(text("id"));
        if (!is("Attribute")) return {};
        const std::string inner = (*this)["value"].dotted();
        return inner.empty() ? std::string() : inner + "." + std::string(text("attr"));
    }
    /// Of a call: the argument by place or name.
    [[nodiscard]] AstNode argument(std::size_t place, std::string_view name) const {
        const std::vector<AstNode> given = list("args");
        if (place < given.size()) return given[place];
        return keyword(name);
    }
    [[nodiscard]] AstNode keyword(std::string_view name) const {
        for (const AstNode& each : list("keywords"))
            if (each.text("arg") == name) return each["value"];
        return AstNode();
    }

private:
    [[nodiscard]] const JsonValue* find(std::string_view field) const {
        return m_json == nullptr ? nullptr : m_json->find(field);
    }
    const JsonValue* m_json = nullptr;
};

}  // namespace cubist::pypto
