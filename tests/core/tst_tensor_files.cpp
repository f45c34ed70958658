// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <QElapsedTimer>
#include <QTest>
#include <map>
#include <numeric>
#include <vector>

#include "core/exchange/npy.h"
#include "core/exchange/npy_header.h"
#include "core/exchange/safetensors.h"
#include "core/exchange/tensor_files.h"
#include "tests/support/bytes.h"

using namespace cubist;
using namespace cubist::test;

namespace {

TensorTarget target(DType dtype, Shape shape) {
    return {"x", dtype, std::move(shape)};
}

TensorFile raw(const std::string& path, std::optional<DType> stored = std::nullopt) {
    TensorFile file(path);
    file.stored = stored;
    return file;
}

TensorFile float64(const std::string& path) {
    TensorFile file(path);
    file.float64 = true;
    return file;
}

std::vector<double> valuesOf(const HostTensor& tensor) {
    std::vector<double> values(static_cast<std::size_t>(tensor.count()));
    tensor.toFloat64(0, values);
    return values;
}

QString list(const std::vector<double>& values) {
    QStringList texts;
    for (const double value : values) texts << QString::number(value);
    return texts.join(" ");
}

/// The values of a file, or what is wrong with it.
QString inputText(const TensorFile& file, const TensorTarget& wanted) {
    const auto tensor = tensorReaders().input(file, wanted);
    return tensor ? list(valuesOf(*tensor)) : QString::fromStdString(tensor.error().message);
}
QString goldenText(const TensorFile& file, const TensorTarget& wanted) {
    const auto values = tensorReaders().golden(file, wanted);
    return values ? list(*values) : QString::fromStdString(values.error().message);
}

QByteArray safeTensors(const QByteArray& header, const QByteArray& data) {
    return integerBytes(static_cast<std::uint64_t>(header.size()), 8) + header + data;
}

QByteArray entry(const char* dtype, const char* shape, int first, int last) {
    return QByteArray("{\"dtype\":\"") + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":[" +
           QByteArray::number(first) + "," + QByteArray::number(last) + "]}";
}

}  // namespace

/// Tensors from `.npz`, `.safetensors` and raw files, and large ones from `.npy`.
class TestTensorFiles : public QObject {
    Q_OBJECT

private slots:
    void neighbouringAxesMayBeOne() {
        const FileFolder folder;
        const QByteArray header = R"({"x":)" + entry("I8", "[2,3,2]", 0, 12) + "}";
        const TensorFile file(folder.write("axes.safetensors", safeTensors(header, "0123456789:;")));
        for (const Shape& shape : {Shape{2, 6}, Shape{6, 2}, Shape{1, 6, 2}, Shape{2, 3, 1, 2}}) {
            const auto tensor = tensorReaders().input(file, target(DType::INT8, shape));
            QVERIFY(tensor);
            QVERIFY(tensor->shape() == shape);
            QCOMPARE(tensor->at(7), double{'7'});
        }
        for (const Shape& shape : {Shape{3, 4}, Shape{4, 3}, Shape{12}, Shape{2, 6, 2}, Shape{0, 6}})
            QVERIFY(!tensorReaders().input(file, target(DType::INT8, shape)));
    }

