// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <set>

#include "core/lowering/lower.h"
#include "core/lowering/merge_settings.h"
#include "tests/support/designs.h"
#include "tests/support/emulation.h"

using namespace cubist;
using namespace cubist::test;

namespace {

/// down(silu(gate(x)) * up(x)) for one tile of 64 rows: 32 blocks of gate and up, 16 vector tiles, 8 blocks of down.
Design feedForward(std::int64_t rows = 64) {
    const std::string t = std::to_string(rows);
    std::string text = R"j({"cubist": 1, "name": "ffn", "chip": "Ascend910B1", "skeleton": {"variant": "D"},
        "tensors": [{"id": "x", "role": "input", "dtype": "BF16", "shape": [ROWS, 1024]},
            {"id": "wg", "role": "input", "dtype": "BF16", "shape": [1024, 2048]},
            {"id": "wu", "role": "input", "dtype": "BF16", "shape": [1024, 2048]},
            {"id": "wd", "role": "input", "dtype": "BF16", "shape": [2048, 1024]},
            {"id": "y", "role": "output", "dtype": "BF16", "shape": [ROWS, 1024]}],
        "blocks": [{"kind": "loop", "id": "rows", "axis": ROWS, "tile": 64, "body": [
            {"kind": "view", "id": "v", "of": "x", "out": "xt", "shape": [64, 1024], "offset": ["i * 64", 0],
             "valid": ["min(ROWS - i * 64, 64)", 1024]},
            {"kind": "cube", "id": "gate", "label": "gate", "a": "xt", "b": "wg", "out": "g", "out_dtype": "FP32",
             "tile": {"m": [64, 64], "k": [64, 256], "n": [128, 128]}},
            {"kind": "cube", "id": "up", "label": "up", "a": "xt", "b": "wu", "out": "u", "out_dtype": "FP32",
             "tile": {"m": [64, 64], "k": [64, 256], "n": [128, 128]}},
            {"kind": "vector", "id": "act", "label": "act", "tile": [16, 512], "ops": [
                {"op": "sigmoid", "in": ["g"], "out": "s"}, {"op": "mul", "in": ["s", "g"], "out": "sg"},
                {"op": "mul", "in": ["sg", "u"], "out": "f"},
                {"op": "cast", "in": ["f"], "out": "h", "dtype": "BF16"}]},
            {"kind": "cube", "id": "down", "label": "down", "a": "h", "b": "wd", "out": "d", "out_dtype": "BF16",
             "tile": {"m": [64, 64], "k": [64, 256], "n": [128, 128]}},
            {"kind": "store", "id": "st", "from": "d", "to": "y", "offset": ["i * 64", 0]}]}]})j";
    for (std::size_t at = text.find("ROWS"); at != std::string::npos; at = text.find("ROWS")) text.replace(at, 4, t);
    return designText(text);
}

