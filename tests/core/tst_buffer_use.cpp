// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>
#include <map>
#include <set>

#include "core/lowering/lower.h"
#include "core/rules/buffer_use.h"
#include "tests/support/rule_checks.h"

/// What stages need of the buffers of their core.
using namespace cubist;
using namespace cubist::test;

class TestBufferUse : public QObject {
    Q_OBJECT
private slots:
    void bufferUseOfGlmGate() {
        const Design design = glmGate();
        const auto resolved = resolve(design, bound(design));
        const auto uses = bufferUse(*resolved, resolved->blocks[1], chipFile("Ascend910B1"));
        const auto row = [](const BufferUse& use) {
            return QString("%1 %2 x%3 of %4")
                .arg(use.buffer.c_str())
                .arg(use.bytesPerSlot)
                .arg(use.slotCount)
                .arg(use.capacity);
        };
        QStringList rows;
        for (const BufferUse& use : uses) rows += row(use);
        QCOMPARE(rows, (QStringList{"L0A 65536 x1 of 65536", "L0B 32768 x2 of 65536", "L0C 2048 x2 of 131072",
                                    "L1 196608 x2 of 524288", "UB 0 x1 of 196608", "BT 0 x1 of 1024", "FB 0 x1 of 2048",
                                    "L0A_MX 0 x1 of 2048", "L0B_MX 0 x1 of 2048"}));
        QCOMPARE(uses[3].contributors.size(), std::size_t{2});
        QCOMPARE(uses[3].contributors[0].what, "A 32 x 1024 FP32");
        QCOMPARE(uses[3].contributors[1].sum, "1024 x 16 x 4 B");
        QCOMPARE(uses[3].contributors[1].bytes, 65536);
        QVERIFY(bufferUse(*resolved, resolved->blocks[0], chipFile("Ascend910B1")).empty());  // a view
    }

    void bufferUseOfAVectorStageIsItsFullestMoment() {
        const Design design = rowScale();
        const auto resolved = resolve(design, bound(design));
        const BufferUse ub = bufferUse(*resolved, resolved->blocks[3], chipFile("Ascend910B1"))[4];
        // mul: acc and scaled 16 x 128 FP32, one FP32 per row of scale in a block of 32 B. The cast has less:
        // scaled and rounded.
        QCOMPARE(ub.bytesPerSlot, 2 * 16 * 512 + 16 * 32);
        QCOMPARE(ub.slotCount, 2);
        QStringList names;
        for (const BufferShare& share : ub.contributors) names += QString::fromStdString(share.what);
        QCOMPARE(names, (QStringList{"acc 16 x 128 FP32", "scale_tile 16 x 1 FP32", "scaled 16 x 128 FP32"}));
    }

    void bufferUseCountsWhatACompositeHoldsInBetween() {
        // rms_norm: x stays for the division while x * x and its share of the mean exist. Rows are whole, cut or not.
        Design design = rowScale({.vectorTile = {16, 64}});
        VectorOp& norm = vectorOf(design).ops[1];
        norm.op = VectorOpCode::RmsNorm;
        norm.dtype.reset();
        const auto resolved = resolve(design, bound(design));
        const BufferUse ub = bufferUse(*resolved, resolved->blocks[3], chipFile("Ascend910B1"))[4];
        QCOMPARE(ub.bytesPerSlot, 3 * 16 * 512);
        QStringList names;
        for (const BufferShare& share : ub.contributors) names += QString::fromStdString(share.what);
        QCOMPARE(names, (QStringList{"scaled 16 x 128 FP32", "(mul) 16 x 128 FP32", "(mul) 16 x 128 FP32"}));
    }

    void bufferUseOfSlicesHoldsAllBetweenThem() {
        Design design = rowScale({.vectorTile = {16, 32}});
        VectorStage& stage = vectorOf(design);
        VectorOp left;
        left.op = VectorOpCode::Slice;
        left.in = {Operand{ValueId("acc")}};
        left.out = ValueId("left");
        left.shape = {64, 64};
        VectorOp right = left;
        right.out = ValueId("right");
        right.offset = {0, 64};
        VectorOp product;
        product.op = VectorOpCode::Mul;
        product.in = {Operand{left.out}, Operand{right.out}};
        product.out = ValueId("product");
        stage.ops = {left, right, product};
        storeOf(design).from = product.out;
        const auto resolved = resolve(design, bound(design));
        const BufferUse ub = bufferUse(*resolved, resolved->blocks[3], chipFile("Ascend910B1"))[4];
        // Columns 0..31 and 64..95 of acc come in one load of 96; the fullest moment is the second slice.
        QCOMPARE(ub.bytesPerSlot, 16 * 96 * 4 + 2 * 16 * 32 * 4);
    }

