// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include <algorithm>

#include "core/design/block_values.h"
#include "core/design/edit_ops.h"
#include "core/design/edit_structure.h"
#include "core/design/resolve.h"
#include "core/exchange/design_json.h"
#include "tests/support/designs.h"

using namespace cubist;
using namespace cubist::test;

namespace {

QString text(const Design& design) {
    return QString::fromStdString(writeDesign(design));
}

QString failure(const Result<Design>& result) {
    return result ? QString() : QString::fromStdString(result.error().message);
}

/// Empty when the design resolves without a shape problem.
QString problems(const Design& design) {
    const auto binding = bind(design, {});
    if (!binding) return QString::fromStdString(binding.error().message);
    const auto resolved = resolve(design, *binding);
    if (!resolved) return QString::fromStdString(resolved.error().message);
    return resolved->problems.empty() ? QString() : QString::fromStdString(resolved->problems.front().message);
}

Binding bound(const Design& design) {
    return *bind(design, {});
}

std::vector<std::string> order(const std::vector<Block>& blocks) {
    std::vector<std::string> ids;
    visitTree(blocks, [&](const Block& block) { ids.push_back(block.id().text); });
    return ids;
}

using Ids = std::vector<std::string>;

/// c = relu(a * b), FP32, no loop.
Design chain() {
    Design design = matmulDesign();
    design.blocks.insert(design.blocks.begin() + 1, Block{relu("act", "acc", "h")});
    storeOf(design).from = ValueId("h");
    return design;
}

const CubeStage& cube(const Design& design) {
    Design& nonConst = const_cast<Design&>(design);
    return cubeOf(nonConst);
}

}  // namespace

class TestEditStructure : public QObject {
    Q_OBJECT

private slots:
    void portsAreWhatAStageReadsFromElsewhere() {
        Design design = rowScale();
        const Block stage{vectorOf(design)};
        QStringList names;
        for (const InputPort& port : inputPorts(stage)) names << QString::fromStdString(port.value.text);
        QCOMPARE(names.size(), 2);
        QVERIFY(names.contains("acc"));
        QCOMPARE(inputPorts(Block{cubeOf(design)}).size(), std::size_t(2));
        QCOMPARE(inputPorts(Block{cubeOf(design)}, true).size(), std::size_t(4));
        CubeStage scaled;
        scaled.op = CubeOp::ScaledMm;
        QCOMPARE(inputPorts(Block{scaled}).size(), std::size_t(4));
        // Each unconnected operand is a port of its own.
        VectorStage add = relu("s", "", "y");
        add.ops[0].in = {Operand{ValueId()}, Operand{ValueId()}};
        QCOMPARE(inputPorts(Block{add}).size(), std::size_t(2));
    }

    void freeNamesCountUp() {
        const Design design = matmulDesign();
        FreeNames names(design);
        QCOMPARE(names.take("a"), std::string("a2"));
        QCOMPARE(names.take("a"), std::string("a3"));
        QCOMPARE(names.take("fresh"), std::string("fresh"));
        QCOMPARE(names.take("fresh9"), std::string("fresh9"));
        QCOMPARE(names.take("product"), std::string("product2"));
    }

    void aRemovedStageLeavesItsReadersOpen() {
        const Design design = chain();
        const auto edited = removeElements(design, {{BlockId("act")}, {}});
        QVERIFY(edited);
        QCOMPARE(order(edited->blocks), (Ids{"product", "write"}));
        QVERIFY(std::get<Store>(findBlock(*edited, BlockId("write"))->content).from.empty());
        QVERIFY(problems(*edited).contains("nothing is connected"));
        // A tensor goes with its place on the canvas.
        Design placed = design;
        placed.layout.set("a", {1, 2, 0, 0, {}});
        placed.layout.set("b", {1, 2, 0, 0, {}});
        const auto without = removeElements(placed, {{}, {TensorId("a")}});
        QCOMPARE(without->layout.entries.size(), std::size_t(1));
        QVERIFY(cube(*without).a.empty());
        QCOMPARE(cube(*without).b, ValueId("b"));
    }

