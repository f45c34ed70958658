// SPDX-License-Identifier: GPL-3.0-or-later
#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/exchange/catalogue.h"
#include "core/exchange/chrome_trace.h"
#include "core/exchange/config_export.h"
#include "core/exchange/design_json.h"
#include "core/exchange/json_text.h"
#include "core/exchange/pypto/settings_import.h"
#include "core/exchange/report.h"
#include "core/exchange/report_content.h"
#include "core/exchange/result_json.h"
#include "core/exchange/result_values.h"
#include "core/exchange/sarif.h"
#include "core/rules/registry.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

JsonValue parsed(const std::string& text) {
    auto value = parseJson(text);
    if (!value) qFatal("%s", value.error().message.c_str());
    return *std::move(value);
}

std::string textAt(const JsonValue& root, std::initializer_list<const char*> keys) {
    const JsonValue* value = &root;
    for (const char* key : keys)
        if (value != nullptr) value = value->find(key);
    return value == nullptr ? "(missing)" : value->text;
}

RunReport predicted(Design design, RunRequest& request) {
    request.chip = chipFile("Ascend910B1");
    request.design = std::make_shared<const Design>(std::move(design));
    auto report = predictOnly(request, {});
    if (!report) qFatal("%s", report.error().message.c_str());
    return *std::move(report);
}

Finding finding(const char* rule, Severity severity) {
    Finding made;
    made.ruleId = rule;
    made.severity = severity;
    made.where = "/blocks/0";
    made.message = "a < b & \"c\"";
    return made;
}

}  // namespace

/// What result, report, SARIF, catalogue, trace and config files say.
class TestResultJson : public QObject {
    Q_OBJECT

private slots:
    void numbersHaveNineDigits_data() {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("third") << 1.0 / 3.0 << "0.333333333";
        QTest::newRow("rounded up") << 2.0 / 3.0 << "0.666666667";
        QTest::newRow("large") << 123456789012.0 << "123456789000";
        QTest::newRow("tenth digit") << 1.0000000004 << "1";
        QTest::newRow("small") << 1.23456789123e-7 << "1.23456789e-07";
        QTest::newRow("zero") << 0.0 << "0";
        QTest::newRow("minus zero") << -0.0 << "0";
        QTest::newRow("infinity") << kInfinity << "inf";
        QTest::newRow("minus infinity") << -kInfinity << "-inf";
        QTest::newRow("no number") << std::numeric_limits<double>::quiet_NaN() << "nan";
        QTest::newRow("negative no number") << -std::numeric_limits<double>::quiet_NaN() << "nan";
    }
    void numbersHaveNineDigits() {
        QFETCH(const double, value);
        QFETCH(const QString, text);
        const JsonValue json = resultValue(value);
        QCOMPARE(QString::fromStdString(json.text), text);
        QCOMPARE(json.isNumber(), std::isfinite(value));
    }

    void nonFiniteMetricsAreStrings() {
        RunReport report;
        OutputMetrics output;
        output.name = "y";
        output.maxRel = kInfinity;
        output.cosine = std::numeric_limits<double>::quiet_NaN();
        report.accuracy.outputs.push_back(output);
        report.stageErrors.push_back({BlockId("C1"), -kInfinity, 0});
        const std::string text = resultJson(report, true);
        QVERIFY(text.find("\"max_rel\": \"inf\"") != std::string::npos);
        QVERIFY(text.find("\"cosine\": \"nan\"") != std::string::npos);
        QVERIFY(text.find("\"added\": \"-inf\"") != std::string::npos);
    }

