// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <cmath>
#include <optional>

#include "core/base/number_formats.h"
#include "core/design/resolve.h"
#include "core/lowering/lower.h"
#include "tests/support/emulation.h"
#include "tests/support/stage_runs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::string tailBlocks(const std::string& ops, const Shape& tile) {
    return "{\"kind\": \"view\", \"id\": \"v\", \"of\": \"x\", \"out\": \"t\", \"shape\": [8, 16], \"offset\": [0, 0], "
           "\"valid\": [\"T\", 16]}," +
           stage(ops, tile) + "," + store("r", "out");
}

std::string castTo(const std::string& in, const std::string& type, const std::string& mode,
                   const std::string& more = {}) {
    return "{\"op\": \"cast\", \"in\": [\"" + in + "\"], \"out\": \"r\", \"dtype\": \"" + type + "\", \"round\": \"" +
           mode + "\"" + more + "}";
}

}  // namespace

class TestVectorWhole : public QObject {
    Q_OBJECT

private slots:
    void quotientsOfIntegersAreFp32() {
        const Design design =
            oneStage(tensor("x", "input", "INT32", {1, 8}) + "," + tensor("y", "input", "INT32", {1, 8}), "FP32",
                     {1, 8}, operation("div", "\"x\", \"y\""), {1, 8});
        const Values x{7, -7, 1, 0, 127, 1000000, 5, -9}, y{2, 2, 3, 5, 10, 7, -4, -9};
        std::vector<HostTensor> in;
        in.push_back(made(DType::INT32, {1, 8}, x));
        in.push_back(made(DType::INT32, {1, 8}, y));
        const Run result = run(design, std::move(in));
        for (std::size_t e = 0; e < x.size(); ++e) {
            const auto element = static_cast<std::int64_t>(e);
            QCOMPARE(result["out"].at(element),
                     static_cast<double>(static_cast<float>(x[e]) / static_cast<float>(y[e])));
            QCOMPARE(result.ideal.at("out")[e], x[e] / y[e]);
        }
    }

    void activations_data() {
        QTest::addColumn<QString>("op");
        QTest::addColumn<int>("which");
        QTest::newRow("silu") << "silu" << 0;
        QTest::newRow("gelu") << "gelu" << 1;
    }
    void activations() {
        QFETCH(QString, op);
        QFETCH(int, which);
        const Run result = run(oneStage(tensor("x", "input", "FP32", {9, 40}), "FP32", {9, 40},
                                        operation(op.toStdString(), "\"x\""), {4, 16}),
                               [] {
                                   std::vector<HostTensor> in;
                                   in.push_back(noise(DType::FP32, {9, 40}, 3));
                                   return in;
                               }());
        for (std::int64_t i = 0; i < 360; ++i) {
            const double x = result.inputs[0].at(i);
            const double want =
                which == 0 ? x / (1 + std::exp(-x))
                           : 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
            // Far out in the negative the exponent's rounding counts, and the tanh above cancels.
            const double tolerance = which == 1 && x < -2 ? 1e-4 * std::abs(want) + 1e-9 : 3e-6 * std::abs(want);
            QVERIFY2(std::abs(result["out"].at(i) - want) <= tolerance, qPrintable(QString::number(x)));
            QVERIFY(std::abs(result["out"].at(i) - result.ideal.at("out")[static_cast<std::size_t>(i)]) <=
                    2e-5 * std::abs(want) + 1e-9);
        }
    }

    /// gelu is exported as these operations: its constants are elements of the type like any number beside one (F-81).
    void geluIsTheStepsThatAreExported_data() {
        QTest::addColumn<QString>("type");
        for (const char* type : {"FP32", "BF16", "FP16"}) QTest::newRow(type) << type;
    }
    void geluIsTheStepsThatAreExported() {
        QFETCH(QString, type);
        const std::string dtype = type.toStdString();
        const auto step = [](const char* op, const std::string& in, const char* out) {
            return "{\"op\": \"" + std::string(op) + "\", \"in\": [" + in + "], \"out\": \"" + out + "\"}";
        };
        const std::string steps = step("mul", R"("x", "x")", "s") + "," + step("mul", R"("s", "x")", "c") + "," +
                                  step("mul", R"("c", 0.044715)", "h") + "," + step("add", R"("x", "h")", "u") + "," +
                                  step("mul", R"("u", -1.5957691216057308)", "n") + "," + step("exp", R"("n")", "e") +
                                  "," + step("add", R"("e", 1.0)", "d") + "," + step("div", R"("x", "d")", "r");
        const auto result = [&](const std::string& ops) {
            std::vector<HostTensor> in;
            in.push_back(noise(*fromText<DType>(dtype), {9, 48}, 3));
            return run(oneStage(tensor("x", "input", dtype, {9, 48}), dtype, {9, 48}, ops, {4, 16}), std::move(in));
        };
        QVERIFY(sameBits(result(operation("gelu", "\"x\""))["out"], result(steps)["out"]));
    }

