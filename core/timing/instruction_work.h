// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/rational.h"
#include "core/chip/chip_spec.h"
#include "core/chip/formulas.h"
#include "core/lowering/program.h"

namespace cubist {

/// The part of an instruction that its duration depends on; equal work takes equal time.
struct InstructionWork {
    Opcode op = Opcode::LoadL1;
    DType dtype = DType::FP32;            ///< Mmad only
    std::int64_t m = 0, k = 0, n = 0;     ///< Mmad: valid elements
    std::int64_t rows = 0, rowBytes = 0;  ///< loads to L1: rows as stored; LoadUb: rows that an index picks, else 0
    std::int64_t bytes = 0;               ///< bytes moved; Vector: of the widest operand
    std::int64_t bursts = 0;              ///< LoadUb, StoreUb: bytes of the bursts that carry them
    bool scaled = false;                  ///< LoadL1, MoveL0x: brings the scales of an MX operand along
    bool hf32 = false;                    ///< Mmad: FP32 operands with fewer mantissa bits
    bool nz = false;                      ///< LoadL1: from an operand stored in fractals
    bool unaligned = false;  ///< LoadL1, StoreL0C: rows of the tensor do not begin at multiples of 32 bytes
    VectorOpCode vector = VectorOpCode::Cast;  ///< Vector only
    bool number = false;                       ///< Vector element by element: one of the operands is a number
    int bits = 0;                              ///< Vector: of an element of the widest operand
    BankMeeting banks = BankMeeting::None;     ///< Vector of two sources
    auto operator<=>(const InstructionWork&) const = default;
};

[[nodiscard]] InstructionWork workOf(const Leaf& leaf, const Instruction& instruction);

/// The operation of a Vector as the chip's rates spell it: "add", or "add:number" where that has a rate of its own.
[[nodiscard]] std::string rateName(const ChipSpec& chip, const InstructionWork& work);

/// Exact duration in cycles. Precondition: the chip's cube supports the operand type of an Mmad. Source: F-10 .. F-16.
[[nodiscard]] Rational cyclesOf(const ChipSpec& chip, const InstructionWork& work);

/// The part of it in which a transfer moves no data yet. 0 for what is no transfer, and between GM and UB, where the
/// overhead is the interval at which copies are issued and overlaps the data of the one before.
[[nodiscard]] Rational overheadOf(const ChipSpec& chip, const InstructionWork& work);

/// Moves data between global memory and a core, so it shares bandwidth with other cores.
[[nodiscard]] constexpr bool isTransfer(Opcode op) {
    return op == Opcode::LoadL1 || op == Opcode::LoadScales || op == Opcode::StoreL0C || op == Opcode::LoadUb ||
           op == Opcode::StoreUb;
}

/// Names of the chip constants of confidence `estimate` that take a non-zero part in the duration.
[[nodiscard]] std::vector<std::string> estimatesIn(const ChipSpec& chip, const InstructionWork& work);

/// The same for a dispatch (F-17) and for a resolve (F-18).
[[nodiscard]] std::vector<std::string> estimatesInDispatch(const ChipSpec& chip);
[[nodiscard]] std::vector<std::string> estimatesInResolve(const ChipSpec& chip);
/// The same for building a device task (F-71).
[[nodiscard]] std::vector<std::string> estimatesInStitch(const ChipSpec& chip);

}  // namespace cubist
