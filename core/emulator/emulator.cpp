// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/emulator.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "core/base/integer_math.h"
#include "core/base/large_memory.h"
#include "core/base/number_formats.h"
#include "core/base/parallel.h"
#include "core/emulator/fast_cube.h"
#include "core/emulator/guarded_memory.h"
#include "core/emulator/indexed_writes.h"
#include "core/emulator/integer_overflow.h"
#include "core/emulator/leaf_interpreter.h"
#include "core/emulator/memory_check.h"
#include "core/emulator/nan_scales.h"
#include "core/emulator/task_part.h"
#include "core/emulator/write_order.h"

namespace cubist {
namespace {

Extent4 strides(const Extent4& shape) {
    return {shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3], 1};
}

Shape ownShape(const GmTensor& tensor) {
    return {tensor.shape.end() - tensor.rank, tensor.shape.end()};
}

bool isLarge(const GmTensor& tensor) {
    double bytes = static_cast<double>(hostBytesPerElement(tensor.dtype));
    for (const std::int64_t extent : tensor.shape) bytes *= static_cast<double>(extent);
    return bytes >= static_cast<double>(kLargeBlockBytes);
}

Result<void> checkInput(const GmTensor& tensor, const HostTensor& given) {
    if (given.dtype() == tensor.dtype && given.shape() == ownShape(tensor)) return {};
    return unexpected(ErrorCode::WrongType, "the data for '" + tensor.name + "' is not of the declared type and shape",
                      tensor.name);
}

/// Tasks by level: a task's level is one more than that of its latest predecessor, so the tasks of one level are
/// independent. Within a level ids ascend.
std::vector<std::vector<TaskIndex>> levels(const Program& program) {
    std::vector<std::uint32_t> level(program.tasks.size(), 0);
    std::vector<std::vector<TaskIndex>> out;
    for (std::size_t t = 0; t < program.tasks.size(); ++t) {
        if (level[t] >= out.size()) out.resize(level[t] + 1);
        out[level[t]].push_back(TaskIndex(t));
        for (const Edge& edge : program.edgesOf(program.tasks[t]))
            level[edge.to.value] = std::max(level[edge.to.value], level[t] + 1);
    }
    return out;
}

/// What goes wrong on the worker threads: the error of the task with the lowest id, and the notes.
class Outcome {
public:
    void fail(TaskIndex task, Error error) {
        const std::lock_guard lock(m_mutex);
        if (!m_error || task < m_failed) {
            m_failed = task;
            m_error = std::move(error);
        }
    }
    void note(const Program& program, TaskPart part, const ValueLosses& losses) {
        const bool wrapped = losses.accumulatorWrapped || losses.wrapped;
        const bool lost = std::any_of(losses.lost.begin(), losses.lost.end(),
                                      [](const LostElements& elements) { return elements.count > 0; });
        if (!wrapped && !lost && losses.saturating == 0) return;
        const StageIndex stage = memberOf(program, part).stage;
        const std::lock_guard lock(m_mutex);
        if (wrapped) {
            const auto [entry, added] = m_overflows.try_emplace(stage, part, losses);
            if (!added && part < entry->second.first) entry->second = {part, losses};
        }
        StageLosses& all = m_lost[stage];
        all.saturating += losses.saturating;
        for (std::size_t i = 0; i < kElementLosses; ++i) {
            if (losses.lost[i].count == 0) continue;
            auto& [first, elements] = all.lost[i];
            const bool earlier = !elements.first || part < first;
            elements.count += losses.lost[i].count;
            if (!earlier) continue;
            elements.first = losses.lost[i].first;
            first = part;
        }
    }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    /// The first block of every stage in which an integer wrapped around.
    [[nodiscard]] const std::map<StageIndex, std::pair<TaskPart, ValueLosses>>& overflows() const {
        return m_overflows;
    }
    /// What the conversions of a stage lost, each with the first block that lost something in that way.
    struct StageLosses {
        std::array<std::pair<TaskPart, LostElements>, kElementLosses> lost;
        std::int64_t saturating = 0;
    };
    [[nodiscard]] const std::map<StageIndex, StageLosses>& lost() const { return m_lost; }

private:
    std::mutex m_mutex;
    TaskIndex m_failed;
    std::optional<Error> m_error;
    std::map<StageIndex, std::pair<TaskPart, ValueLosses>> m_overflows;
    std::map<StageIndex, StageLosses> m_lost;
};

/// An error of a task with the stage that it belongs to.
Error named(const Program& program, TaskPart part, Error error) {
    const ProgramStage& stage = program.stages[memberOf(program, part).stage.value];
    error.message = "stage '" + stage.id.text + "': " + error.message;
    if (error.where.empty()) error.where = stage.where;
    return error;
}

/// What one thread owns for tasks that run instruction by instruction.
struct Stepwise {
    Stepwise(const CubeKernel& kernel, const GmMemory& gm, const Program& program, GmShadow& shadow,
             const EmulatorOptions& options)
        : check(program, shadow, options.bufferBytes),
          interpreter(kernel, gm, options.checked, options.checked ? &check : nullptr) {}

