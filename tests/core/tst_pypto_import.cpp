// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QElapsedTimer>
#include <QTest>
#include <algorithm>
#include <memory>

#include "core/design/resolve.h"
#include "core/exchange/design_json.h"
#include "core/exchange/pypto/import/pypto_import.h"
#include "core/exchange/pypto/pypto_export.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"
#include "tests/support/import_kernels.h"

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

bool guessed(const PyptoImport& import, std::int64_t line, const char* text) {
    return std::any_of(import.notes.begin(), import.notes.end(), [&](const ImportNote& note) {
        return note.guess && note.line == line && note.message.find(text) != std::string::npos;
    });
}

const char* const kRunTimeGroups =
    "import pypto\n"
    "E, N = 4, 256\n"
    "@pypto.frontend.jit(runtime_options={\"device_sched_parallelism\": 4})\n"
    "def moe(x: pypto.Tensor([pypto.DYNAMIC, 256], pypto.DT_BF16), w: pypto.Tensor([E, 256, N], pypto.DT_BF16),\n"
    "        idx: pypto.Tensor([pypto.DYNAMIC], pypto.DT_INT64), off: pypto.Tensor([E + 1], pypto.DT_INT32),\n"
    "        y: pypto.Tensor([pypto.DYNAMIC, N], pypto.DT_FP32)):\n"
    "    for e in pypto.loop(E, parallel=True):\n"
    "        b, n = off[e], off[e + 1] - off[e]\n"
    "        for t in pypto.loop((n + 63) // 64):\n"
    "            r = (n - t * 64).min(64)\n"
    "            xt = pypto.view(x, [64, 256], [b + t * 64, 0], valid_shape=[r, 256])\n"
    "            it = pypto.view(idx, [64], [b + t * 64], valid_shape=[r])\n"
    "            pypto.set_vec_tile_shapes(1, 64, 256)\n"
    "            we = pypto.reshape(w[e:e + 1, :, :], [256, N])\n"
    "            pypto.set_cube_tile_shapes([64, 64], [128, 256], [128, 128])\n"
    "            h = pypto.matmul(xt, we, pypto.DT_FP32)\n"
    "            pypto.set_vec_tile_shapes(16, 256)\n"
    "            pypto.index_add_(y, 0, it, h)\n";

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
        for (const ImportNote& note : back.notes) QVERIFY2(note.guess, note.message.c_str());
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
        // The print; the conditional expression is decided.
        const auto notes = places(back);
        QCOMPARE(notes.size(), std::size_t{1});
        QCOMPARE(notes[0].line, std::int64_t{24});
        QVERIFY(guessed(back, 8, "rows = 64"));
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
        QCOMPARE(places(back).size(), std::size_t{1});
    }

    void groupsReadAtRunTimeGetRowsAndARecordOfIt() {
        const PyptoImport back = imported(kRunTimeGroups);
        QVERIFY(places(back).empty());
        const Design& design = back.design;
        QCOMPARE(design.lists.size(), std::size_t{1});
        QCOMPARE(design.lists[0].form, ListForm::PrefixSums);
        QCOMPARE(design.lists[0].value, (std::vector<std::int64_t>{0, 16, 32, 48, 64}));
        QVERIFY(guessed(back, 5, "[0, 16, 32, 48, 64]"));
        // Rows that are read at the same place are one axis.
        QCOMPARE(design.tensors[2].shape[0].text(), design.tensors[0].shape[0].text());
        QVERIFY(guessed(back, 12, "as axis 0 of x"));
        // index_add_ adds to what the output holds.
        QCOMPARE(design.tensors[4].role, TensorRole::InOut);
        QVERIFY(resolve(design, *bind(design, {})));
    }

    void automaticCubeMergesAreKept() {
        std::string text = kByHand;
        const std::string setting = "{\"cube_l1_reuse_setting\": {-1: 2, 0: 4}}";
        const std::size_t notes = places(imported(text)).size();
        QCOMPARE(imported(text).design.options.cubeNBuffer, usualCubeNBuffer());
        text.replace(text.find(setting), setting.size(), "{\"cube_nbuffer_setting\": {}}");
        QCOMPARE(places(imported(text)).size(), notes);
        QVERIFY(imported(text).design.options.cubeNBuffer.empty());
    }

    void aListAndALoopMayHaveOneName() {
        const PyptoImport back = imported(
            "import pypto\n"
            "G = (0, 16, 48)\n"
            "@pypto.frontend.jit\n"
            "def k(x: pypto.Tensor([48, 64], pypto.DT_FP32), w: pypto.Tensor([2, 64, 32], pypto.DT_FP32),\n"
            "      y: pypto.Tensor([48, 32], pypto.DT_FP32)):\n"
            "    for g in range(2):\n"
            "        first, last = G[g], G[g + 1]\n"
            "        pypto.set_cube_tile_shapes([16, 16], [32, 64], [32, 32])\n"
            "        y[first:last, :] = pypto.matmul(x[first:last, :], w[g], pypto.DT_FP32)\n");
        QVERIFY(back.notes.empty());
        QCOMPARE(back.design.lists.size(), std::size_t{1});
        QVERIFY(back.design.lists[0].id.text != "g");
        QVERIFY(resolve(back.design, *bind(back.design, {})));
    }

    void aTileThatNoStageTakesIsTold() {
        const PyptoImport back = imported(
            afterMatmul("    a = pypto.exp(h[:, :512])\n    pypto.set_vec_tile_shapes(4, 512)\n    y[:] = a\n"));
        QVERIFY(places(back).empty());
        QVERIFY(guessed(back, 10, "set_vec_tile_shapes(4, 512)"));
    }

    /// Where it is the same in every turn it is kept.
    void theSizeOfAMatrixThatFollowsTheTurnIsListed() {
        for (const bool follows : {false, true}) {
            const std::string rows = follows ? "pypto.min(32, 50 - i * 32)" : "x.shape[0] // 2";
            const PyptoImport back =
                imported(afterMatmul("    for i in pypto.loop(2):\n        a = x[i * 32:i * 32 + 32, :]\n"
                                     "        pypto.set_matrix_size([" +
                                     rows +
                                     ", 256, 512])\n"
                                     "        y[i * 32:, :] = pypto.matmul(a, w[:, :512], pypto.DT_FP32)\n"));
            const auto notes = places(back);
            QCOMPARE(notes.size(), std::size_t{follows ? 1U : 0U});
            if (follows) QCOMPARE(notes[0].line, std::int64_t{11});
            const auto& body = std::get<Loop>(back.design.blocks.back().content).body;
            const auto stage = std::find_if(body.begin(), body.end(), [](const Block& block) {
                return std::holds_alternative<CubeStage>(block.content);
            });
            QVERIFY(stage != body.end());
            const auto& size = std::get<CubeStage>(stage->content).matrixSize;
            QCOMPARE(size.size(), std::size_t{follows ? 0U : 3U});
            if (!follows) QCOMPARE(size[0].text(), std::string("32"));
        }
    }

    void microscalingKeepsItsAxis_data() {
        QTest::addColumn<QString>("axis");
        QTest::addColumn<int>("dim");
        QTest::newRow("last") << "" << -1;
        QTest::newRow("last but one") << ", axis=-2" << -2;
    }
    void microscalingKeepsItsAxis() {
        QFETCH(const QString, axis);
        QFETCH(const int, dim);
        const PyptoImport back =
            imported(afterMatmul("    a = pypto.cast(h[:, :512], pypto.DT_BF16)\n"
                                 "    q, s = pypto.quant_mx(a, pypto.DT_FP8E4M3" +
                                 axis.toStdString() + ")\n    y[:] = pypto.cast(q, pypto.DT_FP32)\n"));
        std::vector<std::int64_t> dims;
        for (const Block& block : back.design.blocks)
            if (const auto* stage = std::get_if<VectorStage>(&block.content))
                for (const VectorOp& op : stage->ops)
                    if (op.op == VectorOpCode::QuantMx) dims.push_back(op.dim.value_or(-1));
        QCOMPARE(dims, std::vector<std::int64_t>{dim});
    }

    void readsVectorWorkInEverySpelling_data() {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<QString>("ops");
        QTest::newRow("slices of a result") << "    y[:] = pypto.mul(h[:, 0:512], h[0:64, 512:])\n"
                                            << "slice slice mul";
        QTest::newRow("keywords") << "    a = pypto.view(input=h, shape=[64, 512], offsets=[0, 0])\n"
                                     "    s = pypto.sum(input=a, dim=-1, keepdim=True)\n"
                                     "    pypto.assemble(input=pypto.add(input=a, other=s), offsets=[0, 0], out=y)\n"
                                  << "slice sum add";
        QTest::newRow("comparison") << "    a = h[:, :512]\n    y[:] = pypto.where(a > 0.0, a, a * 0.01)\n"
                                    << "slice gt mul where";
        QTest::newRow("number first") << "    a = h[:, :512]\n    y[:] = pypto.where(0.0 < a, a, a * 0.01)\n"
                                      << "slice gt mul where";
        QTest::newRow("types and shapes of values") << "    half = h.shape[1] // 2\n"
                                                       "    a = pypto.view(h, [h.shape[0], half], [0, half])\n"
                                                       "    y[:] = pypto.cast(a, x.dtype)\n"
                                                    << "slice cast";
        QTest::newRow("zeros") << "    z = pypto.zeros(64, 512, dtype=pypto.DT_FP32)\n    y[:] = h[:, :512] + z\n"
                               << "full slice add";
    }
    void readsVectorWorkInEverySpelling() {
        QFETCH(const QString, lines);
        QFETCH(const QString, ops);
        const PyptoImport back = imported(afterMatmul(lines.toStdString()));
        QVERIFY2(back.notes.empty(), back.notes.empty() ? "" : back.notes[0].message.c_str());
        QStringList read;
        for (const Block& block : back.design.blocks)
            if (const auto* stage = std::get_if<VectorStage>(&block.content))
                for (const VectorOp& op : stage->ops) read << QString::fromUtf8(toText(op.op).data());
        QCOMPARE(read.join(QLatin1Char(' ')), ops);
        QVERIFY(resolve(back.design, *bind(back.design, {})));
    }

    void whatWouldChangeValuesIsNeverDropped_data() {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<int>("line");
        QTest::newRow("alpha of add") << "    y[:] = pypto.add(h[:, :512], h[:, 512:], alpha=2.0)\n" << 9;
        QTest::newRow("several indices") << "    pypto.index_put_(y, (h, h), h)\n" << 9;
        QTest::newRow("an axis that is no number") << "    d = h\n    y[:] = pypto.sum(h, dim=h, keepdim=True)\n" << 10;
        QTest::newRow("a slice beyond its value") << "    y[:] = h[:, 768:1280]\n" << 9;
        QTest::newRow("a step of a slice") << "    y[:, :256] = x[::2, :] * 2.0\n" << 9;
        QTest::newRow("a step of a write") << "    y[::2, :] = h[:32, :512]\n" << 9;
        QTest::newRow("an end without a start") << "    y[:32, :] = h[:32, :512]\n" << 9;
        QTest::newRow("an end of a column without a start") << "    y[0:, :256] = h[:, :256]\n" << 9;
        QTest::newRow("a value of another shape") << "    y[:] = h\n" << 9;
        QTest::newRow("a value of another shape, moved") << "    v = pypto.exp(h)\n    y.move(v)\n" << 10;
        QTest::newRow("a flag") << "    a = pypto.matmul(h, h, pypto.DT_FP32, b_trans=FLAG)\n" << 9;
    }
    void whatWouldChangeValuesIsNeverDropped() {
        QFETCH(const QString, lines);
        QFETCH(const int, line);
        const auto notes = places(imported(afterMatmul(lines.toStdString())));
        QVERIFY(!notes.empty());
        QCOMPARE(notes[0].line, std::int64_t{line});
    }

    void subscriptsThatPyptoHasNotLeaveTheirLineOut_data() {
        QTest::addColumn<QString>("lines");
        QTest::addColumn<int>("line");  // the noted one; those after it use what it would have given
        const QString sum = QStringLiteral("    s = pypto.sum(h, -1)\n");
        QTest::newRow("None behind a vector") << sum + "    y[:] = h[:, :512] * s[:, None]\n" << 10;
        QTest::newRow("None behind a range") << sum + "    y[:] = h[:, :512] * s[0:64, None]\n" << 10;
        QTest::newRow("None before") << sum + "    y[:] = h[:, :512] * s[None, :]\n" << 10;
        QTest::newRow("several") << sum + "    y[:] = h[:, :512] * s[:, None, None]\n" << 10;
        QTest::newRow("of a slice") << sum + "    y[:] = h[:, :512] * s[:][:, None]\n" << 10;
        QTest::newRow("newaxis") << sum + "    y[:] = h[:, :512] * s[:, np.newaxis]\n" << 10;
        QTest::newRow("of an input") << "    y[:] = h[:, :256] * x[:, :, None]\n" << 9;
        QTest::newRow("behind the dots") << sum + "    y[:] = h[:, :512] * s[..., None]\n" << 10;
        QTest::newRow("a column of a vector") << sum + "    y[:] = h[:, :512] * s[:, 3]\n" << 10;
        QTest::newRow("a range too many") << "    a = h[:, :512, 0:5]\n    y[:] = a\n" << 9;
        QTest::newRow("of an input, a range too many") << "    a = x[:, :, 0:5]\n    y[:] = a\n" << 9;
        QTest::newRow("dots twice") << "    a = h[..., ...]\n    y[:] = a\n" << 9;
        QTest::newRow("a write with None") << "    y[:, :, None] = h[:, :512]\n" << 9;
        QTest::newRow("a write with an axis too many") << "    y[0:64, 0:512, 0:3] = h[:, :512]\n" << 9;
        QTest::newRow("a place with an axis too many") << "    pypto.assemble(h[:, :512], [0, 0, 0], y)\n" << 9;
        QTest::newRow("a place with an axis too few") << "    pypto.assemble(h[:, :512], [0], y)\n" << 9;
        QTest::newRow("a place that is not known") << "    pypto.assemble(h[:, :512], PLACE, y)\n" << 9;
        QTest::newRow("a view of a value with an axis too many")
            << "    v = pypto.view(h, [64, 512, 1], [0, 0, 0])\n    y[:] = v\n"
            << 9;
        QTest::newRow("a view of a value at a place with an axis too few")
            << "    v = pypto.view(h, [64, 512], [0])\n    y[:] = v\n"
            << 9;
        QTest::newRow("a view with an axis too many")
            << "    v = pypto.view(x, [64, 256, 1], [0, 0, 0])\n    y[:] = v\n"
            << 9;
        QTest::newRow("a view of other bytes")
            << "    v = pypto.view(x, [64, 512], [0, 0], dtype=pypto.DT_BF16)\n    y[:] = v\n"
            << 9;
        QTest::newRow("a write with a keyword") << "    pypto.assemble(h[:, :512], [0, 0], y, turned=True)\n" << 9;
    }
    void subscriptsThatPyptoHasNotLeaveTheirLineOut() {
        QFETCH(const QString, lines);
        QFETCH(const int, line);
        const PyptoImport back = imported(afterMatmul(lines.toStdString()));
        const auto notes = places(back);
        QVERIFY(!notes.empty());
        QCOMPARE(notes[0].line, std::int64_t{line});
        QVERIFY(std::none_of(back.design.blocks.begin(), back.design.blocks.end(), [](const Block& block) {
            return std::holds_alternative<Store>(block.content) || std::holds_alternative<View>(block.content);
        }));
    }

    void aViewMayNameItsOwnType() {
        const auto notes = places(
            imported(afterMatmul("    v = pypto.view(x, [64, 256], [0, 0], dtype=pypto.DT_FP32, valid_shape=None)\n"
                                 "    y[:, :256] = v * 2.0\n    y[:, 256:] = v * 2.0\n")));
        for (const ImportNote& note : notes) QVERIFY2(note.line != 9, note.message.c_str());
    }

    void roundingToIntegersSaysWhereItDiffers() {
        const PyptoImport back = imported(afterMatmul("    a = h[:, :512]\n    y[:] = pypto.round(a)\n"));
        QVERIFY(places(back).empty());
        QVERIFY(guessed(back, 10, "2^31"));
    }

    void optionsOfTheKernelAreRead() {
        const PyptoImport back =
            imported(afterMatmul("    pypto.set_options(pass_options={\"vec_nbuffer_setting\": "
                                 "{\"DEFAULT\": 4}}, runtime_options={\"device_sched_mode\": 2})\n"
                                 "    y[:] = h[:, :512] * 2.0\n"));
        QVERIFY(places(back).empty());
        const auto* groups = back.design.options.vecNBuffer.find("DEFAULT");
        QVERIFY(groups != nullptr);
        QCOMPARE(*groups, std::int64_t{4});
        QCOMPARE(back.design.options.deviceSchedMode, std::int64_t{2});
        // What holds in one loop only, and what is not known, is told.
        for (const char* lines : {"    for i in pypto.loop(2):\n        pypto.set_options(pass_options={})\n",
                                  "    pypto.set_options(other_options={})\n"})
            QVERIFY2(!places(imported(afterMatmul(lines + std::string("    y[:] = h[:, :512]\n")))).empty(), lines);
    }

    void importsBehindAConstantHideIt() {
        const auto read = [](const std::string& import, const std::string& other) {
            const std::string kernel = afterMatmul("    y[:] = h[:, :512] * S\n");
            auto out = importPypto("S = 2.0\n" + import + "\n" + kernel, "kernel",
                                   [&](const std::string& module) -> std::optional<std::string> {
                                       if (module == "other" && !other.empty()) return other;
                                       return std::nullopt;
                                   });
            if (!out) qFatal("%s", out.error().message.c_str());
            return *std::move(out);
        };
        const auto factor = [](const PyptoImport& import) {
            for (const Block& block : import.design.blocks)
                if (const auto* stage = std::get_if<VectorStage>(&block.content))
                    for (const VectorOp& op : stage->ops)
                        for (const Operand& each : op.in)
                            if (each.number() != nullptr) return *each.number();
            return 0.0;
        };
        for (const char* import : {"from other import *", "from other import S"}) {
            const PyptoImport known = read(import, "S = 9.0\n");
            // 9, or told: never the value that Python does not take.
            QVERIFY2(factor(known) == 9.0 || (factor(known) == 0.0 && !places(known).empty()), import);
            const PyptoImport unknown = read(import, "");
            QCOMPARE(factor(unknown), 0.0);
            QVERIFY2(!places(unknown).empty(), import);
        }
        QCOMPARE(factor(read("from other import *", "T = 9.0\n")), 2.0);
        QCOMPARE(factor(read("from other import T", "S = 9.0\nT = 1.0\n")), 2.0);
    }

    void slicesThatEndWhereTheTensorEndsAreFine() {
        for (const char* target : {"y[:64, :512]", "y[:64, :]", "y[:y.shape[0], :]", "y[:]", "y[:, :]", "y[...]"}) {
            const auto notes = places(imported(afterMatmul("    " + std::string(target) + " = h[:, :512]\n")));
            QVERIFY2(notes.empty(), target);
        }
    }

    void aReshapeInPlaceSaysWhatToDo() {
        const auto notesOf = [](const std::string& inPlace) {
            return places(
                imported(afterMatmul("    a = pypto.abs(h)\n    r = pypto.reshape(a, [64, 2, 512], inplace=" + inPlace +
                                     ")\n    pypto.set_vec_tile_shapes(16, 2, 512)\n    y[:] = pypto.sum(r, 1)\n")));
        };
        const auto told = notesOf("True");
        QVERIFY(!told.empty());
        QCOMPARE(told[0].line, std::int64_t{10});
        QVERIFY2(told[0].message.find("second shape") != std::string::npos, told[0].message.c_str());
        QVERIFY(notesOf("False").empty());
    }

    void readsEndsOfGroupsThatRunOn() {
        const PyptoImport back = imported(
            "import pypto\n"
            "GROUPS = (7, 9)\n"
            "@pypto.frontend.jit\n"
            "def k(x: pypto.tensor([16, 64], pypto.DT_FP32), w: pypto.tensor([2, 64, 32], pypto.DT_FP32),\n"
            "      y: pypto.tensor([2, 16, 32], pypto.DT_FP32)):\n"
            "    begin = 0\n"
            "    end = 0\n"
            "    for g in range(2):\n"
            "        begin = end\n"
            "        end = end + GROUPS[g]\n"
            "        pypto.set_cube_tile_shapes([16, 16], [32, 64], [32, 32])\n"
            "        y[g] = pypto.matmul(x[begin:end, :], w[g], pypto.DT_FP32)\n");
        QCOMPARE(back.design.lists.size(), std::size_t{1});
        QCOMPARE(back.design.lists[0].form, ListForm::Counts);
        const auto* loop = std::get_if<Loop>(&back.design.blocks.at(0).content);
        QVERIFY(loop != nullptr);
        const auto* view = std::get_if<View>(&loop->body.at(0).content);
        QVERIFY(view != nullptr);
        QCOMPARE(view->offset.at(0).text(), std::string("start(groups, g)"));
        QVERIFY(!view->shape.at(0).literal() && view->valid.empty());  // exactly, as Python slices
        const auto* store = std::get_if<Store>(&loop->body.back().content);
        QVERIFY(store != nullptr);
        QCOMPARE(store->offset.size(), std::size_t{3});
        const auto resolved = resolve(back.design, *bind(back.design, {}));
        QVERIFY2(resolved, resolved ? "" : resolved.error().message.c_str());
        QVERIFY(resolved->problems.empty());
        QCOMPARE(resolved->value(view->out)->shape, (std::vector<std::int64_t>{9, 64}));
        QCOMPARE(*validShape(*resolved, view->out, {{loop->index, 0}}), (std::vector<std::int64_t>{7, 64}));
    }

    void aTileMayFollowTheFactor() {
        const PyptoImport back = imported(
            "import pypto\n"
            "@pypto.frontend.jit\n"
            "def k(x: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP32), w: pypto.Tensor([64, 32], pypto.DT_FP32),\n"
            "      y: pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_FP32)):\n"
            "    n = x.shape[0]\n"
            "    for i, u in pypto.loop_unroll(0, n, 1, name=\"r\", idx_name=\"i\", unroll_list=[64, 16, 1]):\n"
            "        a = pypto.view(x, [u, 64], [i, 0])\n"
            "        pypto.set_cube_tile_shapes([max(u, 16), max(u, 16)], [32, 64], [32, 32])\n"
            "        y[i:, :] = pypto.matmul(a, w, pypto.DT_FP32)\n");
        QVERIFY(places(back).empty());
        Design design = back.design;
        const CubeStage& stage = cubeOf(design);
        QCOMPARE(stage.tile.m, (std::vector<std::int64_t>{64, 64}));
        QVERIFY(stage.tileBy);
        QCOMPARE(stage.tileBy->rows.at(0).m.at(0).text(), std::string("max(u, 16)"));
        QVERIFY(resolve(design, *bind(design, {})));
    }

    void aLabelHoldsUntilTheNext() {
        const PyptoImport back =
            imported(afterMatmul("    pypto.set_semantic_label(\"act\")\n"
                                 "    a = pypto.exp(h[:, :512])\n"
                                 "    pypto.set_vec_tile_shapes(8, 512)\n"
                                 "    y[:] = pypto.exp(a)\n"));
        std::vector<std::string> labels;
        for (const Block& block : back.design.blocks)
            if (const auto* stage = std::get_if<VectorStage>(&block.content))
                labels.push_back(stage->label.empty() ? stage->id.text : stage->label);
        QCOMPARE(labels, (std::vector<std::string>{"act", "act"}));
    }

    void namesOfEveryScriptAreSpelledInAscii() {
        const PyptoImport back = imported(
            "import pypto\n"
            "@pypto.frontend.jit\n"
            "def k(\xe5\x85\xa5: pypto.Tensor([pypto.DYNAMIC, 64], pypto.DT_FP32),\n"
            "      w: pypto.Tensor([64, 32], pypto.DT_FP32), y: pypto.Tensor([pypto.DYNAMIC, 32], pypto.DT_FP32)):\n"
            "    \xe6\x89\xb9 = \xe5\x85\xa5.shape[0]\n"
            "    for i in pypto.loop((\xe6\x89\xb9 + 15) // 16):\n"
            "        a = pypto.view(\xe5\x85\xa5, [16, 64], [i * 16, 0], valid_shape=[(\xe6\x89\xb9 - i * 16).min(16), "
            "64])\n"
            "        pypto.set_cube_tile_shapes([16, 16], [64, 64], [32, 32])\n"
            "        y[i * 16:, :] = pypto.matmul(a, w, pypto.DT_FP32)\n");
        QCOMPARE(back.design.tensors[0].id.text, std::string("u5165"));
        QCOMPARE(back.design.tensors[0].shape[0].text(), std::string("u6279"));
        QVERIFY(guessed(back, 0, "u6279"));
        QVERIFY(readDesign(writeDesign(back.design)));
    }
};

QTEST_APPLESS_MAIN(TestPyptoImport)
#include "tst_pypto_import.moc"
