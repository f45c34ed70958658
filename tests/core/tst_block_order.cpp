// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "core/lowering/block_order.h"

using namespace cubist;

namespace {

using Cores = std::vector<std::vector<OutputBlock>>;

/// Blocks as "row,column" in units of 16 x 16, cores separated by '|'.
QString text(const Result<Cores>& cores) {
    if (!cores) return "error";
    QStringList out;
    for (const auto& core : *cores) {
        QStringList blocks;
        for (const OutputBlock& b : core) blocks << QString("%1,%2").arg(b.row / 16).arg(b.column / 16);
        out << blocks.join(' ');
    }
    return out.join('|');
}

/// An output of rows x columns blocks of 16 x 16.
QString dealt(const BlockOrder& order, std::int64_t rows, std::int64_t columns, std::int64_t cores) {
    return text(blocksOfCores(order, 16 * rows, 16 * columns, 16, 16, cores));
}

}  // namespace

class TestBlockOrder : public QObject {
    Q_OBJECT
private slots:
    void roundRobinIsMMajor();
    void loopNMHasMInside();
    void blocksWalkGroups();
    void gridGivesEveryCoreARectangle();
    void gridPassesCutM();
    void swizzleWalksToAndFro();
    void windowSlides();
    void theTailOfAWindowIsCutFiner();
    void jobsStayTogether();
    void everyElementIsComputedOnce_data();
    void everyElementIsComputedOnce();
    void impossibleOrdersAreRefused();
};

void TestBlockOrder::roundRobinIsMMajor() {
    QCOMPARE(dealt({}, 2, 3, 2), QString("0,0 0,2 1,1|0,1 1,0 1,2"));
}

void TestBlockOrder::loopNMHasMInside() {
    QCOMPARE(dealt({.kind = OrderKind::LoopNM}, 2, 3, 1), QString("0,0 1,0 0,1 1,1 0,2 1,2"));
}

void TestBlockOrder::blocksWalkGroups() {
    QCOMPARE(dealt({.kind = OrderKind::Blocks, .m = 2, .n = 2}, 4, 2, 1), QString("0,0 1,0 0,1 1,1 2,0 3,0 2,1 3,1"));
}

void TestBlockOrder::gridGivesEveryCoreARectangle() {
    QCOMPARE(dealt({.kind = OrderKind::Grid, .a = 2, .b = 2}, 3, 4, 4),
             QString("0,0 0,1 1,0 1,1|0,2 0,3 1,2 1,3|2,0 2,1|2,2 2,3"));
    QCOMPARE(dealt({.kind = OrderKind::Grid, .a = 1, .b = 3}, 1, 4, 3), QString("0,0 0,1|0,2 0,3|"));
}

void TestBlockOrder::gridPassesCutM() {
    QCOMPARE(dealt({.kind = OrderKind::Grid, .a = 2, .b = 1, .mPasses = 2}, 4, 2, 2),
             QString("0,0 0,1 2,0 2,1|1,0 1,1 3,0 3,1"));
}

void TestBlockOrder::swizzleWalksToAndFro() {
    QCOMPARE(dealt({.kind = OrderKind::Swizzle, .offset = 2}, 3, 2, 1), QString("0,0 1,0 0,1 1,1 2,1 2,0"));
    QCOMPARE(dealt({.kind = OrderKind::Swizzle, .offset = 2, .direction = 1}, 2, 3, 1),
             QString("0,0 0,1 1,0 1,1 1,2 0,2"));
}

void TestBlockOrder::windowSlides() {
    QCOMPARE(dealt({.kind = OrderKind::Window, .rows = 2, .serpentine = true}, 3, 2, 1),
             QString("0,0 1,0 0,1 1,1 2,1 2,0"));
    QCOMPARE(dealt({.kind = OrderKind::Window, .rows = 2}, 3, 2, 1), QString("0,0 1,0 0,1 1,1 2,0 2,1"));
}

// Five blocks of 64 x 64 on four cores: the fifth is cut into 2 x 2.
void TestBlockOrder::theTailOfAWindowIsCutFiner() {
    const auto cores = blocksOfCores({.kind = OrderKind::Window, .rows = 1, .splitTail = true}, 64, 5 * 64, 64, 64, 4);
    QVERIFY(cores);
    for (std::size_t core = 0; core < 4; ++core) {
        QCOMPARE((*cores)[core].size(), 2U);
        QCOMPARE((*cores)[core][1].rows, 32);
        QCOMPARE((*cores)[core][1].columns, 32);
    }
    QCOMPARE((*cores)[3][1], (OutputBlock{32, 32, 4 * 64 + 32, 32}));
}

void TestBlockOrder::jobsStayTogether() {
    QCOMPARE(dealt({.kind = OrderKind::Jobs, .m = 32, .n = 16}, 2, 3, 2), QString("0,0 1,0 0,2 1,2|0,1 1,1"));
}

void TestBlockOrder::everyElementIsComputedOnce_data() {
    QTest::addColumn<int>("kind");
    for (const auto& [kind, name] : EnumTable<OrderKind>::entries)
        QTest::addRow("%s", std::string(name).c_str()) << static_cast<int>(kind);
}

void TestBlockOrder::everyElementIsComputedOnce() {
    QFETCH(int, kind);
    BlockOrder order{.kind = static_cast<OrderKind>(kind),
                     .a = 3,
                     .b = 2,
                     .mPasses = 2,
                     .m = 3,
                     .n = 2,
                     .offset = 3,
                     .rows = 4,
                     .serpentine = true,
                     .splitTail = true};
    if (order.kind == OrderKind::Jobs) order.m = order.n = 70;
    constexpr std::int64_t kRows = 201, kColumns = 155;
    const auto cores = blocksOfCores(order, kRows, kColumns, 32, 48, 7);
    QVERIFY(cores);
    QCOMPARE(cores->size(), 7U);
    std::vector<int> count(kRows * kColumns, 0);
    for (const auto& core : *cores)
        for (const OutputBlock& b : core)
            for (std::int64_t r = b.row; r < b.row + b.rows; ++r)
                for (std::int64_t c = b.column; c < b.column + b.columns; ++c)
                    ++count[static_cast<std::size_t>(r * kColumns + c)];
    QVERIFY(std::all_of(count.begin(), count.end(), [](int n) { return n == 1; }));
}

void TestBlockOrder::impossibleOrdersAreRefused() {
    QCOMPARE(dealt({.kind = OrderKind::Grid, .a = 2, .b = 2}, 2, 2, 3), QString("error"));
    QCOMPARE(dealt({.kind = OrderKind::Swizzle, .offset = 0}, 2, 2, 1), QString("error"));
    QCOMPARE(dealt({.kind = OrderKind::Swizzle, .direction = 2}, 2, 2, 1), QString("error"));
    QCOMPARE(dealt({}, 0, 2, 1), QString("error"));
}

QTEST_APPLESS_MAIN(TestBlockOrder)
#include "tst_block_order.moc"
