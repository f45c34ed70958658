// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>
#include <memory>

#include "core/design/resolve.h"
#include "core/exchange/pypto/import/pypto_import.h"
#include "core/exchange/pypto/pypto_export.h"
#include "core/rules/buffer_use.h"
#include "core/rules/checker.h"
#include "tests/support/emulation.h"
#include "tests/support/stage_runs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

const std::string kTurn = R"({"op": "transpose", "in": ["x"], "out": "r", "dims": [0, 1]})";
const std::string kTurnThenExp =
    R"({"op": "transpose", "in": ["x"], "out": "t", "dims": [0, 1]}, {"op": "exp", "in": ["t"], "out": "r"})";

Design turned(const Shape& shape, const std::string& ops, const Shape& tile) {
    return oneStage(tensor("x", "input", "FP32", shape), "FP32", {shape[1], shape[0]}, ops, tile);
}

/// The stage's own kernel.
std::string kernelOf(const Design& design) {
    PyptoExportRequest request;
    request.chip = chipFile(design.chip.text);
    request.design = std::make_shared<const Design>(design);
    auto files = exportPypto(request);
    if (!files) qFatal("%s", files.error().message.c_str());
    for (const auto& [name, text] : files->files)
        if (name.ends_with("_impl.py")) return text;
    return {};
}

/// The calls that set vector tiles, in order.
QStringList tileCalls(const std::string& kernel) {
    QStringList calls;
    for (const QString& line : QString::fromStdString(kernel).split(QLatin1Char('\n')))
        if (line.contains(QStringLiteral("pypto.set_vec_tile_shapes"))) calls << line.trimmed();
    return calls;
}

std::vector<const VectorStage*> stagesOf(const Design& design) {
    std::vector<const VectorStage*> stages;
    for (const Block& block : design.blocks)
        if (const auto* stage = std::get_if<VectorStage>(&block.content)) stages.push_back(stage);
    return stages;
}

std::int64_t ubBytes(const Design& design) {
    const auto resolved = resolve(design, bound(design));
    if (!resolved) qFatal("%s", resolved.error().message.c_str());
    return bufferUse(*resolved, resolved->blocks[0], chipFile("Ascend910B1"))[4].bytesPerSlot;
}

}  // namespace