    void powersAndProducts() {
        std::vector<HostTensor> in;
        in.push_back(made(DType::FP32, {1, 8}, {2, -2, 0, 4, kInf, -3, 1, 9}));
        in.push_back(made(DType::FP32, {1, 8}, {10, 3, 0, 0.5, -1, 0.5, kNan, -0.5}));
        const std::string tensors = tensor("x", "input", "FP32", {1, 8}) + "," + tensor("y", "input", "FP32", {1, 8});
        const Run result =
            run(oneStage(tensors, "FP32", {1, 8}, operation("pow", "\"x\", \"y\""), {1, 8}), std::move(in));
        const Values want{1024, -8, 1, 2, 0, kNan, 1, 1.0 / 3};
        for (std::size_t i = 0; i < 8; ++i) {
            const double got = result["out"].at(static_cast<std::int64_t>(i));
            QVERIFY2((std::isnan(got) && std::isnan(want[i])) || got == double(float(want[i])),
                     qPrintable(QString::number(i)));
        }
        std::vector<HostTensor> factors;
        factors.push_back(made(DType::INT32, {2, 3}, {2, -3, 5, 1, 0, 7}));
        const Run product = run(oneStage(tensor("x", "input", "INT32", {2, 3}), "INT32", {2, 1},
                                         operation("prod", "\"x\"", ", \"dim\": 1, \"keepdim\": true"), {2, 3}),
                                std::move(factors));
        QCOMPARE(product["out"].at(0), -30.0);
        QCOMPARE(product["out"].at(1), 0.0);
    }

    void ropeTurnsPairs_data() {
        QTest::addColumn<bool>("interleaved");
        QTest::newRow("halves") << false;
        QTest::newRow("interleaved") << true;
    }
    void ropeTurnsPairs() {
        QFETCH(bool, interleaved);
        const std::string tensors = tensor("x", "input", "FP32", {3, 4, 16}) + "," +
                                    tensor("c", "input", "FP32", {3, 1, 16}) + "," +
                                    tensor("sine", "input", "FP32", {3, 1, 16});
        std::vector<HostTensor> in;
        in.push_back(noise(DType::FP32, {3, 4, 16}, 1));
        in.push_back(noise(DType::FP32, {3, 1, 16}, 2));
        in.push_back(noise(DType::FP32, {3, 1, 16}, 3));
        const std::string more = interleaved ? ", \"interleaved\": true" : "";
        const Run result =
            run(oneStage(tensors, "FP32", {3, 4, 16}, operation("rope", "\"x\", \"c\", \"sine\"", more), {2, 2, 8}),
                std::move(in));
        for (std::int64_t t = 0; t < 3; ++t)
            for (std::int64_t h = 0; h < 4; ++h)
                for (std::int64_t d = 0; d < 16; ++d) {
                    const std::int64_t row = (t * 4 + h) * 16;
                    const std::int64_t partner = interleaved ? (d ^ 1) : (d + 8) % 16;
                    const bool first = partner > d;
                    const double across = (first ? -1 : 1) * result.inputs[0].at(row + partner);
                    const double want = double(float(result.inputs[0].at(row + d) * result.inputs[1].at(t * 16 + d)) +
                                               float(across * result.inputs[2].at(t * 16 + d)));
                    QCOMPARE(result["out"].at(row + d), want);
                    QCOMPARE(result.framework.at("out")[static_cast<std::size_t>(row + d)], want);
                }
    }

