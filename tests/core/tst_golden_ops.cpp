// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <cmath>
#include <functional>

#include "core/base/number_formats.h"
#include "core/golden/reference.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

using Values = std::vector<double>;
using Inputs = std::map<std::string, HostTensor>;

constexpr double kInf = std::numeric_limits<double>::infinity();

std::string shapeText(const Shape& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return text + "]";
}

/// One vector stage on the inputs x, y and c (BOOL); `ops` make "r", which is stored.
Design stageOf(const std::string& dtype, const Shape& x, const Shape& y, const std::string& out, const Shape& result,
               const std::string& ops) {
    const auto tensor = [](const std::string& id, const char* role, const std::string& type, const Shape& shape) {
        return R"({"id": ")" + id + R"(", "role": ")" + role + R"(", "dtype": ")" + type + R"(", "shape": )" +
               shapeText(shape) + "}";
    };
    return designText(
        R"({"cubist": 1, "name": "v", "chip": "Ascend910B1", "skeleton": {"variant": "A"}, "tensors": [)" +
        tensor("x", "input", dtype, x) + "," + tensor("y", "input", dtype, y) + "," + tensor("c", "input", "BOOL", y) +
        "," + tensor("out", "output", out, result) + R"(], "blocks": [{"kind": "vector", "id": "s", "tile": )" +
        shapeText(result) + R"(, "ops": [)" + ops + R"(]}, {"kind": "store", "id": "w", "from": "r", "to": "out"}]})");
}

HostTensor filled(DType dtype, const Shape& shape, const Values& values) {
    HostTensor made = std::move(HostTensor::zeros(dtype, shape)).value();
    for (std::int64_t i = 0; i < made.count(); ++i) made.set(i, values[static_cast<std::size_t>(i) % values.size()]);
    return made;
}

/// Multiples of 1/8 in -4..4.
HostTensor eighths(DType dtype, const Shape& shape, std::uint32_t seed) {
    HostTensor made = std::move(HostTensor::zeros(dtype, shape)).value();
    for (std::int64_t i = 0; i < made.count(); ++i) {
        seed = seed * 1664525u + 1013904223u;
        made.set(i, static_cast<double>(static_cast<std::int32_t>(seed >> 26) - 32) / 8.0);
    }
    return made;
}

HostTensor counting(const Shape& shape) {
    HostTensor made = std::move(HostTensor::zeros(DType::INT32, shape)).value();
    for (std::int64_t i = 0; i < made.count(); ++i) made.set(i, static_cast<double>(i));
    return made;
}

GoldenSet golden(const Design& design, const Inputs& inputs, GoldenKind kind = GoldenKind::Ideal, int threads = 1) {
    const Binding binding = bound(design);
    auto resolved = resolve(design, binding);
    if (!resolved) qFatal("%s: %s", resolved.error().where.c_str(), resolved.error().message.c_str());
    std::map<std::string, const HostTensor*> list;
    for (const auto& [name, tensor] : inputs) list[name] = &tensor;
    RunContext context;
    context.threads = threads;
    auto result = computeGolden(*resolved, list, kind, context);
    if (!result) qFatal("%s: %s", result.error().where.c_str(), result.error().message.c_str());
    return std::move(result).value();
}

/// The values of "out".
Values goldenOf(const Design& design, HostTensor x, HostTensor y, GoldenKind kind = GoldenKind::Ideal) {
    Inputs inputs;
    inputs["c"] = filled(DType::BOOL, y.shape(), {1, 0});
    inputs["x"] = std::move(x);
    inputs["y"] = std::move(y);
    return golden(design, inputs, kind).outputs.at("out").values.toVector();
}

std::string alongAxis(const std::string& op, const std::string& of, int dim, bool keep) {
    return R"({"op": ")" + op + R"(", "in": [")" + of + R"("], "out": "r", "dim": )" + std::to_string(dim) +
           (keep ? R"(, "keepdim": true})" : "}");
}

