// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "core/base/rational.h"

class TestBase : public QObject {
    Q_OBJECT
private slots:
    void readsADecimalExactly() {
        const auto value = cubist::parseDecimal("79.5");
        QVERIFY(value);
        QCOMPARE(value->numerator(), 159);
        QCOMPARE(value->denominator(), 2);
    }
};

QTEST_APPLESS_MAIN(TestBase)
#include "tst_base.moc"
