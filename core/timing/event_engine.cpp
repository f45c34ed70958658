// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/event_engine.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <string>
#include <utility>

#include "core/base/large_memory.h"
#include "core/timing/l2_cache.h"
#include "core/timing/listeners/stalls.h"
#include "core/timing/shared_bandwidth.h"

namespace cubist {
namespace {

constexpr Ticks kUnknown{std::numeric_limits<std::int64_t>::max()};
constexpr std::size_t kPollEvery = 1024;
/// What a byte written back takes of HBM, of what a byte read takes: both ways together reach 2.3 TB/s where reading
/// alone reaches 1.5 TB/s. Source: F-03.
constexpr double kWriteBackShare = 0.3;

/// What happens at one instant, first to last. Wake-ups of the dispatcher follow, by their own priority.
enum Priority : std::uint8_t { kJoin = 0, kTaskEnds = 1, kWake = 2, kTaskStarts = 32 };

struct Event {
    static constexpr int kSequenceBits = 56;

    Ticks time;
    std::uint64_t order = 0;    ///< priority, then sequence
    std::uint64_t subject = 0;  ///< owner of the transfer, task, or token

    [[nodiscard]] std::uint8_t priority() const { return static_cast<std::uint8_t>(order >> kSequenceBits); }
    bool operator>(const Event& other) const { return time != other.time ? time > other.time : order > other.order; }
};

/// One core and the task that runs on it.
struct Core {
    const LeafPlan* plan = nullptr;
    TaskIndex task;
    Ticks start;
    Ticks latest;  ///< of the ends known so far
    std::size_t untimed = 0;
    struct Span {
        Ticks begin{kUnknown}, end{kUnknown};
    };
    std::vector<Span> times;  ///< by instruction
    struct Queue {
        const std::uint32_t* next = nullptr;  ///< of the unit's queue
        const std::uint32_t* last = nullptr;  ///< one past it
        Ticks free;
        const Ticks* awaited = nullptr;  ///< cannot go on before this is known; null: nothing is known to be missing
        bool transferring = false;

        /// Worth a closer look?
        [[nodiscard]] bool mayMove() const {
            return !transferring && next != last && (awaited == nullptr || *awaited != kUnknown);
        }
    };
    std::vector<Queue> queues;  ///< by LeafPlan::units
};

class Engine final : public DispatchHost {
public:
    Engine(const Program& program, std::span<const LeafPlan* const> plans, const ChipSpec& chip, Dispatcher& dispatcher,
           const TaskListener& onTask)
        : m_program(program),
          m_plans(plans),
          m_dispatcher(dispatcher),
          m_onTask(onTask),
          m_l2(program, plans, chip),
          m_aicCount(static_cast<std::size_t>(chip.aicCount.integer())),
          m_cores(m_aicCount + static_cast<std::size_t>(chip.aivCount.integer())) {
        const double ticksPerSecond = chip.clockMHz.value.toDouble() * 1e6 * static_cast<double>(kTicksPerCycle);
        const auto perByte = [&](const Constant& rate) {
            return rate.value > Rational(0) ? ticksPerSecond / rate.value.toDouble() : 0.0;
        };
        m_l2Ticks = perByte(chip.l2EffectiveBytesPerSecond);
        m_hbmTicks = perByte(chip.hbmEffectiveBytesPerSecond);
        m_backTicks = perByte(chip.hbmBytesPerSecond);
        const double ahead = (chip.l2Bytes.value - chip.l2EffectiveBytes.value).toDouble() * m_backTicks;
        m_backAhead = Ticks(static_cast<std::int64_t>(std::max(0.0, ahead)));
        resizeAll(m_result.tasks, program.tasks.size());
        reserveAll(m_result.firstTransfer, program.tasks.size());
        std::uint64_t transfers = 0;
        for (const Task& task : program.tasks) {
            m_result.firstTransfer.push_back(transfers);
            transfers += plans[task.leaf.value]->transfers.size();
        }
        m_result.transferTicks = ZeroedArray<Ticks>(transfers);
        m_unitsPerCore = 1;
        for (const LeafPlan* plan : plans) m_unitsPerCore = std::max(m_unitsPerCore, plan->units.size());
        m_parts.resize(m_cores.size() * m_unitsPerCore);
    }

