// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/run/figures.h"

#include <map>
#include <utility>
#include <vector>

#include "core/chip/formulas.h"

namespace cubist {
namespace {

/// By operand type and whether it is rounded to HF32.
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
            const std::uint16_t detail = instruction.detail;
            const bool hf32 =
                detail != Instruction::kNone && program.leaves[leaf].cubeDetails[detail].hf32MantissaBits > 0;
            counts[{instruction.dtype, hf32}] += m * n * k * tasksOfLeaf[leaf];
        }
    }
    return counts;
}

}  // namespace

double cubeUtilisation(const Program& program, const ChipSpec& chip, const Trace& trace) {
    if (trace.kernel.value == 0) return 0.0;
    double peakCycles = 0.0;
    for (const auto& [kind, count] : multiplyAdds(program)) {
        const CubeRate* known = chip.cubeRate(kind.first);
        if (known == nullptr) continue;
        const CubeRate own = kind.second ? formula::hf32Rate(*known) : *known;
        const CubeRate* rate = &own;
        const Rational perCycle = Rational(16 * 16 * rate->k0 * chip.aicCount.integer()) / rate->repeat.value;
        peakCycles += static_cast<double>(count) / perCycle.toDouble();
    }
    return peakCycles * static_cast<double>(kTicksPerCycle) / static_cast<double>(trace.kernel.value);
}

Confidence predictionConfidence(const Trace& trace) {
    return trace.estimates.empty() ? Confidence::CostModel : Confidence::Estimate;
}

}  // namespace cubist
