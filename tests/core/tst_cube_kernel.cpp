// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tests/support/cube_operands.h"

using namespace cubist;
using namespace cubist::test;

class TestCubeKernel : public QObject {
    Q_OBJECT

private:
    static void addIsaColumn() { QTest::addColumn<int>("isa"); }
    static std::vector<float> product(Isa isa, std::int64_t m, std::int64_t n, const test::Operand& a,
                                      const test::Operand& b, std::vector<float> c, CubeMath math = {}) {
        CubeScratch scratch;
        const bool done = kernelOf(isa, math).multiply(m, n, a.k, a.view, b.view, c.data(), n, scratch).has_value();
        return done ? c : std::vector<float>{};
    }

private slots:
    void everyShapeTypeAndOrderGivesTheOrderedChain_data() {
        addIsaColumn();
        QTest::addColumn<int>("typeA");
        QTest::addColumn<int>("typeB");
        QTest::addColumn<int>("m");
        QTest::addColumn<int>("n");
        QTest::addColumn<int>("k");
        const std::vector<std::pair<DType, DType>> types = {
            {DType::FP32, DType::FP32},       {DType::BF16, DType::BF16},       {DType::FP16, DType::FP16},
            {DType::FP8E4M3, DType::FP8E5M2}, {DType::FP4E2M1, DType::FP4E1M2}, {DType::HF8, DType::HF8},
            {DType::FP32, DType::BF16}};
        const std::vector<std::array<int, 3>> shapes = {{1, 1, 1},     {16, 16, 16}, {13, 33, 70},  {28, 64, 256},
                                                        {32, 16, 515}, {5, 31, 257}, {47, 100, 64}, {3, 7, 1030}};
        for (const Isa isa : availableIsas())
            for (const auto& [a, b] : types)
                for (const auto& [m, n, k] : shapes)
                    QTest::addRow("%s %s*%s %dx%dx%d", toText(isa).data(), toText(a).data(), toText(b).data(), m, k, n)
                        << static_cast<int>(isa) << static_cast<int>(a) << static_cast<int>(b) << m << n << k;
    }
    void everyShapeTypeAndOrderGivesTheOrderedChain() {
        QFETCH(int, isa);
        QFETCH(int, typeA);
        QFETCH(int, typeB);
        QFETCH(int, m);
        QFETCH(int, n);
        QFETCH(int, k);
        for (const bool byKA : {true, false})
            for (const bool byKB : {true, false}) {
                const test::Operand a = makeOperand(static_cast<DType>(typeA), m, k, byKA, 1);
                const test::Operand b = makeOperand(static_cast<DType>(typeB), n, k, byKB, 2);
                const auto want = orderedProduct(a, b, m, n, startValues(m, n));
                const auto got = product(static_cast<Isa>(isa), m, n, a, b, startValues(m, n));
                QCOMPARE(firstDifference(got, want), std::string());
            }
    }

    void aProductContinuedInPiecesIsTheSameProduct() {
        constexpr std::int64_t m = 20, n = 40, k = 700;
        const test::Operand a = makeOperand(DType::BF16, m, k, true, 3);
        const test::Operand b = makeOperand(DType::BF16, n, k, false, 4);
        const auto want = orderedProduct(a, b, m, n, startValues(m, n));
        for (const Isa isa : availableIsas()) {
            auto c = startValues(m, n);
            CubeScratch scratch;
            for (std::int64_t step = 0; step < k; step += 48)
                for (std::int64_t row = 0; row < m; row += 16)
                    for (std::int64_t column = 0; column < n; column += 16)
                        QVERIFY(kernelOf(isa).multiply(
                            std::min<std::int64_t>(16, m - row), std::min<std::int64_t>(16, n - column),
                            std::min<std::int64_t>(48, k - step), a.view.from(row, step), b.view.from(column, step),
                            c.data() + row * n + column, n, scratch));
            QCOMPARE(firstDifference(c, want), std::string());
        }
    }

    void packedPanelsServeSeveralBlocks() {
        constexpr std::int64_t m = 30, n = 48, k = 300;
        const test::Operand a = makeOperand(DType::FP32, m, k, true, 5);
        const test::Operand b = makeOperand(DType::FP32, n, k, true, 6);
        const auto want = orderedProduct(a, b, m, n, startValues(m, n));
        for (const Isa isa : availableIsas()) {
            const CubeKernel kernel = kernelOf(isa);
            auto c = startValues(m, n);
            PackedOperand left, right;
            for (std::int64_t column = 0; column < n; column += 24) {
                QVERIFY(kernel.pack(CubeSide::B, b.view.from(column, 0), 24, k, right));
                for (std::int64_t row = 0; row < m; row += 15) {
                    QVERIFY(kernel.pack(CubeSide::A, a.view.from(row, 0), 15, k, left));
                    kernel.multiply(left, right, c.data() + row * n + column, n);
                }
            }
            QCOMPARE(firstDifference(c, want), std::string());
        }
    }

