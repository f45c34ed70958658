// SPDX-License-Identifier: GPL-3.0-or-later
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <functional>
#include <random>

#include "core/design/design_compare.h"
#include "core/design/edit_ops.h"
#include "core/exchange/design_json.h"
#include "core/exchange/files.h"
#include "core/rules/checker.h"
#include "tests/support/designs.h"
#include "views/document_model.h"
#include "views/element_lookup.h"
#include "views/selection_model.h"

using namespace cubist;
using namespace cubist::test;

namespace {

const QString kSample = QStringLiteral(CUBIST_SOURCE_DIR "/samples/glm_gate.cubist.json");

ChipLibrary testChips() {
    return ChipLibrary::load({CUBIST_SOURCE_DIR "/resources/chips"});
}

bool hasRule(const DocumentModel& document, const std::string& rule) {
    return std::any_of(document.findings().begin(), document.findings().end(),
                       [&](const Finding& finding) { return finding.ruleId == rule; });
}

std::string text(const DocumentModel& document) {
    return writeDesign(*document.design());
}

}  // namespace

class TestDocumentModel : public QObject {
    Q_OBJECT

private slots:
    void startsWithoutDesign() {
        DocumentModel document(testChips());
        QVERIFY(!document.hasDesign());
        QVERIFY(!document.isModified());
        QVERIFY(!document.resolved() && !document.binding() && !document.chip() && !document.problem());
        QVERIFY(document.findings().empty());
        QVERIFY(!document.apply(QStringLiteral("edit"), rowScale()));
        QVERIFY(!document.save());
    }

    void loadsASample() {
        DocumentModel document(testChips());
        QSignalSpy replaced(&document, &DocumentModel::documentReplaced);
        QSignalSpy path(&document, &DocumentModel::pathChanged);
        QVERIFY(document.load(kSample).has_value());
        QCOMPARE(replaced.count(), 1);
        QCOMPARE(path.count(), 1);
        QCOMPARE(document.fileName(), QStringLiteral("glm_gate.cubist.json"));
        QCOMPARE(document.folder(), QStringLiteral(CUBIST_SOURCE_DIR "/samples"));
        QVERIFY(!document.isModified());
        QVERIFY(document.chip());
        QCOMPARE(document.chip()->id.text, std::string("Ascend910B1"));
        QVERIFY(document.resolved());
        QCOMPARE(document.resolved()->loops.front().iterations, std::int64_t(2));
        QCOMPARE(document.binding()->caseId.text, std::string("glm_gate_bs64"));
    }

    void failedLoadKeepsTheDocument() {
        DocumentModel document(testChips());
        QVERIFY(document.load(kSample).has_value());
        const auto before = document.design();
        const Result<void> missing = document.load(QStringLiteral("/nowhere/at all.cubist.json"));
        QVERIFY(!missing);
        QCOMPARE(missing.error().code, ErrorCode::BadFile);
        QVERIFY(document.design() == before);
        QCOMPARE(document.path(), kSample);
    }

    void aTemplateOpensWithoutAFile() {
        DocumentModel document(testChips());
        QVERIFY(document.newFromTemplate(kSample).has_value());
        QVERIFY(document.hasDesign());
        QVERIFY(document.path().isEmpty());
        const Result<void> saved = document.save();
        QVERIFY(!saved);
        QCOMPARE(saved.error().code, ErrorCode::BadValue);
    }

    void anEditIsOneUndoStep() {
        DocumentModel document(testChips());
        document.newDesign(glmGate());
        const std::string before = text(document);
        const auto snapshot = document.design();
        QSignalSpy changed(&document, &DocumentModel::designChanged);
        QSignalSpy modified(&document, &DocumentModel::modifiedChanged);
        QVERIFY(document.apply(QStringLiteral("Seed"), setSeed(*document.design(), 5)));
        QCOMPARE(document.design()->seed, std::int64_t(5));
        QCOMPARE(snapshot->seed, std::int64_t(0));
        QVERIFY(document.isModified());
        QCOMPARE(document.undoStack().count(), 1);
        QCOMPARE(document.undoStack().undoText(), QStringLiteral("Seed"));
        document.undoStack().undo();
        QCOMPARE(text(document), before);
        QVERIFY(!document.isModified());
        document.undoStack().redo();
        QCOMPARE(document.design()->seed, std::int64_t(5));
        QCOMPARE(changed.count(), 3);
        QCOMPARE(modified.count(), 3);
    }