    void readsRawElements_data() {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QString>("dtype");
        QTest::addColumn<QString>("stored");
        QTest::addColumn<QString>("values");
        QTest::newRow("FP32") << elementBytes<float>({1.5F, -2, 0, 1e-3F}) << "FP32"
                              << ""
                              << "1.5 -2 0 0.001";
        QTest::newRow("FP16") << elementBytes<std::uint16_t>({0x3C00, 0xC000, 0x0001, 0x7BFF}) << "FP16"
                              << ""
                              << "1 -2 5.96046e-08 65504";
        QTest::newRow("BF16") << elementBytes<std::uint16_t>({0x3F80, 0xC000, 0x4049, 0x0000}) << "BF16"
                              << ""
                              << "1 -2 3.14063 0";
        QTest::newRow("FP8E4M3") << elementBytes<std::uint8_t>({0x38, 0xC0, 0x7E, 0x01}) << "FP8E4M3"
                                 << ""
                                 << "1 -2 448 0.00195313";
        QTest::newRow("FP8E5M2") << elementBytes<std::uint8_t>({0x3C, 0xC0, 0x7B, 0x01}) << "FP8E5M2"
                                 << ""
                                 << "1 -2 57344 1.52588e-05";
        QTest::newRow("INT8") << elementBytes<std::int8_t>({1, -2, 127, -128}) << "INT8"
                              << ""
                              << "1 -2 127 -128";
        QTest::newRow("INT4 packed") << elementBytes<std::uint8_t>({0xE1, 0x87}) << "INT4"
                                     << ""
                                     << "1 -2 7 -8";
        QTest::newRow("INT4 one each") << elementBytes<std::uint8_t>({1, 14, 7, 8}) << "INT4"
                                       << ""
                                       << "1 -2 7 -8";
        QTest::newRow("FP4E2M1 packed") << elementBytes<std::uint8_t>({0xC2, 0x17}) << "FP4E2M1"
                                        << ""
                                        << "1 -2 6 0.5";
        QTest::newRow("UINT8") << elementBytes<std::uint8_t>({0, 1, 128, 255}) << "UINT8"
                               << ""
                               << "0 1 128 255";
        QTest::newRow("BOOL") << elementBytes<std::uint8_t>({0, 1, 1, 0}) << "BOOL"
                              << ""
                              << "0 1 1 0";
        QTest::newRow("BOOL of 2") << elementBytes<std::uint8_t>({0, 1, 2, 0}) << "BOOL"
                                   << ""
                                   << "element [0, 2] is 2; BOOL holds 0 to 1";
        QTest::newRow("INT64") << elementBytes<std::int64_t>({0, -1, 1LL << 40, 7}) << "INT64"
                               << ""
                               << "0 -1 1.09951e+12 7";
        QTest::newRow("FP32 file for BF16") << elementBytes<float>({1, 3.14159F, 1e-3F, -2}) << "BF16"
                                            << "FP32"
                                            << "1 3.14063 0.000999451 -2";
        QTest::newRow("BF16 file for FP32") << elementBytes<std::uint16_t>({0x3F80, 0xC000, 0x4049, 0}) << "FP32"
                                            << "BF16"
                                            << "1 -2 3.14063 0";
        QTest::newRow("INT32 file for INT8") << elementBytes<std::int32_t>({1, -2, 127, -128}) << "INT8"
                                             << "INT32"
                                             << "1 -2 127 -128";
        QTest::newRow("INT32 beyond INT8") << elementBytes<std::int32_t>({1, -2, 128, 0}) << "INT8"
                                           << "INT32"
                                           << "element 2 is 128.000000, which INT8 cannot hold";
        QTest::newRow("INT32 file for FP32") << elementBytes<std::int32_t>({1, -2, 3, 0}) << "FP32"
                                             << "INT32"
                                             << "the file holds INT32; the tensor is FP32";
    }
    void readsRawElements() {
        QFETCH(const QByteArray, file);
        QFETCH(const QString, dtype);
        QFETCH(const QString, stored);
        QFETCH(const QString, values);
        const FileFolder folder;
        const DType type = fromText<DType>(dtype.toStdString()).value();
        const auto path = folder.write("x.bin", file);
        QCOMPARE(inputText(raw(path, fromText<DType>(stored.toStdString())), target(type, {1, 4})), values);
    }

    void goldensAreNotRounded() {
        const FileFolder folder;
        const std::string path = folder.write("y.bin", elementBytes<float>({1.0009765F, 2}));
        QCOMPARE(goldenText(raw(path, DType::FP32), target(DType::BF16, {2})), QString("1.00098 2"));
        QVERIFY(goldenText(raw(path), target(DType::BF16, {2})).startsWith("the file has 8 bytes; BF16 (2,) has 4"));
    }

