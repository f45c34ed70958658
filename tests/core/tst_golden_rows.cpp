// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "core/accuracy/compare.h"
#include "core/golden/reference.h"
#include "core/run/run.h"
#include "tests/support/cube_random.h"
#include "tests/support/cube_stage.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"
#include "tests/support/stage_runs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

std::vector<double> rowsOf(CubeRig& rig, GoldenKind kind, std::optional<RowRange> rows) {
    std::map<std::string, const HostTensor*> inputs;
    for (const char* name : {"a", "b", "sa", "sb", "bias", "scales"})
        if (rig.has(name)) inputs[name] = &rig.input(name);
    const auto resolved = resolve(rig.design(), bound(rig.design()));
    GoldenRequest request;
    request.kind = kind;
    request.rows = rows;
    auto golden = computeGolden(*resolved, inputs, request, {});
    if (!golden) qFatal("%s", golden.error().message.c_str());
    return golden->outputs.at("c").values;
}

bool sameMap(const ErrorMap& a, const ErrorMap& b) {
    return a.maxAbs == b.maxAbs && a.outside == b.outside && a.gridRows == b.gridRows && a.gridCols == b.gridCols;
}

}  // namespace

class TestGoldenRows : public QObject {
    Q_OBJECT

private slots:
    void blocksHaveTheBitsOfTheWhole() {
        Dice dice(31);
        int blocked = 0;
        for (int round = 0; round < 40; ++round) {
            CubeStageKnobs knobs = randomKnobs(dice);
            knobs.batchA.clear();
            knobs.batchB.clear();
            if (!knobs.bias.empty()) knobs.bias = {1, knobs.n};
            if (dice.flip()) knobs.change = [](CubeStage& stage) { stage.relu = true; };
            CubeRig rig(knobs);
            const auto resolved = resolve(rig.design(), bound(rig.design()));
            QVERIFY(oneProduct(*resolved) != nullptr);
            rig.fillIntegers(-3, 3, static_cast<std::uint64_t>(round));
            rig.fillUniform(-1.0, 1.0, static_cast<std::uint64_t>(round));
            for (const GoldenKind kind : {GoldenKind::Ideal, GoldenKind::Framework}) {
                const std::vector<double> whole = rowsOf(rig, kind, std::nullopt);
                std::vector<double> joined;
                const std::int64_t step = dice.from(1, 17);
                for (std::int64_t first = 0; first < knobs.m; first += step, ++blocked) {
                    const auto block = rowsOf(rig, kind, RowRange{first, std::min(step, knobs.m - first)});
                    joined.insert(joined.end(), block.begin(), block.end());
                }
                QCOMPARE(joined, whole);
            }
        }
        QVERIFY(blocked > 100);
    }

    void rowsBeyondTheValidOnesAreZero() {
        CubeStageKnobs knobs;
        knobs.m = 20;
        Design design = cubeStageDesign(knobs);
        View view;
        view.id = BlockId("rows");
        view.of = ValueId("a");
        view.out = ValueId("a_rows");
        view.shape = {20, 32};
        view.offset = {0, 0};
        view.valid = {13, 32};
        std::get<CubeStage>(design.blocks[0].content).a = ValueId("a_rows");
        design.blocks.insert(design.blocks.begin(), Block{view});
        const HostTensor a = noise(DType::FP16, {20, 32}, 1), b = noise(DType::FP16, {32, 16}, 2);
        const std::map<std::string, const HostTensor*> inputs{{"a", &a}, {"b", &b}};
        const auto resolved = resolve(design, bound(design));
        QVERIFY(oneProduct(*resolved) != nullptr);
        const auto whole = computeGolden(*resolved, inputs, GoldenKind::Ideal, {});
        std::vector<double> joined;
        for (std::int64_t first = 0; first < 20; first += 8) {
            GoldenRequest request;
            request.rows = RowRange{first, std::min<std::int64_t>(8, 20 - first)};
            const auto block = computeGolden(*resolved, inputs, request, {});
            const std::vector<double>& values = block->outputs.at("c").values;
            joined.insert(joined.end(), values.begin(), values.end());
        }
        QCOMPARE(joined, whole->outputs.at("c").values);
        QCOMPARE(joined[13 * 16], 0.0);
    }

