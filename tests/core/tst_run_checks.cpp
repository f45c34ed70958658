// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <cmath>
#include <memory>

#include "core/base/number_formats.h"
#include "core/exchange/golden_finder.h"
#include "core/exchange/numerics_finder.h"
#include "core/run/inputs.h"
#include "core/run/product_sums.h"
#include "core/run/run.h"
#include "tests/support/emulation.h"
#include "tests/support/stage_runs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

RunRequest requestFor(Design design) {
    RunRequest request;
    request.chip = chipFile("Ascend910B1");
    request.design = std::make_shared<const Design>(std::move(design));
    request.timing = false;
    return request;
}

QStringList findingsOf(Design design, bool checked) {
    RunRequest request = requestFor(std::move(design));
    request.checked = checked;
    const auto report = run(request, {});
    if (!report) qFatal("%s", report.error().message.c_str());
    QStringList ids;
    for (const Finding& finding : report->findings) ids << QString::fromStdString(finding.ruleId);
    return ids;
}

std::string loopOf(const std::string& id, const std::string& index, const std::string& body) {
    return R"({"kind": "loop", "id": ")" + id + R"(", "axis": 1, "tile": 1, "index": ")" + index + R"(", "body": [)" +
           body + "]}";
}

/// q = o + a, then o = a + a; or the other way round.
Design readsItsOutput(bool writtenFirst) {
    const std::string reads =
        loopOf("early", "i",
               stage(R"({"op": "add", "in": ["o", "a"], "out": "r"})", {8, 16}, "reads") + "," + store("r", "q"));
    const std::string writes =
        loopOf("late", "j",
               stage(R"({"op": "add", "in": ["a", "a"], "out": "h"})", {8, 16}, "writes") + "," + store("h", "o"));
    return designOf(tensor("a", "input", "FP32", {8, 16}) + "," + tensor("o", "output", "FP32", {8, 16}) + "," +
                        tensor("q", "output", "FP32", {8, 16}),
                    writtenFirst ? writes + "," + reads : reads + "," + writes);
}

/// Two values into one tensor: the second `offset` rows further down.
Design twoParts(bool parallel, int offset) {
    const std::string how =
        R"(, "op": "assemble", "parallel": )" + std::string(parallel ? "true" : "false") + R"(, "offset": [)";
    return designOf(tensor("a", "input", "FP32", {16, 16}) + "," + tensor("o", "output", "FP32", {32, 16}),
                    stage(R"({"op": "add", "in": ["a", 1.0], "out": "h"})", {16, 16}, "first") + "," +
                        stage(R"({"op": "add", "in": ["a", 2.0], "out": "g"})", {16, 16}, "second") + "," +
                        store("h", "o", how + "0, 0]") + "," + store("g", "o", how + std::to_string(offset) + ", 0]"));
}

/// A plain product of 16 x 64 x 16.
Design product(Criterion criterion, const std::string& type = "FP32") {
    const int k = type == "FP32" && criterion == Criterion::ThreeWay ? 64 : 4;
    Design design = designOf(tensor("a", "input", type, {16, k}) + "," + tensor("b", "input", type, {k, 16}) + "," +
                                 tensor("out", "output", type, {16, 16}),
                             R"({"kind": "cube", "id": "c", "a": "a", "b": "b", "out": "r", "out_dtype": ")" + type +
                                 R"(", "tile": {"m": [16, 16], "k": [32, 32], "n": [16, 16]}},)" + store("r", "out"));
    for (Tensor& each : design.tensors)
        if (each.role == TensorRole::Input) {
            each.data.generator = Generator::Normal;
            each.data.low = 0;
        }
    design.tolerance.criterion = criterion;
    return design;
}

