// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <set>

#include "core/design/resolve.h"
#include "core/lowering/lower.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

Design glmGate() {
    return designFile(CUBIST_SOURCE_DIR "/samples/glm_gate.cubist.json");
}
Design rowScale() {
    return designFile(CUBIST_TEST_DATA_DIR "/row_scale.cubist.json");
}

CubeStage& cubeOf(Design& design) {
    auto& loop = std::get<Loop>(design.blocks[0].content);
    for (Block& block : loop.body)
        if (auto* cube = std::get_if<CubeStage>(&block.content)) return *cube;
    qFatal("no cube stage");
    return std::get<CubeStage>(loop.body[0].content);
}

std::int64_t countOf(const Leaf& leaf, Opcode op) {
    return std::count_if(leaf.instructions.begin(), leaf.instructions.end(),
                         [&](const Instruction& i) { return i.op == op; });
}

/// One block of 128 x 256, FP16.
std::string oneBlock(const std::string& k, int size) {
    const std::string depth = std::to_string(size);
    return R"({"cubist": 1, "name": "one", "chip": "Ascend910B1", "skeleton": {"variant": "A"},
        "tensors": [{"id": "x", "role": "input", "dtype": "FP16", "shape": [128, )" +
           depth + R"(]},
                    {"id": "w", "role": "input", "dtype": "FP16", "shape": [)" +
           depth + R"(, 256]},
                    {"id": "y", "role": "output", "dtype": "FP32", "shape": [128, 256]}],
        "blocks": [{"kind": "cube", "id": "c", "a": "x", "b": "w", "out": "r", "out_dtype": "FP32",
                    "tile": {"m": [128, 128], "k": )" +
           k + R"(, "n": [256, 256]}},
                   {"kind": "store", "id": "s", "from": "r", "to": "y"}]})";
}

std::set<std::uint32_t> successors(const Program& program, std::size_t task) {
    std::set<std::uint32_t> out;
    for (const Edge& edge : program.edgesOf(program.tasks[task])) out.insert(edge.to.value);
    return out;
}

}  // namespace

class TestLowering : public QObject {
    Q_OBJECT

private slots:
    void gateWithTwoFullTilesIsOneLeafAndTwentyTasks() {
        const Design design = glmGate();
        const Program program = lowered(design, bound(design, "T64"), chipFile("Ascend910B1"));
        QCOMPARE(program.tasks.size(), std::size_t{20});
        QCOMPARE(program.leaves.size(), std::size_t{1});
        QCOMPARE(program.roots.size(), std::size_t{2});
        QCOMPARE(program.edges.size(), std::size_t{0});
        const Leaf& leaf = program.leaves[0];
        QCOMPARE(countOf(leaf, Opcode::LoadL1), 10);
        QCOMPARE(countOf(leaf, Opcode::MoveL0A), 10);
        QCOMPARE(countOf(leaf, Opcode::MoveL0B), 10);
        QCOMPARE(countOf(leaf, Opcode::Mmad), 10);
        QCOMPARE(countOf(leaf, Opcode::StoreL0C), 1);
        QCOMPARE(program.flops(), std::int64_t{2} * 64 * 5120 * 160);
        // The ninth task is block n = 8 of the first row tile, the eleventh block n = 0 of the second.
        QCOMPARE(program.members[program.tasks[8].firstMember].blockN, 8U);
        const auto boxes = program.boxesOf(program.tasks[11]);
        QCOMPARE(boxes[0].offset, (Extent4{0, 0, 32, 0}));
        QCOMPARE(boxes[0].valid, (Extent4{1, 1, 32, 5120}));
        QCOMPARE(boxes[1].offset, (Extent4{0, 0, 16, 0}));
        QCOMPARE(boxes[1].valid, (Extent4{1, 1, 16, 5120}));
        QCOMPARE(boxes[2].offset, (Extent4{0, 0, 32, 16}));
        QCOMPARE(boxes[2].valid, (Extent4{1, 1, 32, 16}));
    }

    void stepsLoadMoveAndMultiplyInTheOrderOfTheTileGraph() {
        const Design design = glmGate();
        const Program program = lowered(design, bound(design, "T64"), chipFile("Ascend910B1"));
        const Leaf& leaf = program.leaves[0];
        const std::vector<Opcode> expected{Opcode::LoadL1,  Opcode::LoadL1, Opcode::MoveL0A,
                                           Opcode::MoveL0B, Opcode::Mmad,   Opcode::MoveL0A,
                                           Opcode::MoveL0B, Opcode::Mmad,   Opcode::LoadL1};
        for (std::size_t i = 0; i < expected.size(); ++i) QCOMPARE(leaf.instructions[i].op, expected[i]);
        std::uint32_t next = 0;
        for (const Instruction& i : leaf.instructions) {
            if (i.op != Opcode::Mmad) continue;
            QCOMPARE(i.at[1], next);
            QCOMPARE((i.flags & kFlagInit) != 0, next == 0);
            QCOMPARE((i.flags & kFlagLast) != 0, next + i.at[0] == 5120U);
            next += i.at[0];
        }
        QCOMPARE(next, 5120U);
    }