    /// Alone as the leaf that it was before merging; checked, as a part of the merged leaf.
    Result<ValueLosses> run(const Program& program, TaskPart part, bool checked, GuardedMemory& guards) {
        CUBIST_CHECK_OK(execute(program, part, checked));
        if (const ClippedElements clipped = interpreter.takeClipped(); clipped.all > 0) {
            const auto [entry, added] =
                clippedBy.try_emplace(memberOf(program, part).stage, std::pair(part.task, ClippedElements()));
            entry->second.first = std::min(entry->second.first, part.task);
            entry->second.second.add(clipped);
        }
        if (const auto place = interpreter.takeRepeated()) {
            const auto [entry, added] = repeatedBy.try_emplace(memberOf(program, part).stage, part, *place);
            if (!added && part < entry->second.first) entry->second = {part, *place};
        }
        for (IndexedWrite& write : interpreter.takeIndexed()) {
            write.part = part;
            indexed.push_back(std::move(write));
        }
        if (checked) check.end(guards);
        return interpreter.takeLosses();
    }

    Result<void> execute(const Program& program, TaskPart part, bool checked) {
        const Task& task = program.tasks[part.task.value];
        const Leaf& leaf = program.leafOf(task);
        if (checked) check.begin(part);
        if (leaf.members.empty()) return interpreter.run(leaf, program.boxesOf(task), 0, leaf.instructions.size());
        if (!checked) {
            const Leaf& own = program.leaves[leafIndexOf(program, part).value];
            return interpreter.run(own, boxesOf(program, part), 0, own.instructions.size());
        }
        const LeafMember& member = leaf.members[part.member];
        return interpreter.run(leaf, program.boxesOf(task), member.firstInstruction, member.instructionCount);
    }

