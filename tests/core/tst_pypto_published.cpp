// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QTest>
#include <algorithm>
#include <string>
#include <vector>

#include "core/design/resolve.h"
#include "core/exchange/pypto/import/pypto_import.h"

using namespace cubist;

namespace {

using Numbers = std::vector<std::int64_t>;

PyptoImport imported(const QString& name) {
    const QString path = QStringLiteral(CUBIST_SOURCE_DIR "/tests/pypto/published/%1.py").arg(name);
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) qFatal("%s", qPrintable(file.errorString()));
    auto out = importPypto(file.readAll().toStdString(), "kernel", modulesBeside(path.toStdString()));
    if (!out) qFatal("%s", out.error().message.c_str());
    return *std::move(out);
}

bool onlyGuesses(const PyptoImport& import) {
    for (const ImportNote& note : import.notes)
        if (!note.guess) qWarning("line %d: %s", static_cast<int>(note.line), note.message.c_str());
    return std::all_of(import.notes.begin(), import.notes.end(), [](const ImportNote& note) { return note.guess; });
}

bool guessed(const PyptoImport& import, const char* text) {
    return std::any_of(import.notes.begin(), import.notes.end(), [&](const ImportNote& note) {
        return note.guess && note.line > 0 && note.message.find(text) != std::string::npos;
    });
}

template <class Kind>
std::vector<const Kind*> every(const std::vector<Block>& blocks) {
    std::vector<const Kind*> out;
    for (const Block& block : blocks) {
        if (const auto* found = std::get_if<Kind>(&block.content)) out.push_back(found);
        if (const auto* loop = std::get_if<Loop>(&block.content)) {
            const auto inner = every<Kind>(loop->body);
            out.insert(out.end(), inner.begin(), inner.end());
        }
    }
    return out;
}

std::vector<std::string> shapeOf(const Tensor& tensor) {
    std::vector<std::string> out;
    for (const Expression& each : tensor.shape) out.push_back(each.text());
    return out;
}

using Texts = std::vector<std::string>;

}  // namespace

/// Kernels in the structures of those that PyPTO publishes: sizes, tiles and shapes stand in the code around them.
class TestPyptoPublished : public QObject {
    Q_OBJECT

private slots:
    void aFactoryWhoseSizesComeFromTheTest() {
        const PyptoImport back = imported(QStringLiteral("gate"));
        QVERIFY(onlyGuesses(back));
        const Design& design = back.design;
        QCOMPARE(design.name, std::string("router"));
        QCOMPARE(shapeOf(design.tensors.at(0)), (Texts{"rows", "512"}));
        QCOMPARE(shapeOf(design.tensors.at(1)), (Texts{"160", "512"}));
        QCOMPARE(shapeOf(design.tensors.at(2)), (Texts{"rows", "160"}));
        const auto loops = every<Loop>(design.blocks);
        QCOMPARE(loops.size(), std::size_t{1});
        QCOMPARE(loops[0]->tile.text(), std::string("32"));
        const auto cubes = every<CubeStage>(design.blocks);
        QCOMPARE(cubes.at(0)->tile.k, (Numbers{256, 512}));
        QVERIFY(cubes[0]->bTrans);
        QVERIFY(resolve(design, *bind(design, {})));
    }

    void tensorsWhoseShapesAreOnlyChecked() {
        const PyptoImport back = imported(QStringLiteral("shared"));
        QVERIFY(onlyGuesses(back));
        const Design& design = back.design;
        QCOMPARE(shapeOf(design.tensors.at(0)), (Texts{"tokens", "512"}));
        QCOMPARE(shapeOf(design.tensors.at(1)), (Texts{"512", "384"}));
        QCOMPARE(design.tensors[1].dtype, DType::INT8);
        QCOMPARE(design.tensors[1].format, Format::NZ);
        QCOMPARE(shapeOf(design.tensors.at(2)), (Texts{"384"}));
        QCOMPARE(shapeOf(design.tensors.at(3)), (Texts{"192", "512"}));
        QCOMPARE(shapeOf(design.tensors.at(4)), (Texts{"512"}));
        QCOMPARE(design.tensors[4].dtype, DType::BF16);
        QCOMPARE(shapeOf(design.tensors.at(5)), (Texts{"tokens", "512"}));
        QVERIFY(guessed(back, "w13 are taken as line"));
        const auto cubes = every<CubeStage>(design.blocks);
        QCOMPARE(cubes.size(), std::size_t{2});
        QCOMPARE(cubes[0]->tile.m, (Numbers{16, 16}));
        QCOMPARE(cubes[0]->tile.k, (Numbers{256, 512}));
        QVERIFY(cubes[0]->tile.splitK && !cubes[1]->tile.splitK);
        QVERIFY(cubes[0]->tileBy);
        QCOMPARE(cubes[1]->tile.n, (Numbers{256, 256}));
        const auto vectors = every<VectorStage>(design.blocks);
        QCOMPARE(vectors.front()->tile, (Numbers{4, 512}));
        QCOMPARE(vectors.front()->ops.size(), std::size_t{9});  // those of per_token, from the file beside
        QVERIFY(resolve(design, *bind(design, {})));
    }

