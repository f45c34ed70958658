// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>

#include "core/exchange/npy.h"
#include "core/exchange/npy_header.h"
#include "tests/support/npy_bytes.h"

using namespace cubist;
using namespace cubist::test;

namespace {

QString qtext(const std::string& text) {
    return QString::fromStdString(text);
}

template <class T>
std::vector<double> valuesOf(const HostTensor& tensor) {
    const auto codes = tensor.codes<T>();
    return {codes.begin(), codes.end()};
}

}  // namespace

class TstNpy : public QObject {
    Q_OBJECT

private slots:
    void init();
    void readsTypes_data();
    void readsTypes();
    void readsBothOrdersAndByteOrders_data();
    void readsBothOrdersAndByteOrders();
    void readsLargeColumnMajorFiles_data();
    void readsLargeColumnMajorFiles();
    void readsEveryVersion_data();
    void readsEveryVersion();
    void refusesTypesThatDoNotFit_data();
    void refusesTypesThatDoNotFit();
    void refusesValuesOutOfRange_data();
    void refusesValuesOutOfRange();
    void refusesDamagedFiles_data();
    void refusesDamagedFiles();
    void claimsAreCheckedBeforeAllocating_data();
    void claimsAreCheckedBeforeAllocating();
    void everyPrefixIsAnError();
    void damagedHeadersNeverCrash();
    void shapesMustBeEqual();
    void goldensAreNotRounded();
    void goldenCodesAreDecoded();
    void writesWhatItReads_data();
    void writesWhatItReads();
    void codedTypesComeWithTheirValues();
    void headersAreAligned();
    void numpyReadsOurFiles();
    void weReadNumpysFiles();

private:
    std::string write(const QByteArray& contents) {
        QFile file(m_folder.filePath("x.npy"));
        if (!file.open(QIODevice::WriteOnly) || file.write(contents) != contents.size())
            QTest::qFail("cannot write the test file", __FILE__, __LINE__);
        return file.fileName().toStdString();
    }
    /// Runs a Python program in the test's folder; false when there is no NumPy.
    bool python(const QByteArray& program, QByteArray& output);

    QTemporaryDir m_folder;
};

void TstNpy::init() {
    QDir dir(m_folder.path());
    for (const QString& name : dir.entryList(QDir::Files)) dir.remove(name);
}

void TstNpy::readsTypes_data() {
    QTest::addColumn<int>("dtype");
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QList<double>>("codes");
    const auto row = [](const char* name, DType dtype, const QByteArray& descr, const QByteArray& data,
                        const QList<double>& codes) {
        QTest::addRow("%s", name) << static_cast<int>(dtype) << npyFile(dictionary(descr, "(3,)"), data) << codes;
    };
    const float third = 1.0F / 3.0F;
    // 1/3: FP16 0x3555, BF16 0x3EAB, FP8E4M3 0.34375 = 0x2B, FP8E5M2 0.3125 = 0x35, FP4E2M1 0.5 = 1.
    const QByteArray f4 = bytes<float>({third, -2.0F, 0.0F});
    const QByteArray f8 = bytes<double>({1.0 / 3.0, -2.0, 0.0});
    row("FP32 from itself", DType::FP32, "<f4", f4, {double{third}, -2, 0});
    row("FP32 from float64", DType::FP32, "<f8", f8, {double{third}, -2, 0});
    row("FP32 from float16", DType::FP32, "<f2", bytes<std::uint16_t>({0x3555, 0xC000, 0x0001}),
        {0.333251953125, -2, 0x1p-24});
    row("FP16 from itself", DType::FP16, "<f2", bytes<std::uint16_t>({0x3555, 0xC000, 0x7C00}),
        {0x3555, 0xC000, 0x7C00});
    row("FP16 from float32", DType::FP16, "<f4", f4, {0x3555, 0xC000, 0});
    row("FP16 from float64", DType::FP16, "<f8", f8, {0x3555, 0xC000, 0});
    row("BF16 from codes", DType::BF16, "<u2", bytes<std::uint16_t>({0x3EAB, 0xC000, 0xFFFF}),
        {0x3EAB, 0xC000, 0xFFFF});
    row("BF16 from float32", DType::BF16, "<f4", f4, {0x3EAB, 0xC000, 0});
    row("BF16 from float64", DType::BF16, "<f8", f8, {0x3EAB, 0xC000, 0});
    row("FP8E4M3 from codes", DType::FP8E4M3, "|u1", bytes<std::uint8_t>({0x2B, 0xC0, 0xFF}), {0x2B, 0xC0, 0xFF});
    row("FP8E4M3 from float32", DType::FP8E4M3, "<f4", f4, {0x2B, 0xC0, 0});
    row("FP8E5M2 from float32", DType::FP8E5M2, "<f4", f4, {0x35, 0xC0, 0});
    row("HF8 from codes", DType::HF8, "|u1", bytes<std::uint8_t>({1, 2, 255}), {1, 2, 255});
    row("FP8E8M0 from codes", DType::FP8E8M0, "|u1", bytes<std::uint8_t>({0, 127, 255}), {0, 127, 255});
    row("FP8E8M0 from float32", DType::FP8E8M0, "<f4", bytes<float>({1, 0.25F, 1024}), {127, 125, 137});
    row("FP4E2M1 from codes", DType::FP4E2M1, "|u1", bytes<std::uint8_t>({0, 15, 7}), {0, 15, 7});
    row("FP4E2M1 from float32", DType::FP4E2M1, "<f4", f4, {1, 12, 0});
    row("INT4 from codes", DType::INT4, "|u1", bytes<std::uint8_t>({0, 15, 7}), {0, 255, 7});
    row("INT4 from int8", DType::INT4, "|i1", bytes<std::int8_t>({-8, 7, -1}), {248, 7, 255});
    row("INT8 from int64", DType::INT8, "<i8", bytes<std::int64_t>({-128, 127, 0}), {128, 127, 0});
    row("INT16 from int32", DType::INT16, "<i4", bytes<std::int32_t>({-32768, 32767, 0}), {32768, 32767, 0});
    row("INT32 from uint8", DType::INT32, "|u1", bytes<std::uint8_t>({0, 255, 1}), {0, 255, 1});
    row("INT64 from uint64", DType::INT64, "<u8", bytes<std::uint64_t>({0, 1ULL << 52U, 1}), {0, 0x1p52, 1});
    row("UINT8 from uint16", DType::UINT8, "<u2", bytes<std::uint16_t>({0, 255, 1}), {0, 255, 1});
    row("BOOL from bool", DType::BOOL, "|b1", bytes<std::uint8_t>({0, 1, 1}), {0, 1, 1});
    row("BOOL from int8", DType::BOOL, "|i1", bytes<std::int8_t>({0, 1, 0}), {0, 1, 0});
    row("UINT8 from bool", DType::UINT8, "|b1", bytes<std::uint8_t>({0, 1, 1}), {0, 1, 1});
}

