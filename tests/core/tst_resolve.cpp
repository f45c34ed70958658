// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>

#include "core/design/resolve.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// A design around the given tensors and blocks; T is 100.
Design around(const std::string& tensors, const std::string& blocks) {
    return designText(R"({"cubist": 1, "name": "t", "chip": "Ascend910B1", "skeleton": {"variant": "A"},
        "symbols": [{"id": "T", "value": 100}], "tensors": [)" +
                      tensors + R"(], "blocks": [)" + blocks + "]}");
}

const std::string kTensors = R"({"id": "x", "role": "input", "dtype": "FP16", "shape": ["T", 64]},
    {"id": "w", "role": "input", "dtype": "FP16", "shape": [64, 32]},
    {"id": "y", "role": "output", "dtype": "FP32", "shape": ["T", 32]})";

std::string cube(const std::string& id, const std::string& a, const std::string& b, const std::string& out) {
    return R"({"kind": "cube", "id": ")" + id + R"(", "a": ")" + a + R"(", "b": ")" + b + R"(", "out": ")" + out +
           R"(", "out_dtype": "FP32", "tile": {"m": [16, 16], "k": [16, 16], "n": [16, 16]}})";
}

}  // namespace

class TestResolve : public QObject {
    Q_OBJECT

private slots:
    void sizesComeFromSymbols() {
        const Design design =
            around(kTensors, cube("c", "x", "w", "r") + R"(, {"kind": "store", "id": "s", "from": "r", "to": "y"})");
        const auto resolved = resolve(design, bound(design));
        QVERIFY(resolved.has_value());
        QVERIFY(resolved->problems.empty());
        QCOMPARE(resolved->blocks[0].matmul, (MatmulSize{100, 64, 32}));
        QCOMPARE(resolved->value(ValueId("r"))->shape, (std::vector<std::int64_t>{100, 32}));
    }

    void errorsNameTheElement_data() {
        QTest::addColumn<QString>("blocks");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("where");
        QTest::addColumn<QString>("text");
        QTest::newRow("unknown operand") << QString::fromStdString(cube("c", "xx", "w", "r"))
                                         << int(ErrorCode::UnknownName) << "/blocks/0/a"
                                         << "'xx'";
        QTest::newRow("circle") << QString::fromStdString(cube("c", "q", "w", "r") + "," + cube("d", "r", "w", "q"))
                                << int(ErrorCode::Cycle) << "/blocks"
                                << "q <- r <- q";
        QTest::newRow("self") << QString::fromStdString(cube("c", "r", "w", "r")) << int(ErrorCode::Cycle) << "/blocks"
                              << "r <- r";
        QTest::newRow("id twice") << QString::fromStdString(cube("c", "x", "w", "r") + "," + cube("c", "x", "w", "q"))
                                  << int(ErrorCode::DuplicateKey) << "/blocks/1/id"
                                  << "'c'";
        QTest::newRow("result twice") << QString::fromStdString(cube("c", "x", "w", "r") + "," +
                                                                cube("d", "x", "w", "r"))
                                      << int(ErrorCode::DuplicateKey) << "/blocks/1/out"
                                      << "'r'";
        QTest::newRow("store into an input")
            << QString::fromStdString(cube("c", "x", "w", "r") +
                                      R"(, {"kind": "store", "id": "s", "from": "r", "to": "x"})")
            << int(ErrorCode::BadValue) << "/blocks/1/to"
            << "not a tensor that a kernel writes";
        QTest::newRow("unknown symbol")
            << R"({"kind": "view", "id": "v", "of": "x", "out": "v", "shape": [16, 64], "offset": ["j * 16", 0]})"
            << int(ErrorCode::UnknownName) << "/blocks/0/offset/0"
            << "'j'";
        QTest::newRow("used outside its loop")
            << QString::fromStdString(R"({"kind": "loop", "id": "l", "axis": "T", "tile": 50, "body": [)" +
                                      cube("c", "x", "w", "r") +
                                      R"(]}, {"kind": "store", "id": "s", "from": "r", "to": "y"})")
            << int(ErrorCode::UnknownName) << "/blocks/1/from"
            << "inside a loop";
        QTest::newRow("loop tile 0") << R"({"kind": "loop", "id": "l", "axis": "T", "tile": 0, "body": []})"
                                     << int(ErrorCode::BadValue) << "/blocks/0/tile"
                                     << "at least 1";
        QTest::newRow("operand missing")
            << R"({"kind": "vector", "id": "v", "tile": [8, 8], "ops": [{"op": "add", "in": ["x"], "out": "r"}]})"
            << int(ErrorCode::BadValue) << "/blocks/0/ops/0/in"
            << "2 operands";
    }
    void errorsNameTheElement() {
        QFETCH(QString, blocks);
        QFETCH(int, code);
        QFETCH(QString, where);
        QFETCH(QString, text);
        const Design design = around(kTensors, blocks.toStdString());
        const auto resolved = resolve(design, bound(design));
        QVERIFY(!resolved.has_value());
        QCOMPARE(int(resolved.error().code), code);
        QCOMPARE(QString::fromStdString(resolved.error().where), where);
        QVERIFY2(QString::fromStdString(resolved.error().message).contains(text), resolved.error().message.c_str());
    }