    void threadsNeverChangeABit_data() { addIsaRows(); }
    void threadsNeverChangeABit() {
        QFETCH(int, isa);
        constexpr std::int64_t m = 300, n = 270, k = 1100;
        const test::Operand a = makeOperand(DType::FP16, m, k, true, 7);
        const test::Operand b = makeOperand(DType::FP16, n, k, false, 8);
        const auto want = orderedProduct(a, b, m, n, startValues(m, n));
        for (const int threads : {1, 2, 5}) {
            RunContext context;
            context.threads = threads;
            auto c = startValues(m, n);
            QVERIFY(matmulWhole(kernelOf(static_cast<Isa>(isa)), m, n, k, a.view, b.view, c.data(), n, context));
            QCOMPARE(firstDifference(c, want), std::string());
        }
    }

    void cancelStopsAWholeProduct() {
        std::stop_source stop;
        stop.request_stop();
        RunContext context;
        context.stop = stop.get_token();
        const test::Operand a = makeOperand(DType::FP32, 4, 4, true, 1);
        float c[16] = {};
        const auto result = matmulWhole(kernelOf(Isa::Auto), 4, 4, 4, a.view, a.view, c, 4, context);
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::Cancelled);
    }

    void specialValuesFollowIeee_data() { addIsaRows(); }
    void specialValuesFollowIeee() {
        QFETCH(int, isa);
        constexpr float kInf = std::numeric_limits<float>::infinity();
        const float nan = std::bit_cast<float>(0xFFC12345u);
        constexpr std::int64_t m = 7, n = 20, k = 40;
        test::Operand a = makeOperand(DType::FP32, m, k, true, 9);
        const test::Operand b = makeOperand(DType::FP32, n, k, true, 10);
        test::Operand special = b;
        special.view.codes = special.memory.data();
        setElement(a, 1, 5, static_cast<double>(kInf));
        setElement(a, 2, 5, 0.0);
        setElement(special, 3, 5, static_cast<double>(kInf));
        setElement(special, 4, 5, 0.0);
        setElement(special, 5, 5, static_cast<double>(nan));
        const auto got = product(static_cast<Isa>(isa), m, n, a, special, startValues(m, n));
        const auto at = [&](std::int64_t row, std::int64_t column) {
            return got[static_cast<std::size_t>(row * n + column)];
        };
        QVERIFY(std::isinf(at(1, 0)));
        QVERIFY(std::isnan(at(1, 4)));  // infinity times zero
        QVERIFY(std::isnan(at(2, 3)));
        QVERIFY(std::isnan(at(0, 5)));
        QCOMPARE(std::bit_cast<std::uint32_t>(at(0, 5)), 0x7FC00000u);
        QVERIFY(std::isfinite(at(0, 0)));
        QVERIFY(std::isfinite(at(2, 4)));
        // Zero times NaN is NaN.
        QVERIFY(std::isnan(at(2, 5)));
    }

    void subnormalsAreKept_data() { addIsaRows(); }
    void subnormalsAreKept() {
        QFETCH(int, isa);
        test::Operand a = makeOperand(DType::FP32, 1, 2, true, 1);
        test::Operand b = makeOperand(DType::FP32, 1, 2, true, 2);
        setElement(a, 0, 0, 0x1p-100);
        setElement(b, 0, 0, 0x1.8p-48);
        setElement(a, 0, 1, 0x1p-149);
        setElement(b, 0, 1, 1.0);
        const auto got = product(static_cast<Isa>(isa), 1, 1, a, b, {0.0f});
        QVERIFY(got[0] == 0x1p-147f);
    }

    void integersAreExact_data() {
        addIsaColumn();
        QTest::addColumn<int>("type");
        for (const Isa isa : availableIsas())
            for (const DType type : {DType::INT8, DType::INT4})
                QTest::addRow("%s %s", toText(isa).data(), toText(type).data())
                    << static_cast<int>(isa) << static_cast<int>(type);
    }
    void integersAreExact() {
        QFETCH(int, isa);
        QFETCH(int, type);
        constexpr std::int64_t m = 29, n = 37, k = 1500;
        const test::Operand a = makeOperand(static_cast<DType>(type), m, k, true, 11);
        const test::Operand b = makeOperand(static_cast<DType>(type), n, k, false, 12);
        std::vector<std::int32_t> c(m * n, 5);
        CubeScratch scratch;
        const auto inRange = kernelOf(static_cast<Isa>(isa)).multiply(m, n, k, a.view, b.view, c.data(), n, scratch);
        QVERIFY(inRange && *inRange);
        for (std::int64_t row = 0; row < m; ++row)
            for (std::int64_t column = 0; column < n; ++column) {
                std::int64_t sum = 5;
                for (std::int64_t step = 0; step < k; ++step)
                    sum += static_cast<std::int64_t>(a.value(row, step)) *
                           static_cast<std::int64_t>(b.value(column, step));
                QCOMPARE(std::int64_t{c[static_cast<std::size_t>(row * n + column)]}, sum);
            }
    }

    void theLargestIntegerProductsStayExact_data() { addIsaRows(); }
    void theLargestIntegerProductsStayExact() {
        QFETCH(int, isa);
        constexpr std::int64_t k = 4096;
        test::Operand a = makeOperand(DType::INT8, 1, k, true, 1);
        for (std::int64_t step = 0; step < k; ++step) setElement(a, 0, step, -128);
        std::int32_t c = 1;
        CubeScratch scratch;
        QVERIFY(*kernelOf(static_cast<Isa>(isa)).multiply(1, 1, k, a.view, a.view, &c, 1, scratch));
        QCOMPARE(c, 1 + 128 * 128 * 4096);
    }

    void integerOverflowWrapsAndIsReported_data() {
        addIsaColumn();
        QTest::addColumn<int>("start");
        QTest::addColumn<int>("first");  // products are first, then second, then 0 ...
        QTest::addColumn<int>("second");
        QTest::addColumn<bool>("inRange");
        for (const Isa isa : availableIsas()) {
            QTest::addRow("%s just fits", toText(isa).data())
                << static_cast<int>(isa) << 2147483647 - 100 << 100 << 0 << true;
            QTest::addRow("%s one too many", toText(isa).data())
                << static_cast<int>(isa) << 2147483647 - 100 << 101 << 0 << false;
            QTest::addRow("%s out and back", toText(isa).data())
                << static_cast<int>(isa) << 2147483647 << 1 << -1 << false;
            QTest::addRow("%s back first", toText(isa).data())
                << static_cast<int>(isa) << 2147483647 << -1 << 1 << true;
            QTest::addRow("%s below", toText(isa).data()) << static_cast<int>(isa) << -2147483647 << -2 << 0 << false;
        }
    }
    void integerOverflowWrapsAndIsReported() {
        QFETCH(int, isa);
        QFETCH(int, start);
        QFETCH(int, first);
        QFETCH(int, second);
        QFETCH(bool, inRange);
        test::Operand a = makeOperand(DType::INT8, 2, 300, true, 1);
        test::Operand b = makeOperand(DType::INT8, 3, 300, true, 2);
        for (std::int64_t i = 0; i < 3; ++i)
            for (std::int64_t step = 0; step < 300; ++step) {
                if (i < 2) setElement(a, i, step, 1);
                setElement(b, i, step, i == 1 && step == 0 ? first : i == 1 && step == 1 ? second : 0);
            }
        std::vector<std::int32_t> c(6, 0);
        c[4] = start;  // row 1, column 1
        CubeScratch scratch;
        const auto result = kernelOf(static_cast<Isa>(isa)).multiply(2, 3, 300, a.view, b.view, c.data(), 3, scratch);
        QVERIFY(result);
        QCOMPARE(*result, inRange);
        const std::int64_t exact = std::int64_t{start} + first + second;
        QCOMPARE(c[4], static_cast<std::int32_t>(static_cast<std::uint32_t>(exact)));
        QCOMPARE(c[3], 0);
    }

    void anInstructionSetTheHostLacksIsAnError() {
        for (const Isa isa : {Isa::Avx512, Isa::Avx2}) {
            const auto isas = availableIsas();
            const bool has = std::find(isas.begin(), isas.end(), isa) != isas.end();
            const auto resolved = resolveIsa(isa);
            QCOMPARE(resolved.has_value(), has);
            if (!has) QCOMPARE(resolved.error().code, ErrorCode::Unsupported);
        }
        QCOMPARE(*resolveIsa(Isa::Auto), availableIsas().front());
        QCOMPARE(*resolveIsa(Isa::Portable), Isa::Portable);
    }

private:
    static void addIsaRows() {
        addIsaColumn();
        for (const Isa isa : availableIsas()) QTest::addRow("%s", toText(isa).data()) << static_cast<int>(isa);
    }
};

QTEST_APPLESS_MAIN(TestCubeKernel)
#include "tst_cube_kernel.moc"
