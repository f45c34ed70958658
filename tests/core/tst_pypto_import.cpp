// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QElapsedTimer>
#include <QTest>
#include <memory>

#include "core/design/resolve.h"
#include "core/exchange/design_json.h"
#include "core/exchange/pypto/import/pypto_import.h"
#include "core/exchange/pypto/pypto_export.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

std::string sourceOf(const Design& design) {
    PyptoExportRequest request;
    request.chip = chipFile(design.chip.text);
    request.design = std::make_shared<const Design>(design);
    auto files = exportPypto(request);
    if (!files || !files->findings.empty()) qFatal("cannot export %s", design.name.c_str());
    for (const auto& [name, text] : files->files)
        if (name.ends_with("_impl.py")) return text;
    return {};
}

Design sample(const QString& path) {
    auto loaded = loadDesign(path.toStdString());
    if (!loaded) qFatal("%s", loaded.error().message.c_str());
    return loaded->design;
}

PyptoImport imported(const std::string& source) {
    auto out = importPypto(source, "kernel");
    if (!out) qFatal("%s", out.error().message.c_str());
    return *std::move(out);
}

std::string replaced(std::string text, const std::string& before, const std::string& after) {
    const std::size_t at = text.find(before);
    if (at == std::string::npos) qFatal("there is no %s", before.c_str());
    return text.replace(at, before.size(), after);
}

/// Without the record: as if someone had written it.
std::string withoutRecord(const std::string& text) {
    return text.substr(0, text.find("\n# What a kernel cannot say"));
}

const char* const kByHand =
    "import pypto\n"
    "\n"
    "TILE = 16\n"
    "\n"
    "@pypto.frontend.jit(pass_options={\"cube_l1_reuse_setting\": {-1: 2, 0: 4}},\n"
    "                    runtime_options={\"device_sched_mode\": 1, \"run_mode\": pypto.RunMode.NPU})\n"
    "def ffn_kernel(\n"
    "    x: pypto.Tensor([pypto.DYNAMIC, 256], pypto.DT_BF16),\n"
    "    w: pypto.Tensor[[256, 512], pypto.DT_BF16],\n"
    "    y: pypto.Tensor([pypto.DYNAMIC, 256], pypto.DT_BF16),\n"
    "):\n"
    "    pypto.experimental.set_operation_options(combine_axis=True)\n"
    "    rows = x.shape[0]\n"
    "    pypto.set_cube_tile_shapes([16, 16], [64, 256], [128, 128], True)\n"
    "    for i in pypto.loop(0, (rows + TILE - 1) // TILE, 1, name=\"LOOP_ROWS\", idx_name=\"i\"):\n"
    "        valid = pypto.min(TILE, rows - i * TILE)\n"
    "        tile = pypto.view(x, [TILE, 256], [i * TILE, 0], valid_shape=[valid, 256])\n"
    "        h = pypto.matmul(tile, w, pypto.DT_FP32)\n"
    "        pypto.set_vec_tile_shapes(16, 256)\n"
    "        gate = h[:, 0:256] if False else pypto.view(h, [16, 256], [0, 0])\n"
    "        left = pypto.view(h, [16, 256], [0, 0])\n"
    "        right = pypto.view(h, [16, 256], [0, 256])\n"
    "        a = left / (pypto.exp(-left) + 1.0) * right\n"
    "        print(a)\n"
    "        y[i * TILE:, 0:] = pypto.cast(a, pypto.DT_BF16, pypto.CastMode.CAST_RINT)\n";

}  // namespace

/// Kernels as designs.
class TestPyptoImport : public QObject {
    Q_OBJECT

private slots:
    void everySampleComesBack_data() {
        QTest::addColumn<QString>("path");
        const QDir folder(QStringLiteral(CUBIST_SOURCE_DIR "/samples"));
        for (const QString& file : folder.entryList({"*.cubist.json"}, QDir::Files))
            QTest::newRow(qPrintable(file)) << folder.filePath(file);
    }
    void everySampleComesBack() {
        QFETCH(const QString, path);
        const Design design = sample(path);
        const PyptoImport back = imported(sourceOf(design));
        QVERIFY2(back.notes.empty(), back.notes.empty() ? "" : back.notes[0].message.c_str());
        QVERIFY(back.fromExport);
        QCOMPARE(writeDesign(back.design), writeDesign(design));
    }

    void everySampleIsRecognisedWithoutItsRecord_data() { everySampleComesBack_data(); }
    void everySampleIsRecognisedWithoutItsRecord() {
        QFETCH(const QString, path);
        const Design design = sample(path);
        const PyptoImport back = imported(withoutRecord(sourceOf(design)));
        QVERIFY2(back.notes.empty(), back.notes.empty() ? "" : back.notes[0].message.c_str());
        QVERIFY(!back.fromExport);
        QCOMPARE(back.design.tensors.size(), design.tensors.size());
        QCOMPARE(back.design.blocks.size(), design.blocks.size());
        const auto binding = bind(back.design, {});
        QVERIFY(binding);
        const auto resolved = resolve(back.design, *binding);
        QVERIFY2(resolved, resolved ? "" : resolved.error().message.c_str());
    }

