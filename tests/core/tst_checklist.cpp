// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>
#include <memory>

#include "core/exchange/design_json.h"
#include "core/exchange/skeleton_library.h"
#include "core/run/skeleton_report.h"
#include "core/run/variant_compare.h"
#include "tests/support/emulation.h"
#include "tests/support/skeleton_designs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

const SkeletonLibrary& library() {
    static const SkeletonLibrary loaded = SkeletonLibrary::load({CUBIST_SOURCE_DIR "/resources/skeletons"});
    return loaded;
}

Design sample(const std::string& id) {
    return loadDesign(CUBIST_SOURCE_DIR "/samples/" + id + ".cubist.json").value().design;
}

RunRequest requestOf(const Design& design) {
    RunRequest request;
    request.chip = chipFile(design.chip.text);
    request.design = std::make_shared<const Design>(design);
    return request;
}

Checklist checklistOf(const Design& design) {
    return skeletonChecklist(requestOf(design)).value();
}

const ChecklistItem& itemOf(const Checklist& checklist, const std::string& id) {
    const auto found = std::find_if(checklist.items.begin(), checklist.items.end(),
                                    [&](const ChecklistItem& item) { return item.id == id; });
    if (found == checklist.items.end()) qFatal("no item %s", id.c_str());
    return *found;
}

StartedDesign started(const Design& design, StartSource source, const Design* shipped = nullptr) {
    return startDesign(requestOf(design), library().index().start, source, shipped, {}).value();
}

const StartStep& stepOf(const StartedDesign& design, const std::string& id) {
    const auto found = std::find_if(design.steps.begin(), design.steps.end(),
                                    [&](const StartStep& step) { return step.setting == id; });
    if (found == design.steps.end()) qFatal("no step %s", id.c_str());
    return *found;
}

/// Everything that a starting configuration sets, taken away.
Design bare(Design design) {
    design.options = Options();
    for (Tensor& tensor : design.tensors) tensor.format = Format::ND;
    for (Block& block : design.blocks)
        if (auto* loop = std::get_if<Loop>(&block.content)) loop->parallel = false;
    return design;
}

}  // namespace