    MemoryCheck check;
    LeafInterpreter interpreter;
    std::map<StageIndex, std::pair<TaskIndex, ClippedElements>> clippedBy;  ///< with the first task
    std::vector<IndexedWrite> indexed;                                      ///< of index_put without accumulate
    std::map<StageIndex, std::pair<TaskPart, std::int64_t>> repeatedBy;  ///< the same in UB: the first block, a place
};

/// Adds what the threads found: of every stage and kind the note with the lowest task. All by task, then kind.
void collectNotes(const Program& program, const GmMemory& gm, const Outcome& outcome,
                  const std::vector<std::unique_ptr<Stepwise>>& workers, bool serialLoops, EmulatedValues& values) {
    std::vector<ValueNote>& notes = values.notes;
    std::vector<IndexedWrite> indexed;
    for (const auto& worker : workers)
        std::move(worker->indexed.begin(), worker->indexed.end(), std::back_inserter(indexed));
    IndexedConflicts conflicts = findIndexedConflicts(program, std::move(indexed), serialLoops);
    values.equalEntries = std::move(conflicts.equal);
    std::map<StageIndex, std::pair<TaskPart, std::int64_t>> repeated;
    for (const auto& worker : workers)
        for (const auto& [stage, own] : worker->repeatedBy) {
            const auto [entry, added] = repeated.try_emplace(stage, own);
            if (!added) entry->second = std::min(entry->second, own);
        }
    for (const auto& [stage, own] : repeated)
        values.equalEntries.push_back(repeatedEntries(program, own.first, own.second));
    for (ValueNote& note : conflicts.unordered) {
        const auto isSame = [&](const ValueNote& other) {
            return other.stage == note.stage && other.kind == note.kind;
        };
        if (std::none_of(notes.begin(), notes.end(), isSame)) notes.push_back(std::move(note));
    }
    std::map<std::pair<StageIndex, ValueNote::Kind>, ValueNote> first;
    for (const auto& worker : workers)
        for (const auto& [key, note] : worker->check.notes()) {
            const auto [entry, added] = first.try_emplace(key, note);
            if (!added && note.task < entry->second.task) entry->second = note;
        }
    for (auto& [key, note] : first) notes.push_back(std::move(note));
    std::map<StageIndex, std::pair<TaskIndex, ClippedElements>> clipped;
    for (const auto& worker : workers)
        for (const auto& [stage, own] : worker->clippedBy) {
            const auto [entry, added] = clipped.try_emplace(stage, own);
            if (added) continue;
            entry->second.first = std::min(entry->second.first, own.first);
            entry->second.second.add(own.second);
        }
    for (const auto& [stage, own] : clipped)
        if (own.second.down + own.second.up > 0) notes.push_back(clippedNote(program, own.first, stage, own.second));
    for (ValueNote& note : findNanScales(program, gm)) notes.push_back(std::move(note));
    for (const auto& [stage, own] : outcome.overflows())
        notes.push_back(overflowNote(program, gm, own.first, own.second));
    for (const auto& [stage, own] : outcome.lost())
        for (std::size_t i = 0; i < kElementLosses; ++i)
            if (const auto& [part, elements] = own.lost[i]; elements.count > 0)
                notes.push_back(lossNote(program, part, static_cast<ElementLoss>(i), elements, own.saturating));
    std::sort(notes.begin(), notes.end(), [](const ValueNote& a, const ValueNote& b) {
        return std::tie(a.task, a.stage, a.kind) < std::tie(b.task, b.stage, b.kind);
    });
}

/// A vector member of a mixed task.
bool comesAfter(const Program& program, TaskPart part) {
    const Task& task = program.tasks[part.task.value];
    return program.leafOf(task).vectorCores > 0 &&
           program.leaves[leafIndexOf(program, part).value].kind == TaskKind::Aiv;
}

/// Zeros in memory of the pool: what was used before need not be had from the system, whose clean pages cost more than
/// cleaning it here. The result is read-only; `begin` is where it may be written until the run has ended.
Result<HostTensor> pooledZeros(BlockPool& blocks, const GmTensor& tensor, std::byte*& begin, int threads) {
    const Shape shape = ownShape(tensor);
    CUBIST_TRY(const std::int64_t count, elementCount(shape));
    const std::int64_t bytes = count * hostBytesPerElement(tensor.dtype);
    std::shared_ptr<std::byte> block = blocks.take(static_cast<std::size_t>(bytes));
    if (!block) return HostTensor::zeros(tensor.dtype, shape);  // says why there is none
    begin = block.get();
    constexpr std::int64_t kPiece = std::int64_t{1} << 20;
    parallelFor(threads, ceilDiv(bytes, kPiece), [&](std::int64_t piece, int) {
        const std::int64_t first = piece * kPiece;
        std::memset(begin + first, 0, static_cast<std::size_t>(std::min(kPiece, bytes - first)));
        return true;
    });
    const std::span<const std::byte> all(block.get(), static_cast<std::size_t>(bytes));
    return HostTensor::wrap(tensor.dtype, shape, all, std::move(block));
}

/// Checked runs write into guarded memory, from where `takeValues` fetches what they made.
Result<void> placeTensors(const Program& program, std::span<const HostTensor* const> inputs,
                          const EmulatorOptions& options, int threads, GuardedMemory& guards, GmMemory& gm,
                          std::vector<HostTensor>& owned) {
    const bool checked = options.checked;
    std::size_t nextInput = 0;
    if (checked) guards = GuardedMemory(program);
    gm.resize(program.tensors.size());
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
        const GmTensor& tensor = program.tensors[i];
        gm[i].dtype = tensor.dtype;
        gm[i].stride = strides(tensor.shape);
        const HostTensor* data = nullptr;
        if (tensor.initial == InitialState::Data) {
            if (nextInput >= inputs.size())
                return unexpected(ErrorCode::WrongType, "no data for '" + tensor.name + "'", tensor.name);
            data = inputs[nextInput++];
            CUBIST_CHECK_OK(checkInput(tensor, *data));
        }
        if (tensor.role == GmRole::Input) {
            gm[i].read = data->data();
            continue;
        }
        if (checked) {
            GuardedTensor& guarded = guards.of(GmIndex(i));
            if (data != nullptr)
                guarded.copyFrom(*data);
            else
                guarded.fill(tensor.initial);
            gm[i].write = guarded.data();
            gm[i].stride = guarded.stride();
        } else {
            std::byte* begin = nullptr;
            const auto make = [&]() -> Result<HostTensor> {
                if (data != nullptr) return data->clone();
                if (options.blocks != nullptr && isLarge(tensor))
                    return pooledZeros(*options.blocks, tensor, begin, threads);
                return HostTensor::zeros(tensor.dtype, ownShape(tensor));
            };
            CUBIST_TRY(HostTensor memory, make());
            gm[i].write = begin != nullptr ? begin : memory.writableData();
            owned.push_back(std::move(memory));
        }
        gm[i].read = gm[i].write;
    }
    return {};
}