    void anEditInTheKernelIsAnEditInTheDesign() {
        const Design design = sample(QStringLiteral(CUBIST_SOURCE_DIR "/samples/pangu_ffn.cubist.json"));
        std::string source =
            replaced(sourceOf(design), "[16, 16], [32, 512], [192, 192]", "[16, 16], [64, 256], [128, 128]");
        source = replaced(source, "\"device_sched_mode\": 2", "\"device_sched_mode\": 1");
        const PyptoImport back = imported(source);
        Design expected = design;
        auto tile =
            setAt(expected, "/blocks/layer/body/down/tile", R"({"m": [16, 16], "k": [64, 256], "n": [128, 128]})");
        QVERIFY(tile);
        expected = *tile;
        expected.options.deviceSchedMode = 1;
        QCOMPARE(writeDesign(back.design), writeDesign(expected));
    }

    void readsWhatPeopleWrite() {
        const PyptoImport back = imported(kByHand);
        const Design& design = back.design;
        QCOMPARE(design.name, std::string("ffn"));
        QCOMPARE(design.options.deviceSchedMode, std::int64_t{1});
        QVERIFY(design.options.combineAxis);
        QCOMPARE(*design.options.cubeL1Reuse.find("0"), std::int64_t{4});
        QCOMPARE(design.tensors[0].shape[0].text(), std::string("rows"));
        QCOMPARE(design.tensors[2].role, TensorRole::Output);
        QCOMPARE(design.tensors[2].shape[0].text(), std::string("rows"));
        const auto* loop = std::get_if<Loop>(&design.blocks.at(0).content);
        QVERIFY(loop != nullptr);
        QCOMPARE(loop->id.text, std::string("LOOP_ROWS"));
        QCOMPARE(loop->axis.text(), std::string("rows"));
        QCOMPARE(loop->tile.text(), std::string("16"));
        const auto* view = std::get_if<View>(&loop->body.at(0).content);
        QVERIFY(view != nullptr);
        QCOMPARE(view->valid.at(0).text(), std::string("min(16, rows - i * 16)"));
        const auto* cube = std::get_if<CubeStage>(&loop->body.at(1).content);
        QVERIFY(cube != nullptr && cube->tile.splitK);
        const auto* vector = std::get_if<VectorStage>(&loop->body.at(2).content);
        QVERIFY(vector != nullptr);
        QCOMPARE(vector->tile, (std::vector<std::int64_t>{16, 256}));
        QCOMPARE(vector->ops.back().op, VectorOpCode::Cast);
        // The conditional expression and the print.
        QCOMPARE(back.notes.size(), std::size_t{2});
        QCOMPARE(back.notes[0].line, std::int64_t{20});
        QCOMPARE(back.notes[1].line, std::int64_t{24});
    }

    void refusesWhatIsNoKernel_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QString>("message");
        QTest::newRow("no kernel") << QByteArray("x = 1\n") << "pypto.frontend.jit";
        QTest::newRow("syntax") << QByteArray("def f(:\n") << "line 1";
        QTest::newRow("empty") << QByteArray() << "pypto.frontend.jit";
        QTest::newRow("null byte") << QByteArray("x = 1\0y = 2\n", 12) << "NUL";
        QTest::newRow("encoding") << QByteArray("x = '\xff'\n") << "UTF-8";
        QTest::newRow("deep") << QByteArray("x = ") + QByteArray(5000, '(') + QByteArray(5000, ')') << "";
        QTest::newRow("long") << QByteArray(600 << 10, '#') << "KiB";
        QTest::newRow("wide") << QByteArray("x = [") + QByteArray("1,").repeated(120000) + "]"
                              << "";
    }
    void refusesWhatIsNoKernel() {
        QFETCH(const QByteArray, source);
        QFETCH(const QString, message);
        QElapsedTimer timer;
        timer.start();
        const auto out =
            importPypto(std::string_view(source.data(), static_cast<std::size_t>(source.size())), "kernel");
        QVERIFY(!out);
        QVERIFY2(QString::fromStdString(out.error().message).contains(message), out.error().message.c_str());
        QVERIFY(timer.elapsed() < 10000);
    }

    void aDamagedRecordIsTold() {
        const Design design = glmGate();
        const std::string source = replaced(sourceOf(design), "CUBIST = (\n", "CUBIST = (\n    \"damage\"\n");
        const PyptoImport back = imported(source);
        QVERIFY(!back.fromExport);
        QCOMPARE(back.notes.size(), std::size_t{1});
    }
};

QTEST_APPLESS_MAIN(TestPyptoImport)
#include "tst_pypto_import.moc"