    void anEditThatChangesNothingIsNoStep() {
        DocumentModel document(testChips());
        document.newDesign(glmGate());
        QVERIFY(document.apply(QStringLiteral("Seed"), setSeed(*document.design(), document.design()->seed)));
        QCOMPARE(document.undoStack().count(), 0);
    }

    void aFailedEditIsReported() {
        DocumentModel document(testChips());
        document.newDesign(glmGate());
        QSignalSpy rejected(&document, &DocumentModel::editRejected);
        QVERIFY(!document.apply(QStringLiteral("T"), setSymbolValue(*document.design(), SymbolId("T"), 0)));
        QCOMPARE(rejected.count(), 1);
        QVERIFY(rejected.first().first().toString().contains(QStringLiteral("at least 1")));
        QCOMPARE(document.undoStack().count(), 0);
    }

    void aRunOfEditsIsOneStep() {
        DocumentModel document(testChips());
        document.newDesign(glmGate());
        const QString key = QStringLiteral("seed");
        for (const int seed : {1, 12, 123}) document.apply(key, setSeed(*document.design(), seed), key);
        QCOMPARE(document.undoStack().count(), 1);
        document.endEditRun();
        document.apply(key, setSeed(*document.design(), 4), key);
        QCOMPARE(document.undoStack().count(), 2);
        document.apply(key, setTitle(*document.design(), "x"), QStringLiteral("title"));
        QCOMPARE(document.undoStack().count(), 3);
        document.undoStack().undo();
        document.undoStack().undo();
        QCOMPARE(document.design()->seed, std::int64_t(123));
        document.undoStack().undo();
        QCOMPARE(document.design()->seed, std::int64_t(0));
    }

    void aRunThatEndsWhereItBeganLeavesNoStep() {
        DocumentModel document(testChips());
        document.newDesign(glmGate());
        const QString key = QStringLiteral("seed");
        document.apply(key, setSeed(*document.design(), 1), key);
        document.apply(key, setSeed(*document.design(), 0), key);
        QCOMPARE(document.undoStack().count(), 0);
        QVERIFY(!document.isModified());
    }

    void typingAfterAnUndoIsANewStep() {
        DocumentModel document(testChips());
        document.newDesign(glmGate());
        const QString key = QStringLiteral("seed");
        document.apply(key, setSeed(*document.design(), 1), key);
        document.endEditRun();
        document.apply(key, setSeed(*document.design(), 2), key);
        document.undoStack().undo();
        document.apply(key, setSeed(*document.design(), 3), key);
        QCOMPARE(document.undoStack().count(), 2);
    }

    void randomEditsAreUndoneToTheByte() {
        DocumentModel document(testChips());
        QVERIFY(document.load(kSample).has_value());
        const std::string before = text(document);
        std::mt19937 random(7);
        const auto number = [&random](int below) {
            return static_cast<std::int64_t>(random() % static_cast<unsigned>(below));
        };
        for (int i = 0; i < 1000; ++i) {
            const Design& design = *document.design();
            const QString key = number(2) == 0 ? QStringLiteral("run") : QString();
            CubeTile tile;
            tile.m = {number(100), number(100)};
            switch (number(5)) {
                case 0: document.apply({}, setSeed(design, number(50)), key); break;
                case 1: document.apply({}, setCubeTile(design, BlockId("gate"), tile), key); break;
                case 2: document.apply({}, setPlacements(design, {{"weight", double(number(500)), 0}}), key); break;
                case 3: document.apply({}, setLoopTile(design, BlockId("rows"), number(40)), key); break;
                default:
                    document.apply({}, setTensorFormat(design, TensorId("weight"), number(2) ? Format::NZ : Format::ND),
                                   key);
            }
        }
        QVERIFY(document.undoStack().count() > 300);
        while (document.undoStack().canUndo()) document.undoStack().undo();
        QCOMPARE(QString::fromStdString(text(document)), QString::fromStdString(before));
        QVERIFY(!document.isModified());
    }