void TstNpy::readsTypes() {
    QFETCH(int, dtype);
    QFETCH(QByteArray, file);
    QFETCH(QList<double>, codes);
    const Result<HostTensor> tensor = readNpyAs(write(file), static_cast<DType>(dtype), {3});
    QVERIFY2(tensor, tensor ? "" : tensor.error().message.c_str());
    QCOMPARE(static_cast<int>(tensor->dtype()), dtype);
    QCOMPARE(tensor->shape(), Shape{3});
    std::vector<double> found;
    if (tensor->dtype() == DType::FP32)
        found = valuesOf<float>(*tensor);
    else if (tensor->dtype() == DType::INT64)
        found = valuesOf<std::int64_t>(*tensor);
    else if (hostBytesPerElement(tensor->dtype()) == 4)
        found = valuesOf<std::uint32_t>(*tensor);
    else if (hostBytesPerElement(tensor->dtype()) == 2)
        found = valuesOf<std::uint16_t>(*tensor);
    else
        found = valuesOf<std::uint8_t>(*tensor);
    QCOMPARE(QList<double>(found.begin(), found.end()), codes);
}

void TstNpy::readsBothOrdersAndByteOrders_data() {
    QTest::addColumn<QByteArray>("file");
    // 0 1 2 / 3 4 5, row by row or column by column.
    const auto little = bytes<float>({0, 1, 2, 3, 4, 5});
    const auto big = bytes<float>({0, 1, 2, 3, 4, 5}, true);
    QTest::addRow("rows") << npyFile(dictionary("<f4", "(2, 3)"), little);
    QTest::addRow("rows, native") << npyFile(dictionary("=f4", "(2, 3)"), little);
    QTest::addRow("rows, big endian") << npyFile(dictionary(">f4", "(2, 3)"), big);
    QTest::addRow("columns") << npyFile(dictionary("<f4", "(2, 3)", true), bytes<float>({0, 3, 1, 4, 2, 5}));
    QTest::addRow("columns, big endian") << npyFile(dictionary(">f4", "(2, 3)", true),
                                                    bytes<float>({0, 3, 1, 4, 2, 5}, true));
    QTest::addRow("float64, big endian") << npyFile(dictionary(">f8", "(2, 3)"),
                                                    bytes<double>({0, 1, 2, 3, 4, 5}, true));
}

