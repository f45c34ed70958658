// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <cmath>
#include <limits>

#include "core/accuracy/compare.h"

using namespace cubist;

namespace {

HostTensor tensor(DType dtype, const std::vector<double>& values) {
    HostTensor made = std::move(HostTensor::zeros(dtype, {static_cast<std::int64_t>(values.size())})).value();
    for (std::size_t i = 0; i < values.size(); ++i) made.set(static_cast<std::int64_t>(i), values[i]);
    return made;
}

Tolerance by(Criterion criterion, double rtol = 1e-3, double atol = 1e-3) {
    Tolerance made;
    made.criterion = criterion;
    made.rtol = rtol;
    made.atol = atol;
    return made;
}

Result<OutputMetrics> tryCompare(DType dtype, const std::vector<double>& actual, const std::vector<double>& golden,
                                 const Tolerance& limits, const Companions& companions = {}) {
    return compareOutput("y", tensor(dtype, actual), golden, limits, 1, 1, {}, companions);
}

OutputMetrics compared(DType dtype, const std::vector<double>& actual, const std::vector<double>& golden,
                       const Tolerance& limits, const Companions& companions = {}) {
    auto result = tryCompare(dtype, actual, golden, limits, companions);
    if (!result) qFatal("%s", result.error().message.c_str());
    return std::move(result).value();
}

}  // namespace

class TestCriterion : public QObject {
    Q_OBJECT

private slots:
    void allCloseTakesTheGoldenAsReference() {
        // 1 against 2: the difference 1 is within 0.5 * 2, but not within 0.5 * 1.
        QCOMPARE(compared(DType::FP32, {1}, {2}, by(Criterion::AllClose, 0.5, 0)).verdict, Verdict::Pass);
        QCOMPARE(compared(DType::FP32, {1}, {2}, by(Criterion::AllCloseActual, 0.5, 0)).verdict, Verdict::Fail);
        QCOMPARE(compared(DType::FP32, {2}, {1}, by(Criterion::AllClose, 0.5, 0)).verdict, Verdict::Fail);
        QCOMPARE(compared(DType::FP32, {2}, {1}, by(Criterion::AllCloseActual, 0.5, 0)).verdict, Verdict::Pass);
    }

    void twoThresholdsAllowAQuotaOfWarnings_data() {
        QTest::addColumn<int>("elements");
        QTest::addColumn<int>("warnings");
        QTest::addColumn<int>("allowed");
        QTest::addColumn<bool>("passes");
        // n * min(rtol, atol) = 10; max(16, sqrt(10000) / 2 = 50) = 50
        QTest::newRow("at the share") << 10000 << 10 << 10 << true;
        QTest::newRow("beyond the share") << 10000 << 11 << 10 << false;
        QTest::newRow("few elements allow none") << 900 << 1 << 0 << false;
        // n * 1e-3 = 90 000 / 1000 = 90 but sqrt(90 000) / 2 = 150: the share decides; at 10^6: 500 against 1000
        QTest::newRow("the root decides") << 1000000 << 500 << 500 << true;
        QTest::newRow("beyond the root") << 1000000 << 501 << 500 << false;
    }
    void twoThresholdsAllowAQuotaOfWarnings() {
        QFETCH(int, elements);
        QFETCH(int, warnings);
        QFETCH(int, allowed);
        QFETCH(bool, passes);
        std::vector<double> golden(static_cast<std::size_t>(elements), 1.0);
        std::vector<double> actual = golden;
        // warn at 1 and 1.0039: about 2.002e-3
        for (int i = 0; i < warnings; ++i) actual[static_cast<std::size_t>(i)] = 1.00390625;
        const OutputMetrics metrics = compared(DType::FP32, actual, golden, by(Criterion::TwoThreshold));
        QCOMPARE(metrics.outside, warnings);
        QCOMPARE(metrics.failing, 0);
        QCOMPARE(metrics.allowed, allowed);
        QCOMPARE(metrics.verdict, passes ? Verdict::Pass : Verdict::Fail);
    }

