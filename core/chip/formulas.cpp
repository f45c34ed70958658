// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/chip/formulas.h"

#include <algorithm>

#include "core/base/integer_math.h"

namespace cubist::formula {

Ticks toTicks(const Rational& cycles) {
    return Ticks((cycles * Rational(kTicksPerCycle)).ceil());
}

Rational mmadCycles(const ChipSpec& chip, const CubeRate& rate, std::int64_t m, std::int64_t k, std::int64_t n) {
    const std::int64_t fractals = ceilDiv(m, 16) * ceilDiv(k, rate.k0) * ceilDiv(n, 16);
    return chip.mmadOverhead.value + rate.repeat.value * Rational(fractals);
}

Rational gmToL1Cycles(const ChipSpec& chip, std::int64_t rows, std::int64_t rowBytes) {
    const Rational perRow = std::max(chip.mte2RowCycles.value, Rational(rowBytes) / chip.mte2BytesPerCycle.value);
    return chip.mte2Overhead.value + Rational(rows) * perRow;
}

Rational l1ToL0aCycles(const ChipSpec& chip, Bytes bytes) {
    return chip.mte1Overhead.value + Rational(bytes.value) / chip.mte1BytesPerCycleA.value;
}

Rational l1ToL0bCycles(const ChipSpec& chip, Bytes bytes) {
    return chip.mte1Overhead.value + Rational(bytes.value) / chip.mte1BytesPerCycleB.value;
}

Rational l1ToBtCycles(Bytes bytes) {
    return Rational(bytes.value * 10) / Rational(347);
}

Rational l1ToFbCycles(Bytes bytes) {
    return Rational(146) / Rational(10) + Rational(bytes.value * 10) / Rational(329);
}

Rational l0cToGmCycles(const ChipSpec& chip, Bytes bytes) {
    return chip.fixOverhead.value + Rational(bytes.value) / chip.fixBytesPerCycle.value;
}

Rational gmToUbCycles(const ChipSpec& chip, Bytes bytes) {
    return chip.gmToUbOverhead.value + Rational(bytes.value) / chip.gmToUbBytesPerCycle.value;
}

Rational ubToGmCycles(const ChipSpec& chip, Bytes bytes) {
    return chip.ubToGmOverhead.value + Rational(bytes.value) / chip.ubToGmBytesPerCycle.value;
}

Rational vectorCycles(const ChipSpec& chip, Bytes bytes) {
    return chip.vectorOverhead.value + Rational((Rational(bytes.value) / chip.vectorBytesPerRepeat.value).ceil());
}

Rational dispatchCycles(const ChipSpec& chip) {
    return chip.dispatchCycles.value * chip.clockMHz.value / chip.schedulerMHz.value;
}

Rational resolveCycles(const ChipSpec& chip) {
    return chip.resolveCycles.value * chip.clockMHz.value / chip.schedulerMHz.value;
}

}  // namespace cubist::formula