    void slotsAreTwoWhereTilesFitTwice() {
        const Design design = glmGate();
        const Program program = lowered(design, bound(design, "T64"), chipFile("Ascend910B1"));
        std::map<Buffer, std::set<std::uint16_t>> used;
        std::map<Buffer, std::uint32_t> end;
        for (const Allocation& a : program.leaves[0].allocations) {
            used[a.buffer].insert(a.slot);
            end[a.buffer] = std::max(end[a.buffer], a.offset + a.bytes);
        }
        QCOMPARE(used[Buffer::L1].size(), std::size_t{4});   // A and B, two each: 2 * 192 KiB of 512 KiB
        QCOMPARE(used[Buffer::L0A].size(), std::size_t{1});  // 64 KiB fill L0A exactly
        QCOMPARE(used[Buffer::L0B].size(), std::size_t{2});  // 2 * 32 KiB
        QCOMPARE(end[Buffer::L1], 393216U);
        QCOMPARE(end[Buffer::L0A], 65536U);
        QCOMPARE(end[Buffer::L0B], 65536U);
    }

    void tailRowsMakeASecondLeaf() {
        const Design design = glmGate();
        const Program program = lowered(design, bound(design, "T1026"), chipFile("Ascend910B1"));
        QCOMPARE(program.tasks.size(), std::size_t{330});
        QCOMPARE(program.leaves.size(), std::size_t{2});
        QCOMPARE(program.leaves[0].groupKey, program.leaves[1].groupKey);
        QVERIFY(program.leaves[0].leafKey != program.leaves[1].leafKey);
        const Task& last = program.tasks.back();
        QCOMPARE(program.boxesOf(last)[0].valid, (Extent4{1, 1, 2, 5120}));
        QCOMPARE(program.boxesOf(last)[2].offset, (Extent4{0, 0, 1024, 144}));
        QCOMPARE(program.leafOf(last).instructions[0].extent, (std::array<std::uint32_t, 2>{2, 1024}));
        QCOMPARE(program.flops(), std::int64_t{2} * 1026 * 5120 * 160);
    }

    void vectorTasksWaitForTheBlocksTheyRead() {
        const Design design = rowScale();
        const Program program = lowered(design, bound(design, "T200"), chipFile("Ascend910B1"));
        // Per full row tile: 2 cube blocks of 64 x 128, then 4 vector tiles of 16 rows; the tail of 8 rows has 2 and 1.
        QCOMPARE(program.tasks.size(), std::size_t{3 * 6 + 3});
        QCOMPARE(successors(program, 0), (std::set<std::uint32_t>{2, 3, 4, 5}));
        QCOMPARE(successors(program, 1), (std::set<std::uint32_t>{2, 3, 4, 5}));
        QCOMPARE(program.tasks[2].predecessors, 2U);
        QCOMPARE(successors(program, 2), (std::set<std::uint32_t>{}));
        QCOMPARE(successors(program, 18), (std::set<std::uint32_t>{20}));
        QCOMPARE(program.leafOf(program.tasks[20]).kind, TaskKind::Aiv);
        const auto boxes = program.boxesOf(program.tasks[20]);
        QCOMPARE(boxes[0].valid, (Extent4{1, 1, 8, 256}));
        QCOMPARE(boxes[1].valid, (Extent4{1, 1, 8, 1}));
        QCOMPARE(boxes[2].offset, (Extent4{0, 0, 192, 0}));
        const auto workspace = std::find_if(program.tensors.begin(), program.tensors.end(),
                                            [](const GmTensor& t) { return t.name == "acc"; });
        QVERIFY(workspace != program.tensors.end());
        QCOMPARE(workspace->role, GmRole::Workspace);
        QCOMPARE(workspace->shape, (Extent4{1, 1, 256, 256}));
        QCOMPARE(workspace->address % 512, std::uint64_t{0});
    }

    void liveAllocationsNeverOverlapOrExceedTheirBuffer() {
        const ChipSpec chip = chipFile("Ascend910B1");
        for (const Design& design : {glmGate(), rowScale()}) {
            const Program program = lowered(design, bound(design), chip);
            for (const Leaf& leaf : program.leaves)
                for (std::size_t i = 0; i < leaf.allocations.size(); ++i) {
                    const Allocation& a = leaf.allocations[i];
                    const std::map<Buffer, std::int64_t> capacity{{Buffer::L1, 524288},
                                                                  {Buffer::L0A, 65536},
                                                                  {Buffer::L0B, 65536},
                                                                  {Buffer::L0C, 131072},
                                                                  {Buffer::UB, 196608}};
                    QVERIFY(std::int64_t{a.offset} + a.bytes <= capacity.at(a.buffer));
                    for (std::size_t j = 0; j < i; ++j) {
                        const Allocation& b = leaf.allocations[j];
                        const bool sameBytes =
                            a.buffer == b.buffer && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
                        if (sameBytes) QVERIFY(b.last < a.first);
                    }
                }
        }
    }

