// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>

#include "core/exchange/bundle.h"
#include "core/exchange/case_settings.h"
#include "core/exchange/config_export.h"
#include "core/exchange/design_json.h"
#include "core/exchange/json_text.h"
#include "core/exchange/json_value.h"
#include "core/exchange/measured_trace.h"
#include "core/exchange/npy.h"
#include "core/exchange/pypto/pypto_export.h"
#include "core/exchange/pypto/settings_import.h"
#include "core/exchange/pypto/tuner_config.h"
#include "core/exchange/pypto_snippet.h"
#include "core/exchange/pypto_swimlane.h"
#include "core/exchange/sarif.h"
#include "core/exchange/tensor_files.h"
#include "core/exchange/trace_overlay.h"
#include "tests/support/bytes.h"
#include "tests/support/emulation.h"
#include "tests/support/sanitizers.h"

using namespace cubist;
using namespace cubist::test;

namespace {

void sampleRows() {
    QTest::addColumn<QString>("path");
    const QDir folder(QStringLiteral(CUBIST_SOURCE_DIR "/samples"));
    const QStringList files = folder.entryList({"*.cubist.json"}, QDir::Files);
    for (qsizetype i = 0; i < files.size(); i += kSanitized ? 5 : 1)
        QTest::newRow(qPrintable(files[i].section('.', 0, 0))) << folder.filePath(files[i]);
}

template <class T>
T value(Result<T> result) {
    if (!result) qFatal("%s: %s", result.error().where.c_str(), result.error().message.c_str());
    return *std::move(result);
}

Design sample(const QString& path) {
    return value(loadDesign(path.toStdString())).design;
}

RunRequest requestOf(const Design& design) {
    RunRequest request;
    request.chip = chipFile(design.chip.text);
    request.design = std::make_shared<const Design>(value(designOfCase(design, {})));
    request.readers = tensorReaders();
    return request;
}

void forEachBlock(std::vector<Block>& blocks, const std::function<void(Block&)>& visit) {
    for (Block& block : blocks) {
        visit(block);
        if (auto* loop = std::get_if<Loop>(&block.content)) forEachBlock(loop->body, visit);
    }
}

/// The sample with other settings, legal or not.
Design changed(const Design& design) {
    Design out = value(designOfCase(design, {}));
    forEachBlock(out.blocks, [](Block& block) {
        if (auto* cube = std::get_if<CubeStage>(&block.content)) {
            cube->tile.m = {48, 96};
            cube->tile.k = {96, 192, 384};
            cube->tile.splitK = !cube->tile.splitK;
            cube->tileBy.reset();
        }
        if (auto* vector = std::get_if<VectorStage>(&block.content)) {
            vector->tile.back() = 24;
            vector->tileBy.reset();
        }
    });
    out.chip = ChipId(design.chip.text == "Ascend910B2" ? "Ascend910B1" : "Ascend910B2");
    out.options.cubeL1Reuse = {};
    out.options.cubeL1Reuse.set("-1", 3);
    out.options.cubeL1ReuseSide = {};
    out.options.vecNBuffer = {};
    out.options.vecNBuffer.set("DEFAULT", 5);
    out.options.deviceSchedMode = 1;
    out.profile = RuleProfile::Documented;
    return out;
}

KernelConfig configOf(const RunRequest& request) {
    return value(kernelConfig(request, value(checkOnly(request, {})), "1.2.3"));
}

PyptoExport folderOf(const Design& design) {
    PyptoExportRequest request;
    request.chip = chipFile(design.chip.text);
    request.design = std::make_shared<const Design>(design);
    return value(exportPypto(request));
}

bool sameElements(const HostTensor& a, const HostTensor& b) {
    return a.dtype() == b.dtype() && a.shape() == b.shape() && std::equal(a.data(), a.data() + a.byteCount(), b.data());
}

}  // namespace

/// Every format that Cubist writes and reads, of every sample: what comes back is what went out.
class TestRoundTrips : public QObject {
    Q_OBJECT

private slots:
    void configsChangeADesignIntoTheirs_data() { sampleRows(); }
    void configsChangeADesignIntoTheirs() {
        QFETCH(const QString, path);
        const Design design = sample(path);
        RunRequest request = requestOf(changed(design));
        if (design.lists.empty() && !design.symbols.empty()) {
            const std::string symbol = design.symbols[0].id.text;
            request.symbols.set(symbol, *value(bind(*request.design, {})).symbols.find(symbol) * 2);
        }
        KernelConfig written = configOf(request);
        const AppliedSettings read = value(applySettings(design, kernelConfigText(written)));
        QVERIFY2(read.left.empty(), read.left.empty() ? "" : read.left[0].c_str());
        KernelConfig again = configOf(requestOf(read.design));
        again.provenance = written.provenance;
        QCOMPARE(QString::fromStdString(kernelConfigText(again)), QString::fromStdString(kernelConfigText(written)));
    }