/// The product of the inputs that the request's design generates, in FP64.
std::vector<double> sumsOf(const RunRequest& request) {
    const Program program = lowered(*request.design, bound(*request.design), request.chip);
    const auto inputs = makeInputs(request, bound(*request.design), program, request.design->seed, {});
    if (!inputs) qFatal("%s", inputs.error().message.c_str());
    std::vector<double> sums(256, 0.0);
    for (std::int64_t m = 0; m < 16; ++m)
        for (std::int64_t n = 0; n < 16; ++n)
            for (std::int64_t k = 0; k < 64; ++k)
                sums[static_cast<std::size_t>(m * 16 + n)] += (*inputs)[0].at(m * 64 + k) * (*inputs)[1].at(k * 16 + n);
    return sums;
}

}  // namespace

/// What a run says about memory, inputs and goldens.
class TestRunChecks : public QObject {
    Q_OBJECT

private slots:
    void anOutputIsReadBeforeItIsWritten() {
        QVERIFY(findingsOf(readsItsOutput(false), true).contains(QStringLiteral("VAL-03")));
        QVERIFY(!findingsOf(readsItsOutput(false), false).contains(QStringLiteral("VAL-03")));
        QVERIFY(!findingsOf(readsItsOutput(true), true).contains(QStringLiteral("VAL-03")));
    }

    void parallelAssemblesThatMeet() {
        QVERIFY(findingsOf(twoParts(true, 8), true).contains(QStringLiteral("VAL-07")));
        QVERIFY(!findingsOf(twoParts(true, 16), true).contains(QStringLiteral("VAL-07")));
        QVERIFY(!findingsOf(twoParts(false, 8), true).contains(QStringLiteral("VAL-07")));
    }

    void threeWayBesideAGivenGolden_data() {
        QTest::addColumn<QString>("golden");
        QTest::addColumn<bool>("passes");
        QTest::newRow("right") << "right" << true;
        QTest::newRow("negated") << "negated" << false;
        QTest::newRow("twice") << "twice" << false;
        QTest::newRow("zeros") << "zeros" << false;
        QTest::newRow("NaN") << "NaN" << false;
        QTest::newRow("one element off by 50") << "one" << false;
    }
    void threeWayBesideAGivenGolden() {
        QFETCH(QString, golden);
        QFETCH(bool, passes);
        RunRequest request = requestFor(product(Criterion::ThreeWay));
        request.readers.golden = [&](const TensorFile&, const TensorTarget&) -> Result<std::vector<double>> {
            std::vector<double> values = sumsOf(request);
            if (golden == QLatin1String("one")) values[5] += 50;
            for (double& value : values) {
                if (golden == QLatin1String("negated")) value = -value;
                if (golden == QLatin1String("twice")) value *= 2;
                if (golden == QLatin1String("zeros")) value = 0;
                if (golden == QLatin1String("NaN")) value = std::nan("");
            }
            return values;
        };
        request.goldens["out"] = TensorFile("g.npy");
        const auto report = run(request, {});
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        QCOMPARE(report->accuracy.verdict, passes ? Verdict::Pass : Verdict::Fail);
        if (passes) return;
        // Looking for another reading of the file must not fail for want of a benchmark.
        const auto other = findOtherReading(request, *report, "out", {});
        QVERIFY(other.has_value());
    }

    /// A mapped file of gigabytes is not copied for a bound that nobody asked for.
    void theBoundIsForInputsThatCanBeCopied() {
        const auto small = HostTensor::zeros(DType::FP16, {1024, 1024});
        const auto large = HostTensor::zeros(DType::FP32, {1024, 65537});
        const auto codes = HostTensor::zeros(DType::INT8, {1024, 262145});
        QVERIFY(small && large && codes);
        ComputedTensors computed;
        computed.inputs = {{"a", &*small}, {"b", &*codes}};  // integers are not copied
        QVERIFY(boundIsCheap(computed, kAlwaysBoundFlops, kAlwaysBoundFlops));
        QVERIFY(!boundIsCheap(computed, kAlwaysBoundFlops + 1, kAlwaysBoundFlops));
        computed.inputs["b"] = &*large;
        QVERIFY(!boundIsCheap(computed, kAlwaysBoundFlops, kAlwaysBoundFlops));
    }

