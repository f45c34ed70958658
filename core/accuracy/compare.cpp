// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/accuracy/compare.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "core/accuracy/error_map.h"
#include "core/accuracy/ulp.h"
#include "core/base/integer_math.h"
#include "core/base/parallel.h"

namespace cubist {

namespace {

constexpr std::size_t kWorst = 20;
constexpr std::size_t kBins = 128;
constexpr std::int64_t kChunk = 512;           // elements looked at together, on the stack
constexpr std::int64_t kUnitElements = 65536;  // elements whose sums are formed one after another

/// Larger of two errors, where NaN beats everything.
double worse(double a, double b) {
    return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::max(a, b);
}

/// Error of one element: 0 where both are the same infinity or both NaN.
double errorOf(double actual, double golden) {
    if (actual == golden || (std::isnan(actual) && std::isnan(golden))) return 0.0;
    return std::abs(actual - golden);
}

std::size_t histogramBin(double error) {
    const auto exponent = static_cast<int>((std::bit_cast<std::uint64_t>(error) >> 52) & 0x7FF) - 1023;
    return static_cast<std::size_t>(std::clamp(exponent + 64, 0, static_cast<int>(kBins) - 1));
}

/// |a - b|, exact before it becomes a double.
double distance(std::int64_t a, std::int64_t b) {
    const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
    return static_cast<double>(a > b ? ua - ub : ub - ua);
}

struct Candidate {
    double error = 0;
    std::int64_t position = 0;  // row-major
    double actual = 0, golden = 0, products = 0;

    [[nodiscard]] bool before(const Candidate& other) const {
        const double mine = std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
        const double others = std::isnan(other.error) ? std::numeric_limits<double>::infinity() : other.error;
        return mine != others ? mine > others : position < other.position;
    }
};

/// The largest errors in order; the same for any order of insertion.
class WorstList {
public:
    void insert(const Candidate& candidate) {
        if (m_list.size() == kWorst && !candidate.before(m_list.back())) return;
        m_list.insert(std::upper_bound(m_list.begin(), m_list.end(), candidate,
                                       [](const Candidate& a, const Candidate& b) { return a.before(b); }),
                      candidate);
        if (m_list.size() > kWorst) m_list.pop_back();
    }
    [[nodiscard]] const std::vector<Candidate>& list() const { return m_list; }

private:
    std::vector<Candidate> m_list;
};

/// What is gathered over one rectangle of the matrix.
struct Sums {
    double maxAbs = 0, maxRel = 0, maxUlp = 0;
    double abs = 0, squares = 0, product = 0, actualSquares = 0, goldenSquares = 0;
    double largestShare = 0;  // of the order bound
    std::int64_t beyondOrder = 0, nans = 0, infinities = 0, exact = 0;
    CriterionCounts counts;
    std::array<std::int64_t, kBins> histogram{};
    WorstList worst;

    void add(const Sums& other) {
        maxAbs = worse(maxAbs, other.maxAbs);
        maxRel = worse(maxRel, other.maxRel);
        maxUlp = worse(maxUlp, other.maxUlp);
        abs += other.abs;
        squares += other.squares;
        product += other.product;
        actualSquares += other.actualSquares;
        goldenSquares += other.goldenSquares;
        largestShare = worse(largestShare, other.largestShare);
        beyondOrder += other.beyondOrder;
        counts.add(other.counts);
        nans += other.nans;
        infinities += other.infinities;
        exact += other.exact;
        for (std::size_t i = 0; i < kBins; ++i) histogram[i] += other.histogram[i];
        for (const Candidate& candidate : other.worst.list()) worst.insert(candidate);
    }
};

struct Comparison {
    const HostTensor& actual;
    std::int64_t base;  ///< position of the first element of `golden` and the companions
    std::span<const double> golden;
    const ElementJudge& judge;
    const UlpScale& ulps;
    const Companions& companions;
    ErrorMap& map;

    /// Error of an INT64 element, where FP64 could take different numbers for the same. Nothing where the golden is not
    /// whole: there FP64 tells them apart.
    [[nodiscard]] std::optional<double> integerError(std::int64_t position, double g) const {
        if (actual.dtype() != DType::INT64) return std::nullopt;
        const std::int64_t a = actual.codes<std::int64_t>()[static_cast<std::size_t>(position)];
        if (!companions.integers.empty())
            return distance(a, companions.integers[static_cast<std::size_t>(position - base)]);
        if (!std::isfinite(g) || std::floor(g) != g) return std::nullopt;
        constexpr double kEnd = 0x1p63;
        // Beyond the type: the way to its end, and one more step to the golden.
        if (g >= kEnd) return distance(a, std::numeric_limits<std::int64_t>::max()) + 1 + (g - kEnd);
        if (g < -kEnd) return distance(a, std::numeric_limits<std::int64_t>::min()) + (-kEnd - g);
        return distance(a, static_cast<std::int64_t>(g));
    }

