// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "core/run/run.h"

namespace cubist {

using RunReportPtr = std::shared_ptr<const RunReport>;

/// Runs designs away from the window's thread: whole runs with progress and cancel, and predictions while the user
/// edits. All signals come in the thread of the controller. Only the newest request of a kind is ever reported;
/// whatever an older one still finds out is dropped. The destructor cancels and waits.
class RunController : public QObject {
    Q_OBJECT

public:
    using RunFunction = std::function<Result<RunReport>(const RunRequest&, const RunContext&)>;
    enum class State { Idle, Running, Cancelling };
    Q_ENUM(State)

    explicit RunController(QObject* parent = nullptr);
    /// The core's predictions, each with what the one before has left. For one controller.
    [[nodiscard]] static RunFunction predictWithMemory();
    /// With other engines than the core's, for tests. `trials`: what looks for faster tiles; empty: nothing does.
    RunController(RunFunction run, RunFunction predict, QObject* parent = nullptr, RunFunction trials = {});
    ~RunController() override;

    /// Starts a run; one that is still going is cancelled without a word.
    void start(RunRequest request);
    void cancel();
    /// Asks for findings and time. Requests that come in a burst are answered once, for the last of them. Where stages
    /// leave cores idle and nothing is edited for a while, the same prediction comes once more with tiles that fill
    /// them; an edit ends the search.
    void predict(RunRequest request);
    /// Drops prediction requests and results, for a design that is no longer shown.
    void forget();

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] bool busy() const { return m_state != State::Idle; }
    /// The newest complete results; empty before the first and after `forget`.
    [[nodiscard]] const RunReportPtr& report() const { return m_report; }
    [[nodiscard]] const RunReportPtr& prediction() const { return m_prediction; }
    /// How long the newest prediction took, from the start of the work to its end.
    [[nodiscard]] double predictionMilliseconds() const { return m_predictionMs; }
    /// What `report` answers: a run that is still going, failed or was cancelled does not count. Empty before the
    /// first.
    [[nodiscard]] const std::shared_ptr<const RunRequest>& request() const { return m_request; }

    /// Bursts of prediction requests closer together than this are one.
    static constexpr int kPredictDelayMs = 2;
    /// Nothing is edited for this long before faster tiles are looked for.
    static constexpr int kTrialDelayMs = 400;

signals:
    void stateChanged(cubist::RunController::State state);
    void progressed(double fraction, const QString& phase);
    void finished(const cubist::RunReportPtr& report);
    void failed(const cubist::Error& error);
    void cancelled();
    void predicted(const cubist::RunReportPtr& report);
    void predictionFailed(const cubist::Error& error);

private:
    struct Outcome;
    void launch(const RunFunction& function, std::shared_ptr<const RunRequest> request, std::stop_token stop,
                quint64 generation, bool prediction);
    void launchPrediction();
    void launchTrials();
    void stopTrials();
    void finishRun(Outcome& outcome);
    void finishPrediction(Outcome& outcome);
    void setState(State state);

    RunFunction m_run;
    RunFunction m_predict;
    RunFunction m_trials;
    QThreadPool m_runPool;
    QThreadPool m_predictPool;
    QThreadPool m_trialPool;
    QTimer m_predictTimer;
    QTimer m_trialTimer;

    State m_state = State::Idle;
    quint64 m_runGeneration = 0;
    quint64 m_predictGeneration = 0;
    std::stop_source m_runStop;
    std::stop_source m_predictStop;
    std::stop_source m_trialStop;
    std::shared_ptr<const RunRequest> m_asked;    ///< of the newest run, finished or not
    std::shared_ptr<const RunRequest> m_request;  ///< of m_report
    std::shared_ptr<const RunRequest> m_pendingPrediction;
    std::shared_ptr<const RunRequest> m_predicting;  ///< of the newest prediction that was started
    RunReportPtr m_report;
    RunReportPtr m_prediction;
    double m_predictionMs = 0.0;
};

}  // namespace cubist
