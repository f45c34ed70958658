// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <cmath>
#include <numeric>

#include "core/accuracy/compare.h"
#include "core/golden/reference.h"
#include "core/run/run.h"
#include "tests/support/cube_random.h"
#include "tests/support/cube_stage.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"
#include "tests/support/sanitizers.h"
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
    return golden->outputs.at("c").values.toVector();
}

bool sameMap(const ErrorMap& a, const ErrorMap& b) {
    return a.maxAbs == b.maxAbs && a.outside == b.outside && a.gridRows == b.gridRows && a.gridCols == b.gridCols;
}

constexpr std::int64_t kChainRows = 77;

/// silu(left) * right of a normalised product, times a matrix, plus a residual; whole, or in tiles of 20 rows.
Design chain(bool looped) {
    const std::string rows = std::to_string(looped ? 20 : kChainRows);
    const auto op = [](const std::string& name, const std::string& in, const std::string& out,
                       const std::string& more = {}) {
        return "{\"op\": \"" + name + "\", \"in\": [" + in + "], \"out\": \"" + out + "\"" + more + "}";
    };
    const auto half = [&](const char* out, int column) {
        return op("slice", "\"n\"", out,
                  ", \"shape\": [" + rows + ", 24], \"offset\": [0, " + std::to_string(column) + "]");
    };
    const auto view = [&](const char* of, const char* out, int columns) {
        return std::string("{\"kind\": \"view\", \"id\": \"see_") + of + "\", \"of\": \"" + of + "\", \"out\": \"" +
               out + "\", \"shape\": [20, " + std::to_string(columns) +
               "], \"offset\": [\"i * 20\", 0], \"valid\": [\"min(" + std::to_string(kChainRows) +
               " - i * 20, 20)\", " + std::to_string(columns) + "]},";
    };
    const auto product = [](const char* id, const char* a, const char* b, const char* out, const char* type) {
        return std::string("{\"kind\": \"cube\", \"id\": \"") + id + "\", \"a\": \"" + a + "\", \"b\": \"" + b +
               "\", \"out\": \"" + out + "\", \"out_dtype\": \"" + type +
               "\", \"tile\": {\"m\": [32, 32], \"k\": [32, 32], \"n\": [16, 16]}},";
    };
    const std::string x = looped ? "xt" : "x", residual = looped ? "zt" : "z";
    const std::string first =
        op("add", "\"h\", \"bias\"", "s") + "," + op("amax", "\"s\"", "m", ", \"keepdim\": true") + "," +
        op("sub", "\"s\", \"m\"", "d") + "," + op("rms_norm", "\"d\", \"gamma\"", "n") + "," + half("left", 0) + "," +
        half("right", 24) + "," + op("silu", "\"left\"", "p") + "," + op("mul", "\"p\", \"right\"", "q") + "," +
        op("cast", "\"q\"", "a2", ", \"dtype\": \"BF16\"");
    const std::string second = op("add", "\"g\", \"" + residual + "\"", "t") + "," + op("softmax", "\"t\"", "r");
    const std::string body = (looped ? view("x", "xt", 32) + view("z", "zt", 16) : std::string()) +
                             product("c1", x.c_str(), "w1", "h", "FP32") + stage(first, {20, 48}, "v1") + "," +
                             product("c2", "a2", "w2", "g", "FP32") + stage(second, {20, 16}, "v2") + "," +
                             store("r", "out", looped ? ", \"offset\": [\"i * 20\", 0]" : "");
    return designOf(tensor("x", "input", "BF16", {kChainRows, 32}) + "," + tensor("w1", "input", "BF16", {32, 48}) +
                        "," + tensor("bias", "input", "FP32", {1, 48}) + "," +
                        tensor("gamma", "input", "FP32", {1, 48}) + "," + tensor("w2", "input", "BF16", {24, 16}) +
                        "," + tensor("z", "input", "FP32", {kChainRows, 16}) + "," +
                        tensor("out", "output", "FP32", {kChainRows, 16}),
                    looped ? "{\"kind\": \"loop\", \"id\": \"l\", \"axis\": " + std::to_string(kChainRows) +
                                 ", \"tile\": 20, \"body\": [" + body + "]}"
                           : body);
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
            const GoldenValues& values = block->outputs.at("c").values;
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
        const GoldenValues& wanted = whole->outputs.at(output).values;
        const auto total = static_cast<std::int64_t>(wanted.size()) / 16;
        for (const std::int64_t step : {1, 7, 25, 1000}) {
            std::vector<double> joined;
            for (std::int64_t first = 0; first < total; first += step) {
                GoldenRequest request;
                request.kind = GoldenKind::Framework;
                request.rows = RowRange{first, std::min(step, total - first)};
                const auto block = computeGolden(*resolved, inputs, request, {});
                QVERIFY2(block.has_value(), block ? "" : block.error().message.c_str());
                const GoldenValues& values = block->outputs.at(output).values;
                QCOMPARE(static_cast<std::int64_t>(values.size()), request.rows->count * 16);
                joined.insert(joined.end(), values.begin(), values.end());
            }
            QCOMPARE(joined, wanted);
        }
    }

    /// Products with vector stages between and behind them.
    void chainsOfStagesAreCutAsWell_data() {
        QTest::addColumn<bool>("looped");
        QTest::addColumn<int>("kind");
        for (const GoldenKind kind : {GoldenKind::Ideal, GoldenKind::Framework}) {
            const char* name = kind == GoldenKind::Ideal ? "ideal" : "framework";
            QTest::addRow("%s", name) << false << static_cast<int>(kind);
            QTest::addRow("%s, in tiles with a tail", name) << true << static_cast<int>(kind);
        }
    }
    void chainsOfStagesAreCutAsWell() {
        QFETCH(bool, looped);
        QFETCH(int, kind);
        const Design design = chain(looped);
        const auto resolved = resolve(design, bound(design));
        QVERIFY(resolved.has_value());
        QVERIFY(rowsAreApart(*resolved) && oneProduct(*resolved) == nullptr);
        std::vector<HostTensor> held;
        std::map<std::string, const HostTensor*> inputs;
        held.reserve(design.tensors.size());
        for (const Tensor& declared : design.tensors) {
            if (declared.role != TensorRole::Input) continue;
            held.push_back(noise(declared.dtype, resolved->values.at(declared.id.text).shape,
                                 static_cast<std::uint32_t>(held.size() + 3)));
            inputs[declared.id.text] = &held.back();
        }
        GoldenRequest request;
        request.kind = static_cast<GoldenKind>(kind);
        const auto whole = computeGolden(*resolved, inputs, request, {});
        QVERIFY2(whole.has_value(), whole ? "" : whole.error().message.c_str());
        const GoldenValues& wanted = whole->outputs.at("out").values;
        QCOMPARE(wanted.size(), std::size_t{kChainRows * 16});
        // Rows of a softmax.
        for (auto row = wanted.begin(); row != wanted.end(); row += 16)
            QVERIFY(std::abs(std::accumulate(row, row + 16, 0.0) - 1.0) < 1e-6);
        for (const std::int64_t step : {1, 7, 20, 25, 1000}) {
            std::vector<double> joined;
            for (std::int64_t first = 0; first < kChainRows; first += step) {
                request.rows = RowRange{first, std::min(step, kChainRows - first)};
                const auto block = computeGolden(*resolved, inputs, request, {});
                QVERIFY2(block.has_value(), block ? "" : block.error().message.c_str());
                const GoldenValues& values = block->outputs.at("out").values;
                joined.insert(joined.end(), values.begin(), values.end());
            }
            QCOMPARE(joined, wanted);
        }
    }

    /// Matrices of a batch, one of them the same for all, with a vector stage behind.
    void batchesAreCutBetweenTheirMatrices_data() {
        QTest::addColumn<bool>("sameRight");
        QTest::addColumn<bool>("vector");
        QTest::addColumn<bool>("four");
        for (const bool vector : {false, true})
            for (const bool same : {false, true})
                for (const bool four : {false, true})
                    QTest::addRow("%s%s%s", vector ? "with a vector stage" : "product alone",
                                  same ? ", one right matrix" : "", four ? ", two batch axes" : "")
                        << same << vector << four;
    }
    void batchesAreCutBetweenTheirMatrices() {
        QFETCH(bool, sameRight);
        QFETCH(bool, vector);
        QFETCH(bool, four);
        constexpr std::int64_t kBatch = 5, kM = 12;
        const std::int64_t inner = four ? 2 : 1;
        const auto shape = [&](std::int64_t batch, std::int64_t rows, std::int64_t columns) {
            return four ? Shape{batch, inner, rows, columns} : Shape{batch, rows, columns};
        };
        const std::string product =
            "{\"kind\": \"cube\", \"id\": \"c\", \"a\": \"a\", \"b\": \"b\", \"out\": \"p\", \"out_dtype\": "
            "\"FP32\", \"tile\": {\"m\": [16, 16], \"k\": [32, 32], \"n\": [16, 16]}},";
        const std::string ops = operation("softmax", "\"p\"", ", \"dim\": -2");
        const Design design = designOf(
            tensor("a", "input", "FP16", shape(kBatch, kM, 32)) + "," +
                tensor("b", "input", "FP16", shape(sameRight ? 1 : kBatch, 32, 16)) + "," +
                tensor("out", "output", "FP32", shape(kBatch, kM, 16)),
            product + (vector ? stage(ops, four ? Shape{1, 1, 12, 16} : Shape{1, 12, 16}) + "," : std::string()) +
                store(vector ? "r" : "p", "out"));
        const auto resolved = resolve(design, bound(design));
        QVERIFY(resolved.has_value());
        QVERIFY(rowsAreApart(*resolved));
        const std::int64_t unit = rowUnit(*resolved), total = kBatch * inner * kM;
        QCOMPARE(unit, inner * kM);
        const HostTensor a = noise(DType::FP16, shape(kBatch, kM, 32), 1);
        const HostTensor b = noise(DType::FP16, shape(sameRight ? 1 : kBatch, 32, 16), 2);
        const std::map<std::string, const HostTensor*> inputs{{"a", &a}, {"b", &b}};
        GoldenRequest request;
        const auto whole = computeGolden(*resolved, inputs, request, {});
        QVERIFY2(whole.has_value(), whole ? "" : whole.error().message.c_str());
        for (const std::int64_t step : {unit, 2 * unit, total}) {
            std::vector<double> joined;
            for (std::int64_t first = 0; first < total; first += step) {
                request.rows = RowRange{first, std::min(step, total - first)};
                const auto block = computeGolden(*resolved, inputs, request, {});
                QVERIFY2(block.has_value(), block ? "" : block.error().message.c_str());
                const GoldenValues& values = block->outputs.at("out").values;
                joined.insert(joined.end(), values.begin(), values.end());
            }
            QCOMPARE(joined, whole->outputs.at("out").values);
        }
    }

    /// Blocks of the comparison need not end where matrices do.
    void aLargeBatchIsJudgedLikeASmallOne() {
        RunRequest request;
        request.chip = chipFile("Ascend910B1");
        request.timing = false;
        const auto verdict = [&](std::int64_t batch) {
            request.design = std::make_shared<const Design>(designOf(
                tensor("a", "input", "FP16", {batch, 1100, 16}) + "," + tensor("b", "input", "FP16", {1, 16, 1000}) +
                    "," + tensor("out", "output", "FP32", {batch, 1100, 1000}),
                "{\"kind\": \"cube\", \"id\": \"c\", \"a\": \"a\", \"b\": \"b\", \"out\": \"p\", \"out_dtype\": "
                "\"FP32\", \"tile\": {\"m\": [128, 128], \"k\": [16, 16], \"n\": [256, 256]}}," +
                    store("p", "out")));
            auto report = cubist::run(request, {});
            if (!report) qFatal("%s", report.error().message.c_str());
            return std::move(report->accuracy.outputs[0]);
        };
        const OutputMetrics large = verdict(9);
        QCOMPARE(large.elements, std::int64_t{9 * 1100 * 1000});
        QCOMPARE(large.verdict, Verdict::Pass);
        QVERIFY(large.maxAbs < 1e-5);
    }

    void rowsThatMeetAreNotApart_data() {
        QTest::addColumn<QString>("op");
        QTest::addColumn<bool>("apart");
        QTest::newRow("relu") << "{\"op\": \"relu\", \"in\": [\"x\"], \"out\": \"r\"}" << true;
        QTest::newRow("softmax of rows") << "{\"op\": \"softmax\", \"in\": [\"x\"], \"out\": \"r\"}" << true;
        QTest::newRow("softmax of columns")
            << "{\"op\": \"softmax\", \"in\": [\"x\"], \"out\": \"r\", \"dim\": 0}" << false;
        QTest::newRow("cumsum") << "{\"op\": \"cumsum\", \"in\": [\"x\"], \"out\": \"r\", \"dim\": 0}" << false;
        QTest::newRow("transpose") << "{\"op\": \"transpose\", \"in\": [\"x\"], \"out\": \"r\", \"dims\": [0, 1]}"
                                   << false;
        QTest::newRow("rows moved") << "{\"op\": \"concat\", \"in\": [\"x\", \"x\"], \"out\": \"b\", \"dim\": 0}, "
                                       "{\"op\": \"slice\", \"in\": [\"b\"], \"out\": \"r\", \"shape\": [32, 32], "
                                       "\"offset\": [8, 0]}"
                                    << false;
        QTest::newRow("sum of columns stretched")
            << "{\"op\": \"sum\", \"in\": [\"x\"], \"out\": \"b\", \"dim\": 0, \"keepdim\": true}, {\"op\": "
               "\"add\", \"in\": [\"x\", \"b\"], \"out\": \"r\"}"
            << false;
    }
    void rowsThatMeetAreNotApart() {
        QFETCH(QString, op);
        QFETCH(bool, apart);
        const Design design =
            oneStage(tensor("x", "input", "FP32", {32, 32}), "FP32", {32, 32}, op.toStdString(), {32, 32});
        const auto resolved = resolve(design, bound(design));
        QVERIFY(resolved.has_value());
        QCOMPARE(rowsAreApart(*resolved), apart);
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
        companions.order.terms = 100;
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
                                          block, {100}, tolerance, 32, 64, {});
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

    /// More elements than a block has, so that it is judged by rows; what it says is what the whole golden says.
    void aLargeVectorStageIsJudgedLikeASmallOne() {
        if (kSanitized) QSKIP("minutes under a sanitizer; smaller chains are cut by the same code above");
        RunRequest request;
        request.chip = chipFile("Ascend910B1");
        const auto design = [](std::int64_t rows) {
            return std::make_shared<const Design>(
                oneStage(tensor("x", "input", "FP32", {rows, 4096}), "BF16", {rows, 4096},
                         "{\"op\": \"neg\", \"in\": [\"x\"], \"out\": \"n\"}, {\"op\": \"cast\", \"in\": [\"n\"], "
                         "\"out\": \"r\", \"dtype\": \"BF16\"}",
                         {16, 512}));
        };
        request.timing = false;
        const auto ran = [&](std::int64_t rows) {
            request.design = design(rows);
            auto report = cubist::run(request, {});
            if (!report) qFatal("%s", report.error().message.c_str());
            return std::move(*report);
        };
        const RunReport large = ran(2100), small = ran(2000);
        QCOMPARE(large.accuracy.outputs[0].elements, std::int64_t{2100 * 4096});
        QCOMPARE(large.accuracy.verdict, small.accuracy.verdict);
        QVERIFY(std::abs(large.accuracy.outputs[0].maxAbs / small.accuracy.outputs[0].maxAbs - 1.0) < 0.01);
        QCOMPARE(large.stageErrors.size(), small.stageErrors.size());
        QCOMPARE(large.stageErrors.size(), std::size_t{1});
        QCOMPARE(large.stageErrors[0].id, small.stageErrors[0].id);
        QVERIFY(std::abs(large.stageErrors[0].added / small.stageErrors[0].added - 1.0) < 0.01);
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
