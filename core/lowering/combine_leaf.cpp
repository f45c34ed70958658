// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/integer_math.h"
#include "core/lowering/leaf_builder.h"

namespace cubist {
namespace {

class CombineLeafBuilder {
public:
    CombineLeafBuilder(const CombineLeafSpec& spec, const ChipSpec& chip)
        : m_spec(spec), m_capacity(chip.ubBytes.integer()), m_shape{1, 1, spec.rows, spec.cols} {}

    Result<Leaf> build() {
        m_leaf.kind = TaskKind::Aiv;
        m_leaf.stage = m_spec.stage;
        m_leaf.parameters = static_cast<std::uint16_t>(static_cast<std::size_t>(m_spec.partials) + m_spec.destinations);
        const bool converts = m_spec.sumType != m_spec.partialType;
        const std::int64_t tile = ubTileBytes(m_spec.partialType, m_shape);
        const std::int64_t result = converts ? ubTileBytes(m_spec.sumType, m_shape) : 0;
        const std::int64_t free = m_capacity - tile - result;
        const std::int64_t places =
            m_spec.partials == 1 ? 0 : std::min<std::int64_t>(2, free / std::max<std::int64_t>(1, tile));
        if (free < 0 || (places == 0 && m_spec.partials > 1))
            return unexpected(ErrorCode::DoesNotFit, "partial results of " + std::to_string(m_spec.rows) + " x " +
                                                         std::to_string(m_spec.cols) + " do not fit UB (" +
                                                         std::to_string(m_capacity) + " B)");
        const std::uint16_t sum = allocate(0, 0, m_spec.partialType);
        load(sum, 0);
        for (std::int64_t p = 1; p < m_spec.partials; ++p) {
            const std::int64_t place = (p - 1) % places;
            const std::uint16_t next =
                allocate(static_cast<std::uint16_t>(1 + place), tile * (1 + place), m_spec.partialType);
            load(next, static_cast<std::uint16_t>(p));
            vector(VectorOpCode::Add, sum, sum, next, m_spec.partialType);
        }
        std::uint16_t stored = sum;
        if (converts) {
            stored = allocate(3, tile * (1 + places), m_spec.sumType);
            vector(VectorOpCode::Cast, stored, sum, Instruction::kNone, m_spec.sumType);
        }
        for (std::size_t d = 0; d < m_spec.destinations; ++d) {
            Instruction store = transfer(Opcode::StoreUb, Pipe::MTE3, m_spec.sumType);
            store.src0 = stored;
            if (!m_spec.outAtomic.empty() && m_spec.outAtomic[d]) store.flags = kFlagAtomic;
            store.box = static_cast<std::uint16_t>(static_cast<std::size_t>(m_spec.partials) + d);
            push(store);
        }
        return std::move(m_leaf);
    }

private:
    [[nodiscard]] Instruction transfer(Opcode op, Pipe pipe, DType type) const {
        Instruction instruction;
        instruction.op = op;
        instruction.core = SubCore::Aiv0;
        instruction.pipe = pipe;
        instruction.dtype = type;
        instruction.extent = {static_cast<std::uint32_t>(m_spec.rows), static_cast<std::uint32_t>(m_spec.cols)};
        return instruction;
    }

    std::uint16_t allocate(std::uint16_t slot, std::int64_t offset, DType type) {
        Allocation allocation;
        allocation.core = SubCore::Aiv0;
        allocation.buffer = Buffer::UB;
        allocation.slot = slot;
        allocation.offset = static_cast<std::uint32_t>(offset);
        allocation.bytes = static_cast<std::uint32_t>(ubTileBytes(type, m_shape));
        allocation.rows = static_cast<std::uint32_t>(m_spec.rows);
        allocation.cols = static_cast<std::uint32_t>(roundUp(m_spec.cols, 256 / bitsPerElement(type)));
        allocation.dtype = type;
        allocation.first = allocation.last = static_cast<std::uint32_t>(m_leaf.instructions.size());
        m_leaf.allocations.push_back(allocation);
        return static_cast<std::uint16_t>(m_leaf.allocations.size() - 1);
    }

    void load(std::uint16_t tile, std::uint16_t box) {
        Instruction instruction = transfer(Opcode::LoadUb, Pipe::MTE2, m_spec.partialType);
        instruction.dst = tile;
        instruction.box = box;
        push(instruction);
    }

    void vector(VectorOpCode op, std::uint16_t dst, std::uint16_t a, std::uint16_t b, DType type) {
        VectorDetail detail;
        detail.op = op;
        detail.dstType = type;
        detail.dst = {m_shape, {0, 0, 0, 0}, m_shape};
        detail.src[0] = detail.dst;
        if (b != Instruction::kNone) detail.src[1] = detail.dst;
        Instruction instruction = transfer(Opcode::Vector, Pipe::V, m_spec.partialType);
        instruction.dst = dst;
        instruction.src0 = a;
        instruction.src1 = b;
        instruction.detail = static_cast<std::uint16_t>(m_leaf.details.size());
        m_leaf.details.push_back(detail);
        push(instruction);
    }

    void push(const Instruction& instruction) {
        for (const std::uint16_t used : {instruction.dst, instruction.src0, instruction.src1})
            if (used != Instruction::kNone)
                m_leaf.allocations[used].last = static_cast<std::uint32_t>(m_leaf.instructions.size());
        m_leaf.instructions.push_back(instruction);
    }

    const CombineLeafSpec& m_spec;
    std::int64_t m_capacity;
    Extent4 m_shape;
    Leaf m_leaf;
};

}  // namespace

Result<Leaf> buildCombineLeaf(const CombineLeafSpec& spec, const ChipSpec& chip) {
    return CombineLeafBuilder(spec, chip).build();
}

}  // namespace cubist
