// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "core/base/integer_math.h"
#include "core/design/vector_op_info.h"
#include "core/lowering/leaf_builder.h"

namespace cubist {
namespace {

/// Gives UB places to values: first fit among the places that are free at the moment.
class UbPlanner {
public:
    explicit UbPlanner(std::int64_t capacity) : m_capacity(capacity) {}

    std::optional<std::int64_t> take(std::int64_t bytes) {
        std::int64_t at = 0;
        auto place = m_live.begin();
        for (; place != m_live.end() && place->first - at < bytes; ++place) at = place->first + place->second;
        if (at + bytes > m_capacity) return std::nullopt;
        m_live.insert(place, {at, bytes});
        return at;
    }
    void release(std::int64_t offset) {
        m_live.erase(
            std::find_if(m_live.begin(), m_live.end(), [&](const auto& place) { return place.first == offset; }));
    }

private:
    std::int64_t m_capacity;
    std::vector<std::pair<std::int64_t, std::int64_t>> m_live;  ///< offset and bytes, by offset
};

class VectorLeafBuilder {
public:
    VectorLeafBuilder(const VectorLeafSpec& spec, const ChipSpec& chip)
        : m_spec(spec),
          m_ub(chip.ubBytes.integer()),
          m_capacity(chip.ubBytes.integer()),
          m_nextBox(spec.inputs.size()),
          m_allocationOf(spec.values.size(), Instruction::kNone) {}

    Result<Leaf> build() {
        m_leaf.kind = TaskKind::Aiv;
        m_leaf.stage = m_spec.stage;
        const auto gathers = std::count_if(m_spec.ops.begin(), m_spec.ops.end(),
                                           [](const VectorLeafOp& op) { return op.detail.traits.fromGm; });
        m_leaf.parameters = static_cast<std::uint16_t>(m_spec.inputs.size() + m_spec.outputs.size() +
                                                       static_cast<std::size_t>(gathers));
        countUses();
        for (std::size_t i = 0; i < m_spec.inputs.size(); ++i) {
            CUBIST_TRY(const std::uint16_t tile, allocate(m_spec.inputs[i]));
            Instruction load = transfer(Opcode::LoadUb, Pipe::MTE2, m_spec.inputs[i], i);
            load.dst = tile;
            push(load);
        }
        for (const VectorLeafOp& op : m_spec.ops) CUBIST_CHECK_OK(addOp(op));
        for (const VectorLeafOutput& output : m_spec.outputs) {
            Instruction store = transfer(Opcode::StoreUb, Pipe::MTE3, output.value, m_nextBox++);
            store.src0 = m_allocationOf[output.value];
            if (output.atomic) store.flags |= kFlagAtomic;
            if (output.index != Instruction::kNone) {
                store.src1 = m_allocationOf[output.index];
                store.detail = static_cast<std::uint16_t>(m_leaf.details.size());
                m_leaf.details.push_back(output.detail);
            }
            push(store);
        }
        return std::move(m_leaf);
    }

private:
    void countUses() {
        m_uses.assign(m_spec.values.size(), 0);
        for (const VectorLeafOp& op : m_spec.ops)
            for (const std::uint16_t in : op.in)
                if (in != Instruction::kNone) ++m_uses[in];
        for (const VectorLeafOutput& out : m_spec.outputs) {
            ++m_uses[out.value];
            if (out.index != Instruction::kNone) ++m_uses[out.index];
        }
    }

    static std::array<std::uint32_t, 2> flat(const Extent4& e) {
        return {static_cast<std::uint32_t>(e[0] * e[1] * e[2]), static_cast<std::uint32_t>(e[3])};
    }

    [[nodiscard]] Instruction transfer(Opcode op, Pipe pipe, std::uint16_t value, std::size_t box) const {
        Instruction instruction;
        instruction.op = op;
        instruction.core = SubCore::Aiv0;
        instruction.pipe = pipe;
        instruction.dtype = m_spec.values[value].dtype;
        instruction.box = static_cast<std::uint16_t>(box);
        instruction.extent = flat(m_spec.values[value].valid);
        return instruction;
    }

    Result<std::uint16_t> allocate(std::uint16_t value) {
        const VectorLeafValue& v = m_spec.values[value];
        CUBIST_TRY(m_allocationOf[value], place(ubTileBytes(v.dtype, v.extent), v.dtype, flat(v.extent)));
        return m_allocationOf[value];
    }

