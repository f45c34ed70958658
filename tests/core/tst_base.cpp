// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/enum_table.h"
#include "core/base/ids.h"
#include "core/base/rational.h"
#include "core/base/result.h"
#include "core/base/run_context.h"
#include "core/base/units.h"

using namespace cubist;

namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

Result<int> half(int number) {
    if (number % 2 != 0) return unexpected(ErrorCode::BadValue, "odd", "/number", "use an even number");
    return number / 2;
}

Result<int> quarter(int number, int& reached) {
    CUBIST_TRY(const int once, half(number));
    reached = 1;
    CUBIST_TRY(const int twice, half(once));
    reached = 2;
    return twice;
}

Result<void> accept(bool good) {
    if (!good) return unexpected(ErrorCode::Cycle, "no");
    return {};
}

Result<std::string> acceptBoth(bool first, bool second) {
    CUBIST_CHECK_OK(accept(first));
    CUBIST_CHECK_OK(accept(second));
    return std::string("both");
}

QString text(const Rational& value) {
    return QString::fromStdString(value.toText());
}

// The one-argument overload set decides at compile time which types mix.
template <class A, class B>
concept Addable = requires(A a, B b) {
    a + b;
};
template <class A, class B>
concept Comparable = requires(A a, B b) {
    a == b;
};

}  // namespace

class TestBase : public QObject {
    Q_OBJECT

private slots:
    // Result
    void resultHoldsAValueOrTheReason() {
        const Result<int> good = half(6);
        QVERIFY(good.has_value());
        QCOMPARE(*good, 3);
        QCOMPARE(good.value_or(9), 3);

        const Result<int> bad = half(7);
        QVERIFY(!bad);
        const Error expected{ErrorCode::BadValue, "odd", "/number", "use an even number"};
        QVERIFY(bad.error() == expected);
        QCOMPARE(bad.value_or(9), 9);
    }

    void resultMovesWhatCannotBeCopied() {
        Result<std::unique_ptr<int>> owner = std::make_unique<int>(5);
        const std::unique_ptr<int> taken = std::move(owner).value();
        QCOMPARE(*taken, 5);
    }

    void resultOfAnErrorTypeIsStillAValue() {
        const Result<Error> stored = Error{ErrorCode::Cycle, "kept"};
        QVERIFY(stored.has_value());
        QCOMPARE(stored->message, std::string("kept"));
    }

    void tryGoesOnWithTheValue() {
        int reached = 0;
        const auto result = quarter(12, reached);
        QCOMPARE(*result, 3);
        QCOMPARE(reached, 2);
    }

    void tryReturnsTheFirstErrorUnchanged_data() {
        QTest::addColumn<int>("number");
        QTest::addColumn<int>("expectedReached");
        QTest::newRow("first call fails") << 3 << 0;
        QTest::newRow("second call fails") << 6 << 1;
    }
    void tryReturnsTheFirstErrorUnchanged() {
        QFETCH(const int, number);
        QFETCH(const int, expectedReached);
        int reached = 0;
        const auto result = quarter(number, reached);
        QVERIFY(!result);
        QVERIFY(result.error() == half(3).error());
        QCOMPARE(reached, expectedReached);
    }

    void checkOkReturnsTheErrorOfAnEmptyResult() {
        QCOMPARE(*acceptBoth(true, true), std::string("both"));
        QVERIFY(acceptBoth(false, true).error().code == ErrorCode::Cycle);
        QVERIFY(acceptBoth(true, false).error().code == ErrorCode::Cycle);
    }

    void exitStatusSeparatesInputCancelAndBug() {
        QCOMPARE(exitStatus(ErrorCode::Cancelled), 3);
        QCOMPARE(exitStatus(ErrorCode::Internal), 4);
        for (const ErrorCode code :
             {ErrorCode::Syntax, ErrorCode::WrongType, ErrorCode::DuplicateKey, ErrorCode::MissingKey,
              ErrorCode::UnknownName, ErrorCode::BadValue, ErrorCode::Cycle, ErrorCode::BadFile, ErrorCode::DoesNotFit,
              ErrorCode::Unsupported})
            QCOMPARE(exitStatus(code), 2);
    }