    void misfitsAreProblemsNotErrors_data() {
        QTest::addColumn<QString>("blocks");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("where");
        QTest::newRow("K differs") << QString::fromStdString(cube("c", "x", "x", "r")) << int(ShapeProblem::Kind::Inner)
                                   << "/blocks/0/b";
        QTest::newRow("no broadcast")
            << R"({"kind": "vector", "id": "v", "tile": [8, 8], "ops": [{"op": "add", "in": ["x", "w"], "out": "r"}]})"
            << int(ShapeProblem::Kind::Broadcast) << "/blocks/0/ops/0/in/1";
        QTest::newRow("tail without valid shape")
            << R"({"kind": "loop", "id": "l", "axis": "T", "tile": 32, "body": [{"kind": "view", "id": "v", "of": "x", "out": "v", "shape": [32, 64], "offset": ["i * 32", 0]}]})"
            << int(ShapeProblem::Kind::Bounds) << "/blocks/0/body/0/offset/0";
        QTest::newRow("symbol in a view's shape")
            << R"({"kind": "view", "id": "v", "of": "x", "out": "v", "shape": ["T", 64], "offset": [0, 0]})"
            << int(ShapeProblem::Kind::NotConstant) << "/blocks/0/shape/0";
        QTest::newRow("store of another type")
            << QString::fromStdString(
                   R"({"kind": "vector", "id": "v", "tile": [8, 32], "ops": [{"op": "neg", "in": ["w"], "out": "r"}]},
                   {"kind": "store", "id": "s", "from": "r", "to": "y"})")
            << int(ShapeProblem::Kind::DType) << "/blocks/1/from";
    }
    void misfitsAreProblemsNotErrors() {
        QFETCH(QString, blocks);
        QFETCH(int, kind);
        QFETCH(QString, where);
        const Design design = around(kTensors, blocks.toStdString());
        const auto resolved = resolve(design, bound(design));
        QVERIFY2(resolved.has_value(), resolved ? "" : resolved.error().message.c_str());
        QCOMPARE(resolved->problems.size(), std::size_t{1});
        QCOMPARE(int(resolved->problems[0].kind), kind);
        QCOMPARE(QString::fromStdString(resolved->problems[0].where), where);
    }