    Result<std::uint16_t> place(std::int64_t bytes, DType dtype, const std::array<std::uint32_t, 2>& extent) {
        const auto offset = m_ub.take(bytes);
        if (!offset)
            return unexpected(ErrorCode::DoesNotFit, "the tiles of the vector stage do not fit UB (" +
                                                         std::to_string(m_capacity) + " B); a tile of " +
                                                         std::to_string(bytes) + " B finds no place");
        Allocation allocation;
        allocation.core = SubCore::Aiv0;
        allocation.buffer = Buffer::UB;
        allocation.slot = static_cast<std::uint16_t>(m_leaf.allocations.size());
        allocation.offset = static_cast<std::uint32_t>(*offset);
        allocation.bytes = static_cast<std::uint32_t>(bytes);
        allocation.rows = extent[0];
        allocation.cols = static_cast<std::uint32_t>(roundUp(extent[1], 256 / bitsPerElement(dtype)));
        allocation.dtype = dtype;
        allocation.first = allocation.last = static_cast<std::uint32_t>(m_leaf.instructions.size());
        m_leaf.allocations.push_back(allocation);
        return static_cast<std::uint16_t>(m_leaf.allocations.size() - 1);
    }

    /// Scratch memory of the next instruction. Only pipe V touches it, so the order of the pipe is all it needs.
    Result<void> addWorkspace(const VectorLeafOp& op) {
        if (op.in[0] == Instruction::kNone) return {};
        const VectorLeafValue& operand = m_spec.values[op.in[0]];
        const auto extent = flat(operand.extent);
        const std::int64_t bytes = workspaceBytes(op.detail.op, op.detail.traits.step, operand.dtype,
                                                  op.detail.axis == 3, extent[0], extent[1]);
        if (bytes == 0) return {};
        CUBIST_TRY(const std::uint16_t scratch, place(bytes, DType::FP32, {1, static_cast<std::uint32_t>(bytes / 4)}));
        m_ub.release(m_leaf.allocations[scratch].offset);
        return {};
    }

    Result<void> addOp(const VectorLeafOp& op) {
        // Several copies may fill one tile (concat): only the first one takes the place.
        if (m_allocationOf[op.out] == Instruction::kNone) {
            CUBIST_TRY(m_allocationOf[op.out], allocate(op.out));
        }
        if (op.detail.traits.fromGm) {
            addGather(op);
            return {};
        }
        CUBIST_CHECK_OK(addWorkspace(op));
        Instruction instruction;
        instruction.op = Opcode::Vector;
        instruction.core = SubCore::Aiv0;
        instruction.pipe = Pipe::V;
        instruction.detail = static_cast<std::uint16_t>(m_leaf.details.size());
        instruction.dst = m_allocationOf[op.out];
        const std::array<std::uint16_t*, kMaxOperands> sources{&instruction.src0, &instruction.src1, &instruction.box};
        bool typed = false;
        for (std::size_t i = 0; i < kMaxOperands; ++i) {
            if (op.in[i] == Instruction::kNone) continue;
            *sources[i] = m_allocationOf[op.in[i]];
            if (!typed) instruction.dtype = m_spec.values[op.in[i]].dtype;
            typed = true;
        }
        instruction.extent = flat(op.detail.dst.extent);
        m_leaf.details.push_back(op.detail);
        push(instruction);
        releaseOperands(op);
        return {};
    }

    /// Rows that the index picks in the next box.
    void addGather(const VectorLeafOp& op) {
        Instruction load = transfer(Opcode::LoadUb, Pipe::MTE2, op.out, m_nextBox++);
        load.dst = m_allocationOf[op.out];
        load.src1 = m_allocationOf[op.in[1]];
        load.detail = static_cast<std::uint16_t>(m_leaf.details.size());
        m_leaf.details.push_back(op.detail);
        push(load);
        releaseOperands(op);
    }

    void releaseOperands(const VectorLeafOp& op) {
        for (const std::uint16_t in : op.in)
            if (in != Instruction::kNone && --m_uses[in] == 0)
                m_ub.release(m_leaf.allocations[m_allocationOf[in]].offset);
    }

    void push(const Instruction& instruction) {
        const std::uint16_t third = instruction.op == Opcode::Vector ? instruction.box : Instruction::kNone;
        for (const std::uint16_t used : {instruction.dst, instruction.src0, instruction.src1, third})
            if (used != Instruction::kNone)
                m_leaf.allocations[used].last = static_cast<std::uint32_t>(m_leaf.instructions.size());
        m_leaf.instructions.push_back(instruction);
    }

    const VectorLeafSpec& m_spec;
    UbPlanner m_ub;
    std::int64_t m_capacity;
    std::size_t m_nextBox;  ///< after the inputs
    Leaf m_leaf;
    std::vector<std::uint16_t> m_allocationOf;
    std::vector<int> m_uses;
};

}  // namespace

Result<Leaf> buildVectorLeaf(const VectorLeafSpec& spec, const ChipSpec& chip) {
    return VectorLeafBuilder(spec, chip).build();
}

std::int64_t ubTileBytes(DType dtype, const Extent4& extent) {
    const std::int64_t perRow = roundUp(extent[3] * bitsPerElement(dtype), 256) / 8;
    return extent[0] * extent[1] * extent[2] * perRow;
}

}  // namespace cubist