/// One matmul of m x n blocks of 64 x 64, K = 64 * steps with kL1 = 64.
Design blocks(std::int64_t m, std::int64_t n, std::int64_t steps = 2) {
    const auto size = [](std::int64_t count) { return std::to_string(64 * count); };
    return designText(R"({"cubist": 1, "name": "m", "chip": "Ascend910B1", "skeleton": {"variant": "A"}, "tensors": [
        {"id": "a", "role": "input", "dtype": "FP16", "shape": [)" +
                      size(m) + ", " + size(steps) + R"(]},
        {"id": "b", "role": "input", "dtype": "FP16", "shape": [)" +
                      size(steps) + ", " + size(n) + R"(]},
        {"id": "c", "role": "output", "dtype": "FP32", "shape": [)" +
                      size(m) + ", " + size(n) + R"(]}],
        "blocks": [{"kind": "cube", "id": "s", "label": "mm", "a": "a", "b": "b", "out": "r", "out_dtype": "FP32",
             "tile": {"m": [64, 64], "k": [64, 64], "n": [64, 64]}},
            {"kind": "store", "id": "w", "from": "r", "to": "c"}]})");
}

Dictionary<std::int64_t> setting(std::initializer_list<std::pair<const char*, std::int64_t>> entries) {
    Dictionary<std::int64_t> out;
    for (const auto& [key, value] : entries) out.set(key, value);
    return out;
}

Program lower910B1(const Design& design) {
    return lowered(design, bound(design), chipFile("Ascend910B1"));
}

std::int64_t loadsOf(const Program& program, const Task& task) {
    const std::vector<Instruction>& all = program.leafOf(task).instructions;
    return std::count_if(all.begin(), all.end(), [](const Instruction& i) { return i.op == Opcode::LoadL1; });
}

std::int64_t tasksOf(const Program& program, TaskKind kind) {
    return std::count_if(program.tasks.begin(), program.tasks.end(),
                         [&](const Task& task) { return program.leafOf(task).kind == kind; });
}

/// (subgraphs, tasks) of each group of a kind.
std::vector<std::pair<std::uint32_t, std::uint32_t>> groupsOf(const Program& program, TaskKind kind) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
    for (const MergeGroup& group : program.groups)
        if (group.kind == kind) out.emplace_back(group.subgraphs, group.tasks);
    return out;
}
using Groups = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Every task comes after those it waits for, and counts them right.
bool orderIsLegal(const Program& program) {
    std::vector<std::uint32_t> waits(program.tasks.size(), 0);
    for (std::size_t t = 0; t < program.tasks.size(); ++t)
        for (const Edge& edge : program.edgesOf(program.tasks[t])) {
            if (edge.to.value <= t) return false;
            if (edge.kind == EdgeKind::Wait) ++waits[edge.to.value];
        }
    for (std::size_t t = 0; t < waits.size(); ++t)
        if (waits[t] != program.tasks[t].predecessors) return false;
    return true;
}

bool tilesAreDisjoint(const Leaf& leaf, const ChipSpec& chip) {
    const auto capacity = [&](Buffer buffer) {
        const std::map<Buffer, std::int64_t> of{{Buffer::L1, chip.l1Bytes.integer()},
                                                {Buffer::L0A, chip.l0aBytes.integer()},
                                                {Buffer::L0B, chip.l0bBytes.integer()},
                                                {Buffer::L0C, chip.l0cBytes.integer()},
                                                {Buffer::UB, chip.ubBytes.integer()}};
        return of.at(buffer);
    };
    for (std::size_t i = 0; i < leaf.allocations.size(); ++i) {
        const Allocation& a = leaf.allocations[i];
        if (std::int64_t{a.offset} + a.bytes > capacity(a.buffer)) return false;
        for (std::size_t j = 0; j < i; ++j) {
            const Allocation& b = leaf.allocations[j];
            const bool live = a.first <= b.last && b.first <= a.last;
            const bool bytes = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
            if (a.buffer == b.buffer && live && bytes) return false;
        }
    }
    return true;
}

}  // namespace

class TestMerge : public QObject {
    Q_OBJECT

private slots:
    void keysAreTakenApart_data() {
        QTest::addColumn<QString>("key");
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("order");
        QTest::newRow("all") << "-1" << int(MergeKey::Kind::Integer) << -1;
        QTest::newRow("group") << "12" << int(MergeKey::Kind::Integer) << 12;
        QTest::newRow("default") << "DEFAULT" << int(MergeKey::Kind::Default) << 0;
        QTest::newRow("function") << "func8_3" << int(MergeKey::Kind::Function) << 3;
        QTest::newRow("label") << "gate" << int(MergeKey::Kind::Label) << 0;
        QTest::newRow("label like a function") << "func_3" << int(MergeKey::Kind::Label) << 0;
        QTest::newRow("label like a number") << "4x" << int(MergeKey::Kind::Label) << 0;
        QTest::newRow("label with a zero in front") << "00" << int(MergeKey::Kind::Label) << 0;
        QTest::newRow("label with a sign") << "-0" << int(MergeKey::Kind::Label) << 0;
    }
    void keysAreTakenApart() {
        QFETCH(QString, key);
        QFETCH(int, kind);
        QFETCH(int, order);
        const MergeKey parsed = parseMergeKey(key.toStdString());
        QCOMPARE(int(parsed.kind), kind);
        QCOMPARE(int(parsed.order), order);
    }