    void unchangedConfigsChangeNothing_data() { sampleRows(); }
    void unchangedConfigsChangeNothing() {
        QFETCH(const QString, path);
        const Design design = sample(path);
        const AppliedSettings read = value(applySettings(design, kernelConfigText(configOf(requestOf(design)))));
        // Tables of tiles stay, those that follow the factor of an unrolled loop as well.
        QVERIFY(read.design.blocks == design.blocks);
    }

    void aChangedTileEndsItsTable() {
        const Design design = sample(QStringLiteral(CUBIST_SOURCE_DIR "/samples/glm_shared_expert_ffn.cubist.json"));
        KernelConfig config = configOf(requestOf(design));
        const auto stage = std::find_if(config.stages.begin(), config.stages.end(),
                                        [](const ConfigStage& each) { return each.matmul && !each.byFactor.empty(); });
        QVERIFY(stage != config.stages.end());
        stage->matmul->tile.m = {16, 32};
        const AppliedSettings read = value(applySettings(design, kernelConfigText(config)));
        const std::string written = writeDesign(read.design);
        const auto tables = [](const std::string& text) {
            return QString::fromStdString(text).count(QStringLiteral("\"tile_by\""));
        };
        QCOMPARE(tables(written), tables(writeDesign(design)) - 1);
    }

    void whatAConfigCannotSetIsNamed() {
        const Design gate = sample(QStringLiteral(CUBIST_SOURCE_DIR "/samples/glm_gate.cubist.json"));
        const Design other = sample(QStringLiteral(CUBIST_SOURCE_DIR "/samples/matmul_guide.cubist.json"));
        const std::string text = kernelConfigText(configOf(requestOf(gate)));
        const AppliedSettings read = value(applySettings(other, text));
        for (const char* what : {"'glm_gate'", "the stage 'gate'", "the tensor 'hidden_states'", "keeps its tile"})
            QVERIFY2(std::any_of(read.left.begin(), read.left.end(),
                                 [&](const std::string& each) { return each.find(what) != std::string::npos; }),
                     what);
    }

    void snippetsChangeADesignIntoTheirs_data() { sampleRows(); }
    void snippetsChangeADesignIntoTheirs() {
        QFETCH(const QString, path);
        const Design design = sample(path);
        const std::string written = snippetText(snippetOf(changed(design)));
        const AppliedSettings read = value(applySettings(design, written));
        QCOMPARE(read.form, SettingsForm::Snippet);
        QVERIFY2(read.left.empty(), read.left.empty() ? "" : read.left[0].c_str());
        QCOMPARE(QString::fromStdString(snippetText(snippetOf(read.design))), QString::fromStdString(written));
    }

    void tunedTilesComeIntoTheDesign_data() { sampleRows(); }
    void tunedTilesComeIntoTheDesign() {
        QFETCH(const QString, path);
        const Design design = sample(path);
        const PyptoExport before = folderOf(design);
        auto config = value(pypto::parseTunerConfig(before.files.at("config.json")));
        for (pypto::TunerEntry& entry : config.matmuls) entry.k = {64, 128};
        const AppliedSettings read = value(applySettings(design, pypto::tunerConfigText(config)));
        QCOMPARE(read.form, SettingsForm::TunerConfig);
        QVERIFY2(read.left.empty(), read.left.empty() ? "" : read.left[0].c_str());
        const auto again = value(pypto::parseTunerConfig(folderOf(read.design).files.at("config.json")));
        QCOMPARE(again.matmuls.size(), config.matmuls.size());
        for (std::size_t i = 0; i < again.matmuls.size(); ++i) {
            QCOMPARE(again.matmuls[i].m, config.matmuls[i].m);
            QCOMPARE(again.matmuls[i].k, config.matmuls[i].k);
            QCOMPARE(again.matmuls[i].n, config.matmuls[i].n);
        }
    }

    void tunedTilesOfKernelsWithATailComeIn() {
        // The tail is a tuple by step: nothing of the kernel needs to be read for a tile.
        Design design = sample(QStringLiteral(CUBIST_SOURCE_DIR "/samples/glm_gate.cubist.json"));
        design.symbols[0].isStatic = true;
        design.symbols[0].value = 75;
        design.cases.clear();
        design.defaultCase = CaseId();
        std::get<Loop>(design.blocks[0].content).form = LoopKind::Static;
        auto config = value(pypto::parseTunerConfig(folderOf(design).files.at("config.json")));
        config.matmuls.at(0).m = {16, 16};
        const AppliedSettings read = value(applySettings(design, pypto::tunerConfigText(config)));
        QVERIFY(read.left.empty());
        const auto again = value(pypto::parseTunerConfig(folderOf(read.design).files.at("config.json")));
        QCOMPARE(again.matmuls.at(0).m, config.matmuls[0].m);
    }

