// SPDX-License-Identifier: GPL-3.0-or-later
// Whole matrix products of the cube kernel, packing counted, beside OpenBLAS SGEMM of the same shape in the same run.
// The two take turns; `ratio` is the median over the turns of their times (1 is as fast as SGEMM; the bar is 0.9).
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/base/tensor.h"
#include "core/emulator/cube_kernel.h"

namespace {

using namespace cubist;

constexpr int kThreads = 2;

struct Shape3 {
    std::int64_t m, n, k;
};

HostTensor operandTensor(DType type, std::int64_t rows, std::int64_t columns, const char* name) {
    HostTensor tensor = *HostTensor::uninitialised(type, {rows, columns});
    const bool integers = !isFloat(type);
    const GeneratorSpec spec{integers ? Distribution::Integers : Distribution::Uniform, integers ? -127.0 : -1.0,
                             integers ? 127.0 : 1.0};
    RunContext context;
    context.threads = kThreads;
    if (!fillTensor(tensor, spec, randomStream(1, name), context)) std::abort();
    return tensor;
}

/// A[m,k] * B[k,n], both row-major; MX operands with one scale per 32 elements of K.
class Product {
public:
    Product(DType type, bool scaled, const Shape3& shape)
        : m_shape(shape),
          m_integers(!isFloat(type)),
          m_a(operandTensor(type, shape.m, shape.k, "a")),
          m_b(operandTensor(type, shape.k, shape.n, "b")),
          m_c(*HostTensor::zeros(m_integers ? DType::INT32 : DType::FP32, {shape.m, shape.n})) {
        m_left = CubeOperand{type, m_a.data(), shape.k, 1};
        m_right = CubeOperand{type, m_b.data(), 1, shape.n};
        if (!scaled) return;
        const std::int64_t pairs = (shape.k + 63) / 64;
        m_scalesA.assign(static_cast<std::size_t>(shape.m * pairs * 2), 120);
        m_scalesB.assign(static_cast<std::size_t>(shape.n * pairs * 2), 130);
        m_left.scales = m_scalesA.data();
        m_left.scaleIStride = 2 * pairs;
        m_left.scalePairStride = 2;
        m_right.scales = m_scalesB.data();
        m_right.scaleIStride = 2;
        m_right.scalePairStride = 2 * shape.n;
    }

    bool run(const CubeKernel& kernel) {
        std::memset(m_c.writableData(), 0, m_c.byteCount());
        RunContext context;
        context.threads = kThreads;
        const auto [m, n, k] = m_shape;
        if (m_integers)
            return matmulWhole(kernel, m, n, k, m_left, m_right, m_c.writableCodes<std::int32_t>().data(), n, context)
                .value_or(false);
        return matmulWhole(kernel, m, n, k, m_left, m_right, m_c.writableCodes<float>().data(), n, context).has_value();
    }

private:
    Shape3 m_shape;
    bool m_integers;
    HostTensor m_a, m_b, m_c;
    std::vector<std::uint8_t> m_scalesA, m_scalesB;
    CubeOperand m_left, m_right;
};

class Sgemm {
public:
    explicit Sgemm(const Shape3& shape)
        : m_shape(shape),
          m_a(operandTensor(DType::FP32, shape.m, shape.k, "a")),
          m_b(operandTensor(DType::FP32, shape.k, shape.n, "b")),
          m_c(*HostTensor::zeros(DType::FP32, {shape.m, shape.n})) {}

    void run() {
        const auto m = static_cast<int>(m_shape.m), n = static_cast<int>(m_shape.n), k = static_cast<int>(m_shape.k);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, m_a.codes<float>().data(), k,
                    m_b.codes<float>().data(), n, 0.0f, m_c.writableCodes<float>().data(), n);
    }

private:
    Shape3 m_shape;
    HostTensor m_a, m_b, m_c;
};

