// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "core/base/elementary.h"
#include "core/base/random.h"

using namespace cubist;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

using Function = std::function<double(double)>;
using Reference = std::function<long double(long double)>;

struct Subject {
    const char* name;
    Function function;
    Reference reference;
    double limit;  ///< units of the last place of a double
};

const std::vector<Subject>& subjects() {
    static const std::vector<Subject> list = {
        {"exp", elementary::exp, [](long double x) { return std::exp(x); }, 1.0},
        {"expm1", elementary::expm1, [](long double x) { return std::expm1(x); }, 2.0},
        {"log", elementary::log, [](long double x) { return std::log(x); }, 1.0},
        {"log1p", elementary::log1p, [](long double x) { return std::log1p(x); }, 2.0},
        {"sin", elementary::sin, [](long double x) { return std::sin(x); }, 1.0},
        {"cos", elementary::cos, [](long double x) { return std::cos(x); }, 1.0},
        {"tanh", elementary::tanh, [](long double x) { return std::tanh(x); }, 3.0},
        {"sigmoid", elementary::sigmoid, [](long double x) { return 1 / (1 + std::exp(-x)); }, 3.0},
    };
    return list;
}

std::uint64_t word(std::uint64_t index) {
    const auto block =
        philox4x32({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), 0, 0}, {11, 13});
    return std::uint64_t{block[0]} << 32 | block[1];
}

/// Distance of a result from the truth in units of the last place of a double (of the smallest step near zero).
double errorInUnits(double value, long double truth) {
    const auto rounded = static_cast<double>(truth);
    if (std::isnan(rounded) || std::isinf(rounded) || std::isinf(value))
        return (std::isnan(rounded) && std::isnan(value)) || value == rounded ? 0.0 : kInf;
    int exponent = 0;
    std::frexp(rounded, &exponent);
    return static_cast<double>(std::fabs(static_cast<long double>(value) - truth) /
                               std::ldexp(1.0L, std::max(exponent - 53, -1074)));
}

void addSubjects() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < subjects().size(); ++i) QTest::newRow(subjects()[i].name) << static_cast<int>(i);
}

}  // namespace

class TestElementary : public QObject {
    Q_OBJECT

private slots:
    /// The truth is the 64-bit mantissa of long double: 11 bits more than what is tested.
    void staysWithinItsUnits_data() { addSubjects(); }
    void staysWithinItsUnits() {
        QFETCH(int, index);
        const Subject& subject = subjects()[static_cast<std::size_t>(index)];
        double worst = 0, where = 0;
        const auto check = [&](double x) {
            const double error = errorInUnits(subject.function(x), subject.reference(static_cast<long double>(x)));
            if (error > worst) {
                worst = error;
                where = x;
            }
        };
        for (const double range : {1e-3, 0.5, 1.0, 4.0, 40.0, 750.0, 1e6, 1e9})
            for (std::uint64_t i = 0; i < 15000; ++i)
                check((static_cast<double>(word(i) >> 11) * 0x1p-52 - 1.0) * range);
        for (std::uint64_t i = 0; i < 20000; ++i) {
            const double any = std::bit_cast<double>(word(i));
            if (!std::isnan(any)) check(any);
            const float single = std::bit_cast<float>(static_cast<std::uint32_t>(word(i + 1000000)));
            if (!std::isnan(single)) check(static_cast<double>(single));
        }
        for (int k = -2000; k <= 2000; ++k) {
            // Multiples of pi / 2 and of ln 2, where reductions cancel most, and powers of two.
            for (const double x : {k * 1.5707963267948966, k * 500.0 * 1.5707963267948966, k * 0.6931471805599453,
                                   1.0 + k * 0x1p-50, std::ldexp(1.0, k / 2)})
                for (const double y : {x, std::nextafter(x, kInf), std::nextafter(x, -kInf)}) check(y);
        }
        QVERIFY2(worst < subject.limit, qPrintable(QString("%1 units at %2").arg(worst).arg(where, 0, 'g', 17)));
    }

    void floatResultsAreWithinOneUnit_data() { addSubjects(); }
    void floatResultsAreWithinOneUnit() {
        QFETCH(int, index);
        const Subject& subject = subjects()[static_cast<std::size_t>(index)];
        for (std::uint32_t code = 0; code < 0xFFFF0000u; code += 98765) {
            const auto x = std::bit_cast<float>(code);
            if (std::isnan(x)) continue;
            const auto value = static_cast<float>(subject.function(static_cast<double>(x)));
            const auto truth = static_cast<float>(subject.reference(static_cast<long double>(x)));
            if (std::isnan(truth)) {
                QVERIFY(std::isnan(value));
                continue;
            }
            QVERIFY(value == truth || value == std::nextafter(truth, value));
        }
    }

