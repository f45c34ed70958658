// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <map>
#include <memory>
#include <string>

#include "core/exchange/chip_json.h"
#include "views/document_model.h"
#include "views/run_controller.h"
#include "views/selection_model.h"
#include "views/theme.h"

namespace cubist {

/// What the views of one window share: the document, the selection, runs, and the theme. Keeps the prediction up with
/// the document: every change of design, chip, case or symbols asks for a new one.
class Session : public QObject {
    Q_OBJECT

public:
    Session(Theme& theme, ChipLibrary chips, QObject* parent = nullptr);
    /// With other engines, for tests.
    Session(Theme& theme, ChipLibrary chips, RunController::RunFunction run, RunController::RunFunction predict,
            QObject* parent = nullptr);

    [[nodiscard]] DocumentModel& document() { return m_document; }
    [[nodiscard]] SelectionModel& selection() { return m_selection; }
    [[nodiscard]] RunController& runs() { return m_runs; }
    [[nodiscard]] Theme& theme() { return m_theme; }
    [[nodiscard]] const DocumentModel& document() const { return m_document; }
    [[nodiscard]] const RunController& runs() const { return m_runs; }

    /// The run that the current document asks for.
    [[nodiscard]] RunRequest request() const;
    /// Whether pressing Run starts something. Findings do not stop it: the run reports them.
    [[nodiscard]] bool canRun() const { return m_document.chip() && hasWork() && !m_runs.busy(); }
    void run();

    /// Files with values of inputs and goldens of outputs for the runs of this window, by tensor. They are no part of
    /// the design, whose own files they go before, and are forgotten with the document.
    [[nodiscard]] const std::map<std::string, TensorFile>& inputFiles() const { return m_inputFiles; }
    [[nodiscard]] const std::map<std::string, TensorFile>& goldenFiles() const { return m_goldenFiles; }
    void setTensorFiles(std::map<std::string, TensorFile> inputs, std::map<std::string, TensorFile> goldens);

    /// From now on, until another document is opened, runs keep the values that pass between stages.
    void keepStages() { m_keepStages = true; }

    /// Whether the design holds anything that could run: a new one is empty.
    [[nodiscard]] bool hasWork() const;
    /// Where the prediction stands. Blocked: problems keep it from being made.
    enum class TimeState { NoDesign, NoWork, Predicting, Blocked, Timed };
    [[nodiscard]] TimeState timeState() const;

    /// Whether the design, case, symbols or files of tensors changed since the newest run.
    [[nodiscard]] bool runIsOutdated() const;
    /// The newest prediction that has a time, and the one of the state before the newest step of the history, where its
    /// time is another: a whole drag is one step. Null until there is one.
    [[nodiscard]] const RunReportPtr& timed() const { return m_timed; }
    [[nodiscard]] const RunReportPtr& timedBefore() const { return m_timedBefore; }
    /// Why there is no prediction for the design as it stands; empty when there is one.
    [[nodiscard]] const std::optional<Error>& predictionError() const { return m_predictionError; }
    /// Why the newest run gave no result; empty after one that did.
    [[nodiscard]] const std::optional<Error>& runError() const { return m_runError; }
    /// Findings of the document, and the reasons why run or prediction failed that are not among them.
    [[nodiscard]] std::vector<Finding> findings() const;

signals:
    /// The prediction is another one, or there is none any more.
    void predictionChanged();
    /// There is a new result of a run, it failed, or it is outdated now.
    void runChanged();
    void findingsChanged();

private:
    void connectParts();
    void refresh();
    void takePrediction(const RunReportPtr& report);

    Theme& m_theme;
    DocumentModel m_document;
    SelectionModel m_selection;
    RunController m_runs;
    std::unique_ptr<const RunRequest> m_predicted;  ///< the newest prediction that was asked for
    RunReportPtr m_timed;
    RunReportPtr m_timedBefore;
    RunReportPtr m_stepBegan;  ///< the time before the step that `m_timed` belongs to
    int m_timedStep = -1;      ///< of the document
    std::optional<Error> m_predictionError;
    std::optional<Error> m_runError;
    std::map<std::string, TensorFile> m_inputFiles, m_goldenFiles;
    bool m_keepStages = false;
};

}  // namespace cubist