    void savingMakesTheDocumentClean() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a.cubist.json"));
        DocumentModel document(testChips());
        document.newDesign(glmGate());
        document.apply(QStringLiteral("seed"), setSeed(*document.design(), 9));
        QVERIFY(document.saveAs(path).has_value());
        QVERIFY(!document.isModified());
        QCOMPARE(document.path(), path);
        const Result<std::string> stored = readFile(path.toStdString(), 1 << 20);
        QVERIFY(stored.has_value());
        QCOMPARE(*stored, text(document));

        document.undoStack().undo();
        QVERIFY(document.isModified());
        QVERIFY(document.save().has_value());
        QVERIFY(!document.isModified());
        DocumentModel again(testChips());
        QVERIFY(again.load(path).has_value());
        QVERIFY(*again.design() == *document.design());
    }

    void aFailedSaveStaysModified() {
        DocumentModel document(testChips());
        document.newDesign(glmGate());
        document.apply(QStringLiteral("seed"), setSeed(*document.design(), 9));
        QVERIFY(!document.saveAs(QStringLiteral("/nowhere/a.cubist.json")));
        QVERIFY(document.isModified());
        QVERIFY(document.path().isEmpty());
    }

    void theCaseDecidesTheTail() {
        DocumentModel document(testChips());
        QVERIFY(document.load(kSample).has_value());
        QSignalSpy changed(&document, &DocumentModel::caseChanged);
        document.setCase(QStringLiteral("T1026"));
        QCOMPARE(changed.count(), 1);
        QCOMPARE(document.resolved()->loops.front().iterations, std::int64_t(33));
        Dictionary<std::int64_t> overrides;
        overrides.set("T", 31);
        document.setSymbolOverrides(overrides);
        QCOMPARE(document.resolved()->loops.front().iterations, std::int64_t(1));
        document.setCase(QStringLiteral("T64"));
        QVERIFY(document.symbolOverrides().empty());
        QCOMPARE(document.resolved()->loops.front().iterations, std::int64_t(2));
    }

    void anUnknownCaseIsAProblem() {
        DocumentModel document(testChips());
        QVERIFY(document.load(kSample).has_value());
        document.setCase(QStringLiteral("T65"));
        QVERIFY(document.problem());
        QCOMPARE(document.problem()->code, ErrorCode::UnknownName);
        QVERIFY(!document.binding() && !document.resolved());
        QCOMPARE(document.findings().size(), std::size_t(1));
        QCOMPARE(document.findings().front().ruleId, std::string("DOC"));
        QCOMPARE(document.findings().front().severity, Severity::Error);
    }

    void whatCannotBeResolvedIsAFindingAtItsPlace() {
        DocumentModel document(testChips());
        Design design = glmGate();
        const BlockId cube = cubeOf(design).id;
        cubeOf(design).b = ValueId("nobody");
        document.newDesign(design);
        QVERIFY(document.problem());
        QVERIFY(!document.resolved());
        QVERIFY(document.binding());
        QCOMPARE(document.findings().size(), std::size_t(1));
        QCOMPARE(document.findings().front().block.text, cube.text);
        document.apply(QStringLiteral("back"), glmGate());
        QVERIFY(!document.problem());
        QVERIFY(document.resolved());
        document.undoStack().undo();
        QVERIFY(document.problem());
    }

    void anUnknownChipIsAProblem() {
        DocumentModel document(testChips());
        document.newDesign(glmGate());
        QVERIFY(document.chip());
        document.apply(QStringLiteral("chip"), setChip(*document.design(), ChipId("Ascend9000")));
        QVERIFY(!document.chip());
        QVERIFY(document.problem());
        QCOMPARE(document.problem()->where, std::string("/chip"));
        QVERIFY(document.resolved());
    }

    void findingsFollowEveryEdit() {
        DocumentModel document(testChips());
        document.newDesign(glmGate());
        QVERIFY(!hasRule(document, "CAP-01"));
        CubeTile tile;
        tile.m = {32, 32};
        tile.k = {1024, 1024};  // of 32 rows 128 KB, twice what L0A has
        tile.n = {16, 16};
        Design copy = *document.design();
        QVERIFY(document.apply(QStringLiteral("tile"), setCubeTile(*document.design(), cubeOf(copy).id, tile)));
        const auto worst = document.findings().begin();
        QVERIFY(worst != document.findings().end());
        QCOMPARE(worst->severity, Severity::Error);
        document.undoStack().undo();
        QVERIFY(std::none_of(document.findings().begin(), document.findings().end(),
                             [](const Finding& finding) { return finding.severity == Severity::Error; }));
    }

    void aFixIsOneUndoStep() {
        DocumentModel document(testChips());
        Design design = glmGate();
        cubeOf(design).tile.k = {20, 1024};
        document.newDesign(design);
        const auto fixable = std::find_if(document.findings().begin(), document.findings().end(),
                                          [](const Finding& finding) { return !finding.fixes.empty(); });
        QVERIFY(fixable != document.findings().end());
        const Finding finding = *fixable;
        QVERIFY(document.applyFix(finding.fixes.front()));
        QCOMPARE(document.undoStack().count(), 1);
        QVERIFY(std::find(document.findings().begin(), document.findings().end(), finding) ==
                document.findings().end());
        document.undoStack().undo();
        QVERIFY(*document.design() == design);
    }

    void movingACardChecksNothingAnew() {
        DocumentModel document(testChips());
        QVERIFY(document.load(kSample).has_value());
        const std::string before = text(document);
        const std::vector<Finding> findings = document.findings();
        QSignalSpy checked(&document, &DocumentModel::findingsChanged);
        QSignalSpy moved(&document, &DocumentModel::placesChanged);
        QSignalSpy changed(&document, &DocumentModel::designChanged);
        QVERIFY(document.apply(QStringLiteral("move"), setPlacements(*document.design(), {{"gate", 8.0, 16.0}})));
        QCOMPARE(document.design()->layout.find("gate")->x, 8.0);
        document.undoStack().undo();
        QCOMPARE(text(document), before);
        QCOMPARE(checked.count(), 0);
        QCOMPARE(moved.count(), 2);
        QCOMPARE(changed.count(), 2);
        QVERIFY(document.findings() == findings && document.resolved());
        // What the rules look at is checked as ever.
        QVERIFY(document.apply(QStringLiteral("chip"), setChip(*document.design(), ChipId("Ascend950PR"))));
        QCOMPARE(checked.count(), 1);
        QCOMPARE(moved.count(), 2);
    }

    void onlyPlacesAndNotesAreNoDifference() {
        const Design design = rowScale();
        Design other = design;
        other.layout.set(design.tensors.front().id.text, Position{8.0, 8.0, 0.0, 0.0, {}});
        other.canvasNotes.push_back({"read this", 1.0, 2.0, 200.0, {}});
        QVERIFY(sameButPlaces(design, other));
        for (const std::function<void(Design&)>& change : std::vector<std::function<void(Design&)>>{
                 [](Design& edited) { edited.title = "another"; }, [](Design& edited) { edited.seed = 7; },
                 [](Design& edited) { edited.tensors.front().dtype = DType::INT8; },
                 [](Design& edited) { edited.blocks.pop_back(); },
                 [](Design& edited) { edited.options.combineAxis = !edited.options.combineAxis; },
                 [](Design& edited) {
                     edited.unknown.push_back({"key", "1"});
                 }}) {
            Design changed = other;
            change(changed);
            QVERIFY(!sameButPlaces(design, changed));
        }
    }

    void fixesOfLargeDesignsComeAMomentLater() {
        Design large = matmulDesign();
        std::string value = cubeOf(large).out.text;
        for (int i = 0; i < 320; ++i) {
            const std::string next = "h" + std::to_string(i);
            large.blocks.insert(large.blocks.end() - 1, Block{relu("act" + std::to_string(i), value, next)});
            value = next;
        }
        storeOf(large).from = ValueId(value);
        cubeOf(large).tile.k = {20, 128};
        DocumentModel document(testChips());
        QSignalSpy fixed(&document, &DocumentModel::fixesChanged);
        document.newDesign(large);
        QVERIFY(document.looksForFixes());
        const auto fixes = [&] {
            std::size_t count = 0;
            for (const Finding& finding : document.findings()) count += finding.fixes.size();
            return count;
        };
        QVERIFY(!document.findings().empty());
        QCOMPARE(fixes(), std::size_t(0));
        QTRY_VERIFY_WITH_TIMEOUT(!document.looksForFixes(), 60'000);
        QVERIFY(fixed.count() >= 1);
        QVERIFY(fixes() > 0);
        QVERIFY(document.findings() == checkDesign(*document.resolved(), *document.chip(), large.profile));
        // An edit in between: what was being tried for the design before it never arrives.
        document.undoStack().clear();
        document.newDesign(large);
        QVERIFY(document.looksForFixes());
        document.newDesign(matmulDesign());
        QVERIFY(!document.looksForFixes());
        fixed.clear();
        QCoreApplication::processEvents();
        QCOMPARE(fixed.count(), 0);
    }

    void pointersLeadToElements_data() {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("id");
        QTest::addColumn<bool>("tensor");
        QTest::newRow("tile of a stage") << "/blocks/0/body/1/tile/k/0"
                                         << "gate" << false;
        QTest::newRow("a loop's tile") << "/blocks/0/tile"
                                       << "rows" << false;
        QTest::newRow("a loop's body") << "/blocks/0/body"
                                       << "rows" << false;
        QTest::newRow("a tensor's type") << "/tensors/2/dtype"
                                         << "router_logits" << true;
        QTest::newRow("the whole design") << ""
                                          << "" << false;
        QTest::newRow("the chip") << "/chip"
                                  << "" << false;
        QTest::newRow("beyond the last block") << "/blocks/7/tile"
                                               << "" << false;
        QTest::newRow("beyond the body") << "/blocks/0/body/9"
                                         << "rows" << false;
        QTest::newRow("no number") << "/tensors/first"
                                   << "" << false;
        QTest::newRow("not a pointer") << "blocks"
                                       << "" << false;
    }

    void pointersLeadToElements() {
        QFETCH(QString, pointer);
        QFETCH(QString, id);
        QFETCH(bool, tensor);
        DocumentModel document(testChips());
        QVERIFY(document.load(kSample).has_value());
        const Element element = elementAt(*document.design(), pointer.toStdString());
        QCOMPARE(QString::fromStdString(element.id), id);
        QCOMPARE(element.isTensor(), tensor);
        QCOMPARE(element.isNone(), id.isEmpty());
    }

    void theSelectionTellsChangesOnly() {
        SelectionModel selection;
        QSignalSpy changed(&selection, &SelectionModel::selectionChanged);
        QSignalSpy revealed(&selection, &SelectionModel::revealRequested);
        selection.select(Element(BlockId("gate")));
        selection.select(Element(BlockId("gate")));
        QCOMPARE(changed.count(), 1);
        selection.reveal(Element(BlockId("gate")));
        QCOMPARE(changed.count(), 1);
        QCOMPARE(revealed.count(), 1);
        selection.select(Element(TensorId("gate")));
        QCOMPARE(changed.count(), 2);
        selection.clear();
        QVERIFY(selection.current().isNone());
        QVERIFY(Element(BlockId("")).isNone());
    }
};

QTEST_MAIN(TestDocumentModel)
#include "tst_document_model.moc"
