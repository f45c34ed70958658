// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "core/golden/reference.h"
#include "core/golden/sample.h"
#include "core/run/inputs.h"
#include "core/run/run.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"
#include "tests/support/sanitizers.h"

using namespace cubist;
using namespace cubist::test;

namespace {

std::map<std::string, const HostTensor*> byName(const Program& program, const std::vector<HostTensor>& inputs) {
    std::map<std::string, const HostTensor*> map;
    std::size_t next = 0;
    for (const GmTensor& tensor : program.tensors)
        if (tensor.initial == InitialState::Data) map[tensor.name] = &inputs[next++];
    return map;
}

/// A transpose behind the product: every sampled row of the output is a column of the product.
Design transposedProduct() {
    return designText(R"({"cubist": 1, "name": "t", "chip": "Ascend910B1", "skeleton": {"variant": "A"}, "tensors": [
        {"id": "a", "role": "input", "dtype": "FP32", "shape": [300, 32]},
        {"id": "b", "role": "input", "dtype": "FP32", "shape": [32, 320]},
        {"id": "c", "role": "output", "dtype": "FP32", "shape": [320, 300]}],
        "blocks": [{"kind": "cube", "id": "product", "a": "a", "b": "b", "out": "r", "out_dtype": "FP32",
                    "tile": {"m": [32, 32], "k": [32, 32], "n": [32, 32]}},
                   {"kind": "vector", "id": "turn", "tile": [32, 32],
                    "ops": [{"op": "transpose", "in": ["r"], "out": "t", "dims": [0, 1]}]},
                   {"kind": "store", "id": "w", "from": "t", "to": "c"}]})");
}

/// The most memory that this process has held, in bytes.
std::int64_t peakBytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
    return 0;
}

/// From here on the peak counts anew.
void forgetPeak() {
    std::ofstream("/proc/self/clear_refs") << "5";
}

/// A product of FP8 operands with one scale for every 32 elements along K.
Design scaledProduct(std::int64_t m, std::int64_t k, std::int64_t n) {
    Design design = matmulDesign({.m = m, .k = k, .n = n, .dtype = DType::FP8E4M3, .out = DType::FP32});
    const auto scales = [](const char* id, const Shape& extents) {
        Tensor tensor;
        tensor.id = TensorId(id);
        tensor.role = TensorRole::Input;
        tensor.dtype = DType::FP8E8M0;
        for (const std::int64_t extent : extents) tensor.shape.emplace_back(extent);
        return tensor;
    };
    design.tensors.insert(design.tensors.begin() + 2, {scales("sa", {m, k / 64, 2}), scales("sb", {k / 64, n, 2})});
    CubeStage& stage = cubeOf(design);
    stage.op = CubeOp::ScaledMm;
    stage.scaleA = ValueId("sa");
    stage.scaleB = ValueId("sb");
    return design;
}

}  // namespace