    void oneElementBeyond128WarningsFails() {
        std::vector<double> golden(100000, 1.0);
        std::vector<double> actual = golden;
        actual[7] = 1.5;  // beyond 128 * ((1.5 + 1) * 5e-4 + 1e-3) = 0.288
        const OutputMetrics metrics = compared(DType::FP32, actual, golden, by(Criterion::TwoThreshold));
        QCOMPARE(metrics.failing, 1);
        QCOMPARE(metrics.verdict, Verdict::Fail);
        actual[7] = 1.25;  // within
        QCOMPARE(compared(DType::FP32, actual, golden, by(Criterion::TwoThreshold)).verdict, Verdict::Pass);
    }

    void elementsThatAreBothZeroDoNotRaiseTheQuota() {
        std::vector<double> golden(10000, 0.0);
        std::vector<double> actual = golden;
        actual[0] = 0.0078125;
        const OutputMetrics metrics = compared(DType::FP32, actual, golden, by(Criterion::TwoThreshold));
        QCOMPARE(metrics.outside, 1);
        QCOMPARE(metrics.allowed, 0);  // one element is not both 0
        QCOMPARE(metrics.verdict, Verdict::Fail);
    }

    void errorRatioAllowsAShareOfTheElements() {
        std::vector<double> golden(1000, 1.0);
        std::vector<double> actual = golden;
        for (std::size_t i = 0; i < 5; ++i) actual[i] = 2.0;
        QCOMPARE(compared(DType::FP32, actual, golden, by(Criterion::ErrorRatio)).verdict, Verdict::Pass);
        actual[5] = 2.0;
        QCOMPARE(compared(DType::FP32, actual, golden, by(Criterion::ErrorRatio)).verdict, Verdict::Fail);
    }

    void errorRatioRoundsTiesToEven_data() {
        QTest::addColumn<int>("elements");
        QTest::addColumn<int>("allowed");  // Python's round(0.005 * elements)
        for (const auto& [elements, allowed] : {std::pair{99, 0}, {100, 0}, {101, 1}, {300, 2}, {500, 2}, {700, 4}})
            QTest::addRow("%d", elements) << elements << allowed;
    }
    void errorRatioRoundsTiesToEven() {
        QFETCH(int, elements);
        QFETCH(int, allowed);
        const std::vector<double> golden(static_cast<std::size_t>(elements), 1.0);
        std::vector<double> actual = golden;
        for (int i = 0; i < allowed; ++i) actual[static_cast<std::size_t>(i)] = 2.0;
        QCOMPARE(compared(DType::FP32, actual, golden, by(Criterion::ErrorRatio)).verdict, Verdict::Pass);
        actual[static_cast<std::size_t>(allowed)] = 2.0;
        const OutputMetrics metrics = compared(DType::FP32, actual, golden, by(Criterion::ErrorRatio));
        QCOMPARE(metrics.verdict, Verdict::Fail);
        QCOMPARE(metrics.allowed, allowed);
    }

    void errorRatioFailsOnAnyNaN() {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        std::vector<double> golden(1000, 1.0);
        std::vector<double> actual = golden;
        actual[3] = nan;
        golden[3] = nan;
        const OutputMetrics metrics = compared(DType::FP32, actual, golden, by(Criterion::ErrorRatio));
        QCOMPARE(metrics.outside, 0);
        QCOMPARE(metrics.verdict, Verdict::Fail);
        QVERIFY(metrics.reason.find("NaN") != std::string::npos);
    }

    void threeWayComparesErrorsWithABenchmark_data() {
        QTest::addColumn<double>("factor");
        QTest::addColumn<QString>("level");
        QTest::addColumn<bool>("passes");
        QTest::newRow("as good as the benchmark") << 1.0 << "L2" << true;
        QTest::newRow("L2 allows 1.2 on the mean") << 1.5 << "L2" << false;
        QTest::newRow("L1 allows 1.5") << 1.5 << "L1" << true;
        QTest::newRow("L0 allows 2") << 2.0 << "L0" << true;
        QTest::newRow("beyond L0") << 2.5 << "L0" << false;
    }
    void threeWayComparesErrorsWithABenchmark() {
        QFETCH(double, factor);
        QFETCH(QString, level);
        QFETCH(bool, passes);
        Tolerance limits = by(Criterion::ThreeWay);
        limits.level = level == "L0" ? PrecisionLevel::L0 : level == "L1" ? PrecisionLevel::L1 : PrecisionLevel::L2;
        const std::vector<double> golden(64, 1.0);
        const std::vector<double> benchmark(64, 1.0 + 0x1p-10);
        const std::vector<double> actual(64, 1.0 + factor * 0x1p-10);
        Companions companions;
        companions.benchmark = benchmark;
        const OutputMetrics metrics = compared(DType::FP32, actual, golden, limits, companions);
        QVERIFY(metrics.threeWay.has_value());
        QCOMPARE(metrics.threeWay->mere, factor);
        QCOMPARE(metrics.verdict, passes ? Verdict::Pass : Verdict::Fail);
    }