    void startTask(TaskIndex task, CoreRef core, Ticks start) override {
        const std::uint8_t vectorCores = m_program.leafOf(m_program.tasks[task.value]).vectorCores;
        m_result.tasks[task.value] = {task, core, m_dispatcher.readyAt(task), start, start, vectorCores};
        // Most begin in the round after this instant's, and need not be sorted.
        if (start == m_now)
            m_starts.push_back(task);
        else
            push(start, kTaskStarts, task.value);
    }
    void wakeAt(Ticks time, std::uint8_t priority, std::uint64_t token) override {
        push(time, static_cast<std::uint8_t>(kWake + priority), token);
    }

    Result<EngineResult> run(const RunContext& context) {
        m_dispatcher.begin(*this);
        for (std::size_t rounds = 0;; ++rounds) {
            if (m_starts.empty()) m_now = nextTime();
            if (m_now == kUnknown) break;
            if (rounds % kPollEvery == 0) {
                if (context.cancelled()) return cancelledError();
                context.report(static_cast<double>(m_ended) / static_cast<double>(m_program.tasks.size()), "time");
            }
            endTransfers();
            bool dispatcherAsked = false;
            for (std::size_t started = 0;;) {
                if (!m_events.empty() && m_events.top().time == m_now) {
                    const Event event = m_events.top();
                    m_events.pop();
                    dispatcherAsked = handle(event) || dispatcherAsked;
                } else if (started < m_starts.size()) {
                    begin(m_starts[started++]);
                } else {
                    m_starts.clear();
                    break;
                }
            }
            if (dispatcherAsked) m_dispatcher.settle(m_now);
            m_memory.settle(m_now);
        }
        if (m_ended != m_program.tasks.size())
            return unexpected(ErrorCode::Internal, std::to_string(m_program.tasks.size() - m_ended) +
                                                       " tasks never become ready: they wait for each other");
        DispatchRecord record = m_dispatcher.takeRecord();
        m_result.dispatch = std::move(record);
        m_result.loads = m_memory.times(false);
        m_result.stores = m_memory.times(true);
        return std::move(m_result);
    }

private:
    [[nodiscard]] Ticks nextTime() const {
        return m_events.empty() ? m_memory.nextEnd() : std::min(m_memory.nextEnd(), m_events.top().time);
    }

    /// The parts of a transfer that are still to be done: ticks at the port's rate, and what they take of a server.
    struct Parts {
        Ticks miss, hit;
        double missService = 0, hitService = 0;
        SharedBandwidth::Kind missKind{1.0, false, false}, hitKind;
    };

    void push(Ticks time, std::uint8_t priority, std::uint64_t subject) {
        m_events.push({time, std::uint64_t{priority} << Event::kSequenceBits | m_sequence++, subject});
    }

    [[nodiscard]] std::size_t coreIndex(CoreRef core) const {
        return core.index + (core.kind == TaskKind::Aiv ? m_aicCount : 0);
    }

    /// Returns true when the dispatcher took part.
    bool handle(const Event& event) {
        switch (event.priority()) {
            case kJoin: join(static_cast<std::uint32_t>(event.subject)); return false;
            case kTaskEnds: {
                ++m_ended;
                m_result.kernel = m_now;
                const TaskIndex task(static_cast<std::size_t>(event.subject));
                if (m_onTask) m_onTask(m_result.tasks[task.value]);
                m_dispatcher.taskEnded(task, m_result.tasks[task.value].core, m_now);
                return true;
            }
            case kTaskStarts: begin(TaskIndex(static_cast<std::size_t>(event.subject))); return false;
            default: m_dispatcher.woken(event.subject, m_now); return true;
        }
    }

    void begin(TaskIndex task) {
        const std::size_t index = coreIndex(m_result.tasks[task.value].core);
        Core& core = m_cores[index];
        core.plan = m_plans[m_program.tasks[task.value].leaf.value];
        core.task = task;
        core.start = core.latest = m_now;
        core.untimed = core.plan->ticks.size();
        core.times.assign(core.untimed, {});
        core.queues.resize(core.plan->units.size());
        for (std::size_t q = 0; q < core.queues.size(); ++q) {
            const std::vector<std::uint32_t>& queue = core.plan->units[q].queue;
            core.queues[q] = {queue.data(), queue.data() + queue.size(), m_now, nullptr, false};
        }
        if (core.untimed == 0) finish(core);
        advance(index);
    }

