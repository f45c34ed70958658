// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace cubist {

/// Takes text piece by piece: a file being written, a string that grows.
using TextSink = std::function<Result<void>(std::string_view)>;

/// The text as a JSON string, quotes included.
[[nodiscard]] std::string jsonString(std::string_view text);

/// Microseconds with at most six decimals (a picosecond), the same on every machine.
[[nodiscard]] std::string microsecondText(double microseconds);

/// A flow starts this much before the end of the slice that it leaves, or viewers attach it to the next one.
inline constexpr double kInsideUs = 0.0001;

/// Writes the events of a trace file one after the other without keeping them: a kernel has up to millions.
/// Usage: `stream.event("X").text("name", ..).number("pid", ..)...` ; an event ends where the next one begins.
class EventStream {
public:
    /// `head` is what stands before the first event, up to and with the '['.
    EventStream(TextSink sink, std::string_view head) : m_sink(std::move(sink)), m_buffer(head) {}

    EventStream& event(std::string_view phase);
    EventStream& text(std::string_view key, std::string_view value);
    EventStream& number(std::string_view key, std::int64_t value);
    EventStream& time(std::string_view key, double microseconds);
    /// "ts" and "dur" of a slice: `dur` leads exactly to the end as another slice that starts there writes it.
    EventStream& span(double startUs, double endUs);
    /// A value that is JSON already.
    EventStream& json(std::string_view key, std::string_view value);
    /// Fields that follow belong to an object under `key`, until `close`.
    EventStream& open(std::string_view key);
    EventStream& close();

    /// Ends the last event, writes `tail` and hands everything over. Errors: those of the sink.
    [[nodiscard]] Result<void> finish(std::string_view tail);

private:
    void field(std::string_view key);
    void flush();

    TextSink m_sink;
    std::string m_buffer;
    std::optional<Error> m_error;
    bool m_inEvent = false;
    bool m_first = true;  ///< no field of the innermost object was written yet
};

}  // namespace cubist
