// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>
#include <memory>
#include <set>

#include "core/design/resolve.h"
#include "core/exchange/chip_json.h"
#include "core/exchange/design_json.h"
#include "core/exchange/files.h"
#include "core/exchange/skeleton_library.h"
#include "core/run/run.h"
#include "tests/support/bytes.h"
#include "tests/support/emulation.h"
#include "tests/support/sanitizers.h"

using namespace cubist;
using namespace cubist::test;

namespace {

const std::string kSkeletons = CUBIST_SOURCE_DIR "/resources/skeletons";

const SkeletonLibrary& library() {
    static const SkeletonLibrary loaded = SkeletonLibrary::load({kSkeletons});
    return loaded;
}

std::string contentsOf(const std::string& path) {
    return readFile(path, std::size_t{1} << 20).value_or("");
}

RunRequest requestFor(const Design& design, const CaseId& caseId) {
    RunRequest request;
    request.chip = chipFile(design.chip.text);
    request.design = std::make_shared<const Design>(design);
    request.caseName = caseId.text;
    return request;
}

std::vector<std::string> complaints(const std::vector<Finding>& findings) {
    std::vector<std::string> list;
    for (const Finding& finding : findings)
        if (finding.severity != Severity::Hint) list.push_back(finding.ruleId + " " + finding.where);
    return list;
}

const char* smallIndex(bool twice) {
    return twice ? R"({"cubist_skeletons": 1, "skeletons": [], "variants": [], "patterns": [], "templates": [
  {"id": "mine", "variant": "C", "kind": "BF16", "title": {"en": "a", "zh": "b"}, "summary": {"en": "", "zh": ""}},
  {"id": "mine", "variant": "C", "kind": "BF16", "title": {"en": "a", "zh": "b"}, "summary": {"en": "", "zh": ""}}
 ], "missing": [], "start": {"table": {}, "grouped_table": {}, "card_template": {}, "settings": []}})"
                 : R"({"cubist_skeletons": 1, "skeletons": [], "variants": [], "patterns": [], "templates": [
  {"id": "mine", "variant": "C", "kind": "BF16", "title": {"en": "a", "zh": "b"}, "summary": {"en": "", "zh": ""}}
 ], "missing": [], "start": {"table": {}, "grouped_table": {}, "card_template": {}, "settings": []}})";
}

}  // namespace

class TestSkeleton : public QObject {
    Q_OBJECT

private slots:
    void indexHasEverySkeletonInBothLanguages() {
        QVERIFY(library().problems().empty());
        const SkeletonIndex& index = library().index();
        QCOMPARE(index.skeletons.size(), std::size_t{16});
        for (std::size_t i = 0; i < index.skeletons.size(); ++i) {
            const SkeletonCard& card = index.skeletons[i];
            const std::string number = std::to_string(i + 1);
            QCOMPARE(card.id, "SK-" + std::string(number.size() == 1 ? "0" : "") + number);
            QVERIFY(!card.flow.empty() && !card.tags.empty());
            for (const BilingualText* text : {&card.name, &card.choose, &card.start})
                QVERIFY(!text->en.empty() && !text->zh.empty());
        }
        QCOMPARE(*index.skeleton("SK-14")->options.cubeL1Reuse.find("0"), std::int64_t{4});
        QCOMPARE(index.skeleton("SK-15")->options.stitchFunctionMaxNum, std::int64_t{1024});
        QVERIFY(index.skeleton("SK-17") == nullptr);
        QCOMPARE(index.variants.size(), std::size_t{5});
        QCOMPARE(index.patterns.size(), std::size_t{4});
        QCOMPARE(index.start.settings.size(), std::size_t{14});
    }

    void indexKeepsNoUnknownKeys() {
        const auto text = contentsOf(kSkeletons + "/index.json");
        const auto loaded = readSkeletonIndex(text);
        QVERIFY(loaded);
        QVERIFY(loaded->warnings.empty());
    }

    void everyCombinationIsATemplateOrSaysWhyNot() {
        const SkeletonIndex& index = library().index();
        for (const auto& [variant, spelling] : EnumTable<Variant>::entries)
            for (std::int64_t pattern = 1; pattern <= 4; ++pattern) {
                TemplateQuery query;
                query.variant = variant;
                query.pattern = {pattern};
                const auto chosen = selectTemplate(index, query);
                const auto missing = std::count_if(index.missing.begin(), index.missing.end(), [&](const auto& entry) {
                    return entry.variant == variant && entry.pattern == pattern;
                });
                QCOMPARE(missing, chosen ? 0 : 1);
                if (chosen) {
                    QCOMPARE(chosen->variant, variant);
                    QVERIFY(std::find(chosen->pattern.begin(), chosen->pattern.end(), pattern) !=
                            chosen->pattern.end());
                } else {
                    QCOMPARE(chosen.error().code, ErrorCode::Unsupported);
                    QVERIFY(chosen.error().message.find(combinationText(variant, {pattern})) != std::string::npos);
                    QVERIFY(chosen.error().hint.find("available: ") == 0);
                }
            }
    }

