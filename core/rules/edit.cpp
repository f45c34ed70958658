// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/rules/edit.h"

#include <charconv>
#include <optional>
#include <string_view>

namespace cubist::rules {

namespace {

std::string quoted(const std::string& text) {
    std::string json = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') json += '\\';
        json += c;
    }
    return json + '"';
}

/// Walks along a pointer through the fields of the stored structs.
class Setter {
public:
    Setter(std::string_view pointer, const EditValue& value) : m_rest(pointer), m_value(value) {}

    [[nodiscard]] bool done() const { return m_done; }

    template <class T>
    void required(std::string_view key, T& member) {
        field(key, member);
    }
    template <class T>
    void optional(std::string_view key, T& member) {
        field(key, member);
    }
    template <class T, class Default>
    void optional(std::string_view key, T& member, const Default&) {
        field(key, member);
    }
    void numberOrList(std::string_view key, std::vector<std::int64_t>& member) { field(key, member); }
    void unknown(UnknownFields&) {}

    template <class T>
    void descend(T& member) {
        if (m_rest.empty()) {
            m_done = assign(member);
        } else if constexpr (std::is_same_v<T, Block>) {
            std::visit([this](auto& content) { descend(content); }, member.content);
        } else if constexpr (requires { T::visitFields(member, *this); }) {
            m_key = takeStep();
            T::visitFields(member, *this);
        }
    }
    template <class T>
    void descend(std::optional<T>& member) {
        if (m_rest.empty())
            m_done = assign(member);
        else if (member)
            descend(*member);
    }
    template <class T>
    void descend(std::vector<T>& list) {
        if (m_rest.empty()) {
            m_done = assign(list);
            return;
        }
        const std::string_view step = takeStep();
        std::size_t index = 0;
        const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
        if (error == std::errc() && end == step.data() + step.size() && index < list.size()) descend(list[index]);
    }

    template <class T>
    void descend(Dictionary<T>& dictionary) {
        if (m_rest.empty()) {
            m_done = assign(dictionary);
            return;
        }
        const std::string_view step = takeStep();
        for (auto& entry : dictionary.entries)
            if (entry.key == step) return descend(entry.value);
    }

private:
    template <class T>
    void field(std::string_view key, T& member) {
        if (m_done || m_key != key) return;
        const std::string_view taken = m_key;
        m_key = {};
        descend(member);
        m_key = taken;
    }

    std::string_view takeStep() {
        const std::size_t end = m_rest.find('/', 1);
        const std::string_view step = m_rest.substr(1, end == std::string_view::npos ? end : end - 1);
        m_rest = end == std::string_view::npos ? std::string_view() : m_rest.substr(end);
        return step;
    }

    template <class T>
    bool assign(T& member) const {
        if constexpr (std::is_enum_v<T>) {
            const auto* text = std::get_if<std::string>(&m_value);
            const std::optional<T> value = text != nullptr ? fromText<T>(*text) : std::nullopt;
            if (value) member = *value;
            return value.has_value();
        } else if constexpr (std::is_same_v<T, Expression>) {
            const auto* number = std::get_if<std::int64_t>(&m_value);
            if (number != nullptr) member = Expression(*number);
            return number != nullptr;
        } else if constexpr (std::is_same_v<T, std::vector<Expression>>) {
            if (const auto* list = std::get_if<std::vector<Expression>>(&m_value)) member = *list;
            const auto* numbers = std::get_if<std::vector<std::int64_t>>(&m_value);
            if (numbers != nullptr) member.assign(numbers->begin(), numbers->end());
            return numbers != nullptr || std::holds_alternative<std::vector<Expression>>(m_value);
        } else if constexpr (std::is_same_v<T, double>) {
            const auto* number = std::get_if<std::int64_t>(&m_value);
            if (number != nullptr) member = static_cast<double>(*number);
            return number != nullptr;
        } else if constexpr (std::is_same_v<T, Operand>) {
            const auto* number = std::get_if<std::int64_t>(&m_value);
            if (number != nullptr) member.source = static_cast<double>(*number);
            return number != nullptr;
        } else if constexpr (std::is_same_v<T, std::optional<std::int64_t>>) {
            if (std::holds_alternative<std::monostate>(m_value)) member.reset();
            if (const auto* number = std::get_if<std::int64_t>(&m_value)) member = *number;
            return std::holds_alternative<std::monostate>(m_value) || std::holds_alternative<std::int64_t>(m_value);
        } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::int64_t> ||
                             std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<std::int64_t>> ||
                             std::is_same_v<T, Dictionary<std::int64_t>>) {
            const T* value = std::get_if<T>(&m_value);
            if (value != nullptr) member = *value;
            return value != nullptr;
        } else {
            return false;
        }
    }

    std::string_view m_rest;
    const EditValue& m_value;
    std::string_view m_key;
    bool m_done = false;
};

struct ToJson {
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(const std::string& value) const { return quoted(value); }
    std::string operator()(const Expression& value) const {
        return value.literal() ? value.text() : quoted(value.text());
    }
    template <class T>
    std::string operator()(const std::vector<T>& list) const {
        std::string json = "[";
        for (const T& value : list) json += (json.size() > 1 ? ", " : "") + (*this)(value);
        return json + "]";
    }
    std::string operator()(const Dictionary<std::int64_t>& dictionary) const {
        std::string json = "{";
        for (const auto& [key, value] : dictionary.entries)
            json += (json.size() > 1 ? ", " : "") + quoted(key) + ": " + std::to_string(value);
        return json + "}";
    }
};

}  // namespace

bool applyEdit(Design& design, const Edit& edit) {
    if (edit.where.empty() || edit.where.front() != '/') return false;
    Setter setter(edit.where, edit.value);
    setter.descend(design);
    return setter.done();
}

std::string toJson(const EditValue& value) {
    return std::visit(ToJson{}, value);
}

}  // namespace cubist::rules