double secondsOf(const auto& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void beside(benchmark::State& state, Isa isa, DType type, bool scaled, Shape3 shape) {
    const auto kernel = CubeKernel::create(isa);
    if (!kernel) {
        state.SkipWithError(kernel.error().message.c_str());
        return;
    }
    openblas_set_num_threads(kThreads);
    Product product(type, scaled, shape);
    Sgemm sgemm(shape);
    sgemm.run();
    if (!product.run(*kernel)) {
        state.SkipWithError("the product failed");
        return;
    }
    std::vector<double> ratios;
    double bestSgemm = 1e30;
    for ([[maybe_unused]] auto turn : state) {
        const double theirs = secondsOf([&] { sgemm.run(); });
        const double ours = secondsOf([&] { (void)product.run(*kernel); });
        state.SetIterationTime(ours);
        ratios.push_back(theirs / ours);
        bestSgemm = std::min(bestSgemm, theirs);
    }
    std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2), ratios.end());
    const double flops = 2.0 * static_cast<double>(shape.m * shape.n) * static_cast<double>(shape.k);
    state.counters["ratio"] = ratios[ratios.size() / 2];
    state.counters["GFLOP"] =
        benchmark::Counter(flops * 1e-9 * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
    state.counters["sgemm_GFLOP_per_s"] = flops * 1e-9 / bestSgemm;
}

/// The leaves of a gate: 330 blocks of 32 x 16 over K = 5120, weights stored [N,K], one block after the other.
void gateLeaves(benchmark::State& state) {
    constexpr std::int64_t kRows = 1056, kColumns = 160, kDepth = 5120;
    const CubeKernel kernel = *CubeKernel::create(Isa::Auto);
    const HostTensor a = operandTensor(DType::FP32, kRows, kDepth, "a");
    const HostTensor b = operandTensor(DType::FP32, kColumns, kDepth, "b");
    HostTensor c = *HostTensor::zeros(DType::FP32, {kRows, kColumns});
    float* const sums = c.writableCodes<float>().data();
    CubeScratch scratch;
    const CubeOperand left{DType::FP32, a.data(), kDepth, 1}, right{DType::FP32, b.data(), kDepth, 1};
    for ([[maybe_unused]] auto turn : state)
        for (std::int64_t row = 0; row < kRows; row += 32)
            for (std::int64_t column = 0; column < kColumns; column += 16)
                if (!kernel.multiply(32, 16, kDepth, left.from(row, 0), right.from(column, 0),
                                     sums + row * kColumns + column, kColumns, scratch))
                    state.SkipWithError("no memory");
    state.SetItemsProcessed(state.iterations() * 330);
}

void registerAll() {
    struct Kind {
        const char* name;
        DType type;
        bool scaled;
    };
    const std::vector<Kind> kinds = {{"FP32", DType::FP32, false},
                                     {"BF16", DType::BF16, false},
                                     {"FP16", DType::FP16, false},
                                     {"INT8", DType::INT8, false},
                                     {"MXFP8", DType::FP8E4M3, true}};
    const std::vector<Shape3> shapes = {{2048, 2048, 2048}, {4096, 4096, 1024}};
    for (const Isa isa : availableIsas()) {
        if (isa == Isa::Portable) continue;
        for (const Kind& kind : kinds)
            for (const Shape3& shape : shapes) {
                const std::string name = "cube/" + std::string(toText(isa)) + "/" + kind.name + "/" +
                                         std::to_string(shape.m) + "x" + std::to_string(shape.k) + "x" +
                                         std::to_string(shape.n);
                benchmark::RegisterBenchmark(
                    name.c_str(), [=](benchmark::State& state) { beside(state, isa, kind.type, kind.scaled, shape); })
                    ->UseManualTime()
                    ->Iterations(7)
                    ->Unit(benchmark::kMillisecond);
            }
    }
    benchmark::RegisterBenchmark("gate_leaves", gateLeaves)->Unit(benchmark::kMillisecond);
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