    void partsThatWereNotComputedAreEmpty() {
        RunReport report;
        report.findings = {finding("CAP-01", Severity::Error)};
        const JsonValue json = parsed(resultJson(report, false));
        QVERIFY(json.find("case")->kind == JsonValue::Kind::Null);
        QVERIFY(json.find("timing")->kind == JsonValue::Kind::Null);
        QVERIFY(json.find("host") == nullptr);
        QCOMPARE(textAt(json, {"accuracy", "verdict"}), std::string("none"));
        QVERIFY(json.find("accuracy")->find("sampled")->kind == JsonValue::Kind::Null);
        QCOMPARE(json.find("findings")->items[0].find("message")->text, std::string("a < b & \"c\""));
    }

    void ticksAreExactAndAddUp() {
        RunRequest request;
        const RunReport report = predicted(rowScale(), request);
        const JsonValue json = parsed(resultJson(report, true));
        const JsonValue& timing = *json.find("timing");
        const auto integer = [](const JsonValue& value) { return std::stoll(value.text); };
        std::int64_t sum = 0;
        for (const JsonMember& cause : timing.find("causes_ticks")->members) sum += integer(cause.value);
        QCOMPARE(sum, integer(*timing.find("lanes")) * integer(*timing.find("kernel_ticks")));
        QCOMPARE(timing.find("stages")->items.size(), std::size_t{2});
        QCOMPARE(textAt(timing.find("stages")->items[0], {"kind"}), std::string("C"));
        QCOMPARE(textAt(timing.find("stages")->items[1], {"kind"}), std::string("V"));
        QCOMPARE(timing.find("pipes")->members.size(), std::size_t{7});
        QVERIFY(std::stod(textAt(timing, {"end_to_end_us"})) > std::stod(textAt(timing, {"kernel_us"})));
    }

    void linksOfTheCriticalPathFollowEachOther() {
        RunRequest request;
        const RunReport report = predicted(rowScale(), request);
        const JsonValue json = parsed(resultJson(report, false));
        const JsonValue& path = *json.find("timing")->find("critical_path");
        const std::vector<JsonValue>& links = path.find("links")->items;
        QCOMPARE(std::stoull(textAt(path, {"steps"})), report.trace->criticalPath.size());
        QCOMPARE(links.size(), report.trace->criticalPath.size());
        QCOMPARE(textAt(path, {"left_out"}), std::string("0"));
        std::string end = "0";
        bool data = false;
        for (const JsonValue& link : links) {
            QCOMPARE(textAt(link, {"start_ticks"}), end);
            end = textAt(link, {"end_ticks"});
            data = data || textAt(link, {"because"}) == "data";
            QCOMPARE(link.find("subject") == nullptr, &link == &links.front());
        }
        QCOMPARE(end, std::to_string(report.trace->kernel.value));
        QCOMPARE(textAt(links.front(), {"because"}), std::string("start"));
        QVERIFY(data);  // the vector stage needs what the cube stage writes
        QCOMPARE(textAt(links.back(), {"kind"}), std::string("task"));
        QCOMPARE(textAt(links.back(), {"because"}), std::string("handed_out"));
        const std::string text = textReport(request, report);
        QVERIFY(text.find("starts when it has been handed out") != std::string::npos);
        QVERIFY(text.find("whose result is needed") != std::string::npos);
    }

    void equalReportsGiveEqualText() {
        RunRequest request;
        RunReport report = predicted(rowScale(), request);
        const std::string before = resultJson(report, false);
        report.host.timingSeconds = 7;
        report.host.threads = 9;
        QCOMPARE(resultJson(report, false), before);
        QVERIFY(resultJson(report, true).find("\"threads\": 9") != std::string::npos);
    }

