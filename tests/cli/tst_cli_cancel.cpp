// SPDX-License-Identifier: GPL-3.0-or-later
#include <QElapsedTimer>
#include <QTest>
#include <csignal>

#include "tests/cli/cli_process.h"

using namespace cubist::test;

namespace {

/// Whether the program has got as far as to wait for SIGINT itself; before that a signal just kills it.
bool takesSignals(qint64 process) {
    QFile status("/proc/" + QString::number(process) + "/status");
    if (!status.open(QIODevice::ReadOnly)) return false;
    for (const QByteArray& line : status.readAll().split('\n'))
        if (line.startsWith("SigBlk:"))
            return (line.mid(7).trimmed().toULongLong(nullptr, 16) >> (SIGINT - 1) & 1U) != 0;
    return false;
}

}  // namespace

/// Signals end a run soon and leave nothing behind.
class TestCliCancel : public QObject {
    Q_OBJECT

private slots:
    void signalEndsTheRun_data() {
        QTest::addColumn<int>("signal");
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("afterMs");
        // Long runs: minutes of portable values, or seconds of lowering and prediction.
        const QStringList values{"--sym", "T=20000", "--isa", "portable", "--save-outputs", "outputs"};
        const QStringList timing{"--sym", "T=3000000", "--no-values", "--max-memory", "100G"};
        QTest::newRow("SIGINT while inputs are made") << SIGINT << values << 1;
        QTest::newRow("SIGINT while values are computed") << SIGINT << values << 1500;
        QTest::newRow("SIGTERM while values are computed") << SIGTERM << values << 1500;
        QTest::newRow("SIGINT while the time is predicted") << SIGINT << timing << 300;
    }

    void signalEndsTheRun() {
        QFETCH(const int, signal);
        QFETCH(const QStringList, options);
        QFETCH(const int, afterMs);
        const CliFolder folder;
        QProcess process;
        process.setWorkingDirectory(folder.path());
        process.start(CUBIST_CLI, QStringList{"run", "glm_gate", "--json", "run.json", "--report", "report"} + options);
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(takesSignals(process.processId()), 30000);
        QVERIFY2(!process.waitForFinished(afterMs), "the run ended before it could be cancelled");
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), signal), 0);
        QVERIFY(process.waitForFinished(60000));
        QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed()) + " ms"));  // the bar is 100 ms
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 3);
        QCOMPARE(process.readAllStandardError(), QByteArray("cubist-cli: cancelled\n"));
        QCOMPARE(process.readAllStandardOutput(), QByteArray());
        QCOMPARE(folder.entries(), QStringList());
    }
};

QTEST_GUILESS_MAIN(TestCliCancel)
#include "tst_cli_cancel.moc"
