// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/integer_math.h"
#include "core/base/parallel.h"
#include "core/emulator/cube_kernel.h"

namespace cubist {
namespace {

// Blocks large enough that packing and visits to C cost little, small enough to share out over many threads.
constexpr std::int64_t kBlockM = 256;
constexpr std::int64_t kBlockN = 256;
constexpr std::int64_t kStretchK = 1024;  ///< a multiple of 64, so that MX scales stay in pairs

template <class C>
Result<bool> matmulInBlocks(const CubeKernel& kernel, std::int64_t m, std::int64_t n, std::int64_t k,
                            const CubeOperand& a, const CubeOperand& b, C* c, std::int64_t cStride,
                            const RunContext& context) {
    const std::int64_t blocksM = ceilDiv(m, kBlockM);
    const std::int64_t blocksN = ceilDiv(n, kBlockN);
    std::vector<PackedOperand> panelsA(static_cast<std::size_t>(blocksM));
    std::vector<PackedOperand> panelsB(static_cast<std::size_t>(blocksN));
    std::mutex failureMutex;
    std::optional<Error> failure;
    std::atomic<bool> inRange{true};
    for (std::int64_t step = 0; step < k; step += kStretchK) {
        const std::int64_t steps = std::min(kStretchK, k - step);
        const auto packBlock = [&](std::int64_t index, int) {
            if (context.cancelled()) return false;
            const bool isA = index < blocksM;
            const std::int64_t block = isA ? index : index - blocksM;
            const std::int64_t first = block * (isA ? kBlockM : kBlockN);
            const std::int64_t count = isA ? std::min(kBlockM, m - first) : std::min(kBlockN, n - first);
            const CubeOperand part = isA ? a.from(first, step) : b.from(first, step);
            PackedOperand& packed =
                isA ? panelsA[static_cast<std::size_t>(block)] : panelsB[static_cast<std::size_t>(block)];
            const Result<void> done = kernel.pack(isA ? CubeSide::A : CubeSide::B, part, count, steps, packed);
            if (done) return true;
            const std::lock_guard lock(failureMutex);
            failure = done.error();
            return false;
        };
        const auto multiplyBlock = [&](std::int64_t index, int) {
            if (context.cancelled()) return false;
            const std::int64_t i = index / blocksN;
            const std::int64_t j = index % blocksN;
            C* const target = c + i * kBlockM * cStride + j * kBlockN;
            const PackedOperand& left = panelsA[static_cast<std::size_t>(i)];
            const PackedOperand& right = panelsB[static_cast<std::size_t>(j)];
            if constexpr (std::is_same_v<C, float>)
                kernel.multiply(left, right, target, cStride);
            else if (!kernel.multiply(left, right, target, cStride))
                inRange.store(false, std::memory_order_relaxed);
            return true;
        };
        if (!parallelFor(context.threads, blocksM + blocksN, packBlock) ||
            !parallelFor(context.threads, blocksM * blocksN, multiplyBlock)) {
            if (failure) return unexpected(std::move(*failure));
            return cancelledError();
        }
        context.report(static_cast<double>(step + steps) / static_cast<double>(k), "matmul");
    }
    return inRange.load();
}

}  // namespace

Result<void> matmulWhole(const CubeKernel& kernel, std::int64_t m, std::int64_t n, std::int64_t k, const CubeOperand& a,
                         const CubeOperand& b, float* c, std::int64_t cStride, const RunContext& context) {
    CUBIST_CHECK_OK(matmulInBlocks(kernel, m, n, k, a, b, c, cStride, context));
    return {};
}

Result<bool> matmulWhole(const CubeKernel& kernel, std::int64_t m, std::int64_t n, std::int64_t k, const CubeOperand& a,
                         const CubeOperand& b, std::int32_t* c, std::int64_t cStride, const RunContext& context) {
    return matmulInBlocks(kernel, m, n, k, a, b, c, cStride, context);
}

}  // namespace cubist
