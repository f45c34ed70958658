// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDeadlineTimer>
#include <QSignalSpy>
#include <QTest>
#include <atomic>
#include <semaphore>
#include <stdexcept>
#include <thread>

#include "views/run_controller.h"

using namespace cubist;

namespace {

RunRequest requestNamed(const char* name) {
    Design design;
    design.name = name;
    RunRequest request;
    request.design = std::make_shared<const Design>(std::move(design));
    return request;
}

Result<RunReport> echo(const RunRequest& request, const RunContext& context) {
    context.report(0.5, "values");
    RunReport report;
    report.design = request.design->name;
    return report;
}

/// Works until it is told to stop, as a long emulation does.
Result<RunReport> untilStopped(const RunRequest&, const RunContext& context) {
    while (!context.cancelled()) std::this_thread::yield();
    return cancelledError();
}

}  // namespace

class TestRunController : public QObject {
    Q_OBJECT

private slots:
    void finishedRunIsReportedWithProgress() {
        RunController controller(echo, echo);
        QSignalSpy finished(&controller, &RunController::finished);
        QSignalSpy progress(&controller, &RunController::progressed);
        controller.start(requestNamed("one"));
        QCOMPARE(controller.state(), RunController::State::Running);
        QVERIFY(finished.wait());
        QCOMPARE(controller.state(), RunController::State::Idle);
        QVERIFY(controller.report());
        QCOMPARE(controller.report()->design, std::string("one"));
        QCOMPARE(progress.count(), 1);
        QCOMPARE(progress[0][0].toDouble(), 0.5);
        QCOMPARE(progress[0][1].toString(), QString("values"));
        QCOMPARE(controller.request()->design->name, std::string("one"));
    }

    void cancelledRunIsNoFailure() {
        RunController controller(untilStopped, echo);
        QSignalSpy cancelled(&controller, &RunController::cancelled);
        QSignalSpy failed(&controller, &RunController::failed);
        QSignalSpy finished(&controller, &RunController::finished);
        controller.start(requestNamed("long"));
        QDeadlineTimer deadline(1000);
        controller.cancel();
        QCOMPARE(controller.state(), RunController::State::Cancelling);
        QVERIFY(cancelled.wait(1000));
        QVERIFY(!deadline.hasExpired());
        QCOMPARE(controller.state(), RunController::State::Idle);
        QCOMPARE(failed.count(), 0);
        QCOMPARE(finished.count(), 0);
        QVERIFY(!controller.report());
    }

    void reportKeepsItsRequestWhenALaterRunIsCancelled() {
        RunController controller(
            [](const RunRequest& request, const RunContext& context) {
                return request.design->name == "one" ? echo(request, context) : untilStopped(request, context);
            },
            echo);
        QSignalSpy finished(&controller, &RunController::finished);
        controller.start(requestNamed("one"));
        QVERIFY(finished.wait());
        controller.start(requestNamed("long"));
        QCOMPARE(controller.request()->design->name, std::string("one"));
        QSignalSpy cancelled(&controller, &RunController::cancelled);
        controller.cancel();
        QVERIFY(cancelled.wait(1000));
        QCOMPARE(controller.report()->design, std::string("one"));
        QCOMPARE(controller.request()->design->name, std::string("one"));
    }

    void destructorCancelsAndWaits() {
        std::atomic<bool> ended = false;
        std::binary_semaphore started{0};
        const auto longRun = [&](const RunRequest& request, const RunContext& context) {
            started.release();
            auto result = untilStopped(request, context);
            ended = true;
            return result;
        };
        {
            RunController controller(longRun, echo);
            controller.start(requestNamed("long"));
            started.acquire();
            QVERIFY(!ended);
        }
        QVERIFY(ended);
    }

    void destructorDropsQueuedResults() {
        {
            RunController controller(echo, echo);
            controller.start(requestNamed("one"));
            controller.predict(requestNamed("one"));
        }
        QCoreApplication::processEvents();  // would crash on a result for the dead controller
    }

    void newRunReplacesTheOldOne() {
        const auto either = [](const RunRequest& request, const RunContext& context) {
            return request.design->name == "long" ? untilStopped(request, context) : echo(request, context);
        };
        RunController controller(either, echo);
        QSignalSpy finished(&controller, &RunController::finished);
        QSignalSpy cancelled(&controller, &RunController::cancelled);
        controller.start(requestNamed("long"));
        controller.start(requestNamed("new"));
        QVERIFY(finished.wait());
        QCOMPARE(controller.report()->design, std::string("new"));
        QCOMPARE(cancelled.count(), 0);
    }