    /// Compares elements that lie in one row and one cell.
    void compareChunk(std::int64_t first, std::int64_t count, std::size_t cell, Sums& sums) const {
        std::array<double, kChunk> values, steps;
        const std::span<double> a = std::span(values).first(static_cast<std::size_t>(count));
        const std::span<const double> g = golden.subspan(static_cast<std::size_t>(first - base), a.size());
        actual.toFloat64(first, a);
        ulps.distances(a, g, std::span(steps).first(a.size()));
        for (std::size_t i = 0; i < a.size(); ++i) {
            const auto whole = integerError(first + static_cast<std::int64_t>(i), g[i]);
            const double error = whole.value_or(errorOf(a[i], g[i]));
            if (whole) steps[i] = error;
            sums.nans += std::isnan(a[i]) ? 1 : 0;
            sums.infinities += std::isinf(a[i]) ? 1 : 0;
            // Equal infinities and equal NaNs agree, but have no place in a cosine.
            if (std::isfinite(a[i]) || error != 0) {
                sums.product += a[i] * g[i];
                sums.actualSquares += a[i] * a[i];
                sums.goldenSquares += g[i] * g[i];
            }
            compareElement(first + static_cast<std::int64_t>(i), a[i], g[i], error, steps[i], cell, sums);
        }
    }

    void compareElement(std::int64_t position, double a, double g, double error, double steps, std::size_t cell,
                        Sums& sums) const {
        const auto p = static_cast<std::size_t>(position - base);
        const double benchmark = companions.benchmark.empty() ? g : companions.benchmark[p];
        const double products = companions.sumOfProducts.empty() ? 0.0 : companions.sumOfProducts[p];
        const OrderLimits limits = companions.sumOfProducts.empty()
                                       ? OrderLimits{}
                                       : orderLimits(actual.dtype(), g, products, companions.order);
        if (judge.count(a, g, error, steps, benchmark, limits, sums.counts)) ++map.outside[cell];
        if (error == 0) {
            ++sums.exact;
            return;
        }
        sums.maxAbs = worse(sums.maxAbs, error);
        sums.maxUlp = worse(sums.maxUlp, steps);
        sums.abs += error;
        sums.squares += error * error;
        if (g != 0) sums.maxRel = worse(sums.maxRel, error / std::abs(g));
        map.maxAbs[cell] = worse(map.maxAbs[cell], error);
        if (!companions.sumOfProducts.empty()) {
            const bool within = ElementJudge::withinBound(a, error, limits);
            sums.beyondOrder += within ? 0 : 1;
            if (std::isfinite(error) || !within) sums.largestShare = worse(sums.largestShare, error / limits.bound);
        }
        if (!std::isnan(error)) ++sums.histogram[histogramBin(error)];
        sums.worst.insert({error, position, a, g, products});
    }

    void compareOne(std::int64_t position, Sums& sums) const {
        const std::int64_t row = position / map.cols, col = position % map.cols;
        const std::int64_t cell = row / map.cellRows * map.gridCols + col / map.cellCols;
        compareChunk(position, 1, static_cast<std::size_t>(cell), sums);
    }

