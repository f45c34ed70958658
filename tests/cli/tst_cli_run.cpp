// SPDX-License-Identifier: GPL-3.0-or-later
#include <QProcess>
#include <QTest>
#include <cmath>

#include "core/accuracy/compare.h"
#include "core/base/random.h"
#include "core/emulator/isa.h"
#include "core/exchange/config_export.h"
#include "core/exchange/npy.h"
#include "tests/cli/cli_process.h"

using namespace cubist;
using namespace cubist::test;

namespace {

QByteArray keysInOrder(const QByteArray& json, const QStringList& keys) {
    qsizetype at = 0;
    for (const QString& key : keys) {
        at = json.indexOf("\"" + key.toUtf8() + "\":", at);
        if (at < 0) return "missing or out of order: " + key.toUtf8();
    }
    return {};
}

HostTensor uniform(const Shape& shape, const char* name) {
    auto tensor = HostTensor::zeros(DType::FP32, shape);
    if (!tensor || !fillTensor(*tensor, {}, randomStream(7, name), {})) qFatal("cannot make %s", name);
    return *std::move(tensor);
}

/// a[m,k] * b[n,k]^T in FP64.
std::vector<double> product(const HostTensor& a, const HostTensor& b) {
    const std::int64_t m = a.shape()[0], k = a.shape()[1], n = b.shape()[0];
    std::vector<double> out;
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (std::int64_t l = 0; l < k; ++l) sum += a.at(i * k + l) * b.at(j * k + l);
            out.push_back(sum);
        }
    return out;
}

}  // namespace

