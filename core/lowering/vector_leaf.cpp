// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/integer_math.h"
#include "core/design/vector_op_info.h"
#include "core/lowering/leaf_builder.h"

namespace cubist {
namespace {

/// The instructions of a leaf and the places of its tiles. Roomy: every input is loaded first and every result stored
/// last, so that copies run ahead of the operations. Tight: an input comes just before its first reader, a result goes
/// as soon as it is there, and an element-wise operation writes over an operand that nobody reads any more.
class VectorLeafBuilder {
public:
    VectorLeafBuilder(const VectorLeafSpec& spec, bool tight)
        : m_spec(spec), m_tight(tight), m_allocationOf(spec.values.size(), Instruction::kNone) {}

    /// Nothing when the tiles do not fit.
    std::optional<Leaf> build(std::int64_t capacity) {
        m_leaf.kind = TaskKind::Aiv;
        m_leaf.stage = m_spec.stage;
        const auto gathers = std::count_if(m_spec.ops.begin(), m_spec.ops.end(),
                                           [](const VectorLeafOp& op) { return op.detail.traits.fromGm; });
        m_nextGather = m_spec.inputs.size();
        m_firstOutput = m_nextGather + static_cast<std::size_t>(gathers);
        m_leaf.parameters = static_cast<std::uint16_t>(m_firstOutput + m_spec.outputs.size());
        countUses();
        if (!m_tight)
            for (const std::uint16_t input : m_spec.inputs) load(input);
        for (const VectorLeafOp& op : m_spec.ops) {
            addOp(op);
            if (m_tight) storeReady();
        }
        while (m_stored < m_spec.outputs.size()) store(m_stored++);
        if (!place(capacity)) return std::nullopt;
        return std::move(m_leaf);
    }

private:
    void countUses() {
        m_uses.assign(m_spec.values.size(), 0);
        m_makers.assign(m_spec.values.size(), 0);
        for (const VectorLeafOp& op : m_spec.ops) {
            ++m_makers[op.out];
            for (const std::uint16_t in : op.in)
                if (in != Instruction::kNone) ++m_uses[in];
        }
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

    std::uint16_t allocate(std::uint16_t value) {
        const VectorLeafValue& v = m_spec.values[value];
        m_allocationOf[value] = add(ubTileBytes(v.dtype, v.extent), v.dtype, flat(v.extent));
        return m_allocationOf[value];
    }

    std::uint16_t add(std::int64_t bytes, DType dtype, const std::array<std::uint32_t, 2>& extent) {
        Allocation allocation;
        allocation.core = SubCore::Aiv0;
        allocation.buffer = Buffer::UB;
        allocation.slot = static_cast<std::uint16_t>(m_leaf.allocations.size());
        allocation.bytes = static_cast<std::uint32_t>(bytes);
        allocation.rows = extent[0];
        allocation.cols = static_cast<std::uint32_t>(roundUp(extent[1], 256 / bitsPerElement(dtype)));
        allocation.dtype = dtype;
        allocation.first = allocation.last = static_cast<std::uint32_t>(m_leaf.instructions.size());
        m_leaf.allocations.push_back(allocation);
        m_placeOf.push_back(m_leaf.allocations.size() - 1);
        return static_cast<std::uint16_t>(m_leaf.allocations.size() - 1);
    }

    void load(std::uint16_t input) {
        const auto box = std::find(m_spec.inputs.begin(), m_spec.inputs.end(), input) - m_spec.inputs.begin();
        Instruction instruction = transfer(Opcode::LoadUb, Pipe::MTE2, input, static_cast<std::size_t>(box));
        instruction.dst = allocate(input);
        push(instruction);
    }

    /// Tiles that nobody has filled yet are inputs.
    void loadIfNeeded(std::uint16_t value) {
        if (value != Instruction::kNone && m_allocationOf[value] == Instruction::kNone) load(value);
    }

    /// Outputs go in their order, as soon as they are whole.
    void storeReady() {
        while (m_stored < m_spec.outputs.size() && m_makers[m_spec.outputs[m_stored].value] == 0) store(m_stored++);
    }

    void store(std::size_t i) {
        const VectorLeafOutput& output = m_spec.outputs[i];
        loadIfNeeded(output.value);
        loadIfNeeded(output.index);
        Instruction instruction = transfer(Opcode::StoreUb, Pipe::MTE3, output.value, m_firstOutput + i);
        instruction.src0 = m_allocationOf[output.value];
        if (output.atomic) instruction.flags |= kFlagAtomic;
        if (output.index != Instruction::kNone) {
            instruction.src1 = m_allocationOf[output.index];
            instruction.detail = static_cast<std::uint16_t>(m_leaf.details.size());
            m_leaf.details.push_back(output.detail);
            --m_uses[output.index];
        }
        --m_uses[output.value];
        push(instruction);
    }

    /// Scratch memory of the next instruction. Only pipe V touches it, so the order of the pipe is all it needs.
    void addWorkspace(const VectorLeafOp& op) {
        if (op.in[0] == Instruction::kNone) return;
        const VectorLeafValue& operand = m_spec.values[op.in[0]];
        const auto& swapped = op.detail.swapped;
        const bool last = op.detail.op == VectorOpCode::Transpose
                              ? swapped[0] != swapped[1] && std::max(swapped[0], swapped[1]) == 3
                              : op.detail.axis == 3;
        const std::int64_t bytes =
            workspaceBytes(op.detail.op, op.detail.traits.step, operand.dtype, last, operand.extent);
        if (bytes > 0) add(bytes, DType::FP32, {1, static_cast<std::uint32_t>(bytes / 4)});
    }

    /// The tile whose place the result takes: an operand of the same type and extent that is not read again.
    [[nodiscard]] std::optional<std::uint16_t> replaced(const VectorLeafOp& op) const {
        if (!m_tight || !worksInPlace(op.detail.op)) return std::nullopt;
        for (std::size_t i = 0; i < kMaxOperands; ++i) {
            const std::uint16_t in = op.in[i];
            if (in == Instruction::kNone || m_uses[in] != std::count(op.in.begin(), op.in.end(), in)) continue;
            if (op.detail.src[i] != op.detail.dst) continue;  // reads another part than it writes
            const VectorLeafValue &from = m_spec.values[in], &to = m_spec.values[op.out];
            if (from.dtype == to.dtype && from.extent == to.extent) return m_allocationOf[in];
        }
        return std::nullopt;
    }

    void addOp(const VectorLeafOp& op) {
        for (const std::uint16_t in : op.in) loadIfNeeded(in);
        // Several copies may fill one tile (concat): only the first one takes the place.
        if (m_allocationOf[op.out] == Instruction::kNone) {
            const auto old = replaced(op);
            const std::uint16_t own = allocate(op.out);
            if (old) m_placeOf[own] = m_placeOf[*old];
        }
        if (op.detail.traits.fromGm) return addGather(op);
        addWorkspace(op);
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
        finish(op);
    }

    /// Rows that the index picks in the next box.
    void addGather(const VectorLeafOp& op) {
        Instruction instruction = transfer(Opcode::LoadUb, Pipe::MTE2, op.out, m_nextGather++);
        instruction.dst = m_allocationOf[op.out];
        instruction.src1 = m_allocationOf[op.in[1]];
        instruction.detail = static_cast<std::uint16_t>(m_leaf.details.size());
        m_leaf.details.push_back(op.detail);
        push(instruction);
        finish(op);
    }

    void finish(const VectorLeafOp& op) {
        --m_makers[op.out];
        for (const std::uint16_t in : op.in)
            if (in != Instruction::kNone) --m_uses[in];
    }

    void push(const Instruction& instruction) {
        const std::uint16_t third = instruction.op == Opcode::Vector ? instruction.box : Instruction::kNone;
        for (const std::uint16_t used : {instruction.dst, instruction.src0, instruction.src1, third})
            if (used != Instruction::kNone)
                m_leaf.allocations[used].last = static_cast<std::uint32_t>(m_leaf.instructions.size());
        m_leaf.instructions.push_back(instruction);
    }

    /// Tiles that share a place count as one from the first to the last of them.
    struct Place {
        std::uint32_t first = 0, last = 0;
        std::int64_t bytes = 0, offset = -1;
    };

    /// First fit among the places that are taken at the time, in the order in which they are needed; where that does
    /// not fit, the largest first.
    bool place(std::int64_t capacity) {
        std::vector<Place> places(m_leaf.allocations.size());
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < places.size(); ++i) {
            const Allocation& a = m_leaf.allocations[i];
            if (m_placeOf[i] == i) {
                places[i] = {a.first, a.last, a.bytes, -1};
                order.push_back(i);
            } else {
                places[m_placeOf[i]].last = std::max(places[m_placeOf[i]].last, a.last);
            }
        }
        bool fits = firstFit(places, order, capacity);
        if (!fits) {
            std::stable_sort(order.begin(), order.end(),
                             [&](std::size_t a, std::size_t b) { return places[a].bytes > places[b].bytes; });
            fits = firstFit(places, order, capacity);
        }
        for (std::size_t i = 0; fits && i < places.size(); ++i)
            m_leaf.allocations[i].offset = static_cast<std::uint32_t>(places[m_placeOf[i]].offset);
        return fits;
    }

