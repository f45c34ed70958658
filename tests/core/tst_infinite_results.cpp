// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <limits>

#include "tests/support/designs.h"
#include "tests/support/emulation.h"
#include "tests/support/stage_runs.h"

using namespace cubist;
using namespace cubist::test;

/// Checked runs name the first sum or result that is infinite while all that it is made from is finite.
class TestInfiniteResults : public QObject {
    Q_OBJECT

private slots:
    void theFirstIsNamed_data();
    void theFirstIsNamed();
    void onlyTheElementThatOverflows();
};

namespace {

QString infiniteNote(const Program& program, const std::vector<HostTensor>& inputs) {
    constexpr EmulatorOptions kChecked{Isa::Auto, true, {}};
    for (const ValueNote& note : emulated(program, inputs, kChecked, 1).notes)
        if (note.kind == ValueNote::Kind::Infinite) return QString::fromStdString(note.message);
    return {};
}

DType typeNamed(const QString& name) {
    return name == "BF16" ? DType::BF16 : (name == "FP16" ? DType::FP16 : DType::FP32);
}

}  // namespace

void TestInfiniteResults::theFirstIsNamed_data() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    QTest::addColumn<QString>("ops");  // empty: a product of 128 values along K
    QTest::addColumn<QString>("type");
    QTest::addColumn<double>("most");  // stays finite
    QTest::addColumn<double>("over");  // does not
    QTest::addColumn<QString>("text");
    const QString sum = R"({"op": "sum", "in": ["x"], "keepdim": true, "out": "r"})";
    const QString square = R"({"op": "mul", "in": ["x", "x"], "out": "r"})";
    const QString grow = R"({"op": "exp", "in": ["x"], "out": "r"})";
    const QString chain = R"({"op": "add", "in": ["x", 0], "out": "p"}, {"op": "mul", "in": ["p", "p"], "out": "r"})";
    const QString finite = R"({"op": "minimum", "in": ["x", 1], "out": "r"})";
    const QString mul = "'mul' of finite operands gives infinity in ",
                  cube = "sums of finite products become infinite in L0C";
    QTest::newRow("mul FP16") << square << "FP16" << 255.0 << 256.0 << mul + "FP16";
    QTest::newRow("mul BF16") << square << "BF16" << 0x1p63 << 0x1p64 << mul + "BF16";
    QTest::newRow("mul FP32") << square << "FP32" << 0x1p63 << 0x1p64 << mul + "FP32";
    QTest::newRow("exp FP32") << grow << "FP32" << 88.0 << 89.0
                              << QString("'exp' of finite operands gives infinity in FP32");
    QTest::newRow("a chain") << chain << "FP16" << 255.0 << 256.0 << mul + "FP16";
    QTest::newRow("sum FP32") << sum << "FP32" << 0x1p121 << 0x1p122
                              << QString("'sum' of finite operands gives infinity in FP32");
    QTest::newRow("infinite data") << square << "FP32" << 1.0 << kInfinity << QString();
    QTest::newRow("infinite data, sum") << sum << "FP32" << 1.0 << kInfinity << QString();
    QTest::newRow("a finite result") << finite << "FP32" << 1.0 << 0x1p127 << QString();
    QTest::newRow("L0C") << QString() << "FP32" << 0x1p60 << 0x1p61 << cube;
    QTest::newRow("L0C BF16") << QString() << "BF16" << 0x1p60 << 0x1p61 << cube;
    QTest::newRow("L0C, infinite data") << QString() << "FP32" << 1.0 << kInfinity << QString();
}

void TestInfiniteResults::theFirstIsNamed() {
    QFETCH(const QString, ops);
    QFETCH(const QString, type);
    QFETCH(const double, most);
    QFETCH(const double, over);
    QFETCH(const QString, text);
    const DType dtype = typeNamed(type);
    const QString vector = QString(R"({"cubist": 1, "name": "t", "chip": "Ascend910B1", "skeleton": {"variant": "A"},
            "tensors": [{"id": "x", "role": "input", "dtype": "%1", "shape": [8, 64]},
                        {"id": "y", "role": "output", "dtype": "%1", "shape": [8, %2]}],
            "blocks": [{"kind": "vector", "id": "v", "tile": [4, 64], "ops": [%3]},
                       {"kind": "store", "id": "w", "from": "r", "to": "y"}]})")
                               .arg(type, ops.contains("sum") ? "1" : "64", ops);
    const Design design =
        ops.isEmpty() ? matmulDesign({.dtype = dtype, .kTile = {32, 64}}) : designText(vector.toStdString());
    const Program program = lowered(design, {}, chipFile("Ascend910B1"));
    const auto noteFor = [&](double value) {
        std::vector<HostTensor> inputs;
        inputs.push_back(made(dtype, ops.isEmpty() ? Shape{64, 128} : Shape{8, 64}, {value}));
        if (ops.isEmpty()) inputs.push_back(made(dtype, {128, 64}, {value}));
        return infiniteNote(program, inputs);
    };
    QCOMPARE(noteFor(most), QString());
    const QString found = noteFor(over);
    QVERIFY2(text.isEmpty() ? found.isEmpty() : found.contains(text), qPrintable(found));
    if (text.isEmpty()) return;
    QVERIFY2(found.startsWith(ops.isEmpty() ? "'product' block (0,0)" : "'v' block (0,0)"), qPrintable(found));
    QVERIFY2(found.contains("the first is inf at element (0,0)"), qPrintable(found));
}

void TestInfiniteResults::onlyTheElementThatOverflows() {
    const Program program =
        lowered(matmulDesign({.dtype = DType::FP32, .kTile = {32, 64}}), {}, chipFile("Ascend910B1"));
    HostTensor a = made(DType::FP32, {64, 128}, {1.0}), b = made(DType::FP32, {128, 64}, {1.0});
    a.set(3 * 128 + 100, -0x1p100);  // row 3, in the last step along K
    b.set(100 * 64 + 5, 0x1p100);    // column 5
    std::vector<HostTensor> inputs;
    inputs.push_back(std::move(a));
    inputs.push_back(std::move(b));
    const QString found = infiniteNote(program, inputs);
    QVERIFY2(found.contains("1 element in all, the first is -inf at element (3,5)"), qPrintable(found));
}

QTEST_APPLESS_MAIN(TestInfiniteResults)
#include "tst_infinite_results.moc"
