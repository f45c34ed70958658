// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run_controller.h"

#include <QElapsedTimer>
#include <QMetaObject>
#include <QThread>
#include <algorithm>
#include <utility>

#include "core/exchange/golden_finder.h"
#include "core/run/faster_tiles.h"
#include "core/run/prediction_cache.h"
#include "views/guarded_call.h"

namespace cubist {
namespace {

// A step of the progress bar: finer ones would only load the event queue.
constexpr double kProgressStep = 0.001;

/// Whole runs, which use the memory of the one before; files that would pass when read in another way are among their
/// findings.
RunController::RunFunction runWithReadings() {
    return
        [blocks = std::make_shared<BlockPool>()](RunRequest request, const RunContext& context) -> Result<RunReport> {
            request.blocks = blocks;
            CUBIST_TRY(RunReport report, run(request, context));
            CUBIST_CHECK_OK(noteOtherReadings(request, report, context));
            return report;
        };
}

}  // namespace

struct RunController::Outcome {
    quint64 generation = 0;
    std::optional<Result<RunReport>> result;
    double milliseconds = 0.0;
};

/// Only the pool of predictions calls it, which has one thread.
RunController::RunFunction RunController::predictWithMemory() {
    return [cache = std::make_shared<PredictionCache>()](const RunRequest& request, const RunContext& context) {
        return predictAgain(request, *cache, context);
    };
}

RunController::RunController(QObject* parent)
    : RunController(runWithReadings(), predictWithMemory(), parent, predictWithFasterTiles) {}

RunController::RunController(RunFunction run, RunFunction predict, QObject* parent, RunFunction trials)
    : QObject(parent), m_run(std::move(run)), m_predict(std::move(predict)), m_trials(std::move(trials)) {
    // Pools of one thread: neither a long run nor a search delays a prediction, and none runs twice at a time.
    m_runPool.setMaxThreadCount(1);
    m_predictPool.setMaxThreadCount(1);
    m_trialPool.setMaxThreadCount(1);
    m_trialPool.setThreadPriority(QThread::LowPriority);
    m_trialTimer.setSingleShot(true);
    m_trialTimer.setInterval(kTrialDelayMs);
    connect(&m_trialTimer, &QTimer::timeout, this, &RunController::launchTrials);
    m_predictTimer.setSingleShot(true);
    m_predictTimer.setInterval(kPredictDelayMs);
    connect(&m_predictTimer, &QTimer::timeout, this, &RunController::launchPrediction);
}

RunController::~RunController() {
    m_runStop.request_stop();
    m_predictStop.request_stop();
    stopTrials();
    m_runPool.waitForDone();
    m_predictPool.waitForDone();
    m_trialPool.waitForDone();
}

void RunController::start(RunRequest request) {
    m_runStop.request_stop();
    m_runStop = std::stop_source();
    ++m_runGeneration;
    m_asked = std::make_shared<const RunRequest>(std::move(request));
    setState(State::Running);
    launch(m_run, m_asked, m_runStop.get_token(), m_runGeneration, false);
}

void RunController::cancel() {
    if (m_state != State::Running) return;
    m_runStop.request_stop();
    setState(State::Cancelling);
}

void RunController::predict(RunRequest request) {
    m_pendingPrediction = std::make_shared<const RunRequest>(std::move(request));
    ++m_predictGeneration;
    m_predictStop.request_stop();
    stopTrials();
    m_predictTimer.start();
}

void RunController::forget() {
    ++m_predictGeneration;
    m_predictStop.request_stop();
    stopTrials();
    m_predictTimer.stop();
    m_pendingPrediction.reset();
    m_predicting.reset();
    m_prediction.reset();
    m_report.reset();
    m_request.reset();
    m_asked.reset();
    if (busy()) {
        m_runStop.request_stop();
        ++m_runGeneration;
        setState(State::Idle);
        emit cancelled();
    }
}

void RunController::launchPrediction() {
    if (!m_pendingPrediction) return;
    m_predictStop = std::stop_source();
    m_predicting = std::exchange(m_pendingPrediction, nullptr);
    launch(m_predict, m_predicting, m_predictStop.get_token(), m_predictGeneration, true);
}

void RunController::stopTrials() {
    m_trialTimer.stop();
    m_trialStop.request_stop();
}

void RunController::launchTrials() {
    if (!m_predicting) return;
    m_trialStop = std::stop_source();
    m_trialPool.start([this, request = m_predicting, stop = m_trialStop.get_token(), generation = m_predictGeneration] {
        RunContext context;
        context.stop = stop;
        context.threads = 1;
        auto report = std::make_shared<Result<RunReport>>(
            guardedCall("the run needs", [&] { return m_trials(*request, context); }));
        QMetaObject::invokeMethod(
            this,
            [this, report, generation] {
                if (generation != m_predictGeneration || !*report || !m_prediction) return;
                if ((*report)->findings == m_prediction->findings) return;
                m_prediction = std::make_shared<const RunReport>(std::move(*report).value());
                emit predicted(m_prediction);
            },
            Qt::QueuedConnection);
    });
}

void RunController::launch(const RunFunction& function, std::shared_ptr<const RunRequest> request, std::stop_token stop,
                           quint64 generation, bool prediction) {
    auto job = [this, function, request = std::move(request), stop = std::move(stop), generation, prediction] {
        RunContext context;
        context.stop = stop;
        context.threads = prediction ? 1 : std::max(1, QThread::idealThreadCount());
        if (!prediction) {
            context.progress = [this, generation, last = -1.0](double fraction, std::string_view phase) mutable {
                if (fraction - last < kProgressStep && fraction < 1.0) return;
                last = fraction;
                const QString text = QString::fromUtf8(phase.data(), static_cast<qsizetype>(phase.size()));
                QMetaObject::invokeMethod(
                    this,
                    [this, generation, fraction, text] {
                        if (generation == m_runGeneration && m_state == State::Running) emit progressed(fraction, text);
                    },
                    Qt::QueuedConnection);
            };
        }
        QElapsedTimer timer;
        timer.start();
        auto outcome = std::make_shared<Outcome>();
        outcome->generation = generation;
        outcome->result.emplace(guardedCall("the run needs", [&] { return function(*request, context); }));
        outcome->milliseconds = static_cast<double>(timer.nsecsElapsed()) * 1e-6;
        QMetaObject::invokeMethod(
            this, [this, outcome, prediction] { prediction ? finishPrediction(*outcome) : finishRun(*outcome); },
            Qt::QueuedConnection);
    };
    (prediction ? m_predictPool : m_runPool).start(std::move(job));
}

void RunController::finishRun(Outcome& outcome) {
    if (outcome.generation != m_runGeneration) return;
    // The state changes before the result is announced: whoever hears of the result may start the next run.
    setState(State::Idle);
    Result<RunReport>& result = *outcome.result;
    if (result) {
        m_report = std::make_shared<const RunReport>(std::move(result).value());
        m_request = m_asked;
        emit finished(m_report);
    } else if (result.error().code == ErrorCode::Cancelled) {
        emit cancelled();
    } else {
        emit failed(result.error());
    }
}

void RunController::finishPrediction(Outcome& outcome) {
    if (outcome.generation != m_predictGeneration) return;
    m_predictionMs = outcome.milliseconds;
    Result<RunReport>& result = *outcome.result;
    if (result) {
        m_prediction = std::make_shared<const RunReport>(std::move(result).value());
        const bool idle = std::any_of(m_prediction->findings.begin(), m_prediction->findings.end(),
                                      [](const Finding& finding) { return finding.ruleId == "PERF-01"; });
        if (idle && m_trials) m_trialTimer.start();
        emit predicted(m_prediction);
    } else if (result.error().code != ErrorCode::Cancelled) {
        m_prediction.reset();
        emit predictionFailed(result.error());
    }
}

void RunController::setState(State state) {
    if (state == m_state) return;
    m_state = state;
    emit stateChanged(state);
}

}  // namespace cubist
