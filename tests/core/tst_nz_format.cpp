// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <set>

#include "core/base/nz_format.h"
#include "tests/support/cube_stage.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

HostTensor counted(DType type, const Shape& shape) {
    auto made = HostTensor::zeros(type, shape);
    if (!made) qFatal("%s", made.error().message.c_str());
    auto* bytes = reinterpret_cast<std::uint8_t*>(made->writableData());
    for (std::size_t i = 0; i < made->byteCount(); ++i) bytes[i] = static_cast<std::uint8_t>(1 + i * 37 % 251);
    return std::move(made).value();
}

}  // namespace

class TstNzFormat : public QObject {
    Q_OBJECT
private slots:
    void blocksAre32Bytes();
    void elementsLieWhereTheFormatSays_data();
    void elementsLieWhereTheFormatSays();
    void packingTwiceGivesTheTensorBack();
    void wrongSizesAreRefused();
    void bytesInTheWrongFormatGiveOtherValues();
};

void TstNzFormat::blocksAre32Bytes() {
    QCOMPARE(blockElements(DType::FP32), 8);
    QCOMPARE(blockElements(DType::INT32), 8);
    QCOMPARE(blockElements(DType::FP16), 16);
    QCOMPARE(blockElements(DType::BF16), 16);
    QCOMPARE(blockElements(DType::INT8), 32);
    QCOMPARE(blockElements(DType::FP8E4M3), 32);
    QCOMPARE(blockElements(DType::FP4E2M1), 64);
    QCOMPARE(blockElements(DType::INT4), 64);
}

void TstNzFormat::elementsLieWhereTheFormatSays_data() {
    QTest::addColumn<DType>("type");
    for (const auto& [type, name] : EnumTable<DType>::entries) QTest::newRow(std::string(name).c_str()) << type;
}

/// reshape(R / 16, 16, C / C0, C0).permute(2, 0, 1, 3) of the padded matrix, element by element.
void TstNzFormat::elementsLieWhereTheFormatSays() {
    QFETCH(DType, type);
    const std::int64_t c0 = 256 / bitsPerElement(type);
    for (std::int64_t rows = 1; rows <= 49; rows += 12)
        for (const std::int64_t cols : {std::int64_t{1}, c0 - 1, c0, c0 + 1, 3 * c0 - 1}) {
            const NzLayout layout(type, rows, cols);
            QCOMPARE(layout.paddedRows() % 16, 0);
            QCOMPARE(layout.paddedCols() % c0, 0);
            std::set<std::int64_t> taken;
            for (std::int64_t r = 0; r < layout.paddedRows(); ++r)
                for (std::int64_t c = 0; c < layout.paddedCols(); ++c) {
                    const std::int64_t block = c / c0, fractal = r / 16;
                    const std::int64_t expected =
                        ((block * (layout.paddedRows() / 16) + fractal) * 16 + r % 16) * c0 + c % c0;
                    QCOMPARE(layout.offset(r, c), expected);
                    taken.insert(expected);
                }
            QCOMPARE(static_cast<std::int64_t>(taken.size()), layout.count());
        }
}

void TstNzFormat::packingTwiceGivesTheTensorBack() {
    for (const auto& [type, name] : EnumTable<DType>::entries)
        for (const Shape& shape : {Shape{1, 1}, Shape{16, 64}, Shape{33, 70}, Shape{3, 17, 5}, Shape{2, 2, 5, 130}}) {
            const HostTensor logical = counted(type, shape);
            const auto stored = toNz(logical);
            QVERIFY(stored.has_value());
            QCOMPARE(stored->shape()[shape.size() - 2] % 16, 0);
            const auto back = fromNz(*stored, shape);
            QVERIFY(back.has_value());
            QVERIFY2(sameBits(*back, logical), std::string(name).c_str());
        }
}

void TstNzFormat::wrongSizesAreRefused() {
    const HostTensor row = counted(DType::FP16, {16});
    QVERIFY(!toNz(row));
    QVERIFY(!fromNz(row, {16}));
    const auto refused = fromNz(row, {16, 17});
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::BadValue);
    QVERIFY(refused.error().message.find("512") != std::string::npos);
}

void TstNzFormat::bytesInTheWrongFormatGiveOtherValues() {  // FC-31
    CubeStageKnobs knobs;
    knobs.m = 32;
    knobs.k = knobs.n = 64;
    knobs.tile = CubeTile{{32, 32}, {64, 64}, {64, 64}, false, {}};
    CubeRig rig(knobs);
    rig.fillIntegers(-2, 2, 31);
    const HostTensor right = rig.run();
    const auto packed = toNz(rig.input("b"));
    QVERIFY(packed.has_value());
    QCOMPARE(packed->count(), rig.input("b").count());
    std::memcpy(rig.input("b").writableData(), packed->data(), packed->byteCount());
    QVERIFY(!sameBits(rig.run(), right));
    const auto read = fromNz(rig.input("b"), {64, 64});
    QVERIFY(read.has_value());
    std::memcpy(rig.input("b").writableData(), read->data(), read->byteCount());
    QVERIFY(sameBits(rig.run(), right));
}

QTEST_GUILESS_MAIN(TstNzFormat)
#include "tst_nz_format.moc"