    /// Products in loops: tiles of rows with a short last one, and a matrix for each entry of a first axis.
    void loopsAreCutAsWell_data() {
        QTest::addColumn<int>("which");
        QTest::newRow("tiles of rows") << 0;
        QTest::newRow("a batch of matrices") << 1;
    }

    void loopsAreCutAsWell() {
        QFETCH(int, which);
        Design design = glmGate({.rows = 77, .k = 64, .n = 16, .kTile = {64, 64}});
        if (which == 1) {
            const std::string tensors = tensor("x", "input", "FP16", {3, 20, 32}) + "," +
                                        tensor("w", "input", "FP16", {32, 16}) + "," +
                                        tensor("y", "output", "FP32", {3, 20, 16});
            design = designOf(tensors,
                              "{\"kind\": \"loop\", \"id\": \"l\", \"axis\": 3, \"body\": [{\"kind\": \"view\", "
                              "\"id\": \"v\", \"of\": "
                              "\"x\", \"out\": \"t\", \"shape\": [20, 32], \"offset\": [\"i\", 0, 0]}, {\"kind\": "
                              "\"cube\", \"id\": \"mm\", "
                              "\"a\": \"t\", \"b\": \"w\", \"out\": \"r\", \"out_dtype\": \"FP32\", \"tile\": {\"m\": "
                              "[16, 16], \"k\": [32, "
                              "32], \"n\": [16, 16]}}, " +
                                  store("r", "y", ", \"offset\": [\"i\", 0, 0]") + "]}");
        }
        const auto resolved = resolve(design, bound(design));
        QVERIFY(resolved.has_value());
        QVERIFY(oneProduct(*resolved) != nullptr);
        std::vector<HostTensor> held;
        std::map<std::string, const HostTensor*> inputs;
        held.reserve(4);
        std::string output;
        for (const Tensor& declared : design.tensors) {
            if (declared.role == TensorRole::Output) output = declared.id.text;
            if (declared.role != TensorRole::Input) continue;
            held.push_back(noise(declared.dtype, resolved->values.at(declared.id.text).shape,
                                 static_cast<std::uint32_t>(held.size() + 3)));
            inputs[declared.id.text] = &held.back();
        }
        const auto whole = computeGolden(*resolved, inputs, GoldenKind::Framework, {});
        QVERIFY(whole.has_value());
        const std::vector<double>& wanted = whole->outputs.at(output).values;
        const auto total = static_cast<std::int64_t>(wanted.size()) / 16;
        for (const std::int64_t step : {1, 7, 25, 1000}) {
            std::vector<double> joined;
            for (std::int64_t first = 0; first < total; first += step) {
                GoldenRequest request;
                request.kind = GoldenKind::Framework;
                request.rows = RowRange{first, std::min(step, total - first)};
                const auto block = computeGolden(*resolved, inputs, request, {});
                QVERIFY2(block.has_value(), block ? "" : block.error().message.c_str());
                const std::vector<double>& values = block->outputs.at(output).values;
                QCOMPARE(static_cast<std::int64_t>(values.size()), request.rows->count * 16);
                joined.insert(joined.end(), values.begin(), values.end());
            }
            QCOMPARE(joined, wanted);
        }
    }

    void otherDesignsAreNotCut() {
        const Design scaled = rowScale();
        const auto withVectors = resolve(scaled, bound(scaled));
        QVERIFY(oneProduct(*withVectors) == nullptr);
        Design twice = matmulDesign();
        Store second = storeOf(twice);
        second.id = BlockId("again");
        twice.blocks.push_back(Block{second});
        const auto resolved = resolve(twice, bound(twice));
        QVERIFY(oneProduct(*resolved) == nullptr);
    }

