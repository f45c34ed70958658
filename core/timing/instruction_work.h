// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/rational.h"
#include "core/chip/chip_spec.h"
#include "core/lowering/program.h"

namespace cubist {

/// The part of an instruction that its duration depends on; equal work takes equal time.
struct InstructionWork {
    Opcode op = Opcode::LoadL1;
    DType dtype = DType::FP32;            ///< Mmad only
    std::int64_t m = 0, k = 0, n = 0;     ///< Mmad: valid elements
    std::int64_t rows = 0, rowBytes = 0;  ///< LoadL1: rows as stored
    std::int64_t bytes = 0;               ///< bytes moved; Vector: of the widest operand
    auto operator<=>(const InstructionWork&) const = default;
};

[[nodiscard]] InstructionWork workOf(const Leaf& leaf, const Instruction& instruction);

/// Exact duration in cycles. Precondition: the chip's cube supports the operand type of an Mmad. Source: F-10 .. F-16.
[[nodiscard]] Rational cyclesOf(const ChipSpec& chip, const InstructionWork& work);

/// Names of the chip constants of confidence `estimate` that take a non-zero part in the duration.
[[nodiscard]] std::vector<std::string> estimatesIn(const ChipSpec& chip, const InstructionWork& work);

/// The same for a dispatch (F-17) and for a resolve (F-18).
[[nodiscard]] std::vector<std::string> estimatesInDispatch(const ChipSpec& chip);
[[nodiscard]] std::vector<std::string> estimatesInResolve(const ChipSpec& chip);

}  // namespace cubist
