// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/fidelity.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/elementary.h"
#include "core/base/integer_math.h"
#include "core/lowering/slot_shortage.h"
#include "core/timing/timing_engine.h"

namespace cubist {
namespace {

Result<double> emulateCase(const FidelityCase& measured, const ChipSpec& chip, const RunContext& context,
                           std::vector<std::string>& lowered) {
    const auto build = [&]() {
        return measured.matmul ? bareMatmul(*measured.matmul, chip) : bareCopy(*measured.copy, chip);
    };
    CUBIST_TRY(const BareKernel kernel, build());
    if (measured.matmul) {
        HandWritten asked;
        asked.l1Slots = measured.matmul->l1Slots;
        asked.l0aSlots = measured.matmul->l0aSlots;
        asked.l0bSlots = measured.matmul->l0bSlots;
        asked.l0cSlots = measured.matmul->l0cSlots;
        for (const SlotShortage& shortage : slotShortages(kernel.program, asked))
            lowered.push_back(shortageText(shortage));
    }
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
            if (a.op != b.op || a.chip != b.chip || high <= low) continue;
            const bool right =
                predicted(cases[i]) && predicted(cases[j]) &&
                (*predicted(cases[i]) < *predicted(cases[j])) == (a.measuredMicroseconds < b.measuredMicroseconds);
            ++summary.allPairs;
            if (right) ++summary.allPairsRight;
            if (high <= 1.05 * low) continue;
            ++summary.pairs;
            if (right) ++summary.pairsRight;
        }
    }
    for (auto& [op, list] : errors) {
        std::sort(list.begin(), list.end());
        out[op].median = quantile(list, 0.5);
        out[op].p90 = quantile(list, 0.9);
        out[op].p90Rank = list[(9 * list.size() + 9) / 10 - 1];
    }
    return out;
}

/// Cycles in which one core fetches `rows` rows of `rowBytes` into L1 with one copy, by published rules of thumb.
double textbookLoad(bool a2, double rows, double rowBytes, bool nz) {
    constexpr double kCopy = 85, kBytesPerCycle = 85;
    const double request = nz ? 0.0 : a2 ? 3.6 : 2.8;
    return kCopy + rows * std::max(request, rowBytes / kBytesPerCycle);
}

double closedCopy(const BareCopy& copy, const ChipSpec& chip) {
    const bool a2 = chip.arch == "2201";
    const double hbm = chip.hbmBytesPerSecond.value.toDouble() / 1e6;
    const double l2 = chip.l2BytesPerSecond.value.toDouble() / 1e6;
    const auto bytes = static_cast<double>(deviceBytes(copy.dtype, copy.rows * copy.columns));
    const bool fits = bytes / static_cast<double>(copy.parts) <= chip.l2Bytes.value.toDouble();
    const double again = static_cast<double>(copy.passes - 1) * bytes;
    const double memory = fits ? bytes / hbm + again / l2 : (bytes + again) / hbm;
    const std::int64_t tiles = ceilDiv(copy.rows, copy.tileRows) * ceilDiv(copy.columns, copy.tileColumns);
    const auto each = static_cast<double>(copy.passes * ceilDiv(tiles, copy.cores));
    const auto rowBytes = static_cast<double>(deviceBytes(copy.dtype, copy.tileColumns));
    const auto rows = static_cast<double>(copy.tileRows);
    const double cycles = copy.toL1 ? textbookLoad(a2, rows, rowBytes, false)
                                    : std::max(a2 ? 21.0 : 39.0, rows * rowBytes / (a2 ? 126.0 : 113.5));
    return std::max(memory, each * cycles / chip.clockMHz.value.toDouble());
}

double closedMatmul(const BareMatmul& matmul, const ChipSpec& chip) {
    constexpr double kFixElementsPerCycle = 38;
    const bool a2 = chip.arch == "2201";
    const double clock = chip.clockMHz.value.toDouble();
    const double hbm = chip.hbmBytesPerSecond.value.toDouble() / 1e6;
    const double l2 = chip.l2BytesPerSecond.value.toDouble() / 1e6;
    const double size = static_cast<double>(bitsPerElement(matmul.operand)) / 8 + (matmul.scaled ? 1.0 / 32 : 0.0);
    const auto m = static_cast<double>(matmul.m);
    const auto k = static_cast<double>(matmul.k);
    const auto n = static_cast<double>(matmul.n);
    const CubeRate& rate = *chip.cubeRate(matmul.operand);
    const double perCycle = 256.0 * static_cast<double>(rate.k0) / rate.repeat.value.toDouble();
    const std::int64_t rowBlocks = ceilDiv(matmul.m, matmul.mTile);
    const std::int64_t columnBlocks = ceilDiv(matmul.n, matmul.nTile);
    const auto waves = static_cast<double>(ceilDiv(rowBlocks * columnBlocks, matmul.cores));
    const double blockM = static_cast<double>(std::min(matmul.mTile, roundUp(matmul.m, 16)));
    const double blockN = static_cast<double>(std::min(matmul.nTile, roundUp(matmul.n, 16)));

    const double cube = waves * blockM * k * blockN / (perCycle * clock);
    const auto load = [&](double tile, std::int64_t kL1, bool kIsRow, bool nz) {
        const auto depth = static_cast<double>(std::min(kL1, matmul.k));
        const double one = kIsRow ? textbookLoad(a2, tile, depth * size, nz) : textbookLoad(a2, depth, tile * size, nz);
        return static_cast<double>(ceilDiv(matmul.k, kL1)) * one;
    };
    const double port = waves / clock *
                        (load(std::min(m, blockM), matmul.kAL1, !matmul.aTrans, matmul.aNz) +
                         load(std::min(n, blockN), matmul.kBL1, matmul.bTrans, matmul.bNz));
    const double loaded = (m * k * static_cast<double>(columnBlocks) + n * k * static_cast<double>(rowBlocks)) * size;
    const double once = (m * k + n * k) * size;
    const double mte2 = std::max(port, once / hbm + (loaded - once) / l2);
    const double mte1 =
        waves * k * size / clock *
        (blockM / chip.mte1BytesPerCycleA.value.toDouble() + blockN / chip.mte1BytesPerCycleB.value.toDouble());
    const double fix = blockM * blockN / (kFixElementsPerCycle * clock);  // of one block
    // With a single slot loads and mmads take turns; the last block is written when all else is done.
    return matmul.l1Slots == 1 ? cube + mte2 + waves * fix : std::max({cube, mte2, mte1, waves * fix}) + fix;
}

}  // namespace

double closedFormMicroseconds(const FidelityCase& measured, const ChipSpec& chip) {
    const bool a2 = chip.arch == "2201";
    const double head = measured.quantity != MeasuredQuantity::Task ? 0.0 : a2 ? 15.0 : 3.1;
    if (measured.copy) return head + closedCopy(*measured.copy, chip);
    return head + closedMatmul(*measured.matmul, chip);
}

Result<FidelityReport> measureFidelity(const std::vector<FidelityCase>& cases, const ChipFinder& chips,
                                       const RunContext& context) {
    FidelityReport report;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        context.report(static_cast<double>(i) / static_cast<double>(cases.size()), "fidelity");
        FidelityResult result{cases[i], {}, {}, cases[i].reason, {}};
        if (result.reason.empty()) {
            const Result<ChipSpec> chip = chips(cases[i].chip);
            if (!chip) {
                result.reason = chip.error().message;
            } else if (const Result<double> predicted = emulateCase(cases[i], *chip, context, result.lowered)) {
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