    /// Compares rows x columns [row, row + rows) x [col, col + cols), which start at a cell border.
    void compareUnit(std::int64_t row, std::int64_t rows, std::int64_t col, std::int64_t cols, Sums& sums) const {
        for (std::int64_t r = row; r < row + rows; ++r)
            for (std::int64_t c = col; c < col + cols;) {
                const std::int64_t cellEnd = (c / map.cellCols + 1) * map.cellCols;
                const std::int64_t count = std::min({kChunk, cellEnd - c, col + cols - c});
                const std::int64_t cell = r / map.cellRows * map.gridCols + c / map.cellCols;
                compareChunk(r * map.cols + c, count, static_cast<std::size_t>(cell), sums);
                c += count;
            }
    }
};

std::vector<std::int64_t> indexOf(std::int64_t position, const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> index(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        index[axis] = position % shape[axis];
        position /= shape[axis];
    }
    return index;
}

/// 1 where both are zero, 0 where one is. Source: F-32.
double cosineOf(const Sums& sums) {
    if (sums.actualSquares == 0 && sums.goldenSquares == 0) return 1.0;
    if (sums.actualSquares == 0 || sums.goldenSquares == 0) return 0.0;
    return sums.product / (std::sqrt(sums.actualSquares) * std::sqrt(sums.goldenSquares));
}

void fillMetrics(const Sums& sums, OutputMetrics& metrics) {
    const auto count = static_cast<double>(std::max<std::int64_t>(1, metrics.elements));
    metrics.maxAbs = sums.maxAbs;
    metrics.maxRel = sums.maxRel;
    metrics.maxUlp = sums.maxUlp;
    metrics.meanAbs = sums.abs / count;
    metrics.rmse = std::sqrt(sums.squares / count);
    metrics.cosine = cosineOf(sums);
    metrics.outside = sums.counts.outside;
    metrics.failing = sums.counts.failing;
    metrics.nanCount = sums.nans;
    metrics.infCount = sums.infinities;
    metrics.exact = sums.exact;
    metrics.histogram.assign(sums.histogram.begin(), sums.histogram.end());
    for (const Candidate& worst : sums.worst.list())
        metrics.worst.push_back(
            {indexOf(worst.position, metrics.shape), worst.actual, worst.golden, worst.error, worst.products});
}

void fillVerdict(const Sums& sums, const ElementJudge& judge, bool bounded, OutputMetrics& metrics) {
    CriterionVerdict decided = judge.decide(sums.counts, metrics.elements, sums.nans + sums.infinities);
    metrics.verdict = decided.verdict;
    metrics.allowed = decided.allowed;
    metrics.reason = std::move(decided.reason);
    metrics.threeWay = decided.threeWay;
    metrics.limits = judge.limits();
    metrics.byType = judge.byType();
    if (!bounded) return;
    metrics.orderBound =
        OrderBoundResult{sums.beyondOrder == 0 ? Verdict::Pass : Verdict::Fail, sums.beyondOrder, sums.largestShare};
}

/// Half a step of a type: of normal numbers in terms of the number, of subnormal ones as such. Source: F-39
struct HalfStep {
    double relative = 0, absolute = 0;
};
HalfStep halfStep(DType type) {
    if (type == DType::FP32) return {0x1p-24, 0x1p-150};
    if (type == DType::FP16) return {0x1p-11, 0x1p-25};
    if (type == DType::BF16) return {0x1p-8, 0x1p-134};
    if (type == DType::FP8E4M3) return {0x1p-4, 0x1p-10};
    if (type == DType::FP8E5M2) return {0x1p-3, 0x1p-17};
    return isFloat(type) ? HalfStep{0x1p-2, 0x1p-2} : HalfStep{};
}

/// What `count` roundings of `step` each may change, in terms of the sum of the absolute values.
double growth(std::int64_t count, double step) {
    const double steps = static_cast<double>(count) * step;
    return steps < 1 ? steps / (1 - steps) : std::numeric_limits<double>::infinity();
}

/// (1 + step)^count by squaring: what `count` roundings may make of a sum at most.
double grown(std::int64_t count, double step) {
    double result = 1, power = 1 + step;
    for (std::int64_t left = count; left > 0; left /= 2) {
        if (left % 2 != 0) result *= power;
        power *= power;
    }
    return result;
}

/// What the order may change of the sum before it is stored. Source: F-39
double sumBound(double sumOfProducts, const SumOrder& order) {
    const HalfStep fp32 = halfStep(DType::FP32), partial = halfStep(order.partial);
    const std::int64_t terms = std::max<std::int64_t>(1, order.terms);
    double relative = growth(terms, fp32.relative);
    // A product below the smallest step of FP32 may be lost as a whole, whatever it is added to.
    double absolute = static_cast<double>(terms) * static_cast<double>(order.partials) * fp32.absolute;
    if (order.partials > 1) {
        // Sums of FP32 are stored as they are, others are rounded once more.
        const std::int64_t roundings = order.partials - (order.partial == DType::FP32 ? 1 : 0);
        const double added = growth(roundings, partial.relative);
        relative += added + relative * added;
        absolute += 2 * static_cast<double>(order.partials) * partial.absolute;
    }
    return (sumOfProducts > 0 ? relative * sumOfProducts : 0.0) + absolute;
}

Result<void> checkCompanions(const std::string& name, std::size_t elements, const Tolerance& tolerance,
                             const Companions& companions) {
    if (!companions.integers.empty() && companions.integers.size() != elements)
        return unexpected(ErrorCode::WrongType, "output '" + name + "' has " + std::to_string(elements) +
                                                    " elements, the integers of its golden are " +
                                                    std::to_string(companions.integers.size()));
    if (tolerance.criterion == Criterion::ThreeWay && companions.benchmark.size() != elements)
        return unexpected(ErrorCode::Unsupported, "output '" + name + "' has no benchmark for three_way");
    if (tolerance.criterion == Criterion::OrderBound && companions.sumOfProducts.size() != elements)
        return unexpected(ErrorCode::Unsupported,
                          "output '" + name +
                              "' is no plain product of two floating-point tensors, so order_bound "
                              "has no bound for it",
                          {}, "choose another criterion");
    return {};
}

/// A comparison in blocks of rows. Units are made of whole cells and depend on nothing but the shape and the tile:
/// their sums, added in order, have the same bits for any number of threads and blocks, and no two units share a cell.
class RowsComparison {
public:
    RowsComparison(const std::string& name, const HostTensor& actual, const Tolerance& tolerance, std::int64_t tileRows,
                   std::int64_t tileCols)
        : m_actual(actual), m_ulps(actual.dtype()), m_judge(tolerance, actual.dtype()) {
        m_metrics.name = name;
        m_metrics.dtype = actual.dtype();
        m_metrics.shape = actual.shape();
        m_metrics.elements = actual.count();
        m_metrics.map = emptyErrorMap(m_metrics.shape, tileRows, tileCols);
        const ErrorMap& map = m_metrics.map;
        m_unitCols = roundUp(std::min(std::max<std::int64_t>(1, map.cols), kUnitElements), map.cellCols);
        m_unitRows = roundUp(std::max<std::int64_t>(1, kUnitElements / m_unitCols), map.cellRows);
    }

