// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>
#include <functional>

#include "core/exchange/chip_json.h"
#include "core/run/run.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

ChipSpec chipFile(const std::string& id) {
    return loadChip(CUBIST_SOURCE_DIR "/resources/chips/" + id + ".json")->chip;
}

Result<RunReport> tryRun(const Design& design, bool trials) {
    RunRequest request;
    request.design = std::make_shared<const Design>(design);
    request.chip = chipFile(design.chip.text);
    request.values = request.golden = false;
    request.force = true;
    return trials ? run(request, {}) : predictOnly(request, {});
}

RunReport runOf(const Design& design, bool trials = true) {
    return tryRun(design, trials).value();
}

bool hasAt(const RunReport& report, const std::string& where) {
    return std::ranges::any_of(report.findings, [&](const Finding& finding) {
        return finding.where == where && finding.message.find("has no effect on this prediction") != std::string::npos;
    });
}

bool sameTimes(const Trace& a, const Trace& b) {
    return a.kernel == b.kernel && a.endToEnd == b.endToEnd && a.tasks.size() == b.tasks.size() && a.causes == b.causes;
}

}  // namespace

/// Settings that change nothing are said, those that change something are not.
class TestIdleOptions : public QObject {
    Q_OBJECT

private slots:
    void oneKindOfTaskHasNoOrder();
    void settingsThatCountAreNotReported_data();
    void settingsThatCountAreNotReported();
    void factorsThatNoLoopReaches();
    void aCountThatMergesNothing();
    void aKeyIsReportedOnce();
};

void TestIdleOptions::oneKindOfTaskHasNoOrder() {
    for (const std::int64_t mode : {1, 2, 3}) {
        Design design = matmulDesign({.m = 256, .n = 256});
        design.options.deviceSchedMode = mode;
        const RunReport report = runOf(design);
        Design plain = design;
        plain.options.deviceSchedMode = 0;
        QCOMPARE(hasAt(report, "/options/device_sched_mode"), sameTimes(*report.trace, *runOf(plain).trace));
        if (mode == 1) QVERIFY(hasAt(report, "/options/device_sched_mode"));
        QVERIFY(!hasAt(runOf(design, false), "/options/device_sched_mode"));  // live prediction tries nothing
    }
}

void TestIdleOptions::settingsThatCountAreNotReported_data() {
    QTest::addColumn<QString>("sample");
    for (const char* sample : {"glm_gate", "pangu_ffn", "llada2_grouped_gemm", "quant_batch_matmul", "gmm_swiglu_quant",
                               "sparse_attention", "gmm_finalize_routing"})
        QTest::newRow(sample) << sample;
}

void TestIdleOptions::settingsThatCountAreNotReported() {
    QFETCH(const QString, sample);
    Design plain = designFile(CUBIST_SOURCE_DIR "/samples/" + sample.toStdString() + ".cubist.json");
    plain.options = Options();
    for (Tensor& tensor : plain.tensors) tensor.cache = CachePolicy::Default;
    const RunReport before = runOf(plain, false);
    struct Setting {
        std::string where;
        std::function<void(Design&)> set;
    };
    const Setting settings[] = {
        {"/options/device_sched_mode", [](Design& design) { design.options.deviceSchedMode = 1; }},
        {"/options/device_sched_mode", [](Design& design) { design.options.deviceSchedMode = 2; }},
        {"/options/stitch_function_max_num", [](Design& design) { design.options.stitchFunctionMaxNum = 1; }},
        {"/options/stitch_function_max_num", [](Design& design) { design.options.stitchFunctionMaxNum = 1024; }},
        {"/options/launch_sched_aicpu_num", [](Design& design) { design.options.launchSchedAicpuNum = 2; }},
        {"/tensors/1/cache", [](Design& design) { design.tensors[1].cache = CachePolicy::NoneCacheable; }},
    };
    int said = 0, counted = 0;
    for (const Setting& setting : settings) {
        Design design = plain;
        setting.set(design);
        const RunReport report = runOf(design);
        const bool told = std::ranges::any_of(report.findings, [&](const Finding& finding) {
            return finding.where == setting.where && finding.severity == Severity::Hint;
        });
        const bool same = sameTimes(*before.trace, *report.trace);
        QVERIFY2(!told || same, setting.where.c_str());  // what has an effect is not reported
        if (!same) QVERIFY2(!hasAt(report, setting.where), setting.where.c_str());
        ++(told ? said : counted);
    }
    QVERIFY(said > 0 && counted > 0);
}

void TestIdleOptions::factorsThatNoLoopReaches() {
    Design design = designFile(CUBIST_SOURCE_DIR "/samples/llada2_grouped_gemm.cubist.json");
    Loop& experts = std::get<Loop>(design.blocks[0].content);
    Loop& tokens = std::get<Loop>(experts.body[0].content);
    const std::string where = "/blocks/0/body/0/unroll/";
    const RunReport report = runOf(design);
    int reported = 0, used = 0;
    for (std::size_t i = 0; i < tokens.unroll.size(); ++i) {
        if (tokens.unroll[i] <= 1) continue;
        Design without = design;
        Loop& edited = std::get<Loop>(std::get<Loop>(without.blocks[0].content).body[0].content);
        edited.unroll.erase(edited.unroll.begin() + static_cast<std::ptrdiff_t>(i));
        const Result<RunReport> other = tryRun(without, false);  // fails where windows need the factor
        const bool same = other && other->trace && sameTimes(*report.trace, *other->trace);
        QCOMPARE(hasAt(report, where + std::to_string(i)), same);
        ++(same ? reported : used);
    }
    QVERIFY(reported > 0 && used > 0);
}

void TestIdleOptions::aCountThatMergesNothing() {
    Design design = matmulDesign({.m = 64, .n = 64});  // one block
    design.options.cubeNBuffer.entries.clear();
    design.options.cubeNBuffer.set("DEFAULT", 4);
    QVERIFY(hasAt(runOf(design), "/options/cube_nbuffer_setting/DEFAULT"));
    design = matmulDesign({.m = 64, .n = 256});  // four
    design.options.cubeNBuffer.entries.clear();
    design.options.cubeNBuffer.set("DEFAULT", 4);
    QVERIFY(!hasAt(runOf(design), "/options/cube_nbuffer_setting/DEFAULT"));
}

void TestIdleOptions::aKeyIsReportedOnce() {
    Design design = matmulDesign();
    for (const char* key : {"nobody", "7"}) {
        design.options.cubeNBuffer.entries.clear();
        design.options.cubeNBuffer.set(key, 2);
        const RunReport report = runOf(design);
        const std::string where = std::string("/options/cube_nbuffer_setting/") + key;
        QCOMPARE(std::ranges::count(report.findings, where, &Finding::where), 1);
    }
}

QTEST_GUILESS_MAIN(TestIdleOptions)
#include "tst_idle_options.moc"