    void runContextStopsAndReports() {
        std::stop_source source;
        double seen = -1;
        const RunContext context{source.get_token(), [&](double fraction, std::string_view) { seen = fraction; }, 2};
        QVERIFY(!context.cancelled());
        context.report(0.25, "values");
        QCOMPARE(seen, 0.25);
        source.request_stop();
        QVERIFY(context.cancelled());
        QVERIFY(cancelledError().error.code == ErrorCode::Cancelled);
        RunContext{}.report(1.0, "nobody listens");
        QVERIFY(!RunContext{}.cancelled());
    }

    // Rational
    void fractionsAreReducedWithPositiveDenominator_data() {
        QTest::addColumn<qint64>("numerator");
        QTest::addColumn<qint64>("denominator");
        QTest::addColumn<qint64>("expectedNumerator");
        QTest::addColumn<qint64>("expectedDenominator");
        QTest::newRow("common factor") << qint64{6} << qint64{4} << qint64{3} << qint64{2};
        QTest::newRow("whole number") << qint64{8} << qint64{4} << qint64{2} << qint64{1};
        QTest::newRow("zero") << qint64{0} << qint64{-7} << qint64{0} << qint64{1};
        QTest::newRow("negative denominator") << qint64{3} << qint64{-6} << qint64{-1} << qint64{2};
        QTest::newRow("both negative") << qint64{-3} << qint64{-9} << qint64{1} << qint64{3};
        QTest::newRow("largest") << qint64{kLargest} << qint64{kLargest} << qint64{1} << qint64{1};
    }
    void fractionsAreReducedWithPositiveDenominator() {
        QFETCH(const qint64, numerator);
        QFETCH(const qint64, denominator);
        const Rational value(numerator, denominator);
        QTEST(qint64{value.numerator()}, "expectedNumerator");
        QTEST(qint64{value.denominator()}, "expectedDenominator");
    }

    void arithmeticIsExact() {
        const Rational third(1, 3);
        const Rational sixth(1, 6);
        QCOMPARE(text(third + sixth), "0.5");
        QCOMPARE(text(third - sixth), "1/6");
        QCOMPARE(text(sixth - third), "-1/6");
        QCOMPARE(text(third * sixth), "1/18");
        QCOMPARE(text(third / sixth), "2");
        QCOMPARE(text(third / Rational(-2)), "-1/6");
        QVERIFY(third + third + third == Rational(1));
        // A product beyond 64 bits is fine as long as the reduced result fits.
        QCOMPARE(text(Rational(kLargest, 7) * Rational(7, kLargest)), "1");
        QCOMPARE(text(Rational(kLargest, 2) + Rational(kLargest, 2)), QString::number(kLargest));
    }

    void orderFollowsTheValueBeyondDoublePrecision() {
        QVERIFY(Rational(1, 3) < Rational(34, 100));
        QVERIFY(Rational(-1, 3) < Rational(0));
        // Equal as doubles, different as fractions.
        QVERIFY(Rational(kLargest - 1) < Rational(kLargest));
        QVERIFY(Rational(kLargest - 2, kLargest - 1) < Rational(kLargest - 1, kLargest));
    }

