// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/accuracy/criterion.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cubist {
namespace {

constexpr double kFailFactor = 128.0;
constexpr double kSmallErrorRatio = 2.0;
/// Below this a benchmark's error does not count as one: half a step of FP32.
constexpr double kBenchmarkFloor = 0x1p-24;

double worse(double a, double b) {
    return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::max(a, b);
}

/// Values below `from` are small; a small value is off beyond `limit`. Source: F-38
struct SmallValues {
    double from = 0, limit = 0;
};

SmallValues smallValues(DType type) {
    if (type == DType::FP16) return {0x1p-11, 0x1p-16};
    if (type == DType::BF16) return {0x1p-8, 0x1p-16};
    if (isFloat(type) && bitsPerElement(type) >= 32) return {0x1p-14, 0x1p-30};
    return {0x1p-4, 0x1p-6};
}

/// Integers that quantisation makes; others are sums, places and truths.
bool isQuantised(DType type) {
    return !isFloat(type) && bitsPerElement(type) <= 8 && type != DType::BOOL;
}

/// How near a benchmark is to the golden: within `share` of the golden and of its root mean square, and `floor`.
/// Source: F-38
struct Agreement {
    double share = 0, floor = 0;
};

Agreement agreement(DType type, double smallLimit) {
    // A quantised result may flip by one step, other integers are exact.
    if (!isFloat(type)) return {0, isQuantised(type) ? 1.0 : 0.0};
    return {bitsPerElement(type) >= 16 ? 0x1p-6 : 0.2, smallLimit};
}

struct RatioLimits {
    double largest = 0, mean = 0;
};

RatioLimits ratioLimits(PrecisionLevel level) {
    switch (level) {
        case PrecisionLevel::L0: return {10, 2};
        case PrecisionLevel::L1: return {5, 1.5};
        case PrecisionLevel::L2: return {2, 1.2};
    }
    return {};
}

std::string shortNumber(double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
}

std::string elementsText(std::int64_t count) {
    return std::to_string(count) + (count == 1 ? " element" : " elements");
}

CriterionVerdict verdictOf(bool passed, std::string reason, std::int64_t allowed = 0) {
    CriterionVerdict out;
    out.verdict = passed ? Verdict::Pass : Verdict::Fail;
    out.allowed = allowed;
    if (!passed) out.reason = std::move(reason);
    return out;
}

/// Nearest integer, ties to even, as Python's round.
std::int64_t nearestEven(double value) {
    const double below = std::floor(value), rest = value - below;
    const auto whole = static_cast<std::int64_t>(below);
    return rest > 0.5 || (rest == 0.5 && whole % 2 != 0) ? whole + 1 : whole;
}

CriterionVerdict decideTwoThreshold(double smallestLimit, const CriterionCounts& counts) {
    const auto n = static_cast<double>(counts.nonZero);
    const auto byRoot = std::max<std::int64_t>(16, static_cast<std::int64_t>(std::sqrt(n)) / 2);
    const auto byShare = static_cast<std::int64_t>(n * smallestLimit);
    const std::int64_t allowed = std::min(byRoot, byShare);
    if (counts.failing > 0)
        return verdictOf(false, elementsText(counts.failing) + " beyond 128 times the warning threshold", allowed);
    return verdictOf(
        counts.outside <= allowed,
        elementsText(counts.outside) + " beyond the warning threshold, " + std::to_string(allowed) + " allowed",
        allowed);
}

/// Why ratios to the benchmark's errors mean nothing; empty when they do. Source: F-38
std::string noBenchmark(double share, const CriterionCounts& counts) {
    const double meanSquare =
        counts.goldenSquares / static_cast<double>(std::max<std::int64_t>(1, counts.goldenFinite));
    const std::int64_t notFinite = counts.ratios[1].notFinite;
    if (notFinite > 0)
        return "the benchmark does not agree with this golden: " + elementsText(notFinite) +
               " NaN or infinite in one of them";
    if (counts.benchmarkExcess <= share * std::sqrt(meanSquare)) return {};
    return "the benchmark does not agree with this golden: it is off by up to " + shortNumber(counts.benchmarkError);
}

/// Integers alone: exact, or at most one step off.
CriterionVerdict decideIntegers(double limit, const CriterionCounts& counts) {
    return verdictOf(counts.integersOff == 0,
                     elementsText(counts.integersOff) +
                         (limit == 0 ? " not equal to the golden: three_way compares integers exactly"
                                     : " off by more than 1: three_way allows integers of 8 bits one step"));
}

CriterionVerdict decideThreeWay(const Tolerance& limits, double share, const CriterionCounts& counts) {
    if (std::string reason = noBenchmark(share, counts); !reason.empty()) return verdictOf(false, std::move(reason));
    if (const std::int64_t wrong = counts.ratios[0].notFinite; wrong > 0)
        return verdictOf(false, elementsText(wrong) + " NaN or infinite where the golden is not, or the reverse");
    if (counts.integersOff > 0) return decideIntegers(1, counts);
    const auto& [output, benchmark] = counts.ratios;
    const auto n = static_cast<double>(std::max<std::int64_t>(1, counts.normal));
    const auto ratio = [](double mine, double others) { return mine / std::max(others, kBenchmarkFloor); };
    const auto rootMean = [&](double squares) { return std::sqrt(squares / n); };
    ThreeWayResult result;
    result.mare = ratio(output.largest, benchmark.largest);
    result.mere = ratio(output.sum / n, benchmark.sum / n);
    result.rmse = worse(ratio(rootMean(output.errorSquares), rootMean(benchmark.errorSquares)),
                        ratio(rootMean(output.squares), rootMean(benchmark.squares)));
    result.smallErrors =
        static_cast<double>(output.smallErrors) / static_cast<double>(std::max<std::int64_t>(1, benchmark.smallErrors));
    const RatioLimits allowed = ratioLimits(limits.level);
    std::string reason;
    const auto check = [&](const char* what, double value, double limit) {
        if (value <= limit) return;
        if (!reason.empty()) reason += ", ";
        reason +=
            std::string(what) + " " + shortNumber(value) + " times the benchmark's, " + shortNumber(limit) + " allowed";
    };
    check("largest relative error", result.mare, allowed.largest);
    check("mean relative error", result.mere, allowed.mean);
    check("root mean square error", result.rmse, allowed.mean);
    check("errors of small values", result.smallErrors, kSmallErrorRatio);
    const bool finite = std::isfinite(result.mare) && std::isfinite(result.mere) && std::isfinite(result.rmse);
    if (!finite) reason = "a relative error is not finite";
    CriterionVerdict out = verdictOf(reason.empty(), reason);
    out.threeWay = result;
    return out;
}

}  // namespace

