// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/golden/golden_sums.h"
#include "core/golden/reference.h"
#include "tests/support/designs.h"

using namespace cubist;
using namespace cubist::golden;
using namespace cubist::test;

namespace {

std::uint32_t next(std::uint32_t& seed) {
    seed = seed * 1664525u + 1013904223u;
    return seed;
}

/// Random numbers in -1..1 with all bits of FP32 used.
float fraction(std::uint32_t& seed) {
    return static_cast<float>(static_cast<std::int32_t>(next(seed))) * 0x1p-31f;
}

HostTensor random(Shape shape, std::uint32_t seed) {
    HostTensor made = std::move(HostTensor::zeros(DType::FP32, std::move(shape))).value();
    for (std::int64_t i = 0; i < made.count(); ++i) made.set(i, static_cast<double>(fraction(seed)));
    return made;
}

GoldenTensor product(const MatmulKnobs& knobs, const HostTensor& a, const HostTensor& b, GoldenRequest request = {},
                     int threads = 1) {
    const Design design = matmulDesign(knobs);
    auto binding = bind(design, "");
    if (!binding) qFatal("%s", binding.error().message.c_str());
    auto plan = resolve(design, *binding);
    if (!plan) qFatal("%s", plan.error().message.c_str());
    RunContext context;
    context.threads = threads;
    request.kind = GoldenKind::Framework;
    auto result = computeGolden(*plan, {{"a", &a}, {"b", &b}}, request, context);
    if (!result) qFatal("%s", result.error().message.c_str());
    return result->outputs.at("c");
}

}  // namespace

class TestGoldenSums : public QObject {
    Q_OBJECT
private slots:
    void theWideSumIsAFusedMultiplyAdd() {
        // Operands of FP32, for which std::fma says what one rounding of an exact product gives.
        std::uint32_t seed = 1;
        for (int i = 0; i < 200'000; ++i) {
            const float a = std::ldexp(fraction(seed), static_cast<int>(next(seed) >> 25) - 64);
            const float b = std::ldexp(fraction(seed), static_cast<int>(next(seed) >> 25) - 64);
            // Sums near the product, near its negative and far from it.
            const float near = i % 3 == 0 ? a * b * fraction(seed) : i % 3 == 1 ? -(a * b) : fraction(seed);
            const float want = std::fma(a, b, near);
            const float got = addRoundedOnce(near, static_cast<double>(a) * static_cast<double>(b));
            QVERIFY2(got == want || (std::isnan(got) && std::isnan(want)), qPrintable(QString::number(i)));
        }
    }

    void aTieIsDecidedByWhatLiesFarBelow() {
        // 1 + 2^-24 is half way between 1 and its upper neighbour; 2^-80 more or less decides.
        const double half = 0x1p-24;
        QCOMPARE(addRoundedOnce(1.0f, half), 1.0f);
        QCOMPARE(addRoundedOnce(0x1p-80f, 1.0 + half), 1.0f + 0x1p-23f);
        QCOMPARE(addRoundedOnce(-0x1p-80f, 1.0 + half), 1.0f);
        QCOMPARE(addRoundedOnce(0x1p-80f, -1.0 - half), -1.0f);
        QCOMPARE(addRoundedOnce(-0x1p-80f, -1.0 - half), -1.0f - 0x1p-23f);
    }

    void rangesEndAsInFp32() {
        QVERIFY(std::isinf(addRoundedOnce(1.0f, 0x1p200)));
        QVERIFY(std::isnan(
            addRoundedOnce(-std::numeric_limits<float>::infinity(), std::numeric_limits<double>::infinity())));
        QCOMPARE(addRoundedOnce(0.0f, 0x1.8p-149), 0x1p-148f);
    }