    void everyCombinationHasEveryTypeOfMatmul() {
        const ChipSpec old = chipFile("Ascend910B1"), recent = chipFile("Ascend950PR_958x");
        std::set<std::pair<Variant, std::vector<std::int64_t>>> flows;
        for (const SkeletonTemplate& entry : library().index().templates) flows.emplace(entry.variant, entry.pattern);
        QCOMPARE(flows.size(), std::size_t{16});
        for (const auto& [variant, pattern] : flows)
            for (const char* kind : {"bf16", "fp16", "fp32", "int8", "mxfp8"}) {
                TemplateQuery query;
                query.variant = variant;
                query.pattern = pattern;
                query.kind = kind;
                query.chip = &recent;
                const auto made = library().make(query);
                QVERIFY2(made, made ? "" : made.error().message.c_str());
                QCOMPARE(complaints(checkOnly(requestFor(*made, {}), {})->findings), std::vector<std::string>());
                query.chip = &old;
                QCOMPARE(bool(library().make(query)), std::string(kind) != "mxfp8");
            }
    }

    void theAloneStandingPatternComesFirst() {
        const auto idOf = [](Variant variant, std::vector<std::int64_t> pattern) {
            TemplateQuery query;
            query.variant = variant;
            query.pattern = std::move(pattern);
            const auto chosen = selectTemplate(library().index(), query);
            return chosen ? chosen->id : "none";
        };
        QCOMPARE(idOf(Variant::D, {2}), "D-2");
        QCOMPARE(idOf(Variant::D, {3}), "D-3");
        QCOMPARE(idOf(Variant::D, {3, 2}), "D-3");
        QCOMPARE(idOf(Variant::D, {1, 2}), "none");
        QCOMPARE(idOf(Variant::C, {}), "C");
    }

    void theChipDecidesWhatTheMatmulsMultiply() {
        const ChipSpec old = chipFile("Ascend910B3"), recent = chipFile("Ascend950DT_9581");
        TemplateQuery query;
        query.variant = Variant::BStatic;
        query.pattern = {3};
        query.kind = "mxfp8";
        query.chip = &recent;
        const auto made = library().make(query);
        QVERIFY(made);
        QCOMPARE(made->chip.text, std::string("Ascend950DT_9581"));
        QVERIFY(complaints(checkOnly(requestFor(*made, {}), {})->findings).empty());
        query.chip = &old;
        const auto refused = library().make(query);
        QVERIFY(!refused);
        QVERIFY(refused.error().message.find("3510") != std::string::npos);
        query.kind.clear();
        const auto other = library().make(query);
        QVERIFY(other);
        QCOMPARE(other->chip.text, std::string("Ascend910B3"));
        QVERIFY(complaints(checkOnly(requestFor(*other, {}), {})->findings).empty());
    }

    void otherFloatsComeFromBf16_data() {
        QTest::addColumn<int>("variant");
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("kind");
        for (const SkeletonTemplate& entry : library().index().templates) {
            if (entry.kind != "BF16") continue;
            QString pattern;
            for (const std::int64_t number : entry.pattern) pattern += QString::number(number);
            for (const char* kind : {"FP16", "fp32"})
                QTest::addRow("%s %s", entry.id.c_str(), kind) << static_cast<int>(entry.variant) << pattern << kind;
        }
    }
    void otherFloatsComeFromBf16() {
        QFETCH(const int, variant);
        QFETCH(const QString, pattern);
        QFETCH(const QString, kind);
        for (const char* name : {"Ascend910B1", "Ascend950PR_958x"}) {
            const ChipSpec chip = chipFile(name);
            TemplateQuery query;
            query.variant = static_cast<Variant>(variant);
            for (const QChar digit : pattern) query.pattern.push_back(digit.digitValue());
            query.kind = kind.toStdString();
            query.chip = &chip;
            const auto made = library().make(query);
            QVERIFY2(made, made ? "" : made.error().message.c_str());
            for (const Tensor& tensor : made->tensors) QVERIFY(tensor.dtype != DType::BF16);
            QCOMPARE(complaints(checkOnly(requestFor(*made, {}), {})->findings), std::vector<std::string>());
            const auto resolved = resolve(*made, bind(*made, {}, {}).value());
            QVERIFY(resolved);
            for (const ResolvedBlock& block : resolved->blocks)
                if (const auto* stage = std::get_if<VectorStage>(&block.block->content))
                    for (const VectorOp& op : stage->ops)
                        QVERIFY2(op.op != VectorOpCode::Cast ||
                                     resolved->value(*op.in[0].value())->dtype != resolved->value(op.out)->dtype,
                                 op.out.text.c_str());
        }
        // Values, once: the type makes no difference between the chips.
        const ChipSpec chip = chipFile("Ascend910B1");
        TemplateQuery query;
        query.variant = static_cast<Variant>(variant);
        for (const QChar digit : pattern) query.pattern.push_back(digit.digitValue());
        query.kind = kind.toStdString();
        query.chip = &chip;
        const auto report = run(requestFor(library().make(query).value(), {}), {});
        QVERIFY(report);
        QCOMPARE(report->accuracy.verdict, Verdict::Pass);
    }