void CriterionCounts::add(const CriterionCounts& other) {
    outside += other.outside;
    failing += other.failing;
    nonZero += other.nonZero;
    normal += other.normal;
    for (std::size_t i = 0; i < ratios.size(); ++i) {
        ratios[i].largest = worse(ratios[i].largest, other.ratios[i].largest);
        ratios[i].sum += other.ratios[i].sum;
        ratios[i].squares += other.ratios[i].squares;
        ratios[i].errorSquares += other.ratios[i].errorSquares;
        ratios[i].smallErrors += other.ratios[i].smallErrors;
        ratios[i].notFinite += other.ratios[i].notFinite;
    }
    integersOff += other.integersOff;
    benchmarkError = std::max(benchmarkError, other.benchmarkError);
    benchmarkExcess = std::max(benchmarkExcess, other.benchmarkExcess);
    goldenSquares += other.goldenSquares;
    goldenFinite += other.goldenFinite;
}

TypeEnd typeEnd(DType type) {
    if (type == DType::FP32) return {0x1.FFFFFFp127, false};
    if (type == DType::FP16) return {65520.0, false};
    if (type == DType::BF16) return {0x1.FFp127, false};
    if (type == DType::FP8E4M3) return {464.0, true};  // which ties to 448
    if (type == DType::FP8E5M2) return {61440.0, false};
    if (type == DType::HF8) return {40960.0, false};
    return {std::numeric_limits<double>::infinity(), false};
}

TypeTolerance typeTolerance(DType type) {
    if (!isFloat(type)) return {0, 1e-4};
    if (type == DType::FP32) return {1e-3, 1e-4};
    if (type == DType::FP16) return {1e-3, 1e-3};
    if (type == DType::BF16) return {5e-3, 5e-2};
    return {1e-1, 1e-2};
}

ElementJudge::ElementJudge(const Tolerance& tolerance, DType type) : m_limits(tolerance) {
    m_byType = {m_limits.dtypeDefaults || !m_limits.rtol, m_limits.dtypeDefaults || !m_limits.atol};
    m_rtol = m_byType.rtol ? typeTolerance(type).rtol : *m_limits.rtol;
    m_atol = m_byType.atol ? typeTolerance(type).atol : *m_limits.atol;
    m_limits.rtol = m_rtol;
    m_limits.atol = m_atol;
    m_normalFrom = smallValues(type).from;
    m_smallLimit = smallValues(type).limit;
    m_end = typeEnd(type);
    if (!isFloat(type)) {
        m_ratios = isQuantised(type);
        m_integerLimit = m_ratios ? 1.0 : 0.0;
    }
    m_agreementShare = agreement(type, m_smallLimit).share;
    m_agreementFloor = agreement(type, m_smallLimit).floor;
}

bool ElementJudge::overflows(double value, double golden) const {
    if (!std::isfinite(golden) || !m_end.beyond(std::abs(golden))) return false;
    return m_end.isNan ? std::isnan(value) : std::isinf(value) && std::signbit(value) == std::signbit(golden);
}

bool ElementJudge::withinBound(double actual, double error, const OrderLimits& order) {
    if (error == 0) return true;
    if (std::isnan(actual)) return order.notANumber;
    if (std::isinf(actual)) return actual > 0 ? order.above : order.below;
    return std::isfinite(error) && error <= order.bound;
}