    void ceilIsTheSmallestIntegerNotBelow_data() {
        QTest::addColumn<qint64>("numerator");
        QTest::addColumn<qint64>("denominator");
        QTest::addColumn<qint64>("expected");
        QTest::newRow("7/2") << qint64{7} << qint64{2} << qint64{4};
        QTest::newRow("6/2") << qint64{6} << qint64{2} << qint64{3};
        QTest::newRow("1/1000") << qint64{1} << qint64{1000} << qint64{1};
        QTest::newRow("0") << qint64{0} << qint64{5} << qint64{0};
        QTest::newRow("-1/2") << qint64{-1} << qint64{2} << qint64{0};
        QTest::newRow("-7/2") << qint64{-7} << qint64{2} << qint64{-3};
        QTest::newRow("-4") << qint64{-8} << qint64{2} << qint64{-4};
        QTest::newRow("largest") << qint64{kLargest} << qint64{1} << qint64{kLargest};
        QTest::newRow("largest half") << qint64{kLargest} << qint64{2} << qint64{kLargest / 2 + 1};
    }
    void ceilIsTheSmallestIntegerNotBelow() {
        QFETCH(const qint64, numerator);
        QFETCH(const qint64, denominator);
        QTEST(qint64{Rational(numerator, denominator).ceil()}, "expected");
    }

    void textIsADecimalWhereOneExists_data() {
        QTest::addColumn<qint64>("numerator");
        QTest::addColumn<qint64>("denominator");
        QTest::addColumn<QString>("expected");
        QTest::newRow("integer") << qint64{24} << qint64{1} << "24";
        QTest::newRow("zero") << qint64{0} << qint64{3} << "0";
        QTest::newRow("half") << qint64{159} << qint64{2} << "79.5";
        QTest::newRow("below one") << qint64{1} << qint64{8} << "0.125";
        QTest::newRow("zeros after the point") << qint64{1} << qint64{20} << "0.05";
        QTest::newRow("negative below one") << qint64{-1} << qint64{4} << "-0.25";
        QTest::newRow("negative") << qint64{-11} << qint64{5} << "-2.2";
        QTest::newRow("no decimal") << qint64{-1} << qint64{3} << "-1/3";
        QTest::newRow("twelve digits") << qint64{1} << qint64{1000000000000} << "0.000000000001";
        QTest::newRow("thirteen digits") << qint64{1} << qint64{10000000000000} << "1/10000000000000";
        QTest::newRow("largest with decimals") << qint64{kLargest} << qint64{2} << "4611686018427387903.5";
    }
    void textIsADecimalWhereOneExists() {
        QFETCH(const qint64, numerator);
        QFETCH(const qint64, denominator);
        QTEST(text(Rational(numerator, denominator)), "expected");
    }

    void readsJsonNumbersExactly_data() {
        QTest::addColumn<QByteArray>("input");
        QTest::addColumn<qint64>("numerator");
        QTest::addColumn<qint64>("denominator");
        QTest::newRow("integer") << QByteArray("1850") << qint64{1850} << qint64{1};
        QTest::newRow("decimal") << QByteArray("3.6") << qint64{18} << qint64{5};
        QTest::newRow("half") << QByteArray("79.5") << qint64{159} << qint64{2};
        QTest::newRow("negative") << QByteArray("-2") << qint64{-2} << qint64{1};
        QTest::newRow("negative zero") << QByteArray("-0") << qint64{0} << qint64{1};
        QTest::newRow("not exact in binary") << QByteArray("0.1") << qint64{1} << qint64{10};
        QTest::newRow("trailing zeros") << QByteArray("2.5000") << qint64{5} << qint64{2};
        QTest::newRow("exponent") << QByteArray("1.6e12") << qint64{1600000000000} << qint64{1};
        QTest::newRow("capital and plus") << QByteArray("15E+1") << qint64{150} << qint64{1};
        QTest::newRow("negative exponent") << QByteArray("25e-3") << qint64{1} << qint64{40};
        QTest::newRow("zero, large exponent") << QByteArray("0e99999") << qint64{0} << qint64{1};
        QTest::newRow("largest") << QByteArray("9223372036854775807") << qint64{kLargest} << qint64{1};
        QTest::newRow("smallest") << QByteArray("-9223372036854775807") << qint64{-kLargest} << qint64{1};
        QTest::newRow("largest power of ten") << QByteArray("1e18") << qint64{1000000000000000000} << qint64{1};
        QTest::newRow("smallest power of ten") << QByteArray("1e-18") << qint64{1} << qint64{1000000000000000000};
    }
    void readsJsonNumbersExactly() {
        QFETCH(const QByteArray, input);
        const auto value = parseDecimal(input.toStdString());
        QVERIFY2(value, value ? "" : value.error().message.c_str());
        QTEST(qint64{value->numerator()}, "numerator");
        QTEST(qint64{value->denominator()}, "denominator");
    }

