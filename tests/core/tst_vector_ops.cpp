// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <cmath>
#include <functional>

#include "core/base/number_formats.h"
#include "core/design/resolve.h"
#include "core/lowering/lower.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return text + "]";
}

/// One vector stage: x and y are the inputs, `ops` make "r", which is stored into out.
Design stageOf(const std::string& in, const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& y,
               const std::string& out, const std::vector<std::int64_t>& result, const std::string& ops,
               const std::vector<std::int64_t>& tile) {
    return designText(R"({"cubist": 1, "name": "v", "chip": "Ascend910B1", "skeleton": {"variant": "A"}, "tensors": [
        {"id": "x", "role": "input", "dtype": ")" +
                      in + R"(", "shape": )" + shapeText(x) + R"(},
        {"id": "y", "role": "input", "dtype": ")" +
                      in + R"(", "shape": )" + shapeText(y) + R"(},
        {"id": "out", "role": "output", "dtype": ")" +
                      out + R"(", "shape": )" + shapeText(result) + R"(}],
        "blocks": [{"kind": "vector", "id": "s", "ops": [)" +
                      ops + R"(], "tile": )" + shapeText(tile) + R"(},
                   {"kind": "store", "id": "w", "from": "r", "to": "out"}]})");
}

struct Outcome {
    std::vector<HostTensor> inputs;
    HostTensor out;
};

/// Runs both modes and two thread counts; they must agree.
Outcome computed(const Design& design, const GeneratorSpec& spec) {
    const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
    Outcome outcome;
    outcome.inputs = generated(program, spec, 11);
    EmulatedValues values = emulated(program, outcome.inputs);
    const EmulatedValues checked = emulated(program, outcome.inputs, {Isa::Auto, true}, 2);
    const HostTensor& out = tensorNamed(program, values, "out");
    if (!sameBits(out, tensorNamed(program, checked, "out"))) qFatal("checked mode gives other bits");
    outcome.out = std::move(out.clone()).value();
    return outcome;
}

using Scalar = std::function<double(float, float)>;

struct Elementwise {
    std::string ops;
    Scalar expected;
};

/// Distance in units of the last place of an FP32 result.
double ulps(double actual, double expected) {
    if (actual == expected || (std::isnan(actual) && std::isnan(expected))) return 0.0;
    const auto rounded = static_cast<float>(expected);
    return std::abs(actual - expected) /
           (static_cast<double>(std::nextafter(std::abs(rounded), HUGE_VALF)) - std::abs(static_cast<double>(rounded)));
}

std::string binary(const std::string& op) {
    return R"({"op": ")" + op + R"(", "in": ["x", "y"], "out": "r"})";
}
std::string unary(const std::string& op) {
    return R"({"op": ")" + op + R"(", "in": ["x"], "out": "r"})";
}

std::string alongAxis(const std::string& op, int dim) {
    return R"({"op": ")" + op + R"(", "in": ["x"], "out": "r", "dim": )" + std::to_string(dim) +
           R"(, "keepdim": true})";
}
std::string castToInteger(const std::string& mode) {
    return R"({"op": "cast", "in": ["x"], "out": "r", "dtype": "INT32", "round": ")" + mode + R"("})";
}