void TstNpy::readsBothOrdersAndByteOrders() {
    QFETCH(QByteArray, file);
    const std::string path = write(file);
    const Result<HostTensor> tensor = readNpyAs(path, DType::FP32, {2, 3});
    QVERIFY2(tensor, tensor ? "" : tensor.error().message.c_str());
    QCOMPARE(valuesOf<float>(*tensor), (std::vector<double>{0, 1, 2, 3, 4, 5}));
    QCOMPARE(*readNpyFloat64(path, DType::FP32, {2, 3}), (std::vector<double>{0, 1, 2, 3, 4, 5}));
}

void TstNpy::readsLargeColumnMajorFiles_data() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::addColumn<int>("depth");
    QTest::addRow("short columns") << 7 << 100 << 211;
    // More than what is turned at a time, so that the walk has to go on where it stopped.
    QTest::addRow("several pieces") << 2100 << 2 << 1050;
    QTest::addRow("columns longer than a piece") << (1 << 22) + 5 << 1 << 2;
}

void TstNpy::readsLargeColumnMajorFiles() {
    QFETCH(int, rows);
    QFETCH(int, columns);
    QFETCH(int, depth);
    const auto count =
        static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * static_cast<std::size_t>(depth);
    std::vector<std::int32_t> data, wanted(count);
    for (int z = 0; z < depth; ++z)
        for (int y = 0; y < columns; ++y)
            for (int x = 0; x < rows; ++x) data.push_back((x * columns + y) * depth + z);
    const QByteArray shape = QStringLiteral("(%1, %2, %3)").arg(rows).arg(columns).arg(depth).toUtf8();
    const QByteArray elements(reinterpret_cast<const char*>(data.data()), static_cast<qsizetype>(4 * count));
    const Result<HostTensor> tensor =
        readNpyAs(write(npyFile(dictionary("<i4", shape, true), elements)), DType::INT32, {rows, columns, depth});
    QVERIFY2(tensor, tensor ? "" : tensor.error().message.c_str());
    std::iota(wanted.begin(), wanted.end(), 0);
    const auto found = tensor->codes<std::int32_t>();
    QVERIFY(std::equal(found.begin(), found.end(), wanted.begin(), wanted.end()));
}

void TstNpy::readsEveryVersion_data() {
    QTest::addColumn<QByteArray>("start");
    const QByteArray text = dictionary("<f4", "(1,)") + "\n";
    const char length = static_cast<char>(text.size());
    QTest::addRow("1.0") << QByteArray("\x93NUMPY\x01\x00", 8) + length + QByteArray(1, '\0') + text;
    QTest::addRow("2.0") << QByteArray("\x93NUMPY\x02\x00", 8) + length + QByteArray(3, '\0') + text;
    QTest::addRow("3.0") << QByteArray("\x93NUMPY\x03\x00", 8) + length + QByteArray(3, '\0') + text;
}

void TstNpy::readsEveryVersion() {
    QFETCH(QByteArray, start);
    const Result<HostTensor> tensor = readNpyAs(write(start + bytes<float>({2.5F})), DType::FP32, {1});
    QVERIFY2(tensor, tensor ? "" : tensor.error().message.c_str());
    QCOMPARE(tensor->at(0), 2.5);
}

void TstNpy::refusesTypesThatDoNotFit_data() {
    QTest::addColumn<int>("dtype");
    QTest::addColumn<QByteArray>("descr");
    QTest::addColumn<int>("code");
    const auto row = [](DType dtype, const char* descr, ErrorCode code) {
        QTest::addRow("%s from %s", std::string(toText(dtype)).c_str(), descr)
            << static_cast<int>(dtype) << QByteArray(descr) << static_cast<int>(code);
    };
    row(DType::FP32, "<i4", ErrorCode::WrongType);
    row(DType::FP32, "<u4", ErrorCode::WrongType);
    row(DType::FP16, "<u2", ErrorCode::WrongType);
    row(DType::BF16, "<i2", ErrorCode::WrongType);
    row(DType::BF16, "|u1", ErrorCode::WrongType);
    row(DType::FP8E4M3, "<u2", ErrorCode::WrongType);
    row(DType::FP4E2M1, "|i1", ErrorCode::WrongType);
    row(DType::INT8, "<f4", ErrorCode::WrongType);
    row(DType::INT32, "<f8", ErrorCode::WrongType);
    row(DType::BOOL, "<f2", ErrorCode::WrongType);
    row(DType::FP32, "|O", ErrorCode::Unsupported);
    row(DType::FP32, "|O8", ErrorCode::Unsupported);
    row(DType::FP32, "<c8", ErrorCode::Unsupported);
    row(DType::FP32, "<U4", ErrorCode::Unsupported);
    row(DType::FP32, "|S4", ErrorCode::Unsupported);
    row(DType::BF16, "|V2", ErrorCode::Unsupported);
    row(DType::FP32, "<f16", ErrorCode::Unsupported);
    row(DType::FP32, "<f3", ErrorCode::Unsupported);
    row(DType::FP32, "|f4", ErrorCode::Unsupported);
    row(DType::FP32, "<f", ErrorCode::Unsupported);
    row(DType::FP32, "", ErrorCode::Unsupported);
    row(DType::FP32, "<f4x", ErrorCode::Unsupported);
    row(DType::FP32, "<M8[ns]", ErrorCode::Unsupported);
}

