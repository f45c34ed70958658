// SPDX-License-Identifier: GPL-3.0-or-later
/// Vector stages whose operations do not fit UB together become several tasks.
#include <QTest>
#include <set>

#include "core/design/stage_cut.h"
#include "core/lowering/lower.h"
#include "core/run/run.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// acc, e1, e2 and e3 live at once: four tiles of 64 KB with 16 rows of 1024 FP32.
Design wideRows(std::int64_t tileRows) {
    return fourAlive({.rows = 100, .n = 1024, .rowTile = 64, .vectorTile = {tileRows, 1024}});
}

}  // namespace

class TestChainPieces : public QObject {
    Q_OBJECT
private slots:
    void aCutKeepsOperationsAndOrder() {
        Design design = wideRows(16);
        const BlockId id = vectorOf(design).id;
        const BlockId rest = nameOfRest(design, id);
        QCOMPARE(rest.text, id.text + "~2");
        Design cut = withStageCut(design, id, 3, rest);
        const auto& body = loopOf(cut).body;
        const auto& first = std::get<VectorStage>(body[3].content);
        const auto& second = std::get<VectorStage>(body[4].content);
        QCOMPARE(first.ops.size(), std::size_t{3});
        QCOMPARE(second.ops.size(), std::size_t{4});
        QCOMPARE(second.tile, first.tile);
        QCOMPARE(nameOfRest(cut, id).text, id.text + "~3");
        QCOMPARE(withStageCut(design, id, 0, rest), design);
        QCOMPARE(withStageCut(design, id, 7, rest), design);
    }

    void piecesGiveTheSameBits() {
        const ChipSpec chip = chipFile("Ascend910B1");
        const Design large = wideRows(16), small = wideRows(8);
        const Program cut = lowered(large, bound(large), chip);
        const Program whole = lowered(small, bound(small), chip);
        const auto inputs = generated(cut, {Distribution::Uniform, -1.0, 1.0}, 3);
        QVERIFY(
            sameBits(tensorNamed(cut, emulated(cut, inputs), "y"), tensorNamed(whole, emulated(whole, inputs), "y")));
        QVERIFY(emulated(cut, inputs, {Isa::Auto, true, {}}, 2).notes.empty());
        // Both iterations: 4 and 3 tiles of 16 rows, each in two tasks, besides the matmuls.
        std::size_t vectors = 0;
        std::set<std::string> names;
        for (const Task& task : cut.tasks) {
            const ProgramStage& stage = cut.stages[cut.stageOf(task).value];
            names.insert(stage.id.text);
            QVERIFY(stage.where == "/blocks/0/body/2" || stage.where == "/blocks/0/body/3");
            if (stage.kind == TaskKind::Aiv) vectors += task.memberCount;
        }
        QCOMPARE(names.size(), std::size_t{2});
        QCOMPARE(vectors, std::size_t{14});
    }

    void aRunPassesAndSaysSo() {
        RunRequest request;
        request.chip = chipFile("Ascend910B1");
        request.design = std::make_shared<const Design>(wideRows(16));
        const auto report = run(request, {});
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        QCOMPARE(report->accuracy.verdict, Verdict::Pass);
        QCOMPARE(report->exitStatus(), 0);
        bool said = false;
        for (const Finding& finding : report->findings)
            said = said || (finding.ruleId == "CAP-13" &&
                            finding.message.find("2 tasks of a tile: e1 to e3 | s1 to s4") != std::string::npos);
        QVERIFY(said);
    }

    void oneOperationThatDoesNotFitIsRefused() {
        const Design design = wideRows(64);
        const auto program = lower(design, bound(design), chipFile("Ascend910B1"));
        QVERIFY(!program);
        QCOMPARE(program.error().code, ErrorCode::DoesNotFit);
        QCOMPARE(program.error().where, std::string("/blocks/0/body/3/tile"));
    }
};

QTEST_APPLESS_MAIN(TestChainPieces)
#include "tst_chain_pieces.moc"
