// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <set>

#include "core/timing/ready_queue.h"

using namespace cubist;

class TestReadyQueue : public QObject {
    Q_OBJECT
private slots:
    void tasksOfOneInstantGoByTheirIds();
    void newestInstantGivesItsFirstTask();
    void agreesWithASortedSet_data();
    void agreesWithASortedSet();
};

void TestReadyQueue::tasksOfOneInstantGoByTheirIds() {
    ReadyQueue queue;
    for (const std::size_t task : {5U, 2U, 9U}) queue.add(Ticks(10), TaskIndex(task));
    queue.add(Ticks(11), TaskIndex(1));
    QVERIFY(queue.oldest() == std::pair(Ticks(10), TaskIndex(2)));
    queue.remove(Ticks(10), TaskIndex(2));
    QVERIFY(queue.oldest() == std::pair(Ticks(10), TaskIndex(5)));
    QVERIFY(!queue.contains(Ticks(10), TaskIndex(2)));
    QVERIFY(queue.contains(Ticks(10), TaskIndex(9)));
    QVERIFY(!queue.contains(Ticks(12), TaskIndex(9)));
}

void TestReadyQueue::newestInstantGivesItsFirstTask() {
    ReadyQueue queue;
    queue.add(Ticks(1), TaskIndex(4));
    queue.add(Ticks(2), TaskIndex(8));
    queue.add(Ticks(2), TaskIndex(7));
    QVERIFY(queue.newest() == std::pair(Ticks(2), TaskIndex(7)));
    queue.remove(Ticks(2), TaskIndex(8));
    queue.remove(Ticks(2), TaskIndex(7));
    QVERIFY(queue.newest() == std::pair(Ticks(1), TaskIndex(4)));
    queue.remove(Ticks(1), TaskIndex(4));
    QVERIFY(queue.empty());
    queue.add(Ticks(2), TaskIndex(3));  // the same instant again
    QVERIFY(queue.oldest() == std::pair(Ticks(2), TaskIndex(3)));
}

void TestReadyQueue::agreesWithASortedSet_data() {
    QTest::addColumn<quint32>("seed");
    for (quint32 seed = 1; seed <= 20; ++seed) QTest::addRow("%u", seed) << seed;
}

void TestReadyQueue::agreesWithASortedSet() {
    QFETCH(quint32, seed);
    std::uint32_t state = seed;
    const auto next = [&](std::uint32_t below) {
        state = state * 1664525U + 1013904223U;
        return (state >> 8) % below;
    };
    ReadyQueue queue;
    std::set<std::pair<Ticks, TaskIndex>> expected;
    std::int64_t now = 0;
    std::size_t task = 0;
    for (int step = 0; step < 2000; ++step) {
        now += next(3) == 0 ? 1 : 0;
        if (next(2) == 0) {
            task += 1 + next(5);
            const TaskIndex added(task % 7 == 0 ? task + 100'000 : task);
            queue.add(Ticks(now), added);
            expected.emplace(Ticks(now), added);
        } else if (!expected.empty()) {
            auto gone = expected.begin();
            if (const std::uint32_t how = next(3); how == 0)
                gone = expected.lower_bound({expected.rbegin()->first, TaskIndex()});
            else if (how == 1)
                std::advance(gone, next(static_cast<std::uint32_t>(expected.size())));
            queue.remove(gone->first, gone->second);
            expected.erase(gone);
        }
        QCOMPARE(queue.empty(), expected.empty());
        if (expected.empty()) continue;
        QVERIFY(queue.oldest() == *expected.begin());
        QVERIFY(queue.newest() == *expected.lower_bound({expected.rbegin()->first, TaskIndex()}));
        const auto& any = *std::next(expected.begin(), next(static_cast<std::uint32_t>(expected.size())));
        QVERIFY(queue.contains(any.first, any.second));
    }
}

QTEST_APPLESS_MAIN(TestReadyQueue)
#include "tst_ready_queue.moc"