/// A view of 4 x 8 with 3 x 5 valid elements, and operations on it.
Design tailOf(const std::string& ops, const Shape& result) {
    return designText(R"({"cubist": 1, "name": "t", "chip": "Ascend910B1", "skeleton": {"variant": "A"}, "tensors": [
        {"id": "x", "role": "input", "dtype": "FP32", "shape": [3, 5]},
        {"id": "out", "role": "output", "dtype": "FP32", "shape": )" +
                      shapeText(result) + R"(}], "blocks": [
        {"kind": "view", "id": "v", "of": "x", "out": "t", "shape": [4, 8], "offset": [0, 0], "valid": [3, 5]},
        {"kind": "vector", "id": "s", "tile": [4, 8], "ops": [)" +
                      ops + R"(]}, {"kind": "store", "id": "w", "from": "r", "to": "out"}]})");
}

bool near(double actual, double expected, double relative) {
    return actual == expected || (std::isnan(actual) && std::isnan(expected)) ||
           std::abs(actual - expected) <= relative * std::abs(expected);
}

#define COMPARE_NEAR(actual, expected, relative)                                                  \
    do {                                                                                          \
        const double a_ = (actual), e_ = (expected);                                              \
        QVERIFY2(near(a_, e_, relative), qPrintable(QString("%1, expected %2").arg(a_).arg(e_))); \
    } while (false)

}  // namespace

class TestGoldenOps : public QObject {
    Q_OBJECT
private slots:
    void elementwise_data() {
        QTest::addColumn<QString>("ops");
        QTest::addColumn<QString>("out");
        QTest::addColumn<QList<double>>("expected");  // x = 0.25, 4, -1; y = 4, 4, 2; c = 1, 0, 1
        const auto row = [](const char* name, const char* ops, QList<double> expected, const char* out = "FP32") {
            QTest::newRow(name)
                << QString(R"({"op": "%1", "in": [%2], "out": "r"})").arg(QString(name).section(' ', 0, 0), ops) << out
                << expected;
        };
        row("exp", R"("x")", {1.2840254166877414, 54.598150033144236, 0.36787944117144233});
        row("log", R"("x")", {-1.3862943611198906, 1.3862943611198906, NAN});
        row("sqrt", R"("x")", {0.5, 2, NAN});
        row("rsqrt", R"("x")", {2, 0.5, NAN});
        row("reciprocal", R"("x")", {4, 0.25, -1});
        row("sigmoid", R"("x")", {0.56217650088579807, 0.98201379003790845, 0.26894142136999512});
        row("clip numbers", R"("x", -0.5, 2)", {0.25, 2, -0.5});
        row("clip tensor", R"("x", -0.5, "y")", {0.25, 4, -0.5});
        row("where", R"("c", "x", "y")", {0.25, 4, -1});
        row("where numbers", R"("c", 7, -7)", {7, -7, 7});
        row("where mixed", R"("c", "y", 0.5)", {4, 0.5, 2});
        row("eq", R"("x", "y")", {0, 1, 0}, "BOOL");
        row("ne", R"("x", "y")", {1, 0, 1}, "BOOL");
        row("lt", R"("x", "y")", {1, 0, 1}, "BOOL");
        row("le", R"("x", "y")", {1, 1, 1}, "BOOL");
        row("gt", R"("x", 0)", {1, 1, 0}, "BOOL");
        row("ge", R"(4, "x")", {1, 1, 1}, "BOOL");
    }
    void elementwise() {
        QFETCH(QString, ops);
        QFETCH(QString, out);
        QFETCH(QList<double>, expected);
        if (ops.contains("[\"c\", 7")) ops.replace("\"out\"", "\"dtype\": \"FP32\", \"out\"");
        const Design design = stageOf("FP32", {1, 3}, {1, 3}, out.toStdString(), {1, 3}, ops.toStdString());
        const Values x{0.25, 4, -1}, y{4, 4, 2};
        const Values ideal = goldenOf(design, filled(DType::FP32, {1, 3}, x), filled(DType::FP32, {1, 3}, y));
        const Values stated =
            goldenOf(design, filled(DType::FP32, {1, 3}, x), filled(DType::FP32, {1, 3}, y), GoldenKind::Framework);
        for (std::size_t i = 0; i < 3; ++i) {
            const double want = expected[static_cast<qsizetype>(i)];
            COMPARE_NEAR(ideal[i], want, 1e-15);
            COMPARE_NEAR(stated[i], static_cast<double>(static_cast<float>(want)), 0);
        }
    }

