// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/fidelity.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/elementary.h"
#include "core/base/integer_math.h"
#include "core/timing/timing_engine.h"

namespace cubist {
namespace {

Result<double> emulateCase(const FidelityCase& measured, const ChipSpec& chip, const RunContext& context) {
    const auto build = [&]() {
        return measured.matmul ? bareMatmul(*measured.matmul, chip) : bareCopy(*measured.copy, chip);
    };
    CUBIST_TRY(const BareKernel kernel, build());
    CUBIST_TRY(const Trace trace, predict(kernel.program, chip, context, {.coreOf = kernel.coreOf}));
    return trace.microseconds(measured.quantity == MeasuredQuantity::Task ? trace.endToEnd : trace.kernel);
}

/// |ln(predicted / measured)|; infinite without a prediction.
double errorOf(const std::optional<double>& predicted, double measured) {
    if (!predicted || !(*predicted > 0)) return std::numeric_limits<double>::infinity();
    return std::abs(elementary::log(*predicted / measured));
}

/// The value at fraction q of the sorted list, linear between neighbours.
double quantile(const std::vector<double>& sorted, double q) {
    if (sorted.empty()) return 0;
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    const double part = at - static_cast<double>(low);
    return part > 0 ? sorted[low] + part * (sorted[high] - sorted[low]) : sorted[low];
}

template <class Predicted>
std::map<std::string, FidelitySummary> summarise(const std::vector<FidelityResult>& cases, Predicted predicted) {
    std::map<std::string, FidelitySummary> out;
    std::map<std::string, std::vector<double>> errors;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const FidelityCase& a = cases[i].measured;
        FidelitySummary& summary = out[a.op];
        ++summary.n;
        if (!predicted(cases[i])) ++summary.missing;
        errors[a.op].push_back(errorOf(predicted(cases[i]), a.measuredMicroseconds));
        for (std::size_t j = 0; j < i; ++j) {
            const FidelityCase& b = cases[j].measured;
            const double low = std::min(a.measuredMicroseconds, b.measuredMicroseconds);
            const double high = std::max(a.measuredMicroseconds, b.measuredMicroseconds);
            if (a.op != b.op || a.chip != b.chip || high <= 1.05 * low) continue;
            ++summary.pairs;
            if (predicted(cases[i]) && predicted(cases[j]) &&
                (*predicted(cases[i]) < *predicted(cases[j])) == (a.measuredMicroseconds < b.measuredMicroseconds))
                ++summary.pairsRight;
        }
    }
    for (auto& [op, list] : errors) {
        std::sort(list.begin(), list.end());
        out[op].median = quantile(list, 0.5);
        out[op].p90 = quantile(list, 0.9);
    }
    return out;
}

}  // namespace

double closedFormMicroseconds(const FidelityCase& measured, const ChipSpec& chip) {
    const double clock = chip.clockMHz.value.toDouble();
    const double hbm = chip.hbmBytesPerSecond.value.toDouble() / 1e6;
    const double l2 = chip.l2BytesPerSecond.value.toDouble() / 1e6;
    const double head = measured.quantity != MeasuredQuantity::Task ? 0.0 : chip.arch == "2201" ? 20.0 : 2.0;
    if (measured.copy) {
        const BareCopy& copy = *measured.copy;
        const auto bytes = static_cast<double>(deviceBytes(copy.dtype, copy.rows * copy.columns));
        const bool fits = bytes / static_cast<double>(copy.parts) <= chip.l2Bytes.value.toDouble();
        const double again = static_cast<double>(copy.passes - 1) * bytes;
        return head + (fits ? bytes / hbm + again / l2 : (bytes + again) / hbm);
    }
    const BareMatmul& matmul = *measured.matmul;
    const auto bits = static_cast<double>(bitsPerElement(matmul.operand));
    const double size = bits / 8 + (matmul.scaled ? 1.0 / 32 : 0.0);
    const auto m = static_cast<double>(matmul.m);
    const auto k = static_cast<double>(matmul.k);
    const auto n = static_cast<double>(matmul.n);
    const CubeRate& rate = *chip.cubeRate(matmul.operand);
    const double perCycle = 256.0 * static_cast<double>(rate.k0) / rate.repeat.value.toDouble();
    const double rowBlocks = static_cast<double>(ceilDiv(matmul.m, matmul.mTile));
    const double columnBlocks = static_cast<double>(ceilDiv(matmul.n, matmul.nTile));
    const double loaded = (m * k * columnBlocks + n * k * rowBlocks) * size;
    const double once = (m * k + n * k) * size;
    const double mte2 = once / hbm + (loaded - once) / l2;
    const auto blocks = static_cast<std::int64_t>(rowBlocks * columnBlocks);
    const auto waves = static_cast<double>(ceilDiv(blocks, matmul.cores));
    const double blockM = std::min(m, static_cast<double>(matmul.mTile));
    const double blockN = std::min(n, static_cast<double>(matmul.nTile));
    const double cube = waves * blockM * k * blockN / (perCycle * clock);
    const double mte1 =
        waves * k * size / clock *
        (blockM / chip.mte1BytesPerCycleA.value.toDouble() + blockN / chip.mte1BytesPerCycleB.value.toDouble());
    const double fix = waves * blockM * blockN * static_cast<double>(bitsPerElement(matmul.out)) / 8 /
                       (chip.fixBytesPerCycle.value.toDouble() * clock);
    return head + std::max({cube, mte2, mte1, fix});
}

Result<FidelityReport> measureFidelity(const std::vector<FidelityCase>& cases, const ChipFinder& chips,
                                       const RunContext& context) {
    FidelityReport report;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        context.report(static_cast<double>(i) / static_cast<double>(cases.size()), "fidelity");
        FidelityResult result{cases[i], {}, {}, cases[i].reason};
        if (result.reason.empty()) {
            const Result<ChipSpec> chip = chips(cases[i].chip);
            if (!chip) {
                result.reason = chip.error().message;
            } else if (const Result<double> predicted = emulateCase(cases[i], *chip, context)) {
                result.predictedMicroseconds = *predicted;
                result.floorMicroseconds = closedFormMicroseconds(cases[i], *chip);
            } else {
                if (predicted.error().code == ErrorCode::Cancelled) return unexpected(predicted.error());
                result.reason = predicted.error().message;
            }
        }
        report.cases.push_back(std::move(result));
    }
    report.summary = summarise(report.cases, [](const FidelityResult& r) { return r.predictedMicroseconds; });
    report.floor = summarise(report.cases, [](const FidelityResult& r) { return r.floorMicroseconds; });
    return report;
}

}  // namespace cubist