    void tilesThatAreNoneAreRefused() {
        const Design gate = sample(QStringLiteral(CUBIST_SOURCE_DIR "/samples/glm_gate.cubist.json"));
        const std::string text = folderOf(gate).files.at("config.json");
        const std::size_t first = text.find("[[", text.find("\"mm1\"")) + 2;
        for (const char* size : {"-16", "0", "1180591620717411303424", "1.5", "1e2", "null"}) {
            const std::string wrong = text.substr(0, first) + size + text.substr(text.find(',', first));
            const auto read = pypto::parseTunerConfig(wrong);
            QVERIFY2(!read, size);
            QCOMPARE(read.error().where, std::string("/mm1"));
        }
    }

    void aTunersFileOfAnotherKernelIsNamed() {
        const Design gate = sample(QStringLiteral(CUBIST_SOURCE_DIR "/samples/glm_gate.cubist.json"));
        auto config = value(pypto::parseTunerConfig(folderOf(gate).files.at("config.json")));
        config.matmuls.at(0).line += 1;
        const AppliedSettings read = value(applySettings(gate, pypto::tunerConfigText(config)));
        QCOMPARE(read.left.size(), std::size_t{1});
        QCOMPARE(writeDesign(read.design), writeDesign(gate));
    }

    void swimlanesAreReadAsMeasured_data() { sampleRows(); }
    void swimlanesAreReadAsMeasured() {
        QFETCH(const QString, path);
        const RunReport report = value(predictOnly(requestOf(sample(path)), {}));
        std::string text;
        QVERIFY(writePyptoSwimlane(*report.program, *report.trace, [&text](std::string_view piece) -> Result<void> {
            text += piece;
            return {};
        }));
        const FileFolder folder;
        auto measured = readMeasuredTrace(folder.write("own.json", QByteArray::fromStdString(text)), 50);
        QVERIFY2(measured, measured ? "" : measured.error().message.c_str());
        const TraceOverlay overlay = overlayTraces(*report.program, *report.trace, *std::move(measured));
        QVERIFY(overlay.unknownLabels.empty());
        QCOMPARE(overlay.measuredTotal.tasks, static_cast<std::int64_t>(report.program->tasks.size()));
        for (const OverlayStage& stage : overlay.stages) {
            QCOMPARE(stage.measured.tasks, stage.emulated.tasks);
            QVERIFY(std::abs(stage.measured.busyUs - stage.emulated.busyUs) <=
                    1e-4 * static_cast<double>(stage.emulated.tasks + 10));
        }
    }

    void findingsComeBackAsSarif_data() { sampleRows(); }
    void findingsComeBackAsSarif() {
        QFETCH(const QString, path);
        const RunReport report = value(checkOnly(requestOf(changed(sample(path))), {}));
        QVERIFY(!report.findings.empty());
        const JsonValue log = value(parseJson(sarifText(report.findings, path.toStdString(), "1.2.3")));
        const JsonValue& results = *log.find("runs")->items.at(0).find("results");
        QCOMPARE(results.items.size(), report.findings.size());
        for (std::size_t i = 0; i < results.items.size(); ++i)
            QCOMPARE(results.items[i].find("ruleId")->text, report.findings[i].ruleId);
    }

    void valuesComeBackFromBundlesAndTensorFiles_data() { sampleRows(); }
    void valuesComeBackFromBundlesAndTensorFiles() {
        QFETCH(const QString, path);
        RunRequest request = requestOf(sample(path));
        request.golden = false;
        const RunReport report = value(run(request, {}));
        QVERIFY(!report.outputs.empty());
        const FileFolder folder;

        const std::string archive = folder.path("run.zip");
        QVERIFY(writeBundle(archive, request, report, "1.2.3"));
        const Bundle bundle = value(openBundle(archive));
        QCOMPARE(writeDesign(bundle.design.design), writeDesign(*request.design));
        RunRequest again = requestOf(bundle);
        again.readers = tensorReaders();
        again.golden = false;
        const auto differences = differencesFromBundle(bundle, value(run(again, {})));
        QVERIFY2(differences.empty(), differences.empty() ? "" : differences[0].c_str());

        const std::string all = folder.path("outputs.npz");
        QVERIFY(writeNpz(all, report.outputs));
        for (const auto& [name, tensor] : report.outputs) {
            const std::string single = folder.path(QString::fromStdString(name) + ".npy");
            QVERIFY(writeNpy(single, tensor));
            QVERIFY(sameElements(value(readNpyAs(single, tensor.dtype(), tensor.shape())), tensor));
            for (const std::string& file : {single, all + "#" + name}) {
                const TensorTarget target{name, tensor.dtype(), tensor.shape()};
                QVERIFY2(sameElements(value(tensorReaders().input(TensorFile(file), target)), tensor), file.c_str());
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestRoundTrips)
#include "tst_round_trips.moc"
