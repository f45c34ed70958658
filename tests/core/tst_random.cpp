// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/base/number_formats.h"
#include "core/base/random.h"

using namespace cubist;

namespace {

HostTensor filled(DType type, Shape shape, const GeneratorSpec& spec, int threads = 1, std::uint64_t seed = 7) {
    HostTensor tensor = *HostTensor::uninitialised(type, std::move(shape));
    RunContext context;
    context.threads = threads;
    const bool done = fillTensor(tensor, spec, randomStream(seed, "x"), context).has_value();
    return done ? std::move(tensor) : HostTensor();
}

bool sameBytes(const HostTensor& a, const HostTensor& b) {
    return a.byteCount() == b.byteCount() && std::memcmp(a.data(), b.data(), a.byteCount()) == 0;
}

}  // namespace

class TestRandom : public QObject {
    Q_OBJECT

private slots:
    /// Known answers published with Random123.
    void philoxGivesThePublishedWords() {
        using Block = std::array<std::uint32_t, 4>;
        QVERIFY((philox4x32({0, 0, 0, 0}, {0, 0}) == Block{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
        QVERIFY(
            (philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}) == Block{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
        QVERIFY((philox4x32({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, {0xA4093822, 0x299F31D0}) ==
                 Block{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}));
    }

    void nameAndSeedGiveTheStream() {
        // FNV-1a of "a", as published.
        QCOMPARE(randomStream(5, "a").tensor, 0xAF63DC4C8601EC8Cull);
        QCOMPARE(randomStream(5, "a").seed, 5ull);
        const GeneratorSpec uniform;
        QVERIFY(generateElement(uniform, randomStream(1, "a"), 0) != generateElement(uniform, randomStream(2, "a"), 0));
        QVERIFY(generateElement(uniform, randomStream(1, "a"), 0) != generateElement(uniform, randomStream(1, "b"), 0));
        // Element 5 is word 1 of block 1.
        const RandomStream stream = randomStream(3, "weights");
        const auto words = philox4x32(
            {1, 0, static_cast<std::uint32_t>(stream.tensor), static_cast<std::uint32_t>(stream.tensor >> 32)}, {3, 0});
        QVERIFY(generateElement(uniform, stream, 5) == words[1] * 0x1p-32);
    }

    void threadsAndShapeDoNotMatter_data() {
        QTest::addColumn<int>("type");
        for (const auto& [type, name] : EnumTable<DType>::entries)
            QTest::addRow("%s", name.data()) << static_cast<int>(type);
    }
    void threadsAndShapeDoNotMatter() {
        QFETCH(int, type);
        const auto format = static_cast<DType>(type);
        for (const Distribution distribution :
             {Distribution::Uniform, Distribution::Normal, Distribution::Integers, Distribution::Arange}) {
            const GeneratorSpec spec{distribution, 0, 3};
            const HostTensor one = filled(format, {100003}, spec, 1);
            QVERIFY(sameBytes(one, filled(format, {100003}, spec, 3)));
            // A shorter tensor is the beginning of a longer one, and any element can be had alone.
            const HostTensor part = filled(format, {7, 143}, spec, 2);
            QVERIFY(std::memcmp(one.data(), part.data(), part.byteCount()) == 0);
            for (const std::int64_t index : {0, 1, 255, 256, 32767, 32768, 100002}) {
                HostTensor single = *HostTensor::zeros(format, {1});
                const double value = generateElement(spec, randomStream(7, "x"), index);
                if (distribution == Distribution::Uniform && value > 2.7) continue;  // may be held below the limit
                single.set(0, value);
                const auto bytes = static_cast<std::int64_t>(single.byteCount());
                QVERIFY(std::memcmp(single.data(), one.data() + index * bytes, single.byteCount()) == 0);
            }
        }
    }

    void uniformStaysBelowItsLimit_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        for (const DType type : {DType::FP32, DType::BF16, DType::FP16, DType::FP8E4M3, DType::FP8E5M2, DType::FP4E2M1})
            for (const auto& [low, high] :
                 {std::pair{0.0, 1.0}, std::pair{-1.0, 1.0}, std::pair{-2.0, 0.0}, std::pair{0.5, 0.7}})
                QTest::addRow("%s [%g, %g)", toText(type).data(), low, high) << static_cast<int>(type) << low << high;
    }
    void uniformStaysBelowItsLimit() {
        QFETCH(int, type);
        QFETCH(double, low);
        QFETCH(double, high);
        const auto format = static_cast<DType>(type);
        const HostTensor tensor = filled(format, {200000}, {Distribution::Uniform, low, high});
        // Rounding may move a value below `low` by half a step of the type, never up to `high` (if the type has a value
        // between).
        const double least = static_cast<double>(decode(format, encode(format, low)));
        for (std::int64_t i = 0; i < tensor.count(); ++i) {
            QVERIFY(tensor.at(i) >= least);
            QVERIFY(tensor.at(i) < high);
        }
    }

    void theLastUniformWordIsNotOne() {
        // 2^32 - 1 in 2^32 would round to 1 in FP32; find such a word and see that it is held below.
        const RandomStream stream = randomStream(7, "x");
        const GeneratorSpec spec;
        std::int64_t index = 0;
        while (generateElement(spec, stream, index) < 0.999999) ++index;
        HostTensor tensor = *HostTensor::zeros(DType::BF16, {index + 1});
        RunContext context;
        QVERIFY(fillTensor(tensor, spec, stream, context));
        QVERIFY(tensor.at(index) == 0.99609375);
    }

    void momentsAreThoseOfTheDistribution() {
        constexpr std::int64_t count = 1 << 20;
        const auto moments = [](const HostTensor& tensor) {
            double sum = 0, squares = 0, fourth = 0;
            for (std::int64_t i = 0; i < tensor.count(); ++i) sum += tensor.at(i);
            const double mean = sum / static_cast<double>(tensor.count());
            for (std::int64_t i = 0; i < tensor.count(); ++i) {
                const double d = tensor.at(i) - mean;
                squares += d * d;
                fourth += d * d * d * d;
            }
            const double variance = squares / static_cast<double>(tensor.count());
            return std::array{mean, variance, fourth / static_cast<double>(tensor.count()) / (variance * variance)};
        };
        const auto uniform = moments(filled(DType::FP32, {count}, {Distribution::Uniform, -1, 3}));
        QVERIFY(std::fabs(uniform[0] - 1.0) < 0.006);
        QVERIFY(std::fabs(uniform[1] - 16.0 / 12.0) < 0.006);
        QVERIFY(std::fabs(uniform[2] - 1.8) < 0.01);
        const auto normal = moments(filled(DType::FP32, {count}, {Distribution::Normal, 2, 0.5}));
        QVERIFY(std::fabs(normal[0] - 2.0) < 0.0025);
        QVERIFY(std::fabs(normal[1] - 0.25) < 0.002);
        QVERIFY(std::fabs(normal[2] - 3.0) < 0.03);
    }

    void integersCoverTheirRangeEvenly() {
        const HostTensor tensor = filled(DType::INT8, {500000}, {Distribution::Integers, -2, 2});
        std::array<int, 5> seen{};
        for (std::int64_t i = 0; i < tensor.count(); ++i) {
            QVERIFY(tensor.at(i) >= -2 && tensor.at(i) <= 2);
            ++seen[static_cast<std::size_t>(tensor.at(i) + 2)];
        }
        for (const int times : seen) QVERIFY(std::abs(times - 100000) < 1500);
    }

    void constantsAndRangesAreLiteral() {
        const HostTensor constant = filled(DType::FP32, {5}, {Distribution::Constant, 0.1, 1});
        QVERIFY(constant.at(3) == static_cast<double>(0.1f));
        const HostTensor range = filled(DType::INT32, {6}, {Distribution::Arange, 10, 3});
        QVERIFY(range.at(0) == 10 && range.at(5) == 25);
    }

    void badParametersAreErrors_data() {
        QTest::addColumn<int>("distribution");
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        const auto row = [](const char* name, Distribution d, double low, double high) {
            QTest::newRow(name) << static_cast<int>(d) << low << high;
        };
        row("empty range", Distribution::Uniform, 1, 1);
        row("reversed range", Distribution::Uniform, 2, 1);
        row("NaN", Distribution::Uniform, std::nan(""), 1);
        row("infinite", Distribution::Constant, HUGE_VAL, 1);
        row("range overflows", Distribution::Uniform, -1.7e308, 1.7e308);
        row("negative deviation", Distribution::Normal, 0, -1);
        row("not whole", Distribution::Integers, 0.5, 3);
        row("reversed integers", Distribution::Integers, 3, 1);
        row("too many integers", Distribution::Integers, 0, 0x1p32);
    }
    void badParametersAreErrors() {
        QFETCH(int, distribution);
        QFETCH(double, low);
        QFETCH(double, high);
        const GeneratorSpec spec{static_cast<Distribution>(distribution), low, high};
        HostTensor tensor = *HostTensor::zeros(DType::FP32, {4});
        const auto result = fillTensor(tensor, spec, {}, {});
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::BadValue);
    }

    void fillingCanBeCancelled() {
        std::stop_source stop;
        stop.request_stop();
        RunContext context;
        context.stop = stop.get_token();
        HostTensor tensor = *HostTensor::zeros(DType::FP32, {100});
        const auto result = fillTensor(tensor, {}, {}, context);
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::Cancelled);
    }
};

QTEST_APPLESS_MAIN(TestRandom)
#include "tst_random.moc"
