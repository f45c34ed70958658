// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <cmath>
#include <memory>

#include "core/base/number_formats.h"
#include "core/exchange/golden_finder.h"
#include "core/exchange/numerics_finder.h"
#include "core/run/cast_modes.h"
#include "core/run/inputs.h"
#include "core/run/product_sums.h"
#include "core/run/run.h"
#include "tests/support/emulation.h"
#include "tests/support/run_findings.h"
#include "tests/support/stage_runs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

QStringList findingsOf(Design design, bool checked) {
    RunRequest request = valueRequest(std::move(design));
    request.checked = checked;
    const auto report = run(request, {});
    if (!report) qFatal("%s", report.error().message.c_str());
    QStringList ids;
    for (const Finding& finding : report->findings) ids << QString::fromStdString(finding.ruleId);
    return ids;
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

/// Some rows of a workspace are written, all of it is read.
Design readsWorkspace(int rows) {
    const std::string writes =
        loopOf("early", "i",
               R"({"kind": "view", "id": "v", "of": "a", "out": "x", "shape": [)" + std::to_string(rows) +
                   R"(, 16], "offset": [0, 0]},)" +
                   stage(R"({"op": "add", "in": ["x", "x"], "out": "h"})", {8, 16}, "writes") + "," + store("h", "w"));
    const std::string reads = loopOf(
        "late", "j", stage(R"({"op": "add", "in": ["w", "a"], "out": "r"})", {8, 16}, "reads") + "," + store("r", "o"));
    return designOf(tensor("a", "input", "FP32", {8, 16}) + "," + tensor("w", "workspace", "FP32", {8, 16}) + "," +
                        tensor("o", "output", "FP32", {8, 16}),
                    writes + "," + reads);
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

/// Row 15 of a view of which 13 rows are valid, stretched over 16 rows; or, in one piece, behind a full tensor.
Design takesInvalidRows(bool concat, bool valid) {
    const std::string view =
        R"({"kind": "view", "id": "v", "of": "a", "out": "x", "shape": [16, 32], "offset": [0, 0], "valid": [)" +
        std::string(valid ? "16" : "13") + ", 32]},";
    const std::string stretch = R"({"op": "slice", "in": ["x"], "out": "s", "shape": [1, 32], "offset": [15, 0]},)"
                                R"({"op": "expand_clone", "in": ["s"], "out": "r", "shape": [16, 32]})";
    const std::string join = R"({"op": "concat", "in": ["x", "b"], "out": "r", "dim": 0})";
    return designOf(tensor("a", "input", "FP32", {16, 32}) + "," + tensor("b", "input", "FP32", {16, 32}) + "," +
                        tensor("out", "output", "FP32", {concat ? 32 : 16, 32}),
                    view + stage(concat ? join : stretch, {4, 32}) + "," + store("r", "out"));
}

/// Iteration i puts its row where entry i of an arange, divided by `share`, says; or one call puts all four.
Design putsRows(bool parallel, int share, bool together) {
    const std::string rows = together ? "4" : "1";
    const std::string ops = R"({"op": "arange", "in": [], "out": "n", "range": )" +
                            std::string(together ? "[4]" : R"(["i", "i + 1", 1])") +
                            R"(}, {"op": "mul", "in": ["n", )" + std::to_string(share) +
                            R"(], "out": "rows"}, {"op": "add", "in": ["h", 1.0], "out": "r"})";
    const std::string body = R"({"kind": "view", "id": "vh", "of": "a", "out": "h", "shape": [)" + rows +
                             R"(, 32], "offset": [)" + std::string(together ? "0" : R"("i")") + ", 0]}," +
                             stage(ops, {1, 32}) + "," + store("r", "o", R"(, "op": "index_put", "index": "rows")");
    Design design =
        designOf(tensor("a", "input", "FP32", {4, 32}) + "," + tensor("o", "inout", "FP32", {8, 32}),
                 together ? body
                          : R"({"kind": "loop", "id": "l", "axis": 4, "tile": 1, "index": "i", "parallel": )" +
                                std::string(parallel ? "true" : "false") + R"(, "body": [)" + body + "]}");
    design.options.deviceSchedParallelism = 2;
    return design;
}

/// Iteration i of a parallel loop writes eight rows from row i * `step`.
Design writesRows(int step, int inFlight) {
    const std::string body =
        R"({"kind": "view", "id": "vh", "of": "a", "out": "h", "shape": [8, 32], "offset": ["i * 8", 0]},)" +
        stage(R"({"op": "add", "in": ["h", 1.0], "out": "r"})", {8, 32}) + "," +
        store("r", "o", R"(, "offset": ["i * )" + std::to_string(step) + R"(", 0])");
    Design design = designOf(tensor("a", "input", "FP32", {32, 32}) + "," + tensor("o", "output", "FP32", {32, 32}),
                             R"({"kind": "loop", "id": "l", "axis": 4, "tile": 1, "index": "i", "parallel": true,
                                 "body": [)" +
                                 body + "]}");
    design.options.deviceSchedParallelism = inFlight;
    return design;
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

    void rowsBeyondTheValidPart_data() {
        QTest::addColumn<bool>("concat");
        QTest::addColumn<QString>("rule");
        QTest::addColumn<QString>("read");
        QTest::newRow("stretched") << false
                                   << QStringLiteral(
                                          "expand_clone takes elements 0 to 0 along axis 0 of 's', of which "
                                          "0 / 1 are valid; the compiler stays silent")
                                   << QStringLiteral(
                                          "'s' block (0,0): expand_clone reads UB element (0,0) before it "
                                          "was written");
        QTest::newRow("joined") << true
                                << QStringLiteral(
                                       "concat takes elements 13 to 15 along axis 0 of 'x', of which 13 / 16 "
                                       "are valid; the compiler stays silent")
                                << QStringLiteral(
                                       "'s' block (3,0): store reads UB element (1,0) before it was written");
    }
    void rowsBeyondTheValidPart() {
        QFETCH(bool, concat);
        QFETCH(QString, rule);
        QFETCH(QString, read);
        const Design faulty = takesInvalidRows(concat, false), fine = takesInvalidRows(concat, true);
        QCOMPARE(messagesOf(faulty, "TAIL-04", false).value(concat ? 0 : 1), rule);
        QCOMPARE(messagesOf(faulty, "VAL-03", false), QStringList());
        QCOMPARE(messagesOf(faulty, "VAL-03", true), QStringList{read});
        for (const bool checked : {false, true}) {
            QVERIFY(!findingsOf(fine, checked).contains(QStringLiteral("TAIL-04")));
            QVERIFY(!findingsOf(fine, checked).contains(QStringLiteral("VAL-03")));
        }
    }

    void equalEntriesOfAnIndexAreSaid() {
        QCOMPARE(messagesOf(putsRows(false, 1, true), "STORE-07", false), QStringList());
        const QString equal = messagesOf(putsRows(false, 0, true), "STORE-07", false).value(0);
        QVERIFY2(equal.contains(QStringLiteral("[0] of 'o': equal entries of the index")), qPrintable(equal));
        // Iterations that follow each other are in order.
        QCOMPARE(messagesOf(putsRows(false, 0, false), "STORE-07", false), QStringList());
        RunRequest request = valueRequest(putsRows(false, 1, true));
        const auto report = checkOnly(request, {});
        QVERIFY(report);
        QVERIFY(std::any_of(report->findings.begin(), report->findings.end(),
                            [](const Finding& finding) { return finding.ruleId == "STORE-07"; }));
    }

    void aStretchedRowThatIsNotThereIsZero() {
        // The row is there in the first iteration only, whose tiles lie where those of the second one do.
        const Design design = designOf(
            tensor("a", "input", "FP32", {8, 32}) + "," + tensor("w", "input", "FP32", {1, 32}) + "," +
                tensor("out", "output", "FP32", {8, 32}),
            R"({"kind": "loop", "id": "l", "axis": 2, "tile": 1, "index": "i", "body": [
                {"kind": "view", "id": "v", "of": "a", "out": "x", "shape": [4, 32], "offset": ["i * 4", 0]},
                {"kind": "view", "id": "u", "of": "w", "out": "g", "shape": [1, 32], "offset": [0, 0],
                 "valid": ["1 - i", 32]},)" +
                stage(R"({"op": "add", "in": ["g", 1.0], "out": "h"}, {"op": "mul", "in": ["x", "h"], "out": "p"},
                         {"op": "mul", "in": ["p", "g"], "out": "r"})",
                      {4, 32}) +
                "," + store("r", "out", R"(, "offset": ["i * 4", 0])") + "]}");
        const auto report = run(valueRequest(design), {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        const HostTensor& out = report->outputs.at("out");
        QVERIFY(out.at(0) != 0);
        for (std::int64_t e = 4 * 32; e < out.count(); ++e) QCOMPARE(out.at(e), 0.0);
        QCOMPARE(report->accuracy.verdict, Verdict::Pass);
    }

    void aShortGammaMakesTheResultShort() {
        const Design design = designOf(
            tensor("a", "input", "FP32", {8, 32}) + "," + tensor("w", "input", "FP32", {1, 32}) + "," +
                tensor("out", "output", "FP32", {8, 32}),
            R"({"kind": "view", "id": "u", "of": "w", "out": "g", "shape": [1, 32], "offset": [0, 0], "valid": [1, 20]},)" +
                stage(R"({"op": "rms_norm", "in": ["a", "g"], "out": "r"})", {4, 32}) + "," + store("r", "out"));
        for (const bool checked : {false, true}) {
            RunRequest request = valueRequest(design);
            request.checked = checked;
            const auto report = run(request, {});
            QVERIFY2(report, report ? "" : report.error().message.c_str());
            QCOMPARE(report->accuracy.verdict, Verdict::Pass);
            const HostTensor& out = report->outputs.at("out");
            for (std::int64_t row = 0; row < 8; ++row) {
                QVERIFY(out.at(row * 32 + 19) != 0);
                QCOMPARE(out.at(row * 32 + 20), 0.0);
            }
        }
    }

    void equalEntriesInUbAreSaid() {
        const auto put = [](bool equal, bool accumulate) {
            const std::string ops =
                R"({"op": "arange", "in": [], "out": "n", "range": [4]}, {"op": "mul", "in": ["n", )" +
                std::string(equal ? "0" : "1") +
                R"(], "out": "rows"}, {"op": "index_put", "in": ["a", "rows", "b"], "out": "r",)" +
                R"( "dim": 0, "accumulate": )" + (accumulate ? "true" : "false") + "}";
            return designOf(tensor("a", "input", "FP32", {8, 32}) + "," + tensor("b", "input", "FP32", {4, 32}) + "," +
                                tensor("out", "output", "FP32", {8, 32}),
                            stage(ops, {8, 32}) + "," + store("r", "out"));
        };
        QCOMPARE(messagesOf(put(true, false), "STORE-07", false).value(0),
                 QStringLiteral("'s' block (0,0): index_put puts two slices into place 0: equal entries of the index "
                                "leave open which one is kept"));
        QCOMPARE(messagesOf(put(false, false), "STORE-07", false), QStringList());
        QCOMPARE(messagesOf(put(true, true), "STORE-07", false), QStringList());
    }

    void aWorkspaceIsReadWhereNothingWasWritten() {
        QCOMPARE(messagesOf(readsWorkspace(8), "VAL-14", true), QStringList());
        QCOMPARE(
            messagesOf(readsWorkspace(4), "VAL-14", true).value(0),
            QStringLiteral("'reads' block (0,0): load reads element [4,0] of 'w', which nobody wrote: it is zero"));
        QCOMPARE(messagesOf(readsWorkspace(4), "VAL-14", false), QStringList());
        QVERIFY(!findingsOf(readsWorkspace(4), true).contains(QStringLiteral("VAL-03")));
    }

    void parallelIterationsThatPutOneRow() {
        QCOMPARE(messagesOf(putsRows(true, 1, false), "VAL-07", true), QStringList());
        QCOMPARE(messagesOf(putsRows(false, 0, false), "VAL-07", true), QStringList());
        QCOMPARE(messagesOf(putsRows(true, 0, false), "VAL-07", true).value(0),
                 QStringLiteral("'s' block (0,0) in iteration 0 and 's' block (0,0) in iteration 1 both put a slice "
                                "into [0] of 'o', and nothing orders them"));
    }

    void iterationsThatRunOneAfterTheOtherPutInOrder() {
        Design design = putsRows(true, 0, false);
        design.options.deviceSchedParallelism = 1;
        QVERIFY(findingsOf(design, false).contains(QStringLiteral("LOOP-01")));
        for (const bool checked : {false, true}) QCOMPARE(messagesOf(design, "VAL-07", checked), QStringList());
    }

    /// A loop that says its iterations are independent is taken at its word, though the emulated core keeps an order.
    void parallelIterationsThatWriteOneElement() {
        for (const bool checked : {false, true}) {
            QCOMPARE(messagesOf(writesRows(4, 4), "VAL-07", checked).value(0),
                     QStringLiteral("'s' block (0,0) in iteration 0 and 's' block (0,0) in iteration 1 both write "
                                    "element [4,0] of 'o', and nothing orders them"));
            QCOMPARE(messagesOf(writesRows(8, 4), "VAL-07", checked), QStringList());
            QCOMPARE(messagesOf(writesRows(4, 1), "VAL-07", checked), QStringList());
        }
    }

    void parallelAssemblesThatMeet() {
        QVERIFY(findingsOf(twoParts(true, 8), true).contains(QStringLiteral("VAL-07")));
        QVERIFY(!findingsOf(twoParts(true, 16), true).contains(QStringLiteral("VAL-07")));
        QVERIFY(!findingsOf(twoParts(false, 8), true).contains(QStringLiteral("VAL-07")));
    }

    void aFileStandsForTheGenerator() {
        Design design =
            designOf(tensor("a", "input", "INT16", {16, 32}) + "," + tensor("out", "output", "INT16", {16, 32}),
                     stage(R"({"op": "neg", "in": ["a"], "out": "r"})", {16, 32}) + "," + store("r", "out"));
        design.tensors[0].data.low = 0;
        design.tensors[0].data.high = 1;  // all zeros
        QVERIFY(findingsOf(design, false).contains(QStringLiteral("VAL-10")));
        RunRequest request = valueRequest(design);
        request.inputs["a"] = TensorFile("a.npy");
        request.readers.input = [](const TensorFile&, const TensorTarget&) { return noise(DType::INT16, {16, 32}, 3); };
        const auto report = run(request, {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        for (const Finding& finding : report->findings) QVERIFY(finding.ruleId != "VAL-10");
    }

    void everyCastNamesItsMode() {
        const Design design =
            designOf(tensor("a", "input", "FP32", {16, 32}) + "," + tensor("out", "output", "INT32", {16, 32}),
                     stage(R"({"op": "cast", "in": ["a"], "out": "half", "dtype": "FP16"},
                     {"op": "cast", "in": ["half"], "out": "wide", "dtype": "FP32"},
                     {"op": "cast", "in": ["wide"], "out": "low", "dtype": "INT32", "round": "FLOOR", "saturate": true},
                     {"op": "cast", "in": ["wide"], "out": "cut", "dtype": "INT32"},
                     {"op": "add", "in": ["low", "cut"], "out": "r"})",
                           {16, 32}) +
                         "," + store("r", "out"));
        const auto report = run(valueRequest(design), {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        const Dictionary<std::string> modes = castModesOf(*report);
        const auto mode = [&](const char* name) {
            const std::string* found = modes.find(name);
            return QString::fromStdString(found != nullptr ? *found : std::string("none"));
        };
        QCOMPARE(mode("half"), QStringLiteral("RINT"));
        QCOMPARE(mode("low"), QStringLiteral("FLOOR, saturating"));
        QCOMPARE(mode("cut"), QStringLiteral("TRUNC"));
        QCOMPARE(mode("wide"), QStringLiteral("none"));
    }

    void stageResultsAreCutToWhatIsValid() {
        // Five rows in steps of two: what passes between the stages is padded to six.
        const Design design =
            designOf(tensor("a", "input", "FP32", {5, 32}) + "," + tensor("out", "output", "FP32", {5, 32}),
                     R"({"kind": "loop", "id": "l", "axis": "T", "tile": 2, "index": "i", "body": [
                {"kind": "view", "id": "v", "of": "a", "out": "x", "shape": [2, 32], "offset": ["i * 2", 0],
                 "valid": ["min(2, T - i * 2) + 0", 32]},)" +
                         stage(R"({"op": "add", "in": ["x", 1.0], "out": "h"})", {2, 32}, "first") + "," +
                         stage(R"({"op": "mul", "in": ["h", 2.0], "out": "r"})", {2, 32}, "second") + "," +
                         store("r", "out", R"(, "offset": ["i * 2", 0])") + "]}");
        RunRequest request = valueRequest(design);
        request.keepStages = true;
        const auto report = run(request, {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        const HostTensor& kept = report->stageResults.at("h");
        QCOMPARE(kept.shape(), (Shape{5, 32}));
        const HostTensor& out = report->outputs.at("out");
        for (std::int64_t e = 0; e < kept.count(); ++e) QCOMPARE(2 * kept.at(e), out.at(e));
    }

    void rearrangedProductsHaveABound() {
        Design design = designOf(tensor("a", "input", "FP32", {16, 40}) + "," + tensor("b", "input", "FP32", {40, 32}) +
                                     "," + tensor("out", "output", "FP32", {8, 64}),
                                 R"({"kind": "cube", "id": "c", "a": "a", "b": "b", "out": "r", "out_dtype": "FP32",
                                     "tile": {"m": [16, 16], "k": [32, 32], "n": [32, 32]}},)" +
                                     stage(R"({"op": "transpose", "in": ["r"], "out": "t", "dims": [0, 1]},
                                              {"op": "reshape", "in": ["t"], "out": "q", "shape": [8, 64]})",
                                           {8, 64}) +
                                     "," + store("q", "out"));
        design.tolerance.criterion = Criterion::OrderBound;
        for (Tensor& each : design.tensors)
            if (each.role == TensorRole::Input) each.data.low = -1.0;
        const auto report = run(valueRequest(design), {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        const OutputMetrics& output = report->accuracy.outputs.at(0);
        QVERIFY(output.orderBound.has_value());
        QCOMPARE(output.verdict, Verdict::Pass);
        QVERIFY(output.maxAbs > 0);  // the bound has something to allow
        RunRequest sampled = valueRequest(design);
        sampled.goldenLimit = 1;
        const auto some = run(sampled, {});
        QVERIFY2(some, some ? "" : some.error().message.c_str());
        QVERIFY(some->accuracy.sampled.has_value());
        QCOMPARE(some->accuracy.verdict, Verdict::Pass);
        // What changes values is no rearrangement.
        VectorOp& moved = std::get<VectorStage>(design.blocks[1].content).ops[0];
        moved.op = VectorOpCode::Neg;
        moved.dims.clear();
        const auto changed = run(valueRequest(design), {});
        QVERIFY(!changed);
        QVERIFY(changed.error().message.find("no plain product") != std::string::npos);
    }

    void threeWayTakesSumsOfAnyLength_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<int>("k");
        for (const char* type : {"FP32", "BF16", "FP16"})
            for (const int k : {64, 1500, 9000}) QTest::addRow("%s, %d", type, k) << type << k;
    }
    /// A kernel that sums in FP32 passes beside a benchmark that does, at the strictest level.
    void threeWayTakesSumsOfAnyLength() {
        QFETCH(QString, type);
        QFETCH(int, k);
        const std::string dtype = type.toStdString();
        Design design = designOf(tensor("a", "input", dtype, {16, k}) + "," + tensor("b", "input", dtype, {k, 16}) +
                                     "," + tensor("out", "output", "FP32", {16, 16}),
                                 R"({"kind": "cube", "id": "c", "a": "a", "b": "b", "out": "r", "out_dtype": "FP32",
                                     "tile": {"m": [16, 16], "k": [32, 32], "n": [16, 16]}},)" +
                                     store("r", "out"));
        for (Tensor& each : design.tensors)
            if (each.role == TensorRole::Input) each.data.generator = Generator::Normal;
        design.tolerance.criterion = Criterion::ThreeWay;
        const auto report = run(valueRequest(std::move(design)), {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        QCOMPARE(report->accuracy.verdict, Verdict::Pass);
        QVERIFY(report->accuracy.outputs.at(0).maxAbs > 0);
    }

    /// FP8E8M0 has no sign, and integers end: numbers that the generator did make are counted, not those that it might
    /// have made.
    void negativeNumbersForE8M0AreCounted() {
        const auto told = [](Generator generator, double low, double high, const std::string& type = "FP8E8M0") {
            Design design = oneStage(tensor("x", "input", type, {4, 32}), "FP32", {4, 32},
                                     operation("cast", "\"x\"", ", \"dtype\": \"FP32\""), {4, 32});
            design.tensors[0].data.generator = generator;
            design.tensors[0].data.low = low;
            design.tensors[0].data.high = high;
            RunRequest request = valueRequest(std::move(design));
            request.force = true;
            const auto report = run(request, {});
            if (!report) qFatal("%s", report.error().message.c_str());
            for (const Finding& finding : report->findings)
                if (finding.ruleId == "VAL-17") return QString::fromStdString(finding.message);
            return QString();
        };
        QCOMPARE(told(Generator::Normal, 6, 1), QString());
        QCOMPARE(told(Generator::Arange, 1, 1), QString());
        QCOMPARE(told(Generator::Arange, -2, 1),
                 "the generated data of 'x' has 2 negative numbers, of which FP8E8M0 keeps the size alone, the first "
                 "is -2 at [0,0]");
        QVERIFY(!told(Generator::Normal, 0, 1).isEmpty());
        // Integers wrap around.
        QCOMPARE(told(Generator::Normal, 0, 15, "INT8"), QString());
        QVERIFY(told(Generator::Normal, 1000, 1, "INT8").contains("has 128 numbers beyond INT8, which wrap around"));
        QCOMPARE(told(Generator::Normal, 8, 1, "UINT8"), QString());
        QVERIFY(told(Generator::Normal, -8, 1, "UINT8").contains("has 128 numbers beyond UINT8"));
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
        RunRequest request = valueRequest(product(Criterion::ThreeWay));
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
        const auto report = run(valueRequest(product(Criterion::ThreeWay)), {});
        QVERIFY(report.has_value());
        QVERIFY2(report->accuracy.verdict == Verdict::Pass, report->accuracy.outputs[0].reason.c_str());
        QCOMPARE(report->accuracy.outputs[0].threeWay->mare, 1.0);
    }

    /// What lies beyond the type is infinite, which any order of the sum explains.
    void theOrderBoundBeyondAType() {
        Design design = product(Criterion::OrderBound, "FP16");
        for (Tensor& each : design.tensors) each.data.high = 300.0;
        const auto report = run(valueRequest(std::move(design)), {});
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
        RunRequest request = valueRequest(std::move(design));
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

    void aGoldenFileOfLongIntegersIsComparedExactly_data() {
        QTest::addColumn<qint64>("off");
        QTest::newRow("right") << qint64{0};
        QTest::newRow("wrong by 1") << qint64{1};
    }
    void aGoldenFileOfLongIntegersIsComparedExactly() {
        QFETCH(qint64, off);
        Design design = oneStage(tensor("x", "input", "INT64", {16, 64}), "INT64", {16, 128},
                                 R"({"op": "concat", "in": ["x", "x"], "out": "r", "dim": 1})", {16, 128});
        design.tolerance.criterion = Criterion::Exact;
        RunRequest request = valueRequest(std::move(design));
        const auto numbers = [](const TensorTarget& target, std::int64_t more) -> Result<HostTensor> {
            CUBIST_TRY(HostTensor made, HostTensor::uninitialised(target.dtype, target.shape));
            for (std::int64_t i = 0; i < made.count(); ++i)
                made.writableCodes<std::int64_t>()[static_cast<std::size_t>(i)] = (std::int64_t{1} << 62) + i % 64;
            made.writableCodes<std::int64_t>()[5] += more;
            return made;
        };
        request.readers.input = [&](const TensorFile& file, const TensorTarget& target) {
            return numbers(target, file.path == "g.npy" ? off : 0);
        };
        request.readers.golden = [&](const TensorFile&, const TensorTarget& target) -> Result<std::vector<double>> {
            CUBIST_TRY(const HostTensor made, numbers(target, off));
            std::vector<double> values(static_cast<std::size_t>(made.count()));
            made.toFloat64(0, values);
            return values;
        };
        request.inputs["x"] = TensorFile("x.npy");
        request.goldens["out"] = TensorFile("g.npy");
        const auto report = run(request, {});
        QVERIFY(report.has_value());
        const OutputMetrics& metrics = report->accuracy.outputs[0];
        QCOMPARE(metrics.verdict, off == 0 ? Verdict::Pass : Verdict::Fail);
        QCOMPARE(metrics.outside, off);
        QCOMPARE(metrics.maxAbs, static_cast<double>(off));
    }
};

QTEST_APPLESS_MAIN(TestRunChecks)
#include "tst_run_checks.moc"
