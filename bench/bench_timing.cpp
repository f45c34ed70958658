// SPDX-License-Identifier: GPL-3.0-or-later
// Timing engine: whole predictions (items are pipe instructions of all tasks) and the parts that work once per leaf.
#include <benchmark/benchmark.h>

#include "core/exchange/chip_json.h"
#include "core/lowering/bare_kernel.h"
#include "core/timing/listeners/timeline.h"
#include "core/timing/timing_engine.h"
#include "tests/support/program_builder.h"

namespace {

using namespace cubist;
using namespace cubist::test;

/// M x K x N in BF16 with blocks of 128 x 256 and steps of 64 along K, 256 in L1, on the chip's data.
BareKernel matmulKernel(const ChipSpec& chip, std::int64_t m, std::int64_t k, std::int64_t n) {
    BareMatmul matmul;
    matmul.m = m;
    matmul.k = k;
    matmul.n = n;
    matmul.operand = matmul.out = DType::BF16;
    matmul.mTile = 128;
    matmul.nTile = 256;
    matmul.kL0 = 64;
    matmul.kAL1 = matmul.kBL1 = 256;
    matmul.cores = 24;
    matmul.runtime = true;
    return *bareMatmul(matmul, chip);
}

ChipSpec chipFile() {
    return loadChip(CUBIST_SOURCE_DIR "/resources/chips/Ascend910B1.json")->chip;
}

/// Tasks so short that placing them is all the work; every second one feeds a vector task.
Program manyTasks(std::int64_t tasks) {
    ProgramBuilder builder;
    const LeafIndex cube = builder.leaf(matmulLeaf({.dtype = DType::BF16}));
    const LeafIndex vector = builder.leaf(vectorLeaf(64));
    for (std::int64_t i = 0; i < tasks / 2; ++i) {
        const TaskIndex producer = builder.task(cube);
        builder.edge(producer, builder.task(vector));
    }
    return builder.build();
}

void predictProgram(benchmark::State& state, const Program& program, const ChipSpec& chip) {
    for (auto _ : state) {
        auto trace = predict(program, chip);
        benchmark::DoNotOptimize(trace);
    }
    state.SetItemsProcessed(state.iterations() * program.instructionCount());
    state.counters["tasks"] = static_cast<double>(program.tasks.size());
}

void predictMatmul(benchmark::State& state) {
    const ChipSpec chip = chipFile();
    predictProgram(state, matmulKernel(chip, state.range(0), state.range(1), state.range(2)).program, chip);
}

void predictManyTasks(benchmark::State& state) {
    predictProgram(state, manyTasks(state.range(0)), chip910B1());
}

/// 100 000 vector instructions that share 32 places of UB.
Leaf longVectorLeaf() {
    LeafBuilder leaf(TaskKind::Aiv);
    for (int i = 0; i < 25000; ++i) {
        const auto slot = static_cast<std::uint16_t>(i % 16 * 2);
        const std::uint16_t x = leaf.allocation(Buffer::UB, slot, slot * 64, 1, 64);
        const std::uint16_t y =
            leaf.allocation(Buffer::UB, static_cast<std::uint16_t>(slot + 1), slot * 64 + 64, 1, 64);
        leaf.loadUb(x, 1, 64);
        leaf.vector(VectorOpCode::Relu, y, x, Instruction::kNone, 1, 64);
        leaf.vector(VectorOpCode::Mul, y, y, x, 1, 64);
        leaf.storeUb(y, 1, 64);
    }
    return leaf.build();
}

void dependenciesOfLongLeaf(benchmark::State& state) {
    const Leaf leaf = longVectorLeaf();
    for (auto _ : state) {
        auto dependencies = deriveDependencies(leaf);
        benchmark::DoNotOptimize(dependencies);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(leaf.instructions.size()));
}

void scheduleOfLongLeaf(benchmark::State& state) {
    const Leaf leaf = longVectorLeaf();
    const ChipSpec chip = chip910B1();
    for (auto _ : state) {
        auto schedule = scheduleLeaf(chip, leaf);
        benchmark::DoNotOptimize(schedule);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(leaf.instructions.size()));
}

/// What a swimlane does on opening: every lane of the chip.
void lanesOfMatmul(benchmark::State& state) {
    const ChipSpec chip = chipFile();
    const Program program = matmulKernel(chip, state.range(0), state.range(0), state.range(0)).program;
    const auto trace = predict(program, chip);
    const auto cores = tasksByCore(*trace);
    std::int64_t intervals = 0;
    for (auto _ : state)
        for (std::size_t c = 0; c < cores.size(); ++c)
            for (const Pipe pipe : pipesOf(c < 24 ? TaskKind::Aic : TaskKind::Aiv)) {
                const CoreRef core{c < 24 ? TaskKind::Aic : TaskKind::Aiv,
                                   static_cast<std::uint16_t>(c < 24 ? c : c - 24)};
                const auto lane = laneCauses(program, *trace, core, pipe, cores[c]);
                intervals += static_cast<std::int64_t>(lane.size());
            }
    state.SetItemsProcessed(intervals);
}

BENCHMARK(predictMatmul)
    ->Args({1024, 7168, 2048})
    ->Args({4096, 4096, 4096})
    ->Args({8192, 8192, 8192})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(predictManyTasks)->Arg(1000000)->Unit(benchmark::kMillisecond);
BENCHMARK(dependenciesOfLongLeaf)->Unit(benchmark::kMillisecond);
BENCHMARK(scheduleOfLongLeaf)->Unit(benchmark::kMillisecond);
BENCHMARK(lanesOfMatmul)->Arg(8192)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
