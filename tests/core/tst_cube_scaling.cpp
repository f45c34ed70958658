// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/number_formats.h"
#include "tests/support/cube_operands.h"

using namespace cubist;
using namespace cubist::test;

class TestCubeScaling : public QObject {
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
    void scaledProductsRoundTheExactSum_data() {
        addIsaColumn();
        QTest::addColumn<int>("typeA");
        QTest::addColumn<int>("typeB");
        QTest::addColumn<int>("low");
        QTest::addColumn<int>("high");
        const std::vector<std::pair<DType, DType>> types = {{DType::FP8E4M3, DType::FP8E4M3},
                                                            {DType::FP8E5M2, DType::FP8E4M3},
                                                            {DType::FP8E5M2, DType::FP8E5M2},
                                                            {DType::FP4E2M1, DType::FP4E1M2}};
        const std::vector<std::pair<int, int>> ranges = {{120, 134}, {0, 254},   {0, 10},   {45, 75},
                                                         {240, 254}, {250, 255}, {183, 195}};
        for (const Isa isa : availableIsas())
            for (const auto& [a, b] : types)
                for (const auto& [low, high] : ranges)
                    QTest::addRow("%s %s*%s scales %d..%d", toText(isa).data(), toText(a).data(), toText(b).data(), low,
                                  high)
                        << static_cast<int>(isa) << static_cast<int>(a) << static_cast<int>(b) << low << high;
    }
    void scaledProductsRoundTheExactSum() {
        QFETCH(int, isa);
        QFETCH(int, typeA);
        QFETCH(int, typeB);
        QFETCH(int, low);
        QFETCH(int, high);
        constexpr std::int64_t m = 9, n = 19, k = 200;  // the last group is short
        for (const bool byRows : {true, false}) {
            test::Operand a = makeOperand(static_cast<DType>(typeA), m, k, byRows, 21);
            test::Operand b = makeOperand(static_cast<DType>(typeB), n, k, byRows, 22);
            addScales(a, m, byRows, 23, low, high);
            addScales(b, n, byRows, 24, low, high);
            // Short sums as well: long ones soon are dominated by the largest terms.
            for (const std::int64_t steps : {std::int64_t{1}, std::int64_t{3}, k}) {
                std::vector<float> c = startValues(m, n);
                for (float& value : c)
                    value = std::ldexp(value, low + high - 254 > 0 ? 0 : std::max(-149, (low + high) / 2 - 254 + 127));
                auto want = c;
                for (std::int64_t row = 0; row < m; ++row)
                    for (std::int64_t column = 0; column < n; ++column) {
                        float& sum = want[static_cast<std::size_t>(row * n + column)];
                        for (std::int64_t step = 0; step < steps; ++step) {
                            const int scaleA = a.view.scale(row, step), scaleB = b.view.scale(column, step);
                            const double exact =
                                static_cast<double>(a.value(row, step)) * static_cast<double>(b.value(column, step));
                            sum = scaleA == 255 || scaleB == 255 ? canonical(NAN)
                                                                 : addExactly(sum, exact, scaleA + scaleB - 254);
                        }
                    }
                CubeScratch scratch;
                QVERIFY(kernelOf(static_cast<Isa>(isa)).multiply(m, n, steps, a.view, b.view, c.data(), n, scratch));
                QCOMPARE(firstDifference(c, want), std::string());
            }
        }
    }

    void extremeElementsUnderEveryScale_data() {
        addIsaColumn();
        QTest::addColumn<int>("type");
        for (const Isa isa : availableIsas())
            for (const DType type : {DType::FP8E4M3, DType::FP8E5M2, DType::FP4E2M1, DType::FP4E1M2})
                QTest::addRow("%s %s", toText(isa).data(), toText(type).data())
                    << static_cast<int>(isa) << static_cast<int>(type);
    }
    void extremeElementsUnderEveryScale() {
        QFETCH(int, isa);
        QFETCH(int, type);
        const auto format = static_cast<DType>(type);
        test::Operand large = makeOperand(format, 1, 1, true, 1);
        test::Operand small = makeOperand(format, 1, 1, true, 2);
        setElement(large, 0, 0, largestValue(format));
        small.memory[0] = std::byte{1};  // the smallest subnormal
        small.values[0] = decode(format, 1);
        addScales(large, 1, true, 1, 0, 0);
        addScales(small, 1, true, 1, 0, 0);
        const CubeKernel kernel = kernelOf(static_cast<Isa>(isa));
        CubeScratch scratch;
        for (int scaleL = 0; scaleL < 255; ++scaleL)
            for (const int scaleS : {0, 1, 50, 120, 127, 200, 254}) {
                large.scales[0] = static_cast<std::uint8_t>(scaleL);
                small.scales[0] = static_cast<std::uint8_t>(scaleS);
                const double exact = static_cast<double>(large.values[0]) * static_cast<double>(small.values[0]);
                const float want = addExactly(-0x1.8p-20f, exact, scaleL + scaleS - 254);
                float left = -0x1.8p-20f, right = left;
                QVERIFY(kernel.multiply(1, 1, 1, large.view, small.view, &left, 1, scratch));
                QVERIFY(kernel.multiply(1, 1, 1, small.view, large.view, &right, 1, scratch));
                QCOMPARE(std::bit_cast<std::uint32_t>(left), std::bit_cast<std::uint32_t>(want));
                QCOMPARE(std::bit_cast<std::uint32_t>(right), std::bit_cast<std::uint32_t>(want));
            }
    }

    void hf32RoundsOperandsFirst_data() {
        addIsaColumn();
        QTest::addColumn<int>("bits");
        QTest::addColumn<bool>("away");
        for (const Isa isa : availableIsas())
            for (const int bits : {10, 11})
                for (const bool away : {false, true})
                    QTest::addRow("%s %d %d", toText(isa).data(), bits, away) << static_cast<int>(isa) << bits << away;
    }
    void hf32RoundsOperandsFirst() {
        QFETCH(int, isa);
        QFETCH(int, bits);
        QFETCH(bool, away);
        constexpr std::int64_t m = 11, n = 18, k = 90;
        for (const bool byK : {true, false}) {
            test::Operand a = makeOperand(DType::FP32, m, k, byK, 31);
            test::Operand b = makeOperand(DType::FP32, n, k, byK, 32);
            const auto got = product(static_cast<Isa>(isa), m, n, a, b, startValues(m, n), CubeMath{bits, away});
            const auto round = [&](float value) {
                // Independent of roundHf32: to an integer number of units of the last kept place.
                int exponent = 0;
                std::frexp(value, &exponent);
                const double unit = std::ldexp(1.0, exponent - 1 - bits);
                const double units = static_cast<double>(value) / unit;
                const double down = std::trunc(units);
                const double rest = std::fabs(units - down);
                const bool up = rest > 0.5 || (rest == 0.5 && (away || std::fmod(down, 2.0) != 0));
                return static_cast<float>((down + (up ? std::copysign(1.0, units) : 0.0)) * unit);
            };
            for (float& value : a.values) value = round(value);
            for (float& value : b.values) value = round(value);
            QCOMPARE(firstDifference(got, orderedProduct(a, b, m, n, startValues(m, n))), std::string());
        }
    }
};

QTEST_APPLESS_MAIN(TestCubeScaling)
#include "tst_cube_scaling.moc"