    void finish(Core& core) {
        TaskInterval& interval = m_result.tasks[core.task.value];
        interval.end = core.latest;
        const std::size_t lanes =
            pipesOf(interval.core.kind).size() + interval.vectorCores * pipesOf(TaskKind::Aiv).size();
        m_result.drained += (core.latest - core.start) * static_cast<std::int64_t>(lanes);
        for (const Ticks scalar : core.plan->scalar) {
            m_result.busy[static_cast<std::size_t>(Pipe::S)] += scalar;
            m_result.drained -= scalar;
        }
        push(core.latest, kTaskEnds, core.task.value);
    }

    /// Times every instruction whose dependencies have ended or will end at a known time.
    void advance(std::size_t index) {
        Core& core = m_cores[index];
        const std::size_t count = core.queues.size();
        // One queue after the other, until none has moved since it was looked at.
        for (std::size_t q = 0, still = 0; still < count; q = q + 1 < count ? q + 1 : 0) {
            ++still;
            while (core.queues[q].mayMove() && timeNext(index, core, q)) still = 1;
        }
    }

    /// Precondition: the queue may move.
    bool timeNext(std::size_t index, Core& core, std::size_t q) {
        Core::Queue& queue = core.queues[q];
        const LeafPlan::Unit& unit = core.plan->units[q];
        const std::uint32_t i = *queue.next;
        Ticks data;
        Ticks slot;
        for (const TimedDependency& d : core.plan->dependenciesOf(i)) {
            const Core::Span& other = core.times[d.instruction];
            const Ticks& from = d.fromStart ? other.begin : other.end;
            if (from == kUnknown) {
                queue.awaited = &from;
                return false;
            }
            Ticks& latest = d.slot ? slot : data;
            latest = std::max(latest, from + d.delay);
        }
        queue.awaited = nullptr;
        if (!core.plan->issued.empty()) data = std::max(data, core.start + core.plan->issued[i]);
        const Ticks start = std::max({queue.free, data, slot});
        if (start > queue.free) {
            const Ticks idle = start - queue.free;
            (data >= slot ? m_result.waitData : m_result.waitSlot)[static_cast<std::size_t>(unit.pipe)] += idle;
            m_result.drained -= idle;
        }
        ++queue.next;
        core.times[i].begin = start;
        const std::uint32_t transfer = core.plan->transferOf[i];
        if (transfer == LeafPlan::kNone) {
            setEnd(core, queue, unit.pipe, i, start + core.plan->ticks[i]);
            return true;
        }
        queue.transferring = true;
        const LeafPlan::Transfer& what = core.plan->transfers[transfer];
        const L2Cache::Bytes bytes = m_l2.access(m_program.tasks[core.task.value], what);
        m_result.l2HitBytes += bytes.hit;
        m_result.hbmBytes += bytes.hbm + bytes.back;
        const auto owner = static_cast<std::uint32_t>(index * m_unitsPerCore + q);
        m_parts[owner] = partsOf(what, bytes);
        if (bytes.back > 0) {
            const Ticks late = writtenBack(bytes.back, start);
            m_parts[owner].hitKind.back = late > m_parts[owner].hit;
            m_parts[owner].hit = std::max(m_parts[owner].hit, late);
        }
        push(start + core.plan->ticks[i], kJoin, owner);
        return true;
    }

    void setEnd(Core& core, Core::Queue& queue, Pipe pipe, std::uint32_t i, Ticks end) {
        const Ticks busy = end - core.times[i].begin;
        m_result.busy[static_cast<std::size_t>(pipe)] += busy;
        m_result.drained -= busy;
        core.times[i].end = end;
        queue.free = end;
        core.latest = std::max(core.latest, end);
        if (--core.untimed == 0) finish(core);
    }