bool ElementJudge::count(double actual, double golden, double error, double ulps, double benchmark,
                         const OrderLimits& order, CriterionCounts& counts) const {
    if (actual != 0 || golden != 0) ++counts.nonZero;
    // The type has nothing nearer to a golden beyond its largest value than infinity.
    const double off = overflows(actual, golden) ? 0.0 : error;
    bool inside = true;
    switch (m_limits.criterion) {
        case Criterion::AllClose:
        case Criterion::ErrorRatio:
            inside = off == 0 || asGoodAsTheType(ulps) || off <= m_atol + m_rtol * std::abs(golden);
            break;
        case Criterion::AllCloseActual:
            inside = off == 0 || asGoodAsTheType(ulps) || off <= m_atol + m_rtol * std::abs(actual);
            break;
        case Criterion::TwoThreshold: {
            const double warn = (std::abs(actual) + std::abs(golden)) * m_rtol / 2 + m_atol;
            inside = off == 0 || asGoodAsTheType(ulps) || off <= warn;
            if (!inside && !(off <= kFailFactor * warn)) ++counts.failing;
            break;
        }
        case Criterion::ThreeWay: inside = countThreeWay(actual, golden, error, benchmark, counts); break;
        case Criterion::Exact: inside = off == 0 || ulps == 0; break;
        case Criterion::OrderBound: inside = withinBound(actual, error, order); break;
    }
    // Infinity within an infinite tolerance is no agreement; these two look at infinities themselves.
    const bool knowsInfinity = m_limits.criterion == Criterion::ThreeWay || m_limits.criterion == Criterion::OrderBound;
    if (!std::isfinite(off) && !knowsInfinity) inside = false;
    if (!inside) ++counts.outside;
    return !inside;
}

bool ElementJudge::countThreeWay(double actual, double golden, double error, double benchmark,
                                 CriterionCounts& counts) const {
    const bool near = !m_integerLimit || error <= *m_integerLimit;
    if (!near) ++counts.integersOff;
    if (!m_ratios) return near;
    const auto offBy = [&](double value, double given) { return overflows(value, golden) ? 0.0 : given; };
    const bool same = benchmark == golden || (std::isnan(benchmark) && std::isnan(golden));
    const std::array<double, 2> errors{offBy(actual, error),
                                       offBy(benchmark, same ? 0.0 : std::abs(benchmark - golden))};
    const double size = std::abs(golden);
    if (std::isfinite(golden)) {
        counts.goldenSquares += golden * golden;
        ++counts.goldenFinite;
    }
    for (std::size_t i = 0; i < errors.size(); ++i)
        if (!std::isfinite(errors[i])) ++counts.ratios[i].notFinite;
    if (std::isfinite(errors[1]) && std::isfinite(golden)) {
        counts.benchmarkError = std::max(counts.benchmarkError, errors[1]);
        counts.benchmarkExcess =
            std::max(counts.benchmarkExcess, errors[1] - m_agreementShare * size - m_agreementFloor);
    }
    if (!std::isfinite(errors[0]) || !std::isfinite(errors[1])) return std::isfinite(errors[0]);
    if (!std::isfinite(golden)) return true;
    if (size < m_normalFrom) {
        for (std::size_t i = 0; i < errors.size(); ++i)
            if (errors[i] > m_smallLimit) ++counts.ratios[i].smallErrors;
        return errors[0] <= m_smallLimit;
    }
    ++counts.normal;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        CriterionCounts::Ratios& ratios = counts.ratios[i];
        const double relative = errors[i] / size;
        ratios.largest = worse(ratios.largest, relative);
        ratios.sum += relative;
        ratios.squares += relative * relative;
        ratios.errorSquares += errors[i] * errors[i];
    }
    return near;
}

CriterionVerdict ElementJudge::decide(const CriterionCounts& counts, std::int64_t elements,
                                      std::int64_t notFinite) const {
    switch (m_limits.criterion) {
        case Criterion::TwoThreshold: return decideTwoThreshold(std::min(m_rtol, m_atol), counts);
        case Criterion::ThreeWay:
            if (!m_ratios) return decideIntegers(0, counts);
            return decideThreeWay(m_limits, m_agreementShare, counts);
        case Criterion::ErrorRatio: {
            const std::int64_t allowed = nearestEven(m_limits.maxErrorRatio * static_cast<double>(elements));
            if (notFinite > 0)
                return verdictOf(false, elementsText(notFinite) + " of the output NaN or infinite", allowed);
            return verdictOf(
                counts.outside <= allowed,
                elementsText(counts.outside) + " beyond tolerance, " + std::to_string(allowed) + " allowed", allowed);
        }
        case Criterion::Exact:
            return verdictOf(counts.outside == 0,
                             elementsText(counts.outside) + " not equal to the golden rounded to the type");
        case Criterion::OrderBound:
            return verdictOf(counts.outside == 0,
                             elementsText(counts.outside) + " beyond what the order of the sum can explain");
        case Criterion::AllClose:
        case Criterion::AllCloseActual:
            return verdictOf(counts.outside == 0, elementsText(counts.outside) + " beyond tolerance");
    }
    return {};
}

}  // namespace cubist
