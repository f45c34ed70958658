// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/chip/chip_spec.h"
#include "core/lowering/program.h"
#include "core/timing/dispatcher.h"
#include "core/timing/leaf_plan.h"
#include "core/timing/trace.h"

namespace cubist {

/// What the engine measures besides the intervals of tasks.
struct EngineResult {
    std::vector<TaskInterval> tasks;  ///< by task id
    DispatchRecord dispatch;          ///< without `ready`, which the intervals have
    ZeroedArray<Ticks>
        transferTicks;  ///< per task its transfers in the order of LeafPlan::transfers, overhead included
    std::vector<std::uint64_t> firstTransfer;  ///< by task id
    std::array<Ticks, kPipeCount> busy{}, waitData{}, waitSlot{};
    Ticks drained;  ///< of all lanes
    Ticks kernel;
    std::int64_t l2HitBytes = 0, hbmBytes = 0;
    TransferTimes loads, stores;
};

/// Called for every task as it ends, in time order.
using TaskListener = std::function<void(const TaskInterval&)>;

/// Runs a program. Inside a core the queues and slots are a recurrence (F-20) that needs no events; what enters the
/// global queue, ordered by (time, priority, sequence), is: a transfer joins the shared bandwidth, a task starts or
/// ends, a dispatcher wakes up. Ends of transfers come from SharedBandwidth. `plans`: one per leaf.
/// Errors: Cancelled, Internal (tasks wait in a circle).
[[nodiscard]] Result<EngineResult> runEvents(const Program& program, std::span<const LeafPlan* const> plans,
                                             const ChipSpec& chip, Dispatcher& dispatcher, const RunContext& context,
                                             const TaskListener& onTask = {});

}  // namespace cubist
