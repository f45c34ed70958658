// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/session.h"

#include <algorithm>
#include <utility>

#include "core/design/design_compare.h"
#include "core/exchange/tensor_files.h"

namespace cubist {

Session::Session(Theme& theme, ChipLibrary chips, QObject* parent)
    : QObject(parent), m_theme(theme), m_document(std::move(chips)) {
    connectParts();
}

namespace {

/// Where cards lie on the canvas and what is written between them changes no result.
bool computesTheSame(const std::shared_ptr<const Design>& a, const std::shared_ptr<const Design>& b) {
    if (a == b || !a || !b) return a == b;
    return sameButPlaces(*a, *b);
}

/// The files of tensors that the design has in this role: an edit may have renamed or removed one, and undo bring it
/// back.
std::map<std::string, TensorFile> filesOf(const Design* design, std::map<std::string, TensorFile> files,
                                          TensorRole role) {
    std::erase_if(files, [&](const auto& file) {
        return design == nullptr ||
               std::none_of(design->tensors.begin(), design->tensors.end(), [&](const Tensor& tensor) {
                   return tensor.id.text == file.first && (tensor.role == role || tensor.role == TensorRole::InOut);
               });
    });
    return files;
}

}  // namespace

Session::Session(Theme& theme, ChipLibrary chips, RunController::RunFunction run, RunController::RunFunction predict,
                 QObject* parent)
    : QObject(parent), m_theme(theme), m_document(std::move(chips)), m_runs(std::move(run), std::move(predict)) {
    connectParts();
}

void Session::connectParts() {
    connect(&m_document, &DocumentModel::documentReplaced, this, [this] {
        m_selection.clear();
        m_runs.forget();
        m_inputFiles.clear();
        m_goldenFiles.clear();
        m_keepStages = false;
        m_predicted.reset();
        m_timed.reset();
        m_timedBefore.reset();
        m_stepBegan.reset();
        m_predictionError.reset();
        m_runError.reset();
        emit predictionChanged();
        emit runChanged();
    });
    connect(&m_document, &DocumentModel::designChanged, this, &Session::refresh);
    connect(&m_document, &DocumentModel::caseChanged, this, &Session::refresh);
    connect(&m_document, &DocumentModel::findingsChanged, this, &Session::findingsChanged);
    connect(&m_document, &DocumentModel::fixesChanged, this, &Session::findingsChanged);
    connect(&m_runs, &RunController::predicted, this, &Session::takePrediction);
    connect(&m_runs, &RunController::predictionFailed, this, [this](const Error& error) {
        m_predictionError = error;
        emit predictionChanged();
        emit findingsChanged();
    });
    connect(&m_runs, &RunController::finished, this, [this] {
        m_runError.reset();
        emit runChanged();
        emit findingsChanged();
    });
    connect(&m_runs, &RunController::cancelled, this, &Session::runChanged);
    connect(&m_runs, &RunController::failed, this, [this](const Error& error) {
        m_runError = error;
        emit runChanged();
        emit findingsChanged();
    });
}

RunRequest Session::request() const {
    RunRequest request;
    request.design = m_document.effectiveDesign();
    if (const ChipSpec* chip = m_document.chip()) request.chip = *chip;
    request.baseFolder = m_document.folder().toStdString();
    request.caseName = m_document.caseName().toStdString();
    request.symbols = m_document.symbolOverrides();
    request.readers = tensorReaders();
    request.inputs = filesOf(request.design.get(), m_inputFiles, TensorRole::Input);
    request.goldens = filesOf(request.design.get(), m_goldenFiles, TensorRole::Output);
    request.documentFindings = m_document.readerFindings();
    return request;
}

bool Session::hasWork() const {
    const auto works = [](const auto& self, const std::vector<Block>& blocks) -> bool {
        return std::any_of(blocks.begin(), blocks.end(), [&](const Block& block) {
            const Loop* loop = std::get_if<Loop>(&block.content);
            return !loop || self(self, loop->body);
        });
    };
    return m_document.hasDesign() && works(works, m_document.design()->blocks);
}

Session::TimeState Session::timeState() const {
    if (!m_document.hasDesign()) return TimeState::NoDesign;
    if (!hasWork()) return TimeState::NoWork;
    const RunReportPtr& report = m_runs.prediction();
    if (m_predictionError || m_document.problem()) return TimeState::Blocked;
    if (!report) return TimeState::Predicting;
    return report->trace && report->program ? TimeState::Timed : TimeState::Blocked;
}

void Session::run() {
    if (!canRun()) return;
    m_runError.reset();
    RunRequest wanted = request();
    wanted.keepStages = m_keepStages;
    m_runs.start(std::move(wanted));
}

void Session::refresh() {
    // Results of the last run stay visible, marked as outdated.
    emit runChanged();
    if (m_runError) {
        m_runError.reset();
        emit findingsChanged();
    }
    if (!m_document.hasDesign() || !m_document.chip()) return;
    // Moving a card asks for nothing new.
    RunRequest wanted = request();
    if (m_predicted && m_predicted->design == wanted.design && m_predicted->caseName == wanted.caseName &&
        m_predicted->symbols == wanted.symbols && m_predicted->inputs == wanted.inputs) {
        // This edit changed no time: what an earlier one did is not said of it.
        if (m_timedStep != m_document.editStep() && std::exchange(m_timedBefore, nullptr)) emit predictionChanged();
        return;
    }
    m_predicted = std::make_unique<const RunRequest>(wanted);
    m_runs.predict(std::move(wanted));
}

void Session::takePrediction(const RunReportPtr& report) {
    const bool failedBefore = m_predictionError.has_value();
    m_predictionError.reset();
    if (report->trace) {
        // A drag passes many states: each is compared with the one that it began from.
        if (std::exchange(m_timedStep, m_document.editStep()) != m_document.editStep()) m_stepBegan = m_timed;
        m_timedBefore = m_stepBegan && m_stepBegan->trace->kernel != report->trace->kernel ? m_stepBegan : nullptr;
        m_timed = report;
    }
    emit predictionChanged();
    if (failedBefore) emit findingsChanged();
}

bool Session::runIsOutdated() const {
    const std::shared_ptr<const RunRequest>& asked = m_runs.request();
    if (!asked || !m_runs.report()) return false;
    const std::shared_ptr<const Design> design = m_document.effectiveDesign();
    return !computesTheSame(asked->design, design) || asked->caseName != m_document.caseName().toStdString() ||
           asked->symbols != m_document.symbolOverrides() ||
           asked->inputs != filesOf(design.get(), m_inputFiles, TensorRole::Input) ||
           asked->goldens != filesOf(design.get(), m_goldenFiles, TensorRole::Output);
}

void Session::setTensorFiles(std::map<std::string, TensorFile> inputs, std::map<std::string, TensorFile> goldens) {
    if (inputs == m_inputFiles && goldens == m_goldenFiles) return;
    m_inputFiles = std::move(inputs);
    m_goldenFiles = std::move(goldens);
    refresh();
}

std::vector<Finding> Session::findings() const {
    std::vector<Finding> all = m_document.findings();
    // An error of the engines repeats what the document's own findings say when the design cannot be resolved.
    if (m_document.problem()) return all;
    const auto add = [&](const std::optional<Error>& error, const char* id) {
        if (!error) return;
        Finding finding;
        finding.ruleId = id;
        finding.severity = Severity::Error;
        finding.where = error->where;
        finding.message = error->hint.empty() ? error->message : error->message + ". " + error->hint;
        all.push_back(std::move(finding));
    };
    add(m_runError, "RUN");
    if (!m_runError || !m_predictionError || m_runError->message != m_predictionError->message)
        add(m_predictionError, "TIME");
    return all;
}

}  // namespace cubist