/// Runs of the bundled GLMGate through the program.
class TestCliRun : public QObject {
    Q_OBJECT

private slots:
    void passesTheBundledCases_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("id");
        QTest::addColumn<int>("rows");
        QTest::newRow("T64") << "T64"
                             << "glm_gate_bs64" << 64;
        QTest::newRow("T1026") << "T1026"
                               << "glm_gate_bs1026" << 1026;
    }

    void passesTheBundledCases() {
        QFETCH(const QString, name);
        QFETCH(const QString, id);
        QFETCH(const int, rows);
        const CliFolder folder;
        const CliResult result = folder.run({"run", "glm_gate", "--case", name, "--json", "-", "--threads", "2"});
        QCOMPARE(result.code, 0);
        const QJsonObject json = result.json();
        QCOMPARE(json["design"].toString(), QString("glm_gate"));
        QCOMPARE(json["chip"].toString(), QString("Ascend910B1"));
        QCOMPARE(json["case"].toString(), id);
        QCOMPARE(json["launch"].toString(), QString("pypto"));
        QCOMPARE(valueAt(json, "accuracy/verdict").toString(), QString("pass"));
        QCOMPARE(valueAt(json, "accuracy/outputs/0/shape").toArray(), (QJsonArray{rows, 160}));
        QCOMPARE(valueAt(json, "accuracy/outputs/0/outside").toInt(-1), 0);
        QVERIFY(valueAt(json, "accuracy/outputs/0/max_rel").toDouble(1) < 1e-4);
        QCOMPARE(valueAt(json, "timing/flops").toDouble(), 2.0 * rows * 5120 * 160);
        QCOMPARE(valueAt(json, "timing/lanes").toInt(), 5 * 24 + 4 * 48);
        double sum = 0;
        for (const QJsonValue& ticks : valueAt(json, "timing/causes_ticks").toObject()) sum += ticks.toDouble();
        QCOMPARE(sum, 312 * valueAt(json, "timing/kernel_ticks").toDouble());
        QCOMPARE(valueAt(json, "host/threads").toInt(), 2);
        // By core, and by stage with what belongs to none.
        double ofCores = 0, ofStages = 0;
        for (const QJsonValue& core : valueAt(json, "timing/core_causes").toArray()) {
            double own = 0;
            for (const QJsonValue& ticks : core["causes_ticks"].toObject()) own += ticks.toDouble();
            QCOMPARE(own, (core["kind"] == "aic" ? 5 : 4) * valueAt(json, "timing/kernel_ticks").toDouble());
            ofCores += own;
        }
        const double empty = valueAt(json, "timing/causes_ticks/no_task").toDouble();
        QCOMPARE(ofCores + empty, sum);
        for (const QJsonValue& stage : valueAt(json, "timing/stages").toArray())
            for (const QJsonValue& ticks : stage["causes_ticks"].toObject()) ofStages += ticks.toDouble();
        QCOMPARE(ofStages + empty + valueAt(json, "timing/causes_ticks/tail").toDouble(), sum);
    }

    void aKernelWithoutTasksIsBoundByNothing() {
        const CliFolder folder;
        const CliResult result =
            folder.run({"run", "gmm_mxfp8", "--no-values", "--sym", "group_list=[0,0,0,0]", "--json", "-"});
        QCOMPARE(valueAt(result.json(), "timing/kernel_ticks").toDouble(-1), 0.0);
        QCOMPARE(valueAt(result.json(), "timing/bound").toString(), QString("nothing"));
    }

    /// tests/reference/glm_gate_t64.py works the case out from the chip file without any of the engine's code; the
    /// engine rounds every step up to a tick.
    void predictsT64LikeTheReference() {
        const CliFolder folder;
        const QJsonObject json = folder.run({"run", "glm_gate", "--case", "T64", "--no-values", "--json", "-"}).json();
        QProcess python;
        python.start(CUBIST_PYTHON, {CUBIST_SOURCE_DIR "/tests/reference/glm_gate_t64.py",
                                     CUBIST_SOURCE_DIR "/resources/chips/Ascend910B1.json"});
        QVERIFY(python.waitForFinished(60'000));
        const double reference = python.readAllStandardOutput().trimmed().toDouble();
        QVERIFY(reference > 0);
        const double ticks = valueAt(json, "timing/kernel_ticks").toDouble();
        QVERIFY(ticks / 1024 >= reference);
        QVERIFY(ticks / 1024 < reference + 0.1);
        QCOMPARE(valueAt(json, "timing/cycles").toDouble(), std::round(ticks / 1024 * 1e4) / 1e4);
        QCOMPARE(valueAt(json, "timing/kernel_us").toDouble(), std::round(ticks / 1024 / 1850 * 1e8) / 1e8);
        // The head of a launch, 12.5 us, the start of the AICPUs, 78.5 us, two roots of 3700 cycles and a submit of 100
        // cycles at 1800 MHz; each is rounded up to a tick of half a nanosecond.
        const double before = 12.5 + 78.5 + (2 * 3700 + 100) / 1800.0;
        QVERIFY(qAbs(valueAt(json, "timing/end_to_end_us").toDouble() - ticks / 1024 / 1850 - before) < 3e-6);
        QCOMPARE(valueAt(json, "timing/end_to_end_estimates").toArray(), QJsonArray{"aicpu_start"});
        QCOMPARE(valueAt(json, "timing/cores/used/aic").toInt(), 20);
        // 104 857 600 flops at 24 x 16 x 16 x 8 / 2 multiply-adds a cycle take 2133.33 cycles.
        const double utilisation = 104857600.0 / 2 / (24 * 1024) / (ticks / 1024);
        QVERIFY(qAbs(valueAt(json, "timing/utilisation").toDouble() - utilisation) < 1e-8);
        // Each operand comes from HBM once: 64 x 5120 and 160 x 5120 FP32 values.
        QCOMPARE(valueAt(json, "timing/bytes/hbm").toInt(), (64 + 160) * 5120 * 4);
        QCOMPARE(valueAt(json, "accuracy/verdict").toString(), QString("none"));
        QVERIFY(valueAt(json, "accuracy/outputs").toArray().isEmpty());
    }

    void writesTheKeysOfTheContractInOrder() {
        const CliFolder folder;
        const QByteArray text = folder.run({"run", "glm_gate", "--json", "-"}).out;
        const QByteArray problem =
            keysInOrder(text, {"design",        "chip",         "case",         "seed",      "launch",
                               "profile",       "findings",     "accuracy",     "verdict",   "criterion",
                               "sampled",       "outputs",      "name",         "dtype",     "shape",
                               "verdict",       "max_abs",      "max_rel",      "mean_abs",  "rmse",
                               "max_ulp",       "outside",      "cosine",       "stages",    "id",
                               "added",         "inherited",    "timing",       "kernel_us", "kernel_ticks",
                               "end_to_end_us", "cycles",       "lanes",        "bound",     "confidence",
                               "estimates",     "stages",       "id",           "kind",      "span_us",
                               "busy_us",       "critical_us",  "tasks",        "pipes",     "MTE2",
                               "busy_us",       "wait_us",      "causes_ticks", "cores",     "aic",
                               "aiv",           "used",         "aic",          "aiv",       "bytes",
                               "hbm",           "l2",           "l1",           "flops",     "utilisation",
                               "host",          "values_s",     "golden_s",     "timing_s",  "trials_s",
                               "what_if_s",     "instructions", "threads",      "isa"});
        QVERIFY2(problem.isEmpty(), problem.constData());
    }

    void leavesOutWhatWasNotAskedFor() {
        const CliFolder folder;
        const QJsonObject json =
            folder.run({"run", "glm_gate", "--no-golden", "--no-timing", "--no-host", "--json", "-"}).json();
        QVERIFY(!json.contains("host"));
        QVERIFY(json["timing"].isNull());
        QCOMPARE(valueAt(json, "accuracy/verdict").toString(), QString("none"));
        QVERIFY(valueAt(json, "accuracy/outputs").toArray().isEmpty());
    }

    void givesEqualJsonWithAnyThreadsAndInstructionSet() {
        const CliFolder folder;
        const QStringList run{"run", "glm_gate", "--json", "-", "--no-host", "--sym", "T=70"};
        const CliResult first = folder.run(run + QStringList{"--threads", "1"});
        QCOMPARE(first.code, 0);
        QVERIFY(!first.out.isEmpty());
        QCOMPARE(folder.run(run + QStringList{"--threads", "1"}).out, first.out);
        QCOMPARE(folder.run(run + QStringList{"--threads", "2"}).out, first.out);
        QCOMPARE(folder.run(run + QStringList{"--threads", "7"}).out, first.out);
        const std::vector<Isa> available = availableIsas();
        for (const auto& [isa, spelling] : EnumTable<Isa>::entries) {
            const CliResult result = folder.run(run + QStringList{"--isa", spelling.data()});
            if (isa == Isa::Auto || std::find(available.begin(), available.end(), isa) != available.end()) {
                QCOMPARE(result.out, first.out);
            } else {
                QCOMPARE(result.code, 2);
                QVERIFY(result.err.contains(spelling.data()));
            }
        }
    }

    void seedChangesTheInputs() {
        const CliFolder folder;
        const QStringList run{"run", "glm_gate", "--json", "-", "--no-host"};
        const QByteArray zero = folder.run(run).out;
        const QByteArray other = folder.run(run + QStringList{"--seed", "5"}).out;
        QVERIFY(zero != other);
        QVERIFY(other.contains("\"seed\": 5"));
        QCOMPARE(folder.run(run + QStringList{"--seed", "0"}).out, zero);
    }

    void changedTileChangesTheTimeAndNotOneBit() {
        const CliFolder folder;
        const QStringList run{"run", "glm_gate", "--sym", "T=70", "--json"};
        QCOMPARE(folder.run(run + QStringList{"a.json", "--save-outputs", "a"}).code, 0);
        QCOMPARE(folder
                     .run(run + QStringList{"b.json", "--save-outputs", "b", "--tile",
                                            R"(gate={"m":[16,16],"k":[64,128],"n":[80,80]})"})
                     .code,
                 0);
        QVERIFY(!folder.read("a/router_logits.npy").isEmpty());
        QCOMPARE(folder.read("a/router_logits.npy"), folder.read("b/router_logits.npy"));
        QVERIFY(valueAt(folder.readJson("a.json"), "timing/kernel_ticks") !=
                valueAt(folder.readJson("b.json"), "timing/kernel_ticks"));
    }

    void explainsPredictedTimes_data() {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QByteArray>("text");
        // 95.167 us before the kernel: 12.5 + 78.5 + (2 * 3700 + 100) / 1800
        QTest::newRow("kernel") << "kernel" << QByteArray("submitted in 4.167 us; before the first dispatch 95.167 us");
        QTest::newRow("kernel, head") << "kernel" << QByteArray("F-05  head of the launch 12.5 us");
        QTest::newRow("kernel, AICPUs") << "kernel" << QByteArray("F-26  start of the AICPUs 78.5 us\n    aicpu_start");
        QTest::newRow("path") << "path" << QByteArray("(gate) on AIC ");
        QTest::newRow("causes") << "causes" << QByteArray(" ticks = 312 lanes * ");
        QTest::newRow("bytes") << "bytes" << QByteArray("bytes through L2; between L2 and HBM ");
        // 64 x 5120 x 160
        QTest::newRow("utilisation") << "utilisation"
                                     << QByteArray("F-22  52428800 multiply-adds, at the peak of 24 cubes");
        QTest::newRow("pipe") << "pipe:MTE2" << QByteArray("F-20  MTE2 over all cores: instructions ");
        QTest::newRow("stage") << "stage:gate" << QByteArray("gate: 20 tasks");
        QTest::newRow("stage, causes") << "stage:gate"
                                       << QByteArray("lanes of its tasks, and of cores before them: busy ");
        QTest::newRow("core") << "core:aic0" << QByteArray(" ticks = 5 lanes * ");
        QTest::newRow("task") << "task:3" << QByteArray("dispatch_cycles 200 scheduler cycle (cost-model");
        // 32 x 512 x 16 in FP32: 2 * 64 * 1 fractals of two cycles.
        QTest::newRow("instruction") << "task:3:4" << QByteArray("F-10  2 + 2 * 2 * 64 * 1 = 258 cycles");
    }
    void explainsPredictedTimes() {
        QFETCH(const QString, what);
        QFETCH(const QByteArray, text);
        const CliFolder folder;
        const QStringList run{"run", "glm_gate", "--case", "T64", "--no-values"};
        const CliResult result = folder.run(run + QStringList{"--explain", what});
        QCOMPARE(result.code, 0);
        QVERIFY2(result.out.contains(text), result.out.constData());
        QCOMPARE(folder.run(run + QStringList{"--explain", what + "9999"}).code, 2);
        QCOMPARE(folder.run(run + QStringList{"--explain", what, "--json", "-"}).code, 2);
        QCOMPARE(folder.run(run + QStringList{"--explain", what, "--no-timing"}).code, 2);
    }

    void saysWhatWouldHelp() {
        const CliFolder folder;
        for (const char* launch : {"pypto", "bare"}) {
            const CliResult result = folder.run({"run", "glm_gate", "--no-values", "--what-if", "--launch", launch});
            QCOMPARE(result.code, 0);
            QVERIFY(result.out.contains("HBM 10 % faster"));
            QVERIFY(result.out.contains("end to end: "));
            QVERIFY(result.out.contains("critical path: "));
        }
    }

    void usesTensorsFromFiles() {
        const CliFolder folder;
        const HostTensor x = uniform({40, 5120}, "x");
        const HostTensor w = uniform({160, 5120}, "w");
        QVERIFY(writeNpy(folder.path("x.npy").toStdString(), x));
        QVERIFY(writeNpy(folder.path("w.npy").toStdString(), w));
        const QStringList run{"run",     "glm_gate",     "--sym",  "T=40", "--input", "hidden_states=x.npy",
                              "--input", "weight=w.npy", "--json", "-"};
        const CliResult result = folder.run(run + QStringList{"--save-outputs", "deep/er"});
        QVERIFY2(result.code == 0, result.err.constData());
        const auto y = readNpyAs(folder.path("deep/er/router_logits.npy").toStdString(), DType::FP32, {40, 160});
        QVERIFY(y);
        const std::vector<double> expected = product(x, w);
        for (std::size_t i = 0; i < expected.size(); ++i)
            QVERIFY(std::abs(y->at(static_cast<std::int64_t>(i)) - expected[i]) <= 1e-4 * expected[i]);

        // Its own output is a golden without any error, a shifted one is outside of every tolerance.
        const CliResult same = folder.run(run + QStringList{"--golden", "router_logits=deep/er/router_logits.npy"});
        QCOMPARE(same.code, 0);
        QCOMPARE(valueAt(same.json(), "accuracy/outputs/0/max_abs").toDouble(1), 0.0);
        auto shifted = y->clone();
        QVERIFY(shifted);
        for (std::int64_t i = 0; i < shifted->count(); ++i) shifted->set(i, shifted->at(i) * 2);
        QVERIFY(writeNpy(folder.path("shifted.npy").toStdString(), *shifted));
        const CliResult wrong = folder.run(run + QStringList{"--golden", "router_logits=shifted.npy"});
        QCOMPARE(wrong.code, 1);
        QCOMPARE(valueAt(wrong.json(), "accuracy/outputs/0/outside").toInt(), 40 * 160);
        QVERIFY2(wrong.err.contains("accuracy verdict fail: router_logits"), wrong.err);
    }

    void agreesWithNumPy() {
        const CliFolder folder;
        if (folder.runProgram(CUBIST_PYTHON, {"-c", "import numpy"}).code != 0) QSKIP("NumPy is not installed");
        const CliResult made = folder.runProgram(CUBIST_PYTHON, {"-c", R"(
import numpy as np
rng = np.random.default_rng(3)
np.save('x.npy', np.asfortranarray(rng.random((34, 5120), dtype=np.float32)))
np.save('w.npy', rng.random((160, 5120)).astype('>f8'))
)"});
        QVERIFY2(made.code == 0, made.err.constData());
        const CliResult result = folder.run({"run", "glm_gate", "--sym", "T=34", "--input", "hidden_states=x.npy",
                                             "--input", "weight=w.npy", "--save-outputs", "out"});
        QVERIFY2(result.code == 0, result.err.constData());
        const CliResult checked = folder.runProgram(CUBIST_PYTHON, {"-c", R"(
import numpy as np
y = np.load('out/router_logits.npy')
assert y.dtype == np.float32 and y.shape == (34, 160), (y.dtype, y.shape)
x, w = np.load('x.npy').astype(np.float64), np.load('w.npy').astype(np.float32).astype(np.float64)
np.testing.assert_allclose(y, x @ w.T, rtol=1e-4)
)"});
        QVERIFY2(checked.code == 0, checked.err.constData());
    }

    void codedOutputsComeWithTheirValues() {
        const CliFolder folder;
        const CliResult result =
            folder.run({"run", CUBIST_TEST_DATA_DIR "/row_scale.cubist.json", "--save-outputs", "out", "--json", "-"});
        QVERIFY2(result.code == 0, result.err.constData());
        QCOMPARE(QDir(folder.path("out")).entryList(QDir::Files, QDir::Name), (QStringList{"y.f32.npy", "y.npy"}));
        // Two stages: the vector stage rounds to BF16 (8 bits of mantissa), the cube stage hardly errs.
        const QJsonArray stages = valueAt(result.json(), "accuracy/stages").toArray();
        QCOMPARE(stages.size(), 2);
        const QJsonObject product = stages[0].toObject(), scaling = stages[1].toObject();
        QCOMPARE(product["id"].toString(), QString("product"));
        QVERIFY(product["added"].toDouble() > 0 && product["added"].toDouble() < 1e-6);
        QCOMPARE(product["inherited"].toDouble(1), 0.0);
        QVERIFY(scaling["added"].toDouble() > 1e-3 && scaling["added"].toDouble() < 1.0 / 256);
        QVERIFY(scaling["inherited"].toDouble() > 0 && scaling["inherited"].toDouble() < 1e-6);
    }

    void writesReportAndTrace() {
        const CliFolder folder;
        const CliResult result = folder.run({"run", "glm_gate", "--report", "report", "--trace", "trace.json"});
        QCOMPARE(result.code, 0);
        QCOMPARE(folder.read("report/report.txt"), result.out);
        QVERIFY(result.out.contains("accuracy: pass"));
        QVERIFY(result.out.contains("router_logits"));
        QVERIFY(result.out.contains("7.884 us"));
        QVERIFY(folder.read("report/report.html").contains("router_logits"));
        QCOMPARE(valueAt(folder.readJson("report/run.json"), "accuracy/verdict").toString(), QString("pass"));

        double last = 0;
        int tasks = 0;
        for (const QJsonValue& event : folder.readJson("trace.json")["traceEvents"].toArray()) {
            if (event["ph"] != "X" || event["cat"] != "C") continue;
            ++tasks;
            last = std::max(last, event["ts"].toDouble() + event["dur"].toDouble());
        }
        QCOMPARE(tasks, 20);
        QVERIFY(std::abs(last - 7.88436603) < 1e-6);
    }

    void findsDataInTheFoldersOfTheContract() {
        const CliFolder folder;
        const QByteArray mine = glmGateWith(R"("title": "GLMGate)", R"("title": "mine, not GLMGate)");
        folder.write("xdg/cubist/samples/glm_gate.cubist.json", mine);
        folder.write("extra/samples/glm_gate.cubist.json", glmGateWith(R"("cubist": 1)", R"("cubist": 99)"));
        folder.write("extra/samples/added.cubist.json", glmGateText());
        const Variables variables{{"XDG_DATA_HOME", folder.path("xdg")}, {"CUBIST_DATA", folder.path("extra")}};
        // The user's folder comes before the program's data, and $CUBIST_DATA after both.
        const CliResult list = folder.run({"list"}, variables);
        QCOMPARE(list.code, 0);
        QCOMPARE(list.err, QByteArray());
        QVERIFY(list.out.contains("mine, not GLMGate"));
        QCOMPARE(folder.run({"check", "added"}, variables).code, 0);
        QCOMPARE(folder.run({"check", "added"}).code, 2);
    }

    void readsDataFilesBesideTheDesign() {
        const CliFolder folder;
        folder.write("designs/mine.cubist.json",
                     glmGateWith(R"("shape": [160, 5120])", R"("shape": [160, 5120], "data": {"file": "w.npy"})"));
        const QStringList run{"run", "designs/mine.cubist.json", "--no-timing", "--json", "-"};
        const CliResult missing = folder.run(run);
        QCOMPARE(missing.code, 2);
        QVERIFY(missing.err.contains("designs/w.npy"));
        auto zeros = HostTensor::zeros(DType::FP32, {160, 5120});
        QVERIFY(zeros);
        QVERIFY(writeNpy(folder.path("designs/w.npy").toStdString(), *zeros));
        const CliResult found = folder.run(run);
        QCOMPARE(found.code, 0);
        QCOMPARE(valueAt(found.json(), "accuracy/outputs/0/max_abs").toDouble(1), 0.0);
    }

    void newDesignIsRunnable() {
        const CliFolder folder;
        QCOMPARE(folder.run({"new", "--variant", "C", "-o", "mine.cubist.json"}).code, 0);
        const CliResult checked = folder.run({"check", "mine.cubist.json", "--json", "-", "--strict"});
        QCOMPARE(checked.code, 0);
        QCOMPARE(checked.json()["design"].toString(), QString("mine"));
        for (const QJsonValue& finding : checked.json()["findings"].toArray())
            QCOMPARE(finding["severity"].toString(), QString("hint"));
        for (const QString& name : {QString("even"), QString("tail")}) {
            const CliResult result = folder.run({"run", "mine.cubist.json", "--case", name, "--json", "-"});
            QCOMPARE(result.code, 0);
            QCOMPARE(valueAt(result.json(), "accuracy/verdict").toString(), QString("pass"));
        }
        const QStringList again{"new", "--variant", "C", "--chip", "950PR_958x", "-o", "mine.cubist.json"};
        QCOMPARE(folder.run(again).code, 2);
        QCOMPARE(folder.run(again + QStringList{"--force"}).code, 0);
        QCOMPARE(folder.readJson("mine.cubist.json")["chip"].toString(), QString("Ascend950PR_958x"));
    }

    void exportedConfigReadsBack() {
        const CliFolder folder;
        QCOMPARE(folder.run({"export", "glm_gate", "--case", "T1026", "--format", "config", "-o", "config.json"}).code,
                 0);
        const QByteArray text = folder.read("config.json");
        const auto config = parseKernelConfig(text.toStdString());
        QVERIFY(config);
        QCOMPARE(kernelConfigText(*config), text.toStdString());
        QCOMPARE(config->stages.at(0).executions, 33);
        QVERIFY(config->stages.at(0).matmul);
        QCOMPARE(config->stages.at(0).matmul->k, 5120);
        QCOMPARE(config->loops.at(0).iterations, 33);
        QVERIFY(config->predicted);
        const QJsonObject run = folder.run({"run", "glm_gate", "--case", "T1026", "--no-values", "--json", "-"}).json();
        QCOMPARE(static_cast<double>(config->predicted->kernelTicks), valueAt(run, "timing/kernel_ticks").toDouble());
    }
};

QTEST_GUILESS_MAIN(TestCliRun)
#include "tst_cli_run.moc"