void TstNpy::refusesTypesThatDoNotFit() {
    QFETCH(int, dtype);
    QFETCH(QByteArray, descr);
    QFETCH(int, code);
    const std::string path = write(npyFile(dictionary(descr, "(0,)"), {}));
    const Result<HostTensor> tensor = readNpyAs(path, static_cast<DType>(dtype), {0});
    QVERIFY(!tensor);
    QCOMPARE(static_cast<int>(tensor.error().code), code);
    QCOMPARE(qtext(tensor.error().where), qtext(path));
    QCOMPARE(static_cast<int>(readNpyFloat64(path, static_cast<DType>(dtype), {0}).error().code), code);
}

void TstNpy::refusesValuesOutOfRange_data() {
    QTest::addColumn<int>("dtype");
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, DType dtype, const QByteArray& file, const char* message) {
        QTest::addRow("%s", name) << static_cast<int>(dtype) << file << message;
    };
    row("INT8 high", DType::INT8, npyFile(dictionary("<i2", "(2, 2)"), bytes<std::int16_t>({0, 0, 128, 0})),
        "element [1, 0] is 128; INT8 holds -128 to 127");
    row("INT8 low, columns", DType::INT8,
        npyFile(dictionary("<i2", "(2, 2)", true), bytes<std::int16_t>({0, 0, -129, 0})),
        "element [0, 1] is -129; INT8 holds -128 to 127");
    row("UINT8 negative", DType::UINT8, npyFile(dictionary("|i1", "(2, 2)"), bytes<std::int8_t>({0, -1, 0, 0})),
        "element [0, 1] is -1; UINT8 holds 0 to 255");
    row("BOOL", DType::BOOL, npyFile(dictionary("|u1", "(2, 2)"), bytes<std::uint8_t>({2, 0, 0, 0})),
        "element [0, 0] is 2; BOOL holds 0 to 1");
    row("INT4", DType::INT4, npyFile(dictionary("|i1", "(2, 2)"), bytes<std::int8_t>({0, 0, 0, 8})),
        "element [1, 1] is 8; INT4 holds -8 to 7");
    row("FP4 code", DType::FP4E2M1, npyFile(dictionary("|u1", "(2, 2)"), bytes<std::uint8_t>({0, 0, 0, 16})),
        "element [1, 1] is 16; a code of FP4E2M1 is 0 to 15");
    row("INT64", DType::INT64, npyFile(dictionary("<u8", "(2, 2)"), bytes<std::uint64_t>({0, 0, 1ULL << 63U, 0})),
        "element [1, 0] is beyond 2^63; INT64 holds -9223372036854775808 to 9223372036854775807");
    const auto floats = [&](const char* name, DType dtype, std::initializer_list<float> values, const char* message) {
        row(name, dtype, npyFile(dictionary("<f4", "(2, 2)"), bytes<float>(values)), message);
    };
    constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
    floats("FP8E4M3", DType::FP8E4M3, {464, kNan, 465, 1000}, "element [1, 0] is 465; FP8E4M3 holds -448 to 448");
    floats("FP8E4M3 has no infinity", DType::FP8E4M3, {1, 2, 3, -kInf},
           "element [1, 1] is -inf; FP8E4M3 holds -448 to 448");
    floats("FP8E5M2", DType::FP8E5M2, {kInf, 61439, -61440, 1},
           "element [1, 0] is -61440; FP8E5M2 holds -57344 to 57344");
    floats("HF8", DType::HF8, {kInf, 32768, 0, 50000}, "element [1, 1] is 50000; HF8 holds -32768 to 32768");
    floats("FP16", DType::FP16, {65519, -kInf, 0, 65520}, "element [1, 1] is 65520; FP16 holds -65504 to 65504");
    floats("BF16", DType::BF16, {0x1.FEp127F, kNan, -0x1.FFp127F, 0},
           "element [1, 0] is -3.39617752923046e+38; BF16 holds -3.3895313892515355e+38 to 3.3895313892515355e+38");
    floats("FP4E2M1", DType::FP4E2M1, {6.99F, -6.99F, 7, 0}, "element [1, 0] is 7; FP4E2M1 holds -6 to 6");
    floats("FP4 has no NaN", DType::FP4E1M2, {1.8F, kNan, 0, 0}, "element [0, 1] is nan; FP4E1M2 holds -1.75 to 1.75");
    floats("FP8E8M0 has no sign", DType::FP8E8M0, {1, kNan, 0x1p-127F, -2},
           "element [1, 1] is -2; FP8E8M0 holds 2^-127 to 2^127, without sign and zero");
    floats("FP8E8M0 has no zero", DType::FP8E8M0, {0x1.8p127F, 0, 1, 1},
           "element [0, 1] is 0; FP8E8M0 holds 2^-127 to 2^127, without sign and zero");
    row("FP32", DType::FP32, npyFile(dictionary("<f8", "(2, 2)"), bytes<double>({3.4e38, 1, -1e300, 0})),
        "element [1, 0] is -1e+300; FP32 holds -3.4028234663852886e+38 to 3.4028234663852886e+38");
}