    [[nodiscard]] std::int64_t unitRows() const { return m_unitRows; }
    [[nodiscard]] const ErrorMap& map() const { return m_metrics.map; }

    /// Rows [first, first + count), from a unit's first row to a unit's end; `golden` and companions begin there.
    /// Returns false when cancelled.
    bool add(std::int64_t first, std::int64_t count, std::span<const double> golden, const Companions& companions,
             const RunContext& context) {
        ErrorMap& map = m_metrics.map;
        const std::int64_t across = ceilDiv(map.cols, m_unitCols), units = ceilDiv(count, m_unitRows) * across;
        const Comparison comparison{m_actual, first * map.cols, golden, m_judge, m_ulps, companions, map};
        std::vector<Sums> parts(static_cast<std::size_t>(units));
        std::atomic<std::int64_t> done = 0;
        const bool complete = parallelFor(context.threads, units, [&](std::int64_t unit, int worker) {
            if (context.cancelled()) return false;
            const std::int64_t row = first + unit / across * m_unitRows, col = unit % across * m_unitCols;
            comparison.compareUnit(row, std::min(m_unitRows, first + count - row), col,
                                   std::min(m_unitCols, map.cols - col), parts[static_cast<std::size_t>(unit)]);
            const std::int64_t finished = done.fetch_add(1) + 1;
            if (worker == 0) context.report(static_cast<double>(finished) / static_cast<double>(units), "compare");
            return true;
        });
        for (const Sums& part : parts) m_total.add(part);
        return complete;
    }

    void addSample(std::span<const double> golden, const Companions& companions) {
        const Comparison comparison{m_actual, 0, golden, m_judge, m_ulps, companions, m_metrics.map};
        for (const std::int64_t position : companions.sample) comparison.compareOne(position, m_total);
        m_metrics.elements = static_cast<std::int64_t>(companions.sample.size());
    }

