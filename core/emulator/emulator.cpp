// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/emulator.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "core/base/number_formats.h"
#include "core/base/parallel.h"
#include "core/emulator/fast_cube.h"
#include "core/emulator/leaf_interpreter.h"

namespace cubist {
namespace {

Extent4 strides(const Extent4& shape) {
    return {shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3], 1};
}

Shape ownShape(const GmTensor& tensor) {
    return {tensor.shape.end() - tensor.rank, tensor.shape.end()};
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
    void overflow(const Program& program, TaskIndex task) {
        const std::lock_guard lock(m_mutex);
        const auto [entry, added] = m_overflows.try_emplace(program.tasks[task.value].member.stage, task);
        if (!added) entry->second = std::min(entry->second, task);
    }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    [[nodiscard]] std::vector<ValueNote> notes() const {
        std::vector<ValueNote> out;
        for (const auto& [stage, task] : m_overflows) out.push_back({ValueNote::Kind::IntegerOverflow, task, stage});
        return out;
    }

private:
    std::mutex m_mutex;
    TaskIndex m_failed;
    std::optional<Error> m_error;
    std::map<StageIndex, TaskIndex> m_overflows;
};

/// An error of a task with the stage that it belongs to.
Error named(const Program& program, const Task& task, Error error) {
    const ProgramStage& stage = program.stages[task.member.stage.value];
    error.message = "stage '" + stage.id.text + "': " + error.message;
    if (error.where.empty()) error.where = stage.where;
    return error;
}

/// What one thread owns.
struct Worker {
    Worker(const CubeKernel& kernel, const GmMemory& gm, bool poison)
        : interpreter(kernel, gm, poison), fast(kernel, gm) {}
    LeafInterpreter interpreter;
    FastCube fast;
};

Result<void> placeTensors(const Program& program, std::span<const HostTensor* const> inputs, GmMemory& gm,
                          std::vector<HostTensor>& owned) {
    std::size_t nextInput = 0;
    gm.resize(program.tensors.size());
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
        const GmTensor& tensor = program.tensors[i];
        gm[i].dtype = tensor.dtype;
        gm[i].stride = strides(tensor.shape);
        if (tensor.role == GmRole::Input) {
            if (nextInput >= inputs.size())
                return unexpected(ErrorCode::WrongType, "no data for '" + tensor.name + "'", tensor.name);
            CUBIST_CHECK_OK(checkInput(tensor, *inputs[nextInput]));
            gm[i].read = inputs[nextInput++]->data();
            continue;
        }
        CUBIST_TRY(HostTensor memory, HostTensor::zeros(tensor.dtype, ownShape(tensor)));
        gm[i].write = memory.writableData();
        gm[i].read = gm[i].write;
        owned.push_back(std::move(memory));
    }
    return {};
}

}  // namespace

Result<EmulatedValues> emulate(const Program& program, std::span<const HostTensor* const> inputs,
                               const EmulatorOptions& options, const RunContext& context) {
    CUBIST_TRY(const CubeKernel kernel, CubeKernel::create(options.isa));
    EmulatedValues values;
    GmMemory gm;
    CUBIST_CHECK_OK(placeTensors(program, inputs, gm, values.tensors));

    const int threads = std::max(1, context.threads);
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < threads; ++i) workers.push_back(std::make_unique<Worker>(kernel, gm, options.checked));
    Outcome outcome;
    std::atomic<std::int64_t> done = 0;
    const auto total = static_cast<double>(std::max<std::size_t>(1, program.tasks.size()));

    for (const std::vector<TaskIndex>& level : levels(program)) {
        const bool finished =
            parallelFor(threads, static_cast<std::int64_t>(level.size()), [&](std::int64_t i, int worker) {
                if (context.cancelled()) return false;
                const TaskIndex index = level[static_cast<std::size_t>(i)];
                const Task& task = program.tasks[index.value];
                const Leaf& leaf = program.leafOf(task);
                Worker& mine = *workers[static_cast<std::size_t>(worker)];
                Result<bool> inRange = !options.checked && FastCube::handles(leaf)
                                           ? mine.fast.run(leaf, program.boxesOf(task))
                                           : mine.interpreter.run(leaf, program.boxesOf(task));
                if (!inRange) {
                    outcome.fail(index, named(program, task, std::move(inRange).error()));
                    return false;
                }
                if (!*inRange) outcome.overflow(program, index);
                const std::int64_t count = ++done;
                if (worker == 0) context.report(static_cast<double>(count) / total, "values");
                return true;
            });
        if (outcome.error()) return unexpected(*outcome.error());
        if (!finished) return cancelledError();
    }
    values.notes = outcome.notes();
    return values;
}

}  // namespace cubist
