// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/chip/formulas.h"

#include <algorithm>

#include "core/base/integer_math.h"
#include "core/chip/faster_chip.h"

namespace cubist::formula {

Ticks toTicks(const Rational& cycles) {
    return Ticks((cycles * Rational(kTicksPerCycle)).ceil());
}

Rational mmadCycles(const ChipSpec& chip, const CubeRate& rate, std::int64_t m, std::int64_t k, std::int64_t n) {
    const std::int64_t fractals = ceilDiv(m, 16) * ceilDiv(k, rate.k0) * ceilDiv(n, 16);
    return chip.mmadOverhead.value + rate.repeat.value * Rational(fractals);
}

Rational hf32Repeat(const CubeRate& fp32) {
    return std::min(fp32.repeat.value / Rational(2), Rational(1));
}

Rational gmToL1Cycles(const ChipSpec& chip, std::int64_t rows, std::int64_t rowBytes, bool unaligned) {
    Rational perRow = std::max(chip.mte2RowCycles.value, Rational(rowBytes) / chip.mte2BytesPerCycle.value);
    if (unaligned) perRow = perRow + chip.mte2UnalignedOverhead.value;
    return chip.mte2Overhead.value + Rational(rows) * perRow;
}

Rational nzToL1Cycles(const ChipSpec& chip, Bytes bytes) {
    return chip.mte2Overhead.value + Rational(bytes.value) / chip.mte2NzBytesPerCycle.value;
}

Rational l1ToL0aCycles(const ChipSpec& chip, Bytes bytes) {
    return chip.mte1Overhead.value + Rational(bytes.value) / chip.mte1BytesPerCycleA.value;
}

Rational l1ToL0bCycles(const ChipSpec& chip, Bytes bytes) {
    return chip.mte1Overhead.value + Rational(bytes.value) / chip.mte1BytesPerCycleB.value;
}

Rational l1ToBtCycles(const ChipSpec& chip, Bytes bytes) {
    return Rational(bytes.value) / chip.btBytesPerCycle.value;
}

Rational l1ToFbCycles(const ChipSpec& chip, Bytes bytes) {
    return chip.fbOverhead.value + Rational(bytes.value) / chip.fbBytesPerCycle.value;
}

namespace {

Rational fixCycles(const ChipSpec& chip, const Rational& byBytes, std::int64_t elements) {
    Rational cycles = byBytes;
    if (chip.fixElementsPerCycle.value > Rational(0))
        cycles = std::max(cycles, Rational(elements) / chip.fixElementsPerCycle.value);
    return chip.fixOverhead.value + cycles;
}

}  // namespace

Rational l0cToGmCycles(const ChipSpec& chip, std::int64_t rows, std::int64_t elements, Bytes bytes, bool unaligned) {
    const Rational cycles = fixCycles(chip, Rational(bytes.value) / chip.fixBytesPerCycle.value, elements);
    return unaligned ? cycles + Rational(rows) * chip.fixUnalignedOverhead.value : cycles;
}

Rational l0cToUbCycles(const ChipSpec& chip, std::int64_t elements, Bytes bytes) {
    return fixCycles(chip, Rational(bytes.value) / chip.l0cToUbBytesPerCycle.value, elements);
}

Rational gmToUbCycles(const ChipSpec& chip, Bytes bytes) {
    return chip.gmToUbOverhead.value + Rational(bytes.value) / chip.gmToUbBytesPerCycle.value;
}

Rational gatherCycles(const ChipSpec& chip, std::int64_t rows, std::int64_t rowBytes) {
    const Rational byBytes = Rational(rowBytes) / chip.gmToUbBytesPerCycle.value;
    return chip.gmToUbOverhead.value + Rational(rows) * std::max(chip.mte2RowCycles.value, byBytes);
}

Rational ubToGmCycles(const ChipSpec& chip, Bytes bytes) {
    return chip.ubToGmOverhead.value + Rational(bytes.value) / chip.ubToGmBytesPerCycle.value;
}

Rational vectorCycles(const ChipSpec& chip, std::string_view op, int bits, Bytes bytes) {
    const Rational repeats((Rational(bytes.value) / chip.vectorBytesPerRepeat.value).ceil());
    const VectorRate* rate = chip.vectorRate(op);
    if (rate == nullptr) rate = chip.vectorRate(kOtherOperations);
    if (rate == nullptr) return chip.vectorOverhead.value + repeats;
    return rate->overhead.value + repeats * (bits > 16 ? rate->cycles32 : rate->cycles16).value;
}

std::string withNumber(const ChipSpec& chip, std::string_view op) {
    std::string form = std::string(op) + std::string(kNumberForm);
    return chip.vectorRate(form) != nullptr ? form : std::string(op);
}

Rational bankCycles(const ChipSpec& chip, BankMeeting banks, Bytes bytes) {
    if (banks == BankMeeting::None) return {};
    const Rational repeats((Rational(bytes.value) / chip.vectorBytesPerRepeat.value).ceil());
    return repeats * (banks == BankMeeting::Sources ? chip.ubBankReadCycles : chip.ubBankWriteCycles).value;
}

Rational hbmToCoreRate(const ChipSpec& chip, bool nz) {
    return (nz ? chip.hbmNzBytesPerCycle : chip.hbmBytesPerCycle).value;
}

Rational issueCycles(const ChipSpec& chip, std::int64_t instructions) {
    return chip.scalarIssue.value * Rational(instructions);
}

Rational dispatchCycles(const ChipSpec& chip) {
    return fromScheduler(chip, chip.dispatchCycles);
}

Rational resolveCycles(const ChipSpec& chip) {
    return fromScheduler(chip, chip.resolveCycles);
}

Rational fromScheduler(const ChipSpec& chip, const Constant& cycles) {
    return cycles.value * chip.clockMHz.value / chip.schedulerMHz.value;
}

}  // namespace cubist::formula