    /// 16 x 512 times 512 x 32 in FP16, in tiles that are larger than M, N or K.
    static Design small() {
        return matmulDesign(
            {.m = 16, .k = 512, .n = 32, .mTile = {512, 512}, .kTile = {256, 1024}, .nTile = {512, 512}});
    }

    void extentsKnownToTheCompilerCountWhereTheyAreSmaller_data() {
        QTest::addColumn<int>("m");  // 0: a number, 1: a static symbol, 2: a symbol
        QTest::addColumn<RuleProfile>("profile");
        QTest::addColumn<std::vector<qint64>>("bytes");
        const std::vector<qint64> clipped{16 * 256 * 2, 256 * 32 * 2, 16 * 32 * 4, 512 * (16 + 32) * 2};
        QTest::newRow("numbers") << 0 << RuleProfile::Enforced << clipped;
        QTest::newRow("a static symbol") << 1 << RuleProfile::Enforced << clipped;
        QTest::newRow("a symbol") << 2 << RuleProfile::Enforced
                                  << std::vector<qint64>{512 * 256 * 2, 256 * 32 * 2, 512 * 32 * 4,
                                                         512 * (512 + 32) * 2};
        QTest::newRow("as documented") << 0 << RuleProfile::Documented
                                       << std::vector<qint64>{512 * 256 * 2, 256 * 512 * 2, 512 * 512 * 4,
                                                              1024 * (512 + 512) * 2};
    }

    void extentsKnownToTheCompilerCountWhereTheyAreSmaller() {
        QFETCH(int, m);
        QFETCH(RuleProfile, profile);
        QFETCH(std::vector<qint64>, bytes);
        Design design = small();
        design.profile = profile;
        if (m > 0) {
            Symbol rows;
            rows.id = SymbolId("M");
            rows.value = 16;
            rows.isStatic = m == 1;
            design.symbols.push_back(rows);
            design.tensors[0].shape[0] = design.tensors[2].shape[0] = Expression("M");
        }
        const auto resolved = resolve(design, bound(design));
        const auto uses = bufferUse(*resolved, resolved->blocks[0], chipFile("Ascend910B1"));
        for (std::size_t i = 0; i < bytes.size(); ++i) QCOMPARE(uses[i].bytesPerSlot, bytes[i]);
        const std::set<std::string> ids = idsOf(findings(design, profile));
        QCOMPARE(ids.contains("CAP-01"), m == 2 || profile == RuleProfile::Documented);
        QCOMPARE(ids.contains("CAP-03"), profile == RuleProfile::Documented);
    }

    void aWindowAndAFactorAreKnown() {
        // 32 rows in a window, in tiles of 512.
        const Design window = glmGate({.mTile = {512, 512}, .kTile = {256, 1024}});
        const auto resolved = resolve(window, bound(window));
        const auto uses = bufferUse(*resolved, resolved->blocks[1], chipFile("Ascend910B1"));
        QCOMPARE(uses[0].contributors[0].what, "A 32 x 256 FP32");
        QCOMPARE(uses[0].bytesPerSlot, 32 * 256 * 4);
        QVERIFY2(!idsOf(findings(window)).contains("CAP-01"), qPrintable(told(findings(window))));
        QVERIFY(idsOf(findings(window, RuleProfile::Documented)).contains("CAP-01"));
    }

    void slotsAreThoseOfTheBars() {
        const Design design = small();
        const auto resolved = resolve(design, bound(design));
        const auto uses = bufferUse(*resolved, resolved->blocks[0], chipFile("Ascend910B1"));
        const Program program = lowered(design, bound(design), chipFile("Ascend910B1"));
        std::map<Buffer, std::set<std::uint32_t>> places;
        for (const Allocation& a : program.leaves[0].allocations) places[a.buffer].insert(a.offset);
        QCOMPARE(uses[0].slotCount, 2);
        QCOMPARE(places[Buffer::L0A].size(), std::size_t{2});
        QCOMPARE(uses[1].slotCount, 2);
        QCOMPARE(places[Buffer::L0B].size(), std::size_t{2});
    }

    void paddingCountsInTheBuffers() {
        // INT8 pads to 32 rows and columns: 9 x 64 becomes 32 x 64.
        MatmulKnobs knobs;
        knobs.dtype = DType::INT8;
        knobs.out = DType::INT32;
        knobs.mTile = {9, 9};
        const Design design = matmulDesign(knobs);
        const auto resolved = resolve(design, bound(design));
        const auto uses = bufferUse(*resolved, resolved->blocks[0], chipFile("Ascend910B1"));
        QCOMPARE(uses[0].bytesPerSlot, 32 * 64);
        QCOMPARE(uses[2].bytesPerSlot, 32 * 64 * 4);
        QCOMPARE(uses[3].bytesPerSlot, 32 * 128 + 128 * 64);
    }
};

QTEST_APPLESS_MAIN(TestBufferUse)
#include "tst_buffer_use.moc"
