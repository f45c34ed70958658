// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/block_pool.h"
#include "core/base/tensor.h"

using namespace cubist;

class TestTensor : public QObject {
    Q_OBJECT

private slots:
    void countsElementsWithoutOverflow() {
        QCOMPARE(*elementCount(Shape{}), std::int64_t{1});
        QCOMPARE(*elementCount(Shape{3, 4, 5}), std::int64_t{60});
        QCOMPARE(*elementCount(Shape{1000000000000, 0}), std::int64_t{0});
        QCOMPARE(*elementCount(Shape{std::int64_t{1} << 40, std::int64_t{1} << 40, 0}), std::int64_t{0});
        QCOMPARE(elementCount(Shape{std::int64_t{1} << 40, std::int64_t{1} << 40}).error().code, ErrorCode::DoesNotFit);
        QCOMPARE(elementCount(Shape{4, -1}).error().code, ErrorCode::BadValue);
        QVERIFY(rowMajorStrides({2, 3, 4}) == (Shape{12, 4, 1}));
        QVERIFY(rowMajorStrides({}).empty());
    }

    void tooLargeIsAnErrorAndNotACrash() {
        const auto result = HostTensor::zeros(DType::INT64, {std::int64_t{1} << 59});
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::DoesNotFit);
        QVERIFY(result.error().message.find("576460752303423488") != std::string::npos);
        QCOMPARE(HostTensor::uninitialised(DType::FP32, {1000000000000, 5120}).error().code, ErrorCode::DoesNotFit);
    }

    void startsAlignedAndZero_data() {
        QTest::addColumn<int>("type");
        for (const auto& [type, name] : EnumTable<DType>::entries)
            QTest::addRow("%s", name.data()) << static_cast<int>(type);
    }
    void startsAlignedAndZero() {
        QFETCH(int, type);
        const auto tensor = HostTensor::zeros(static_cast<DType>(type), {7, 33});
        QVERIFY(tensor);
        QCOMPARE(tensor->count(), std::int64_t{231});
        QCOMPARE(tensor->byteCount(),
                 std::size_t{231} * static_cast<std::size_t>(hostBytesPerElement(static_cast<DType>(type))));
        QCOMPARE(reinterpret_cast<std::uintptr_t>(tensor->data()) % 64, std::uintptr_t{0});
        for (std::size_t i = 0; i < tensor->byteCount(); ++i) QCOMPARE(tensor->data()[i], std::byte{0});
        QCOMPARE(
            reinterpret_cast<std::uintptr_t>(HostTensor::uninitialised(static_cast<DType>(type), {5})->data()) % 64,
            std::uintptr_t{0});
    }

    void largeTensorsStartAlignedAndZeroToo() {
        constexpr std::int64_t kCount = std::int64_t{5} << 20;  // elements, 20 MiB of FP32
        for (int round = 0; round < 2; ++round) {               // the second one may get the memory of the first
            HostTensor tensor = *HostTensor::zeros(DType::FP32, {kCount});
            QCOMPARE(reinterpret_cast<std::uintptr_t>(tensor.data()) % 64, std::uintptr_t{0});
            const auto codes = tensor.codes<float>();
            QVERIFY(std::all_of(codes.begin(), codes.end(), [](float code) { return code == 0.0F; }));
            std::fill_n(tensor.writableCodes<float>().begin(), kCount, 2.0F);
            const HostTensor moved = std::move(tensor);
            QVERIFY(moved.writable());
            const HostTensor copy = *moved.clone();
            QVERIFY(copy.data() != moved.data());
            QVERIFY(copy.at(kCount - 1) == 2.0);
        }
    }

    void aPoolLendsMemoryAgain() {
        constexpr std::size_t kMiB = std::size_t{1} << 20;
        auto pool = std::make_unique<BlockPool>(16 * kMiB);
        std::shared_ptr<std::byte> block = pool->take(8 * kMiB);
        QCOMPARE(reinterpret_cast<std::uintptr_t>(block.get()) % (2 * kMiB), std::uintptr_t{0});
        QCOMPARE(pool->waiting(), std::size_t{0});
        const std::byte* const first = block.get();
        block.reset();
        QCOMPARE(pool->waiting(), 8 * kMiB);
        block = pool->take(6 * kMiB);
        QVERIFY(block.get() == first);
        block.reset();
        // Too large for it, and too small to be given so much.
        const std::shared_ptr<std::byte> large = pool->take(9 * kMiB), small = pool->take(3 * kMiB);
        QVERIFY(large.get() != first && small.get() != first);
        QCOMPARE(pool->waiting(), 8 * kMiB);
        // The oldest goes where more would wait than may; what can never wait goes at once.
        std::shared_ptr<std::byte> next = pool->take(10 * kMiB), huge = pool->take(17 * kMiB);
        const std::byte* const kept = next.get();
        next.reset();
        huge.reset();
        QCOMPARE(pool->waiting(), 10 * kMiB);
        block = pool->take(10 * kMiB);
        QVERIFY(block.get() == kept);
        pool.reset();
        block.get()[10 * kMiB - 1] = std::byte{1};
    }

    void readsAndWritesValuesThroughCodes() {
        HostTensor bf16 = *HostTensor::zeros(DType::BF16, {2, 2});
        bf16.set(3, 1.0 + 0x1p-8 + 0x1p-20);
        QCOMPARE(bf16.codes<std::uint16_t>()[3], std::uint16_t{0x3F81});
        QVERIFY(bf16.at(3) == 1.0078125);
        QVERIFY(bf16.at(2) == 0.0);

        HostTensor fp4 = *HostTensor::zeros(DType::FP4E2M1, {3});
        fp4.set(1, -3.0);
        QCOMPARE(fp4.codes<std::uint8_t>()[1], std::uint8_t{0xD});
        QCOMPARE(fp4.byteCount(), std::size_t{3});

        HostTensor int4 = *HostTensor::zeros(DType::INT4, {2});
        int4.set(0, -8);
        QCOMPARE(int4.codes<std::int8_t>()[0], std::int8_t{-8});

        HostTensor int64 = *HostTensor::zeros(DType::INT64, {1});
        int64.writableCodes<std::int64_t>()[0] = 123456789012;
        QVERIFY(int64.at(0) == 123456789012.0);

        HostTensor fp32 = *HostTensor::zeros(DType::FP32, {4});
        for (std::int64_t i = 0; i < 4; ++i) fp32.set(i, static_cast<double>(i) + 0.5);
        std::vector<double> wide(2);
        std::vector<float> narrow(2);
        fp32.toFloat64(2, wide);
        fp32.toFloat32(1, narrow);
        QVERIFY(wide == (std::vector<double>{2.5, 3.5}));
        QVERIFY(narrow == (std::vector<float>{1.5f, 2.5f}));
    }

    void aCloneIsIndependent() {
        HostTensor tensor = *HostTensor::zeros(DType::INT32, {2});
        tensor.set(0, 5);
        const HostTensor copy = *tensor.clone();
        tensor.set(0, 6);
        QVERIFY(copy.at(0) == 5.0);
        QVERIFY(copy.shape() == tensor.shape());
    }

    void aWrappedTensorBorrowsAndKeepsItsOwner() {
        auto memory = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3, 4, 5, 6});
        const std::weak_ptr<std::vector<float>> watch = memory;
        {
            const auto bytes = std::as_bytes(std::span<const float>(*memory));
            const auto tensor = HostTensor::wrap(DType::FP32, {2, 3}, bytes, std::move(memory));
            QVERIFY(tensor);
            QVERIFY(!tensor->writable());
            QVERIFY(tensor->at(4) == 5.0);
            QVERIFY(tensor->data() == bytes.data());
            QVERIFY(!watch.expired());
        }
        QVERIFY(watch.expired());
    }

    void aWrapThatDoesNotMatchIsRefused() {
        const std::vector<float> memory(7);
        const auto bytes = std::as_bytes(std::span<const float>(memory));
        QCOMPARE(HostTensor::wrap(DType::FP32, {2, 3}, bytes, nullptr).error().code, ErrorCode::BadValue);
        QCOMPARE(HostTensor::wrap(DType::FP32, {6}, bytes.subspan(1, 24), nullptr).error().code, ErrorCode::BadValue);
        QVERIFY(HostTensor::wrap(DType::FP32, {6}, bytes.first(24), nullptr));
    }

    void anEmptyTensorIsFine() {
        const HostTensor tensor = *HostTensor::zeros(DType::FP16, {0, 5});
        QCOMPARE(tensor.count(), std::int64_t{0});
        tensor.toFloat64(0, {});
        QCOMPARE(HostTensor().count(), std::int64_t{0});
        QVERIFY(tensor.clone());
    }
};

QTEST_APPLESS_MAIN(TestTensor)
#include "tst_tensor.moc"
