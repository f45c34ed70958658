// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/figures.h"

#include <map>
#include <utility>
#include <vector>

#include "core/chip/formulas.h"
#include "core/timing/instruction_work.h"

namespace cubist {
namespace {

/// By operand type, and whether FP32 operands are rounded for the faster mode.
std::map<std::pair<DType, bool>, std::int64_t> multiplyAdds(const Program& program) {
    std::vector<std::int64_t> tasksOfLeaf(program.leaves.size(), 0);
    for (const Task& task : program.tasks) ++tasksOfLeaf[task.leaf.value];
    std::map<std::pair<DType, bool>, std::int64_t> counts;
    for (std::size_t leaf = 0; leaf < program.leaves.size(); ++leaf) {
        if (program.leaves[leaf].kind != TaskKind::Aic) continue;
        for (const Instruction& instruction : program.leaves[leaf].instructions) {
            if (instruction.op != Opcode::Mmad) continue;
            const std::int64_t m = instruction.extent[0];
            const std::int64_t n = instruction.extent[1];
            const std::int64_t k = instruction.at[0];
            const bool fast = workOf(program.leaves[leaf], instruction).hf32;
            counts[{instruction.dtype, fast}] += m * n * k * tasksOfLeaf[leaf];
        }
    }
    return counts;
}

}  // namespace

double cubeUtilisation(const Program& program, const ChipSpec& chip, const Trace& trace) {
    if (trace.kernel.value == 0) return 0.0;
    double peakCycles = 0.0;
    for (const auto& [kind, count] : multiplyAdds(program)) {
        const CubeRate* rate = chip.cubeRate(kind.first);
        if (rate == nullptr) continue;
        const Rational repeat = kind.second ? formula::hf32Repeat(*rate) : rate->repeat.value;
        const Rational perCycle = Rational(16 * 16 * rate->k0 * chip.aicCount.integer()) / repeat;
        peakCycles += static_cast<double>(count) / perCycle.toDouble();
    }
    return peakCycles * static_cast<double>(kTicksPerCycle) / static_cast<double>(trace.kernel.value);
}

Confidence predictionConfidence(const Trace& trace) {
    return trace.estimates.empty() ? Confidence::CostModel : Confidence::Estimate;
}

}  // namespace cubist