    void smallValuesAreCountedApart() {
        // Below 2^-14 an FP32 value is small: its relative error is no argument, being off by more than 2^-30 is.
        const std::vector<double> golden{1.0, 0x1p-20, 0x1p-20, 0x1p-20};
        const std::vector<double> actual{1.0, 0x1p-20 + 0x1p-29, 0x1p-20 + 0x1p-29, 0x1p-20 + 0x1p-29};
        const std::vector<double> good = golden;
        Companions companions;
        companions.benchmark = good;
        const OutputMetrics metrics = compared(DType::FP32, actual, golden, by(Criterion::ThreeWay), companions);
        QCOMPARE(metrics.threeWay->mare, 0.0);
        QCOMPARE(metrics.threeWay->smallErrors, 3.0);
        QCOMPARE(metrics.verdict, Verdict::Fail);
    }

    /// Output and benchmark agree with each other but not with the golden: every ratio would be 1.
    void aBenchmarkThatIsOffTheGoldenMakesNoPass_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("factor");  // of the golden in what output and benchmark hold
        QTest::addColumn<double>("last");    // the last golden, 0: as the others
        QTest::addColumn<bool>("passes");
        const auto row = [](const char* name, DType type, double factor, double last, bool passes) {
            QTest::newRow(name) << static_cast<int>(type) << factor << last << passes;
        };
        row("right", DType::FP32, 1.0, 0, true);
        row("negated", DType::FP32, -1.0, 0, false);
        row("half", DType::FP32, 0.5, 0, false);
        row("golden of zeros", DType::FP32, std::numeric_limits<double>::infinity(), 0, false);
        row("golden of NaN", DType::FP32, std::numeric_limits<double>::quiet_NaN(), 0, false);
        row("one element", DType::FP32, 1.0, 50, false);
        row("right bytes", DType::INT8, 1.0, 0, true);
        row("a byte that flipped", DType::INT8, 1.0, 65, true);
        row("a wrong byte", DType::INT8, 1.0, 67, false);
        row("overflow", DType::FP16, 1.0, 70000, true);
    }
    void aBenchmarkThatIsOffTheGoldenMakesNoPass() {
        QFETCH(int, type);
        QFETCH(double, factor);
        QFETCH(double, last);
        QFETCH(bool, passes);
        const auto dtype = static_cast<DType>(type);
        std::vector<double> values, golden;
        for (int i = 1; i <= 64; ++i) {
            values.push_back(std::isfinite(factor) ? i * factor : i);
            golden.push_back(std::isnan(factor) ? factor : std::isinf(factor) ? 0.0 : i);
        }
        if (last != 0) golden.back() = last;
        if (last == 70000) values.back() = std::numeric_limits<double>::infinity();
        Companions companions;
        companions.benchmark = values;
        const OutputMetrics metrics = compared(dtype, values, golden, by(Criterion::ThreeWay), companions);
        QCOMPARE(metrics.verdict, passes ? Verdict::Pass : Verdict::Fail);
        QCOMPARE(metrics.threeWay.has_value(), passes);
        if (!passes) QVERIFY(metrics.reason.starts_with("the benchmark does not agree with this golden"));
    }

    /// The published criterion is about floats. Integers are exact whatever the benchmark, those of quantisation may
    /// flip by one step, and INT64 is compared beyond 2^53 too.
    void threeWayComparesIntegersAsIntegers_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("off");           // of output, from 40
        QTest::addColumn<double>("benchmarkOff");  // of the benchmark
        QTest::addColumn<bool>("passes");
        const auto row = [](const char* name, DType type, double off, double benchmarkOff, bool passes) {
            QTest::newRow(name) << static_cast<int>(type) << off << benchmarkOff << passes;
        };
        for (const auto& [name, type] :
             {std::pair{"INT16", DType::INT16}, {"INT32", DType::INT32}, {"INT64", DType::INT64}}) {
            row(name, type, 0, 0, true);
            row(qPrintable(QString(name) + " off as the benchmark"), type, 1, 1, false);
            row(qPrintable(QString(name) + " beside a benchmark that is off"), type, 0, 3, true);
        }
        for (const auto& [name, type] : {std::pair{"INT8", DType::INT8}, {"UINT8", DType::UINT8}}) {
            row(name, type, 0, 0, true);
            row(qPrintable(QString(name) + " flipped as the benchmark"), type, 1, 1, true);
            row(qPrintable(QString(name) + " flipped alone"), type, 1, 0, false);
            row(qPrintable(QString(name) + " two steps, twice the benchmark's"), type, 2, 1, false);
        }
    }
    void threeWayComparesIntegersAsIntegers() {
        QFETCH(int, type);
        QFETCH(double, off);
        QFETCH(double, benchmarkOff);
        QFETCH(bool, passes);
        const std::vector<double> golden{40}, benchmark{40 + benchmarkOff};
        Tolerance limits = by(Criterion::ThreeWay);
        limits.level = PrecisionLevel::L0;
        Companions companions;
        companions.benchmark = benchmark;
        const OutputMetrics metrics = compared(static_cast<DType>(type), {40 + off}, golden, limits, companions);
        QCOMPARE(metrics.verdict, passes ? Verdict::Pass : Verdict::Fail);
        QCOMPARE(metrics.outside,
                 off > (type == static_cast<int>(DType::INT8) || type == static_cast<int>(DType::UINT8)) ? 1 : 0);
        if (!passes && off == 1 && benchmarkOff == 1) {
            QVERIFY(!metrics.threeWay.has_value());
            QCOMPARE(QString::fromStdString(metrics.reason),
                     QString("1 element not equal to the golden: three_way compares integers exactly"));
        }
    }

    void int64IsExactBeyondFp64() {
        constexpr std::int64_t kBig = (std::int64_t{1} << 53) + 1, kMin = std::numeric_limits<std::int64_t>::min();
        const auto judged = [](Criterion criterion, std::int64_t actual, std::int64_t golden) {
            HostTensor made = std::move(HostTensor::zeros(DType::INT64, {1})).value();
            made.writableCodes<std::int64_t>()[0] = actual;
            const std::vector<double> values{static_cast<double>(golden)};
            const std::vector<std::int64_t> integers{golden};
            Companions companions;
            companions.benchmark = values;
            companions.integers = integers;
            auto result = compareOutput("y", made, values, by(criterion, 0, 0), 1, 1, {}, companions);
            return std::move(result).value();
        };
        for (const Criterion criterion : {Criterion::ThreeWay, Criterion::Exact, Criterion::AllClose}) {
            QCOMPARE(judged(criterion, kBig, kBig).verdict, Verdict::Pass);
            QCOMPARE(judged(criterion, kBig - 1, kBig).verdict, Verdict::Fail);  // the same double
            QCOMPARE(judged(criterion, kBig - 1, kBig).maxAbs, 1.0);
            QCOMPARE(judged(criterion, kMin + 1, kMin).verdict, Verdict::Fail);
            QCOMPARE(judged(criterion, kMin, std::numeric_limits<std::int64_t>::max()).maxAbs, 0x1p64);
        }
        // A golden of doubles alone: both ends of the type.
        const auto alone = [](std::int64_t actual, double golden) {
            HostTensor made = std::move(HostTensor::zeros(DType::INT64, {1})).value();
            made.writableCodes<std::int64_t>()[0] = actual;
            return std::move(compareOutput("y", made, std::span(&golden, 1), by(Criterion::AllClose, 0, 0), 1, 1, {}))
                .value();
        };
        QCOMPARE(alone(kMin, -0x1p63).verdict, Verdict::Pass);
        QCOMPARE(alone(kMin + 1, -0x1p63).maxAbs, 1.0);
        QCOMPARE(alone(std::numeric_limits<std::int64_t>::max(), 0x1p63).maxAbs, 1.0);
        QCOMPARE(alone(std::numeric_limits<std::int64_t>::max(), 0x1p63).verdict, Verdict::Fail);
    }

    /// A ratio of root mean squares by the errors themselves, as published: one large element that is off weighs by its
    /// error, not by its share.
    void theRootMeanSquareIsOfTheErrors() {
        std::vector<double> golden(100, 1.0), benchmark(100, 1.0 + 0x1p-10), actual = benchmark;
        golden[0] = benchmark[0] = 1024.0;
        benchmark[0] += 1;
        actual[0] = 1024.0 + 1.5;  // 1.5 times the benchmark's there, all others as the benchmark
        Companions companions;
        companions.benchmark = benchmark;
        const OutputMetrics metrics = compared(DType::FP32, actual, golden, by(Criterion::ThreeWay), companions);
        QCOMPARE(metrics.threeWay->mare, 1.5);
        QVERIFY(metrics.threeWay->mere < 1.01);
        QVERIFY(metrics.threeWay->rmse > 1.49);
        QCOMPARE(metrics.verdict, Verdict::Fail);
        QVERIFY(metrics.reason.starts_with("root mean square error 1.4"));
    }

    void notANumberIsNoSmallError() {
        const std::vector<double> golden{1.0, 0x1p-20}, benchmark = golden;
        const std::vector<double> actual{1.0, std::numeric_limits<double>::quiet_NaN()};
        Companions companions;
        companions.benchmark = benchmark;
        const OutputMetrics metrics = compared(DType::FP32, actual, golden, by(Criterion::ThreeWay), companions);
        QCOMPARE(metrics.verdict, Verdict::Fail);
        QCOMPARE(metrics.outside, 1);
        QVERIFY(metrics.reason.starts_with("1 element NaN or infinite"));
    }

    void aGoldenBeyondTheTypeIsInfiniteInIt_data() {
        QTest::addColumn<int>("criterion");
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("from");  // the smallest golden that is infinite in the type
        const std::array criteria{
            std::pair{"allclose", Criterion::AllClose}, std::pair{"allclose_actual", Criterion::AllCloseActual},
            std::pair{"two_threshold", Criterion::TwoThreshold}, std::pair{"exact", Criterion::Exact}};
        const std::array types{std::pair{DType::FP16, 65520.0}, std::pair{DType::BF16, 0x1.FFp127},
                               std::pair{DType::FP32, 0x1.FFFFFFp127}, std::pair{DType::FP8E5M2, 61440.0},
                               std::pair{DType::HF8, 40960.0}};
        for (const auto& [name, criterion] : criteria)
            for (const auto& [type, from] : types)
                QTest::addRow("%s %d", name, static_cast<int>(type))
                    << static_cast<int>(criterion) << static_cast<int>(type) << from;
    }
    void aGoldenBeyondTheTypeIsInfiniteInIt() {
        QFETCH(int, criterion);
        QFETCH(int, type);
        QFETCH(double, from);
        const double inf = std::numeric_limits<double>::infinity();
        Tolerance stated = by(static_cast<Criterion>(criterion), 1e-3, 1e-3), byType = stated;
        byType.rtol.reset();
        byType.atol.reset();
        for (const Tolerance& limits : {stated, byType}) {
            const auto judged = [&](double a, double g) {
                return compared(static_cast<DType>(type), {a, 1}, {g, 1}, limits).verdict;
            };
            QCOMPARE(judged(inf, from), Verdict::Pass);
            QCOMPARE(judged(-inf, -4 * from), Verdict::Pass);
            QCOMPARE(judged(inf, -from), Verdict::Fail);
            QCOMPARE(judged(inf, from * 0.99), Verdict::Fail);
            QCOMPARE(judged(std::numeric_limits<double>::quiet_NaN(), from), Verdict::Fail);
        }
    }

    /// FP8E4M3 has no infinity: what is beyond it is NaN.
    void aGoldenBeyondE4M3IsNotANumberInIt() {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        for (const Criterion criterion :
             {Criterion::AllClose, Criterion::AllCloseActual, Criterion::TwoThreshold, Criterion::Exact}) {
            const auto judged = [&](double a, double g) {
                return compared(DType::FP8E4M3, {a, 1}, {g, 1}, by(criterion, 1e-3, 1e-3)).verdict;
            };
            QCOMPARE(judged(nan, 465), Verdict::Pass);
            QCOMPARE(judged(nan, -1e6), Verdict::Pass);
            QCOMPARE(judged(nan, 464), Verdict::Fail);  // ties to 448
            QCOMPARE(judged(nan, 448), Verdict::Fail);
        }
        QCOMPARE(compared(DType::FP16, {nan}, {1e6}, by(Criterion::AllClose)).verdict, Verdict::Fail);
    }

    /// Infinities and NaN that some order of a sum gives: what its positive and its negative products reach alone.
    void anyOrderOfASumMayOverflow_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("products");
        QTest::addColumn<double>("golden");
        QTest::addColumn<QString>("may");  // of "+-n": +infinity, -infinity, NaN
        const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
        const double max = 0x1.FFFFFEp127;
        const auto row = [](const char* name, DType type, double products, double golden, const char* may) {
            QTest::newRow(name) << static_cast<int>(type) << products << golden << QString(may);
        };
        row("beyond FP16", DType::FP16, 70000, 70000, "+");
        row("below FP16", DType::FP16, 70000, -70000, "-");
        row("within FP16", DType::FP16, 70000, 60000, "");
        // 65519.99 rounds to 65504; 4 * 2^-24 * 70000 more is beyond 65520.
        row("order reaches the end of FP16", DType::FP16, 70000, 65519.99, "+");
        row("order does not reach it", DType::FP16, 70000, 65519.9, "");
        row("small", DType::FP32, 100, 1, "");
        // 3 + 3 - 3 - 3 at 10^38: the first two alone are infinite, and so are the others.
        row("cancels to zero", DType::FP32, 12e38, 0, "+-n");
        row("cancels to zero in FP16", DType::FP16, 12e38, 0, "+-n");
        row("sums of FP16 are FP32 on the way", DType::FP16, 400000, 0, "");
        row("only the positive ones overflow", DType::FP32, 5e38, 2.9e38, "+");
        row("only the negative ones overflow", DType::FP32, 5e38, -2.9e38, "-");
        row("neither side alone", DType::FP32, 6e38, 0, "");
        row("the largest FP32, all positive", DType::FP32, max, max, "+");
        row("an infinite product", DType::FP32, inf, inf, "+");
        row("a negative infinite product", DType::FP32, inf, -inf, "-");
        row("products of both infinities", DType::FP32, inf, nan, "n");
        row("a golden that overflowed", DType::FP32, 4e38, inf, "+");
        row("a golden that overflowed and could have to the other side", DType::FP32, 11e38, inf, "+-n");
        row("FP8E4M3 has NaN for both", DType::FP8E4M3, 500, 500, "n");
        row("FP8E4M3 within", DType::FP8E4M3, 500, 464, "n");  // a tie: 464 + 4 u 500 is NaN, 464 is 448
        row("FP8E4M3 far within", DType::FP8E4M3, 500, 460, "");
    }
    void anyOrderOfASumMayOverflow() {
        QFETCH(int, type);
        QFETCH(double, products);
        QFETCH(double, golden);
        QFETCH(QString, may);
        const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
        const bool noInfinity = static_cast<DType>(type) == DType::FP8E4M3;
        const std::vector<double> sums{products};
        Companions companions;
        companions.order.terms = 4;
        companions.sumOfProducts = sums;
        for (const auto& [value, name] : {std::pair{inf, '+'}, std::pair{-inf, '-'}, std::pair{nan, 'n'}}) {
            if (noInfinity && !std::isnan(value)) continue;
            const OutputMetrics metrics =
                compared(static_cast<DType>(type), {value}, {golden}, by(Criterion::OrderBound), companions);
            QCOMPARE(metrics.verdict == Verdict::Pass, may.contains(name));
            QCOMPARE(metrics.orderBound->verdict, metrics.verdict);
        }
        // A finite number is no order of an infinite sum.
        if (!std::isfinite(golden))
            QCOMPARE(compared(DType::FP32, {1.0}, {golden}, by(Criterion::OrderBound), companions).verdict,
                     Verdict::Fail);
    }

    /// More slices than their type has steps promise nothing of a number, but not every number is reached.
    void partialSumsOverflowInTheirOwnType() {
        const SumOrder halves{64, 4, DType::FP16};
        const OrderLimits near = orderLimits(DType::FP32, 0.0, 140000.0, halves);
        QVERIFY(near.above && near.below && near.notANumber);  // 70000 is beyond FP16
        const OrderLimits far = orderLimits(DType::FP32, 0.0, 100000.0, halves);
        QVERIFY(!far.above && !far.below && !far.notANumber);
        const OrderLimits one = orderLimits(DType::FP32, 60000.0, 80000.0, halves);
        QVERIFY(one.above && !one.below && !one.notANumber);
        const OrderLimits coarse = orderLimits(DType::FP32, 0.0, 3.0, {512, 300, DType::BF16});
        QVERIFY(std::isinf(coarse.bound));
        QVERIFY(!coarse.above && !coarse.below && !coarse.notANumber);
    }

    void everyLostProductIsHalfASmallestStep() {
        QVERIFY(orderBound(DType::FP32, 0, 0, {100}) >= 100 * 0x1p-150);
        QVERIFY(orderBound(DType::FP32, 0, 0, {100}) <= 102 * 0x1p-150);
    }

    void threeWayWithoutABenchmarkIsRefused() {
        const auto result = tryCompare(DType::FP32, {1}, {1}, by(Criterion::ThreeWay));
        QCOMPARE(result.error().code, ErrorCode::Unsupported);
    }

    void exactComparesWithTheRoundedGolden() {
        // 1 + 2^-9 lies half-way between BF16 1 and 1 + 2^-7... and rounds to 1.
        QCOMPARE(compared(DType::BF16, {1}, {1 + 0x1p-9}, by(Criterion::Exact)).verdict, Verdict::Pass);
        QCOMPARE(compared(DType::BF16, {1 + 0x1p-7}, {1 + 0x1p-9}, by(Criterion::Exact)).verdict, Verdict::Fail);
        QCOMPARE(compared(DType::INT32, {7}, {7}, by(Criterion::Exact)).verdict, Verdict::Pass);
        QCOMPARE(compared(DType::INT32, {7}, {8}, by(Criterion::Exact)).verdict, Verdict::Fail);
    }

    void theOrderOfASumExplainsSmallErrorsOfCancellingSums() {
        // A sum of 64 products that cancels to -0.0488: off by 1.26e-5, fixed tolerances of 1e-5 fail it.
        const std::vector<double> golden{-0.0488};
        const std::vector<double> actual{-0.0488 + 1.26e-5};
        const std::vector<double> products{40.0};
        Companions companions;
        companions.sumOfProducts = products;
        companions.order.terms = 64;
        const OutputMetrics fixed =
            compared(DType::FP32, actual, golden, by(Criterion::AllClose, 1e-5, 1e-5), companions);
        QCOMPARE(fixed.verdict, Verdict::Fail);
        QCOMPARE(fixed.orderBound->verdict, Verdict::Pass);  // 64 * 2^-24 * 40 = 1.526e-4
        QCOMPARE(fixed.worst.front().sumOfProducts, 40.0);
        const OutputMetrics aware = compared(DType::FP32, actual, golden, by(Criterion::OrderBound), companions);
        QCOMPARE(aware.verdict, Verdict::Pass);
        const std::vector<double> wrong{-0.0488 + 2e-4};
        QCOMPARE(compared(DType::FP32, wrong, golden, by(Criterion::OrderBound), companions).verdict, Verdict::Fail);
    }

    void theBoundIsTheTextbookOne() {
        const double u = 0x1p-24;
        QCOMPARE(orderBound(DType::FP32, 1.0, 2.0, {10}), 10 * u / (1 - 10 * u) * 2.0 + 0x1p-149);
        QVERIFY(orderBound(DType::BF16, 1.0, 2.0, {10}) > 0x1p-8);
    }

    /// Slices of split-K: fewer additions in a row, then one for each slice, in the type of the partial sums.
    void theBoundFollowsTheSlicesOfASplitSum() {
        const double u = 0x1p-24, v = 0x1p-8;
        const auto close = [](double bound, double wanted) { return std::abs(bound / wanted - 1) < 1e-9; };
        const double within = 512 * u / (1 - 512 * u), of28 = 27 * u / (1 - 27 * u);
        QVERIFY(
            close(orderBound(DType::FP32, 0.0, 3.0, {512, 28, DType::FP32}), ((1 + within) * (1 + of28) - 1) * 3.0));
        QVERIFY(orderBound(DType::FP32, 0.0, 3.0, {512, 28, DType::FP32}) <
                orderBound(DType::FP32, 0.0, 3.0, {512 * 28}) / 20);
        const double coarse = 28 * v / (1 - 28 * v);
        QVERIFY(
            close(orderBound(DType::FP32, 0.0, 3.0, {512, 28, DType::BF16}), ((1 + within) * (1 + coarse) - 1) * 3.0));
        // More slices than BF16 has steps: nothing can be promised.
        QVERIFY(std::isinf(orderBound(DType::FP32, 0.0, 3.0, {512, 300, DType::BF16})));
        QVERIFY(orderBound(DType::FP32, 0.0, 0.0, {512, 300, DType::BF16}) < 1e-30);
    }

    /// Below the normal numbers steps no longer shrink with the number.
    void theBoundKnowsSubnormalOutputs() {
        QVERIFY(orderBound(DType::FP16, 0x1p-24, 0x1p-24, {1}) >= 0x1p-25);
        QVERIFY(orderBound(DType::FP8E4M3, 0x1p-9, 0x1p-9, {1}) >= 0x1p-10);
        QVERIFY(orderBound(DType::FP16, 0x1p-24, 0x1p-24, {1}) <= 0x1p-23);
    }

    void typesBringTheirOwnTolerances_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("rtol");
        QTest::addColumn<double>("atol");
        QTest::newRow("INT8") << static_cast<int>(DType::INT8) << 0.0 << 1e-4;
        QTest::newRow("FP8E4M3") << static_cast<int>(DType::FP8E4M3) << 1e-1 << 1e-2;
        QTest::newRow("FP16") << static_cast<int>(DType::FP16) << 1e-3 << 1e-3;
        QTest::newRow("BF16") << static_cast<int>(DType::BF16) << 5e-3 << 5e-2;
        QTest::newRow("FP32") << static_cast<int>(DType::FP32) << 1e-3 << 1e-4;
    }
    void typesBringTheirOwnTolerances() {
        QFETCH(int, type);
        QFETCH(double, rtol);
        QFETCH(double, atol);
        Tolerance limits = by(Criterion::AllClose, 7, 7);
        limits.dtypeDefaults = true;
        const OutputMetrics metrics = compared(static_cast<DType>(type), {1}, {1}, limits);
        QCOMPARE(metrics.limits.rtol, std::optional(rtol));
        QCOMPARE(metrics.limits.atol, std::optional(atol));
    }

    void whatIsNotStatedFollowsFromTheType() {
        Tolerance limits;
        limits.rtol = 0.25;
        const OutputMetrics metrics = compared(DType::BF16, {1}, {1}, limits);
        QCOMPARE(metrics.limits.rtol, std::optional(0.25));
        QCOMPARE(metrics.limits.atol, std::optional(5e-2));
        QCOMPARE(metrics.byType, (LimitsByType{false, true}));
    }

    void theNearestValueOfTheTypePassesItsOwnLimits_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("actual");
        QTest::addColumn<double>("golden");
        QTest::addColumn<bool>("passes");
        // Steps of BF16 at 257 are 2; FP8E5M2 steps by 0.25 between 1 and 2; FP4E2M1 holds 4 and 6 and nothing between.
        QTest::newRow("BF16") << static_cast<int>(DType::BF16) << 256.0 << 257.0 << true;
        QTest::newRow("FP8E5M2") << static_cast<int>(DType::FP8E5M2) << 1.0 << 1.124 << true;
        QTest::newRow("FP4E2M1") << static_cast<int>(DType::FP4E2M1) << 6.0 << 5.1 << true;
        QTest::newRow("INT8") << static_cast<int>(DType::INT8) << 3.0 << 3.4 << true;
        QTest::newRow("INT8, the next one") << static_cast<int>(DType::INT8) << 4.0 << 3.4 << false;
        QTest::newRow("FP4E2M1, the next one") << static_cast<int>(DType::FP4E2M1) << 4.0 << 5.1 << false;
        QTest::newRow("FP32 off by 1 %") << static_cast<int>(DType::FP32) << 1.01 << 1.0 << false;
    }
    void theNearestValueOfTheTypePassesItsOwnLimits() {
        QFETCH(int, type);
        QFETCH(double, actual);
        QFETCH(double, golden);
        QFETCH(bool, passes);
        const auto verdictBy = [&](const Tolerance& limits) {
            return compared(static_cast<DType>(type), {actual}, {golden}, limits).verdict;
        };
        QCOMPARE(verdictBy({}), passes ? Verdict::Pass : Verdict::Fail);
        QCOMPARE(verdictBy(by(Criterion::AllClose, 0, 0)), Verdict::Fail);  // stated limits are taken at their word
    }
};

QTEST_APPLESS_MAIN(TestCriterion)
#include "tst_criterion.moc"
