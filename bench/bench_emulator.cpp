// SPDX-License-Identifier: GPL-3.0-or-later
// Whole matmul programs through lowering and the emulator (decoding, packing and conversion counted; golden and
// generated inputs not), beside OpenBLAS SGEMM of the same shape in the same run. The two take turns; `ratio` is the
// median over the turns of their times (1 is as fast as SGEMM; the bar is 0.9); `cpu_ratio` that of the processor time
// of all threads, which other work on the machine disturbs less.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "core/base/random.h"
#include "core/emulator/emulator.h"
#include "core/exchange/chip_json.h"
#include "core/lowering/lower.h"
#include "tests/support/designs.h"

namespace {

using namespace cubist;

constexpr int kThreads = 2;
/// OpenBLAS's idle threads look for work for 2^26 ticks before they sleep, and would do so on our time.
constexpr std::chrono::milliseconds kBlasIdle{60};

struct Shape3 {
    std::int64_t m, k, n;
};

RunContext threads() {
    RunContext context;
    context.threads = kThreads;
    return context;
}

HostTensor filled(DType type, Shape shape, const std::string& name) {
    HostTensor tensor = *HostTensor::uninitialised(type, std::move(shape));
    if (type == DType::FP8E8M0) {  // scales 2^-4 .. 2^3
        const RandomStream stream = randomStream(1, name);
        const GeneratorSpec exponents{Distribution::Integers, 123.0, 130.0};
        for (std::int64_t e = 0; e < tensor.count(); ++e)
            tensor.writableCodes<std::uint8_t>()[static_cast<std::size_t>(e)] =
                static_cast<std::uint8_t>(generateElement(exponents, stream, e));
        return tensor;
    }
    const GeneratorSpec spec = isFloat(type) ? GeneratorSpec{Distribution::Uniform, -1.0, 1.0}
                                             : GeneratorSpec{Distribution::Integers, -127.0, 127.0};
    if (!fillTensor(tensor, spec, randomStream(1, name), threads())) std::abort();
    return tensor;
}

struct Spent {
    double seconds = 0;
    double cpu = 0;  ///< of all threads
};

Spent spentOn(const auto& work) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu = std::clock();
    work();
    const double cpuSeconds = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), cpuSeconds};
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// a and b of the design become MX operands with the scales sa and sb.
void scale(Design& design, Shape3 shape) {
    const std::int64_t pairs = (shape.k + 63) / 64;
    const auto scales = [](const char* id, const Shape& extents) {
        Tensor tensor;
        tensor.id = TensorId(id);
        tensor.role = TensorRole::Input;
        tensor.dtype = DType::FP8E8M0;
        for (const std::int64_t extent : extents) tensor.shape.emplace_back(extent);
        return tensor;
    };
    design.tensors.insert(design.tensors.begin() + 2,
                          {scales("sa", {shape.m, pairs, 2}), scales("sb", {pairs, shape.n, 2})});
    CubeStage& stage = test::cubeOf(design);
    stage.op = CubeOp::ScaledMm;
    stage.scaleA = ValueId("sa");
    stage.scaleB = ValueId("sb");
}