    void groupsAreThoseOfTheCompiler() {
        // Compiled by PyPTO: gate and up are group 0 with 32 subgraphs, which reuse 4 makes 8 and n-buffer 2 makes 4;
        // down is group 1: 8 by 2 and 2.
        Design design = feedForward();
        QCOMPARE(groupsOf(lower910B1(design), TaskKind::Aic), (Groups{{32, 32}, {8, 8}}));
        design.options.cubeL1Reuse = setting({{"-1", 2}, {"0", 4}});
        QCOMPARE(groupsOf(lower910B1(design), TaskKind::Aic), (Groups{{32, 8}, {8, 4}}));
        design.options.cubeNBuffer = setting({{"-1", 2}});
        const Program program = lower910B1(design);
        QCOMPARE(groupsOf(program, TaskKind::Aic), (Groups{{32, 4}, {8, 2}}));
        QVERIFY(orderIsLegal(program));
        QCOMPARE(program.tasks.size(), std::size_t{4 + 16 + 2});
        QCOMPARE(program.tasks[0].memberCount, 8U);
        const std::span<const TaskMember> members = program.membersOf(program.tasks[0]);
        for (std::uint32_t i = 0; i < 8; ++i) QCOMPARE(members[i].blockN, i);
        QVERIFY(program.unmatchedKeys.empty());
    }

    // 128 x 256 blocks of FP16 in 512 KiB. All of K = 1024 of A takes 256 KiB, pieces of 256 of B 128 KiB: B fits twice
    // beside A, pieces of 512 do not. A piece of 64 of A takes 16 KiB: twice beside 256 KiB of B.
    void oneOperandMayHaveTwoSlots_data() {
        QTest::addColumn<QString>("k");
        QTest::addColumn<int>("left");
        QTest::addColumn<int>("right");
        QTest::newRow("A stays") << "[64, 1024, 256]" << 1 << 2;
        QTest::newRow("both twice") << "[64, 256]" << 2 << 2;
        QTest::newRow("B stays beside a small A") << "[64, 64, 512]" << 2 << 1;
        QTest::newRow("neither") << "[64, 1024, 512]" << 1 << 1;
    }
    void oneOperandMayHaveTwoSlots() {
        QFETCH(QString, k);
        QFETCH(int, left);
        QFETCH(int, right);
        Design design = blocks(2, 4, 16);
        auto& tile = std::get<CubeStage>(design.blocks.front().content).tile;
        tile.m = {128, 128};
        tile.n = {256, 256};
        tile.k.clear();
        for (const QString& entry : k.mid(1, k.size() - 2).split(", ")) tile.k.push_back(entry.toLongLong());
        const ChipSpec chip = chipFile("Ascend910B1");
        const Program alone = lower910B1(design);
        for (const Leaf& leaf : alone.leaves) QVERIFY(tilesAreDisjoint(leaf, chip));
        std::vector<int> counts;
        for (const SlotRing& ring : alone.leafOf(alone.tasks[0]).rings)
            if (ring.buffer == Buffer::L1) counts.push_back(ring.count);
        QCOMPARE(counts, (std::vector<int>{left, right}));
    }