    void aLoopGoesWithItsBody() {
        const Design design = glmGate();
        const auto edited = removeElements(design, {{BlockId("rows")}, {}});
        QVERIFY(edited && edited->blocks.empty());
        QVERIFY(!removeElements(design, {{BlockId("nobody")}, {}}));
    }

    void aConnectionMovesTheReaderBehindTheMaker() {
        Design design = chain();
        // A second stage in front of everything, and one that depends on it.
        design.blocks.insert(design.blocks.begin(), {Block{relu("early", "a", "e")}, Block{relu("later", "e", "l")}});
        const auto edited = connectPort(design, BlockId("early"), "0/0", ValueId("h"));
        QVERIFY2(edited, qPrintable(failure(edited)));
        QCOMPARE(order(edited->blocks), (Ids{"product", "act", "early", "later", "write"}));
    }

    void circlesAreRefusedWithTheWay() {
        const Design design = chain();
        auto circle = connectPort(design, BlockId("product"), "a", ValueId("h"));
        QVERIFY(!circle);
        QCOMPARE(circle.error().code, ErrorCode::Cycle);
        QCOMPARE(connectPort(design, BlockId("act"), "0/0", ValueId("h")).error().code, ErrorCode::Cycle);
    }

    void whatIsMadeInALoopStaysThere() {
        Design design = glmGate();
        design.blocks.push_back(Block{relu("after", "x", "y2")});
        const auto edited = connectPort(design, BlockId("after"), "0/0", ValueId("acc"));
        QVERIFY(!edited);
        QVERIFY(failure(edited).contains("inside the loop 'rows'"));
        const auto output = connectPort(design, BlockId("after"), "0/0", ValueId("y"));
        QVERIFY(failure(output).contains("only write"));
        QVERIFY(!connectPort(design, BlockId("x_rows"), "of", ValueId("acc")));
        QCOMPARE(connectPort(design, BlockId("after"), "7/0", ValueId("x")).error().code, ErrorCode::UnknownName);
    }

    void aPortOfAVectorStageIsAllUsesOfItsValue() {
        Design design = chain();
        VectorStage& stage = vectorOf(design);
        VectorOp mul;
        mul.op = VectorOpCode::Mul;
        mul.in = {{ValueId("acc")}, {ValueId("h0")}};
        mul.out = ValueId("h");
        stage.ops[0].out = ValueId("h0");
        stage.ops.push_back(mul);
        const auto edited = connectPort(design, stage.id, "0/0", ValueId("a"));
        QVERIFY(edited);
        QCOMPARE(inputPorts(*findBlock(*edited, stage.id)).size(), std::size_t(1));
        QCOMPARE(inputPorts(*findBlock(*edited, stage.id)).front().value, ValueId("a"));
    }

    void storesAreMadeAndTurned() {
        Design design = matmulDesign();
        design.blocks.pop_back();
        auto edited = storeValue(design, ValueId("acc"), TensorId("c"));
        QVERIFY2(edited, qPrintable(failure(edited)));
        QCOMPARE(problems(*edited), QString());
        QCOMPARE(edited->blocks.size(), std::size_t(2));
        QVERIFY(failure(storeValue(design, ValueId("acc"), TensorId("a"))).contains("input"));
        const BlockId store = edited->blocks.back().id();
        edited = connectStore(*edited, store, {});
        QVERIFY(edited && storeOf(*edited).to.empty());
    }

    void aStageIsPutOnAWire() {
        const Design design = matmulDesign();
        const auto edited = insertOnWire(design, BlockId("write"), "from", Block{relu("act", "", "h")}, "0/0");
        QVERIFY2(edited, qPrintable(failure(edited)));
        QCOMPARE(text(*edited), text(chain()));
    }

    void aSwappedStageKeepsNameResultAndOperands() {
        Design design = matmulDesign();
        CubeStage scaled;
        scaled.id = BlockId("new");
        scaled.op = CubeOp::ScaledMm;
        scaled.out = ValueId("new_out");
        const auto edited = swapStage(design, BlockId("product"), Block{scaled});
        QVERIFY(edited);
        QCOMPARE(cube(*edited).op, CubeOp::ScaledMm);
        QCOMPARE(cube(*edited).id, BlockId("product"));
        QCOMPARE(cube(*edited).out, ValueId("acc"));
        QCOMPARE(cube(*edited).b, ValueId("b"));
        QVERIFY(cube(*edited).scaleA.empty());
        QVERIFY(!swapStage(design, BlockId("write"), Block{scaled}));
    }