class TestSampledGolden : public QObject {
    Q_OBJECT

private slots:
    void everyBlockHasElements_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("cols");
        QTest::addColumn<int>("tileRows");
        QTest::addColumn<int>("tileCols");
        QTest::addColumn<int>("elements");
        QTest::newRow("square") << 8192 << 8192 << 128 << 256 << 65536;
        QTest::newRow("tails") << 5001 << 7169 << 128 << 256 << 65536;
        QTest::newRow("one row") << 1 << 200000 << 16 << 256 << 65536;
        QTest::newRow("tall") << 300000 << 7 << 32 << 16 << 65536;
        QTest::newRow("smaller than the sample") << 100 << 90 << 32 << 16 << 9000;
        QTest::newRow("more blocks than elements") << 4096 << 4096 << 8 << 16 << 512 * 256;
    }
    void everyBlockHasElements() {
        QFETCH(int, rows);
        QFETCH(int, cols);
        QFETCH(int, tileRows);
        QFETCH(int, tileCols);
        QFETCH(int, elements);
        const OutputSample sample = drawSample({rows, cols}, tileRows, tileCols, kSampleElements, 3, "c");
        QCOMPARE(sample.positions.size(), static_cast<std::size_t>(elements));
        std::set<std::pair<std::int64_t, std::int64_t>> blocks;
        std::int64_t last = -1;
        for (const std::int64_t position : sample.positions) {
            QVERIFY(position > last && position < std::int64_t{rows} * cols);
            last = position;
            blocks.emplace(position / cols / tileRows, position % cols / tileCols);
        }
        QCOMPARE(blocks.size(),
                 static_cast<std::size_t>(((rows + tileRows - 1) / tileRows) * ((cols + tileCols - 1) / tileCols)));
        QCOMPARE(sample.positions, drawSample({rows, cols}, tileRows, tileCols, kSampleElements, 3, "c").positions);
        if (elements < rows * cols)
            QVERIFY(sample.positions !=
                    drawSample({rows, cols}, tileRows, tileCols, kSampleElements, 4, "c").positions);
    }

    /// Of weights with scales only what the sample looks at becomes FP64, and that by pieces.
    void scaledWeightsAreNotKeptInFp64() {
        constexpr std::int64_t kRows = 16, kDepth = 1024, kColumns = 32768;
        const Design design = scaledProduct(kRows, kDepth, kColumns);
        const auto binding = bind(design, {}, {});
        QVERIFY(binding.has_value());
        const auto resolved = resolve(design, *binding);
        QVERIFY(resolved.has_value());
        const auto filled = [](DType type, Shape shape, std::uint8_t even, std::uint8_t odd) {
            HostTensor tensor = *HostTensor::zeros(type, std::move(shape));
            const auto codes = tensor.writableCodes<std::uint8_t>();
            for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = i % 2 == 0 ? even : odd;
            return tensor;
        };
        // 1 and 2 with scales of 1 and 2 for the groups of a pair.
        const HostTensor a = filled(DType::FP8E4M3, {kRows, kDepth}, 0x38, 0x40);
        const HostTensor b = filled(DType::FP8E4M3, {kDepth, kColumns}, 0x38, 0x40);
        const HostTensor sa = filled(DType::FP8E8M0, {kRows, kDepth / 64, 2}, 127, 128);
        const HostTensor sb = filled(DType::FP8E8M0, {kDepth / 64, kColumns, 2}, 127, 128);
        GoldenRequest request;
        request.kind = GoldenKind::Framework;
        request.samples["c"] = drawSample({kRows, kColumns}, 128, 256, 4096, 1, "c");
        forgetPeak();
        const std::int64_t before = peakBytes();
        const auto golden = computeGolden(*resolved, {{"a", &a}, {"b", &b}, {"sa", &sa}, {"sb", &sb}}, request, {});
        QVERIFY2(golden.has_value(), golden ? "" : golden.error().message.c_str());
        const std::int64_t grown = peakBytes() - before;
        for (const std::int64_t position : request.samples["c"].positions) {
            // Half of the elements along K are 1, half 2; of every pair of groups one is scaled by 1, one by 2 * 2.
            const double column = position % kColumns % 2 == 0 ? 1.0 : 2.0;
            QCOMPARE(golden->outputs.at("c").values[static_cast<std::size_t>(position)],
                     column * 1.5 * 2.5 * static_cast<double>(kDepth));
        }
        // The weights take 256 MiB as FP64.
        if (!kSanitized) QVERIFY2(grown < (std::int64_t{128} << 20), std::to_string(grown).c_str());
    }

    /// Of an output of which a sample is compared, what is not in the sample takes no memory.
    void whatIsNotSampledTakesNoMemory() {
        constexpr std::int64_t kExtent = 16384, kDepth = 16;
        const Design design = matmulDesign({.m = kExtent, .k = kDepth, .n = kExtent});
        const auto resolved = resolve(design, bound(design));
        QVERIFY(resolved.has_value());
        HostTensor a = *HostTensor::zeros(DType::FP16, {kExtent, kDepth});
        HostTensor b = *HostTensor::zeros(DType::FP16, {kDepth, kExtent});
        for (HostTensor* const tensor : {&a, &b})
            for (std::uint16_t& code : tensor->writableCodes<std::uint16_t>()) code = 0x3C00;  // 1
        GoldenRequest request;
        request.samples["c"] = drawSample({kExtent, kExtent}, 256, 256, 4096, 1, "c");
        forgetPeak();
        const std::int64_t before = peakBytes();
        const auto golden = computeGolden(*resolved, {{"a", &a}, {"b", &b}}, request, {});
        QVERIFY2(golden.has_value(), golden ? "" : golden.error().message.c_str());
        const std::int64_t grown = peakBytes() - before;
        for (const std::int64_t position : request.samples["c"].positions)
            QCOMPARE(golden->outputs.at("c").values[static_cast<std::size_t>(position)], static_cast<double>(kDepth));
        // All of it takes 2 GiB as FP64; a page of 2 MiB around each line that is compared a quarter of that.
        const auto pages = static_cast<std::int64_t>(request.samples["c"].rows.size()) << 21;
        QVERIFY(pages <= std::int64_t{512} << 20);
        if (!kSanitized) QVERIFY2(grown < pages + (std::int64_t{64} << 20), std::to_string(grown).c_str());
    }

    void sampledElementsAreThoseOfTheWholeGolden_data() {
        QTest::addColumn<int>("which");
        QTest::newRow("matmul") << 0;
        QTest::newRow("both operands transposed") << 1;
        QTest::newRow("rows in a loop") << 2;
        QTest::newRow("vector stage behind the product") << 3;
        QTest::newRow("chain of stages") << 4;
        QTest::newRow("rows routed by an index out of a workspace") << 5;
        QTest::newRow("normalised out of a workspace") << 6;
    }
    void sampledElementsAreThoseOfTheWholeGolden() {
        QFETCH(int, which);
        Design design;
        Dictionary<std::int64_t> symbols;
        std::string caseName;
        if (which == 0) design = matmulDesign({.m = 150, .k = 70, .n = 130});
        if (which == 1) design = matmulDesign({.m = 150, .k = 70, .n = 130, .aTrans = true, .bTrans = true});
        if (which == 2) design = glmGate({.rows = 77, .k = 320, .n = 48, .kTile = {64, 128}});
        if (which == 3) design = rowScale({.rows = 150});
        if (which == 4) {
            design = designFile(CUBIST_SOURCE_DIR "/samples/pangu_ffn.cubist.json");
            caseName = design.cases.front().id.text;
        }
        if (which == 5) {
            design = designFile(CUBIST_SOURCE_DIR "/samples/gmm_finalize_routing.cubist.json");
            caseName = "gmm_finalize_routing_small";
        }
        if (which == 6) {
            design = designFile(CUBIST_SOURCE_DIR "/samples/glm_shared_expert_ffn.cubist.json");
            caseName = design.cases.front().id.text;
        }
        const Binding binding = bound(design, caseName, symbols);
        const Program program = lowered(design, binding, chipFile("Ascend910B1"));
        RunRequest own;
        own.design = std::make_shared<const Design>(design);
        const auto inputs = which < 5 ? generated(program, {Distribution::Uniform, -1.0, 1.0}, 4)
                                      : makeInputs(own, binding, program, 4, {}).value();
        const auto resolved = resolve(design, binding);
        QVERIFY(resolved);
        GoldenRequest request;
        const auto whole = computeGolden(*resolved, byName(program, inputs), request, {});
        QVERIFY(whole);
        for (const auto& [name, tensor] : whole->outputs)
            request.samples[name] = drawSample(tensor.shape, 32, 32, 200, 1, name);
        const auto sampled = computeGolden(*resolved, byName(program, inputs), request, {});
        QVERIFY(sampled);
        for (const auto& [name, sample] : request.samples) {
            if (which == 5) QVERIFY(sampled->wholeProducts.empty());  // columns of the product are left out
            QVERIFY(sample.positions.size() < whole->outputs.at(name).values.size());
            for (const std::int64_t position : sample.positions)
                QCOMPARE(sampled->outputs.at(name).values[static_cast<std::size_t>(position)],
                         whole->outputs.at(name).values[static_cast<std::size_t>(position)]);
        }
    }

    void aProductThatIsNeededWholeIsSaid() {
        RunRequest request = requestFor(transposedProduct());
        request.goldenLimit = 1000;
        const auto report = run(request, {});
        QVERIFY(report);
        QCOMPARE(report->accuracy.verdict, Verdict::Pass);
        QVERIFY(std::any_of(report->findings.begin(), report->findings.end(), [](const Finding& finding) {
            return finding.ruleId == "VAL-08" && finding.where == "/blocks/0";
        }));
    }

    void aRunAboveTheLimitIsSampledAndSaysSo() {
        RunRequest request = requestFor(matmulDesign({.m = 512, .k = 64, .n = 512}));
        const auto whole = run(request, {});
        QVERIFY(whole);
        QVERIFY(!whole->accuracy.sampled);
        request.goldenLimit = 1'000'000;
        const auto sampled = run(request, {});
        QVERIFY(sampled);
        QCOMPARE(sampled->accuracy.sampled, std::optional<std::int64_t>(65536));
        QCOMPARE(sampled->accuracy.verdict, Verdict::Pass);
        QCOMPARE(sampled->accuracy.outputs[0].elements, 65536);
        // The sample's largest error is one of the whole's, in every cell of the map.
        const ErrorMap& some = sampled->accuracy.outputs[0].map;
        const ErrorMap& all = whole->accuracy.outputs[0].map;
        QCOMPARE(some.maxAbs.size(), all.maxAbs.size());
        for (std::size_t cell = 0; cell < all.maxAbs.size(); ++cell) QVERIFY(some.maxAbs[cell] <= all.maxAbs[cell]);
        QVERIFY(sampled->accuracy.outputs[0].maxAbs > 0);
    }
};

QTEST_APPLESS_MAIN(TestSampledGolden)
#include "tst_sampled_golden.moc"
