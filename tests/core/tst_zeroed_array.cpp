// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "core/base/zeroed_array.h"

using namespace cubist;

/// Small arrays and those that get pages of their own.
class TestZeroedArray : public QObject {
    Q_OBJECT
private slots:
    void begins_data();
    void begins();
    void nothingIsEmpty();
};

void TestZeroedArray::begins_data() {
    QTest::addColumn<qulonglong>("count");
    QTest::newRow("one") << 1ULL;
    QTest::newRow("some") << 1000ULL;
    QTest::newRow("the last without pages of its own") << qulonglong(kLargeBlockBytes / sizeof(std::int64_t) - 1);
    QTest::newRow("the first with them") << qulonglong(kLargeBlockBytes / sizeof(std::int64_t));
    QTest::newRow("large") << 3'000'001ULL;
}

void TestZeroedArray::begins() {
    QFETCH(const qulonglong, count);
    ZeroedArray<std::int64_t> array(count);
    QCOMPARE(array.size(), std::size_t{count});
    QVERIFY(std::all_of(array.begin(), array.end(), [](std::int64_t value) { return value == 0; }));
    QCOMPARE(std::span<const std::int64_t>(array).size(), std::size_t{count});
    array[count - 1] = 7;

    ZeroedArray<std::int64_t> copy = array;
    QVERIFY(copy == array);
    copy[0] += 1;  // the copy has values of its own
    QVERIFY(!(copy == array));
    copy = array;
    QVERIFY(copy == array);

    const std::int64_t* const place = array.data();
    const ZeroedArray<std::int64_t> moved = std::move(array);
    QVERIFY(moved.data() == place && moved[count - 1] == 7);

    // Memory that was used and given back is zero again.
    copy = {};
    QVERIFY(copy.empty());
    const ZeroedArray<std::int64_t> again(count);
    QCOMPARE(std::count(again.begin(), again.end(), 0), std::ptrdiff_t(count));
}

void TestZeroedArray::nothingIsEmpty() {
    const ZeroedArray<std::int32_t> none;
    const ZeroedArray<std::int32_t> zero(0);
    QVERIFY(none.empty() && zero.empty() && none == zero);
    QVERIFY(none.begin() == none.end());
    QVERIFY(none == ZeroedArray<std::int32_t>(none));
}

QTEST_APPLESS_MAIN(TestZeroedArray)
#include "tst_zeroed_array.moc"
