// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <cmath>
#include <thread>

#include "core/base/number_formats.h"
#include "core/design/vector_op_info.h"
#include "core/golden/reference.h"
#include "tests/support/designs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

using Inputs = std::map<std::string, HostTensor>;

/// Random multiples of 1/8 in -4..4: products and sums of a few hundred are exact in FP32.
HostTensor eighths(DType dtype, Shape shape, std::uint32_t seed) {
    HostTensor made = std::move(HostTensor::zeros(dtype, std::move(shape))).value();
    for (std::int64_t i = 0; i < made.count(); ++i) {
        seed = seed * 1664525u + 1013904223u;
        made.set(i, static_cast<double>(static_cast<std::int32_t>(seed >> 26) - 32) / 8.0);
    }
    return made;
}

/// Random numbers in 0..1 with all bits of their type used.
HostTensor fractions(DType dtype, Shape shape, std::uint32_t seed) {
    HostTensor made = std::move(HostTensor::zeros(dtype, std::move(shape))).value();
    for (std::int64_t i = 0; i < made.count(); ++i) {
        seed = seed * 1664525u + 1013904223u;
        made.set(i, static_cast<double>(seed) / 4294967296.0);
    }
    return made;
}

ResolvedDesign resolved(const Design& design) {
    auto binding = bind(design, "");
    if (!binding) qFatal("%s", binding.error().message.c_str());
    auto result = resolve(design, *binding);
    if (!result) qFatal("%s", result.error().message.c_str());
    return std::move(result).value();
}

std::map<std::string, const HostTensor*> pointers(const Inputs& inputs) {
    std::map<std::string, const HostTensor*> list;
    for (const auto& [name, tensor] : inputs) list[name] = &tensor;
    return list;
}

GoldenSet golden(const Design& design, const Inputs& inputs, const GoldenRequest& request = {}, int threads = 1) {
    RunContext context;
    context.threads = threads;
    auto result = computeGolden(resolved(design), pointers(inputs), request, context);
    if (!result) qFatal("%s: %s", result.error().where.c_str(), result.error().message.c_str());
    return std::move(result).value();
}

GoldenRequest framework() {
    GoldenRequest request;
    request.kind = GoldenKind::Framework;
    return request;
}

/// K ascending, one rounding per step.
double product(const HostTensor& a, std::int64_t aFirst, std::int64_t aStep, const HostTensor& b, std::int64_t bFirst,
               std::int64_t bStep, std::int64_t k) {
    double sum = 0;
    for (std::int64_t i = 0; i < k; ++i) sum += a.at(aFirst + i * aStep) * b.at(bFirst + i * bStep);
    return sum;
}

/// QCOMPARE of doubles is fuzzy; goldens are compared bit by bit.
QByteArray bits(double value) {
    return QByteArray(reinterpret_cast<const char*>(&value), sizeof(value)).toHex() + " " +
           QByteArray::number(value, 'g', 17);
}

double rounded(DType type, double value) {
    return static_cast<double>(decode(type, encode(type, value)));
}

}  // namespace

class TestGolden : public QObject {
    Q_OBJECT
private slots:
    void matmulSumsKAscending_data() {
        QTest::addColumn<bool>("aTrans");
        QTest::addColumn<bool>("bTrans");
        QTest::addColumn<int>("threads");
        for (const bool a : {false, true})
            for (const bool b : {false, true})
                for (const int threads : {1, 3}) QTest::addRow("a%d b%d threads%d", a, b, threads) << a << b << threads;
    }
    void matmulSumsKAscending() {
        QFETCH(bool, aTrans);
        QFETCH(bool, bTrans);
        QFETCH(int, threads);
        MatmulKnobs knobs;
        knobs.m = 37;
        knobs.k = 301;
        knobs.n = 83;
        knobs.dtype = DType::FP32;
        knobs.aTrans = aTrans;
        knobs.bTrans = bTrans;
        Inputs inputs;
        inputs["a"] = fractions(DType::FP32, aTrans ? Shape{301, 37} : Shape{37, 301}, 1);
        inputs["b"] = fractions(DType::FP32, bTrans ? Shape{83, 301} : Shape{301, 83}, 2);
        const GoldenSet set = golden(matmulDesign(knobs), inputs, {}, threads);
        const GoldenTensor& c = set.outputs.at("c");
        QCOMPARE(c.shape, (std::vector<std::int64_t>{37, 83}));
        for (std::int64_t i = 0; i < 37; ++i)
            for (std::int64_t j = 0; j < 83; ++j)
                QCOMPARE(bits(c.values[static_cast<std::size_t>(i * 83 + j)]),
                         bits(product(inputs["a"], aTrans ? i : i * 301, aTrans ? 37 : 1, inputs["b"],
                                      bTrans ? j * 301 : j, bTrans ? 1 : 83, 301)));
    }