class TestChecklist : public QObject {
    Q_OBJECT

private slots:
    void samplesAreWhatTheIndexCallsThem_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("recommended");
        QTest::newRow("GLMGate") << "glm_gate"
                                 << "SK-14";
        QTest::newRow("GMM-MXFP8") << "gmm_mxfp8"
                                   << "SK-14";
        QTest::newRow("QuantGroupedMM") << "quant_grouped_matmul"
                                        << "SK-14";
        QTest::newRow("Pangu FFN") << "pangu_ffn"
                                   << "SK-14";
        QTest::newRow("LLaDA2") << "llada2_grouped_gemm"
                                << "SK-14";
        QTest::newRow("FusedSwiGLU") << "fused_swiglu"
                                     << "SK-06";
        QTest::newRow("MLA") << "mla_projection"
                             << "SK-04";
        QTest::newRow("sparse attention declares pattern 4") << "sparse_attention"
                                                             << "SK-14";
    }
    void samplesAreWhatTheIndexCallsThem() {
        QFETCH(const QString, id);
        QFETCH(const QString, recommended);
        const Checklist checklist = checklistOf(sample(id.toStdString()));
        QCOMPARE(QString::fromStdString(checklist.recommended), recommended);
        QCOMPARE(checklist.items.size(), std::size_t{9});
        for (const ChecklistItem& item : checklist.items)
            QVERIFY(!item.evidence.en.empty() && !item.evidence.zh.empty() && !item.question.zh.empty());
    }

    void evidenceNamesStagesAndNumbers() {
        const Checklist checklist = checklistOf(sample("fused_swiglu"));
        const ChecklistItem& merged = itemOf(checklist, "not_sk06");
        QVERIFY(!merged.holds);
        QCOMPARE(merged.stages, (std::vector<BlockId>{BlockId("swiglu")}));
        QCOMPARE(merged.evidence.en, std::string("gate, value share their input and merge in swiglu"));
        const ChecklistItem& count = itemOf(checklist, "matmul_count");
        // 864 rows in tiles of 512: two iterations of two matmuls.
        QCOMPARE(count.evidence.en, std::string("matmul_count = 2, executed 4 times"));
    }

    void otherSkeletonsAreRecognised_data() {
        QTest::addColumn<QString>("blocks");
        QTest::addColumn<QString>("recommended");
        QTest::addColumn<QString>("item");
        const auto row = [](const char* name, const std::string& blocks, const char* skeleton, const char* item) {
            QTest::newRow(name) << QString::fromStdString(blocks) << skeleton << item;
        };
        row("no matmul", vectorOnly(false), "SK-13", "has_matmul");
        row("no matmul, topk", vectorOnly(true), "SK-12", "has_matmul");
        row("norm and linear", normThenMatmul(), "SK-03", "not_sk03");
        row("experts", choosesExperts(), "SK-07", "not_sk07");
        row("online softmax", runningMaximum(), "SK-01", "not_sk01");
    }
    void otherSkeletonsAreRecognised() {
        QFETCH(const QString, blocks);
        QFETCH(const QString, recommended);
        QFETCH(const QString, item);
        const Checklist checklist = checklistOf(designOf(blocks.toStdString()));
        QCOMPARE(QString::fromStdString(checklist.recommended), recommended);
        for (const ChecklistItem& one : checklist.items)
            if (one.id != "cube_dominates" && one.id != "matmul_count")
                QCOMPARE(one.holds, one.id != item.toStdString());
    }

    void softmaxBetweenMatmulsIsPattern4OrSk02() {
        Design design = *library().design("D-4");
        QVERIFY(checklistOf(design).isGeneralMatmul());
        design.skeleton.pattern = {1};
        const Checklist checklist = checklistOf(design);
        QCOMPARE(checklist.recommended, std::string("SK-02"));
        QCOMPARE(itemOf(checklist, "not_sk02").stages, (std::vector<BlockId>{BlockId("softmax")}));
    }

    void workIsTheSumOfWholeInstructions() {
        const Design design = *library().design("C");
        const ChipSpec chip = chipFile("Ascend910B1");
        const WorkShare share = checklistOf(design).exit.share;
        // 256 rows in 4 tiles: fractals of 16 x 16 x 16 of a 64 x 1024 x 512 product, on 24 cores.
        const CubeRate* rate = chip.cubeRate(DType::BF16);
        const double one = chip.mmadOverhead.value.toDouble() + 4.0 * 64 * 32 * rate->repeat.value.toDouble();
        QCOMPARE(share.cube, one * 4 / 24);
        QCOMPARE(share.vector, 0.0);
        QCOMPARE(share.switches, 0);
    }

    void heavyVectorWorkLeavesForSk15() {
        WorkShare share;
        share.predicted = true;
        share.cube = 10;
        share.vector = 9.5;
        share.switches = 5;
        QCOMPARE(fusionExit(share).advice, FusionExit::Advice::Stay);
        share.vector = 10.5;
        QCOMPARE(fusionExit(share).advice, FusionExit::Advice::Leave);
        QVERIFY(fusionExit(share).text.en.find("vector stages take 10.5 us, cube stages 10.0 us") == 0);
        share.switches = 2;
        QCOMPARE(fusionExit(share).advice, FusionExit::Advice::Lighten);
    }

    void aPredictionMeasuresTheExit() {
        const Design design = *library().design("D-1-int8");
        const RunRequest request = requestOf(design);
        const auto report = predictOnly(request, {});
        QVERIFY(report && report->trace);
        const Checklist checklist = skeletonChecklist(request, &*report).value();
        QVERIFY(checklist.exit.share.predicted);
        Ticks cube, vector;
        for (const StageTiming& stage : report->trace->stages) {
            Ticks& sum = report->program->stages[stage.stage.value].kind == TaskKind::Aic ? cube : vector;
            sum.value += stage.critical.value;
        }
        QCOMPARE(checklist.exit.share.cube, report->trace->microseconds(cube));
        QCOMPARE(checklist.exit.share.vector, report->trace->microseconds(vector));
        // C, V, C, V.
        QCOMPARE(checklist.exit.share.switches, 3);
        QVERIFY(checklist.exit.share.kernel >= checklist.exit.share.cube + checklist.exit.share.vector);
        // The same through the call that predicts by itself.
        QCOMPARE(measuredChecklist(request, {}).value().exit.share.cube, checklist.exit.share.cube);
    }

    void theTableIsAppliedWhole() {
        const StartedDesign result = started(bare(*library().design("A-1")), StartSource::Table);
        const Options& options = result.design.options;
        QCOMPARE(result.steps.size(), std::size_t{14});
        QCOMPARE(*options.cubeL1Reuse.find("-1"), 2);
        QCOMPARE(*options.cubeL1Reuse.find("0"), 4);
        QCOMPARE(*options.cubeL1Reuse.find("1"), 1);
        QCOMPARE(*options.cubeNBuffer.find("-1"), 2);
        QCOMPARE(*options.vecNBuffer.find("-1"), 2);
        QCOMPARE(options.deviceSchedMode, 1);
        QCOMPARE(options.stitchFunctionMaxNum, 128);
        QVERIFY(options.combineAxis);
        for (const Tensor& tensor : result.design.tensors)
            QCOMPARE(tensor.format, tensor.id.text.starts_with("w_") ? Format::NZ : Format::ND);
        QVERIFY(addsNoFinding(requestOf(result.design), *library().design("A-1"), result.design));
    }

    void keysOfGroupsThatDoNotExistAreLeftOut() {
        // One group of equal matmuls: key 1 would meet nothing.
        const StartedDesign result = started(bare(*library().design("C")), StartSource::Table);
        QVERIFY(result.design.options.cubeL1Reuse.find("1") == nullptr);
        QVERIFY(stepOf(result, "cube_l1_reuse_setting").note.en.find("without key 1") != std::string::npos);
        QVERIFY(result.design.options.cubeL1Reuse.find("0") != nullptr);
    }

    void groupLoopsBecomeParallelWhereTheRulesAllowIt() {
        const StartedDesign independent = started(bare(*library().design("B-1")), StartSource::Table);
        QVERIFY(std::get<Loop>(independent.design.blocks.front().content).parallel);
        QVERIFY(stepOf(independent, "group_parallel").changed);
        // Tensors whose shape has the number of groups in it are no constants, so they stay as they are.
        QVERIFY(!stepOf(independent, "nz_weights").changed);
        // The experts of D-3 add to the same rows.
        const StartedDesign shared = started(bare(*library().design("D-3")), StartSource::Table);
        QVERIFY(!std::get<Loop>(shared.design.blocks.front().content).parallel);
        QVERIFY(!stepOf(shared, "group_parallel").changed);
    }

    void theOtherSourcesSetWhatTheyName() {
        const Design before = bare(*library().design("A-1"));
        const StartedDesign card = started(before, StartSource::CardTemplate);
        QCOMPARE(*card.design.options.cubeL1Reuse.find("-1"), 8);
        QCOMPARE(*card.design.options.vecNBuffer.find("-2"), 1);
        QCOMPARE(card.design.options.deviceSchedMode, 0);
        QVERIFY(!card.design.options.combineAxis);
        const Design gmm = sample("gmm_mxfp8");
        const StartedDesign shipped = started(before, StartSource::Shipped, &gmm);
        QCOMPARE(*shipped.design.options.cubeNBuffer.find("-1"), 4);
        QVERIFY(shipped.design.options.cubeL1Reuse.empty());
        QCOMPARE(shipped.design.options.deviceSchedMode, 3);
        QCOMPARE(
            startDesign(requestOf(before), library().index().start, StartSource::Shipped, nullptr, {}).error().code,
            ErrorCode::BadValue);
    }

    void sourcesStandSideBySide() {
        const Design gmm = sample("gmm_mxfp8");
        const std::vector<ConfigurationRow> rows =
            compareConfigurations(*library().design("Bs-3-mxfp8"), library().index().start, &gmm);
        QCOMPARE(rows.size(), std::size_t{14});
        const auto row = [&](const std::string& id) {
            return *std::find_if(rows.begin(), rows.end(), [&](const ConfigurationRow& one) { return one.id == id; });
        };
        QCOMPARE(row("cube_nbuffer_setting").table, std::string("{1: 2}"));
        QCOMPARE(row("cube_nbuffer_setting").cardTemplate, std::string("{-1: 4}"));
        QCOMPARE(*row("cube_nbuffer_setting").shipped, std::string("{-1: 4}"));
        QCOMPARE(*row("device_sched_mode").shipped, std::string("3"));
        QCOMPARE(row("device_sched_mode").current, std::string("1"));
        QVERIFY(!row("device_sched_mode").differs);
        QVERIFY(row("device_sched_mode").cardTemplate.empty());
        QCOMPARE(row("scaled_mm").current, std::string("product"));
        QCOMPARE(row("group_parallel").current, std::string("groups written out"));
        QCOMPARE(row("post_loop_v").current, std::string("0 vector stages behind the matmuls' loop, 0 in it"));
    }

    void templatesStartFromTheTable_data() {
        QTest::addColumn<QString>("id");
        for (const SkeletonTemplate& entry : library().index().templates)
            QTest::newRow(entry.id.c_str()) << QString::fromStdString(entry.id);
    }
    void templatesStartFromTheTable() {
        QFETCH(const QString, id);
        const Design& design = *library().design(id.toStdString());
        StartedDesign again = started(design, StartSource::Table);
        again.design.options.deviceSchedParallelism = design.options.deviceSchedParallelism;
        QCOMPARE(again.design.options, design.options);
        QCOMPARE(again.design.blocks, design.blocks);
    }

    void formsOfALoopStandSideBySide() {
        const Design design = *library().design("B-1");
        const std::vector<DesignVariant> forms = designVariants(design);
        QCOMPARE(forms.size(), std::size_t{4});
        const std::vector<VariantFigures> figures = compareVariants(requestOf(design), forms, {}).value();
        QCOMPARE(figures[0].id, std::string("as_is"));
        QCOMPARE(figures[1].id, std::string("groups_serial"));
        QCOMPARE(figures[2].id, std::string("groups_static"));
        QCOMPARE(figures[3].id, std::string("groups_unroll_4_2"));
        // Bodies for four, two and one group; the four groups take one step.
        QCOMPARE(figures[3].compiledStages, 3 * (4 + 2 + 1));
        QCOMPARE(figures[3].roots, 1);
        // Three stages, once in a loop or four times written out; four root functions or one.
        QCOMPARE(figures[0].compiledStages, 3);
        QCOMPARE(figures[2].compiledStages, 12);
        QCOMPARE(figures[0].roots, 4);
        QCOMPARE(figures[2].roots, 1);
        // silu and cast: 128 x 384 in tiles of 64 x 128, each with one input.
        QCOMPARE(figures[0].largestExpression, 2 * 3 * 2);
        QCOMPARE(figures[0].expressions, 2 * 12);
        QCOMPARE(figures[2].expressions, 4 * 2 * 12);
        // Intermediates exist once for each of the four iterations in flight.
        QCOMPARE(figures[0].workspaceBytes, 4 * figures[1].workspaceBytes);
        for (const VariantFigures& one : figures) QCOMPARE(one.errors + one.warnings, 0);
        QVERIFY(figures[0].kernelUs > 0 && figures[1].kernelUs > 0);
        const Result<RunReport> alone = predictOnly(requestOf(design), {});
        QCOMPARE(figures[0].kernelUs, alone->trace->microseconds(alone->trace->kernel));
        QCOMPARE(figures[0].tasks, static_cast<std::int64_t>(alone->program->tasks.size()));
    }

    void exactSlicesBecomeWindowsAtRunTime() {
        const Design design = *library().design("Bs-3");
        const std::vector<DesignVariant> forms = designVariants(design);
        const std::vector<VariantFigures> figures = compareVariants(requestOf(design), forms, {}).value();
        for (const VariantFigures& one : figures)
            QVERIFY2(!one.error && one.errors == 0, (one.id + ": " + one.firstFinding).c_str());
        const auto serial =
            std::find_if(forms.begin(), forms.end(), [](const auto& form) { return form.id == "groups_serial"; });
        QVERIFY(serial != forms.end());
        const auto& view = std::get<View>(std::get<Loop>(serial->design.blocks.front().content).body[0].content);
        // The largest group of all cases.
        QCOMPARE(view.shape[0], Expression(128));
        QCOMPARE(view.valid[0], Expression("count(group_list, g)"));
    }

    void aFormThatCannotBeKeepsItsReason() {
        // The number of tiles is no constant of the kernel: written out it is a warning; serial it is fine.
        const Design design = *library().design("C");
        const std::vector<VariantFigures> figures =
            compareVariants(requestOf(design), designVariants(design), {}).value();
        const auto written = std::find_if(figures.begin(), figures.end(),
                                          [](const VariantFigures& one) { return one.id == "rows_static"; });
        QVERIFY(written != figures.end());
        QVERIFY(written->warnings > 0);
        QVERIFY(written->firstFinding.find("LOOP-03") == 0);
        Design broken = design;
        std::get<CubeStage>(std::get<Loop>(broken.blocks.front().content).body[1].content).b = ValueId("nothing");
        const std::vector<VariantFigures> failed =
            compareVariants(requestOf(design), {{"broken", {"broken", "broken"}, broken}}, {}).value();
        QVERIFY(failed.front().error);
        QCOMPARE(failed.front().error->code, ErrorCode::UnknownName);
    }

    void unrolledLoopsAreComparedWithSingleSteps() {
        const std::vector<DesignVariant> forms = designVariants(sample("llada2_grouped_gemm"));
        QVERIFY(std::any_of(forms.begin(), forms.end(), [](const auto& form) { return form.id == "tokens_unroll_1"; }));
        QVERIFY(
            std::any_of(forms.begin(), forms.end(), [](const auto& form) { return form.id == "experts_parallel_4"; }));
        // Windows follow the factor by themselves, slices of a declared size are made to.
        for (const char* name : {"llada2_grouped_gemm", "glm_shared_expert_ffn"}) {
            const Design design = sample(name);
            const auto figures = compareVariants(requestOf(design), designVariants(design), {}).value();
            QCOMPARE(figures.back().id, std::string("tokens_unroll_1"));
            QVERIFY2(!figures.back().error, figures.back().error ? figures.back().error->message.c_str() : "");
            QVERIFY(figures.back().kernelUs > 0);
        }
    }

    /// Rows from a group list: how many there are a run knows, and every step is whole.
    void runTimeLoopsHaveUnrolledForms_data() {
        QTest::addColumn<QString>("design");
        QTest::addColumn<QString>("caseName");
        QTest::addColumn<QStringList>("forms");
        const auto row = [](const char* name, const char* caseName, const QStringList& forms) {
            QTest::addRow("%s %s", name, caseName) << QString(name) << QString(caseName) << forms;
        };
        const QStringList tiles{"tiles_unroll_4_2", "tiles_by_64_32_16_8_4_2", "tiles_by_64_16_4"};
        for (const char* name : {"even", "uneven", "empty"}) row("C-3", name, tiles);
        row("D-3", "uneven", tiles);
        for (const char* name : {"tail", "one_row"})
            row("C", name, {"rows_unroll_4_2", "rows_by_64_32_16_8_4_2", "rows_by_64_16_4"});
        row("B-3", "uneven", {"groups_unroll_4_2"});
    }
    void runTimeLoopsHaveUnrolledForms() {
        QFETCH(const QString, design);
        QFETCH(const QString, caseName);
        QFETCH(const QStringList, forms);
        const Design* found = library().design(design.toStdString());
        const Design given = found != nullptr ? *found : sample(design.toStdString());
        RunRequest request = requestOf(given);
        request.caseName = caseName.toStdString();
        const auto variants = designVariants(given);
        for (const QString& id : forms) {
            const auto form = std::find_if(variants.begin(), variants.end(),
                                           [&](const auto& one) { return one.id == id.toStdString(); });
            QVERIFY2(form != variants.end(), qPrintable(id));
            RunRequest unrolled = request;
            unrolled.design = std::make_shared<const Design>(form->design);
            const Result<RunReport> whole = run(request, {}), again = run(unrolled, {});
            QVERIFY2(again, again ? "" : again.error().message.c_str());
            QVERIFY(again->ran);
            QCOMPARE(again->accuracy.verdict, Verdict::Pass);
            for (const auto& [name, tensor] : whole->outputs) {
                const HostTensor& other = again->outputs.at(name);
                QCOMPARE(other.shape(), tensor.shape());
                QVERIFY(std::equal(tensor.data(), tensor.data() + tensor.byteCount(), other.data()));
            }
        }
    }

    void parallelLoopsWithOneIterationInFlightAreComparedWithMore() {
        const std::vector<DesignVariant> forms = designVariants(sample("gmm_finalize_routing"));
        const auto found =
            std::find_if(forms.begin(), forms.end(), [](const auto& form) { return form.id == "experts_parallel_4"; });
        QVERIFY(found != forms.end());
        QCOMPARE(found->design.options.deviceSchedParallelism, 4);
    }

    void cancellingIsNoResult() {
        std::stop_source stop;
        stop.request_stop();
        const Design design = *library().design("B-1");
        const auto figures = compareVariants(requestOf(design), designVariants(design), {stop.get_token(), {}, 1});
        QVERIFY(!figures);
        QCOMPARE(figures.error().code, ErrorCode::Cancelled);
    }
};

QTEST_APPLESS_MAIN(TestChecklist)
#include "tst_checklist.moc"
