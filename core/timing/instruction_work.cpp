// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/instruction_work.h"

#include <algorithm>
#include <cassert>

#include "core/base/integer_math.h"
#include "core/base/nz_format.h"
#include "core/chip/formulas.h"
#include "core/timing/timing_engine.h"

namespace cubist {
namespace {

std::int64_t validElements(const Instruction& instruction) {
    return std::int64_t{instruction.extent[0]} * instruction.extent[1];
}

/// Bytes of the padded tile that a move to L0 writes.
std::int64_t physicalBytes(const Leaf& leaf, const Instruction& instruction) {
    const Allocation& tile = leaf.allocations[instruction.dst];
    return deviceBytes(tile.dtype, std::int64_t{tile.rows} * tile.cols);
}

/// Bytes of the elements that the operation passes (a reduction reads more than it writes) in its widest type.
std::int64_t widestBytes(const Leaf& leaf, const Instruction& instruction) {
    const VectorDetail& detail = leaf.details[instruction.detail];
    DType widest = detail.dstType;
    const auto consider = [&](DType type) {
        if (bitsPerElement(type) > bitsPerElement(widest)) widest = type;
    };
    if (instruction.src0 != Instruction::kNone) consider(leaf.allocations[instruction.src0].dtype);
    if (instruction.src1 != Instruction::kNone) consider(leaf.allocations[instruction.src1].dtype);
    const std::int64_t elements = std::max(elementCount(detail.dst.extent), elementCount(detail.src[0].extent));
    return deviceBytes(widest, elements);
}

/// Collects names of constants that are estimates and not zero.
class EstimateNames {
public:
    EstimateNames& add(const Constant& constant, std::string name) {
        if (constant.confidence == Confidence::Estimate && constant.value != Rational(0))
            m_names.push_back(std::move(name));
        return *this;
    }
    std::vector<std::string> take() { return std::move(m_names); }

private:
    std::vector<std::string> m_names;
};

}  // namespace

InstructionWork workOf(const Leaf& leaf, const Instruction& instruction) {
    InstructionWork work;
    work.op = instruction.op;
    switch (instruction.op) {
        case Opcode::LoadL1:
            work.rows = instruction.extent[0];
            work.rowBytes = deviceBytes(instruction.dtype, instruction.extent[1]);
            if ((instruction.flags & kFlagNz) != 0) {  // a column of 32-byte blocks is contiguous
                const std::int64_t c0 = blockElements(instruction.dtype);
                work.rows = ceilDiv(instruction.extent[1], c0);
                work.rowBytes = 32 * std::int64_t{instruction.extent[0]};
            }
            work.bytes = work.rows * work.rowBytes;
            break;
        case Opcode::MoveL0A:
        case Opcode::MoveL0B:
        case Opcode::MoveScalesA:
        case Opcode::MoveScalesB:
        case Opcode::MoveBt:
        case Opcode::MoveFb: work.bytes = physicalBytes(leaf, instruction); break;
        case Opcode::LoadScales:  // a row of pairs per row of the operand
            work.rows = instruction.extent[0];
            work.rowBytes = 2 * std::int64_t{instruction.extent[1]};
            work.bytes = work.rows * work.rowBytes;
            break;
        case Opcode::Mmad:
            work.dtype = instruction.dtype;
            work.m = instruction.extent[0];
            work.n = instruction.extent[1];
            work.k = instruction.at[0];
            break;
        case Opcode::StoreL0C:
        case Opcode::LoadUb:
        case Opcode::StoreUb: work.bytes = deviceBytes(instruction.dtype, validElements(instruction)); break;
        case Opcode::Vector: work.bytes = widestBytes(leaf, instruction); break;
    }
    return work;
}

Rational cyclesOf(const ChipSpec& chip, const InstructionWork& work) {
    switch (work.op) {
        case Opcode::LoadL1:
        case Opcode::LoadScales: return formula::gmToL1Cycles(chip, work.rows, work.rowBytes);
        case Opcode::MoveL0A:
        case Opcode::MoveScalesA: return formula::l1ToL0aCycles(chip, Bytes(work.bytes));
        case Opcode::MoveL0B:
        case Opcode::MoveScalesB: return formula::l1ToL0bCycles(chip, Bytes(work.bytes));
        case Opcode::MoveBt: return formula::l1ToBtCycles(Bytes(work.bytes));
        case Opcode::MoveFb: return formula::l1ToFbCycles(Bytes(work.bytes));
        case Opcode::Mmad: {
            const CubeRate* rate = chip.cubeRate(work.dtype);
            assert(rate != nullptr && "the cube supports the operand type");
            return formula::mmadCycles(chip, *rate, work.m, work.k, work.n);
        }
        case Opcode::StoreL0C: return formula::l0cToGmCycles(chip, Bytes(work.bytes));
        case Opcode::LoadUb: return formula::gmToUbCycles(chip, Bytes(work.bytes));
        case Opcode::Vector: return formula::vectorCycles(chip, Bytes(work.bytes));
        case Opcode::StoreUb: return formula::ubToGmCycles(chip, Bytes(work.bytes));
    }
    return {};
}

std::vector<std::string> estimatesIn(const ChipSpec& chip, const InstructionWork& work) {
    EstimateNames names;
    switch (work.op) {
        case Opcode::LoadL1:
        case Opcode::LoadScales: {
            names.add(chip.mte2Overhead, "mte2_overhead");
            const Rational byBytes = Rational(work.rowBytes) / chip.mte2BytesPerCycle.value;
            if (byBytes >= chip.mte2RowCycles.value) names.add(chip.mte2BytesPerCycle, "mte2_bytes_per_cycle");
            if (byBytes <= chip.mte2RowCycles.value) names.add(chip.mte2RowCycles, "mte2_row_cycles");
            break;
        }
        case Opcode::MoveL0A:
        case Opcode::MoveScalesA:
            names.add(chip.mte1Overhead, "mte1_overhead").add(chip.mte1BytesPerCycleA, "mte1_bytes_per_cycle_a");
            break;
        case Opcode::MoveL0B:
        case Opcode::MoveScalesB:
            names.add(chip.mte1Overhead, "mte1_overhead").add(chip.mte1BytesPerCycleB, "mte1_bytes_per_cycle_b");
            break;
        case Opcode::Mmad:
            names.add(chip.mmadOverhead, "mmad_overhead");
            names.add(chip.cubeRate(work.dtype)->repeat, "cube_repeat_" + std::string(toText(work.dtype)));
            break;
        case Opcode::MoveBt:
        case Opcode::MoveFb: break;  // no constant of the chip
        case Opcode::StoreL0C:
            names.add(chip.fixOverhead, "fix_overhead").add(chip.fixBytesPerCycle, "fix_bytes_per_cycle");
            break;
        case Opcode::LoadUb:
            names.add(chip.gmToUbOverhead, "gm_to_ub_overhead")
                .add(chip.gmToUbBytesPerCycle, "gm_to_ub_bytes_per_cycle");
            break;
        case Opcode::Vector:
            names.add(chip.vectorOverhead, "vector_overhead").add(chip.vectorBytesPerRepeat, "vector_bytes_per_repeat");
            break;
        case Opcode::StoreUb:
            names.add(chip.ubToGmOverhead, "ub_to_gm_overhead")
                .add(chip.ubToGmBytesPerCycle, "ub_to_gm_bytes_per_cycle");
            break;
    }
    return names.take();
}

std::vector<std::string> estimatesInDispatch(const ChipSpec& chip) {
    EstimateNames names;
    if (chip.dispatchCycles.value != Rational(0))
        names.add(chip.dispatchCycles, "dispatch_cycles")
            .add(chip.schedulerMHz, "scheduler_mhz")
            .add(chip.clockMHz, "clock_mhz");
    return names.take();
}

std::vector<std::string> estimatesInResolve(const ChipSpec& chip) {
    EstimateNames names;
    if (chip.resolveCycles.value != Rational(0))
        names.add(chip.resolveCycles, "resolve_cycles")
            .add(chip.schedulerMHz, "scheduler_mhz")
            .add(chip.clockMHz, "clock_mhz");
    return names.take();
}

Ticks instructionTicks(const ChipSpec& chip, const Leaf& leaf, const Instruction& instruction) {
    return formula::toTicks(cyclesOf(chip, workOf(leaf, instruction)));
}

}  // namespace cubist