void TstNpy::refusesValuesOutOfRange() {
    QFETCH(int, dtype);
    QFETCH(QByteArray, file);
    QFETCH(QString, message);
    const Result<HostTensor> tensor = readNpyAs(write(file), static_cast<DType>(dtype), {2, 2});
    QVERIFY(!tensor);
    QCOMPARE(tensor.error().code, ErrorCode::BadValue);
    QCOMPARE(qtext(tensor.error().message), message);
}

void TstNpy::refusesDamagedFiles_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("message");
    const QByteArray data = bytes<float>({1, 2, 3});
    const auto row = [](const char* name, const QByteArray& file, const char* message) {
        QTest::addRow("%s", name) << file << message;
    };
    const auto header = [&](const char* name, const QByteArray& text, const char* message) {
        row(name, npyFile(text, data), message);
    };
    row("empty", {}, "not a .npy file");
    row("other file", "{\"cubist\": 1, \"name\": \"x\"}", "not a .npy file");
    row("version 4", QByteArray("\x93NUMPY\x04\x00\x10\x00\x00\x00", 12) + data,
        ".npy version 4.0 is not known (1.0, 2.0 and 3.0 are)");
    row("truncated", npyFile(dictionary("<f4", "(3,)"), data.left(5)),
        "the file is truncated: 7 of 12 bytes of data are missing");
    row("no data", npyFile(dictionary("<f4", "(3,)"), {}), "the file is truncated: 12 of 12 bytes of data are missing");
    row("too long", npyFile(dictionary("<f4", "(3,)"), data + "x"), "the file has 1 bytes more than its header says");
    row("header cut", npyFile(dictionary("<f4", "(3,)"), {}).left(40), "the file is truncated inside its header");
    row("huge header", QByteArray("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF", 12) + data,
        "damaged .npy header: it claims 4294967295 bytes");
    header("no dictionary", "[]", "damaged .npy header: it does not start with '{'");
    header("open dictionary", "{'descr': '<f4'", "damaged .npy header: no ',' or '}' after \"descr\"");
    header("open string", "{'descr", "damaged .npy header: a string does not end");
    header("no descr", "{'fortran_order': False, 'shape': (3,)}", "damaged .npy header: the key 'descr' is missing");
    header("no order", "{'descr': '<f4', 'shape': (3,)}", "damaged .npy header: the key 'fortran_order' is missing");
    header("no shape", "{'descr': '<f4', 'fortran_order': False}", "damaged .npy header: the key 'shape' is missing");
    header("key twice", "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
           "damaged .npy header: the key \"descr\" occurs twice");
    header("unknown key", "{'descr': '<f4', 'x': 1}", "damaged .npy header: unknown key \"x\"");
    header("order of text", "{'descr': '<f4', 'fortran_order': 'no', 'shape': (3,)}",
           "damaged .npy header: 'fortran_order' is neither True nor False");
    header("shape is a number", dictionary("<f4", "3"), "damaged .npy header: 'shape' is no tuple");
    header("parentheses are no tuple", dictionary("<f4", "(3)"), "damaged .npy header: 'shape' is no tuple");
    header("negative extent", dictionary("<f4", "(-3,)"), "damaged .npy header: 'shape' has an entry that is no size");
    header("extent beyond 64 bits", dictionary("<f4", "(99999999999999999999,)"),
           "damaged .npy header: 'shape' has an entry that is no size");
    header("program as shape", dictionary("<f4", "(__import__('os').system('true'),)"),
           "damaged .npy header: 'shape' has an entry that is no size");
    header("text behind", dictionary("<f4", "(3,)") + " x", "damaged .npy header: text after the dictionary");
    header("records", "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,)}",
           "the file holds records, not numbers (structured type)");
}