    void aMatmulWiderThanOnePanelIsTheSame() {
        MatmulKnobs knobs;
        knobs.m = 9;
        knobs.k = 70000;  // a packed panel holds 59 columns of this depth
        knobs.n = 130;
        knobs.bTrans = true;
        Inputs inputs;
        inputs["a"] = eighths(DType::FP16, {9, 70000}, 3);
        inputs["b"] = eighths(DType::FP16, {130, 70000}, 4);
        const auto c = golden(matmulDesign(knobs), inputs, {}, 2).outputs.at("c");
        for (const auto& [i, j] : {std::pair{0, 0}, {8, 129}, {3, 59}, {5, 60}, {7, 118}})
            QCOMPARE(bits(c.values[static_cast<std::size_t>(i * 130 + j)]),
                     bits(product(inputs["a"], i * 70000, 1, inputs["b"], j * 70000, 1, 70000)));
    }

    void integersAreExactBeyondFp32() {
        MatmulKnobs knobs;
        knobs.m = knobs.n = 1;
        knobs.k = 2049;
        knobs.dtype = DType::INT8;
        knobs.out = DType::INT32;
        Inputs inputs;
        inputs["a"] = std::move(HostTensor::zeros(DType::INT8, {1, 2049})).value();
        for (std::int64_t i = 0; i < 2049; ++i) inputs["a"].set(i, 127);
        inputs["b"] = std::move(HostTensor::zeros(DType::INT8, {2049, 1})).value();
        for (std::int64_t i = 0; i < 2049; ++i) inputs["b"].set(i, 127);
        for (const GoldenKind kind : {GoldenKind::Ideal, GoldenKind::Framework}) {
            GoldenRequest request;
            request.kind = kind;
            QCOMPARE(golden(matmulDesign(knobs), inputs, request).outputs.at("c").values.front(), 33048321.0);
        }
    }

    void tailRowsAreWrittenAndNothingElse() {
        GlmGateKnobs knobs;
        knobs.rows = 70;  // two whole tiles and one of 6 rows
        knobs.k = 64;
        knobs.n = 20;
        Inputs inputs;
        inputs["x"] = eighths(DType::FP32, {70, 64}, 5);
        inputs["w"] = eighths(DType::FP32, {20, 64}, 6);
        const auto y = golden(glmGate(knobs), inputs).outputs.at("y");
        for (std::int64_t i = 0; i < 70; ++i)
            for (std::int64_t j = 0; j < 20; ++j)
                QCOMPARE(bits(y.values[static_cast<std::size_t>(i * 20 + j)]),
                         bits(product(inputs["x"], i * 64, 1, inputs["w"], j * 64, 1, 64)));
    }