/// PyPTO cuts the source of a transpose and of a reduction.
class TestVectorTiles : public QObject {
    Q_OBJECT

private slots:
    void tasksOfAStage_data() {
        QTest::addColumn<Shape>("shape");
        QTest::addColumn<QString>("ops");
        QTest::addColumn<Shape>("result");
        QTest::addColumn<Shape>("tile");
        QTest::addColumn<int>("tasks");
        const auto row = [](const char* name, const Shape& shape, const std::string& ops, const Shape& result,
                            const Shape& tile, int tasks) {
            QTest::newRow(name) << shape << QString::fromStdString(ops) << result << tile << tasks;
        };
        row("transpose: 4 x 2 tiles of the source", {64, 1024}, kTurn, {1024, 64}, {16, 512}, 8);
        row("transpose with tails", {60, 1000}, kTurn, {1000, 60}, {16, 512}, 8);
        row("what follows goes with it", {64, 1024}, kTurnThenExp, {1024, 64}, {16, 512}, 8);
        row("what comes before it does too", {64, 1024},
            R"({"op": "exp", "in": ["x"], "out": "e"}, {"op": "transpose", "in": ["e"], "out": "r", "dims": [1, 0]})",
            {1024, 64}, {16, 512}, 8);
        row("transposed and back", {64, 1024},
            R"({"op": "transpose", "in": ["x"], "out": "t", "dims": [0, 1]},
               {"op": "exp", "in": ["t"], "out": "e"}, {"op": "transpose", "in": ["e"], "out": "r", "dims": [0, 1]})",
            {64, 1024}, {16, 512}, 8);
        row("outer axes of three", {2, 48, 128}, R"({"op": "transpose", "in": ["x"], "out": "r", "dims": [0, 1]})",
            {48, 2, 128}, {1, 16, 128}, 6);
        // The source [4, 64, 128] in pieces of [4, 32, 64]: 2 x 2 of them.
        row("a reduced axis takes its entry along", {4, 64, 128}, R"({"op": "sum", "in": ["x"], "out": "r", "dim": 0})",
            {64, 128}, {4, 32, 64}, 4);
        row("two axes go", {4, 64, 128},
            R"({"op": "sum", "in": ["x"], "out": "s", "dim": 0}, {"op": "sum", "in": ["s"], "out": "r", "dim": 1})",
            {64}, {4, 16, 128}, 4);
        // Cut along the summed axis: 4 x 16 pieces of 64 KB in PyPTO. All of it fits with a fourth of the rows.
        row("a cut reduced axis costs rows", {4, 64, 4096}, R"({"op": "sum", "in": ["x"], "out": "r", "dim": 0})",
            {64, 4096}, {1, 4, 4096}, 64);
        row("a cut reduced axis that fits costs none", {4, 64, 128},
            R"({"op": "sum", "in": ["x"], "out": "r", "dim": 0})", {64, 128}, {1, 64, 128}, 1);
    }
    void tasksOfAStage() {
        QFETCH(Shape, shape);
        QFETCH(QString, ops);
        QFETCH(Shape, result);
        QFETCH(Shape, tile);
        QFETCH(int, tasks);
        const Design design = oneStage(tensor("x", "input", "FP32", shape), "FP32", result, ops.toStdString(), tile);
        std::vector<HostTensor> inputs;
        inputs.push_back(noise(DType::FP32, shape, 3));
        const Run done = run(design, std::move(inputs));
        QCOMPARE(static_cast<int>(done.program.tasks.size()), tasks);
        for (std::int64_t i = 0; i < done["out"].count(); ++i) {
            const double want = done.ideal.at("out")[static_cast<std::size_t>(i)];
            QVERIFY2(std::abs(done["out"].at(i) - want) <= 1e-5 * std::max(1.0, std::abs(want)), qPrintable(ops));
        }
    }

    void aTensorAndItsTransposeAreMadeTogether() {
        const Design design =
            designOf(tensor("x", "input", "FP32", {64, 96}) + "," + tensor("y", "output", "FP32", {64, 96}) + "," +
                         tensor("z", "output", "FP32", {96, 64}),
                     stage(R"({"op": "neg", "in": ["x"], "out": "n"},
                                                {"op": "transpose", "in": ["n"], "out": "t", "dims": [0, 1]})",
                           {16, 48}) +
                         "," + store("n", "y") + "," + store("t", "z"));
        std::vector<HostTensor> inputs;
        inputs.push_back(noise(DType::FP32, {64, 96}, 5));
        const Run done = run(design, std::move(inputs));
        QCOMPARE(done.program.tasks.size(), std::size_t{4 * 2});
        for (std::int64_t i = 0; i < 64; ++i)
            for (std::int64_t j = 0; j < 96; ++j) {
                QCOMPARE(done["y"].at(i * 96 + j), -done.inputs[0].at(i * 96 + j));
                QCOMPARE(done["z"].at(j * 64 + i), -done.inputs[0].at(i * 96 + j));
            }
    }

    void roomInTheUnifiedBuffer() {
        // Source, result and the padded copy of [16, 512] FP32: 32 KB each.
        QCOMPARE(ubBytes(turned({64, 1024}, kTurn, {16, 512})), std::int64_t{3 * 32768});
        QCOMPARE(ubBytes(turned({128, 192}, kTurn, {128, 192})), std::int64_t{3 * 98304});
        // A tile of 5 rows: rows of 5 elements are padded to 8 in the result, the copy has 16 rows.
        QCOMPARE(ubBytes(turned({10, 64}, kTurn, {5, 64})), std::int64_t{5 * 64 * 4 + 64 * 8 * 4 + 16 * 64 * 4});
        // Axes that are not the last one are moved by rows.
        const Design outer = oneStage(tensor("x", "input", "FP32", {4, 8, 64}), "FP32", {8, 4, 64}, kTurn, {2, 8, 64});
        QCOMPARE(ubBytes(outer), std::int64_t{2 * (2 * 8 * 64 * 4)});
        // 4 x 1 x 4096 and its sum, as lowering takes them.
        const Design cut = oneStage(tensor("x", "input", "FP32", {4, 64, 4096}), "FP32", {64, 4096},
                                    R"({"op": "sum", "in": ["x"], "out": "r", "dim": 0})", {1, 4, 4096});
        QVERIFY(ubBytes(cut) <= 196608);
    }

    void rulesLookAtTheSource() {
        const auto ids = [](const Design& design) {
            QStringList found;
            const auto resolved = resolve(design, bound(design));
            if (!resolved) qFatal("%s", resolved.error().message.c_str());
            for (const Finding& finding : checkDesign(*resolved, chipFile("Ascend910B1"), RuleProfile::Enforced))
                if (finding.severity != Severity::Hint) found << QString::fromStdString(finding.ruleId);
            return found;
        };
        QVERIFY(!ids(turned({64, 1024}, kTurn, {16, 512})).contains(QStringLiteral("CAP-05")));
        QVERIFY(ids(turned({8, 49152}, kTurn, {8, 49152})).contains(QStringLiteral("CAP-05")));
        QVERIFY(ids(turned({128, 192}, kTurn, {128, 192})).contains(QStringLiteral("CAP-05")));
        // 4096 tiles of 16 x 64 and one input: 8192. With the tile on the result it would be 4096 x ceil(4096 / 64).
        QVERIFY(!ids(turned({1024, 4096}, kTurn, {16, 64})).contains(QStringLiteral("VEC-04")));
        QVERIFY(ids(turned({4096, 4096}, kTurn, {16, 64})).contains(QStringLiteral("VEC-04")));
    }

    void theKernelSaysTheSame() {
        const Design design = turned({64, 1024}, kTurnThenExp, {16, 512});
        const std::string kernel = kernelOf(design);
        QCOMPARE(tileCalls(kernel), (QStringList{QStringLiteral("pypto.set_vec_tile_shapes(16, 512)"),
                                                 QStringLiteral("pypto.set_vec_tile_shapes(512, 16)")}));
        const auto back = importPypto(kernel.substr(0, kernel.find("\n# What a kernel cannot say")), "kernel");
        QVERIFY(back.has_value());
        const auto stages = stagesOf(back->design);
        QCOMPARE(stages.size(), std::size_t{1});
        QCOMPARE(stages[0]->tile, (std::vector<std::int64_t>{16, 512}));
        QCOMPARE(stages[0]->ops.size(), std::size_t{2});
        // A reduction that drops the first axis: (32, 64) of what is left.
        const Design dropped = oneStage(tensor("x", "input", "FP32", {4, 64, 128}), "FP32", {64, 128},
                                        R"({"op": "sum", "in": ["x"], "out": "s", "dim": 0},
                                           {"op": "exp", "in": ["s"], "out": "r"})",
                                        {4, 32, 64});
        QCOMPARE(tileCalls(kernelOf(dropped)), (QStringList{QStringLiteral("pypto.set_vec_tile_shapes(4, 32, 64)"),
                                                            QStringLiteral("pypto.set_vec_tile_shapes(32, 64)")}));
    }

    /// Under one tile the compiler cuts the transpose's source and the exponential's result alike: two stages.
    void aKernelThatSetsOneTileIsTwoStages() {
        std::string kernel = kernelOf(turned({64, 1024}, kTurnThenExp, {16, 512}));
        kernel = kernel.substr(0, kernel.find("\n# What a kernel cannot say"));
        const std::string second = "    pypto.set_vec_tile_shapes(512, 16)\n";
        const std::size_t at = kernel.find(second);
        QVERIFY(at != std::string::npos);
        kernel.erase(at, second.size());
        const auto back = importPypto(kernel, "kernel");
        QVERIFY(back.has_value());
        const auto stages = stagesOf(back->design);
        QCOMPARE(stages.size(), std::size_t{2});
        for (const VectorStage* each : stages) QCOMPARE(each->tile, (std::vector<std::int64_t>{16, 512}));
    }
};

QTEST_APPLESS_MAIN(TestVectorTiles)
#include "tst_vector_tiles.moc"
