// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/enum_table.h"
#include "core/base/units.h"
#include "core/base/zeroed_array.h"
#include "core/lowering/program.h"
#include "core/timing/leaf_plan.h"

namespace cubist {

/// What a lane does at one instant. Every tick of every lane has exactly one cause.
enum class Cause : std::uint8_t {
    Busy,          ///< executes an instruction
    WaitData,      ///< the next instruction waits for a result of another pipe of the same task
    WaitSlot,      ///< the next instruction waits for a buffer slot to be released
    TaskDrained,   ///< the task still runs, but has no further instruction for this pipe
    WaitTask,      ///< tasks are left, none is ready: waits for a predecessor task
    WaitResolve,   ///< all predecessors have ended, the schedulers do not know yet
    WaitBarrier,   ///< the device task of the next task waits for another device task
    WaitStitch,    ///< the control AICPU still builds the device task of the next task
    WaitDispatch,  ///< a task is ready, the scheduler has not handed it out yet
    NoTask,        ///< this core gets no task in the whole kernel
    Tail,          ///< no task is left for this core; others still work
};
inline constexpr std::size_t kCauseCount = 11;

template <>
struct EnumTable<Cause> {
    static constexpr std::string_view name = "cause";
    static constexpr std::array entries{
        std::pair{Cause::Busy, std::string_view{"busy"}},
        std::pair{Cause::WaitData, std::string_view{"wait_data"}},
        std::pair{Cause::WaitSlot, std::string_view{"wait_slot"}},
        std::pair{Cause::TaskDrained, std::string_view{"task_drained"}},
        std::pair{Cause::WaitTask, std::string_view{"wait_task"}},
        std::pair{Cause::WaitResolve, std::string_view{"wait_resolve"}},
        std::pair{Cause::WaitBarrier, std::string_view{"wait_barrier"}},
        std::pair{Cause::WaitStitch, std::string_view{"wait_stitch"}},
        std::pair{Cause::WaitDispatch, std::string_view{"wait_dispatch"}},
        std::pair{Cause::NoTask, std::string_view{"no_task"}},
        std::pair{Cause::Tail, std::string_view{"tail"}},
    };
};

/// A core: AIC 0..n-1 or AIV 0..m-1.
struct CoreRef {
    TaskKind kind = TaskKind::Aic;
    std::uint16_t index = 0;
    bool operator==(const CoreRef&) const = default;
};

/// Where and when a task ran. Ticks from the first dispatch (time 0).
struct TaskInterval {
    TaskIndex task;
    CoreRef core;
    Ticks ready;  ///< all predecessors visible
    Ticks start;
    Ticks end;
    std::uint8_t vectorCores = 0;  ///< of the cube core's cluster, which the task occupies too
};

/// One instruction of a task, relative to the task's start.
struct InstructionInterval {
    std::uint32_t instruction = 0;  ///< leaf-relative
    Ticks start;
    Ticks end;
    /// Why the pipe was idle before it (from the previous instruction of the same pipe, or the task's start).
    Cause waitCause = Cause::WaitData;
    /// The instruction whose end let this one start: a producer or the releaser of the slot, the previous instruction
    /// of the pipe when the pipe was not idle, itself when it starts with the task.
    std::uint32_t waitSubject = 0;
};

/// How the instructions of one task run, relative to its start.
struct LeafSchedule {
    std::vector<InstructionInterval> instructions;  ///< by instruction index
    Ticks duration;
    std::array<Ticks, kPipeCount> busy{};
    std::array<Ticks, kPipeCount> waitData{};
    std::array<Ticks, kPipeCount> waitSlot{};  ///< the rest of the duration is TaskDrained
    /// Instructions of the longest chain that determines the duration, first to last.
    std::vector<std::uint32_t> criticalPath;
};

/// What most of the critical path is spent on. Source: F-80.
enum class Bound : std::uint8_t {
    Cube,
    Mte1,
    Mte2,  ///< loads at the rate of the core's own port, or at what one core takes from HBM
    L2,    ///< transfers that wait for each other at L2
    Hbm,
    Fixpipe,
    Vector,
    Mte3,
    Dispatch,
    Launch,
    Latency  ///< overheads of instructions and flags, which no rate shortens
};
inline constexpr std::size_t kBoundCount = 11;

template <>
struct EnumTable<Bound> {
    static constexpr std::string_view name = "bound";
    static constexpr std::array entries{
        std::pair{Bound::Cube, std::string_view{"cube"}},
        std::pair{Bound::Mte1, std::string_view{"mte1"}},
        std::pair{Bound::Mte2, std::string_view{"mte2"}},
        std::pair{Bound::L2, std::string_view{"l2"}},
        std::pair{Bound::Hbm, std::string_view{"hbm"}},
        std::pair{Bound::Fixpipe, std::string_view{"fixpipe"}},
        std::pair{Bound::Vector, std::string_view{"vector"}},
        std::pair{Bound::Mte3, std::string_view{"mte3"}},
        std::pair{Bound::Dispatch, std::string_view{"dispatch"}},
        std::pair{Bound::Launch, std::string_view{"launch"}},
        std::pair{Bound::Latency, std::string_view{"latency"}},
    };
};

struct StageTiming {
    StageIndex stage;
    Ticks span;      ///< first start to last end of its tasks
    Ticks busy;      ///< sum of its tasks' durations
    Ticks critical;  ///< part of the executed critical path that its tasks cover
    std::int64_t tasks = 0;
};

struct PipeTiming {
    Pipe pipe = Pipe::S;
    Ticks busy;  ///< summed over cores
    Ticks wait;  ///< WaitData + WaitSlot, summed over cores
};

/// One step of the executed critical path. A task is followed by a resolve when its result was waited for, and by a
/// dispatch when its core was.
struct CriticalStep {
    enum class Kind : std::uint8_t {
        Dispatch,  ///< the scheduler hands out `task`
        Resolve,   ///< the scheduler finds out that `task` is ready, after its last predecessor ended
        Task,      ///< `task` runs
        Stitch,    ///< the control AICPU builds a device task
        Submit,    ///< it hands the device task after `task` to the schedulers
    } kind = Kind::Task;
    TaskIndex task;
    Ticks start;
    Ticks end;
};

/// What let something begin, so that it did not begin earlier.
struct DispatchLink {
    enum class Kind : std::uint8_t {
        Start,      ///< time 0
        TaskEnd,    ///< `index` is the task
        Operation,  ///< `index` is the operation of a scheduler
    } kind = Kind::Start;
    std::uint32_t index = 0;
};

/// A piece of work of a scheduler thread or of the control AICPU.
struct SchedulerOperation {
    enum class Kind : std::uint8_t {
        Dispatch,  ///< hands `task` to a core
        Resolve,   ///< sees that `task` has ended and finds its successors
        Stitch,    ///< builds the device task that `task` belongs to
        Submit,    ///< hands on the device task after `task`, the last of the one before
    } kind = Kind::Dispatch;
    TaskIndex task;
    Ticks begin, end;
    DispatchLink because;
};

/// What a task waited for before it was handed out.
struct TaskWait {
    Ticks data;          ///< last predecessor ended
    Ticks resolved;      ///< a scheduler knew
    Ticks active;        ///< its device task had been submitted
    Ticks handed;        ///< a scheduler began to hand it out
    bool built = false;  ///< `active` waited for the control AICPU, not for another device task
    TaskIndex last;      ///< predecessor that ended last; itself when there is none
};

/// What all transfers of one kind waited for while they moved data, in ticks. Source: F-80.
struct TransferTimes {
    double port = 0;  ///< they ran at the rate of their core
    double l2 = 0;    ///< others took L2
    double hbm = 0;   ///< others took HBM, or HBM had to take what left L2
    bool operator==(const TransferTimes&) const = default;
};

/// What the timing engine found out about one program.
struct Trace {
    Ticks kernel;    ///< first dispatch to last finish
    Ticks endToEnd;  ///< the launch head and the build of the first device task before it included. Source: F-05, F-71
    std::int64_t lanes = 0;
    std::vector<TaskInterval> tasks;                     ///< by task id
    ZeroedArray<TaskWait> waits;                         ///< by task id; empty without the task runtime
    std::vector<std::shared_ptr<const LeafPlan>> plans;  ///< by leaf; equal leaves share one
    ZeroedArray<Ticks> transferTicks;  ///< what the transfers of each task took, by task and LeafPlan::transfers
    std::vector<std::uint64_t> firstTransfer;              ///< by task id, into `transferTicks`
    std::array<Ticks, kPipeCount> waitData{}, waitSlot{};  ///< summed over cores; the busy part is in `pipes`
    std::array<Ticks, kCauseCount> causes{};               ///< over all lanes; sums to lanes * kernel exactly
    std::vector<StageTiming> stages;
    std::vector<PipeTiming> pipes;               ///< every pipe once, in enum order
    std::vector<CriticalStep> criticalPath;      ///< in time order; tiles [0, kernel] without gaps
    std::vector<std::string> estimates;          ///< names of estimate constants on the critical path, sorted
    std::vector<std::string> endToEndEstimates;  ///< further ones in what passes before the kernel. Source: F-26
    Bound bound = Bound::Cube;
    std::int64_t usedAic = 0, usedAiv = 0;
    std::int64_t aicCount = 0, aivCount = 0;
    std::int64_t gmReadBytes = 0, gmWriteBytes = 0, l1Bytes = 0;  ///< moved GM->core, core->GM, L1->L0
    TransferTimes loads, stores;
    std::int64_t hbmBytes = 0;  ///< between L2 and HBM, both directions
    std::int64_t instructions = 0;
    double cyclesPerMicrosecond = 1.0;

    [[nodiscard]] double microseconds(Ticks t) const {
        return static_cast<double>(t.value) / static_cast<double>(kTicksPerCycle) / cyclesPerMicrosecond;
    }
};

}  // namespace cubist
