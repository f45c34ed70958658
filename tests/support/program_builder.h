// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "core/chip/chip_spec.h"
#include "core/lowering/program.h"
#include "core/timing/timing_engine.h"

/// Hand-made chips, leaves and programs for tests of the engines: no design, no rules, no lowering involved.
namespace cubist::test {

/// The constants of the first timing model for Ascend 910B1, written out here so that no data file is involved.
[[nodiscard]] ChipSpec chip910B1();

/// A chip on which counting is easy: no overheads, every path moves 1 byte a cycle, a vector repeat is 1 byte, an INT8
/// mmad takes one cycle per 16 x 32 x 16 fractal. Clock and scheduler run at 1 MHz; a dispatch takes `dispatch` cycles
/// and a resolve `resolve` cycles.
[[nodiscard]] ChipSpec countingChip(std::int64_t aic, std::int64_t aiv, std::int64_t dispatch, std::int64_t resolve);

/// Appends instructions and allocations to a leaf. Methods return the leaf-relative index of what they added.
class LeafBuilder {
public:
    explicit LeafBuilder(TaskKind kind);

    std::uint16_t allocation(Buffer buffer, std::uint16_t slot, std::int64_t offset, std::int64_t rows,
                             std::int64_t cols, DType dtype = DType::INT8);
    std::uint32_t loadL1(std::uint16_t dst, std::int64_t rows, std::int64_t cols);
    std::uint32_t moveL0A(std::uint16_t dst, std::uint16_t src);
    std::uint32_t moveL0B(std::uint16_t dst, std::uint16_t src);
    std::uint32_t mmad(std::uint16_t dst, std::uint16_t a, std::uint16_t b, std::int64_t m, std::int64_t k,
                       std::int64_t n, bool init);
    std::uint32_t storeL0C(std::uint16_t src, std::int64_t rows, std::int64_t cols, DType out);
    std::uint32_t loadUb(std::uint16_t dst, std::int64_t rows, std::int64_t cols);
    std::uint32_t vector(VectorOpCode op, std::uint16_t dst, std::uint16_t src0, std::uint16_t src1, std::int64_t rows,
                         std::int64_t cols);
    std::uint32_t storeUb(std::uint16_t src, std::int64_t rows, std::int64_t cols);

    [[nodiscard]] Leaf build() const { return m_leaf; }

private:
    Instruction& push(Opcode op, Pipe pipe);
    void touch(std::uint16_t allocation);
    [[nodiscard]] DType typeOf(std::uint16_t allocation) const { return m_leaf.allocations[allocation].dtype; }

    Leaf m_leaf;
};

/// A block of a matmul as the pipes see it. Sizes in elements; slots per buffer.
struct MatmulLeaf {
    std::int64_t m = 16, n = 16, k = 32, kL1 = 32, kL0 = 32;
    DType dtype = DType::INT8;
    DType out = DType::FP32;
    bool bTransposed = false;  ///< B is stored [n, k]
    int l1Slots = 1, l0aSlots = 1, l0bSlots = 1;
};

/// Per kL1 step load A, load B; per kL0 step move A, move B, mmad; one store at the end.
[[nodiscard]] Leaf matmulLeaf(const MatmulLeaf& shape);

/// The prediction under the list schedule of F-21, whose numbers can be worked out by hand.
[[nodiscard]] inline Result<Trace> predictByHand(const Program& program, const ChipSpec& chip,
                                                 const RunContext& context = {}) {
    TimingOptions options;
    options.listSchedule = true;
    return predict(program, chip, context, options);
}

/// An AIC leaf of one load that lasts `cycles` cycles on a `countingChip`.
[[nodiscard]] Leaf loadLeaf(std::int64_t cycles);
/// The same on an AIV.
[[nodiscard]] Leaf vectorLeaf(std::int64_t cycles);

/// Collects leaves, tasks and edges. Tasks get the stage of their leaf's place: one stage per leaf.
class ProgramBuilder {
public:
    LeafIndex leaf(Leaf leaf);
    TaskIndex task(LeafIndex leaf);
    void edge(TaskIndex from, TaskIndex to, EdgeKind kind = EdgeKind::Wait);
    [[nodiscard]] Program build() const;

private:
    Program m_program;
    std::vector<std::pair<TaskIndex, Edge>> m_edges;
};

}  // namespace cubist::test