    [[nodiscard]] OutputMetrics finish(bool bounded) {
        fillMetrics(m_total, m_metrics);
        fillVerdict(m_total, m_judge, bounded, m_metrics);
        return std::move(m_metrics);
    }

private:
    const HostTensor& m_actual;
    UlpScale m_ulps;
    ElementJudge m_judge;
    OutputMetrics m_metrics;
    std::int64_t m_unitRows = 1, m_unitCols = 1;
    Sums m_total;
};

}  // namespace

double orderBound(DType type, double golden, double sumOfProducts, const SumOrder& order) {
    const double sum = sumBound(sumOfProducts, order);
    const HalfStep fp32 = halfStep(DType::FP32), store = halfStep(type);
    const double rounding = type == DType::FP32 ? 0.0 : store.relative * (std::abs(golden) + sum);
    return sum + rounding + 2 * std::max(store.absolute, fp32.absolute);
}

OrderLimits orderLimits(DType type, double golden, double sumOfProducts, const SumOrder& order) {
    OrderLimits out;
    out.bound = orderBound(type, golden, sumOfProducts, order);
    if (!std::isfinite(sumOfProducts) || std::isnan(golden)) return out;
    const TypeEnd end = typeEnd(type);
    const double sum = std::isfinite(golden) ? golden : std::copysign(end.size, golden);
    double infinite = typeEnd(DType::FP32).size;
    if (order.partials > 1) infinite = std::min(infinite, typeEnd(order.partial).size);
    if (!std::isfinite(sum)) return out;
    const double steps = static_cast<double>(order.terms) * halfStep(DType::FP32).relative +
                         static_cast<double>(order.partials) * halfStep(order.partial).relative;
    // Far from both ends, whatever the roundings: they make less than e of a sum.
    if (steps < 1 && sumOfProducts < std::min(infinite, end.size) / 4 && std::abs(sum) < end.size / 4) return out;
    double most = grown(order.terms, halfStep(DType::FP32).relative);
    if (order.partials > 1) most *= grown(order.partials, halfStep(order.partial).relative);
    const double up = (sumOfProducts + sum) / 2 * most, down = (sumOfProducts - sum) / 2 * most;
    const double change = sumBound(sumOfProducts, order);
    const bool sumsUp = up >= infinite, sumsDown = down >= infinite;
    out.above = sumsUp || end.beyond(std::min(sum + change, up));
    out.below = sumsDown || end.beyond(std::min(change - sum, down));
    out.notANumber = end.isNan ? out.above || out.below : sumsUp && sumsDown;
    return out;
}

Result<OutputMetrics> compareOutput(const std::string& name, const HostTensor& actual, std::span<const double> golden,
                                    const Tolerance& tolerance, std::int64_t tileRows, std::int64_t tileCols,
                                    const RunContext& context, const Companions& companions) {
    if (static_cast<std::int64_t>(golden.size()) != actual.count())
        return unexpected(ErrorCode::WrongType, "output '" + name + "' has " + std::to_string(actual.count()) +
                                                    " elements, its golden has " + std::to_string(golden.size()));
    CUBIST_CHECK_OK(checkCompanions(name, golden.size(), tolerance, companions));
    RowsComparison comparison(name, actual, tolerance, tileRows, tileCols);
    if (!companions.sample.empty())
        comparison.addSample(golden, companions);
    else if (!comparison.add(0, comparison.map().rows, golden, companions, context))
        return cancelledError();
    return comparison.finish(!companions.sumOfProducts.empty());
}

Result<OutputMetrics> compareByRows(const std::string& name, const HostTensor& actual, const GoldenRowsOf& goldenOf,
                                    std::int64_t blockElements, const SumOrder& order, const Tolerance& tolerance,
                                    std::int64_t tileRows, std::int64_t tileCols, const RunContext& context) {
    RowsComparison comparison(name, actual, tolerance, tileRows, tileCols);
    const std::int64_t rows = comparison.map().rows, cols = std::max<std::int64_t>(1, comparison.map().cols);
    const std::int64_t wanted = std::max<std::int64_t>(1, blockElements / cols);
    const std::int64_t step = std::max(comparison.unitRows(), wanted / comparison.unitRows() * comparison.unitRows());
    for (std::int64_t first = 0; first < rows; first += step) {
        const std::int64_t count = std::min(step, rows - first);
        CUBIST_TRY(const GoldenRows block, goldenOf(first, count));
        Companions companions;
        companions.sumOfProducts = block.sumOfProducts;
        companions.order = order;
        const auto elements = static_cast<std::size_t>(count * cols);
        if (block.golden.size() != elements)
            return unexpected(ErrorCode::WrongType, "a block of the golden of '" + name + "' has " +
                                                        std::to_string(block.golden.size()) + " elements, not " +
                                                        std::to_string(elements));
        CUBIST_CHECK_OK(checkCompanions(name, elements, tolerance, companions));
        if (!comparison.add(first, count, block.golden, companions, context)) return cancelledError();
    }
    return comparison.finish(order.terms > 0);
}

}  // namespace cubist