void TstNpy::refusesDamagedFiles() {
    QFETCH(QByteArray, file);
    QFETCH(QString, message);
    const std::string path = write(file);
    const Result<HostTensor> tensor = readNpyAs(path, DType::FP32, {3});
    QVERIFY(!tensor);
    QCOMPARE(qtext(tensor.error().message), message);
    QCOMPARE(qtext(tensor.error().where), qtext(path));
    QVERIFY(tensor.error().code == ErrorCode::BadFile || tensor.error().code == ErrorCode::Unsupported);
}

void TstNpy::claimsAreCheckedBeforeAllocating_data() {
    QTest::addColumn<QByteArray>("shape");
    QTest::addColumn<QList<qlonglong>>("extents");
    QTest::addColumn<int>("code");
    const auto row = [](const char* name, const char* shape, const QList<qlonglong>& extents, ErrorCode code) {
        QTest::addRow("%s", name) << QByteArray(shape) << extents << static_cast<int>(code);
    };
    row("4 TB", "(1099511627776,)", {1099511627776}, ErrorCode::BadFile);
    row("4 TB against 3", "(1099511627776,)", {3}, ErrorCode::BadValue);
    row("2^62 elements", "(4611686018427387904,)", {4611686018427387904}, ErrorCode::DoesNotFit);
    row("product overflows", "(4294967296, 4294967296)", {4294967296, 4294967296}, ErrorCode::DoesNotFit);
    row("product overflows to a small one", "(4294967296, 4294967296, 3)", {3}, ErrorCode::DoesNotFit);
    row("zero hides an overflow", "(0, 9223372036854775807, 9223372036854775807)", {0}, ErrorCode::BadValue);
}

void TstNpy::claimsAreCheckedBeforeAllocating() {
    QFETCH(QByteArray, shape);
    QFETCH(QList<qlonglong>, extents);
    QFETCH(int, code);
    const std::string path = write(npyFile(dictionary("<f4", shape), bytes<float>({1, 2, 3})));
    const Shape expected(extents.begin(), extents.end());
    QCOMPARE(static_cast<int>(readNpyAs(path, DType::FP32, expected).error().code), code);
    QCOMPARE(static_cast<int>(readNpyFloat64(path, DType::FP32, expected).error().code), code);
}

void TstNpy::everyPrefixIsAnError() {
    const QByteArray file = npyFile(dictionary("<f4", "(3,)"), bytes<float>({1, 2, 3}));
    for (qsizetype length = 0; length < file.size(); ++length) {
        const Result<HostTensor> tensor = readNpyAs(write(file.left(length)), DType::FP32, {3});
        QVERIFY(!tensor);
        QVERIFY(!tensor.error().message.empty());
    }
    QVERIFY(readNpyAs(write(file), DType::FP32, {3}));
}

void TstNpy::damagedHeadersNeverCrash() {
    const std::string header = dictionary("<f4", "(3, 4)").toStdString();
    int readable = 0;
    for (std::size_t i = 0; i < header.size(); ++i)
        for (int byte = 0; byte < 256; ++byte) {
            std::string damaged = header;
            damaged[i] = static_cast<char>(byte);
            const Result<NpyHeader> parsed = parseNpyHeader(damaged);
            if (parsed)
                ++readable;
            else
                QVERIFY(!parsed.error().message.empty());
        }
    // Each of the bytes as it was, other digits of the shape and the type, other blanks.
    QVERIFY(readable >= static_cast<int>(header.size()) && readable < 200);
}

void TstNpy::shapesMustBeEqual() {
    const std::string path = write(npyFile(dictionary("<f4", "(2, 3)"), bytes<float>({0, 1, 2, 3, 4, 5})));
    for (const Shape& shape : {Shape{3, 2}, Shape{6}, Shape{2, 1, 3, 2}, Shape{}}) {
        const Result<HostTensor> tensor = readNpyAs(path, DType::FP32, shape);
        QVERIFY(!tensor);
        QCOMPARE(tensor.error().code, ErrorCode::BadValue);
    }
    // Axes of one element move nothing.
    for (const Shape& shape : {Shape{2, 3, 1}, Shape{1, 2, 3}, Shape{2, 1, 3}}) {
        const Result<HostTensor> tensor = readNpyAs(path, DType::FP32, shape);
        QVERIFY(tensor);
        QVERIFY(tensor->shape() == shape && tensor->at(4) == 4.0);
    }
    QCOMPARE(qtext(readNpyAs(path, DType::FP32, {6}).error().message),
             QString("the file has the shape (2, 3); the tensor has (6,)"));
    const Result<HostTensor> scalar =
        readNpyAs(write(npyFile(dictionary("<f4", "()"), bytes<float>({7}))), DType::FP32, {});
    QVERIFY(scalar);
    QCOMPARE(scalar->at(0), 7.0);
}

