// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/program_builder.h"

#include <algorithm>

#include "core/base/integer_math.h"

namespace cubist::test {
namespace {

Constant constant(const Rational& value, Confidence confidence = Confidence::Documented) {
    return {.value = value, .unit = "cycle", .confidence = confidence, .source = "test", .note = {}, .unknown = {}};
}

CubeRate rate(DType dtype, std::int64_t k0, std::int64_t repeat) {
    CubeRate cube;
    cube.dtype = dtype;
    cube.k0 = k0;
    cube.repeat = constant(repeat);
    return cube;
}

std::uint32_t u32(std::int64_t value) {
    return static_cast<std::uint32_t>(value);
}

}  // namespace

ChipSpec chip910B1() {
    ChipSpec chip;
    chip.id = ChipId("Ascend910B1");
    chip.arch = "2201";
    chip.aicCount = constant(24);
    chip.aivCount = constant(48);
    chip.clockMHz = constant(1850);
    chip.cube = {rate(DType::FP32, 8, 2), rate(DType::BF16, 16, 1)};
    chip.mmadOverhead = constant(2, Confidence::Estimate);
    chip.mte2Overhead = constant(85, Confidence::Estimate);
    chip.mte2RowCycles = constant(Rational(18, 5), Confidence::Estimate);
    chip.mte2BytesPerCycle = constant(110);
    chip.mte1Overhead = constant(31, Confidence::Estimate);
    chip.mte1BytesPerCycleA = constant(256);
    chip.mte1BytesPerCycleB = constant(128);
    chip.fixOverhead = constant(35, Confidence::Estimate);
    chip.fixBytesPerCycle = constant(134, Confidence::Estimate);
    chip.gmToUbOverhead = constant(192);
    chip.gmToUbBytesPerCycle = constant(126);
    chip.ubToGmOverhead = constant(121);
    chip.ubToGmBytesPerCycle = constant(Rational(159, 2));
    chip.vectorOverhead = constant(6);
    chip.vectorBytesPerRepeat = constant(256);
    chip.dispatchCycles = constant(200, Confidence::CostModel);
    chip.resolveCycles = constant(390, Confidence::CostModel);
    chip.schedulerMHz = constant(1800, Confidence::CostModel);
    chip.pollCycles = constant(240, Confidence::CostModel);
    chip.stitchCycles = constant(3700, Confidence::Estimate);
    chip.submitCycles = constant(100, Confidence::CostModel);
    chip.schedulerThreads = constant(5);
    return chip;
}

ChipSpec countingChip(std::int64_t aic, std::int64_t aiv, std::int64_t dispatch, std::int64_t resolve) {
    ChipSpec chip;
    chip.id = ChipId("Counting");
    chip.aicCount = constant(aic);
    chip.aivCount = constant(aiv);
    chip.clockMHz = chip.schedulerMHz = constant(1);
    chip.cube = {rate(DType::INT8, 32, 1)};
    chip.mte2BytesPerCycle = chip.mte1BytesPerCycleA = chip.mte1BytesPerCycleB = chip.fixBytesPerCycle = constant(1);
    chip.gmToUbBytesPerCycle = chip.ubToGmBytesPerCycle = chip.vectorBytesPerRepeat = constant(1);
    chip.dispatchCycles = constant(dispatch);
    chip.resolveCycles = constant(resolve);
    chip.scalarIssue = ChipDefaults::scalarIssue();
    chip.btBytesPerCycle = chip.fbBytesPerCycle = constant(1);
    return chip;
}

LeafBuilder::LeafBuilder(TaskKind kind) {
    m_leaf.kind = kind;
}

std::uint16_t LeafBuilder::allocation(Buffer buffer, std::uint16_t slot, std::int64_t offset, std::int64_t rows,
                                      std::int64_t cols, DType dtype) {
    Allocation a;
    a.core = m_leaf.kind == TaskKind::Aic ? SubCore::Aic : SubCore::Aiv0;
    a.buffer = buffer;
    a.slot = slot;
    a.offset = u32(offset);
    a.bytes = u32(deviceBytes(dtype, rows * cols));
    a.rows = u32(rows);
    a.cols = u32(cols);
    a.dtype = dtype;
    a.first = 0xFFFFFFFF;
    m_leaf.allocations.push_back(a);
    return static_cast<std::uint16_t>(m_leaf.allocations.size() - 1);
}

Instruction& LeafBuilder::push(Opcode op, Pipe pipe) {
    Instruction i;
    i.op = op;
    i.core = m_leaf.kind == TaskKind::Aic ? SubCore::Aic : SubCore::Aiv0;
    i.pipe = pipe;
    m_leaf.instructions.push_back(i);
    return m_leaf.instructions.back();
}

void LeafBuilder::touch(std::uint16_t allocation) {
    if (allocation == Instruction::kNone) return;
    const auto index = static_cast<std::uint32_t>(m_leaf.instructions.size() - 1);
    Allocation& a = m_leaf.allocations[allocation];
    a.first = std::min(a.first, index);
    a.last = index;
}

std::uint32_t LeafBuilder::loadL1(std::uint16_t dst, std::int64_t rows, std::int64_t cols) {
    Instruction& i = push(Opcode::LoadL1, Pipe::MTE2);
    i.dtype = typeOf(dst);
    i.dst = dst;
    i.extent = {u32(rows), u32(cols)};
    touch(dst);
    return u32(static_cast<std::int64_t>(m_leaf.instructions.size()) - 1);
}

std::uint32_t LeafBuilder::moveL0A(std::uint16_t dst, std::uint16_t src) {
    Instruction& i = push(Opcode::MoveL0A, Pipe::MTE1);
    i.dtype = typeOf(dst);
    i.dst = dst;
    i.src0 = src;
    i.extent = {m_leaf.allocations[dst].rows, m_leaf.allocations[dst].cols};
    touch(dst);
    touch(src);
    return u32(static_cast<std::int64_t>(m_leaf.instructions.size()) - 1);
}

std::uint32_t LeafBuilder::moveL0B(std::uint16_t dst, std::uint16_t src) {
    const std::uint32_t index = moveL0A(dst, src);
    m_leaf.instructions[index].op = Opcode::MoveL0B;
    return index;
}

std::uint32_t LeafBuilder::mmad(std::uint16_t dst, std::uint16_t a, std::uint16_t b, std::int64_t m, std::int64_t k,
                                std::int64_t n, bool init) {
    Instruction& i = push(Opcode::Mmad, Pipe::M);
    i.dtype = typeOf(a);
    i.flags = init ? kFlagInit : 0;
    i.dst = dst;
    i.src0 = a;
    i.src1 = b;
    i.extent = {u32(m), u32(n)};
    i.at = {u32(k), 0};
    for (const std::uint16_t used : {dst, a, b}) touch(used);
    return u32(static_cast<std::int64_t>(m_leaf.instructions.size()) - 1);
}

std::uint32_t LeafBuilder::storeL0C(std::uint16_t src, std::int64_t rows, std::int64_t cols, DType out) {
    Instruction& i = push(Opcode::StoreL0C, Pipe::FIX);
    i.dtype = out;
    i.src0 = src;
    i.extent = {u32(rows), u32(cols)};
    touch(src);
    return u32(static_cast<std::int64_t>(m_leaf.instructions.size()) - 1);
}

std::uint32_t LeafBuilder::loadUb(std::uint16_t dst, std::int64_t rows, std::int64_t cols) {
    const std::uint32_t index = loadL1(dst, rows, cols);
    m_leaf.instructions[index].op = Opcode::LoadUb;
    return index;
}

std::uint32_t LeafBuilder::vector(VectorOpCode op, std::uint16_t dst, std::uint16_t src0, std::uint16_t src1,
                                  std::int64_t rows, std::int64_t cols) {
    VectorDetail detail;
    detail.op = op;
    detail.dstType = typeOf(dst);
    detail.dst.layout = detail.dst.extent = {1, 1, rows, cols};
    detail.src = {detail.dst, detail.dst, detail.dst};
    Instruction& i = push(Opcode::Vector, Pipe::V);
    i.dtype = src0 == Instruction::kNone ? detail.dstType : typeOf(src0);
    i.detail = static_cast<std::uint16_t>(m_leaf.details.size());
    i.dst = dst;
    i.src0 = src0;
    i.src1 = src1;
    i.extent = {u32(rows), u32(cols)};
    m_leaf.details.push_back(detail);
    for (const std::uint16_t used : {dst, src0, src1}) touch(used);
    return u32(static_cast<std::int64_t>(m_leaf.instructions.size()) - 1);
}

std::uint32_t LeafBuilder::storeUb(std::uint16_t src, std::int64_t rows, std::int64_t cols) {
    const std::uint32_t index = storeL0C(src, rows, cols, typeOf(src));
    m_leaf.instructions[index].op = Opcode::StoreUb;
    m_leaf.instructions[index].pipe = Pipe::MTE3;
    return index;
}

Leaf matmulLeaf(const MatmulLeaf& s) {
    LeafBuilder leaf(TaskKind::Aic);
    const std::int64_t bytesA = deviceBytes(s.dtype, s.m * s.kL1);
    const std::int64_t bytesB = deviceBytes(s.dtype, s.n * s.kL1);
    const std::uint16_t l0c = leaf.allocation(Buffer::L0C, 0, 0, s.m, s.n, DType::FP32);
    int l1 = 0;
    int l0a = 0;
    int l0b = 0;
    for (std::int64_t k1 = 0; k1 < s.k; k1 += s.kL1, l1 = (l1 + 1) % s.l1Slots) {
        const std::int64_t depth = std::min(s.kL1, s.k - k1);
        const std::int64_t base = l1 * (bytesA + bytesB);
        const auto slot = static_cast<std::uint16_t>(2 * l1);
        const std::uint16_t a = leaf.allocation(Buffer::L1, slot, base, s.m, depth, s.dtype);
        const std::uint16_t b = leaf.allocation(Buffer::L1, static_cast<std::uint16_t>(slot + 1), base + bytesA,
                                                s.bTransposed ? s.n : depth, s.bTransposed ? depth : s.n, s.dtype);
        leaf.loadL1(a, s.m, depth);
        leaf.loadL1(b, s.bTransposed ? s.n : depth, s.bTransposed ? depth : s.n);
        for (std::int64_t k0 = 0; k0 < depth; k0 += s.kL0, l0a = (l0a + 1) % s.l0aSlots, l0b = (l0b + 1) % s.l0bSlots) {
            const std::int64_t step = std::min(s.kL0, depth - k0);
            const std::uint16_t tileA = leaf.allocation(Buffer::L0A, static_cast<std::uint16_t>(l0a),
                                                        l0a * deviceBytes(s.dtype, s.m * s.kL0), s.m, step, s.dtype);
            const std::uint16_t tileB = leaf.allocation(Buffer::L0B, static_cast<std::uint16_t>(l0b),
                                                        l0b * deviceBytes(s.dtype, s.n * s.kL0), step, s.n, s.dtype);
            leaf.moveL0A(tileA, a);
            leaf.moveL0B(tileB, b);
            leaf.mmad(l0c, tileA, tileB, s.m, step, s.n, k1 + k0 == 0);
        }
    }
    leaf.storeL0C(l0c, s.m, s.n, s.out);
    return leaf.build();
}

Leaf loadLeaf(std::int64_t cycles) {
    LeafBuilder leaf(TaskKind::Aic);
    leaf.loadL1(leaf.allocation(Buffer::L1, 0, 0, 1, cycles), 1, cycles);
    return leaf.build();
}

Leaf vectorLeaf(std::int64_t cycles) {
    LeafBuilder leaf(TaskKind::Aiv);
    leaf.vector(VectorOpCode::Relu, leaf.allocation(Buffer::UB, 0, 0, 1, cycles), Instruction::kNone,
                Instruction::kNone, 1, cycles);
    return leaf.build();
}

LeafIndex ProgramBuilder::leaf(Leaf leaf) {
    const StageIndex stage(m_program.stages.size());
    leaf.stage = stage;
    ProgramStage description;
    description.id = BlockId("stage" + std::to_string(stage.value));
    description.kind = leaf.kind;
    m_program.stages.push_back(std::move(description));
    m_program.leaves.push_back(std::move(leaf));
    return LeafIndex(m_program.leaves.size() - 1);
}

TaskIndex ProgramBuilder::task(LeafIndex leaf) {
    Task task;
    task.leaf = leaf;
    task.firstMember = static_cast<std::uint32_t>(m_program.members.size());
    m_program.members.push_back({.stage = m_program.leaves[leaf.value].stage});
    m_program.tasks.push_back(task);
    return TaskIndex(m_program.tasks.size() - 1);
}

void ProgramBuilder::edge(TaskIndex from, TaskIndex to, EdgeKind kind) {
    m_edges.emplace_back(from, Edge{to, kind});
}

Program ProgramBuilder::build() const {
    Program program = m_program;
    program.roots.emplace_back();
    auto edges = m_edges;
    std::stable_sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [from, edge] : edges) {
        Task& task = program.tasks[from.value];
        if (task.edgeCount == 0) task.firstEdge = static_cast<std::uint32_t>(program.edges.size());
        ++task.edgeCount;
        program.edges.push_back(edge);
        if (edge.kind == EdgeKind::Wait) ++program.tasks[edge.to.value].predecessors;
    }
    return program;
}

}  // namespace cubist::test