    /// What an operation gives whose operands do not fit is valid as a whole, whatever its shape is taken to be.
    void misfitsAreValidAsAWhole_data() {
        QTest::addColumn<QString>("op");
        QTest::newRow("gather") << R"("gather", "in": ["w", "three"])";
        QTest::newRow("index_select") << R"("index_select", "in": ["w", "four"])";
        QTest::newRow("scatter") << R"("scatter", "in": ["w", "three", 1.0])";
        QTest::newRow("index_add") << R"("index_add", "in": ["w", "three", "w"])";
        QTest::newRow("index_put") << R"("index_put", "in": ["w", "three", "w"])";
        QTest::newRow("add") << R"("add", "in": ["w", "three"])";
        QTest::newRow("rms_norm") << R"("rms_norm", "in": ["w", "three"])";
    }
    void misfitsAreValidAsAWhole() {
        QFETCH(QString, op);
        const Design design =
            around(kTensors + R"(, {"id": "three", "role": "input", "dtype": "INT32", "shape": [2, 3, 8]},
                {"id": "four", "role": "input", "dtype": "INT32", "shape": [2, 3, 8, 4]})",
                   R"({"kind": "vector", "id": "v", "tile": [8, 32], "ops": [{"op": )" + op.toStdString() +
                       R"(, "out": "r"}]})");
        const auto resolved = resolve(design, bound(design));
        QVERIFY2(resolved.has_value(), resolved ? "" : resolved.error().message.c_str());
        QVERIFY(!resolved->problems.empty());
        QCOMPARE(*validShape(*resolved, ValueId("r"), {}), resolved->value(ValueId("r"))->shape);
    }

    void validShapeFollowsTheTail() {
        const Design design = designFile(CUBIST_TEST_DATA_DIR "/row_scale.cubist.json");
        const auto resolved = resolve(design, bound(design, "T200"));
        QVERIFY(resolved.has_value());
        QCOMPARE(*validShape(*resolved, ValueId("rounded"), {{"i", 2}}), (std::vector<std::int64_t>{64, 256}));
        QCOMPARE(*validShape(*resolved, ValueId("rounded"), {{"i", 3}}), (std::vector<std::int64_t>{8, 256}));
        QCOMPARE(*validShape(*resolved, ValueId("scale_tile"), {{"i", 3}}), (std::vector<std::int64_t>{8, 1}));
    }

    void aReshapeWorksOutOneExtent_data() {
        QTest::addColumn<QString>("shape");
        QTest::addColumn<QString>("result");
        QTest::newRow("first") << "[-1, 8]"
                               << "8 x 8";
        QTest::newRow("middle") << "[2, -1, 4]"
                                << "2 x 8 x 4";
        QTest::newRow("whole") << "[-1]"
                               << "64";
        QTest::newRow("no fraction") << "[-1, 24]"
                                     << "/blocks/0/ops/0/shape";
        QTest::newRow("two of them") << "[-1, -1, 8]"
                                     << "/blocks/0/ops/0/shape";
        QTest::newRow("other numbers") << "[-2, 8]"
                                       << "/blocks/0/ops/0/shape";
        QTest::newRow("beyond 64 bits") << "[-1, 4294967296, 4294967296, 4]"
                                        << "/blocks/0/ops/0/shape";
    }
    void aReshapeWorksOutOneExtent() {
        QFETCH(QString, shape);
        QFETCH(QString, result);
        const Design design =
            around(R"({"id": "x", "role": "input", "dtype": "FP32", "shape": [4, 16]})",
                   R"({"kind": "vector", "id": "v", "tile": [8, 8], "ops": [{"op": "reshape", "in": ["x"], "out": "r",
                       "shape": )" +
                       shape.toStdString() + "}]}");
        const auto resolved = resolve(design, bound(design));
        if (!resolved) {
            QCOMPARE(QString::fromStdString(resolved.error().where), result);
            return;
        }
        QStringList extents;
        for (const std::int64_t extent : resolved->value(ValueId("r"))->shape) extents << QString::number(extent);
        QCOMPARE(extents.join(" x "), result);
    }

    void hugeTensorsAreRefusedByCount() {
        const Design design =
            around(R"({"id": "x", "role": "input", "dtype": "FP32", "shape": [4000000000, 4000000000]})", "");
        const auto resolved = resolve(design, bound(design));
        QVERIFY(!resolved.has_value());
        QCOMPARE(resolved.error().code, ErrorCode::DoesNotFit);
        QCOMPARE(resolved.error().where, std::string("/tensors/0/shape"));
    }

    void nearestNameIgnoresWhatIsFar() {
        QCOMPARE(nearestName("wieght", {"weight", "hidden"}), std::string("weight"));
        QCOMPARE(nearestName("zzzzzz", {"weight", "hidden"}), std::string());
    }
};

QTEST_APPLESS_MAIN(TestResolve)
#include "tst_resolve.moc"