    void aPlainProductIsAsGoodAsItsBenchmark() {
        const auto report = run(requestFor(product(Criterion::ThreeWay)), {});
        QVERIFY(report.has_value());
        QVERIFY2(report->accuracy.verdict == Verdict::Pass, report->accuracy.outputs[0].reason.c_str());
        QCOMPARE(report->accuracy.outputs[0].threeWay->mare, 1.0);
    }

    /// What lies beyond the type is infinite, which any order of the sum explains.
    void theOrderBoundBeyondAType() {
        Design design = product(Criterion::OrderBound, "FP16");
        for (Tensor& each : design.tensors) each.data.high = 300.0;
        const auto report = run(requestFor(std::move(design)), {});
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        QCOMPARE(report->accuracy.outputs[0].maxUlp, 0.0);
        QVERIFY(report->accuracy.outputs[0].infCount > 0);
        QVERIFY2(report->accuracy.verdict == Verdict::Pass, report->accuracy.outputs[0].reason.c_str());
        QCOMPARE(report->accuracy.outputs[0].orderBound->verdict, Verdict::Pass);
    }

    void aGoldenThatWasRoundedInAnotherWay_data() {
        QTest::addColumn<int>("mode");
        QTest::addColumn<QString>("value");
        QTest::newRow("to even") << static_cast<int>(RoundMode::Rint) << R"("RINT")";
        QTest::newRow("towards zero") << static_cast<int>(RoundMode::Trunc) << R"("TRUNC")";
        QTest::newRow("down") << static_cast<int>(RoundMode::Floor) << R"("FLOOR")";
    }
    void aGoldenThatWasRoundedInAnotherWay() {
        QFETCH(int, mode);
        QFETCH(QString, value);
        Design design =
            oneStage(tensor("x", "input", "FP32", {16, 64}), "BF16", {16, 64},
                     R"({"op": "cast", "in": ["x"], "out": "r", "dtype": "BF16", "round": "ROUND"})", {16, 64});
        design.tolerance.criterion = Criterion::Exact;
        RunRequest request = requestFor(std::move(design));
        // Halves between two neighbours of BF16, of both signs.
        const auto value16 = [](std::int64_t i) {
            return (i / 2 % 2 == 0 ? 1.0 : -1.0) * (1.0 + (2.0 * static_cast<double>(i) + 1.0) / 256.0);
        };
        request.readers.input = [&](const TensorFile&, const TensorTarget& target) -> Result<HostTensor> {
            CUBIST_TRY(HostTensor x, HostTensor::uninitialised(target.dtype, target.shape));
            for (std::int64_t i = 0; i < x.count(); ++i)
                x.writableCodes<float>()[static_cast<std::size_t>(i)] = static_cast<float>(value16(i % 64));
            return x;
        };
        request.readers.golden = [&](const TensorFile&, const TensorTarget& target) -> Result<std::vector<double>> {
            std::vector<double> golden;
            for (std::int64_t i = 0; i < target.shape[0] * target.shape[1]; ++i)
                golden.push_back(static_cast<double>(
                    decode(DType::BF16, encode(DType::BF16, value16(i % 64), static_cast<RoundMode>(mode)))));
            return golden;
        };
        request.inputs["x"] = TensorFile("x.npy");
        request.goldens["out"] = TensorFile("g.npy");
        const auto report = run(request, {});
        QVERIFY(report.has_value());
        QCOMPARE(report->accuracy.outputs[0].verdict, Verdict::Fail);
        const auto found = findOtherNumerics(request, *report, "out", {});
        QVERIFY(found.has_value() && found->has_value());
        QCOMPARE((*found)->path, std::string("/blocks/0/ops/0/round"));
        QCOMPARE(QString::fromStdString((*found)->value), value);
    }
};

QTEST_APPLESS_MAIN(TestRunChecks)
#include "tst_run_checks.moc"