/// Tiles of 16 rows of x, the second with 5, and operations that make [8, 32] of them.
std::string tailText(const std::string& ops) {
    return R"json({"cubist": 1, "name": "t", "chip": "Ascend910B1", "skeleton": {"variant": "C"},
        "symbols": [{"id": "T", "value": 21}], "tensors": [{"id": "x", "role": "input", "dtype": "FP32", "shape": ["T", 16]},
        {"id": "out", "role": "output", "dtype": "FP32", "shape": [16, 32]}],
        "blocks": [{"kind": "loop", "id": "l", "axis": "T", "tile": 16, "body": [
            {"kind": "view", "id": "v", "of": "x", "out": "t", "shape": [16, 16], "offset": ["i * 16", 0],
             "valid": ["min(T - i * 16, 16)", 16]},
            {"kind": "vector", "id": "s", "tile": [8, 32], "ops": [)json" +
           ops + R"json(]}, {"kind": "store", "id": "w", "from": "r", "to": "out", "offset": ["i * 8", 0]}]}]})json";
}

}  // namespace

class TestVectorOps : public QObject {
    Q_OBJECT

private slots:
    void elementwise_data() {
        QTest::addColumn<QString>("ops");
        QTest::addColumn<int>("which");
        QTest::addColumn<double>("ulp");
        const auto row = [](const char* name, const std::string& ops, int which, double ulp) {
            QTest::newRow(name) << QString::fromStdString(ops) << which << ulp;
        };
        row("add", binary("add"), 0, 0.5);
        row("sub", binary("sub"), 1, 0.5);
        row("mul", binary("mul"), 2, 0.5);
        row("div", binary("div"), 3, 0.5);
        row("maximum", binary("maximum"), 4, 0);
        row("minimum", binary("minimum"), 5, 0);
        row("neg", unary("neg"), 6, 0);
        row("abs", unary("abs"), 7, 0);
        row("relu", unary("relu"), 8, 0);
        row("exp", unary("exp"), 9, 1.0);
        row("log of abs", R"({"op": "abs", "in": ["x"], "out": "a"}, {"op": "log", "in": ["a"], "out": "r"})", 10, 1.0);
        row("sqrt of abs", R"({"op": "abs", "in": ["x"], "out": "a"}, {"op": "sqrt", "in": ["a"], "out": "r"})", 11,
            0.5);
        row("rsqrt of abs", R"({"op": "abs", "in": ["x"], "out": "a"}, {"op": "rsqrt", "in": ["a"], "out": "r"})", 12,
            0.51);
        row("reciprocal", unary("reciprocal"), 13, 0.5);
        row("sigmoid", unary("sigmoid"), 14, 4.0);  // four roundings
        row("clip", R"({"op": "clip", "in": ["x", -0.5, 0.25], "out": "r"})", 15, 0);
        row("number first", R"({"op": "sub", "in": [1, "x"], "out": "r"})", 16, 0.5);
        row("where",
            R"({"op": "lt", "in": ["x", "y"], "out": "c"}, {"op": "where", "in": ["c", "x", "y"], "out": "r"})", 5, 0);
    }
    void elementwise() {
        QFETCH(QString, ops);
        QFETCH(int, which);
        QFETCH(double, ulp);
        const std::vector<Scalar> expected{
            [](float x, float y) { return double(x) + double(y); },
            [](float x, float y) { return double(x) - double(y); },
            [](float x, float y) { return double(x) * double(y); },
            [](float x, float y) { return double(x) / double(y); },
            [](float x, float y) { return double(std::max(x, y)); },
            [](float x, float y) { return double(std::min(x, y)); },
            [](float x, float) { return -double(x); },
            [](float x, float) { return std::abs(double(x)); },
            [](float x, float) { return std::max(double(x), 0.0); },
            [](float x, float) { return std::exp(double(x)); },
            [](float x, float) { return std::log(std::abs(double(x))); },
            [](float x, float) { return std::sqrt(std::abs(double(x))); },
            [](float x, float) { return 1.0 / std::sqrt(std::abs(double(x))); },
            [](float x, float) { return 1.0 / double(x); },
            [](float x, float) { return 1.0 / (1.0 + std::exp(-double(x))); },
            [](float x, float) { return std::clamp(double(x), -0.5, 0.25); },
            [](float x, float) { return 1.0 - double(x); },
        };
        // 37 x 70 with a tile of 16 x 32: tails on both axes.
        const Outcome outcome =
            computed(stageOf("FP32", {37, 70}, {37, 70}, "FP32", {37, 70}, ops.toStdString(), {16, 32}),
                     {Distribution::Normal, 0.0, 1.0});
        for (std::int64_t i = 0; i < 37 * 70; ++i) {
            const auto x = static_cast<float>(outcome.inputs[0].at(i));
            const auto y = static_cast<float>(outcome.inputs[1].at(i));
            const double want = expected[static_cast<std::size_t>(which)](x, y);
            QVERIFY2(ulps(outcome.out.at(i), want) <= ulp,
                     qPrintable(QString("element %1: %2 against %3").arg(i).arg(outcome.out.at(i)).arg(want)));
        }
    }

    void comparisonsGiveBooleans() {
        for (const auto& [op, expected] : std::vector<std::pair<std::string, std::function<bool(double, double)>>>{
                 {"eq", [](double a, double b) { return a == b; }},
                 {"ne", [](double a, double b) { return a != b; }},
                 {"lt", [](double a, double b) { return a < b; }},
                 {"le", [](double a, double b) { return a <= b; }},
                 {"gt", [](double a, double b) { return a > b; }},
                 {"ge", [](double a, double b) { return a >= b; }}}) {
            const Outcome outcome = computed(stageOf("INT32", {8, 40}, {8, 40}, "BOOL", {8, 40}, binary(op), {8, 32}),
                                             {Distribution::Integers, -2, 2});
            for (std::int64_t i = 0; i < 320; ++i)
                QCOMPARE(outcome.out.at(i) != 0.0, expected(outcome.inputs[0].at(i), outcome.inputs[1].at(i)));
        }
    }

    void axesOfOneStretch() {
        const Outcome outcome = computed(stageOf("FP32", {12, 1}, {1, 50}, "FP32", {12, 50}, binary("mul"), {5, 16}),
                                         {Distribution::Uniform, -1, 1});
        for (std::int64_t r = 0; r < 12; ++r)
            for (std::int64_t c = 0; c < 50; ++c)
                QCOMPARE(outcome.out.at(r * 50 + c),
                         double(float(outcome.inputs[0].at(r)) * float(outcome.inputs[1].at(c))));
    }

    void rowSumsUseLanes() {
        // A cut by the tile must not change a bit: the order is that of 64 lanes over the whole axis.
        const std::string ops = R"({"op": "sum", "in": ["x"], "out": "r", "dim": -1, "keepdim": true})";
        const Outcome outcome =
            computed(stageOf("FP32", {9, 1000}, {1, 1}, "FP32", {9, 1}, ops, {4, 1000}), {Distribution::Normal, 0, 1});
        for (std::int64_t r = 0; r < 9; ++r) {
            std::array<float, 64> lanes{};
            for (std::int64_t c = 0; c < 1000; ++c)
                lanes[static_cast<std::size_t>(c % 64)] += float(outcome.inputs[0].at(r * 1000 + c));
            for (std::size_t width = 32; width >= 1; width /= 2)
                for (std::size_t lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
            QCOMPARE(outcome.out.at(r), double(lanes[0]));
        }
    }

    void maximaAndMinimaAlongEveryAxis() {
        for (const int dim : {0, 1, 2})
            for (const bool largest : {true, false}) {
                std::vector<std::int64_t> result{3, 7, 20};
                result[static_cast<std::size_t>(dim)] = 1;
                const std::string ops = alongAxis(largest ? "amax" : "amin", dim);
                const Outcome outcome = computed(stageOf("FP32", {3, 7, 20}, {1, 1}, "FP32", result, ops, {2, 4, 8}),
                                                 {Distribution::Normal, 0, 1});
                const std::array<std::int64_t, 3> full{3, 7, 20};
                std::vector<double> expected(static_cast<std::size_t>(result[0] * result[1] * result[2]),
                                             largest ? -INFINITY : INFINITY);
                for (std::int64_t a = 0; a < 3; ++a)
                    for (std::int64_t b = 0; b < 7; ++b)
                        for (std::int64_t c = 0; c < 20; ++c) {
                            const auto at = static_cast<std::size_t>(
                                ((dim == 0 ? 0 : a) * result[1] + (dim == 1 ? 0 : b)) * result[2] + (dim == 2 ? 0 : c));
                            const double value = outcome.inputs[0].at((a * full[1] + b) * full[2] + c);
                            expected[at] = largest ? std::max(expected[at], value) : std::min(expected[at], value);
                        }
                for (std::size_t i = 0; i < expected.size(); ++i)
                    QCOMPARE(outcome.out.at(static_cast<std::int64_t>(i)), expected[i]);
            }
    }

    void droppedAxesKeepTheOrderOfElements() {
        const std::string leading = R"({"op": "sum", "in": ["x"], "out": "r", "dim": 0})";
        const Outcome batch = computed(stageOf("INT32", {4, 6, 10}, {1, 1}, "INT32", {6, 10}, leading, {4, 4, 8}),
                                       {Distribution::Integers, -100, 100});
        for (std::int64_t i = 0; i < 60; ++i) {
            double sum = 0;
            for (std::int64_t b = 0; b < 4; ++b) sum += batch.inputs[0].at(b * 60 + i);
            QCOMPARE(batch.out.at(i), sum);
        }
        const std::string last = R"({"op": "amax", "in": ["x"], "out": "r"})";
        const Outcome rows =
            computed(stageOf("FP32", {30, 12}, {1, 1}, "FP32", {30}, last, {8, 12}), {Distribution::Normal, 0, 1});
        for (std::int64_t r = 0; r < 30; ++r) {
            double largest = -INFINITY;
            for (std::int64_t c = 0; c < 12; ++c) largest = std::max(largest, rows.inputs[0].at(r * 12 + c));
            QCOMPARE(rows.out.at(r), largest);
        }
    }

    void softmaxAddsUpToOne() {
        const std::string ops = R"({"op": "softmax", "in": ["x"], "out": "r", "dim": -1})";
        const Outcome outcome = computed(stageOf("FP32", {11, 130}, {1, 1}, "FP32", {11, 130}, ops, {4, 130}),
                                         {Distribution::Normal, 0, 3});
        for (std::int64_t r = 0; r < 11; ++r) {
            double largest = -INFINITY;
            double sum = 0;
            for (std::int64_t c = 0; c < 130; ++c) largest = std::max(largest, outcome.inputs[0].at(r * 130 + c));
            for (std::int64_t c = 0; c < 130; ++c) sum += std::exp(outcome.inputs[0].at(r * 130 + c) - largest);
            for (std::int64_t c = 0; c < 130; ++c) {
                const double want = std::exp(outcome.inputs[0].at(r * 130 + c) - largest) / sum;
                QVERIFY(std::abs(outcome.out.at(r * 130 + c) - want) <=
                        5e-6 * want);  // the rounded difference before exp
            }
        }
    }

    void rmsNormDividesByTheRoot() {
        const std::string ops = R"({"op": "rms_norm", "in": ["x", "y"], "out": "r", "epsilon": 1e-5})";
        const Outcome outcome = computed(stageOf("FP32", {6, 200}, {1, 200}, "FP32", {6, 200}, ops, {4, 200}),
                                         {Distribution::Normal, 0, 1});
        for (std::int64_t r = 0; r < 6; ++r) {
            double squares = 0;
            for (std::int64_t c = 0; c < 200; ++c) squares += std::pow(outcome.inputs[0].at(r * 200 + c), 2) / 200;
            for (std::int64_t c = 0; c < 200; ++c) {
                const double want =
                    outcome.inputs[0].at(r * 200 + c) / std::sqrt(squares + 1e-5) * outcome.inputs[1].at(c);
                QVERIFY(std::abs(outcome.out.at(r * 200 + c) - want) <= 1e-6 * std::abs(want) + 1e-30);
            }
        }
    }

    void compositesOfShortTypesRoundOnce_data() {
        QTest::addColumn<QString>("op");
        QTest::addColumn<QString>("type");
        QTest::addColumn<int>("bits");
        for (const char* op : {"sigmoid", "softmax", "rms_norm"}) {
            QTest::addRow("%s BF16", op) << op << "BF16" << 8;
            QTest::addRow("%s FP16", op) << op << "FP16" << 11;
        }
    }
    void compositesOfShortTypesRoundOnce() {
        QFETCH(QString, op);
        QFETCH(QString, type);
        QFETCH(int, bits);
        constexpr std::int64_t kRows = 9, kColumns = 128;
        const std::string ops = "{\"op\": \"" + op.toStdString() + "\", \"out\": \"r\", \"in\": [\"x\"" +
                                (op == "rms_norm" ? ", \"y\"], \"epsilon\": 1e-5}" : "]}");
        const std::string name = type.toStdString();
        const Outcome outcome =
            computed(stageOf(name, {kRows, kColumns}, {1, kColumns}, name, {kRows, kColumns}, ops, {4, kColumns}),
                     {Distribution::Normal, 0, 1});
        for (std::int64_t r = 0; r < kRows; ++r) {
            const auto x = [&](std::int64_t c) { return outcome.inputs[0].at(r * kColumns + c); };
            double powers = 0, squares = 0;
            for (std::int64_t c = 0; c < kColumns; ++c) {
                powers += std::exp(x(c));
                squares += x(c) * x(c) / kColumns;
            }
            for (std::int64_t c = 0; c < kColumns; ++c) {
                const double want = op == "sigmoid"   ? 1 / (1 + std::exp(-x(c)))
                                    : op == "softmax" ? std::exp(x(c)) / powers
                                                      : x(c) / std::sqrt(squares + 1e-5) * outcome.inputs[1].at(c);
                // Half a unit in the last place of a normal number, and what FP32 lost before.
                int exponent = 0;
                std::frexp(want, &exponent);
                const double unit = std::ldexp(1.0, std::max(exponent - bits, name == "FP16" ? -24 : -133));
                QVERIFY(std::abs(outcome.out.at(r * kColumns + c) - want) <= 0.5 * unit + 5e-6 * std::abs(want));
            }
        }
    }

    void integersAreComparedWithFractions() {
        const Design design = stageOf("INT32", {4, 8}, {1, 1}, "BOOL", {4, 8},
                                      "{\"op\": \"lt\", \"in\": [\"x\", 0.5], \"out\": \"r\"}", {4, 8});
        const Outcome outcome = computed(design, {Distribution::Integers, -2, 2});
        for (std::int64_t i = 0; i < 32; ++i) QCOMPARE(outcome.out.at(i), outcome.inputs[0].at(i) < 0.5 ? 1.0 : 0.0);
    }

    void truthsAreWrittenInTheResultsType() {
        const Outcome outcome =
            computed(stageOf("FP32", {4, 8}, {4, 8}, "FP16", {4, 8},
                             "{\"op\": \"gt\", \"in\": [\"x\", \"y\"], \"out\": \"r\", \"dtype\": \"FP16\"}", {4, 8}),
                     {Distribution::Normal, 0, 1});
        for (std::int64_t i = 0; i < 32; ++i)
            QCOMPARE(outcome.out.at(i), outcome.inputs[0].at(i) > outcome.inputs[1].at(i) ? 1.0 : 0.0);
    }

    void operationsOfFloatsRefuseIntegers_data() {
        QTest::addColumn<QString>("op");
        for (const char* op : {"exp", "log", "sqrt", "rsqrt", "reciprocal", "sigmoid", "silu", "gelu", "softmax"})
            QTest::newRow(op) << op;
    }
    void operationsOfFloatsRefuseIntegers() {
        QFETCH(QString, op);
        const Design design = stageOf("INT32", {4, 8}, {1, 1}, "INT32", {4, 8}, unary(op.toStdString()), {4, 8});
        const auto program = lower(design, bound(design), chipFile("Ascend910B1"), {});
        QVERIFY(!program.has_value());
        QVERIFY2(program.error().message.find("of INT32 does not exist") != std::string::npos,
                 program.error().message.c_str());
    }

    void halvesOfARowMeetAgain() {
        // SwiGLU's way: left and right half of one row, multiplied.
        const std::string ops = R"({"op": "slice", "in": ["x"], "out": "l", "shape": [20, 24], "offset": [0, 0]},
            {"op": "slice", "in": ["x"], "out": "h", "shape": [20, 24], "offset": [0, 24]}, {"op": "mul", "in": ["l", "h"], "out": "r"})";
        const Outcome outcome =
            computed(stageOf("FP32", {20, 48}, {1, 1}, "FP32", {20, 24}, ops, {8, 16}), {Distribution::Normal, 0, 1});
        for (std::int64_t r = 0; r < 20; ++r)
            for (std::int64_t c = 0; c < 24; ++c)
                QCOMPARE(outcome.out.at(r * 24 + c), double(float(outcome.inputs[0].at(r * 48 + c)) *
                                                            float(outcome.inputs[0].at(r * 48 + 24 + c))));
    }

    void movementsKeepEveryElement() {
        const GeneratorSpec counting{Distribution::Arange, 0, 1};
        const auto at = [](const HostTensor& t, std::int64_t i) { return t.at(i); };
        const Outcome turned =
            computed(stageOf("INT32", {18, 40}, {1, 1}, "INT32", {40, 18},
                             R"({"op": "transpose", "in": ["x"], "out": "r", "dims": [0, 1]})", {16, 8}),
                     counting);
        for (std::int64_t r = 0; r < 40; ++r)
            for (std::int64_t c = 0; c < 18; ++c) QCOMPARE(at(turned.out, r * 18 + c), double(c * 40 + r));
        const Outcome joined = computed(stageOf("INT32", {6, 20}, {6, 12}, "INT32", {6, 32},
                                                R"({"op": "concat", "in": ["x", "y"], "out": "r", "dim": 1})", {4, 8}),
                                        counting);
        for (std::int64_t r = 0; r < 6; ++r)
            for (std::int64_t c = 0; c < 32; ++c)
                QCOMPARE(at(joined.out, r * 32 + c), c < 20 ? double(r * 20 + c) : double(r * 12 + c - 20));
        const Outcome wider =
            computed(stageOf("INT32", {5, 1}, {1, 1}, "INT32", {5, 20},
                             R"({"op": "expand_clone", "in": ["x"], "out": "r", "shape": [5, 20]})", {2, 8}),
                     counting);
        for (std::int64_t i = 0; i < 100; ++i) QCOMPARE(at(wider.out, i), double(i / 20));
        const Outcome reshaped =
            computed(stageOf("INT32", {6, 20}, {1, 1}, "INT32", {4, 30},
                             R"({"op": "reshape", "in": ["x"], "out": "r", "shape": [4, 30]})", {2, 8}),
                     counting);
        for (std::int64_t i = 0; i < 120; ++i) QCOMPARE(at(reshaped.out, i), double(i));
        const Outcome deeper = computed(stageOf("INT32", {6, 20}, {1, 1}, "INT32", {6, 20, 1},
                                                R"({"op": "unsqueeze", "in": ["x"], "out": "r", "dim": 2})", {2, 8, 1}),
                                        counting);
        for (std::int64_t i = 0; i < 120; ++i) QCOMPARE(at(deeper.out, i), double(i));
    }

    void castsRoundAsAsked_data() {
        QTest::addColumn<QString>("mode");
        QTest::addColumn<double>("value");
        QTest::addColumn<double>("expected");
        QTest::newRow("RINT to even") << "RINT" << 2.5 << 2.0;
        QTest::newRow("RINT up") << "RINT" << 3.5 << 4.0;
        QTest::newRow("ROUND away") << "ROUND" << 2.5 << 3.0;
        QTest::newRow("ROUND away, negative") << "ROUND" << -2.5 << -3.0;
        QTest::newRow("FLOOR") << "FLOOR" << -2.5 << -3.0;
        QTest::newRow("CEIL") << "CEIL" << 2.25 << 3.0;
        QTest::newRow("TRUNC") << "TRUNC" << -2.75 << -2.0;
        QTest::newRow("default truncates") << "NONE" << 2.75 << 2.0;
    }
    void castsRoundAsAsked() {
        QFETCH(QString, mode);
        QFETCH(double, value);
        QFETCH(double, expected);
        const std::string ops = castToInteger(mode.toStdString());
        const Outcome outcome =
            computed(stageOf("FP32", {4, 8}, {1, 1}, "INT32", {4, 8}, ops, {4, 8}), {Distribution::Constant, value, 0});
        QCOMPARE(outcome.out.at(0), expected);
    }

    void nanGoesThrough() {
        for (const char* ops :
             {R"({"op": "maximum", "in": ["x", "y"], "out": "r"})", R"({"op": "exp", "in": ["x"], "out": "r"})",
              R"({"op": "relu", "in": ["x"], "out": "r"})", R"({"op": "sigmoid", "in": ["x"], "out": "r"})",
              R"({"op": "clip", "in": ["x", 0, 1], "out": "r"})"}) {
            const Design design = stageOf("FP32", {1, 8}, {1, 8}, "FP32", {1, 8}, ops, {1, 8});
            const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
            auto inputs = generated(program, {Distribution::Constant, 0.5, 0}, 0);
            inputs[0].set(3, std::numeric_limits<double>::quiet_NaN());
            const EmulatedValues values = emulated(program, inputs);
            QVERIFY(std::isnan(values.tensors[0].at(3)));
            QVERIFY(!std::isnan(values.tensors[0].at(2)));
        }
    }

    void reductionsOverATailIgnoreInvalidRows() {
        const Design design =
            designText(R"json({"cubist": 1, "name": "t", "chip": "Ascend910B1", "skeleton": {"variant": "C"},
            "symbols": [{"id": "T", "value": 21}], "tensors": [{"id": "x", "role": "input", "dtype": "FP32", "shape": ["T", 16]},
            {"id": "out", "role": "output", "dtype": "FP32", "shape": [2, 16]}],
            "blocks": [{"kind": "loop", "id": "l", "axis": "T", "tile": 16, "body": [
                {"kind": "view", "id": "v", "of": "x", "out": "t", "shape": [16, 16], "offset": ["i * 16", 0],
                 "valid": ["min(T - i * 16, 16)", 16]},
                {"kind": "vector", "id": "s", "tile": [16, 16],
                 "ops": [{"op": "amax", "in": ["t"], "out": "r", "dim": 0, "keepdim": true}]},
                {"kind": "store", "id": "w", "from": "r", "to": "out", "offset": ["i", 0]}]}]})json");
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        const auto inputs = generated(program, {Distribution::Uniform, -2, -1}, 4);
        for (const bool checked : {false, true}) {
            const EmulatedValues values = emulated(program, inputs, {Isa::Auto, checked});
            for (std::int64_t c = 0; c < 16; ++c) {
                double largest = -INFINITY;
                for (std::int64_t r = 16; r < 21; ++r) largest = std::max(largest, inputs[0].at(r * 16 + c));
                QCOMPARE(values.tensors[0].at(16 + c), largest);
            }
        }
    }

    void reshapingATailIsRefused() {
        const Design design = designText(tailText(R"({"op": "reshape", "in": ["t"], "out": "r", "shape": [8, 32]})"));
        const auto program = lower(design, bound(design), chipFile("Ascend910B1"));
        QVERIFY(!program.has_value());
        QCOMPARE(program.error().code, ErrorCode::Unsupported);
        QCOMPARE(QString::fromStdString(program.error().where), "/blocks/0/body/1/ops/0");
    }

    void misuseNamesTheField_data() {
        QTest::addColumn<QString>("ops");
        QTest::addColumn<QString>("where");
        QTest::newRow("no such axis") << R"({"op": "sum", "in": ["x"], "out": "r", "dim": 2})"
                                      << "/blocks/0/ops/0/dim";
        QTest::newRow("slice beyond")
            << R"({"op": "slice", "in": ["x"], "out": "r", "shape": [4, 8], "offset": [0, 1]})"
            << "/blocks/0/ops/0/offset";
        QTest::newRow("reshape to another size") << R"({"op": "reshape", "in": ["x"], "out": "r", "shape": [5, 8]})"
                                                 << "/blocks/0/ops/0/shape";
        QTest::newRow("transpose of one axis") << R"({"op": "transpose", "in": ["x"], "out": "r", "dims": [1]})"
                                               << "/blocks/0/ops/0/dims";
        QTest::newRow("cast without type") << R"({"op": "cast", "in": ["x"], "out": "r"})"
                                           << "/blocks/0/ops/0/dtype";
        QTest::newRow("numbers only") << R"({"op": "add", "in": [1, 2], "out": "r"})"
                                      << "/blocks/0/ops/0/in";
        QTest::newRow("number in a reduction") << R"({"op": "concat", "in": ["x", 2], "out": "r"})"
                                               << "/blocks/0/ops/0/in/1";
    }
    void misuseNamesTheField() {
        QFETCH(QString, ops);
        QFETCH(QString, where);
        const Design design = stageOf("FP32", {4, 8}, {4, 8}, "FP32", {4, 8}, ops.toStdString(), {4, 8});
        const auto resolved = resolve(design, bound(design));
        QVERIFY(!resolved.has_value());
        QCOMPARE(QString::fromStdString(resolved.error().where), where);
    }
};

QTEST_APPLESS_MAIN(TestVectorOps)
#include "tst_vector_ops.moc"