    void writtenDecimalsAreReadBackEqual() {
        for (std::int64_t numerator = -60; numerator <= 60; ++numerator)
            for (const std::int64_t denominator : {1, 2, 4, 5, 8, 10, 16, 25, 125, 1000}) {
                const Rational value(numerator, denominator);
                const auto again = parseDecimal(value.toText());
                QVERIFY(again);
                QVERIFY(*again == value);
            }
    }

    void refusesWhatIsNotANumber_data() {
        QTest::addColumn<QByteArray>("input");
        for (const char* input :
             {"", "-", ".", "+1", " 1", "1 ", "1.2.3", "1e", "1e+", "e5", "0x10", "nan", "inf", "1/2", "--1"})
            QTest::newRow(*input == '\0' ? "empty" : input) << QByteArray(input);
    }
    void refusesWhatIsNotANumber() {
        QFETCH(const QByteArray, input);
        const auto value = parseDecimal(input.toStdString());
        QVERIFY(!value);
        QVERIFY(value.error().code == ErrorCode::Syntax);
        QVERIFY(value.error().message.find(input.toStdString()) != std::string::npos);
    }

    void refusesWhatDoesNotFit_data() {
        QTest::addColumn<QByteArray>("input");
        for (const char* input : {"9223372036854775808", "-9223372036854775808", "1e19", "1e400", "1e10000", "1e-19",
                                  "1e-99999", "123456789012345678901234567890", "0.12345678901234567890123"})
            QTest::newRow(input) << QByteArray(input);
    }
    void refusesWhatDoesNotFit() {
        QFETCH(const QByteArray, input);
        const auto value = parseDecimal(input.toStdString());
        QVERIFY(!value);
        QVERIFY(value.error().code == ErrorCode::BadValue);
    }

    void quotesOnlyTheStartOfALongText() {
        const auto value = parseDecimal(std::string(100000, 'x'));
        QVERIFY(value.error().message.size() < 100);
    }

    void toDoubleIsTheNearestForSmallTerms() {
        QCOMPARE(Rational(159, 2).toDouble(), 79.5);
        QCOMPARE(Rational(-1, 3).toDouble(), -1.0 / 3.0);
    }

    // Quantity
    void quantitiesAddAndScale() {
        Bytes bytes{100};
        bytes += Bytes{28};
        bytes -= Bytes{64};
        QVERIFY(bytes == Bytes{64});
        QVERIFY(bytes + Bytes{1} == Bytes{65});
        QVERIFY(bytes - Bytes{65} == Bytes{-1});
        QVERIFY(3 * bytes == bytes * 3);
        QCOMPARE((3 * bytes).value, std::int64_t{192});
        QVERIFY(Bytes{2} < Bytes{10});
        QVERIFY(Ticks{} == Ticks{0});
        QCOMPARE(kTicksPerCycle, std::int64_t{1024});
    }

    void unitsDoNotMix() {
        static_assert(Addable<Bytes, Bytes> && !Addable<Bytes, Ticks> && !Addable<Bytes, int>);
        static_assert(Comparable<Ticks, Ticks> && !Comparable<Bytes, Ticks> && !Comparable<Ticks, std::int64_t>);
        static_assert(!std::is_convertible_v<std::int64_t, Bytes> && !std::is_convertible_v<Bytes, std::int64_t>);
        static_assert(!std::is_constructible_v<Bytes, Ticks>);
    }