    void specialValues() {
        const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
        constexpr std::uint64_t kCanonical = 0x7FF8000000000000ull;
        const double nan = std::bit_cast<double>(0xFFF0000000000001ull);
        for (const Subject& subject : subjects()) QCOMPARE(bits(subject.function(nan)), kCanonical);
        QVERIFY(elementary::exp(0.0) == 1.0);
        QVERIFY(elementary::exp(-kInf) == 0.0);
        QVERIFY(elementary::exp(kInf) == kInf);
        QVERIFY(elementary::exp(710.0) == kInf);
        QVERIFY(elementary::exp(-746.0) == 0.0);
        QVERIFY(elementary::exp(-745.0) == std::numeric_limits<double>::denorm_min());
        QVERIFY(elementary::log(1.0) == 0.0);
        QVERIFY(elementary::log(0.0) == -kInf);
        QVERIFY(elementary::log(kInf) == kInf);
        QCOMPARE(bits(elementary::log(-1.0)), kCanonical);
        QVERIFY(elementary::log1p(-1.0) == -kInf);
        QCOMPARE(bits(elementary::log1p(-2.0)), kCanonical);
        QVERIFY(elementary::expm1(-kInf) == -1.0);
        QCOMPARE(bits(elementary::expm1(-0.0)), bits(-0.0));
        QCOMPARE(bits(elementary::sin(-0.0)), bits(-0.0));
        QCOMPARE(bits(elementary::sin(kInf)), kCanonical);
        QCOMPARE(bits(elementary::cos(-kInf)), kCanonical);
        QVERIFY(elementary::cos(0.0) == 1.0);
        QVERIFY(elementary::tanh(kInf) == 1.0);
        QVERIFY(elementary::tanh(-50.0) == -1.0);
        QCOMPARE(bits(elementary::tanh(-0.0)), bits(-0.0));
        QVERIFY(elementary::sigmoid(-kInf) == 0.0);
        QVERIFY(elementary::sigmoid(kInf) == 1.0);
        QVERIFY(elementary::sigmoid(0.0) == 0.5);
        QVERIFY(elementary::sigmoid(-700.0) > 0.0);
    }

    void turnsAreExactAtQuarters() {
        for (int quarter = -9; quarter <= 9; ++quarter) {
            const auto [sine, cosine] = elementary::sinCosOfTurns(quarter * 0.25);
            const int q = ((quarter % 4) + 4) % 4;
            QVERIFY(sine == (q == 1 ? 1.0 : q == 3 ? -1.0 : 0.0));
            QVERIFY(cosine == (q == 0 ? 1.0 : q == 2 ? -1.0 : 0.0));
        }
        for (std::uint64_t i = 0; i < 50000; ++i) {
            const double t = static_cast<double>(word(i) >> 32) * 0x1p-32;
            const auto [sine, cosine] = elementary::sinCosOfTurns(t);
            const long double angle = 6.283185307179586476925286766559L * static_cast<long double>(t);
            QVERIFY(std::fabs(static_cast<long double>(sine) - std::sin(angle)) < 3e-16L);
            QVERIFY(std::fabs(static_cast<long double>(cosine) - std::cos(angle)) < 3e-16L);
        }
    }

    /// Fixed bits: the same on every host and compiler.
    void resultsAreTheseBits() {
        const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
        std::uint64_t hash = 0xCBF29CE484222325ull;
        for (const Subject& subject : subjects())
            for (std::uint64_t i = 0; i < 5000; ++i) {
                const double x = (static_cast<double>(word(i) >> 11) * 0x1p-52 - 1.0) * 30.0;
                hash = (hash ^ bits(subject.function(x))) * 0x100000001B3ull;
            }
        QCOMPARE(hash, 372920643540579987ull);
    }

    void rowsAreTheFunctionsRounded() {
        std::vector<float> x(3000), y(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(word(i)));
        using Row = void (*)(std::span<const float>, std::span<float>);
        const std::vector<std::pair<Row, Function>> rows = {
            {elementary::expRow, elementary::exp},   {elementary::logRow, elementary::log},
            {elementary::sinRow, elementary::sin},   {elementary::cosRow, elementary::cos},
            {elementary::tanhRow, elementary::tanh}, {elementary::sigmoidRow, elementary::sigmoid}};
        for (const auto& [row, function] : rows) {
            row(x, y);
            for (std::size_t i = 0; i < x.size(); ++i) {
                const auto want = static_cast<float>(function(static_cast<double>(x[i])));
                QCOMPARE(std::bit_cast<std::uint32_t>(y[i]),
                         std::isnan(want) ? 0x7FC00000u : std::bit_cast<std::uint32_t>(want));
            }
            std::vector<float> inPlace = x;
            row(inPlace, inPlace);
            QVERIFY(std::equal(y.begin(), y.end(), inPlace.begin(), [](float a, float b) {
                return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
            }));
        }
    }
};

QTEST_APPLESS_MAIN(TestElementary)
#include "tst_elementary.moc"