    void renamedElementsAreRenamedEverywhere() {
        Design design = glmGate();
        design.layout.set("x", {8, 8, 0, 0, {}});
        const auto edited = renameTensor(design, TensorId("x"), "tokens");
        QVERIFY2(edited, qPrintable(failure(edited)));
        QCOMPARE(problems(*edited), QString());
        QVERIFY(edited->layout.find("tokens") && !edited->layout.find("x"));
        QVERIFY(!text(*edited).contains("\"of\": \"x\""));
        QVERIFY(!renameTensor(design, TensorId("x"), "w"));
        QVERIFY(!renameTensor(design, TensorId("x"), ""));
        QCOMPARE(problems(*renameTensor(design, TensorId("y"), "z")), QString());
        QCOMPARE(problems(*renameBlock(design, BlockId("product"), "gate")), QString());
        QVERIFY(!renameBlock(design, BlockId("product"), "rows"));
        QCOMPARE(problems(*renameValue(design, ValueId("acc"), "sums")), QString());
        QVERIFY(!renameValue(design, ValueId("acc"), "x"));
    }

    void aCopyHasItsOwnNamesAndTheSameOuterValues() {
        const Design design = chain();
        const Design fragment = copyFragment(design, {{BlockId("product"), BlockId("act")}, {TensorId("b")}});
        QCOMPARE(fragment.blocks.size(), std::size_t(2));
        QCOMPARE(fragment.tensors.size(), std::size_t(1));
        // Through text, as the clipboard does.
        const auto read = readDesign(writeDesign(fragment));
        QVERIFY(read);
        const auto pasted = pasteFragment(design, read->design, {{}, BlockId("write")}, 0, 0);
        QVERIFY(pasted);
        QCOMPARE(problems(pasted->design), QString());
        const auto& copy = std::get<CubeStage>(findBlock(pasted->design, BlockId("product2"))->content);
        QCOMPARE(copy.a, ValueId("a"));
        QCOMPARE(copy.b, ValueId("b2"));
        QCOMPARE(std::get<VectorStage>(findBlock(pasted->design, BlockId("act2"))->content).ops[0].in[0].value()->text,
                 copy.out.text);
        QCOMPARE(pasted->elements.blocks, (std::vector<BlockId>{BlockId("product2"), BlockId("act2")}));
        // In an empty design what was outside is not connected.
        Design other;
        const auto alone = pasteFragment(other, fragment, {}, 0, 0);
        QVERIFY(cube(alone->design).a.empty());
        QCOMPARE(cube(alone->design).b, ValueId("b"));
    }

    void aCopiedLoopBringsItsSymbols() {
        const Design design = glmGate();
        const Design fragment =
            copyFragment(design, {{BlockId("rows")}, {TensorId("x"), TensorId("w"), TensorId("y")}});
        QCOMPARE(fragment.symbols, design.symbols);
        const auto alone = pasteFragment(Design(), fragment, {}, 0, 0);
        QCOMPARE(problems(alone->design), QString());
        // Into itself: the index gets another name.
        const auto nested = pasteFragment(design, fragment, {BlockId("rows"), {}}, 0, 0);
        QVERIFY(nested);
        QCOMPARE(std::get<Loop>(findBlock(nested->design, BlockId("rows2"))->content).index, std::string("i2"));
        QCOMPARE(problems(nested->design), QString());
    }