    void loadsBeyondL1AreThoseOfTheCompiler_data() {
        QTest::addColumn<QString>("k");
        QTest::addColumn<int>("size");
        QTest::addColumn<int>("loads");
        // Copies that the PyPTO frontend makes of one block m128 n256 FP16.
        QTest::newRow("192 KiB") << "[64, 256]" << 1024 << 8;
        QTest::newRow("384 KiB") << "[64, 512]" << 1024 << 4;
        QTest::newRow("A once, B four times") << "[64, 1024, 256]" << 1024 << 5;
        // 528 KiB: 11 steps of the first two tiles load twice each, the last tile of 640 fits with 480 KiB.
        QTest::newRow("528 KiB") << "[64, 704]" << 2048 << 46;
        QTest::newRow("768 KiB") << "[64, 1024]" << 1024 << 32;
        QTest::newRow("768 KiB, twice as long") << "[64, 1024]" << 2048 << 64;
    }
    void loadsBeyondL1AreThoseOfTheCompiler() {
        QFETCH(QString, k);
        QFETCH(int, size);
        QFETCH(int, loads);
        const Design design = designText(oneBlock(k.toStdString(), size));
        QCOMPARE(countOf(lowered(design, bound(design), chipFile("Ascend910B1")).leaves[0], Opcode::LoadL1), loads);
    }

    void estimateCountsWithoutLowering() {
        const Design design = glmGate();
        Dictionary<std::int64_t> symbols;
        symbols.set("T", 1026);
        const auto counts = estimate(design, bound(design, "", symbols), chipFile("Ascend910B1"));
        QVERIFY(counts.has_value());
        QCOMPARE(counts->tasks, 330);
        QCOMPARE(counts->inputBytes, (std::int64_t{1026} * 5120 + 160 * 5120) * 4);
        QCOMPARE(counts->outputBytes, std::int64_t{1026} * 160 * 4);
        QCOMPARE(counts->workspaceBytes, 0);
        QCOMPARE(counts->macs, std::int64_t{33} * 32 * 5120 * 160);
        const Design scaled = rowScale();
        const auto with = estimate(scaled, bound(scaled, "T256"), chipFile("Ascend910B1"));
        QCOMPARE(with->workspaceBytes, 256 * 256 * 4);
    }

    void whatCannotBeLoweredSaysWhere_data() {
        QTest::addColumn<QString>("tile");
        QTest::addColumn<int>("code");
        QTest::newRow("L0A too small") << R"({"m": [64, 64], "k": [1024, 1024], "n": [16, 16]})"
                                       << int(ErrorCode::DoesNotFit);
        QTest::newRow("zero tile") << R"({"m": [32, 32], "k": [512, 1024], "n": [0, 16]})" << int(ErrorCode::BadValue);
    }
    void whatCannotBeLoweredSaysWhere() {
        QFETCH(QString, tile);
        QFETCH(int, code);
        Design design = glmGate();
        CubeStage& stage = cubeOf(design);
        const Design other = designText(
            "{\"cubist\":1,\"name\":\"t\",\"chip\":\"c\",\"skeleton\":{\"variant\":\"A\"},\"tensors\":[],\"blocks\":[{"
            "\"kind\":\"cube\",\"id\":\"c\",\"a\":\"x\",\"b\":\"y\","
            "\"out\":\"z\",\"out_dtype\":\"FP32\",\"tile\":" +
            tile.toStdString() + "}]}");
        stage.tile = std::get<CubeStage>(other.blocks[0].content).tile;
        const auto program = lower(design, bound(design), chipFile("Ascend910B1"));
        QVERIFY(!program.has_value());
        QCOMPARE(int(program.error().code), code);
        QCOMPARE(program.error().where, std::string("/blocks/0/body/1/tile"));
    }

    void tooManyTasksAreRefusedBeforeTheyAreMade() {
        const Design design = glmGate();
        Dictionary<std::int64_t> symbols;
        symbols.set("T", 1'000'000'000'000);
        const auto program = lower(design, bound(design, "", symbols), chipFile("Ascend910B1"));
        QVERIFY(!program.has_value());
        QCOMPARE(program.error().code, ErrorCode::DoesNotFit);
    }

    void loweringStopsWhenAsked() {
        const Design design = glmGate();
        RunContext context;
        std::stop_source source;
        source.request_stop();
        context.stop = source.get_token();
        const auto program = lower(design, bound(design), chipFile("Ascend910B1"), context);
        QVERIFY(!program.has_value());
        QCOMPARE(program.error().code, ErrorCode::Cancelled);
    }
};

QTEST_APPLESS_MAIN(TestLowering)
#include "tst_lowering.moc"
