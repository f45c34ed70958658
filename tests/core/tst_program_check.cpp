// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <functional>

#include "core/lowering/program_check.h"
#include "core/timing/timing_engine.h"
#include "tests/support/program_builder.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// A cube task with a box of its own, then a vector task.
Program smallProgram() {
    ProgramBuilder builder;
    Leaf cube = matmulLeaf({.dtype = DType::BF16});
    cube.parameters = 1;
    cube.instructions[0].box = 0;
    const TaskIndex first = builder.task(builder.leaf(cube));
    builder.edge(first, builder.task(builder.leaf(vectorLeaf(64))));
    Program program = builder.build();
    program.tensors.push_back({.name = "a", .shape = {1, 1, 16, 32}});
    program.boxes.push_back({.tensor = GmIndex(0), .extent = {1, 1, 16, 32}, .valid = {1, 1, 16, 32}});
    return program;
}

}  // namespace

class TestProgramCheck : public QObject {
    Q_OBJECT
private slots:
    void aThirdOperandIsATileAndNoBox();
    void dataWithoutAPlaceInMemoryArePredicted();
    void whatIsMissingIsAnError_data();
    void whatIsMissingIsAnError();
};

// Leaves with more tiles than boxes: where(mask, x, y) reads its third operand from a tile beyond the last box.
void TestProgramCheck::aThirdOperandIsATileAndNoBox() {
    Program program = smallProgram();
    Leaf& leaf = program.leaves[1];
    const auto last = static_cast<std::uint16_t>(leaf.allocations.size() - 1);
    QVERIFY(last >= leaf.parameters);
    for (Instruction& i : leaf.instructions)
        if (i.op == Opcode::Vector) i.box = last;
    QVERIFY(checkProgram(program));
    QVERIFY(predict(program, chip910B1()));
}

// Nothing says where these tasks load from and store to: they always meet L2, and take no workspace.
void TestProgramCheck::dataWithoutAPlaceInMemoryArePredicted() {
    ProgramBuilder builder;
    const LeafIndex cube = builder.leaf(matmulLeaf({.dtype = DType::BF16}));
    const LeafIndex vector = builder.leaf(vectorLeaf(64));
    for (int i = 0; i < 500; ++i) builder.edge(builder.task(cube), builder.task(vector));
    const Program program = builder.build();
    QVERIFY(checkProgram(program));
    ChipSpec chip = chip910B1();
    chip.l2EffectiveBytes.value = Rational(1 << 20);
    const auto trace = predict(program, chip);
    QVERIFY(trace);
    QCOMPARE(trace->tasks.size(), std::size_t{1000});
    QCOMPARE(trace->hbmBytes, std::int64_t{0});
    QVERIFY(trace->kernel > Ticks());
}

using Breaks = std::function<void(Program&)>;
Q_DECLARE_METATYPE(Breaks)

void TestProgramCheck::whatIsMissingIsAnError_data() {
    QTest::addColumn<Breaks>("breaks");
    QTest::newRow("leaf") << Breaks([](Program& p) { p.tasks[1].leaf = LeafIndex(7); });
    QTest::newRow("root") << Breaks([](Program& p) { p.roots.clear(); });
    QTest::newRow("boxes") << Breaks([](Program& p) { p.boxes.clear(); });
    QTest::newRow("box beyond the end") << Breaks([](Program& p) { p.tasks[0].firstBox = 0xFFFFFFFF; });
    QTest::newRow("tensor") << Breaks([](Program& p) { p.tensors.clear(); });
    QTest::newRow("members") << Breaks([](Program& p) { p.members.pop_back(); });
    QTest::newRow("no member") << Breaks([](Program& p) { p.tasks[0].memberCount = 0; });
    QTest::newRow("members of the leaf") << Breaks([](Program& p) {
        p.members.push_back({});
        p.tasks[1].memberCount = 2;
    });
    QTest::newRow("stage") << Breaks([](Program& p) { p.stages.pop_back(); });
    QTest::newRow("edges") << Breaks([](Program& p) { p.tasks[0].edgeCount = 2; });
    QTest::newRow("successor") << Breaks([](Program& p) { p.edges[0].to = TaskIndex(2); });
    QTest::newRow("predecessors") << Breaks([](Program& p) { p.tasks[1].predecessors = 0; });
    QTest::newRow("operand") << Breaks([](Program& p) { p.leaves[0].instructions[2].src0 = 99; });
    QTest::newRow("result") << Breaks([](Program& p) { p.leaves[0].instructions[2].dst = Instruction::kNone; });
    QTest::newRow("box of an instruction") << Breaks([](Program& p) { p.leaves[0].instructions[0].box = 1; });
    QTest::newRow("third operand") << Breaks([](Program& p) {
        Leaf& leaf = p.leaves[1];
        for (Instruction& i : leaf.instructions)
            if (i.op == Opcode::Vector) i.box = static_cast<std::uint16_t>(leaf.allocations.size());
    });
    QTest::newRow("vector detail") << Breaks([](Program& p) { p.leaves[1].details.clear(); });
    QTest::newRow("cube detail") << Breaks([](Program& p) { p.leaves[0].instructions[4].detail = 0; });
}

void TestProgramCheck::whatIsMissingIsAnError() {
    QFETCH(Breaks, breaks);
    Program program = smallProgram();
    QVERIFY(predict(program, chip910B1()));
    breaks(program);
    const auto checked = checkProgram(program);
    QVERIFY(!checked);
    QCOMPARE(checked.error().code, ErrorCode::Internal);
    const auto trace = predict(program, chip910B1());
    QVERIFY(!trace);
    QCOMPARE(trace.error().code, ErrorCode::Internal);
}

QTEST_APPLESS_MAIN(TestProgramCheck)
#include "tst_program_check.moc"