    void idealIgnoresFloatCastsAndFrameworkDoesNot() {
        RowScaleKnobs knobs;
        knobs.rows = 70;
        knobs.k = 33;
        knobs.n = 17;
        Inputs inputs;
        inputs["x"] = fractions(DType::BF16, {70, 33}, 7);
        inputs["w"] = fractions(DType::BF16, {33, 17}, 8);
        inputs["scale"] = fractions(DType::FP32, {70, 1}, 9);
        const Design design = rowScale(knobs);
        const auto ideal = golden(design, inputs).outputs.at("y");
        const auto stated = golden(design, inputs, framework()).outputs.at("y");
        bool differs = false;
        for (std::int64_t i = 0; i < 70; ++i)
            for (std::int64_t j = 0; j < 17; ++j) {
                const auto at = static_cast<std::size_t>(i * 17 + j);
                const double acc = product(inputs["x"], i * 33, 1, inputs["w"], j, 17, 33);
                QCOMPARE(bits(ideal.values[at]), bits(acc * inputs["scale"].at(i)));
                float sum = 0;
                for (std::int64_t k = 0; k < 33; ++k)
                    sum = std::fma(static_cast<float>(inputs["x"].at(i * 33 + k)),
                                   static_cast<float>(inputs["w"].at(k * 17 + j)), sum);
                const float scaled = sum * static_cast<float>(inputs["scale"].at(i));
                QCOMPARE(bits(stated.values[at]), bits(rounded(DType::BF16, static_cast<double>(scaled))));
                differs = differs || ideal.values[at] != stated.values[at];
            }
        QVERIFY(differs);
    }

    void castsToIntegersCountInBothKinds() {
        RowScaleKnobs knobs;
        knobs.rows = 4;
        knobs.rowTile = 4;
        knobs.k = 1;
        knobs.n = 1;
        knobs.operands = DType::FP32;
        knobs.out = DType::INT32;
        Inputs inputs;
        inputs["x"] = std::move(HostTensor::zeros(DType::FP32, {4, 1})).value();
        inputs["w"] = std::move(HostTensor::zeros(DType::FP32, {1, 1})).value();
        inputs["scale"] = std::move(HostTensor::zeros(DType::FP32, {4, 1})).value();
        const double values[] = {2.5, -2.5, 3.5, 1e6 + 0.25};
        for (int i = 0; i < 4; ++i) {
            inputs["x"].set(i, values[i]);
            inputs["scale"].set(i, 1);
        }
        inputs["w"].set(0, 1);
        const struct {
            RoundMode mode;
            std::vector<double> expected;
        } cases[] = {{RoundMode::None, {2, -2, 3, 1e6}},
                     {RoundMode::Rint, {2, -2, 4, 1e6}},
                     {RoundMode::Round, {3, -3, 4, 1e6}},
                     {RoundMode::Floor, {2, -3, 3, 1e6}}};
        for (const auto& entry : cases) {
            Design design = rowScale(knobs);
            vectorOf(design).ops[1].round = entry.mode;
            QCOMPARE(golden(design, inputs).outputs.at("y").values, entry.expected);
            QCOMPARE(golden(design, inputs, framework()).outputs.at("y").values, entry.expected);
        }
    }

    void everyVectorOperation_data() {
        QTest::addColumn<int>("op");
        QTest::addColumn<double>("expected");  // of 6 and -1.5
        const auto row = [](VectorOpCode op, double expected) {
            QTest::newRow(toText(op).data()) << static_cast<int>(op) << expected;
        };
        row(VectorOpCode::Add, 4.5);
        row(VectorOpCode::Sub, 7.5);
        row(VectorOpCode::Mul, -9);
        row(VectorOpCode::Div, -4);
        row(VectorOpCode::Maximum, 6);
        row(VectorOpCode::Minimum, -1.5);
        row(VectorOpCode::Neg, -6);
        row(VectorOpCode::Abs, 6);
        row(VectorOpCode::Relu, 6);
    }
    void everyVectorOperation() {
        QFETCH(int, op);
        QFETCH(double, expected);
        RowScaleKnobs knobs;
        knobs.rows = knobs.rowTile = 2;
        knobs.k = 1;
        knobs.n = 3;
        knobs.operands = DType::FP32;
        Design design = rowScale(knobs);
        VectorOp& first = vectorOf(design).ops[0];
        first.op = static_cast<VectorOpCode>(op);
        const bool unary = opInfo(first.op).maxOperands == 1;
        if (unary) first.in.pop_back();
        Inputs inputs;
        inputs["x"] = std::move(HostTensor::zeros(DType::FP32, {2, 1})).value();
        inputs["w"] = std::move(HostTensor::zeros(DType::FP32, {1, 3})).value();
        inputs["scale"] = std::move(HostTensor::zeros(DType::FP32, {2, 1})).value();
        for (int i = 0; i < 2; ++i) inputs["x"].set(i, 2), inputs["scale"].set(i, -1.5);
        for (int i = 0; i < 3; ++i) inputs["w"].set(i, 3);
        QCOMPARE(golden(design, inputs).outputs.at("y").values, std::vector<double>(6, expected));
        // With a number on either side; a result of one column leaves the others of y alone.
        if (unary) return;
        const std::vector<Operand> tensors = first.in;
        first.in = {tensors[0], Operand{-1.5}};
        QCOMPARE(golden(design, inputs).outputs.at("y").values, std::vector<double>(6, expected));
        first.in = {Operand{6.0}, tensors[1]};
        QCOMPARE(golden(design, inputs).outputs.at("y").values, (std::vector<double>{expected, 0, 0, expected, 0, 0}));
    }