void TstNpy::goldensAreNotRounded() {
    const double third = 1.0 / 3.0;
    const std::string path = write(npyFile(dictionary("<f8", "(2,)"), bytes<double>({third, 1e300})));
    for (const DType dtype : {DType::FP32, DType::FP16, DType::BF16, DType::FP8E4M3})
        QCOMPARE(*readNpyFloat64(path, dtype, {2}), (std::vector<double>{third, 1e300}));
    QCOMPARE(*readNpyFloat64(write(npyFile(dictionary("<f4", "(1,)"), bytes<float>({0.1F}))), DType::BF16, {1}),
             std::vector<double>{double{0.1F}});
    QCOMPARE(*readNpyFloat64(write(npyFile(dictionary("<i8", "(1,)"), bytes<std::int64_t>({-300}))), DType::INT8, {1}),
             std::vector<double>{-300});
}

void TstNpy::goldenCodesAreDecoded() {
    QCOMPARE(*readNpyFloat64(write(npyFile(dictionary("<u2", "(2,)"), bytes<std::uint16_t>({0x3F80, 0xC040}))),
                             DType::BF16, {2}),
             (std::vector<double>{1, -3}));
    QCOMPARE(*readNpyFloat64(write(npyFile(dictionary("|u1", "(2,)"), bytes<std::uint8_t>({0x38, 0x7E}))),
                             DType::FP8E4M3, {2}),
             (std::vector<double>{1, 448}));
    QCOMPARE(*readNpyFloat64(write(npyFile(dictionary("|u1", "(2,)"), bytes<std::uint8_t>({15, 7}))), DType::INT4, {2}),
             (std::vector<double>{-1, 7}));
}

void TstNpy::writesWhatItReads_data() {
    QTest::addColumn<int>("dtype");
    for (const auto& [dtype, name] : EnumTable<DType>::entries)
        QTest::addRow("%s", name.data()) << static_cast<int>(dtype);
}

void TstNpy::writesWhatItReads() {
    QFETCH(int, dtype);
    const auto type = static_cast<DType>(dtype);
    Result<HostTensor> tensor = HostTensor::zeros(type, {3, 5});
    QVERIFY(tensor);
    for (std::int64_t i = 0; i < tensor->count(); ++i)
        tensor->set(i, type == DType::BOOL ? static_cast<double>(i % 2) : static_cast<double>(i % 8));
    const std::string path = m_folder.filePath("y.npy").toStdString();
    QVERIFY(writeNpy(path, *tensor));
    const Result<HostTensor> again = readNpyAs(path, type, {3, 5});
    QVERIFY2(again, again ? "" : again.error().message.c_str());
    QCOMPARE(again->byteCount(), tensor->byteCount());
    QVERIFY(std::memcmp(again->data(), tensor->data(), tensor->byteCount()) == 0);
}

