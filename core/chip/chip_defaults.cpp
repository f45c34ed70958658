// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <utility>

#include "core/chip/chip_spec.h"

namespace cubist {
namespace {

Constant missing(Rational value, const char* unit, Confidence confidence, const char* source) {
    Constant constant;
    constant.value = value;
    constant.unit = unit;
    constant.confidence = confidence;
    constant.source = source;
    constant.note = std::string(ChipDefaults::kMissingConstant) + "; the value of the chips that come with the program";
    return constant;
}

bool hasBankTimes(const std::string& arch) {
    return arch == "2201";
}

constexpr const char* kBankTimes = "asc-devkit, bank conflict page 2201";
constexpr const char* kRowTables = "fit of msKPP tables";

}  // namespace

Constant ChipDefaults::aicpuStart() {
    return missing(Rational(785, 10), "us", Confidence::Estimate,
                   "hicann/pypto, one trace of AICPUs that names no chip");
}

Constant ChipDefaults::scalarIssue() {
    return missing(Rational(104, 10), "cycle/instruction", Confidence::Estimate,
                   "asc-devkit matmul practices: 52 cycles for a step along K of five instructions");
}

Constant ChipDefaults::btBytesPerCycle() {
    return missing(Rational(347, 10), "B/cycle", Confidence::CostModel, kRowTables);
}

Constant ChipDefaults::fbOverhead() {
    return missing(Rational(146, 10), "cycle", Confidence::CostModel, kRowTables);
}

Constant ChipDefaults::fbBytesPerCycle() {
    return missing(Rational(329, 10), "B/cycle", Confidence::CostModel, kRowTables);
}

Constant ChipDefaults::hbmNzBytesPerCycle(const std::string& arch, const Constant& perCycle) {
    // As many requests in flight, but longer ones. Files have three decimals at most.
    constexpr std::int64_t kThousand = 1000;
    const Rational ratio = arch == "2201" ? Rational(171, 104) : Rational(200, 107);
    const Rational thousandths = perCycle.value * ratio * Rational(kThousand) + Rational(1, 2);
    const std::int64_t whole = thousandths.numerator() / thousandths.denominator();
    constexpr std::int64_t kMost = 10'000;  // as in a file
    return missing(std::min(Rational(whole, kThousand), Rational(kMost)), "B/cycle", Confidence::Estimate,
                   "hbm_bytes_per_cycle by the ratio of published kernel times, see docs/fidelity.md");
}

Constant ChipDefaults::ubBankReadCycles(const std::string& arch) {
    return missing(Rational(hasBankTimes(arch) ? 1 : 0), "cycle/repeat", Confidence::Estimate, kBankTimes);
}

Constant ChipDefaults::ubBankWriteCycles(const std::string& arch) {
    return missing(hasBankTimes(arch) ? Rational(766, 1000) : Rational(0), "cycle/repeat", Confidence::Estimate,
                   kBankTimes);
}

}  // namespace cubist