    void aLaterStageReadsAnEarlierOne() {
        // relu(acc) in a second vector stage, on a tail: what is invalid stays out.
        RowScaleKnobs knobs;
        knobs.rows = 5;
        knobs.rowTile = 4;
        knobs.k = 2;
        knobs.n = 2;
        knobs.operands = DType::FP32;
        knobs.out = DType::FP32;
        Design design = rowScale(knobs);
        vectorOf(design).ops.pop_back();
        VectorStage second;
        second.id = BlockId("second");
        second.tile = {4, 64};
        VectorOp one;
        one.op = VectorOpCode::Add;
        one.in = {Operand{ValueId("scaled")}, Operand{1.0}};
        one.out = ValueId("plus");
        second.ops = {one};
        std::vector<Block>& body = loopOf(design).body;
        body.insert(body.end() - 1, Block{second});
        storeOf(design).from = ValueId("plus");
        Inputs inputs;
        inputs["x"] = eighths(DType::FP32, {5, 2}, 1);
        inputs["w"] = eighths(DType::FP32, {2, 2}, 2);
        inputs["scale"] = eighths(DType::FP32, {5, 1}, 3);
        GoldenRequest request;
        request.stageResults = true;
        const GoldenSet set = golden(design, inputs, request);
        for (std::int64_t i = 0; i < 5; ++i)
            for (std::int64_t j = 0; j < 2; ++j)
                QCOMPARE(set.outputs.at("y").values[static_cast<std::size_t>(i * 2 + j)],
                         product(inputs["x"], i * 2, 1, inputs["w"], j, 2, 2) * inputs["scale"].at(i) + 1);
        const GoldenTensor& plus = set.stages.at("plus");
        QCOMPARE(plus.shape, (std::vector<std::int64_t>{8, 2}));  // two executions of 4 rows
        QCOMPARE(plus.values[9], set.outputs.at("y").values[9]);
        QCOMPARE(plus.values[10], 0.0);  // beyond the tail, not 1
    }

    void givenStageResultsReplaceTheStage() {
        RowScaleKnobs knobs;
        knobs.rows = 6;
        knobs.rowTile = 4;
        knobs.k = 3;
        knobs.n = 2;
        Inputs inputs;
        inputs["x"] = eighths(DType::BF16, {6, 3}, 1);
        inputs["w"] = eighths(DType::BF16, {3, 2}, 2);
        inputs["scale"] = eighths(DType::FP32, {6, 1}, 3);
        const HostTensor acc = eighths(DType::FP32, {8, 2}, 4);
        GoldenRequest request;
        request.given["acc"] = &acc;
        const auto y = golden(rowScale(knobs), inputs, request).outputs.at("y");
        for (std::int64_t i = 0; i < 6; ++i)
            for (std::int64_t j = 0; j < 2; ++j)
                QCOMPARE(bits(y.values[static_cast<std::size_t>(i * 2 + j)]),
                         bits(acc.at(i * 2 + j) * inputs["scale"].at(i)));
    }