    void configReadsBackAsItWasWritten() {
        RunRequest request;
        const RunReport report = predicted(rowScale(), request);
        const auto config = kernelConfig(request, report, "1.2.3");
        QVERIFY(config);
        const std::string text = kernelConfigText(*config);
        const auto again = parseKernelConfig(text);
        QVERIFY(again);
        QVERIFY(*again == *config);
        QCOMPARE(config->provenance.version, std::string("1.2.3"));
        QCOMPARE(config->stages.size(), std::size_t{2});
        QVERIFY(config->stages[0].matmul && !config->stages[0].vector);
        QVERIFY(!config->stages[1].matmul && config->stages[1].vector);
        QCOMPARE(config->stages[0].executions, 2);
        QCOMPARE(config->stages[0].matmul->m, 64);
        QCOMPARE(config->stages[0].matmul->aDType, DType::BF16);
        QCOMPARE(config->stages[1].vector->ops, (std::vector{VectorOpCode::Mul, VectorOpCode::Cast}));
        QCOMPARE(config->stages[1].vector->tile, (std::vector<std::int64_t>{16, 128}));
        QVERIFY(text.find("\"matmul\": null") == std::string::npos);
    }

    void configSaysHowTheKernelIsLaunched() {
        RunRequest request;
        RunReport report = predicted(rowScale(), request);
        const std::string text = kernelConfigText(*kernelConfig(request, report, "1"));
        QVERIFY(text.find("\"launch\": \"pypto\"") != std::string::npos);
        QVERIFY(text.find("block_order") == std::string::npos);
        // The time is that of the report, whatever is asked for now.
        report.launch = LaunchProfile::Bare;
        report.order = {.kind = OrderKind::Swizzle, .offset = 3, .direction = 1};
        const auto bare = kernelConfig(request, report, "1");
        QVERIFY(bare);
        QCOMPARE(bare->launch, LaunchProfile::Bare);
        QCOMPARE(bare->blockOrder, std::string("swizzle=3x1"));
        const std::string written = kernelConfigText(*bare);
        QVERIFY(*parseKernelConfig(written) == *bare);
        QCOMPARE(kernelConfigText(*parseKernelConfig(written)), written);
        const auto read = applySettings(*request.design, written);
        QVERIFY(read);
        QVERIFY(std::any_of(read->left.begin(), read->left.end(), [](const std::string& each) {
            return each.find("--launch bare:swizzle=3x1") != std::string::npos;
        }));
        report.trace.reset();
        request.launch = LaunchProfile::Bare;
        request.order = {.kind = OrderKind::LoopNM};
        QCOMPARE(kernelConfig(request, report, "1")->blockOrder, std::string("loop_n_m"));
        std::string wrong = written;
        wrong.replace(wrong.find("\"bare\""), 6, "\"none\"");
        QCOMPARE(parseKernelConfig(wrong).error().where, std::string("/launch"));
    }

    void configOfAnUnrolledLoopHasTheFactorsThatRun() {
        Design design = loadDesign(CUBIST_SOURCE_DIR "/samples/glm_shared_expert_ffn.cubist.json").value().design;
        design.cases.clear();
        design.defaultCase = {};
        for (Symbol& symbol : design.symbols) symbol.value = 75;  // 64 + 8 + 2 + 1
        RunRequest request;
        const RunReport report = predicted(design, request);
        const auto config = kernelConfig(request, report, "1");
        QVERIFY(config);
        const auto up = std::find_if(config->stages.begin(), config->stages.end(),
                                     [](const ConfigStage& stage) { return stage.id.text == "up"; });
        QVERIFY(up != config->stages.end());
        std::vector<std::int64_t> factors;
        for (const ConfigFactor& each : up->byFactor) {
            factors.push_back(each.factor);
            QCOMPARE(each.executions, std::int64_t{1});
            QCOMPARE(each.cubeTile->m, (std::vector<std::int64_t>{each.factor, each.factor}));
            QCOMPARE(each.shape, (std::vector<std::int64_t>{each.factor, 384}));
        }
        QCOMPARE(factors, (std::vector<std::int64_t>{64, 8, 2, 1}));
        QCOMPARE(up->matmul->m, std::int64_t{64});
        QCOMPARE(up->matmul->tile.m, (std::vector<std::int64_t>{64, 64}));
        QVERIFY(*parseKernelConfig(kernelConfigText(*config)) == *config);
    }