    // 2 x 2 blocks with two steps along K: each loads two tiles of A and two of B. Reuse of all four loads the 4 + 4
    // tiles once. N-buffer removes no copies: 4 x 4 loads. Pairs by reuse (one column each: 4 of A, 2 of B), joined by
    // n-buffer: 2 x 6.
    void nBufferRemovesNoCopies_data() {
        QTest::addColumn<int>("reuse");
        QTest::addColumn<int>("nBuffer");
        QTest::addColumn<int>("loads");
        QTest::newRow("reuse 4") << 4 << 1 << 8;
        QTest::newRow("n-buffer 4") << 1 << 4 << 16;
        QTest::newRow("reuse 2, n-buffer 2") << 2 << 2 << 12;
    }
    void nBufferRemovesNoCopies() {
        QFETCH(int, reuse);
        QFETCH(int, nBuffer);
        QFETCH(int, loads);
        Design design = blocks(2, 2);
        design.options.cubeL1Reuse = setting({{"DEFAULT", reuse}});
        design.options.cubeNBuffer = setting({{"DEFAULT", nBuffer}});
        const Program program = lower910B1(design);
        QCOMPARE(program.tasks.size(), std::size_t{1});
        QCOMPARE(program.tasks[0].memberCount, 4U);
        QCOMPARE(loadsOf(program, program.tasks[0]), std::int64_t{loads});
        QVERIFY(tilesAreDisjoint(program.leafOf(program.tasks[0]), chipFile("Ascend910B1")));
    }

    void groupOfOneKeyKeepsTheRestAlone() {
        Design design = feedForward();
        design.options.cubeL1Reuse = setting({{"0", 4}, {"1", 1}, {"-1", 2}});
        design.options.cubeNBuffer = setting({{"-1", 2}});
        // As compiled: 32 -> 8 -> 4 and 8 -> 8 -> 4.
        QCOMPARE(groupsOf(lower910B1(design), TaskKind::Aic), (Groups{{32, 4}, {8, 4}}));
    }

    void defaultAloneIsACountForEveryGroup() {
        Design design = feedForward();
        design.options.cubeL1Reuse = setting({{"DEFAULT", 1}});
        design.options.cubeNBuffer = setting({{"-1", 4}});
        QCOMPARE(groupsOf(lower910B1(design), TaskKind::Aic), (Groups{{32, 8}, {8, 2}}));
        design.options.cubeNBuffer = setting({{"DEFAULT", 4}});
        QCOMPARE(groupsOf(lower910B1(design), TaskKind::Aic), (Groups{{32, 8}, {8, 2}}));
        design.options.cubeNBuffer = setting({{"DEFAULT", 1}});
        QCOMPARE(groupsOf(lower910B1(design), TaskKind::Aic), (Groups{{32, 32}, {8, 8}}));
    }

    // PyPTO's {} is automatic, two tasks per cube core; a kernel that says nothing has {"DEFAULT": 1}.
    void cubeNBufferIsOffUnlessSaid() {
        Design design = blocks(16, 12);  // 192 blocks, 24 cores
        design.options.cubeL1Reuse = setting({{"DEFAULT", 1}});
        QCOMPARE(groupsOf(lower910B1(design), TaskKind::Aic), (Groups{{192, 192}}));
        design.options.cubeNBuffer = {};
        QCOMPARE(groupsOf(lower910B1(design), TaskKind::Aic), (Groups{{192, 48}}));
        design.options.cubeNBuffer = setting({{"1", 2}});  // no such group, and no -1
        QCOMPARE(groupsOf(lower910B1(design), TaskKind::Aic), (Groups{{192, 48}}));
    }

    void rootsAreNeverMerged() {
        Design design = feedForward(128);
        design.options.cubeL1Reuse = setting({{"DEFAULT", 2}});
        const Program program = lower910B1(design);
        QCOMPARE(groupsOf(program, TaskKind::Aic), (Groups{{32, 16}, {8, 4}, {32, 16}, {8, 4}}));
        for (const Task& task : program.tasks)
            for (const TaskMember& member : program.membersOf(task))
                QCOMPARE(program.stages[member.stage.value].kind, program.leafOf(task).kind);
        QVERIFY(orderIsLegal(program));
    }

    void offMeansNoMerging_data() {
        QTest::addColumn<QString>("key");
        QTest::newRow("integer") << "-1";
        QTest::newRow("default") << "DEFAULT";
    }
    void offMeansNoMerging() {
        QFETCH(QString, key);
        Design design = blocks(20, 20);
        design.options.cubeL1Reuse = setting({{key.toUtf8().constData(), 1}});
        QCOMPARE(lower910B1(design).tasks.size(), std::size_t{400});
    }