    void kBeyondTheValidPartIsLeftOut() {
        // The views's valid K is 3 of 4; infinities beyond it must not reach the sum.
        Design design = matmulDesign({.m = 2, .k = 4, .n = 2, .dtype = DType::FP32});
        View view;
        view.id = BlockId("cut");
        view.of = ValueId("a");
        view.out = ValueId("a_cut");
        view.shape = {2, 4};
        view.offset = {0, 0};
        view.valid = {2, 3};
        cubeOf(design).a = ValueId("a_cut");
        design.blocks.insert(design.blocks.begin(), Block{view});
        Inputs inputs;
        inputs["a"] = eighths(DType::FP32, {2, 4}, 1);
        inputs["b"] = eighths(DType::FP32, {4, 2}, 2);
        for (const int row : {0, 1}) inputs["a"].set(row * 4 + 3, std::numeric_limits<double>::infinity());
        const auto c = golden(design, inputs).outputs.at("c");
        for (std::int64_t i = 0; i < 2; ++i)
            for (std::int64_t j = 0; j < 2; ++j)
                QCOMPARE(bits(c.values[static_cast<std::size_t>(i * 2 + j)]),
                         bits(product(inputs["a"], i * 4, 1, inputs["b"], j, 2, 3)));
        // What is beyond the valid part reads as zero, and zero times infinity or NaN of the other operand is NaN.
        inputs["b"].set(3 * 2 + 1, std::numeric_limits<double>::infinity());
        for (const GoldenKind kind : {GoldenKind::Ideal, GoldenKind::Framework}) {
            const ResolvedDesign plan = resolved(design);
            auto spoilt = computeGolden(plan, pointers(inputs), kind, {});
            QVERIFY(spoilt);
            for (std::size_t i = 0; i < 2; ++i) {
                QCOMPARE(spoilt->outputs.at("c").values[i * 2], c.values[i * 2]);
                QVERIFY(std::isnan(spoilt->outputs.at("c").values[i * 2 + 1]));
            }
        }
    }

    void refusesInputsThatDoNotFit() {
        const Design design = matmulDesign();
        Inputs inputs;
        inputs["a"] = eighths(DType::FP16, {64, 128}, 1);
        const ResolvedDesign plan = resolved(design);
        auto result = computeGolden(plan, pointers(inputs), GoldenKind::Ideal, {});
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::UnknownName);
        inputs["b"] = eighths(DType::FP16, {64, 128}, 1);
        result = computeGolden(plan, pointers(inputs), GoldenKind::Ideal, {});
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::WrongType);
        QCOMPARE(QString::fromStdString(result.error().message),
                 "the input 'b' is FP16[64,128], the design has FP16[128,64]");
    }

    void stopsWithinTheDeadline() {
        MatmulKnobs knobs;
        knobs.m = knobs.n = knobs.k = 1500;
        Inputs inputs;
        inputs["a"] = fractions(DType::FP16, {1500, 1500}, 1);
        inputs["b"] = fractions(DType::FP16, {1500, 1500}, 2);
        const Design design = matmulDesign(knobs);
        const ResolvedDesign plan = resolved(design);
        std::stop_source stop;
        RunContext context;
        context.stop = stop.get_token();
        context.threads = 2;
        bool began = false;
        std::chrono::steady_clock::time_point asked;
        context.progress = [&](double, std::string_view) {
            if (!began) asked = std::chrono::steady_clock::now();
            began = true;
            stop.request_stop();
        };
        const auto result = computeGolden(plan, pointers(inputs), GoldenKind::Ideal, context);
        QVERIFY(began);
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::Cancelled);
        QVERIFY(std::chrono::steady_clock::now() - asked < std::chrono::seconds(1));
    }
};

QTEST_APPLESS_MAIN(TestGolden)
#include "tst_golden.moc"
