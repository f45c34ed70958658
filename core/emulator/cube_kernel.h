// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/emulator/cube_operand.h"
#include "core/emulator/cube_pack.h"
#include "core/emulator/isa.h"

namespace cubist {

struct CubeTarget;

enum class CubeSide : std::uint8_t { A, B };

/// Rows of A or columns of B over a stretch of K, decoded to FP32 in the order in which the kernel reads them; packed
/// once and used in any number of products, by any number of threads. Borrows the operand's memory, which must outlive
/// it. Memory: `CubeKernel::packedSize` elements of 4 bytes. Packing again reuses the memory.
class PackedOperand {
public:
    [[nodiscard]] std::int64_t count() const { return m_cut.count; }
    [[nodiscard]] std::int64_t k() const { return m_k; }
    /// Packs into this memory from now on as long as it is enough; it is borrowed and aligned to 64 bytes.
    void lend(std::span<float> memory);

private:
    friend class CubeKernel;
    struct Free {
        void operator()(float* memory) const { std::free(memory); }
    };
    [[nodiscard]] bool hold(std::size_t size);

    std::unique_ptr<float, Free> m_own;
    float* m_panels = nullptr;
    std::size_t m_capacity = 0;
    PanelCut m_cut;
    std::int64_t m_k = 0;
    CubeOperand m_source;
    CubeSide m_side = CubeSide::A;
    bool m_scalesOverflow = false;
};

/// Memory of one thread for products that pack as they go.
struct CubeScratch {
    PackedOperand a, b;
};

/// The cube's matrix product on the host. Float types: C[m,n] = RN(C[m,n] + A[m,k] * B[k,n]) for k ascending, the
/// product exact, one rounding to FP32 per step; MX operands: the exact product times 2^(eA + eB - 254), E8M0 code 255
/// is NaN. INT8 and INT4: C in INT32, exact, wrapping. The bits depend on nothing else: not on blocks, K stretches (a
/// product may be continued by another one on the same C), threads or instruction set. NaNs in C are canonical.
/// A kernel is a small value without state; all calls may run at the same time.
/// Source: F-53 (products), F-56 (MX), F-57 (HF32)
class CubeKernel {
public:
    /// Errors: Unsupported when this host lacks the instruction set.
    [[nodiscard]] static Result<CubeKernel> create(Isa isa, CubeMath math = {});
    [[nodiscard]] Isa isa() const { return m_isa; }
    [[nodiscard]] const CubeMath& math() const { return m_math; }
    /// The same kernel with other math.
    [[nodiscard]] CubeKernel with(CubeMath math) const { return CubeKernel(m_isa, *m_target, math); }

    /// Floats that a packed operand takes: columns are padded to the vector.
    [[nodiscard]] std::int64_t packedSize(CubeSide side, std::int64_t count, std::int64_t k) const;
    /// Packs `count` rows (side A) or columns (side B) over k steps. Errors: DoesNotFit.
    [[nodiscard]] Result<void> pack(CubeSide side, const CubeOperand& operand, std::int64_t count, std::int64_t k,
                                    PackedOperand& packed) const;

    /// C[a.count, b.count] += A * B over their common k; c is row-major with cStride elements between rows.
    /// Range: a and b are packed by a kernel of the same instruction set and have the same k.
    void multiply(const PackedOperand& a, const PackedOperand& b, float* c, std::int64_t cStride) const;
    /// Returns false if any sum, taken one product at a time, left the range of INT32 (it then wrapped).
    bool multiply(const PackedOperand& a, const PackedOperand& b, std::int32_t* c, std::int64_t cStride) const;

    /// The same straight from memory: one block, or one mmad on the tiles of an emulated core. Packs as it goes, in
    /// stretches of K, into `scratch`. Errors: DoesNotFit.
    [[nodiscard]] Result<void> multiply(std::int64_t m, std::int64_t n, std::int64_t k, const CubeOperand& a,
                                        const CubeOperand& b, float* c, std::int64_t cStride,
                                        CubeScratch& scratch) const;
    /// The value is false if a sum left the range of INT32.
    [[nodiscard]] Result<bool> multiply(std::int64_t m, std::int64_t n, std::int64_t k, const CubeOperand& a,
                                        const CubeOperand& b, std::int32_t* c, std::int64_t cStride,
                                        CubeScratch& scratch) const;

private:
    [[nodiscard]] PanelCut cutOf(CubeSide side, std::int64_t count) const;
    CubeKernel(Isa isa, const CubeTarget& target, CubeMath math) : m_isa(isa), m_target(&target), m_math(math) {}
    template <class C>
    bool multiplyPacked(const PackedOperand& a, const PackedOperand& b, C* c, std::int64_t cStride) const;
    template <class C>
    Result<bool> multiplyInStretches(std::int64_t m, std::int64_t n, std::int64_t k, const CubeOperand& a,
                                     const CubeOperand& b, C* c, std::int64_t cStride, CubeScratch& scratch) const;

    Isa m_isa;
    const CubeTarget* m_target;
    CubeMath m_math;
};

/// A whole product on context.threads threads: panels of a stretch of K are packed once, then blocks are computed.
/// Memory beyond the operands: 4 KiB * (m + n) and a little. Errors: DoesNotFit, Cancelled.
[[nodiscard]] Result<void> matmulWhole(const CubeKernel& kernel, std::int64_t m, std::int64_t n, std::int64_t k,
                                       const CubeOperand& a, const CubeOperand& b, float* c, std::int64_t cStride,
                                       const RunContext& context);
/// The value is false if a sum left the range of INT32.
[[nodiscard]] Result<bool> matmulWhole(const CubeKernel& kernel, std::int64_t m, std::int64_t n, std::int64_t k,
                                       const CubeOperand& a, const CubeOperand& b, std::int32_t* c,
                                       std::int64_t cStride, const RunContext& context);

}  // namespace cubist