    void nanAndInfinityGoThrough() {
        const auto one = [](const std::string& ops, double x) {
            return goldenOf(stageOf("FP32", {1, 1}, {1, 1}, "FP32", {1, 1}, ops), filled(DType::FP32, {1, 1}, {x}),
                            filled(DType::FP32, {1, 1}, {1}))[0];
        };
        QVERIFY(std::isnan(one(R"({"op": "clip", "in": ["x", 0, 1], "out": "r"})", NAN)));
        QVERIFY(std::isnan(one(R"({"op": "sigmoid", "in": ["x"], "out": "r"})", NAN)));
        QCOMPARE(one(R"({"op": "sigmoid", "in": ["x"], "out": "r"})", -kInf), 0.0);
        QCOMPARE(one(R"({"op": "exp", "in": ["x"], "out": "r"})", -kInf), 0.0);
        QCOMPARE(one(R"({"op": "log", "in": ["x"], "out": "r"})", 0.0), -kInf);
        QVERIFY(std::isnan(goldenOf(stageOf("FP32", {1, 3}, {1, 1}, "FP32", {1, 1},
                                            R"({"op": "amax", "in": ["x"], "out": "r", "keepdim": true})"),
                                    filled(DType::FP32, {1, 3}, {1, NAN, 2}), filled(DType::FP32, {1, 1}, {0}))[0]));
    }

    void reductions_data() {
        QTest::addColumn<QString>("op");
        QTest::addColumn<int>("dim");
        QTest::addColumn<bool>("keep");
        for (const char* op : {"sum", "amax", "amin"})
            for (const int dim : {0, 1, 2, -1})
                for (const bool keep : {false, true}) QTest::addRow("%s %d %d", op, dim, keep) << op << dim << keep;
    }
    void reductions() {
        QFETCH(QString, op);
        QFETCH(int, dim);
        QFETCH(bool, keep);
        const Shape shape{3, 5, 70};
        const std::size_t axis = static_cast<std::size_t>(dim < 0 ? dim + 3 : dim);
        Shape result = shape;
        if (keep)
            result[axis] = 1;
        else
            result.erase(result.begin() + static_cast<std::ptrdiff_t>(axis));
        const std::string ops = alongAxis(op.toStdString(), "x", dim, keep);
        const HostTensor x = eighths(DType::FP32, shape, 5);
        const Values got = goldenOf(stageOf("FP32", shape, {1, 1}, "FP32", result, ops), eighths(DType::FP32, shape, 5),
                                    filled(DType::FP32, {1, 1}, {0}));
        Values want(got.size(), op == "sum" ? 0 : op == "amax" ? -kInf : kInf);
        QCOMPARE(want.size(), static_cast<std::size_t>(3 * 5 * 70 / shape[axis]));
        for (std::int64_t a = 0; a < 3; ++a)
            for (std::int64_t b = 0; b < 5; ++b)
                for (std::int64_t c = 0; c < 70; ++c) {
                    const std::int64_t place = axis == 0 ? b * 70 + c : axis == 1 ? a * 70 + c : a * 5 + b;
                    double& total = want[static_cast<std::size_t>(place)];
                    const double value = x.at((a * 5 + b) * 70 + c);
                    total = op == "sum"    ? total + value
                            : op == "amax" ? std::max(total, value)
                                           : std::min(total, value);
                }
        QCOMPARE(got, want);
    }

    void softmaxAlongEveryAxis_data() {
        QTest::addColumn<int>("dim");
        QTest::newRow("first") << 0;
        QTest::newRow("middle") << 1;
        QTest::newRow("last") << -1;
    }
    void softmaxAlongEveryAxis() {
        QFETCH(int, dim);
        const Shape shape{4, 3, 9};
        const HostTensor x = eighths(DType::FP32, shape, 8);
        const std::string ops = R"({"op": "exp", "in": ["x"], "out": "e"}, {"op": "log", "in": ["e"], "out": "l"},)" +
                                alongAxis("softmax", "l", dim, false);
        const Values got = goldenOf(stageOf("FP32", shape, {1, 1}, "FP32", shape, ops), eighths(DType::FP32, shape, 8),
                                    filled(DType::FP32, {1, 1}, {0}));
        for (std::int64_t i = 0; i < 108; ++i) {
            const std::int64_t step = dim == 0 ? 27 : dim == 1 ? 9 : 1;
            const std::int64_t length = dim == 0 ? 4 : dim == 1 ? 3 : 9;
            const std::int64_t first = i - i / step % length * step;
            double sum = 0;
            for (std::int64_t j = 0; j < length; ++j) sum += std::exp(x.at(first + j * step) - x.at(i));
            COMPARE_NEAR(got[static_cast<std::size_t>(i)], 1 / sum, 1e-14);
        }
    }