    void automaticReuseAimsAtTwoTasksPerCore() {
        // 20 x 20 blocks on 24 cores: 400 / 48 = 8, rest 16. Blocks go down the columns of 20: the first twenty share
        // their tile of B, so tasks of 8 or 9 fill up.
        const Program program = lower910B1(blocks(20, 20));
        QVERIFY(program.tasks.size() >= 44 && program.tasks.size() <= 60);
        QVERIFY(orderIsLegal(program));
        for (const Task& task : program.tasks) QVERIFY(task.memberCount <= 9);
        // 47 blocks are too few for two per core.
        QCOMPARE(lower910B1(blocks(47, 1)).tasks.size(), std::size_t{47});
        // 96 blocks: two each.
        QCOMPARE(lower910B1(blocks(96, 1)).tasks.size(), std::size_t{48});
    }

    void sharedTilesAreLoadedOnce() {
        Design design = blocks(4, 1, 4);
        design.options.cubeL1Reuse = setting({{"-1", 4}});
        const Program program = lower910B1(design);
        QCOMPARE(program.tasks.size(), std::size_t{1});
        // Four blocks load their own four tiles of A; the four tiles of B come once.
        QCOMPARE(loadsOf(program, program.tasks[0]), 4 * 4 + 4);
        QVERIFY(tilesAreDisjoint(program.leafOf(program.tasks[0]), chipFile("Ascend910B1")));
    }

    void tilesThatDoNotStayAreLoadedAgain() {
        // K = 8192: B of one block is 1 MiB, L1 has 512 KiB. The rings of A and B take 2 * 16 KiB, so 60 tiles of 8 KiB
        // stay and 68 come again.
        Design design = blocks(2, 1, 128);
        design.options.cubeL1Reuse = setting({{"-1", 2}});
        const Program program = lower910B1(design);
        QCOMPARE(program.tasks.size(), std::size_t{1});
        QCOMPARE(loadsOf(program, program.tasks[0]), 4 * 128 - 60);
        QVERIFY(tilesAreDisjoint(program.leafOf(program.tasks[0]), chipFile("Ascend910B1")));
    }

    void sideIsAHardRestriction() {
        Design design = blocks(2, 2);
        design.options.cubeL1Reuse = setting({{"-1", 2}});
        // Blocks (0,0), (1,0), (0,1), (1,1): left to itself the second joins the first by B.
        QCOMPARE(lower910B1(design).membersOf(lower910B1(design).tasks[0])[1].blockM, 1U);
        design.options.cubeL1ReuseSide.set("-1", "left");
        const Program left = lower910B1(design);
        QCOMPARE(left.tasks.size(), std::size_t{2});
        QCOMPARE(left.membersOf(left.tasks[0])[1].blockM, 0U);
        QCOMPARE(left.membersOf(left.tasks[0])[1].blockN, 1U);
    }

    void labelsReplaceNumbers() {
        Design design = feedForward();
        design.options.cubeL1Reuse = setting({{"DEFAULT", 1}, {"down", 8}});
        QCOMPARE(groupsOf(lower910B1(design), TaskKind::Aic), (Groups{{32, 32}, {8, 1}}));
        // In L1 reuse a label touches its own subgraphs only: gate is merged, up is not.
        design.options.cubeL1Reuse = setting({{"DEFAULT", 1}, {"gate", 4}});
        QCOMPARE(groupsOf(lower910B1(design), TaskKind::Aic), (Groups{{32, 4 + 16}, {8, 8}}));
        // In n-buffering it touches the whole group.
        design.options.cubeL1Reuse = setting({{"DEFAULT", 1}});
        design.options.cubeNBuffer = setting({{"DEFAULT", 1}, {"gate", 4}});
        QCOMPARE(groupsOf(lower910B1(design), TaskKind::Aic), (Groups{{32, 8}, {8, 8}}));
    }

