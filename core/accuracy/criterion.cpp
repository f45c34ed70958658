// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/accuracy/criterion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/number_formats.h"

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

CriterionVerdict decideThreeWay(const Tolerance& limits, const CriterionCounts& counts) {
    const auto& [output, benchmark] = counts.ratios;
    const auto n = static_cast<double>(std::max<std::int64_t>(1, counts.normal));
    const auto ratio = [](double mine, double others) { return mine / std::max(others, kBenchmarkFloor); };
    ThreeWayResult result;
    result.mare = ratio(output.largest, benchmark.largest);
    result.mere = ratio(output.sum / n, benchmark.sum / n);
    result.rmse = ratio(std::sqrt(output.squares / n), std::sqrt(benchmark.squares / n));
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
    check("root mean square relative error", result.rmse, allowed.mean);
    check("errors of small values", result.smallErrors, kSmallErrorRatio);
    const bool finite = std::isfinite(result.mare) && std::isfinite(result.mere) && std::isfinite(result.rmse);
    if (!finite) reason = "a relative error is not finite";
    if (counts.notFinite > 0) reason = elementsText(counts.notFinite) + " not finite in the output or the golden only";
    // The ratios would compare one wrong distance with another and call anything good.
    if (counts.impossible > 0 || counts.missed > counts.elements / 100)
        reason = "the benchmark itself does not match the golden, " +
                 elementsText(std::max(counts.impossible, counts.missed)) + " are far off";
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
    elements += other.elements;
    notFinite += other.notFinite;
    missed += other.missed;
    impossible += other.impossible;
    for (std::size_t i = 0; i < ratios.size(); ++i) {
        ratios[i].largest = worse(ratios[i].largest, other.ratios[i].largest);
        ratios[i].sum += other.ratios[i].sum;
        ratios[i].squares += other.ratios[i].squares;
        ratios[i].smallErrors += other.ratios[i].smallErrors;
    }
}

bool overflows(DType type, double actual, double golden, double bound) {
    if (!std::isinf(actual) || !std::isfinite(golden) || std::signbit(actual) != std::signbit(golden)) return false;
    if (!isFloat(type) || !std::isfinite(bound)) return false;
    return std::isinf(decode(type, encode(type, std::abs(golden) + bound)));
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
    m_type = type;
}

bool ElementJudge::count(double actual, double golden, double error, double ulps, double benchmark, double bound,
                         CriterionCounts& counts) const {
    if (actual != 0 || golden != 0) ++counts.nonZero;
    bool inside = true;
    switch (m_limits.criterion) {
        case Criterion::AllClose:
        case Criterion::ErrorRatio:
            inside = error == 0 || asGoodAsTheType(ulps) || error <= m_atol + m_rtol * std::abs(golden);
            break;
        case Criterion::AllCloseActual:
            inside = error == 0 || asGoodAsTheType(ulps) || error <= m_atol + m_rtol * std::abs(actual);
            break;
        case Criterion::TwoThreshold: {
            const double warn = (std::abs(actual) + std::abs(golden)) * m_rtol / 2 + m_atol;
            inside = error == 0 || asGoodAsTheType(ulps) || error <= warn;
            if (!inside && !(error <= kFailFactor * warn)) ++counts.failing;
            break;
        }
        case Criterion::ThreeWay: inside = countThreeWay(actual, golden, error, benchmark, counts); break;
        case Criterion::Exact: inside = ulps == 0; break;
        case Criterion::OrderBound:
            inside = error == 0 || error <= bound || overflows(m_type, actual, golden, bound);
            break;
    }
    // Infinity within an infinite tolerance is no agreement.
    const bool beyond = m_limits.criterion == Criterion::OrderBound && overflows(m_type, actual, golden, bound);
    if (!std::isfinite(error) && !beyond) inside = false;
    if (!inside) ++counts.outside;
    return !inside;
}

/// How far from a golden can a result of the same precision be? Integers are exact, but for the steps of quantised
/// ones. A single float may come from a sum that cancels, though hardly in FP32 to be off by more than itself and 1;
/// many of them do not.
void ElementJudge::countBenchmark(double size, double other, CriterionCounts& counts) const {
    constexpr double kFarOff = 0.25, kSmallFarOff = 16.0;
    if (std::isnan(size)) return;  // the output has to be NaN as well
    if (!isFloat(m_type)) {
        if (!(other <= (bitsPerElement(m_type) <= 8 ? 1.0 : 0.0))) ++counts.impossible;
        return;
    }
    const bool small = size < m_normalFrom;
    if (!(other <= (small ? kSmallFarOff * m_normalFrom : kFarOff * size))) ++counts.missed;
    if (!small && m_type == DType::FP32 && !(other <= std::max(size, 1.0))) ++counts.impossible;
}

bool ElementJudge::countThreeWay(double actual, double golden, double error, double benchmark,
                                 CriterionCounts& counts) const {
    const double other = benchmark == golden ? 0.0 : std::abs(benchmark - golden);
    const double size = std::abs(golden);
    ++counts.elements;
    if (!std::isfinite(error)) ++counts.notFinite;
    countBenchmark(size, other, counts);
    if (!(size >= m_normalFrom)) {
        const bool off = !(error <= m_smallLimit);
        if (off) ++counts.ratios[0].smallErrors;
        if (!(other <= m_smallLimit)) ++counts.ratios[1].smallErrors;
        return !off;
    }
    if (std::isinf(golden) && actual == golden) return true;
    ++counts.normal;
    const auto add = [&](CriterionCounts::Ratios& ratios, double relative) {
        ratios.largest = worse(ratios.largest, relative);
        ratios.sum += relative;
        ratios.squares += relative * relative;
    };
    add(counts.ratios[0], error / size);
    add(counts.ratios[1], other / size);
    return true;
}

CriterionVerdict ElementJudge::decide(const CriterionCounts& counts, std::int64_t elements,
                                      std::int64_t notFinite) const {
    switch (m_limits.criterion) {
        case Criterion::TwoThreshold: return decideTwoThreshold(std::min(m_rtol, m_atol), counts);
        case Criterion::ThreeWay: return decideThreeWay(m_limits, counts);
        case Criterion::ErrorRatio: {
            const auto allowed =
                static_cast<std::int64_t>(std::floor(m_limits.maxErrorRatio * static_cast<double>(elements) + 0.5));
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