    void rmsNormDividesByTheRootOfTheMeanSquare() {
        const Values got = goldenOf(stageOf("FP32", {2, 2}, {1, 2}, "FP32", {2, 2},
                                            R"({"op": "rms_norm", "in": ["x", "y"], "out": "r", "epsilon": 0.5})"),
                                    filled(DType::FP32, {2, 2}, {3, 4, -1, 0}), filled(DType::FP32, {1, 2}, {1, -2}));
        const double first = std::sqrt(13.0), second = 1.0;
        QCOMPARE(got, (Values{3 / first, 4 / first * -2, -1 / second, 0 / second * -2}));
    }

    void movementsOfElements() {
        const auto moved = [](const Shape& x, const Shape& y, const Shape& result, const std::string& ops) {
            return goldenOf(stageOf("INT32", x, y, "INT32", result, ops), counting(x), counting(y));
        };
        const auto expect = [](const Values& got, const std::function<double(std::int64_t)>& want) {
            for (std::size_t i = 0; i < got.size(); ++i) QCOMPARE(got[i], want(static_cast<std::int64_t>(i)));
        };
        expect(moved({6, 20}, {1, 1}, {3, 8},
                     R"({"op": "slice", "in": ["x"], "out": "r", "shape": [3, 8], "offset": [2, 5]})"),
               [](std::int64_t i) { return (i / 8 + 2) * 20 + i % 8 + 5; });
        expect(moved({5, 7}, {1, 1}, {7, 5}, R"({"op": "transpose", "in": ["x"], "out": "r", "dims": [0, 1]})"),
               [](std::int64_t i) { return i % 5 * 7 + i / 5; });
        expect(moved({3, 4, 5}, {1, 1}, {4, 3, 5}, R"({"op": "transpose", "in": ["x"], "out": "r", "dims": [1, 0]})"),
               [](std::int64_t i) { return (i / 5 % 3 * 4 + i / 15) * 5 + i % 5; });
        expect(moved({6, 5}, {6, 3}, {6, 8}, R"({"op": "concat", "in": ["x", "y"], "out": "r", "dim": -1})"),
               [](std::int64_t i) { return i % 8 < 5 ? i / 8 * 5 + i % 8 : i / 8 * 3 + i % 8 - 5; });
        expect(moved({2, 5}, {3, 5}, {5, 5}, R"({"op": "concat", "in": ["x", "y"], "out": "r", "dim": 0})"),
               [](std::int64_t i) { return i < 10 ? i : i - 10; });
        expect(moved({1, 4}, {1, 1}, {3, 4}, R"({"op": "expand_clone", "in": ["x"], "out": "r", "shape": [3, 4]})"),
               [](std::int64_t i) { return i % 4; });
        expect(moved({3, 1}, {1, 1}, {3, 4}, R"({"op": "expand_clone", "in": ["x"], "out": "r", "shape": [3, 4]})"),
               [](std::int64_t i) { return i / 4; });
        for (const int dim : {0, 1, 2, -1}) {
            const Shape wider = dim == 0 ? Shape{1, 4, 6} : dim == 1 ? Shape{4, 1, 6} : Shape{4, 6, 1};
            expect(moved({4, 6}, {1, 1}, wider, alongAxis("unsqueeze", "x", dim, false)),
                   [](std::int64_t i) { return i; });
        }
        expect(moved({6, 20}, {1, 1}, {3, 10, 4}, R"({"op": "reshape", "in": ["x"], "out": "r", "shape": [3, 10, 4]})"),
               [](std::int64_t i) { return i; });
    }