    void functionKeysNameTheOnlyFunction() {
        Design design = feedForward();
        design.options.cubeL1Reuse = setting({{"DEFAULT", 1}, {"func6_1", 4}});
        const Program program = lower910B1(design);
        QCOMPARE(groupsOf(program, TaskKind::Aic), (Groups{{32, 32}, {8, 2}}));
        QVERIFY(program.unmatchedKeys.empty());
        design.options.cubeL1Reuse = setting({{"DEFAULT", 1}, {"func6_1", 4}, {"func7_0", 4}});
        QCOMPARE(lower910B1(design).unmatchedKeys.size(), std::size_t{2});
    }

    void groupsWithoutAFunctionKeyMergeAutomatically() {
        Design design = test::matmulDesign({.m = 1024, .n = 1024});  // 256 blocks
        design.options.cubeL1Reuse = setting({{"DEFAULT", 1}});
        design.options.cubeNBuffer = {};
        const Groups automatic = groupsOf(lower910B1(design), TaskKind::Aic);
        QVERIFY(automatic.front().second < 256);
        design.options.cubeNBuffer = setting({{"func6_1", 4}});
        QCOMPARE(groupsOf(lower910B1(design), TaskKind::Aic), automatic);
        design.options.cubeNBuffer = setting({{"func6_1", 4}, {"DEFAULT", 1}});
        QCOMPARE(groupsOf(lower910B1(design), TaskKind::Aic), (Groups{{256, 256}}));
    }

    void keysThatMeetNothingAreListed() {
        Design design = feedForward();
        design.options.cubeL1Reuse = setting({{"-1", 2}, {"1", 2}, {"2", 4}});
        design.options.vecNBuffer = setting({{"DEFAULT", 1}, {"gate", 2}});
        const Program program = lower910B1(design);
        QCOMPARE(program.unmatchedKeys.size(), std::size_t{2});
        QCOMPARE(program.unmatchedKeys[0].option, std::string("cube_l1_reuse_setting"));
        QCOMPARE(program.unmatchedKeys[0].key, std::string("2"));
        QCOMPARE(program.unmatchedKeys[1].option, std::string("vec_nbuffer_setting"));
        QCOMPARE(program.unmatchedKeys[1].key, std::string("gate"));
    }

    void vectorTasksMerge_data() {
        QTest::addColumn<QString>("keys");
        QTest::addColumn<int>("tasks");
        QTest::newRow("automatic: 16 are few") << "" << 16;
        QTest::newRow("off") << "-1:1" << 16;
        QTest::newRow("four with a shared input") << "-1:4" << 4;
        QTest::newRow("eight with a shared output") << "-1:8" << 2;
        QTest::newRow("whole group") << "-2:1,-1:8" << 2;
        QTest::newRow("whole group, named by its number") << "-2:1,-1:1,0:8" << 2;
        QTest::newRow("automatic, whole group") << "-2:0" << 16;
        QTest::newRow("default key") << "DEFAULT:5" << 4;
        QTest::newRow("label") << "DEFAULT:1,act:16" << 1;
    }
    void vectorTasksMerge() {
        QFETCH(QString, keys);
        QFETCH(int, tasks);
        Design design = feedForward();
        for (const QString& entry : keys.split(',', Qt::SkipEmptyParts))
            design.options.vecNBuffer.set(entry.section(':', 0, 0).toStdString(), entry.section(':', 1).toInt());
        const Program program = lower910B1(design);
        QCOMPARE(tasksOf(program, TaskKind::Aiv), tasks);
        QVERIFY(orderIsLegal(program));
        for (const Leaf& leaf : program.leaves) QVERIFY(tilesAreDisjoint(leaf, chipFile("Ascend910B1")));
    }