    void createdTensors() {
        const std::string tensors = tensor("x", "input", "FP32", {7}) + "," + tensor("out", "output", "FP32", {7}) +
                                    "," + tensor("two", "output", "INT32", {9});
        const std::string first =
            "{\"op\": \"full\", \"in\": [2.5], \"out\": \"f\", \"shape\": [7], \"dtype\": \"FP32\"}, {\"op\": \"add\", "
            "\"in\": [\"x\", \"f\"], \"out\": \"r\"}";
        const std::string second = "{\"op\": \"arange\", \"in\": [], \"out\": \"a\", \"range\": [\"T - 2\", 30, 3]}";
        std::vector<HostTensor> in;
        in.push_back(made(DType::FP32, {7}, {1, 2, 3, 4, 5, 6, 7}));
        const Run result = run(designOf(tensors, stage(first, {4}) + "," + store("r", "out") + "," +
                                                     stage(second, {4}, "s2") + "," + store("a", "two")),
                               std::move(in));
        for (std::int64_t i = 0; i < 7; ++i) QCOMPARE(result["out"].at(i), double(i) + 3.5);
        for (std::int64_t i = 0; i < 9; ++i) {
            QCOMPARE(result["two"].at(i), double(3 + 3 * i));
            QCOMPARE(result.ideal.at("two")[static_cast<std::size_t>(i)], double(3 + 3 * i));
        }
    }

    void paddingFillsWhatIsNotValid() {
        std::vector<HostTensor> in;
        in.push_back(noise(DType::FP32, {5, 16}, 5));
        const Run result =
            run(designOf(tensor("x", "input", "FP32", {5, 16}) + "," + tensor("out", "output", "FP32", {8, 16}),
                         tailBlocks(operation("fillpad", "\"t\", -3"), {4, 8})),
                std::move(in));
        for (std::int64_t r = 0; r < 8; ++r)
            for (std::int64_t c = 0; c < 16; ++c) {
                const double want = r < 5 ? result.inputs[0].at(r * 16 + c) : -3.0;
                QCOMPARE(result["out"].at(r * 16 + c), want);
                QCOMPARE(result.ideal.at("out")[static_cast<std::size_t>(r * 16 + c)], want);
            }
    }
    void topkIsStable() {
        const std::string tensors = tensor("x", "input", "FP32", {3, 8}) + "," + tensor("v", "output", "FP32", {3, 4}) +
                                    "," + tensor("p", "output", "INT32", {3, 4});
        for (const bool largest : {true, false}) {
            std::vector<HostTensor> in;
            in.push_back(made(DType::FP32, {3, 8},
                              {1, 5, 5, -2, 5, 0, -2, 9, 0, 0, 0, 0, 0, 0, 0, 0, 3, kNan, -kInf, kInf, 3, 2, -1, 3}));
            const std::string more =
                ", \"count\": 4, \"largest\": " + std::string(largest ? "true" : "false") + out2("q");
            const Run result = run(designOf(tensors, stage(operation("topk", "\"x\"", more), {2, 8}) + "," +
                                                         store("r", "v") + "," + store("q", "p")),
                                   std::move(in));
            const Values values = largest ? Values{9, 5, 5, 5, 0, 0, 0, 0, kNan, kInf, 3, 3}
                                          : Values{-2, -2, 0, 1, 0, 0, 0, 0, -kInf, -1, 2, 3};
            const Values places =
                largest ? Values{7, 1, 2, 4, 0, 1, 2, 3, 1, 3, 0, 4} : Values{3, 6, 5, 0, 0, 1, 2, 3, 2, 6, 5, 0};
            for (std::size_t i = 0; i < 12; ++i) {
                const double value = result["v"].at(static_cast<std::int64_t>(i));
                QVERIFY(value == values[i] || (std::isnan(value) && std::isnan(values[i])));
                QCOMPARE(result["p"].at(static_cast<std::int64_t>(i)), places[i]);
                QCOMPARE(result.ideal.at("p")[i], places[i]);
            }
        }
    }

