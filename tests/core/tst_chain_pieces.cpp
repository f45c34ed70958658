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

VectorOp operation(VectorOpCode code, std::vector<const char*> in, const char* out) {
    VectorOp op;
    op.op = code;
    for (const char* name : in) op.in.push_back(Operand{ValueId(name)});
    op.out = ValueId(out);
    return op;
}

/// acc, e1, e2 and e3 live at once: four tiles of 64 KB with 16 rows of 1024 FP32.
Design fourAlive(std::int64_t tileRows) {
    Design design =
        rowScale({.rows = 100, .n = 1024, .rowTile = 64, .out = DType::FP32, .vectorTile = {tileRows, 1024}});
    vectorOf(design).ops = {operation(VectorOpCode::Exp, {"acc"}, "e1"),
                            operation(VectorOpCode::Neg, {"acc"}, "e2"),
                            operation(VectorOpCode::Abs, {"acc"}, "e3"),
                            operation(VectorOpCode::Add, {"e1", "e2"}, "s1"),
                            operation(VectorOpCode::Add, {"s1", "e3"}, "s2"),
                            operation(VectorOpCode::Add, {"s2", "acc"}, "s3"),
                            operation(VectorOpCode::Mul, {"s3", "scale_tile"}, "s4")};
    storeOf(design).from = ValueId("s4");
    tensorOf(design, "y").dtype = DType::FP32;
    return design;
}

}  // namespace

class TestChainPieces : public QObject {
    Q_OBJECT
private slots:
    void aCutKeepsOperationsAndOrder() {
        Design design = fourAlive(16);
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
        const Design large = fourAlive(16), small = fourAlive(8);
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
        request.design = std::make_shared<const Design>(fourAlive(16));
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
        const Design design = fourAlive(64);
        const auto program = lower(design, bound(design), chipFile("Ascend910B1"));
        QVERIFY(!program);
        QCOMPARE(program.error().code, ErrorCode::DoesNotFit);
        QCOMPARE(program.error().where, std::string("/blocks/0/body/3/tile"));
    }
};

QTEST_APPLESS_MAIN(TestChainPieces)
#include "tst_chain_pieces.moc"
