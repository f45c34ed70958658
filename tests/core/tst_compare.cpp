// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <cmath>
#include <limits>

#include "core/accuracy/compare.h"
#include "core/accuracy/error_map.h"
#include "core/base/random.h"

using namespace cubist;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

HostTensor tensor(DType dtype, Shape shape, const std::vector<double>& values) {
    HostTensor made = std::move(HostTensor::zeros(dtype, std::move(shape))).value();
    for (std::size_t i = 0; i < values.size(); ++i) made.set(static_cast<std::int64_t>(i), values[i]);
    return made;
}

Tolerance tolerance(double rtol, double atol) {
    Tolerance made;
    made.rtol = rtol;
    made.atol = atol;
    return made;
}

OutputMetrics compared(const HostTensor& actual, const std::vector<double>& golden, const Tolerance& limits,
                       std::int64_t tileRows = 1, std::int64_t tileCols = 1, int threads = 1) {
    RunContext context;
    context.threads = threads;
    auto result = compareOutput("y", actual, golden, limits, tileRows, tileCols, context);
    if (!result) qFatal("%s", result.error().message.c_str());
    return std::move(result).value();
}

OutputMetrics comparedValues(const std::vector<double>& actual, const std::vector<double>& golden,
                             DType dtype = DType::FP32, const Tolerance& limits = tolerance(0, 0)) {
    return compared(tensor(dtype, {static_cast<std::int64_t>(actual.size())}, actual), golden, limits);
}

/// Noisy pair of 300 x 700 values.
std::pair<HostTensor, std::vector<double>> noisyPair() {
    std::vector<double> golden, actual;
    std::uint32_t state = 1;
    for (int i = 0; i < 300 * 700; ++i) {
        state = state * 1664525u + 1013904223u;
        golden.push_back(static_cast<double>(state >> 8) / 16777216.0 - 0.5);
        state = state * 1664525u + 1013904223u;
        actual.push_back(golden.back() * (1 + static_cast<double>(state >> 20) * 1e-7));
    }
    return {tensor(DType::FP32, {300, 700}, actual), golden};
}

}  // namespace

class TestCompare : public QObject {
    Q_OBJECT
private slots:
    void metricsOfAHandMadePair() {
        // d = 0.5, 0, 1, 4; |g| = 1, 2, 4, 8
        const auto m = comparedValues({1.5, 2, 3, -4}, {1, 2, 4, -8}, DType::FP32, tolerance(0.25, 0.25));
        QCOMPARE(m.elements, 4);
        QCOMPARE(m.maxAbs, 4.0);
        QCOMPARE(m.maxRel, 0.5);
        QCOMPARE(m.meanAbs, 5.5 / 4);
        QCOMPARE(m.rmse, std::sqrt((0.25 + 1 + 16) / 4));
        // a.g = 1.5 + 4 + 12 + 32, |a|^2 = 2.25 + 4 + 9 + 16, |g|^2 = 1 + 4 + 16 + 64
        QCOMPARE(m.cosine, 49.5 / (std::sqrt(31.25) * std::sqrt(85.0)));
        QCOMPARE(m.outside, 1);  // limits 0.5, 0.75, 1.25, 2.25: 0.5 and 1 lie on or below theirs
        QCOMPARE(m.exact, 1);
        QCOMPARE(m.verdict, Verdict::Fail);
        QCOMPARE(m.worst.size(), std::size_t{3});
        QCOMPARE(m.worst[0].index, std::vector<std::int64_t>{3});
        QCOMPARE(m.worst[0].error, 4.0);
        QCOMPARE(m.worst[2].actual, 1.5);
        QCOMPARE(m.histogram[63], 1);  // 0.5
        QCOMPARE(m.histogram[64], 1);  // 1
        QCOMPARE(m.histogram[66], 1);  // 4
    }

    void toleranceBelongsToTheGolden() {
        // |d| = 1: within 0.5 * |golden| = 1, but not within 0.5 * |actual| = 0.5.
        QCOMPARE(comparedValues({1}, {2}, DType::FP32, tolerance(0.5, 0)).outside, 0);
        QCOMPARE(comparedValues({2}, {1}, DType::FP32, tolerance(0.5, 0)).outside, 1);
    }

    void relativeErrorLeavesZeroGoldenOut() {
        const auto m = comparedValues({3, 2.5}, {0, 2});
        QCOMPARE(m.maxAbs, 3.0);
        QCOMPARE(m.maxRel, 0.25);
    }