    /// What is missing comes first.
    [[nodiscard]] Parts partsOf(const LeafPlan::Transfer& transfer, const L2Cache::Bytes& bytes) const {
        Parts parts;
        parts.missKind.store = parts.hitKind.store = transfer.write;
        parts.hit = transfer.least;
        const std::int64_t all = bytes.hit + bytes.miss;
        if (all == 0) return parts;
        const double part = static_cast<double>(bytes.miss) / static_cast<double>(all);
        parts.miss = Ticks(static_cast<std::int64_t>(part * static_cast<double>(transfer.least.value)));
        parts.hit = transfer.least - parts.miss;
        const double ofPort = static_cast<double>(bytes.miss) * transfer.missTicks;
        parts.miss = std::max(parts.miss, Ticks(static_cast<std::int64_t>(ofPort)));
        const double back = static_cast<double>(bytes.back) * m_hbmTicks * kWriteBackShare;
        parts.hitService = static_cast<double>(bytes.hit) * m_l2Ticks + back;
        if (back > 0) parts.hitKind.hbm = back / parts.hitService;
        parts.missService = static_cast<double>(bytes.miss) * m_hbmTicks;
        return parts;
    }

    /// What leaves L2 goes to HBM at its nominal rate, one after the other. L2 holds it until then, as far as it has
    /// room beyond what keeps data; after that whoever drives it out has to wait. Returns for how long. Source: F-03.
    Ticks writtenBack(std::int64_t bytes, Ticks start) {
        const auto ticks = static_cast<std::int64_t>(static_cast<double>(bytes) * m_backTicks);
        m_backFree = std::max(m_backFree, start) + Ticks(ticks);
        return m_backFree - start - m_backAhead;
    }

    void join(std::uint32_t owner) {
        Parts& parts = m_parts[owner];
        if (parts.miss > Ticks())
            m_memory.start(owner, m_now, std::exchange(parts.miss, Ticks()), parts.missService, parts.missKind);
        else if (parts.hit > Ticks())
            m_memory.start(owner, m_now, std::exchange(parts.hit, Ticks()), parts.hitService, parts.hitKind);
        else
            endTransfer(owner);
    }

    void endTransfer(std::uint32_t owner) {
        const std::size_t index = owner / m_unitsPerCore;
        Core& core = m_cores[index];
        const std::size_t q = owner % m_unitsPerCore;
        Core::Queue& queue = core.queues[q];
        const LeafPlan::Unit& unit = core.plan->units[q];
        const std::uint32_t i = queue.next[-1];
        queue.transferring = false;
        m_result.transferTicks[m_result.firstTransfer[core.task.value] + core.plan->transferOf[i]] =
            m_now - core.times[i].begin;
        setEnd(core, queue, unit.pipe, i, m_now);
        advance(index);
    }

    void endTransfers() {
        m_owners.clear();
        m_memory.takeEnded(m_now, m_owners);
        for (const std::uint32_t owner : m_owners) join(owner);
    }

    const Program& m_program;
    std::span<const LeafPlan* const> m_plans;
    Dispatcher& m_dispatcher;
    const TaskListener& m_onTask;
    L2Cache m_l2;
    SharedBandwidth m_memory;  ///< L2 and HBM: a byte takes more of it when it is not in L2
    std::size_t m_aicCount;
    std::vector<Core> m_cores;
    std::size_t m_unitsPerCore = 1;
    std::vector<Parts> m_parts;  ///< by owner: what is left of its transfer
    std::vector<std::uint32_t> m_owners;
    double m_l2Ticks = 0, m_hbmTicks = 0;  ///< of a server, per byte
    double m_backTicks = 0;                ///< of HBM at its nominal rate, per byte
    Ticks m_backAhead;                     ///< by which write-backs may be late
    Ticks m_backFree;                      ///< when HBM has taken all write-backs
    std::priority_queue<Event, std::vector<Event>, std::greater<>> m_events;
    std::vector<TaskIndex> m_starts;  ///< begin now, after all events of this instant, in this order
    EngineResult m_result;
    Ticks m_now;
    std::uint64_t m_sequence = 0;
    std::size_t m_ended = 0;
};

}  // namespace

Result<EngineResult> runEvents(const Program& program, std::span<const LeafPlan* const> plans, const ChipSpec& chip,
                               Dispatcher& dispatcher, const RunContext& context, const TaskListener& onTask) {
    if (context.cancelled()) return cancelledError();
    return Engine(program, plans, chip, dispatcher, onTask).run(context);
}

}  // namespace cubist
