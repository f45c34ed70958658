// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>
#include <random>

#include "tests/support/program_builder.h"

using namespace cubist;
using namespace cubist::test;

namespace {

using Edges = std::vector<std::uint32_t>;

Edges listOf(std::span<const std::uint32_t> items) {
    return {items.begin(), items.end()};
}

std::size_t unitOf(const Instruction& i) {
    return static_cast<std::size_t>(i.core) * kPipeCount + static_cast<std::size_t>(i.pipe);
}

/// Byte range that an operand stands for.
bool overlaps(const Allocation& a, const Allocation& b) {
    return a.core == b.core && a.buffer == b.buffer && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

struct Access {
    std::uint16_t allocation;
    bool write;
};

std::vector<Access> accessesOf(const Instruction& i) {
    std::vector<Access> all;
    for (const std::uint16_t src : {i.src0, i.src1})
        if (src != Instruction::kNone) all.push_back({src, false});
    if (i.dst != Instruction::kNone) all.push_back({i.dst, true});
    return all;
}

/// Two instructions that must not run at the same time: they touch a common byte and one of them writes it.
bool conflict(const Leaf& leaf, const Instruction& a, const Instruction& b) {
    for (const Access x : accessesOf(a))
        for (const Access y : accessesOf(b))
            if ((x.write || y.write) && overlaps(leaf.allocations[x.allocation], leaf.allocations[y.allocation]))
                return true;
    return false;
}

/// A vector leaf with random places in UB, whose values are read by V and MTE3 and overwritten in place now and then.
Leaf randomLeaf(std::mt19937& random, int steps) {
    constexpr std::uint32_t kBytes = 64;
    LeafBuilder leaf(TaskKind::Aiv);
    struct Live {
        std::uint16_t allocation;
        std::uint32_t begin, end;
    };
    std::vector<Live> live;
    const auto pick = [&] { return live[random() % live.size()].allocation; };
    for (int s = 0; s < steps; ++s) {
        const auto what = random() % 6;
        if (what == 0 && !live.empty()) {
            leaf.storeUb(pick(), 1, 1);
        } else if (what == 1 && !live.empty()) {
            const std::uint16_t place = pick();
            leaf.vector(VectorOpCode::Add, place, pick(), pick(), 1, 1);
        } else if (what == 2 && !live.empty()) {
            leaf.loadUb(pick(), 1, 1);
        } else {
            const auto begin = static_cast<std::uint32_t>(random() % kBytes);
            const auto end = static_cast<std::uint32_t>(begin + 1 + random() % (kBytes - begin));
            const std::uint16_t source = live.empty() ? Instruction::kNone : pick();
            std::erase_if(live, [&](const Live& l) { return l.begin < end && begin < l.end; });
            const bool sourceLives =
                std::any_of(live.begin(), live.end(), [&](const Live& l) { return l.allocation == source; });
            const std::uint16_t place = leaf.allocation(Buffer::UB, 0, begin, 1, end - begin);
            if (random() % 2 == 0)
                leaf.loadUb(place, 1, 1);
            else
                leaf.vector(VectorOpCode::Relu, place, sourceLives ? source : Instruction::kNone, Instruction::kNone, 1,
                            1);
            live.push_back({place, begin, end});
        }
    }
    return leaf.build();
}

}  // namespace

class TestLeafDependencies : public QObject {
    Q_OBJECT
private slots:
    void readersWaitForTheWritersOfTheirOperands();
    void firstWriteWaitsForTheLastReaderOfTheSlot();
    void secondSlotIsReleasedOneStepLater();
    void onlyTheLastReaderOfAPipeIsNamed();
    void readersInSeveralPipesAllReleaseTheSlot();
    void byteOverlapCountsNotTheSlotNumber();
    void bytesLeftOverKeepTheirOldOwner();
    void buffersAndSubCoresDoNotMix();
    void overwritingInPlaceWaitsForOtherReaders();
    void accumulatingAfterAStoreWaitsForIt();
    void emptyLeafHasNoDependencies();
    void everyHazardIsOrderedAndNothingElse_data();
    void everyHazardIsOrderedAndNothingElse();
};

// 0 load A, 1 load B, 2 move A, 3 move B, 4 mmad, 5 load A, 6 load B, 7 move A, 8 move B, 9 mmad, 10 store
void TestLeafDependencies::readersWaitForTheWritersOfTheirOperands() {
    const Leaf leaf = matmulLeaf({.k = 64, .kL1 = 32, .kL0 = 32});
    QCOMPARE(leaf.instructions.size(), 11U);
    const LeafDependencies d = deriveDependencies(leaf);
    const std::vector<Edges> expected{{}, {}, {0}, {1}, {2, 3}, {}, {}, {5}, {6}, {4, 7, 8}, {9}};
    for (std::size_t i = 0; i < expected.size(); ++i) QCOMPARE(listOf(d.producersFor(i)), expected[i]);
}

void TestLeafDependencies::firstWriteWaitsForTheLastReaderOfTheSlot() {
    const LeafDependencies d = deriveDependencies(matmulLeaf({.k = 64, .kL1 = 32, .kL0 = 32}));
    const std::vector<Edges> expected{{}, {}, {}, {}, {}, {2}, {3}, {4}, {4}, {}, {}};
    for (std::size_t i = 0; i < expected.size(); ++i) QCOMPARE(listOf(d.releasesFor(i)), expected[i]);
}

void TestLeafDependencies::secondSlotIsReleasedOneStepLater() {
    const LeafDependencies d =
        deriveDependencies(matmulLeaf({.k = 96, .kL1 = 32, .kL0 = 32, .l1Slots = 2, .l0aSlots = 2, .l0bSlots = 1}));
    QCOMPARE(listOf(d.releasesFor(5)), Edges{});    // load A of the second step: the other slot
    QCOMPARE(listOf(d.releasesFor(10)), Edges{2});  // load A of the third step: after the first move of A
    QCOMPARE(listOf(d.releasesFor(11)), Edges{3});
    QCOMPARE(listOf(d.releasesFor(7)), Edges{});  // L0A has two slots
    QCOMPARE(listOf(d.releasesFor(12)), Edges{4});
    QCOMPARE(listOf(d.releasesFor(8)), Edges{4});  // L0B has one
    QCOMPARE(listOf(d.releasesFor(13)), Edges{9});
}

// 0 load A, 1 load B, (2 3 4) (5 6 7) two kL0 steps, 8 load A, 9 load B
void TestLeafDependencies::onlyTheLastReaderOfAPipeIsNamed() {
    const LeafDependencies d = deriveDependencies(matmulLeaf({.k = 128, .kL1 = 64, .kL0 = 32}));
    QCOMPARE(listOf(d.releasesFor(8)), Edges{5});
    QCOMPARE(listOf(d.releasesFor(9)), Edges{6});
}

void TestLeafDependencies::readersInSeveralPipesAllReleaseTheSlot() {
    LeafBuilder leaf(TaskKind::Aiv);
    const std::uint16_t x = leaf.allocation(Buffer::UB, 0, 0, 1, 32);
    const std::uint16_t y = leaf.allocation(Buffer::UB, 1, 32, 1, 32);
    const std::uint16_t next = leaf.allocation(Buffer::UB, 0, 0, 1, 32);
    leaf.loadUb(x, 1, 32);                                             // 0
    leaf.vector(VectorOpCode::Relu, y, x, Instruction::kNone, 1, 32);  // 1
    leaf.storeUb(x, 1, 32);                                            // 2
    leaf.loadUb(next, 1, 32);                                          // 3
    QCOMPARE(listOf(deriveDependencies(leaf.build()).releasesFor(3)), (Edges{1, 2}));
}

void TestLeafDependencies::byteOverlapCountsNotTheSlotNumber() {
    LeafBuilder leaf(TaskKind::Aiv);
    const std::uint16_t low = leaf.allocation(Buffer::UB, 0, 0, 1, 32);
    const std::uint16_t high = leaf.allocation(Buffer::UB, 1, 32, 1, 32);
    const std::uint16_t wide = leaf.allocation(Buffer::UB, 7, 16, 1, 32);
    const std::uint16_t beside = leaf.allocation(Buffer::UB, 0, 64, 1, 32);
    leaf.loadUb(low, 1, 32);                                                                 // 0
    leaf.loadUb(high, 1, 32);                                                                // 1
    leaf.storeUb(high, 1, 32);                                                               // 2
    leaf.storeUb(low, 1, 32);                                                                // 3
    leaf.vector(VectorOpCode::Relu, wide, Instruction::kNone, Instruction::kNone, 1, 32);    // 4
    leaf.vector(VectorOpCode::Relu, beside, Instruction::kNone, Instruction::kNone, 1, 32);  // 5
    const LeafDependencies d = deriveDependencies(leaf.build());
    QCOMPARE(listOf(d.releasesFor(4)), (Edges{0, 1, 2, 3}));  // the loads in MTE2, the stores in MTE3
    QCOMPARE(listOf(d.releasesFor(5)), Edges{});
}

void TestLeafDependencies::bytesLeftOverKeepTheirOldOwner() {
    LeafBuilder leaf(TaskKind::Aiv);
    const std::uint16_t old = leaf.allocation(Buffer::UB, 0, 0, 1, 96);
    const std::uint16_t middle = leaf.allocation(Buffer::UB, 1, 32, 1, 32);
    const std::uint16_t left = leaf.allocation(Buffer::UB, 2, 0, 1, 32);
    const std::uint16_t right = leaf.allocation(Buffer::UB, 3, 64, 1, 32);
    leaf.loadUb(old, 1, 96);      // 0
    leaf.storeUb(old, 1, 96);     // 1
    leaf.loadUb(middle, 1, 32);   // 2
    leaf.storeUb(middle, 1, 32);  // 3
    leaf.loadUb(left, 1, 32);     // 4
    leaf.loadUb(right, 1, 32);    // 5
    const LeafDependencies d = deriveDependencies(leaf.build());
    QCOMPARE(listOf(d.releasesFor(2)), Edges{1});
    QCOMPARE(listOf(d.releasesFor(4)), Edges{1});
    QCOMPARE(listOf(d.releasesFor(5)), Edges{1});
}

void TestLeafDependencies::buffersAndSubCoresDoNotMix() {
    LeafBuilder leaf(TaskKind::Aic);
    const std::uint16_t l1 = leaf.allocation(Buffer::L1, 0, 0, 1, 32);
    const std::uint16_t l0a = leaf.allocation(Buffer::L0A, 0, 0, 1, 32);
    const std::uint16_t l0b = leaf.allocation(Buffer::L0B, 0, 0, 1, 32);
    leaf.loadL1(l1, 1, 32);
    leaf.moveL0A(l0a, l1);
    leaf.moveL0B(l0b, l1);
    Leaf built = leaf.build();
    built.allocations.push_back(built.allocations[l1]);
    built.allocations.back().core = SubCore::Aiv1;
    Instruction other = built.instructions[0];
    other.dst = 3;
    other.core = SubCore::Aiv1;
    built.instructions.push_back(other);
    const LeafDependencies d = deriveDependencies(built);
    for (std::size_t i = 0; i < 4; ++i) QCOMPARE(listOf(d.releasesFor(i)), Edges{});
}

void TestLeafDependencies::overwritingInPlaceWaitsForOtherReaders() {
    LeafBuilder leaf(TaskKind::Aiv);
    const std::uint16_t x = leaf.allocation(Buffer::UB, 0, 0, 1, 32);
    leaf.loadUb(x, 1, 32);                                             // 0
    leaf.storeUb(x, 1, 32);                                            // 1
    leaf.vector(VectorOpCode::Relu, x, x, Instruction::kNone, 1, 32);  // 2
    leaf.storeUb(x, 1, 32);                                            // 3
    const LeafDependencies d = deriveDependencies(leaf.build());
    QCOMPARE(listOf(d.producersFor(2)), Edges{0});
    QCOMPARE(listOf(d.releasesFor(2)), Edges{1});
    QCOMPARE(listOf(d.producersFor(3)), (Edges{0, 2}));
}

void TestLeafDependencies::accumulatingAfterAStoreWaitsForIt() {
    LeafBuilder leaf(TaskKind::Aic);
    const std::uint16_t a = leaf.allocation(Buffer::L0A, 0, 0, 16, 32);
    const std::uint16_t b = leaf.allocation(Buffer::L0B, 0, 0, 32, 16);
    const std::uint16_t c = leaf.allocation(Buffer::L0C, 0, 0, 16, 16, DType::FP32);
    leaf.mmad(c, a, b, 16, 32, 16, true);   // 0
    leaf.storeL0C(c, 16, 16, DType::FP32);  // 1
    leaf.mmad(c, a, b, 16, 32, 16, false);  // 2
    const LeafDependencies d = deriveDependencies(leaf.build());
    QCOMPARE(listOf(d.producersFor(2)), Edges{0});
    QCOMPARE(listOf(d.releasesFor(2)), Edges{1});
}

void TestLeafDependencies::emptyLeafHasNoDependencies() {
    const LeafDependencies d = deriveDependencies(Leaf{});
    QVERIFY(d.producersOf.empty());
    QVERIFY(d.releasesOf.empty());
}

void TestLeafDependencies::everyHazardIsOrderedAndNothingElse_data() {
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 60; ++seed) QTest::addRow("seed %u", seed) << seed;
}