    void notANumber_data() {
        QTest::addColumn<double>("actual");
        QTest::addColumn<double>("golden");
        QTest::addColumn<qint64>("outside");
        QTest::addColumn<QString>("maxAbs");
        QTest::newRow("only actual") << kNan << 1.0 << qint64{1} << "nan";
        QTest::newRow("only golden") << 1.0 << kNan << qint64{1} << "nan";
        QTest::newRow("both") << kNan << kNan << qint64{0} << "0";
        QTest::newRow("same infinity") << kInf << kInf << qint64{0} << "0";
        QTest::newRow("other infinity") << kInf << -kInf << qint64{1} << "inf";
        QTest::newRow("infinite actual") << kInf << 1.0 << qint64{1} << "inf";
        QTest::newRow("infinite golden") << 1.0 << kInf << qint64{1} << "inf";
    }
    void notANumber() {
        QFETCH(double, actual);
        QFETCH(double, golden);
        QFETCH(qint64, outside);
        QFETCH(QString, maxAbs);
        const auto m = comparedValues({actual, 1}, {golden, 1}, DType::FP32, tolerance(1, 1));
        QCOMPARE(m.outside, outside);
        QCOMPARE(QString::number(m.maxAbs), maxAbs);
        QCOMPARE(m.nanCount, std::isnan(actual) ? 1 : 0);
        QCOMPARE(m.infCount, std::isinf(actual) ? 1 : 0);
        QCOMPARE(m.verdict, outside == 0 ? Verdict::Pass : Verdict::Fail);
    }

    void notANumberIsWorst() {
        const auto m = comparedValues({1, kNan, 9}, {1, 0, 0});
        QCOMPARE(m.worst.front().index, std::vector<std::int64_t>{1});
        QCOMPARE(m.worst.size(), std::size_t{2});
    }

