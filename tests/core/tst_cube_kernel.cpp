// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/base/number_formats.h"
#include "core/base/random.h"
#include "core/base/tensor.h"
#include "core/emulator/cube_kernel.h"

using namespace cubist;

namespace {

/// An operand with its own memory, stored either way round, with gaps between rows.
struct Operand {
    std::vector<std::byte> memory;
    std::vector<std::uint8_t> scales;
    CubeOperand view;
    std::vector<float> values;  ///< [i][k], decoded one by one
    std::int64_t k = 0;

    [[nodiscard]] float value(std::int64_t i, std::int64_t step) const {
        return values[static_cast<std::size_t>(i * k + step)];
    }
};

std::uint32_t randomWord(std::uint64_t seed, std::uint64_t index) {
    return philox4x32({static_cast<std::uint32_t>(index), 0, 0, 0}, {static_cast<std::uint32_t>(seed), 0})[0];
}

void setElement(Operand& operand, std::int64_t i, std::int64_t step, double value) {
    auto* at = const_cast<std::byte*>(operand.view.element(i, step));
    encodeRow(operand.view.dtype, std::span<const double>(&value, 1), at);
    decodeRow(operand.view.dtype, at, std::span(&operand.values[static_cast<std::size_t>(i * operand.k + step)], 1));
}

/// Signed values of very different sizes (integers: the whole range); storedByK: k is the contiguous axis.
Operand makeOperand(DType type, std::int64_t count, std::int64_t k, bool storedByK, std::uint64_t seed) {
    Operand operand;
    operand.k = k;
    const std::int64_t inner = (storedByK ? k : count) + 3;
    const std::int64_t outer = storedByK ? count : k;
    operand.memory.resize(static_cast<std::size_t>(inner * outer * hostBytesPerElement(type)));
    operand.view = CubeOperand{type, operand.memory.data(), storedByK ? inner : 1, storedByK ? 1 : inner};
    operand.values.resize(static_cast<std::size_t>(count * k));
    for (std::int64_t i = 0; i < count; ++i)
        for (std::int64_t step = 0; step < k; ++step) {
            const std::uint32_t word = randomWord(seed, static_cast<std::uint64_t>(i * k + step));
            const double unit = static_cast<double>(word >> 8) * 0x1p-24 - 0.5;
            const double value = isFloat(type) ? std::ldexp(unit, static_cast<int>(word % 7) - 3)
                                               : std::floor(unit * (type == DType::INT4 ? 16 : 256));
            setElement(operand, i, step, value);
        }
    return operand;
}

/// Scales in the layout [count, ceil(k/64), 2] (by rows) or [ceil(k/64), count, 2].
void addScales(Operand& operand, std::int64_t count, bool byRows, std::uint64_t seed, int low, int high) {
    const std::int64_t pairs = (operand.k + 63) / 64;
    operand.scales.resize(static_cast<std::size_t>(count * pairs * 2));
    for (std::size_t i = 0; i < operand.scales.size(); ++i)
        operand.scales[i] = static_cast<std::uint8_t>(
            low + static_cast<int>(randomWord(seed, i) % static_cast<std::uint32_t>(high - low + 1)));
    operand.view.scales = operand.scales.data();
    operand.view.scaleIStride = byRows ? 2 * pairs : 2;
    operand.view.scalePairStride = byRows ? 2 : 2 * count;
}

std::vector<float> startValues(std::int64_t m, std::int64_t n) {
    std::vector<float> c(static_cast<std::size_t>(m * n));
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = static_cast<float>(randomWord(99, i) % 17) * 0.125f - 1.0f;
    return c;
}

float canonical(float value) {
    return std::isnan(value) ? std::bit_cast<float>(0x7FC00000u) : value;
}

/// The definition: one ordered chain of fused multiply-adds per element.
std::vector<float> orderedProduct(const Operand& a, const Operand& b, std::int64_t m, std::int64_t n,
                                  std::vector<float> c) {
    for (std::int64_t row = 0; row < m; ++row)
        for (std::int64_t column = 0; column < n; ++column) {
            float& sum = c[static_cast<std::size_t>(row * n + column)];
            for (std::int64_t step = 0; step < a.k; ++step)
                sum = std::fmaf(a.value(row, step), b.value(column, step), sum);
            sum = canonical(sum);
        }
    return c;
}

/// RN(sum + product * 2^exponent) by long double: the product has at most 8 bits, so two extended additions suffice to
/// see which way the exact sum lies.
float addExactly(float sum, double product, int exponent) {
    if (std::isnan(sum) || std::isnan(product)) return canonical(NAN);
    const long double term = std::ldexp(static_cast<long double>(product), exponent);
    const long double total = static_cast<long double>(sum) + term;
    // What the 64-bit mantissa dropped (two-sum), folded into the last bit so that the cast to float rounds once.
    const long double back = total - static_cast<long double>(sum);
    const long double lost = (static_cast<long double>(sum) - (total - back)) + (term - back);
    if (lost == 0 || !std::isfinite(total)) return canonical(static_cast<float>(total));
    int e = 0;
    const long double fraction = std::frexp(total, &e);
    const bool odd = (static_cast<std::uint64_t>(std::ldexp(std::fabs(fraction), 64)) & 1u) != 0;
    if (odd) return static_cast<float>(total);
    const long double towards =
        lost > 0 ? std::numeric_limits<long double>::infinity() : -std::numeric_limits<long double>::infinity();
    return static_cast<float>(std::nextafter(total, towards));
}

/// Equal to the bit, or the place of the first difference.
QByteArray firstDifference(const std::vector<float>& got, const std::vector<float>& want) {
    for (std::size_t i = 0; i < want.size(); ++i)
        if (std::bit_cast<std::uint32_t>(got[i]) != std::bit_cast<std::uint32_t>(want[i]))
            return "element " + QByteArray::number(static_cast<qulonglong>(i)) + ": " +
                   QByteArray::number(got[i], 'g', 9) + " instead of " + QByteArray::number(want[i], 'g', 9);
    return {};
}

CubeKernel kernelOf(Isa isa, CubeMath math = {}) {
    return *CubeKernel::create(isa, math);
}

}  // namespace

