// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/stage_errors.h"

#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "core/run/part_context.h"

namespace cubist {
namespace {

constexpr std::int64_t kMostMultiplyAdds = std::int64_t{1} << 32;
constexpr std::int64_t kMostWorkspaceElements = std::int64_t{1} << 22;

/// The value that a stage hands on; null for other blocks.
const ValueId* resultOf(const Block& block) {
    if (const auto* cube = std::get_if<CubeStage>(&block.content)) return &cube->out;
    if (const auto* vector = std::get_if<VectorStage>(&block.content))
        return vector->ops.empty() ? nullptr : &vector->ops.back().out;
    return nullptr;
}

double relative(double differences, double golden) {
    if (differences == 0) return 0;
    return golden == 0 ? std::numeric_limits<double>::infinity() : std::sqrt(differences / golden);
}

/// Relative root mean square of differences, summed in element order.
class RelativeError {
public:
    void add(double difference, double golden) {
        m_differences += difference * difference;
        m_golden += golden * golden;
    }
    [[nodiscard]] double value() const { return relative(m_differences, m_golden); }

private:
    double m_differences = 0;
    double m_golden = 0;
};

/// Emulator's result, golden on the emulator's operands, golden of everything.
struct Compared {
    RelativeError added, inherited;

    void add(double actual, double local, double whole) {
        added.add(actual - local, whole);
        inherited.add(local - whole, whole);
    }
};

void compareOutput(const HostTensor& actual, const GoldenTensor& local, const GoldenTensor& whole, Compared& sums) {
    for (std::int64_t i = 0; i < actual.count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        sums.add(actual.at(i), local.values[at], whole.values[at]);
    }
}

/// Compares the valid part of every execution; the rest of a workspace is never written.
Result<void> compareWorkspace(const ResolvedDesign& design, const ResolvedBlock& block, const ValueId& value,
                              const HostTensor& actual, const GoldenTensor& local, const GoldenTensor& whole,
                              Compared& sums) {
    const Shape& shape = design.value(value)->shape;
    const Shape strides = rowMajorStrides(shape);
    CUBIST_TRY(const std::int64_t size, elementCount(shape));
    std::int64_t execution = 0;
    std::optional<Error> failure;
    CUBIST_TRY([[maybe_unused]] const bool complete,
               forEachExecution(design, block.loops, [&](const IndexValues& indices) {
                   const auto valid = validShape(design, value, indices);
                   if (!valid) {
                       failure = valid.error();
                       return false;
                   }
                   for (std::int64_t i = 0; i < size; ++i) {
                       bool inside = true;
                       for (std::size_t axis = 0; axis < shape.size(); ++axis)
                           inside = inside && i / strides[axis] % shape[axis] < (*valid)[axis];
                       if (!inside) continue;
                       const std::int64_t at = execution * size + i;
                       const auto position = static_cast<std::size_t>(at);
                       sums.add(actual.at(at), local.values[position], whole.values[position]);
                   }
                   ++execution;
                   return true;
               }));
    if (failure) return unexpected(*std::move(failure));
    return {};
}

}  // namespace

bool canBlameStages(const ResolvedDesign& design, const ComputedTensors& computed) {
    double multiplyAdds = 0;
    for (const ResolvedBlock& block : design.blocks)
        if (block.matmul)
            multiplyAdds += static_cast<double>(block.matmul->m) * static_cast<double>(block.matmul->k) *
                            static_cast<double>(block.matmul->n) * static_cast<double>(block.matmul->batches()) *
                            static_cast<double>(design.executions(block));
    std::int64_t elements = 0;
    for (const auto& [name, tensor] : computed.workspaces) elements += tensor->count();
    return computed.workspaces.empty() ||
           (multiplyAdds <= static_cast<double>(kMostMultiplyAdds) && elements <= kMostWorkspaceElements);
}

Result<std::vector<StageError>> stageErrors(const ResolvedDesign& design, const ComputedTensors& computed,
                                            const GoldenSet& golden, GoldenKind kind, const RunContext& context) {
    std::vector<StageError> errors;
    const auto blocks = static_cast<double>(design.blocks.size());
    for (std::size_t i = 0; i < design.blocks.size(); ++i) {
        const ResolvedBlock& block = design.blocks[i];
        const ValueId* result = resultOf(*block.block);
        if (result == nullptr) continue;
        const auto workspace = computed.workspaces.find(result->text);
        const bool hasWorkspace = workspace != computed.workspaces.end();

        GoldenSet alone;
        const GoldenSet* local = &golden;
        if (!computed.workspaces.empty()) {
            GoldenRequest request{kind, hasWorkspace, computed.workspaces, {}};
            request.given.erase(result->text);
            CUBIST_TRY(alone, computeGolden(design, computed.inputs, request,
                                            partOf(context, static_cast<double>(i) / blocks,
                                                   static_cast<double>(i + 1) / blocks)));
            local = &alone;
        }
        // In loops that never run nothing was made.
        if (hasWorkspace && (!local->stages.contains(result->text) || !golden.stages.contains(result->text))) continue;
        Compared sums;
        bool compared = false;
        if (hasWorkspace) {
            CUBIST_CHECK_OK(compareWorkspace(design, block, *result, *workspace->second, local->stages.at(result->text),
                                             golden.stages.at(result->text), sums));
        } else {
            for (const ResolvedBlock& other : design.blocks) {
                const auto* store = std::get_if<Store>(&other.block->content);
                if (store == nullptr || store->from != *result) continue;
                const std::string& output = store->to.text;
                const auto actual = computed.outputs.find(output);
                if (actual == computed.outputs.end()) continue;
                compareOutput(*actual->second, local->outputs.at(output), golden.outputs.at(output), sums);
                compared = true;
            }
        }
        // What goes into a workspace of the design alone shows in the stages that read it.
        if (!hasWorkspace && !compared) continue;
        errors.push_back({block.block->id(), sums.added.value(), sums.inherited.value()});
        if (context.cancelled()) return cancelledError();
    }
    return errors;
}

void StageErrorSum::add(const HostTensor& actual, std::int64_t first, std::span<const double> golden) {
    std::vector<double> values(golden.size());
    actual.toFloat64(first, values);
    for (std::size_t i = 0; i < golden.size(); ++i) {
        const double difference = values[i] - golden[i];
        m_differences += difference * difference;
        m_golden += golden[i] * golden[i];
    }
}

StageError StageErrorSum::of(const BlockId& stage) const {
    return {stage, relative(m_differences, m_golden), 0.0};
}

}  // namespace cubist