    void argsortAndRunningSums() {
        std::vector<HostTensor> in;
        in.push_back(noise(DType::FP32, {5, 32}, 8));
        const Run sorted = run(oneStage(tensor("x", "input", "FP32", {5, 32}), "INT32", {5, 32},
                                        operation("argsort", "\"x\"", ", \"largest\": false"), {2, 32}),
                               std::move(in));
        for (std::int64_t r = 0; r < 5; ++r)
            for (std::int64_t c = 0; c + 1 < 32; ++c) {
                const auto a = static_cast<std::int64_t>(sorted["out"].at(r * 32 + c));
                const auto b = static_cast<std::int64_t>(sorted["out"].at(r * 32 + c + 1));
                const double x = sorted.inputs[0].at(r * 32 + a), y = sorted.inputs[0].at(r * 32 + b);
                QVERIFY(x < y || (x == y && a < b));
            }
        std::vector<HostTensor> more;
        more.push_back(noise(DType::INT32, {6, 20}, 8));
        const Run sums = run(oneStage(tensor("x", "input", "INT32", {6, 20}), "INT64", {6, 20},
                                      operation("cumsum", "\"x\"", ", \"dim\": 0"), {4, 8}),
                             std::move(more));
        for (std::int64_t c = 0; c < 20; ++c) {
            double sum = 0;
            for (std::int64_t r = 0; r < 6; ++r) {
                sum += sums.inputs[0].at(r * 20 + c);
                QCOMPARE(sums["out"].at(r * 20 + c), sum);
                QCOMPARE(sums.ideal.at("out")[static_cast<std::size_t>(r * 20 + c)], sum);
            }
        }
    }

    void quantisationPerTokenAndPerChannel() {
        for (const std::int64_t dim : {-1, -2}) {
            const Shape scale{dim == -1 ? 6 : 24};
            const std::string tensors = tensor("x", "input", "FP32", {6, 24}) + "," +
                                        tensor("y", "input", "FP32", scale) + "," + tensor("z", "input", "FP32", scale);
            std::vector<HostTensor> in;
            in.push_back(noise(DType::FP32, {6, 24}, 8));
            in.push_back(noise(DType::FP32, scale, 9));
            in.push_back(noise(DType::FP32, scale, 10));
            in[0].set(5, 2.5);
            in[0].set(29, kNan);
            const std::string axis = ", \"dim\": " + std::to_string(dim);
            const Run codes =
                run(oneStage(tensors, "UINT8", {6, 24},
                             operation("quantize", "\"x\", \"y\", \"z\"", axis + ", \"dtype\": \"UINT8\""), {4, 16}),
                    std::move(in));
            for (std::int64_t r = 0; r < 6; ++r)
                for (std::int64_t c = 0; c < 24; ++c) {
                    const std::int64_t p = dim == -1 ? r : c;
                    const float sum = float(codes.inputs[0].at(r * 24 + c)) * float(codes.inputs[1].at(p)) +
                                      float(codes.inputs[2].at(p));
                    const double want = std::isnan(sum) ? 0.0 : std::clamp(std::nearbyint(double(sum)), 0.0, 255.0);
                    QCOMPARE(codes["out"].at(r * 24 + c), want);
                    QCOMPARE(codes.framework.at("out")[static_cast<std::size_t>(r * 24 + c)], want);
                }
        }
        std::vector<HostTensor> in;
        in.push_back(noise(DType::INT8, {6, 32}, 8));
        in.push_back(noise(DType::FP32, {6}, 9));
        const Run back = run(oneStage(tensor("x", "input", "INT8", {6, 32}) + "," + tensor("y", "input", "FP32", {6}),
                                      "FP32", {6, 32}, operation("dequantize", "\"x\", \"y\""), {4, 32}),
                             std::move(in));
        for (std::int64_t i = 0; i < 192; ++i)
            QCOMPARE(back["out"].at(i), double(float(back.inputs[0].at(i)) * float(back.inputs[1].at(i / 32))));
    }