    static bool firstFit(std::vector<Place>& places, const std::vector<std::size_t>& order, std::int64_t capacity) {
        std::vector<std::size_t> placed;
        for (const std::size_t index : order) {
            Place& own = places[index];
            std::vector<std::pair<std::int64_t, std::int64_t>> taken;  // offset and end
            for (const std::size_t other : placed)
                if (places[other].first <= own.last && own.first <= places[other].last)
                    taken.emplace_back(places[other].offset, places[other].offset + places[other].bytes);
            std::sort(taken.begin(), taken.end());
            own.offset = 0;
            for (const auto& [begin, end] : taken)
                if (begin - own.offset < own.bytes) own.offset = std::max(own.offset, end);
            if (own.offset + own.bytes > capacity) return false;
            placed.push_back(index);
        }
        return true;
    }

    const VectorLeafSpec& m_spec;
    bool m_tight;
    Leaf m_leaf;
    std::vector<std::uint16_t> m_allocationOf;
    std::vector<std::size_t> m_placeOf;          ///< by allocation: the one whose place it has
    std::vector<std::int64_t> m_uses, m_makers;  ///< by value: readers and makers to come
    std::size_t m_stored = 0;
    std::size_t m_nextGather = 0, m_firstOutput = 0;  ///< boxes: after the inputs
};

}  // namespace

Result<Leaf> buildVectorLeaf(const VectorLeafSpec& spec, const ChipSpec& chip) {
    const std::int64_t capacity = chip.ubBytes.integer();
    for (const bool tight : {false, true})
        if (auto leaf = VectorLeafBuilder(spec, tight).build(capacity)) return *std::move(leaf);
    return unexpected(ErrorCode::DoesNotFit,
                      "the tiles of the vector stage do not fit UB (" + std::to_string(capacity) + " B)");
}

std::int64_t ubTileBytes(DType dtype, const Extent4& extent) {
    const std::int64_t perRow = roundUp(extent[3] * bitsPerElement(dtype), 256) / 8;
    return extent[0] * extent[1] * extent[2] * perRow;
}

}  // namespace cubist
