// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/event_stream.h"

#include <array>
#include <charconv>

#include "core/exchange/json_text.h"

namespace cubist {

std::string jsonString(std::string_view text) {
    return compactJson(JsonValue::fromString(std::string(text)));
}

std::string microsecondText(double microseconds) {
    std::array<char, 400> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), microseconds, std::chars_format::fixed, 6).ptr;
    std::string decimal(text.data(), end);
    decimal.erase(decimal.find_last_not_of('0') + 1);
    if (decimal.ends_with('.')) decimal.pop_back();
    return decimal;
}

EventStream& EventStream::event(std::string_view phase) {
    constexpr std::size_t kFlushFrom = std::size_t{1} << 20;
    if (m_inEvent) m_buffer += "}";
    m_buffer += m_inEvent ? ",\n{" : "\n{";
    m_inEvent = true;
    m_first = true;
    if (m_buffer.size() > kFlushFrom) flush();
    return text("ph", phase);
}

void EventStream::field(std::string_view key) {
    if (!m_first) m_buffer += ", ";
    m_first = false;
    m_buffer += '"';
    m_buffer += key;
    m_buffer += "\": ";
}

EventStream& EventStream::text(std::string_view key, std::string_view value) {
    field(key);
    m_buffer += jsonString(value);
    return *this;
}

EventStream& EventStream::number(std::string_view key, std::int64_t value) {
    field(key);
    m_buffer += std::to_string(value);
    return *this;
}

EventStream& EventStream::time(std::string_view key, double microseconds) {
    field(key);
    m_buffer += microsecondText(microseconds);
    return *this;
}

EventStream& EventStream::span(double startUs, double endUs) {
    // Differences of the written numbers, not of the exact ones: picoseconds as integers.
    const auto picoseconds = [](double microseconds) {
        std::array<char, 400> text{};
        const auto end =
            std::to_chars(text.data(), text.data() + text.size(), microseconds, std::chars_format::fixed, 6).ptr;
        std::string digits(text.data(), end);
        std::erase(digits, '.');
        std::int64_t value = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return value;
    };
    const std::int64_t length = picoseconds(endUs) - picoseconds(startUs);
    std::string fraction = std::to_string(1'000'000 + length % 1'000'000).substr(1);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    time("ts", startUs);
    field("dur");
    m_buffer += std::to_string(length / 1'000'000) + (fraction.empty() ? "" : "." + fraction);
    return *this;
}

EventStream& EventStream::json(std::string_view key, std::string_view value) {
    field(key);
    m_buffer += value;
    return *this;
}

EventStream& EventStream::open(std::string_view key) {
    field(key);
    m_buffer += '{';
    m_first = true;
    return *this;
}

EventStream& EventStream::close() {
    m_buffer += '}';
    m_first = false;
    return *this;
}

void EventStream::flush() {
    if (!m_error)
        if (Result<void> taken = m_sink(m_buffer); !taken) m_error = std::move(taken).error();
    m_buffer.clear();
}

Result<void> EventStream::finish(std::string_view tail) {
    if (m_inEvent) m_buffer += "}";
    m_buffer += tail;
    flush();
    if (m_error) return unexpected(*m_error);
    return {};
}

}  // namespace cubist