/// A guard that no task was seen to damage is laid at the last writer's door.
void noteDamage(const Program& program, GuardedMemory& guards, std::vector<ValueNote>& notes) {
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
        const GmTensor& tensor = program.tensors[i];
        if (tensor.role == GmRole::Input) continue;
        Box whole;
        whole.tensor = GmIndex(i);
        whole.extent = whole.valid = tensor.shape;
        if (!guards.takeDamage(whole)) continue;
        TaskIndex last;
        for (std::size_t t = 0; t < program.tasks.size(); ++t)
            for (const Box& box : program.boxesOf(program.tasks[t]))
                if (box.tensor == whole.tensor) last = TaskIndex(t);
        notes.push_back({ValueNote::Kind::OutsideAccess, last, program.stageOf(program.tasks[last.value]),
                         "a guard of '" + tensor.name + "' is damaged, and no task that writes there did it",
                         "'" + tensor.name + "' 的保护区被破坏，且并非由写入该处的任务所致"});
    }
}

/// What a checked run made; its guarded memory is gone afterwards.
Result<void> takeValues(const Program& program, GuardedMemory& guards, std::vector<HostTensor>& owned) {
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
        const GmTensor& tensor = program.tensors[i];
        if (tensor.role == GmRole::Input) continue;
        CUBIST_TRY(HostTensor values, HostTensor::uninitialised(tensor.dtype, ownShape(tensor)));
        guards.of(GmIndex(i)).copyTo(values);
        guards.release(GmIndex(i));
        owned.push_back(std::move(values));
    }
    return {};
}

}  // namespace