void wholeProgram(benchmark::State& state, DType type, DType out, Shape3 shape) {
    const bool scaled = type == DType::FP8E4M3;
    const auto chip = loadChip(scaled ? CUBIST_SOURCE_DIR "/resources/chips/Ascend950PR_958x.json"
                                      : CUBIST_SOURCE_DIR "/resources/chips/Ascend910B1.json");
    if (!chip) {
        state.SkipWithError("no chip file");
        return;
    }
    test::MatmulKnobs knobs;
    knobs.m = shape.m;
    knobs.k = shape.k;
    knobs.n = shape.n;
    knobs.dtype = type;
    knobs.out = out;
    knobs.mTile = {128, 128};
    knobs.kTile = {64, 256};
    knobs.nTile = {256, 256};
    Design design = test::matmulDesign(knobs);
    if (scaled) scale(design, shape);
    const auto binding = bind(design, {}, {});
    const HostTensor a = filled(type, {shape.m, shape.k}, "a");
    const HostTensor b = filled(type, {shape.k, shape.n}, "b");
    std::vector<const HostTensor*> inputs{&a, &b};
    HostTensor sa, sb;
    if (scaled) {
        sa = filled(DType::FP8E8M0, {shape.m, (shape.k + 63) / 64, 2}, "sa");
        sb = filled(DType::FP8E8M0, {(shape.k + 63) / 64, shape.n, 2}, "sb");
        inputs.insert(inputs.end(), {&sa, &sb});
    }
    // As in a window, whose runs share their memory; OpenBLAS keeps its own, too.
    BlockPool blocks;
    const EmulatorOptions options{.blocks = &blocks};
    const auto ours = [&] {
        const auto program = lower(design, *binding, chip->chip, threads());
        if (!program) return false;
        const auto values = emulate(*program, inputs, options, threads());
        return values.has_value();
    };
    const HostTensor left = filled(DType::FP32, {shape.m, shape.k}, "a");
    const HostTensor right = filled(DType::FP32, {shape.k, shape.n}, "b");
    HostTensor sums = *HostTensor::zeros(DType::FP32, {shape.m, shape.n});
    const auto theirs = [&] {
        const auto m = static_cast<int>(shape.m), n = static_cast<int>(shape.n), k = static_cast<int>(shape.k);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0F, left.codes<float>().data(), k,
                    right.codes<float>().data(), n, 0.0F, sums.writableCodes<float>().data(), n);
    };
    openblas_set_num_threads(kThreads);
    theirs();
    if (!ours()) {
        state.SkipWithError("the program failed");
        return;
    }
    std::vector<double> ratios, cpuRatios;
    double bestSgemm = 1e30;
    for ([[maybe_unused]] auto turn : state) {
        const Spent sgemm = spentOn(theirs);
        std::this_thread::sleep_for(kBlasIdle);
        const Spent program = spentOn([&] { benchmark::DoNotOptimize(ours()); });
        state.SetIterationTime(program.seconds);
        ratios.push_back(sgemm.seconds / program.seconds);
        cpuRatios.push_back(sgemm.cpu / program.cpu);
        bestSgemm = std::min(bestSgemm, sgemm.seconds);
    }
    const double flops = 2.0 * static_cast<double>(shape.m * shape.n) * static_cast<double>(shape.k);
    state.counters["ratio"] = median(ratios);
    state.counters["cpu_ratio"] = median(cpuRatios);
    state.counters["sgemm_GFLOP_per_s"] = flops * 1e-9 / bestSgemm;
}

void registerAll() {
    struct Kind {
        const char* name;
        DType type, out;
    };
    const std::vector<Kind> kinds = {{"FP32", DType::FP32, DType::FP32},
                                     {"BF16", DType::BF16, DType::BF16},
                                     {"FP16", DType::FP16, DType::FP32},
                                     {"INT8", DType::INT8, DType::INT32},
                                     {"MXFP8", DType::FP8E4M3, DType::FP32}};
    const std::vector<Shape3> shapes = {{2048, 2048, 2048}, {4096, 4096, 1024}, {4096, 1024, 4096}};
    for (const Kind& kind : kinds)
        for (const Shape3& shape : shapes) {
            const std::string name = "program/" + std::string(kind.name) + "/" + std::to_string(shape.m) + "x" +
                                     std::to_string(shape.k) + "x" + std::to_string(shape.n);
            benchmark::RegisterBenchmark(
                name.c_str(), [=](benchmark::State& state) { wholeProgram(state, kind.type, kind.out, shape); })
                ->UseManualTime()
                ->Iterations(7)
                ->Unit(benchmark::kMillisecond);
        }
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::AddCustomContext("openblas_core", openblas_get_corename());
    benchmark::AddCustomContext("openblas_config", openblas_get_config());
    benchmark::AddCustomContext("threads", std::to_string(kThreads));
    registerAll();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