    void everyKindSumsAsItSays() {
        std::uint32_t seed = 7;
        constexpr std::size_t kK = 77;
        std::vector<float> a(kK * 4), b(kK * 16);
        for (float& x : a) x = fraction(seed);
        for (float& x : b) x = fraction(seed);
        FrameworkSums::Block sums{};
        FrameworkSums::add(a.data(), b.data(), kK, sums);
        const std::vector<double> wideA(a.begin(), a.end());
        for (std::size_t j = 0; j < 16; ++j) {
            std::vector<double> wideB(kK * 4);
            for (std::size_t k = 0; k < kK; ++k) wideB[k * 4] = static_cast<double>(b[k * 16 + j]);
            WideFrameworkSums::Block wide{};
            WideFrameworkSums::add(wideA.data(), wideB.data(), kK, wide);
            for (std::size_t i = 0; i < 4; ++i) {
                float want = 0;
                for (std::size_t k = 0; k < kK; ++k) want = std::fma(a[k * 4 + i], b[k * 16 + j], want);
                QCOMPARE(sums[i * 16 + j], want);
                QCOMPARE(wide[i * 4], want);
            }
        }
    }

    void oneSumOfFp32TakesAllOfK() {
        MatmulKnobs knobs{.m = 1, .k = 3 * 1024 + 16, .n = 1, .dtype = DType::FP32};
        HostTensor a = std::move(HostTensor::zeros(DType::FP32, {1, knobs.k})).value();
        HostTensor b = std::move(HostTensor::zeros(DType::FP32, {knobs.k, 1})).value();
        for (std::int64_t k = 0; k < knobs.k; ++k) {
            a.set(k, k % 1024 == 0 && k < 3072 ? 1.0 : 0x1p-24);
            b.set(k, 1.0);
        }
        // Beside 1 and more each of the small terms is lost in a tie; FP64 rounded once gives 3 + 3085 * 2^-24.
        QCOMPARE(product(knobs, a, b).values.front(), 3.0);
        // The small ones first: 1023 * 2^-24 are there exactly when 1 comes. That sum is a tie between 1 + 511 * 2^-23
        // and 1 + 512 * 2^-23, the even one; what comes later is lost again.
        for (std::int64_t k = 0; k < 3072; ++k) a.set(k, k % 1024 == 1023 ? 1.0 : 0x1p-24);
        QCOMPARE(product(knobs, a, b).values.front(), 3.0 + 512 * 0x1p-23);
    }

    void everyProductIsRoundedOnceOnly() {
        // (1 + 2^-12)^2 - 1 = 2^-11 + 2^-24, which a product rounded for itself would lose.
        MatmulKnobs knobs{.m = 1, .k = 2, .n = 1, .dtype = DType::FP32};
        HostTensor a = std::move(HostTensor::zeros(DType::FP32, {1, 2})).value();
        HostTensor b = std::move(HostTensor::zeros(DType::FP32, {2, 1})).value();
        a.set(0, -1.0), a.set(1, 1 + 0x1p-12);
        b.set(0, 1.0), b.set(1, 1 + 0x1p-12);
        QCOMPARE(product(knobs, a, b).values.front(), 0x1p-11 + 0x1p-24);
    }

    void blocksOfRowsSamplesAndThreadsHaveTheSameBits() {
        MatmulKnobs knobs{.m = 70, .k = 2500, .n = 90, .dtype = DType::FP32};
        const HostTensor a = random({70, 2500}, 1), b = random({2500, 90}, 2);
        const GoldenTensor whole = product(knobs, a, b);
        for (const auto& [i, j] : {std::pair{0, 0}, {69, 89}, {17, 33}, {64, 16}}) {
            float total = 0;
            for (std::int64_t k = 0; k < 2500; ++k)
                total = std::fma(static_cast<float>(a.at(i * 2500 + k)), static_cast<float>(b.at(k * 90 + j)), total);
            QCOMPARE(whole.values[static_cast<std::size_t>(i * 90 + j)], static_cast<double>(total));
        }
        QVERIFY(product(knobs, a, b, {}, 3).values == whole.values);
        GoldenRequest rows;
        rows.rows = RowRange{13, 40};
        const GoldenTensor part = product(knobs, a, b, rows);
        QVERIFY(std::equal(part.values.begin(), part.values.end(), whole.values.begin() + 13 * 90));
        GoldenRequest sampled;
        sampled.samples["c"] = drawSample({70, 90}, 16, 16, 100, 1, "c");
        const GoldenTensor some = product(knobs, a, b, sampled);
        for (const std::int64_t at : sampled.samples["c"].positions)
            QCOMPARE(some.values[static_cast<std::size_t>(at)], whole.values[static_cast<std::size_t>(at)]);
    }
};

QTEST_APPLESS_MAIN(TestGoldenSums)
#include "tst_golden_sums.moc"