    void ulpsCountStepsOfTheOutputType_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("actual");
        QTest::addColumn<double>("golden");
        QTest::addColumn<double>("steps");
        const auto row = [](const char* name, DType type, double actual, double golden, double steps) {
            QTest::newRow(name) << static_cast<int>(type) << actual << golden << steps;
        };
        row("FP32 next value", DType::FP32, std::nextafter(1.0f, 2.0f), 1.0, 1);
        row("FP32 golden rounds to actual", DType::FP32, 1.0, 1.0 + 1e-9, 0);
        row("FP32 across zero", DType::FP32, 1.401298464324817e-45, -1.401298464324817e-45, 2);
        row("BF16 step at 1 is 2^-7", DType::BF16, 1.0 + 3.0 / 128, 1.0, 3);
        row("BF16 below 1 steps are half", DType::BF16, 1.0 - 2.0 / 256, 1.0, 2);
        row("FP16 step at 1024 is 1", DType::FP16, 1029, 1024, 5);
        row("FP16 smallest subnormal", DType::FP16, 0.000000059604644775390625, 0, 1);
        row("FP8E4M3 8 to 10", DType::FP8E4M3, 10, 8, 2);
        row("FP8E5M2 8 to 12", DType::FP8E5M2, 12, 8, 2);
        row("HF8 2 to 4", DType::HF8, 4, 2, 8);
        row("FP4E2M1 all values", DType::FP4E2M1, 6, -6, 14);
        row("INT32", DType::INT32, 7, -5, 12);
        row("INT8 golden rounds", DType::INT8, 2, 2.5, 0);
    }
    void ulpsCountStepsOfTheOutputType() {
        QFETCH(int, type);
        QFETCH(double, actual);
        QFETCH(double, golden);
        QFETCH(double, steps);
        QCOMPARE(comparedValues({actual}, {golden}, static_cast<DType>(type)).maxUlp, steps);
    }

    void emptyAndZeroTensorsAreEqual() {
        const auto m = comparedValues({0, -0.0}, {0, 0});
        QCOMPARE(m.cosine, 1.0);
        QCOMPARE(m.exact, 2);
        QCOMPARE(comparedValues({1, 0}, {0, 0}).cosine, 0.0);
    }

    void listsTheTwentyWorstInOrder() {
        std::vector<double> actual, golden(100, 0.0);
        for (int i = 0; i < 100; ++i) actual.push_back((i * 37) % 50);  // every value twice
        const auto m = compared(tensor(DType::FP32, {4, 25}, actual), golden, tolerance(0, 0));
        QCOMPARE(m.worst.size(), std::size_t{20});
        QCOMPARE(m.worst[0].error, 49.0);
        QCOMPARE(m.worst[1].error, 49.0);
        QCOMPARE(m.worst[19].error, 40.0);
        // 37 i = 49 mod 50 at i = 27 and 77: the earlier comes first
        QCOMPARE(m.worst[0].index, (std::vector<std::int64_t>{1, 2}));
        QCOMPARE(m.worst[1].index, (std::vector<std::int64_t>{3, 2}));
    }

    void bitsDoNotDependOnThreads() {
        const auto [actual, golden] = noisyPair();
        const auto one = compared(actual, golden, tolerance(1e-5, 0), 32, 16, 1);
        for (const int threads : {2, 3, 7}) {
            const auto more = compared(actual, golden, tolerance(1e-5, 0), 32, 16, threads);
            QVERIFY(more.rmse == one.rmse && more.meanAbs == one.meanAbs);  // QCOMPARE of doubles is fuzzy
            QVERIFY(more.cosine == one.cosine && more.maxUlp == one.maxUlp);
            QCOMPARE(more.outside, one.outside);
            QCOMPARE(more.map.maxAbs, one.map.maxAbs);
            QCOMPARE(more.map.outside, one.map.outside);
            QCOMPARE(more.histogram, one.histogram);
            QCOMPARE(more.worst.back().index, one.worst.back().index);
        }
    }

    void mapHasTheLargestErrorOfEachCell() {
        const auto [actual, golden] = noisyPair();
        const auto m = compared(actual, golden, tolerance(1e-5, 0), 32, 16);
        const ErrorMap& map = m.map;
        QCOMPARE(map.gridRows, 300);
        QCOMPARE(map.cellRows, 1);
        QCOMPARE(map.cellCols, 2);  // 700 columns do not fit 512 cells; 2 divides 16
        QCOMPARE(map.gridCols, 350);
        std::vector<double> largest(map.maxAbs.size(), 0);
        std::int64_t outside = 0;
        for (std::int64_t r = 0; r < 300; ++r)
            for (std::int64_t c = 0; c < 700; ++c) {
                double& cell = largest[static_cast<std::size_t>(r * 350 + c / 2)];
                const double g = golden[static_cast<std::size_t>(r * 700 + c)];
                cell = std::max(cell, std::abs(actual.at(r * 700 + c) - g));
                outside += std::abs(actual.at(r * 700 + c) - g) > 1e-5 * std::abs(g) ? 1 : 0;
            }
        QCOMPARE(map.maxAbs, largest);
        std::int64_t inCells = 0;
        for (const std::int64_t count : map.outside) inCells += count;
        QVERIFY(outside > 0);
        QCOMPARE(m.outside, outside);
        QCOMPARE(inCells, outside);
    }

    void cellsAreWholeFractionsOrMultiplesOfTiles_data() {
        QTest::addColumn<qint64>("extent");
        QTest::addColumn<qint64>("tile");
        QTest::addColumn<qint64>("cell");
        QTest::newRow("few rows") << qint64{64} << qint64{32} << qint64{1};
        QTest::newRow("exactly the limit") << qint64{512} << qint64{32} << qint64{1};
        QTest::newRow("next divisor") << qint64{1026} << qint64{32} << qint64{4};  // 3 does not divide 32
        QTest::newRow("large tile") << qint64{8192} << qint64{128} << qint64{16};
        QTest::newRow("odd tile") << qint64{5000} << qint64{15} << qint64{15};
        QTest::newRow("more tiles than cells") << qint64{100000} << qint64{9} << qint64{198};
    }
    void cellsAreWholeFractionsOrMultiplesOfTiles() {
        QFETCH(qint64, extent);
        QFETCH(qint64, tile);
        QTEST(qint64{errorCellExtent(extent, tile)}, "cell");
    }

    void leadingAxesBecomeRows() {
        const auto m = compared(tensor(DType::FP32, {2, 3, 4}, std::vector<double>(24, 1)), std::vector<double>(24, 1),
                                tolerance(0, 0), 99, 2);
        QCOMPARE(m.map.rows, 6);
        QCOMPARE(m.map.cols, 4);
        QCOMPARE(m.map.tileRows, 6);  // a tile beyond the matrix is the matrix
        QCOMPARE(m.exact, 24);
        QCOMPARE(m.verdict, Verdict::Pass);
        QVERIFY(m.worst.empty());
    }

    void countsMustAgree() {
        const auto result =
            compareOutput("y", tensor(DType::FP32, {3}, {1, 2, 3}), std::vector{1.0, 2.0}, {}, 1, 1, {});
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::WrongType);
        QVERIFY(result.error().message.find("3 elements") != std::string::npos);
    }

    void stopsWhenAsked() {
        std::stop_source stop;
        stop.request_stop();
        RunContext context;
        context.stop = stop.get_token();
        const auto result =
            compareOutput("y", tensor(DType::FP32, {3}, {1, 2, 3}), std::vector{1.0, 2.0, 3.0}, {}, 1, 1, context);
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::Cancelled);
    }
};

QTEST_APPLESS_MAIN(TestCompare)
#include "tst_compare.moc"