    void errorsAndExceptionsAreFailures() {
        const auto failing = [](const RunRequest& request, const RunContext&) -> Result<RunReport> {
            if (request.design->name == "throws") throw std::runtime_error("surprise");
            return unexpected(ErrorCode::UnknownName, "no such case", "/default_case");
        };
        RunController controller(failing, echo);
        QSignalSpy failed(&controller, &RunController::failed);
        controller.start(requestNamed("bad"));
        QVERIFY(failed.wait());
        QCOMPARE(failed[0][0].value<Error>(), (Error{ErrorCode::UnknownName, "no such case", "/default_case"}));
        controller.start(requestNamed("throws"));
        QVERIFY(failed.wait());
        QCOMPARE(failed[1][0].value<Error>().code, ErrorCode::Internal);
        QCOMPARE(failed[1][0].value<Error>().message, std::string("surprise"));
    }

    void burstOfPredictionsIsAnsweredOnceForTheLast() {
        std::atomic<int> calls = 0;
        const auto counting = [&](const RunRequest& request, const RunContext& context) {
            ++calls;
            return echo(request, context);
        };
        RunController controller(echo, counting);
        QSignalSpy predicted(&controller, &RunController::predicted);
        for (const char* name : {"a", "b", "c", "d"}) controller.predict(requestNamed(name));
        QVERIFY(predicted.wait());
        QCOMPARE(predicted.count(), 1);
        QCOMPARE(controller.prediction()->design, std::string("d"));
        QCOMPARE(calls.load(), 1);
    }

    void stalePredictionIsDropped() {
        std::atomic<bool> started = false;
        const auto predict = [&](const RunRequest& request, const RunContext& context) {
            if (request.design->name != "old") return echo(request, context);
            started = true;
            while (!context.cancelled()) std::this_thread::yield();
            return echo(request, context);  // finishes in spite of the stop: the result is still stale
        };
        RunController controller(echo, predict);
        QSignalSpy predicted(&controller, &RunController::predicted);
        controller.predict(requestNamed("old"));
        QTRY_VERIFY(started.load());
        controller.predict(requestNamed("new"));
        QVERIFY(predicted.wait());
        QCoreApplication::processEvents();
        QCOMPARE(predicted.count(), 1);
        QCOMPARE(controller.prediction()->design, std::string("new"));
    }

    void predictionGoesOnDuringARun() {
        RunController controller(untilStopped, echo);
        QSignalSpy predicted(&controller, &RunController::predicted);
        controller.start(requestNamed("long"));
        controller.predict(requestNamed("edited"));
        QVERIFY(predicted.wait());
        QVERIFY(controller.busy());
    }

    /// Faster tiles are looked for when nothing is edited, and only where cores have no work.
    void idleCoresAreLookedAtOnceEditingRests() {
        const auto idle = [](const RunRequest& request, const RunContext& context) {
            auto report = echo(request, context);
            Finding finding;
            finding.ruleId = request.design->name == "full" ? "PERF-04" : "PERF-01";
            report->findings.push_back(finding);
            return report;
        };
        std::atomic<int> searches = 0;
        const auto search = [&](const RunRequest& request, const RunContext& context) {
            ++searches;
            auto report = idle(request, context);
            Fix fix;
            fix.title = "faster";
            report->findings.front().fixes.push_back(fix);
            return report;
        };
        RunController controller(echo, idle, nullptr, search);
        QSignalSpy predicted(&controller, &RunController::predicted);
        controller.predict(requestNamed("full"));
        QVERIFY(predicted.wait());
        controller.predict(requestNamed("one"));
        QVERIFY(predicted.wait());
        QVERIFY(controller.prediction()->findings.front().fixes.empty());
        controller.predict(requestNamed("two"));  // an edit: the search for "one" never begins
        QVERIFY(predicted.wait());
        QCOMPARE(searches.load(), 0);
        QVERIFY(predicted.wait());
        QCOMPARE(predicted.count(), 4);
        QCOMPARE(searches.load(), 1);
        QCOMPARE(controller.prediction()->design, std::string("two"));
        QCOMPARE(controller.prediction()->findings.front().fixes.front().title, std::string("faster"));
    }

    void forgetDropsResultsOfAClosedDesign() {
        RunController controller(untilStopped, echo);
        QSignalSpy predicted(&controller, &RunController::predicted);
        QSignalSpy cancelled(&controller, &RunController::cancelled);
        controller.start(requestNamed("closed"));
        controller.predict(requestNamed("closed"));
        controller.forget();
        QVERIFY(!controller.busy());
        QCOMPARE(cancelled.count(), 1);
        controller.predict(requestNamed("opened"));
        QVERIFY(predicted.wait());
        QCOMPARE(predicted.count(), 1);
        QCOMPARE(controller.prediction()->design, std::string("opened"));
        QCOMPARE(cancelled.count(), 1);
    }
};

QTEST_GUILESS_MAIN(TestRunController)
#include "tst_run_controller.moc"