    void saysWhatTheSizeFits_data() {
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<QString>("fits");
        QTest::newRow("twice the elements") << qint64{4096} << "FP32 (8, 128), INT32 (8, 128), BF16 (16, 128)";
        QTest::newRow("half") << qint64{1024}
                              << "FP8E4M3 (8, 128), FP8E5M2 (8, 128), HF8 (8, 128), FP8E8M0 (8, 128), INT8 (8, 128), "
                                 "UINT8 (8, 128), BOOL (8, 128), BF16 (4, 128)";
        QTest::newRow("more rows") << qint64{256 * 11} << "BF16 (11, 128)";
        QTest::newRow("nothing") << qint64{1001} << "";
    }
    void saysWhatTheSizeFits() {
        QFETCH(const qint64, bytes);
        QFETCH(const QString, fits);
        QCOMPARE(QString::fromStdString(typesThatFit(bytes, DType::BF16, {8, 128})), fits);
        const FileFolder folder;
        const auto result = tensorReaders().input(folder.write("x.data", QByteArray(static_cast<int>(bytes), 'a')),
                                                  target(DType::BF16, {8, 128}));
        QCOMPARE(result.error().code, ErrorCode::BadFile);
        QVERIFY(QString::fromStdString(result.error().hint).contains(fits.isEmpty() ? "no type" : fits));
        QCOMPARE(result.error().where, folder.path("x.data"));
    }

    void readsArraysOfNpz() {
        const FileFolder folder;
        QCOMPARE(folder.python("import numpy as np\n"
                               "x = np.arange(6, dtype=np.float32).reshape(2, 3)\n"
                               "np.savez('plain.npz', x=x, other=x + 1)\n"
                               "np.savez_compressed('packed.npz', x=x, other=x + 1)\n"
                               "np.savez('one.npz', some=np.asfortranarray(x))\n"
                               "np.savez('codes.npz', x=np.full((2, 3), 0x3F80, np.uint16))"),
                 QByteArray());
        const TensorTarget x = target(DType::FP32, {2, 3});
        for (const char* name : {"plain.npz", "packed.npz"}) {
            const std::string path = folder.path(name);
            QCOMPARE(inputText(path, x), QString("0 1 2 3 4 5"));
            QCOMPARE(inputText(path + "#other", x), QString("1 2 3 4 5 6"));
            QCOMPARE(inputText(path + "#other.npy", x), QString("1 2 3 4 5 6"));
            QCOMPARE(goldenText(path + "#other", target(DType::BF16, {2, 3})), QString("1 2 3 4 5 6"));
            QCOMPARE(inputText(path + "#nothing", x), QString("the file has no array 'nothing'"));
            QCOMPARE(inputText(path, target(DType::FP32, {3, 2})),
                     QString("the file has the shape (2, 3); the tensor has (3, 2)"));
        }
        QCOMPARE(inputText(folder.path("one.npz"), x), QString("0 1 2 3 4 5"));
        QCOMPARE(inputText(folder.path("codes.npz"), target(DType::BF16, {2, 3})), QString("1 1 1 1 1 1"));
        const auto unnamed = tensorReaders().input(folder.path("plain.npz"), {"z", DType::FP32, {2, 3}});
        QCOMPARE(unnamed.error().code, ErrorCode::UnknownName);
        QVERIFY(QString::fromStdString(unnamed.error().hint).contains("there are: x, other"));
    }

    /// Every kind of file refuses what the type does not hold; goldens are never rounded, so they may have it.
    void refusesValuesBeyondTheType() {
        const FileFolder folder;
        (void)folder.python(
            "import json, struct, numpy as np\n"
            "x = np.array([1, 1000], 'f4')\n"
            "np.savez('x.npz', x=x)\n"
            "x.tofile('x.bin')\n"
            "h = json.dumps({'x': {'dtype': 'F32', 'shape': [2], 'data_offsets': [0, 8]}}).encode()\n"
            "open('x.safetensors', 'wb').write(struct.pack('<Q', len(h)) + h + x.tobytes())");
        TensorFile raw(folder.path("x.bin"));
        raw.stored = DType::FP32;
        for (const TensorFile& file :
             {TensorFile(folder.path("x.npz")), TensorFile(folder.path("x.safetensors")), raw}) {
            const auto read = tensorReaders().input(file, {"x", DType::FP8E4M3, {2}});
            QVERIFY2(!read, file.path.c_str());
            QCOMPARE(read.error().code, ErrorCode::BadValue);
            QVERIFY2(read.error().message.find("is 1000; FP8E4M3 holds -448 to 448") != std::string::npos,
                     read.error().message.c_str());
            QVERIFY(tensorReaders().input(file, {"x", DType::FP8E5M2, {2}}));
            const auto golden = tensorReaders().golden(file, {"x", DType::FP8E4M3, {2}});
            QVERIFY2(golden, file.path.c_str());
            QCOMPARE((*golden)[1], 1000.0);
        }
    }