Result<EmulatedValues> emulate(const Program& program, std::span<const HostTensor* const> inputs,
                               const EmulatorOptions& options, const RunContext& context) {
    CUBIST_TRY(const CubeKernel kernel, CubeKernel::create(options.isa));
    EmulatedValues values;
    GmMemory gm;
    GuardedMemory guards;
    CUBIST_CHECK_OK(placeTensors(program, inputs, options, context.threads, guards, gm, values.tensors));

    // Writes that nothing orders would be a race of the worker threads too.
    values.notes = findUnorderedAccesses(program, options.serialLoops);
    const int threads = values.notes.empty() ? std::max(1, context.threads) : 1;
    FastCube fast(kernel, gm, program, threads, options.blocks);
    GmShadow shadow = options.checked ? GmShadow(program) : GmShadow();
    std::vector<std::unique_ptr<Stepwise>> workers;
    for (int i = 0; i < threads; ++i)
        workers.push_back(std::make_unique<Stepwise>(kernel, gm, program, shadow, options));
    Outcome outcome;
    std::atomic<std::int64_t> finished = 0;
    const auto total = static_cast<double>(std::max<std::size_t>(1, program.members.size()));
    RunContext shared = context;
    shared.threads = threads;
    const auto done = [&](TaskPart part, int worker, const ValueLosses& losses) {
        outcome.note(program, part, losses);
        const std::int64_t count = ++finished;
        if (worker == 0) context.report(static_cast<double>(count) / total, "values");
    };
    const auto interpret = [&](TaskPart part, int worker) {
        Result<ValueLosses> losses =
            workers[static_cast<std::size_t>(worker)]->run(program, part, options.checked, guards);
        if (!losses) {
            outcome.fail(part.task, named(program, part, std::move(losses).error()));
            return false;
        }
        done(part, worker, *losses);
        return true;
    };

    for (const std::vector<TaskIndex>& level : levels(program)) {
        // Members of one task do not wait for each other, but for vector members of mixed tasks, which come after
        // those of the cube. Checked, all share the tiles of the merged leaf.
        std::vector<TaskPart> parts;
        std::vector<TaskPart> after;
        for (const TaskIndex task : level)
            for (std::uint32_t m = 0; m < program.tasks[task.value].memberCount; ++m)
                (comesAfter(program, {task, m}) ? after : parts).push_back({task, m});
        const auto stepwise = std::stable_partition(parts.begin(), parts.end(), [&](TaskPart part) {
            return !options.checked && fast.handles(leafIndexOf(program, part));
        });
        CUBIST_CHECK_OK(fast.run(std::span(parts.begin(), stepwise), shared, done));
        const std::int64_t jobs = options.checked ? static_cast<std::int64_t>(level.size()) : parts.end() - stepwise;
        const bool complete = parallelFor(threads, jobs, [&](std::int64_t i, int worker) {
            if (context.cancelled()) return false;
            if (!options.checked) return interpret(stepwise[i], worker);
            const TaskIndex task = level[static_cast<std::size_t>(i)];
            for (std::uint32_t m = 0; m < program.tasks[task.value].memberCount; ++m)
                if (!interpret({task, m}, worker)) return false;
            return true;
        });
        const bool completeAfter =
            options.checked || !complete ||
            parallelFor(threads, static_cast<std::int64_t>(after.size()), [&](std::int64_t i, int worker) {
                return !context.cancelled() && interpret(after[static_cast<std::size_t>(i)], worker);
            });
        if (outcome.error()) return unexpected(*outcome.error());
        if (!complete || !completeAfter) return cancelledError();
    }
    if (options.checked) noteDamage(program, guards, values.notes);
    collectNotes(program, gm, outcome, workers, options.serialLoops, values);
    if (options.checked) CUBIST_CHECK_OK(takeValues(program, guards, values.tensors));
    return values;
}

}  // namespace cubist