    void resultsInBetweenAreReadInAnyOrder() {
        // r[j, i] = 2 x[i, j] + (sum of column j) - (largest of the doubled x): rows, columns and turned rows of one
        // result.
        const std::string ops = R"({"op": "add", "in": ["x", "x"], "out": "d"},
            {"op": "sum", "in": ["x"], "out": "s", "dim": 0, "keepdim": true},
            {"op": "amax", "in": ["d"], "out": "m", "dim": 1, "keepdim": true},
            {"op": "amax", "in": ["m"], "out": "g", "dim": 0, "keepdim": true},
            {"op": "add", "in": ["d", "s"], "out": "t"}, {"op": "sub", "in": ["t", "g"], "out": "u"},
            {"op": "transpose", "in": ["u"], "out": "r", "dims": [0, 1]})";
        const Shape shape{300, 170};
        const Design design = stageOf("FP32", shape, {1, 1}, "FP32", {170, 300}, ops);
        Inputs inputs;
        inputs["x"] = eighths(DType::FP32, shape, 3);
        inputs["y"] = filled(DType::FP32, {1, 1}, {0});
        inputs["c"] = filled(DType::BOOL, {1, 1}, {0});
        const GoldenValues one = golden(design, inputs).outputs.at("out").values;
        QCOMPARE(golden(design, inputs, GoldenKind::Ideal, 3).outputs.at("out").values, one);
        const HostTensor& x = inputs["x"];
        double largest = -kInf;
        for (std::int64_t i = 0; i < x.count(); ++i) largest = std::max(largest, 2 * x.at(i));
        for (std::int64_t j = 0; j < 170; ++j) {
            double sum = 0;
            for (std::int64_t i = 0; i < 300; ++i) sum += x.at(i * 170 + j);
            for (std::int64_t i = 0; i < 300; ++i)
                QCOMPARE(one[static_cast<std::size_t>(j * 300 + i)], 2 * x.at(i * 170 + j) + sum - largest);
        }
    }

    void integersAndNarrowFloatsKeepTheirTypes() {
        const std::string sum = R"({"op": "sum", "in": ["x"], "out": "r", "keepdim": true})";
        QCOMPARE(goldenOf(stageOf("INT16", {1, 2}, {1, 1}, "INT16", {1, 1}, sum), filled(DType::INT16, {1, 2}, {30000}),
                          filled(DType::INT16, {1, 1}, {0}))[0],
                 -5536.0);  // 60000 - 65536
        const std::string sigmoid = R"({"op": "sigmoid", "in": ["x"], "out": "r"})";
        const Design design = stageOf("BF16", {1, 1}, {1, 1}, "BF16", {1, 1}, sigmoid);
        const auto one = [&](GoldenKind kind) {
            return goldenOf(design, filled(DType::BF16, {1, 1}, {1}), filled(DType::BF16, {1, 1}, {0}), kind)[0];
        };
        COMPARE_NEAR(one(GoldenKind::Ideal), 0.7310585786300049, 1e-15);
        QCOMPARE(one(GoldenKind::Framework), 0.73046875);
    }

    void invalidRowsAndColumnsStayOut() {
        // Zero would win amin, and would count in softmax and the mean.
        Inputs inputs;
        inputs["x"] = filled(DType::FP32, {3, 5}, {1, 2, 3, 4, 5, 6, 7});
        const HostTensor& x = inputs["x"];
        const auto of = [&](const std::string& ops, const Shape& result) {
            return golden(tailOf(ops, result), inputs).outputs.at("out").values.toVector();
        };
        QCOMPARE(of(R"({"op": "amin", "in": ["t"], "out": "r", "dim": 0, "keepdim": true})", {1, 5}),
                 (Values{1, 2, 1, 2, 1}));
        QCOMPARE(of(R"({"op": "amin", "in": ["t"], "out": "r", "dim": 1})", {3}), (Values{1, 1, 1}));
        QCOMPARE(of(R"({"op": "exp", "in": ["t"], "out": "e"}, {"op": "log", "in": ["e"], "out": "l"},
                       {"op": "sum", "in": ["l"], "out": "s", "dim": 0}, {"op": "sum", "in": ["s"], "out": "r"})",
                    {1})[0],
                 57.0);
        const Values soft = of(R"({"op": "softmax", "in": ["t"], "out": "r", "dim": 0})", {3, 5});
        for (std::int64_t i = 0; i < 15; ++i) {
            double sum = 0;
            for (std::int64_t row = 0; row < 3; ++row) sum += std::exp(x.at(row * 5 + i % 5) - x.at(i));
            COMPARE_NEAR(soft[static_cast<std::size_t>(i)], 1 / sum, 1e-14);
        }
        const Values norm = of(R"({"op": "rms_norm", "in": ["t"], "out": "r"})", {3, 5});
        COMPARE_NEAR(norm[0], 1 / std::sqrt(11 + 1e-6), 1e-14);
        QCOMPARE(of(R"({"op": "add", "in": ["t", 1], "out": "p"},
                       {"op": "transpose", "in": ["p"], "out": "r", "dims": [0, 1]})",
                    {5, 3}),
                 (Values{2, 7, 5, 3, 8, 6, 4, 2, 7, 5, 3, 8, 6, 4, 2}));
        // Beyond the valid part a result reads as zero, not as exp(0).
        QCOMPARE(of(R"({"op": "exp", "in": ["t"], "out": "e"},
                       {"op": "concat", "in": ["e", "e"], "out": "k", "dim": 1},
                       {"op": "slice", "in": ["k"], "out": "r", "shape": [4, 3], "offset": [0, 5]})",
                    {4, 3}),
                 Values(12, 0.0));
    }

    void emulatorAndGoldenAgreeOnSwigluAndQuantisation() {
        // Rows of x in a loop with a tail of 7: the product's halves g and u, silu(g) * u, its scale per row, INT8.
        const Design design = designText(R"json({"cubist": 1, "name": "chain", "chip": "Ascend910B1",
            "skeleton": {"variant": "C"}, "symbols": [{"id": "T", "value": 39}], "tensors": [
            {"id": "x", "role": "input", "dtype": "BF16", "shape": ["T", 64]},
            {"id": "w", "role": "input", "dtype": "BF16", "shape": [64, 96]},
            {"id": "q", "role": "output", "dtype": "INT8", "shape": ["T", 48]},
            {"id": "scale", "role": "output", "dtype": "FP32", "shape": ["T", 1]}],
            "blocks": [{"kind": "loop", "id": "l", "axis": "T", "tile": 16, "body": [
                {"kind": "view", "id": "v", "of": "x", "out": "t", "shape": [16, 64], "offset": ["i * 16", 0],
                 "valid": ["min(T - i * 16, 16)", 64]},
                {"kind": "cube", "id": "c", "a": "t", "b": "w", "out": "acc", "out_dtype": "FP32",
                 "tile": {"m": [16, 16], "k": [64, 64], "n": [48, 48]}},
                {"kind": "vector", "id": "s", "tile": [8, 48], "ops": [
                    {"op": "slice", "in": ["acc"], "out": "g", "shape": [16, 48], "offset": [0, 0]},
                    {"op": "slice", "in": ["acc"], "out": "u", "shape": [16, 48], "offset": [0, 48]},
                    {"op": "neg", "in": ["g"], "out": "n"}, {"op": "exp", "in": ["n"], "out": "e"},
                    {"op": "add", "in": ["e", 1], "out": "p"}, {"op": "div", "in": ["g", "p"], "out": "silu"},
                    {"op": "mul", "in": ["silu", "u"], "out": "a"}]},
                {"kind": "vector", "id": "d", "tile": [8, 48], "ops": [
                    {"op": "abs", "in": ["a"], "out": "b"},
                    {"op": "amax", "in": ["b"], "out": "m", "dim": -1, "keepdim": true},
                    {"op": "div", "in": ["m", 127], "out": "sc"}]},
                {"kind": "vector", "id": "e8", "tile": [8, 48], "ops": [
                    {"op": "div", "in": ["a", "sc"], "out": "y"},
                    {"op": "cast", "in": ["y"], "out": "h", "dtype": "FP16"},
                    {"op": "cast", "in": ["h"], "out": "z", "dtype": "INT8", "round": "RINT", "saturate": true}]},
                {"kind": "store", "id": "ws", "from": "sc", "to": "scale", "offset": ["i * 16", 0]},
                {"kind": "store", "id": "wq", "from": "z", "to": "q", "offset": ["i * 16", 0]}]}]})json");
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        const auto generatedInputs = generated(program, {Distribution::Uniform, -1, 1}, 21);
        Inputs inputs;
        inputs["x"] = std::move(generatedInputs[0].clone()).value();
        inputs["w"] = std::move(generatedInputs[1].clone()).value();
        for (const GoldenKind kind : {GoldenKind::Ideal, GoldenKind::Framework}) {
            const GoldenSet set = golden(design, inputs, kind);
            for (const bool checked : {false, true}) {
                const EmulatedValues values = emulated(program, generatedInputs, {Isa::Auto, checked});
                const HostTensor& scale = tensorNamed(program, values, "scale");
                const HostTensor& q = tensorNamed(program, values, "q");
                std::int64_t differing = 0;
                for (std::int64_t r = 0; r < 39; ++r) {
                    const double wanted = set.outputs.at("scale").values[static_cast<std::size_t>(r)];
                    QVERIFY(wanted > 0.001);
                    COMPARE_NEAR(scale.at(r), wanted, 2e-6);
                    double largest = 0;
                    for (std::int64_t c = 0; c < 48; ++c) {
                        const double expected = set.outputs.at("q").values[static_cast<std::size_t>(r * 48 + c)];
                        QVERIFY(std::abs(q.at(r * 48 + c) - expected) <= 1);  // a tie may fall to either side
                        if (q.at(r * 48 + c) != expected) ++differing;
                        largest = std::max(largest, std::abs(expected));
                    }
                    QCOMPARE(largest, 127.0);
                }
                QVERIFY2(differing <= 18, qPrintable(QString::number(differing)));  // 1 %
            }
        }
    }

    void integersKeepTheLowBits_data() {
        QTest::addColumn<QString>("dtype");
        QTest::addColumn<QString>("ops");
        QTest::addColumn<QList<double>>("expected");
        const auto row = [](const char* name, const char* dtype, const char* ops, QList<double> expected) {
            QTest::newRow(name) << dtype << ops << expected;
        };
        // x = 1234567891, -2^31, 2147483647, -2000000011; y = 1987654321, -2^31, 2147483647, 1999999973.
        row("mul", "INT32", R"({"op": "mul", "in": ["x", "y"], "out": "r"})", {-989845021, 0, 1, -708230871});
        row("mul then add", "INT32",
            R"({"op": "mul", "in": ["x", "y"], "out": "t"}, {"op": "add", "in": ["t", "y"], "out": "r"})",
            {997809300, -2147483648.0, -2147483648.0, 1291769102});
        row("mul number", "INT32", R"({"op": "mul", "in": ["x", 2147483647], "out": "r"})",
            {912915757, -2147483648.0, 1, -147483637});
        row("add", "INT32", R"({"op": "add", "in": ["x", "y"], "out": "r"})", {-1072745084, 0, -2, -38});
        row("sub", "INT32", R"({"op": "sub", "in": ["x", "y"], "out": "r"})", {-753086430, 0, 0, 294967312});
        row("neg", "INT32", R"({"op": "neg", "in": ["x"], "out": "r"})",
            {-1234567891, -2147483648.0, -2147483647, 2000000011});
        row("abs", "INT32", R"({"op": "abs", "in": ["x"], "out": "r"})",
            {1234567891, -2147483648.0, 2147483647, 2000000011});
    }
    void integersKeepTheLowBits() {
        QFETCH(QString, dtype);
        QFETCH(QString, ops);
        QFETCH(QList<double>, expected);
        const std::string type = dtype.toStdString();
        for (const GoldenKind kind : {GoldenKind::Ideal, GoldenKind::Framework})
            QCOMPARE(goldenOf(stageOf(type, {1, 4}, {1, 4}, type, {1, 4}, ops.toStdString()),
                              filled(DType::INT32, {1, 4}, {1234567891, -2147483648.0, 2147483647, -2000000011}),
                              filled(DType::INT32, {1, 4}, {1987654321, -2147483648.0, 2147483647, 1999999973}), kind),
                     Values(expected.begin(), expected.end()));
    }

    void longProductsOfIntegersKeepTheLowBits_data() {
        QTest::addColumn<QString>("dtype");
        QTest::addColumn<int>("axis");
        QTest::addColumn<double>("expected");  // (3 * 5 * 7 * 9)^8 modulo a power of two
        for (const int axis : {0, 1}) {
            QTest::addRow("INT32 axis %d", axis) << "INT32" << axis << -657630847.0;
            QTest::addRow("INT16 axis %d", axis) << "INT16" << axis << 22913.0;
        }
    }
    void longProductsOfIntegersKeepTheLowBits() {
        QFETCH(QString, dtype);
        QFETCH(int, axis);
        QFETCH(double, expected);
        const std::string type = dtype.toStdString();
        const DType code = type == "INT32" ? DType::INT32 : DType::INT16;
        const Shape shape = axis == 0 ? Shape{32, 2} : Shape{2, 32};
        Values factors;
        for (int i = 0; i < 64; ++i) factors.push_back(3 + 2 * (axis == 0 ? i / 2 % 4 : i % 4));
        QCOMPARE(goldenOf(stageOf(type, shape, shape, type, axis == 0 ? Shape{1, 2} : Shape{2, 1},
                                  alongAxis("prod", "x", axis, true)),
                          filled(code, shape, factors), filled(code, shape, {0})),
                 (Values{expected, expected}));
    }

    void longIntegersAreCarriedExactly_data() {
        QTest::addColumn<QString>("ops");
        QTest::addColumn<QString>("out");
        QTest::addColumn<int>("columns");
        QTest::addColumn<QList<qint64>>("expected");  // x = 2^62 + 1, -2^62 - 3, 2^60 + 2^36 + 1; y = 5, 6, 7
        constexpr qint64 a = (1LL << 62) + 1, b = -(1LL << 62) - 3, c = (1LL << 60) + (1LL << 36) + 1;
        QTest::newRow("concat") << R"({"op": "concat", "in": ["x", "y"], "out": "r", "dim": 1})"
                                << "INT64" << 6 << QList<qint64>{a, b, c, 5, 6, 7};
        QTest::newRow("slice") << R"({"op": "slice", "in": ["x"], "out": "r", "offset": [0, 1], "shape": [1, 2]})"
                               << "INT64" << 2 << QList<qint64>{b, c};
        QTest::newRow("to INT32") << R"({"op": "cast", "in": ["x"], "out": "r", "dtype": "INT32"})"
                                  << "INT32" << 3 << QList<qint64>{1, -3, 1};
        QTest::newRow("to INT32, clamped")
            << R"({"op": "cast", "in": ["x"], "out": "r", "dtype": "INT32", "saturate": true})"
            << "INT32" << 3 << QList<qint64>{2147483647, -2147483648LL, 2147483647};
        // Just above the middle between two numbers of FP32, which FP64 does not tell from the middle.
        QTest::newRow("to FP32") << R"({"op": "cast", "in": ["x"], "out": "r", "dtype": "FP32"})"
                                 << "FP32" << 3 << QList<qint64>{1LL << 62, -(1LL << 62), (1LL << 60) + (1LL << 37)};
        QTest::newRow("copied, then narrowed") << R"({"op": "concat", "in": ["x", "y"], "out": "t", "dim": 1},
                  {"op": "cast", "in": ["t"], "out": "r", "dtype": "INT32"})"
                                               << "INT32" << 6 << QList<qint64>{1, -3, 1, 5, 6, 7};
    }
    void longIntegersAreCarriedExactly() {
        QFETCH(QString, ops);
        QFETCH(QString, out);
        QFETCH(int, columns);
        QFETCH(QList<qint64>, expected);
        Inputs inputs;
        inputs["c"] = filled(DType::BOOL, {1, 3}, {1});
        inputs["x"] = filled(DType::INT64, {1, 3}, {0});
        inputs["y"] = filled(DType::INT64, {1, 3}, {5, 6, 7});
        const auto x = inputs["x"].writableCodes<std::int64_t>();
        x[0] = (std::int64_t{1} << 62) + 1;
        x[1] = -(std::int64_t{1} << 62) - 3;
        x[2] = (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1;
        const Design design = stageOf("INT64", {1, 3}, {1, 3}, out.toStdString(), {1, columns}, ops.toStdString());
        const GoldenSet set = golden(design, inputs, GoldenKind::Framework);
        const GoldenTensor& made = set.outputs.at("out");
        QCOMPARE(made.values.size(), static_cast<std::size_t>(expected.size()));
        for (std::size_t i = 0; i < made.values.size(); ++i) {
            QCOMPARE(made.values[i], static_cast<double>(expected[static_cast<qsizetype>(i)]));
            if (out == "INT64") QCOMPARE(qint64{made.integers[i]}, expected[static_cast<qsizetype>(i)]);
        }
        QCOMPARE(made.integers.empty(), out != "INT64");
    }

    void placesAreTakenFromLongIntegers() {
        Inputs inputs;
        inputs["c"] = filled(DType::BOOL, {1, 3}, {1});
        inputs["x"] = filled(DType::INT64, {1, 3}, {11, 22, 33});
        inputs["y"] = filled(DType::INT64, {1, 3}, {2, 0, 2});
        const Design design = stageOf("INT64", {1, 3}, {1, 3}, "INT64", {1, 3},
                                      R"({"op": "gather", "in": ["x", "y"], "out": "r", "dim": 1})");
        QCOMPARE(golden(design, inputs).outputs.at("out").values, (Values{33, 11, 33}));
    }
};

QTEST_APPLESS_MAIN(TestGoldenOps)
#include "tst_golden_ops.moc"
