// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/exchange/json_value.h"
#include "core/exchange/measured_trace.h"
#include "core/lowering/program.h"
#include "core/timing/trace.h"

namespace cubist {

/// One stage, or everything, in one of the two traces.
struct OverlaySide {
    std::int64_t tasks = 0;
    double spanUs = 0;  ///< first start to last end
    double busyUs = 0;  ///< sum of the tasks' durations
};

struct OverlayStage {
    StageIndex stage;
    OverlaySide emulated, measured;
};

/// A measured trace laid over an emulated one. Both begin at 0 with their first task.
struct TraceOverlay {
    MeasuredTrace measured;
    std::vector<std::optional<StageIndex>> stageOf;  ///< for each measured task; nothing: no stage has its label
    std::vector<OverlayStage> stages;                ///< every stage of the program
    std::vector<std::string> unknownLabels;          ///< measured, but of no stage; sorted, each once
    OverlaySide emulatedTotal, measuredTotal;
};

/// Matches measured tasks to stages by semantic label, or by the stage's id. A task without a label belongs to the only
/// stage of its kind of core, if there is only one.
[[nodiscard]] TraceOverlay overlayTraces(const Program& program, const Trace& trace, MeasuredTrace measured);

/// As an aligned table for people, and as the value of `measured` in a run's JSON.
[[nodiscard]] std::string overlayText(const Program& program, const TraceOverlay& overlay);
[[nodiscard]] JsonValue overlayJson(const Program& program, const TraceOverlay& overlay);

}  // namespace cubist
