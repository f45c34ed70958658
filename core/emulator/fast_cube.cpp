// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/emulator/fast_cube.h"

#include "core/emulator/vector_store.h"

namespace cubist {
namespace {

/// The size of the product and how its operands are stored, read off the leaf's instructions.
struct Product {
    std::int64_t m = 0, n = 0, k = 0, kLoadedA = 0, kLoadedB = 0;
    bool aTransposed = false, bTransposed = false;
    DType accumulator = DType::FP32;
};

Product productOf(const Leaf& leaf) {
    Product p;
    std::int64_t endA = 0;
    std::int64_t endB = 0;
    for (const Instruction& i : leaf.instructions) {
        if (i.op == Opcode::Mmad) {
            p.m = i.extent[0];
            p.n = i.extent[1];
            p.k += i.at[0];
            p.accumulator = leaf.allocations[i.dst].dtype;
        } else if (i.op == Opcode::LoadL1) {
            const bool transposed = (i.flags & kFlagTransposed) != 0;
            const bool kIsRow = (i.box == 0) == transposed;
            const std::int64_t end = std::int64_t{i.at[kIsRow ? 0 : 1]} + i.extent[kIsRow ? 0 : 1];
            std::int64_t& last = i.box == 0 ? endA : endB;
            last = std::max(last, end);
            (i.box == 0 ? p.aTransposed : p.bTransposed) = transposed;
        }
    }
    p.kLoadedA = endA;
    p.kLoadedB = endB;
    return p;
}

}  // namespace

bool FastCube::handles(const Leaf& leaf) {
    if (leaf.kind != TaskKind::Aic) return false;
    const Product p = productOf(leaf);
    return p.kLoadedA == p.k && p.kLoadedB == p.k;
}

CubeOperand FastCube::operand(const Box& box, bool outerIsRow) const {
    const GmPlace& place = m_gm[box.tensor.value];
    CubeOperand out;
    out.dtype = place.dtype;
    out.codes = place.source(box, 0, 0);
    out.iStride = outerIsRow ? place.stride[2] : 1;
    out.kStride = outerIsRow ? 1 : place.stride[2];
    return out;
}

Result<bool> FastCube::run(const Leaf& leaf, std::span<const Box> boxes) {
    const Product p = productOf(leaf);
    const CubeOperand a = operand(boxes[0], !p.aTransposed);
    const CubeOperand b = operand(boxes[1], p.bTransposed);
    const auto count = static_cast<std::size_t>(p.m * p.n);
    const bool integers = p.accumulator == DType::INT32;
    bool inRange = true;
    if (integers) {
        m_integers.assign(count, 0);
        if (p.k > 0) {
            CUBIST_TRY(inRange, m_kernel.multiply(p.m, p.n, p.k, a, b, m_integers.data(), p.n, m_scratch));
        }
    } else {
        m_floats.assign(count, 0.0F);
        if (p.k > 0) CUBIST_CHECK_OK(m_kernel.multiply(p.m, p.n, p.k, a, b, m_floats.data(), p.n, m_scratch));
    }
    for (const Instruction& i : leaf.instructions) {
        if (i.op != Opcode::StoreL0C) continue;
        const Box& box = boxes[i.box];
        const GmPlace& place = m_gm[box.tensor.value];
        for (std::int64_t row = 0; row < p.m; ++row) {
            const void* source = integers ? static_cast<const void*>(m_integers.data() + row * p.n)
                                          : static_cast<const void*>(m_floats.data() + row * p.n);
            storeRow(p.accumulator, source, i.dtype, place.target(box, row, 0), static_cast<std::size_t>(p.n),
                     (i.flags & kFlagAtomic) != 0);
        }
    }
    return inRange;
}

}  // namespace cubist
