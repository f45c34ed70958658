// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/rational.h"
#include "core/base/units.h"
#include "core/chip/chip_spec.h"

namespace cubist {

/// Whose tiles use the same groups of UB banks in a vector instruction of two sources.
enum class BankMeeting : std::uint8_t { None, Sources, Result };

/// What stands behind the name of an operation in a chip's rates when one of its operands is a number.
inline constexpr std::string_view kNumberForm = ":number";

}  // namespace cubist

/// Durations of single instructions on an idle machine, exact, in AI-core cycles. Sizes in elements or bytes, all > 0.
namespace cubist::formula {

/// ceil(1024 * cycles). Source: F-01.
[[nodiscard]] Ticks toTicks(const Rational& cycles);

/// mmad of m x k x n: overhead + repeat * ceil(m/16) * ceil(k/K0) * ceil(n/16). Source: F-10.
[[nodiscard]] Rational mmadCycles(const ChipSpec& chip, const CubeRate& rate, std::int64_t m, std::int64_t k,
                                  std::int64_t n);

/// Cycles per fractal of FP32 operands in HF32 or TF32 mode: half of those of FP32, and at most one, which is 2048
/// multiply-adds a cycle. Source: F-10.
[[nodiscard]] Rational hf32Repeat(const CubeRate& fp32);

/// GM->L1 of `rows` rows: overhead + rows * (max(row cycles, rowBytes / rate) + unaligned cycles). Source: F-11.
[[nodiscard]] Rational gmToL1Cycles(const ChipSpec& chip, std::int64_t rows, std::int64_t rowBytes,
                                    bool unaligned = false);

/// GM->L1 of an operand stored in fractals: overhead + bytes / rate. Source: F-11.
[[nodiscard]] Rational nzToL1Cycles(const ChipSpec& chip, Bytes bytes);

/// L1->L0A: overhead + bytes / rate. Source: F-12.
[[nodiscard]] Rational l1ToL0aCycles(const ChipSpec& chip, Bytes bytes);

/// L1->L0B: overhead + bytes / rate. Source: F-12.
[[nodiscard]] Rational l1ToL0bCycles(const ChipSpec& chip, Bytes bytes);

/// L1->BT: bytes of the table's row / rate. Source: F-63.
[[nodiscard]] Rational l1ToBtCycles(const ChipSpec& chip, Bytes bytes);

/// L1->FB: overhead + bytes of the buffer's row / rate. Source: F-63.
[[nodiscard]] Rational l1ToFbCycles(const ChipSpec& chip, Bytes bytes);

/// L0C->GM: overhead + max(bytes written / rate, elements / element rate), and more per row when the rows of the tensor
/// do not begin at multiples of 32 bytes. Source: F-13.
[[nodiscard]] Rational l0cToGmCycles(const ChipSpec& chip, std::int64_t rows, std::int64_t elements, Bytes bytes,
                                     bool unaligned);

/// L0C->UB: as above with the rate of that path. Source: F-13.
[[nodiscard]] Rational l0cToUbCycles(const ChipSpec& chip, std::int64_t elements, Bytes bytes);

/// GM->UB: overhead + bytes / rate. Source: F-14.
[[nodiscard]] Rational gmToUbCycles(const ChipSpec& chip, Bytes bytes);

/// GM->UB of `rows` rows from places of their own: overhead + rows * max(row cycles, rowBytes / rate). Source: F-14.
[[nodiscard]] Rational gatherCycles(const ChipSpec& chip, std::int64_t rows, std::int64_t rowBytes);

/// UB->GM: overhead + bytes / rate. Source: F-15.
[[nodiscard]] Rational ubToGmCycles(const ChipSpec& chip, Bytes bytes);

/// One vector instruction over `bytes` of its widest operand, which has elements of `bits`: overhead + repeats * cycles
/// of the operation's rate (`op` as design files spell it), a repeat being ceil(bytes / bytes per repeat). Source:
/// F-16.
[[nodiscard]] Rational vectorCycles(const ChipSpec& chip, std::string_view op, int bits, Bytes bytes);

/// `op` for an operation of which one operand is a number: "add:number" where the chip has a rate of its own for that,
/// else `op` itself. Chips that read two sources at the rate of one have none. Source: F-16.
[[nodiscard]] std::string withNumber(const ChipSpec& chip, std::string_view op);

/// What that adds to the instruction: repeats * ub_bank_read_cycles when the sources meet, ub_bank_write_cycles when
/// the result meets a source; 0 on architectures of which no numbers are known. Source: F-19.
[[nodiscard]] Rational bankCycles(const ChipSpec& chip, BankMeeting banks, Bytes bytes);

/// Bytes a cycle that one core takes from HBM, of an operand stored in rows or in fractals; 0: no limit. Source: F-11.
[[nodiscard]] Rational hbmToCoreRate(const ChipSpec& chip, bool nz);

/// When the S pipe has issued so many instructions of a leaf that is compiled for dynamic shapes. Source: F-29.
[[nodiscard]] Rational issueCycles(const ChipSpec& chip, std::int64_t instructions);

/// The scheduler hands out one task in this many AI-core cycles. Source: F-17.
[[nodiscard]] Rational dispatchCycles(const ChipSpec& chip);

/// A task becomes ready this many AI-core cycles after its last predecessor ends. Source: F-18.
[[nodiscard]] Rational resolveCycles(const ChipSpec& chip);

/// Cycles of an AICPU in AI-core cycles.
[[nodiscard]] Rational fromScheduler(const ChipSpec& chip, const Constant& cycles);

}  // namespace cubist::formula
