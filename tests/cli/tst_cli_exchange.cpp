// SPDX-License-Identifier: GPL-3.0-or-later
#include <QRegularExpression>
#include <QTest>
#include <cstring>

#include "core/base/random.h"
#include "core/exchange/npy.h"
#include "tests/cli/cli_process.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// Uniform values as a `.npy` and as a raw file.
void writeInput(const CliFolder& folder, const char* name, const Shape& shape) {
    auto tensor = HostTensor::zeros(DType::FP32, shape);
    if (!tensor || !fillTensor(*tensor, {}, randomStream(7, name), {})) qFatal("cannot make %s", name);
    if (!writeNpy(folder.path(QString(name) + ".npy").toStdString(), *tensor)) qFatal("cannot write %s", name);
    folder.write(QString(name) + ".bin", QByteArray(reinterpret_cast<const char*>(tensor->data()),
                                                    static_cast<qsizetype>(tensor->byteCount())));
}

const QStringList kQuick{"--case", "T64", "--threads", "1"};

}  // namespace

/// Files that go into cubist-cli and come out of it.
class TestCliExchange : public QObject {
    Q_OBJECT

private slots:
    void rawInputsAreTheSameAsNpy() {
        const CliFolder folder;
        writeInput(folder, "hidden_states", {64, 5120});
        for (const QString& file :
             {QString("hidden_states=hidden_states.npy"), QString("hidden_states=hidden_states.bin"),
              QString("hidden_states:FP32=hidden_states.bin")}) {
            const CliResult result = folder.run(QStringList{"run", "glm_gate", "--input", file, "--save-outputs",
                                                            "out.npz", "--no-timing", "--json", "-", "--no-host"} +
                                                kQuick);
            QVERIFY2(result.code == 0, result.err);
            folder.write(file.mid(file.indexOf('=') + 1) + (file.contains(":") ? ".typed" : "") + ".json", result.out);
            folder.write("kept" + file.mid(13, 1) + file.right(3), folder.read("out.npz"));
        }
        QCOMPARE(folder.read("hidden_states.npy.json"), folder.read("hidden_states.bin.json"));
        QCOMPARE(folder.read("hidden_states.npy.json"), folder.read("hidden_states.bin.typed.json"));
        QVERIFY(!folder.read("kept=npy").isEmpty());
        QCOMPARE(folder.read("kept=npy"), folder.read("kept=bin"));
        QCOMPARE(folder.read("kept=npy"), folder.read("kept:bin"));
    }