    void wrappedStagesReadSlices() {
        // The whole matmul first, then cut into row tiles of 32 by a loop over T.
        Design design = glmGate();
        Design flat = design;
        flat.blocks = {Block{cubeOf(design)}, Block{storeOf(design)}};
        cubeOf(flat).a = ValueId("x");
        storeOf(flat).offset.clear();
        QCOMPARE(problems(flat), QString());
        Loop loop;
        loop.id = BlockId("rows");
        loop.axis = Expression("T");
        loop.tile = 32;
        const auto edited = wrapInLoop(flat, {BlockId("product")}, loop, bound(flat));
        QVERIFY2(edited, qPrintable(failure(edited)));
        QCOMPARE(problems(*edited), QString());
        QCOMPARE(order(edited->blocks), (Ids{"rows", "cut_x", "product", "write"}));
        Design made = *edited;
        QCOMPARE(viewOf(made).shape, (std::vector<Expression>{32, 5120}));
        QCOMPARE(viewOf(made).offset, (std::vector<Expression>{Expression("i * 32"), 0}));
        QCOMPARE(viewOf(made).valid, (std::vector<Expression>{Expression("min(T - i * 32, 32)"), 5120}));
        QCOMPARE(storeOf(made).offset, (std::vector<Expression>{Expression("i * 32"), 0}));
        QCOMPARE(cubeOf(made).b, ValueId("w"));
        // And back: everything is as it was, but for the loop that is left empty.
        const auto out = moveOutOfLoop(*edited, {BlockId("product")});
        QVERIFY2(out, qPrintable(failure(out)));
        const auto alone = removeElements(*out, {{BlockId("rows")}, {}});
        QCOMPARE(text(*alone), text(flat));
        QCOMPARE(text(*dissolveLoop(*edited, BlockId("rows"))), text(flat));
    }

    void twoStagesShareASlice() {
        Design design = glmGate();
        Design flat = design;
        flat.blocks = {Block{relu("act", "x", "h")}, Block{relu("act2", "x", "h2")}};
        Loop loop;
        loop.id = BlockId("rows");
        loop.axis = Expression("T");
        loop.tile = 32;
        const auto edited = wrapInLoop(flat, {BlockId("act"), BlockId("act2")}, loop, bound(flat));
        QVERIFY2(edited, qPrintable(failure(edited)));
        QCOMPARE(order(edited->blocks), (Ids{"rows", "cut_x", "act", "act2"}));
    }

    void groupsAreCutByTheirList() {
        Design design = matmulDesign();
        List list;
        list.id = ListId("rows_of");
        list.form = ListForm::Counts;
        list.value = {40, 0, 24};
        list.total = Expression(64);
        design.lists.push_back(list);
        tensorOf(design, "b").shape = {Expression("len(rows_of)"), 128, 64};
        Loop loop;
        loop.id = BlockId("groups");
        loop.index = "g";
        loop.axis = Expression("len(rows_of)");
        const auto edited = wrapInLoop(design, {BlockId("product")}, loop, bound(design));
        QVERIFY2(edited, qPrintable(failure(edited)));
        QCOMPARE(problems(*edited), QString());
        Design made = *edited;
        QCOMPARE(storeOf(made).offset.front(), Expression("start(rows_of, g)"));
        const auto& rows = std::get<View>(findBlock(made, BlockId("cut_a"))->content);
        QCOMPARE(rows.valid, (std::vector<Expression>{Expression("count(rows_of, g)"), 128}));
        const auto& weight = std::get<View>(findBlock(made, BlockId("cut_b"))->content);
        QCOMPARE(weight.shape, (std::vector<Expression>{128, 64}));
        QCOMPARE(weight.offset, (std::vector<Expression>{Expression("g"), 0, 0}));
    }

    void aResultThatIsReadOutsideStaysOutside() {
        Design design = chain();
        Loop loop;
        loop.id = BlockId("rows");
        loop.axis = Expression(64);
        loop.tile = 16;
        const auto edited = wrapInLoop(design, {BlockId("product")}, loop, bound(design));
        QVERIFY(failure(edited).contains("'act' reads 'acc'"));
        QVERIFY(wrapInLoop(design, {BlockId("product"), BlockId("act")}, loop, bound(design)));
        QVERIFY(!moveOutOfLoop(design, {BlockId("act")}));
    }

    void unfinishedDesignsAreSavedAndReadBack() {
        Design design = matmulDesign();
        design.blocks.push_back(Block{relu("act", "", "h")});
        cubeOf(design).a = {};
        storeOf(design).to = {};
        const auto read = readDesign(writeDesign(design));
        QVERIFY(read);
        QVERIFY(read->design == design);
    }
};

QTEST_APPLESS_MAIN(TestEditStructure)
#include "tst_edit_structure.moc"