// Pipes in order, producers and releases together must order every two conflicting instructions; and every named
// instruction must be in conflict with the one that waits for it.
void TestLeafDependencies::everyHazardIsOrderedAndNothingElse() {
    QFETCH(unsigned, seed);
    std::mt19937 random(seed);
    const Leaf leaf = randomLeaf(random, 120);
    const LeafDependencies d = deriveDependencies(leaf);
    const std::size_t n = leaf.instructions.size();
    std::vector<std::vector<bool>> before(n, std::vector<bool>(n, false));
    for (std::size_t i = 0; i < n; ++i) {
        const auto after = [&](std::size_t p) {
            before[i][p] = true;
            for (std::size_t q = 0; q < p; ++q)
                if (before[p][q]) before[i][q] = true;
        };
        for (const std::uint32_t p : d.producersFor(i)) {
            QVERIFY(p < i && conflict(leaf, leaf.instructions[p], leaf.instructions[i]));
            after(p);
        }
        for (const std::uint32_t p : d.releasesFor(i)) {
            QVERIFY(p < i && conflict(leaf, leaf.instructions[p], leaf.instructions[i]));
            QVERIFY(unitOf(leaf.instructions[p]) != unitOf(leaf.instructions[i]));
            after(p);
        }
        for (std::size_t p = i; p-- > 0;)
            if (unitOf(leaf.instructions[p]) == unitOf(leaf.instructions[i])) {
                after(p);
                break;
            }
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t p = 0; p < i; ++p)
            if (conflict(leaf, leaf.instructions[p], leaf.instructions[i]))
                QVERIFY2(before[i][p], qPrintable(QString("%1 and %2 are not ordered").arg(p).arg(i)));
}

QTEST_APPLESS_MAIN(TestLeafDependencies)
#include "tst_leaf_dependencies.moc"
