// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_table.h"
#include "core/lowering/program.h"
#include "core/timing/trace.h"

namespace cubist {

/// Why a step of the critical path did not begin earlier.
enum class LinkCause : std::uint8_t {
    Start,      ///< it begins with the kernel
    Data,       ///< it needs what task `subject` writes
    Core,       ///< its core was busy with task `subject`
    Scheduler,  ///< the AICPU had the step before to do first, which was about task `subject`
    HandedOut,  ///< the task starts as soon as it has been handed out
};

template <>
struct EnumTable<LinkCause> {
    static constexpr std::string_view name = "cause of a link";
    static constexpr std::array entries{
        std::pair{LinkCause::Start, std::string_view{"start"}},
        std::pair{LinkCause::Data, std::string_view{"data"}},
        std::pair{LinkCause::Core, std::string_view{"core"}},
        std::pair{LinkCause::Scheduler, std::string_view{"scheduler"}},
        std::pair{LinkCause::HandedOut, std::string_view{"handed_out"}},
    };
};

/// A step of the executed critical path with what it is about. The end of a link is the start of the next one.
struct PathLink {
    CriticalStep step;
    StageIndex stage;             ///< of the first member of the step's task
    std::optional<CoreRef> core;  ///< of the step's task; nothing when the trace keeps no tasks
    LinkCause because = LinkCause::Start;
    std::optional<TaskIndex> subject;  ///< of the cause; nothing: Start
};

/// The links of the trace's critical path, in time order. Source: F-21.
[[nodiscard]] std::vector<PathLink> pathLinks(const Program& program, const Trace& trace);

/// "task", "dispatch", "resolve", "stitch", "submit".
[[nodiscard]] std::string_view linkName(CriticalStep::Kind kind);

/// "needs the result of task 3", for people.
[[nodiscard]] std::string becauseText(const PathLink& link);

}  // namespace cubist
