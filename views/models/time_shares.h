// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/run/run.h"
#include "core/timing/listeners/timeline.h"
#include "views/widgets/time_bars.h"

namespace cubist {

/// What the kernel's time is spent on along the executed critical path; adds up to the kernel's time. The report must
/// have a trace.
[[nodiscard]] std::vector<ShareBar::Part> criticalShares(const RunReport& report, const ChipSpec& chip);

/// What the lanes of all cores that work do; lanes of cores without tasks are left out.
[[nodiscard]] std::vector<ShareBar::Part> laneShares(const RunReport& report);

/// The longest time that a pipe which had already worked waits for data or for a slot inside a task, in the first task
/// where that happens.
[[nodiscard]] std::optional<LaneInterval> longestWait(const RunReport& report);

}  // namespace cubist