    void valuesStayBitForBit_data() {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("reuse");
        QTest::addColumn<int>("buffer");
        QTest::addColumn<int>("vector");
        QTest::newRow("full tiles") << 64 << 4 << 2 << 4;
        QTest::newRow("a tail of 22 rows") << 86 << 4 << 2 << 8;
        QTest::newRow("everything of a root in one") << 64 << 32 << 8 << 16;
    }
    void valuesStayBitForBit() {
        QFETCH(int, rows);
        QFETCH(int, reuse);
        QFETCH(int, buffer);
        QFETCH(int, vector);
        Design design = feedForward(rows);
        const Program plain = lower910B1(design);
        design.options.cubeL1Reuse = setting({{"-1", reuse}});
        design.options.cubeNBuffer = setting({{"-1", buffer}});
        design.options.vecNBuffer = setting({{"-2", 1}, {"-1", vector}});
        const Program merged = lower910B1(design);
        QVERIFY(merged.tasks.size() < plain.tasks.size());
        const std::vector<HostTensor> inputs = generated(plain, GeneratorSpec{}, 7);
        const EmulatedValues expected = emulated(plain, inputs);
        for (const bool checked : {false, true}) {
            const EmulatedValues actual = emulated(merged, inputs, {Isa::Auto, checked}, 2);
            QVERIFY(sameBits(tensorNamed(plain, expected, "y"), tensorNamed(merged, actual, "y")));
        }
        for (const Leaf& leaf : merged.leaves) QVERIFY(tilesAreDisjoint(leaf, chipFile("Ascend910B1")));
    }

    void anySettingKeepsEveryBlockOnceInALegalOrder() {
        const ChipSpec chip = chipFile("Ascend910B1");
        Design design = feedForward(128);
        const Program plain = lower910B1(design);
        std::uint32_t state = 1;
        const auto random = [&](std::int64_t below) {
            state = state * 1664525U + 1013904223U;
            return static_cast<std::int64_t>(state >> 16) % below;
        };
        for (int round = 0; round < 40; ++round) {
            design.options.cubeL1Reuse = setting({{"-1", 1 + random(6)}, {"0", 1 + random(40)}});
            design.options.cubeNBuffer = setting({{"0", 1 + random(5)}, {"1", 1 + random(3)}});
            design.options.vecNBuffer = setting({{"-1", 1 + random(6)}});
            if (random(2) == 0) design.options.vecNBuffer.set("-2", 1);
            design.options.cubeL1ReuseSide.set("-1", random(2) == 0 ? "left" : "auto");
            const Program merged = lower910B1(design);
            QVERIFY(orderIsLegal(merged));
            using Block = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
            const auto blocksOf = [](const Program& program) {
                std::multiset<Block> out;
                for (const Task& task : program.tasks)
                    for (const TaskMember& m : program.membersOf(task))
                        out.emplace(task.root.value, m.stage.value, m.blockM, m.blockN);
                return out;
            };
            QVERIFY(blocksOf(plain) == blocksOf(merged));
            QCOMPARE(merged.flops(), plain.flops());
            for (const Leaf& leaf : merged.leaves)
                if (leaf.allocations.size() < 2000) QVERIFY(tilesAreDisjoint(leaf, chip));
        }
    }

    void slotsGoOnTakingTurns() {
        Design design = blocks(3, 1, 1);
        design.options.cubeL1Reuse = setting({{"-1", 3}});
        const Program program = lower910B1(design);
        const Leaf& leaf = program.leafOf(program.tasks[0]);
        std::vector<std::uint16_t> accumulators;
        for (const Allocation& a : leaf.allocations)
            if (a.buffer == Buffer::L0C) accumulators.push_back(a.slot);
        QCOMPARE(accumulators, (std::vector<std::uint16_t>{0, 1, 0}));
    }

    void equalTasksShareTheirLeaf() {
        Design design = blocks(4, 4);
        design.options.cubeL1Reuse = setting({{"-1", 4}});
        const Program program = lower910B1(design);
        QCOMPARE(program.tasks.size(), std::size_t{4});
        for (const Task& task : program.tasks) QCOMPARE(task.leaf, program.tasks[0].leaf);
        QCOMPARE(program.flops(), std::int64_t{2} * 256 * 128 * 256);
    }
};

QTEST_APPLESS_MAIN(TestMerge)
#include "tst_merge.moc"
