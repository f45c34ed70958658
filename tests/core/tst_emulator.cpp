// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <cmath>
#include <cstring>

#include "core/base/number_formats.h"
#include "core/lowering/lower.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// One matmul without a loop; `tile` and sizes vary.
Design matmul(const std::string& in, const std::string& out, std::int64_t m, std::int64_t k, std::int64_t n,
              bool aTrans, bool bTrans, const std::string& tile) {
    const auto shape = [](std::int64_t a, std::int64_t b) {
        return "[" + std::to_string(a) + ", " + std::to_string(b) + "]";
    };
    return designText(R"({"cubist": 1, "name": "m", "chip": "Ascend910B1", "skeleton": {"variant": "A"}, "tensors": [
        {"id": "a", "role": "input", "dtype": ")" +
                      in + R"(", "shape": )" + (aTrans ? shape(k, m) : shape(m, k)) + R"(},
        {"id": "b", "role": "input", "dtype": ")" +
                      in + R"(", "shape": )" + (bTrans ? shape(n, k) : shape(k, n)) + R"(},
        {"id": "c", "role": "output", "dtype": ")" +
                      out + R"(", "shape": )" + shape(m, n) + R"(}],
        "blocks": [{"kind": "cube", "id": "s", "a": "a", "b": "b", "a_trans": )" +
                      (aTrans ? "true" : "false") + R"(, "b_trans": )" + (bTrans ? "true" : "false") +
                      R"(, "out": "r", "out_dtype": ")" + out + R"(", "tile": )" + tile +
                      R"(}, {"kind": "store", "id": "w", "from": "r", "to": "c"}]})");
}

/// acc = fma(a, b, acc) with K ascending, then one rounding to the output's type: what the emulated cube must give.
double expectedElement(const HostTensor& a, const HostTensor& b, std::int64_t m, std::int64_t k, std::int64_t n,
                       bool aTrans, bool bTrans, std::int64_t row, std::int64_t col) {
    float acc = 0.0F;
    for (std::int64_t i = 0; i < k; ++i) {
        const auto left = static_cast<float>(a.at(aTrans ? i * m + row : row * k + i));
        const auto right = static_cast<float>(b.at(bTrans ? col * k + i : i * n + col));
        acc = std::fma(left, right, acc);
    }
    return static_cast<double>(acc);
}

}  // namespace

class TestEmulator : public QObject {
    Q_OBJECT

private slots:
    void memoryOfTheRunBeforeChangesNoBit() {
        const Design design =
            matmul("BF16", "FP32", 1100, 1000, 64, false, false, R"({"m": [128, 128], "k": [64, 256], "n": [32, 32]})");
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        const GeneratorSpec uniform{Distribution::Uniform, -1.0, 1.0};
        EmulatorOptions shared;
        BlockPool blocks;
        shared.blocks = &blocks;
        const EmulatedValues first = emulated(program, generated(program, uniform, 1), shared);
        QVERIFY(blocks.waiting() >= std::size_t{4400000});
        const std::vector<HostTensor> inputs = generated(program, uniform, 2);
        const EmulatedValues second = emulated(program, inputs, shared);
        QVERIFY(sameBits(second.tensors.front(), emulated(program, inputs).tensors.front()));
        QVERIFY(!sameBits(second.tensors.front(), first.tensors.front()));
    }