    void lengthsOfAFactoryThatNobodyCallsAreStaticSymbols() {
        const auto back = importPypto(
            "import pypto\n"
            "def make(rows, depth):\n"
            "    rows = pypto.frontend.dynamic('rows')\n"
            "    @pypto.frontend.jit\n"
            "    def k(x: pypto.Tensor((rows, depth), pypto.DT_FP32), w: pypto.Tensor((16, depth), pypto.DT_FP32),\n"
            "          y: pypto.Tensor((rows, 16), pypto.DT_FP32)):\n"
            "        rows, depth = x.shape\n"
            "        for i in pypto.loop((rows + 31) // 32):\n"
            "            part = pypto.view(x, (32, depth), [i * 32, 0],\n"
            "                              valid_shape=[(rows - i * 32).min(32), depth])\n"
            "            pypto.set_cube_tile_shapes([32, 32], [64, 64], [16, 16])\n"
            "            y[i * 32:, :] = pypto.matmul(part, w, pypto.DT_FP32, b_trans=True)\n"
            "    return k\n",
            "k");
        QVERIFY(back && onlyGuesses(*back));
        QCOMPARE(shapeOf(back->design.tensors.at(0)), (Texts{"rows", "depth"}));
        QCOMPARE(shapeOf(back->design.tensors.at(1)), (Texts{"16", "depth"}));
        const auto& symbols = back->design.symbols;
        const auto depth =
            std::find_if(symbols.begin(), symbols.end(), [](const Symbol& each) { return each.id.text == "depth"; });
        QVERIFY(depth != symbols.end() && depth->isStatic);
        QCOMPARE(every<View>(back->design.blocks).at(0)->shape.at(1).text(), std::string("depth"));
        QVERIFY(resolve(back->design, *bind(back->design, {})));
    }

    void aModuleThatCannotBeReadIsNoted() {
        const auto find = [](const std::string& module) -> std::optional<std::string> {
            if (module == "broken") return "def f(:";
            return std::nullopt;
        };
        const auto back = importPypto(
            "import pypto\n"
            "from broken import f\n"
            "@pypto.frontend.jit\n"
            "def k(x: pypto.Tensor([16, 16], pypto.DT_FP32), y: pypto.Tensor([16, 16], pypto.DT_FP32)):\n"
            "    pypto.set_vec_tile_shapes(16, 16)\n"
            "    y[:] = f(x)\n",
            "k", find);
        QVERIFY(back);
        QVERIFY(std::any_of(back->notes.begin(), back->notes.end(), [](const ImportNote& note) {
            return !note.guess && note.line == 2 && note.message.find("broken") != std::string::npos;
        }));
        QVERIFY(!modulesBeside("/etc/kernel.py")("../passwd"));
    }

    void groupsAndTilesOfAnObjectThatTheCallerGives() {
        const PyptoImport back = imported(QStringLiteral("groups"));
        QVERIFY(onlyGuesses(back));
        const Design& design = back.design;
        QCOMPARE(design.chip.text, std::string("Ascend950PR_958x"));
        QCOMPARE(design.tensors.size(), std::size_t{5});
        QCOMPARE(shapeOf(design.tensors.at(0)), (Texts{"16", "512"}));
        QCOMPARE(design.tensors[0].dtype, DType::FP8E4M3);
        QCOMPARE(shapeOf(design.tensors.at(1)), (Texts{"2", "512", "1024"}));
        QCOMPARE(shapeOf(design.tensors.at(2)), (Texts{"16", "8", "2"}));
        QCOMPARE(shapeOf(design.tensors.at(3)), (Texts{"2", "8", "1024", "2"}));
        QCOMPARE(design.tensors[3].dtype, DType::FP8E8M0);
        QCOMPARE(shapeOf(design.tensors.at(4)), (Texts{"16", "1024"}));
        QCOMPARE(design.lists.size(), std::size_t{1});
        QCOMPARE(design.lists[0].value, (Numbers{7, 9}));
        QCOMPARE(design.lists[0].form, ListForm::Counts);
        const auto cubes = every<CubeStage>(design.blocks);
        QCOMPARE(cubes.size(), std::size_t{1});
        QCOMPARE(cubes[0]->op, CubeOp::ScaledMm);
        QCOMPARE(cubes[0]->tile.m, (Numbers{9, 9}));
        QCOMPARE(every<View>(design.blocks).at(0)->offset.at(0).text(), std::string("start(groups, i)"));
        QVERIFY(guessed(back, "groups is taken as [7, 9]"));
        QVERIFY(resolve(design, *bind(design, {})));
    }

    void aKernelThatReturnsItsResult() {
        const PyptoImport back = imported(QStringLiteral("reduce"));
        QVERIFY(onlyGuesses(back));
        const Design& design = back.design;
        QCOMPARE(design.tensors.size(), std::size_t{5});
        QCOMPARE(design.tensors[1].format, Format::NZ);
        QCOMPARE(shapeOf(design.tensors.at(1)), (Texts{"2", "64", "128"}));
        QCOMPARE(design.tensors[4].id.text, std::string("result"));
        QCOMPARE(design.tensors[4].role, TensorRole::Output);
        QCOMPARE(shapeOf(design.tensors.at(4)), (Texts{"128", "128"}));
        const auto cubes = every<CubeStage>(design.blocks);
        QCOMPARE(cubes.at(0)->tile.k, (Numbers{64, 64}));
        QCOMPARE(cubes[0]->matrixSize.size(), std::size_t{3});
        QCOMPARE(every<VectorStage>(design.blocks).at(0)->tile, (Numbers{1, 64, 128}));
        const auto resolved = resolve(design, *bind(design, {}));
        QVERIFY2(resolved, resolved ? "" : resolved.error().message.c_str());
    }
};

QTEST_APPLESS_MAIN(TestPyptoPublished)
#include "tst_pypto_published.moc"
