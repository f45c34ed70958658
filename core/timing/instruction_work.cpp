// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/instruction_work.h"

#include <algorithm>
#include <cassert>

#include "core/base/integer_math.h"
#include "core/chip/formulas.h"
#include "core/design/vector_op_info.h"
#include "core/lowering/number_operand.h"
#include "core/timing/timing_engine.h"

namespace cubist {
namespace {

std::int64_t validElements(const Instruction& instruction) {
    return std::int64_t{instruction.extent[0]} * instruction.extent[1];
}

/// Rows as stored; scales add one byte per 32 elements.
void workOfLoad(const Instruction& instruction, InstructionWork& work) {
    work.scaled = (instruction.flags & kFlagScaled) != 0;
    work.nz = (instruction.flags & kFlagNz) != 0;
    work.rows = instruction.extent[0];
    work.rowBytes = deviceBytes(instruction.dtype, instruction.extent[1]);
    work.bytes = work.rows * work.rowBytes;
    if (work.scaled) work.bytes += ceilDiv(std::int64_t{instruction.extent[0]} * instruction.extent[1], 32);
}

/// Bytes of the padded tile that a move to L0 writes.
std::int64_t physicalBytes(const Leaf& leaf, const Instruction& instruction) {
    const Allocation& tile = leaf.allocations[instruction.dst];
    return deviceBytes(tile.dtype, std::int64_t{tile.rows} * tile.cols);
}

/// Where in UB the part of a tile begins.
std::int64_t addressOf(const Leaf& leaf, std::uint16_t allocation, const TilePart& part) {
    std::int64_t element = 0;
    for (std::size_t axis = 0; axis < 4; ++axis) element = element * part.layout[axis] + part.offset[axis];
    const Allocation& tile = leaf.allocations[allocation];
    return tile.offset + element * bitsPerElement(tile.dtype) / 8;
}

/// A repeat of 256 B touches 8 of the 16 bank groups, the next one the other 8: tiles that are a multiple of 256 B
/// apart, but not of 512 B, never meet.
bool meet(std::int64_t a, std::int64_t b) {
    constexpr std::int64_t kAllGroups = 512, kRepeat = 256;
    const std::int64_t distance = ((a - b) % kAllGroups + kAllGroups) % kAllGroups;
    return distance < kRepeat || distance > kAllGroups - kRepeat;
}

BankMeeting banksOf(const Leaf& leaf, const Instruction& instruction) {
    if (instruction.src0 == Instruction::kNone || instruction.src1 == Instruction::kNone) return BankMeeting::None;
    const VectorDetail& detail = leaf.details[instruction.detail];
    const OpFamily family = opInfo(detail.op).family;
    if (family != OpFamily::Elementwise && family != OpFamily::Compare) return BankMeeting::None;
    const std::int64_t first = addressOf(leaf, instruction.src0, detail.src[0]);
    const std::int64_t second = addressOf(leaf, instruction.src1, detail.src[1]);
    const std::int64_t result = addressOf(leaf, instruction.dst, detail.dst);
    if (meet(first, second)) return BankMeeting::Sources;
    // A read and a write of one group only meet in the same of its banks, which hold 64 KiB of addresses each.
    constexpr std::int64_t kBank = 65'536;
    const auto inOneBank = [&](std::int64_t source) {
        return source / kBank == result / kBank && meet(source, result);
    };
    return inOneBank(first) || inOneBank(second) ? BankMeeting::Result : BankMeeting::None;
}

/// Rows go in bursts of 32 B; what is left of the last one costs a whole one.
std::int64_t burstBytes(const Instruction& instruction) {
    constexpr std::int64_t kBurst = 32;
    return instruction.extent[0] * roundUp(deviceBytes(instruction.dtype, instruction.extent[1]), kBurst);
}

/// Bytes of the elements that the operation passes (a reduction reads more than it writes) in its widest type.
void workOfVector(const Leaf& leaf, const Instruction& instruction, InstructionWork& work) {
    const VectorDetail& detail = leaf.details[instruction.detail];
    DType widest = detail.dstType;
    const auto consider = [&](DType type) {
        if (bitsPerElement(type) > bitsPerElement(widest)) widest = type;
    };
    if (instruction.src0 != Instruction::kNone) consider(leaf.allocations[instruction.src0].dtype);
    if (instruction.src1 != Instruction::kNone) consider(leaf.allocations[instruction.src1].dtype);
    const std::int64_t elements = std::max(elementCount(detail.dst.extent), elementCount(detail.src[0].extent));
    work.bytes = deviceBytes(widest, elements);
    work.bits = bitsPerElement(widest);
    work.vector = detail.op;
    work.banks = banksOf(leaf, instruction);
    work.number = takesNumber(detail);
}

Rational scales(const ChipSpec& chip, const InstructionWork& work) {
    return work.scaled ? chip.mxScaleOverhead.value : Rational();
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
        case Opcode::LoadL1: workOfLoad(instruction, work); break;
        case Opcode::MoveL0A:
        case Opcode::MoveL0B:
        case Opcode::MoveScalesA:
        case Opcode::MoveScalesB:
        case Opcode::MoveBt:
        case Opcode::MoveFb:
            work.bytes = physicalBytes(leaf, instruction);
            work.scaled = (instruction.flags & kFlagScaled) != 0;
            break;
        case Opcode::LoadScales: {  // a row of pairs per row of the operand, or of a pair of every row
            const bool pairsFirst = (instruction.flags & kFlagTransposed) != 0;
            work.rows = instruction.extent[pairsFirst ? 1 : 0];
            work.rowBytes = 2 * std::int64_t{instruction.extent[pairsFirst ? 0 : 1]};
            work.bytes = work.rows * work.rowBytes;
            break;
        }
        case Opcode::Mmad:
            work.dtype = instruction.dtype;
            work.m = instruction.extent[0];
            work.n = instruction.extent[1];
            work.k = instruction.at[0];
            work.hf32 =
                instruction.detail != Instruction::kNone && leaf.cubeDetails[instruction.detail].hf32MantissaBits > 0;
            break;
        case Opcode::StoreL0C:
        case Opcode::MoveUb:
            work.rows = instruction.extent[0];
            work.n = instruction.extent[1];
            work.bytes = deviceBytes(instruction.dtype, validElements(instruction));
            break;
        case Opcode::LoadUb:
        case Opcode::StoreUb:
            work.bytes = deviceBytes(instruction.dtype, validElements(instruction));
            work.bursts = burstBytes(instruction);
            if (instruction.op == Opcode::StoreUb || instruction.detail == Instruction::kNone) break;
            work.rows = instruction.extent[0];
            work.rowBytes = deviceBytes(instruction.dtype, instruction.extent[1]);
            work.bytes = work.rows * work.rowBytes;
            break;
        case Opcode::Vector: workOfVector(leaf, instruction, work); break;
    }
    return work;
}

std::string rateName(const ChipSpec& chip, const InstructionWork& work) {
    const std::string_view op = toText(work.vector);
    return work.number ? formula::withNumber(chip, op) : std::string(op);
}

Rational overheadOf(const ChipSpec& chip, const InstructionWork& work) {
    switch (work.op) {
        case Opcode::LoadL1:
        case Opcode::LoadScales: return chip.mte2Overhead.value;
        case Opcode::StoreL0C: return chip.fixOverhead.value;
        case Opcode::LoadUb:
        case Opcode::StoreUb:
        case Opcode::MoveL0A:
        case Opcode::MoveL0B:
        case Opcode::MoveScalesA:
        case Opcode::MoveScalesB:
        case Opcode::MoveBt:
        case Opcode::MoveFb:
        case Opcode::Mmad:
        case Opcode::MoveUb:
        case Opcode::Vector: break;
    }
    return {};
}

Rational cyclesOf(const ChipSpec& chip, const InstructionWork& work) {
    switch (work.op) {
        case Opcode::LoadL1:
            if (work.nz) return formula::nzToL1Cycles(chip, Bytes(work.bytes));
            return formula::gmToL1Cycles(chip, work.rows, work.rowBytes, work.unaligned);
        case Opcode::LoadScales: return formula::gmToL1Cycles(chip, work.rows, work.rowBytes);
        case Opcode::MoveL0A: return formula::l1ToL0aCycles(chip, Bytes(work.bytes)) + scales(chip, work);
        case Opcode::MoveL0B: return formula::l1ToL0bCycles(chip, Bytes(work.bytes)) + scales(chip, work);
        case Opcode::MoveScalesA: return formula::l1ToL0aCycles(chip, Bytes(work.bytes)) + chip.mxScaleOverhead.value;
        case Opcode::MoveScalesB: return formula::l1ToL0bCycles(chip, Bytes(work.bytes)) + chip.mxScaleOverhead.value;
        case Opcode::MoveBt: return formula::l1ToBtCycles(chip, Bytes(work.bytes));
        case Opcode::MoveFb: return formula::l1ToFbCycles(chip, Bytes(work.bytes));
        case Opcode::Mmad: {
            const CubeRate* rate = chip.cubeRate(work.dtype);
            assert(rate != nullptr && "the cube supports the operand type");
            CubeRate used = *rate;
            if (work.hf32) used.repeat.value = formula::hf32Repeat(*rate);
            return formula::mmadCycles(chip, used, work.m, work.k, work.n);
        }
        case Opcode::StoreL0C:
            return formula::l0cToGmCycles(chip, work.rows, work.rows * work.n, Bytes(work.bytes), work.unaligned);
        case Opcode::MoveUb: return formula::l0cToUbCycles(chip, work.rows * work.n, Bytes(work.bytes));
        case Opcode::LoadUb:
            if (work.rows > 0) return formula::gatherCycles(chip, work.rows, work.rowBytes);
            return formula::gmToUbCycles(chip, Bytes(work.bursts));
        case Opcode::Vector:
            return formula::vectorCycles(chip, rateName(chip, work), work.bits, Bytes(work.bytes)) +
                   formula::bankCycles(chip, work.banks, Bytes(work.bytes));
        case Opcode::StoreUb: return formula::ubToGmCycles(chip, Bytes(work.bursts));
    }
    return {};
}

std::vector<std::string> estimatesIn(const ChipSpec& chip, const InstructionWork& work) {
    EstimateNames names;
    switch (work.op) {
        case Opcode::LoadL1:
        case Opcode::LoadScales: {
            names.add(chip.mte2Overhead, "mte2_overhead").add(chip.readOverhead, "read_overhead");
            if (work.nz)
                names.add(chip.hbmNzBytesPerCycle, "hbm_nz_bytes_per_cycle");
            else
                names.add(chip.hbmBytesPerCycle, "hbm_bytes_per_cycle");
            names.add(chip.hbmEffectiveBytesPerSecond, "hbm_effective_bytes_per_second");
            names.add(chip.l2EffectiveBytesPerSecond, "l2_effective_bytes_per_second");
            if (work.unaligned) names.add(chip.mte2UnalignedOverhead, "mte2_unaligned_overhead");
            if (work.nz) {
                names.add(chip.mte2NzBytesPerCycle, "mte2_nz_bytes_per_cycle");
                break;
            }
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
        case Opcode::MoveBt: names.add(chip.btBytesPerCycle, "bt_bytes_per_cycle"); break;
        case Opcode::MoveFb:
            names.add(chip.fbOverhead, "fb_overhead").add(chip.fbBytesPerCycle, "fb_bytes_per_cycle");
            break;
        case Opcode::StoreL0C:
            names.add(chip.fixOverhead, "fix_overhead").add(chip.fixBytesPerCycle, "fix_bytes_per_cycle");
            names.add(chip.fixElementsPerCycle, "fix_elements_per_cycle");
            if (work.unaligned) names.add(chip.fixUnalignedOverhead, "fix_unaligned_overhead");
            break;
        case Opcode::MoveUb:
            names.add(chip.fixOverhead, "fix_overhead")
                .add(chip.l0cToUbBytesPerCycle, "l0c_to_ub_bytes_per_cycle")
                .add(chip.fixElementsPerCycle, "fix_elements_per_cycle");
            break;
        case Opcode::LoadUb:
            names.add(chip.gmToUbOverhead, "gm_to_ub_overhead")
                .add(chip.gmToUbBytesPerCycle, "gm_to_ub_bytes_per_cycle");
            if (work.rows > 0) names.add(chip.mte2RowCycles, "mte2_row_cycles");
            break;
        case Opcode::Vector:
            names.add(chip.vectorBytesPerRepeat, "vector_bytes_per_repeat");
            if (work.banks == BankMeeting::Sources) names.add(chip.ubBankReadCycles, "ub_bank_read_cycles");
            if (work.banks == BankMeeting::Result) names.add(chip.ubBankWriteCycles, "ub_bank_write_cycles");
            if (const VectorRate* rate = chip.vectorRate(rateName(chip, work))) {
                const std::string of = "vector_rates_" + rateName(chip, work);
                names.add(rate->overhead, of + "_overhead");
                names.add(work.bits > 16 ? rate->cycles32 : rate->cycles16, of);
            } else {
                names.add(chip.vectorOverhead, "vector_overhead");
            }
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

std::vector<std::string> estimatesInStitch(const ChipSpec& chip) {
    EstimateNames names;
    if (chip.stitchCycles.value != Rational(0))
        names.add(chip.stitchCycles, "stitch_cycles")
            .add(chip.schedulerMHz, "scheduler_mhz")
            .add(chip.clockMHz, "clock_mhz");
    return names.take();
}

std::vector<std::string> estimatesInResolve(const ChipSpec& chip) {
    EstimateNames names;
    names.add(chip.pollCycles, "poll_cycles");
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
