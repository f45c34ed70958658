// SPDX-License-Identifier: GPL-3.0-or-later
#include <QElapsedTimer>
#include <QJsonArray>
#include <QTest>

#include "tests/cli/cli_process.h"

using namespace cubist::test;

namespace {

constexpr const char* kPlace = R"("shape": ["T", 5120])";

}  // namespace

/// Exit statuses, messages and what is left behind, one row for each way to call the program.
class TestCliContract : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        m_folder.write("good.cubist.json", glmGateText());
        m_folder.write("syntax.cubist.json", glmGateWith(R"("cubist": 1,)", R"("cubist": 1,,)"));
        m_folder.write("duplicate.cubist.json", glmGateWith(kPlace, QByteArray(kPlace) + R"(, "shape": [1, 2])"));
        m_folder.write("wrong_type.cubist.json", glmGateWith(R"("b_trans": true)", R"("b_trans": "yes")"));
        m_folder.write("missing.cubist.json", glmGateWith(R"("out_dtype": "FP32",)", ""));
        m_folder.write("version.cubist.json", glmGateWith(R"("cubist": 1)", R"("cubist": 99)"));
        m_folder.write("dangling.cubist.json", glmGateWith(R"("b": "weight")", R"("b": "wait")"));
        m_folder.write("cycle.cubist.json", glmGateWith(R"("of": "hidden_states")", R"("of": "logits")"));
        m_folder.write("unknown.cubist.json", glmGateWith(R"("b_trans": true)", R"("b_trans": true, "b_tran": 1)"));
        m_folder.write("deep.cubist.json",
                       QByteArray("{\"cubist\": 1, \"x\": ") + QByteArray(500, '[') + QByteArray(500, ']') + "}");
        m_folder.write("broken.npy", "\x93NUMPY\x01");
        m_folder.write("text.npy", "not a tensor");
        const QByteArray header =
            "{'descr': '<f4', 'fortran_order': False, 'shape': (160, 5120), }" + QByteArray(52, ' ') + "\n";
        m_folder.write("truncated.npy",
                       QByteArray("\x93NUMPY\x01\x00", 8) + QByteArray("\x75\x00", 2) + header + QByteArray(1000, 0));
    }

    void endsWithTheStatusOfTheContract_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("message");  // part of standard error

        const auto row = [](const char* name, const QStringList& arguments, int code, const char* message) {
            QTest::newRow(name) << arguments << code << QString(message);
        };
        const QStringList run{"run", "glm_gate"};
        const auto tile = [&](const char* json) { return run + QStringList{"--tile", QString("gate=") + json}; };

        row("help", {"--help"}, 0, "");
        row("help of a command", {"run", "--help"}, 0, "");
        row("version", {"--version"}, 0, "");
        row("version of a command", {"check", "--version"}, 0, "");
        row("list", {"list"}, 0, "");
        row("check", {"check", "glm_gate"}, 0, "");
        row("check of a file", {"check", "good.cubist.json"}, 0, "");
        row("no values, no time", run + QStringList{"--no-values", "--no-timing"}, 0, "");
        row("unknown key", {"check", "unknown.cubist.json"}, 0, "/blocks/0/body/1/b_tran");
        row("options with equals signs", run + QStringList{"--case=T64", "--no-values", "--threads=1"}, 0, "");
        row("short chip name", run + QStringList{"--no-values", "--chip", "910B2"}, 0, "");

        row("kL0 20", tile(R"({"k":[20,1024]})"), 1, "/blocks/0/body/1/tile/k/0");
        row("L0A over", tile(R"({"k":[1024,1024]})"), 1, "131072");
        row("nL0 0", tile(R"({"n":[0,16]})"), 1, "/blocks/0/body/1/tile/n/0");
        row("check finds it too", {"check", "glm_gate", "--tile", R"(gate={"k":[20,1024]})"}, 1, "TILE-03");
        row("export of a broken design",
            {"export", "glm_gate", "--tile", R"(gate={"k":[20,1024]})", "--format", "config", "-o", "config.json"}, 1,
            "TILE-03");
        row("verdict fail", run + QStringList{"--set", "/tolerance/rtol=0", "--set", "/tolerance/atol=0"}, 1,
            "router_logits");

        row("no command", {}, 2, "--help");
        row("unknown command", {"rum", "glm_gate"}, 2, "run");
        row("command to come", {"tune", "glm_gate"}, 2,
            "available: list, new, check, run, compare, fidelity, export, start, variants");
        row("unknown option", run + QStringList{"--cases", "T64"}, 2, "--case");
        row("option of another command", {"list", "--case", "T64"}, 2, "--case");
        row("missing value", run + QStringList{"--case"}, 2, "--case");
        row("value for a flag", run + QStringList{"--force=yes"}, 2, "--force");
        row("option twice", run + QStringList{"--seed", "1", "--seed", "2"}, 2, "--seed");
        row("no design", {"run"}, 2, "DESIGN");
        row("two designs", {"run", "glm_gate", "glm_gate"}, 2, "glm_gate");
        row("missing file", {"run", "nowhere.cubist.json"}, 2, "nowhere.cubist.json");
        row("misspelled sample", {"run", "glm_gat"}, 2, "did you mean glm_gate");
        row("a folder", {"run", "/"}, 2, "/");
        row("syntax", {"run", "syntax.cubist.json"}, 2, "line 2");
        row("duplicate key", {"run", "duplicate.cubist.json"}, 2, "/tensors/0/shape");
        row("wrong type", {"run", "wrong_type.cubist.json"}, 2, "/blocks/0/body/1/b_trans");
        row("missing key", {"run", "missing.cubist.json"}, 2, "/blocks/0/body/1");
        row("format version", {"run", "version.cubist.json"}, 2, "99");
        row("dangling name", {"run", "dangling.cubist.json"}, 2, "/blocks/0/body/1/b");
        row("cycle", {"run", "cycle.cubist.json"}, 2, "logits");
        row("too deep", {"run", "deep.cubist.json"}, 2, "128");
        row("unknown key, strict", {"check", "unknown.cubist.json", "--strict"}, 2, "/blocks/0/body/1/b_tran");
        row("unknown case", run + QStringList{"--case", "T65"}, 2, "T64");
        row("unknown chip", run + QStringList{"--chip", "910Z"}, 2, "Ascend910B1");
        row("ambiguous chip", run + QStringList{"--chip", "950PR"}, 2, "Ascend950PR_958x");
        row("grid without sizes", run + QStringList{"--launch", "bare:grid"}, 2, "takes 2");
        row("grid of pypto", run + QStringList{"--launch", "pypto:grid=6x4"}, 2, "bare");
        row("grid too large", run + QStringList{"--launch", "bare:grid=60x40"}, 2, "more than");
        row("unknown order", run + QStringList{"--launch", "bare:spiral=3"}, 2, "window");
        row("summary with a trace", run + QStringList{"--summary", "--trace", "t.json"}, 2, "--summary");
        row("launch unknown", run + QStringList{"--launch", "bear"}, 2, "bear");
        row("unknown launch", run + QStringList{"--launch", "pipto"}, 2, "pypto");
        row("unknown profile", run + QStringList{"--profile", "strict"}, 2, "documented");
        row("unknown symbol", run + QStringList{"--sym", "Q=4"}, 2, "T");
        row("symbol without a value", run + QStringList{"--sym", "T"}, 2, "NAME=JSON");
        row("symbol that is no number", run + QStringList{"--sym", "T=many"}, 2, "T");
        row("symbol zero", run + QStringList{"--sym", "T=0"}, 2, "T");
        row("symbol beyond 64 bits", run + QStringList{"--sym", "T=99999999999999999999"}, 2, "T");
        row("symbol twice", run + QStringList{"--sym", "T=1", "--sym", "T=2"}, 2, "T");
        row("shape beyond 64 bits", run + QStringList{"--sym", "T=9223372036854775807"}, 2, "/tensors/0/shape");
        row("10^12 rows", run + QStringList{"--sym", "T=1000000000000"}, 2, "/tensors/0/shape");
        row("10^12 rows, time only", run + QStringList{"--sym", "T=1000000000000", "--no-values"}, 2, "tasks");
        row("too little memory", run + QStringList{"--max-memory", "200M"}, 2, "200 MiB");
        row("no size", run + QStringList{"--max-memory", "lots"}, 2, "--max-memory");
        row("path that leads nowhere", run + QStringList{"--set", "/tensors/weigth/dtype=\"FP16\""}, 2, "weight");
        row("set is no JSON", run + QStringList{"--set", "/name=gate"}, 2, "/name");
        row("set of the wrong type", run + QStringList{"--set", "/seed=\"one\""}, 2, "/seed");
        row("tile of no stage", run + QStringList{"--tile", R"(gat={"m":[16,16]})"}, 2, "gate");
        row("tile of the wrong kind", run + QStringList{"--tile", "gate=[16,16]"}, 2, "/blocks/0/body/1/tile");
        row("unknown instruction set", run + QStringList{"--isa", "sse9"}, 2, "portable");
        row("no threads", run + QStringList{"--threads", "0"}, 2, "--threads");
        row("missing input", run + QStringList{"--input", "weight=nowhere.npy"}, 2, "nowhere.npy");
        row("input of no tensor", run + QStringList{"--input", "wight=truncated.npy"}, 2, "weight");
        row("input for an output", run + QStringList{"--input", "router_logits=truncated.npy"}, 2, "router_logits");
        row("truncated input", run + QStringList{"--input", "weight=truncated.npy"}, 2, "truncated.npy");
        row("broken input", run + QStringList{"--input", "weight=broken.npy"}, 2, "broken.npy");
        row("input that is no tensor file", run + QStringList{"--input", "weight=text.npy"}, 2, "text.npy");
        row("input of another shape", run + QStringList{"--input", "hidden_states=truncated.npy"}, 2, "truncated.npy");
        row("missing golden", run + QStringList{"--golden", "router_logits=nowhere.npy"}, 2, "nowhere.npy");
        row("golden for an input", run + QStringList{"--golden", "weight=truncated.npy"}, 2, "router_logits");
        row("JSON into no folder", run + QStringList{"--json", "nowhere/run.json"}, 2, "nowhere");
        row("JSON over the design", {"run", "good.cubist.json", "--json", "good.cubist.json"}, 2, "good.cubist.json");
        row("one file for two outputs", run + QStringList{"--json", "a.json", "--trace", "./a.json"}, 2, "--trace");
        row("outputs without values", run + QStringList{"--no-values", "--save-outputs", "out"}, 2, "--save-outputs");
        row("outputs into a file", run + QStringList{"--save-outputs", "good.cubist.json"}, 2, "good.cubist.json");
        row("new without a variant", {"new", "-o", "new.cubist.json"}, 2, "--variant");
        row("new of no variant", {"new", "--variant", "X", "-o", "new.cubist.json"}, 2, "available: A, B, B', C, D");
        row("new without a file", {"new", "--variant", "C"}, 2, "-o");
        row("new over a file", {"new", "--variant", "C", "-o", "good.cubist.json"}, 2, "--force");
        row("new of no such combination", {"new", "--variant", "C", "--pattern", "1", "-o", "n.cubist.json"}, 2,
            "variant C with pattern 3");
        row("new for a chip without it",
            {"new", "--variant", "Bs", "--kind", "mxfp8", "--chip", "910B1", "-o", "n.cubist.json"}, 2, "3510");
        row("new of no such kind", {"new", "--variant", "A", "--kind", "fp4", "-o", "n.cubist.json"}, 2, "FP4");
        row("dialect of keys", {"export", "glm_gate", "--format", "pypto", "--keys", "words", "-o", "x"}, 2, "labels");
        row("export without a format", {"export", "glm_gate", "-o", "x"}, 2, "--format");
        row("export without a file", {"export", "glm_gate", "--format", "config"}, 2, "-o");
    }

    void endsWithTheStatusOfTheContract() {
        QFETCH(const QStringList, arguments);
        QFETCH(const int, code);
        QFETCH(const QString, message);

        const QStringList before = m_folder.entries();
        QElapsedTimer timer;
        timer.start();
        const CliResult result = m_folder.run(arguments);
        QVERIFY2(!result.crashed, result.err.constData());
        QVERIFY2(result.code == code, result.err.constData());
        QVERIFY2(result.err.contains(message.toUtf8()), result.err.constData());
        if (code != 0) QCOMPARE(result.err.count('\n'), 1);
        if (code == 2) {
            QVERIFY2(result.err.startsWith("cubist-cli: error: "), result.err.constData());
            QCOMPARE(result.out, QByteArray());
            QVERIFY(timer.elapsed() < 10000);  // the bar is one second
        }
        QCOMPARE(m_folder.entries(), before);
        QCOMPARE(m_folder.read("good.cubist.json"), glmGateText());
    }

    void brokenRulesLeaveTheJsonAndNothingElse() {
        const CliFolder folder;
        const CliResult result =
            folder.run({"run", "glm_gate", "--tile", R"(gate={"k":[20,1024]})", "--json", "run.json", "--save-outputs",
                        "outputs", "--report", "report", "--trace", "trace.json"});
        QCOMPARE(result.code, 1);
        QCOMPARE(folder.entries(), QStringList{"run.json"});
        const QJsonObject json = folder.readJson("run.json");
        QCOMPARE(valueAt(json, "accuracy/verdict").toString(), QString("none"));
        QVERIFY(json["timing"].isNull());
        const QJsonObject finding = valueAt(json, "findings/0").toObject();
        QCOMPARE(finding["id"].toString(), QString("TILE-03"));
        QCOMPARE(finding["severity"].toString(), QString("error"));
        QCOMPARE(finding["where"].toString(), QString("/blocks/0/body/1/tile/k/0"));
        QVERIFY(finding["message"].toString().contains("20"));
    }

    /// The values of a failed run are what one wants to see; a report or a trace would look like a good run's.
    void failedVerdictLeavesTheJsonAndTheValues() {
        const CliFolder folder;
        const CliResult result =
            folder.run({"run", CUBIST_TEST_DATA_DIR "/row_scale.cubist.json", "--set", "/tolerance/rtol=0", "--set",
                        "/tolerance/atol=0", "--json", "run.json", "--save-outputs", "outputs", "--save-stages",
                        "stages.npz", "--report", "report", "--trace", "trace.json"});
        QCOMPARE(result.code, 1);
        QCOMPARE(folder.entries(), (QStringList{"outputs", "run.json", "stages.npz"}));
        QVERIFY(!QDir(folder.path("outputs")).entryList({"*.npy"}, QDir::Files).isEmpty());
        QVERIFY2(result.err.contains("accuracy verdict fail"), result.err.constData());
        QVERIFY2(result.err.contains("no --trace and no --report"), result.err.constData());
        const QJsonObject json = folder.readJson("run.json");
        QCOMPARE(valueAt(json, "accuracy/verdict").toString(), QString("fail"));
        QVERIFY(valueAt(json, "accuracy/outputs/0/outside").toInt() > 0);
        QVERIFY(json["timing"].isObject());
    }

    void forceRunsInSpiteOfErrors() {
        const CliFolder folder;
        // L1 steps that are no multiple of the L0 step break a rule, but can be computed.
        const QStringList arguments{"run", "glm_gate", "--tile", R"(gate={"n":[16,24]})", "--json", "-"};
        const CliResult refused = folder.run(arguments);
        QCOMPARE(refused.code, 1);
        const CliResult forced = folder.run(arguments + QStringList{"--force"});
        QCOMPARE(forced.code, 0);
        QCOMPARE(valueAt(forced.json(), "accuracy/verdict").toString(), QString("pass"));
        QVERIFY(!forced.json()["findings"].toArray().isEmpty());
    }

    void checkWritesSarif() {
        const CliFolder folder;
        folder.write("my design.cubist.json", glmGateText());
        const CliResult result = folder.run({"check", "my design.cubist.json", "--tile", R"(gate={"k":[20,1024]})",
                                             "--sarif", "check.sarif", "--json", "check.json"});
        QCOMPARE(result.code, 1);
        const QJsonObject log = folder.readJson("check.sarif");
        QCOMPARE(log["version"].toString(), QString("2.1.0"));
        const QJsonObject first = valueAt(log, "runs/0/results/0").toObject();
        QCOMPARE(first["ruleId"].toString(), QString("TILE-03"));
        QCOMPARE(first["level"].toString(), QString("error"));
        const QJsonObject location = valueAt(first, "locations/0").toObject();
        QCOMPARE(valueAt(location, "physicalLocation/artifactLocation/uri").toString(),
                 QString("my%20design.cubist.json"));
        QCOMPARE(valueAt(location, "logicalLocations/0/fullyQualifiedName").toString(),
                 QString("/blocks/0/body/1/tile/k/0"));
        const QString index = QString::number(first["ruleIndex"].toInt(-1));
        QCOMPARE(valueAt(log, "runs/0/tool/driver/rules/" + index + "/id").toString(), QString("TILE-03"));
        QCOMPARE(folder.readJson("check.json")["findings"].toArray().size(),
                 valueAt(log, "runs/0/results").toArray().size());
    }

    void offeredFixesRemoveTheFindingWhenSet() {
        const QStringList broken{"check", "glm_gate", "--set", "/blocks/0/body/1/tile/k/0=20"};
        const QJsonObject first =
            valueAt(m_folder.run(broken + QStringList{"--json", "-"}).json(), "findings/0").toObject();
        QCOMPARE(first["id"].toString(), QString("TILE-03"));
        QCOMPARE(first["pypto"].toString(), QString("F0000C"));
        const QJsonArray fixes = first["fixes"].toArray();
        QVERIFY(!fixes.isEmpty());
        for (const QJsonValue& fix : fixes) {
            QStringList arguments = broken + QStringList{"--json", "-"};
            for (const QJsonValue& edit : fix["edits"].toArray()) {
                const QByteArray value = QJsonDocument(QJsonArray{edit["value"]}).toJson(QJsonDocument::Compact);
                arguments << "--set"
                          << edit["path"].toString() + "=" + QString::fromUtf8(value.mid(1, value.size() - 2));
            }
            const CliResult mended = m_folder.run(arguments);
            QCOMPARE(mended.code, 0);
            for (const QJsonValue& left : mended.json()["findings"].toArray())
                QVERIFY2(left["id"].toString() != "TILE-03", qPrintable(fix["title"].toString()));
        }
        const QString text = m_folder.run(broken).out;
        QVERIFY(text.contains("F0000C"));
        QVERIFY2(text.contains("--set /blocks/0/body/1/tile/k/0="), qPrintable(text));
    }

    /// A check lowers and predicts too: what a run finds without values, a code host sees.
    void checkFindsWhatNeedsTheProgram() {
        const QStringList design{"glm_gate", "--set", R"(/options/cube_nbuffer_setting={"7": 2})"};
        const CliResult check = m_folder.run(QStringList{"check"} + design + QStringList{"--json", "-"});
        const CliResult run =
            m_folder.run(QStringList{"run"} + design + QStringList{"--no-values", "--no-golden", "--json", "-"});
        QCOMPARE(check.code, 0);
        const auto ids = [](const QJsonArray& findings, const char* key) {
            QStringList list;
            for (const QJsonValue& finding : findings) list << finding[key].toString();
            return list;
        };
        const QStringList found = ids(check.json()["findings"].toArray(), "id");
        QVERIFY2(found.contains("OPT-07"), qPrintable(found.join(' ')));
        QCOMPARE(found, ids(run.json()["findings"].toArray(), "id"));
        const CliResult sarif = m_folder.run(QStringList{"check"} + design + QStringList{"--sarif", "-"});
        QCOMPARE(ids(valueAt(sarif.json(), "runs/0/results").toArray(), "ruleId"), found);
        // Where that is too much it is said.
        const CliResult many = m_folder.run({"check", "matmul_guide", "--sym", "M=65536", "--sym", "N=65536", "--tile",
                                             R"(product={"m":[16,16],"n":[16,16]})"});
        QCOMPARE(many.code, 0);
        QVERIFY2(many.err.contains("are left out: 16777216 tasks, a check predicts at most 100000"), many.err);
    }

    void unknownKeyIsAWarningInTheResult() {
        const CliResult result = m_folder.run({"check", "unknown.cubist.json", "--json", "-"});
        QCOMPARE(result.code, 0);
        const QJsonObject finding = valueAt(result.json(), "findings/0").toObject();
        QCOMPARE(finding["id"].toString(), QString("DOC-01"));
        QCOMPARE(finding["severity"].toString(), QString("warning"));
        QCOMPARE(finding["where"].toString(), QString("/blocks/0/body/1/b_tran"));
    }

    void listNamesWhatThereIs() {
        const CliResult result = m_folder.run({"list", "--json"});
        QCOMPARE(result.code, 0);
        const QJsonObject json = result.json();
        QCOMPARE(json.keys(), (QStringList{"chips", "rules", "samples", "skeletons"}));
        QVERIFY(json["chips"].toArray().contains("Ascend910B1"));
        const QJsonArray skeletons = json["skeletons"].toArray();
        QCOMPARE(skeletons.size(), 16);
        const QJsonObject general = skeletons[13].toObject();
        QCOMPARE(general["id"].toString(), QString("SK-14"));
        QCOMPARE(general["flow_pattern"].toString(), QString("C, V"));
        QCOMPARE(valueAt(general, "options/device_sched_mode").toInt(), 1);
        QVERIFY(general["choose_zh"].toString() != general["choose"].toString());
        QCOMPARE(valueAt(general, "variants/2/variant").toString(), QString("B'"));
        QCOMPARE(valueAt(general, "templates/0/id").toString(), QString("A-1"));
        QJsonObject full;
        for (const QJsonValue& rule : json["rules"].toArray())
            if (rule.toObject()["id"] == "CAP-04") full = rule.toObject();
        QCOMPARE(valueAt(full, "severity/enforced").toString(), QString("warning"));
        QCOMPARE(valueAt(full, "severity/documented").toString(), QString("error"));
        QVERIFY(full["title_zh"].toString() != full["title"].toString());
        QVERIFY(full["formula"].toString().contains("<= L1"));
        QVERIFY(full["silent"].toBool() && full["pypto"].isNull() && !full["source"].toString().isEmpty());
        QJsonObject gate;
        for (const QJsonValue& sample : json["samples"].toArray()) {
            const QJsonObject entry = sample.toObject();
            QVERIFY2(entry["title_zh"].toString() != entry["title"].toString(), qPrintable(entry["id"].toString()));
            if (entry["id"] == "glm_gate") gate = entry;
        }
        QCOMPARE(valueAt(gate, "cases/0/id").toString(), QString("glm_gate_bs64"));
        QCOMPARE(valueAt(gate, "cases/0/aliases/0").toString(), QString("T64"));
        QCOMPARE(valueAt(gate, "cases/0/default").toBool(), true);
        QCOMPARE(valueAt(gate, "cases/1/default").toBool(true), false);
        QCOMPARE(valueAt(gate, "symbols/0").toString(), QString("T"));
        const QJsonObject tensor = valueAt(gate, "tensors/1").toObject();
        QCOMPARE(tensor["name"].toString(), QString("weight"));
        QCOMPARE(tensor["role"].toString(), QString("input"));
        QCOMPARE(tensor["dtype"].toString(), QString("FP32"));
        QCOMPARE(tensor["shape"].toArray(), (QJsonArray{160, 5120}));
        QCOMPARE(valueAt(gate, "tensors/0/shape/0").toString(), QString("T"));
    }

    void helpNamesEveryOption() {
        const QByteArray help = m_folder.run({"run", "--help"}).out;
        for (const char* option :
             {"--case",         "--chip",   "--launch",    "--profile",      "--sym",       "--set",        "--tile",
              "--input",        "--golden", "--seed",      "--threads",      "--isa",       "--max-memory", "--force",
              "--strict",       "--json",   "--no-values", "--no-golden",    "--no-timing", "--no-host",    "--trace",
              "--save-outputs", "--report", "--checked",   "--golden-limit", "--summary"})
            QVERIFY2(help.contains(option), option);
        QVERIFY(m_folder.run({"check", "--help"}).out.contains("--sarif"));
    }

    void fullDiskIsAnError() {
        if (!QFile::exists("/dev/full")) QSKIP("no /dev/full");
        const CliResult result = m_folder.runProgram("/bin/sh", {"-c", "exec \"$0\" list > /dev/full", CUBIST_CLI});
        QCOMPARE(result.code, 2);
        QVERIFY(result.err.contains("standard output"));
    }

    void closedPipeIsNoCrash() {
        const CliResult result =
            m_folder.runProgram("/bin/bash", {"-c", "\"$0\" list | true; exit ${PIPESTATUS[0]}", CUBIST_CLI});
        QVERIFY(result.code == 0 || result.code == 2);
    }

    void aReaderThatLeavesIsNoError() {
        const CliResult result = m_folder.runProgram(
            "/bin/bash", {"-c", "{ sleep 0.5; \"$0\" list; } | true; exit ${PIPESTATUS[0]}", CUBIST_CLI});
        QCOMPARE(result.code, 0);
        QCOMPARE(result.err, QByteArray());
    }

private:
    CliFolder m_folder;
};

QTEST_GUILESS_MAIN(TestCliContract)
#include "tst_cli_contract.moc"