    /// Outputs go into one file of either kind, and each comes back as the golden of the same run.
    void outputsGoIntoOneFile_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"out.npz", "out.safetensors"}) QTest::newRow(name) << name;
    }
    void outputsGoIntoOneFile() {
        QFETCH(const QString, name);
        const CliFolder folder;
        const CliResult saved =
            folder.run(QStringList{"run", "glm_gate", "--no-timing", "--no-golden", "--save-outputs", name} + kQuick);
        QVERIFY2(saved.code == 0, saved.err);
        QCOMPARE(folder.entries(), QStringList{name});
        for (const QString& golden : {"router_logits=" + name, "router_logits:FP32=" + name + "#router_logits"}) {
            const CliResult run = folder.run(QStringList{"run", "glm_gate", "--no-timing", "--golden", golden, "--set",
                                                         "/tolerance={\"criterion\": \"exact\"}"} +
                                             kQuick);
            QVERIFY2(run.code == 0, run.err + run.out);
        }
        const CliResult wrong = folder.run(
            QStringList{"run", "glm_gate", "--no-timing", "--golden", "router_logits:FP64=" + name} + kQuick);
        QCOMPARE(wrong.code, 2);
        QVERIFY2(wrong.err.contains("the file holds float32, not FP64"), wrong.err);
    }

    void rawFilesOfAnotherSizeAreRefused() {
        const CliFolder folder;
        folder.write("x.bin", QByteArray(64 * 5120 * 2, 'a'));
        const CliResult result =
            folder.run(QStringList{"run", "glm_gate", "--input", "hidden_states=x.bin", "--json", "r.json"} + kQuick);
        QCOMPARE(result.code, 2);
        QVERIFY2(result.err.contains("the file has 655360 bytes; FP32 (64, 5120) has 1310720"), result.err);
        QVERIFY2(result.err.contains("FP16 (64, 5120)"), result.err);
        QVERIFY2(result.err.contains("FP32 (32, 5120)"), result.err);
        QCOMPARE(folder.entries(), QStringList{"x.bin"});
    }

    void exportsEveryFormat_data() {
        QTest::addColumn<QString>("format");
        QTest::addColumn<QByteArray>("has");
        QTest::newRow("perfetto") << "perfetto" << QByteArray("\"ready AIC\"");
        QTest::newRow("pypto-swimlane") << "pypto-swimlane" << QByteArray("machine-view-last-dep");
        QTest::newRow("mindstudio") << "mindstudio" << QByteArray("\"profilingType\": \"op\"");
        QTest::newRow("config") << "config" << QByteArray("cubist_config");
    }
    void exportsEveryFormat() {
        QFETCH(const QString, format);
        QFETCH(const QByteArray, has);
        const CliFolder folder;
        const CliResult result =
            folder.run(QStringList{"export", "glm_gate", "--format", format, "-o", "x.json"} + kQuick);
        QVERIFY2(result.code == 0, result.err);
        QVERIFY(folder.read("x.json").contains(has) || format == "pypto-swimlane");
        QVERIFY(!folder.readJson("x.json").isEmpty());
        QCOMPARE(folder.entries(), QStringList{"x.json"});
        const CliResult piped = folder.run(QStringList{"export", "glm_gate", "--format", format, "-o", "-"} + kQuick);
        QCOMPARE(piped.code, 0);
        QCOMPARE(piped.out, folder.read("x.json"));
    }

    void exportsTables() {
        const CliFolder folder;
        const CliResult result =
            folder.run(QStringList{"export", "glm_gate", "--format", "csv", "-o", "tables"} + kQuick);
        QVERIFY2(result.code == 0, result.err);
        QCOMPARE(QDir(folder.path("tables")).entryList(QDir::Files, QDir::Name | QDir::IgnoreCase),
                 (QStringList{"causes.csv", "pipes.csv", "PipeUtilization.csv", "stages.csv", "tasks.csv"}));
        QVERIFY(folder.read("tables/stages.csv").startsWith("id,label,kind,tasks,span_us"));
    }

    void aBundleReproducesItsRunAnywhere() {
        const CliFolder folder;
        writeInput(folder, "hidden_states", {64, 5120});
        const CliResult made =
            folder.run(QStringList{"export", "glm_gate", "--input", "hidden_states=hidden_states.npy", "--seed", "5",
                                   "--format", "bundle", "-o", "gate.zip"} +
                       kQuick);
        QVERIFY2(made.code == 0, made.err);
        const CliFolder elsewhere;
        elsewhere.write("b", folder.read("gate.zip"));
        const CliResult again = elsewhere.run({"run", "b", "--json", "-", "--no-host"}, {{"CUBIST_DATA", "/nowhere"}});
        QVERIFY2(again.code == 0, again.err);
        QVERIFY2(again.err.contains("reproduced bit for bit"), again.err);
        QCOMPARE(again.json()["seed"].toInt(), 5);
        // Other inputs are another run: nothing is compared.
        const CliResult other = elsewhere.run({"run", "b", "--seed", "6", "--json", "-", "--no-host"});
        QCOMPARE(other.code, 0);
        QVERIFY(!other.err.contains("reproduced"));
        QVERIFY(other.out != again.out);
        QCOMPARE(elsewhere.run({"check", "b"}).code, 0);
        // A changed result is noticed.
        QByteArray broken = folder.read("gate.zip");
        broken[broken.indexOf("\"kernel_us\"") + 15] = '9';
        elsewhere.write("broken", broken);
        const CliResult refused = elsewhere.run({"run", "broken"});
        QCOMPARE(refused.code, 2);
        QVERIFY2(refused.err.contains("run.json"), refused.err);
    }

    void aBundleBringsTheDataOfItsExport() {
        const CliFolder folder;
        writeInput(folder, "rows", {32, 64});
        folder.write("d.cubist.json",
                     R"~({"cubist": 1, "name": "data", "chip": "Ascend910B1", "skeleton": {"variant": "C"},
            "tensors": [{"id": "x", "role": "input", "dtype": "FP32", "shape": [32, 64], "data": {"file": "rows.npy"}},
                        {"id": "y", "role": "output", "dtype": "FP32", "shape": [32, 64]}],
            "blocks": [{"kind": "vector", "id": "v", "ops": [{"op": "relu", "in": ["x"], "out": "r"}], "tile": [32, 64]},
                       {"kind": "store", "id": "s", "from": "r", "to": "y"}]})~");
        const CliResult made = folder.run({"export", "d.cubist.json", "--format", "bundle", "-o", "b.zip"});
        QVERIFY2(made.code == 0, made.err);
        const CliFolder elsewhere;
        elsewhere.write("b.zip", folder.read("b.zip"));
        const CliResult moved = elsewhere.run({"export", "b.zip", "--format", "pypto", "-o", "made"});
        QVERIFY2(moved.code == 0, moved.err);
        const QByteArray values = folder.read("rows.npy");
        QVERIFY(!values.isEmpty());
        QCOMPARE(elsewhere.read("made/rows.npy").right(32 * 64 * 4), values.right(32 * 64 * 4));
    }

    void comparesRuns() {
        const CliFolder folder;
        QCOMPARE(folder.run(QStringList{"run", "glm_gate", "--no-values", "--json", "a.json"} + kQuick).code, 0);
        QCOMPARE(
            folder.run(QStringList{"run", "glm_gate", "--no-values", "--chip", "910B4", "--json", "b.json"} + kQuick)
                .code,
            0);
        const CliResult same = folder.run({"compare", "a.json", "a.json", "--max-slower", "0"});
        QVERIFY2(same.code == 0, same.err);
        QVERIFY(same.out.startsWith("same design"));
        const bool slower = valueAt(folder.readJson("b.json"), "timing/kernel_us").toDouble() >
                            valueAt(folder.readJson("a.json"), "timing/kernel_us").toDouble();
        const QStringList order = slower ? QStringList{"a.json", "b.json"} : QStringList{"b.json", "a.json"};
        const CliResult worse =
            folder.run(QStringList{"compare"} + order +
                       QStringList{"--max-slower", "0.001", "--json", "c.json", "--junit", "c.xml"});
        QCOMPARE(worse.code, 1);
        QVERIFY2(worse.err.contains("allowed are +0.001 %"), worse.err);
        QCOMPARE(folder.readJson("c.json")["verdict"].toString(), QString("fail"));
        QVERIFY(folder.read("c.xml").contains("failures=\"1\""));
        QCOMPARE(folder.run(QStringList{"compare"} + order).code, 0);
    }

    void compareWantsTwoRuns_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("message");
        QTest::newRow("one") << QStringList{"compare", "a.json"} << "compare wants RUN_A.json RUN_B.json";
        QTest::newRow("three") << QStringList{"compare", "a", "b", "c"} << "one argument too many";
        QTest::newRow("missing file") << QStringList{"compare", "a.json", "b.json"} << "a.json";
        QTest::newRow("no run") << QStringList{"compare", "d.json", "d.json"} << "the key 'chip' is missing";
        QTest::newRow("no percentage") << QStringList{"compare", "d.json", "d.json", "--max-slower", "fast"}
                                       << "wants a percentage";
    }
    void compareWantsTwoRuns() {
        QFETCH(const QStringList, arguments);
        QFETCH(const QString, message);
        const CliFolder folder;
        folder.write("d.json", "{\"design\": \"x\"}");
        const CliResult result = folder.run(arguments);
        QCOMPARE(result.code, 2);
        QVERIFY2(result.err.contains(message.toUtf8()), result.err);
    }

    void laysAMeasuredSwimlaneOver() {
        const CliFolder folder;
        QCOMPARE(
            folder.run(QStringList{"export", "glm_gate", "--format", "pypto-swimlane", "-o", "m.json"} + kQuick).code,
            0);
        const QStringList run = QStringList{"run", "glm_gate", "--no-values", "--measured", "m.json"} + kQuick;
        const CliResult text = folder.run(run);
        QVERIFY2(text.code == 0, text.err);
        QVERIFY2(text.out.contains("Measured"), text.out);
        QVERIFY2(text.out.contains("+0.0 %"), text.out);
        const CliResult json = folder.run(run + QStringList{"--json", "-", "--no-host"});
        const double emulated = valueAt(json.json(), "measured/emulated/busy_us").toDouble();
        QVERIFY(emulated > 0);
        QVERIFY(qAbs(emulated - valueAt(json.json(), "measured/measured/busy_us").toDouble()) < 1e-3);
        folder.write("bad.json", "{}");
        QCOMPARE(folder.run({"run", "glm_gate", "--measured", "bad.json"}).code, 2);
    }

    void aKernelGoesOutAndComesBack() {
        const CliFolder folder;
        const QStringList out{"export", "glm_gate", "--format", "pypto", "-o", "kernel"};
        QCOMPARE(folder.run(out).code, 0);
        const QByteArray first = folder.read("kernel/glm_gate_impl.py");
        QVERIFY(first.contains("@pypto.frontend.jit") && !folder.read("kernel/test_glm_gate.py").isEmpty());
        QCOMPARE(folder.run(out).code, 0);
        QCOMPARE(folder.read("kernel/glm_gate_impl.py"), first);

        const QStringList in{"import", "kernel/glm_gate_impl.py", "-o", "back.cubist.json"};
        const CliResult back = folder.run(in);
        QVERIFY2(back.code == 0, back.err);
        QCOMPARE(folder.read("back.cubist.json"), glmGateText());
        const CliResult again = folder.run(in);
        QCOMPARE(again.code, 2);
        QVERIFY(again.err.contains("--force"));
    }

    void whatIsNoKernelIsRefusedWithItsLine() {
        const CliFolder folder;
        folder.write("x.py", "import pypto\ndef f(:\n");
        const CliResult result = folder.run({"import", "x.py", "-o", "x.cubist.json"});
        QCOMPARE(result.code, 2);
        QVERIFY2(result.err.contains("x.py") && result.err.contains("line 2"), result.err);
        QCOMPARE(folder.entries(), QStringList{"x.py"});
    }

    void aKernelThatCannotBeWrittenLeavesNothing() {
        const CliFolder folder;
        const CliResult result = folder.run(
            {"export", "glm_gate", "--set", "/blocks/rows/body/gate/tile/k/0=20", "--format", "pypto", "-o", "kernel"});
        QCOMPARE(result.code, 1);
        QVERIFY(folder.entries().isEmpty());
    }

    void savesWhatPassesBetweenStages() {
        const CliFolder folder;
        const CliResult result =
            folder.run({"run", "pangu_ffn", "--no-timing", "--no-golden", "--save-stages", "stages", "--threads", "2"});
        QVERIFY2(result.code == 0, result.err);
        QVERIFY(!QDir(folder.path("stages")).entryList({"*.npy"}, QDir::Files).isEmpty());
        const CliResult none =
            folder.run({"run", "glm_gate", "--no-timing", "--no-golden", "--save-stages", "none", "--threads", "2"});
        QCOMPARE(none.code, 0);
        QVERIFY2(none.err.contains("no value passes between stages"), none.err);
        QVERIFY(!QDir(folder.path("none")).exists());
    }
};

QTEST_GUILESS_MAIN(TestCliExchange)
#include "tst_cli_exchange.moc"