    void aTemplateSaysWhatItIs_data() {
        QTest::addColumn<QString>("id");
        for (const SkeletonTemplate& entry : library().index().templates)
            QTest::newRow(entry.id.c_str()) << QString::fromStdString(entry.id);
    }
    void aTemplateSaysWhatItIs() {
        QFETCH(const QString, id);
        const auto& templates = library().index().templates;
        const auto entry = std::find_if(templates.begin(), templates.end(),
                                        [&](const auto& one) { return one.id == id.toStdString(); });
        const Design& design = *library().design(entry->id);
        QCOMPARE(design.skeleton.variant, entry->variant);
        QCOMPARE(design.skeleton.pattern, entry->pattern);
        QVERIFY(entry->arch.empty() || chipFile(design.chip.text).arch == entry->arch);
        QVERIFY(!design.notes.empty() && !design.title.empty());
        QVERIFY(design.cases.size() >= 3);
        const std::string text = contentsOf(kSkeletons + "/" + entry->id + ".json");
        QCOMPARE(writeDesign(design), text);
        // Names of designs are those of exported kernels, so no two templates share one.
        for (const Design& other : library().designs()) QVERIFY(&other == &design || other.name != design.name);
    }

    void everyCaseOfATemplateRunsClean_data() {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("caseId");
        for (const SkeletonTemplate& entry : library().index().templates)
            for (const Case& one : library().design(entry.id)->cases)
                if (!kSanitized || entry.kind == "BF16" || one.id.text == "tail" || one.id.text == "empty")
                    QTest::addRow("%s %s", entry.id.c_str(), one.id.text.c_str())
                        << QString::fromStdString(entry.id) << QString::fromStdString(one.id.text);
    }
    void everyCaseOfATemplateRunsClean() {
        QFETCH(const QString, id);
        QFETCH(const QString, caseId);
        const Design& design = *library().design(id.toStdString());
        const auto report = run(requestFor(design, CaseId(caseId.toStdString())), {});
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        const std::vector<std::string> found = complaints(report->findings);
        QVERIFY2(found.empty(), found.empty() ? "" : found.front().c_str());
        QCOMPARE(report->accuracy.verdict, Verdict::Pass);
        QVERIFY(report->trace && report->trace->kernel.value > 0);
    }

    void groupTemplatesHaveEvenUnevenAndEmptyGroups() {
        for (const SkeletonTemplate& entry : library().index().templates) {
            const bool grouped = std::find(entry.pattern.begin(), entry.pattern.end(), 3) != entry.pattern.end();
            std::set<std::string> cases;
            for (const Case& one : library().design(entry.id)->cases) cases.insert(one.id.text);
            QVERIFY(cases.count("even") == 1);
            QVERIFY(grouped ? cases.count("uneven") + cases.count("empty") == 2 : cases.size() >= 3);
        }
    }

    void aFileOfTheUserIsATemplate() {
        const FileFolder folder;
        QVERIFY(!folder.write("mine.json", QByteArray::fromStdString(contentsOf(kSkeletons + "/C.json"))).empty());
        QVERIFY(!folder.write("broken.json", "{").empty());
        const SkeletonLibrary both = SkeletonLibrary::load({kSkeletons, folder.path("")});
        QCOMPARE(both.problems().size(), std::size_t{1});
        QVERIFY(both.problems().front().where.find("broken.json") != std::string::npos);
        const SkeletonTemplate& last = both.index().templates.back();
        QCOMPARE(last.id, std::string("mine"));
        QCOMPARE(last.variant, Variant::C);
        QCOMPARE(last.kind, std::string("BF16"));
        QVERIFY(both.design("mine") != nullptr);
    }

    void aBrokenIndexHasAPathAndAReason() {
        const auto twice = readSkeletonIndex(smallIndex(true));
        QVERIFY(!twice);
        QCOMPARE(twice.error().where, std::string("/templates/1/id"));
        QVERIFY(readSkeletonIndex(smallIndex(false)));
        std::string pattern = smallIndex(false);
        pattern.replace(pattern.find("\"kind\""), 0, "\"pattern\": 5, ");
        const auto beyond = readSkeletonIndex(pattern);
        QVERIFY(!beyond);
        QCOMPARE(beyond.error().where, std::string("/templates/0/pattern"));
        const FileFolder folder;
        QVERIFY(!folder.write("index.json", smallIndex(false)).empty());
        const SkeletonLibrary lonely = SkeletonLibrary::load({folder.path("")});
        QCOMPARE(lonely.problems().size(), std::size_t{1});
        QVERIFY(lonely.index().templates.empty());
        const auto none = lonely.make({});
        QVERIFY(!none);
        QCOMPARE(none.error().code, ErrorCode::Unsupported);
    }
};

QTEST_APPLESS_MAIN(TestSkeleton)
#include "tst_skeleton.moc"
