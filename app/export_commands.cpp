// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export_commands.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QRegularExpression>

#include <utility>

#include "app/command_table.h"
#include "app/pypto_export_dialog.h"
#include "app/version.h"
#include "core/exchange/bundle.h"
#include "core/exchange/chrome_trace.h"
#include "core/exchange/csv_export.h"
#include "core/exchange/files.h"
#include "core/exchange/mindstudio_trace.h"
#include "core/exchange/npy.h"
#include "core/exchange/pypto_snippet.h"
#include "core/exchange/pypto_swimlane.h"
#include "core/exchange/report.h"
#include "core/exchange/safetensors.h"
#include "views/session.h"

namespace cubist {
namespace {

constexpr const char* kTunerFile = "config.json";

QString tensorFilter() {
    return ExportCommands::tr("NumPy archives (*.npz);;safetensors (*.safetensors)");
}

Result<void> writeTensorFile(const QString& path, const std::map<std::string, HostTensor>& tensors) {
    return path.endsWith(QLatin1String(".safetensors")) ? writeSafeTensors(path.toStdString(), tensors)
                                                        : writeNpz(path.toStdString(), tensors);
}

Result<void> writeStream(const QString& path, const std::function<Result<void>(const TextSink&)>& writer) {
    CUBIST_TRY(AtomicFile file, AtomicFile::create(path.toStdString()));
    CUBIST_CHECK_OK(writer([&file](std::string_view text) { return file.write(text.data(), text.size()); }));
    return file.commit();
}

}  // namespace

Result<void> writeFolder(const QString& folder, const std::map<std::string, std::string>& files) {
    if (!QDir().mkpath(folder))
        return unexpected(ErrorCode::BadFile, "the folder cannot be made", folder.toStdString());
    for (const auto& [name, text] : files)
        CUBIST_CHECK_OK(writeFileAtomically(QDir(folder).filePath(QString::fromStdString(name)).toStdString(), text));
    return {};
}

void followFilter(QFileDialog& dialog) {
    const auto endingOf = [](const QString& filter) {
        const qsizetype star = filter.indexOf(QLatin1String("(*."));
        const qsizetype end = filter.indexOf(QRegularExpression(QStringLiteral("[ )]")), star);
        return star < 0 || end < 0 ? QString() : filter.mid(star + 2, end - star - 2);
    };
    dialog.setDefaultSuffix(endingOf(dialog.selectedNameFilter()));
    QObject::connect(&dialog, &QFileDialog::filterSelected, &dialog, [&dialog, endingOf](const QString& filter) {
        const QString wanted = endingOf(filter);
        if (wanted.isEmpty()) return;
        dialog.setDefaultSuffix(wanted);
        const QStringList files = dialog.selectedFiles();
        if (files.isEmpty()) return;
        QString name = QFileInfo(files.constFirst()).fileName();
        for (const QString& other : dialog.nameFilters())
            if (const QString ending = endingOf(other);
                ending != wanted && !ending.isEmpty() && name.endsWith(ending)) {
                dialog.selectFile(name.chopped(ending.size()) + wanted);
                return;
            }
    });
}

ExportCommands::ExportCommands(QWidget& window, Session& session)
    : QObject(&window), m_window(window), m_session(session) {}

void ExportCommands::bind(Commands& commands) {
    using enum CommandId;
    const auto file = [&](CommandId id, auto title, const char* ending, auto filter, const Writer& write) {
        commands.bind(id, [this, title, ending, filter, write] {
            saveFile(title(), QString::fromLatin1(ending), filter(), write);
        });
    };
    const auto json = [] { return tr("JSON files (*.json)"); };
    const auto trace = [this](TraceFormat format) {
        return [this, format](const QString& path) { return writeTrace(format, path); };
    };
    commands.bind(ExportPypto, [this] { showPypto(); });
    commands.bind(CopySnippet, [this] { copySnippet(); });
    commands.bind(ExportTables, [this] { saveTables(); });
    file(
        ExportTuner, [] { return tr("Save tile tuner config"); }, ".tuner.json", json,
        [this](const QString& path) { return writeTuner(path); });
    file(
        ExportPerfetto, [] { return tr("Save Perfetto trace"); }, ".trace.json", json, trace(TraceFormat::Perfetto));
    file(
        ExportSwimlane, [] { return tr("Save merged_swimlane.json"); }, ".merged_swimlane.json", json,
        trace(TraceFormat::PyptoSwimlane));
    file(
        ExportMindStudio, [] { return tr("Save MindStudio trace"); }, ".mindstudio.json", json,
        trace(TraceFormat::MindStudio));
    file(
        ExportTensors, [] { return tr("Save outputs"); }, ".npz", tensorFilter,
        [this](const QString& path) { return writeTensors(path); });
    commands.bind(ExportStages, [this] { saveStages(); });
    file(
        ExportReport, [] { return tr("Save report"); }, ".report.html", [] { return tr("HTML pages (*.html)"); },
        [this](const QString& path) { return writeReport(path); });
    file(
        ExportBundle, [] { return tr("Save bundle"); }, ".cubist-bundle.zip",
        [] { return tr("Cubist bundles (*.zip)"); }, [this](const QString& path) { return writeBundleFile(path); });
}

Result<PyptoExport> ExportCommands::pypto(KeyDialect keys) const {
    const DocumentModel& document = m_session.document();
    if (!document.hasDesign()) return unexpected(ErrorCode::BadValue, "no design is open");
    if (!document.chip()) return unexpected(ErrorCode::UnknownName, "the chip of the design is unknown", "/chip");
    PyptoExportRequest request;
    request.design = document.design();
    request.chip = *document.chip();
    request.caseName = document.caseName().toStdString();
    request.overrides.symbols = document.symbolOverrides();
    request.keys = keys;
    request.version = versionText();
    return exportPypto(request);
}

Result<QString> ExportCommands::snippet() const {
    const DocumentModel& document = m_session.document();
    if (!document.hasDesign()) return unexpected(ErrorCode::BadValue, "no design is open");
    const Design& design = *document.effectiveDesign();
    const Overrides overrides{document.symbolOverrides(), {}};
    CUBIST_TRY(const Binding binding, bindWith(design, document.caseName().toStdString(), overrides));
    CUBIST_TRY(const PyptoSnippet snippet, snippetOf(design, binding));
    return QString::fromStdString(snippetText(snippet));
}

Result<void> ExportCommands::writeTuner(const QString& path) const {
    CUBIST_TRY(const PyptoExport exported, pypto(KeyDialect::Labels));
    if (!exported.findings.empty())
        return unexpected(ErrorCode::Unsupported,
                          exported.findings.front().ruleId + ": " + exported.findings.front().message);
    const auto config = exported.files.find(kTunerFile);
    if (config == exported.files.end())
        return unexpected(ErrorCode::Unsupported, tr("the kernel has no tile that a tuner could change").toStdString());
    return writeFileAtomically(path.toStdString(), config->second);
}

Result<RunReportPtr> ExportCommands::predicted() const {
    const RunReportPtr& report = m_session.runs().prediction();
    if (m_session.timeState() != Session::TimeState::Timed)
        return unexpected(ErrorCode::BadValue, tr("the time of this design is not known").toStdString(), {},
                          tr("fix its errors, or wait for the prediction").toStdString());
    return report;
}

Result<RunReportPtr> ExportCommands::ran() const {
    const RunReportPtr& report = m_session.runs().report();
    if (!report || !report->ran || m_session.runIsOutdated())
        return unexpected(ErrorCode::BadValue, tr("the design as it stands has not been run").toStdString(), {},
                          tr("run it first (Ctrl+R)").toStdString());
    return report;
}

Result<void> ExportCommands::writeTrace(TraceFormat format, const QString& path) const {
    CUBIST_TRY(const RunReportPtr report, predicted());
    return writeStream(path, [&](const TextSink& sink) -> Result<void> {
        switch (format) {
            case TraceFormat::Perfetto: return writeChromeTrace(*report->program, *report->trace, sink);
            case TraceFormat::PyptoSwimlane: return writePyptoSwimlane(*report->program, *report->trace, sink);
            case TraceFormat::MindStudio: return writeMindStudioTrace(*report->program, *report->trace, sink);
        }
        return {};
    });
}

Result<void> ExportCommands::writeTables(const QString& folder) const {
    CUBIST_TRY(const RunReportPtr report, predicted());
    return writeFolder(folder, csvTables(*report));
}

Result<void> ExportCommands::writeTensors(const QString& path) const {
    CUBIST_TRY(const RunReportPtr report, ran());
    return writeTensorFile(path, report->outputs);
}

Result<void> ExportCommands::stagesAreKept() const {
    CUBIST_TRY(const RunReportPtr report, ran());
    if (!m_session.runs().request()->keepStages) {
        m_session.keepStages();
        return unexpected(ErrorCode::BadValue, tr("the run has not kept the values between stages").toStdString(), {},
                          tr("runs of this window keep them from now on: run it again (Ctrl+R)").toStdString());
    }
    if (report->stageResults.empty())
        return unexpected(ErrorCode::BadValue, tr("no value passes between stages").toStdString());
    return {};
}

Result<void> ExportCommands::writeStages(const QString& path) const {
    CUBIST_CHECK_OK(stagesAreKept());
    return writeTensorFile(path, m_session.runs().report()->stageResults);
}

Result<void> ExportCommands::writeReport(const QString& path) const {
    CUBIST_TRY(const RunReportPtr report, ran());
    return writeFileAtomically(path.toStdString(), htmlReport(m_session.request(), *report));
}

Result<void> ExportCommands::writeBundleFile(const QString& path) const {
    CUBIST_TRY(const RunReportPtr report, ran());
    return writeBundle(path.toStdString(), m_session.request(), *report, versionText());
}

void ExportCommands::showPypto() {
    auto* dialog = new PyptoExportDialog(*this, m_session, &m_window);
    connect(dialog, &PyptoExportDialog::written, this,
            [this](const QString& folder) { emit done(tr("Written to %1").arg(folder)); });
    dialog->open();
}

void ExportCommands::copySnippet() {
    const Result<QString> text = snippet();
    if (!text) return;
    QApplication::clipboard()->setText(*text);
    emit done(tr("Tiles and options are in the clipboard, as lines of Python"));
}

QString ExportCommands::suggested(const QString& ending) const {
    const DocumentModel& document = m_session.document();
    const QString name = QString::fromStdString(document.design()->name).replace(QLatin1Char('/'), QLatin1Char('_'));
    return (document.folder().isEmpty() ? QDir::homePath() : document.folder()) + QLatin1Char('/') + name + ending;
}

void ExportCommands::saveFile(const QString& title, const QString& ending, const QString& filter, const Writer& write) {
    if (!m_session.document().hasDesign()) return;
    QFileDialog dialog(&m_window, title, QFileInfo(suggested(ending)).path(), filter);
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.selectFile(suggested(ending));
    followFilter(dialog);
    if (dialog.exec() != QDialog::Accepted || dialog.selectedFiles().isEmpty()) return;
    const QString path = dialog.selectedFiles().constFirst();
    finish(title, path, write(path));
}

void ExportCommands::saveTables() {
    if (!m_session.document().hasDesign()) return;
    const QString title = tr("Folder for CSV tables");
    const QString folder = QFileDialog::getExistingDirectory(&m_window, title, m_session.document().folder());
    if (!folder.isEmpty()) finish(title, folder, writeTables(folder));
}

void ExportCommands::saveStages() {
    const QString title = tr("Save values between stages");
    if (const Result<void> kept = stagesAreKept(); !kept) return finish(title, {}, kept);
    saveFile(title, QStringLiteral(".stages.npz"), tensorFilter(),
             [this](const QString& path) { return writeStages(path); });
}

void ExportCommands::finish(const QString& title, const QString& path, const Result<void>& result) {
    if (result) {
        emit done(tr("Written to %1").arg(path));
        return;
    }
    auto* box = new QMessageBox(QMessageBox::Warning, title, QString::fromStdString(result.error().message),
                                QMessageBox::Ok, &m_window);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(QString::fromStdString(result.error().hint));
    box->open();
}

}  // namespace cubist
