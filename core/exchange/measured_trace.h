// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/chip/chip_spec.h"
#include "core/lowering/program.h"

namespace cubist {

/// A task as a device, or another tool, timed it.
struct MeasuredTask {
    TaskKind kind = TaskKind::Aic;
    std::string core;  ///< as the file calls it: "AIC_3"
    double startUs = 0, endUs = 0;
    std::string label;  ///< the semantic label of the task's stage; empty where the file has none
    std::string name;   ///< as the file calls the task
};

struct MeasuredTrace {
    std::vector<MeasuredTask> tasks;  ///< in time order; the first one starts at 0
    double spanUs = 0;                ///< first start to last end
    std::int64_t doubled = 0;         ///< executions that the file lists once more: they are left out
};

/// Reads what PyPTO leaves behind in its output folder:
/// - `merged_swimlane.json`: the tasks of the process "Machine View", with labels; AICPU threads are left out;
/// - `tilefwk_L1_prof_data*.json`: the cores' task records, without labels; `ticksPerUs` turns their times into
///   microseconds.
/// The file is recognised by its root, an object or a list. Times may be strings, events come in any order, keys and
/// events that are not needed may be missing or look as they like; an execution that is listed twice counts once. It
/// may be large: it is mapped and read item by item. Errors: BadFile (neither of the two, no tasks, a core's task
/// without times), Syntax and BadValue as `parseJson`; `where` is the path.
[[nodiscard]] Result<MeasuredTrace> readMeasuredTrace(const std::string& path, double ticksPerUs);

/// Ticks of the device's counter in a microsecond: 1000 on architecture 3510, 50 before. Source: F-90.
[[nodiscard]] double deviceTicksPerUs(const ChipSpec& chip);

}  // namespace cubist