    void mxBlocks_data() {
        QTest::addColumn<double>("largest");
        QTest::addColumn<double>("value");
        QTest::addColumn<bool>("up");
        QTest::addColumn<int>("code");
        QTest::addColumn<double>("decoded");
        QTest::newRow("tiny") << 6e-36 << 0.0 << false << 1 << 0.0;
        QTest::newRow("subnormal") << 9.18e-40 << 0.0 << false << 0 << 0.0;
        QTest::newRow("all zero") << 0.0 << 0.0 << false << 0 << 0.0;
        QTest::newRow("clipped") << 959.5632 << 957.0 << false << 128 << 896.0;
        QTest::newRow("rounded up") << 959.5632 << 957.0 << true << 129 << 960.0;
        QTest::newRow("exponent of FP32") << 1.998046875 << 1.0 << false << 119 << 1.0;
        QTest::newRow("exact maximum") << 448.0 << 448.0 << true << 127 << 448.0;
        QTest::newRow("NaN") << kNan << 1.0 << false << 255 << kNan;
        QTest::newRow("infinite") << HUGE_VAL << 0x1p120 << false << 247 << 0x1p120;
        QTest::newRow("infinite, up") << HUGE_VAL << 0x1p120 << true << 254 << 0x1p120;
    }
    void mxBlocks() {  // FC-21, FC-22
        QFETCH(double, largest);
        QFETCH(double, value);
        QFETCH(bool, up);
        QFETCH(int, code);
        QFETCH(double, decoded);
        Values values(128, 0.0);
        values[40] = largest;  // the second group
        values[41] = value;
        std::vector<HostTensor> in;
        in.push_back(made(DType::FP32, {1, 128}, values));
        const std::string more = std::string(up ? ", \"scale_rounding\": \"up\"" : "") + out2("e");
        const Run result =
            run(designOf(tensor("x", "input", "FP32", {1, 128}) + "," + tensor("d", "output", "FP8E4M3", {1, 128}) +
                             "," + tensor("scales", "output", "FP8E8M0", {1, 2, 2}),
                         stage(operation("quant_mx", "\"x\"", more), {1, 64}) + "," + store("r", "d") + "," +
                             store("e", "scales"),
                         "Ascend950PR_958x"),
                std::move(in));
        const auto scale = static_cast<int>(result["scales"].data()[1]);
        QCOMPARE(scale, code);
        QCOMPARE(static_cast<int>(result["scales"].data()[0]), 0);
        if (std::isnan(decoded)) {
            QVERIFY(std::isnan(result["scales"].at(1)));
            QVERIFY(std::isnan(result.ideal.at("scales")[1]));
            return;
        }
        QCOMPARE(result["d"].at(41) * std::ldexp(1.0, scale - 127), decoded);
        QCOMPARE(result.ideal.at("d")[41], result["d"].at(41));
        QCOMPARE(result.ideal.at("scales")[1], std::ldexp(1.0, code - 127));
    }

    /// Along the last axis but one: what the other axis gives for the transposed tensor.
    void mxAlongRows_data() {
        QTest::addColumn<QString>("dtype");
        QTest::newRow("E4M3") << "FP8E4M3";
        QTest::newRow("E2M1") << "FP4E2M1";
    }