    void namesOfArraysAreNoPaths() {
        const FileFolder folder;
        std::map<std::string, HostTensor> tensors;
        const std::vector<std::string> ids{"../../up", "/tmp/x", "a/b", "a_b", ".", "c:\\d", std::string(70'000, 'n')};
        double next = 1;
        for (const std::string& id : ids) {
            auto tensor = HostTensor::zeros(DType::INT8, {1});
            QVERIFY(tensor);
            tensor->set(0, next++);
            tensors.emplace(id, *std::move(tensor));
        }
        const std::string path = folder.path("names.npz");
        QVERIFY(writeNpz(path, tensors));
        // Each is found by its id, but one that another tensor's id hides.
        next = 1;
        for (const std::string& id : ids) {
            if (id != "a/b") QCOMPARE(inputText(path, {id, DType::INT8, {1}}), QString::number(next));
            ++next;
        }
        TensorFile hidden(path);
        hidden.entry = "a_b_2";
        const auto found = tensorReaders().input(hidden, {"a/b", DType::INT8, {1}});
        QVERIFY(found);
        QCOMPARE(found->at(0), 3.0);
    }

    void numpyReadsTheNpzThatItWrote() {
        const FileFolder folder;
        std::map<std::string, HostTensor> tensors;
        for (const DType dtype : {DType::FP32, DType::INT4, DType::BF16}) {
            auto tensor = HostTensor::zeros(dtype, {2, 2});
            QVERIFY(tensor);
            for (std::int64_t i = 0; i < 4; ++i) tensor->set(i, static_cast<double>(i) - 1);
            tensors.emplace(std::string(toText(dtype)), *std::move(tensor));
        }
        const std::string path = folder.path("y.npz");
        QVERIFY(writeNpz(path, tensors));
        for (const auto& [name, tensor] : tensors)
            QCOMPARE(inputText(path, {name, tensor.dtype(), {2, 2}}), QString("-1 0 1 2"));
        QCOMPARE(folder
                     .python("import numpy as np\n"
                             "z = np.load('y.npz')\n"
                             "print(z['FP32'].tolist(), z['INT4'].tolist(), z['BF16'].dtype)")
                     .trimmed(),
                 QByteArray("[[-1.0, 0.0], [1.0, 2.0]] [[15, 0], [1, 2]] uint16"));
    }

    void readsSafeTensors_data() {
        QTest::addColumn<QByteArray>("dtype");
        QTest::addColumn<QByteArray>("data");
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("values");
        QTest::newRow("F32") << QByteArray("F32") << elementBytes<float>({1.5F, -2}) << "FP32"
                             << "1.5 -2";
        QTest::newRow("F64 for FP32") << QByteArray("F64") << elementBytes<double>({1.5, -2}) << "FP32"
                                      << "1.5 -2";
        QTest::newRow("BF16") << QByteArray("BF16") << elementBytes<std::uint16_t>({0x3F80, 0xC000}) << "BF16"
                              << "1 -2";
        QTest::newRow("BF16 for FP32") << QByteArray("BF16") << elementBytes<std::uint16_t>({0x3F80, 0xC000}) << "FP32"
                                       << "1 -2";
        QTest::newRow("F8_E4M3") << QByteArray("F8_E4M3") << elementBytes<std::uint8_t>({0x38, 0xC0}) << "FP8E4M3"
                                 << "1 -2";
        QTest::newRow("F8_E5M2 for E4M3")
            << QByteArray("F8_E5M2") << elementBytes<std::uint8_t>({0x3C, 0xC0}) << "FP8E4M3"
            << "1 -2";
        QTest::newRow("F8_E8M0") << QByteArray("F8_E8M0") << elementBytes<std::uint8_t>({127, 130}) << "FP8E8M0"
                                 << "1 8";
        QTest::newRow("U8 codes") << QByteArray("U8") << elementBytes<std::uint8_t>({0x38, 0xC0}) << "FP8E4M3"
                                  << "1 -2";
        QTest::newRow("I64 for INT32") << QByteArray("I64") << elementBytes<std::int64_t>({5, -6}) << "INT32"
                                       << "5 -6";
        QTest::newRow("U16 for BF16") << QByteArray("U16") << elementBytes<std::uint16_t>({0x3F80, 0xC000}) << "BF16"
                                      << "1 -2";
        QTest::newRow("I8 for FP32") << QByteArray("I8") << elementBytes<std::int8_t>({5, -6}) << "FP32"
                                     << "the file holds int8; FP32 wants a float file";
    }
    void readsSafeTensors() {
        QFETCH(const QByteArray, dtype);
        QFETCH(const QByteArray, data);
        QFETCH(const QString, target);
        QFETCH(const QString, values);
        const FileFolder folder;
        const auto size = static_cast<int>(data.size());
        const QByteArray header = "{\"__metadata__\":{\"format\":\"pt\"},\"other\":" + entry("I8", "[3]", 0, 3) +
                                  ",\"x\":" + entry(dtype.constData(), "[1,2]", 3, 3 + size) + "}   ";
        const std::string path = folder.write("w.safetensors", safeTensors(header, "abc" + data));
        const DType type = fromText<DType>(target.toStdString()).value();
        QCOMPARE(inputText(path, {"x", type, {1, 2}}), values);
        QCOMPARE(inputText(path + "#x", {"y", type, {1, 2}}), values);
        if (!values.contains("wants")) QCOMPARE(goldenText(path + "#x", {"y", type, {1, 2}}), values);
    }

    void refusesHostileSafeTensors_data() {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const QByteArray& file, const char* message) {
            QTest::newRow(name) << file << message;
        };
        const QByteArray data(8, 'a');
        row("empty", "", "it has no header");
        row("huge header", integerBytes(1ULL << 40U, 8) + "{}", "claims 1099511627776 bytes");
        row("largest header", QByteArray(8, '\xFF') + "{}", "claims 18446744073709551615 bytes");
        row("cut header", integerBytes(100, 8) + "{}", "ends inside its header");
        row("no JSON", safeTensors("hello", data), "its header: ");
        row("list", safeTensors("[]", data), "its header is a list");
        row("deep", safeTensors(QByteArray(100000, '['), data), "nested deeper than 8");
        row("many values", safeTensors("[" + QByteArray("1,").repeated(300000) + "1]", data), "more than 200000");
        row("twice",
            safeTensors("{\"x\":" + entry("I8", "[8]", 0, 8) + ",\"x\":" + entry("I8", "[8]", 0, 8) + "}", data),
            "its header: ");
        row("no dtype", safeTensors("{\"x\":{\"shape\":[8],\"data_offsets\":[0,8]}}", data), "has no dtype");
        row("other dtype", safeTensors("{\"x\":" + entry("F4", "[8]", 0, 8) + "}", data), "type \"F4\"");
        row("negative size", safeTensors("{\"x\":" + entry("I8", "[-8]", 0, 8) + "}", data), "no usable shape");
        row("fraction", safeTensors("{\"x\":" + entry("I8", "[8.0]", 0, 8) + "}", data), "no usable shape");
        row("overflowing shape", safeTensors("{\"x\":" + entry("F32", "[4611686018427387904,4]", 0, 8) + "}", data),
            "outside of the file");
        row("beyond the file", safeTensors("{\"x\":" + entry("I8", "[9]", 0, 9) + "}", data), "outside of the file");
        row("backwards", safeTensors("{\"x\":" + entry("I8", "[4]", 8, 4) + "}", data), "outside of the file");
        row("wrong length", safeTensors("{\"x\":" + entry("F32", "[1]", 0, 8) + "}", data), "its shape wants 4");
        row("overlap",
            safeTensors("{\"x\":" + entry("I8", "[4]", 0, 4) + ",\"y\":" + entry("I8", "[4]", 2, 6) + "}", data),
            "on top of each other");
    }
    void refusesHostileSafeTensors() {
        QFETCH(const QByteArray, file);
        QFETCH(const QString, message);
        const FileFolder folder;
        const std::string path = folder.write("w.safetensors", file);
        const qint64 before = residentBytes();
        QElapsedTimer timer;
        timer.start();
        const QString found = inputText(path, target(DType::INT8, {8}));
        QVERIFY2(found.contains(message), qPrintable(found));
        QVERIFY(timer.elapsed() < 10000);
        QVERIFY(residentBytes() - before < (100 << 20));
    }

    void readsNzOrder_data() {
        QTest::addColumn<QString>("kind");
        for (const char* kind : {"bin", "npy", "npz", "safetensors"}) QTest::newRow(kind) << kind;
    }
    void readsNzOrder() {
        // 3 x 20 in FP16: two blocks of 16 columns, 16 rows each.
        QFETCH(const QString, kind);
        const FileFolder folder;
        QCOMPARE(
            folder.python("import numpy as np\n"
                          "x = np.arange(60, dtype=np.float16).reshape(3, 20)\n"
                          "p = np.full((16, 32), 99, np.float16); p[:3, :20] = x\n"
                          "nz = p.reshape(16, 2, 16).transpose(1, 0, 2).copy()\n"
                          "nz.tofile('x.bin'); np.save('x.npy', nz); np.savez('x.npz', x=nz)\n"
                          "nz.astype(np.float32).tofile('f.bin')\n"
                          "h = ('{\"x\":{\"dtype\":\"F16\",\"shape\":[2,16,16],\"data_offsets\":[0,1024]}}').encode()\n"
                          "open('x.safetensors', 'wb').write(len(h).to_bytes(8, 'little') + h + nz.tobytes())"),
            QByteArray());
        std::vector<double> wanted(60);
        std::iota(wanted.begin(), wanted.end(), 0.0);
        TensorFile file(folder.path("x." + kind));
        file.nz = true;
        QCOMPARE(inputText(file, target(DType::FP16, {3, 20})), list(wanted));
        QCOMPARE(goldenText(file, target(DType::FP16, {3, 20})), list(wanted));
        QVERIFY(inputText(file, target(DType::FP16, {3, 33})).contains("elements") || kind == "bin");
        QCOMPARE(inputText(file, target(DType::FP16, {60})), QString("NZ order needs two axes; the tensor is (60,)"));
    }

    /// A type that is told must be the one that the file tells itself, and says what its codes are.
    void aToldTypeHolds() {
        const FileFolder folder;
        auto tensor = HostTensor::zeros(DType::FP32, {4});
        QVERIFY(tensor && writeNpy(folder.path("x.npy"), *tensor));
        QCOMPARE(inputText(raw(folder.path("x.npy"), DType::FP32), target(DType::BF16, {4})), QString("0 0 0 0"));
        for (const DType wrong : {DType::FP16, DType::BF16, DType::INT32})
            QVERIFY(inputText(raw(folder.path("x.npy"), wrong), target(DType::FP32, {4}))
                        .startsWith("the file holds float32, not "));
        QCOMPARE(inputText(float64(folder.path("x.npy")), target(DType::FP32, {4})),
                 QString("the file holds float32, not FP64"));
        // Codes of a numpy file, of another type than the tensor's.
        auto codes = HostTensor::zeros(DType::UINT8, {2});
        QVERIFY(codes);
        codes->set(0, 0x38);
        codes->set(1, 0xC0);
        QVERIFY(writeNpy(folder.path("c.npy"), *codes));
        std::map<std::string, HostTensor> packed;
        packed.emplace("x", *std::move(codes));
        QVERIFY(writeNpz(folder.path("c.npz"), packed));
        for (const char* name : {"c.npy", "c.npz", "c.npz#x"}) {
            const std::string path = folder.path(name);
            QCOMPARE(inputText(raw(path, DType::FP8E4M3), target(DType::FP32, {2})), QString("1 -2"));
            QCOMPARE(inputText(raw(path, DType::FP8E5M2), target(DType::BF16, {2})), QString("0.5 -2"));
            QCOMPARE(goldenText(raw(path, DType::FP8E4M3), target(DType::FP32, {2})), QString("1 -2"));
            QCOMPARE(inputText(raw(path, DType::BF16), target(DType::FP32, {2})),
                     QString("the file holds uint8, not BF16"));
            QVERIFY(!goldenText(raw(path, DType::UINT8), target(DType::FP32, {2})).startsWith("5"));
        }
        const QByteArray bf16 = safeTensors(R"({"x":)" + entry("BF16", "[1]", 0, 2) + "}", QByteArray("\x80\x3F"));
        const std::string safe = folder.write("b.safetensors", bf16);
        QCOMPARE(inputText(raw(safe, DType::BF16), target(DType::FP32, {1})), QString("1"));
        QCOMPARE(inputText(raw(safe, DType::FP16), target(DType::FP32, {1})), QString("the file holds BF16, not FP16"));
        // Without a telling name a file is raw only when its type is given.
        const std::string unnamed = folder.write("x", elementBytes<float>({1, 2, 3, 4}));
        QCOMPARE(inputText(unnamed, target(DType::FP32, {4})), QString("not a .npy file"));
        QCOMPARE(inputText(raw(unnamed, DType::FP32), target(DType::FP32, {4})), QString("1 2 3 4"));
    }

    /// FP64 is no type of a tensor, but one of files: goldens keep their digits.
    void readsFloat64_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"x.bin", "x.npy", "x.npz", "x.safetensors"}) QTest::newRow(name) << name;
    }
    void readsFloat64() {
        QFETCH(const QString, name);
        const FileFolder folder;
        const QByteArray data = elementBytes<double>({1 + 0x1p-40, -2});
        const QByteArray safe = safeTensors(R"({"x":)" + entry("F64", "[2]", 0, 16) + "}", data);
        if (!name.startsWith("x.np")) QVERIFY(!folder.write(name, name == "x.bin" ? data : safe).empty());
        const char* const program =
            "import numpy as np\nx = np.array([1 + 2.0**-40, -2])\nnp.save('x.npy', x)\nnp.savez('x.npz', x=x)";
        if (name.startsWith("x.np")) QVERIFY(folder.python(program).isEmpty());
        const TensorFile file = float64(folder.path(name));
        QCOMPARE(inputText(file, target(DType::FP32, {2})), QString("1 -2"));
        const auto golden = tensorReaders().golden(file, target(DType::BF16, {2}));
        QVERIFY2(golden, golden ? "" : golden.error().message.c_str());
        QCOMPARE(golden->at(0), 1 + 0x1p-40);
        QVERIFY(inputText(file, target(DType::INT32, {2})).contains("INT32"));
        QCOMPARE(QString::fromStdString(tensorOption("y", file)), "y:FP64=" + QString::fromStdString(file.path));
        if (name != "x.bin") return;
        QCOMPARE(inputText(file, target(DType::FP32, {3})), QString("the file has 16 bytes; FP64 (3,) has 24"));
        QVERIFY(QString::fromStdString(typesThatFit(16, DType::FP32, {2})).contains("FP64 (2,)"));
    }

    /// All types in one file, of which the ones without a name of their own are bytes with a code each.
    void writesSafeTensors() {
        const FileFolder folder;
        std::map<std::string, HostTensor> tensors;
        for (const auto& [dtype, name] : EnumTable<DType>::entries) {
            auto tensor = HostTensor::zeros(dtype, {2, 2});
            QVERIFY(tensor);
            tensor->set(1, 1);
            if (dtype != DType::BOOL && dtype != DType::UINT8 && dtype != DType::FP8E8M0) tensor->set(2, -1);
            tensors.emplace(std::string(name), *std::move(tensor));
        }
        const std::string path = folder.path("all.safetensors");
        QVERIFY(writeSafeTensors(path, tensors));
        const auto opened = openSafeTensors(path);
        QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
        QCOMPARE(opened->tensors.size(), tensors.size());
        for (const SafeTensor& each : opened->tensors) {
            const HostTensor& tensor = tensors.at(each.name);
            QCOMPARE(inputText(path, {each.name, tensor.dtype(), {2, 2}}), list(valuesOf(tensor)));
        }
        QVERIFY(opened->tensors.front().first % 8 == 0);
        QCOMPARE(folder
                     .python("import json, struct\n"
                             "d = open('all.safetensors', 'rb').read()\n"
                             "n = struct.unpack('<Q', d[:8])[0]\n"
                             "h = json.loads(d[8:8 + n])\n"
                             "print(h.pop('__metadata__')['HF8'], max(e['data_offsets'][1] for e in h.values()) == "
                             "len(d) - 8 - n, h['FP8E4M3']['dtype'], h['HF8']['dtype'], h['BF16']['shape'])")
                     .trimmed(),
                 QByteArray("HF8 True F8_E4M3 U8 [2, 2]"));
    }

    void anyFlippedBitIsAMessageOrValues() {
        const FileFolder folder;
        QCOMPARE(folder.python("import numpy as np\n"
                               "np.savez_compressed('a.npz', x=np.arange(4, dtype=np.float32))\n"
                               "np.save('a.npy', np.arange(4, dtype=np.float32))"),
                 QByteArray());
        (void)folder.write("a.safetensors", safeTensors("{\"x\":" + entry("F32", "[4]", 0, 16) + "}",
                                                        elementBytes<float>({0, 1, 2, 3})));
        for (const char* name : {"a.npz", "a.npy", "a.safetensors"}) {
            const QByteArray good = folder.read(name);
            QCOMPARE(inputText(folder.path(name), target(DType::FP32, {4})), QString("0 1 2 3"));
            for (qsizetype bit = 0; bit < good.size() * 8; ++bit) {
                QByteArray bad = good;
                bad[bit / 8] = static_cast<char>(static_cast<unsigned char>(bad[bit / 8]) ^ (1U << (bit % 8)));
                const std::string path = folder.write(QString("b") + QString(name).mid(1), bad);
                QVERIFY(!inputText(path, target(DType::FP32, {4})).isEmpty());
            }
        }
    }

    void mapsALargeFile() {
        // 4 GB of zeros that take no room on the disk.
        const FileFolder folder;
        constexpr std::int64_t kRows = 1 << 20, kCols = 1024;
        const std::string path = folder.path("x.npy");
        const QByteArray header = QByteArray::fromStdString(npyHeaderBytes("<f4", {kRows, kCols}));
        (void)folder.write("x.npy", header);
        const qint64 size = header.size() + kRows * kCols * 4;
        if (::truncate(path.c_str(), size) != 0) QSKIP("no room for a file of 4 GB");
        const qint64 before = residentBytes();
        QElapsedTimer timer;
        timer.start();
        const auto tensor = tensorReaders().input(path, target(DType::FP32, {kRows, kCols}));
        QVERIFY2(tensor, tensor ? "" : tensor.error().message.c_str());
        QVERIFY(timer.elapsed() < 10000);
        QVERIFY(!tensor->writable());
        QCOMPARE(tensor->at(kRows * kCols - 1), 0.0);
        QVERIFY(residentBytes() - before < (64 << 20));
        // Without its last byte it is refused at once.
        QCOMPARE(::truncate(path.c_str(), size - 1), 0);
        QVERIFY(inputText(path, target(DType::FP32, {kRows, kCols})).startsWith("the file is truncated: 1 of"));
    }

    void mapsRawAndSafeTensors() {
        const FileFolder folder;
        constexpr std::int64_t kCount = 8 << 20;
        std::vector<float> values(kCount);
        std::iota(values.begin(), values.end(), 0.0F);
        const QByteArray data(reinterpret_cast<const char*>(values.data()), kCount * 4);
        const QByteArray header = "{\"x\":" + entry("F32", "[8388608]", 0, kCount * 4) + "}";
        for (const std::string& path :
             {folder.write("x.bin", data),
              folder.write("x.safetensors", safeTensors(header + QByteArray(120 - header.size(), ' '), data))}) {
            const auto tensor = tensorReaders().input(path, target(DType::FP32, {kCount}));
            QVERIFY(tensor);
            QVERIFY(!tensor->writable());
            QCOMPARE(tensor->at(5'000'001), 5'000'001.0);
        }
    }
};

QTEST_APPLESS_MAIN(TestTensorFiles)
#include "tst_tensor_files.moc"
