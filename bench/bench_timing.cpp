// SPDX-License-Identifier: GPL-3.0-or-later
// Timing engine: whole predictions (items are pipe instructions of all tasks) and the parts that work once per leaf.
#include <benchmark/benchmark.h>

#include "core/timing/listeners/timeline.h"
#include "core/timing/timing_engine.h"
#include "tests/support/program_builder.h"

namespace {

using namespace cubist;
using namespace cubist::test;

/// size^3 in BF16 with blocks of 128 x 256 and steps of 64 along K, 256 in L1.
Program matmulProgram(std::int64_t size) {
    ProgramBuilder builder;
    const LeafIndex leaf = builder.leaf(matmulLeaf({.m = 128,
                                                    .n = 256,
                                                    .k = size,
                                                    .kL1 = 256,
                                                    .kL0 = 64,
                                                    .dtype = DType::BF16,
                                                    .out = DType::BF16,
                                                    .l1Slots = 2,
                                                    .l0aSlots = 2,
                                                    .l0bSlots = 2}));
    for (std::int64_t i = 0; i < (size / 128) * (size / 256); ++i) (void)builder.task(leaf);
    return builder.build();
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

void predictProgram(benchmark::State& state, const Program& program) {
    const ChipSpec chip = chip910B1();
    for (auto _ : state) {
        auto trace = predict(program, chip);
        benchmark::DoNotOptimize(trace);
    }
    state.SetItemsProcessed(state.iterations() * program.instructionCount());
    state.counters["tasks"] = static_cast<double>(program.tasks.size());
}

void predictMatmul(benchmark::State& state) {
    predictProgram(state, matmulProgram(state.range(0)));
}

void predictManyTasks(benchmark::State& state) {
    predictProgram(state, manyTasks(state.range(0)));
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
    const Program program = matmulProgram(state.range(0));
    const auto trace = predict(program, chip910B1());
    const auto cores = tasksByCore(*trace);
    std::int64_t intervals = 0;
    for (auto _ : state)
        for (std::size_t c = 0; c < cores.size(); ++c)
            for (const Pipe pipe : pipesOf(c < 24 ? TaskKind::Aic : TaskKind::Aiv)) {
                const auto lane = laneCauses(program, *trace, pipe, cores[c]);
                intervals += static_cast<std::int64_t>(lane.size());
            }
    state.SetItemsProcessed(intervals);
}

BENCHMARK(predictMatmul)->Arg(4096)->Arg(8192)->Unit(benchmark::kMillisecond);
BENCHMARK(predictManyTasks)->Arg(1000000)->Unit(benchmark::kMillisecond);
BENCHMARK(dependenciesOfLongLeaf)->Unit(benchmark::kMillisecond);
BENCHMARK(scheduleOfLongLeaf)->Unit(benchmark::kMillisecond);
BENCHMARK(lanesOfMatmul)->Arg(8192)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