    void outputsInUsedMemoryBeginAsZeros() {
        // Half of the output is never stored.
        const Design design = designText(R"({"cubist": 1, "name": "t", "chip": "Ascend910B1",
            "skeleton": {"variant": "A"}, "tensors": [
            {"id": "a", "role": "input", "dtype": "FP32", "shape": [1024, 32]},
            {"id": "b", "role": "input", "dtype": "FP32", "shape": [32, 768]},
            {"id": "c", "role": "output", "dtype": "FP32", "shape": [2048, 768]}],
            "blocks": [{"kind": "cube", "id": "product", "a": "a", "b": "b", "out": "r", "out_dtype": "FP32",
                        "tile": {"m": [128, 128], "k": [32, 32], "n": [128, 128]}},
                       {"kind": "store", "id": "w", "from": "r", "to": "c", "offset": [512, 0]}]})");
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        const std::vector<HostTensor> inputs = generated(program, {Distribution::Uniform, -1.0, 1.0}, 1);
        EmulatorOptions shared;
        BlockPool blocks;
        shared.blocks = &blocks;
        const std::size_t bytes = std::size_t{2048} * 768 * sizeof(float);
        std::memset(blocks.take(bytes).get(), 0xFF, bytes);
        const std::size_t waiting = blocks.waiting();
        QVERIFY(waiting >= bytes);
        const EmulatedValues pooled = emulated(program, inputs, shared);
        QVERIFY(blocks.waiting() < waiting);
        QVERIFY(sameBits(pooled.tensors.front(), emulated(program, inputs).tensors.front()));
    }

    void productIsTheOrderedSum_data() {
        QTest::addColumn<QString>("in");
        QTest::addColumn<QString>("out");
        QTest::addColumn<int>("m");
        QTest::addColumn<int>("k");
        QTest::addColumn<int>("n");
        QTest::addColumn<bool>("aTrans");
        QTest::addColumn<bool>("bTrans");
        QTest::addColumn<QString>("tile");
        const QString small = R"({"m": [32, 32], "k": [32, 64], "n": [16, 16]})";
        for (const char* type : {"FP32", "BF16", "FP16"})
            for (const bool aTrans : {false, true})
                for (const bool bTrans : {false, true})
                    QTest::addRow("%s%s%s", type, aTrans ? " A transposed" : "", bTrans ? " B transposed" : "")
                        << type << "FP32" << 37 << 200 << 45 << aTrans << bTrans << small;
        QTest::newRow("rounded to BF16") << "BF16"
                                         << "BF16" << 20 << 130 << 33 << false << false << small;
        QTest::newRow("K tail of 8") << "FP16"
                                     << "FP32" << 64 << 200 << 128 << false << false
                                     << R"({"m": [64, 64], "k": [128, 128], "n": [128, 128]})";
        QTest::newRow("A deeper than B") << "FP16"
                                         << "FP32" << 20 << 600 << 40 << false << true
                                         << R"({"m": [16, 16], "k": [32, 512, 64], "n": [32, 32]})";
        QTest::newRow("one element") << "FP32"
                                     << "FP32" << 1 << 1 << 1 << false << false << small;
        QTest::newRow("9 rows in the tile")
            << "FP16"
            << "FP32" << 30 << 64 << 16 << false << false << R"({"m": [9, 9], "k": [16, 64], "n": [16, 16]})";
    }
    void productIsTheOrderedSum() {
        QFETCH(QString, in);
        QFETCH(QString, out);
        QFETCH(int, m);
        QFETCH(int, k);
        QFETCH(int, n);
        QFETCH(bool, aTrans);
        QFETCH(bool, bTrans);
        QFETCH(QString, tile);
        const Design design = matmul(in.toStdString(), out.toStdString(), m, k, n, aTrans, bTrans, tile.toStdString());
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        const auto inputs = generated(program, {Distribution::Normal, 0.0, 1.0}, 7);
        const EmulatedValues values = emulated(program, inputs);
        const HostTensor& c = values.tensors[0];
        for (std::int64_t row = 0; row < m; ++row)
            for (std::int64_t col = 0; col < n; ++col) {
                const double sum = expectedElement(inputs[0], inputs[1], m, k, n, aTrans, bTrans, row, col);
                const double expected =
                    c.dtype() == DType::FP32 ? sum : static_cast<double>(decode(c.dtype(), encode(c.dtype(), sum)));
                QCOMPARE(c.at(row * n + col), expected);
            }
        // Instruction by instruction, on poisoned buffers, nothing changes.
        QVERIFY(sameBits(c, emulated(program, inputs, {Isa::Auto, true}).tensors[0]));
    }

    void panelsOfLargeProductsAreTheOrderedSumToo_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<bool>("aTrans");
        QTest::addColumn<bool>("bTrans");
        QTest::newRow("FP32") << "FP32" << false << false;
        QTest::newRow("FP32 both transposed") << "FP32" << true << true;
        QTest::newRow("BF16") << "BF16" << false << false;
    }
    /// Panels of several MiB together: they lie in one block of memory, and rows are packed in stretches of K.
    void panelsOfLargeProductsAreTheOrderedSumToo() {
        QFETCH(QString, type);
        QFETCH(bool, aTrans);
        QFETCH(bool, bTrans);
        constexpr std::int64_t m = 1037, k = 1100, n = 1050;
        const Design design = matmul(type.toStdString(), "FP32", m, k, n, aTrans, bTrans,
                                     R"({"m": [128, 128], "k": [64, 256], "n": [256, 256]})");
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        const auto inputs = generated(program, {Distribution::Normal, 0.0, 1.0}, 7);
        const HostTensor c = std::move(emulated(program, inputs).tensors[0]);
        for (std::int64_t row = 0; row < m; row += row < 1024 ? 64 : 1)
            for (std::int64_t col = row % 7; col < n; col += 7)
                QCOMPARE(c.at(row * n + col), expectedElement(inputs[0], inputs[1], m, k, n, aTrans, bTrans, row, col));
    }

    void neitherTileNorThreadsNorInstructionSetChangeABit() {
        std::optional<HostTensor> first;
        for (const char* tile :
             {R"({"m": [32, 32], "k": [512, 1024], "n": [16, 16]})", R"({"m": [16, 16], "k": [64, 64], "n": [32, 32]})",
              R"({"m": [64, 64], "k": [128, 384, 256], "n": [48, 48]})"}) {
            const Design design = matmul("FP32", "FP32", 50, 1100, 70, false, true, tile);
            const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
            const auto inputs = generated(program, {Distribution::Normal, 0.0, 1.0}, 3);
            for (const Isa isa : availableIsas())
                for (const int threads : {1, 2, 3}) {
                    EmulatedValues values = emulated(program, inputs, {isa, false}, threads);
                    if (!first)
                        first = std::move(values.tensors[0]);
                    else
                        QVERIFY(sameBits(*first, values.tensors[0]));
                }
        }
    }

    void integersAreExactAndOverflowIsNoted() {
        const Design design =
            matmul("INT8", "INT32", 40, 2049, 33, false, false, R"({"m": [32, 32], "k": [64, 512], "n": [32, 32]})");
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        const auto inputs = generated(program, {Distribution::Constant, 127.0, 0.0}, 0);
        const EmulatedValues values = emulated(program, inputs, {}, 2);
        for (std::int64_t i = 0; i < values.tensors[0].count(); ++i) QCOMPARE(values.tensors[0].at(i), 33048321.0);
        QVERIFY(values.notes.empty());

        const Design deep =
            matmul("INT8", "INT32", 1, 140000, 1, false, false, R"({"m": [16, 16], "k": [512, 4096], "n": [32, 32]})");
        const Program wrapping = lowered(deep, bound(deep), chipFile("Ascend910B1"));
        const EmulatedValues wrapped = emulated(wrapping, generated(wrapping, {Distribution::Constant, 127.0, 0.0}, 0));
        QCOMPARE(wrapped.notes.size(), std::size_t{1});
        QCOMPARE(wrapped.notes[0].kind, ValueNote::Kind::IntegerOverflow);
        QCOMPARE(wrapped.tensors[0].at(0),
                 static_cast<double>(static_cast<std::int32_t>(static_cast<std::uint32_t>(140000LL * 127 * 127))));
    }

    void rowScaleRoundsOnceAfterAnFp32Product() {
        const Design design = designFile(CUBIST_TEST_DATA_DIR "/row_scale.cubist.json");
        for (const char* name : {"T256", "T200"}) {
            const Program program = lowered(design, bound(design, name), chipFile("Ascend910B1"));
            const auto inputs = generated(program, {Distribution::Uniform, -1.0, 1.0}, 5);
            const EmulatedValues values = emulated(program, inputs, {}, 2);
            const HostTensor& y = tensorNamed(program, values, "y");
            const std::int64_t rows = y.shape()[0];
            for (std::int64_t row = 0; row < rows; row += 7)
                for (std::int64_t col = 0; col < 256; col += 5) {
                    const auto sum = static_cast<float>(
                        expectedElement(inputs[0], inputs[1], rows, 512, 256, false, false, row, col));
                    const float scaled = sum * static_cast<float>(inputs[2].at(row));
                    QCOMPARE(
                        y.at(row * 256 + col),
                        static_cast<double>(decode(DType::BF16, encode(DType::BF16, static_cast<double>(scaled)))));
                }
            const EmulatedValues checked = emulated(program, inputs, {Isa::Portable, true}, 3);
            QVERIFY(sameBits(y, tensorNamed(program, checked, "y")));
        }
    }

    void nanAndInfinityGoThrough() {
        const Design design =
            matmul("FP32", "FP32", 16, 32, 16, false, false, R"({"m": [16, 16], "k": [16, 16], "n": [16, 16]})");
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        auto inputs = generated(program, {Distribution::Constant, 0.0, 0.0}, 0);
        inputs[0].set(3 * 32 + 5, std::numeric_limits<double>::quiet_NaN());
        inputs[0].set(4 * 32 + 5, std::numeric_limits<double>::infinity());
        inputs[1].set(5 * 16 + 2, 1.0);
        const EmulatedValues values = emulated(program, inputs);
        const HostTensor& c = values.tensors[0];
        QVERIFY(std::isnan(c.at(3 * 16 + 0)));  // NaN x 0
        QVERIFY(std::isnan(c.at(4 * 16 + 0)));  // infinity x 0
        QVERIFY(std::isinf(c.at(4 * 16 + 2)));
        QCOMPARE(c.at(0), 0.0);
    }

    void cancelsWhileRunning() {
        const Design design = matmul("FP32", "FP32", 4096, 4096, 4096, false, false,
                                     R"({"m": [128, 128], "k": [64, 256], "n": [128, 128]})");
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        const auto inputs = generated(program, {Distribution::Constant, 1.0, 0.0}, 0);
        std::vector<const HostTensor*> pointers{&inputs[0], &inputs[1]};
        std::stop_source source;
        RunContext context;
        context.stop = source.get_token();
        QElapsedTimer sinceStop;
        context.progress = [&](double fraction, std::string_view) {
            if (fraction > 0.01 && source.request_stop()) sinceStop.start();
        };
        const auto values = emulate(program, pointers, {}, context);
        QVERIFY(!values.has_value());
        QCOMPARE(values.error().code, ErrorCode::Cancelled);
        QVERIFY(sinceStop.isValid());
        QVERIFY2(sinceStop.elapsed() < 1000, "ten times the bar of 100 ms");
    }

    void wrongInputsAreRefused() {
        const Design design =
            matmul("FP32", "FP32", 16, 16, 16, false, false, R"({"m": [16, 16], "k": [16, 16], "n": [16, 16]})");
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        const HostTensor wrong = std::move(HostTensor::zeros(DType::FP32, {16, 17})).value();
        const std::vector<const HostTensor*> pointers{&wrong, &wrong};
        const auto values = emulate(program, pointers, {}, {});
        QVERIFY(!values.has_value());
        QCOMPARE(values.error().code, ErrorCode::WrongType);
    }
};

QTEST_APPLESS_MAIN(TestEmulator)
#include "tst_emulator.moc"