    void comparingByRowsGivesTheSameMetrics_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("columns");
        QTest::addColumn<int>("block");
        QTest::newRow("one block") << 200 << 300 << 1000000;
        QTest::newRow("several") << 1000 << 300 << 70000;
        QTest::newRow("smallest blocks") << 700 << 1000 << 1;
        QTest::newRow("a long row") << 3 << 200000 << 100000;
    }

    void comparingByRowsGivesTheSameMetrics() {
        QFETCH(int, rows);
        QFETCH(int, columns);
        QFETCH(int, block);
        const Shape shape{rows, columns};
        const HostTensor actual = noise(DType::FP32, shape, 4);
        std::vector<double> golden(static_cast<std::size_t>(actual.count())), sums(golden.size(), 9.0);
        for (std::size_t e = 0; e < golden.size(); ++e)
            golden[e] = actual.at(static_cast<std::int64_t>(e)) *
                        (1.0 + 1e-6 * static_cast<double>(e % 97) * (e % 3 == 0 ? 1 : -1));
        golden[golden.size() / 2] += 1.0;
        Tolerance tolerance;
        tolerance.rtol = 5e-5;
        Companions companions;
        companions.sumOfProducts = sums;
        companions.depth = 100;
        const auto whole = compareOutput("c", actual, golden, tolerance, 32, 64, {}, companions);
        int calls = 0;
        const auto byRows = compareByRows("c", actual,
                                          [&](std::int64_t first, std::int64_t count) -> Result<GoldenRows> {
                                              ++calls;
                                              const auto begin = static_cast<std::ptrdiff_t>(first * columns),
                                                         end = static_cast<std::ptrdiff_t>((first + count) * columns);
                                              return GoldenRows{{golden.begin() + begin, golden.begin() + end},
                                                                {sums.begin() + begin, sums.begin() + end}};
                                          },
                                          block, 100, tolerance, 32, 64, {});
        QVERIFY(whole && byRows);
        QVERIFY(calls == 1 || block < 1000000);
        QCOMPARE(byRows->verdict, whole->verdict);
        QCOMPARE(byRows->maxAbs, whole->maxAbs);
        QCOMPARE(byRows->maxRel, whole->maxRel);
        QCOMPARE(byRows->maxUlp, whole->maxUlp);
        QCOMPARE(byRows->meanAbs, whole->meanAbs);
        QCOMPARE(byRows->rmse, whole->rmse);
        QCOMPARE(byRows->cosine, whole->cosine);
        QCOMPARE(byRows->outside, whole->outside);
        QCOMPARE(byRows->exact, whole->exact);
        QCOMPARE(byRows->histogram, whole->histogram);
        QVERIFY(sameMap(byRows->map, whole->map));
        QCOMPARE(byRows->worst.size(), whole->worst.size());
        for (std::size_t i = 0; i < whole->worst.size(); ++i) QCOMPARE(byRows->worst[i].index, whole->worst[i].index);
        QVERIFY(byRows->orderBound && whole->orderBound);
        QCOMPARE(byRows->orderBound->outside, whole->orderBound->outside);
        QCOMPARE(byRows->orderBound->largestShare, whole->orderBound->largestShare);
    }

    void aLargeProductIsJudgedLikeASmallOne() {
        RunRequest request;
        request.chip = chipFile("Ascend910B1");
        request.design = std::make_shared<const Design>(
            matmulDesign({.m = 2944, .k = 3, .n = 3000, .mTile = {128, 128}, .nTile = {256, 256}}));
        request.timing = false;
        const auto report = cubist::run(request, {});
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        QCOMPARE(report->accuracy.outputs.size(), std::size_t{1});
        const OutputMetrics& output = report->accuracy.outputs[0];
        QCOMPARE(output.verdict, Verdict::Pass);
        QCOMPARE(output.elements, std::int64_t{2944 * 3000});
        QVERIFY(output.exact > 1000000 && output.exact < output.elements);
        QVERIFY(output.orderBound.has_value());
        QCOMPARE(report->stageErrors.size(), std::size_t{1});
        QCOMPARE(report->stageErrors[0].inherited, 0.0);
        QVERIFY(report->stageErrors[0].added > 0 && report->stageErrors[0].added < 1e-6);
    }
};

QTEST_APPLESS_MAIN(TestGoldenRows)
#include "tst_golden_rows.moc"