class TestCubeKernel : public QObject {
    Q_OBJECT

private:
    static void addIsaColumn() { QTest::addColumn<int>("isa"); }
    static std::vector<float> product(Isa isa, std::int64_t m, std::int64_t n, const Operand& a, const Operand& b,
                                      std::vector<float> c, CubeMath math = {}) {
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
                const Operand a = makeOperand(static_cast<DType>(typeA), m, k, byKA, 1);
                const Operand b = makeOperand(static_cast<DType>(typeB), n, k, byKB, 2);
                const auto want = orderedProduct(a, b, m, n, startValues(m, n));
                const auto got = product(static_cast<Isa>(isa), m, n, a, b, startValues(m, n));
                QCOMPARE(firstDifference(got, want), QByteArray());
            }
    }

    void aProductContinuedInPiecesIsTheSameProduct() {
        constexpr std::int64_t m = 20, n = 40, k = 700;
        const Operand a = makeOperand(DType::BF16, m, k, true, 3);
        const Operand b = makeOperand(DType::BF16, n, k, false, 4);
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
            QCOMPARE(firstDifference(c, want), QByteArray());
        }
    }

    void packedPanelsServeSeveralBlocks() {
        constexpr std::int64_t m = 30, n = 48, k = 300;
        const Operand a = makeOperand(DType::FP32, m, k, true, 5);
        const Operand b = makeOperand(DType::FP32, n, k, true, 6);
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
            QCOMPARE(firstDifference(c, want), QByteArray());
        }
    }

    void threadsNeverChangeABit_data() { addIsaRows(); }
    void threadsNeverChangeABit() {
        QFETCH(int, isa);
        constexpr std::int64_t m = 300, n = 270, k = 1100;
        const Operand a = makeOperand(DType::FP16, m, k, true, 7);
        const Operand b = makeOperand(DType::FP16, n, k, false, 8);
        const auto want = orderedProduct(a, b, m, n, startValues(m, n));
        for (const int threads : {1, 2, 5}) {
            RunContext context;
            context.threads = threads;
            auto c = startValues(m, n);
            QVERIFY(matmulWhole(kernelOf(static_cast<Isa>(isa)), m, n, k, a.view, b.view, c.data(), n, context));
            QCOMPARE(firstDifference(c, want), QByteArray());
        }
    }

    void cancelStopsAWholeProduct() {
        std::stop_source stop;
        stop.request_stop();
        RunContext context;
        context.stop = stop.get_token();
        const Operand a = makeOperand(DType::FP32, 4, 4, true, 1);
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
        Operand a = makeOperand(DType::FP32, m, k, true, 9);
        const Operand b = makeOperand(DType::FP32, n, k, true, 10);
        Operand special = b;
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
        Operand a = makeOperand(DType::FP32, 1, 2, true, 1);
        Operand b = makeOperand(DType::FP32, 1, 2, true, 2);
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
        const Operand a = makeOperand(static_cast<DType>(type), m, k, true, 11);
        const Operand b = makeOperand(static_cast<DType>(type), n, k, false, 12);
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
        Operand a = makeOperand(DType::INT8, 1, k, true, 1);
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
        Operand a = makeOperand(DType::INT8, 2, 300, true, 1);
        Operand b = makeOperand(DType::INT8, 3, 300, true, 2);
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
            Operand a = makeOperand(static_cast<DType>(typeA), m, k, byRows, 21);
            Operand b = makeOperand(static_cast<DType>(typeB), n, k, byRows, 22);
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
                QCOMPARE(firstDifference(c, want), QByteArray());
            }
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
            Operand a = makeOperand(DType::FP32, m, k, byK, 31);
            Operand b = makeOperand(DType::FP32, n, k, byK, 32);
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
            QCOMPARE(firstDifference(got, orderedProduct(a, b, m, n, startValues(m, n))), QByteArray());
        }
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