    void mxAlongRows() {
        QFETCH(QString, dtype);
        const std::string type = dtype.toStdString();
        const std::int64_t rows = 128, columns = 40;
        const auto quantised = [&](bool byRows) {
            const Shape shape = byRows ? Shape{rows, columns} : Shape{columns, rows};
            const Shape scales = byRows ? Shape{2, columns, 2} : Shape{columns, 2, 2};
            HostTensor x = HostTensor::zeros(DType::BF16, shape).value();
            const HostTensor values = noise(DType::BF16, {rows, columns}, 11);
            for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t c = 0; c < columns; ++c)
                    x.set(byRows ? r * columns + c : c * rows + r,
                          values.at(r * columns + c) * std::ldexp(1.0, static_cast<int>(r / 32 * 3 - c % 5)));
            std::vector<HostTensor> in;
            in.push_back(std::move(x));
            const std::string tensors = tensor("x", "input", "BF16", shape) + "," +
                                        tensor("out", "output", type, shape) + "," +
                                        tensor("scales", "output", "FP8E8M0", scales);
            const std::string op =
                operation("quant_mx", "\"x\"",
                          ", \"dtype\": \"" + type + "\"" + out2("e") + ", \"dim\": " + (byRows ? "-2" : "-1"));
            return run(designOf(tensors,
                                stage(op, byRows ? Shape{rows, 16} : Shape{16, rows}) + "," + store("r", "out") + "," +
                                    store("e", "scales"),
                                "Ascend950PR_958x"),
                       std::move(in));
        };
        const Run down = quantised(true), across = quantised(false);
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = 0; c < columns; ++c) {
                QCOMPARE(down["out"].at(r * columns + c), across["out"].at(c * rows + r));
                QCOMPARE(down.ideal.at("out")[static_cast<std::size_t>(r * columns + c)],
                         across.ideal.at("out")[static_cast<std::size_t>(c * rows + r)]);
                const std::int64_t group = r / 32;
                const std::int64_t place = (group / 2 * columns + c) * 2 + group % 2;
                QCOMPARE(down["scales"].at(place), across["scales"].at(c * 4 + group));
                QCOMPARE(down.ideal.at("scales")[static_cast<std::size_t>(place)], down["scales"].at(place));
            }
    }

    void mxOfRandomRows() {
        std::vector<HostTensor> in;
        in.push_back(noise(DType::BF16, {7, 192}, 3));
        const Run result =
            run(designOf(tensor("x", "input", "BF16", {7, 192}) + "," + tensor("d", "output", "FP4E2M1", {7, 192}) +
                             "," + tensor("scales", "output", "FP8E8M0", {7, 3, 2}),
                         stage(operation("quant_mx", "\"x\"", ", \"dtype\": \"FP4E2M1\"" + out2("e")), {3, 192}) + "," +
                             store("r", "d") + "," + store("e", "scales"),
                         "Ascend950PR_958x"),
                std::move(in));
        for (std::int64_t i = 0; i < 7 * 192; ++i) QCOMPARE(result["d"].at(i), result.ideal.at("d")[std::size_t(i)]);
        for (std::int64_t i = 0; i < 42; ++i)
            QCOMPARE(result["scales"].at(i), result.ideal.at("scales")[std::size_t(i)]);
    }
    void invalidRowsStayOutside() {
        // Valid rows 0..4 of 8; the tensor's rows beyond do not exist, the view's are poisoned in checked mode.
        std::vector<HostTensor> in;
        in.push_back(noise(DType::BF16, {5, 16}, 2));
        const std::string ops =
            "{\"op\": \"cast\", \"in\": [\"t\"], \"out\": \"f\", \"dtype\": \"FP32\"}, {\"op\": \"rms_norm\", \"in\": "
            "[\"f\"], \"out\": \"r\"}";
        const Run result =
            run(designOf(tensor("x", "input", "BF16", {5, 16}) + "," + tensor("out", "output", "FP32", {5, 16}),
                         tailBlocks(ops, {8, 16})),
                std::move(in));
        for (std::int64_t i = 0; i < 80; ++i) {
            QVERIFY(std::isfinite(result["out"].at(i)));
            QVERIFY(std::abs(result["out"].at(i) - result.ideal.at("out")[static_cast<std::size_t>(i)]) < 1e-5);
        }
    }

    void castsFollowTheMode() {
        const auto cast = [](double value, const std::string& in, const std::string& type, const std::string& mode,
                             const std::string& more = {}) {
            std::vector<HostTensor> inputs;
            inputs.push_back(made(*fromText<DType>(in), {1, 32}, {value}));
            return run(oneStage(tensor("x", "input", in, {1, 32}), type, {1, 32}, castTo("x", type, mode, more),
                                {1, 32}),
                       std::move(inputs))["out"]
                .at(0);
        };
        QCOMPARE(cast(1.00390625, "FP32", "BF16", "RINT"), 1.0);
        QCOMPARE(cast(-1.00390625, "FP32", "BF16", "ROUND"), -1.0078125);
        QCOMPARE(cast(2.5, "FP32", "INT8", "RINT"), 2.0);
        QCOMPARE(cast(-2.5, "FP32", "INT8", "ROUND"), -3.0);
        QCOMPARE(cast(3.5, "FP32", "INT8", "RINT"), 4.0);
        QCOMPARE(cast(300, "FP32", "INT8", "NONE"), 44.0);
        QCOMPARE(cast(300, "FP32", "INT8", "NONE", ", \"saturate\": true"), 127.0);
        // ODD exists from FP32 to FP16 only; elsewhere the default takes its place.
        QCOMPARE(cast(1 + std::ldexp(1, -12), "FP32", "FP16", "ODD"), 1 + std::ldexp(1, -10));
        QCOMPARE(cast(1 + std::ldexp(1, -12), "FP32", "BF16", "ODD"), 1.0);
    }

    void workspacesAreAllocated() {
        const Design design = oneStage(tensor("x", "input", "FP32", {8, 256}), "FP32", {8, 1},
                                       operation("sum", "\"x\"", ", \"dim\": 1, \"keepdim\": true"), {8, 256});
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        bool found = false;
        for (const Allocation& a : program.leaves[0].allocations) found = found || a.bytes == 8 * 64 * 4;
        QVERIFY(found);
        // 192 KiB hold the operand alone, but not its workspace.
        const Design full = oneStage(tensor("x", "input", "FP32", {32, 1504}), "FP32", {32, 1},
                                     operation("sum", "\"x\"", ", \"dim\": 1, \"keepdim\": true"), {32, 1504});
        const auto refused = lower(full, bound(full), chipFile("Ascend910B1"));
        QVERIFY(!refused.has_value());
        QCOMPARE(refused.error().code, ErrorCode::DoesNotFit);
    }

    void theTileNeverChangesABit_data() {
        QTest::addColumn<QString>("ops");
        const auto row = [](const char* name, const std::string& ops) {
            QTest::newRow(name) << QString::fromStdString(ops);
        };
        row("silu", operation("silu", "\"x\""));
        row("gelu", operation("gelu", "\"x\""));
        row("cumsum", operation("cumsum", "\"x\""));
        row("softmax", operation("softmax", "\"x\""));
        row("rope", operation("rope", "\"x\", \"x\", \"x\""));
        row("rope and more",
            "{\"op\": \"rope\", \"in\": [\"x\", \"x\", \"x\"], \"out\": \"t\"}, {\"op\": \"exp\", \"in\": [\"t\"], "
            "\"out\": \"r\"}");
        row("topk in between",
            "{\"op\": \"topk\", \"in\": [\"x\"], \"out\": \"k\", \"count\": 32}, {\"op\": \"concat\", \"in\": [\"k\", "
            "\"k\"], \"out\": \"r\"}");
        row("index_select",
            "{\"op\": \"cast\", \"in\": [\"y\"], \"out\": \"i\", \"dtype\": \"INT32\"}, {\"op\": \"index_select\", "
            "\"in\": [\"x\", \"i\"], \"out\": \"r\", \"dim\": 0}");
        row("reshape",
            "{\"op\": \"reshape\", \"in\": [\"x\"], \"out\": \"u\", \"shape\": [32, 32]}, {\"op\": \"neg\", \"in\": "
            "[\"u\"], \"out\": \"m\"}, {\"op\": \"reshape\", \"in\": [\"m\"], \"out\": \"r\", \"shape\": [16, 64]}");
    }
    void theTileNeverChangesABit() {
        QFETCH(QString, ops);
        const std::string tensors = tensor("x", "input", "FP32", {16, 64}) + "," + tensor("y", "input", "FP32", {16});
        std::optional<HostTensor> first;
        for (const Shape& tile : {Shape{16, 64}, Shape{5, 64}, Shape{3, 24}, Shape{16, 8}}) {
            std::vector<HostTensor> in;
            in.push_back(noise(DType::FP32, {16, 64}, 2));
            in.push_back(indices({16}, 16, DType::FP32));
            Run result = run(oneStage(tensors, "FP32", {16, 64}, ops.toStdString(), tile), std::move(in));
            if (first)
                QVERIFY(sameBits(*first, result["out"]));
            else
                first = std::move(result.out.at("out").clone()).value();
        }
    }

    void misuseNamesTheField_data() {
        QTest::addColumn<QString>("ops");
        QTest::addColumn<QString>("where");
        const auto row = [](const char* name, const std::string& ops, const char* where) {
            QTest::newRow(name) << QString::fromStdString(ops) << where;
        };
        row("topk of too many", operation("topk", "\"x\"", ", \"count\": 9"), "/blocks/0/ops/0/count");
        row("topk along another axis", operation("topk", "\"x\"", ", \"count\": 2, \"dim\": 0"), "/blocks/0/ops/0/dim");
        row("two results", operation("add", "\"x\", \"x\"", out2("q")), "/blocks/0/ops/0/out2");
        row("full without a type", operation("full", "1", ", \"shape\": [4]"), "/blocks/0/ops/0/dtype");
        row("full without a number", operation("full", "\"x\"", ", \"shape\": [4], \"dtype\": \"FP32\""),
            "/blocks/0/ops/0/in/0");
        row("an empty range", operation("arange", "", ", \"range\": [5, 5]"), "/blocks/0/ops/0/range");
        row("a movement that casts", operation("transpose", "\"x\"", ", \"dims\": [0, 1], \"dtype\": \"FP16\""),
            "/blocks/0/ops/0/dtype");
    }
    void misuseNamesTheField() {
        QFETCH(QString, ops);
        QFETCH(QString, where);
        const Design design = oneStage(tensor("x", "input", "FP32", {4, 8}), "FP32", {4, 8}, ops.toStdString(), {4, 8});
        const auto resolved = resolve(design, bound(design));
        QVERIFY(!resolved.has_value());
        QCOMPARE(QString::fromStdString(resolved.error().where), where);
    }
};

QTEST_APPLESS_MAIN(TestVectorWhole)
#include "tst_vector_whole.moc"