    void resultsSayHowFp32IsMultiplied() {
        MatmulKnobs knobs;
        knobs.dtype = DType::FP32;
        knobs.kTile = {32, 64};
        Design design = matmulDesign(knobs);
        cubeOf(design).fp32Mode = Fp32Mode::Rint;
        RunRequest request;
        const RunReport report = predicted(design, request);
        const std::string name = cubeOf(design).id.text;
        QVERIFY(resultJson(report, false).find("\"" + name + "\": \"rint\"") != std::string::npos);
        const auto lines = reportContent(request, report).lines;
        QVERIFY(std::find(lines.begin(), lines.end(), "FP32 matmuls rounded first: " + name + " rint") != lines.end());
    }

    void configHashFollowsTheDesign() {
        RunRequest request;
        const RunReport report = predicted(rowScale(), request);
        const auto first = kernelConfig(request, report, "1");
        Design changed = *request.design;
        changed.notes = "changed";
        request.design = std::make_shared<const Design>(std::move(changed));
        const auto second = kernelConfig(request, report, "1");
        QVERIFY(first && second);
        QVERIFY(first->provenance.designHash != second->provenance.designHash);
        QCOMPARE(first->provenance.designHash.size(), std::string("fnv1a64:").size() + 16);
    }

    void configOfAnotherVersionIsRefused() {
        QCOMPARE(parseKernelConfig(R"({"cubist_config": 2})").error().code, ErrorCode::Unsupported);
        QCOMPARE(parseKernelConfig(R"({"cubist_config": 1})").error().code, ErrorCode::MissingKey);
        QCOMPARE(parseKernelConfig("[").error().code, ErrorCode::Syntax);
    }

    void sarifHasEveryRuleOnce() {
        const std::vector<Finding> findings{finding("TILE-03", Severity::Error), finding("CAP-01", Severity::Warning),
                                            finding("TILE-03", Severity::Hint)};
        const JsonValue log = parsed(sarifText(findings, "/a b/x.cubist.json", "1"));
        const JsonValue& run = log.find("runs")->items[0];
        const JsonValue& rules = *run.find("tool")->find("driver")->find("rules");
        QCOMPARE(rules.items.size(), std::size_t{2});
        const std::vector<JsonValue>& results = run.find("results")->items;
        QCOMPARE(results.size(), std::size_t{3});
        for (const JsonValue& result : results) {
            const auto index = static_cast<std::size_t>(std::stoi(result.find("ruleIndex")->text));
            QCOMPARE(textAt(rules.items[index], {"id"}), textAt(result, {"ruleId"}));
        }
        // TILE-03 is PyPTO's F0000C; its rule comes with text that a code host can show.
        const JsonValue& tile = rules.items[1];
        QCOMPARE(textAt(tile, {"properties", "pypto"}), std::string("F0000C"));
        QVERIFY(!textAt(tile, {"shortDescription", "text"}).empty());
        QVERIFY(!textAt(tile, {"help", "text"}).empty());
        QCOMPARE(textAt(results[0], {"level"}), std::string("error"));
        QCOMPARE(textAt(results[1], {"level"}), std::string("warning"));
        QCOMPARE(textAt(results[2], {"level"}), std::string("note"));
        const JsonValue& location = results[0].find("locations")->items[0];
        QCOMPARE(textAt(location, {"physicalLocation", "artifactLocation", "uri"}),
                 std::string("file:///a%20b/x.cubist.json"));
    }

    void reportsSayTheSameAsTextAndHtml() {
        RunRequest request;
        RunReport report = predicted(rowScale(), request);
        report.findings = {finding("CAP-01", Severity::Warning)};
        const std::string text = textReport(request, report);
        const std::string html = htmlReport(request, report);
        for (const char* word : {"Ascend910B1", "CAP-01", "1 warning", "MTE2", "T = 128", "values not computed"}) {
            QVERIFY2(text.find(word) != std::string::npos, word);
            QVERIFY2(html.find(word) != std::string::npos, word);
        }
        QVERIFY(text.find("a < b & \"c\"") != std::string::npos);
        QVERIFY(html.find("a &lt; b &amp; &quot;c&quot;") != std::string::npos);
        QVERIFY(html.find("a < b") == std::string::npos);
    }