void TstNpy::codedTypesComeWithTheirValues() {
    Result<HostTensor> tensor = HostTensor::zeros(DType::INT4, {2});
    QVERIFY(tensor);
    tensor->set(0, -3);
    tensor->set(1, 7);
    QVERIFY(writeNpy(m_folder.filePath("y.npy").toStdString(), *tensor));
    QCOMPARE(QDir(m_folder.path()).entryList(QDir::Files | QDir::Hidden, QDir::Name),
             (QStringList{"y.f32.npy", "y.npy"}));
    const Result<HostTensor> values = readNpyAs(m_folder.filePath("y.f32.npy").toStdString(), DType::FP32, {2});
    QVERIFY(values);
    QCOMPARE(valuesOf<float>(*values), (std::vector<double>{-3, 7}));
    QFile codes(m_folder.filePath("y.npy"));
    QVERIFY(codes.open(QIODevice::ReadOnly));
    QVERIFY(codes.readAll().endsWith(QByteArray("\x0D\x07", 2)));

    init();
    Result<HostTensor> plain = HostTensor::zeros(DType::FP32, {2});
    QVERIFY(plain && writeNpy(m_folder.filePath("y.npy").toStdString(), *plain));
    QCOMPARE(QDir(m_folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList{"y.npy"});
}

void TstNpy::headersAreAligned() {
    for (const Shape& shape : {Shape{}, Shape{3}, Shape{64, 5120}, Shape{1, 2, 3, 4000000000}}) {
        const std::string bytes = npyHeaderBytes("<f4", shape);
        QCOMPARE(bytes.size() % 64, std::size_t{0});
        const Result<NpyHeader> header = parseNpyHeader(std::string_view(bytes).substr(10));
        QVERIFY(header);
        QCOMPARE(header->shape, shape);
    }
}

bool TstNpy::python(const QByteArray& program, QByteArray& output) {
    QProcess process;
    process.setWorkingDirectory(m_folder.path());
    process.start(CUBIST_PYTHON, {"-c", program});
    if (!process.waitForFinished(120'000)) return false;
    output = process.readAllStandardOutput();
    const QByteArray errors = process.readAllStandardError();
    if (process.exitCode() != 0 && !errors.contains("No module named 'numpy'"))
        QTest::qFail(errors, __FILE__, __LINE__);
    return process.exitCode() == 0;
}

void TstNpy::numpyReadsOurFiles() {
    for (const DType dtype : {DType::FP32, DType::FP16, DType::BF16, DType::INT16, DType::INT64, DType::BOOL}) {
        Result<HostTensor> tensor = HostTensor::zeros(dtype, {2, 3});
        QVERIFY(tensor);
        for (std::int64_t i = 0; i < 6; ++i) tensor->set(i, dtype == DType::BOOL ? double(i % 2) : double(i) - 2);
        QVERIFY(writeNpy(m_folder.filePath(QString::fromLatin1(toText(dtype).data()) + ".npy").toStdString(), *tensor));
    }
    QByteArray output;
    const bool ran = python(
        "import numpy as np\n"
        "for n in ['FP32', 'FP16', 'BF16.f32', 'INT16', 'INT64', 'BOOL', 'BF16']:\n"
        "    a = np.load(n + '.npy')\n"
        "    print(n, a.dtype, a.shape, a.ravel().tolist())\n",
        output);
    if (!ran) QSKIP("NumPy is not installed");
    QCOMPARE(output, QByteArray("FP32 float32 (2, 3) [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]\n"
                                "FP16 float16 (2, 3) [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]\n"
                                "BF16.f32 float32 (2, 3) [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]\n"
                                "INT16 int16 (2, 3) [-2, -1, 0, 1, 2, 3]\n"
                                "INT64 int64 (2, 3) [-2, -1, 0, 1, 2, 3]\n"
                                "BOOL bool (2, 3) [False, True, False, True, False, True]\n"
                                "BF16 uint16 (2, 3) [49152, 49024, 0, 16256, 16384, 16448]\n"));
}

void TstNpy::weReadNumpysFiles() {
    QByteArray output;
    const bool ran = python(
        "import numpy as np\n"
        "a = np.arange(24).reshape(2, 3, 4)\n"
        "np.save('c.npy', a.astype('<f4'))\n"
        "np.save('fortran.npy', np.asfortranarray(a.astype('<f8')))\n"
        "np.save('big.npy', a.astype('>i2'))\n"
        "np.save('transposed.npy', np.arange(24, dtype='f4').reshape(4, 3, 2).T)\n"
        "np.save('object.npy', np.array([1, 'a'], dtype=object))\n"
        "np.lib.format.write_array(open('v3.npy', 'wb'), a.astype('f2'), version=(3, 0))\n",
        output);
    if (!ran) QSKIP("NumPy is not installed");
    std::vector<double> wanted(24);
    std::iota(wanted.begin(), wanted.end(), 0.0);
    const auto read = [&](const char* name, DType dtype, const Shape& shape) {
        const Result<std::vector<double>> values = readNpyFloat64(m_folder.filePath(name).toStdString(), dtype, shape);
        if (!values) QTest::qFail(values.error().message.c_str(), __FILE__, __LINE__);
        return values.value_or({});
    };
    QCOMPARE(read("c.npy", DType::FP32, {2, 3, 4}), wanted);
    QCOMPARE(read("fortran.npy", DType::FP32, {2, 3, 4}), wanted);
    QCOMPARE(read("big.npy", DType::INT16, {2, 3, 4}), wanted);
    QCOMPARE(read("v3.npy", DType::FP16, {2, 3, 4}), wanted);
    // Element [i, j, k] of the transposed array is 6 k + 2 j + i.
    QCOMPARE(read("transposed.npy", DType::FP32, {2, 3, 4})[1 * 12 + 2 * 4 + 3], 6.0 * 3 + 2 * 2 + 1);
    QCOMPARE(readNpyAs(m_folder.filePath("object.npy").toStdString(), DType::FP32, {2}).error().code,
             ErrorCode::Unsupported);
}

QTEST_GUILESS_MAIN(TstNpy)
#include "tst_npy.moc"