    // Name and Index
    void namesAreKeysInOrder() {
        const std::set<TensorId> sorted{TensorId{"w"}, TensorId{"a"}, TensorId{"w"}};
        QCOMPARE(sorted.size(), std::size_t{2});
        QCOMPARE(sorted.begin()->text, std::string("a"));
        std::unordered_map<BlockId, int> counts;
        ++counts[BlockId{"C1"}];
        ++counts[BlockId{"C1"}];
        QCOMPARE(counts.at(BlockId{"C1"}), 2);
        QVERIFY(BlockId{}.empty());
        QVERIFY(!BlockId{"C1"}.empty());
    }

    void namesAndIndicesOfDifferentKindsDoNotMix() {
        using TaskIndex = Index<struct TaskTag>;
        using LeafIndex = Index<struct LeafTag>;
        static_assert(!std::is_convertible_v<BlockId, TensorId> && !std::is_constructible_v<TensorId, BlockId>);
        static_assert(!std::is_convertible_v<std::string, BlockId>);
        static_assert(!Comparable<BlockId, TensorId> && Comparable<BlockId, BlockId>);
        static_assert(!std::is_convertible_v<TaskIndex, LeafIndex> && !Comparable<TaskIndex, LeafIndex>);
        static_assert(!std::is_convertible_v<std::size_t, TaskIndex>);
        QCOMPARE(TaskIndex{std::size_t{7}}.value, 7U);
        QVERIFY(TaskIndex{std::size_t{2}} < TaskIndex{std::size_t{10}});
        QCOMPARE(std::hash<TaskIndex>{}(TaskIndex{std::size_t{7}}), std::hash<std::uint32_t>{}(7U));
    }

    // EnumTable and data types
    void everyDataTypeIsSpelledOnce() {
        std::set<std::string_view> spellings;
        for (const auto& [type, spelling] : EnumTable<DType>::entries) {
            QVERIFY(toText(type) == spelling);
            QVERIFY(fromText<DType>(spelling) == type);
            spellings.insert(spelling);
        }
        QCOMPARE(spellings.size(), std::size_t{16});
        static_assert(toText(DType::FP8E4M3) == "FP8E4M3");
        static_assert(fromText<RoundMode>("NONE") == RoundMode::None);
    }

    void unknownSpellingsAreNoValue() {
        for (const std::string_view wrong : {"", "fp32", "FP32 ", "FP", "FP32X"})
            QVERIFY(!fromText<DType>(wrong).has_value());
        QVERIFY(!fromText<Format>("NHWC").has_value());
    }

    void sizesOfDataTypes_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("bits");
        QTest::addColumn<qint64>("bytesOfFive");
        QTest::addColumn<int>("hostBytes");
        const auto row = [](DType type, int bits, qint64 bytesOfFive, int hostBytes) {
            QTest::newRow(toText(type).data()) << static_cast<int>(type) << bits << bytesOfFive << hostBytes;
        };
        row(DType::INT64, 64, 40, 8);
        row(DType::FP32, 32, 20, 4);
        row(DType::INT32, 32, 20, 4);
        row(DType::BF16, 16, 10, 2);
        row(DType::FP16, 16, 10, 2);
        row(DType::INT8, 8, 5, 1);
        row(DType::FP8E8M0, 8, 5, 1);
        row(DType::FP4E2M1, 4, 3, 1);
        row(DType::INT4, 4, 3, 1);
    }
    void sizesOfDataTypes() {
        QFETCH(const int, type);
        const auto dtype = static_cast<DType>(type);
        QTEST(bitsPerElement(dtype), "bits");
        QTEST(qint64{deviceBytes(dtype, 5)}, "bytesOfFive");
        QTEST(hostBytesPerElement(dtype), "hostBytes");
    }
};

QTEST_APPLESS_MAIN(TestBase)
#include "tst_base.moc"