    void columnsOfTheTextReportAreAligned() {
        RunRequest request;
        RunReport report = predicted(rowScale(), request);
        report.findings = {finding("CAP-01", Severity::Warning), finding("SHAPE-10", Severity::Error)};
        const QStringList lines = QString::fromStdString(textReport(request, report)).split('\n');
        const qsizetype head = lines.indexOf(QRegularExpression("^ *severity.*"));
        QVERIFY(head > 0);
        const qsizetype column = lines[head].indexOf("where");
        QCOMPARE(lines[head + 1].indexOf("/blocks/0"), column);
        QCOMPARE(lines[head + 2].indexOf("/blocks/0"), column);
        for (const QString& line : lines) QVERIFY(!line.endsWith(' '));
    }

    void traceHasOneEventForEachTask() {
        RunRequest request;
        const RunReport report = predicted(rowScale(), request);
        const JsonValue json = parsed(chromeTrace(*report.program, *report.trace));
        std::size_t tasks = 0;
        std::int64_t last = 0;
        for (const JsonValue& event : json.find("traceEvents")->items) {
            const std::string category = textAt(event, {"cat"});
            if (textAt(event, {"ph"}) != "X" || (category != "C" && category != "V")) continue;
            ++tasks;
            last = std::max<std::int64_t>(last, std::stoll(textAt(event, {"args", "end_ticks"})));
        }
        QCOMPARE(tasks, report.program->tasks.size());
        QCOMPARE(last, report.trace->kernel.value);
    }

    void catalogueMarksTheDefaultCase() {
        Design design = rowScale();
        design.cases = {{CaseId("small"), {"S"}, {}, {}, {}, {}, {}}, {CaseId("large"), {}, {}, {}, {}, {}, {}}};
        design.defaultCase = CaseId("large");
        const Catalogue catalogue{{{"row_scale", design}}, {}, {}, allRules()};
        const JsonValue json = parsed(catalogueJson(catalogue));
        const JsonValue& cases = *json.find("samples")->items[0].find("cases");
        QVERIFY(!cases.items[0].find("default")->boolean);
        QVERIFY(cases.items[1].find("default")->boolean);
        const std::vector<JsonValue>& rules = json.find("rules")->items;
        QCOMPARE(rules.size(), allRules().size());
        for (std::size_t i = 0; i < rules.size(); ++i) {
            const Rule& rule = allRules()[i];
            QCOMPARE(textAt(rules[i], {"id"}), std::string(rule.id));
            QCOMPARE(textAt(rules[i], {"title"}), std::string(rule.title));
            QCOMPARE(textAt(rules[i], {"title_zh"}), std::string(rule.titleZh));
            QCOMPARE(textAt(rules[i], {"formula"}), std::string(rule.formula));
            QCOMPARE(textAt(rules[i], {"source"}), std::string(rule.source));
            QCOMPARE(rules[i].find("pypto")->kind == JsonValue::Kind::Null, rule.pyptoCode.empty());
            QCOMPARE(rules[i].find("silent")->boolean, rule.compilerSilent);
            const JsonValue& severity = *rules[i].find("severity");
            for (const auto& [profile, name] : EnumTable<RuleProfile>::entries) {
                const JsonValue* level = severity.find(name);
                QVERIFY(level != nullptr);
                QCOMPARE(level->kind == JsonValue::Kind::Null, !rule.severity(profile));
                if (rule.severity(profile)) QCOMPARE(level->text, std::string(toText(*rule.severity(profile))));
            }
        }
        QVERIFY(catalogueText(catalogue).find("small (S), large (default)") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestResultJson)
#include "tst_result_json.moc"
